"""Recorded generations as flat arrays, and as the tables that the compiled episode reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mechanism.market.law_tables import LAW_FIELDS, LawField, LawTables

__all__ = ["RecordedArrays", "recorded_tables"]


class RecordedArrays(NamedTuple):
    """Everything that outcomes are computed from, as flat arrays.

    Attributes
    ----------
    questions, samples : int
        K and S. The generation s of question q of model m has index (m K + q) S + s.
    correct, tokens, reward : numpy.ndarray of uint8, int32, float64
        By that index. Without rewards the last is empty.
    model, multiplicity : numpy.ndarray of int64, shape (N,)
        Of every provider.
    cost_values : numpy.ndarray of float64
        The cost tables of all providers, one after the other.
    cost_start : numpy.ndarray of int64, shape (N + 1,)
        Provider i pays ``cost_values[cost_start[i] + total]`` for a total of output tokens.
    """

    questions: int
    samples: int
    correct: NDArray[np.uint8]
    tokens: NDArray[np.int32]
    reward: NDArray[np.float64]
    model: NDArray[np.int64]
    multiplicity: NDArray[np.int64]
    cost_values: NDArray[np.float64]
    cost_start: NDArray[np.int64]


def recorded_tables(arrays: RecordedArrays, margin: float) -> LawTables:
    """Return the tables of providers that serve recorded generations, each a kind of its own.

    Parameters
    ----------
    arrays : RecordedArrays
    margin : float
        mu >= 0.

    Examples
    --------
    >>> from mechanism.recorded.generations import Generations
    >>> from mechanism.recorded.market import RecordedLaws, RecordedProvider
    >>> generations = Generations("toy", ("m",), ("q",), [[[1, 0]]], [[[3, 2]]])
    >>> tables = RecordedLaws(generations, [RecordedProvider("m", 0.5)]).tables()
    >>> tables.values.tolist(), tables.points.tolist(), tables.totals.tolist()
    ([1.0, 0.0], [3, 2], [0.0, 0.4, 0.8, 1.2])
    """
    n = len(arrays.model)
    rows = np.zeros((n, LAW_FIELDS), dtype=np.int64)
    rows[:, LawField.SCORE_LAW] = arrays.model * (arrays.questions * arrays.samples)
    rows[:, LawField.MULTIPLICITY] = arrays.multiplicity
    rows[:, LawField.FIRST_TOTAL] = arrays.cost_start[:-1]
    rows[:, LawField.SAMPLES] = arrays.samples
    none = np.empty(0, dtype=np.int64)
    return LawTables(
        kinds=np.arange(n, dtype=np.int64),
        rows=rows.ravel(),
        first=none,
        sizes=none,
        guide_first=none,
        guide_shift=np.empty(0, dtype=np.uint64),
        cumulative=np.empty(0, dtype=np.uint64),
        points=arrays.tokens.astype(np.int64),
        values=arrays.correct.astype(np.float64),
        guide=np.empty(0, dtype=np.uint32),
        totals=arrays.cost_values,
        # A copy can be written to, as all other tables can: for others Numba would compile one more kernel.
        rewards=arrays.reward.copy(),
        questions=arrays.questions,
        margin=float(margin),
    )
