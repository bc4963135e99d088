"""What the dynamic programme must give, computed in other ways: every sequence, and sums of fractions."""

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

#: A fraction or a whole number.
Number = Any


def leaves(total: int, m: int, quality: float, radius: float, side: str) -> bool:
    """Whether the mean of m scores lies outside the band, in exact fractions."""
    gap = Fraction(total, m) - Fraction(quality)
    return {"both": abs(gap), "below": -gap, "above": gap}[side] > Fraction(radius)


def enumerated(quality: float, radii: list[float], side: str) -> Fraction:
    """Add up the exact probabilities of all score sequences whose mean leaves the band."""
    one, total = Fraction(quality), Fraction(0)
    for scores in itertools.product((0, 1), repeat=len(radii)):
        sums = itertools.accumulate(scores)
        if any(leaves(s, m, quality, r, side) for (m, s), r in zip(enumerate(sums, 1), radii, strict=True)):
            total += one ** sum(scores) * (1 - one) ** (len(scores) - sum(scores))
    return total


def leaving(masses: Sequence[Number], counts: int, stays: Callable[[int, int], bool]) -> list[Number]:
    """Return, by count, the probability that sums of draws leave there what they may be, by a dictionary.

    A draw is 0, 1, 2, ... with these masses; `stays` says whether a sum of m draws may go on. Masses may be fractions,
    or whole numbers w: then the m-th result is to be divided by (sum w)^m.
    """
    alive: dict[int, Number] = {0: 1}
    left = []
    for m in range(1, counts + 1):
        reached: dict[int, Number] = {}
        for total, weight in alive.items():
            for point, mass in enumerate(masses):
                reached[total + point] = reached.get(total + point, 0) + weight * mass
        alive = {total: weight for total, weight in reached.items() if stays(total, m)}
        left.append(sum(weight for total, weight in reached.items() if total not in alive))
    return left


def followed(quality: float, radii: list[float], side: str) -> Fraction:
    """Follow the law of the sums of scores in fractions."""
    one = Fraction(quality)
    left = leaving((1 - one, one), len(radii), lambda s, m: not leaves(s, m, quality, radii[m - 1], side))
    return Fraction(sum(left))


def eliminated(quality: float, threshold: float, radii: list[float]) -> list[Fraction]:
    """Return P(tau = m) for m = 1, 2, ..., in fractions: tau is the first m with mean + radius below the threshold."""
    one, least = Fraction(quality), Fraction(threshold)
    return leaving((1 - one, one), len(radii), lambda s, m: Fraction(s, m) + Fraction(radii[m - 1]) >= least)
