"""Random markets at the boundary of the event of the sharpest bounds."""

import numpy as np

from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.claims.cases.sharpest_constructed import played
from proofs_checks.claims.model.case import Case


def sharpest_setting(rng: np.random.Generator) -> tuple[Setting, int]:
    """Draw a setting in which the sharpest bounds are near, and a horizon: few providers, a large delta, wide gaps."""
    n = int(rng.integers(2, 6))
    unqualified = int(rng.integers(0, n - 1)) if rng.random() < 0.7 else n - 2
    threshold = float(rng.choice([1.0, 1.0, 0.9, 0.5, rng.uniform(0.3, 1)]))
    scale = float(np.exp(rng.uniform(np.log(0.03), np.log(24))))
    exponent = float(rng.choice([0.001, 0.05, rng.uniform(0.05, 0.95), rng.uniform(0.05, 0.95)]))
    mode = rng.choice(["truthful", "bayesian", "deviating", "combined"], p=[0.55, 0.1, 0.2, 0.15])
    slack = float(rng.uniform(0, 0.5)) if mode in ("bayesian", "combined") else 0.0
    under, over = (
        float(rng.choice([0.0, rng.uniform(0, 0.1)])) * (mode in ("deviating", "combined")) for _ in range(2)
    )
    bound = float(rng.choice([1.0, 1.0, 100.0]))
    confidence = float(rng.choice([0.05, 0.5, 0.9, 0.99, rng.uniform(1e-3, 0.99)]))
    platform = PlatformParameters(threshold, confidence, bound, scale, exponent, slack, under * bound, over * bound)
    low = [threshold * float(rng.choice([0.0, 0.0, 0.1, rng.uniform(0, 0.6)])) for _ in range(unqualified)]
    high = [float(rng.choice([threshold, 1.0, rng.uniform(threshold, 1.0)])) for _ in range(n - unqualified)]
    optimal = float(rng.choice([0.0, 0.05, 0.3]))
    dear = [
        min(1.0, optimal + under + over + float(rng.choice([1.0, 0.01, 1e-3, rng.uniform(0.01, 0.7)])))
        for _ in range(n - unqualified - 1)
    ]
    cheap = [float(rng.choice([0.0, 0.0, 1.0, optimal, rng.uniform(0, 1)])) for _ in range(unqualified)]
    costs = np.array([*cheap, optimal, *dear]) * bound
    providers = [Provider(f"p{i}", q, c) for i, (q, c) in enumerate(zip([*low, *high], costs.tolist(), strict=True))]
    order = rng.permutation(n)
    horizon = int(rng.choice([n, n + 1, 3 * n, 40, 100, 200, 300]))
    return Setting("sharpest", platform, tuple(providers[int(i)] for i in order)), horizon


def sharpest_case(seed: int, instance: int, *, runs: int = 25) -> Case:
    """Return one instance, a pure function of the arguments; `runs` neighbouring numbers share a setting.

    Examples
    --------
    >>> sharpest_case(0, 3).band_exit is None
    True
    """
    setting, horizon = sharpest_setting(np.random.default_rng([seed, 0, instance // runs]))
    return played(setting, horizon, np.random.default_rng([seed, 0, instance // runs, instance]))
