"""The named facts of analysis and of ball arithmetic, held against intervals, exact sums and exact tails."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from proofs_checks.proofs.language import axioms
from proofs_checks.proofs.language.axioms import AXIOMS
from proofs_checks.proofs.language.ball_facts import BALL_FACTS, BallFact
from proofs_checks.proofs.language.terms import Term, constants

IV = mpmath.iv
POSITIVE = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6)
SOME = st.fractions(-20, 20, max_denominator=1000)
LOG, X, Y, OTHER, ROOT, TAIL = constants("log x y other root tail")

CHECKED: set[str] = set()


def holds(axiom: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Note that a test holds an axiom against numbers."""
    CHECKED.add(axiom)
    return lambda test: test


def ball(value: Fraction | int) -> mpmath.iv.mpf:
    return IV.mpf(Fraction(value).numerator) / Fraction(value).denominator


@pytest.fixture(autouse=True)
def _precision():
    before, IV.prec = IV.prec, 200
    yield
    IV.prec = before


def truth(formula: Term, values: dict[str, mpmath.iv.mpf]) -> bool | None:
    """Return whether a formula is true of all numbers in some intervals (True), of none (False), or neither."""
    parts = formula.arguments
    if formula.head == "=>":
        condition, consequence = (truth(part, values) for part in parts)
        return True if condition is False or consequence else (consequence if condition else None)
    if formula.head == "and":
        found = [truth(part, values) for part in parts]
        return False if False in found else (None if None in found else True)
    if formula.head == "not":
        found_one = truth(parts[0], values)
        return None if found_one is None else not found_one
    left, right = (number(part, values) for part in parts)
    if formula.head in (">", ">="):
        left, right = right, left
    if formula.head == "=":
        return False if left.b < right.a or right.b < left.a else (True if _same(left, right) else None)
    if formula.head in ("<", ">"):
        return True if left.b < right.a else (False if left.a >= right.b else None)
    return True if left.b <= right.a else (False if left.a > right.b else None)


def _same(left, right) -> bool:
    """Whether two intervals are so close that they say the same number."""
    return bool((left.delta + right.delta) <= abs(left).b * 2**-100 + mpmath.mpf(2) ** -150)


def number(term: Term, values: dict[str, mpmath.iv.mpf]):
    if term.number is not None:
        return ball(term.number)
    if not term.arguments:
        return values[term.head]
    left, *rest = (number(part, values) for part in term.arguments)
    if not rest:
        return -left
    return {"+": left + rest[0], "-": left - rest[0], "*": left * rest[0]}[term.head]


def formula(hypothesis, axiom: str) -> Term:
    assert (hypothesis.source, hypothesis.of) == ("axiom", axiom)
    return hypothesis.formula


def log(x: Fraction):
    return IV.log(ball(x))


@holds("log-tangent")
@given(POSITIVE)
def test_log_tangent(x):
    assert truth(formula(axioms.log_tangent(LOG, X), "log-tangent"), {"log": log(x), "x": ball(x)}) is not False


@holds("log-strict-tangent")
@given(POSITIVE)
def test_log_strict_tangent(x):
    stated = formula(axioms.log_strict_tangent(LOG, X), "log-strict-tangent")
    assert truth(stated, {"log": log(x), "x": ball(x)}) is not False
    if abs(x - 1) > Fraction(1, 10**6):
        assert log(x) < ball(x) - 1


@holds("log-monotone")
@given(POSITIVE, POSITIVE)
def test_log_monotone(x, y):
    stated = formula(axioms.log_monotone(X, LOG, Y, OTHER), "log-monotone")
    assert truth(stated, {"x": ball(x), "y": ball(y), "log": log(x), "other": log(y)}) is not False


@holds("log-product")
@given(POSITIVE, POSITIVE, st.integers(-4, 4), st.integers(-4, 4))
def test_log_product(x, y, a, b):
    stated = formula(axioms.log_product(LOG, a * X + b * Y), "log-product")
    values = {"log": log(x**a * y**b), "x": log(x), "y": log(y)}
    assert truth(stated, values) is not False
    assert truth(formula(axioms.log_product(LOG, a * X + b * Y + 1), "log-product"), values) is False


@holds("exp-of-minus-log")
@given(POSITIVE)
def test_exp_of_minus_log(x):
    stated = formula(axioms.exp_of_minus_log(TAIL, Y, LOG, X), "exp-of-minus-log")
    assert truth(stated, {"tail": IV.exp(-log(x)), "y": log(x), "log": log(x), "x": ball(x)}) is not False
    assert truth(stated, {"tail": 2 * IV.exp(-log(x)), "y": ball(1), "log": ball(1), "x": ball(x)}) is False


@holds("square-root")
@given(st.fractions(0, 10**6, max_denominator=10**6))
def test_square_root(x):
    stated = formula(axioms.square_root(ROOT, X), "square-root")
    assert truth(stated, {"root": IV.sqrt(ball(x)), "x": ball(x)}) is not False
    if x:
        assert truth(stated, {"root": -IV.sqrt(ball(x)), "x": ball(x)}) is False
        assert truth(stated, {"root": IV.sqrt(ball(x)) * 2, "x": ball(x)}) is False


@holds("exp-tangent")
@given(SOME, SOME)
def test_exp_tangent(y, z):
    stated = formula(axioms.exp_tangent(LOG, Y, OTHER, X), "exp-tangent")
    values = {"log": IV.exp(ball(y)), "y": ball(y), "other": IV.exp(ball(z)), "x": ball(z)}
    assert truth(stated, values) is not False
    if y != z:
        assert truth(stated, {**values, "log": values["other"] * (ball(1) + ball(y) - ball(z)) - 1}) is False


