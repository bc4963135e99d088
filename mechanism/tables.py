"""Confidence radii and exploration targets, computed once from the formulas and read by everybody.

Tables grow by aligned blocks, so that an entry does not depend on how much was asked for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from bounds.arithmetic import Array
from bounds.radius import RADIUS
from bounds.selection import EXPLORATION_CAP

_BLOCK = 4096


class Table:
    """Values of a function at 1, 2, 3, ..., computed as far as needed.

    Parameters
    ----------
    function : callable
        Maps an array of positive whole numbers (as floats) to an array.

    Examples
    --------
    >>> Table(lambda n: n * n)[3]
    9.0
    """

    def __init__(self, function: Callable[[Array], Array]) -> None:
        self._function = function
        # Entry 0 is never read; it keeps the index equal to the argument.
        self._values: list[float] = [float("nan")]

    def __getitem__(self, argument: int) -> float:
        if argument >= len(self._values):
            self._grow(argument)
        return self._values[argument]

    def upto(self, argument: int) -> Array:
        """Return the values at 0 (a filler), 1, ..., argument as an array."""
        if argument >= len(self._values):
            self._grow(argument)
        return np.asarray(self._values[: argument + 1])

    def _grow(self, argument: int) -> None:
        while argument >= len(self._values):
            start = len(self._values)
            self._values.extend(self._function(np.arange(start, start + _BLOCK, dtype=float)).tolist())


@functools.lru_cache(maxsize=64)
def radius_table(n_providers: int, confidence: float) -> Table:
    """Return the table of beta(m) over the selection count m.

    Examples
    --------
    >>> round(radius_table(4, 0.05)[1], 6)
    1.770486
    """
    return Table(lambda counts: RADIUS(count=counts, n_providers=n_providers, confidence=confidence))


@functools.lru_cache(maxsize=64)
def target_table(n_providers: int, exploration_scale: float, exploration_exponent: float) -> Table:
    """Return the table of ceil(g(t)) over the step t; m < g(t) if and only if m < ceil(g(t)) for whole m.

    Whole targets keep a rounding error of g(t) from changing who is explored.

    Examples
    --------
    >>> target_table(4, 2.0, 0.75)[64]
    16.0
    """

    def targets(steps: Array) -> Array:
        return 1 + EXPLORATION_CAP(
            horizon=steps, n_providers=n_providers,
            exploration_scale=exploration_scale, exploration_exponent=exploration_exponent,
        )  # fmt: skip

    return Table(targets)
