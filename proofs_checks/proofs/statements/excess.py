"""What the user pays above the second cost until T, in total and on average.

Sources: thm:excess-payment-general, cor:excess-payment-polynomial, and the last sentence of thm:deviation-payment-
convergence. The deviation d_+ and the scale (1 + gamma) c_max of the radii are parameters; the paper's statements are
d_+ = gamma = 0.
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import square_root
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import INT, Term, all_of, constant, constants, equal
from proofs_checks.proofs.language.vocabulary import COST_BOUND, assuming, axiom, concluded, defining
from proofs_checks.proofs.statements.payments import EXCESS, ORDINARY_EXCESS, PAYMENT, SECOND_COST_AT_MOST
from proofs_checks.proofs.statements.regrets import (
    ACCOUNTING,
    CLASSIFIED,
    COUNTED,
    EACH,
    HORIZON,
    NUMBER,
    RADII,
    ROOT,
    SHIFT,
    TOTAL,
    WITH_RADIUS,
)
from proofs_checks.proofs.statements.selection import WIDENED
from proofs_checks.proofs.statements.shared import OVERBID, SECOND_COST, rounded_up, to_real

_SECOND_AT_MOST = concluded("second-cost-at-most-bound", second_at_most_bound=SECOND_COST <= COST_BOUND)
#: c_max - c_(2).
ABOVE_SECOND = COST_BOUND - SECOND_COST
CAPPED = Obligation(
    "excess-of-bound-payment",
    "where c_max is paid, (pi_t - c_(2))^+ = |pi_t - c_(2)| = c_max - c_(2)",
    {**_SECOND_AT_MOST, **defining(bound_paid=equal(PAYMENT, COST_BOUND))},
    all_of(equal(EXCESS, ABOVE_SECOND), PAYMENT - SECOND_COST >= 0),
)
EXPLORATIONS, _CEILING, _TARGET_AT_END = constants("explorations_of_all target_rounded_up_real target_at_end")
_COUNT_BOUND = constant("most_counted")
COUNTED_PAYMENTS = Obligation(
    "initialization-and-exploration",
    "c_max is paid on at most N + N (ceil(g(T)) - 1) steps until T",
    {
        **defining(counted=equal(COUNTED, NUMBER + EXPLORATIONS)),
        **concluded("sum-of-equally-bounded-terms", explored=EXPLORATIONS <= NUMBER * (_CEILING - 1)),
    },
    COUNTED <= NUMBER + NUMBER * (_CEILING - 1),
    (Mutant("without initialization", goal=COUNTED <= NUMBER * (_CEILING - 1)),),
)
_SCALE = constant("cost_scale")
_GENERAL = TOTAL <= _COUNT_BOUND * ABOVE_SECOND + _SCALE * ROOT + OVERBID * (HORIZON - NUMBER)
GENERAL = Obligation(
    "excess-payment-until-horizon",
    "at most n (c_max - c_(2)) + (1 + gamma) c_max sqrt(2 N (T - N) ln(...)) + d_+ (T - N), if c_max is paid n times",
    {
        **_SECOND_AT_MOST,
        **assuming(deviation_non_negative=OVERBID >= 0),
        **concluded("classified-sum-one-more", classified=CLASSIFIED),
        **defining(each=equal(EACH, ABOVE_SECOND), shift=equal(SHIFT, OVERBID)),
        **concluded("initialization-and-exploration", counted=COUNTED <= _COUNT_BOUND),
        **concluded("steps-with-radius-at-most", steps=WITH_RADIUS <= HORIZON - NUMBER),
        **concluded("radius-sum", radii=RADII <= _SCALE * ROOT),
    },
    _GENERAL,
    (
        Mutant("a second cost above the bound", replace={"second-at-most-bound": equal(SECOND_COST, COST_BOUND + 1)}),
        Mutant("without d_+", goal=TOTAL <= _COUNT_BOUND * ABOVE_SECOND + _SCALE * ROOT),
        Mutant(
            "9/10 of the root",
            goal=(TOTAL <= _COUNT_BOUND * ABOVE_SECOND + _SCALE * ROOT * 9 / 10 + OVERBID * (HORIZON - NUMBER)),
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
#: k (N/T)^(1 - alpha) T: at most so many steps explore.
EXPLORATION_SHARE = Obligation(
    "explorations-at-most-share",
    "N (ceil(g(T)) - 1) <= N g(T) = k (N/T)^(1 - alpha) T, for g(T) = k (T/N)^alpha",
    {
        **defining(number_positive=NUMBER >= 2, target=equal(_TARGET_AT_END, _FACTOR * _POWER)),
        **concluded("ceiling-less-one-below", ceiling=_CEILING - 1 < _TARGET_AT_END),
        **axiom("power-product", powers=equal(SHARE_POWER * HORIZON, NUMBER * _POWER)),
    },
    NUMBER * (_CEILING - 1) <= _FACTOR * SHARE_POWER * HORIZON,
)
EXPLORATIONS_BY_SHARE = Obligation(
    "explorations-by-share",
    "at most k (N/T)^(1 - alpha) T steps until T explore",
    {
        **concluded("sum-of-equally-bounded-terms", explored=EXPLORATIONS <= NUMBER * (_CEILING - 1)),
        **concluded("explorations-at-most-share", share=NUMBER * (_CEILING - 1) <= _FACTOR * SHARE_POWER * HORIZON),
    },
    EXPLORATIONS <= _FACTOR * SHARE_POWER * HORIZON,
)
_LOG, ROOT_OF_SHARE, _SCALED_ROOT = constants("log_of_C_T_squared root_of_2_N_log_over_T root_times_horizon")
_SHARE_IS = square_root(ROOT_OF_SHARE, 2 * NUMBER * _LOG / HORIZON)
SQUARE_OF_SHARE = Obligation(
    "root-of-share-squared",
    "(T sqrt((2 N/T) ln(C T^2)))^2 = 2 N T ln(C T^2)",
    {"root-of-share": _SHARE_IS, **defining(product=equal(_SCALED_ROOT, ROOT_OF_SHARE * HORIZON))},
    equal(_SCALED_ROOT * _SCALED_ROOT, 2 * NUMBER * _LOG * HORIZON),
    (Mutant("without T", goal=equal(_SCALED_ROOT * _SCALED_ROOT, 2 * NUMBER * _LOG)),),
)
_SQUARES = ROOT * ROOT <= _SCALED_ROOT * _SCALED_ROOT
SQUARES_COMPARE = Obligation(
    "radius-sum-root-squared-by-share",
    "2 N (T - N) ln(C T^2) <= 2 N T ln(C T^2)",
    {
        "root": square_root(ROOT, 2 * NUMBER * (HORIZON - NUMBER) * _LOG),
        **defining(number_positive=NUMBER >= 2),
        **concluded("radius-logarithm-above-two", logarithm_positive=_LOG > 2),
        **concluded("root-of-share-squared", product=equal(_SCALED_ROOT * _SCALED_ROOT, 2 * NUMBER * _LOG * HORIZON)),
    },
    _SQUARES,
    redundant={"number-positive": "the difference is N^2, never negative, times the logarithm"},
)
ROOT_BY_SHARE = Obligation(
    "radius-sum-root-by-share",
    "sqrt(2 N (T - N) ln(C T^2)) <= T sqrt((2 N/T) ln(C T^2))",
    {
        **concluded("radius-sum-root-squared-by-share", squares=_SQUARES),
        **defining(horizon_positive=HORIZON >= 1, product=equal(_SCALED_ROOT, ROOT_OF_SHARE * HORIZON)),
        "root-of-share": _SHARE_IS,
    },
    ROOT <= ROOT_OF_SHARE * HORIZON,
    (Mutant("a negative root", replace={"root-of-share": _SHARE_IS.formula.arguments[1]}),),
)
_SHARE_OF_N = constant("N_over_T")


def _average(total: Term) -> Obligation:
    """Return the obligation that divides a total that is at most T times something by T."""
    mean, value = constants("average value")
    return Obligation(
        "average-at-most",
        "a total of at most T x is on average at most x",
        {
            **assuming(total=total <= value * HORIZON),
            **defining(horizon_positive=HORIZON >= 1, average=equal(mean * HORIZON, total)),
        },
        mean <= value,
    )


AVERAGE = _average(TOTAL)
COUNT_BY_SHARE = Obligation(
    "counted-payments-by-share",
    "N + N (ceil(g(T)) - 1) is at most (N/T + k (N/T)^(1 - alpha)) T",
    {
        **defining(share=equal(_SHARE_OF_N * HORIZON, NUMBER)),
        **concluded("explorations-at-most-share", explored=NUMBER * (_CEILING - 1) <= _FACTOR * SHARE_POWER * HORIZON),
    },
    NUMBER + NUMBER * (_CEILING - 1) <= (_SHARE_OF_N + _FACTOR * SHARE_POWER) * HORIZON,
    (Mutant("without initialization", goal=_FACTOR * SHARE_POWER * HORIZON >= NUMBER + NUMBER * (_CEILING - 1)),),
)
_SHARE_OF_COUNTED = constant("share_of_counted")
_COUNTED_COST = _COUNT_BOUND * ABOVE_SECOND <= _SHARE_OF_COUNTED * HORIZON * ABOVE_SECOND
COUNTED_COST = Obligation(
    "cost-of-counted-payments-by-share",
    "n (c_max - c_(2)) is at most T x (c_max - c_(2)), if n is at most T x",
    {**_SECOND_AT_MOST, **concluded("counted-payments-by-share", counted=_COUNT_BOUND <= _SHARE_OF_COUNTED * HORIZON)},
    _COUNTED_COST,
    (Mutant("a second cost above the bound", replace={"second-at-most-bound": equal(SECOND_COST, COST_BOUND + 1)}),),
)
_SCALED_ROOT_BY_SHARE = _SCALE * ROOT <= _SCALE * ROOT_OF_SHARE * HORIZON
SCALED_ROOT = Obligation(
    "scaled-radius-sum-root-by-share",
    "(1 + gamma) c_max sqrt(2 N (T - N) ln(C T^2)) <= (1 + gamma) c_max T sqrt((2 N/T) ln(C T^2))",
    {
        **concluded("radius-sum-root-by-share", root=ROOT <= ROOT_OF_SHARE * HORIZON),
        **concluded("widened-bound", scale_positive=_SCALE > 0),
    },
    _SCALED_ROOT_BY_SHARE,
)
POLYNOMIAL = Obligation(
    "excess-payment-by-shares",
    "the excess until T is at most T times (N/T + k (N/T)^(1 - alpha))(c_max - c_(2)) + d_+ + the root of a share",
    {
        **defining(number_positive=NUMBER >= 2),
        **assuming(deviation_non_negative=OVERBID >= 0),
        **concluded("excess-payment-until-horizon", general=_GENERAL),
        **concluded("cost-of-counted-payments-by-share", counted=_COUNTED_COST),
        **concluded("scaled-radius-sum-root-by-share", root=_SCALED_ROOT_BY_SHARE),
    },
    TOTAL <= (_SHARE_OF_COUNTED * ABOVE_SECOND + _SCALE * ROOT_OF_SHARE + OVERBID) * HORIZON,
    (
        Mutant(
            "without d_+",
            replace={"deviation-non-negative": equal(OVERBID, 1)},
            goal=(TOTAL <= (_SHARE_OF_COUNTED * ABOVE_SECOND + _SCALE * ROOT_OF_SHARE) * HORIZON),
        ),
    ),
)
POLYNOMIAL_CHAIN = (
    CEILING_LESS_ONE,
    EXPLORATION_SHARE,
    SQUARE_OF_SHARE,
    SQUARES_COMPARE,
    ROOT_BY_SHARE,
    COUNT_BY_SHARE,
    COUNTED_COST,
    SCALED_ROOT,
    POLYNOMIAL,
    AVERAGE,
)
EXCESS_POLYNOMIAL = Proof(
    "cor:excess-payment-polynomial",
    POLYNOMIAL_CHAIN,
    "thm:excess-payment-general with n = N + N (ceil(g(T)) - 1), which is at most (N/T + k (N/T)^(1 - alpha)) T, and "
    "sqrt(2 N (T - N) ln(C T^2)) at most T times sqrt((2 N/T) ln(C T^2)), divided by T (average-at-most). The "
    "corollary is d_+ = gamma = 0. For T >= N, as the sums before it.",
    uses=("thm:excess-payment-general", "lem:radius-monotone"),
)
