"""Values of formulas for small markets, drawn by Hypothesis: shared by the tests of selection and identification."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st


@st.composite
def instances(draw: st.DrawFn, gaps: tuple[float, float] = (0.01, 1.0)) -> dict[str, Any]:
    """Draw a small market."""
    gap = st.floats(*gaps)
    optimal = draw(st.sampled_from([0.0, 0.0625]))
    deviation = draw(st.sampled_from([0.0, 0.0, 0.03125]))
    shortfalls = draw(st.lists(gap, max_size=2))
    dear = draw(st.lists(gap.map(lambda g: min(optimal + g + 2 * deviation, 1.0)), min_size=1, max_size=2))
    return {
        "n_providers": 1 + len(shortfalls) + len(dear),
        "n_qualified": 1 + len(dear),
        "confidence": draw(st.sampled_from([0.05, 0.5, 1 - 2**-53, 1e-6])),
        "quality_threshold": 1.0,
        "cost_bound": 1.0,
        "exploration_scale": draw(st.one_of(st.floats(0.01, 3), st.sampled_from([1e-9, 1.0, 2.0, 0.5]))),
        "exploration_exponent": draw(st.sampled_from([0.05, 0.5, 2 / 3, 0.75, 0.95, 1 - 2**-53])),
        "belief_slack": draw(st.sampled_from([0.0, 0.0, 0.25])),
        "underbid": deviation,
        "overbid": deviation,
        "optimal_cost": optimal,
        "unqualified_quality": np.array([1.0 - g for g in shortfalls]),
        "unqualified_cost": np.array([draw(st.floats(0, 1)) for _ in shortfalls]),
        "competitor_cost": np.array(dear),
    }
