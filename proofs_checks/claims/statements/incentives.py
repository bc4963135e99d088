"""Incentives: the threshold of selection, and why bidding the cost estimate is worst-case optimal."""

from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import after_initialization, auctions, losers_at, served_at
from proofs_checks.claims.model.counterfactual import (
    losing_or_winning_by_threshold,
    no_deviation_gains,
    strict_where_allocation_changes,
    truthful_never_loses,
)
from proofs_checks.claims.model.regime import BIDS_INSIDE, TRUTHFUL_ANY_HISTORY
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import CRITICAL, PAYMENT, STANDING_BID, WINNER_ESTIMATE

WINNER_BELOW = Relation(STANDING_BID, CRITICAL, served_at(auctions), "who wins bids at most P")
LOSER_ABOVE = Relation(CRITICAL, STANDING_BID, losers_at(auctions), "who loses bids at least P")
GAINS_ARE_NON_NEGATIVE = Relation(
    WINNER_ESTIMATE, PAYMENT, after_initialization, "no query is served below the running mean cost"
)

SELECTION_THRESHOLD = Claim(
    label="prop:selection-threshold",
    any_radius=True,
    any_delay=True,
    name="Selection threshold",
    statement="in an auction, an eligible provider is selected if it bids b < P and is not if b > P",
    checks=(WINNER_BELOW, LOSER_ABOVE, losing_or_winning_by_threshold),
    headline=(losing_or_winning_by_threshold,),
)
ROBUST_DOMINANT = Claim(
    label="thm:robust-dominant",
    any_radius=True,
    name="Incentives: truthful bidding is a robustly dominant strategy",
    statement="bidding the cost estimate never loses in expectation against that estimate (the true mean cost may be "
    "higher), and no strategy has a better worst case over T and theta_{-i}; at an auction with i eligible, a bid "
    "strictly on the other side of the critical payment from the estimate has a strictly lower worst case",
    checks=(GAINS_ARE_NON_NEGATIVE, no_deviation_gains, strict_where_allocation_changes),
    headline=(no_deviation_gains,),
    compared_as="lem:one-step",
    regime=TRUTHFUL_ANY_HISTORY,
    implies=("claim:robust-equilibrium",),
    note="The worst case is the horizon T = t. It does not say that truthful bidding is a best reply in expected "
    "utility at a known horizon.",
)
ROBUST_EQUILIBRIUM = Claim(
    label="claim:robust-equilibrium",
    any_radius=True,
    name="Robust equilibrium",
    statement="no provider improves its worst-case utility by deviating when the others bid truthfully",
    checks=(no_deviation_gains,),
    compared_as="lem:one-step",
    regime=TRUTHFUL_ANY_HISTORY,
)
ONE_STEP = Claim(
    label="lem:one-step",
    any_radius=True,
    any_delay=True,
    name="One-step optimality",
    statement="G(estimate) >= 0; G(estimate) >= G(b) for b in [0, c_max]; strict if the bid crosses P",
    checks=(truthful_never_loses, no_deviation_gains, strict_where_allocation_changes),
    headline=(no_deviation_gains,),
    regime=BIDS_INSIDE,
    implies=("claim:robust-equilibrium",),
    note="Needs the estimate and the deviating bid at most c_max, both assumptions of the model.",
)
