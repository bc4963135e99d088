"""Which terms are well formed: sorts, numbers of arguments, names. Part of the trusted base.

A certificate about an ill-sorted script would show nothing: solvers disagree on what it means, or refuse it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType

from proofs_checks.proofs.language.terms import (
    ARITHMETIC,
    BOOL,
    COMPARISONS,
    CONNECTIVES,
    INT,
    PROVIDER,
    QUANTIFIERS,
    REAL,
    Term,
)

SORTS = frozenset({BOOL, REAL, INT, PROVIDER})
#: Names that a symbol cannot have: those of the language,
BUILT_IN = CONNECTIVES | COMPARISONS | ARITHMETIC | QUANTIFIERS | {"ite", "true", "false", "number"}
#: and those that z3 or cvc5 reads in a way of its own. z3 takes a function that is declared as `exp` for the
#: exponential, without a word: its answer would not be about the script.
_OF_SOLVERS = """
_ abs acos acosh arccos arccot arccsc arcsec arcsin arctan as asin asinh atan atanh bag bvadd choice cos cosh cot csc
distinct div divisible exp fp iand iff implies is_int lambda let ln log match mod par pi pow pow2 rem sec select sep set
sin sinh sqrt store tan tanh to_int xor
"""
RESERVED = frozenset(_OF_SOLVERS.split())
#: Sorts of the arguments, and of the result.
Signature = tuple[tuple[str, ...], str]

# No "~", "#", "|": those mark what the checker itself names, so that nothing stated can mean a witness by accident.
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WITNESS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(~[A-Za-z0-9_.-]+~[0-9]+)?")
_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def signatures_of(formulas: Mapping[str, Term], *, witnesses: bool = False) -> dict[str, Signature]:
    """Return the signature of every symbol of named formulas that are well formed.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants
    >>> x, y = constants("x y")
    >>> signatures_of({"less": x < y})
    {'x': ((), 'Real'), 'y': ((), 'Real')}
    """
    found: dict[str, Signature] = {}
    for name, formula in formulas.items():
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of an assertion")
        for head, signature in _signatures_in(name, formula, witnesses).items():
            if found.setdefault(head, signature) != signature:
                raise ValueError(f"{head} is used with two signatures")
    return found


@functools.lru_cache(maxsize=16_384)
def _signatures_in(name: str, formula: Term, witnesses: bool) -> Mapping[str, Signature]:
    """Return the signatures of the symbols of a formula; a script and its mutants have most formulas in common."""
    walk = _Walk(_WITNESS if witnesses else _SYMBOL)
    if walk.sort(formula, {}) != BOOL:
        raise ValueError(f"assertion {name} is no formula")
    return MappingProxyType(walk.signatures)


def check_ground(term: Term, signatures: Mapping[str, Signature]) -> None:
    """Check that a term without quantifiers is well formed and has known symbols only."""
    walk = _Walk(_WITNESS, dict(signatures))
    walk.sort(term, {})
    if walk.signatures.keys() != signatures.keys() or walk.quantified:
        raise ValueError(f"{term} has an unknown symbol or a quantifier")


class _Walk:
    """Goes through terms and notes how symbols are used."""

    def __init__(self, symbol: re.Pattern[str], signatures: dict[str, Signature] | None = None) -> None:
        self.signatures: dict[str, Signature] = {} if signatures is None else signatures
        self.quantified = False
        self._symbol = symbol
        # Terms that were looked at where the same variables are bound: a look at one more of them says nothing new.
        self._seen: set[Term] = set()

    def sort(self, term: Term, bound: Mapping[str, str]) -> str:
        """Return the sort of a term: what its parts make it, which must be what it says."""
        if term in self._seen:
            return term.sort
        if term.head == "number" or term.number is not None:
            found = self._number(term)
        elif term.head in QUANTIFIERS:
            found = self._quantifier(term, bound)
        elif term.bound:
            raise ValueError(f"{term.head} binds variables")
        else:
            found = self._application(term, tuple(self.sort(argument, bound) for argument in term.arguments), bound)
        if found != term.sort:
            raise ValueError(f"{term} is of sort {found}, not {term.sort}")
        self._seen.add(term)
        return found

    @staticmethod
    def _number(term: Term) -> str:
        if term.number is None or term.arguments or term.bound or term.sort not in (INT, REAL):
            raise ValueError(f"{term.head} is no number")
        if term.sort == INT and term.number.denominator != 1:
            raise ValueError(f"{term.number} is no whole number")
        return term.sort

    def _quantifier(self, term: Term, bound: Mapping[str, str]) -> str:
        self.quantified = True
        names = [variable.head for variable in term.bound]
        if not names or len(set(names)) != len(names) or len(term.arguments) != 1:
            raise ValueError(f"{term.head} with no variables, one twice, or not one body")
        for variable in term.bound:
            if variable.sort not in SORTS or variable.arguments or not self._is_symbol(variable.head):
                raise ValueError(f"{variable.head} of sort {variable.sort} is no variable")
        inner = {**bound, **{variable.head: variable.sort for variable in term.bound}}
        outside, self._seen = self._seen, set()
        if self.sort(term.arguments[0], inner) != BOOL:
            raise ValueError(f"{term.head} over what is no formula")
        self._seen = outside
        return BOOL

    def _application(self, term: Term, arguments: tuple[str, ...], bound: Mapping[str, str]) -> str:
        if term.head in BUILT_IN:
            return sort_of_value(term.head, arguments)
        if term.head in bound:
            if arguments:
                raise ValueError(f"the variable {term.head} is applied")
            return bound[term.head]
        if not self._is_symbol(term.head) or term.sort not in SORTS:
            raise ValueError(
                f"{term.head!r} of sort {term.sort} is no symbol, or a name that a solver keeps for itself"
            )
        signature = arguments, term.sort
        if self.signatures.setdefault(term.head, signature) != signature:
            raise ValueError(f"{term.head} is used with two signatures")
        return term.sort

    def _is_symbol(self, name: str) -> bool:
        return name not in BUILT_IN and name not in RESERVED and bool(self._symbol.fullmatch(name))


def sort_of_value(head: str, arguments: tuple[str, ...]) -> str:
    """Return the sort of the value of a built-in function, for arguments of some sorts."""
    n, kinds = len(arguments), set(arguments)
    number = arguments[0] if len(kinds) == 1 and kinds <= {INT, REAL} else ""
    if head in ("true", "false") and not n:
        return BOOL
    if kinds == {BOOL} and (head in ("and", "or") or (head, n) in (("not", 1), ("=>", 2))):
        return BOOL
    if (head == "=" and n == 2 and len(kinds) == 1) or (head in COMPARISONS and n == 2 and number):
        return BOOL
    if number and ((head == "-" and n) or (head == "+" and n > 1) or (head == "*" and n == 2)):
        return number
    if (head == "/" and arguments == (REAL, REAL)) or (head == "to_real" and arguments == (INT,)):
        return REAL
    if head == "ite" and n == 3 and arguments[0] == BOOL and arguments[1] == arguments[2]:
        return arguments[1]
    raise ValueError(f"{head} cannot be applied to {', '.join(arguments) or 'nothing'}")
