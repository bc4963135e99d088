"""The confidence radius beta(m) = sqrt(ln(2 pi^2 N m^2/(3 delta))/(2 m)): it decreases; selections that it allows.

Sources: lem:radius-monotone, for any real count m >= 1; lem:radius-inversion: a <= 2 beta(m) means m < (4/a^2) ln(57
N/(delta a^4)), and that this bound is positive where it is used. A logarithm is a variable; each fact about one is an
instance of a named axiom. C stands for 2 pi^2 N / (3 delta), so the logarithm in beta(m) is ln C + 2 ln m.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import log_monotone, log_product, log_strict_tangent, log_tangent
from proofs_checks.proofs.language.obligation import Hypothesis, Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import INT, PI, Term, all_of, constant, constants, equal, implies, number
from proofs_checks.proofs.language.vocabulary import assuming, ball_fact, concluded, defining, only, read
from proofs_checks.proofs.statements.shared import rounded_up

_COUNT, _BETA, _ARGUMENT, _LOG_C, _LOG_COUNT = constants("count beta argument log_of_C log_of_count")
_N, _DELTA, _LOG_DELTA = constants("providers_number delta log_of_delta")
#: C = 2 pi^2 N / (3 delta).
_C = 2 * PI * PI * _N / (3 * _DELTA)


def radius_is(beta: Term, squared: Term) -> Term:
    """Return what beta is: the number that is not negative and has a square, which exists where that is not negative.

    Examples
    --------
    >>> str(radius_is(constant("beta"), constant("square")).arguments[1])
    '(= (* beta beta) square)'
    """
    return all_of(beta >= 0, equal(beta * beta, squared))


RADIUS_FORM = Obligation(
    "radius-squared",
    "2 m beta(m)^2 = ln C + 2 ln m",
    defining(radius=radius_is(_BETA, _ARGUMENT / (2 * _COUNT)))
    | {
        "logarithm": log_product(
            _ARGUMENT, _LOG_C + 2 * _LOG_COUNT, {_ARGUMENT: _C * _COUNT * _COUNT, _LOG_C: _C, _LOG_COUNT: _COUNT}
        )
    }
    | assuming(count_positive=_COUNT >= 1),
    equal(2 * _COUNT * _BETA * _BETA, _LOG_C + 2 * _LOG_COUNT),
    (Mutant("without the square of m", goal=equal(2 * _COUNT * _BETA * _BETA, _LOG_C + _LOG_COUNT)),),
)


def radius_form(count: Term, beta: Term, log_of_count: Term) -> Hypothesis:
    """Return the conclusion of `RADIUS_FORM` for a count."""
    return Hypothesis(equal(2 * count * beta * beta, _LOG_C + 2 * log_of_count), "obligation", "radius-squared")


#: Two counts, or any numbers from 1 on, and their radii.
SMALLER, LARGER, _RATIO = constants("smaller larger ratio")
LOG_OF_SMALLER, _LOG_RATIO, _LOG_CONSTANT = constants("log_of_smaller log_of_ratio log_of_4_pi_squared_over_3")
_LOG_HALF_N, _LOG_ONE = constants("log_of_half_N log_of_1")
#: ln 1 = 0.
LOG_OF_ONE = log_product(_LOG_ONE, 0, {_LOG_ONE: 1})
LOG_ABOVE_TWO = Obligation(
    "radius-logarithm-above-two",
    "ln(C x^2) > 2 for x >= 1, since there are two providers and delta < 1",
    {
        "C": log_product(
            _LOG_C,
            _LOG_CONSTANT + _LOG_HALF_N - _LOG_DELTA,
            {_LOG_C: _C, _LOG_CONSTANT: 4 * PI * PI / 3, _LOG_HALF_N: _N / 2, _LOG_DELTA: _DELTA},
        )
    }
    | ball_fact("radius-logarithm")
    | assuming(two_providers=_N >= 2, delta_below_one=_DELTA < 1, x_from_one=SMALLER >= 1)
    | {
        "one": LOG_OF_ONE,
        "providers": log_monotone(number(1), _LOG_ONE, _N / 2, _LOG_HALF_N),
        "confidence": log_monotone(_DELTA, _LOG_DELTA, number(1), _LOG_ONE),
        "x": log_monotone(number(1), _LOG_ONE, SMALLER, LOG_OF_SMALLER),
    },
    _LOG_C + 2 * LOG_OF_SMALLER > 2,
    (Mutant("one provider", {"two-providers": _N >= 1}),),
)
_SQUARE_SMALL, _SQUARE_LARGE = constants("squared_radius_of_smaller squared_radius_of_larger")
RADIUS_OF_SMALLER, RADIUS_OF_LARGER = constants("radius_of_smaller radius_of_larger")
_OF_SMALL, _OF_LARGE = constants("argument_of_smaller argument_of_larger")
_BOTH_SQUARES = read(
    concluded("radius-squared", radius_of_smaller=equal(2 * SMALLER * _SQUARE_SMALL, _LOG_C + 2 * LOG_OF_SMALLER)),
    {
        _COUNT: SMALLER,
        _LOG_COUNT: LOG_OF_SMALLER,
        _BETA: RADIUS_OF_SMALLER,
        _ARGUMENT: _OF_SMALL,
        _BETA * _BETA: _SQUARE_SMALL,
    },
) | read(
    concluded(
        "radius-squared",
        radius_of_larger=equal(2 * SMALLER * _RATIO * _SQUARE_LARGE, _LOG_C + 2 * (LOG_OF_SMALLER + _LOG_RATIO)),
    ),
    {
        _COUNT: SMALLER * _RATIO,
        _LOG_COUNT: LOG_OF_SMALLER + _LOG_RATIO,
        _BETA: RADIUS_OF_LARGER,
        _ARGUMENT: _OF_LARGE,
        _BETA * _BETA: _SQUARE_LARGE,
    },
)
SQUARES_DECREASE = Obligation(
    "squared-radius-decreases",
    "ln(C y^2)/(2 y) < ln(C x^2)/(2 x) for y = u x, u > 1: without a derivative",
    assuming(x_from_one=SMALLER >= 1, larger=_RATIO > 1)
    | concluded("radius-logarithm-above-two", above_two=_LOG_C + 2 * LOG_OF_SMALLER > 2)
    | {"tangent": log_strict_tangent(_LOG_RATIO, _RATIO)}
    | _BOTH_SQUARES,
    _SQUARE_LARGE < _SQUARE_SMALL,
    (
        Mutant("19/10 for two", {"above-two": Fraction(19, 10) < _LOG_C + 2 * LOG_OF_SMALLER}),
        Mutant("u below one", {"larger": _RATIO > 0}),
    ),
)
DECREASES = Obligation(
    "radius-decreases",
    "of two roots, that of the smaller number is smaller",
    defining(smaller=radius_is(RADIUS_OF_SMALLER, _SQUARE_SMALL), larger=radius_is(RADIUS_OF_LARGER, _SQUARE_LARGE))
    | concluded("squared-radius-decreases", squares=_SQUARE_LARGE < _SQUARE_SMALL),
    RADIUS_OF_LARGER < RADIUS_OF_SMALLER,
    (
        Mutant("negative roots", {"smaller": equal(RADIUS_OF_SMALLER * RADIUS_OF_SMALLER, _SQUARE_SMALL)}),
        Mutant("equal squares", {"squares": _SQUARE_LARGE <= _SQUARE_SMALL}),
    ),
)
AT_MOST = Obligation(
    "radius-at-most-that-of-less",
    "beta(m) <= beta(x) for m >= x >= 1",
    assuming(order=LARGER >= SMALLER)
    | defining(ratio=equal(LARGER, _RATIO * SMALLER))
    | defining(function=implies(equal(LARGER, SMALLER), equal(RADIUS_OF_LARGER, RADIUS_OF_SMALLER)))
    | concluded("radius-decreases", decreases=implies(LARGER > SMALLER, RADIUS_OF_LARGER < RADIUS_OF_SMALLER)),
    RADIUS_OF_LARGER <= RADIUS_OF_SMALLER,
    (Mutant("strictly", goal=RADIUS_OF_LARGER < RADIUS_OF_SMALLER),),
    redundant={"ratio": "it says which ratio radius-decreases is about"},
)
RADIUS_MONOTONE = Proof(
    "lem:radius-monotone",
    (RADIUS_FORM, LOG_ABOVE_TWO, SQUARES_DECREASE, DECREASES, AT_MOST),
    "For y > x >= 1 put u = y/x: the squares compare by ln u < u - 1, the radii as their roots; ln y = ln x + ln u.",
    unlike_paper="The paper differentiates beta(x)^2. Here beta(x)^2 and beta(y)^2 are compared for any x < y, without "
    "a derivative.",
    assumes=(
        "radius-decreases: smaller larger",
        "radius-squared: goal radius logarithm count-positive",
        "radius-logarithm-above-two: C two-providers delta-below-one",
        "squared-radius-decreases: x-from-one",
    ),
)


# How many selections a radius allows.
_GAP, _LOG_EIGHT = constants("gap log_of_8_over_squared_gap")
LOG_BOUND, INVERSION_BOUND = constants("log_of_57_N_over_delta_gap_4 inversion_bound")
_SQUARED_GAP = _GAP * _GAP

_CONDITION = assuming(gap_positive=_GAP > 0, count_positive=_COUNT >= 1, condition=_GAP <= 2 * _BETA)
SQUARED = Obligation(
    "radius-inversion-squared",
    "a <= 2 beta(m) means m a^2 <= 2 (ln C + 2 ln m)",
    _CONDITION | {"radius": radius_form(_COUNT, _BETA, _LOG_COUNT)},
    _COUNT * _SQUARED_GAP <= 2 * (_LOG_C + 2 * _LOG_COUNT),
    (Mutant("strictly", goal=_COUNT * _SQUARED_GAP < 2 * (_LOG_C + 2 * _LOG_COUNT)),),
)
WITHOUT_COUNT = Obligation(
    "radius-inversion-without-the-count",
    "the tangent of ln at m = 8/a^2 takes the count out of the logarithm: m a^2 <= 4 (ln C + 2 ln(8/a^2) - 2)",
    concluded("radius-inversion-squared", squared=_COUNT * _SQUARED_GAP <= 2 * (_LOG_C + 2 * _LOG_COUNT))
    | {"tangent": log_tangent(_LOG_COUNT - _LOG_EIGHT, _COUNT * _SQUARED_GAP / 8)}
    | only(_CONDITION, "gap-positive", "count-positive"),
    _COUNT * _SQUARED_GAP <= 4 * (_LOG_C + 2 * _LOG_EIGHT - 2),
    (Mutant("strictly", goal=_COUNT * _SQUARED_GAP < 4 * (_LOG_C + 2 * _LOG_EIGHT - 2)),),
    redundant=dict.fromkeys(["gap-positive", "count-positive"], "the tangent is one where m a^2 is positive"),
)
_LOG_2, _LOG_3, _LOG_PI, _LOG_57 = constants("log_of_2 log_of_3 log_of_pi log_of_57")
_LOG_N, _LOG_GAP = constants("log_of_N log_of_gap")
_LOG_BOUND_IS = log_product(
    LOG_BOUND,
    _LOG_57 + _LOG_N - _LOG_DELTA - 4 * _LOG_GAP,
    {
        LOG_BOUND: 57 * _N / (_DELTA * _SQUARED_GAP * _SQUARED_GAP),
        _LOG_57: 57,
        _LOG_N: _N,
        _LOG_DELTA: _DELTA,
        _LOG_GAP: _GAP,
    },
)
CONSTANT_57 = Obligation(
    "radius-inversion-constant",
    "ln C + 2 ln(8/a^2) - 2 < ln(57 N / (delta a^4)), since 128 pi^2 < 57 (3 e^2)",
    {
        "C": log_product(
            _LOG_C,
            _LOG_2 + 2 * _LOG_PI + _LOG_N - _LOG_3 - _LOG_DELTA,
            {_LOG_C: _C, _LOG_2: 2, _LOG_PI: PI, _LOG_N: _N, _LOG_3: 3, _LOG_DELTA: _DELTA},
        ),
        "eight": log_product(
            _LOG_EIGHT, 3 * _LOG_2 - 2 * _LOG_GAP, {_LOG_EIGHT: 8 / _SQUARED_GAP, _LOG_2: 2, _LOG_GAP: _GAP}
        ),
        "bound": _LOG_BOUND_IS,
    }
    | ball_fact("inversion-logarithm"),
    _LOG_C + 2 * _LOG_EIGHT - 2 < LOG_BOUND,
    (
        Mutant("a tenth smaller", {"constant": _LOG_57 + Fraction(1, 10) > 7 * _LOG_2 + 2 * _LOG_PI - _LOG_3 - 2}),
        Mutant("the cube of a", {"bound": equal(LOG_BOUND, _LOG_57 + _LOG_N - _LOG_DELTA - 3 * _LOG_GAP)}),
    ),
)
_BELOW_LOG = _COUNT * _SQUARED_GAP < 4 * LOG_BOUND
INVERTED = Obligation(
    "radius-inversion-product",
    "a <= 2 beta(m) means m a^2 < 4 ln(57 N / (delta a^4)): the bound is never attained",
    concluded(
        "radius-inversion-without-the-count", without_count=_COUNT * _SQUARED_GAP <= 4 * (_LOG_C + 2 * _LOG_EIGHT - 2)
    )
    | concluded("radius-inversion-constant", constant=_LOG_C + 2 * _LOG_EIGHT - 2 < LOG_BOUND),
    _BELOW_LOG,
)
INVERSION = Obligation(
    "radius-inversion",
    "a <= 2 beta(m) means m < (4/a^2) X, since it means m a^2 < 4 X",
    concluded("radius-inversion-product", product=implies(_GAP <= 2 * _BETA, _BELOW_LOG))
    | assuming(gap_positive=_GAP > 0)
    | defining(bound=equal(INVERSION_BOUND, 4 / _SQUARED_GAP * LOG_BOUND)),
    implies(_GAP <= 2 * _BETA, _COUNT < INVERSION_BOUND),
    (
        Mutant("whatever the radius", goal=_COUNT < INVERSION_BOUND),
        Mutant("half the bound", {"bound": equal(INVERSION_BOUND, 2 / _SQUARED_GAP * LOG_BOUND)}),
    ),
)
LOG_BOUND_POSITIVE = Obligation(
    "inversion-logarithm-positive",
    "ln(57 N / (delta a^4)) > 0 for a <= 1, delta < 1, N >= 1",
    {
        "bound": _LOG_BOUND_IS,
        "one": LOG_OF_ONE,
        "57": log_tangent(-_LOG_57, number(Fraction(1, 57))),
        "providers": log_monotone(number(1), _LOG_ONE, _N, _LOG_N),
        "confidence": log_monotone(_DELTA, _LOG_DELTA, number(1), _LOG_ONE),
        "gap": log_monotone(_GAP, _LOG_GAP, number(1), _LOG_ONE),
    }
    | assuming(provider_exists=_N >= 1, delta_below_one=_DELTA < 1, gap_at_most_one=_GAP <= 1),
    LOG_BOUND > 0,
)
BOUND_POSITIVE = Obligation(
    "inversion-bound-positive",
    "(4/a^2) ln(57 N / (delta a^4)) > 0 for 0 < a <= 1",
    concluded("inversion-logarithm-positive", logarithm=LOG_BOUND > 0)
    | assuming(gap_positive=_GAP > 0)
    | defining(bound=equal(INVERSION_BOUND, 4 / _SQUARED_GAP * LOG_BOUND)),
    INVERSION_BOUND > 0,
)
_THRESHOLD = constant("threshold", INT)
THRESHOLD_POSITIVE = Obligation(
    "threshold-at-least-one",
    "M(a) >= 1 for 0 < a <= 1",
    concluded("inversion-bound-positive", bound=INVERSION_BOUND > 0)
    | defining(rounded_up=rounded_up(_THRESHOLD, INVERSION_BOUND)),
    _THRESHOLD >= 1,
    (
        Mutant("a bound that is 0", {"bound": INVERSION_BOUND >= 0}),
        Mutant("rounded down", {"rounded-up": _THRESHOLD <= INVERSION_BOUND}),
    ),
)
_INVERSION_CHAIN = (RADIUS_FORM, SQUARED, WITHOUT_COUNT, CONSTANT_57, INVERTED, INVERSION)
RADIUS_INVERSION = Proof(
    "lem:radius-inversion",
    (*_INVERSION_CHAIN, LOG_BOUND_POSITIVE, BOUND_POSITIVE, THRESHOLD_POSITIVE),
    "A chain of six steps from beta(m)^2 to the bound. The last inequality of the paper is strict, so the conclusion "
    "is: m is less than the bound (the paper: at most). Three more obligations show M(a) >= 1 for a <= 1, which later "
    "statements need.",
    assumes=(
        "radius-squared: radius logarithm",
        "radius-inversion-without-the-count: count-positive",
        "radius-inversion-constant: bound",
        "inversion-bound-positive: gap-positive bound",
        "inversion-logarithm-positive: gap-at-most-one delta-below-one provider-exists bound",
    ),
)


def inverted(condition: Term, count: Term, bound: Term) -> Hypothesis:
    """Return lem:radius-inversion: a <= 2 beta(m) implies m < (4/a^2) ln(57 N/(delta a^4)), for given sides."""
    return Hypothesis(implies(condition, count < bound), "obligation", "radius-inversion")
