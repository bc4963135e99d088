"""An obligation: hypotheses that imply a goal, for all parameters, and the mutants that show each is needed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from proofs_checks.proofs.language.sorts import BUILT_IN
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    PROVIDER,
    QUANTIFIERS,
    REAL,
    Term,
    all_of,
    any_of,
    constant,
    equal,
    substituted,
    subterms,
)

#: Where a hypothesis comes from: a definition of the paper, an assumption of the statement, the conclusion of another
#: obligation, the induction hypothesis, an instance of a named axiom of analysis, or a fact of ball arithmetic.
Source = Literal["definition", "assumption", "obligation", "induction", "axiom", "ball"]


@dataclass(frozen=True)
class Hypothesis:
    """A formula that an obligation may use, and why it may.

    Parameters
    ----------
    formula : Term
    source : str
    of : str
        Name of the obligation, axiom or ball fact.
    """

    formula: Term
    source: Source = "assumption"
    of: str = ""


@dataclass(frozen=True)
class Mutant:
    """A changed obligation that must not be provable: it shows that what was changed matters.

    Parameters
    ----------
    name : str
    drop : tuple of str
        Hypotheses that are left out.
    replace : mapping
        Hypotheses that are replaced.
    goal : Term, optional
        Another goal.
    providers : int
        Size of the counterexample, 0 for the obligation's own.
    """

    name: str
    drop: tuple[str, ...] = ()
    replace: Mapping[str, Term] = field(default_factory=lambda: MappingProxyType({}))
    goal: Term | None = None
    providers: int = 0


@dataclass(frozen=True)
class Obligation:
    """Hypotheses, a goal, and mutants.

    Parameters
    ----------
    name : str
        Unique; the name of its files.
    says : str
        In one line.
    hypotheses : mapping
        From a name to a `Hypothesis`.
    goal : Term
    mutants : tuple of Mutant
    providers : int
        How many providers a model of the hypotheses has, where they speak of providers.
    hints : tuple of Term
        Polynomials whose squares the search for a certificate may use.
    signs : tuple of Term
        Polynomials whose sign it distinguishes first.
    """

    name: str
    says: str
    hypotheses: Mapping[str, Hypothesis]
    goal: Term
    mutants: tuple[Mutant, ...] = ()
    providers: int = 3
    hints: tuple[Term, ...] = ()
    signs: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        for name, hypothesis in self.hypotheses.items():
            if not isinstance(hypothesis, Hypothesis):
                raise TypeError(f"{self.name}: hypothesis {name!r} is no Hypothesis: write assuming({name}=...)")
            _refuse_what_is_no_formula(f"{self.name}: hypothesis {name!r}", hypothesis.formula)
        _refuse_what_is_no_formula(f"{self.name}: the goal", self.goal)

    @property
    def formulas(self) -> dict[str, Term]:
        """The hypotheses' formulas by name."""
        return {name: hypothesis.formula for name, hypothesis in self.hypotheses.items()}

    @property
    def refutation(self) -> dict[str, Term]:
        """What must be unsatisfiable: the hypotheses and the negated goal, by name."""
        return {**self.formulas, "negated-goal": ~self.goal}

    def mutated(self, mutant: Mutant) -> dict[str, Term]:
        """Return what must be satisfiable for a mutant."""
        unknown = {*mutant.drop, *mutant.replace} - self.hypotheses.keys()
        if unknown:
            raise ValueError(f"mutant {mutant.name!r} of {self.name!r} names no hypothesis: {sorted(unknown)}")
        kept = {name: formula for name, formula in self.formulas.items() if name not in mutant.drop}
        goal = self.goal if mutant.goal is None else mutant.goal
        return {**kept, **mutant.replace, "negated-goal": ~goal}


def _refuse_what_is_no_formula(place: str, formula: object) -> None:
    if not isinstance(formula, Term):
        raise TypeError(f"{place} is {formula!r}, no formula: compare with equal(a, b), not ==, and join with all_of")
    if formula.sort != BOOL:
        raise TypeError(f"{place} is a term of sort {formula.sort}, no formula: {formula}")


