"""Two sides compared entry by entry in one pass of machine code: the least margin, what fails, the largest ratio.

It is one file because Numba rebuilds kept machine code when its own file changes, not when a file that it calls does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.machine_code import kept_machine_code

#: Sides come from tables that are not to be written to; others are taken for such.
_SIDE = "Array(float64, 1, 'C', readonly=True), int64, int64"
_SIDES = ", ".join([_SIDE] * 3)
_SIGNATURE = f"Tuple((float64, int64, int64, int64, float64, int64))({_SIDES}, int64, int64, b1, float64, float64)"


class Compared(NamedTuple):
    """How ``left <= right`` fares over many entries; places are counted in their order, row by row.

    Parameters
    ----------
    least : float
        The least margin, right minus left; NaN if one is undefined.
    least_at : int
        Its first place, or that of the first undefined one.
    violations : int
    worst_at : int
        Place of the violation with the least margin, or of the first undefined one; -1 if there is none.
    ratio : float
        The largest left over right among those with 0 <= left and right > 0 that is no infinity; -inf if there is none.
    ratio_at : int
        Its first place; -1 if there is none.
    """

    least: float
    least_at: int
    violations: int
    worst_at: int
    ratio: float
    ratio_at: int


def compared(
    left: NDArray[Any],
    right: NDArray[Any],
    shape: tuple[int, ...],
    *,
    strict: bool = False,
    relative: float = 0.0,
    absolute: float = 0.0,
    right_at_most: NDArray[Any] | None = None,
) -> Compared:
    """Compare two sides over all entries of a shape to which both broadcast.

    Parameters
    ----------
    left, right : array
        Whole numbers below 2^53, or doubles.
    shape : tuple of int
        (R,) or (R, G), not empty.
    strict : bool, optional
        Whether equality fails; then there is no tolerance.
    relative, absolute : float, optional
        By how much a margin may be negative: relative to the larger side, and beside that. Default by nothing.
    right_at_most : array, optional
        What the right side may be by rounded inputs: a comparison fails only if it fails with this in its place.

    Examples
    --------
    >>> compared(np.array([1.0, 3.0]), np.array([2.0, 2.0]), (2,))
    Compared(least=-1.0, least_at=1, violations=1, worst_at=1, ratio=1.5, ratio_at=1)
    """
    rows, columns = (*shape, 1)[:2]
    sides = (left, right, right if right_at_most is None else right_at_most)
    spread = [part for side in sides for part in (_doubles(side), *_strides(side, shape))]
    return Compared(*_COMPILED(*spread, rows, columns, strict, relative, absolute))


def _doubles(side: NDArray[Any]) -> NDArray[np.float64]:
    return np.ascontiguousarray(side, dtype=np.float64).reshape(-1)


def _strides(side: NDArray[Any], shape: tuple[int, ...]) -> tuple[int, int]:
    """Return how far apart in a side the entries of two rows are, and those of two columns: 0 where it is repeated."""
    sizes = (1,) * (len(shape) - side.ndim) + side.shape
    if len(shape) == 1:
        return int(sizes[0] > 1), 0
    return sizes[1] * (sizes[0] > 1), int(sizes[1] > 1)


def _compare(
    left: NDArray[np.float64],
    left_row: int,
    left_column: int,
    right: NDArray[np.float64],
    right_row: int,
    right_column: int,
    at_most: NDArray[np.float64],
    at_most_row: int,
    at_most_column: int,
    rows: int,
    columns: int,
    strict: bool,
    relative: float,
    absolute: float,
) -> tuple[float, int, int, int, float, int]:
    exact = relative == 0.0 and absolute == 0.0
    least, worst, ratio = np.inf, np.inf, -np.inf
    least_at = worst_at = ratio_at = -1
    violations, place = 0, -1
    for row in range(rows):
        for column in range(columns):
            place += 1
            one = left[row * left_row + column * left_column]
            other = right[row * right_row + column * right_column]
            margin = other - one
            if one >= 0.0 and other > 0.0:
                share = one / other
                if share > ratio and share < np.inf:
                    ratio, ratio_at = share, place
            if margin < least or least_at < 0:
                least, least_at = margin, place
            if not margin > 0.0:
                if margin != margin:
                    if least == least:
                        least, least_at = margin, place
                    fails = True
                else:
                    other = at_most[row * at_most_row + column * at_most_column]
                    tolerance = 0.0 if exact else relative * max(abs(one), abs(other)) + absolute
                    fails = not (other - one > 0.0 if strict else other - one >= -tolerance)
                if fails:
                    violations += 1
                    if worst == worst and (margin < worst or worst_at < 0 or margin != margin):
                        worst, worst_at = margin, place
    return least, least_at, violations, worst_at, ratio, ratio_at


_COMPILED: Any = kept_machine_code(_compare, _SIGNATURE, error_model="numpy")
