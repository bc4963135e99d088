"""Confidence radii and exploration targets, computed once from the formulas and read by everybody.

Tables grow by aligned blocks, so that an entry does not depend on how much was asked for. `window` and `entries`
read entries far out without the table up to there: a log of any length needs only a few blocks at a time.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.selection import EXPLORATION_CAP, EXPLORATION_TARGET
from bounds.language.arithmetic import Array
from bounds.language.evaluation import NEAR_INTEGER
from bounds.radii.catalogue import radius_named
from bounds.radii.names import PAPERS

#: Estimates this much beyond a confidence band are still inside: rounding must not refute.
BAND_TOLERANCE = 1 + 1e-12
_BLOCK = 4096
#: The first block, after which each is as long as all before it, up to `_BLOCK`: most tables of a check stay short.
_FIRST_BLOCK = 128
#: Up to here a table is kept (8 bytes an entry); beyond, blocks are computed when they are asked for.
KEPT = 2**19
#: Up to here products of steps with half of a double's digits are exact.
_MOST_EXACT = 2.0**26
#: Beyond all selection counts: no run is that long.
NEVER_REACHED = 2.0**40


class TabulatedFunction:
    """Values of a function at 1, 2, 3, ..., computed as far as needed.

    Parameters
    ----------
    function : callable
        Maps an array of positive whole numbers (as floats) to an array; kept as an attribute.

    Examples
    --------
    >>> TabulatedFunction(lambda n: n * n)[3]
    9.0
    """

    def __init__(self, function: Callable[[Array], Array]) -> None:
        self.function = function
        # Tables are shared: two threads that grow one at the same time must not both append a block.
        self._lock = threading.Lock()
        # Entry 0 is never read; it keeps the index equal to the argument.
        self._set(np.array([np.nan]))

    def __getitem__(self, argument: int) -> float:
        try:
            return self._view[argument]
        except IndexError:
            return float(self._grow(argument)[argument])

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
            blocks = [self._array]
            while known <= last:
                end = known + min(_BLOCK, max(_FIRST_BLOCK, known - 1))
                blocks.append(self.function(np.arange(known, end, dtype=float)))
                known = end
            self._set(np.concatenate(blocks))
            return self._array

    def _set(self, array: Array) -> None:
        array.flags.writeable = False
        # The view gives plain floats, faster than an array's scalars.
        self._view, self._array = array.data, array


def radius_table(n_providers: int, confidence: float) -> TabulatedFunction:
    """Return the table of beta(m) over the selection count m.

    Examples
    --------
    >>> round(radius_table(4, 0.05)[1], 6)
    1.770031
    """
    return _radius_table(PAPERS, n_providers, confidence, None)


@functools.lru_cache(maxsize=128)
def _radius_table(name: str, n_providers: int, confidence: float, mean: float | None) -> TabulatedFunction:
    """Return the table of the radius of scores of a mean, or of costs."""
    of = radius_named(name)
    if mean is None:
        return TabulatedFunction(lambda m: of.cost_radius(m, n_providers=n_providers, confidence=confidence))
    return TabulatedFunction(lambda m: of.quality_radius(m, mean=mean, n_providers=n_providers, confidence=confidence))


class RadiusChoice(Protocol):
    """What decides the radii of a mechanism: its configuration. One without `radius` has the paper's."""

    @property
    def n_providers(self) -> int:
        """N."""

    @property
    def quality_threshold(self) -> float:
        """q_min."""

    @property
    def confidence(self) -> float:
        """delta."""


def quality_table(config: RadiusChoice) -> TabulatedFunction:
    """Return the table of the radius that decides who is eligible, over the selection count m.

    Examples
    --------
    >>> from mechanism.config import MechanismConfig
    >>> config = MechanismConfig(4, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> quality_table(config) is radius_table(4, 0.05)
    True
    """
    name = getattr(config, "radius", PAPERS)
    mean = None if radius_named(name).quality is None else config.quality_threshold
    return _radius_table(name, config.n_providers, config.confidence, mean)


def cost_table(config: RadiusChoice) -> TabulatedFunction:
    """Return the table of the radius of costs over c_max, not widened, over the selection count m.

    Examples
    --------
    >>> from mechanism.config import MechanismConfig
    >>> config = MechanismConfig(4, 0.5, 0.05, 1.0, 2.0, 0.75, radius="beta-binomial")
    >>> cost_table(config)[1] == radius_table(4, 0.05)[1]
    True
    """
    return _radius_table(getattr(config, "radius", PAPERS), config.n_providers, config.confidence, None)


@functools.lru_cache(maxsize=64)
def goal_table(n_providers: int, exploration_scale: float, exploration_exponent: float) -> TabulatedFunction:
    """Return the table of g(t) over the step t, not rounded up.

    Examples
    --------
    >>> round(goal_table(4, 2.0, 0.5)[8], 6)
    2.828427
    """
    parameters = _exploration(n_providers, exploration_scale, exploration_exponent)
    return TabulatedFunction(lambda steps: EXPLORATION_TARGET(parameters, step=steps))


