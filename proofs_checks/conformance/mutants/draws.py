"""Mutants whose draws are not uniform, or not random at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mechanism.randomness import draw_key, squares64, unit_uniform
from proofs_checks.conformance.mutants.plain import Plain


class ExploresTheFirst(Plain, caught_by="exploration-draw empty-draw"):
    """Takes the first of those to draw from."""

    def _draw(self, among: Sequence[int]) -> int:
        return among[0]


class PrefersTheCheapest(Plain, caught_by="exploration-draw"):
    """Draws the lowest bidder twice as often as any other."""

    def _draw(self, among: Sequence[int]) -> int:
        cheapest = min(among, key=lambda i: self.bids[i])
        return super()._draw([*among, cheapest])


class ModuloBias(Plain, caught_by="exploration-draw empty-draw"):
    """Takes three random bits modulo the number of those to draw from: 3 : 3 : 2 among three."""

    def _draw(self, among: Sequence[int]) -> int:
        return among[(squares64(self.draw_key, self.step) >> 61) % len(among)]


class DrawsInTurn(Plain, caught_by="exploration-draw empty-draw"):
    """Goes round by the step instead of drawing."""

    def _draw(self, among: Sequence[int]) -> int:
        return among[self.step % len(among)]


class LeastServedFirst(Plain, caught_by="exploration-draw"):
    """Takes the least served of those to draw from."""

    def _draw(self, among: Sequence[int]) -> int:
        return min(among, key=self._count)


class StickyDraw(Plain, caught_by="exploration-draw empty-draw"):
    """Repeats the last provider with probability one half, if it may."""

    def _draw(self, among: Sequence[int]) -> int:
        again = unit_uniform(squares64(self.draw_key, 2**40 + self.step)) < 0.5
        return self.serving if again and self.serving in among else super()._draw(among)


class DrawsByScore(Plain, caught_by="exploration-draw"):
    """Draws those that have scored well more often: with weight 1 + 3 qhat."""

    def _draw(self, among: Sequence[int]) -> int:
        weights = np.cumsum([1 + 3 * self.score_sums[i] / max(self.counts[i], 1) for i in among])
        drawn = unit_uniform(squares64(self.draw_key, self.step)) * weights[-1]
        return among[min(int(np.searchsorted(weights, drawn, side="right")), len(among) - 1)]


class SameDrawsForEverySeed(Plain, caught_by="exploration-draw"):
    """Ignores `rng`: draws from a generator of its own with a fixed seed."""

    def _prepare(self) -> None:
        self.draw_key = draw_key(np.random.default_rng(0))


class PrefersTheSecond(Plain, caught_by="exploration-draw empty-draw"):
    """Draws provider 1 with weight 1.3."""

    def _draw(self, among: Sequence[int]) -> int:
        return super()._draw([i for i in among for _ in range(13 if i == 1 else 10)])


class RejectsToAHalf(Plain, caught_by="exploration-draw empty-draw"):
    """Draws among the first half only."""

    def _draw(self, among: Sequence[int]) -> int:
        return super()._draw(among[: max(1, len(among) // 2)])


class RoundsTheDraw(Plain, caught_by="exploration-draw empty-draw"):
    """Rounds a uniform number to the nearest position: both ends are half as likely."""

    def _draw(self, among: Sequence[int]) -> int:
        return among[round(unit_uniform(squares64(self.draw_key, self.step)) * (len(among) - 1))]


class StaysAfterAHighScore(Plain, caught_by="exploration-draw"):
    """Draws the last provider with weight 2 if it scored well."""

    last_score = 0.0

    def _learn(self, provider: int, score: float) -> None:
        self.last_score = score
        super()._learn(provider, score)

    def _draw(self, among: Sequence[int]) -> int:
        stays = self.serving in among and self.last_score >= 0.5
        return super()._draw([*among, self.serving] if stays else among)


class ObeysTheLastScore(StaysAfterAHighScore, caught_by="exploration-draw"):
    """Takes the first after a high score, the last after a low one."""

    def _draw(self, among: Sequence[int]) -> int:
        return among[0] if self.last_score >= 0.5 else among[-1]


class EmptyDrawsTheFirst(Plain, caught_by="empty-draw"):
    """With nobody eligible takes the first provider."""

    def _draw_empty(self) -> int:
        return 0


class EmptyDrawsAmongTheCheaper(Plain, caught_by="empty-draw"):
    """With nobody eligible draws among the cheaper half."""

    def _draw_empty(self) -> int:
        by_bid = sorted(range(self.n_providers), key=lambda i: self.bids[i])
        return self._draw(by_bid[: (self.n_providers + 1) // 2])


class EmptyDrawsTheLastLess(Plain, caught_by="empty-draw"):
    """With nobody eligible draws the last provider half as often as any other."""

    def _draw_empty(self) -> int:
        twice = [i for i in range(self.n_providers) for _ in range(2)]
        return self._draw(twice[:-1])
