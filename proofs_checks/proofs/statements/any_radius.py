"""Selections, B_id(T) and the lead for any confidence radius that does not increase: the paper's steps.

Three radii stand in the place of beta: that of the test at q_min, that of the scores 1 - s of an unqualified provider,
and that of costs. All that is used of them is that they do not increase in the count, and that means stay within their
bands. That they do with probability 1 - delta is proved for each radius where it is defined, in `bounds.radii`.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import union_bound
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    all_of,
    at_least,
    constant,
    constants,
    either,
    equal,
    function,
    implies,
)
from proofs_checks.proofs.language.vocabulary import (
    ELIGIBLE,
    RADIUS,
    assuming,
    concluded,
    defining,
    every,
    only,
    provider,
)
from proofs_checks.proofs.statements.improved import LEADS
from proofs_checks.proofs.statements.selection import (
    ADJUSTED,
    ANY_CAPS_CHAIN,
    BETA,
    SUMS_OF_CAPS,
    WIDENED,
    WIDENED_BOUND,
)
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    MEAN_COST,
    OPTIMAL,
    OVERBID,
    QUALIFIED,
    QUALITY,
    QUALITY_ESTIMATE,
    QUALITY_RADIUS,
    QUALITY_THRESHOLD,
    UNDERBID,
    adjusted_bid_bounds,
    eligibility,
    optimal_provider,
)

_I, _J, _WINNER = provider("i"), provider("j"), AUCTION.winner
#: u_i(m): how far above its quality the mean of an unqualified provider stays.
_UPPER = function("upper_quality_radius")

_TEST_BAND = assuming(
    tested_mean_within_band=every(
        implies(QUALIFIED(_J), QUALITY_THRESHOLD - QUALITY_ESTIMATE(_J) <= QUALITY_RADIUS(_J))
    )
)
_UPPER_BAND = assuming(
    low_mean_within_band=every(implies(~QUALIFIED(_J), QUALITY_ESTIMATE(_J) - QUALITY(_J) <= _UPPER(_J)))
)
QUALIFIED_ELIGIBLE = Obligation(
    "qualified-is-eligible-any-radius",
    "where no mean of a qualified provider is below q_min by more than the radius of the test, it is eligible",
    _TEST_BAND | only(eligibility(), "eligible") | assuming(qualified_provider=QUALIFIED(_I)),
    ELIGIBLE(_I),
    (
        Mutant(
            "above the threshold",
            {"eligible": every(equal(ELIGIBLE(_J), QUALITY_ESTIMATE(_J) + QUALITY_RADIUS(_J) > QUALITY_THRESHOLD))},
        ),
    ),
)
_GAP = QUALITY_THRESHOLD - QUALITY(_I)
_BOTH = QUALITY_RADIUS(_I) + _UPPER(_I)
ELIGIBLE_WITHIN = Obligation(
    "eligible-unqualified-within-both-radii",
    "an unqualified provider is eligible only while epsilon_i is at most the radius of the test and that of its scores",
    _UPPER_BAND | only(eligibility(), "eligible") | assuming(unqualified=~QUALIFIED(_I), still_eligible=ELIGIBLE(_I)),
    _GAP <= _BOTH,
    (
        Mutant("the radius of the test alone", goal=QUALITY_RADIUS(_I) >= _GAP),
        Mutant("the radius of its scores alone", goal=_UPPER(_I) >= _GAP),
        Mutant("strictly", goal=_GAP < _BOTH),
    ),
)

_COUNT, _LARGEST = constants("count largest_count", INT)
_TEST_NOW, _UPPER_NOW, _TEST_NEXT, _UPPER_NEXT = constants(
    "test_radius upper_radius test_radius_at_next upper_radius_at_next"
)
_WIDTH, _WIDTH_NEXT, _DIFFERENCE = constants("width width_at_next gap")
_LATER = _COUNT >= _LARGEST + 1
WIDTHS = Obligation(
    "sum-of-radii-does-not-increase",
    "the sum of two radii that do not increase does not increase",
    assuming(
        test_does_not_increase=implies(_LATER, _TEST_NOW <= _TEST_NEXT),
        upper_does_not_increase=implies(_LATER, _UPPER_NOW <= _UPPER_NEXT),
    )
    | defining(width=equal(_WIDTH, _TEST_NOW + _UPPER_NOW), next=equal(_WIDTH_NEXT, _TEST_NEXT + _UPPER_NEXT)),
    implies(_LATER, _WIDTH <= _WIDTH_NEXT),
)
BY_LARGEST = Obligation(
    "count-at-most-largest-of-radius",
    "where the next width is below the gap, a gap within the width means that the count is at most the largest one",
    concluded("sum-of-radii-does-not-increase", falls=implies(_LATER, _WIDTH <= _WIDTH_NEXT))
    | defining(largest=_WIDTH_NEXT < _DIFFERENCE)
    | assuming(condition=_DIFFERENCE <= _WIDTH),
    _COUNT <= _LARGEST,
    (
        Mutant("one less", goal=_COUNT <= _LARGEST - 1),
        Mutant("a radius that increases", {"falls": implies(_LATER, _WIDTH >= _WIDTH_NEXT)}),
        Mutant("the next width reaches the gap", {"largest": _WIDTH_NEXT <= _DIFFERENCE}),
    ),
)
_SELECTED, _EXPLORES = constants("selected explores", BOOL)
_ELIGIBLE = constant("still_eligible", BOOL)
_BY_QUALITY, _BY_COST = constants("largest_count_by_quality largest_count_by_cost", INT)
SELECTED_BELOW = Obligation(
    "unqualified-selected-below-largest-of-radius",
    "who is selected is eligible: an unqualified provider is selected only at m <= M_i",
    concluded("count-at-most-largest-of-radius", below=implies(_ELIGIBLE, _COUNT <= _BY_QUALITY))
    | concluded("selected-is-eligible", eligible=implies(_SELECTED, _ELIGIBLE))
    | assuming(selected=_SELECTED),
    _COUNT <= _BY_QUALITY,
    (Mutant("one less", goal=_COUNT <= _BY_QUALITY - 1),),
)

_EXCESS_COST = MEAN_COST(_WINNER) - MEAN_COST(OPTIMAL)
_GAP_BOUND = 2 * RADIUS(_WINNER) + UNDERBID + OVERBID
GAP = Obligation(
    "winner-gap-any-radius",
    "the winner of an auction, qualified or not, costs at most 2 cost radii + d_- + d_+ more than i*",
    only(AUCTION.definitions(), "winner-least")
    | concluded("qualified-is-eligible-any-radius", qualified_are_eligible=every(implies(QUALIFIED(_J), ELIGIBLE(_J))))
    | adjusted_bid_bounds()
    | only(optimal_provider(), "optimal-qualified"),
    _EXCESS_COST <= _GAP_BOUND,
    (
        Mutant("19/10 for 2", goal=Fraction(19, 10) * RADIUS(_WINNER) + UNDERBID + OVERBID >= _EXCESS_COST),
        Mutant("no overbidding", goal=2 * RADIUS(_WINNER) + UNDERBID >= _EXCESS_COST),
        Mutant("no underbidding", goal=2 * RADIUS(_WINNER) + OVERBID >= _EXCESS_COST),
    ),
)
_COST_GAP, _RADIUS_OF_ONE, _NORMALIZED = constants("cost_gap cost_radius_of_one normalized_gap")
NORMALIZED = Obligation(
    "normalized-gap-any-radius",
    "so (c_i - c* - d_- - d_+)/((1 + gamma) c_max) <= 2 r(m) for the cost radius r",
    concluded("winner-gap-any-radius", gap=_COST_GAP <= 2 * _RADIUS_OF_ONE + UNDERBID + OVERBID)
    | defining(cost_radius=equal(_RADIUS_OF_ONE, WIDENED_BOUND * BETA))
    | concluded("widened-bound", positive=WIDENED_BOUND > 0)
    | defining(normalized=equal(_NORMALIZED * WIDENED_BOUND, _COST_GAP - UNDERBID - OVERBID)),
    _NORMALIZED <= 2 * BETA,
    (
        Mutant("deviations left out", {"normalized": equal(_NORMALIZED * WIDENED_BOUND, _COST_GAP)}),
        Mutant("1 for 2", goal=_NORMALIZED <= BETA),
    ),
)
_CEILING, _CAP = constants("target_rounded_up cap", INT)
_EXPLORED = concluded(
    "explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _COUNT <= _CEILING - 1)
)
_WON = concluded("count-at-most-largest-of-radius", wins=implies(all_of(_SELECTED, ~_EXPLORES), _COUNT <= _BY_COST))
_OTHER = at_least(_BY_COST, _CEILING - 1)
_COMPETITOR_CAP = defining(cap=equal(_CAP, _OTHER))
_UNQUALIFIED_CAP = defining(cap=equal(_CAP, either(_OTHER >= _BY_QUALITY, _BY_QUALITY, _OTHER)))
COMPETITOR_CAP = Obligation(
    "competitor-selected-below-cap-of-radius",
    "a competitor is selected only at m <= max{L_i, ceil(g(T)) - 1}",
    _COMPETITOR_CAP | assuming(selected=_SELECTED) | _WON | _EXPLORED,
    _COUNT <= _CAP,
    (
        Mutant("without exploration", {"cap": equal(_CAP, _BY_COST)}),
        Mutant("without auctions", {"cap": equal(_CAP, _CEILING - 1)}),
    ),
)
UNQUALIFIED_CAP = Obligation(
    "unqualified-selected-below-cap-of-radius",
    "an unqualified provider is selected only at m <= min{M_i, max{L_i, ceil(g(T)) - 1}}",
    _UNQUALIFIED_CAP
    | assuming(selected=_SELECTED)
    | concluded("unqualified-selected-below-largest-of-radius", by_quality=implies(_SELECTED, _COUNT <= _BY_QUALITY))
    | _WON
    | _EXPLORED,
    _COUNT <= _CAP,
    (
        Mutant("by cost alone", {"cap": equal(_CAP, _BY_COST)}),
        Mutant("one less", {"cap": equal(_CAP, _BY_QUALITY - 1)}),
    ),
)
_NON_NEGATIVE = defining(by_cost_non_negative=_BY_COST >= 0)
COMPETITOR_CAP_POSITIVE = Obligation(
    "competitor-cap-of-radius-non-negative",
    "max{L_i, ceil(g(T)) - 1} >= 0: L_i is a count, or 0 where there is none",
    _COMPETITOR_CAP | _NON_NEGATIVE,
    _CAP >= 0,
)
UNQUALIFIED_CAP_POSITIVE = Obligation(
    "unqualified-cap-of-radius-non-negative",
    "min{M_i, max{L_i, ceil(g(T)) - 1}} >= 0, as M_i is a count, or 0, as well",
    _UNQUALIFIED_CAP | _NON_NEGATIVE | defining(by_quality_non_negative=_BY_QUALITY >= 0),
    _CAP >= 0,
)

_N, _DELTA, _EACH, _ANY, _HOLDS = constants(
    "providers_number delta failure_of_one_side probability_of_any probability_of_all"
)
EVENT_FAILS = Obligation(
    "sides-of-radius-fail",
    "4N sides of bands that each fail with probability delta/(4N) at most hold together with probability 1 - delta",
    assuming(each=4 * _N * _EACH <= _DELTA)
    | {"union": union_bound(_ANY, 4 * _N, _EACH)}
    | defining(complement=equal(_HOLDS, 1 - _ANY)),
    _HOLDS >= 1 - _DELTA,
    (
        Mutant("two sides a provider", {"each": 2 * _N * _EACH <= _DELTA}),
        Mutant("a smaller delta", goal=_HOLDS >= 1 - _DELTA * 9 / 10),
    ),
)

_COVERAGE = (
    "That each side fails with probability delta/(4N) at most, over all counts: proved for each radius in the "
    "docstring of its module in bounds.radii, by a sum over counts (paper) or by Ville's "
    "inequality (beta-binomial, normal-mixture); it is compared exactly up to a count (lem:good-event:any-radius). "
    "That the radius does not increase is proved there too."
)
_COUNTED = "The induction on t that counts the selections: lem:selection-counting has its steps."
EVENT = Proof(
    "lem:good-event:any-radius",
    (EVENT_FAILS,),
    "A union bound over the 4N sides: the mean score of each provider from below and from above, its mean cost from "
    "below and from above.",
    beyond=_COVERAGE,
)
_BY_RADIUS = (QUALIFIED_ELIGIBLE, ELIGIBLE_WITHIN, WIDTHS, BY_LARGEST, SELECTED_BELOW)
UNQUALIFIED = Proof(
    "lem:unqualified-elimination:any-radius",
    _BY_RADIUS,
    "On the bands of the radius every qualified provider is eligible, so that somebody is. An unqualified one that is "
    "eligible at count m has q_min - rho(m) <= mean <= q_i + u_i(m). The sum of the two radii does not increase: M_i "
    "is the largest count at which it reaches epsilon_i, and the provider is selected only up to there. Then "
    "capped-selections with the cap M_i, by induction on t. No bid is in it.",
    uses=("lem:good-event:any-radius", "lem:unqualified-elimination", "lem:selection-counting"),
    beyond=f"{_COUNTED} {_COVERAGE}",
)
_PROVED_ON_EVENT = "That what is shown on the bands has probability at least 1 - delta, as they have."
_CAPS = (COMPETITOR_CAP, COMPETITOR_CAP_POSITIVE, UNQUALIFIED_CAP, UNQUALIFIED_CAP_POSITIVE)
SAMPLE_COMPLEXITY = Proof(
    "thm:sample-complexity:any-radius",
    (*_BY_RADIUS, ADJUSTED, WIDENED, GAP, NORMALIZED, *_CAPS, *ANY_CAPS_CHAIN),
    "The gap of lem:ordinary-selection-gap never uses what the radius is, nor that the winner is qualified: the winner "
    "of an auction costs at most two cost radii and the deviations more than i*. Two cost radii do not increase "
    "either: L_i is the largest count at which they reach the gap. Exploration selects at m <= ceil(g(T)) - 1. Then "
    "capped-selections with the caps, by induction on t, and the obligations of thm:sample-complexity, for any caps. "
    "With beliefs the cost radius is the widened one.",
    uses=(
        "lem:unqualified-elimination:any-radius",
        "lem:adjusted-bid-bounds",
        "lem:bayesian-cost-concentration",
        "lem:forced-exploration-bound",
        "lem:selection-counting",
    ),
    beyond=f"{_COUNTED} {SUMS_OF_CAPS}min{{M_i, max{{L_i, ceil(g(T)) - 1}}}}, and caps_of_competitors, the sum of "
    f"max{{L_i, ceil(g(T)) - 1}}. {_PROVED_ON_EVENT} {_COVERAGE}",
)
IDENTIFICATION = Proof(
    "claim:T_id:any-radius",
    (LEADS,),
    "For the rival with the largest cap, so for all; at every T from the least one on from which the condition stays "
    "true.",
    uses=("thm:sample-complexity:any-radius",),
    beyond="That i* is selected on the T steps less those that miss it, and that the rival with the largest cap "
    f"speaks for all. {_PROVED_ON_EVENT}",
)
