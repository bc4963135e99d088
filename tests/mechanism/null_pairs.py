"""Differences of pairs that do not differ in the mean, and a rule that is fooled when it is looked at after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def moody(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """Each number is as large as those before it were on average: dependent, with the mean 0 given the past."""
    signs = rng.choice([-1.0, 1.0], shape)
    found = np.empty(shape)
    size = np.full(shape[0], 0.5)
    for place in range(shape[1]):
        found[:, place] = signs[:, place] * size
        size = np.where(signs[:, place] > 0, np.minimum(1.0, 1.3 * size), 0.7 * size)
    return found


#: Laws on [-1, 1] with the mean 0.
NULLS: Mapping[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "fair signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
    "uniform": lambda rng, shape: rng.uniform(-1.0, 1.0, shape),
    "small": lambda rng, shape: rng.uniform(-0.01, 0.01, shape),
    "skewed": lambda rng, shape: np.where(rng.random(shape) < 0.05, 0.95, -0.05),
    "rare": lambda rng, shape: np.where(rng.random(shape) < 0.01, -0.99, 0.01),
    "bell": lambda rng, shape: rng.normal(0.0, 0.1, shape).clip(-1.0, 1.0),
    "moody": moody,
}


def student_decides_after(differences: Floats, *, largest: float, error: float) -> NDArray[np.int64]:
    """Return when the interval of a fixed number of runs, looked at after every one from the tenth on, excludes 0."""
    n = np.arange(1, differences.shape[-1] + 1)
    means = differences.cumsum(axis=-1) / n
    spread = np.sqrt(np.maximum((differences**2).cumsum(axis=-1) / n - means**2, 0.0) * n / np.maximum(n - 1, 1))
    rejected = np.abs(means) > scipy.stats.t.ppf(1 - error / 2, np.maximum(n - 1, 1)) * spread / np.sqrt(n)
    rejected[..., :9] = False
    return np.where(rejected.any(axis=-1), rejected.argmax(axis=-1) + 1, 0)
