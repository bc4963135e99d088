"""How fast the radii at the target shrink, and what they add up to until T.

For thm:payment-convergence: beta(g(t)) <= B v_t, and the sum of the v_t by induction instead of an integral. v_t
stands for (N/t)^(alpha/2), P_t for (t/N)^alpha, g(t) = k P_t, B^2 = ln(C g(T)^2)/(2 k).
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import exp_tangent, log_monotone, power_product, square_root
from proofs_checks.proofs.language.obligation import Mutant, Obligation
from proofs_checks.proofs.language.terms import all_of, constant, constants, equal, implies, number
from proofs_checks.proofs.language.vocabulary import assuming, axiom, concluded, defining, induction
from proofs_checks.proofs.statements.accounting import HORIZON
from proofs_checks.proofs.statements.payments import TARGET_RADIUS
from proofs_checks.proofs.statements.selection import WIDENED

FACTOR, _POWER, _POWER_AT_END, _BETA = constants("target_factor ratio_to_alpha horizon_ratio_to_alpha beta_at_target")
_TARGET, _TARGET_AT_END = constants("target_now target_at_end")
#: v_t, and B = sqrt(ln(C g(T)^2) / (2 k)).
DECAY, _WIDTH = constants("N_over_t_to_half_alpha width_of_radii")
_LOG_C, _LOG_TARGET, _LOG_AT_END = constants("log_of_C log_of_target log_of_target_at_end")
_TARGETS = defining(target=equal(_TARGET, FACTOR * _POWER), target_at_end=equal(_TARGET_AT_END, FACTOR * _POWER_AT_END))
_FACTOR_POSITIVE = assuming(factor_positive=FACTOR > 0)
_STEP = constant("step")
_NOT_ABOVE_END = _TARGET <= _TARGET_AT_END
TARGET_GROWS = Obligation(
    "target-until-horizon",
    "g(t) <= g(T) for t <= T",
    {
        **_TARGETS,
        **_FACTOR_POSITIVE,
        **assuming(until_horizon=_STEP <= HORIZON),
        **axiom("power-monotone", powers=implies(_STEP < HORIZON, _POWER < _POWER_AT_END)),
        **defining(power=implies(equal(_STEP, HORIZON), equal(_POWER, _POWER_AT_END))),
    },
    _NOT_ABOVE_END,
)
_WIDTH_IS = {"width": square_root(_WIDTH, (_LOG_C + 2 * _LOG_AT_END) / (2 * FACTOR))}
_WIDTH_SQUARED = equal(2 * FACTOR * _WIDTH * _WIDTH, _LOG_C + 2 * _LOG_AT_END)
WIDTH_SQUARED = Obligation(
    "width-of-radii-squared",
    "2 k B^2 = ln(C g(T)^2)",
    {**_WIDTH_IS, **_FACTOR_POSITIVE},
    _WIDTH_SQUARED,
    (Mutant("without the 2", goal=(equal(FACTOR * _WIDTH * _WIDTH, _LOG_C + 2 * _LOG_AT_END))),),
)
_SQUARES = _POWER * _BETA * _BETA <= _WIDTH * _WIDTH
RADIUS_TIMES_POWER = Obligation(
    "radius-at-target-times-power",
    "P_t beta(g(t))^2 <= B^2",
    {
        **_FACTOR_POSITIVE,
        **defining(target=equal(_TARGET, FACTOR * _POWER)),
        **concluded("radius-squared", radius=equal(2 * _TARGET * _BETA * _BETA, _LOG_C + 2 * _LOG_TARGET)),
        **concluded("target-until-horizon", until_horizon=_NOT_ABOVE_END),
        "logarithms": log_monotone(_TARGET, _LOG_TARGET, _TARGET_AT_END, _LOG_AT_END),
        **concluded("width-of-radii-squared", width=_WIDTH_SQUARED),
    },
    _SQUARES,
)
_DECAY_IS = {"decay": power_product(DECAY * DECAY * _POWER, number(1))}
_PRODUCT = constant("width_times_decay")
RADIUS_SQUARED = Obligation(
    "radius-at-target-squared-by-decay",
    "beta(g(t))^2 <= (B v_t)^2, since v_t^2 P_t = 1",
    {
        **_DECAY_IS,
        **defining(decay_positive=DECAY > 0, product=equal(_PRODUCT, _WIDTH * DECAY)),
        **concluded("radius-at-target-times-power", squares=_SQUARES),
    },
    _BETA * _BETA <= _PRODUCT * _PRODUCT,
    redundant={"decay-positive": "only the square of v_t matters"},
)
RADIUS_BY_DECAY = Obligation(
    "radius-at-target-by-decay",
    "beta(g(t)) <= B v_t",
    {
        **concluded("radius-at-target-squared-by-decay", squares=_BETA * _BETA <= _PRODUCT * _PRODUCT),
        **axiom("square-root", width=_WIDTH >= 0),
        **defining(decay_positive=DECAY > 0, product=equal(_PRODUCT, _WIDTH * DECAY)),
    },
    _BETA <= _WIDTH * DECAY,
)
_SCALE, _BAND = constants("cost_scale radii_of_band")
#: F.
COEFFICIENT = constant("coefficient_of_decay")
RADII_BY_DECAY = Obligation(
    "band-radii-by-decay",
    "n R = n (1 + gamma) c_max beta(g(t)) <= F v_t, for F = n (1 + gamma) c_max B; n is 3 in the paper, 2 in truth",
    {
        **concluded("widened-bound", scale_positive=_SCALE > 0),
        **concluded("radius-at-target-by-decay", radius=_BETA <= _WIDTH * DECAY),
        **defining(
            target_radius=equal(TARGET_RADIUS, _SCALE * _BETA), coefficient=equal(COEFFICIENT, _BAND * _SCALE * _WIDTH)
        ),
        **defining(band_positive=_BAND >= 0),
    },
    _BAND * TARGET_RADIUS <= COEFFICIENT * DECAY,
    (Mutant("a radius less", replace={"coefficient": equal(COEFFICIENT, (_BAND - 1) * _SCALE * _WIDTH)}),),
)
_BASE, _EXPONENT, _VALUE, _LOG = constants("base exponent value_of_power log_of_base")
_IN_UNIT = all_of(_EXPONENT > 0, _EXPONENT < 1)
BERNOULLI = Obligation(
    "bernoulli",
    "u^s <= 1 + s (u - 1) for 0 < s < 1, u > 0: two tangents of exp at s ln u",
    {
        **assuming(exponent=_IN_UNIT),
        "at-one": exp_tangent(_BASE, _LOG, _VALUE, _EXPONENT * _LOG),
        "at-zero": exp_tangent(number(1), number(0), _VALUE, _EXPONENT * _LOG),
    },
    _VALUE <= 1 + _EXPONENT * (_BASE - 1),
    (
        Mutant("an exponent above 1", replace={"exponent": _EXPONENT > 0}),
        Mutant("a negative exponent", replace={"exponent": _EXPONENT < 1}),
    ),
)
#: Sum of v_1, ..., v_t; W_t = v_t t, which is N^p t^(1 - p) for p = alpha/2; s = 1 - p.
DECAYS, _ALL, _NEXT_ALL, _NEXT_DECAY, _RATIO, _NEXT_STEP = constants(
    "sum_of_decays decay_times_step next_decay_times_step next_decay ratio_of_steps next_step"
)
_SUMMED = _EXPONENT * DECAYS <= _ALL
DECAYS_BASE = Obligation(
    "sum-of-decays-first",
    "s v_1 <= v_1 for s <= 1",
    {**assuming(exponent=_IN_UNIT), **defining(first=equal(DECAYS, _ALL), positive=_ALL > 0)},
    _SUMMED,
    (Mutant("an exponent above 1", replace={"exponent": _EXPONENT > 0}),),
)
DECAYS_STEP = Obligation(
    "sum-of-decays-one-more",
    "s (v_1 + ... + v_t) <= v_t t implies the same for t + 1: instead of an integral",
    {
        **induction(_SUMMED),
        "power": power_product(_ALL, _VALUE * _NEXT_ALL),
        **concluded("bernoulli", bernoulli=_VALUE <= 1 + _EXPONENT * (_RATIO - 1)),
        **concluded("decay-by-ratio-of-steps", ratio=equal((_RATIO - 1) * _NEXT_ALL, -_NEXT_DECAY)),
        **defining(positive=_NEXT_ALL > 0),
    },
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
ALPHA, _DECAY_AT_END, LAST = constants("alpha N_over_T_to_half_alpha last_term")
#: The last term: 2 F v_T / (2 - alpha).
_LAST_IS = defining(last_term=equal((2 - ALPHA) * LAST, 2 * COEFFICIENT * _DECAY_AT_END))
_ALPHA_IN_UNIT = assuming(alpha=all_of(ALPHA > 0, ALPHA < 1))
DECAYS_TOTAL = Obligation(
    "sum-of-decays-until-horizon",
    "(2 - alpha)(v_1 + ... + v_T) <= 2 v_T T: s = 1 - alpha/2",
    {
        **defining(exponent=equal(_EXPONENT, 1 - ALPHA / 2), times_step=equal(_ALL, _DECAY_AT_END * HORIZON)),
        **concluded("sum-of-decays-one-more", summed=_SUMMED),
    },
    (2 - ALPHA) * DECAYS <= 2 * _DECAY_AT_END * HORIZON,
    (Mutant("1 for 2", goal=(2 - ALPHA) * DECAYS <= _DECAY_AT_END * HORIZON),),
)
LAST_BOUND = COEFFICIENT * DECAYS <= LAST * HORIZON
LAST_TERM = Obligation(
    "last-term-times-horizon",
    "F (v_1 + ... + v_T) <= T 2 F v_T/(2 - alpha)",
    {
        **_ALPHA_IN_UNIT,
        **_LAST_IS,
        **defining(coefficient_non_negative=COEFFICIENT >= 0),
        **concluded("sum-of-decays-until-horizon", decays=(2 - ALPHA) * DECAYS <= 2 * _DECAY_AT_END * HORIZON),
    },
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
    {
        **concluded("root-of-last-term-squared", squared=_ROOT_SQUARED),
        **concluded("width-of-radii-squared", width=_WIDTH_SQUARED),
    },
    _TIMES_FACTOR,
)
_ROOT_OF = constant("argument_of_root")
LAST_TERM_ROOT = Obligation(
    "last-term-is-root",
    "(B v_T)^2 = (1/(2 k)) (N/T)^alpha ln(C g(T)^2): B v_T is the root in the last term",
    {
        **_FACTOR_POSITIVE,
        **concluded("root-of-last-term-times-factor", times_factor=_TIMES_FACTOR),
        **defining(argument=equal(_ROOT_OF, _DECAY_AT_END * _DECAY_AT_END * _LOG_OF_END)),
    },
    equal(_ROOT_AT_END * _ROOT_AT_END, 1 / (2 * FACTOR) * _ROOT_OF),
    (Mutant("without the 2", goal=equal(_ROOT_AT_END * _ROOT_AT_END, 1 / FACTOR * _ROOT_OF)),),
)
#: Obligations: the radius of a step by its decay; the sum of the decays; the last term of the theorem.
RADII_CHAIN = (
    TARGET_GROWS,
    WIDTH_SQUARED,
    RADIUS_TIMES_POWER,
    RADIUS_SQUARED,
    RADIUS_BY_DECAY,
    WIDENED,
    RADII_BY_DECAY,
)
SUM_CHAIN = (
    BERNOULLI,
    DECAYS_BASE,
    RATIO,
    DECAYS_STEP,
    DECAYS_TOTAL,
    LAST_TERM,
    ROOT_SQUARED,
    ROOT_TIMES_FACTOR,
    LAST_TERM_ROOT,
)
