"""The event on which the sharpest bounds are stated, on a trace: the paper's good event, and three parts more.

- Each unqualified provider i is excluded at count M_i + 1 at the latest, for one M_i (single-time elimination).
- The mean cost of the cheapest competitor is never above its expectation by its stitched radius.
- For scores of 0 and 1: up to a horizon, unqualified providers are selected, as far as each can be explored, no more
  often together than the quantile of their joint law says.

`bounds.sharpest.probability` says how delta pays for each. A trace off the event is none that the bounds speak of.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.exploration import exploration_counts, jointly_explored
from bounds.sharpest.market import ELIMINATIONS, Market, Scores as Scores
from bounds.sharpest.probability import spare_probability, stitched_radii
from mechanism.tables import BAND_TOLERANCE
from proofs_checks.claims.model.case import COLUMNS, Case
from proofs_checks.claims.model.conditions import checkpoints
from proofs_checks.claims.model.precondition import (
    BELIEFS_AND_DEVIATIONS,
    GOOD_EVENT,
    MARKET,
    SEPARATED,
    Failure,
    Precondition,
)
from proofs_checks.claims.model.regime import Regime

#: An eligibility by so little may be rounding: where it matters, it counts as one.
_HAIR = 1e-9


def market_of(setting: Setting, scores: Scores) -> Market:
    """Return a setting as searches see it; it has a unique optimal provider and a competitor."""
    return Market.of(formula_inputs(setting), scores)


def _excluded_in_time(scores: Scores) -> Callable[[Case], Failure | None]:
    def failure(case: Case) -> Failure | None:
        if not case.setting.unqualified:
            return None
        replay, last = case.replay, _last_counts(case.setting, scores)[case.replay.settlements.rows.provider]
        before = replay.settlements.steps < (_first_other_score(case) if scores == "binary" else math.inf)
        tested = np.flatnonzero((last > 0) & (replay.counts_after == last + 1) & before)
        reached = replay.quality_estimates_after[tested] + replay.radii_after[tested]
        high = tested[reached >= case.setting.platform.quality_threshold - _HAIR]
        return _first(case, high, "still eligible, or within a hair of it")

    return failure


@functools.lru_cache(maxsize=64)
def _last_counts(setting: Setting, scores: Scores) -> NDArray[np.float64]:
    """Return the count up to which each unqualified provider may be eligible; 0 for the qualified."""
    last = np.zeros(setting.n_providers)
    last[list(setting.unqualified)] = ELIMINATIONS[scores](formula_inputs(setting))
    return last


def _below_the_stitched_radius(case: Case) -> Failure | None:
    if case.setting.unmet_assumptions:
        return None  # then there is no market to speak of
    setting, replay = case.setting, case.replay
    rival = min(setting.competitors, key=lambda i: setting.providers[i].mean_cost)
    mine = np.flatnonzero(replay.settlements.rows.provider == rival)
    failure = spare_probability(setting.n_providers, setting.platform.confidence) / 2
    radii = setting.platform.cost_bound * stitched_radii(np.maximum(replay.counts_after[mine], 1.0), failure)
    off = replay.cost_estimates_after[mine] - setting.providers[rival].mean_cost
    above = mine[off > radii * BAND_TOLERANCE + case.rounding]
    return _first(case, above, "its mean cost is above the stitched radius")


def _first(case: Case, rows: NDArray[np.int64], what: str) -> Failure | None:
    """Return the first of some settlements as a failure."""
    if not len(rows):
        return None
    row, settled = int(rows[0]), case.replay.settlements
    name = case.setting.providers[int(settled.rows.provider[row])].name
    reason = f"{name} at m = {int(case.replay.counts_after[row]):,}: {what}"
    return Failure(int(settled.steps[row]), reason, case.settled_after(row))


def _jointly_excluded_in_time(case: Case) -> Failure | None:
    if case.setting.unmet_assumptions or not case.setting.unqualified:
        return None
    rows = np.flatnonzero(case.where(checkpoints))
    rows = rows[case.first_step + rows < _first_other_score(case)]
    steps = case.first_step + rows
    if not len(steps):
        return None
    caps, most = _jointly_at(case.setting, steps.tobytes())
    together = np.minimum(case.value("selections", "unqualified")[rows], caps).sum(axis=-1)
    later = together > most
    if not later.any():
        return None
    step = int(steps[np.argmax(later)])
    return Failure(step, "unqualified providers stay eligible longer than their joint law says")


@functools.lru_cache(maxsize=16)
def _jointly_at(setting: Setting, steps: bytes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how often each unqualified provider is explored up to some steps, and all together by their joint law."""
    market, horizons = market_of(setting, "binary"), np.frombuffer(steps, dtype=np.int64).astype(float)
    return exploration_counts(market, horizons)[:, : market.n_unqualified], jointly_explored(market, horizons)


def _first_other_score(case: Case) -> float:
    """Return the first step whose score is neither 0 nor 1, infinity if none: the law of such scores ends before it."""
    found = BINARY_SCORES.found_failure(case)
    return math.inf if found is None else found.step


def _binary(case: Case) -> Failure | None:
    others = (case.trace.score != 0) & (case.trace.score != 1)
    if not others.any():
        return None
    step = case.first_step + int(np.argmax(others))
    return Failure(step, f"the score of step {step:,} is neither 0 nor 1")


EXCLUDED_IN_TIME = Precondition("each unqualified provider excluded at one count (Chernoff)", _excluded_in_time("any"))
EXCLUDED_IN_EXACT_TIME = Precondition(
    "each unqualified provider excluded at one count (exact law)", _excluded_in_time("binary")
)
STITCHED_COST = Precondition(
    "mean cost of the cheapest competitor below its stitched radius", _below_the_stitched_radius, needs_costs=True
)
BINARY_SCORES = Precondition("scores of 0 and 1", _binary)
JOINTLY_EXCLUDED = Precondition(
    "unqualified providers excluded by their joint law",
    _jointly_excluded_in_time,
    carries=COLUMNS["selections"].carries,
)

_BIDS = (MARKET, BELIEFS_AND_DEVIATIONS, SEPARATED, GOOD_EVENT)
_BINARY_EVENT = (BINARY_SCORES, EXCLUDED_IN_EXACT_TIME)
SHARPEST_EVENT = Regime("sharpest event", (*_BIDS, EXCLUDED_IN_TIME))
BINARY_EVENT = Regime("sharpest event, scores of 0 and 1", (*_BIDS, *_BINARY_EVENT))
#: For bounds that concern who is excluded alone.
EXCLUDED_BINARY_EVENT = Regime(
    "excluded at one count, any bids, scores of 0 and 1", (MARKET, GOOD_EVENT, *_BINARY_EVENT)
)
