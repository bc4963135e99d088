"""Formulas over the reals: the language of lemmas.

Sorts are Bool, Real and Provider: a set of any size that is not empty. Arithmetic and comparisons are Python operators;
equality is `equal`, since ``==`` compares terms as objects.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from types import NoneType
from typing import Any

from bounds.errors import InputError

BOOL, REAL, PROVIDER = "Bool", "Real", "Provider"

_COMPARISONS = frozenset({"<", "<=", ">", ">="})
QUANTIFIERS = frozenset({"forall", "exists"})
#: What has a meaning of its own; every other head is a symbol.
BUILT_IN = _COMPARISONS | QUANTIFIERS | {"and", "or", "not", "=>", "=", "+", "-", "*", "/", "ite", "number"}
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _operator(sign: str, *, reflected: bool = False) -> Callable[[Term, Number], Term]:
    """Return the method of an operator; the reflected one has the term on the right."""

    def applied(self: Term, other: Number) -> Term:
        return _applied(sign, other, self) if reflected else _applied(sign, self, other)

    return applied


@dataclass(frozen=True, kw_only=True)
class Term:
    """A term or a formula. Only terms of the right sorts can be made.

    Parameters
    ----------
    head : str
        An operator, a quantifier, "number", or the name of a symbol.
    arguments : tuple of Term
        Of a quantifier: the body alone.
    sort : str
    number : Fraction, optional
        The value of a "number".
    bound : tuple of Term, optional
        The variables of a quantifier.

    Examples
    --------
    >>> x = constant("x")
    >>> str(x + 1 <= 2 * x)
    '(<= (+ x 1.0) (* 2.0 x))'
    """

    head: str
    arguments: tuple[Term, ...] = ()
    sort: str = REAL
    number: Fraction | None = None
    bound: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        if type(self) is not Term or type(self.head) is not str or type(self.sort) is not str:
            raise _no_term(self, "is not made of exact types", "use Term and str themselves, no subclasses")
        if not all(type(parts) is tuple and {*map(type, parts)} <= {Term} for parts in (self.arguments, self.bound)):
            raise _no_term(self, "is applied to what is not a term", "make numbers terms: number(2)")
        if type(self.number) is not (Fraction if self.head == "number" else NoneType):
            raise _no_term(self, f"has the value {self.number!r}", "make numbers with number(...)")
        if (self.head in QUANTIFIERS) is not bool(self.bound):
            raise _no_term(self, f"binds {len(self.bound)} variables", "only for_all and exists bind some")
        sorts = tuple(argument.sort for argument in self.arguments)
        if self.head in BUILT_IN and self.sort != _sort_of_value(self.head, sorts):
            raise _no_term(self, f"cannot be applied to {', '.join(sorts) or 'nothing'}", _WELL_MADE)

    def __str__(self) -> str:
        return written(self, prefix="")

    __add__, __radd__ = _operator("+"), _operator("+", reflected=True)
    __sub__, __rsub__ = _operator("-"), _operator("-", reflected=True)
    __mul__, __rmul__ = _operator("*"), _operator("*", reflected=True)
    __truediv__, __rtruediv__ = _operator("/"), _operator("/", reflected=True)
    __lt__, __le__ = _operator("<"), _operator("<=")
    __gt__, __ge__ = _operator(">"), _operator(">=")

    def __neg__(self) -> Term:
        return Term(head="-", arguments=(self,))

    def __and__(self, other: Term) -> Term:
        return all_of(self, other)

    def __or__(self, other: Term) -> Term:
        return any_of(self, other)

    def __invert__(self) -> Term:
        return Term(head="not", arguments=(self,), sort=BOOL)

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is a term: it has no truth value; use all_of, any_of, implies, equal")


Number = Term | int | Fraction | float


def _sort_of_value(head: str, sorts: tuple[str, ...]) -> str:
    """Return the sort of the value of a built-in function; "" for arguments that it cannot be applied to."""
    count, kinds = len(sorts), {*sorts}
    if head == "number" and not count:
        return REAL
    if kinds == {BOOL} and (head in ("and", "or") or (head, count) in _OF_FORMULAS):
        return BOOL
    if count == 2 and ((head in _COMPARISONS and kinds == {REAL}) or (head == "=" and len(kinds) == 1)):
        return BOOL
    if kinds == {REAL} and (head, count) in _OF_NUMBERS:
        return REAL
    if head == "ite" and count == 3 and sorts[0] == BOOL and sorts[1] == sorts[2] != PROVIDER:
        return sorts[1]
    return ""


def _no_term(term: Term, rule: str, remedy: str) -> InputError:
    return InputError("term", term.head, rule, remedy)


_WELL_MADE = "numbers are joined by +, -, *, / and compared by <, <=, >, >=, equal(a, b); formulas by all_of, any_of"
_OF_FORMULAS = frozenset({("not", 1), ("=>", 2), ("forall", 1), ("exists", 1)})
_OF_NUMBERS = frozenset({("+", 2), ("-", 1), ("-", 2), ("*", 2), ("/", 2)})

#: What gives the exact value of a number of some type, independent of what a subclass claims to be.
_READ_BY: tuple[tuple[type, Callable[[Any], int | str]], ...] = (
    (int, int.__index__),
    (Integral, int),
    (float, float.__repr__),
    (Fraction, Fraction.__str__),
    (Decimal, Decimal.__str__),
    (Real, str),
)


def number(value: int | Fraction | float) -> Term:
    """Return a number as a term; a float is the decimal that Python prints, not the binary fraction beside it.

    Raises
    ------
    InputError
        It is not finite, or no number.

    Examples
    --------
    >>> str(number(0.1)), str(number(1e-3))
    ('(/ 1.0 10.0)', '(/ 1.0 1000.0)')
    """
    read = next((read for kind, read in _READ_BY if issubclass(type(value), kind)), None)
    try:
        if read is None or type(value) is bool:
            raise ValueError
        return Term(head="number", number=Fraction(read(value)))
    except (ValueError, ZeroDivisionError):
        rule = "is not a finite real number"
        raise InputError("number", value, rule, "give a whole number, a Fraction or a float") from None


def constant(name: str, sort: str = REAL) -> Term:
    """Return a constant: a symbol without arguments."""
    return Term(head=name, sort=sort)


def constants(names: str) -> list[Term]:
    """Return real constants for names that are separated by blanks.

    Examples
    --------
    >>> [str(term) for term in constants("x y")]
    ['x', 'y']
    """
    return [constant(name) for name in names.split()]


def function(name: str, sort: str = REAL) -> Callable[..., Term]:
    """Return a function symbol, to be applied to terms.

    Examples
    --------
    >>> bid = function("bid")
    >>> str(bid(constant("i", PROVIDER)))
    '(bid i)'
    """
    return lambda *arguments: Term(head=name, arguments=arguments, sort=sort)


def equal(left: Number, right: Number) -> Term:
    """Return the formula that two terms are equal."""
    return _applied("=", left, right)


def all_of(*formulas: Term) -> Term:
    """Return a conjunction."""
    return formulas[0] if len(formulas) == 1 else Term(head="and", arguments=formulas, sort=BOOL)


def any_of(*formulas: Term) -> Term:
    """Return a disjunction."""
    return formulas[0] if len(formulas) == 1 else Term(head="or", arguments=formulas, sort=BOOL)


def implies(condition: Term, consequence: Term) -> Term:
    """Return an implication."""
    return Term(head="=>", arguments=(condition, consequence), sort=BOOL)


def either(condition: Term, then: Number, otherwise: Number) -> Term:
    """Return a term that depends on a condition (SMT-LIB's ``ite``)."""
    first, second = _term(then), _term(otherwise)
    return Term(head="ite", arguments=(condition, first, second), sort=first.sort)


def for_all(variables: Sequence[Term], body: Term) -> Term:
    """Return a universally quantified formula."""
    return Term(head="forall", arguments=(body,), sort=BOOL, bound=tuple(variables))


def exists(variables: Sequence[Term], body: Term) -> Term:
    """Return an existentially quantified formula."""
    return Term(head="exists", arguments=(body,), sort=BOOL, bound=tuple(variables))


def at_least(first: Term, *others: Number) -> Term:
    """Return the largest of some terms."""
    return functools.reduce(lambda largest, other: either(largest >= other, largest, other), others, first)


def _term(side: Number) -> Term:
    return side if type(side) is Term else number(side)  # type: ignore[arg-type]


def _applied(operator: str, left: Number, right: Number) -> Term:
    sort = BOOL if operator in _COMPARISONS or operator == "=" else REAL
    return Term(head=operator, arguments=(_term(left), _term(right)), sort=sort)


def subterms(term: Term) -> Iterator[Term]:
    """Yield a term and everything in it, bound variables included."""
    left = [term]
    while left:
        found = left.pop()
        yield found
        left.extend((*found.arguments, *found.bound))


def free_subterms(term: Term, bound: frozenset[Term] = frozenset()) -> Iterator[Term]:
    """Yield every part of a term, and the term, that has no bound variable of the term in it.

    Examples
    --------
    >>> j = constant("j", PROVIDER)
    >>> [str(part) for part in free_subterms(for_all([j], function("bid")(j) > constant("x")))]
    ['(forall ((j Provider)) (> (bid j) x))', 'x']
    """
    if not bound or bound.isdisjoint(subterms(term)):
        yield term
    for argument in term.arguments:
        yield from free_subterms(argument, bound.union(term.bound))


def substituted(term: Term, values: Mapping[Term, Term]) -> Term:
    """Return a term with free occurrences of symbols replaced by others, whose names no quantifier binds."""
    if term in values:
        return values[term]
    if not term.arguments:
        return term
    inner = {key: value for key, value in values.items() if key not in term.bound} if term.bound else values
    return replace(term, arguments=tuple(substituted(argument, inner) for argument in term.arguments))


#: Sorts of the arguments, and of the result.
Signature = tuple[tuple[str, ...], str]


def signatures_of(formulas: Iterable[Term]) -> dict[str, Signature]:
    """Return the signature of every free symbol of some formulas, in each of which a name means one thing.

    Examples
    --------
    >>> x, y = constants("x y")
    >>> signatures_of([x < y])
    {'x': ((), 'Real'), 'y': ((), 'Real')}
    """
    found: dict[str, Signature] = {}
    for formula in formulas:
        _note_symbols(formula, {}, found)
    return found


def _note_symbols(term: Term, bound: Mapping[str, str], found: dict[str, Signature]) -> None:
    if term.head not in BUILT_IN:
        signature = tuple(argument.sort for argument in term.arguments), term.sort
        known = ((), bound[term.head]) if term.head in bound else found.setdefault(term.head, signature)
        if known != signature:
            rule = f"is used as {_signature(*known)} and as {_signature(*signature)}"
            raise InputError("symbol", term.head, rule, "give each symbol one sort and one number of arguments")
    inner = {**bound, **{variable.head: variable.sort for variable in term.bound}} if term.bound else bound
    for argument in term.arguments:
        _note_symbols(argument, inner, found)


def _signature(sorts: tuple[str, ...], result: str) -> str:
    return " ".join([*sorts, "->", result]) if sorts else result


def check_names(formula: Term) -> None:
    """Check the names and the sorts of a formula that somebody hands in.

    Raises
    ------
    InputError
        A name is not a word, or a variable or a symbol has a sort that it cannot have.
    """
    for part in subterms(formula):
        for variable in part.bound:
            if variable.arguments or variable.head in BUILT_IN or variable.sort not in (REAL, PROVIDER):
                rule = f"of sort {variable.sort} cannot be bound"
                raise InputError("variable", str(variable), rule, "bind constants of sort Real or Provider")
        if part.head not in BUILT_IN:
            sorts = (BOOL, REAL) if part.arguments else (BOOL, REAL, PROVIDER)
            if part.sort not in sorts or not _SYMBOL.fullmatch(part.head):
                remedy = (
                    "its name is made of letters, digits and _, its sort is Bool or Real; a constant may be a Provider"
                )
                raise InputError("symbol", part.head, f"of sort {part.sort} is not a symbol", remedy)


def written(term: Term, *, prefix: str = "$") -> str:
    """Return a term as SMT-LIB text.

    The prefix keeps symbols apart from every name that a solver has a meaning for: z3 takes a function that is declared
    as `exp` for the exponential, without a word.
    """
    if term.number is not None:
        return _written_number(term.number)
    head = term.head if term.head in BUILT_IN else prefix + term.head
    if term.bound:
        variables = " ".join(f"({prefix}{variable.head} {variable.sort})" for variable in term.bound)
        return f"({head} ({variables}) {written(term.arguments[0], prefix=prefix)})"
    if not term.arguments:
        return head
    return f"({head} {' '.join(written(argument, prefix=prefix) for argument in term.arguments)})"


def _written_number(value: Fraction) -> str:
    if value < 0:
        return f"(- {_written_number(-value)})"
    if value.denominator == 1:
        return f"{value.numerator}.0"
    return f"(/ {value.numerator}.0 {value.denominator}.0)"
