"""A claim of the paper as an object: it states itself, names its preconditions, and checks what it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

from bounds.errors import InputError
from bounds.setting.model import Setting
from proofs_checks.claims.model.case import Carry, Case
from proofs_checks.claims.model.evidence import Evidence, Part, combine, merge, not_applicable, together
from proofs_checks.claims.model.precondition import (
    IMMEDIATE_FEEDBACK,
    INITIALIZATION,
    PAPERS_RADIUS,
    Precondition,
    other_radius,
)
from proofs_checks.claims.model.regime import ANY_HISTORY, Regime
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness, joined
from proofs_checks.claims.model.trace_check import TraceCheck
from proofs_checks.claims.numbers.stored import number_of
from proofs_checks.claims.paper_statements import line_of
from proofs_checks.verdict import Verdict

#: How reports mark a claim whose statement the PDF does not have.
COMMENTED_OUT = "commented out in the paper's source"
#: What the platform does and providers are assumed to do, on any history; all else follows from it.
_RULES = ("definition", "algorithm", "assumption")
ClaimKind = Literal["theorem", "lemma", "proposition", "corollary", "definition", "algorithm", "assumption", "claim"]
_PREFIXES = ("thm", "lem", "prop", "cor", "eq", "alg", "asmp", "claim")
#: The kind of statement that the first part of a label announces.
_KINDS: Mapping[str, ClaimKind] = dict(zip(_PREFIXES, get_args(ClaimKind), strict=True))
#: Anything that compares a case's quantities: an inequality, or a function that does it by hand.
Check = Relation | TraceCheck


class ClaimError(RuntimeError):
    """A claim was compared where its formulas have no value: its preconditions are incomplete."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of the paper.

    Parameters
    ----------
    label : str
        Label in the paper; a suffix after a colon marks a variant (``":repaired"``).
    name, statement : str
        Short name, and the statement in words and formulas.
    source_line : int, optional
        Line of paper.tex; by default that of its label, or of the claim that it is a variant of, in
        `paper_statements.csv`. None for a statement that is not the paper's.
    checks : tuple of Relation or TraceCheck
        What is compared on a trace: its parts, each with a verdict of its own.
    headline : tuple of Relation or TraceCheck
        Those of the checks that the claim is cited for; default all, as equal parts of one statement. The claim is
        known no better than each of them, however much else was compared.
    compared_as : str
        Label of the claim that the checks are about, where it says less than this one.
    regime : Regime
        What it assumes about bids; its preconditions come first.
    assuming : tuple of Precondition
        Further preconditions.
    over_runs : callable, optional
        From what several traces say together, and the evidence of each independent run, to what these say jointly.
    on_setting : callable, optional
        Exact evidence from the parameters alone.
    everywhere : callable, optional
        Evidence that does not depend on a setting (symbolic derivations, witnesses).
    finding : str
        If the paper's own wording is vacuous, too strong, false or not proved: how. A refutation then does not count as
        a failure.
    stronger_reading : bool
        The statement says more than the paper's words, and is kept because readers are tempted to read it there.
    unproved : bool
        The finding is that the paper asserts the statement and proves it nowhere; nothing here refutes it.
    repaired_by : str
        Label of the repaired statement.
    implies : tuple of str
        Labels of claims that no case can refute while it spares this one; see `proofs_checks.claims.implications`.
    any_delay : bool
        Whether it says of queries in flight what it says of immediate feedback: it is about one decision, given what
        has arrived.
    any_radius : bool
        Whether it says of a mechanism with another confidence radius what it says of the paper's: it is about the
        rules, for any radius.
    commented_out : bool
        It stands in a comment of the paper's source: the PDF does not have it.
    note : str
        What a reader must know to weigh the verdict.

    Examples
    --------
    >>> from costproof import Claim
    >>> Claim(label="lem:example", name="Example", statement="an example", source_line=1).kind
    'lemma'
    """

    label: str
    name: str
    statement: str
    source_line: int | None = None
    checks: tuple[Check, ...] = ()
    headline: tuple[Check, ...] = ()
    compared_as: str = ""
    regime: Regime = ANY_HISTORY
    assuming: tuple[Precondition, ...] = ()
    over_runs: Callable[[Evidence, Sequence[Sequence[Evidence]]], Evidence] | None = None
    on_setting: Callable[[Setting], Evidence] | None = None
    everywhere: Callable[[], Evidence] | None = None
    finding: str = ""
    stronger_reading: bool = False
    unproved: bool = False
    repaired_by: str = ""
    implies: tuple[str, ...] = ()
    any_delay: bool = False
    any_radius: bool = False
    commented_out: bool = False
    note: str = ""

    def __post_init__(self) -> None:
        if self.source_line is None:
            object.__setattr__(self, "source_line", line_of(self.label))
        if any(all(check is not one for one in self.checks) for check in self.headline):
            raise ValueError(f"{self.label}: a headline that is none of its checks")

    @property
    def kind(self) -> ClaimKind:
        """What kind of statement the label announces."""
        return _KINDS[self.label.split(":")[0]]

    @property
    def number(self) -> str | None:
        """What the paper's PDF prints before it ("Theorem 4"), if it prints a number; variants have none."""
        return number_of(self.label)

    @property
    def is_of_the_paper(self) -> bool:
        """Whether it is a statement of the paper itself: no variant, and none of our own."""
        return self.source_line is not None and self.label.count(":") == 1

    @property
    def varied(self) -> str:
        """The label of the claim that it is a variant of; its own if it is none."""
        return ":".join(self.label.split(":")[:2])

    @property
    def wording(self) -> str:
        """The statement, and whether it says more than the paper does."""
        return f"{self.statement} (a reading stronger than the text)" if self.stronger_reading else self.statement

    @property
    def preconditions(self) -> tuple[Precondition, ...]:
        """The preconditions that the paper states, those of the regime first."""
        return (*self.regime.assuming, *self.assuming)

    @cached_property
    def assumptions(self) -> tuple[Precondition, ...]:
        """What a trace must meet before the claim is compared: radius, initialization, preconditions, feedback."""
        immediate = (IMMEDIATE_FEEDBACK,) if self.checks and not self.any_delay else ()
        radius = (PAPERS_RADIUS,) if self.checks and not self.any_radius else ()
        initialized = (INITIALIZATION,) if self.checks and self.kind not in _RULES else ()
        return (*radius, *initialized, *self.preconditions, *immediate)

    def of_setting(self, setting: Setting) -> Evidence | None:
        """Return what the parameters alone say about it, if it says anything about them."""
        if self.on_setting is None:
            return None
        other = None if self.any_radius else other_radius(setting)
        return (
            self.on_setting(setting)
            if other is None
            else not_applicable(f"nothing: {self.name}", other, Verdict.SKIPPED)
        )

    def is_refuted_by(self, verdict: Verdict) -> bool:
        """Whether a verdict refutes it as news: a documented finding about the paper's wording is none."""
        return verdict is Verdict.REFUTED and not self.finding

    def latex(self) -> tuple[str, ...]:
        """Return the inequalities in the paper's notation."""
        overrides = self.regime.overrides
        return tuple(check.latex(overrides) for check in self.checks if isinstance(check, Relation))

    @property
    def without_formula(self) -> tuple[str, ...]:
        """What is compared by hand, by name: parts that `latex` does not state."""
        return tuple(check.name for check in self.checks if not isinstance(check, Relation))

    def check(self, case: Case) -> Evidence:
        """Check the claim on a case that is a whole trace, after its preconditions."""
        comparison = ClaimComparison(self)
        comparison.feed(case)
        return comparison.evidence

    def over(self, origins: Sequence[Mapping[str, Any]], evidence: Sequence[Evidence]) -> Evidence:
        """Return what several traces say together, given how each came about."""
        merged = merge(evidence)
        runs: dict[int, list[Evidence]] = {}
        for origin, each in zip(origins, evidence, strict=True):
            if origin.get("kind") == "simulation":
                runs.setdefault(origin["run"], []).append(each)
        return self.over_runs(merged, list(runs.values())) if self.over_runs and runs else merged

    @cached_property
    def uncompared(self) -> tuple[Part, ...]:
        """The parts of the statement as they are before any comparison."""
        return self.parts()

    def parts(self, verdict: Verdict = Verdict.SKIPPED, reason: str | None = None) -> tuple[Part, ...]:
        """Return the parts of the statement, one for each check, all with one verdict for one reason."""
        cited = {id(check) for check in self.headline or self.checks}
        return tuple(
            Part(name=check.name, headline=id(check) in cited, verdict=verdict, reason=reason) for check in self.checks
        )