@holds("power-monotone")
@given(POSITIVE, POSITIVE, st.fractions(Fraction(1, 100), 5, max_denominator=100))
def test_power_monotone(x, y, a):
    small, large = sorted((x, y))
    if small < large:
        low, high = (IV.exp(ball(a) * log(value)) for value in (small, large))
        assert low.a < high.b
        if large - small > large / 1000:
            assert low.b < high.a


@holds("power-product")
@given(POSITIVE, POSITIVE, SOME, SOME)
def test_power_product(x, y, a, b):
    def power(base, exponent):
        return IV.exp(ball(exponent) * base)

    stated = formula(axioms.power_product(LOG, X * Y), "power-product")
    whole = [
        (power(log(x * y), a), power(log(x), a), power(log(y), a)),
        (power(log(x), a + b), power(log(x), a), power(log(x), b)),
    ]
    for of_all, first, second in whole:
        assert truth(stated, {"log": of_all, "x": first, "y": second}) is not False
        assert truth(stated, {"log": of_all * 2, "x": first, "y": second}) is False
    again = power(IV.log(power(log(x), a)), b)
    direct = power(log(x), a * b)
    assert again.a <= direct.b
    assert direct.a <= again.b


@holds("expectation-monotone")
@given(st.lists(st.tuples(st.fractions(0, 9), st.integers(1, 9)), min_size=1, max_size=6), st.fractions(-3, 3))
def test_expectation_monotone(outcomes, factor):
    weights = Fraction(sum(weight for _, weight in outcomes))

    def expected(values):
        return sum(value * weight for value, (_, weight) in zip(values, outcomes, strict=True)) / weights

    first, second = [value for value, _ in outcomes], [weight for _, weight in outcomes]
    assert expected(first) >= 0
    combined = [a + factor * b for a, b in zip(first, second, strict=True)]
    assert expected(combined) == expected(first) + factor * expected(second)


@holds("zeta-two")
def test_zeta_two():
    limit, total = IV.pi**2 / 6, Fraction(0)
    for m in range(1, 2001):
        total += Fraction(1, m * m)
        # The rest lies between the integrals 1/(m + 1) and 1/m.
        assert ball(total) < limit
        assert ball(total + Fraction(1, m + 1)) < limit < ball(total + Fraction(1, m))


@holds("hoeffding")
@pytest.mark.parametrize("m", range(1, 13))
def test_hoeffding_by_exact_binomial_tails(m):
    for tenths, b in product(range(11), [Fraction(k, 20) for k in range(1, 21)]):
        p = Fraction(tenths, 10)
        mass = [math.comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(m + 1)]
        above = sum(mass[k] for k in range(m + 1) if Fraction(k, m) - p > b)
        below = sum(mass[k] for k in range(m + 1) if p - Fraction(k, m) > b)
        one_side = IV.exp(-2 * m * ball(b) ** 2)
        assert ball(above).b <= one_side.b
        assert ball(below).b <= one_side.b
        assert ball(above + below).b <= (2 * one_side).b


def test_hoeffding_with_a_smaller_exponent_is_false():
    """The constant 2 matters: with 4 the tail of a single coin at 1/2 is above the bound."""
    assert Fraction(1, 2) > Fraction(math.exp(-4 * Fraction(49, 100) ** 2))


@holds("union-bound")
@given(st.lists(st.sets(st.integers(0, 9)), max_size=5), st.lists(st.integers(1, 5), min_size=10, max_size=10))
def test_union_bound(events, weights):
    def probability(event):
        return Fraction(sum(weights[outcome] for outcome in event), sum(weights))

    assert probability(set().union(*events)) <= sum(map(probability, events))


def test_every_axiom_is_held_against_numbers():
    assert AXIOMS.keys() == CHECKED


@pytest.mark.parametrize("fact", BALL_FACTS.values(), ids=lambda fact: fact.name)
def test_ball_facts_hold_and_nothing_stronger_does(fact: BallFact):
    assert fact.holds()
    assert fact.tightened_fails()
    assert not BallFact("backwards", "", lambda of: fact.sides(of)[::-1], fact.tightened).holds()
    assert not BallFact("equal", "", lambda of: (fact.sides(of)[0],) * 2, fact.tightened).holds()


@pytest.mark.parametrize("fact", BALL_FACTS.values(), ids=lambda fact: fact.name)
def test_ball_facts_by_other_arithmetic(fact: BallFact):
    """Plain decimals of Python instead of mpmath's intervals."""

    class Decimals:
        pi, e = math.pi, math.e
        mpf, ln = staticmethod(float), staticmethod(math.log)

    small, large = fact.sides(Decimals())
    assert small < large
    low, high = fact.tightened(Decimals())
    assert not low < high


@pytest.mark.parametrize(
    ("name", "small", "large"),
    [
        ("inversion-constant", 128 * math.pi**2 / (3 * math.e**2), 57),
        ("inversion-logarithm", math.log(128 * math.pi**2 / (3 * math.e**2)), math.log(57)),
        ("radius-logarithm", 2, math.log(4 * math.pi**2 / 3)),
    ],
)
def test_ball_facts_say_what_their_names_do(name, small, large):
    class Decimals:
        pi, e = math.pi, math.e
        mpf, ln = staticmethod(float), staticmethod(math.log)

    assert BALL_FACTS[name].sides(Decimals()) == pytest.approx((small, large))


@settings(max_examples=30)
@given(POSITIVE)
def test_the_evaluator_can_say_no(x):
    assert truth(X > X + 1, {"x": ball(x)}) is False
    assert truth(X < X + 1, {"x": ball(x)}) is True
