"""Is a formula an instance of another? Unification of a cited goal with the hypothesis that cites it.

Free constants of the goal may stand for any terms of the hypothesis: an obligation holds for all of them. A constant of
the hypothesis may be read as a term of the goal: it only names it. Functions may be renamed. A provider over which the
hypothesis quantifies is fixed: no constant of the hypothesis may depend on it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from proofs_checks.proofs.language.sorts import BUILT_IN
from proofs_checks.proofs.language.terms import ANALYTIC, BOOL, INT, REAL, Term, parts_of

#: Symbols of the goal, and of the hypothesis, are told apart by these; what is fixed has the third.
GOAL, HYPOTHESIS, FIXED = "goal_", "hypothesis_", "fixed_"
#: What both have, and stands for itself.
SHARED = "shared_"
#: No symbol of an obligation may begin with these: it would be taken for what it is not.
TAGS = (GOAL, HYPOTHESIS, FIXED, SHARED)
#: Variables of quantifiers inside a formula, while it is matched or read; no symbol of a script has such a name.
_INNER = "~"
_FLIPPED = {">": "<", ">=": "<="}
#: From a comparison to those that follow from it.
_WEAKER = {"<": ("<", "<="), "<=": ("<=",), "=": ("=", "<=")}


@functools.lru_cache(maxsize=65_536)
def plain(term: Term) -> Term:
    """Return a term without to_real and with "<" and "<=" only."""
    inner = tuple(plain(argument) for argument in term.arguments)
    if term.head == "to_real":
        return inner[0]
    if term.head in _FLIPPED:
        return Term(_FLIPPED[term.head], inner[::-1], BOOL)
    return Term(term.head, inner, term.sort, term.number, term.bound)


@functools.lru_cache(maxsize=65_536)
def tagged(term: Term, tag: str) -> Term:
    """Return a term whose symbols, but for fixed ones, have a tag."""
    kept = term.head in BUILT_IN or term.head in ANALYTIC or term.head.startswith((FIXED, SHARED, _INNER))
    inner = tuple(tagged(argument, tag) for argument in term.arguments)
    bound = tuple(tagged(variable, tag) for variable in term.bound)
    return Term(term.head if kept else tag + term.head, inner, term.sort, term.number, bound)


@functools.lru_cache(maxsize=65_536)
def untagged(term: Term) -> Term:
    """Return a term without tags, but for what is fixed."""
    head = term.head.removeprefix(GOAL).removeprefix(HYPOTHESIS).removeprefix(SHARED)
    inner, bound = (tuple(map(untagged, terms)) for terms in (term.arguments, term.bound))
    return Term(head, inner, term.sort, term.number, bound)


def conjuncts(formula: Term) -> list[Term]:
    """Return what a conjunction is made of."""
    return [part for a in formula.arguments for part in conjuncts(a)] if formula.head == "and" else [formula]


def fixed(formula: Term) -> Term:
    """Return a formula without its outermost universal quantifiers; their variables are fixed."""
    while formula.head == "forall":
        names = {v: Term(FIXED + v.head, (), v.sort) for v in formula.bound}
        formula = renamed(formula.arguments[0], names)
    return formula


def conclusions(formula: Term, premises: tuple[Term, ...] = ()) -> Iterator[tuple[tuple[Term, ...], Term]]:
    """Yield what a hypothesis concludes, conjunct by conjunct, each with its premises."""
    formula = fixed(formula)
    if formula.head == "and":
        for part in formula.arguments:
            yield from conclusions(part, premises)
    elif formula.head == "=>":
        yield from conclusions(formula.arguments[1], (*premises, *conjuncts(formula.arguments[0])))
    else:
        yield premises, formula


def renamed(term: Term, names: Mapping[Term, Term]) -> Term:
    """Return a term with parts replaced; what has a bound variable in it is not, and nothing that is put in is bound.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants, for_all
    >>> x, y = constants("x y")
    >>> str(renamed(for_all([x], x > y), {y: x}))
    '(forall ((x_ Real)) (> x_ x))'
    """
    if term in names:
        return names[term]
    if not term.arguments or not names:
        return term
    if not term.bound:
        inner = tuple(renamed(argument, names) for argument in term.arguments)
        return Term(term.head, inner, term.sort, term.number)
    [body], bound = term.arguments, set(term.bound)
    inside = parts_of(body)
    free = {old: new for old, new in names.items() if old in inside and not bound & parts_of(old)}
    taken = {part.head for value in free.values() for part in parts_of(value)}
    apart = {v: Term(_not_among(v.head, taken | _heads(body)), (), v.sort) for v in term.bound if v.head in taken}
    variables = tuple(apart.get(variable, variable) for variable in term.bound)
    return Term(term.head, (renamed(body, {**free, **apart}),), term.sort, term.number, variables)


def _heads(term: Term) -> set[str]:
    return {part.head for part in parts_of(term)}


def _not_among(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _apart(term: Term) -> Term:
    """Return a term whose bound variables have names that no symbol has."""
    inner = tuple(map(_apart, term.arguments))
    names = {variable: Term(_INNER + variable.head, (), variable.sort) for variable in term.bound}
    inner = tuple(renamed(argument, names) for argument in inner) if names else inner
    return Term(term.head, inner, term.sort, term.number, tuple(names[variable] for variable in term.bound))


@functools.lru_cache(maxsize=65_536)
def _together(term: Term) -> Term:
    """Return a term whose bound variables have their names again, or others where symbols inside have these."""
    inner = tuple(map(_together, term.arguments))
    if not term.bound:
        return Term(term.head, inner, term.sort, term.number)
    taken = _heads(inner[0])
    names = {v: Term(_not_among(v.head.lstrip(_INNER), taken), (), v.sort) for v in term.bound}
    return Term(term.head, (renamed(inner[0], names),), term.sort, term.number, tuple(names.values()))


class NoInstanceError(Exception):
    """Two formulas have no common instance."""


@dataclass
class Reading:
    """What symbols stand for, built up by `unify`."""

    of: dict[Term, Term] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)

    def resolved(self, term: Term, known: dict[Term, Term] | None = None) -> Term:
        """Return a term with all symbols replaced by what they stand for; `known` keeps that of its parts."""
        known = {} if known is None else known
        if term not in known:
            top = self._top(term)
            inner = tuple(self.resolved(argument, known) for argument in top.arguments)
            known[term] = Term(self.name(top.head), inner, top.sort, top.number, top.bound) if inner else top
        return known[term]

    def name(self, head: str) -> str:
        """Return the function for which a function stands."""
        while head in self.functions:
            head = self.functions[head]
        return head

    def unify(self, left: Term, right: Term) -> None:
        """Make two terms equal."""
        left, right = self._top(left), self._top(right)
        if left == right:
            return
        free = sorted((term for term in (left, right) if _is_free(term)), key=lambda term: term.head.startswith(GOAL))
        if free:
            self._bind(free[0], right if free[0] == left else left)
            return
        if len(left.arguments) != len(right.arguments) or left.number != right.number or left.bound or right.bound:
            self._quantified(left, right)
            return
        self._same_head(left, right)
        for first, second in zip(left.arguments, right.arguments, strict=True):
            self.unify(first, second)

    def _quantified(self, left: Term, right: Term) -> None:
        if left.head != right.head or len(left.bound) != len(right.bound) or not left.bound:
            raise NoInstanceError(f"{left} is not {right}")
        for first, second in zip(left.bound, right.bound, strict=True):
            if first.sort != second.sort:
                raise NoInstanceError(f"{first} is no {second.sort}")
            # Nothing but the variable itself may stand for it: it means nothing outside.
            both = Term(f"{_INNER}{first.head}", (), first.sort)
            left = Term(left.head, (renamed(left.arguments[0], {first: both}),), BOOL, None, left.bound)
            right = Term(right.head, (renamed(right.arguments[0], {second: both}),), BOOL, None, right.bound)
        self.unify(left.arguments[0], right.arguments[0])

    def _top(self, term: Term) -> Term:
        while term in self.of:
            term = self.of[term]
        return term

    def _same_head(self, left: Term, right: Term) -> None:
        first, second = self.name(left.head), self.name(right.head)
        if first == second:
            # Both have it: it is one symbol only if it is of one sort. That of an operator follows from its arguments.
            if first not in BUILT_IN and left.sort != right.sort:
                raise NoInstanceError(f"{first} is of two sorts")
            return
        if not first.startswith(GOAL):
            first, second = second, first
        if not first.startswith(GOAL) or second in BUILT_IN or left.sort != right.sort:
            raise NoInstanceError(f"{first} is not {second}")
        self.functions[first] = second

    def _bind(self, symbol: Term, value: Term) -> None:
        if {symbol.sort, value.sort} - {INT, REAL} and symbol.sort != value.sort:
            raise NoInstanceError(f"{symbol} is a {symbol.sort}")
        if symbol.sort == INT and value.sort == REAL:
            if not _is_free(value):
                raise NoInstanceError(f"{symbol} is whole, {value} need not be")
            symbol, value = value, symbol
        value = self.resolved(value)
        if symbol in parts_of(value):
            raise NoInstanceError(f"{symbol} occurs in {value}")
        if _mentions(value, (_INNER,)):
            raise NoInstanceError(f"{symbol} would depend on a variable: {value}")
        self.of[symbol] = value
        self._check_names()

    def _check_names(self) -> None:
        """Refuse a hypothesis two of whose constants would be the same, or one be a number, or depend on others."""
        values = [self.resolved(name) for name in self.of if name.head.startswith(HYPOTHESIS)]
        apart = len(set(values)) == len(values)
        if not apart or any(_is_known(v) or _mentions(v, (FIXED, HYPOTHESIS)) for v in values):
            raise NoInstanceError(f"the constants would be {values}")

    def here(self, terms: Iterable[Term]) -> list[Term]:
        """Return terms of the goal in the symbols of the hypothesis; one that only the goal has keeps its name."""
        known: dict[Term, Term] = {}
        return [_together(untagged(renamed(self.resolved(_of_goal(term), known), self._swapped))) for term in terms]

    def stands(self) -> dict[Term, Term]:
        """Return what the constants of the goal stand for, those aside that keep their names."""
        symbols = [untagged(one) for one in (*self.of, *self._swapped) if one.head.startswith(GOAL)]
        own = zip(symbols, self.here(symbols), strict=True)
        return {symbol: value for symbol, value in own if symbol != value}

    @functools.cached_property
    def _values(self) -> dict[Term, Term]:
        """What the constants of the hypothesis stand for; asked once nothing more is made equal."""
        return {name: self.resolved(name) for name in self.of if name.head.startswith(HYPOTHESIS)}

    @functools.cached_property
    def _swapped(self) -> dict[Term, Term]:
        """Constants of the goal that a constant of the hypothesis was read as: they are that one."""
        return {
            value: name
            for name, value in self._values.items()
            if not value.arguments and value.head.startswith(GOAL) and value.sort == name.sort
        }

    def names(self) -> dict[Term, Term]:
        """Return the constants of the hypothesis that name composed terms of the goal, or one of another sort."""
        named = {name: value for name, value in self._values.items() if value.arguments or value.sort != name.sort}
        return {name: renamed(value, self._swapped) for name, value in named.items()}


@functools.lru_cache(maxsize=65_536)
def _of_goal(term: Term) -> Term:
    """Return a term of the goal as it is matched: every way of reading a citation asks for the same ones."""
    return tagged(_apart(term), GOAL)


def _is_free(term: Term) -> bool:
    return not term.arguments and term.number is None and term.head.startswith((GOAL, HYPOTHESIS))


def _is_known(term: Term) -> bool:
    return term.number is not None or (not term.arguments and term.head.startswith(SHARED))


def _mentions(term: Term, tags: tuple[str, ...]) -> bool:
    return any(part.head.startswith(tags) for part in parts_of(term))


def readings_of(goal: Term, formula: Term, *, step: bool = False) -> list[tuple[Reading, ...]]:
    """Return how a formula follows from a goal: as an instance of it, or conclusion by conclusion.

    Each element is one way: a reading for the whole or for each conclusion, in which a constant of the formula always
    stands for the same. A symbol that both have stands for itself, unless the goal is the step of an induction: there
    the sum so far, in the formula, is the next one of the goal.
    """
    if not step:
        shared = _symbols(goal) & _symbols(formula)
        goal, formula = _shared(goal, shared), _shared(formula, shared)
    whole = [(reading,) for reading in _readings(goal, fixed(formula))]
    each = [list(_readings(goal, conclusion)) for _, conclusion in conclusions(formula)]
    return [*whole, *(way for way in itertools.product(*each) if consistent(way))]


def _symbols(formula: Term) -> set[tuple[str, str]]:
    """Return the symbols of a formula, each with its sort."""
    parts = parts_of(formula)
    known = {v.head for p in parts for v in p.bound} | BUILT_IN | ANALYTIC
    return {(p.head, p.sort) for p in parts if p.head not in known}


def _shared(term: Term, names: set[tuple[str, str]]) -> Term:
    inner = tuple(_shared(argument, names) for argument in term.arguments)
    head = SHARED + term.head if (term.head, term.sort) in names else term.head
    return Term(head, inner, term.sort, term.number, term.bound)


def consistent(readings: Iterable[Reading]) -> bool:
    """Whether no constant of a hypothesis is read in two ways."""
    stands: dict[Term, Term] = {}
    named = ((name, untagged(value)) for reading in readings for name, value in reading.names().items())
    return all(stands.setdefault(name, value) == value for name, value in named)


def _readings(goal: Term, conclusion: Term) -> Iterator[Reading]:
    """Yield how a formula follows from (a part of) a goal, as an instance that is weaker or the same."""
    conclusion = tagged(plain(conclusion), HYPOTHESIS)
    for part in (tagged(part, GOAL) for part in _parts(plain(goal))):
        heads = _WEAKER.get(part.head, (part.head,))
        if conclusion.head in _WEAKER and conclusion.head not in heads:
            continue
        head = conclusion.head if conclusion.head in heads else part.head
        for arguments in [part.arguments, part.arguments[::-1]] if part.head == "=" else [part.arguments]:
            reading = Reading()
            try:
                reading.unify(Term(head, arguments, part.sort, None, part.bound), conclusion)
            except NoInstanceError:
                continue
            yield reading


def _parts(goal: Term) -> Iterator[Term]:
    """Yield the goal, and what it says part by part; the variables of its quantifiers may stand for anything."""
    yield goal
    if goal.head == "forall":
        yield from _parts(goal.arguments[0])
    if goal.head == "and":
        for part in goal.arguments:
            yield from _parts(part)
    if goal.head == "=" and goal.arguments[0].sort == BOOL:
        yield Term("=>", goal.arguments, BOOL)
        yield Term("=>", goal.arguments[::-1], BOOL)
