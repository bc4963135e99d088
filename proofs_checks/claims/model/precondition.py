"""Preconditions of claims, executable: each says whether a trace satisfies it, or where it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from bounds.words import first_of
from proofs_checks.claims.model.band_failure import OUTLIERS, failure_of_the_good_event
from proofs_checks.claims.model.case import Carry, Case, PreconditionFailure

#: Rounding allowed when a logged bid is compared with a running mean, relative to the cost bound.
BID_TOLERANCE = 1e-9
#: Providers that a sentence names.
_SHOWN = 6


@dataclass(frozen=True, eq=False)
class Precondition:
    """An assumption of a claim. Claims share them: each is equal to itself alone.

    Parameters
    ----------
    name : str
        As reports call it.
    failure : callable
        From a case to None where it holds. Else to a sentence that says why it does not: it is then one about the
        setting or the origin, which fails from the first step on; or to the sentence with its step.
    needs_costs : bool
        Whether only a trace with costs can decide it.
    carries : tuple of Carry
        What `conclusion` must know of all parts of a trace.
    conclusion : callable, optional
        From the last part of a trace on which it failed to what is to be said about that, or None.
    """

    name: str
    failure: Callable[[Case], str | PreconditionFailure | None]
    needs_costs: bool = False
    carries: tuple[Carry[Any], ...] = ()
    conclusion: Callable[[Case], str | None] = lambda case: None

    def found_failure(self, case: Case) -> PreconditionFailure | None:
        """Return the failure on a case, looked for once: many claims share a precondition."""
        return case.cached(self, "failure", lambda: self._found(case))

    def _found(self, case: Case) -> PreconditionFailure | None:
        found = self.failure(case)
        return PreconditionFailure(case.first_step, found) if isinstance(found, str) else found


def required(name: str, holds: Callable[[Case], object], otherwise: str) -> Precondition:
    """Return a precondition about the setting or the origin of a trace, with what is said where it does not hold."""
    return Precondition(name, lambda case: None if holds(case) else otherwise)


def deviates(case: Case) -> bool:
    """Return whether bids may deviate from estimates: underbid or overbid is above 0."""
    return bool(case.setting.platform.underbid or case.setting.platform.overbid)


def _after_first_served(before: NDArray[np.int64], case: Case) -> NDArray[np.int64]:
    if before.all():
        return before
    providers, rows = np.unique(case.trace.provider, return_index=True)
    found = np.zeros_like(before)
    found[providers] = rows + case.first_step
    return np.where(before > 0, before, found)


#: The first step that each provider serves; 0 for one that has served none.
_FIRST_SERVED = Carry(start=lambda setting: np.zeros(setting.n_providers, np.int64), after=_after_first_served)


def _initialization(case: Case) -> PreconditionFailure | None:
    """Return the first of the first N steps that serves a provider again, or None."""
    behind = case.first_step - 1
    providers = case.trace.provider[: max(case.setting.n_providers - behind, 0)]
    again = case.before_part(_FIRST_SERVED)[providers] > 0
    again[np.setdiff1d(np.arange(len(providers)), np.unique(providers, return_index=True)[1])] = True
    if not again.any():
        return None
    row = int(np.argmax(again))
    step, name = case.first_step + row, case.setting.providers[int(providers[row])].name
    return PreconditionFailure(step, f"at step {step:,} {name} serves again")


def _late_providers(case: Case) -> str | None:
    """Return which providers a log did not initialize, and when each first serves."""
    first = case.after_part(_FIRST_SERVED).tolist()
    found = [
        f"{provider.name} first serves at step {step:,}" if step else f"{provider.name} never serves"
        for provider, step in zip(case.setting.providers, first, strict=True)
        if not 0 < step <= case.setting.n_providers
    ]
    return first_of(found, _SHOWN) or None


def _good_event(case: Case) -> PreconditionFailure | None:
    found = case.band_exit
    return None if found is None else found._replace(reason=f"the good event fails: {found.reason}")


def _plain_mechanism(case: Case) -> str | None:
    slack = case.setting.platform.belief_slack
    return f"the mechanism is widened by belief_slack = {slack:g}" if slack else None


def other_radius(setting: Setting) -> str | None:
    """Return that a setting has another confidence radius than the paper's, or None."""
    radius = setting.platform.radius
    return (
        None if setting.platform.papers_radius else f"it is stated for the paper's radius, and this one is {radius!r}"
    )


