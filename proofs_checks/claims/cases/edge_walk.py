"""Walks of a running mean along an edge of its confidence band; they load without what plays a market."""

from __future__ import annotations

from typing import Literal

import numpy as np

Direction = Literal["up", "down", "random", "alternate"]


class BandWalk:
    """A sequence in [0, upper] whose running mean stays within radius(m) of its mean, near a chosen edge.

    The next value moves the running mean to the edge as far as [0, upper] allows. A value equal to the mean is
    always possible, since m beta(m) increases: the walk never has to leave the band.
    """

    def __init__(
        self, mean: float, upper: float, direction: Direction, radii: np.ndarray, rng: np.random.Generator
    ) -> None:
        self._mean, self._upper, self._direction = mean, upper, direction
        # A hair inside, so that rounding does not carry the mean outside.
        self._radii, self._rng = (radii * (1 - 1e-9)).tolist(), rng
        self._sum, self._count = 0.0, 0

    def next(self) -> float:
        """Return the next value."""
        self._count = count = self._count + 1
        edge = self._radii[count] * self._upper
        # Written out, not by min and max: a run has as many values as queries.
        low, high = count * (self._mean - edge) - self._sum, count * (self._mean + edge) - self._sum
        low, high = low if low > 0.0 else 0.0, high if high < self._upper else self._upper
        value = self._choose(low, high) if low <= high else self._mean
        self._sum += value
        return value

    def _choose(self, low: float, high: float) -> float:
        if self._direction == "random":
            values = (low, high, self._rng.uniform(low, high))
            return values[self._rng.integers(3)]
        if self._direction == "alternate":
            return high if self._count % 2 else low
        return high if self._direction == "up" else low
