"""Where the paper says too much, or too little, about payments: repaired statements, counterexamples for any market.

Sources: lem:payment-range under asmp:bounded-deviations (appendix C), "the condition cannot be dropped" (appendix C),
the least an auction pays (appendix D). Other findings are proved beside what they are about: g(T) <= 0 by lem:forced-
exploration-bound, the empty condition of cor:eventual-ordinary-optimality, 2 for 3 by lem:two-sided-payment:sharp,
widening by claim:widening-necessary:repaired.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import all_of, equal
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    RADIUS,
    assuming,
    concluded,
    defining,
    every,
    provider,
    within,
)
from proofs_checks.proofs.statements.payments import BID_OR_BOUND, PAID, PAID_AT_LEAST_BID, WINNER, defined
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COST_ESTIMATE,
    MEAN_COST,
    OPTIMAL,
    OVERBID,
    UNDERBID,
    bids,
    good_event,
    is_competitor,
    optimal_provider,
)

_I, _J = provider("i"), provider("j")
_OF_THE_LEMMA = "every assumption of the paper stands, so that the model of the hypotheses satisfies all of them"
_ESTIMATES_IN_RANGE = defining(estimates_in_range=every(within(0, COST_ESTIMATE(_J), COST_BOUND)))
_PAID_BID = concluded("paid-at-least-bid-or-bound", paid=PAID >= BID_OR_BOUND)
RANGE_REPAIRED = Obligation(
    "payment-range-under-deviations",
    "an auction pays at least -d_- and at most c_max, if bids are at least the estimates less d_-",
    {**bids(), **_ESTIMATES_IN_RANGE, **_PAID_BID},
    within(-UNDERBID, PAID, COST_BOUND),
    (Mutant("the paper's 0", goal=PAID >= 0), Mutant("half of d_-", goal=2 * PAID >= -UNDERBID)),
)
_UNDERBIDDING = assuming(
    nothing_estimated=every(equal(COST_ESTIMATE(_J), 0)),
    everybody_underbids=every(equal(AUCTION.bid(_J), COST_ESTIMATE(_J) - UNDERBID)),
    equal_radii=every(equal(RADIUS(_J), RADIUS(WINNER))),
    rival=HAS_RIVAL(WINNER),
    underbid_positive=UNDERBID > 0,
)
NEGATIVE_PAYMENT = Obligation(
    "underbidding-pays-less-than-nothing",
    "if everybody estimates 0, bids -d_- < 0 and has the same radius, the winner is paid -d_-: lem:payment-range fails",
    {**defined("cost-bound-positive", "least-rival-attained"), **bids(), **_ESTIMATES_IN_RANGE, **_UNDERBIDDING},
    all_of(PAID < 0, equal(PAID, -UNDERBID)),
    redundant=dict.fromkeys(
        ("cost-bound-positive", "bids-near-estimates", "deviations-non-negative", "estimates-in-range"), _OF_THE_LEMMA
    ),
)
PAYMENT_RANGE = Proof(
    "lem:payment-range:repaired",
    (PAID_AT_LEAST_BID, RANGE_REPAIRED, NEGATIVE_PAYMENT),
    "Auctions by the obligation; every other step pays c_max. underbidding-pays-less-than-nothing refutes [0, "
    "c_max] under asmp:bounded-deviations, for any number of providers, and shows that -d_- cannot be improved.",
)

_TRUTHFUL = assuming(bids_the_estimate=every(equal(AUCTION.bid(_J), COST_ESTIMATE(_J))))
_COSTS_CONCENTRATED = {"costs-concentrated": good_event()["costs-concentrated"]}
SERVED_AT_LEAST = Obligation(
    "paid-at-least-served-cost",
    "with truthful bids an auction pays at least 0 and at least the winner's mean cost less its radius",
    {**_TRUTHFUL, **_ESTIMATES_IN_RANGE, **_COSTS_CONCENTRATED, **_PAID_BID},
    all_of(PAID >= 0, MEAN_COST(WINNER) - RADIUS(WINNER) <= PAID),
    (Mutant("9/10 of the radius", goal=MEAN_COST(WINNER) - Fraction(9, 10) * RADIUS(WINNER) <= PAID),),
)
SERVED = Proof(
    "claim:payment-lower-appD", (PAID_AT_LEAST_BID, SERVED_AT_LEAST), "At any auction on E.", uses=("lem:good-event",)
)

_EDGE = assuming(
    competitor_lowest=equal(COST_ESTIMATE(_I), MEAN_COST(_I) - RADIUS(_I)),
    optimal_highest=equal(COST_ESTIMATE(OPTIMAL), MEAN_COST(OPTIMAL) + RADIUS(OPTIMAL)),
    competitor_underbids=equal(AUCTION.bid(_I), COST_ESTIMATE(_I) - UNDERBID),
    optimal_overbids=equal(AUCTION.bid(OPTIMAL), COST_ESTIMATE(OPTIMAL) + OVERBID),
    gap_within_deviations=MEAN_COST(_I) - MEAN_COST(OPTIMAL) <= UNDERBID + OVERBID,
)
_POSITIVE_RADIUS = defining(radius_positive=RADIUS(_I) > 0)
COMPETITOR_WINS = Obligation(
    "competitor-wins-every-auction",
    "if Delta_i <= d_- + d_+, an underbidding i at the lower end of its band beats an overbidding i* at the upper end",
    {
        **defined("winner-least"),
        **good_event(),
        **bids(),
        **optimal_provider(),
        **_EDGE,
        **_POSITIVE_RADIUS,
        **assuming(both_eligible=all_of(ELIGIBLE(_I), ELIGIBLE(OPTIMAL)), competitor=is_competitor(_I)),
    },
    ~equal(WINNER, OPTIMAL),
    redundant=dict.fromkeys([*good_event(), *bids(), *optimal_provider(), "competitor"], _OF_THE_LEMMA),
)
_FIXED = assuming(
    fixed_costs=all_of(equal(COST_ESTIMATE(_I), MEAN_COST(_I)), equal(COST_ESTIMATE(OPTIMAL), MEAN_COST(OPTIMAL))),
    gap_is_deviations=equal(MEAN_COST(_I) - MEAN_COST(OPTIMAL), UNDERBID + OVERBID),
)
_SMALL_RADIUS = RADIUS(OPTIMAL) < UNDERBID + OVERBID - (MEAN_COST(_I) - MEAN_COST(OPTIMAL))
WINS_WITH_FIXED_COSTS = Obligation(
    "competitor-wins-with-fixed-costs",
    "with fixed costs and Delta_i < d_- + d_+, i* wins no auction once its radius is less than d_- + d_+ - Delta_i",
    {
        **defined("winner-least", "radii-non-negative"),
        **{name: _EDGE[name] for name in ("competitor-underbids", "optimal-overbids")},
        "fixed-costs": _FIXED["fixed-costs"],
        **assuming(competitor_eligible=ELIGIBLE(_I), radius_of_optimal_small=_SMALL_RADIUS),
    },
    ~equal(WINNER, OPTIMAL),
    (
        Mutant(
            "at equality",
            replace={
                "radius-of-optimal-small": (
                    RADIUS(OPTIMAL) <= UNDERBID + OVERBID - (MEAN_COST(_I) - MEAN_COST(OPTIMAL))
                )
            },
        ),
    ),
)
FIXED_COSTS = Obligation(
    "fixed-costs-share-auctions",
    "with fixed costs and Delta_i = d_- + d_+, i wins only with a radius of at least that of i*: not every auction",
    {
        **defined("winner-least"),
        **{name: _EDGE[name] for name in ("competitor-underbids", "optimal-overbids")},
        **_FIXED,
        **assuming(optimal_eligible=ELIGIBLE(OPTIMAL), competitor_wins=equal(WINNER, _I)),
    },
    RADIUS(_I) >= RADIUS(OPTIMAL),
    (Mutant("a smaller gap", replace={"gap-is-deviations": MEAN_COST(_I) - MEAN_COST(OPTIMAL) <= UNDERBID + OVERBID}),),
)
CANNOT_BE_DROPPED = Proof(
    "claim:condition-cannot-be-dropped",
    (COMPETITOR_WINS, WINS_WITH_FIXED_COSTS, FIXED_COSTS),
    "For Delta_i < d_- + d_+ fixed costs suffice (their estimates are the means): exploration selects i* until its "
    "radius is less than the slack, and from then on i* wins no auction. For Delta_i <= d_- + d_+: at each auction of "
    "a run whose costs keep both estimates at the ends of their bands, which E allows. With fixed costs, at equality, "
    "the radius of the winner is at least that of i*, and falls as it wins (lem:radius-monotone), so i cannot win "
    "every auction: the reading for every cost law is too strong. The obligations say that i* does not win; that i "
    "does, needs that no third provider is eligible with a lower adjusted bid (N = 2).",
    uses=("lem:good-event", "lem:radius-monotone"),
    beyond="That beta(m) tends to 0 as exploration goes on; for Delta_i = d_- + d_+, a sequence of costs in [0, c_max] "
    "that keeps the running means at the ends of their bands.",
)
