"""Laws of scores and costs: finite, on a lattice, drawn exactly, with exactly the wanted mean.

A `DiscreteLaw` has whole points with whole weights that sum to 2^62, and a rational unit gives the points their value.
Bisecting 62 random bits in the cumulative weights draws exactly the stated law; the only rounding is that of the drawn
point times the unit to the nearest float.

The mean of such a law is a whole number of 2^-62 lattice steps. The laws made here round the wanted mean up to such a
number and shrink the unit by the same factor. So the mean is exact, and the support stays within its bound.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.arguments import whole_number

LAW_BITS = 62
TOTAL_WEIGHT = 2**LAW_BITS
#: A number taken exactly: a float stands for the rational number it is.
Amount = float | Fraction


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

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Laws are keys of large tables, and hashing one reads all of its points.
        return hash((self.points, self.weights, self.unit))

    def __repr__(self) -> str:
        return f"DiscreteLaw({len(self.points)} points, mean {float(self.mean):.6g})"

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
    def values(self) -> NDArray[np.float64]:
        """Value of each point, correctly rounded; read-only."""
        array = np.array(self._value_tuple)
        array.flags.writeable = False
        return array

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


def point_mass(mean: Amount) -> DiscreteLaw:
    """Return the law of a constant.

    Parameters
    ----------
    mean : float or Fraction
        Not negative.

    Examples
    --------
    >>> point_mass(0.3).sample(12345)
    0.3
    """
    exact = _exact("mean", mean)
    return DiscreteLaw((1,), (TOTAL_WEIGHT,), exact) if exact else DiscreteLaw((0,), (TOTAL_WEIGHT,), Fraction(1))


def bernoulli(quality: Amount) -> DiscreteLaw:
    """Return the law of a score that is 1 with probability quality, else 0.

    Parameters
    ----------
    quality : float or Fraction
        In [0, 1]. The mean is exactly this if it is 0 or at least 2^-10; below, the probability is the
        nearest multiple of 2^-62.

    Returns
    -------
    DiscreteLaw
        Its values are exactly 0.0 and 1.0.

    Examples
    --------
    >>> bernoulli(0.3).mean == Fraction(0.3)
    True
    """
    exact = _exact("quality", quality)
    if exact > 1:
        raise InputError("quality", quality, "must lie in [0, 1]", "it is a mean score")
    return _neighbours(round(exact * TOTAL_WEIGHT), Fraction(1))


def two_point(mean: Amount, upper: Amount) -> DiscreteLaw:
    """Return the law with the largest spread on [0, upper]: 0 or upper.

    Parameters
    ----------
    mean : float or Fraction
        In [0, upper]; either end gives a point mass.
    upper : float or Fraction
        Positive.

    Returns
    -------
    DiscreteLaw
        With exactly this mean. The larger value is upper (1 - e) with 0 <= e < 2^-62 upper/mean.

    Examples
    --------
    >>> law = two_point(0.3, 2.0)
    >>> law.values.tolist(), law.mean == Fraction(0.3)
    ([0.0, 2.0], True)
    """
    exact, top = _mean_below(mean, upper)
    return _neighbours(*_lattice_mean(exact, top)) if exact else point_mass(0)


def beta_shaped(mean: Amount, upper: Amount, coefficient_of_variation: float, steps: int = 1024) -> DiscreteLaw:
    """Return a Beta law on [0, upper], put on a lattice with the mean kept.

    Parameters
    ----------
    mean : float or Fraction
        In [0, upper].
    upper : float or Fraction
        Positive; the support never exceeds it.
    coefficient_of_variation : float
        Standard deviation over mean, not negative. Beyond what the range allows, it is clipped to (nearly)
        the largest possible one; below what the lattice can show, the law is that of the two points next to
        the mean.
    steps : int, optional
        Cells of the lattice, in 1..65536.

    Returns
    -------
    DiscreteLaw
        With exactly this mean. The lattice step is upper/steps (1 - e), 0 <= e < 2^-62 upper/(steps mean).

    Raises
    ------
    InputError
        If an argument is out of its range.

    Examples
    --------
    >>> law = beta_shaped(16.1, 102.4, 0.35)
    >>> law.mean == Fraction(16.1), round(float(law.variance) ** 0.5 / 16.1, 4), law.maximum <= 102.4
    (True, 0.35, True)
    """
    exact, top = _mean_below(mean, upper)
    size = _cells("steps", steps)
    if not exact:
        return point_mass(0)
    numerator, unit = _lattice_mean(exact, top / size)
    return _beta(numerator, unit, 0, size, coefficient_of_variation)


def token_law(
    mean: Amount, price_per_token: Amount, tokens: int = 512, coefficient_of_variation: float = 0.35
) -> DiscreteLaw:
    """Return the law of a price times a Beta-shaped number of tokens in 1..tokens.

    Parameters
    ----------
    mean : float or Fraction
        Mean cost, in [price, tokens price].
    price_per_token : float or Fraction
        Positive.
    tokens : int, optional
        Cap on the number of tokens, in 1..65536.
    coefficient_of_variation : float, optional
        As for `beta_shaped`.

    Returns
    -------
    DiscreteLaw
        With exactly this mean; its points are the token counts. The unit is the price times (1 - e) with
        0 <= e < 2^-62.

    Raises
    ------
    InputError
        If an argument is out of its range.

    Examples
    --------
    >>> law = token_law(16.1, 0.052)
    >>> law.mean == Fraction(16.1), law.maximum <= 512 * 0.052, float(law.unit)
    (True, True, 0.052)
    """
    exact, price, cap = (_exact("mean", mean), _exact("price_per_token", price_per_token), _cells("tokens", tokens))
    if price <= 0:
        raise InputError("price_per_token", price_per_token, "must be positive", "use another law if no price is known")
    if not price <= exact <= cap * price:
        raise InputError("mean", mean, f"must lie within 1..{cap} tokens at {price_per_token!r}", "use beta_shaped")
    return _beta(*_lattice_mean(exact, price), 1, cap, coefficient_of_variation)


def _beta(numerator: int, unit: Fraction, first: int, last: int, variation: float) -> DiscreteLaw:
    """Return a Beta-shaped law on first..last steps with lattice mean numerator/2^62."""
    cells, mean = last - first, numerator / TOTAL_WEIGHT
    deviation = float(_exact("coefficient_of_variation", variation)) * mean
    # Spreading mass over the two ends of its cell, as `_cell_masses` does, adds about 1/6 to the variance.
    variance = deviation * deviation - 1 / 6
    largest = (mean - first) * (last - mean)
    if variance < 1 / 12 or largest <= 0:
        return _neighbours(numerator, unit)
    concentration = max(largest / variance - 1, 2**-10)
    share = (mean - first) / cells
    masses = _cell_masses(share * concentration, (1 - share) * concentration, cells)
    return _with_mean(masses, first, numerator, unit)


def _cell_masses(a: float, b: float, cells: int) -> NDArray[np.float64]:
    """Return Beta(a, b) on the cells + 1 points of a lattice of [0, 1], its mean kept.

    The mass of each cell goes to the two ends of the cell such that its own mean stays where it is.
    """
    edges = np.linspace(0, 1, cells + 1)
    from scipy.special import betainc  # 0.1 s, which audits need not pay

    mass = np.maximum(np.diff(betainc(a, b, edges)), 0)  # rounding may make it decrease by a hair
    moment = np.diff(betainc(a + 1, b, edges)) * (a / (a + b) * cells)
    right = np.clip(moment - np.arange(cells) * mass, 0, mass)
    points = np.zeros(cells + 1)
    points[:-1] = mass - right
    points[1:] += right
    return points


def _with_mean(masses: NDArray[np.float64], first: int, numerator: int, unit: Fraction) -> DiscreteLaw:
    """Return the law with these masses, up to a millionth of the total that makes the mean exact."""
    scaled = np.floor(masses * ((TOTAL_WEIGHT - 2 ** (LAW_BITS - 20)) / masses.sum()))
    weights = {first + i: int(weight) for i, weight in enumerate(scaled)}
    # What is left, at its own mean, on the two points next to that mean.
    rest = TOTAL_WEIGHT - sum(weights.values())
    low, share = divmod(numerator - sum(p * w for p, w in weights.items()), rest)
    if low not in weights or low + (share > 0) not in weights:
        return _neighbours(numerator, unit)  # the mean is too close to an end for any other law
    weights[low] += rest - share
    if share:
        weights[low + 1] += share
    return _law(weights, unit)


def _neighbours(numerator: int, unit: Fraction) -> DiscreteLaw:
    """Return the law with mean numerator/2^62 steps on the one or two points next to it."""
    low, share = divmod(numerator, TOTAL_WEIGHT)
    return _law({low: TOTAL_WEIGHT - share, low + 1: share}, unit)


def _law(weights: dict[int, int], unit: Fraction) -> DiscreteLaw:
    kept = sorted((point, weight) for point, weight in weights.items() if weight)
    return DiscreteLaw(tuple(p for p, _ in kept), tuple(w for _, w in kept), unit)


def _lattice_mean(mean: Fraction, step: Fraction) -> tuple[int, Fraction]:
    """Return (w, unit) with w/2^62 lattice steps of this unit equal to the mean, and unit <= step."""
    numerator = math.ceil(mean / step * TOTAL_WEIGHT)
    return numerator, mean * TOTAL_WEIGHT / numerator


def _mean_below(mean: Amount, upper: Amount) -> tuple[Fraction, Fraction]:
    exact, top = _exact("mean", mean), _exact("upper", upper)
    if top <= 0:
        raise InputError("upper", upper, "must be positive", "it is the largest value of the law")
    if exact > top:
        raise InputError("mean", mean, f"must not exceed upper={upper!r}", "raise upper or lower the mean")
    return exact, top


def _exact(name: str, value: Amount) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction)) or not math.isfinite(value):
        raise InputError(name, value, "must be a finite number", "give a float or a Fraction")
    if value < 0:
        raise InputError(name, value, "must not be negative", "scores and costs start at 0")
    return Fraction(value)


def _cells(name: str, value: int) -> int:
    return whole_number(name, value, "1024 is fine enough for most uses", least=1, most=65_536)
