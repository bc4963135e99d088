"""Leading orders, derived from formulas, against formulas typed again and evaluated at huge arguments."""

import itertools

import mpmath
import pytest
import sympy
from mpmath import log, mpf, sqrt

from bounds.errors import InputError
from bounds.symbolic.asymptotics import _compared, asymptotics, leading_order
from bounds.symbolic.symbols import symbols
from bounds.symbolic.verbs import symbolic
from proofs_checks.claims.registry import claim

T, ALPHA = symbols.T, symbols.alpha
ALPHAS = [mpf(share) for share in ("0.3", "0.5", "0.6", "0.75", "0.9")]


def by_hand(T: mpf, N: mpf, eps: mpf, Delta: mpf, alpha: mpf) -> dict[str, mpf]:  # noqa: N803
    """Return the paper's bounds where roundings do not matter: two competitors, and N - 3 unqualified providers."""
    k, delta, c_max, c_2, extra = 2, mpf("0.05"), 3, mpf("0.5"), mpf("0.25")
    constant = 2 * mpmath.pi**2 * N / (3 * delta)

    def count(x: mpf) -> mpf:
        return 4 / x**2 * log(57 * N / (delta * x**4))

    g = k * (T / N) ** alpha
    most, competitor = count(eps), max(count(Delta / c_max), g)
    radii = sqrt(2 * N * (T - N) * log(constant * T**2))
    start = N * max(1, (max(1, most) / k) ** (1 / alpha))
    last = 6 * c_max / (2 - alpha) * sqrt(log(constant * g**2) / (2 * g))
    quality = N + 2 * radii, (N - 3) * (most + 1) * eps
    by_gap = (N - 3) * (most + 1) * extra + 2 * (competitor + 1) * Delta
    generation = (N - 1) * g * c_max + 2 * c_max * radii, by_gap
    return {
        "identification_bound": (N - 3) * most + 2 * competitor,
        "unqualified_selections_bound": (N - 3) * (most + 1),
        "burn_in": start,
        "quality_regret_anytime": quality[0],
        "quality_regret_gap_dependent": quality[1],
        "quality_regret": min(quality),
        "generation_regret_anytime": generation[0],
        "generation_regret_gap_dependent": generation[1],
        "generation_regret": min(generation),
        "excess_payment": N * g * (c_max - c_2) + c_max * radii,
        "average_excess_payment": N / T * (1 + g) * (c_max - c_2) + c_max * sqrt(2 * N / T * log(constant * T**2)),
        "average_payment_deviation": start / T * c_max + N / T * g * (c_max - c_2) + last,
    }


#: Powers of ten in T/N and N.
CORNERS = [(4000, 400), (400, 4000), (900, 900), (3, 10**7)]
#: Pairs of points: one and the same part of a bound leads at both.
PAIRS = {
    "T": [[{"T": 400}, {"T": 800}]],
    "N": [[{"T": part * (r + n), "N": part * n} for part in (1, 2)] for r, n in CORNERS],
    "eps": [[{"eps": -400}, {"eps": -800}]],
    "Delta": [[{"Delta": -400}, {"Delta": -800}]],
}
USUAL = {"T": 5, "N": 1, "eps": -1, "Delta": -1}


@pytest.mark.parametrize("of", PAIRS)
def test_bounds_grow_by_their_leading_order(of: str) -> None:
    for row in (row for row in asymptotics() if row.of == of):
        order = sympy.lambdify(sympy.symbols("T N eps Delta alpha"), row.order, "mpmath")
        for pair, alpha in itertools.product(PAIRS[of], ALPHAS):
            points = [{name: mpf(10) ** power for name, power in {**USUAL, **point}.items()} for point in pair]
            first, last = (log(by_hand(**at, alpha=alpha)[row.name] / order(**at, alpha=alpha)) for at in points)
            assert abs(last - first) < 0.05, (row, alpha, pair)


def test_the_statements_of_the_paper_are_compared() -> None:
    stated = [row for row in asymptotics() if row.stated is not None]
    assert {row.line: row.agreement for row in stated if row.agreement != "equal"} == {
        **dict.fromkeys((343, 345, 364), "equal up to logarithms"),
        1361: "larger",
    }
    assert [row.line for row in stated if not row.agrees] == [345]
    assert all(claim(row.label).source_line <= row.line for row in stated)
    rows = {(row.name, row.of) for row in asymptotics()}
    assert all(leading_order(name, of) == 1 for name, _ in rows for of in PAIRS if (name, of) not in rows)


@pytest.mark.for_each(
    ("stated", "agreement"),
    [("T**alpha", "smaller"), ("sqrt(T*log(T))", "smaller"), ("sqrt(T)", "smaller"), ("T", "larger")],
)
def test_a_wrong_statement_disagrees(stated: str, agreement: str) -> None:
    row = _compared("generation_regret_anytime", "T", stated, "", "1", "yes")
    assert (row.agreement, row.agrees) == (agreement, agreement == "larger")


def test_orders_of_expressions_of_ones_own() -> None:
    regret = symbolic("generation_regret_anytime", smooth=True)
    assert leading_order(regret / T) == sympy.Max(T ** (ALPHA - 1), sympy.sqrt(sympy.log(T)) / sympy.sqrt(T))
    assert leading_order(regret.diff("c_max")) == leading_order(regret)
    assert leading_order("quality_regret_anytime", "N") == sympy.sqrt(symbols.N) * sympy.sqrt(T) * sympy.sqrt(
        sympy.log(T)
    )
    assert leading_order("excess_payment", method="sharp") == leading_order("excess_payment")


@pytest.mark.for_each(
    ("bound", "of", "complaint"),
    [
        ("generation_regrets", "T", "did you mean generation_regret"),
        ("generation_regret", "t", "must be one of T, N, eps, Delta"),
        ("sharpest_burn_in", "T", "has no order here: there is no rule for Found"),
        (sympy.sqrt(T) - T, "T", "the negative term -T may lead"),
        (2 * T - sympy.ceiling(2 * T), "T", "the negative term .* may lead"),
        (sympy.Min(T**ALPHA, sympy.sqrt(T)) + 1, "T", "none of its terms is always the smallest"),
        (1 / (T**ALPHA + sympy.sqrt(T)), "T", "a power that may be negative"),
        (sympy.log(sympy.log(T)), "T", "not known to grow or to decay like a power"),
        (T**T, "T", "there is no rule for Pow"),
    ],
)
def test_what_has_no_order(bound: str | sympy.Expr, of: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        leading_order(bound, of)