@functools.lru_cache(maxsize=64)
def target_table(n_providers: int, exploration_scale: float, exploration_exponent: float) -> TabulatedFunction:
    """Return the table of ceil(g(t)) over the step t; m < g(t) if and only if m < ceil(g(t)) for whole m.

    Whole targets keep a rounding error of g(t) from changing who is explored. Where g(t) exceeds 2 t, which no
    selection count before step t reaches, the entry may be rounded; from 2^40 on it is infinity.

    Examples
    --------
    >>> target_table(4, 2.0, 0.75)[64]
    16.0
    """
    parameters = _exploration(n_providers, exploration_scale, exploration_exponent)

    def targets(steps: Array) -> Array:
        with np.errstate(over="ignore"):
            real = EXPLORATION_TARGET(parameters, step=steps)
        # Only ceilings near a whole number may be wrong, and only those that selection counts reach matter.
        ceilings = np.where(real <= 0.5, 1.0, np.where(real < NEVER_REACHED, np.ceil(real), np.inf))
        near = np.flatnonzero((real > 0.5) & (real <= 2 * steps))
        near = near[np.abs(real[near] - np.rint(real[near])) <= NEAR_INTEGER * real[near]]
        whole = np.rint(real[near])
        excess = _excess(steps[near], whole, **parameters)
        ceilings[near] = whole + (excess > 0)
        hidden = near[np.isnan(excess)]
        ceilings[hidden] = 1 + EXPLORATION_CAP(parameters, horizon=steps[hidden])
        return ceilings

    return TabulatedFunction(targets)


def _excess(
    steps: Array, whole: Array, *, n_providers: float, exploration_scale: float, exploration_exponent: float
) -> Array:
    """Return numbers of the sign of g(t) - j, where whole j are near g(t); NaN where rounding may hide the sign.

    They are ln(k / j) + alpha ln(t / N), or ln(k t / (N j)) - (1 - alpha) ln(t / N) from alpha = 1/2 on. For alpha near
    0 or 1, g(t) may be near a whole number at every step: the first term is then small, and is computed accurately.
    """
    logarithms, power = np.log1p((steps - n_providers) / n_providers), exploration_exponent
    if power < 0.5:
        offsets = np.log1p((exploration_scale - whole) / whole)
    else:
        mantissa, binary = math.frexp(exploration_scale)
        high = math.ldexp(math.floor(math.ldexp(mantissa, 26)), binary - 26)  # products of 26 bits are exact
        difference = high * steps - n_providers * whole + (exploration_scale - high) * steps
        offsets, power = np.log1p(difference / (n_providers * whole)), power - 1
    # Where the first term is 0 the second one decides, even if it underflows.
    found = np.where(offsets == 0, math.copysign(1, power) * logarithms, offsets + power * logarithms)
    hidden = np.abs(found) <= 1e-10 * (np.abs(offsets) + np.abs(power * logarithms))
    return np.where(hidden | (steps >= _MOST_EXACT), np.nan, found)


def _exploration(n_providers: int, exploration_scale: float, exploration_exponent: float) -> dict[str, float]:
    return {
        "n_providers": n_providers,
        "exploration_scale": exploration_scale,
        "exploration_exponent": exploration_exponent,
    }


def window(table: TabulatedFunction, first: int, last: int, kept: int = KEPT) -> NDArray[np.float64]:
    """Return the values at first, first + 1, ..., last, for 1 <= first.

    Beyond the argument `kept`, the table does not grow.

    Examples
    --------
    >>> window(TabulatedFunction(lambda n: n * n), 10_000, 10_002, kept=5).tolist()
    [100000000.0, 100020001.0, 100040004.0]
    """
    if last <= kept:
        return table.upto(last)[first:]
    block = (first - 1) // _BLOCK
    found = np.concatenate([_block(table, at) for at in range(block, (last - 1) // _BLOCK + 1)] or [np.empty(0)])
    return found[first - 1 - block * _BLOCK : last - block * _BLOCK]


def entries(table: TabulatedFunction, arguments: NDArray[Any], kept: int = KEPT) -> NDArray[np.float64]:
    """Return the values at whole numbers >= 0 of any shape; NaN at 0.

    Beyond the argument `kept`, the table does not grow.

    Examples
    --------
    >>> entries(TabulatedFunction(lambda n: n * n), np.array([[0, 9000], [3, 9001]]), kept=5).tolist()
    [[nan, 81000000.0], [9.0, 81018001.0]]
    """
    largest = int(arguments.max(initial=1))
    if largest <= kept:
        return np.asarray(table.upto(largest)[arguments])
    blocks = (arguments + (_BLOCK - 1)) // _BLOCK  # block 0 is the argument 0
    wanted = np.zeros(int(blocks.max()) + 1, dtype=bool)
    wanted[blocks] = True
    wanted[0] = True
    needed = np.flatnonzero(wanted)
    values = np.concatenate([np.full(_BLOCK, np.nan), *(_block(table, int(at) - 1) for at in needed[1:])])
    # Where an argument is among the wanted blocks: as many entries before it as there are unwanted ones.
    shift = np.zeros(len(wanted), dtype=np.int64)
    shift[needed] = (needed - np.arange(len(needed))) * _BLOCK - (_BLOCK - 1)
    return np.asarray(values[arguments - shift[blocks]])


@functools.lru_cache(maxsize=512)
def _block(table: TabulatedFunction, number: int) -> NDArray[np.float64]:
    """Return the entries of a block, counted from 0; those used last are kept: parts of a log use the same ones."""
    first = 1 + number * _BLOCK
    found = np.asarray(table.function(np.arange(first, first + _BLOCK, dtype=float)))
    found.flags.writeable = False
    return found
