"""Claims on a log of any length: compared part by part, merged to what they would say of the whole log."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.replay import ReplayState
from mechanism.tables import Table
from mechanism.trace import Trace
from proofs_checks.audit import log_checks
from proofs_checks.audit.log_case import LogCase
from proofs_checks.claims.cases.case import Case
from proofs_checks.claims.model.claim import Check, Claim, ClaimError, Finding, combine
from proofs_checks.claims.model.precondition import Precondition
from proofs_checks.claims.model.relation import Relation, Tightness
from proofs_checks.claims.registry import all_claims
from proofs_checks.verdict import Verdict

#: How a log came about, as far as claims may know: nobody declared its bidders to be anything.
ORIGIN = {"kind": "log"}


@dataclass(frozen=True)
class ClaimAudit:
    """What a log says about a claim.

    Parameters
    ----------
    label : str
    finding : Finding
        As `Claim.check` returns it for the whole log.
    until : int or None
        Last step up to which the claim was compared, if an assumption failed later on.
    before : Tightness or None
        How it fared up to there.
    """

    label: str
    finding: Finding
    until: int | None = None
    before: Tightness | None = None

    @property
    def stated(self) -> Claim:
        """The claim."""
        return all_claims()[self.label]

    @property
    def counts_as_refuted(self) -> bool:
        """Whether a refutation is news: a documented finding about the paper's wording is not."""
        return self.finding.verdict is Verdict.REFUTED and not self.stated.finding

    @property
    def unexercised(self) -> tuple[str, ...]:
        """Parts of the statement whose condition was never met, so that nothing was compared."""
        parts = zip(self.stated.part_names(), self.finding.exercised, strict=False)
        return tuple(name for name, done in parts if not done)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        found, stated = self.finding.tightness, self.stated
        return {
            "label": self.label,
            "name": stated.name,
            "statement": stated.statement,
            "verdict": self.finding.verdict.value,
            "tightest_ratio": found.ratio,
            "tightest_margin": found.margin,
            "checked": found.checked,
            "violations": found.violations,
            "where": found.where,
            "reason": self.finding.reason,
            "unexercised": list(self.unexercised),
            "documented_finding": stated.finding or None,
            "compared_until": self.until,
            "compared_before": None if self.before is None else vars(self.before),
        }


@dataclass
class _Progress:
    """A claim on the parts so far: one tightness for each of its checks, or the finding that ended it."""

    claim: Claim
    parts: list[Tightness] = field(default_factory=list)
    ended: ClaimAudit | None = None

    def __post_init__(self) -> None:
        self.parts = [Tightness(0, 0)] * len(self.claim.checks)

    def feed(self, case: LogCase) -> None:
        if self.ended is None:
            self.ended = self._unmet(case)
        if self.ended is not None:
            return
        try:
            found = [_tightness(check, self.claim, case) for check in self.claim.checks]
        except InputError as error:
            raise ClaimError(f"{self.claim.label} cannot be compared on {case.setting.name!r}: {error}") from error
        self.parts = [
            joined(before, part, by_ratio=isinstance(check, Relation))
            for before, part, check in zip(self.parts, found, self.claim.checks, strict=True)
        ]

    def _unmet(self, case: LogCase) -> ClaimAudit | None:
        label = self.claim.label
        if case.rounding and any(check in log_checks.EXACT_MONEY for check in self.claim.checks):
            reason = "--tolerance allows for rounded money: bids cannot be held to exact means"
            return ClaimAudit(label, Finding(Verdict.SKIPPED, reason=reason))
        for precondition in self.claim.preconditions:
            if precondition.needs_costs and not case.knows_costs:
                reason = f"the trace logs no costs, so {precondition.name!r} is unknown"
                return ClaimAudit(label, Finding(Verdict.SKIPPED, reason=reason))
            if (failure := precondition.found_failure(case)) is not None:
                return self._violated(f"{precondition.name}: {failure}", precondition, case)
        return None

    def _violated(self, reason: str, precondition: Precondition, case: LogCase) -> ClaimAudit:
        step = case.once(precondition, "step", lambda: _first_failure(precondition, case))
        compared = combine(self.parts)
        behind = case.first_step - 1
        if step > 1 and f"step {step} " not in reason:
            reason = f"{reason} (at step {step:,})"
        finding = Finding(Verdict.ASSUMPTION_VIOLATED, reason=reason)
        if not compared.tightness.checked:
            return ClaimAudit(self.claim.label, finding)
        return ClaimAudit(self.claim.label, finding, behind, compared.tightness)

    def result(self) -> ClaimAudit:
        return self.ended or ClaimAudit(self.claim.label, combine(self.parts))

    @cached_property
    def columns(self) -> frozenset[str]:
        """Names of the quantities that its relations compare."""
        found = (check.needed for check in self.claim.checks if isinstance(check, Relation))
        return frozenset().union(*found)


