"""Answers of models to questions as one table: a column for each quantity, a row for each answer."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import printable

#: Bits of a place that hold the row; those above hold the number of the file.
PLACE_BITS = 40


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """Answers as columns of one length.

    Attributes
    ----------
    models, questions, files : tuple of str
        Names, which the columns of integers refer to.
    model, question : numpy.ndarray of int32
    generation : numpy.ndarray of int64
        Which of several answers to a question it is; 0 where there is one.
    numbered : numpy.ndarray of bool
        Whether the file numbers the generations, a row each. Elsewhere one row holds all that belong together.
    score : numpy.ndarray of float64
        In [0, 1]; NaN where none is recorded.
    cost : numpy.ndarray of float64
        What the answer cost as recorded, USD; NaN where none is recorded.
    tokens_in, tokens_cached, tokens_out : numpy.ndarray of int64
        -1 where none are recorded. Those of the input that were read from a cache are not among `tokens_in`.
    reward : numpy.ndarray of float64
        Score of a reward model; NaN where none is recorded.
    failed : numpy.ndarray of bool
        Whether the generation failed.
    place : numpy.ndarray of int64
        Where the answer stands: the file, and the row in the low `PLACE_BITS` bits.
    """

    models: tuple[str, ...]
    questions: tuple[str, ...]
    files: tuple[str, ...]
    model: NDArray[np.int32]
    question: NDArray[np.int32]
    generation: NDArray[np.int64]
    numbered: NDArray[np.bool_]
    score: NDArray[np.float64]
    cost: NDArray[np.float64]
    tokens_in: NDArray[np.int64]
    tokens_cached: NDArray[np.int64]
    tokens_out: NDArray[np.int64]
    reward: NDArray[np.float64]
    failed: NDArray[np.bool_]
    place: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.model)

    def at(self, row: int) -> str:
        """Return the file and the row of an answer."""
        return f"{printable(self.files[self.place[row] >> PLACE_BITS])}:{self.place[row] & (1 << PLACE_BITS) - 1}"

    def take(self, rows: NDArray[Any]) -> Answers:
        """Return some of the answers; models and questions are those that have one, in the order of the rows."""
        columns = {each.name: getattr(self, each.name) for each in fields(self)}
        found = {name: column[rows] for name, column in columns.items() if isinstance(column, np.ndarray)}
        names = {"files": self.files}
        for names_of, code in (("models", "model"), ("questions", "question")):
            used, place, first = _by_first_row(found[code])
            found[code], names[names_of] = place, tuple(columns[names_of][i] for i in used[first].tolist())
        return Answers(**names, **found)  # type: ignore[arg-type]


def _by_first_row(codes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int64]]:
    """Return the different codes, codes numbered by where each comes first, and the different ones in that order."""
    used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(used), np.int32)
    rank[order] = np.arange(len(used))
    return used, rank[inverse.ravel()], order
