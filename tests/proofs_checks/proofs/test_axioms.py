"""The named facts of analysis and of ball arithmetic, held against intervals, exact sums and exact tails.

An instance is evaluated with what its symbols stand for: it is not false where its conditions hold, and it says
something: it is false for other numbers, or where they do not hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from proofs_checks.proofs.catalogue import all_proofs, obligations_of
from proofs_checks.proofs.language import axioms
from proofs_checks.proofs.language.axioms import AXIOMS, OPAQUE, check_axiom
from proofs_checks.proofs.language.ball_facts import BALL_FACTS, BallFact, check_ball, sides
from proofs_checks.proofs.language.names import names_realizable
from proofs_checks.proofs.language.obligation import Hypothesis
from proofs_checks.proofs.language.terms import (
    PI,
    Term,
    all_of,
    constants,
    exp,
    function,
    ln,
    number as a_number,
    power,
    sqrt,
)

IV = mpmath.iv
POSITIVE = st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6)
SOME = st.fractions(-20, 20, max_denominator=1000)
EXPONENTS = st.fractions(Fraction(1, 100), 5, max_denominator=100)
LOG, X, Y, OTHER, ROOT, TAIL, A, N = constants("log x y other root tail a n")
Numbers = Mapping[str, "mpmath.iv.mpf"]

CHECKED: set[str] = set()


def holds(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Note that a test holds axioms against numbers."""
    CHECKED.update(names)
    return lambda test: test


def ball(value: Fraction | int) -> mpmath.iv.mpf:
    return IV.mpf(Fraction(value).numerator) / Fraction(value).denominator


@pytest.fixture(autouse=True)
def _precision():
    before, IV.prec = IV.prec, 200
    yield
    IV.prec = before


def truth(formula: Term, values: Numbers) -> bool | None:
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


def number(term: Term, values: Numbers):
    if term.number is not None:
        return ball(term.number)
    if term == PI:
        return IV.pi
    if not term.arguments:
        return values[term.head]
    left, *rest = (number(part, values) for part in term.arguments)
    if term.head in ("ln", "exp", "sqrt"):
        return {"ln": IV.log, "exp": IV.exp, "sqrt": IV.sqrt}[term.head](left)
    if term.head == "pow":
        return IV.exp(rest[0] * IV.log(left))
    if not rest:
        return -left
    if term.head == "/":
        return left / rest[0]
    return {"+": left + rest[0], "-": left - rest[0], "*": left * rest[0]}[term.head]


def named(hypothesis: Hypothesis, values: dict[str, Fraction]) -> dict[str, mpmath.iv.mpf]:
    """Return numbers, and those that the names of an instance stand for, one made of the others."""
    found = {name: ball(value) for name, value in values.items()}
    for symbol, meaning in hypothesis.names:
        found[symbol.head] = number(meaning, found)
    return found


def assert_holds(hypothesis: Hypothesis, **values: Fraction) -> None:
    """Check an instance where its conditions hold; it must be the axiom's."""
    check_axiom(hypothesis)
    numbers = named(hypothesis, values)
    assert all(truth(condition, numbers) for condition in hypothesis.conditions)
    assert truth(hypothesis.formula, numbers) is not False


def excluded(hypothesis: Hypothesis, **values: Fraction) -> bool:
    """Whether numbers at which the formula is false for whatever its names are violate a condition."""
    numbers = {name: ball(value) for name, value in values.items()}
    return any(truth(condition, numbers) is False for condition in hypothesis.conditions)


def says_something(hypothesis: Hypothesis, symbol: Term, values: dict[str, Fraction], wrong: Callable) -> bool:
    """Whether an instance is false when a symbol stands for another number."""
    numbers = named(hypothesis, values)
    return truth(hypothesis.formula, {**numbers, symbol.head: wrong(numbers[symbol.head])}) is False


@holds("log-tangent", "log-strict-tangent")
@given(POSITIVE)
def test_tangents_of_the_logarithm(x):
    above = [axioms.log_tangent(LOG, X), axioms.log_strict_tangent(LOG, X)]
    for one in above:
        assert_holds(one, x=x)
        if x != 1:
            assert says_something(one, LOG, {"x": x}, lambda _: ball(x))
        assert excluded(one, x=-x)


@holds("log-monotone")
@given(POSITIVE, POSITIVE)
def test_log_monotone(x, y):
    one = axioms.log_monotone(X, LOG, Y, OTHER)
    assert_holds(one, x=x, y=y)
    if x < y:
        numbers = named(one, {"x": x, "y": y})
        assert truth(one.formula, {**numbers, "other": numbers["log"] - 1}) is False
    assert excluded(one, x=-x, y=y)
    assert excluded(one, x=x, y=-y)


