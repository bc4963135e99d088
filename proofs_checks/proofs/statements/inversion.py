"""How many selections a radius allows: a <= 2 beta(m) means m < (4/a^2) ln(57 N/(delta a^4)).

Source: lem:radius-inversion, and that its bound is positive where it is used. A logarithm is a variable; each fact
about one is an instance of a named axiom. C stands for 2 pi^2 N / (3 delta).
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import log_monotone, log_product, log_tangent
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import INT, Term, constant, constants, equal, implies, number
from proofs_checks.proofs.language.vocabulary import assuming, ball_fact, concluded, defining
from proofs_checks.proofs.statements.radii import RADIUS_FORM, radius_form
from proofs_checks.proofs.statements.shared import rounded_up

_GAP, _COUNT, _BETA = constants("gap count beta")
_LOG_C, _LOG_COUNT, _LOG_EIGHT = constants("log_of_C log_of_count log_of_8_over_squared_gap")
LOG_BOUND, INVERSION_BOUND = constants("log_of_57_N_over_delta_gap_4 inversion_bound")
_SQUARED_GAP = _GAP * _GAP

_CONDITION = assuming(gap_positive=_GAP > 0, count_positive=_COUNT >= 1, condition=_GAP <= 2 * _BETA)
SQUARED = Obligation(
    "radius-inversion-squared",
    "a <= 2 beta(m) means m a^2 <= 2 (ln C + 2 ln m)",
    {**_CONDITION, "radius": radius_form(_COUNT, _BETA, _LOG_COUNT)},
    _COUNT * _SQUARED_GAP <= 2 * (_LOG_C + 2 * _LOG_COUNT),
    (Mutant("strictly", goal=_COUNT * _SQUARED_GAP < 2 * (_LOG_C + 2 * _LOG_COUNT)),),
)
WITHOUT_COUNT = Obligation(
    "radius-inversion-without-the-count",
    "the tangent of ln at m = 8/a^2 takes the count out of the logarithm: m a^2 <= 4 (ln C + 2 ln(8/a^2) - 2)",
    {
        **concluded("radius-inversion-squared", squared=_COUNT * _SQUARED_GAP <= 2 * (_LOG_C + 2 * _LOG_COUNT)),
        "tangent": log_tangent(_LOG_COUNT - _LOG_EIGHT, _COUNT * _SQUARED_GAP / 8),
    },
    _COUNT * _SQUARED_GAP <= 4 * (_LOG_C + 2 * _LOG_EIGHT - 2),
    (Mutant("strictly", goal=_COUNT * _SQUARED_GAP < 4 * (_LOG_C + 2 * _LOG_EIGHT - 2)),),
)
_LOG_2, _LOG_3, _LOG_PI, _LOG_57 = constants("log_of_2 log_of_3 log_of_pi log_of_57")
_LOG_N, _LOG_DELTA, _LOG_GAP = constants("log_of_N log_of_delta log_of_gap")
CONSTANT_57 = Obligation(
    "radius-inversion-constant",
    "ln C + 2 ln(8/a^2) - 2 < ln(57 N / (delta a^4)), since 128 pi^2 < 57 (3 e^2)",
    {
        "C": log_product(_LOG_C, _LOG_2 + 2 * _LOG_PI + _LOG_N - _LOG_3 - _LOG_DELTA),
        "eight": log_product(_LOG_EIGHT, 3 * _LOG_2 - 2 * _LOG_GAP),
        "bound": log_product(LOG_BOUND, _LOG_57 + _LOG_N - _LOG_DELTA - 4 * _LOG_GAP),
        **ball_fact("inversion-logarithm", constant=7 * _LOG_2 + 2 * _LOG_PI - _LOG_3 - 2 < _LOG_57),
    },
    _LOG_C + 2 * _LOG_EIGHT - 2 < LOG_BOUND,
    (
        Mutant(
            "a tenth smaller", replace={"constant": _LOG_57 + Fraction(1, 10) > 7 * _LOG_2 + 2 * _LOG_PI - _LOG_3 - 2}
        ),
        Mutant("the cube of a", replace={"bound": equal(LOG_BOUND, _LOG_57 + _LOG_N - _LOG_DELTA - 3 * _LOG_GAP)}),
    ),
)
_BELOW_LOG = _COUNT * _SQUARED_GAP < 4 * LOG_BOUND
INVERTED = Obligation(
    "radius-inversion-product",
    "a <= 2 beta(m) means m a^2 < 4 ln(57 N / (delta a^4)): the bound is never attained",
    {
        **concluded(
            "radius-inversion-without-the-count",
            without_count=_COUNT * _SQUARED_GAP <= 4 * (_LOG_C + 2 * _LOG_EIGHT - 2),
        ),
        **concluded("radius-inversion-constant", constant=_LOG_C + 2 * _LOG_EIGHT - 2 < LOG_BOUND),
    },
    _BELOW_LOG,
)
INVERSION = Obligation(
    "radius-inversion",
    "a <= 2 beta(m) means m < (4/a^2) X, since it means m a^2 < 4 X",
    {
        **concluded("radius-inversion-product", product=implies(_GAP <= 2 * _BETA, _BELOW_LOG)),
        **assuming(gap_positive=_GAP > 0),
        **defining(bound=equal(INVERSION_BOUND, 4 / _SQUARED_GAP * LOG_BOUND)),
    },
    implies(_GAP <= 2 * _BETA, _COUNT < INVERSION_BOUND),
    (
        Mutant("whatever the radius", goal=_COUNT < INVERSION_BOUND),
        Mutant("half the bound", replace={"bound": equal(INVERSION_BOUND, 2 / _SQUARED_GAP * LOG_BOUND)}),
    ),
)
_LOG_ONE = constant("log_of_1")
_N, _DELTA = constants("providers_number delta")
LOG_BOUND_POSITIVE = Obligation(
    "inversion-logarithm-positive",
    "ln(57 N / (delta a^4)) > 0 for a <= 1, delta < 1, N >= 1",
    {
        "bound": log_product(LOG_BOUND, _LOG_57 + _LOG_N - _LOG_DELTA - 4 * _LOG_GAP),
        "one": log_product(_LOG_ONE, 0),
        "57": log_tangent(-_LOG_57, number(Fraction(1, 57))),
        "providers": log_monotone(number(1), _LOG_ONE, _N, _LOG_N),
        "confidence": log_monotone(_DELTA, _LOG_DELTA, number(1), _LOG_ONE),
        "gap": log_monotone(_GAP, _LOG_GAP, number(1), _LOG_ONE),
        **assuming(provider_exists=_N >= 1, delta_below_one=_DELTA < 1, gap_at_most_one=_GAP <= 1),
    },
    LOG_BOUND > 0,
)
BOUND_POSITIVE = Obligation(
    "inversion-bound-positive",
    "(4/a^2) ln(57 N / (delta a^4)) > 0 for 0 < a <= 1",
    {
        **concluded("inversion-logarithm-positive", logarithm=LOG_BOUND > 0),
        **assuming(gap_positive=_GAP > 0),
        **defining(bound=equal(INVERSION_BOUND, 4 / _SQUARED_GAP * LOG_BOUND)),
    },
    INVERSION_BOUND > 0,
)
_THRESHOLD = constant("threshold", INT)
THRESHOLD_POSITIVE = Obligation(
    "threshold-at-least-one",
    "M(a) >= 1 for 0 < a <= 1",
    {
        **concluded("inversion-bound-positive", bound=INVERSION_BOUND > 0),
        **defining(rounded_up=rounded_up(_THRESHOLD, INVERSION_BOUND)),
    },
    _THRESHOLD >= 1,
    (
        Mutant("a bound that is 0", replace={"bound": INVERSION_BOUND >= 0}),
        Mutant("rounded down", replace={"rounded-up": _THRESHOLD <= INVERSION_BOUND}),
    ),
)
RADIUS_INVERSION = Proof(
    "lem:radius-inversion",
    (
        RADIUS_FORM,
        SQUARED,
        WITHOUT_COUNT,
        CONSTANT_57,
        INVERTED,
        INVERSION,
        LOG_BOUND_POSITIVE,
        BOUND_POSITIVE,
        THRESHOLD_POSITIVE,
    ),
    "A chain of six steps from beta(m)^2 to the bound. The last inequality of the paper is strict, so the conclusion "
    "is: m is less than the bound (the paper: at most). Three more obligations show M(a) >= 1 for a <= 1, which later "
    "statements need.",
)


def inverted(condition: Term, count: Term, bound: Term) -> Hypothesis:
    """Return lem:radius-inversion: a <= 2 beta(m) implies m < (4/a^2) ln(57 N/(delta a^4)), for given sides."""
    return Hypothesis(implies(condition, count < bound), "obligation", "radius-inversion")
