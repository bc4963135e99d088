"""From where on conditions on whole numbers hold: a search for many conditions at once.

To ask about one number costs as much as to ask about many: most of what a formula costs is not its arithmetic. So each
round asks about as many numbers as are cheap. A search takes a handful of rounds; bisection takes a hundred.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bounds.limits import LARGEST_HORIZON

#: Whole numbers, as doubles. Where several are tried, the first axis says which try it is.
Wholes = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: A round computes so many numbers, of all tries and conditions together; more of them would take longer.
_CHEAP = 1024
#: More tries hardly save a round, and where doubles overflow a formula is slow: it looks at number by number.
_MOST_TRIES = 64


def first_crossings(
    holds: Callable[[Wholes], Flags], start: int, size: int, latest: int = LARGEST_HORIZON, *, entries: int = 1
) -> tuple[Wholes, Flags]:
    """Return, for each, a T >= start at which a condition holds while it fails just before, and whether there is one.

    Where a condition stays true once it is true, this is the first crossing. What is returned where there is none
    means nothing. `first_crossing` finds the same for one condition, by bisection.

    Parameters
    ----------
    holds : callable
        From T of shape (K, size), for any number K of tries, to flags of that shape.
    start, size : int
        The least T; how many conditions there are.
    latest : int, optional
        No later T is asked about.
    entries : int, optional
        How many numbers `holds` computes for each flag, such as one for each provider.

    Examples
    --------
    >>> limits = np.array([50, 2.0**53])
    >>> found, crossed = first_crossings(lambda horizons: horizons**2 > limits**2, 1, 2)
    >>> found[0], crossed.tolist()
    (np.float64(51.0), [True, False])
    """
    doubled = np.unique(np.minimum(start * 2.0 ** np.arange(54), latest))
    low, high = np.full(size, start - 1.0), np.full(size, math.inf)
    tries = tries_of(size * entries)
    for first in range(0, len(doubled), tries):
        asked = np.tile(doubled[first : first + tries, None], size)
        found = np.isfinite(high)
        below, above = _around(low, asked, high, holds(asked))
        low, high = np.where(found, low, below), np.where(found, high, above)
        if np.isfinite(high).all():
            break
    crossed = np.isfinite(high)
    return neighbours(holds, low, np.where(crossed, high, low), entries=entries)[1], crossed


def neighbours(
    holds: Callable[[Wholes], Flags], low: Wholes, high: Wholes, *, entries: int = 1, guesses: Wholes | None = None
) -> tuple[Wholes, Wholes]:
    """Return, for each condition, two neighbouring numbers: it fails at the lower one and holds at the upper one.

    Parameters
    ----------
    holds : callable
        As `first_crossings` takes it.
    low, high : array
        It fails at `low` and holds at `high`; where they are equal, nothing is asked.
    entries : int, optional
    guesses : array of shape (K, size), optional
        Numbers to ask about first, in ascending order for each condition; at best neighbours of which one is wanted.

    Examples
    --------
    >>> low, high = neighbours(lambda numbers: numbers**2 > 50, np.array([1.0]), np.array([1000.0]))
    >>> low.tolist(), high.tolist()
    ([7.0], [8.0])
    """
    if guesses is not None:
        low, high = _narrowed(holds, low, guesses, high) or (low, high)
    tries = tries_of(low.size * entries)
    shares = (np.arange(1, tries + 1) / (tries + 1)).reshape(-1, *[1] * low.ndim)
    while narrower := _narrowed(holds, low, np.floor(low + (high - low) * shares), high):
        low, high = narrower
    return low, high


def _narrowed(
    holds: Callable[[Wholes], Flags], low: Wholes, asked: Wholes, high: Wholes
) -> tuple[Wholes, Wholes] | None:
    """Return ends that are nearer to each other, or None if none of the numbers lies between the ends."""
    # Beyond 2^53 a sum may round to an end. There it is known what holds.
    between = (low < asked) & (asked < high)
    if not between.any():
        return None
    flags = np.where(between, holds(np.where(between, asked, high)), asked >= high)
    return _around(low, asked, high, flags)


def first_crossing(holds: Callable[[list[int]], Sequence[bool]], start: int, levels: int = 1) -> int | None:
    """Return a T >= start at which a condition holds while it fails just before; None if it fails at 2^52.

    It is the one that doubling and bisection find. Several steps of these ask together about all that they may need.

    Parameters
    ----------
    holds : callable
        From horizons to whether the condition holds at each.
    start : int
    levels : int, optional
        How many steps ask together.

    Examples
    --------
    >>> first_crossing(lambda horizons: [horizon**2 > 50 for horizon in horizons], 1, levels=3)
    8
    """
    low, high = start - 1, start
    while low < LARGEST_HORIZON:
        doubled = list(dict.fromkeys(min(high << step, LARGEST_HORIZON) for step in range(levels)))
        for asked, found in zip(doubled, holds(doubled), strict=True):
            if found:
                return bisected(holds, low, asked, levels)
            low = asked
        high = min(2 * low, LARGEST_HORIZON)
    return None


def bisected(holds: Callable[[list[int]], Sequence[bool]], low: int, high: int, levels: int = 1) -> int:
    """Return what bisection finds: a number above `low` and up to `high` where a condition begins to hold.

    Parameters
    ----------
    holds : callable
        As `first_crossing` takes it.
    low, high : int
        It fails at `low` and holds at `high`.
    levels : int, optional
    """
    while high - low > 1:
        asked = _middles(low, high, levels)
        found = dict(zip(asked, holds(asked), strict=True))
        while high - low > 1 and (middle := (low + high) // 2) in found:
            low, high = (low, middle) if found[middle] else (middle, high)
    return high


def _middles(low: int, high: int, levels: int) -> list[int]:
    """Return the numbers that so many steps of bisection may ask about."""
    if not levels or high - low <= 1:
        return []
    middle = (low + high) // 2
    return [middle, *_middles(low, middle, levels - 1), *_middles(middle, high, levels - 1)]


def tries_of(entries: int) -> int:
    """Return how many tries at once are cheap, where each computes so many numbers."""
    return min(_MOST_TRIES, max(1, _CHEAP // max(entries, 1)))


def _around(low: Wholes, asked: Wholes, high: Wholes, flags: Flags) -> tuple[Wholes, Wholes]:
    """Return the numbers before and at the first flag of each condition, of `low`, those asked about, and `high`."""
    numbers = np.concatenate([low[None], asked, high[None]])
    first = np.where(flags.any(axis=0), flags.argmax(axis=0), len(asked))[None]
    return np.take_along_axis(numbers, first, axis=0)[0], np.take_along_axis(numbers, first + 1, axis=0)[0]


def last_failures(reach: Callable[[Wholes], NDArray[np.float64]], top: Wholes) -> Wholes:
    """Return, for each, the largest T below `top` with T <= reach(T), where reach does not decrease.

    Above reach(T) nothing up to T fails: what T' in between needs is at most reach(T), which is less than T'.

    Examples
    --------
    >>> last_failures(lambda horizons: 10.0 + horizons // 4, np.array([1000.0])).tolist()
    [13.0]
    """
    horizons = top
    while (horizons > (needed := reach(horizons))).any():
        horizons = np.where(horizons > needed, np.minimum(np.floor(needed), LARGEST_HORIZON), horizons)
    return horizons
