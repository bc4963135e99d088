"""What the dynamic programme must give, computed in other ways: every sequence, and sums of fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction


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


def followed(quality: float, radii: list[float], side: str) -> Fraction:
    """Follow the law of the sums in fractions, by a dictionary."""
    one, alive, left = Fraction(quality), {0: Fraction(1)}, Fraction(0)
    for m, radius in enumerate(radii, 1):
        reached: dict[int, Fraction] = {}
        for successes, weight in alive.items():
            reached[successes] = reached.get(successes, Fraction(0)) + weight * (1 - one)
            reached[successes + 1] = reached.get(successes + 1, Fraction(0)) + weight * one
        alive = {s: weight for s, weight in reached.items() if not leaves(s, m, quality, radius, side)}
        left += sum((weight for s, weight in reached.items() if s not in alive), Fraction(0))
    return left


def eliminated(quality: float, threshold: float, radii: list[float]) -> list[Fraction]:
    """Return P(tau = m) for m = 1, 2, ..., in fractions: tau is the first m with mean + radius below the threshold."""
    one, alive, law = Fraction(quality), {0: Fraction(1)}, []
    for m, radius in enumerate(radii, 1):
        reached: dict[int, Fraction] = {}
        for successes, weight in alive.items():
            reached[successes] = reached.get(successes, Fraction(0)) + weight * (1 - one)
            reached[successes + 1] = reached.get(successes + 1, Fraction(0)) + weight * one
        alive = {s: w for s, w in reached.items() if Fraction(s, m) + Fraction(radius) >= Fraction(threshold)}
        law.append(sum((weight for s, weight in reached.items() if s not in alive), Fraction(0)))
    return law
