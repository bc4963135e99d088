"""The payments converge to the second cost: the deviation of each step, its sum until T, its average, its rate.

Sources: thm:payment-convergence, thm:regret, thm:deviation-payment-convergence, cor:optimal-alpha, and the sentence on
the rate after thm:regret. The deviations d_-, d_+ and the scale (1 + gamma) c_max are parameters, and so are what an
early step contributes and how many radii the band of payments has. First how fast the radii at the target shrink, and
what they add up to: beta(g(t)) <= B v_t, and the sum of the v_t by induction instead of an integral. v_t stands for
(N/t)^(alpha/2), P_t for (t/N)^alpha, g(t) = k P_t, B^2 = ln(C g(T)^2)/(2 k).
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import (
    log_monotone,
    power_of_ratio_monotone,
    power_product,
    power_tangent,
    root_non_negative,
    square_root,
)
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    Term,
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
from proofs_checks.proofs.language.vocabulary import COST_BOUND, assuming, concluded, defining, induction, within
from proofs_checks.proofs.statements.payments import PAYMENT, TARGET_RADIUS, TWO_SIDED_WITH_THREE, band
from proofs_checks.proofs.statements.radii import LOG_OF_ONE
from proofs_checks.proofs.statements.regrets import (
    ABOVE_SECOND,
    AVERAGE,
    CAPPED,
    CEILING_LESS_ONE,
    EXPLORATION_SHARE,
    EXPLORATIONS,
    EXPLORATIONS_BY_SHARE,
    GENERAL_CHAIN,
    HORIZON,
    NUMBER,
    POLYNOMIAL_CHAIN,
    SHARE_POWER,
    TERM,
    TOTAL,
    together,
)
from proofs_checks.proofs.statements.selection import WIDENED
from proofs_checks.proofs.statements.shared import OVERBID, SECOND_COST, UNDERBID

FACTOR, _POWER, _POWER_AT_END, _BETA = constants("target_factor ratio_to_alpha horizon_ratio_to_alpha beta_at_target")
_TARGET, _TARGET_AT_END = constants("target_now target_at_end")
#: v_t, and B = sqrt(ln(C g(T)^2) / (2 k)).
DECAY, _WIDTH = constants("N_over_t_to_half_alpha width_of_radii")
_LOG_C, _LOG_TARGET, _LOG_AT_END = constants("log_of_C log_of_target log_of_target_at_end")
_FACTOR_POSITIVE = assuming(factor_positive=FACTOR > 0)
_STEP, ALPHA = constants("step alpha")
_NOT_ABOVE_END = _TARGET <= _TARGET_AT_END
TARGET_GROWS = Obligation(
    "target-until-horizon",
    "g(t) <= g(T) for t <= T",
    defining(target=equal(_TARGET, FACTOR * _POWER), target_at_end=equal(_TARGET_AT_END, FACTOR * _POWER_AT_END))
    | _FACTOR_POSITIVE
    | assuming(until_horizon=_STEP <= HORIZON)
    | {"powers": power_of_ratio_monotone(_STEP, _POWER, HORIZON, _POWER_AT_END, ALPHA, NUMBER)}
    | defining(power=implies(equal(_STEP, HORIZON), equal(_POWER, _POWER_AT_END))),
    _NOT_ABOVE_END,
)
_SQUARED_WIDTH = (_LOG_C + 2 * _LOG_AT_END) / (2 * FACTOR)
_WIDTH_SQUARED = equal(2 * FACTOR * _WIDTH * _WIDTH, _LOG_C + 2 * _LOG_AT_END)
WIDTH_SQUARED = Obligation(
    "width-of-radii-squared",
    "2 k B^2 = ln(C g(T)^2)",
    {"width": square_root(_WIDTH, _SQUARED_WIDTH)} | _FACTOR_POSITIVE,
    _WIDTH_SQUARED,
    (Mutant("without the 2", goal=(equal(FACTOR * _WIDTH * _WIDTH, _LOG_C + 2 * _LOG_AT_END))),),
)
_SQUARES = _POWER * _BETA * _BETA <= _WIDTH * _WIDTH
RADIUS_TIMES_POWER = Obligation(
    "radius-at-target-times-power",
    "P_t beta(g(t))^2 <= B^2",
    _FACTOR_POSITIVE
    | defining(target=equal(_TARGET, FACTOR * _POWER))
    | concluded("radius-squared", radius=equal(2 * _TARGET * _BETA * _BETA, _LOG_C + 2 * _LOG_TARGET))
    | concluded("target-until-horizon", until_horizon=_NOT_ABOVE_END)
    | {"logarithms": log_monotone(_TARGET, _LOG_TARGET, _TARGET_AT_END, _LOG_AT_END)}
    | concluded("width-of-radii-squared", width=_WIDTH_SQUARED),
    _SQUARES,
)
_PRODUCT = constant("width_times_decay")
RADIUS_SQUARED = Obligation(
    "radius-at-target-squared-by-decay",
    "beta(g(t))^2 <= (B v_t)^2, since v_t^2 P_t = 1",
    {
        "decay": power_product(
            DECAY * DECAY * _POWER,
            number(1),
            {DECAY: power(NUMBER / _STEP, ALPHA / 2), _POWER: power(_STEP / NUMBER, ALPHA)},
        )
    }
    | defining(decay_positive=DECAY > 0, product=equal(_PRODUCT, _WIDTH * DECAY))
    | concluded("radius-at-target-times-power", squares=_SQUARES),
    _BETA * _BETA <= _PRODUCT * _PRODUCT,
    redundant={"decay-positive": "only the square of v_t matters"},
)
RADIUS_BY_DECAY = Obligation(
    "radius-at-target-by-decay",
    "beta(g(t)) <= B v_t",
    concluded("radius-at-target-squared-by-decay", squares=_BETA * _BETA <= _PRODUCT * _PRODUCT)
    | {"width": root_non_negative(_WIDTH, _SQUARED_WIDTH)}
    | defining(decay_positive=DECAY > 0, product=equal(_PRODUCT, _WIDTH * DECAY)),
    _BETA <= _WIDTH * DECAY,
)
_SCALE, _BAND = constants("cost_scale radii_of_band")
#: F.
COEFFICIENT = constant("coefficient_of_decay")
RADII_BY_DECAY = Obligation(
    "band-radii-by-decay",
    "n R = n (1 + gamma) c_max beta(g(t)) <= F v_t, for F = n (1 + gamma) c_max B; n is 3 in the paper, 2 in truth",
    concluded("widened-bound", scale_positive=_SCALE > 0)
    | concluded("radius-at-target-by-decay", radius=_BETA <= _WIDTH * DECAY)
    | defining(
        target_radius=equal(TARGET_RADIUS, _SCALE * _BETA), coefficient=equal(COEFFICIENT, _BAND * _SCALE * _WIDTH)
    )
    | defining(band_positive=_BAND >= 0),
    _BAND * TARGET_RADIUS <= COEFFICIENT * DECAY,
    (Mutant("a radius less", {"coefficient": equal(COEFFICIENT, (_BAND - 1) * _SCALE * _WIDTH)}),),
)
_BASE, _EXPONENT, _VALUE, _LOG = constants("base exponent value_of_power log_of_base")
_IN_UNIT = all_of(_EXPONENT > 0, _EXPONENT < 1)
BERNOULLI = Obligation(
    "bernoulli",
    "u^s <= 1 + s (u - 1) for 0 < s < 1, u > 0: two tangents of exp at s ln u",
    assuming(exponent=_IN_UNIT)
    | {
        "at-one": power_tangent(_VALUE, _EXPONENT, _BASE, _LOG, 1),
        "at-zero": power_tangent(_VALUE, _EXPONENT, _BASE, _LOG, 0),
    },
    _VALUE <= 1 + _EXPONENT * (_BASE - 1),
    (
        Mutant("an exponent above 1", {"exponent": _EXPONENT > 0}),
        Mutant("a negative exponent", {"exponent": _EXPONENT < 1}),
    ),
)
#: Sum of v_1, ..., v_t; W_t = v_t t, which is N^p t^(1 - p) for p = alpha/2; s = 1 - p.
DECAYS, _ALL, _NEXT_ALL, _NEXT_DECAY = constants("sum_of_decays decay_times_step next_decay_times_step next_decay")
_RATIO, _NEXT_STEP = constants("ratio_of_steps next_step")
_SUMMED = _EXPONENT * DECAYS <= _ALL
DECAYS_BASE = Obligation(
    "sum-of-decays-first",
    "s v_1 <= v_1 for s <= 1",
    assuming(exponent=_IN_UNIT) | defining(first=equal(DECAYS, _ALL), positive=_ALL > 0),
    _SUMMED,
    (Mutant("an exponent above 1", {"exponent": _EXPONENT > 0}),),
)
DECAYS_STEP = Obligation(
    "sum-of-decays-one-more",
    "s (v_1 + ... + v_t) <= v_t t implies the same for t + 1: instead of an integral",
    induction(_SUMMED, base="sum-of-decays-first")
    | {
        "power": power_product(
            _ALL,
            _VALUE * _NEXT_ALL,
            {
                _ALL: power(NUMBER, 1 - _EXPONENT) * power(_RATIO * _NEXT_STEP, _EXPONENT),
                _VALUE: power(_RATIO, _EXPONENT),
                _NEXT_ALL: power(NUMBER, 1 - _EXPONENT) * power(_NEXT_STEP, _EXPONENT),
            },
        )
    }
    | concluded("bernoulli", bernoulli=_VALUE <= 1 + _EXPONENT * (_RATIO - 1))
    | concluded("decay-by-ratio-of-steps", ratio=equal((_RATIO - 1) * _NEXT_ALL, -_NEXT_DECAY))
    | defining(positive=_NEXT_ALL > 0),
    _EXPONENT * (DECAYS + _NEXT_DECAY) <= _NEXT_ALL,
)
RATIO = Obligation(
    "decay-by-ratio-of-steps",
    "(u - 1) W_{t+1} = -v_{t+1}, for u = t/(t + 1) and W_{t+1} = v_{t+1} (t + 1)",
    defining(
        next_step=_NEXT_STEP >= 1,
        ratio=equal(_RATIO, (_NEXT_STEP - 1) / _NEXT_STEP),
        times_step=equal(_NEXT_ALL, _NEXT_DECAY * _NEXT_STEP),
    ),
    equal((_RATIO - 1) * _NEXT_ALL, -_NEXT_DECAY),
)
_DECAY_AT_END, LAST = constants("N_over_T_to_half_alpha last_term")
#: The last term: 2 F v_T / (2 - alpha).
_LAST_IS = defining(last_term=equal((2 - ALPHA) * LAST, 2 * COEFFICIENT * _DECAY_AT_END))
DECAYS_TOTAL = Obligation(
    "sum-of-decays-until-horizon",
    "(2 - alpha)(v_1 + ... + v_T) <= 2 v_T T: s = 1 - alpha/2",
    defining(exponent=equal(_EXPONENT, 1 - ALPHA / 2), times_step=equal(_ALL, _DECAY_AT_END * HORIZON))
    | concluded("sum-of-decays-one-more", summed=_SUMMED),
    (2 - ALPHA) * DECAYS <= 2 * _DECAY_AT_END * HORIZON,
    (Mutant("1 for 2", goal=(2 - ALPHA) * DECAYS <= _DECAY_AT_END * HORIZON),),
)
LAST_BOUND = COEFFICIENT * DECAYS <= LAST * HORIZON
LAST_TERM = Obligation(
    "last-term-times-horizon",
    "F (v_1 + ... + v_T) <= T 2 F v_T/(2 - alpha)",
    assuming(alpha=all_of(ALPHA > 0, ALPHA < 1))
    | _LAST_IS
    | defining(coefficient_non_negative=COEFFICIENT >= 0)
    | concluded("sum-of-decays-until-horizon", decays=(2 - ALPHA) * DECAYS <= 2 * _DECAY_AT_END * HORIZON),
    LAST_BOUND,
)
_ROOT_AT_END = constant("root_of_last_term")
_ROOT_IS = defining(product=equal(_ROOT_AT_END, _WIDTH * _DECAY_AT_END))
_ROOT_SQUARED = equal(_ROOT_AT_END * _ROOT_AT_END, _WIDTH * _WIDTH * _DECAY_AT_END * _DECAY_AT_END)
ROOT_SQUARED = Obligation("root-of-last-term-squared", "(B v_T)^2 = B^2 v_T^2", _ROOT_IS, _ROOT_SQUARED)
_LOG_OF_END = _LOG_C + 2 * _LOG_AT_END
_TIMES_FACTOR = equal(2 * FACTOR * _ROOT_AT_END * _ROOT_AT_END, _DECAY_AT_END * _DECAY_AT_END * _LOG_OF_END)
ROOT_TIMES_FACTOR = Obligation(
    "root-of-last-term-times-factor",
    "2 k (B v_T)^2 = v_T^2 ln(C g(T)^2)",
    concluded("root-of-last-term-squared", squared=_ROOT_SQUARED)
    | concluded("width-of-radii-squared", width=_WIDTH_SQUARED),
    _TIMES_FACTOR,
)
_ROOT_OF = constant("argument_of_root")
LAST_TERM_ROOT = Obligation(
    "last-term-is-root",
    "(B v_T)^2 = (1/(2 k)) (N/T)^alpha ln(C g(T)^2): B v_T is the root in the last term",
    _FACTOR_POSITIVE
    | concluded("root-of-last-term-times-factor", times_factor=_TIMES_FACTOR)
    | defining(argument=equal(_ROOT_OF, _DECAY_AT_END * _DECAY_AT_END * _LOG_OF_END)),
    equal(_ROOT_AT_END * _ROOT_AT_END, 1 / (2 * FACTOR) * _ROOT_OF),
    (Mutant("without the 2", goal=equal(_ROOT_AT_END * _ROOT_AT_END, 1 / FACTOR * _ROOT_OF)),),
)
#: Obligations: the radius of a step by its decay; the sum of the decays; the last term of the theorem.
_ONE_RADIUS = (TARGET_GROWS, WIDTH_SQUARED, RADIUS_TIMES_POWER, RADIUS_SQUARED, RADIUS_BY_DECAY)
RADII_CHAIN = (*_ONE_RADIUS, WIDENED, RADII_BY_DECAY)
_SUM_OF_DECAYS = (BERNOULLI, DECAYS_BASE, RATIO, DECAYS_STEP, DECAYS_TOTAL)
SUM_CHAIN = (*_SUM_OF_DECAYS, LAST_TERM, ROOT_SQUARED, ROOT_TIMES_FACTOR, LAST_TERM_ROOT)


_ABOVE = PAYMENT - SECOND_COST
#: |pi_t - c_(2)|, and what it may exceed a radius by.
_DISTANCE = either(_ABOVE >= 0, _ABOVE, -_ABOVE)
_LARGER = at_least(UNDERBID, OVERBID)
_SIDES = assuming(deviations_non_negative=all_of(UNDERBID >= 0, OVERBID >= 0))
_SECOND_IN_RANGE = concluded("second-cost-at-most-bound", second=within(0, SECOND_COST, COST_BOUND))


def each_side(bound: Term) -> Term:
    """Return that pi_t is at most a bound and d_+ above c_(2), d_- below it, the larger of them away from it.

    Examples
    --------
    >>> str(each_side(COST_BOUND).arguments[1])
    '(>= (+ cost_bound overbid) (- payment second_cost))'
    """
    return all_of(bound + _LARGER >= _DISTANCE, bound + OVERBID >= _ABOVE, bound + UNDERBID >= -_ABOVE)


EARLY = Obligation(
    "early-deviation",
    "on any step |pi_t - c_(2)| <= c_max + max{d_-, d_+}: with d_- = d_+ = 0 it is lem:payment-range",
    _SIDES
    | _SECOND_IN_RANGE
    | concluded("payment-range-under-deviations", payment=within(-UNDERBID, PAYMENT, COST_BOUND)),
    each_side(COST_BOUND),
    (Mutant("without the deviations, as appendix C uses it", goal=_DISTANCE <= COST_BOUND),),
)
EXPLORED = Obligation(
    "exploration-deviation",
    "where c_max is paid, pi_t - c_(2) = c_max - c_(2), whatever the deviations",
    _SIDES | _SECOND_IN_RANGE | concluded("excess-of-bound-payment", paid=equal(_ABOVE, ABOVE_SECOND)),
    each_side(ABOVE_SECOND),
)
ORDINARY = Obligation(
    "auction-deviation",
    "in an auction after T_0 |pi_t - c_(2)| <= 3 R + max{d_-, d_+}",
    defining(target_radius_non_negative=TARGET_RADIUS >= 0) | concluded("two-sided-payment", two_sided=band(3)),
    each_side(3 * TARGET_RADIUS),
    (
        Mutant("d_+ alone", goal=_DISTANCE <= 3 * TARGET_RADIUS + OVERBID),
        Mutant("d_- alone", goal=_DISTANCE <= 3 * TARGET_RADIUS + UNDERBID),
        Mutant("2 from a band of 3", goal=_DISTANCE <= 2 * TARGET_RADIUS + _LARGER),
    ),
)

#: How many steps until t were at most T_0; T_0.
_EARLY_STEPS, _NEXT_EARLY, _START = constants("early_steps next_early_steps T0")
_IS_EARLY, _EXPLORES = constants("is_early explores", BOOL)
_ONE_IF_EARLY = either(_IS_EARLY, 1, 0)
_EARLY_ARE_FEW = all_of(_EARLY_STEPS <= _STEP, _EARLY_STEPS <= _START)
EARLY_BASE = Obligation(
    "early-steps-none",
    "before the first step there is no early one",
    defining(none_early=equal(_EARLY_STEPS, 0), no_steps=equal(_STEP, 0)) | assuming(start=_START >= 0),
    _EARLY_ARE_FEW,
    (Mutant("a negative T_0", {"start": _START < 0}),),
)
EARLY_STEPS = Obligation(
    "early-steps-at-most-T0",
    "at most T_0 steps until t are at most T_0, step",
    induction(_EARLY_ARE_FEW, base="early-steps-none")
    | defining(early=equal(_IS_EARLY, _STEP + 1 <= _START), counted=equal(_NEXT_EARLY, _EARLY_STEPS + _ONE_IF_EARLY)),
    all_of(_NEXT_EARLY <= _STEP + 1, _NEXT_EARLY <= _START),
)
#: What an early step contributes at most: c_max.
_EARLY_EACH = constant("bound_of_early_term")
_IN_BAND = constant("radii_in_band_now")
_SHIFT, _NEXT_TOTAL, _NEXT_EXPLORATIONS = constants("shift_of_each next_total next_explorations_of_all")
_ALL_STEPS = constant("steps")


def _partitioned(total: Term, early: Term, explorations: Term, decays: Term, steps: Term) -> Term:
    """Return S <= n E + x (c_max - c_(2)) + F V + D t."""
    return total <= early * _EARLY_EACH + explorations * ABOVE_SECOND + COEFFICIENT * decays + _SHIFT * steps


_PARTITIONED = _partitioned(TOTAL, _EARLY_STEPS, EXPLORATIONS, DECAYS, _ALL_STEPS)
_IS_AUCTION = ~any_of(_IS_EARLY, _EXPLORES)
PARTITION = Obligation(
    "deviations-by-kind-of-step",
    "R_1: at most E, R_2: at most c_max - c_(2), R_3: at most F v_t, each with D besides; step",
    induction(_PARTITIONED, base="deviations-of-no-step")
    | concluded("early-deviation", early=implies(_IS_EARLY, TERM <= _EARLY_EACH + _SHIFT))
    | concluded("exploration-deviation", explored=implies(all_of(_EXPLORES, ~_IS_EARLY), TERM <= ABOVE_SECOND + _SHIFT))
    | concluded("auction-deviation", auction=implies(_IS_AUCTION, TERM <= _IN_BAND + _SHIFT))
    | concluded("band-radii-by-decay", radii=implies(_IS_AUCTION, _IN_BAND <= COEFFICIENT * DECAY))
    | defining(coefficient_non_negative=COEFFICIENT >= 0, decay_positive=DECAY > 0)
    | defining(
        total=equal(_NEXT_TOTAL, TOTAL + TERM),
        early_steps=equal(_NEXT_EARLY, _EARLY_STEPS + _ONE_IF_EARLY),
        explorations=equal(_NEXT_EXPLORATIONS, EXPLORATIONS + either(all_of(_EXPLORES, ~_IS_EARLY), 1, 0)),
    ),
    _partitioned(_NEXT_TOTAL, _NEXT_EARLY, _NEXT_EXPLORATIONS, DECAYS + DECAY, _ALL_STEPS + 1),
)
PARTITION_BASE = Obligation(
    "deviations-of-no-step",
    "before the first step both sides are 0",
    defining(
        no_terms=equal(TOTAL, 0),
        none_early=equal(_EARLY_STEPS, 0),
        none_explored=equal(EXPLORATIONS, 0),
        no_decays=equal(DECAYS, 0),
        no_steps=equal(_ALL_STEPS, 0),
    ),
    _PARTITIONED,
)
_SHARE_OF_START = constant("T0_over_T")
_AVERAGE_BOUND = _SHARE_OF_START * _EARLY_EACH + FACTOR * SHARE_POWER * ABOVE_SECOND + LAST + _SHIFT
_EARLY_COST = _EARLY_STEPS * _EARLY_EACH <= _SHARE_OF_START * HORIZON * _EARLY_EACH
EARLY_COST = Obligation(
    "early-deviations-until-horizon",
    "at most T_0 times E",
    defining(early_non_negative=_EARLY_EACH >= 0, share=equal(_SHARE_OF_START * HORIZON, _START))
    | concluded("early-steps-at-most-T0", early_steps=_EARLY_STEPS <= _START),
    _EARLY_COST,
)
_EXPLORATION_COST = EXPLORATIONS * ABOVE_SECOND <= FACTOR * SHARE_POWER * HORIZON * ABOVE_SECOND
EXPLORATION_COST = Obligation(
    "exploration-deviations-until-horizon",
    "at most k (N/T)^(1 - alpha) T times c_max - c_(2)",
    _SECOND_IN_RANGE | concluded("explorations-by-share", explorations=EXPLORATIONS <= FACTOR * SHARE_POWER * HORIZON),
    _EXPLORATION_COST,
    (Mutant("any second cost", {"second": equal(SECOND_COST, COST_BOUND + 1)}),),
)
ASSEMBLED = Obligation(
    "deviations-until-horizon",
    "the deviations until T add up to at most T times (T_0/T) E + k (N/T)^(1-alpha)(c_max - c_(2)) + the last term + D",
    concluded("deviations-by-kind-of-step", partitioned=_PARTITIONED)
    | concluded("early-deviations-until-horizon", early=_EARLY_COST)
    | concluded("exploration-deviations-until-horizon", explorations=_EXPLORATION_COST)
    | concluded("last-term-times-horizon", last_term=LAST_BOUND)
    | defining(steps=equal(_ALL_STEPS, HORIZON)),
    TOTAL <= _AVERAGE_BOUND * HORIZON,
    (Mutant("without D", goal=TOTAL <= (_AVERAGE_BOUND - _SHIFT) * HORIZON),),
)
_EXPLORATIONS_CHAIN = (CEILING_LESS_ONE, EXPLORATION_SHARE, EXPLORATIONS_BY_SHARE)
_KINDS_OF_STEPS = (EARLY_BASE, EARLY_STEPS, PARTITION_BASE, PARTITION, *_EXPLORATIONS_CHAIN)
_COSTS = (EARLY_COST, EXPLORATION_COST, ASSEMBLED, AVERAGE)
CHAIN = (EARLY, CAPPED, EXPLORED, *RADII_CHAIN, *SUM_CHAIN, *_KINDS_OF_STEPS, *_COSTS)
COMPOSITION = (
    "Steps t <= T_0, which include initialization, are R_1; later steps, on E, have somebody eligible, so they "
    "explore (R_2) or are auctions (R_3). Induction on t adds up what each contributes, with D besides; the v_t by "
    "induction from t = 1 (Bernoulli for t/(t + 1)); R_2 has at most N (ceil(g(T)) - 1) steps "
    "(sum-of-equally-bounded-terms). The sum of the v_t runs over all steps, as they are positive. Divided by T "
    "(average-at-most). v_T^2 = (N/T)^alpha, and ln(C g(T)^2) is the logarithm in the last term."
)
USES = (
    "lem:good-event",
    "lem:radius-inversion",
    "lem:qualified-eligibility",
    "lem:forced-exploration-bound",
    "lem:payment-range:repaired",
    "lem:deviation-payment",
)
_PAPER = "The largest error is c_max, and the band is of 3 radii. "
_NO_INTEGRAL = (
    "The paper bounds the sum of t^(-alpha/2) by an integral. Here an induction over the steps bounds it, by the "
    "inequality of Bernoulli."
)
PAYMENT_CONVERGENCE = Proof(
    "thm:payment-convergence",
    (TWO_SIDED_WITH_THREE, ORDINARY, *CHAIN),
    f"The first claim is two-sided-payment. The second, with d_- = d_+ = gamma = 0: {_PAPER}{COMPOSITION}",
    uses=USES,
    unlike_paper=_NO_INTEGRAL,
    beyond="The sums over the steps, whose steps are proved; that beta(g(t)) tends to 0, hence pi_t to c_(2) "
    "along the auctions.",
)
REGRET = Proof(
    "thm:regret",
    (ORDINARY, *CHAIN),
    f"The second claim of thm:payment-convergence. {_PAPER}{COMPOSITION}",
    uses=("thm:payment-convergence",),
    unlike_paper=_NO_INTEGRAL,
    beyond="The sums over the steps, whose steps are proved; that the right side tends to 0 as T grows, hence "
    "the average payment to c_(2).",
)
DEVIATION_CONVERGENCE = Proof(
    "thm:deviation-payment-convergence",
    together((ORDINARY,), CHAIN, GENERAL_CHAIN, POLYNOMIAL_CHAIN),
    f"D = max{{d_-, d_+}}. {_PAPER}{COMPOSITION} The limits: the same sums for pi_t - c_(2), D = d_+, and c_(2) - "
    "pi_t, D = d_- (early-, exploration- and auction-deviation bound all three). The excess is "
    "cor:excess-payment-polynomial with d_+.",
    uses=(*USES, "cor:excess-payment-polynomial"),
    unlike_paper=f"{_NO_INTEGRAL} The paper bounds the steps of R_1 by lem:payment-range, which needs bids in [0, "
    "c_max]. Here lem:payment-range:repaired does: a step contributes c_max + max{d_-, d_+}, and the second part is "
    "charged anyway.",
    beyond="The sums over the steps, whose steps are proved; that the other terms tend to 0 as T grows, which "
    "gives the limits inferior and superior.",
)


def _rate(alpha: Term) -> Term:
    """Return min{1 - alpha, alpha/2}."""
    return either(1 - alpha <= alpha / 2, 1 - alpha, alpha / 2)


_THIRD, _TWO_THIRDS = Fraction(1, 3), Fraction(2, 3)
BEST_RATE = Obligation(
    "rate-exponent-at-most-a-third",
    "min{1 - alpha, alpha/2} <= 1/3",
    {},
    _rate(ALPHA) <= _THIRD,
    (Mutant("3/10 for 1/3", goal=_rate(ALPHA) <= Fraction(3, 10)), Mutant("strictly", goal=_rate(ALPHA) < _THIRD)),
)
BEST_ALPHA = Obligation(
    "rate-exponent-best-at-two-thirds",
    "it is 1/3 at alpha = 2/3 and nowhere else",
    {},
    equal(equal(_rate(ALPHA), _THIRD), equal(ALPHA, _TWO_THIRDS)),
    (Mutant("1/2 for 2/3", goal=equal(equal(_rate(ALPHA), _THIRD), equal(ALPHA, Fraction(1, 2)))),),
)
_LOG_T, _RATE, _FASTER, _LOG_ONE = constants("log_of_horizon rate_exponent faster_exponent log_of_1")
_FASTER_EXPONENT = any_of(equal(_FASTER, 1), equal(_FASTER, 1 - ALPHA), equal(_FASTER, ALPHA / 2))
SLOWEST = Obligation(
    "rate-exponent-is-slowest",
    "T^-1, T^-(1-alpha) and T^-(alpha/2) are at most T^-min{1-alpha, alpha/2} for T >= 1: in logarithms",
    defining(rate=equal(_RATE, _rate(ALPHA)), faster=_FASTER_EXPONENT, horizon=HORIZON >= 1)
    | {"one": LOG_OF_ONE, "logarithm": log_monotone(number(1), _LOG_ONE, HORIZON, _LOG_T)},
    -_FASTER * _LOG_T <= -_RATE * _LOG_T,
    (Mutant("the larger exponent", {"rate": equal(_RATE, at_least(1 - ALPHA, ALPHA / 2))}),),
)
_CONSTANT_LOG, _LOG_FACTOR = constants("constant_of_logarithm log_factor")
LOG_ORDER = Obligation(
    "logarithm-of-order-log-T",
    "X + 2 alpha ln T <= (max{X, 0} + 2 alpha) ln T once ln T >= 1: the logarithm in the last term is O(ln T)",
    assuming(large=_LOG_T >= 1) | defining(factor=equal(_LOG_FACTOR, at_least(_CONSTANT_LOG, 0))),
    _CONSTANT_LOG + 2 * ALPHA * _LOG_T <= (_LOG_FACTOR + 2 * ALPHA) * _LOG_T,
    (Mutant("without X", {"factor": equal(_LOG_FACTOR, 0)}),),
)
_AMOUNT, _QUICK, _SLOW, _ROOT_LOG = constants("amount quicker_power slower_power root_of_log")
TERM_ORDER = Obligation(
    "term-of-order",
    "a T^-e <= a T^-min sqrt(ln T) for a >= 0, sqrt(ln T) >= 1, T^-e <= T^-min",
    assuming(amount_non_negative=_AMOUNT >= 0, large=_ROOT_LOG >= 1)
    | concluded("rate-exponent-is-slowest", slower=_QUICK <= _SLOW)
    | defining(power_positive=_SLOW > 0),
    _AMOUNT * _QUICK <= _AMOUNT * _SLOW * _ROOT_LOG,
)
LOG_TERM_ORDER = Obligation(
    "term-with-root-of-order",
    "a T^-e sqrt(ln T) <= a T^-min sqrt(ln T)",
    assuming(amount_non_negative=_AMOUNT >= 0, root_non_negative=_ROOT_LOG >= 0)
    | concluded("rate-exponent-is-slowest", slower=_QUICK <= _SLOW),
    _AMOUNT * _QUICK * _ROOT_LOG <= _AMOUNT * _SLOW * _ROOT_LOG,
)
_CHAIN = (BEST_RATE, BEST_ALPHA, SLOWEST, LOG_ORDER, TERM_ORDER, LOG_TERM_ORDER)
_BEYOND = "From logarithms of powers to powers (exp is increasing), and O from an inequality with a constant."
OPTIMAL_ALPHA = Proof(
    "cor:optimal-alpha",
    _CHAIN,
    "For ln T >= 1 each of the three terms of thm:payment-convergence is a constant (free of T) times T^-e, the "
    "last with sqrt(ln T) besides, for e = 1, 1 - alpha, alpha/2; so their sum is at most the sum of the constants "
    "times T^-min{1-alpha, alpha/2} sqrt(ln T). The exponent is largest at alpha = 2/3.",
    uses=("thm:payment-convergence",),
    unlike_paper="The paper takes the alpha where the falling 1 - alpha meets the growing alpha/2. Here min{1 - alpha, "
    "alpha/2} <= 1/3 is proved for every alpha, with equality at 2/3 alone.",
    beyond=_BEYOND,
)
RATE = Proof(
    "claim:rate-after-thm-regret",
    _CHAIN,
    "max{T^-(1-alpha), T^-(alpha/2)} is T^-min{1-alpha, alpha/2}: cor:optimal-alpha.",
    uses=("cor:optimal-alpha",),
    beyond=_BEYOND,
)