@holds("log-product")
@given(POSITIVE, POSITIVE, st.integers(-4, 4), st.integers(-4, 4), SOME)
def test_log_product(x, y, a, b, exponent):
    whole = power(X, a) * power(Y, b) * power(X, A)
    one = axioms.log_product(LOG, a * ROOT + b * OTHER + TAIL, {LOG: whole, ROOT: X, OTHER: Y, TAIL: power(X, A)})
    assert_holds(one, x=x, y=y, a=exponent)
    assert says_something(one, LOG, {"x": x, "y": y, "a": exponent}, lambda log: log + 1)
    assert excluded(one, x=-x, y=y, a=exponent)
    for wrong in ((a + 1) * ROOT + b * OTHER + TAIL, a * ROOT + (b - 1) * OTHER + TAIL, a * ROOT + b * OTHER):
        with pytest.raises(InputError, match="different products"):
            axioms.log_product(LOG, wrong, {LOG: whole, ROOT: X, OTHER: Y, TAIL: power(X, A)})


@holds("exp-of-minus-log")
@given(POSITIVE)
def test_exp_of_minus_log(x):
    one = axioms.exp_of_minus_log(TAIL, Y, LOG, X)
    numbers = {"tail": IV.exp(-IV.log(ball(x))), "y": IV.log(ball(x)), "log": IV.log(ball(x)), "x": ball(x)}
    assert truth(one.formula, numbers) is not False
    assert truth(one.formula, {**numbers, "tail": 2 * numbers["tail"], "y": ball(1), "log": ball(1)}) is False
    assert dict(one.names) == {TAIL: exp(-Y), LOG: ln(X)}
    assert excluded(one, x=-x)


@holds("square-root", "square-root-not-negative", "square-root-squared", "square-root-positive", "positive-square-root")
@given(st.fractions(0, 10**6, max_denominator=10**6))
def test_square_roots(x):
    with pytest.raises(InputError, match="-1"):
        axioms.square_root(ROOT, -1)
    of_zero_too = [axioms.square_root, axioms.root_non_negative, axioms.root_squared]
    of_positive = [axioms.root_positive, axioms.positive_root]
    for make in [*of_zero_too, *(of_positive if x else [])]:
        assert_holds(make(ROOT, X), x=x)
        assert excluded(make(ROOT, X), x=-x - 1)
    for make in of_positive:
        assert excluded(make(ROOT, X), x=Fraction(0))
        assert truth(make(ROOT, X).formula, {"x": ball(0), "root": ball(0)}) is False
    if x:
        for make in (axioms.square_root, axioms.root_squared, axioms.positive_root):
            assert says_something(make(ROOT, X), ROOT, {"x": x}, lambda root: 2 * root)
        for make in (axioms.square_root, axioms.root_non_negative, axioms.root_positive, axioms.positive_root):
            assert says_something(make(ROOT, X), ROOT, {"x": x}, lambda root: -root)


@holds("exp-tangent")
@given(SOME, SOME)
def test_exp_tangent(y, z):
    one = axioms.exp_tangent(LOG, Y, OTHER, X)
    assert_holds(one, y=y, x=z)
    assert one.conditions == ()
    if y != z:
        tangent = IV.exp(ball(z)) * (ball(1) + ball(y) - ball(z))
        assert says_something(one, LOG, {"y": y, "x": z}, lambda _: tangent - 1)


@holds("power-tangent")
@given(POSITIVE, SOME, st.sampled_from([0, 1]))
def test_power_tangent(x, a, at):
    one = axioms.power_tangent(TAIL, A, X, LOG, at)
    assert_holds(one, x=x, a=a)
    assert excluded(one, x=-x, a=a)
    half = axioms.power_tangent(TAIL, A, X, LOG, 1)
    assert says_something(half, TAIL, {"x": Fraction(4), "a": Fraction(1, 2)}, lambda value: 3 * value)


@holds("power-monotone", "power-of-ratio-monotone")
@given(POSITIVE, POSITIVE, EXPONENTS, POSITIVE)
def test_power_monotone(x, y, a, n):
    small, large = sorted((x, y))
    one = axioms.power_monotone(X, LOG, Y, OTHER, A)
    ratio = axioms.power_of_ratio_monotone(X, LOG, Y, OTHER, A, N)
    assert_holds(one, x=small, y=large, a=a)
    assert_holds(ratio, x=small, y=large, a=a, n=n)
    assert excluded(one, x=small, y=large, a=-a)
    for name in ("x", "y", "a", "n"):
        assert excluded(ratio, **{"x": small, "y": large, "a": a, "n": n, name: Fraction(-1)})
    if large - small > large / 1000:
        backwards = named(one, {"x": small, "y": large, "a": -a})
        assert truth(one.formula, backwards) is False


