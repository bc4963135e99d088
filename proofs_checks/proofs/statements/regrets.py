"""What is lost until T: quality, generation cost, payments above the second cost; by radii and by selections.

Sources: thm:quality-guarantee, thm:generation-regret, thm:deviation-generation-regret, thm:excess-payment-general,
cor:excess-payment-polynomial, and the last sentence of thm:deviation-payment-convergence. A sum over steps is split by
kinds of steps (`classified-sum`), or turned into one over providers (`regret-by-provider`); both by induction on t. The
deviations d_-, d_+ and the scale (1 + gamma) c_max of the radii are parameters, 0 and c_max in the paper's statements.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.proofs.language.axioms import power_product, square_root
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    Term,
    all_of,
    any_of,
    constant,
    constants,
    either,
    equal,
    implies,
    number,
    power,
)
from proofs_checks.proofs.language.vocabulary import COST_BOUND, assuming, concluded, defining, induction, read, within
from proofs_checks.proofs.statements.good_event import EACH_AT_MOST, NUMBER_OF_EQUALS, SUM_OF_EQUALS, TERM_OF_EQUALS
from proofs_checks.proofs.statements.payments import EXCESS, ORDINARY_EXCESS, PAYMENT, SECOND_COST_AT_MOST
from proofs_checks.proofs.statements.radii import LOG_OF_SMALLER, SMALLER as COUNT_OF_RADIUS
from proofs_checks.proofs.statements.radius_sums import radius_sum
from proofs_checks.proofs.statements.selection import WIDENED
from proofs_checks.proofs.statements.shared import (
    OVERBID,
    QUALITY_THRESHOLD,
    SECOND_COST,
    UNDERBID,
    rounded_up,
    to_real,
)


def together(*chains: Sequence[Obligation]) -> tuple[Obligation, ...]:
    """Return the obligations of some chains, each once.

    Examples
    --------
    >>> len(together(ACCOUNTING, ACCOUNTING))
    3
    """
    return tuple({obligation.name: obligation for chain in chains for obligation in chain}.values())


#: The sum of some terms until t; a term of one step; how many steps were counted, and a bound of each of their terms.
TOTAL, TERM, COUNTED, EACH = constants("total term counted_steps bound_of_counted_term")
#: The sum of the radii of the steps with one, the radius of this step; how many they are, and what each adds besides.
RADII, THIS_RADIUS, WITH_RADIUS, SHIFT = constants("sum_of_radii this_radius steps_with_radius shift_of_each")
_NEXT_TOTAL, _NEXT_COUNTED, _NEXT_RADII = constants("next_total next_counted_steps next_sum_of_radii")
_NEXT_WITH_RADIUS = constant("next_steps_with_radius")
_IS_COUNTED, _HAS_RADIUS = constants("is_counted has_radius", BOOL)
#: S <= n b + A + D o.
CLASSIFIED = TOTAL <= COUNTED * EACH + RADII + SHIFT * WITH_RADIUS
_RADIUS_ONLY = all_of(_HAS_RADIUS, ~_IS_COUNTED)
CLASSIFIED_BASE = Obligation(
    "classified-sum-none",
    "an empty sum is at most an empty sum",
    defining(
        no_terms=equal(TOTAL, 0),
        none_counted=equal(COUNTED, 0),
        no_radii=equal(RADII, 0),
        no_radius=equal(WITH_RADIUS, 0),
    ),
    CLASSIFIED,
)
CLASSIFIED_STEP = Obligation(
    "classified-sum-one-more",
    "a step is counted, with a term of at most b, or has a radius r, with a term of at most r + D, or has no term",
    induction(CLASSIFIED, base="classified-sum-none")
    | assuming(
        counted_term=implies(_IS_COUNTED, TERM <= EACH),
        term_with_radius=implies(_RADIUS_ONLY, TERM <= THIS_RADIUS + SHIFT),
        other_term=implies(~any_of(_IS_COUNTED, _HAS_RADIUS), TERM <= 0),
    )
    | defining(
        total=equal(_NEXT_TOTAL, TOTAL + TERM),
        counted=equal(_NEXT_COUNTED, COUNTED + either(_IS_COUNTED, 1, 0)),
        radii=equal(_NEXT_RADII, RADII + either(_RADIUS_ONLY, THIS_RADIUS, 0)),
        steps_with_radius=equal(_NEXT_WITH_RADIUS, WITH_RADIUS + either(_RADIUS_ONLY, 1, 0)),
    ),
    _NEXT_TOTAL <= _NEXT_COUNTED * EACH + _NEXT_RADII + SHIFT * _NEXT_WITH_RADIUS,
    (Mutant("twice the radius", {"term-with-radius": implies(_RADIUS_ONLY, TERM <= 2 * THIS_RADIUS + SHIFT)}),),
)
#: T, N and t.
HORIZON, NUMBER = constants("horizon providers_number")
_TIME = constant("time")
STEPS_WITH_RADIUS = Obligation(
    "steps-with-radius-at-most",
    "at most t - N steps until t have a radius: none of the initialization, step",
    induction(WITH_RADIUS <= _TIME - NUMBER, start={WITH_RADIUS: 0, _TIME: NUMBER})
    | defining(one_or_none=within(0, _NEXT_WITH_RADIUS - WITH_RADIUS, 1)),
    _NEXT_WITH_RADIUS <= _TIME + 1 - NUMBER,
)
ACCOUNTING = (CLASSIFIED_BASE, CLASSIFIED_STEP, STEPS_WITH_RADIUS)

#: Of one provider: what each of its selections costs, and how many there are until t; sums over the providers.
_WEIGHT, _SELECTED, _OF_PROVIDERS = constants("weight selections_of_one weighted_selections")
_NEXT_OF_PROVIDERS = constant("next_weighted_selections")
BY_PROVIDER_BASE = Obligation(
    "regret-by-provider-none",
    "before the first step both sums are 0",
    defining(no_steps=equal(TOTAL, 0), no_selections=equal(_OF_PROVIDERS, 0)),
    equal(TOTAL, _OF_PROVIDERS),
)
BY_PROVIDER = Obligation(
    "regret-by-provider",
    "the sum over steps of w_{I_t} is the sum over providers of their selections times w_i, step",
    induction(equal(TOTAL, _OF_PROVIDERS), base="regret-by-provider-none")
    | defining(
        total=equal(_NEXT_TOTAL, TOTAL + _WEIGHT),
        one_more=equal(_NEXT_OF_PROVIDERS, _OF_PROVIDERS - _SELECTED * _WEIGHT + (_SELECTED + 1) * _WEIGHT),
    ),
    equal(_NEXT_TOTAL, _NEXT_OF_PROVIDERS),
    (Mutant("not counted", {"one-more": equal(_NEXT_OF_PROVIDERS, _OF_PROVIDERS)}),),
)
_SERVED, _CAP = constants("selections_after_initialization cap", INT)
SELECTIONS = Obligation(
    "selections-with-initialization",
    "a provider selected at most K times after initialization is selected at most K + 1 times",
    concluded("capped-selections-step", capped=_SERVED <= _CAP)
    | defining(with_initialization=equal(_SELECTED, to_real(_SERVED) + 1)),
    to_real(_CAP) + 1 >= _SELECTED,
    (
        Mutant("initialized twice", {"with-initialization": equal(_SELECTED, to_real(_SERVED) + 2)}),
        Mutant("without initialization", goal=to_real(_CAP) >= _SELECTED),
    ),
)
_MOST = constant("most_selections")
WEIGHTED = Obligation(
    "weighted-selections-at-most",
    "selections times w are at most their bound times w, for w >= 0",
    concluded("selections-with-initialization", selections=_SELECTED <= _MOST)
    | assuming(weight_non_negative=_WEIGHT >= 0),
    _SELECTED * _WEIGHT <= _MOST * _WEIGHT,
)
_SUM, _SUM_OF_BOUNDS, _ONE, _ITS_BOUND = constants("sum_over_providers sum_of_bounds term_of_one bound_of_one")
ADDED_UP = Obligation(
    "weighted-selections-add-up",
    "terms that are at most their bounds add up to at most the sum of the bounds, step over the providers",
    induction(_SUM <= _SUM_OF_BOUNDS, start={_SUM: 0, _SUM_OF_BOUNDS: 0})
    | concluded("weighted-selections-at-most", one=_ONE <= _ITS_BOUND),
    _SUM + _ONE <= _SUM_OF_BOUNDS + _ITS_BOUND,
)
_FIRST, _SECOND = constants("first_bound second_bound")
SMALLER = Obligation(
    "at-most-the-smaller",
    "what is at most two bounds is at most the smaller",
    assuming(first=TOTAL <= _FIRST, second=TOTAL <= _SECOND),
    either(_FIRST <= _SECOND, _FIRST, _SECOND) >= TOTAL,
)
PROVIDER_CHAIN = (BY_PROVIDER_BASE, BY_PROVIDER, SELECTIONS, WEIGHTED, ADDED_UP, SMALLER)


_QUALITY, _BETA = constants("quality_of_selected beta")
_QUALIFIED = constant("selected_qualified", BOOL)
_GAP = QUALITY_THRESHOLD - _QUALITY
#: (q_min - q)^+.
_SHORTFALL = either(_GAP >= 0, _GAP, 0)
_QUALIFIED_IS = defining(qualified=equal(_QUALIFIED, _QUALITY >= QUALITY_THRESHOLD))
SHORTFALL_AT_MOST_ONE = Obligation(
    "shortfall-at-most-one",
    "(q_min - q_i)^+ is at least 0 and at most 1, and 0 for a qualified provider",
    _QUALIFIED_IS | concluded("quality-gap-in-range", gap=implies(~_QUALIFIED, _GAP <= 1)),
    all_of(within(0, _SHORTFALL, 1), implies(_QUALIFIED, _SHORTFALL <= 0)),
    (Mutant("9/10 for 1", goal=10 * _SHORTFALL <= 9),),
)
SHORTFALL_BY_RADIUS = Obligation(
    "shortfall-at-most-two-radii",
    "after initialization (q_min - q_i)^+ <= 2 beta(m_i) for the selected provider, on E",
    _QUALIFIED_IS
    | defining(radius_non_negative=_BETA >= 0)
    | concluded("eligible-unqualified-radius", radius=implies(~_QUALIFIED, _GAP <= 2 * _BETA)),
    _SHORTFALL <= 2 * _BETA,
    (Mutant("1 for 2", goal=_SHORTFALL <= _BETA),),
)
#: sqrt(2 N (T - N) ln(2 pi^2 N T^2 / (3 delta))).
ROOT = constant("radius_sum_root")
QUALITY_BY_RADII = Obligation(
    "quality-regret-by-radii",
    "the quality lost until T is at most N + 2 sqrt(2 N (T - N) ln(2 pi^2 N T^2/(3 delta)))",
    concluded("classified-sum-one-more", classified=CLASSIFIED)
    | defining(initialization_counted=equal(COUNTED, NUMBER), each_at_most_one=equal(EACH, 1), no_shift=equal(SHIFT, 0))
    | radius_sum(RADII, number(2), ROOT, NUMBER, HORIZON - NUMBER),
    TOTAL <= NUMBER + 2 * ROOT,
    (Mutant("19/10 for 2", goal=10 * TOTAL <= 10 * NUMBER + 19 * ROOT),),
)
QUALITY = Proof(
    "thm:quality-guarantee",
    (*ACCOUNTING, SHORTFALL_AT_MOST_ONE, SHORTFALL_BY_RADIUS, QUALITY_BY_RADII, *PROVIDER_CHAIN),
    "On E the selected provider is eligible after initialization (selected-is-eligible). First bound: induction on "
    "t, with the N steps of initialization counted (b = 1 by shortfall-at-most-one) and radius 2 beta(m) afterwards, "
    "which lem:radius-sum adds up with kappa = 2. Second bound: induction on t with w_i = (q_min - q_i)^+, 0 for the "
    "qualified, then over the providers, with at most M_i selections after initialization. The number of steps with an "
    "unqualified provider: the same with w_i = 1 for them and 0 for the qualified.",
    uses=("lem:unqualified-elimination", "lem:radius-sum"),
    beyond="The sums over steps and over providers, whose steps are proved. That a bound that does not depend on "
    "T, divided by T, tends to 0.",
)

_COST, _OPTIMAL_COST, _RHO = constants("mean_cost_of_selected mean_cost_of_optimal cost_radius_of_selected")
_DIFFERENCE = _COST - _OPTIMAL_COST
#: (c_{I_t} - c_{i*})^+.
_COST_EXCESS = either(_DIFFERENCE >= 0, _DIFFERENCE, 0)
_IS_OPTIMAL = constant("optimal_selected", BOOL)
COST_EXCESS_IN_RANGE = Obligation(
    "cost-excess-in-range",
    "(c_i - c_{i*})^+ is at least 0 and at most c_max, and 0 for i*",
    defining(
        mean_costs_in_range=all_of(within(0, _COST, COST_BOUND), within(0, _OPTIMAL_COST, COST_BOUND)),
        optimal=implies(_IS_OPTIMAL, equal(_COST, _OPTIMAL_COST)),
    ),
    all_of(within(0, _COST_EXCESS, COST_BOUND), implies(_IS_OPTIMAL, _COST_EXCESS <= 0)),
    (Mutant("9/10 of c_max", goal=10 * _COST_EXCESS <= 9 * COST_BOUND),),
)
_DEVIATIONS = assuming(deviations_non_negative=all_of(UNDERBID >= 0, OVERBID >= 0))
COST_EXCESS_BY_RADIUS = Obligation(
    "cost-excess-at-most-two-radii",
    "in an auction (c_i - c_{i*})^+ is at most 2 radii + d_- + d_+",
    _DEVIATIONS
    | defining(radius_non_negative=_RHO >= 0)
    | concluded("ordinary-selection-gap", gap=_DIFFERENCE <= 2 * _RHO + UNDERBID + OVERBID),
    _COST_EXCESS <= 2 * _RHO + (UNDERBID + OVERBID),
    (
        Mutant("1 for 2", goal=_COST_EXCESS <= _RHO + (UNDERBID + OVERBID)),
        Mutant("without d_-", goal=_COST_EXCESS <= 2 * _RHO + OVERBID),
        Mutant("without d_+", goal=_COST_EXCESS <= 2 * _RHO + UNDERBID),
    ),
)
_EXPLORED, _CEILING, _COUNT_BOUND = constants("explorations_of_others target_rounded_up_real most_counted")
COUNTED_FOR_COST = Obligation(
    "initialization-and-exploration-of-others",
    "initialization and exploration select others than i* at most (N - 1) ceil(g(T)) times",
    defining(counted=equal(COUNTED, (NUMBER - 1) + _EXPLORED))
    | read(
        concluded("sum-of-equally-bounded-terms", explored=_EXPLORED <= (NUMBER - 1) * (_CEILING - 1)),
        {EACH_AT_MOST: _CEILING - 1, SUM_OF_EQUALS + TERM_OF_EQUALS: _EXPLORED, to_real(NUMBER_OF_EQUALS) + 2: NUMBER},
    ),
    COUNTED <= (NUMBER - 1) * _CEILING,
    (Mutant("i* too", {"counted": equal(COUNTED, NUMBER + _EXPLORED)}),),
)
_SCALE, _LATER = constant("cost_scale"), HORIZON - NUMBER
_COUNTED_COSTS = _COUNT_BOUND * COST_BOUND
COST_BY_RADII = Obligation(
    "generation-regret-by-radii",
    "at most (N - 1) ceil(g(T)) c_max + 2 (1 + gamma) c_max sqrt(2 N (T - N) ln(...)) + (d_- + d_+)(T - N)",
    _DEVIATIONS
    | concluded("classified-sum-one-more", classified=CLASSIFIED)
    | defining(each=equal(EACH, COST_BOUND), shift=equal(SHIFT, UNDERBID + OVERBID))
    | defining(cost_bound_positive=COST_BOUND > 0)
    | concluded("initialization-and-exploration-of-others", counted=COUNTED <= _COUNT_BOUND)
    | concluded("steps-with-radius-at-most", steps=WITH_RADIUS <= _LATER)
    | radius_sum(RADII, 2 * _SCALE, ROOT, NUMBER, _LATER),
    TOTAL <= _COUNTED_COSTS + 2 * _SCALE * ROOT + (UNDERBID + OVERBID) * _LATER,
    (
        Mutant("without d_-", goal=TOTAL <= _COUNTED_COSTS + 2 * _SCALE * ROOT + OVERBID * _LATER),
        Mutant("1 for 2", goal=TOTAL <= _COUNTED_COSTS + _SCALE * ROOT + (UNDERBID + OVERBID) * _LATER),
    ),
)
_COST_EXCESSES = (COST_EXCESS_IN_RANGE, COST_EXCESS_BY_RADIUS, COUNTED_FOR_COST, COST_BY_RADII)
COST_CHAIN = (*ACCOUNTING, WIDENED, *_COST_EXCESSES, *PROVIDER_CHAIN)
#: How the sums over all steps are proved, for any caps and any bound of the sum of radii.
COST_COMPOSITION = (
    "First bound: induction on t. Counted (b = c_max) are the N - 1 steps of initialization and, by "
    "sum-of-equally-bounded-terms over the N - 1 other providers, at most (N - 1)(ceil(g(T)) - 1) steps of "
    "exploration that select another than i*; auctions have the radius 2 (1 + gamma) c_max beta(m) and D = d_- + "
    "d_+ (no step up to N has one, where steps-with-radius-at-most starts); lem:radius-sum adds the radii up with "
    "kappa = 2 (1 + gamma) c_max; steps with i* have no term. This bound needs g(T) > 0, as lem:forced-exploration-"
    "bound does: with g(T) <= 0 its first term does not cover initialization. Second "
    "bound: induction on t with w_i = (c_i - c_{i*})^+, 0 for i*, then over the providers, with at most M_i or "
    "max{L_i, ceil(g(T)) - 1} selections after initialization."
)
#: What solvers prove of the theorem itself is one step: Coq proves that the steps of every run add up to it.
_ONE_STEP = (COST_EXCESS_IN_RANGE, COST_EXCESS_BY_RADIUS)
_COST_ARGUMENT = (
    "Initialization and exploration select others than i* at most (N - 1) ceil(g(T)) times, at c_max more at most; "
    "an auction selects a provider that costs at most 2 radii, d_- and d_+ more, and lem:radius-sum adds the radii up. "
    "Or every provider is selected at most 1 + M_i or 1 + max{L_i, ceil(g(T)) - 1} times, each for (c_i - c_{i*})^+. "
    "Needs g(T) > 0, as lem:forced-exploration-bound does: with g(T) <= 0 the first term does not cover initialization."
)
_ADDED_UP = "The sums over steps and over providers: their steps are obligations of thm:generation-regret:sharp."
_COST_USES = (
    "lem:unqualified-elimination",
    "lem:qualified-suboptimal-selection",
    "lem:forced-exploration-bound",
    "lem:ordinary-selection-gap",
    "lem:radius-sum",
)
GENERATION = Proof(
    "thm:generation-regret",
    _ONE_STEP,
    f"The case d_- = d_+ = gamma = 0. {_COST_ARGUMENT}",
    uses=_COST_USES,
    beyond=_ADDED_UP,
)
DEVIATION_GENERATION = Proof(
    "thm:deviation-generation-regret",
    _ONE_STEP,
    f"{_COST_ARGUMENT} The second bound needs Delta_i > d_- + d_+, for which L_i is M((Delta_i - d_- - d_+)/c_max).",
    uses=(*_COST_USES, "prop:deviation-selection"),
    beyond=_ADDED_UP,
)


_SECOND_AT_MOST = concluded("second-cost-at-most-bound", second_at_most_bound=SECOND_COST <= COST_BOUND)
#: c_max - c_(2).
ABOVE_SECOND = COST_BOUND - SECOND_COST
CAPPED = Obligation(
    "excess-of-bound-payment",
    "where c_max is paid, (pi_t - c_(2))^+ = |pi_t - c_(2)| = c_max - c_(2)",
    _SECOND_AT_MOST | defining(bound_paid=equal(PAYMENT, COST_BOUND)),
    all_of(equal(EXCESS, ABOVE_SECOND), PAYMENT - SECOND_COST >= 0),
)
EXPLORATIONS, _TARGET_AT_END = constants("explorations_of_all target_at_end")
COUNTED_PAYMENTS = Obligation(
    "initialization-and-exploration",
    "c_max is paid on at most N + N (ceil(g(T)) - 1) steps until T",
    defining(counted=equal(COUNTED, NUMBER + EXPLORATIONS))
    | concluded("sum-of-equally-bounded-terms", explored=EXPLORATIONS <= NUMBER * (_CEILING - 1)),
    COUNTED <= NUMBER + NUMBER * (_CEILING - 1),
    (Mutant("without initialization", goal=COUNTED <= NUMBER * (_CEILING - 1)),),
)
_GENERAL = TOTAL <= _COUNT_BOUND * ABOVE_SECOND + _SCALE * ROOT + OVERBID * _LATER
GENERAL = Obligation(
    "excess-payment-until-horizon",
    "at most n (c_max - c_(2)) + (1 + gamma) c_max sqrt(2 N (T - N) ln(...)) + d_+ (T - N), if c_max is paid n times",
    _SECOND_AT_MOST
    | assuming(deviation_non_negative=OVERBID >= 0)
    | concluded("classified-sum-one-more", classified=CLASSIFIED)
    | defining(each=equal(EACH, ABOVE_SECOND), shift=equal(SHIFT, OVERBID))
    | concluded("initialization-and-exploration", counted=COUNTED <= _COUNT_BOUND)
    | concluded("steps-with-radius-at-most", steps=WITH_RADIUS <= _LATER)
    | radius_sum(RADII, _SCALE, ROOT, NUMBER, _LATER),
    _GENERAL,
    (
        Mutant("a second cost above the bound", {"second-at-most-bound": equal(SECOND_COST, COST_BOUND + 1)}),
        Mutant("without d_+", goal=TOTAL <= _COUNT_BOUND * ABOVE_SECOND + _SCALE * ROOT),
        Mutant(
            "9/10 of the root", goal=TOTAL <= _COUNT_BOUND * ABOVE_SECOND + _SCALE * ROOT * 9 / 10 + OVERBID * _LATER
        ),
    ),
    redundant={"second-at-most-bound": "cvc5 finds no numbers without it; it does where a mutant replaces it"},
)
GENERAL_CHAIN = (*ACCOUNTING, WIDENED, SECOND_COST_AT_MOST, CAPPED, ORDINARY_EXCESS, COUNTED_PAYMENTS, GENERAL)
EXCESS_GENERAL = Proof(
    "thm:excess-payment-general",
    GENERAL_CHAIN,
    "Induction on t. Counted (b = c_max - c_(2)) are the N steps of initialization and, by "
    "sum-of-equally-bounded-terms over the N providers, at most N (ceil(g(T)) - 1) of exploration, which pay c_max; "
    "auctions have the radius (1 + gamma) c_max beta(m) and D = d_+; lem:radius-sum adds the radii up with kappa = "
    "(1 + gamma) c_max. No step up to N has a radius, where steps-with-radius-at-most starts. The theorem is d_+ = "
    "gamma = 0. Needs g(T) > 0, as lem:forced-exploration-bound does: with g(T) <= 0 the right side can be less than "
    "what initialization pays.",
    uses=("lem:ordinary-payment", "lem:forced-exploration-bound", "lem:radius-sum"),
    beyond="The sum over the steps: its steps are proved.",
)

_CEILING_OF_TARGET = constant("target_rounded_up", INT)
CEILING_LESS_ONE = Obligation(
    "ceiling-less-one-below",
    "ceil(g(T)) - 1 < g(T)",
    defining(rounded_up=rounded_up(_CEILING_OF_TARGET, _TARGET_AT_END)),
    to_real(_CEILING_OF_TARGET) - 1 < _TARGET_AT_END,
    (Mutant("the ceiling", goal=to_real(_CEILING_OF_TARGET) < _TARGET_AT_END),),
)
_FACTOR, _POWER, SHARE_POWER = constants("target_factor ratio_to_alpha N_over_T_to_1_minus_alpha")
_ALPHA = constant("alpha")
#: k (N/T)^(1 - alpha) T: at most so many steps explore.
EXPLORATION_SHARE = Obligation(
    "explorations-at-most-share",
    "N (ceil(g(T)) - 1) <= N g(T) = k (N/T)^(1 - alpha) T, for g(T) = k (T/N)^alpha",
    defining(number_positive=NUMBER >= 2, target=equal(_TARGET_AT_END, _FACTOR * _POWER))
    | concluded("ceiling-less-one-below", ceiling=_CEILING - 1 < _TARGET_AT_END)
    | {
        "powers": power_product(
            SHARE_POWER * HORIZON,
            NUMBER * _POWER,
            {SHARE_POWER: power(NUMBER / HORIZON, 1 - _ALPHA), _POWER: power(HORIZON / NUMBER, _ALPHA)},
        )
    },
    NUMBER * (_CEILING - 1) <= _FACTOR * SHARE_POWER * HORIZON,
)
EXPLORATIONS_BY_SHARE = Obligation(
    "explorations-by-share",
    "at most k (N/T)^(1 - alpha) T steps until T explore",
    concluded("sum-of-equally-bounded-terms", explored=EXPLORATIONS <= NUMBER * (_CEILING - 1))
    | concluded("explorations-at-most-share", share=NUMBER * (_CEILING - 1) <= _FACTOR * SHARE_POWER * HORIZON),
    EXPLORATIONS <= _FACTOR * SHARE_POWER * HORIZON,
)
ROOT_OF_SHARE, _SCALED_ROOT = constants("root_of_2_N_log_over_T root_times_horizon")
_LOG_C, _LOG_OF_HORIZON = constants("log_of_C log_of_horizon")
#: ln(C T^2).
_LOG = _LOG_C + 2 * _LOG_OF_HORIZON
_SHARE_IS = square_root(ROOT_OF_SHARE, 2 * NUMBER * _LOG / HORIZON)
SQUARE_OF_SHARE = Obligation(
    "root-of-share-squared",
    "(T sqrt((2 N/T) ln(C T^2)))^2 = 2 N T ln(C T^2)",
    {"root-of-share": _SHARE_IS} | defining(product=equal(_SCALED_ROOT, ROOT_OF_SHARE * HORIZON)),
    equal(_SCALED_ROOT * _SCALED_ROOT, 2 * NUMBER * _LOG * HORIZON),
    (Mutant("without T", goal=equal(_SCALED_ROOT * _SCALED_ROOT, 2 * NUMBER * _LOG)),),
)
_SQUARES = ROOT * ROOT <= _SCALED_ROOT * _SCALED_ROOT
SQUARES_COMPARE = Obligation(
    "radius-sum-root-squared-by-share",
    "2 N (T - N) ln(C T^2) <= 2 N T ln(C T^2)",
    {"root": square_root(ROOT, 2 * NUMBER * (HORIZON - NUMBER) * _LOG)}
    | defining(number_positive=NUMBER >= 2)
    | read(
        concluded("radius-logarithm-above-two", logarithm_positive=_LOG > 2),
        {COUNT_OF_RADIUS: HORIZON, LOG_OF_SMALLER: _LOG_OF_HORIZON},
    )
    | concluded("root-of-share-squared", product=equal(_SCALED_ROOT * _SCALED_ROOT, 2 * NUMBER * _LOG * HORIZON)),
    _SQUARES,
    redundant={"number-positive": "the difference is N^2, never negative, times the logarithm"},
)
ROOT_BY_SHARE = Obligation(
    "radius-sum-root-by-share",
    "sqrt(2 N (T - N) ln(C T^2)) <= T sqrt((2 N/T) ln(C T^2))",
    concluded("radius-sum-root-squared-by-share", squares=_SQUARES)
    | defining(horizon_positive=HORIZON >= 1, product=equal(_SCALED_ROOT, ROOT_OF_SHARE * HORIZON))
    | {"root-of-share": _SHARE_IS},
    ROOT <= ROOT_OF_SHARE * HORIZON,
    (Mutant("a negative root", {"root-of-share": _SHARE_IS.formula.arguments[1]}),),
)
_SHARE_OF_N = constant("N_over_T")


def _average(total: Term) -> Obligation:
    """Return the obligation that divides a total that is at most T times something by T."""
    mean, value = constants("average value")
    return Obligation(
        "average-at-most",
        "a total of at most T x is on average at most x",
        assuming(total=total <= value * HORIZON)
        | defining(horizon_positive=HORIZON >= 1, average=equal(mean * HORIZON, total)),
        mean <= value,
    )


AVERAGE = _average(TOTAL)
COUNT_BY_SHARE = Obligation(
    "counted-payments-by-share",
    "N + N (ceil(g(T)) - 1) is at most (N/T + k (N/T)^(1 - alpha)) T",
    defining(share=equal(_SHARE_OF_N * HORIZON, NUMBER))
    | concluded("explorations-at-most-share", explored=NUMBER * (_CEILING - 1) <= _FACTOR * SHARE_POWER * HORIZON),
    NUMBER + NUMBER * (_CEILING - 1) <= (_SHARE_OF_N + _FACTOR * SHARE_POWER) * HORIZON,
    (Mutant("without initialization", goal=_FACTOR * SHARE_POWER * HORIZON >= NUMBER + NUMBER * (_CEILING - 1)),),
)
_SHARE_OF_COUNTED = constant("share_of_counted")
_COUNTED_COST = _COUNT_BOUND * ABOVE_SECOND <= _SHARE_OF_COUNTED * HORIZON * ABOVE_SECOND
COUNTED_COST = Obligation(
    "cost-of-counted-payments-by-share",
    "n (c_max - c_(2)) is at most T x (c_max - c_(2)), if n is at most T x",
    _SECOND_AT_MOST | concluded("counted-payments-by-share", counted=_COUNT_BOUND <= _SHARE_OF_COUNTED * HORIZON),
    _COUNTED_COST,
    (Mutant("a second cost above the bound", {"second-at-most-bound": equal(SECOND_COST, COST_BOUND + 1)}),),
)
_SCALED_ROOT_BY_SHARE = _SCALE * ROOT <= _SCALE * ROOT_OF_SHARE * HORIZON
SCALED_ROOT = Obligation(
    "scaled-radius-sum-root-by-share",
    "(1 + gamma) c_max sqrt(2 N (T - N) ln(C T^2)) <= (1 + gamma) c_max T sqrt((2 N/T) ln(C T^2))",
    concluded("radius-sum-root-by-share", root=ROOT <= ROOT_OF_SHARE * HORIZON)
    | concluded("widened-bound", scale_positive=_SCALE > 0),
    _SCALED_ROOT_BY_SHARE,
)
_BY_SHARES = _SHARE_OF_COUNTED * ABOVE_SECOND + _SCALE * ROOT_OF_SHARE
POLYNOMIAL = Obligation(
    "excess-payment-by-shares",
    "the excess until T is at most T times (N/T + k (N/T)^(1 - alpha))(c_max - c_(2)) + d_+ + the root of a share",
    defining(number_positive=NUMBER >= 2)
    | assuming(deviation_non_negative=OVERBID >= 0)
    | concluded("excess-payment-until-horizon", general=_GENERAL)
    | concluded("cost-of-counted-payments-by-share", counted=_COUNTED_COST)
    | concluded("scaled-radius-sum-root-by-share", root=_SCALED_ROOT_BY_SHARE),
    TOTAL <= (_BY_SHARES + OVERBID) * HORIZON,
    (Mutant("without d_+", {"deviation-non-negative": equal(OVERBID, 1)}, goal=TOTAL <= _BY_SHARES * HORIZON),),
)
_SHARES_CHAIN = (CEILING_LESS_ONE, EXPLORATION_SHARE, SQUARE_OF_SHARE, SQUARES_COMPARE, ROOT_BY_SHARE, COUNT_BY_SHARE)
POLYNOMIAL_CHAIN = (*_SHARES_CHAIN, COUNTED_COST, SCALED_ROOT, POLYNOMIAL, AVERAGE)
EXCESS_POLYNOMIAL = Proof(
    "cor:excess-payment-polynomial",
    POLYNOMIAL_CHAIN,
    "thm:excess-payment-general with n = N + N (ceil(g(T)) - 1), which is at most (N/T + k (N/T)^(1 - alpha)) T, and "
    "sqrt(2 N (T - N) ln(C T^2)) at most T times sqrt((2 N/T) ln(C T^2)), divided by T (average-at-most). The "
    "corollary is d_+ = gamma = 0. For T >= N, as the sums before it.",
    uses=("thm:excess-payment-general", "lem:radius-monotone"),
    beyond="The sum over the steps: its steps are proved.",
)
