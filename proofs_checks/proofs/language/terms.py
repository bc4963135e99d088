"""Terms of many-sorted first-order logic with linear and nonlinear arithmetic: the language of the obligations.

Sorts are Bool, Real, Int and `PROVIDER`, an uninterpreted one: a set of providers of any size. Arithmetic and
comparisons are Python operators; equality is `equal`, since ``==`` compares terms as objects.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from threading import Lock
from typing import Any
from weakref import ref

from bounds.errors import InputError

BOOL, REAL, INT, PROVIDER = "Bool", "Real", "Int", "Provider"

#: Operators of formulas and of arithmetic, as SMT-LIB writes them.
CONNECTIVES = frozenset({"and", "or", "not", "=>"})
COMPARISONS = frozenset({"<", "<=", ">", ">=", "="})
ARITHMETIC = frozenset({"+", "-", "*", "/", "to_real"})
QUANTIFIERS = frozenset({"forall", "exists"})
#: Functions of analysis and probability: they say what symbols stand for, and are written in no script.
ANALYTIC = frozenset({"ln", "sqrt", "exp", "pow", "~pi", "probability", "expectation", "sum"})


def _operator(sign: str, *, reflected: bool = False) -> Callable[[Term, Number], Term]:
    """Return the method of an operator; the reflected one has the term on the right."""

    def applied(self: Term, other: Number) -> Term:
        return _applied(sign, other, self) if reflected else _applied(sign, self, other)

    return applied


_Parts = tuple[str, tuple["Term", ...], str, Fraction | None, tuple["Term", ...]]


class _Known:
    """The terms that somebody holds, each once.

    References have no callbacks: an interruption inside of one would be lost. So the places of terms that nobody holds
    any more are given up from time to time.
    """

    def __init__(self, most: int) -> None:
        self.places: dict[_Parts, ref[Term]] = {}
        self._most = most
        self._making = Lock()

    def __call__(self, parts: _Parts) -> Term:
        """Return the term that has some parts."""
        place = self.places.get(parts)
        known = None if place is None else place()
        return self._made(parts) if known is None else known

    def _made(self, parts: _Parts) -> Term:
        head, arguments, sort, number, bound = parts
        if type(number) not in (Fraction, type(None)):
            # A float may be equal to a fraction: it would stand in its place ever after.
            raise TypeError(f"{number!r} is no Fraction")
        if type(head) is not str or type(sort) is not str:
            raise TypeError(f"the head and the sort of a term are of type str, not {type(head)} and {type(sort)}")
        if not all(type(parts) is tuple and {*map(type, parts)} <= {Term} for parts in (arguments, bound)):
            raise TypeError(f"the arguments of {head} are no tuple of terms")
        with self._making:
            place = self.places.get(parts)
            known = None if place is None else place()
            if known is None:  # another thread may have made it just now
                known = object.__new__(Term)
                known.__dict__.update(head=head, arguments=arguments, sort=sort, number=number, bound=bound)
                self.places[parts] = ref(known)
                if len(self.places) > self._most:
                    self._forget()
        return known

    def _forget(self) -> None:
        """Give up places of terms that nobody holds; the last first, since a term comes after those in it."""
        left = [*self.places]
        while left:
            parts = left.pop()
            if self.places[parts]() is None:
                del self.places[parts]
        self._most = max(self._most, 2 * len(self.places))


_known = _Known(most=200_000)


@dataclass(frozen=True, init=False, eq=False)
class Term:
    """A term or a formula. Equal ones are one object, so that they are compared without a look at their parts.

    Parameters
    ----------
    head : str
        An operator, the name of a symbol, a quantifier, or "number".
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
    >>> str((x + 1 <= 2 * x))
    '(<= (+ x 1.0) (* 2.0 x))'
    """

    head: str
    arguments: tuple[Term, ...] = ()
    sort: str = REAL
    number: Fraction | None = None
    bound: tuple[Term, ...] = ()

    def __new__(
        cls,
        head: str,
        arguments: tuple[Term, ...] = (),
        sort: str = REAL,
        number: Fraction | None = None,
        bound: tuple[Term, ...] = (),
    ) -> Term:
        """Return the term that has these parts: one that somebody holds, or a new one."""
        return _known((head, arguments, sort, number, bound))

    def __str__(self) -> str:
        return written(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Term, (self.head, self.arguments, self.sort, self.number, self.bound)

    __add__, __radd__ = _operator("+"), _operator("+", reflected=True)
    __sub__, __rsub__ = _operator("-"), _operator("-", reflected=True)
    __mul__, __rmul__ = _operator("*"), _operator("*", reflected=True)
    __truediv__, __rtruediv__ = _operator("/"), _operator("/", reflected=True)
    __lt__, __le__ = _operator("<"), _operator("<=")
    __gt__, __ge__ = _operator(">"), _operator(">=")

    def __neg__(self) -> Term:
        return Term("-", (self,), self.sort)

    def __and__(self, other: Term) -> Term:
        return all_of(self, other)

    def __or__(self, other: Term) -> Term:
        return any_of(self, other)

    def __invert__(self) -> Term:
        return Term("not", (self,), BOOL)

    def __bool__(self) -> bool:
        raise TypeError(f"{self} is a term: it has no truth value; use all_of, any_of, implies, equal")


Number = Term | int | Fraction | float


#: What gives the exact value of a number of some type, whatever a subclass says of itself.
_READ_BY: tuple[tuple[type, Callable[[Any], int | str]], ...] = (
    (int, int.__index__),
    (Integral, int),
    (float, float.__repr__),
    (Fraction, Fraction.__str__),
    (object, str),
)


def number(value: int | Fraction | float, sort: str = REAL) -> Term:
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
    read = next(read for kind, read in _READ_BY if isinstance(value, kind))
    try:
        exact = Fraction(read(value))
    except (ValueError, ZeroDivisionError):
        rule = "is not a finite real number"
        raise InputError("number", value, rule, "give a whole number, a Fraction or a float") from None
    return Term("number", (), sort, exact)


def constant(name: str, sort: str = REAL) -> Term:
    """Return a constant: a symbol without arguments."""
    return Term(name, (), sort)


def constants(names: str, sort: str = REAL) -> list[Term]:
    """Return constants for names that are separated by blanks.

    Examples
    --------
    >>> [str(term) for term in constants("x y")]
    ['x', 'y']
    """
    return [constant(name, sort) for name in names.split()]


def function(name: str, sort: str = REAL) -> Callable[..., Term]:
    """Return a function symbol, to be applied to terms.

    Examples
    --------
    >>> bid = function("bid")
    >>> str(bid(constant("i", PROVIDER)))
    '(bid i)'
    """
    return lambda *arguments: Term(name, tuple(arguments), sort)


#: The number pi in what symbols stand for. No symbol of a script can have this name.
PI = constant("~pi")


def ln(x: Number) -> Term:
    """Return what the logarithm of a number is written as in what a symbol stands for; never in a script."""
    return _of_reals("ln", x)


def sqrt(x: Number) -> Term:
    """Return the square root of a number, written in the same way."""
    return _of_reals("sqrt", x)


def exp(x: Number) -> Term:
    """Return the exponential of a number, written in the same way."""
    return _of_reals("exp", x)


def power(x: Number, exponent: Number) -> Term:
    """Return a power of a number, written in the same way."""
    return _of_reals("pow", x, exponent)


def _of_reals(head: str, *arguments: Number) -> Term:
    return Term(head, tuple(_cast(argument, REAL) for argument in arguments))


def equal(left: Number, right: Number) -> Term:
    """Return the formula that two terms are equal."""
    return _applied("=", left, right)


def all_of(*formulas: Term) -> Term:
    """Return a conjunction."""
    return formulas[0] if len(formulas) == 1 else Term("and", formulas, BOOL)


def any_of(*formulas: Term) -> Term:
    """Return a disjunction."""
    return formulas[0] if len(formulas) == 1 else Term("or", formulas, BOOL)


def implies(condition: Term, consequence: Term) -> Term:
    """Return an implication."""
    return Term("=>", (condition, consequence), BOOL)


def either(condition: Term, then: Number, otherwise: Number) -> Term:
    """Return a term that depends on a condition (SMT-LIB's ``ite``)."""
    first, second = _same_sort(then, otherwise)
    return Term("ite", (condition, first, second), first.sort)


def for_all(variables: Sequence[Term], body: Term) -> Term:
    """Return a universally quantified formula."""
    return Term("forall", (body,), BOOL, None, tuple(variables))


def exists(variables: Sequence[Term], body: Term) -> Term:
    """Return an existentially quantified formula."""
    return Term("exists", (body,), BOOL, None, tuple(variables))


def at_least(first: Term, *others: Number) -> Term:
    """Return the largest of some terms."""
    return functools.reduce(lambda largest, other: either(largest >= other, largest, other), others, first)


def subterms(term: Term) -> Iterator[Term]:
    """Yield a term and everything in it, bound variables included."""
    left = [term]
    while left:
        found = left.pop()
        yield found
        left.extend(found.arguments[::-1])
        left.extend(found.bound[::-1])


@functools.lru_cache(maxsize=8192)
def parts_of(term: Term) -> frozenset[Term]:
    """Return a term and everything in it, each once: many ask whether the same few formulas have something in them.

    Examples
    --------
    >>> x = constant("x")
    >>> sorted(map(str, parts_of(x + x)))
    ['(+ x x)', 'x']
    """
    found, left = {term}, [term]
    while left:
        part = left.pop()
        inside = {*part.arguments, *part.bound} - found
        found |= inside
        left.extend(inside)
    return frozenset(found)


def open_subterms(term: Term, bound: frozenset[Term] = frozenset()) -> Iterator[Term]:
    """Yield every part of a term that has no bound variable of the term in it, the term itself included.

    Examples
    --------
    >>> j = constant("j", PROVIDER)
    >>> [str(part) for part in open_subterms(for_all([j], function("bid")(j) > constant("x")))]
    ['(forall ((j Provider)) (> (bid j) x))', 'x']
    """
    left = [(term, bound)]
    while left:
        found, outside = left.pop()
        if not outside or outside.isdisjoint(parts_of(found)):
            yield found
        inside = outside.union(found.bound) if found.bound else outside
        left.extend((argument, inside) for argument in reversed(found.arguments))


def substituted(term: Term, values: dict[Term, Term]) -> Term:
    """Return a term with free occurrences of symbols replaced; bound variables must have names of their own."""
    if term in values:
        return values[term]
    if not term.arguments:
        return term
    inner = {key: value for key, value in values.items() if key not in term.bound} if term.bound else values
    return Term(term.head, tuple(substituted(a, inner) for a in term.arguments), term.sort, term.number, term.bound)


def with_casts(term: Term) -> Term:
    """Return a term in which a whole number beside a real one is made real.

    Examples
    --------
    >>> str(with_casts(Term("<=", (constant("m", INT), constant("x")), BOOL)))
    '(<= (to_real m) x)'
    """
    inner = tuple(map(with_casts, term.arguments))
    mixed = {argument.sort for argument in inner} >= {INT, REAL}
    real = term.sort == REAL and term.head in ARITHMETIC - {"to_real"}
    if (mixed and term.head in COMPARISONS | ARITHMETIC | {"ite"}) or real:
        inner = tuple(_cast(argument, REAL) if argument.sort == INT else argument for argument in inner)
    return Term(term.head, inner, REAL if mixed and term.head == "ite" else term.sort, term.number, term.bound)


def written(term: Term) -> str:
    """Return a term as SMT-LIB text."""
    if term.number is not None:
        return _written_number(term.number, term.sort)
    if term.bound:
        variables = " ".join(f"({variable.head} {variable.sort})" for variable in term.bound)
        return f"({term.head} ({variables}) {written(term.arguments[0])})"
    if not term.arguments:
        return term.head
    return f"({term.head} {' '.join(map(written, term.arguments))})"


def _written_number(value: Fraction, sort: str) -> str:
    if value < 0:
        return f"(- {_written_number(-value, sort)})"
    point = ".0" if sort == REAL else ""
    if value.denominator == 1:
        return f"{value.numerator}{point}"
    return f"(/ {value.numerator}{point} {value.denominator}{point})"


def _same_sort(left: Number, right: Number) -> tuple[Term, Term]:
    """Return both as terms of one sort; a plain number takes the other's, an Int beside a Real becomes Real."""
    sort = next((side.sort for side in (left, right) if isinstance(side, Term) and side.sort != INT), None)
    if sort is None:
        sort = INT if any(isinstance(side, Term) for side in (left, right)) else REAL
    first, second = (_cast(side, sort) for side in (left, right))
    return first, second


def _cast(side: Number, sort: str) -> Term:
    if not isinstance(side, Term):
        return number(side, sort)
    return Term("to_real", (side,), REAL) if (side.sort, sort) == (INT, REAL) else side


def _applied(operator: str, left: Number, right: Number) -> Term:
    """Return an operation on two sides or a comparison of them."""
    sides = _same_sort(left, right)
    return Term(operator, sides, BOOL if operator in COMPARISONS else REAL if operator == "/" else sides[0].sort)