def logic_of(formulas: Mapping[str, Term]) -> str:
    """Return the SMT-LIB logic that some formulas need.

    Examples
    --------
    >>> from proofs_checks.proofs.language.terms import constants
    >>> x, y = constants("x y")
    >>> logic_of({"h": x * y > 0}), logic_of({"h": x + 2 * y > 0})
    ('QF_NRA', 'QF_LRA')
    """
    seen = [term for formula in formulas.values() for term in subterms(formula)]
    quantified = any(term.head in QUANTIFIERS for term in seen)
    uninterpreted = any(term.sort == PROVIDER or _applied(term) for term in seen)
    whole, real = any(term.sort == INT for term in seen), any(term.sort == REAL for term in seen)
    linear = all(_is_linear(term) for term in seen)
    arithmetic = ("I" if whole else "") + ("R" if real or not whole else "")
    return f"{'' if quantified else 'QF_'}{'UF' if uninterpreted else ''}{'L' if linear else 'N'}{arithmetic}A"


def _applied(term: Term) -> bool:
    return bool(term.arguments) and term.head not in BUILT_IN


def _is_linear(term: Term) -> bool:
    if term.head == "*":
        return sum(not _is_number(argument) for argument in term.arguments) <= 1
    return term.head != "/" or _is_number(term.arguments[1])


def _is_number(term: Term) -> bool:
    return all(part.number is not None or part.head in {"-", "+", "*", "/", "to_real"} for part in subterms(term))


def with_providers(formulas: Mapping[str, Term], size: int) -> dict[str, Term]:
    """Return formulas over exactly `size` providers, without quantifiers over providers.

    Their satisfiability implies that of the original: a model with so many providers is a model.

    Raises
    ------
    ValueError
        A symbol or a formula has a name that is added here, or a function other than of providers has providers as its
        values: they could be others than those that are counted.
    """
    names = [constant(f"provider_{k}", PROVIDER) for k in range(size)]
    closed = _closed_providers(formulas, names)
    if not closed and not any(v.sort == PROVIDER for f in formulas.values() for t in subterms(f) for v in t.bound):
        return dict(formulas)
    apart = [~equal(a, b) for k, a in enumerate(names) for b in names[:k]]
    somewhere = [any_of(*(equal(c, name) for name in names)) for c in closed]
    added = {
        **({"providers-differ": all_of(*apart)} if apart else {}),
        **{f"one-of-them-{k}": formula for k, formula in enumerate(somewhere)},
    }
    expanded = {name: _expanded(formula, names) for name, formula in formulas.items()}
    if size < 1 or added.keys() & expanded.keys():
        raise ValueError(f"{size} providers, or a formula named {' or '.join(sorted(added.keys() & expanded.keys()))}")
    return {**expanded, **added}


def _closed_providers(formulas: Mapping[str, Term], names: list[Term]) -> list[Term]:
    """Return the terms whose values must be among the counted providers: constants, and functions at all of those."""
    found: set[Term] = set()
    for formula in formulas.values():
        for term in subterms(formula):
            if re.fullmatch(r"provider_[0-9]+", term.head):
                raise ValueError(f"the name {term.head} is kept for the providers of models")
            if term.sort == PROVIDER and term.arguments:
                if term.head in BUILT_IN or any(argument.sort != PROVIDER for argument in term.arguments):
                    raise ValueError(f"{term} is a provider that depends on what is none")
                points = itertools.product(names, repeat=len(term.arguments))
                found |= {Term(term.head, point, PROVIDER) for point in points}
        found |= set(_free_providers(formula, frozenset()))
    return sorted(found, key=str)


def _free_providers(term: Term, bound: frozenset[Term]) -> Iterator[Term]:
    if term.sort == PROVIDER and not term.arguments and term not in bound:
        yield term
    inner = bound.union(term.bound) if term.bound else bound
    for argument in term.arguments:
        yield from _free_providers(argument, inner)


def _expanded(term: Term, names: list[Term]) -> Term:
    providers = [variable for variable in term.bound if variable.sort == PROVIDER]
    if providers:
        others = tuple(variable for variable in term.bound if variable != providers[0])
        body = replace(term, bound=others) if others else term.arguments[0]
        copies = [_expanded(substituted(body, {providers[0]: name}), names) for name in names]
        return all_of(*copies) if term.head == "forall" else any_of(*copies)
    if not term.arguments:
        return term
    return replace(term, arguments=tuple(_expanded(argument, names) for argument in term.arguments))