class ClaimComparison:
    """A claim on the parts of a trace, one after the other; a whole trace is one part."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self._compared = [NOTHING_COMPARED] * len(claim.checks)
        self._ended: Evidence | None = None
        self._failed: _Unmet | None = None

    @property
    def state(self) -> list[Any]:
        """What the parts so far say, as data: how the checks fared, and which assumption failed."""
        failed = self._failed
        place = None if failed is None else self.claim.assumptions.index(failed.precondition)
        return [self._compared, self._ended, None if failed is None else [failed.known, failed.reason, place]]

    def go_on(self, state: list[Any]) -> None:
        """Go on after the parts that left a state behind."""
        self._compared, self._ended, failed = state
        self._failed = None if failed is None else _Unmet(failed[0], failed[1], self.claim.assumptions[failed[2]])

    @property
    def carries(self) -> tuple[Carry[Any], ...]:
        """What its checks and assumptions must know in the next part; its checks, nothing if one has failed."""
        assumed = [carry for precondition in self.claim.assumptions for carry in precondition.carries]
        checks = () if self._ended else self.claim.checks
        return (*assumed, *(carry for check in checks for carry in check.carries))

    @property
    def evidence(self) -> Evidence:
        """What the parts so far say."""
        return self._ended or combine([part.compared(tightness) for part, tightness in self._parts()])

    def feed(self, case: Case) -> None:
        """Take the next part, after the preconditions of the claim on it."""
        if self._ended is None:
            self._ended = self._unmet(case)
            if self._ended is None:
                self._compare(case)
        if self._failed is not None and case.ends and (said := self._failed.precondition.conclusion(case)):
            self._ended = self._ended_by(case, self._failed, f"{self._failed.reason}; {said}")

    def _compare(self, case: Case) -> None:
        try:
            found = [self._tightness(check, case) for check in self.claim.checks]
        except InputError as error:
            # Whoever reads "bad input" would look for it in their setting: a claim whose own condition is
            # incomplete is a defect of the claim.
            raise ClaimError(f"{self.claim.label} cannot be compared on {case.setting.name!r}: {error}") from error
        self._compared = [
            joined(before, part, by_ratio=check.by_ratio)
            for before, part, check in zip(self._compared, found, self.claim.checks, strict=True)
        ]

    def _tightness(self, check: Check, case: Case) -> Tightness:
        """Compare on a case; the result is kept with it, since claims share checks."""
        if isinstance(check, Relation):
            return check.check(case, self.claim.regime.overrides)
        return case.cached(check, "check", lambda: check.compare(case))

    def _unmet(self, case: Case) -> Evidence | None:
        """Return what ends the comparison, if something does: of several preconditions the one that fails first."""
        if case.rounding and any(check.exact_money for check in self.claim.checks):
            return combine(
                self.claim.parts(
                    Verdict.SKIPPED, "--tolerance allows for rounded money: bids cannot be held to exact means"
                )
            )
        assumed = self.claim.assumptions
        first = case.cached("first unmet", assumed, lambda: _first_unmet(assumed, case))
        if first is None:
            return None
        if first.unknown:
            return combine(self.claim.parts(Verdict.SKIPPED, first.reason))
        # Up to the step before, the trace is one on which every assumption is met.
        if met := case.upto(first.known - 1):
            self._compare(met)
        self._failed = first
        return self._ended_by(case, first, first.reason)

    def _ended_by(self, case: Case, unmet: _Unmet, reason: str) -> Evidence:
        """Return what was found until an assumption failed: a violation before that is one all the same."""
        compared = together([found for found in self._compared if not found.could_not_fail])
        until = unmet.known - 1
        return replace(
            combine([self._ended_part(*part, reason, until) for part in self._parts()]),
            until=until if compared.checked else None,
            before=compared if compared.checked else None,
        )

    def _parts(self) -> Iterator[tuple[Part, Tightness]]:
        return zip(self.claim.uncompared, self._compared, strict=True)

    @staticmethod
    def _ended_part(part: Part, compared: Tightness, reason: str, until: int) -> Part:
        if not compared.violations:
            return replace(part, verdict=Verdict.ASSUMPTION_VIOLATED, reason=reason)
        ended = f"compared up to step {until:,} only: {reason}"
        return part.compared(replace(compared, note=f"{compared.note}; {ended}" if compared.note else ended))


class _Unmet(NamedTuple):
    """From which step on it is known that a precondition fails, or unknown whether it does, and why."""

    known: int
    reason: str
    precondition: Precondition
    unknown: bool = False


def _first_unmet(assumed: Sequence[Precondition], case: Case) -> _Unmet | None:
    """Return which of some preconditions fails first on a case, None if none does; claims often assume the same."""
    failures = [failure for precondition in assumed if (failure := _failure(precondition, case)) is not None]
    return min(failures, key=lambda failure: failure.known, default=None)


def _failure(precondition: Precondition, case: Case) -> _Unmet | None:
    if precondition.needs_costs and not case.knows_costs:
        reason = f"the trace logs no costs, so {precondition.name!r} is unknown"
        return _Unmet(case.first_step, reason, precondition, unknown=True)
    found = precondition.found_failure(case)
    if found is None:
        return None
    reason = f"{precondition.name}: {found.reason}"
    if found.step > 1 and f"step {found.step:,} " not in reason:
        reason = f"{reason} (at step {found.step:,})"
    return _Unmet(found.known, reason, precondition)
