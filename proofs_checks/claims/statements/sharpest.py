"""The sharpest statements for the same mechanism (`bounds.sharpest`), on the event that delta pays for altogether.

Bounds that a search finds are compared at 32 horizons to each doubling of T, and at the last one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.language.quantities import HORIZON
from bounds.language.reductions import Min
from bounds.sharpest.exploration import exploration_counts
from bounds.sharpest.formulas import SHARPEST
from proofs_checks.claims.model import trace_quantities as trace
from proofs_checks.claims.model.case import COLUMNS, Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import checkpoints
from proofs_checks.claims.model.lead import leads, misses
from proofs_checks.claims.model.precondition import BIDS_IN_RANGE
from proofs_checks.claims.model.relation import Relation, finite
from proofs_checks.claims.model.sharpest_event import SHARPEST_EVENT, STITCHED_COST, market_of
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.statements.eligibility import selected_at_most


def _bounded(left: Any, right: Any, name: str, *, exact: bool = False) -> Relation:
    return Relation(left, right, checkpoints, name, exact=exact)


@trace_check(*COLUMNS["explorations"].carries, by_ratio=True)
def each_explored(case: Case) -> Tightness:
    """Each provider is explored until it wins too often."""
    from proofs_checks.claims.model.comparison import compared

    rows = np.flatnonzero(case.where(checkpoints))
    if not len(rows):
        return NOTHING_COMPARED
    setting = case.setting
    order = [*setting.unqualified, setting.optimal, *setting.competitors]
    realised = case.value("explorations", "all")[rows][:, order]
    allowed = exploration_counts(market_of(setting), (case.first_step + rows).astype(float))
    found = compared(realised, allowed, allowed.shape)
    row, column = divmod(found.shown_at, len(order))
    where = {
        "relation": each_explored.name,
        "step": case.first_step + int(rows[row]),
        "provider": setting.providers[order[column] or 0].name,
        "left": float(realised[row, column]),
        "right": finite(allowed[row, column]),
    }
    return Tightness(allowed.size, found.violations, finite(found.least), found.largest_ratio, where)


UNQUALIFIED = Claim(
    label="lem:unqualified-elimination:sharpest",
    name="Unqualified elimination, sharpest",
    statement="Chernoff's bound at the one count that excludes a provider, and elimination by cost",
    checks=(
        selected_at_most(SHARPEST["unqualified_cap"], "unqualified", "selections of an unqualified provider, sharpest"),
    ),
    regime=SHARPEST_EVENT,
)
SAMPLE_COMPLEXITY = Claim(
    label="thm:sample-complexity:sharpest",
    name="Number of non-optimal steps, sharpest",
    statement="N - 1 plus the sum of the sharpest caps",
    checks=(misses(SHARPEST["identification"], "queries that miss i*, sharpest"),),
    regime=SHARPEST_EVENT,
)
IDENTIFICATION = Claim(
    label="claim:T_id:sharpest",
    name="Identification horizon, sharpest",
    statement="i* leads from the least T with T' > N + B(T') + max_i cap_i(T') for every T' >= T on, with the sharpest "
    "caps",
    checks=(
        leads(
            SHARPEST["lead"], "i* has more selections than any rival, from the sharpest T_id on", "the sharpest T_id"
        ),
    ),
    regime=SHARPEST_EVENT,
)
EXPLORATION = Claim(
    label="lem:forced-exploration-bound:sharpest",
    name="Exploration count, sharpest",
    statement="a provider is explored up to a time only, after which it has won too often, and not after its exclusion",
    checks=(
        _bounded(trace.ALL_EXPLORATIONS, SHARPEST["exploration_steps"], "exploration steps, sharpest", exact=True),
        each_explored,
    ),
    regime=SHARPEST_EVENT,
)
QUALITY_REGRET = Claim(
    label="thm:quality-guarantee:sharpest",
    name="Quality regret, sharpest",
    statement="quality regret with the radii of unqualified providers alone, and with the sharpest caps",
    checks=(
        _bounded(
            trace.QUALITY_REGRET_SO_FAR,
            Min(SHARPEST["quality_anytime"], SHARPEST["quality_by_gap"]),
            "quality regret, sharpest",
        ),
    ),
    regime=SHARPEST_EVENT,
)
GENERATION_REGRET = Claim(
    label="thm:generation-regret:sharpest",
    name="Generation regret, sharpest",
    statement="generation regret with the radii of all providers but i*, exactly, as those of equal shares, and with "
    "the sharpest caps",
    checks=(
        _bounded(
            trace.GENERATION_REGRET_SO_FAR,
            Min(SHARPEST["generation_anytime"], SHARPEST["generation_by_gap"]),
            "generation regret, sharpest",
        ),
    ),
    regime=SHARPEST_EVENT,
)
EXCESS = Claim(
    label="thm:excess-payment-general:sharpest",
    name="Excess payment, sharpest",
    statement="what each query is paid above c_(2), added up: initialization, the explorations, and at auctions the "
    "radii of i* beyond the shortfall of its rival and those of others while they can win, or equal shares of all "
    "auctions where these are less; and the same without exploration",
    checks=(
        _bounded(trace.EXCESS_SO_FAR, SHARPEST["excess"], "payment above the second cost, sharpest"),
        _bounded(trace.EXCESS_SO_FAR, SHARPEST["settling_excess"], "payment above the second cost, with radii in full"),
        _bounded(
            trace.AUCTION_EXCESS_SO_FAR,
            SHARPEST["excess_without_exploration"],
            "auctions above the second cost, sharpest",
        ),
    ),
    regime=SHARPEST_EVENT,
    assuming=(STITCHED_COST,),
)
DEVIATION = Claim(
    label="thm:regret:sharpest",
    name="Average payment deviation, sharpest",
    statement="the average of |payment - c_(2)|, from T = N on: what T_0 stood for is counted",
    checks=(
        _bounded(
            trace.DEVIATION_SO_FAR / HORIZON, SHARPEST["average_deviation"], "average payment deviation from T = N on"
        ),
    ),
    regime=SHARPEST_EVENT,
    assuming=(BIDS_IN_RANGE,),
)
