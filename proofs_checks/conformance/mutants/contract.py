"""Mutants that break the contract of `assign` and `settle` itself."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from mechanism.platform import Platform
from mechanism.randomness import draw_key
from proofs_checks.conformance.mutants.plain import Plain

#: The step at which these mutants first err.
_LATE = 6


class Raises(Plain, caught_by="answers"):
    """Raises an error at step 6."""

    def assign(self) -> tuple[int, float]:
        """Return who serves and what the user pays."""
        if self.step >= _LATE:
            raise ZeroDivisionError("division of nothing by nobody")
        return super().assign()


class RaisesOnSettling(Plain, caught_by="answers"):
    """Raises an error when it receives a score of 0 or a bid of 0."""

    def _hear(self, provider: int, score: float, bid: float) -> None:
        if not (score and bid):
            raise ValueError("neither scores nor bids can be missing")
        super()._hear(provider, score, bid)


class Answering(Plain):
    """Answers with something else than (provider, payment) from step 6 on; it errs in nothing yet."""

    def assign(self) -> Any:
        """Return who serves and what the user pays, or something else."""
        answer = super().assign()
        return self._answer(*answer) if self.step >= _LATE else answer

    def _answer(self, provider: int, payment: float) -> Any:
        return provider, payment


class ReturnsNothing(Answering, caught_by="answers"):
    """Returns None from step 6 on."""

    def _answer(self, provider: int, payment: float) -> Any:
        return None


class PaysNaN(Answering, caught_by="answers"):
    """Pays NaN from step 6 on."""

    def _answer(self, provider: int, payment: float) -> Any:
        return provider, math.nan


class NamesOneTooMany(Answering, caught_by="answers"):
    """Counts providers from 1 from step 6 on: N is not an index."""

    def _answer(self, provider: int, payment: float) -> Any:
        return self.n_providers, payment


class SleepsForEver(Answering, caught_by="answers"):
    """Never returns at step 6."""

    def _answer(self, provider: int, payment: float) -> Any:
        while True:
            time.sleep(0.05)


class ChangesConfiguration(Plain, caught_by="configuration-unchanged"):
    """Keeps a note in the configuration that it was given."""

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid)
        object.__setattr__(self.config, "last_bid", bid)


class HalvesItsConfidence(Plain, caught_by="configuration-unchanged critical-payment"):
    """Overwrites delta in the configuration that it was given by half of it."""

    def _prepare(self) -> None:
        object.__setattr__(self.config, "confidence", self.config.confidence / 2)


class SharedBids(Plain, caught_by="independent-instances"):
    """Keeps the standing bids of all instances in one place."""

    everybody: ClassVar[dict[int, float]] = {}

    def _take(self, provider: int, bid: float) -> None:
        self.everybody[provider] = bid
        super()._take(provider, bid)

    def _adjusted_bid(self, provider: int) -> float:
        return self.everybody[provider] - self._cost_radius(provider)


class SharedClock(Plain, caught_by="independent-instances"):
    """Takes the step from a clock of all instances, which a new one sets back."""

    clock: ClassVar[list[int]] = [1]

    def _prepare(self) -> None:
        self.clock[0] = 1

    def _take(self, provider: int, bid: float) -> None:
        super()._take(provider, bid)
        self.clock[0] += 1

    def _goal(self) -> float:
        return self._goal_at(self.clock[0])


class SharedRadii(Plain, caught_by="independent-instances"):
    """Keeps radii by the selection count alone, for all instances, and only from a count of 50 on."""

    kept: ClassVar[dict[int, float]] = {}

    def _beta(self, count: int) -> float:
        radius = super()._beta(count)
        return radius if count < 50 else self.kept.setdefault(count, radius)


class UnseededDraws(Plain, caught_by="reproducible"):
    """Ignores `rng`: draws from fresh entropy."""

    def _prepare(self) -> None:
        self.draw_key = draw_key(np.random.default_rng())


class GlobalDraws(Plain, caught_by="reproducible"):
    """Ignores `rng`: draws from NumPy's global generator."""

    def _prepare(self) -> None:
        self.draw_key = draw_key(np.random.Generator(np.random.PCG64(int(np.random.randint(2**31)))))  # noqa: NPY002


class RestoresOtherDraws(Plain, caught_by="restart"):
    """Saves no random state: after a restart it draws otherwise."""

    state = Platform.state

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on where a mechanism stood that was saved, but for its draws."""
        super().restore({**state, "draw_key": self.draw_key})


class RandomNoise(Plain, caught_by="own-bid-independence critical-payment"):
    """Adds noise from fresh entropy to an auction's payment: up to 0.1% of c_max."""

    def _payment(self, winner: int, eligible: Sequence[int]) -> float:
        noise = np.random.default_rng().random()
        return max(super()._payment(winner, eligible) - 0.001 * self.bound * noise, 0.0)
