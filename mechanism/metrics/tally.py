"""Totals of a run at chosen steps: all that the paper's metrics need, without a row per step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError


class ProviderField(IntEnum):
    """What a tally holds for every provider.

    Selections and their kinds (ORDINARY: after initialization, not exploration), sums of scores, costs and payments,
    payments of ordinary steps, and the step of the last selection.
    """

    SELECTIONS = 0
    EXPLORATIONS = 1
    ORDINARY = 2
    SCORE = 3
    COST = 4
    PAYMENT = 5
    ORDINARY_PAYMENT = 6
    LAST_SELECTION = 7


class RunField(IntEnum):
    """What a tally holds for the run.

    Costs of exploration steps; excess payments over the second-lowest cost by kind of step; winning standing bids of
    ordinary steps; eligible providers before the step; estimates that left their confidence band (the good event held
    if none did); auctions whose payment left the bounds of Appendix D.
    """

    EXPLORATION_COST = 0
    INITIALIZATION_EXCESS = 1
    EXPLORATION_EXCESS = 2
    ORDINARY_EXCESS = 3
    WINNING_BIDS = 4
    ELIGIBLE = 5
    BAND_VIOLATIONS = 6
    PAYMENT_VIOLATIONS = 7


@dataclass(frozen=True, eq=False)
class Tally:
    """Totals of one run after each of its checkpoints.

    Parameters
    ----------
    steps : tuple of int, length C
        The checkpoints, increasing; the last is the horizon.
    by_provider : array of float, shape (C, len(ProviderField), N)
    overall : array of float, shape (C, len(RunField))

    Examples
    --------
    >>> tally = Tally((2,), np.ones((1, len(ProviderField), 2)), np.zeros((1, len(RunField))))
    >>> tally.provider(ProviderField.SELECTIONS).tolist(), tally.run(RunField.ELIGIBLE)
    ([1.0, 1.0], 0.0)
    """

    steps: tuple[int, ...]
    by_provider: NDArray[np.float64]
    overall: NDArray[np.float64]

    def provider(self, field: ProviderField, step: int | None = None) -> NDArray[np.float64]:
        """Return totals by provider after a step (default the last), shape (N,)."""
        return np.asarray(self.by_provider[self._row(step), field])

    def run(self, field: RunField, step: int | None = None) -> float:
        """Return a total of the run after a step (default the last)."""
        return float(self.overall[self._row(step), field])

    def _row(self, step: int | None) -> int:
        if step is None:
            return -1
        if step not in self.steps:
            raise InputError("step", step, f"is none of the checkpoints {self.steps}", "ask for it when simulating")
        return self.steps.index(step)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tally):
            return NotImplemented
        return (
            self.steps == other.steps
            and np.array_equal(self.by_provider, other.by_provider)
            and np.array_equal(self.overall, other.overall)
        )

    __hash__ = None  # type: ignore[assignment]

    def to_bytes(self) -> bytes:
        """Return the totals as little-endian floats; `from_bytes` needs the checkpoints and N again."""
        return np.concatenate([self.by_provider.ravel(), self.overall.ravel()]).astype("<f8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes, steps: Sequence[int], n_providers: int) -> Tally:
        """Return the tally that `to_bytes` wrote.

        Raises
        ------
        InputError
            The data have another length than such a tally.
        """
        checkpoints, width = len(steps), len(ProviderField) * n_providers
        if len(data) != 8 * checkpoints * (width + len(RunField)):
            rule = f"bytes do not fit {checkpoints} checkpoints of {n_providers} providers"
            raise InputError("data", len(data), rule, "give the checkpoints and providers that it was written with")
        values = np.frombuffer(data, dtype="<f8").astype(np.float64)
        split = checkpoints * width
        by_provider = values[:split].reshape(checkpoints, len(ProviderField), n_providers)
        return cls(tuple(steps), by_provider, values[split:].reshape(checkpoints, len(RunField)))
