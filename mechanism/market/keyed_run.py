"""A run of a market: its seed and number, and the key that its potential outcomes follow from."""

from __future__ import annotations

from functools import cached_property

from mechanism.randomness import RandomStream, stream_key


class KeyedRun:
    """What the outcomes of a run have in common, wherever scores and costs come from; `seed` and `run` are fields."""

    seed: int
    run: int

    def __post_init__(self) -> None:
        _ = self.key  # a bad seed or run is refused here, not at the first outcome

    @cached_property
    def key(self) -> int:
        """The key of this run's outcomes (see `mechanism.randomness`)."""
        return stream_key(self.seed, self.run, RandomStream.OUTCOMES)
