"""The algebra of the union bound: the estimates of all providers, at all counts, lie in their bands but for delta.

Source: lem:good-event. Hoeffding's inequality, the union bound and the sum of 1/m^2 are axioms; what is proved is that
the radius beta makes their combination delta. pi^2 is any positive number but for the sum of 1/m^2.
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import exp_of_minus_log, hoeffding, square_root, union_bound, zeta_two
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import INT, all_of, constant, constants, equal
from proofs_checks.proofs.language.vocabulary import COST_BOUND, assuming, concluded, defining, induction

_N, _DELTA, _PI_SQUARED = constants("providers_number delta pi_squared")
_COUNT, _BETA, _LOG, _ARGUMENT = constants("count beta log_of_argument argument")
_TAIL, _FAILS, _SCALE, _WEIGHT = constants("tail probability_of_failure pi_squared_N pi_squared_N_count_squared")

EXPONENT = Obligation(
    "hoeffding-exponent-of-qualities",
    "2 m beta(m)^2 = ln(2 pi^2 N m^2 / (3 delta)): what beta is made for",
    {"radius": square_root(_BETA, _LOG / (2 * _COUNT))} | assuming(count_positive=_COUNT >= 1),
    equal(2 * _COUNT * _BETA * _BETA, _LOG),
    (
        Mutant("half the radius", {"radius": equal(2 * _BETA * 2 * _BETA, _LOG / (2 * _COUNT))}),
        Mutant("without the 2", goal=equal(_COUNT * _BETA * _BETA, _LOG)),
    ),
)
_SCALED = constant("deviation_over_range")
EXPONENT_OF_COSTS = Obligation(
    "hoeffding-exponent-of-costs",
    "costs have the range c_max and the deviation c_max beta(m): the exponent of Hoeffding's inequality is the same",
    defining(cost_bound_positive=COST_BOUND > 0, scaled=equal(_SCALED * COST_BOUND, COST_BOUND * _BETA))
    | concluded("hoeffding-exponent-of-qualities", exponent=equal(2 * _COUNT * _BETA * _BETA, _LOG)),
    equal(2 * _COUNT * _SCALED * _SCALED, _LOG),
    (Mutant("the deviation is beta", {"scaled": equal(_SCALED * COST_BOUND, _BETA)}),),
)
SCALE_POSITIVE = Obligation(
    "good-event-scale-positive",
    "pi^2 N > 0",
    assuming(pi_squared_positive=_PI_SQUARED > 0, provider_exists=_N >= 1)
    | defining(scale=equal(_SCALE, _PI_SQUARED * _N)),
    _SCALE > 0,
    (Mutant("no provider", {"provider-exists": _N >= 0}),),
)
_WEIGHT_IS = defining(weight=equal(_WEIGHT, _SCALE * _COUNT * _COUNT))
WEIGHT_POSITIVE = Obligation(
    "good-event-weight-positive",
    "pi^2 N m^2 > 0",
    _WEIGHT_IS
    | concluded("good-event-scale-positive", scale_positive=_SCALE > 0)
    | assuming(count_positive=_COUNT >= 1),
    _WEIGHT > 0,
    (Mutant("no count", {"count-positive": _COUNT >= 0}),),
)
_FAILURE_BOUND = _FAILS * _WEIGHT <= 3 * _DELTA
ONE_MEAN_FAILS = Obligation(
    "one-mean-fails",
    "a mean of m observations leaves its band with probability at most 3 delta / (pi^2 N m^2)",
    _WEIGHT_IS
    | defining(argument=equal(3 * _DELTA * _ARGUMENT, 2 * _SCALE * _COUNT * _COUNT))
    | concluded("good-event-weight-positive", weight_positive=_WEIGHT > 0)
    | concluded("hoeffding-exponent-of-qualities", exponent=equal(2 * _COUNT * _BETA * _BETA, _LOG))
    | {
        "exponential": exp_of_minus_log(_TAIL, 2 * _COUNT * _BETA * _BETA, _LOG, _ARGUMENT),
        "hoeffding": hoeffding(_FAILS, _TAIL, _COUNT, _BETA),
    },
    _FAILURE_BOUND,
    (
        Mutant("without m^2", {"argument": equal(3 * _DELTA * _ARGUMENT, 2 * _SCALE)}),
        Mutant("half the argument", {"argument": equal(3 * _DELTA * _ARGUMENT, _SCALE * _COUNT * _COUNT)}),
        Mutant("strictly", goal=_FAILS * _WEIGHT < 3 * _DELTA),
    ),
)
_INVERSE = constant("inverse_square")
_INVERSE_IS = defining(inverse=all_of(_INVERSE > 0, equal(_INVERSE * _COUNT * _COUNT, 1)))
FAILURE_BY_INVERSE = Obligation(
    "one-mean-fails-by-inverse-square",
    "the same with 1/m^2 on the right",
    _WEIGHT_IS | _INVERSE_IS | concluded("one-mean-fails", fails=_FAILURE_BOUND),
    _FAILS * _SCALE <= 3 * _DELTA * _INVERSE,
    (Mutant("another sum", {"inverse": _INVERSE > 0}),),
)
_SO_FAR, _SQUARES = constants("failures_so_far sum_of_inverse_squares")
_FAILURES = _SO_FAR * _SCALE <= 3 * _DELTA * _SQUARES
FIRST_COUNT = Obligation(
    "failures-before-any-count",
    "an empty sum of failures is at most 3 delta / (pi^2 N) times an empty sum of inverse squares",
    defining(no_failures=equal(_SO_FAR, 0), no_squares=equal(_SQUARES, 0)),
    _FAILURES,
)
NEXT_COUNT = Obligation(
    "failures-of-one-more-count",
    "a bound by the sum of inverse squares stays one when a count is added to both sums",
    induction(_FAILURES, base="failures-before-any-count")
    | concluded("one-mean-fails-by-inverse-square", fails=_FAILS * _SCALE <= 3 * _DELTA * _INVERSE),
    (_SO_FAR + _FAILS) * _SCALE <= 3 * _DELTA * (_SQUARES + _INVERSE),
    (Mutant("strictly", goal=(_SO_FAR + _FAILS) * _SCALE < 3 * _DELTA * (_SQUARES + _INVERSE)),),
)
_HOLDS, _FAILS_SOMEWHERE = constants("probability_of_good_event probability_of_complement")
GOOD_EVENT_LIKELY = Obligation(
    "good-event-has-probability",
    "two means of each of N providers, at all counts: E fails with probability at most delta",
    assuming(positive=all_of(_N >= 1, _DELTA > 0, _PI_SQUARED > 0))
    | defining(scale=equal(_SCALE, _PI_SQUARED * _N))
    | concluded("failures-of-one-more-count", failures=_FAILURES)
    | {"squares": zeta_two(_SQUARES, _PI_SQUARED), "union": union_bound(_FAILS_SOMEWHERE, 2 * _N, _SO_FAR)}
    | defining(complement=equal(_HOLDS, 1 - _FAILS_SOMEWHERE)),
    _HOLDS >= 1 - _DELTA,
    (
        Mutant("a larger sum", {"squares": 5 * _SQUARES <= _PI_SQUARED}),
        Mutant("three means a provider", {"union": _FAILS_SOMEWHERE <= 3 * _N * _SO_FAR}),
        Mutant("a smaller delta", goal=_HOLDS >= 1 - _DELTA * 9 / 10),
    ),
)
#: A sum of some terms, one more term, what each is at most, and how many were summed.
NUMBER_OF_EQUALS = constant("terms_number", INT)
SUM_OF_EQUALS, TERM_OF_EQUALS, EACH_AT_MOST = constants("total term each_at_most")
EQUAL_BOUNDS = Obligation(
    "sum-of-equally-bounded-terms",
    "if n terms add up to at most n x, then n + 1 terms of at most x each add up to at most (n + 1) x",
    induction(SUM_OF_EQUALS <= NUMBER_OF_EQUALS * EACH_AT_MOST, start={SUM_OF_EQUALS: 0, NUMBER_OF_EQUALS: 0})
    | assuming(term=TERM_OF_EQUALS <= EACH_AT_MOST),
    SUM_OF_EQUALS + TERM_OF_EQUALS <= (NUMBER_OF_EQUALS + 1) * EACH_AT_MOST,
    (Mutant("one term fewer", goal=SUM_OF_EQUALS + TERM_OF_EQUALS <= NUMBER_OF_EQUALS * EACH_AT_MOST),),
)
_ONE_MEAN = (EXPONENT, EXPONENT_OF_COSTS, SCALE_POSITIVE, WEIGHT_POSITIVE, ONE_MEAN_FAILS, FAILURE_BY_INVERSE)
GOOD_EVENT = Proof(
    "lem:good-event",
    (*_ONE_MEAN, FIRST_COUNT, NEXT_COUNT, EQUAL_BOUNDS, GOOD_EVENT_LIKELY),
    "For scores and, rescaled, costs: the exponent in Hoeffding's inequality gives the failure probability of one "
    "mean of m observations; induction on the greatest count adds them up for one mean of one provider; induction on "
    "the 2 N means adds those (sum-of-equally-bounded-terms), which with the union bound is the factor 2 N; "
    "that one begins with the empty sum.",
    beyond="That the first m observations of a provider are i.i.d. draws, whichever steps they come from, as "
    "Hoeffding's inequality asks. That a bound for the counts up to m, the same for every m, is a bound for all "
    "counts: a limit.",
)
