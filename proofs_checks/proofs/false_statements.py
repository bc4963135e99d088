"""Statements that are false, as obligations whose negation has a model: what the paper says too strongly.

Where radii matter to whether numbers are possible, they are those of the paper, enclosed by rational numbers; elsewhere
they are any non-negative numbers, as in the lemmas. Every hypothesis of the lemma in question is kept.
"""

from __future__ import annotations

import functools
from fractions import Fraction

from bounds.formulas.radius import RADIUS as RADIUS_FORMULA
from bounds.formulas.radius import SELECTION_BOUND
from bounds.language.arithmetic import Enclosure, rigorous
from bounds.language.evaluation import Evaluation
from proofs_checks.proofs.language.obligation import Obligation
from proofs_checks.proofs.language.terms import INT, all_of, any_of, constant, equal, implies
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    RADIUS,
    Auction,
    assuming,
    every,
    market,
    provider,
    within,
)
from proofs_checks.proofs.statements.incentives import STRICTLY_WORSE
from proofs_checks.proofs.statements.payments import PAID, TARGET_RADIUS, WINNER
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COST_ESTIMATE,
    MEAN_COST,
    OPTIMAL,
    QUALIFIED,
    QUALITY,
    QUALITY_ESTIMATE,
    QUALITY_RADIUS,
    QUALITY_THRESHOLD,
    SECOND_COST,
    bids,
    eligibility,
    good_event,
    is_competitor,
    mean_costs_in_range,
    optimal_provider,
    qualified_are_eligible,
    rounded_up,
    second_cost,
)
from proofs_checks.proofs.statements.two_sided import AFTER_THRESHOLD

_I, _J, _FIRST, _SECOND = provider("i"), provider("j"), provider("first_qualified"), provider("second_qualified")
_AUCTION_OF_THE_LEMMAS = {
    **market(),
    **AUCTION.definitions(),
    **optimal_provider(),
    **second_cost(),
    **mean_costs_in_range(),
    **qualified_are_eligible(),
    **AFTER_THRESHOLD,
    **assuming(
        bids_the_estimate=every(equal(AUCTION.bid(_J), COST_ESTIMATE(_J))),
        estimates_in_range=every(within(0, COST_ESTIMATE(_J), COST_BOUND)),
    ),
}
#: delta, and the denominator of the rational numbers that enclose radii.
CONFIDENCE, _SCALE = Fraction(1, 20), 10**6


