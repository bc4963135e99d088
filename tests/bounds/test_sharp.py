"""The improved bounds are never above the paper's; `test_printed_numbers_improved` types them again."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from sympy import LambertW

from bounds.formulas import payment, regret, selection, sharp
from bounds.language.formula import Formula
from proofs_checks.proofs.kernel.formulas import coq_definitions
from tests.bounds.by_hand import EXPLORED

UNHURRIED = settings(deadline=None)
PAIRS = [
    (sharp.SHARP_ELIMINATION_BOUND, selection.ELIMINATION_BOUND),
    (sharp.SHARP_UNQUALIFIED_CAP, selection.ELIMINATION_BOUND),
    (sharp.SHARP_ORDINARY_BOUND, selection.ORDINARY_BOUND),
    (sharp.SHARP_COMPETITOR_CAP, selection.COMPETITOR_CAP),
    (sharp.SHARP_IDENTIFICATION_BOUND, selection.IDENTIFICATION_BOUND),
    (sharp.SHARP_EXPLORATION_STEPS_BOUND, selection.EXPLORATION_STEPS_BOUND),
    (sharp.SHARP_LARGEST_ELIMINATION_BOUND, selection.LARGEST_ELIMINATION_BOUND),
    (sharp.SHARP_BURN_IN, selection.BURN_IN),
    (sharp.SHARP_RADIUS_SUM_BOUND, regret.RADIUS_SUM_BOUND),
    (sharp.SHARP_QUALITY_REGRET_ANYTIME, regret.QUALITY_REGRET_ANYTIME),
    (sharp.SHARP_QUALITY_REGRET_BY_QUALITY, regret.QUALITY_REGRET_GAP_DEPENDENT),
    (sharp.SHARP_QUALITY_REGRET_GAP_DEPENDENT, regret.QUALITY_REGRET_GAP_DEPENDENT),
    (sharp.SHARP_QUALITY_REGRET, regret.QUALITY_REGRET),
    (sharp.SHARP_GENERATION_REGRET_ANYTIME, regret.GENERATION_REGRET_ANYTIME),
    (sharp.SHARP_GENERATION_REGRET_GAP_DEPENDENT, regret.GENERATION_REGRET_GAP_DEPENDENT),
    (sharp.SHARP_GENERATION_REGRET, regret.GENERATION_REGRET),
    (sharp.SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION, payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION),
    (sharp.SHARP_EXCESS_PAYMENT, payment.EXCESS_PAYMENT),
    (sharp.SHARP_AVERAGE_PAYMENT_DEVIATION, payment.AVERAGE_PAYMENT_DEVIATION),
]


def test_every_sharp_formula_is_compared() -> None:
    compared = {formula.quantity.name for formula, _ in PAIRS} | {"sharp_lead_bound", "sharp_late_payment_lower"}
    own = {f.quantity.name for f in vars(sharp).values() if isinstance(f, Formula)}
    assert {name for name in own if name.startswith("sharp_")} == compared
    assert len(compared) == 21


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
