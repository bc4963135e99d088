"""Who wins auctions on the good event, and how often a competitor of i* is selected.

Sources: lem:adjusted-bid-bounds, lem:ordinary-selection-gap, lem:ordinary-selection-threshold,
lem:qualified-suboptimal-selection; with d_-, d_+ and gamma as parameters of the same obligations also
lem:deviation-adjusted-bid-bounds and lem:bayesian-cost-concentration.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import BOOL, INT, all_of, at_least, constant, constants, equal, implies
from proofs_checks.proofs.language.vocabulary import COST_BOUND, RADIUS, assuming, concluded, defining, provider, within
from proofs_checks.proofs.statements.inversion import inverted
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    MEAN_COST,
    OPTIMAL,
    OVERBID,
    QUALIFIED,
    UNDERBID,
    adjusted_bid_bounds,
    bids,
    good_event,
    is_competitor,
    mean_costs_in_range,
    optimal_provider,
    qualified_are_eligible,
    rounded_up,
    to_real,
)

_I, _WINNER = provider("i"), AUCTION.winner
_GAMMA, _BETA, _ONE_ESTIMATE, _ONE_MEAN, _EMPIRICAL = constants("gamma beta estimate mean_cost_of_one empirical_mean")
_WIDENED = constant("widened_cost_bound")

WIDENED = Obligation(
    "widened-bound",
    "(1 + gamma) c_max is at least c_max, and positive",
    {
        **assuming(gamma_non_negative=_GAMMA >= 0, cost_bound_positive=COST_BOUND > 0),
        **defining(widened=equal(_WIDENED, (1 + _GAMMA) * COST_BOUND)),
    },
    all_of(_WIDENED >= COST_BOUND, _WIDENED > 0),
)
CONCENTRATED = Obligation(
    "bayesian-estimate-concentrated",
    "an estimate within gamma c_max beta of the mean is, on E, within (1 + gamma) c_max beta of the mean cost",
    {
        **assuming(near=within(-_GAMMA * COST_BOUND * _BETA, _ONE_ESTIMATE - _EMPIRICAL, _GAMMA * COST_BOUND * _BETA)),
        **assuming(good_event=within(-COST_BOUND * _BETA, _EMPIRICAL - _ONE_MEAN, COST_BOUND * _BETA)),
        **defining(widened=equal(_WIDENED, (1 + _GAMMA) * COST_BOUND)),
    },
    within(-_WIDENED * _BETA, _ONE_ESTIMATE - _ONE_MEAN, _WIDENED * _BETA),
    (
        Mutant("not widened", replace={"widened": equal(_WIDENED, COST_BOUND)}),
        Mutant("widened by half of gamma", replace={"widened": equal(_WIDENED, (1 + _GAMMA / 2) * COST_BOUND)}),
    ),
)
BAYESIAN_CONCENTRATION = Proof(
    "lem:bayesian-cost-concentration",
    (CONCENTRATED,),
    "For any provider at any count. Afterwards the radius (1 + gamma) c_max beta is the cost radius of the obligations "
    "on auctions, the estimate the one that is bid.",
    uses=("lem:good-event",),
)

_COSTS = {"costs-concentrated": good_event()["costs-concentrated"]}
ADJUSTED = Obligation(
    "adjusted-bid-bounds",
    "on E, mean cost - 2 radii - d_- <= adjusted bid <= mean cost + d_+",
    {**_COSTS, "bids-near-estimates": bids()["bids-near-estimates"]},
    within(MEAN_COST(_I) - 2 * RADIUS(_I) - UNDERBID, AUCTION.adjusted(_I), MEAN_COST(_I) + OVERBID),
    (
        Mutant("19/10 for 2", goal=MEAN_COST(_I) - Fraction(19, 10) * RADIUS(_I) - UNDERBID <= AUCTION.adjusted(_I)),
        Mutant("no underbidding", goal=MEAN_COST(_I) - 2 * RADIUS(_I) <= AUCTION.adjusted(_I)),
        Mutant("no overbidding", goal=AUCTION.adjusted(_I) <= MEAN_COST(_I)),
    ),
)
_ADJUSTED_SAYS = "At any step t > N, for any provider. "
ADJUSTED_BIDS = Proof(
    "lem:adjusted-bid-bounds", (ADJUSTED,), _ADJUSTED_SAYS + "Here d_- = d_+ = 0.", uses=("lem:good-event",)
)
DEVIATION_ADJUSTED_BIDS = Proof(
    "lem:deviation-adjusted-bid-bounds", (ADJUSTED,), _ADJUSTED_SAYS + "The same obligation.", uses=("lem:good-event",)
)

_EXCESS_COST = MEAN_COST(_WINNER) - MEAN_COST(OPTIMAL)
_GAP_BOUND = 2 * RADIUS(_WINNER) + UNDERBID + OVERBID
GAP = Obligation(
    "ordinary-selection-gap",
    "on E, the winner of an auction, qualified or not, costs at most 2 radii + d_- + d_+ more than i*",
    {
        "winner-least": AUCTION.definitions()["winner-least"],
        **qualified_are_eligible(),
        **adjusted_bid_bounds(),
        "optimal-qualified": optimal_provider()["optimal-qualified"],
    },
    _EXCESS_COST <= _GAP_BOUND,
    (
        Mutant("19/10 for 2", goal=Fraction(19, 10) * RADIUS(_WINNER) + UNDERBID + OVERBID >= _EXCESS_COST),
        Mutant("no overbidding", goal=2 * RADIUS(_WINNER) + UNDERBID >= _EXCESS_COST),
        Mutant("no underbidding", goal=2 * RADIUS(_WINNER) + OVERBID >= _EXCESS_COST),
    ),
)
GAP_POSITIVE = Obligation(
    "competitor-gap-positive",
    "Delta_i > 0 for a competitor of i*, and Delta_i <= c_max",
    {
        "optimal-cheapest": optimal_provider()["optimal-cheapest"],
        **mean_costs_in_range(),
        **assuming(competitor=is_competitor(_I)),
    },
    all_of(MEAN_COST(_I) - MEAN_COST(OPTIMAL) > 0, MEAN_COST(_I) - MEAN_COST(OPTIMAL) <= COST_BOUND),
    (
        Mutant("i* itself", replace={"competitor": QUALIFIED(_I)}),
        Mutant("unqualified", replace={"competitor": ~equal(_I, OPTIMAL)}),
    ),
)
SELECTION_GAP = Proof(
    "lem:ordinary-selection-gap",
    (GAP, GAP_POSITIVE),
    "At any auction t > N. The lemma is the case of a winner in Q other than i*, with d_- = d_+ = 0.",
    uses=("lem:adjusted-bid-bounds", "lem:qualified-eligibility"),
)

#: L_i: the ceiling of the bound of lem:radius-inversion at a = (Delta_i - d_- - d_+)/((1 + gamma) c_max).
THRESHOLD_OF_ONE = constant("competitor_threshold", INT)
_DIFFERENCE, _RADIUS_OF_ONE, _NORMALIZED = constants("cost_gap cost_radius_of_one normalized_gap")
_BOUND, _COUNT = constant("competitor_inversion_bound"), constant("count", INT)
_SHIFTED = _DIFFERENCE - UNDERBID - OVERBID
_WIDENED_FACT = concluded("widened-bound", widened=all_of(_WIDENED >= COST_BOUND, _WIDENED > 0))
_NORMALIZED_IS = defining(normalized=equal(_NORMALIZED, _SHIFTED / _WIDENED))
_CLEAR = assuming(gap_above_deviations=_DIFFERENCE > UNDERBID + OVERBID)
NORMALIZED = Obligation(
    "normalized-gap-and-radius",
    "the gap means a <= 2 beta, for a = (Delta_i - d_- - d_+)/((1 + gamma) c_max)",
    {
        **concluded("ordinary-selection-gap", gap=_DIFFERENCE <= 2 * _RADIUS_OF_ONE + UNDERBID + OVERBID),
        **defining(cost_radius=equal(_RADIUS_OF_ONE, _WIDENED * _BETA)),
        **_WIDENED_FACT,
        **_NORMALIZED_IS,
    },
    _NORMALIZED <= 2 * _BETA,
    (
        Mutant("deviations left out", replace={"normalized": equal(_NORMALIZED, _DIFFERENCE / _WIDENED)}),
        Mutant("not widened", replace={"normalized": equal(_NORMALIZED, _SHIFTED / COST_BOUND)}),
    ),
)
NORMALIZED_POSITIVE = Obligation(
    "normalized-gap-in-range",
    "0 < a <= 1, if Delta_i > d_- + d_+",
    {
        **_WIDENED_FACT,
        **_NORMALIZED_IS,
        **_CLEAR,
        "deviations-non-negative": bids()["deviations-non-negative"],
        **concluded("competitor-gap-positive", gap_in_range=_DIFFERENCE <= COST_BOUND),
    },
    all_of(_NORMALIZED > 0, _NORMALIZED <= 1),
    (Mutant("a gap equal to them", replace={"gap-above-deviations": _DIFFERENCE >= UNDERBID + OVERBID}),),
)
ORDINARY_THRESHOLD = Obligation(
    "ordinary-winner-below-threshold",
    "on E, a competitor wins an auction only while m_i < L_i, which is less than L_i + 1 of the paper",
    {
        **concluded("normalized-gap-and-radius", radius=_NORMALIZED <= 2 * _BETA),
        "inverted": inverted(_NORMALIZED <= 2 * _BETA, to_real(_COUNT), _BOUND),
        **defining(threshold=rounded_up(THRESHOLD_OF_ONE, _BOUND)),
    },
    _COUNT < THRESHOLD_OF_ONE,
    (
        Mutant(
            "the paper's inversion", replace={"inverted": implies(_NORMALIZED <= 2 * _BETA, to_real(_COUNT) <= _BOUND)}
        ),
        Mutant("rounded down", replace={"threshold": to_real(THRESHOLD_OF_ONE) <= _BOUND}),
    ),
)
_THRESHOLD_CHAIN = (WIDENED, NORMALIZED, NORMALIZED_POSITIVE, ORDINARY_THRESHOLD)
SELECTION_THRESHOLD = Proof(
    "lem:ordinary-selection-threshold",
    _THRESHOLD_CHAIN,
    "For the winner of an auction, a competitor of i*: the gap, then lem:radius-inversion at a, which is "
    "positive by normalized-gap-in-range. The lemma is "
    "d_- = d_+ = gamma = 0. The conclusion m < L_i is stronger than the paper's m <= L_i, as the inversion is strict.",
    uses=("lem:ordinary-selection-gap", "lem:radius-inversion"),
)

_SELECTED, _EXPLORES = constants("selected explores", BOOL)
CEILING, CAP = constants("target_rounded_up cap", INT)
COMPETITOR_CAP_IS = defining(cap=equal(CAP, at_least(THRESHOLD_OF_ONE, CEILING - 1)))
COMPETITOR_BELOW_CAP = Obligation(
    "competitor-selected-below-cap",
    "on E, a competitor is selected only at m <= max{L_i, ceil(g(T)) - 1}",
    {
        **COMPETITOR_CAP_IS,
        **assuming(selected=_SELECTED),
        **concluded(
            "ordinary-winner-below-threshold", wins=implies(all_of(_SELECTED, ~_EXPLORES), _COUNT < THRESHOLD_OF_ONE)
        ),
        **concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _COUNT <= CEILING - 1)),
    },
    _COUNT <= CAP,
    (
        Mutant("exploration alone", replace={"cap": equal(CAP, CEILING - 1)}),
        Mutant("auctions alone", replace={"cap": equal(CAP, THRESHOLD_OF_ONE)}),
    ),
)
CAP_AT_LEAST_ONE = Obligation(
    "competitor-cap-non-negative",
    "max{L_i, ceil(g(T)) - 1} >= 0, since L_i >= 1: here no g(T) > 0 is needed",
    {**COMPETITOR_CAP_IS, **concluded("threshold-at-least-one", threshold=THRESHOLD_OF_ONE >= 1)},
    CAP >= 0,
)
_SUBOPTIMAL_CHAIN = (COMPETITOR_BELOW_CAP, CAP_AT_LEAST_ONE)
SUBOPTIMAL = Proof(
    "lem:qualified-suboptimal-selection",
    _SUBOPTIMAL_CHAIN,
    "capped-selections-base and -step with cap max{L_i, ceil(g(T)) - 1}, by induction on t up to T.",
    uses=("lem:ordinary-selection-threshold", "lem:forced-exploration-bound", "lem:selection-counting"),
)
