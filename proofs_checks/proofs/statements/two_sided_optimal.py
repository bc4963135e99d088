"""That 2 radii is the least band below the second cost, where the paper has 3.

Source: lem:two-sided-payment, improved; its lower bound is proved with 2 in `two_sided`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import all_of, constant, either, equal, implies
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    RADIUS,
    assuming,
    concluded,
    every,
    market,
    provider,
    within,
)
from proofs_checks.proofs.statements.payments import PAID, PAYMENT, RHO, TARGET_RADIUS
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COST_ESTIMATE,
    MEAN_COST,
    OPTIMAL,
    SECOND_COST,
    good_event,
    is_competitor,
    mean_costs_in_range,
    optimal_provider,
    qualified_are_eligible,
    second_cost,
)
from proofs_checks.proofs.statements.two_sided import AFTER_THRESHOLD, BY_WINNER, LOWER_CHAIN, LOWER_USES, OPTIMAL_WINS

_I, _J = provider("i"), provider("j")
_EXTREME = assuming(
    lowest_estimates=every(implies(is_competitor(_J), equal(COST_ESTIMATE(_J), MEAN_COST(_J) - RADIUS(_J)))),
    bids_the_estimate=every(equal(AUCTION.bid(_J), COST_ESTIMATE(_J))),
    at_target=every(implies(is_competitor(_J), equal(RADIUS(_J), TARGET_RADIUS))),
    optimal_wins=OPTIMAL_WINS,
    radius_of_optimal_small=all_of(RADIUS(OPTIMAL) > 0, RADIUS(OPTIMAL) < TARGET_RADIUS),
    estimates_in_range=every(within(0, COST_ESTIMATE(_J), COST_BOUND)),
)
#: Every hypothesis of the lemma, so that the model of this obligation's hypotheses satisfies them all.
_LEMMA = {
    **market(),
    **AUCTION.definitions(),
    **optimal_provider(),
    **second_cost(),
    **mean_costs_in_range(),
    **{name: good_event()[name] for name in ("costs-concentrated",)},
    **AFTER_THRESHOLD,
    **qualified_are_eligible(),
}
_SHORT = SECOND_COST - 2 * TARGET_RADIUS + RADIUS(OPTIMAL)
TWO_APPROACHED = Obligation(
    "two-radii-approached",
    "competitors at the target, estimates at the lower end of their bands: i* is paid at most c_(2) - 2 R + its radius",
    {**_LEMMA, **_EXTREME},
    either(_SHORT <= COST_BOUND, _SHORT, COST_BOUND) >= PAID,
    (Mutant("even less", goal=PAID < _SHORT),),
    redundant=dict.fromkeys(
        [
            "cost-bound-positive",
            "radii-non-negative",
            "rival-exists",
            "least-rival-attained",
            "winner-eligible",
            "winner-least",
            *optimal_provider(),
            "second-cost-least",
            *mean_costs_in_range(),
            "costs-concentrated",
            *AFTER_THRESHOLD,
            "radius-of-optimal-small",
            "estimates-in-range",
        ],
        "every hypothesis of the lemma: its model satisfies them all",
    ),
)
_LESS = constant("less_than_two")
TWO_OPTIMAL = Obligation(
    "less-than-two-radii-fails",
    "there, a constant below 2 fails once the radius of i* is less than (2 - constant) R",
    {
        **concluded("two-radii-approached", short=PAYMENT <= SECOND_COST - 2 * TARGET_RADIUS + RHO),
        **assuming(radius_of_optimal_small=RHO < (2 - _LESS) * TARGET_RADIUS),
    },
    PAYMENT < SECOND_COST - _LESS * TARGET_RADIUS,
    (Mutant("2", replace={"radius-of-optimal-small": (Fraction(21, 10) - _LESS) * TARGET_RADIUS > RHO}),),
)
TWO_SIDED_PAYMENT_SHARP = Proof(
    "lem:two-sided-payment:sharp",
    (*LOWER_CHAIN, TWO_APPROACHED, TWO_OPTIMAL),
    f"The case d_- = d_+ = 0. {BY_WINNER} That 2 is the least constant: in two-radii-approached every hypothesis of "
    "the lemma can hold (its model says so), and with m at the target for the competitors and m large for i*, "
    "beta(m)/beta(g) is as small as one likes.",
    uses=LOWER_USES,
    beyond="For the optimality of 2: beta(m) tends to 0 as m grows, so that the radius of i* gets below (2 - constant) "
    "R; and a run on E in which a whole g(t) is the count of every competitor at such an auction, the estimates are at "
    "the ends of their bands (the obligation is about one auction with any such numbers).",
)
