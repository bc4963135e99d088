"""Appendix B: providers that bid a posterior mean, and a platform that widens the cost radius by 1 + gamma."""

from __future__ import annotations

import numpy as np

from proofs_checks.claims.model.case import Case, Numbers
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.counterfactual import (
    no_deviation_gains,
    strict_where_allocation_changes,
    truthful_never_loses,
)
from proofs_checks.claims.model.precondition import BID_TOLERANCE, BIDS_IN_RANGE, COMPARABLE_BIDS, deviates, required
from proofs_checks.claims.model.regime import BAYESIAN
from proofs_checks.claims.model.relation import Relation, largest_ratio
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.model.trace_quantities import MEAN_COST, STANDING_BID
from proofs_checks.claims.statements import auctions, eligibility, exploration, identification, payments, regrets
from proofs_checks.claims.statements.auctions import COST_RADIUS
from proofs_checks.claims.statements.definitions import WIDENED
from proofs_checks.claims.statements.incentives import LOSER_ABOVE, WINNER_BELOW

ESTIMATE_IS_CLOSE_BELOW = Relation(
    MEAN_COST - COST_RADIUS, STANDING_BID, auctions.EVERYBODY, "an estimate is at most (1+gamma) radii low"
)
ESTIMATE_IS_CLOSE_ABOVE = Relation(
    STANDING_BID, MEAN_COST + COST_RADIUS, auctions.EVERYBODY, "an estimate is at most (1+gamma) radii high"
)


UNDISTORTED = required(
    "underbid and overbid 0", lambda case: not deviates(case), "bids deviate from the estimates here"
)


@trace_check(exact_money=True)
def estimates_stay_near_means(case: Case) -> Tightness:
    """Compare every bid's distance from the running mean cost with gamma c_max beta(m)."""
    deviation, radii = case.bid_deviations
    allowed = case.setting.platform.belief_slack * radii
    return bids_near_means(case, "|estimate - running mean| <= gamma radii", allowed - np.abs(deviation), allowed)


def bids_near_means(case: Case, relation: str, margins: Numbers, allowed: Numbers) -> Tightness:
    """Return how bids compare with what is allowed of their distance from the running mean cost, shape (A,)."""
    if not len(margins):
        return NOTHING_COMPARED
    row, tolerance = int(np.argmin(margins)), BID_TOLERANCE * case.setting.platform.cost_bound
    ratio = largest_ratio(np.abs(case.bid_deviations[0]), allowed)
    where = {"relation": relation, "step": int(case.replay.settlements.steps[row])}
    return Tightness(len(margins), int((margins < -tolerance).sum()), float(margins[row]), ratio, where)


#: The relations of section 4 and appendix A that bids enter, with whatever slacks a regime carries.
BID_DEPENDENT = (
    auctions.ADJUSTED_BIDS_ARE_OPTIMISTIC,
    auctions.ADJUSTED_BIDS_ARE_CLOSE,
    auctions.COMPETITOR_GAP,
    auctions.COMPETITOR_COUNT,
    identification.COMPETITOR_SELECTIONS,
    identification.NON_OPTIMAL_STEPS,
    regrets.GENERATION_ANYTIME,
    regrets.GENERATION_GAP_DEPENDENT,
    payments.AUCTION_UPPER,
    payments.EXCESS,
    payments.AVERAGE_EXCESS,
    payments.LATE_UPPER,
    payments.LATE_LOWER,
    payments.AVERAGE_DEVIATION,
)
#: Those that no bid enters.
BID_FREE = (
    eligibility.QUALIFIED_STAY,
    eligibility.UNQUALIFIED_SELECTIONS,
    eligibility.UNQUALIFIED_COUNTS,
    exploration.EXPLORATIONS_OF_ONE,
    exploration.EXPLORATIONS_OF_ALL,
    eligibility.AUCTION_COUNTS,
    eligibility.LATE_ELIGIBLE_ARE_QUALIFIED,
    eligibility.LATE_QUALIFIED_ARE_ELIGIBLE,
    regrets.RADIUS_SUM,
    regrets.QUALITY_ANYTIME,
    regrets.QUALITY_GAP_DEPENDENT,
    regrets.UNQUALIFIED_QUERIES,
)
#: Claims that only compare what BID_FREE does; the adjusted bids in BID_DEPENDENT need everybody to have bid.
BID_FREE_CLAIMS = (
    "lem:qualified-eligibility",
    "lem:unqualified-elimination",
    "lem:unqualified-exclusion",
    "lem:ordinary-qualified-set",
    "lem:radius-sum",
    "thm:quality-guarantee",
    "lem:selection-counting",
)

BELIEFS = Claim(
    label="asmp:beliefs",
    any_delay=True,
    name="Bounded belief slack",
    statement="every estimate is within gamma c_max beta(m) of the running mean cost",
    checks=(estimates_stay_near_means,),
    assuming=(WIDENED, UNDISTORTED, COMPARABLE_BIDS),
    note="An assumption: the verdict says whether the bids on the traces satisfied it, not that providers do.",
)
CONCENTRATION = Claim(
    label="lem:bayesian-cost-concentration",
    any_delay=True,
    name="Bayesian concentration",
    statement="on the good event |estimate - cbar_i| <= (1 + gamma) c_max beta(m)",
    checks=(ESTIMATE_IS_CLOSE_BELOW, ESTIMATE_IS_CLOSE_ABOVE),
    regime=BAYESIAN,
    assuming=(WIDENED,),
    # Bounds on everybody's bid need everybody to have bid.
    implies=("lem:selection-counting",),
)
SUBSTITUTION = Claim(
    label="prop:bayesian-substitution",
    name="Bayesian substitution",
    statement="(i) bid-free results and incentives are unchanged; (ii) all others hold with c_max beta -> (1 + "
    "gamma) c_max beta; simulations cannot test their limits",
    checks=(
        *BID_FREE,
        WINNER_BELOW,
        LOSER_ABOVE,
        truthful_never_loses,
        no_deviation_gains,
        strict_where_allocation_changes,
        *BID_DEPENDENT,
        payments.AUCTION_LOWER_SERVED,
        payments.NEVER_NEGATIVE,
        payments.AT_MOST_THE_BOUND,
    ),
    regime=BAYESIAN,
    assuming=(WIDENED, BIDS_IN_RANGE),
    implies=(*BID_FREE_CLAIMS, "lem:one-step", "lem:payment-range"),
    note='"Arbitrary bids" in (i) must read "bids in [0, c_max]" for lem:payment-range.',
)
