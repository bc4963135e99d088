"""Whether a number has the property that a theorem takes: of an inverse, a count, a horizon, a sum.

Each function returns where it has, and raises `NotDischargedError` otherwise.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from proofs_checks.proofs.discharge.balls import Balls, ExactPlatform, NotDischargedError, less, require

#: More caps than are ever looked at one by one.
_MOST_CAPS = 100_000
#: More blocks of counts than are ever looked at together.
_MOST_BLOCKS = 100_000
#: Up to which count radii are added one by one; the order of the Taylor sums beyond.
_SINGLES, _ORDER = 255, 12
#: The exponent of the weights of epochs, and from which term on their sum is enclosed.
_EXPONENT, _TERMS = Fraction(14, 10), 256


def check_largest_count(ball: Balls, width: Callable[[Sequence[int]], Any], gap: Fraction, count: float) -> None:
    """Check that a count is the largest m with a <= width(m), or 0 if there is none, for a width that decreases."""
    require(gap > 0 and float(count).is_integer() and count >= 0, f"a count {count} for a gap of {float(gap)}")
    here, beyond = width([max(1, int(count)), int(count) + 1])
    require(not count or not less(here, ball(gap)), f"{float(gap)} <= width({count:.0f})")
    require(less(beyond, ball(gap)), f"{float(gap)} > width({count + 1:.0f})")


def check_exact_inverse(ball: Balls, platform: ExactPlatform, gap: Fraction, count: float) -> None:
    """Check that a count is the largest m with a <= 2 beta(m), or 0 if there is none."""
    check_largest_count(ball, lambda counts: 2 * platform.radii(ball, counts), gap, count)


def check_ceiling(value: Any, ball: Balls, count: float) -> None:
    """Check that a whole number is the ceiling of another."""
    require(float(count).is_integer() and less(ball(count - 1), value), f"{count} - 1 < {value}")
    require(not less(ball(count), value), f"{value} <= {count}")


def check_exclusion(
    ball: Balls, platform: ExactPlatform, *, quality: Fraction, threshold: Fraction, sharing: int, count: float
) -> None:
    """Check that a provider is excluded at the next count M + 1 but for a probability of 6 delta/(pi^2 n).

    There m kl(q_min - beta(m), q_i) >= ln(n pi^2/(6 delta)), which suffices by Chernoff's bound; or all scores are 0.
    """
    require(float(count).is_integer() and count >= 0, f"a count {count}")
    mean = ball(threshold) - platform.radius(ball, int(count) + 1)
    require(less(ball(quality), mean), f"q_min - beta({count + 1:.0f}) > {float(quality)}")
    if quality:
        other = ball(quality)
        divergence = mean * ball.apply("log", mean / other) + (1 - mean) * ball.apply("log", (1 - mean) / (1 - other))
        level = ball.apply("log", ball.pi_squared * ball(sharing / (6 * platform.confidence)))
        evidence = int(count + 1) * divergence
        require(not less(evidence, level), f"the evidence of {count + 1:.0f} scores against {float(quality)}")


@dataclass(frozen=True, kw_only=True)
class Caps:
    """How often providers are selected at most while c counts lie below the target: min{most, max{least, c}} each.

    Parameters
    ----------
    each : tuple of (float, float)
        The least and the most of each provider.
    factor : int
        How often their sum counts.
    largest : bool
        Whether the largest counts once more.
    """

    each: tuple[tuple[float, float], ...]
    factor: int = 1
    largest: bool = False

    def __call__(self, explored: int) -> int:
        """Return what they add up to."""
        caps = [min(most, max(least, explored)) for least, most in self.each]
        found = self.factor * math.fsum(caps) + (max(caps, default=0) if self.largest else 0)
        require(math.isfinite(found) and float(found).is_integer(), f"a whole number of selections, not {found}")
        return int(found)

    @property
    def slope(self) -> int:
        """By how much they grow with c at most."""
        return self.factor * len(self.each) + self.largest


def check_horizon(ball: Balls, platform: ExactPlatform, caps: Caps, horizon: int) -> None:
    """Check that a T is the least such that T' > N + caps(ceil(g(T')) - 1) for every T' >= T.

    The caps change only where the target passes a whole number c, at the first T with T > N (c/k)^(1/alpha). From
    where this grows at least as fast with c as the caps do, what holds at one c holds at all later ones.
    """
    size, explored = platform.size, platform.explored_below(ball, horizon)
    require(horizon > size + caps(explored), f"T > N + caps(T) at T = {horizon}")
    if horizon > size:
        before = size + caps(platform.explored_below(ball, horizon - 1))
        require(horizon - 1 <= before, f"T > N + caps(T) fails at T = {horizon - 1}: that it")
    _check_later_caps(ball, platform, explored, caps.slope, lambda c: (size + caps(c),))


def check_exploration_end(ball: Balls, platform: ExactPlatform, others: Caps, last: int) -> None:
    """Check that t >= N + B(t - 1) + g(t) at every t > `last`, where B adds up the caps of the others.

    So it is if t > N + B(c') + c, where c' counts lie below the target at t - 1, and c at t.
    """
    size, before = platform.size, platform.explored_below(ball, last)
    explored = platform.explored_below(ball, last + 1)
    require(last + 1 > size + others(before) + explored, f"t - N >= B(t - 1) + g(t) at t = {last + 1}")
    require(last + 2 > size + others(explored) + explored, f"t - N >= B(t - 1) + g(t) at t = {last + 2}")

    def steps(count: int) -> tuple[int, int]:
        # At the first t with so many counts below the target, and at those after it: t - 1 has as many.
        return size + others(count - 1) + count, size + others(count) + count - 1

    _check_later_caps(ball, platform, explored, others.slope + 1, steps)


def _check_later_caps(
    ball: Balls, platform: ExactPlatform, explored: int, slope: int, before: Callable[[int], Sequence[int]]
) -> None:
    """Check that the target is at most c at steps before(c), for every later c."""
    for count in range(explored + 1, explored + _MOST_CAPS):
        for step in before(count):
            require(not platform.target_exceeds(ball, step, count), f"g({step}) <= {count}")
        if platform.grows_by(ball, slope, count):
            return
    raise NotDischargedError(f"after {_MOST_CAPS:,} values of the target it is still open whether it holds for good")


@dataclass(frozen=True, kw_only=True, eq=False)
class RadiusSums:
    """The sums beta(1) + ... + beta(m), each between two numbers that hardly differ.

    Blocks of numbers around c, up to w away from it, add up to their Taylor sums. On a circle of radius c/2 around c
    beta is at most sqrt((L + 2)/c), where L = 2 c beta(c)^2, for there |ln(1 + u)| < 1. So what is left of order K on
    is at most that times q^K/(1 - q) for each number, where q = 2 w/c (Cauchy).

    Parameters
    ----------
    ball : Balls
    platform : ExactPlatform
    """

    ball: Balls
    platform: ExactPlatform

    def upto(self, count: int) -> tuple[Any, Any]:
        """Return two numbers between which the sum up to a count lies."""
        if count <= _SINGLES:
            exact = sum(self.platform.radii(self.ball, range(1, count + 1)), self.ball(0)) if count else self.ball(0)
            return exact, exact
        known = self._blocks
        while known[-1][0] <= count:
            first = known[-1][0]
            known.append(self._with_block(*known[-1], width=1 << (first // 32).bit_length() - 1))
        first, found, left = known[bisect.bisect_right(known, count, key=lambda block: block[0]) - 1]
        while first <= count:
            first, found, left = self._with_block(first, found, left, width=(count - first) // 2)
        return found - left, found + left

    @cached_property
    def _blocks(self) -> list[tuple[int, Any, Any]]:
        """Where blocks begin, each with the sum of the Taylor sums before it and what they may be off by."""
        return [(_SINGLES + 1, self.upto(_SINGLES)[0], self.ball(0))]

    @cached_property
    def _harmonic(self) -> list[Any]:
        return list(itertools.accumulate((1 / self.ball(power) for power in range(1, _ORDER)), initial=self.ball(0)))

    def _with_block(self, first: int, found: Any, left: Any, *, width: int) -> tuple[int, Any, Any]:
        center = first + width
        inverse = 1 / self.ball(center)
        series = _radius_series(self.platform.radius(self.ball, center), [part * inverse for part in self._harmonic])
        for power in range(0, _ORDER, 2):
            found = found + series[power] * inverse**power * _power_sum(width, power)
        ratio = 2 * width * inverse
        largest = self.ball.apply("sqrt", 2 * series[0] * series[0] + 2 * inverse)
        return center + width + 1, found, left + largest * (2 * width + 1) * ratio**_ORDER / (1 - ratio)


def check_equal_shares(sums: RadiusSums, shares: int, count: int, total: float) -> None:
    """Check that a number is at least the sum of the radii of so many counts in equal shares, and hardly above it."""
    ball, (share, more) = sums.ball, divmod(count, shares)
    exact = shares * sums.upto(share)[1] + more * sums.platform.radius(ball, share + 1)
    require(not less(ball(total), exact), f"the sum of the radii of {shares} equal shares of {count} <= {total}")
    require(less(ball(total), exact * ball(1 + Fraction(1, 10**6))), f"{total} is hardly above the sum: that it")


@dataclass(frozen=True, kw_only=True, eq=False)
class Excess:
    """What auctions pay above c_(2) at some counts: min{most, max{0, scale beta(m) - less}} at each.

    Parameters
    ----------
    sums : RadiusSums
    scale, most : Fraction
        (1 + gamma) c_max, and c_max - c_(2).
    """

    sums: RadiusSums
    scale: Fraction
    most: Fraction

    def over(self, after: int, last: int, taken: Fraction) -> Any:
        """Return a number that is at least the sum over the counts after + 1, ..., last."""
        ball = self.sums.ball
        positive = self._last(after, last, taken)
        flat = self._last(after, positive, taken + self.most)
        radii = self.sums.upto(positive)[1] - self.sums.upto(flat)[0] if positive > flat else ball(0)
        return ball(self.most * (flat - after) - taken * (positive - flat)) + ball(self.scale) * radii

    def in_shares(self, shares: int, count: int, taken: Fraction) -> Any:
        """Return a number that is at least the sum over equal shares of so many counts."""
        share, more = divmod(count, shares)
        return more * self.over(0, share + 1, taken) + (shares - more) * self.over(0, share, taken)

    def _last(self, after: int, last: int, least: Fraction) -> int:
        """Return the last of the counts, which decrease to it, at which scale beta(m) is at least a number."""
        ball, platform = self.sums.ball, self.sums.platform

        def falls(count: int) -> bool:
            return less(ball(self.scale) * platform.radius(ball, count), ball(least))

        near = bisect.bisect_left(range(last + 1), True, lo=after + 1, key=lambda m: self._falls_nearly(m, least)) - 1
        low = near if near > after and not falls(near) else after
        high = near + 1 if near < last and falls(near + 1) else last + 1
        return bisect.bisect_left(range(last + 1), True, lo=low + 1, hi=high, key=falls) - 1

    def _falls_nearly(self, count: int, least: Fraction) -> bool:
        """Return the same of one count in doubles, which serves as a guess."""
        platform = self.sums.platform
        level = math.log(2 * math.pi**2 * platform.size * count**2 / (3 * float(platform.confidence)))
        return float(self.scale) * math.sqrt(level / (2 * count)) < least


def check_target_sum(
    ball: Balls, platform: ExactPlatform, *, last: int, band: Callable[[Any], Any], total: float
) -> None:
    """Check that a number is at least the sum of a band at beta(ceil(g(t))) over t = N + 1, ..., T."""
    counts = range(platform.explored_below(ball, platform.size + 1), platform.explored_below(ball, last) + 1)
    ends = [platform.last_step(ball, count + 1) for count in counts[:-1]] + [last]
    lengths = [end - start for start, end in itertools.pairwise([platform.size, *ends])]
    radii = platform.radii(ball, [max(1, count + 1) for count in counts])
    exact = sum((length * band(radius) for length, radius in zip(lengths, radii, strict=True)), ball(0))
    require(not less(ball(total), exact), f"the sum over {last - platform.size} steps <= {total}")


def _radius_series(radius: Any, harmonic: Sequence[Any]) -> list[Any]:
    """Return the coefficients of beta(c (1 + u)), the root of (L + 2 ln(1 + u))/(2 c (1 + u)), as a series in u.

    Those of (L + 2 ln(1 + u))/(2 c (1 + u)) are (-1)^k (beta(c)^2 - (1 + 1/2 + ... + 1/k)/c).
    """
    square, found = radius * radius, [radius]
    for power in range(1, len(harmonic)):
        coefficient = (-1) ** power * (square - harmonic[power])
        for k in range(1, power):
            coefficient = coefficient - found[k] * found[power - k]
        found.append(coefficient / (2 * radius))
    return found


@functools.lru_cache(maxsize=256)
def _power_sum(width: int, power: int) -> int:
    """Return the sum of h^power over the whole numbers from -width to width."""
    return sum(h**power for h in range(-width, width + 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class Stitched:
    """The stitched radius r(m) = sqrt(L/(2 m)) (2^(1/4) + 2^(-1/4))/2, L = ln(zeta(1.4) (log_2 m + 1)^1.4/failure).

    In the epoch of m it is at least the line of the epoch, whose budget is L with the logarithm rounded down. So the
    exponentials of the budgets add up to the failure probability, by the definition of zeta.

    Parameters
    ----------
    ball : Balls
    failure : ball
    """

    ball: Balls
    failure: Any

    @cached_property
    def _first_level(self) -> Any:
        return self.ball.apply("log", zeta(self.ball) / self.failure)

    @cached_property
    def _spread(self) -> Any:
        root = self.ball.apply("power", self.ball(2), self.ball(Fraction(1, 4)))
        return (root + 1 / root) / 2

    def radii(self, counts: Sequence[int]) -> Any:
        """Return r(m)."""
        ball = self.ball
        numbers = ball.arithmetic.array(np.asarray(counts, dtype=float))
        epochs = ball.apply("log", numbers) / ball.apply("log", ball(2)) + 1
        levels = ball.apply("log", epochs) * ball(_EXPONENT) + self._first_level
        return ball.apply("sqrt", levels / (2 * numbers)) * self._spread


def check_shortfall(
    ball: Balls, platform: ExactPlatform, stitched: Stitched, *, counts: tuple[int, int], short: float
) -> None:
    """Check that beta(m) - r(m) is at least a number, at all counts between two, where the number is not 0.

    Both radii decrease, so that a block of counts is done with at its ends; those that are not are halved.
    """
    left = [counts] if short > 0 else []
    while left:
        require(len(left) < _MOST_BLOCKS, f"a shortfall of {short} that is not too near to decide")
        first, last = zip(*left, strict=True)
        apart = platform.radii(ball, last) - stitched.radii(first)
        left = [block for block, short_of in zip(left, apart, strict=True) if less(short_of, ball(short))]
        require(all(low < high for low, high in left), f"beta(m) - r(m) >= {short}")
        left = [half for low, high in left for half in _halves(low, high)]


def _halves(low: int, high: int) -> tuple[tuple[int, int], tuple[int, int]]:
    middle = (low + high) // 2
    return (low, middle), (middle + 1, high)


def zeta(ball: Balls) -> Any:
    """Return a number that is at least zeta(1.4), and hardly above it.

    Of the terms from M on it is Euler and Maclaurin's sum, which lies above after f(M)/2 - f'(M)/12: all derivatives of
    the decreasing f have alternating signs.
    """
    power, last = ball(_EXPONENT), ball(_TERMS)
    terms = 1 / ball.apply("power", ball.arithmetic.array(np.arange(1.0, _TERMS)), power)
    tail = ball.apply("power", last, -power)
    return sum(terms, ball(0)) + tail * (last / ball(_EXPONENT - 1) + ball(Fraction(1, 2)) + power / (12 * last))


def check_impossible(ball: Balls, platform: ExactPlatform, count: int) -> None:
    """Check that beta is at least 1 at a count: no mean of numbers in [0, 1] is further than that from its own."""
    require(count >= 1 and not less(platform.radius(ball, count), ball(1)), f"beta({count}) >= 1")


def spare_share(ball: Balls, platform: ExactPlatform, impossible: int) -> Any:
    """Return what the counts 2, ..., m0 would have cost: (6/pi^2) delta times the sum of 1/m^2."""
    squares = sum((Fraction(1, count * count) for count in range(2, impossible + 1)), Fraction(0))
    return ball(6 * platform.confidence * squares) / ball.pi_squared
