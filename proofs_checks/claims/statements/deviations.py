"""Appendix C: providers that deviate from their estimate by at most d_- below and d_+ above."""

from __future__ import annotations

import numpy as np

from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.precondition import COMPARABLE_BIDS, SEPARATED, deviates, required
from proofs_checks.claims.model.regime import COMBINED, DEVIATING
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.statements import auctions, identification, payments, regrets
from proofs_checks.claims.statements.bayesian import BID_DEPENDENT, BID_FREE, BID_FREE_CLAIMS, bids_near_means
from proofs_checks.claims.statements.definitions import WIDENED

DEVIATIONS = required("underbid or overbid above 0", deviates, "no deviations are allowed (underbid = overbid = 0)")


@trace_check(exact_money=True)
def deviations_stay_in_bounds(case: Case) -> Tightness:
    """Compare every bid's deviation from the running mean cost with -d_- and d_+."""
    deviation, _ = case.bid_deviations
    platform = case.setting.platform
    margins = np.minimum(deviation + platform.underbid, platform.overbid - deviation)
    largest = np.full(len(deviation), max(platform.underbid, platform.overbid))
    return bids_near_means(case, "-d_- <= bid - running mean <= d_+", margins, largest)


BOUNDED = Claim(
    label="asmp:bounded-deviations",
    any_delay=True,
    name="Bounded deviations",
    statement="every bid is between d_- below and d_+ above the running mean cost",
    checks=(deviations_stay_in_bounds,),
    assuming=(
        DEVIATIONS,
        required(
            "belief slack 0",
            lambda case: not case.setting.platform.belief_slack,
            "bids deviate from a Bayesian estimate here",
        ),
        COMPARABLE_BIDS,
    ),
    note="An assumption: the verdict says whether the bids on the traces satisfied it. It does not keep bids inside "
    "[0, c_max].",
)
ADJUSTED = Claim(
    label="lem:deviation-adjusted-bid-bounds",
    any_delay=True,
    name="Deviation adjusted bids",
    statement="cbar_i - 2 c_max beta - d_- <= b - c_max beta <= cbar_i + d_+",
    checks=(auctions.ADJUSTED_BIDS_ARE_OPTIMISTIC, auctions.ADJUSTED_BIDS_ARE_CLOSE),
    regime=DEVIATING,
    assuming=(DEVIATIONS,),
    # Bounds on everybody's bid need everybody to have bid.
    implies=("lem:selection-counting",),
)
SELECTION = Claim(
    label="prop:deviation-selection",
    name="Deviation selection",
    statement="(i) the gap at auctions; (ii), (iii) selections and misses with L_i^(d) = M((Delta_i - d_- - "
    "d_+)/c_max)",
    checks=(
        auctions.WINNERS_ARE_NEARLY_OPTIMAL,
        auctions.COMPETITOR_COUNT,
        identification.COMPETITOR_SELECTIONS,
        identification.NON_OPTIMAL_STEPS,
    ),
    # (i), (ii) and (iii); the count at an auction is a step of the proof of (ii).
    headline=(
        auctions.WINNERS_ARE_NEARLY_OPTIMAL,
        identification.COMPETITOR_SELECTIONS,
        identification.NON_OPTIMAL_STEPS,
    ),
    regime=DEVIATING,
    assuming=(DEVIATIONS, SEPARATED),
    note="(iii) inherits the vacuity of cor:eventual-ordinary-optimality.",
)
GENERATION_ANYTIME_ONLY = Claim(
    label="thm:deviation-generation-regret:anytime",
    name="Deviation generation regret, first branch",
    statement="the first branch of thm:generation-regret plus (d_- + d_+)(T - N), for any cost gaps",
    checks=(regrets.GENERATION_ANYTIME,),
    regime=DEVIATING,
    assuming=(DEVIATIONS,),
)
GENERATION = Claim(
    label="thm:deviation-generation-regret",
    name="Deviation generation regret",
    statement="the first branch of thm:generation-regret plus (d_- + d_+)(T - N); the second with L_i^(d) if separated",
    checks=(regrets.GENERATION_ANYTIME, regrets.GENERATION_GAP_DEPENDENT),
    regime=DEVIATING,
    assuming=(DEVIATIONS, SEPARATED),
    implies=("thm:deviation-generation-regret:anytime",),
)
PAYMENT = Claim(
    label="lem:deviation-payment",
    any_delay=True,
    name="Deviation payment",
    statement="auction payments at most d_+ above the upper band, after T_0 at most d_- below the lower one",
    checks=(payments.AUCTION_UPPER, payments.LATE_UPPER, payments.LATE_LOWER),
    headline=(payments.LATE_UPPER, payments.LATE_LOWER),
    regime=DEVIATING,
    assuming=(DEVIATIONS,),
    note="States 3 radii, proves 2 (see lem:two-sided-payment:sharp).",
)
CONVERGENCE = Claim(
    label="thm:deviation-payment-convergence",
    name="Deviation payment convergence",
    statement="for every T >= T_0 the average deviation bound of thm:regret plus max{d_-, d_+}, so that the limits "
    "inferior and superior of the average payment lie from c_(2) - d_- to c_(2) + d_+; the average excess bound of "
    "cor:excess-payment-polynomial plus d_+; simulations cannot test the limits",
    checks=(payments.AVERAGE_DEVIATION, payments.AVERAGE_EXCESS),
    headline=(payments.AVERAGE_DEVIATION,),
    regime=DEVIATING,
    assuming=(DEVIATIONS,),
    note="The average deviation is compared only on traces longer than T_0; limits are not tested.",
)
SUMMARY = Claim(
    label="claim:summary-appC",
    name="Bayes and deviations combined",
    statement="the last sentence of the summary of appendix C, and no other: for bids within d_- and d_+ of Bayesian "
    "estimates, appendix C's statements hold with (1 + gamma) c_max beta for c_max beta, and with M((Delta_i - d_- - "
    "d_+)/((1 + gamma) c_max)) for L_i^(d). The sentences before it sum up claims of their own: thm:quality-guarantee, "
    "prop:deviation-selection (one is too wide: claim:summary-appC:selection), thm:deviation-payment-convergence. "
    "No run compares limits",
    checks=(*BID_FREE, auctions.WINNERS_ARE_NEARLY_OPTIMAL, *BID_DEPENDENT),
    regime=COMBINED,
    assuming=(WIDENED, DEVIATIONS, SEPARATED),
    implies=BID_FREE_CLAIMS,
)
