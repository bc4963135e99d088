"""A proof: obligations, that is hypotheses that imply a goal; their mutants; and what solvers are asked about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from proofs_checks.proofs.language.models import no_divisor_zero, with_providers
from proofs_checks.proofs.language.smtlib import script
from proofs_checks.proofs.language.terms import BOOL, Term

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
    arguments : tuple, optional
        Of an axiom: what its schema was applied to. The program makes formula, conditions and names of them again.
    conditions : tuple of Term, optional
        Of an axiom: where it holds, as x > 0 for ln x. They must be derived like anything else that is cited.
    names : tuple of (Term, Term), optional
        Of an axiom or ball fact: what its symbols stand for, as (log_of_x, ln x).
    reading : tuple of (Term, Term), optional
        Of a citation: what symbols of the cited obligation stand for here, where that is not found by matching.
    start : str or tuple of (Term, Term), optional
        Of an induction: the obligation that is its base, or the values of symbols before the first step.
    """

    formula: Term
    source: Source = "assumption"
    of: str = ""
    arguments: tuple[Any, ...] = ()
    conditions: tuple[Term, ...] = ()
    names: tuple[tuple[Term, Term], ...] = ()
    reading: tuple[tuple[Term, Term], ...] = ()
    start: str | tuple[tuple[Term, Term], ...] = ()


@dataclass(frozen=True)
class Mutant:
    """A changed obligation that must not be provable: it shows that what was changed matters.

    Parameters
    ----------
    name : str
    replace : mapping
        Hypotheses that are replaced.
    drop : tuple of str
        Hypotheses that are left out.
    goal : Term, optional
        Another goal.
    providers : int
        Size of the counterexample, 0 for the obligation's own.
    """

    name: str
    replace: Mapping[str, Term] = field(default_factory=lambda: MappingProxyType({}))
    drop: tuple[str, ...] = ()
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
    further_mutants : tuple of Mutant
        Those that are not made by leaving out one hypothesis: `mutants` derives these.
    redundant : mapping
        Hypotheses that have no mutant of their own, each with the reason: mostly, the goal follows without it.
    providers : int
        How many providers a model of the hypotheses has, where they speak of providers.
    individuals : str
        What these are to a reader, where they stand for something else than providers: "scenario", say.
    hints : tuple of Term
        Polynomials whose squares the search for a certificate may use.
    signs : tuple of Term
        Polynomials whose sign it distinguishes first.
    """

    name: str
    says: str
    hypotheses: Mapping[str, Hypothesis]
    goal: Term
    further_mutants: tuple[Mutant, ...] = ()
    redundant: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    providers: int = 3
    individuals: str = "provider"
    hints: tuple[Term, ...] = ()
    signs: tuple[Term, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.hypotheses, Mapping):
            raise TypeError(f"{self.name}: the hypotheses are no mapping: write assuming(...)")
        for name, hypothesis in self.hypotheses.items():
            if not isinstance(hypothesis, Hypothesis):
                raise TypeError(f"{self.name}: hypothesis {name!r} is no Hypothesis: write assuming({name}=...)")
            _refuse_what_is_no_formula(f"{self.name}: hypothesis {name!r}", hypothesis.formula)
        _refuse_what_is_no_formula(f"{self.name}: the goal", self.goal)
        self._refuse_unknown("what is redundant", self.redundant)

    def _refuse_unknown(self, place: str, names: Iterable[str]) -> None:
        unknown = set(names) - self.hypotheses.keys()
        if unknown:
            raise ValueError(f"{self.name}: {place} names no hypothesis: {sorted(unknown)}")

    @property
    def mutants(self) -> tuple[Mutant, ...]:
        """Every mutant: one without each hypothesis that is not redundant, and the further ones."""
        needed = (name for name in self.hypotheses if name not in self.redundant)
        return (*(Mutant(f"without {name}", drop=(name,)) for name in needed), *self.further_mutants)

    @property
    def kept_without_mutant(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The hypotheses that no mutant leaves out, those with one reason together, each group with that reason."""
        names: dict[str, list[str]] = {}
        for name, reason in self.redundant.items():
            names.setdefault(reason, []).append(name)
        return tuple((tuple(those), reason) for reason, those in names.items())

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
        self._refuse_unknown(f"mutant {mutant.name!r}", {*mutant.drop, *mutant.replace})
        kept = {name: formula for name, formula in self.formulas.items() if name not in mutant.drop}
        goal = self.goal if mutant.goal is None else mutant.goal
        return {**kept, **mutant.replace, "negated-goal": ~goal}


def _refuse_what_is_no_formula(place: str, formula: object) -> None:
    if not isinstance(formula, Term):
        raise TypeError(f"{place} is {formula!r}, no formula: compare with equal(a, b), not ==, and join with all_of")
    if formula.sort != BOOL:
        raise TypeError(f"{place} is a term of sort {formula.sort}, no formula: {formula}")