@functools.cache
def enclosed_radius(count: Fraction | int, providers: int, confidence: Fraction = CONFIDENCE) -> Enclosure:
    """Return rational numbers with small denominators around beta(count).

    Parameters
    ----------
    count : Fraction or int
        At least 1.
    providers : int
        N; 1 as well, for which the formula has a value though the paper excludes it.
    confidence : Fraction, optional
        delta in (0, 1).

    Examples
    --------
    >>> enclosed_radius(1, 4).lower
    Fraction(1770031, 1000000)
    """
    values = {"count": count, "n_providers": providers, "confidence": confidence}
    with rigorous(128) as arithmetic:
        found = arithmetic.enclosure(Evaluation(values, arithmetic).formula(RADIUS_FORMULA).ravel()[0])
    lower = Fraction(found.lower * _SCALE // 1, _SCALE)
    return Enclosure(lower, Fraction(-(-found.upper * _SCALE // 1), _SCALE))


#: Counts at an auction: of i*, and of its competitors, which are at the target g(t).
COUNT_OF_OPTIMAL, COUNT_AT_TARGET = 10**6, 28
#: Counts of both at an auction without widening.
EQUAL_COUNTS = 10**4
LESS_THAN_TWO = Fraction(199, 100)


def _radius_with_two(count: int) -> Fraction:
    return enclosed_radius(count, 2).lower


BAND_BELOW_TWO = Obligation(
    "payment-band-of-less-than-two-radii",
    "(false) c_(2) - 199/100 R <= pi_t in every auction after T_0, with truthful bids on E, for c_max = 1, N = 2",
    {
        **_AUCTION_OF_THE_LEMMAS,
        "costs-concentrated": good_event()["costs-concentrated"],
        **assuming(
            cost_bound=equal(COST_BOUND, 1),
            everybody_qualified=every(ELIGIBLE(_J)),
            radius_of_optimal=equal(RADIUS(OPTIMAL), _radius_with_two(COUNT_OF_OPTIMAL)),
            radii_of_competitors=every(
                implies(is_competitor(_J), equal(RADIUS(_J), _radius_with_two(COUNT_AT_TARGET)))
            ),
            target=equal(TARGET_RADIUS, _radius_with_two(COUNT_AT_TARGET)),
            # Costs of a mean at an end of [0, c_max] do not vary: their estimates could not be elsewhere.
            costs_can_vary=every(within(Fraction(1, 100), MEAN_COST(_J), Fraction(99, 100))),
            no_tie=every(
                implies(is_competitor(_J), AUCTION.adjusted(OPTIMAL) + Fraction(1, 100) <= AUCTION.adjusted(_J))
            ),
        ),
    },
    SECOND_COST - LESS_THAN_TWO * TARGET_RADIUS <= PAID,
)
NEVER_NEGATIVE = Obligation(
    "payment-range-for-deviating-bids",
    "(false) an auction pays at least 0 under asmp:bounded-deviations; here with equal selection counts",
    {
        **market(),
        **AUCTION.definitions(),
        **bids(),
        **assuming(
            estimates_in_range=every(within(0, COST_ESTIMATE(_J), COST_BOUND)),
            equal_radii=every(equal(RADIUS(_J), RADIUS(WINNER))),
            everybody_eligible=every(ELIGIBLE(_J)),
        ),
    },
    PAID >= 0,
)
TARGET, EXPLORATIONS, CEILING = constant("target_at_end"), constant("explorations", INT), constant("ceiling", INT)
EXPLORATION_CAP = Obligation(
    "exploration-cap-for-any-target",
    "(false) a provider is explored at most ceil(g(T)) - 1 times, whatever g(T)",
    {
        **assuming("definition", rounded_up=rounded_up(CEILING, TARGET), counted=EXPLORATIONS >= 0),
        # Exploration selects at 1 <= m < g(t) <= g(T).
        **assuming("obligation", "explored-below-target", explored=implies(EXPLORATIONS >= 1, TARGET > 1)),
    },
    EXPLORATIONS <= CEILING - 1,
)
#: An unqualified provider among three with q_min - q = GAP at the count M_i (the least at which it could pass M_i).
GAP, PROVIDERS = Fraction(1, 2), 3


@functools.cache
def threshold_count() -> int:
    """Return M_i for `GAP`, three providers and `CONFIDENCE`.

    Examples
    --------
    >>> threshold_count()
    175
    """
    values = {"gap": GAP, "n_providers": PROVIDERS, "confidence": CONFIDENCE}
    return int(SELECTION_BOUND.enclose(values).lower)


STILL_ELIGIBLE = Obligation(
    "unqualified-eligible-at-threshold",
    "(false) on E the unqualified one of three providers is still eligible at m = M_i, and so may pass M_i: here with "
    "the highest estimate that E allows, for epsilon_i = 1/2",
    {
        **eligibility(),
        **assuming(
            two_qualified=all_of(QUALIFIED(_FIRST), QUALIFIED(_SECOND), ~equal(_FIRST, _SECOND)),
            gap=equal(QUALITY(_I), QUALITY_THRESHOLD - GAP),
            in_range=all_of(every(within(0, QUALITY(_J), 1)), QUALITY_THRESHOLD <= 1),
            radius=equal(QUALITY_RADIUS(_I), enclosed_radius(threshold_count(), PROVIDERS).upper),
            highest_estimate=equal(QUALITY_ESTIMATE(_I), QUALITY(_I) + QUALITY_RADIUS(_I)),
        ),
    },
    ELIGIBLE(_I),
)
GAMMA = Fraction(1)
WIDENING_NECESSARY = Obligation(
    "no-guarantee-without-widening",
    "(false) where optimism fails for want of widening (gamma = 1), an auction after T_0 does not both go to i* and "
    "pay within c_(2) - 3 (1 + gamma) R and c_(2) + (1 + gamma) R; for c_max = 1, N = 2",
    {
        **_AUCTION_OF_THE_LEMMAS,
        **assuming(
            "obligation",
            "bayesian-estimate-concentrated",
            concentrated=every(
                within(-(1 + GAMMA) * RADIUS(_J), COST_ESTIMATE(_J) - MEAN_COST(_J), (1 + GAMMA) * RADIUS(_J))
            ),
        ),
        **assuming(
            optimism_fails=AUCTION.adjusted(OPTIMAL) > MEAN_COST(OPTIMAL),
            cost_bound=equal(COST_BOUND, 1),
            everybody_qualified=every(ELIGIBLE(_J)),
            radii=every(equal(RADIUS(_J), _radius_with_two(EQUAL_COUNTS))),
            target=equal(TARGET_RADIUS, _radius_with_two(EQUAL_COUNTS)),
        ),
    },
    ~all_of(
        equal(WINNER, OPTIMAL),
        within(SECOND_COST - 3 * (1 + GAMMA) * TARGET_RADIUS, PAID, SECOND_COST + (1 + GAMMA) * TARGET_RADIUS),
    ),
)
STRICT_FOR_ANY_BID = Obligation(
    "one-step-strictly-worse-for-any-bid",
    "(false) lem:one-step c without the range of bids: a bid across P, above c_max, gives strictly less",
    {
        **{name: h for name, h in STRICTLY_WORSE.hypotheses.items() if name != "deviation-in-range"},
        **assuming(others_in_range=every(any_of(equal(_J, _I), within(0, Auction("_truthful").bid(_J), COST_BOUND)))),
    },
    STRICTLY_WORSE.goal,
)
#: One provider, delta = 99/100: beta at 1 and at a slightly larger x.
LARGE_CONFIDENCE, SLIGHTLY_LARGER = Fraction(99, 100), Fraction(103, 100)
RADIUS_AT_ONE, RADIUS_AT_LARGER = constant("radius_at_one"), constant("radius_at_larger")


def _enclosed(count: Fraction | int) -> tuple[Fraction, Fraction]:
    found = enclosed_radius(count, 1, LARGE_CONFIDENCE)
    return found.lower, found.upper


MONOTONE_FOR_ONE = Obligation(
    "radius-monotone-for-one-provider",
    "(false) beta decreases on [1, infinity) for N = 1 as well: here at 1 and 103/100, for delta = 99/100",
    assuming(
        at_one=within(_enclosed(1)[0], RADIUS_AT_ONE, _enclosed(1)[1]),
        at_larger=within(_enclosed(SLIGHTLY_LARGER)[0], RADIUS_AT_LARGER, _enclosed(SLIGHTLY_LARGER)[1]),
    ),
    RADIUS_AT_LARGER <= RADIUS_AT_ONE,
)
