"""A correct mechanism that loads Numba, which takes longer to import than all the others: they stand in `correct`."""

from __future__ import annotations

import numpy as np

from mechanism.compiled import kernel
from mechanism.compiled.episode import provider_set, tournament
from mechanism.config import MechanismConfig
from mechanism.randomness import draw_key
from mechanism.tables import radius_table, target_table


class CompiledParts:
    """Ranks adjusted bids, keeps the exploration set and draws from it with the compiled simulator's functions.

    The simulator itself plays whole episodes, providers included, and cannot be stopped at a step: what is behind
    this adapter is the tournament of adjusted bids, the set of bits and the random bits that it is made of.
    """

    def __init__(self, config: MechanismConfig, rng: np.random.Generator) -> None:
        n = config.n_providers
        self.config, self.key, self.step, self.serving = config, np.uint64(draw_key(rng)), 0, -1
        self.radii = radius_table(n, config.confidence)
        self.targets = target_table(n, config.exploration_scale, config.exploration_exponent)
        self.counts, self.score_sums = [0] * n, [0.0] * n
        self.tournament, self.chosen = tournament(n, tree=False), provider_set(n)

    def assign(self) -> tuple[int, float]:
        """Return who serves and what the user pays."""
        self.step += 1
        self.serving, payment = self._decide()
        return self.serving, payment

    def settle(self, score: float, bid: float) -> None:
        """Take the score and the standing bid."""
        i, config = self.serving, self.config
        self.counts[i] += 1
        self.score_sums[i] += score
        radius = self.radii[self.counts[i]]
        eligible = self.score_sums[i] / self.counts[i] + radius >= config.quality_threshold
        kernel.enter(self.tournament, i, bid - self._width * radius if eligible else np.inf)

    @property
    def _width(self) -> float:
        return (1 + self.config.belief_slack) * self.config.cost_bound

    def _decide(self) -> tuple[int, float]:
        n, bound = self.config.n_providers, self.config.cost_bound
        if self.step <= n:
            return self.step - 1, bound
        winner, _ = kernel.runner_up(self.tournament, -1)
        if winner < 0:
            return self._drawn(n), bound
        if explored := self._explored():
            return kernel.member(self.chosen, self._drawn(explored)), bound
        rival, entry = kernel.runner_up(self.tournament, winner)
        critical = entry + self._width * self.radii[self.counts[winner]]
        return winner, bound if rival < 0 else min(critical, bound)

    def _explored(self) -> int:
        """Bring the set up to date and return its size."""
        goal = self.targets[self.step]
        for i, count in enumerate(self.counts):
            wanted = count < goal and self.tournament.entries[i] < np.inf
            if wanted != kernel.contains(self.chosen.words, i):
                kernel.flip(self.chosen, i)
        return sum(int(word).bit_count() for word in self.chosen.words)

    def _drawn(self, size: int) -> int:
        bits = np.uint64(kernel.squares(self.key, np.uint64(self.step)))
        return int(kernel.uniform_index(bits, size))
