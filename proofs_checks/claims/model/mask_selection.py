"""Which steps, or steps and providers, a mask marks, and how to pick their entries without copies where it can be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanism.running import across

#: Marked places are picked where they are fewer than one in so many; else everything is looked at with the mask.
_FEW = 5

_Flags = NDArray[np.bool_]
_Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MaskSelection:
    """The marked entries of a mask, in the order of the steps and then of the providers.

    Parameters
    ----------
    rows : slice or array of int
        From the first marked step to the last, counted from 0; or the marked steps alone, see `alone`.
    providers : int or None
        G of a mask of steps and providers, None of a mask of steps.
    picked_rows, picked_columns : array of int or None
        The marked places, rows counted from the first marked step. No columns: all providers of the picked rows;
        neither: everything in the rows.
    picked_places : array of int or None
        With columns: the same places, counted row by row.
    marked : array of bool or None
        Of a mask that marks many places all over the rows: the mask there, for whoever looks at everything in them.

    Examples
    --------
    >>> marked = MaskSelection.of(np.array([False, True, True]))
    >>> marked.rows, marked.choose(np.array([5.0, 6.0])).tolist(), marked.place(1)
    (slice(1, 3, None), [5.0, 6.0], (2, 0))
    """

    rows: slice | _Places
    providers: int | None = None
    picked_rows: _Places | None = None
    picked_columns: _Places | None = None
    picked_places: _Places | None = None
    marked: _Flags | None = None

    @classmethod
    def of(cls, mask: _Flags) -> MaskSelection | None:
        """Return what a mask of shape (T,) or (T, G) marks, None if nothing."""
        if mask.ndim == 1:
            return cls._of_steps(mask, None)
        if mask.shape[1] and mask.strides[1] == 0:  # the same for every provider: see `masks.each_provider`
            return cls._of_steps(mask[:, 0], mask.shape[1])
        if np.count_nonzero(mask) * _FEW > mask.size:
            rows = _from_first_to_last(across(np.logical_or, mask))
            return cls(rows, mask.shape[1], marked=mask[rows])
        flat = np.flatnonzero(mask)
        if not len(flat):
            return None
        first, last = int(flat[0]) // mask.shape[1], int(flat[-1]) // mask.shape[1]
        places = flat - first * mask.shape[1]
        rows = places // mask.shape[1]
        return cls(slice(first, last + 1), mask.shape[1], rows, places - rows * mask.shape[1], places)

    @classmethod
    def _of_steps(cls, mask: _Flags, providers: int | None) -> MaskSelection | None:
        if not mask.any():
            return None
        rows = _from_first_to_last(mask)
        inside = mask[rows]
        return cls(rows, providers, None if inside.all() else np.flatnonzero(inside))

    @property
    def by_provider(self) -> bool:
        """Whether the mask is one of steps and providers."""
        return self.providers is not None

    @cached_property
    def size(self) -> int:
        """How many entries are marked."""
        return math.prod(self.shape) if self.marked is None else int(np.count_nonzero(self.marked))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of what `choose` returns, broadcast; with `marked`, of everything in the rows."""
        if self.picked_rows is not None:
            rows = len(self.picked_rows)
        else:
            rows = self.rows.stop - self.rows.start if isinstance(self.rows, slice) else len(self.rows)
        return (rows,) if self.picked_columns is not None or self.providers is None else (rows, self.providers)

    def choose(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the marked entries of values that broadcast to (R,) or (R, G) for the R steps of `rows`.

        With `marked`, all of them.
        """
        if values.ndim == 0 or self.picked_rows is None:
            return values
        if self.picked_columns is None or self.picked_places is None:
            whole = values.ndim == (1 if self.providers is None else 2) and len(values) > 1
            return np.asarray(values[self.picked_rows]) if whole else values
        if values.ndim == 1:  # one a provider
            return np.asarray(values[self.picked_columns])
        if values.shape[1] == 1:
            return np.asarray(values[self.picked_rows, 0])
        return np.asarray(np.take(values.reshape(-1), self.picked_places, mode="clip"))

    def place(self, flat: int) -> tuple[int, int]:
        """Return the step (from 0) and the column of an entry of the marked ones, counted in their order."""
        width = self.providers or 1
        row, column = (flat, 0) if self.picked_columns is not None else divmod(flat, width)
        if self.picked_columns is not None:
            column = int(self.picked_columns[flat])
        if not isinstance(self.rows, slice):
            return int(self.rows[row]), column
        return self.rows.start + (row if self.picked_rows is None else int(self.picked_rows[row])), column

    def alone(self) -> MaskSelection:
        """Return the same entries, of values at the marked steps alone.

        Examples
        --------
        >>> MaskSelection.of(np.array([True, False, True])).alone().rows.tolist()
        [0, 2]
        """
        if self.picked_columns is not None or self.marked is not None or not isinstance(self.rows, slice):
            return self
        inside = np.arange(self.rows.stop - self.rows.start) if self.picked_rows is None else self.picked_rows
        return MaskSelection(self.rows.start + inside, self.providers)


def _from_first_to_last(mask: _Flags) -> slice:
    return slice(int(mask.argmax()), len(mask) - int(mask[::-1].argmax()))