@holds("power-product")
@given(POSITIVE, POSITIVE, EXPONENTS, SOME)
def test_power_product(x, y, a, b):
    values = {"x": x, "y": y, "a": a, "n": b}
    cases = [
        axioms.power_product(LOG, OTHER * TAIL, {LOG: power(X * Y, A), OTHER: power(X, A), TAIL: power(Y, A)}),
        axioms.power_product(LOG, OTHER * TAIL, {LOG: power(X, A + N), OTHER: power(X, A), TAIL: power(X, N)}),
        axioms.power_product(OTHER, LOG, {LOG: power(X, A), OTHER: power(X, A)}),
        axioms.power_product(OTHER, X, {LOG: power(X, 1 / A), OTHER: power(LOG, A)}),
        axioms.power_product(LOG * LOG, X, {LOG: sqrt(X)}),
    ]
    for one in cases:
        assert_holds(one, **values)
        for symbol in {LOG, OTHER} & {part for part, _ in one.names if part in one.formula.arguments}:
            assert says_something(one, symbol, values, lambda value: 2 * value)
        assert excluded(one, **{**values, "x": -x})
    assert excluded(cases[3], **{**values, "a": Fraction(0)})


@pytest.mark.for_each(
    "arguments",
    [
        (LOG, X, {LOG: power(X, A)}),
        (LOG * LOG, X, {LOG: power(X, A)}),
        (LOG, X + Y, {LOG: power(X, 1)}),
        (LOG, 0, {LOG: X * 1}),
        (LOG, -X, {LOG: -1 * X}),
        (X, Y, {}),
        (LOG, 1, {LOG: power(LOG, 0)}),
    ],
)
def test_products_that_differ_are_no_instance(arguments):
    with pytest.raises(InputError):
        axioms.power_product(*arguments)


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
    assert str(axioms.expectation_monotone(X, 0).formula) == "(>= x 0.0)"
    check_axiom(axioms.expectation_monotone(X, Y))


@holds("zeta-two")
def test_zeta_two():
    limit, total = IV.pi**2 / 6, Fraction(0)
    one = axioms.zeta_two(X, Y)
    for m in range(1, 2001):
        total += Fraction(1, m * m)
        # The rest lies between the integrals 1/(m + 1) and 1/m.
        assert ball(total) < limit
        assert ball(total + Fraction(1, m + 1)) < limit < ball(total + Fraction(1, m))
        if m % 500 == 0:
            assert truth(one.formula, {"x": ball(total), "y": IV.pi**2}) is True
            assert truth(one.formula, {"x": ball(total + Fraction(1, m)), "y": IV.pi**2}) is False
    check_axiom(one)


def binomial_above(m, q, reached):
    """Return the probability that the mean of m scores 0 or 1 of quality q is at least so high, exactly."""
    return sum(math.comb(m, k) * q**k * (1 - q) ** (m - k) for k in range(m + 1) if Fraction(k, m) >= reached)


@holds("hoeffding", "one-sided-hoeffding")
@pytest.mark.for_each("m", [1, 2, 3, 5, 8, 12])
def test_hoeffding_by_exact_binomial_tails(m):
    both, one = axioms.hoeffding(X, TAIL, N, Y), axioms.one_sided_hoeffding(X, TAIL, N, Y)
    check_axiom(both)
    check_axiom(one)
    for q, b in product([Fraction(k, 10) for k in range(11)], [Fraction(k, 20) for k in range(1, 21)]):
        above, below = binomial_above(m, q, q + b), binomial_above(m, 1 - q, 1 - q + b)
        values = {"n": ball(m), "y": ball(b)}
        assert truth(one.formula, {"x": ball(above), "tail": number(dict(one.names)[TAIL], values)}) is not False
        tail = number(dict(both.names)[TAIL], values)
        assert truth(both.formula, {"x": ball(above + below), "tail": tail}) is not False
    assert truth(one.formula, {"x": ball(1), "tail": ball(Fraction(1, 2))}) is False
    # The constant 2 matters: with 4 the tail of a single coin at 1/2 is above the bound.
    assert Fraction(1, 2) > Fraction(math.exp(-4 * Fraction(49, 100) ** 2))


