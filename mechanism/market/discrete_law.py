"""A finite law on a lattice, drawn exactly with 62 bits and integer arithmetic.

Integer points carry integer weights that sum to 2^62, and a rational unit gives them their value. Bisecting
62 random bits in the cumulative weights draws exactly the stated law; the only rounding is that of the drawn
point times the unit to the nearest float.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError

LAW_BITS = 62
TOTAL_WEIGHT = 2**LAW_BITS


@dataclass(frozen=True)
class DiscreteLaw:
    """A law on finitely many multiples of a unit.

    Parameters
    ----------
    points : tuple of int
        Lattice points, not negative, strictly increasing.
    weights : tuple of int
        Positive, as many as points; probabilities times 2^62, so their sum is 2^62.
    unit : fractions.Fraction
        Value of one lattice step, positive.

    Raises
    ------
    InputError
        If one of these rules is broken.

    Examples
    --------
    >>> law = DiscreteLaw((0, 3), (3 * 2**60, 2**60), Fraction(1, 6))
    >>> law.mean, law.maximum, law.sample(2**62 - 1), law.sample(0)
    (Fraction(1, 8), 0.5, 0.5, 0.0)
    """

    points: tuple[int, ...]
    weights: tuple[int, ...]
    unit: Fraction

    def __post_init__(self) -> None:
        if not self.points or self.points[0] < 0 or any(a >= b for a, b in pairwise(self.points)):
            raise InputError("points", self.points, "must be 0 or more and increase", "sort and merge them")
        if len(self.weights) != len(self.points) or min(self.weights) <= 0:
            raise InputError("weights", self.weights, "must be positive, one per point", "drop empty points")
        if sum(self.weights) != TOTAL_WEIGHT:
            raise InputError("weights", self.weights, "must sum to 2**62", "they are probabilities times 2**62")
        if not isinstance(self.unit, Fraction) or self.unit <= 0:
            raise InputError("unit", self.unit, "must be a positive Fraction", "it is the value of one step")

    @cached_property
    def cumulative(self) -> tuple[int, ...]:
        """Cumulative weights; the last is 2^62. Bits below the first of them draw the first point."""
        return tuple(accumulate(self.weights))

    @cached_property
    def mean(self) -> Fraction:
        """Exact mean of point times unit, before a drawn value is rounded to a float."""
        return self._moment(1) * self.unit

    @cached_property
    def variance(self) -> Fraction:
        """Exact variance of point times unit."""
        return (self._moment(2) - self._moment(1) ** 2) * self.unit**2

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each point, rounded to floats; read-only."""
        return _read_only(np.array([weight / TOTAL_WEIGHT for weight in self.weights]))

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """Value of each point, correctly rounded; read-only."""
        return _read_only(np.array(self._value_tuple))

    @property
    def maximum(self) -> float:
        """The largest value."""
        return self._value_tuple[-1]

    @cached_property
    def _value_tuple(self) -> tuple[float, ...]:
        return tuple(self.value(point) for point in self.points)

    def _moment(self, power: int) -> Fraction:
        total = sum(w * p**power for w, p in zip(self.weights, self.points, strict=True))
        return Fraction(total, TOTAL_WEIGHT)

    def value(self, total: int) -> float:
        """Return a number of lattice steps, of one draw or several, as a correctly rounded value."""
        # True division of integers is correctly rounded, and faster than the arithmetic of fractions.
        return total * self.unit.numerator / self.unit.denominator

    def index(self, bits: int) -> int:
        """Return the index of the point drawn by an integer in [0, 2^62)."""
        if not 0 <= bits < TOTAL_WEIGHT:
            raise InputError("bits", bits, "must lie in [0, 2**62)", "shift 64 random bits right by 2")
        return bisect_right(self.cumulative, bits)

    def point(self, bits: int) -> int:
        """Return the lattice point drawn by an integer in [0, 2^62)."""
        return self.points[self.index(bits)]

    def sample(self, bits: int) -> float:
        """Return the value drawn by an integer in [0, 2^62): exactly the law if the integer is uniform."""
        return self._value_tuple[self.index(bits)]

    def index_many(self, bits: ArrayLike) -> NDArray[np.intp]:
        """Return `index` of every integer of an array."""
        array = np.asarray(bits)
        if array.dtype.kind not in "iu" or (array.size and not 0 <= array.min() <= array.max() < TOTAL_WEIGHT):
            raise InputError("bits", bits, "must be integers in [0, 2**62)", "shift 64 random bits right by 2")
        # Signed on both sides: comparing signed with unsigned integers would go through floats.
        thresholds = np.array(self.cumulative, dtype=np.int64)
        return np.asarray(np.searchsorted(thresholds, array.astype(np.int64), side="right"), dtype=np.intp)

    def point_many(self, bits: ArrayLike) -> NDArray[np.int64]:
        """Return `point` of every integer of an array."""
        return np.array(self.points, dtype=np.int64)[self.index_many(bits)]

    def sample_many(self, bits: ArrayLike) -> NDArray[np.float64]:
        """Return `sample` of every integer of an array, in the same shape."""
        return self.values[self.index_many(bits)]


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.flags.writeable = False
    return array
