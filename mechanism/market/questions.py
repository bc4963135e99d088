"""A benchmark's questions, asked in passes: every pass is a fresh permutation of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.arguments import whole_number
from mechanism.randomness import DRAW_BITS, PROVIDER_BITS, squares64, uniform_index

LARGEST_POOL = 2**20
# Draws of the permutations take the counters of step 0, which no query uses: as many as a step has.
_COUNTERS = 1 << PROVIDER_BITS + DRAW_BITS


@dataclass(frozen=True)
class QuestionPool:
    """Questions 0, ..., size - 1, in order of difficulty.

    Parameters
    ----------
    size : int
        K, in 1..2^20.

    Raises
    ------
    InputError
        The size is out of range.

    Examples
    --------
    >>> pool = QuestionPool(3)
    >>> sorted(pool.question(key=1, step=step) for step in (4, 5, 6))
    [0, 1, 2]
    """

    size: int

    def __post_init__(self) -> None:
        size = whole_number("questions", self.size, "it is the size of a benchmark", least=1, most=LARGEST_POOL)
        object.__setattr__(self, "size", size)

    @property
    def last_step(self) -> int:
        """The end of the last whole pass that has counters of its own; close to 2^30."""
        return _COUNTERS // self.size * self.size

    def question(self, key: int, step: int) -> int:
        """Return the question of a step.

        Parameters
        ----------
        key : int
            Of the run's outcomes (see `mechanism.randomness.stream_key`).
        step : int
            In [1, last_step].

        Returns
        -------
        int
            Its place in the order of difficulty.

        Raises
        ------
        InputError
            The step is out of range.
        """
        if not 1 <= step <= self.last_step:
            rule = f"must lie in 1..{self.last_step}"
            raise InputError("step", step, rule, "a pool is asked that often; set questions=0 for longer runs")
        number, place = divmod(step - 1, self.size)
        return int(permutation(key, self.size, number)[place])


@lru_cache(maxsize=16)
def permutation(key: int, size: int, number: int) -> NDArray[np.int64]:
    """Return the order in which a pass asks its questions: a forward Fisher-Yates shuffle, shape (size,).

    Parameters
    ----------
    key : int
        Of the run's outcomes.
    size : int
        K.
    number : int
        Of the pass, from 0. Its j-th swap draws with the counter number K + j, so a compiled run can shuffle as it
        goes along.
    """
    order = list(range(size))
    for place in range(size):
        other = place + uniform_index(squares64(key, number * size + place), size - place)
        order[place], order[other] = order[other], order[place]
    result = np.array(order, dtype=np.int64)
    result.flags.writeable = False
    return result
