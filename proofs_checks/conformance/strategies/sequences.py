"""Strategies for what a provider's queries yield one after another: random, adversarial, or at a band edge.

A sequence lies in [0, upper] and is meant for scores (upper 1) or costs (upper c_max). It is drawn as a whole from a
seed, so that long ones cost as little as short ones.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mechanism.tables import radius_table
from proofs_checks.claims.cases.edge_walk import BandWalk, Direction

#: "random": two values or uniform ones around the mean. "adversarial": long runs of 0 and of the upper end, the worst
#: for running means. "band edge": the running mean walks along an edge of its confidence band, never outside.
#: "constant": the mean.
SequenceKind = Literal["random", "adversarial", "band edge", "constant"]
#: The kinds that move.
MOVING: tuple[SequenceKind, ...] = ("random", "adversarial", "band edge")
_DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


def sequences(
    mean: float,
    upper: float,
    length: int,
    *,
    n_providers: int,
    confidence: float,
    kinds: tuple[SequenceKind, ...] = MOVING,
) -> SearchStrategy[tuple[float, ...]]:
    """Return a strategy for a provider's scores or costs.

    Parameters
    ----------
    mean : float
        In [0, upper]: of the distribution that random values come from, and of bands.
    upper : float
        Largest value, positive.
    length : int
    n_providers : int
    confidence : float
        With `n_providers`, of the confidence radii of sequences at a band edge.
    kinds : tuple of {"random", "adversarial", "band edge", "constant"}, optional
        The first three by default. On those at a band edge and constant ones the good event holds by construction.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(sequences(0.5, 1.0, 3, n_providers=2, confidence=0.05, kinds=("adversarial",)), lambda values: True)
    (0.0, 1.0, 1.0)
    """
    return shapes(kinds).map(lambda shape: sequence(shape, mean, upper, length, n_providers, confidence))


@dataclass(frozen=True)
class Shape:
    """What a sequence is made from, beside its mean: its kind, a seed, and along which edge of a band it walks."""

    kind: SequenceKind
    seed: int
    direction: Direction


@functools.cache
def shapes(kinds: tuple[SequenceKind, ...]) -> SearchStrategy[Shape]:
    """Return the strategy for shapes of the given kinds: one for all draws, since Hypothesis checks every new one."""
    return st.builds(Shape, st.sampled_from(kinds), st.integers(0, 2**16), st.sampled_from(_DIRECTIONS))


def sequence(
    shape: Shape, mean: float, upper: float, length: int, n_providers: int, confidence: float
) -> tuple[float, ...]:
    """Return the sequence of a shape; the other parameters are those of `sequences`."""
    if shape.kind == "constant":
        return (mean,) * length
    if shape.kind == "adversarial":
        return _adversarial(upper, length, shape.seed)
    rng = np.random.default_rng(shape.seed)
    if shape.kind == "random":
        return _random(mean, upper, length, rng)
    walk = BandWalk(mean, upper, shape.direction, radius_table(n_providers, confidence).upto(length), rng)
    return tuple(min(walk.next(), upper) for _ in range(length))


def _random(mean: float, upper: float, length: int, rng: np.random.Generator) -> tuple[float, ...]:
    if rng.random() < 0.5:
        return tuple((upper * (rng.random(length) < mean / upper)).tolist())
    spread = min(mean, upper - mean)
    return tuple((mean + spread * rng.uniform(-1.0, 1.0, length)).tolist())


def _adversarial(upper: float, length: int, seed: int) -> tuple[float, ...]:
    """Return runs of 0 and of `upper` in turn, each longer than the last; the first run's length is from the seed."""
    values: list[float] = []
    run, value = 1 + seed % 7, 0.0 if seed % 2 == 0 else upper
    while len(values) < length:
        values += [value] * run
        run, value = 2 * run, upper - value
    return tuple(values[:length])
