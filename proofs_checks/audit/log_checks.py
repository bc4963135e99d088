"""Checks and masks that need more of a log than a part: what they carry from part to part, and what they say."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.identification import identification_horizon
from bounds.formulas.selection import IDENTIFICATION_BOUND
from bounds.formulas.sharp import SHARP_LEAD_BOUND
from bounds.language.formula import Formula
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism.replay import Replay
from proofs_checks.claims.cases.case import Case
from proofs_checks.claims.model import counterfactual
from proofs_checks.claims.model.relation import Relation, Tightness
from proofs_checks.claims.statements import bayesian, definitions, deviations, history, identification, sharp

Check = Callable[[Any], Tightness]
Flags = NDArray[np.bool_]

#: Auctions of which a log keeps the state for counterfactuals; of more, every second, fourth, ... is kept.
KEPT_AUCTIONS = 2**14
#: Largest error of a mean that is put down to rounding; see `definitions.estimates_are_exact_means`.
_MEAN_TOLERANCE = 1e-12


def carry(case: Case, sampling: bool) -> dict[str, Any]:
    """Return what the checks of this module need to know in the next part of a log."""
    found = {"exact_scores": _exact_scores(case), "condition_met": _condition_met(case)}
    return {**found, "auctions": _sampled(case)} if sampling else found


def _totals(case: Any) -> Mapping[str, Any]:
    totals: Mapping[str, Any] = case.totals
    return totals


def numbered(case: Case, found: Tightness) -> Tightness:
    """Return what was found on a part of a log, with the step counted from the beginning of the log."""
    if found.where is None or "step" not in found.where or case.first_step == 1:
        return found
    return replace(found, where={**found.where, "step": found.where["step"] + case.first_step - 1})


# The initialization, and the estimates at the end.


def _serves_each_once(case: Case) -> Tightness:
    """Count the first N steps that serve a provider again, in the part in which these end, or the log does."""
    n, behind = case.setting.n_providers, case.first_step - 1
    rows = min(n - behind, len(case.trace))
    if behind >= n or (behind + rows < n and not case.ends):
        return Tightness(0, 0)
    replay = case.replay
    served = (replay.counts[rows] if rows < len(case.trace) else replay.final_counts) > 0
    again = int(behind + rows - np.count_nonzero(served))
    return Tightness(1, again, float(-again), None, {"relation": "initialization serves each once"})


def exact_sum(numbers: NDArray[np.float64]) -> Fraction:
    """Return the sum of doubles in [0, 1] without any rounding.

    Examples
    --------
    >>> exact_sum(np.array([0.1, 0.2, 2.0**-1074])) == Fraction(0.1) + Fraction(0.2) + Fraction(2.0**-1074)
    True
    """
    mantissas, exponents = np.frexp(numbers)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    total = Fraction(0)
    # Of one exponent the halves of the mantissas add up in 64 bits, up to 2^36 of them.
    for exponent in np.unique(exponents).tolist():
        chosen = whole[exponents == exponent]
        high, low = int((chosen >> 27).sum()), int((chosen & (2**27 - 1)).sum())
        total += ((high << 27) + low) * Fraction(2) ** (exponent - 53)
    return total


def _exact_scores(case: Case) -> tuple[Fraction, ...]:
    n = case.setting.n_providers
    before = _totals(case).get("exact_scores", (Fraction(0),) * n)
    return tuple(before[i] + exact_sum(case.trace.score[case.trace.provider == i]) for i in range(n))


def _estimates_are_exact_means(case: Case) -> Tightness:
    """Compare the replayed mean scores with exact ones at the end of the log."""
    if not case.ends:
        return Tightness(0, 0)
    counts = case.replay.final_counts.tolist()
    errors = [
        abs(float(total / count - Fraction(float(estimate))))
        for total, count, estimate in zip(_exact_scores(case), counts, case.replay.final_quality_estimates, strict=True)
        if count
    ]
    worst, violations = max(errors, default=0.0), sum(error > _MEAN_TOLERANCE for error in errors)
    return Tightness(
        len(counts), violations, _MEAN_TOLERANCE - worst, worst / _MEAN_TOLERANCE, {"relation": "exact mean"}
    )


# A condition that, once met, is held to for ever.


def _repaired_condition(case: Case) -> Tightness:
    if _totals(case).get("condition_met", False):
        return numbered(case, identification.auctions_go_to_optimal(case, np.ones(len(case.trace), dtype=bool)))
    return numbered(case, identification.repaired_condition(case))


def _condition_met(case: Case) -> bool:
    """Whether `identification.repaired_condition` was met at a step so far."""
    if _totals(case).get("condition_met", False) or case.setting.unmet_assumptions:
        return True
    # The check looks at auctions only: asked as if every step were one, it says whether the condition was met.
    asked = copy.copy(case)
    replay = copy.copy(case.replay)
    for owner, name, value in ((replay, "auction", np.ones(len(case.trace), dtype=bool)), (asked, "replay", replay)):
        vars(owner)[name] = value
    return identification.repaired_condition(asked).checked > 0


# Counterfactuals on auctions spread over the whole log.


@dataclass(frozen=True, eq=False)
class Auctions:
    """The state at auctions of a log: number 0, stride, 2 stride, ... of `seen`."""

    seen: int
    stride: int
    steps: NDArray[np.int64]
    eligible: Flags
    adjusted_bids: NDArray[np.float64]
    cost_radii: NDArray[np.float64]
    standing_bids: NDArray[np.float64]

    @classmethod
    def none(cls, n_providers: int) -> Auctions:
        """Return no auctions."""
        empty = np.empty((0, n_providers))
        return cls(0, 1, np.empty(0, dtype=np.int64), empty.astype(bool), empty, empty, empty)

    def and_those_of(self, replay: Replay) -> Auctions:
        """Return these and the auctions of the next part, thinned out where they are too many."""
        rows = np.flatnonzero(replay.auction)
        kept = rows[(-self.seen) % self.stride :: self.stride]
        parts = {
            name: np.concatenate([getattr(self, name), getattr(replay, name)[kept]])
            for name in ("steps", "eligible", "adjusted_bids", "cost_radii", "standing_bids")
        }
        found = Auctions(self.seen + len(rows), self.stride, **parts)
        while len(found.steps) > KEPT_AUCTIONS:
            found = Auctions(found.seen, 2 * found.stride, **{n: getattr(found, n)[::2] for n in parts})
        return found

    def spread(self, most: int) -> Auctions:
        """Return evenly spread ones: those that `counterfactuals` takes of a whole trace, or the kept just before."""
        at = np.linspace(0, self.seen - 1, min(most, self.seen)).astype(int) // self.stride
        names = ("steps", "eligible", "adjusted_bids", "cost_radii", "standing_bids")
        return Auctions(len(at), 1, **{name: getattr(self, name)[at] for name in names})

    @property
    def auction(self) -> Flags:
        """That each is an auction, as a replay would say it."""
        return np.ones(len(self.steps), dtype=bool)


def _sampled(case: Case) -> Auctions:
    def make() -> Auctions:
        before: Auctions = _totals(case).get("auctions") or Auctions.none(case.setting.n_providers)
        return before.and_those_of(case.replay)

    return case.once("auctions", None, make)


def _at_the_end(check: Check) -> Check:
    """Return a check of sampled auctions that waits for the end of the log and then samples all of it."""

    def instead(case: Case) -> Tightness:
        if not case.ends:
            return Tightness(0, 0)
        sample = _sampled(case).spread(counterfactual.SAMPLED_AUCTIONS)
        found = check(_Sample(case.setting, sample))
        if found.where is None:
            return found
        return replace(found, where={**found.where, "step": int(sample.steps[found.where["step"] - 1])})

    return instead


@dataclass(frozen=True)
class _Sample:
    """What a counterfactual reads of a case."""

    setting: Setting
    replay: Auctions


# Identification.


@lru_cache(maxsize=16)
def _identified_from(setting: Setting, needed: Formula, twice: bool) -> int | None:
    values = {**formula_inputs(setting), "belief_slack": 0.0, "underbid": 0.0, "overbid": 0.0}
    return identification_horizon(values, needed, twice)


def _identified(needed: Formula, twice: bool) -> Callable[[Case], Flags]:
    def mask(case: Case) -> Flags:
        values, last = case.truthful_constants, int(case.replay.steps[-1])
        if last <= values["n_providers"] + (2 if twice else 1) * needed.value(values, horizon=last):
            # As on a whole trace: where the condition fails at the end, the horizon lies beyond; spare the search.
            return np.zeros(len(case.trace), dtype=bool)
        horizon = _identified_from(case.setting, needed, twice)
        return np.asarray(case.replay.steps >= (np.inf if horizon is None else horizon))

    return mask


def _on(check: object) -> Hashable:
    if not isinstance(check, Relation):
        raise TypeError(f"{check!r} is no relation")
    return check.on


#: What takes the place of a mask of a whole trace, and of a check of a whole trace.
MASKS: Mapping[object, Callable[[Case], Flags]] = MappingProxyType(
    {
        _on(identification.LEADS_AFTER_IDENTIFICATION): _identified(IDENTIFICATION_BOUND, True),
        _on(sharp.IDENTIFICATION.checks[0]): _identified(SHARP_LEAD_BOUND, False),
    }
)
SAMPLING: tuple[Check, ...] = (
    counterfactual.losing_or_winning_by_threshold,
    counterfactual.truthful_never_loses,
    counterfactual.no_deviation_gains,
    counterfactual.strict_where_allocation_changes,
)
#: Checks that compare every bid with an exact mean: not for logs of rounded money.
EXACT_MONEY: tuple[Check, ...] = (
    bayesian.estimates_stay_near_means,
    deviations.deviations_stay_in_bounds,
    history.bids_are_running_means,
)
CHECKS: Mapping[Check, Check] = MappingProxyType(
    {
        definitions.serves_each_once: _serves_each_once,
        definitions.estimates_are_exact_means: _estimates_are_exact_means,
        identification.repaired_condition: _repaired_condition,
        **{check: _at_the_end(check) for check in SAMPLING},
    }
)