def _tightness(check: Check, claim: Claim, case: Case) -> Tightness:
    if isinstance(check, Relation):
        return check.check(case, claim.regime.overrides)
    return case.once(check, "check", lambda: check(case))


def _first_failure(precondition: Precondition, case: LogCase) -> int:
    """Return the first step of a part at which a precondition that fails on the part fails."""
    holding, failing = 0, len(case.trace)
    while failing - holding > 1:
        middle = (holding + failing) // 2
        head = replace(case, trace=case.trace.head(middle), final=False)
        if precondition.failure(head) is None:
            holding = middle
        else:
            failing = middle
    return case.first_step + holding


def joined(before: Tightness, part: Tightness, *, by_ratio: bool) -> Tightness:
    """Return what two consecutive parts of a log say together.

    Parameters
    ----------
    before, part : Tightness
    by_ratio : bool
        Whether the place is that of the largest ratio where nothing is violated, as relations have it; else it is
        that of the smallest margin.

    Examples
    --------
    >>> two = joined(Tightness(3, 0, 1.0, 0.5, {"step": 2}), Tightness(1, 0, 2.0, 0.7, {"step": 4}), by_ratio=True)
    >>> two.checked, two.margin, two.ratio, two.where
    (4, 1.0, 0.7, {'step': 4})
    """
    if not part.checked or not before.checked:
        return part if part.checked else before
    ratios = [found.ratio for found in (before, part) if found.ratio is not None]
    return Tightness(
        before.checked + part.checked,
        before.violations + part.violations,
        _least_margin(before, part),
        max(ratios, default=None),
        min(before, part, key=_by_ratio if by_ratio else _by_margin).where,
    )


def _least_margin(before: Tightness, part: Tightness) -> float | None:
    # A side that is undefined or infinite and violated leaves no margin; one that is infinite and holds is no least.
    if any(found.margin is None and found.violations for found in (before, part)):
        return None
    return min((found.margin for found in (before, part) if found.margin is not None), default=None)


def _by_margin(found: Tightness) -> tuple[float, ...]:
    return (float("inf") if found.margin is None else found.margin,)


def _by_ratio(found: Tightness) -> tuple[float, ...]:
    """Order parts as `Relation` orders places: the worst violation, the largest ratio, the smallest margin."""
    if found.violations:
        left, right = (found.where or {}).get("left"), (found.where or {}).get("right")
        return (0, -float("inf") if left is None or right is None else right - left)
    if found.ratio is not None:
        return (1, -found.ratio)
    return (2, *_by_margin(found))


class LogClaims:
    """The claims that can be compared on a log, fed with its parts in order.

    Parameters
    ----------
    setting : Setting
    claims : sequence of Claim, optional
        Default: every claim that has checks.
    rounding : float, optional
        How far logged money may be from the true amounts.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> from proofs_checks.claims.registry import claim
    >>> setting = published("gpqa-strong").setting
    >>> trace = simulate(setting, horizon=300, seed=0)
    >>> log = LogClaims(setting, [claim("lem:payment-range")])
    >>> log.feed(trace, final=True)
    >>> [(result.label, result.finding.verdict.value) for result in log.results()]
    [('lem:payment-range', 'NOT_REFUTED')]
    """

    def __init__(self, setting: Setting, claims: Sequence[Claim] | None = None, rounding: float = 0.0) -> None:
        chosen = [claim for claim in all_claims().values() if claim.checks] if claims is None else claims
        self._setting, self._rounding = setting, rounding
        self._progress = [_Progress(claim) for claim in chosen]
        self._before = ReplayState.initial(setting.n_providers)
        self._totals: dict[str, Any] = {}
        self._tables: dict[Hashable, tuple[object, Table]] = {}

    @np.errstate(over="ignore", invalid="ignore")  # sums of logged amounts may be beyond all doubles
    def feed(self, trace: Trace, *, final: bool) -> None:
        """Compare the next part of the log; `final` says that the log ends with it."""
        case = LogCase(self._setting, trace, ORIGIN, self._before, self._totals, final, self._rounding, self._tables)
        for progress in self._progress:
            progress.feed(case)
        live = [progress for progress in self._progress if progress.ended is None]
        checks = {check for progress in live for check in progress.claim.checks if not isinstance(check, Relation)}
        columns = frozenset().union(*(progress.columns for progress in live))
        self._totals = case.carry(columns, any(check in checks for check in log_checks.SAMPLING))
        self._before = case.replay.after

    def results(self) -> tuple[ClaimAudit, ...]:
        """Return what the parts so far say, claim by claim."""
        return tuple(progress.result() for progress in self._progress)
