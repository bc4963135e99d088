"""Confidence radii and exploration targets, computed once from the formulas and read by everybody.

Tables grow by aligned blocks, so that an entry does not depend on how much was asked for.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable

import numpy as np

from bounds.formulas.radius import RADIUS
from bounds.formulas.selection import EXPLORATION_CAP, EXPLORATION_TARGET
from bounds.language.arithmetic import Array

#: Estimates this much beyond a confidence band are still inside: rounding must not refute.
BAND_TOLERANCE = 1 + 1e-12
_BLOCK = 4096
_NEVER_REACHED = 2.0**40  # selection counts: no run is that long


class Table:
    """Values of a function at 1, 2, 3, ..., computed as far as needed.

    Parameters
    ----------
    function : callable
        Maps an array of positive whole numbers (as floats) to an array; kept as an attribute.

    Examples
    --------
    >>> Table(lambda n: n * n)[3]
    9.0
    """

    def __init__(self, function: Callable[[Array], Array]) -> None:
        self.function = function
        # Tables are shared: two threads that grow one at the same time must not both append a block.
        self._lock = threading.Lock()
        # Entry 0 is never read; it keeps the index equal to the argument.
        self._set(np.array([np.nan]))

    def __getitem__(self, argument: int) -> float:
        view = self._view
        if argument >= len(view):
            return float(self._grow(argument)[argument])
        return view[argument]

    def upto(self, argument: int) -> Array:
        """Return the values at 0 (a filler), 1, ..., argument as an array, read-only."""
        array = self._array
        if argument >= len(array):
            array = self._grow(argument)
        return array[: argument + 1]

    def _grow(self, argument: int) -> Array:
        with self._lock:
            known = len(self._array)
            if argument < known:
                return self._array
            # Whole blocks, and half as much again: growing step by step stays linear.
            last = max(argument, known + known // 2)
            starts = range(known, last + 1, _BLOCK)
            blocks = [self.function(np.arange(start, start + _BLOCK, dtype=float)) for start in starts]
            self._set(np.concatenate([self._array, *blocks]))
            return self._array

    def _set(self, array: Array) -> None:
        array.flags.writeable = False
        # The view gives plain floats, faster than an array's scalars.
        self._view, self._array = memoryview(array), array  # type: ignore[arg-type]


@functools.lru_cache(maxsize=64)
def radius_table(n_providers: int, confidence: float) -> Table:
    """Return the table of beta(m) over the selection count m.

    Examples
    --------
    >>> round(radius_table(4, 0.05)[1], 6)
    1.770031
    """
    return Table(lambda counts: RADIUS(count=counts, n_providers=n_providers, confidence=confidence))


@functools.lru_cache(maxsize=64)
def target_table(n_providers: int, exploration_scale: float, exploration_exponent: float) -> Table:
    """Return the table of ceil(g(t)) over the step t; m < g(t) if and only if m < ceil(g(t)) for whole m.

    Whole targets keep a rounding error of g(t) from changing who is explored. Where g(t) reaches 2^40, beyond
    all selection counts, the entry is infinity.

    Examples
    --------
    >>> target_table(4, 2.0, 0.75)[64]
    16.0
    """

    parameters = {
        "n_providers": n_providers,
        "exploration_scale": exploration_scale,
        "exploration_exponent": exploration_exponent,
    }

    def targets(steps: Array) -> Array:
        with np.errstate(over="ignore"):
            real = EXPLORATION_TARGET(parameters, step=steps)
        # Ceilings near an integer are decided one by one: spare this to a vanishing g(t) and to a huge one.
        ceilings = np.where(real <= 0.5, 1.0, np.inf)
        ordinary = (real > 0.5) & (real < _NEVER_REACHED)
        ceilings[ordinary] = 1 + EXPLORATION_CAP(parameters, horizon=steps[ordinary])
        return ceilings

    return Table(targets)
