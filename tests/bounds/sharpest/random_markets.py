"""Random markets with ties, two providers, nobody unqualified, tiny k, g(T) < 1, delta near 1, slacks, equal costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.sharpest.market import Market


def values_of(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the inputs of formulas."""
    unqualified, competitors = int(rng.integers(0, 4)), int(rng.integers(1, 4))
    bound = float(rng.choice([1.0, 102.4]))
    under, over = (float(rng.choice([0.0, 0.01, 0.125])) * bound for _ in range(2))
    optimal = float(rng.choice([0.0, 0.1, 0.3])) * bound
    gaps = [float(rng.choice([2.0**-20, 0.05, 0.05, rng.uniform(0.01, 0.4)])) for _ in range(competitors)]
    costs = [optimal + under + over + gap * bound for gap in gaps]
    threshold = float(rng.choice([1.0, 0.5, rng.uniform(0.2, 1)]))
    short = [float(rng.choice([1.0, 0.3, 0.1, rng.uniform(0.05, 1)])) for _ in range(unqualified)]
    return {
        "n_providers": 1 + unqualified + competitors,
        "n_qualified": 1 + competitors,
        "confidence": float(rng.choice([0.05, 0.5, 1 - 2**-53, rng.uniform(1e-6, 0.999)])),
        "quality_threshold": threshold,
        "cost_bound": bound,
        "exploration_scale": float(rng.choice([1e-3, 0.3, 1.0, 2.0, rng.uniform(1, 10)])),
        "exploration_exponent": float(rng.choice([0.05, 0.5, 0.75, rng.uniform(0.05, 0.95)])),
        "belief_slack": float(rng.choice([0.0, 0.0, 0.28, 2.0])),
        "underbid": under,
        "overbid": over,
        "optimal_cost": optimal,
        "second_lowest_cost": min(costs),
        "unqualified_quality": np.array([threshold * (1 - gap) for gap in short]),
        "unqualified_cost": np.array([float(rng.choice([0.0, 0.1, 0.3, 0.5, 1.0])) * bound for _ in short]),
        "competitor_cost": np.array(costs),
        "horizon": float(rng.integers(2, 3000)),
    }


def market_of(rng: np.random.Generator) -> Market:
    """Draw a market."""
    return Market.of(values_of(rng))
