"""Who wins auctions on the good event, how often a competitor of i* is selected, and when i* is identified.

Sources: lem:adjusted-bid-bounds, lem:ordinary-selection-gap, lem:ordinary-selection-threshold,
lem:qualified-suboptimal-selection, thm:sample-complexity, cor:vanishing-nonoptimal-selections; with d_-, d_+ and gamma
as parameters of the same obligations also lem:deviation-adjusted-bid-bounds, lem:bayesian-cost-concentration,
prop:deviation-selection, prop:bayesian-substitution.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import power_monotone, power_product
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    all_of,
    any_of,
    at_least,
    constant,
    constants,
    either,
    equal,
    implies,
    number,
    power,
)
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    RADIUS,
    assuming,
    concluded,
    defining,
    induction,
    only,
    provider,
    within,
)
from proofs_checks.proofs.statements.radii import inverted
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
_GAMMA, BETA = constants("gamma beta")
#: Of one provider: what it estimates, its mean cost, the mean of the costs that it saw.
ESTIMATE_OF_ONE, MEAN_OF_ONE, EMPIRICAL_MEAN = constants("estimate mean_cost_of_one empirical_mean")
#: (1 + gamma) c_max.
WIDENED_BOUND = constant("widened_cost_bound")

WIDENED = Obligation(
    "widened-bound",
    "(1 + gamma) c_max is at least c_max, and positive",
    assuming(gamma_non_negative=_GAMMA >= 0, cost_bound_positive=COST_BOUND > 0)
    | defining(widened=equal(WIDENED_BOUND, (1 + _GAMMA) * COST_BOUND)),
    all_of(WIDENED_BOUND >= COST_BOUND, WIDENED_BOUND > 0),
)
CONCENTRATED = Obligation(
    "bayesian-estimate-concentrated",
    "an estimate within gamma c_max beta of the mean is, on E, within (1 + gamma) c_max beta of the mean cost",
    assuming(near=within(-_GAMMA * COST_BOUND * BETA, ESTIMATE_OF_ONE - EMPIRICAL_MEAN, _GAMMA * COST_BOUND * BETA))
    | assuming(good_event=within(-COST_BOUND * BETA, EMPIRICAL_MEAN - MEAN_OF_ONE, COST_BOUND * BETA))
    | defining(widened=equal(WIDENED_BOUND, (1 + _GAMMA) * COST_BOUND)),
    within(-WIDENED_BOUND * BETA, ESTIMATE_OF_ONE - MEAN_OF_ONE, WIDENED_BOUND * BETA),
    (
        Mutant("not widened", {"widened": equal(WIDENED_BOUND, COST_BOUND)}),
        Mutant("widened by half of gamma", {"widened": equal(WIDENED_BOUND, (1 + _GAMMA / 2) * COST_BOUND)}),
    ),
)
BAYESIAN_CONCENTRATION = Proof(
    "lem:bayesian-cost-concentration",
    (CONCENTRATED,),
    "For any provider at any count. Afterwards the radius (1 + gamma) c_max beta is the cost radius of the obligations "
    "on auctions, the estimate the one that is bid.",
    uses=("lem:good-event",),
)

ADJUSTED = Obligation(
    "adjusted-bid-bounds",
    "on E, mean cost - 2 radii - d_- <= adjusted bid <= mean cost + d_+",
    only(good_event(), "costs-concentrated") | only(bids(), "bids-near-estimates"),
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
    only(AUCTION.definitions(), "winner-least")
    | qualified_are_eligible()
    | adjusted_bid_bounds()
    | only(optimal_provider(), "optimal-qualified"),
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
    only(optimal_provider(), "optimal-cheapest") | mean_costs_in_range() | assuming(competitor=is_competitor(_I)),
    all_of(MEAN_COST(_I) - MEAN_COST(OPTIMAL) > 0, MEAN_COST(_I) - MEAN_COST(OPTIMAL) <= COST_BOUND),
    (Mutant("i* itself", {"competitor": QUALIFIED(_I)}), Mutant("unqualified", {"competitor": ~equal(_I, OPTIMAL)})),
)
SELECTION_GAP = Proof(
    "lem:ordinary-selection-gap",
    (GAP, GAP_POSITIVE),
    "At any auction t > N. The lemma is the case of a winner in Q other than i*, with d_- = d_+ = 0.",
    uses=("lem:adjusted-bid-bounds", "lem:qualified-eligibility"),
    assumes=(
        "adjusted-bid-bounds: costs-concentrated bids-near-estimates",
        "qualified-is-eligible: qualities-concentrated qualified eligible",
    ),
)

#: L_i: the ceiling of the bound of lem:radius-inversion at a = (Delta_i - d_- - d_+)/((1 + gamma) c_max).
THRESHOLD_OF_ONE = constant("competitor_threshold", INT)
_DIFFERENCE, _RADIUS_OF_ONE, _NORMALIZED = constants("cost_gap cost_radius_of_one normalized_gap")
_BOUND, _COUNT = constant("competitor_inversion_bound"), constant("count", INT)
_SHIFTED = _DIFFERENCE - UNDERBID - OVERBID
_WIDENED_FACT = concluded("widened-bound", widened=all_of(WIDENED_BOUND >= COST_BOUND, WIDENED_BOUND > 0))
_NORMALIZED_IS = defining(normalized=equal(_NORMALIZED, _SHIFTED / WIDENED_BOUND))
NORMALIZED = Obligation(
    "normalized-gap-and-radius",
    "the gap means a <= 2 beta, for a = (Delta_i - d_- - d_+)/((1 + gamma) c_max)",
    concluded("ordinary-selection-gap", gap=_DIFFERENCE <= 2 * _RADIUS_OF_ONE + UNDERBID + OVERBID)
    | defining(cost_radius=equal(_RADIUS_OF_ONE, WIDENED_BOUND * BETA))
    | _WIDENED_FACT
    | _NORMALIZED_IS,
    _NORMALIZED <= 2 * BETA,
    (
        Mutant("deviations left out", {"normalized": equal(_NORMALIZED, _DIFFERENCE / WIDENED_BOUND)}),
        Mutant("not widened", {"normalized": equal(_NORMALIZED, _SHIFTED / COST_BOUND)}),
    ),
)
NORMALIZED_POSITIVE = Obligation(
    "normalized-gap-in-range",
    "0 < a <= 1, if Delta_i > d_- + d_+",
    _WIDENED_FACT
    | _NORMALIZED_IS
    | assuming(gap_above_deviations=_DIFFERENCE > UNDERBID + OVERBID)
    | only(bids(), "deviations-non-negative")
    | concluded("competitor-gap-positive", gap_in_range=_DIFFERENCE <= COST_BOUND),
    all_of(_NORMALIZED > 0, _NORMALIZED <= 1),
    (Mutant("a gap equal to them", {"gap-above-deviations": _DIFFERENCE >= UNDERBID + OVERBID}),),
)
ORDINARY_THRESHOLD = Obligation(
    "ordinary-winner-below-threshold",
    "on E, a competitor wins an auction only while m_i < L_i, which is less than L_i + 1 of the paper",
    concluded("normalized-gap-and-radius", radius=_NORMALIZED <= 2 * BETA)
    | {"inverted": inverted(_NORMALIZED <= 2 * BETA, to_real(_COUNT), _BOUND)}
    | defining(threshold=rounded_up(THRESHOLD_OF_ONE, _BOUND)),
    _COUNT < THRESHOLD_OF_ONE,
    (
        Mutant("the paper's inversion", {"inverted": implies(_NORMALIZED <= 2 * BETA, to_real(_COUNT) <= _BOUND)}),
        Mutant("rounded down", {"threshold": to_real(THRESHOLD_OF_ONE) <= _BOUND}),
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
    assumes=(
        "competitor-gap-positive: goal optimal-cheapest mean-costs-in-range competitor",
        "widened-bound: gamma-non-negative cost-bound-positive widened",
        "radius-inversion: gap-positive bound",
        "radius-squared: logarithm radius",
        "radius-inversion-without-the-count: count-positive",
        "radius-inversion-constant: bound",
        "normalized-gap-and-radius: cost-radius normalized",
        "adjusted-bid-bounds: costs-concentrated bids-near-estimates",
        "qualified-is-eligible: qualities-concentrated qualified eligible",
        "ordinary-selection-gap: optimal-qualified winner-least goal",
    ),
)

_SELECTED, _EXPLORES = constants("selected explores", BOOL)
CEILING, CAP = constants("target_rounded_up cap", INT)
COMPETITOR_CAP_IS = defining(cap=equal(CAP, at_least(THRESHOLD_OF_ONE, CEILING - 1)))
COMPETITOR_BELOW_CAP = Obligation(
    "competitor-selected-below-cap",
    "on E, a competitor is selected only at m <= max{L_i, ceil(g(T)) - 1}",
    COMPETITOR_CAP_IS
    | assuming(selected=_SELECTED)
    | concluded(
        "ordinary-winner-below-threshold", wins=implies(all_of(_SELECTED, ~_EXPLORES), _COUNT < THRESHOLD_OF_ONE)
    )
    | concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _COUNT <= CEILING - 1)),
    _COUNT <= CAP,
    (
        Mutant("exploration alone", {"cap": equal(CAP, CEILING - 1)}),
        Mutant("auctions alone", {"cap": equal(CAP, THRESHOLD_OF_ONE)}),
    ),
)
CAP_AT_LEAST_ONE = Obligation(
    "competitor-cap-non-negative",
    "max{L_i, ceil(g(T)) - 1} >= 0, since L_i >= 1: here no g(T) > 0 is needed",
    COMPETITOR_CAP_IS | concluded("threshold-at-least-one", threshold=THRESHOLD_OF_ONE >= 1),
    CAP >= 0,
)
_SUBOPTIMAL_CHAIN = (COMPETITOR_BELOW_CAP, CAP_AT_LEAST_ONE)
SUBOPTIMAL = Proof(
    "lem:qualified-suboptimal-selection",
    _SUBOPTIMAL_CHAIN,
    "capped-selections-base and -step with cap max{L_i, ceil(g(T)) - 1}, by induction on t up to T.",
    uses=("lem:ordinary-selection-threshold", "lem:forced-exploration-bound", "lem:selection-counting"),
    beyond="The induction on t that counts the selections: its base and its step are proved.",
)


_MISSES, _SELECTIONS, _NEXT_MISSES = constants("misses selections_of_others next_misses", INT)
_NEXT_SELECTIONS = constant("next_selections_of_others", INT)
_OTHER = either(~equal(_WINNER, OPTIMAL), number(1, INT), number(0, INT))
_PROVIDERS = constant("providers_number", INT)
_MISSES_ARE = equal(_MISSES, _PROVIDERS - 1 + _SELECTIONS)
MISSES_BASE = Obligation(
    "misses-are-selections-base",
    "of the N steps of initialization, N - 1 miss i*; there are no selections since",
    defining(initialized=equal(_MISSES, _PROVIDERS - 1), no_selections=equal(_SELECTIONS, 0)),
    _MISSES_ARE,
)
MISSES = Obligation(
    "misses-are-selections",
    "each further step that misses i* selects one other provider: misses are N - 1 and the selections of others",
    induction(_MISSES_ARE, base="misses-are-selections-base")
    | defining(misses=equal(_NEXT_MISSES, _MISSES + _OTHER), selections=equal(_NEXT_SELECTIONS, _SELECTIONS + _OTHER)),
    equal(_NEXT_MISSES, _PROVIDERS - 1 + _NEXT_SELECTIONS),
    (Mutant("selections of i* too", {"selections": equal(_NEXT_SELECTIONS, _SELECTIONS + 1)}),),
)
_TOTAL, _CAPS, _OF_ONE, _CAP_OF_ONE = constants("total caps selections_of_one cap_of_one")
CAPS_ADD_UP = Obligation(
    "capped-terms-add-up",
    "terms that are at most their caps add up to at most the sum of the caps, step over the providers",
    induction(_TOTAL <= _CAPS, start={_TOTAL: 0, _CAPS: 0})
    | concluded("capped-selections-step", capped=_OF_ONE <= _CAP_OF_ONE),
    _TOTAL + _OF_ONE <= _CAPS + _CAP_OF_ONE,
)
_TARGET = constant("target_at_end")
CAP_BY_TARGET = Obligation(
    "competitor-cap-by-target",
    "max{L_i, ceil(g(T)) - 1} <= max{L_i, g(T)}: B_id with k (T/N)^alpha is at least B_id with its ceiling less 1",
    COMPETITOR_CAP_IS | defining(rounded_up=rounded_up(CEILING, _TARGET)),
    to_real(CAP) <= at_least(to_real(THRESHOLD_OF_ONE), _TARGET),
    (
        Mutant("the ceiling itself", {"cap": equal(CAP, at_least(THRESHOLD_OF_ONE, CEILING))}),
        Mutant("without L_i", goal=to_real(CAP) <= _TARGET),
    ),
)
_OF_OTHERS, _OF_UNQUALIFIED = constants("selections_of_all_others selections_of_unqualified")
_OF_COMPETITORS = constant("selections_of_competitors")
_CAPS_UNQUALIFIED, _CAPS_COMPETITORS = constants("caps_of_unqualified caps_of_competitors")
_IDENTIFICATION = constant("identification_bound")
_REAL_MISSES, _REAL_PROVIDERS = constants("misses_until_end providers_number_real")
IDENTIFIED = Obligation(
    "sample-complexity",
    "at most N - 1 + B_id(T) steps until T miss i*",
    concluded("misses-are-selections", misses=equal(_REAL_MISSES, _REAL_PROVIDERS - 1 + _OF_OTHERS))
    | concluded(
        "capped-terms-add-up",
        unqualified=_OF_UNQUALIFIED <= _CAPS_UNQUALIFIED,
        competitors=_OF_COMPETITORS <= _CAPS_COMPETITORS,
    )
    | defining(
        split=equal(_OF_OTHERS, _OF_UNQUALIFIED + _OF_COMPETITORS),
        bound=equal(_IDENTIFICATION, _CAPS_UNQUALIFIED + _CAPS_COMPETITORS),
    ),
    _REAL_MISSES <= _REAL_PROVIDERS - 1 + _IDENTIFICATION,
    (
        Mutant("initialization left out", goal=_REAL_MISSES <= _REAL_PROVIDERS - 2 + _IDENTIFICATION),
        Mutant("without the unqualified", {"bound": equal(_IDENTIFICATION, _CAPS_COMPETITORS)}),
    ),
)
OTHERS_SPLIT = Obligation(
    "others-are-unqualified-or-competitors",
    "every provider other than i* is unqualified or a competitor, and not both",
    assuming(other=~equal(_I, OPTIMAL)),
    all_of(any_of(~QUALIFIED(_I), is_competitor(_I)), ~all_of(~QUALIFIED(_I), is_competitor(_I))),
)
#: How often i* is missed, for any caps of the selections of the others.
ANY_CAPS_CHAIN = (MISSES_BASE, MISSES, OTHERS_SPLIT, CAPS_ADD_UP, IDENTIFIED)
#: What English adds to the obligations on sums of caps.
SUMS_OF_CAPS = (
    "The sums over steps and over providers, whose steps are proved: that the selections of all the others are those "
    "of the unqualified and those of the competitors (others-are-unqualified-or-competitors), and that B_id(T) is "
    "caps_of_unqualified, the sum over the unqualified of "
)
TIGHT_SUMS = f"{SUMS_OF_CAPS}M_i, and caps_of_competitors, the sum over the competitors of max{{L_i, ceil(g(T)) - 1}}."
FROM_PROBABILITY = "That what is shown on E has probability at least 1 - delta, as E has by lem:good-event."
_SAMPLE_CHAIN = (MISSES_BASE, MISSES, OTHERS_SPLIT, CAPS_ADD_UP, CAP_BY_TARGET, IDENTIFIED)
SAMPLE_COMPLEXITY = Proof(
    "thm:sample-complexity",
    _SAMPLE_CHAIN,
    "On E, which has probability at least 1 - delta: induction on t counts misses as selections of others, who are "
    "unqualified or competitors (others-are-unqualified-or-competitors), so that their sum splits; induction over the "
    "providers, from an empty sum, adds up their caps, M_i for an unqualified one and max{L_i, ceil(g(T)) - 1} for a "
    "competitor, which is at most max{L_i, k (T/N)^alpha}.",
    uses=("lem:good-event", "lem:unqualified-elimination", "lem:qualified-suboptimal-selection"),
    beyond=f"{TIGHT_SUMS} That this is at most B_id(T) of the text, with max{{L_i, g(T)}}: cap by cap it is "
    f"competitor-cap-by-target. {FROM_PROBABILITY}",
)

_HORIZON, _SHARE = constants("horizon share_of_misses")
SHARE = Obligation(
    "share-of-misses-at-most",
    "the share of steps that miss i* is at most (N - 1 + B_id(T))/T",
    concluded("sample-complexity", misses=_REAL_MISSES <= _REAL_PROVIDERS - 1 + _IDENTIFICATION)
    | defining(share=equal(_SHARE, _REAL_MISSES / _HORIZON), horizon=_HORIZON >= 1),
    _SHARE <= (_REAL_PROVIDERS - 1 + _IDENTIFICATION) / _HORIZON,
)
_POWER_N, _POWER_T, _POWER_RATIO = constants("N_to_alpha horizon_to_alpha ratio_to_alpha")
_POWER_LESS, _FACTOR, _ALPHA = constants("horizon_to_alpha_minus_1 target_factor alpha")
EXPLORED_SHARE = Obligation(
    "target-share",
    "k (T/N)^alpha / T = (k / N^alpha) T^(alpha - 1)",
    defining(target=equal(_TARGET, _FACTOR * _POWER_RATIO))
    | {
        "ratio": power_product(
            _POWER_RATIO * _POWER_N,
            _POWER_T,
            {
                _POWER_RATIO: power(_HORIZON / _REAL_PROVIDERS, _ALPHA),
                _POWER_N: power(_REAL_PROVIDERS, _ALPHA),
                _POWER_T: power(_HORIZON, _ALPHA),
            },
        ),
        "exponents": power_product(
            _POWER_T,
            _POWER_LESS * _HORIZON,
            {_POWER_T: power(_HORIZON, _ALPHA), _POWER_LESS: power(_HORIZON, _ALPHA - 1)},
        ),
    }
    | assuming(horizon_positive=_HORIZON >= 1, power_positive=_POWER_N > 0),
    equal(_TARGET / _HORIZON, _FACTOR / _POWER_N * _POWER_LESS),
)
EACH_SHARE = Obligation(
    "capped-share-splits",
    "max{L_i, g(T)}/T <= L_i/T + g(T)/T, where L_i does not depend on T",
    assuming(horizon_positive=_HORIZON >= 1, target_non_negative=_TARGET >= 0)
    | concluded("threshold-at-least-one", threshold=_CAP_OF_ONE >= 1),
    at_least(_CAP_OF_ONE, _TARGET) / _HORIZON <= _CAP_OF_ONE / _HORIZON + _TARGET / _HORIZON,
    (Mutant("L_i alone", goal=at_least(_CAP_OF_ONE, _TARGET) / _HORIZON <= _CAP_OF_ONE / _HORIZON),),
)
_TOLERANCE, _CONSTANT, _FROM, _POWER_FROM = constants("tolerance constant_part horizon_from from_to_1_minus_alpha")
_POWER_REST = constant("horizon_to_1_minus_alpha")
CONSTANT_VANISHES = Obligation(
    "constant-share-vanishes",
    "a constant c over T is below eps for every T > c/eps",
    assuming(tolerance_positive=_TOLERANCE > 0, late=_HORIZON > _CONSTANT / _TOLERANCE, horizon_positive=_HORIZON >= 1),
    _CONSTANT / _HORIZON < _TOLERANCE,
    (Mutant("at c/eps", {"late": equal(_HORIZON, _CONSTANT / _TOLERANCE)}),),
)
POWER_VANISHES = Obligation(
    "power-share-vanishes",
    "T^(alpha - 1) is below eps for every T > S = (1/eps)^(1/(1 - alpha))",
    assuming(tolerance_positive=_TOLERANCE > 0, from_positive=_FROM > 0, late=_HORIZON > _FROM)
    | {
        "power-of-from": power_product(
            _POWER_FROM * _TOLERANCE,
            1,
            {_FROM: power(_TOLERANCE, -1 / (1 - _ALPHA)), _POWER_FROM: power(_FROM, 1 - _ALPHA)},
        ),
        "exponents": power_product(
            _POWER_LESS * _POWER_REST,
            1,
            {_POWER_LESS: power(_HORIZON, _ALPHA - 1), _POWER_REST: power(_HORIZON, 1 - _ALPHA)},
        ),
        "powers": power_monotone(_FROM, _POWER_FROM, _HORIZON, _POWER_REST, 1 - _ALPHA),
    },
    _POWER_LESS < _TOLERANCE,
    (Mutant("at S", {"late": _HORIZON >= _FROM}),),
)
VANISHING = Proof(
    "cor:vanishing-nonoptimal-selections",
    (SHARE, EXPLORED_SHARE, EACH_SHARE, CONSTANT_VANISHES, POWER_VANISHES),
    "thm:sample-complexity divided by T, by the same event E at every T: constants over T, and for each competitor "
    "(k/N^alpha) T^(alpha - 1). Each of these finitely many terms is below its part of any eps > 0 from some T on "
    "(constant-share-vanishes, power-share-vanishes, where 1 - alpha > 0): the limit is 0.",
    uses=("thm:sample-complexity",),
    beyond="The sum over providers, that B_id(T) is the sum of the caps, and the limit: from which T on each term is "
    f"small, is proved. {FROM_PROBABILITY}",
)

DEVIATION_SELECTION = Proof(
    "prop:deviation-selection",
    (GAP, NORMALIZED, NORMALIZED_POSITIVE, ORDINARY_THRESHOLD, COMPETITOR_BELOW_CAP, CAP_AT_LEAST_ONE, IDENTIFIED),
    "d_- and d_+ are parameters of the obligations. i) is ordinary-selection-gap for the winner, qualified or not. ii) "
    "is lem:qualified-suboptimal-selection for the threshold L_i at a = (Delta_i - d_- - d_+)/c_max, in (0, 1] by "
    "normalized-gap-in-range. iii) is thm:sample-complexity and its corollaries, whose obligations use the bids only "
    "through ii); that on cor:eventual-ordinary-optimality is as vacuous as the original.",
    uses=(
        "lem:deviation-adjusted-bid-bounds",
        "lem:qualified-suboptimal-selection",
        "thm:sample-complexity",
        "cor:vanishing-nonoptimal-selections",
        "cor:eventual-ordinary-optimality",
        "cor:eventual-ordinary-optimality:repaired",
    ),
    beyond="That the claims it carries over hold with d_- and d_+: their obligations have them as parameters, "
    "the transfer is read. The induction on t that counts the selections, and the sums of sample-complexity: that "
    "B_id(T) is the sum of the caps. What those claims leave to English.",
)

BAYESIAN_SUBSTITUTION = Proof(
    "prop:bayesian-substitution",
    (WIDENED, NORMALIZED, NORMALIZED_POSITIVE, ORDINARY_THRESHOLD),
    "i) The obligations on eligibility, exploration, radii and sums have no bid, estimate or cost radius in them; "
    "those of prop:selection-threshold, lem:one-step, thm:robust-dominant and lem:payment-range are for any non- "
    "negative radii and any estimate in [0, c_max]. ii) The others take any cost radius that contains |estimate - "
    "mean cost|, which lem:bayesian-cost-concentration gives for (1 + gamma) c_max beta; L_i is M at a = Delta_i/((1 "
    "+ gamma) c_max).",
    uses=(
        "lem:good-event",
        "lem:radius-inversion",
        "lem:radius-monotone",
        "lem:radius-sum",
        "lem:qualified-eligibility",
        "lem:forced-exploration-bound",
        "lem:unqualified-elimination",
        "lem:unqualified-exclusion",
        "lem:ordinary-qualified-set",
        "lem:payment-range",
        "prop:selection-threshold",
        "lem:one-step",
        "thm:robust-dominant",
        "claim:robust-equilibrium",
        "lem:bayesian-cost-concentration",
        "lem:adjusted-bid-bounds",
        "lem:ordinary-selection-gap",
        "lem:ordinary-selection-threshold",
        "lem:qualified-suboptimal-selection",
        "thm:sample-complexity",
        "cor:vanishing-nonoptimal-selections",
        "cor:eventual-ordinary-optimality",
        "lem:ordinary-payment",
        "lem:two-sided-payment",
        "thm:quality-guarantee",
        "thm:generation-regret",
        "thm:excess-payment-general",
        "cor:excess-payment-polynomial",
        "thm:payment-convergence",
        "thm:regret",
        "cor:optimal-alpha",
    ),
    beyond="That the claims it carries over hold with the wider radius: their obligations have it as a "
    "parameter, the transfer is read. What those claims leave to English.",
)
