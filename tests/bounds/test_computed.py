"""A computed quantity stands in formulas as a formula does: in floats, in balls, per provider and in LaTeX."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from bounds.language.computed import Computed
from bounds.language.formula import Formula
from bounds.language.quantities import COUNT, Q_UNQUALIFIED, QUANTITIES, Quantity, pure, queries
from bounds.language.terms import OverUnqualified
from bounds.methods import METHODS, every_formula
from bounds.published import published
from bounds.setting.formula_inputs import formula_inputs


def halved(values: Mapping[str, Any]) -> np.ndarray:
    return np.floor(np.asarray(values["count"], dtype=float) / 2)


HALF = Computed(queries("test_half", "h", "half a count"), halved, (COUNT,), r"\lfloor m/2 \rfloor", "a test")
EACH = Computed(
    Quantity("test_each", "e_i", "a number per provider", "1", per_provider=True),
    lambda values: np.asarray(values["unqualified_quality"]) * 2,
    (Q_UNQUALIFIED,),
    "2 q_i",
    "a test",
)


def test_it_is_evaluated_inside_a_formula() -> None:
    found = Formula(pure("test_sum", "s", "a sum"), 1 + 3 * HALF, "a test")
    assert found.inputs == (COUNT,)
    assert found(count=[4, 7]).tolist() == [7.0, 10.0]
    assert found.enclose(count=7).lower == found.enclose(count=7).upper == 10
    assert "h" in found.latex()
    assert HALF.latex() == r"h = \lfloor m/2 \rfloor"


def test_it_is_summed_over_providers() -> None:
    total = Formula(pure("test_total", "t", "a total"), OverUnqualified(EACH + 1), "a test")
    assert EACH.per_provider
    assert not total.per_provider
    assert total.value(unqualified_quality=np.array([0.25, 0.5])) == 3.5


def test_the_sharpest_formulas_are_found_by_name_and_declared() -> None:
    for prefix in ("sharpest", "binary"):
        names = [name for name in every_formula() if name.startswith(f"{prefix}_")]
        assert f"{prefix}_identification_bound" in names
        assert all(name in QUANTITIES for name in names)


def test_balls_and_floats_agree_on_the_sharpest_bounds() -> None:
    values = {**formula_inputs(published("gpqa-strong").setting), "horizon": 70_000}
    formulas = METHODS["sharpest"]
    for formula in (formulas.identification, formulas.excess, formulas.average_deviation, *formulas.quality_branches):
        box = formula.enclose(values)
        assert abs(float(box.lower) - formula.value(values)) <= 1e-9 * formula.value(values)


def test_it_travels_to_a_fresh_process() -> None:
    code = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).source)"
    for formula in (METHODS["sharpest"].identification, METHODS["sharpest-binary"].excess):
        sent = pickle.dumps(formula)
        found = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True)
        assert found.stdout.decode().strip() == formula.source
