"""What remains true if the platform does not widen its radius for Bayesian bidders.

Source: "the widening of the radius is necessary" (appendix B). Optimism fails, as the paper says; but payments still
converge, in a narrower band than with widening, and i* is still identified once the target is large.
"""

from __future__ import annotations

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import all_of, constant, constants, equal, exists, function, implies
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    RADIUS,
    assuming,
    concluded,
    defining,
    every,
    provider,
    within,
)
from proofs_checks.proofs.statements.payments import (
    AFTER_THRESHOLD,
    BID_OR_BOUND,
    PAID,
    PAID_AT_LEAST_BID,
    SECOND_COST_AT_MOST,
    TARGET_RADIUS,
    WINNER,
    defined,
    target_non_negative,
)
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COST_ESTIMATE,
    MEAN_COST,
    OPTIMAL,
    QUALIFIED,
    SECOND_COST,
    is_competitor,
    optimal_provider,
    qualified_are_eligible,
    second_cost,
)

_I, _J = provider("i"), provider("j")
_TRUTHFUL = assuming(bids_the_estimate=every(equal(AUCTION.bid(_J), COST_ESTIMATE(_J))))
_PAID_BID = concluded("paid-at-least-bid-or-bound", paid=PAID >= BID_OR_BOUND)
#: Without widening: the part of |estimate - mean cost| that the radius does not cover, gamma c_max beta(m); its bound.
_BIAS, _LARGEST_BIAS = function("bias"), constant("bias_at_target")
_GAMMA, _UNWIDENED, _BIAS_OF_ONE, _RADIUS_OF_ONE = constants("gamma unwidened_target_radius bias_of_one radius_of_one")
BIAS_AT_TARGET = Obligation(
    "bias-at-most-at-target",
    "gamma c_max beta(m) is at least 0 and at most gamma c_max beta(g(t)) for m >= g(t)",
    {
        **assuming(gamma_non_negative=_GAMMA >= 0),
        **concluded("cost-radius-at-most-at-target", radius=_RADIUS_OF_ONE <= _UNWIDENED),
        **defining(bias=equal(_BIAS_OF_ONE, _GAMMA * _RADIUS_OF_ONE), radius_non_negative=_RADIUS_OF_ONE >= 0),
    },
    within(0, _BIAS_OF_ONE, _GAMMA * _UNWIDENED),
    (Mutant("without gamma", goal=_BIAS_OF_ONE <= _UNWIDENED),),
)
_CONCENTRATED = concluded(
    "bayesian-estimate-concentrated",
    concentrated=every(within(-RADIUS(_J) - _BIAS(_J), COST_ESTIMATE(_J) - MEAN_COST(_J), RADIUS(_J) + _BIAS(_J))),
)
_BIASED = concluded("bias-at-most-at-target", biases=every(implies(QUALIFIED(_J), within(0, _BIAS(_J), _LARGEST_BIAS))))
_LOW = MEAN_COST(_I) - 2 * TARGET_RADIUS - _LARGEST_BIAS
UNWIDENED_BIDS = Obligation(
    "unwidened-adjusted-bid-bounds",
    "mean cost - (2 + gamma) R <= adjusted bid <= mean cost + gamma R for the qualified, where R is not widened",
    {
        **_TRUTHFUL,
        **_CONCENTRATED,
        **_BIASED,
        "radii-at-target": AFTER_THRESHOLD["radii-at-target"],
        **assuming(qualified=QUALIFIED(_I)),
    },
    within(_LOW, AUCTION.adjusted(_I), MEAN_COST(_I) + _LARGEST_BIAS),
    (
        Mutant("optimism", goal=AUCTION.adjusted(_I) <= MEAN_COST(_I)),
        Mutant("as if unbiased", goal=MEAN_COST(_I) - 2 * TARGET_RADIUS <= AUCTION.adjusted(_I)),
    ),
)
_BOUNDED = concluded(
    "unwidened-adjusted-bid-bounds",
    adjusted=every(
        implies(
            QUALIFIED(_J),
            within(
                MEAN_COST(_J) - 2 * TARGET_RADIUS - _LARGEST_BIAS, AUCTION.adjusted(_J), MEAN_COST(_J) + _LARGEST_BIAS
            ),
        )
    ),
)
_HIGH = SECOND_COST + _LARGEST_BIAS
_CHEAP_RIVAL = exists([_J], all_of(ELIGIBLE(_J), ~equal(_J, _I), AUCTION.adjusted(_J) <= _HIGH))
UNWIDENED_RIVAL = Obligation(
    "unwidened-rival-within-second-cost",
    "of any provider some other eligible one has an adjusted bid of at most c_(2) + gamma R",
    {
        **optimal_provider(),
        **qualified_are_eligible(),
        **_BOUNDED,
        "second-cost-attained": second_cost()["second-cost-attained"],
    },
    _CHEAP_RIVAL,
)
UNWIDENED_UPPER = Obligation(
    "unwidened-payment-at-most",
    "an auction after T_0 pays at most c_(2) + (1 + gamma) R",
    {
        **defined("least-rival-bounds", "rival-suffices", "winner-eligible"),
        **AFTER_THRESHOLD,
        **concluded(
            "unwidened-rival-within-second-cost",
            rival=exists([_J], all_of(ELIGIBLE(_J), ~equal(_J, WINNER), AUCTION.adjusted(_J) <= _HIGH)),
        ),
    },
    PAID <= _HIGH + TARGET_RADIUS,
    (Mutant("without gamma", goal=PAID <= SECOND_COST + TARGET_RADIUS),),
)
_FLOOR = SECOND_COST - 2 * TARGET_RADIUS - _LARGEST_BIAS
_WON_BY_OPTIMAL = equal(WINNER, OPTIMAL)
_SECOND_IN_RANGE = concluded("second-cost-at-most-bound", second_at_most_bound=SECOND_COST <= COST_BOUND)
_NON_NEGATIVE = {**target_non_negative(), **defining(bias_non_negative=_LARGEST_BIAS >= 0)}
UNWIDENED_BY_OPTIMAL = Obligation(
    "unwidened-auction-won-by-optimal",
    "where i* wins, its rivals are competitors: it is paid at least c_(2) - (2 + gamma) R",
    {
        **defined("radii-non-negative", "least-rival-attained"),
        **_SECOND_IN_RANGE,
        **_NON_NEGATIVE,
        **_BOUNDED,
        "eligible-are-qualified": AFTER_THRESHOLD["eligible-are-qualified"],
        "second-cost-least": second_cost()["second-cost-least"],
        **assuming(optimal_wins=_WON_BY_OPTIMAL),
    },
    PAID >= _FLOOR,
)
UNWIDENED_BY_OTHER = Obligation(
    "unwidened-auction-won-by-another",
    "where another wins, it is paid at least its bid, so at least c_(2) - (1 + gamma) R",
    {
        **defined("winner-eligible"),
        **_TRUTHFUL,
        **_CONCENTRATED,
        **_BIASED,
        **AFTER_THRESHOLD,
        **_SECOND_IN_RANGE,
        "second-cost-least": second_cost()["second-cost-least"],
        **_PAID_BID,
        **assuming(another_wins=~_WON_BY_OPTIMAL),
    },
    PAID >= SECOND_COST - TARGET_RADIUS - _LARGEST_BIAS,
)
_PAYMENT = constant("payment")
UNWIDENED_BAND = Obligation(
    "unwidened-payment-band",
    "c_(2) - (2 + gamma) R <= pi_t <= c_(2) + (1 + gamma) R without widening",
    {
        **defining(bias=equal(_LARGEST_BIAS, _GAMMA * TARGET_RADIUS)),
        **target_non_negative(),
        **concluded("unwidened-payment-at-most", upper=_PAYMENT <= _HIGH + TARGET_RADIUS),
        **concluded("unwidened-auction-won-by-optimal", optimal=implies(_WON_BY_OPTIMAL, _PAYMENT >= _FLOOR)),
        **concluded(
            "unwidened-auction-won-by-another",
            another=implies(~_WON_BY_OPTIMAL, _PAYMENT >= SECOND_COST - TARGET_RADIUS - _LARGEST_BIAS),
        ),
    },
    within(SECOND_COST - (2 + _GAMMA) * TARGET_RADIUS, _PAYMENT, SECOND_COST + (1 + _GAMMA) * TARGET_RADIUS),
)
UNWIDENED_IDENTIFIED = Obligation(
    "unwidened-auction-goes-to-optimal",
    "without widening too, once 2 (1 + gamma) R < Delta_i for every competitor, auctions after T_0 go to i*",
    {
        **defined("winner-eligible", "winner-least"),
        **_BOUNDED,
        **qualified_are_eligible(),
        "eligible-are-qualified": AFTER_THRESHOLD["eligible-are-qualified"],
        "optimal-qualified": optimal_provider()["optimal-qualified"],
        **assuming(
            gaps_clear=every(
                implies(is_competitor(_J), MEAN_COST(_J) - MEAN_COST(OPTIMAL) > 2 * (TARGET_RADIUS + _LARGEST_BIAS))
            )
        ),
    },
    _WON_BY_OPTIMAL,
)
WIDENING_REPAIRED = Proof(
    "claim:widening-necessary:repaired",
    (
        PAID_AT_LEAST_BID,
        SECOND_COST_AT_MOST,
        BIAS_AT_TARGET,
        UNWIDENED_BIDS,
        UNWIDENED_RIVAL,
        UNWIDENED_UPPER,
        UNWIDENED_BY_OPTIMAL,
        UNWIDENED_BY_OTHER,
        UNWIDENED_BAND,
        UNWIDENED_IDENTIFIED,
    ),
    "As lem:two-sided-payment:sharp, for the radius c_max beta(m) and estimates within (1 + gamma) c_max beta(m) of "
    "the mean costs: gamma c_max beta(m) is a bias that the radius does not cover. By who wins. i* is identified as "
    "well, once c_max beta(g(t)) is less than Delta_i/(2 (1 + gamma)); only the bound L_i, which is free of T, "
    "needs widening.",
    uses=(
        "lem:bayesian-cost-concentration",
        "lem:qualified-eligibility",
        "lem:ordinary-qualified-set",
        "lem:two-sided-payment:sharp",
    ),
)
_ESTIMATE, _MEAN, _PLAIN = constants("estimate mean_cost_of_one plain_radius")
OPTIMISM_FAILS = Obligation(
    "unwidened-optimism-fails",
    "an estimate at the upper end of its band, (1 + gamma) radii above the mean cost, has an adjusted bid above it",
    {
        **assuming(gamma_positive=_GAMMA > 0, upper_end=equal(_ESTIMATE, _MEAN + (1 + _GAMMA) * _PLAIN)),
        **defining(radius_positive=_PLAIN > 0),
    },
    _ESTIMATE - _PLAIN > _MEAN,
)
UNWIDENED_BID = Obligation(
    "unwidened-adjusted-bid-at-most",
    "without widening an adjusted bid is at most the mean cost and gamma radii: the band's upper end, less one radius",
    {**concluded("bayesian-estimate-concentrated", upper=_ESTIMATE - _MEAN <= (1 + _GAMMA) * _PLAIN)},
    _ESTIMATE - _PLAIN <= _MEAN + _GAMMA * _PLAIN,
    (Mutant("optimism", goal=_ESTIMATE - _PLAIN <= _MEAN),),
)
WIDENING = Proof(
    "claim:widening-necessary",
    (UNWIDENED_BID, OPTIMISM_FAILS),
    "What the paper says of optimism: the bound that remains, and that optimism can fail. That widening is necessary "
    "for its results does not follow: see claim:widening-necessary:repaired.",
    uses=("lem:bayesian-cost-concentration",),
)