def _bids_in_range(case: Case) -> PreconditionFailure | None:
    bound, bids = case.setting.platform.cost_bound, case.trace.bid
    outside = (bids < -case.rounding) | (bids > bound * (1 + BID_TOLERANCE) + case.rounding)
    if not outside.any():
        return None
    step = int(np.argmax(outside)) + case.first_step
    return PreconditionFailure(step, f"the bid left at step {step:,} lies outside [0, c_max]")


def bids_within(case: Case, slack: float, underbid: float, overbid: float) -> PreconditionFailure | None:
    """Return where a bid leaves [chat - d_- - gamma c_max beta, chat + d_+ + gamma c_max beta], or None.

    With gamma = d_- = d_+ = 0 this is truthful bidding; the sum of both slacks is what an estimate within
    gamma radii (asmp:beliefs) and a deviation from it (asmp:bounded-deviations) allow together.
    """
    deviation, radii = case.bid_deviations
    # A bid and a mean of costs may each be rounded.
    tolerance = BID_TOLERANCE * case.setting.platform.cost_bound + 2 * case.rounding
    outside = (deviation < -underbid - slack * radii - tolerance) | (deviation > overbid + slack * radii + tolerance)
    rows = np.flatnonzero(outside)
    off = deviation[rows[0]] if len(rows) else 0.0
    side = "above" if off > 0 else "below"
    return case.failure_after(rows, f"the bid left at step {{step:,}} is {abs(off):.6g} {side} the running mean cost")


def _near_mean_cost(name: str, *, beliefs: bool = False, deviations: bool = False) -> Precondition:
    """Return that bids keep to the mean cost, up to the slacks of the setting that are named."""

    def failure(case: Case) -> PreconditionFailure | None:
        platform = case.setting.platform
        slack, underbid, overbid = platform.belief_slack * beliefs, platform.underbid, platform.overbid
        return bids_within(case, slack, underbid * deviations, overbid * deviations)

    return Precondition(name, failure, needs_costs=True)


def unseparated(setting: Setting) -> str | None:
    """Return that some cost gap does not exceed d_- + d_+ (then L_i has no value), decided exactly, or None."""
    return "a cost gap does not exceed underbid + overbid" if setting.unseparated else None


def _immediate_feedback(case: Case) -> PreconditionFailure | None:
    # Nearly all claims ask this of every part of a log: without the column there is nothing to count.
    if not case.replay.delayed:
        return None
    late = case.replay.in_flight.any(axis=1)
    if not late.any():
        return None
    step = case.first_step + int(np.argmax(late))
    return PreconditionFailure(step, f"at step {step:,} earlier queries are in flight")


#: Of every claim but those that say what becomes of them with queries in flight.
IMMEDIATE_FEEDBACK = Precondition("score and bid arrive before the next query", _immediate_feedback)
#: Of every claim but those that state the rules: what follows from them does for providers that have been served once.
INITIALIZATION = Precondition(
    "every provider serves once in the first N steps",
    _initialization,
    carries=(_FIRST_SERVED,),
    conclusion=_late_providers,
)
#: Of every claim but those that are about whatever radius the mechanism has.
PAPERS_RADIUS = Precondition("the paper's confidence radius", lambda case: other_radius(case.setting))
MARKET = Precondition(
    "at least two qualified providers, unique cheapest", lambda case: "; ".join(case.setting.unmet_assumptions) or None
)
GOOD_EVENT = Precondition(
    "good event on this trace", _good_event, needs_costs=True, carries=(OUTLIERS,), conclusion=failure_of_the_good_event
)
PLAIN_MECHANISM = Precondition("belief slack 0", _plain_mechanism)
BIDS_IN_RANGE = Precondition("bids in [0, c_max]", _bids_in_range)
TRUTHFUL_BIDS = _near_mean_cost("truthful bids")
BOUNDED_BELIEFS = _near_mean_cost("bids within gamma radii of the running mean of the costs", beliefs=True)
BOUNDED_DEVIATIONS = _near_mean_cost("bids within [-d_-, d_+] of the mean cost", deviations=True)
BELIEFS_AND_DEVIATIONS = _near_mean_cost("bids within gamma radii plus [-d_-, d_+]", beliefs=True, deviations=True)
SEPARATED = Precondition("cost gaps above d_- + d_+", lambda case: unseparated(case.setting))
#: For statements that compare bids with mean costs without assuming anything about them.
COMPARABLE_BIDS = Precondition("distance of bids from mean costs", lambda case: None, needs_costs=True)