@dataclass(frozen=True)
class Proof:
    """Why a claim holds for all parameters.

    Parameters
    ----------
    label : str
        Of the claim, as in the paper; ``<label>:<variant>`` for a repaired or improved statement.
    obligations : tuple of Obligation
        In an order in which each uses only earlier ones. Those that no other one of them cites say the statement.
    argument : str
        How the statement follows from the obligations, in English.
    uses : tuple of str
        Labels of the claims that it names: its obligations may cite theirs, and those of what these name. What is named
        and not cited is joined in English; see `citations`.
    beyond : str
        What the machine does not check: a sum, a limit, a game or a probability that joins the steps in English. Empty
        if the obligations that say the statement say all of it: then everything that they rest on must be stated.
    remark : str
        What a reader of the verdict must know at once, as "two providers".
    empty_while : str
        Where the proof shows that the condition of the statement never holds: "while a provider is unqualified".
    instances : bool
        Whether the obligations are about some numbers of providers only: the claim is then not proved but `EXACT`.
    unlike_paper : str
        Where it goes another way than the paper's proof; empty if it goes the same way, or the paper has none.
    assumes : tuple of str
        What the statement assumes beside the hypotheses of the obligations that say it, as
        ``"obligation: hypothesis hypothesis"``: premises of what these cite.
    """

    label: str
    obligations: tuple[Obligation, ...]
    argument: str
    uses: tuple[str, ...] = ()
    beyond: str = ""
    remark: str = ""
    empty_while: str = ""
    instances: bool = False
    unlike_paper: str = ""
    assumes: tuple[str, ...] = ()

    @property
    def vacuous(self) -> bool:
        """Whether the proof shows that the condition of the statement never holds."""
        return bool(self.empty_while)

    @property
    def never_applies(self) -> str:
        """How far the statement is empty, in words; empty where it is not."""
        return f"its condition never holds {self.empty_while}" if self.empty_while else ""

    @property
    def composes(self) -> bool:
        """Whether all that it rests on must be stated; `beyond` of what is `EXACT` says only what else is not shown."""
        return self.instances or not self.beyond

    @property
    def saying(self) -> tuple[Obligation, ...]:
        """The obligations that say the statement: those that no other one cites."""
        hypotheses = [one for obligation in self.obligations for one in obligation.hypotheses.values()]
        cited = {one.of for one in hypotheses if one.source == "obligation"}
        return tuple(obligation for obligation in self.obligations if obligation.name not in cited)

    @property
    def ends(self) -> tuple[Obligation, ...]:
        """The obligations that no other one uses, neither by citation nor as the base of an induction."""
        hypotheses = [one for obligation in self.obligations for one in obligation.hypotheses.values()]
        bases = {one.start for one in hypotheses if isinstance(one.start, str)}
        return tuple(obligation for obligation in self.saying if obligation.name not in bases)


@dataclass(frozen=True, kw_only=True)
class Script:
    """One question to the solvers.

    Parameters
    ----------
    name : str
        Of its file, without ending.
    text : str
    satisfiable : bool
        The answer that is expected.
    mutant : str, optional
        Name of the mutant that it is about.
    """

    name: str
    text: str
    satisfiable: bool
    mutant: str = ""

    @property
    def expected(self) -> str:
        """The answer that is expected."""
        return "sat" if self.satisfiable else "unsat"


def main_script(obligation: Obligation) -> Script:
    """Return the question whether an obligation follows, for any number of providers."""
    text = script(obligation.refutation, title=f"{obligation.name}: {obligation.says}", satisfiable=False)
    return Script(name=obligation.name, text=text, satisfiable=False)


def scripts_of(obligation: Obligation, mutants: Sequence[Mutant] | None = None) -> tuple[Script, ...]:
    """Return the questions about an obligation: itself, its hypotheses alone, its mutants.

    Parameters
    ----------
    obligation : Obligation
    mutants : sequence of Mutant, optional
        The mutants to ask about; all of the obligation's by default.
    """
    name, size = obligation.name, obligation.providers
    found = [
        main_script(obligation),
        _satisfiable(f"{name}.hypotheses", obligation.formulas, size, f"{name}: its hypotheses can be true together"),
    ]
    for number, mutant in enumerate(obligation.mutants if mutants is None else mutants, 1):
        title = f"{name}, mutant {mutant.name!r}: no longer true"
        kept, asked_of = obligation.mutated(mutant), mutant.providers or size
        asked = _satisfiable(f"{name}.mutant-{number}", kept, asked_of, title, divisors_apart=False)
        found.append(replace(asked, mutant=mutant.name))
    return tuple(found)


def _satisfiable(
    name: str, formulas: Mapping[str, Term], size: int, title: str, *, divisors_apart: bool = True
) -> Script:
    """Return the question for a model with so many providers.

    Hypotheses must be possible without dividing by 0. A mutant may need it: that a divisor is not 0 can be all that the
    hypothesis which it leaves out is good for.
    """
    counted = with_providers(formulas, size)
    apart = no_divisor_zero(counted) if divisors_apart else {}
    return Script(name=name, text=script(counted | apart, satisfiable=True, model=True, title=title), satisfiable=True)
