"""Auctions on the good event: adjusted bids are optimistic, and dear providers stop winning."""

from functools import partial

from bounds.formulas.selection import COST_GAP, ORDINARY_BOUND
from bounds.language.quantities import C_MAX, C_STAR, D_MINUS, D_PLUS, GAMMA
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import (
    after_initialization,
    auctions,
    each_provider,
    served_at,
    with_feedback,
)
from proofs_checks.claims.model.regime import TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import ADJUSTED_BID, EACH_RADIUS, MEAN_COST, SELECTION_COUNT

#: (1 + gamma) c_max beta(m_{i,t}), the cost radius of every provider.
COST_RADIUS = (1 + GAMMA) * C_MAX * EACH_RADIUS

EVERYBODY = with_feedback(each_provider(after_initialization))
_COMPETITORS = partial(Relation, on=served_at(auctions, "competitors"), among="competitors")
_LARGEST_GAP = 2 * COST_RADIUS + D_MINUS + D_PLUS
ADJUSTED_BIDS_ARE_OPTIMISTIC = Relation(
    ADJUSTED_BID, MEAN_COST + D_PLUS, EVERYBODY, "an adjusted bid is at most the mean cost"
)
ADJUSTED_BIDS_ARE_CLOSE = Relation(
    MEAN_COST - 2 * COST_RADIUS - D_MINUS,
    ADJUSTED_BID,
    EVERYBODY,
    "an adjusted bid is within two radii below the mean cost",
)
WINNERS_ARE_NEARLY_OPTIMAL = Relation(
    MEAN_COST - C_STAR, _LARGEST_GAP, served_at(auctions), "the winner's cost gap is at most two radii"
)
COMPETITOR_GAP = _COMPETITORS(COST_GAP, _LARGEST_GAP, name="a winning competitor's cost gap is at most two radii")
COMPETITOR_COUNT = _COMPETITORS(SELECTION_COUNT, ORDINARY_BOUND, name="a winning competitor has m <= L_i", exact=True)

ADJUSTED_BIDS = Claim(
    label="lem:adjusted-bid-bounds",
    any_delay=True,
    name="Adjusted bid bounds",
    statement="cbar_i - 2 c_max beta(m) <= b - c_max beta(m) <= cbar_i",
    checks=(ADJUSTED_BIDS_ARE_OPTIMISTIC, ADJUSTED_BIDS_ARE_CLOSE),
    regime=TRUTHFUL,
    implies=("lem:deviation-adjusted-bid-bounds",),
)
SELECTION_GAP = Claim(
    label="lem:ordinary-selection-gap",
    any_delay=True,
    name="Gap at auctions",
    statement="if i in Q without i* wins an auction, Delta_i <= 2 c_max beta(m_{i,t})",
    checks=(COMPETITOR_GAP,),
    regime=TRUTHFUL,
    # By lem:radius-inversion, whose constant leaves more room than the tolerance takes.
    implies=("lem:ordinary-selection-threshold",),
)
SELECTION_THRESHOLD_COUNT = Claim(
    label="lem:ordinary-selection-threshold",
    any_delay=True,
    name="Auction threshold L_i",
    statement="if i in Q without i* wins an auction, m_{i,t} <= L_i = M(Delta_i / c_max)",
    checks=(COMPETITOR_COUNT,),
    regime=TRUTHFUL,
)