@holds("chernoff")
@pytest.mark.for_each("m", [1, 2, 3, 5, 8, 12])
def test_chernoff_by_exact_binomial_tails(m):
    instance = axioms.chernoff(X, TAIL, N, OTHER, Y, A)
    check_axiom(instance)
    for q, p in product([Fraction(k, 10) for k in range(1, 10)], [Fraction(k, 20) for k in range(1, 20)]):
        if p <= q:
            continue
        divergence = number(dict(instance.names)[OTHER], {"y": ball(p), "a": ball(q)})
        tail = number(dict(instance.names)[TAIL], {"n": ball(m), "other": divergence})
        assert truth(instance.formula, {"x": ball(binomial_above(m, q, p)), "tail": tail}) is not False
    # All m scores are 1: the bound at p near 1 is nearly attained, and a larger exponent is false.
    near = Fraction(10**6 - 1, 10**6)
    divergence = number(dict(instance.names)[OTHER], {"y": ball(near), "a": ball(Fraction(1, 2))})
    larger = IV.exp(-(m * divergence * ball(Fraction(11, 10))))
    assert truth(instance.formula, {"x": ball(Fraction(1, 2**m)), "tail": larger}) is False


def told_apart(queries, x, y, q, p):
    """Return whether the axiom says that so many queries tell an event of probability x from y, with qualities q, p."""
    queried, divergence, here, there, happens, fails = constants("n_ d_ x_ y_ h_ f_")
    instance = axioms.data_processing(queried, divergence, here, there, happens, fails, Y, A)
    check_axiom(instance)
    names = dict(instance.names)
    values = {"x_": ball(x), "y_": ball(y), "y": ball(q), "a": ball(p)}
    told = {symbol.head: number(names[symbol], values) for symbol in (divergence, happens, fails)}
    return truth(instance.formula, values | told | {"n_": ball(queries)})


@holds("data-processing")
@pytest.mark.long("sums the probabilities of all outcomes")
@pytest.mark.for_each("m", [1, 2, 4, 6])
def test_data_processing_by_exact_probabilities_of_rules(m):
    """Query m times and look at the sum; query until the first 0, at most m times, and look at when it came."""
    chances = [Fraction(k, 10) for k in (1, 3, 5, 6, 9)]
    for q, p in product(chances, chances):
        for k in range(1, m + 1):
            reached = Fraction(k, m)
            assert told_apart(m, binomial_above(m, q, reached), binomial_above(m, p, reached), q, p) is not False
            queries = sum(q**j for j in range(m))
            assert told_apart(queries, q**k, p**k, q, p) is not False
    # One query, and the event that its score is 1, tell all that the scores do: with fewer queries it is false.
    assert told_apart(Fraction(9, 10), Fraction(1, 5), Fraction(4, 5), Fraction(1, 5), Fraction(4, 5)) is False


@holds("union-bound")
@given(st.lists(st.sets(st.integers(0, 9)), max_size=5), st.lists(st.integers(1, 5), min_size=10, max_size=10))
def test_union_bound(events, weights):
    def probability(event):
        return Fraction(sum(weights[outcome] for outcome in event), sum(weights))

    union, total = probability(set().union(*events)), sum(map(probability, events), Fraction(0))
    one = axioms.union_bound(X, a_number(1), Y)
    assert truth(one.formula, {"x": ball(union), "y": ball(total)}) is not False
    assert truth(one.formula, {"x": ball(union + 1), "y": ball(union)}) is False
    check_axiom(one)


def test_every_axiom_is_held_against_numbers():
    assert AXIOMS.keys() == CHECKED
    assert AXIOMS.keys() > OPAQUE
    probabilities = {"hoeffding", "one-sided-hoeffding", "chernoff", "data-processing", "union-bound"}
    assert probabilities | {"expectation-monotone", "zeta-two"} == OPAQUE


INSTANCES = [
    one
    for obligation in obligations_of(all_proofs()).values()
    for one in obligation.hypotheses.values()
    if one.source == "axiom"
]

#: What somebody may do to an instance.
CHANGES: tuple[Callable[[Hypothesis], Hypothesis], ...] = (
    lambda one: replace(one, formula=one.formula & (X > 1)),
    lambda one: replace(one, formula=~one.formula),
    lambda one: replace(one, of="wishful-thinking"),
    lambda one: replace(one, of="log-tangent" if one.of != "log-tangent" else "hoeffding"),
    lambda one: replace(one, arguments=()),
    lambda one: replace(one, arguments=(*one.arguments, X)),
    lambda one: replace(one, arguments=(*one.arguments[::-1], None)),
    lambda one: replace(one, conditions=(*one.conditions, X > 1)),
    lambda one: replace(one, names=one.names[1:]),
    lambda one: replace(one, names=(*one.names, (X, ln(Y)))),
    lambda one: replace(one, reading=((X, Y),)),
)


