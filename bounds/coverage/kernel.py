"""The walk of partial sums as machine code: one file, since Numba rebuilds when this file changes, not another.

A walk counts the successes among m = 1, 2, ... independent scores of 0 and 1. It goes on while the count lies within
limits, and leaves at the first m at which it does not. All that is computed are products and sums of nonnegative
doubles, so the relative error grows by a few units in the last place at each m; `walk` says by how many.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bounds.machine_code import kept_machine_code, part_of_machine_code

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

#: So often the mass that is left is added up, to stop once it is small.
_STOP_EVERY = 128


@part_of_machine_code
def after_one_score(here: Floats, start: int, success: float, failure: float, there: Floats, kept: int) -> None:
    """Write the masses after one more score into cells 1, 2, ..., of which the first comes from a cell and the next.

    Parameters
    ----------
    here, there : array of float
        Masses before and after the score.
    start : int
        From which cell, and the next, the first mass comes.
    success, failure : float
        The probability of the score, and of the other.
    kept : int
        How many masses are written.
    """
    source, target = here[start : start + kept + 1], there[1 : 1 + kept]
    for place in range(kept):
        target[place] = failure * source[place + 1] + success * source[place]


# A short loop of its own: inside a long function it is not compiled to take several entries at a time.
@part_of_machine_code
def _add_product(factor: float, source: Floats, target: Floats) -> None:
    for place in range(len(source)):
        target[place] += factor * source[place]


@kept_machine_code
def follow(
    success: float,
    failure: float,
    low: Counts,
    high: Counts,
    trim: float,
    stop: float,
    here: Floats,
    there: Floats,
    left_below: Floats,
    left_above: Floats,
) -> tuple[int, float, float, int, int]:
    """Follow a walk and fill the probabilities of leaving at each count.

    Parameters
    ----------
    success, failure : float
        Of one score: q, and 1 - q rounded.
    low, high : array of int
        The walk goes on after m scores if their sum lies in low[m - 1]..high[m - 1].
    trim : float
        Masses at either end of what is followed that are below this are dropped, and added up.
    stop : float
        Stop once the mass that is left is at most this; looked at now and then.
    here, there : array of float
        Room for the masses: as many as sums are followed at once, and three more; they are overwritten.
    left_below, left_above : array of float
        Filled with the probability of leaving at each count; as long as low.

    Returns
    -------
    tuple
        How many counts were followed, the mass that is left, the mass that was dropped, how many masses were
        computed, and how many of them left at one count at most.
    """
    # Cell at + i holds the mass at first + i for 0 <= i < size; the cells before and after are 0.
    here[0] = 0.0
    here[1] = 1.0
    here[2] = 0.0
    at, first, size = 1, 0, 1
    dropped, computed, most_left = 0.0, 0, 1
    followed = 0
    for step in range(low.size):
        # The sums after this score: first..last, of which those in start..end go on.
        last = first + size
        start = max(first, low[step])
        end = min(last, high[step])
        gone = 0.0
        for total in range(first, min(start, last + 1)):
            place = total - first
            gone += failure * here[at + place] + success * here[at - 1 + place]
        left_below[step] = gone
        leaving = start - first
        gone = 0.0
        for total in range(max(start, end + 1), last + 1):
            place = total - first
            gone += failure * here[at + place] + success * here[at - 1 + place]
        left_above[step] = gone
        most_left = max(most_left, leaving, last - end)
        kept = end - start + 1
        computed += size + 1
        followed = step + 1
        if kept <= 0:
            size = 0
            break
        after_one_score(here, at - 1 + start - first, success, failure, there, kept)
        there[0] = 0.0
        there[1 + kept] = 0.0
        # Ends of next to no mass: they cost time, and the smallest doubles cost a hundred times as much.
        cut = 0
        while kept > 1 and there[kept] < trim:
            dropped += there[kept]
            there[kept] = 0.0
            kept -= 1
        while cut < kept - 1 and there[1 + cut] < trim:
            dropped += there[1 + cut]
            cut += 1
        there[cut] = 0.0
        at, first, size = 1 + cut, start + cut, kept - cut
        here, there = there, here
        if stop > 0.0 and step % _STOP_EVERY == 0:
            remaining = 0.0
            for place in range(at, at + size):
                remaining += here[place]
            if remaining <= stop:
                break
    remaining = 0.0
    for place in range(at, at + size):
        remaining += here[place]
    return followed, remaining, dropped, computed, max(most_left, size)


@kept_machine_code
def spread(
    masses: Floats,
    low: Counts,
    high: Counts,
    trim: float,
    budget: float,
    here: Floats,
    there: Floats,
    left_below: Floats,
    left_above: Floats,
) -> tuple[int, float, float, float]:
    """Follow the sum of independent whole numbers that are k with probability masses[k], as `follow` does of 0 and 1.

    Parameters
    ----------
    masses : array of float
        Of 0, 1, ..., most.
    low, high, trim, here, there, left_below, left_above
        As of `follow`; the room must hold `most` more masses than lie within the limits.
    budget : float
        Stop before the products would be more than this.

    Returns
    -------
    tuple
        How many counts were followed, the mass that is left, the mass that was dropped, and how many products there
        were.
    """
    most = masses.size - 1
    here[0] = 1.0
    at, first, size = 0, 0, 1
    dropped, products = 0.0, 0.0
    followed = 0
    for step in range(low.size):
        if products + size * (most + 1.0) > budget:
            break
        products += size * (most + 1.0)
        width = size + most
        for place in range(width):
            there[place] = 0.0
        source = here[at : at + size]
        for point in range(most + 1):
            mass = masses[point]
            if mass > 0.0:
                _add_product(mass, source, there[point : point + size])
        start = max(first, low[step])
        end = min(first + width - 1, high[step])
        gone = 0.0
        for place in range(min(start - first, width)):
            gone += there[place]
        left_below[step] = gone
        gone = 0.0
        for place in range(max(start, end + 1) - first, width):
            gone += there[place]
        left_above[step] = gone
        followed = step + 1
        kept, cut = end - first + 1, start - first
        if kept <= cut:
            size = 0
            break
        while kept - 1 > cut and there[kept - 1] < trim:
            dropped += there[kept - 1]
            kept -= 1
        while cut < kept - 1 and there[cut] < trim:
            dropped += there[cut]
            cut += 1
        at, size = cut, kept - cut
        first += cut
        here, there = there, here
    remaining = 0.0
    for place in range(at, at + size):
        remaining += here[place]
    return followed, remaining, dropped, products
