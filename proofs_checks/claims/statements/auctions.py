"""Auctions on the good event: adjusted bids are optimistic, and dear providers stop winning."""

from __future__ import annotations

from bounds.formulas.selection import COST_GAP, ORDINARY_BOUND
from bounds.language.quantities import C_MAX, C_STAR, D_MINUS, D_PLUS, GAMMA
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import after_initialization, auctions, each_provider, served_at
from proofs_checks.claims.model.regime import TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import ADJUSTED_BID, EACH_RADIUS, MEAN_COST, SELECTION_COUNT

#: (1 + gamma) c_max beta(m_{i,t}), the cost radius of every provider.
COST_RADIUS = (1 + GAMMA) * C_MAX * EACH_RADIUS.symbol

ADJUSTED_BIDS_ARE_OPTIMISTIC = Relation(
    ADJUSTED_BID, MEAN_COST + D_PLUS, each_provider(after_initialization), "an adjusted bid is at most the mean cost"
)
ADJUSTED_BIDS_ARE_CLOSE = Relation(
    MEAN_COST - 2 * COST_RADIUS - D_MINUS,
    ADJUSTED_BID,
    each_provider(after_initialization),
    "an adjusted bid is within two radii below the mean cost",
    where=(EACH_RADIUS,),
)
WINNERS_ARE_NEARLY_OPTIMAL = Relation(
    MEAN_COST - C_STAR,
    2 * COST_RADIUS + D_MINUS + D_PLUS,
    served_at(auctions),
    "the winner's cost gap is at most two radii",
    where=(EACH_RADIUS,),
)
COMPETITOR_GAP = Relation(
    COST_GAP.symbol,
    2 * COST_RADIUS + D_MINUS + D_PLUS,
    served_at(auctions, "competitors"),
    "a winning competitor's cost gap is at most two radii",
    "competitors",
    (COST_GAP, EACH_RADIUS),
)
COMPETITOR_COUNT = Relation(
    SELECTION_COUNT,
    ORDINARY_BOUND.symbol,
    served_at(auctions, "competitors"),
    "a winning competitor has m <= L_i",
    "competitors",
    (ORDINARY_BOUND,),
    exact=True,
)

ADJUSTED_BIDS = Claim(
    "lem:adjusted-bid-bounds",
    "Adjusted bid bounds",
    "cbar_i - 2 c_max beta(m) <= b - c_max beta(m) <= cbar_i",
    721,
    (ADJUSTED_BIDS_ARE_OPTIMISTIC, ADJUSTED_BIDS_ARE_CLOSE),
    TRUTHFUL,
    implies=("lem:deviation-adjusted-bid-bounds",),
)
SELECTION_GAP = Claim(
    "lem:ordinary-selection-gap",
    "Gap at auctions",
    "if i in Q without i* wins an auction, Delta_i <= 2 c_max beta(m_{i,t})",
    743,
    (COMPETITOR_GAP,),
    TRUTHFUL,
    # By lem:radius-inversion, whose constant leaves more room than the tolerance takes.
    implies=("lem:ordinary-selection-threshold",),
)
SELECTION_THRESHOLD_COUNT = Claim(
    "lem:ordinary-selection-threshold",
    "Auction threshold L_i",
    "if i in Q without i* wins an auction, m_{i,t} <= L_i = M(Delta_i / c_max)",
    766,
    (COMPETITOR_COUNT,),
    TRUTHFUL,
)