def test_the_paper_uses_instances_only_and_what_is_changed_is_none():
    for one in INSTANCES:
        check_axiom(one)
        assert one.names
    assert len(INSTANCES) > 60
    for one in {one.of: one for one in INSTANCES}.values():
        for change in CHANGES:
            with pytest.raises(InputError, match=r"no instance of the axiom|cites no axiom"):
                check_axiom(change(one))


F = function("f")


@pytest.mark.for_each(
    ("names", "problem"),
    [
        ([], ""),
        ([(X - Y, ln(A / N)), (X, ln(A))], ""),
        ([(X, ln(4 * A)), (2 * X, ln(16 * A * A))], ""),
        ([(X, ln(A)), (Y, ln(power(A, N))), (ROOT, sqrt(Y)), (TAIL, exp(-ROOT))], ""),
        ([(ROOT, sqrt(A)), (X, ln(ROOT)), (2 * X, ln(A))], ""),
        ([(X, ln(A)), (Y, ln(N)), (ROOT, sqrt(X + Y)), (ROOT, sqrt(LOG)), (LOG, ln(A * N))], ""),
        ([(F(A), ln(Y)), (F(N), ln(X))], ""),
        ([(X, ln(A)), (X, ln(2 * A))], "x cannot stand for"),
        ([(X, ln(A)), (Y, ln(A)), (X - Y, ln(2))], "cannot stand for"),
        ([(X, ln(A)), (X, ln(N))], "x cannot stand for"),
        ([(X, ln(PI)), (X, ln(3))], "x cannot stand for"),
        ([(ROOT, sqrt(A)), (ROOT, sqrt(N))], "root cannot stand for"),
        ([(ROOT, sqrt(A)), (ROOT, power(A, 2))], "root cannot stand for"),
        ([(ROOT, exp(A)), (ROOT, exp(A + 1))], "root cannot stand for"),
        ([(X, ln(X))], "made of it"),
        ([(X, ln(Y)), (Y, sqrt(X))], "made of it"),
        ([(X - Y, ln(A)), (Y, ln(ROOT)), (ROOT, sqrt(X))], "made of it"),
        ([(X * Y, ln(A))], "no sum of multiples"),
        ([(2 * ROOT, sqrt(A))], "it is no symbol"),
        ([(X, ln(-2 * A))], "not positive"),
    ],
)
def test_names_are_realizable_or_not(names, problem):
    found = names_realizable(names)
    assert problem in found
    assert bool(problem) == bool(found)


class Decimals:
    """Plain decimals of Python instead of mpmath's intervals."""

    pi = math.pi
    mpf, ln, exp = staticmethod(float), staticmethod(math.log), staticmethod(math.exp)


#: What the names of ball facts say.
SIDES = {
    "inversion-constant": (128 * math.pi**2 / (3 * math.e**2), 57),
    "inversion-logarithm": (math.log(128 * math.pi**2 / (3 * math.e**2)), math.log(57)),
    "radius-logarithm": (2, math.log(4 * math.pi**2 / 3)),
}


@pytest.mark.for_each("fact", BALL_FACTS.values(), ids=lambda fact: fact.name)
def test_ball_facts_hold_and_nothing_stronger_or_else_does(fact: BallFact):
    assert fact.holds()
    assert fact.tightened_fails()
    low, high = sides(fact.tightened, Decimals())
    assert not low < high
    if fact.name in SIDES:
        assert sides(fact.closed, Decimals()) == pytest.approx(SIDES[fact.name])
    smaller, larger = fact.formula.arguments
    for other in (smaller, larger):
        assert not replace(fact, formula=Term(fact.formula.head, (larger, other), "Bool")).holds()
    check_ball(fact.hypothesis)
    for wrong in (
        replace(fact.hypothesis, formula=all_of(X < 0)),
        replace(fact.hypothesis, formula=~fact.formula),
        replace(fact.hypothesis, names=((X, ln(2)),)),
        replace(fact.hypothesis, of="pi-is-3"),
        *(replace(fact.hypothesis, of=one.name) for one in BALL_FACTS.values() if one is not fact),
    ):
        with pytest.raises(InputError, match="ball arithmetic"):
            check_ball(wrong)


@given(POSITIVE)
def test_the_evaluator_can_say_no(x):
    assert truth(X > X + 1, {"x": ball(x)}) is False
    assert truth(X < X + 1, {"x": ball(x)}) is True
