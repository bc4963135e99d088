"""Of regrets and payments what no lemma says; and that the improved bounds are never above the paper's."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings, strategies as st
from sympy import LambertW

from bounds.formulas import payment, rate as rate_module, regret, selection, sharp
from bounds.formulas.payment import (
    AUCTION_PAYMENT_LOWER_SERVED,
    AVERAGE_PAYMENT_DEVIATION,
    LATE_PAYMENT_LOWER,
    LATE_PAYMENT_UPPER,
)
from bounds.formulas.rate import growth_exponent, optimal_rate
from bounds.formulas.regret import (
    GENERATION_REGRET,
    GENERATION_REGRET_ANYTIME,
    QUALITY_REGRET_ANYTIME,
    RADIUS_SUM_BOUND,
)
from bounds.formulas.selection import BURN_IN
from bounds.language.formula import Formula
from bounds.language.quantities import ALPHA, HORIZON, N
from bounds.symbolic.growth import Growth
from proofs_checks.proofs.kernel.formulas import coq_definitions
from tests.bounds.by_hand import EXPLORED, MARKETS, beta, market
from tests.refusals import assert_refused

UNHURRIED = settings(deadline=None)


@UNHURRIED
@given(MARKETS, st.floats(0, 1), st.sampled_from([1, 2, 17, 10**6]))
def test_auctions_pay_no_less_than_the_winners_cost_and_its_radius(v: dict[str, Any], share: float, m: int) -> None:
    """The lower bound of appendix D; the others are among the lemmas."""
    cost = share * v["cost_bound"]
    radius = (1 + v["belief_slack"]) * v["cost_bound"] * beta(m, v["n_providers"], v["confidence"])
    found = AUCTION_PAYMENT_LOWER_SERVED.value({**v, "served_cost": cost, "count": m})
    assert found == pytest.approx(max(0, cost - radius - v["underbid"]), rel=1e-11, abs=1e-12 * radius)


@UNHURRIED
@given(MARKETS)
def test_there_is_no_value_where_a_logarithm_is_negative(v: dict[str, Any]) -> None:
    """While g(t) is too small for a radius, and for T < T_0."""
    g = v["exploration_scale"] * (v["step"] / v["n_providers"]) ** v["exploration_exponent"]
    if math.isnan(beta(g, v["n_providers"], v["confidence"])):
        for formula in (LATE_PAYMENT_UPPER, LATE_PAYMENT_LOWER):
            assert_refused("has no value at these inputs", formula, v)
        early = {**v, "horizon": v["step"]}
        assert_refused("valid: on the good event; T >= T_0", AVERAGE_PAYMENT_DEVIATION, early)
        assert early["horizon"] < BURN_IN.value(v)
    if (burn_in := BURN_IN.value(v)) < 1e15:
        assert AVERAGE_PAYMENT_DEVIATION.value(v, horizon=math.ceil(burn_in)) > 0


@pytest.mark.for_each(
    ("term", "exponent"),
    [
        (1 / HORIZON, 1),
        (7 * (N / HORIZON) ** (1 - ALPHA), 1 - ALPHA),
        (sympy.sqrt(HORIZON), sympy.Rational(-1, 2)),
        (sympy.log(HORIZON**2 + 1) / HORIZON**2, 2),
        (sympy.Integer(5), 0),
    ],
)
def test_growth_exponents(term: sympy.Expr, exponent: sympy.Expr) -> None:
    assert growth_exponent(term) == exponent
    [[(power, _)]] = Growth((HORIZON.symbol,), {HORIZON.symbol: (1,)}).of(sympy.sympify(term))
    assert sympy.expand(power + exponent) == 0


@pytest.mark.parametrize(
    ("name", "term", "complaint"),
    [
        ("DEVIATION_START", sympy.Integer(1), "not dominated"),
        ("DEVIATION_EXPLORATION", HORIZON ** (-ALPHA), "not dominated|not monotone"),
        ("DEVIATION_RADIUS", HORIZON ** (ALPHA - 1), "not monotone"),
    ],
)
def test_a_bound_of_another_shape_is_not_called_optimal(
    name: str, term: sympy.Expr, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_module, name, term)
    with pytest.raises(ArithmeticError, match=complaint):
        optimal_rate.__wrapped__()


@pytest.mark.for_each(
    "formula", [RADIUS_SUM_BOUND, QUALITY_REGRET_ANYTIME, GENERATION_REGRET_ANYTIME, GENERATION_REGRET]
)
def test_bounds_grow_with_the_horizon_and_start_at_n(formula: Formula) -> None:
    values = formula(market(), horizon=np.arange(3, 5000))
    assert (np.diff(values) >= 0).all()
    assert_refused("has no value", formula, market(), horizon=2)


PAPERS = {k: v for module in (selection, regret, payment) for k, v in vars(module).items() if isinstance(v, Formula)}
#: Improved formulas whose name is not that of the paper's behind "SHARP_".
RENAMED = {"UNQUALIFIED_CAP": "ELIMINATION_BOUND", "QUALITY_REGRET_BY_QUALITY": "QUALITY_REGRET_GAP_DEPENDENT"}
#: What the paper states otherwise, or of which more is better.
OTHER = ("LEAD_BOUND", "LATE_PAYMENT_LOWER")
SHARP = {name.removeprefix("SHARP_"): each for name, each in vars(sharp).items() if name.startswith("SHARP_")}
PAIRS = [(each, PAPERS[RENAMED.get(name, name)]) for name, each in SHARP.items() if name not in OTHER]


def test_every_sharp_formula_is_compared() -> None:
    assert len(PAIRS) == len(SHARP) - len(OTHER) == 19


@UNHURRIED
@given(EXPLORED)
def test_no_improved_bound_exceeds_the_papers(v: dict[str, Any]) -> None:
    for improved, paper in PAIRS:
        assert (improved(v) <= paper(v) * (1 + 1e-12)).all(), improved.quantity.name


@UNHURRIED
@given(EXPLORED)
def test_the_improved_lower_bound_of_a_payment_is_higher(v: dict[str, Any]) -> None:
    paper, improved = payment.LATE_PAYMENT_LOWER.value(v), sharp.SHARP_LATE_PAYMENT_LOWER.value(v)
    radius = payment.LATE_PAYMENT_UPPER.value(v) - v["second_lowest_cost"] - v["overbid"]
    assert improved - paper == pytest.approx(radius, rel=1e-9, abs=1e-12 * v["cost_bound"])
    assert improved > paper


def test_another_branch_of_the_lambert_function_is_not_printed_as_the_one_below_minus_1() -> None:
    below = sharp.SHARP_ELIMINATION_BOUND
    above = replace(below, expression=below.expression.replace(LambertW, lambda z, _: LambertW(z)))
    assert "(lambert " in coq_definitions([below])
    with pytest.raises((KeyError, IndexError)):
        coq_definitions([above])
