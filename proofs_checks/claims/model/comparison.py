"""Two sides compared entry by entry in one pass of machine code: the least margin, what fails, the largest ratio.

It is one file because Numba rebuilds kept machine code when its own file changes, not when a file that it calls does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.machine_code import generated, kept_machine_code, part_of_machine_code

#: Sides come from tables that are not to be written to; others are taken for such.
_SIDE = "Array(float64, 1, 'C', readonly=True), int64, int64"
_SIDES = ", ".join([_SIDE] * 3)
_MARKED = "Array(b1, 1, 'C', readonly=True)"
#: Arrays of a block that are written to: see `_room`.
_ROOM = 6
_SIGNATURE = (
    f"Tuple((float64, int64, int64, int64, float64, int64))"
    f"({_SIDES}, {_MARKED}, int64, int64, b1, float64, float64, b1, int64{', float64[::1]' * _ROOM})"
)

#: Entries that are looked at together: few enough to stay in the processor's first cache.
_BLOCK = 512
_FIRST, _NEXT = np.uint64(0), np.uint64(1)


class SidesCompared(NamedTuple):
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
        The largest left over right among those with 0 <= left and right > 0 that is finite; -inf if there is none.
    ratio_at : int
        Its first place; -1 if there is none.
    """

    least: float
    least_at: int
    violations: int
    worst_at: int
    ratio: float
    ratio_at: int

    @property
    def largest_ratio(self) -> float | None:
        """The ratio, None if there is none."""
        return None if self.ratio_at < 0 else self.ratio

    @property
    def shown_at(self) -> int:
        """Place of the worst violation; without one that of the ratio, or of the least margin."""
        if self.violations:
            return self.worst_at
        return self.least_at if self.ratio_at < 0 else self.ratio_at


def compared(
    left: NDArray[Any],
    right: NDArray[Any],
    shape: tuple[int, ...],
    *,
    strict: bool = False,
    relative: float = 0.0,
    absolute: float = 0.0,
    right_at_most: NDArray[Any] | None = None,
    marked: NDArray[np.bool_] | None = None,
) -> SidesCompared:
    """Compare two sides over all entries of a shape to which both broadcast, or over the marked ones of them.

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
    marked : array of bool, optional
        Of the shape, some of it true: which entries are compared. Places count the others too.

    Examples
    --------
    >>> compared(np.array([1.0, 3.0]), np.array([2.0, 2.0]), (2,))
    SidesCompared(least=-1.0, least_at=1, violations=1, worst_at=1, ratio=1.5, ratio_at=1)
    """
    rows, columns = (*shape, 1)[:2]
    sides = (left, right, right if right_at_most is None else right_at_most)
    spread = [part for side in sides for part in (_doubles(side), *_strides(side, shape))]
    flags = _ALL if marked is None else np.ascontiguousarray(marked).reshape(-1)
    how = (strict, relative, absolute, right_at_most is not None)
    block_rows = min(max(_BLOCK // columns, 1), rows)
    return SidesCompared(*_COMPILED(*spread, flags, rows, columns, *how, block_rows, *_room(block_rows * columns)))


#: Stands for marks where every entry is compared.
_ALL = np.zeros(0, dtype=bool)


def _room(entries: int) -> NDArray[np.float64]:
    """Return what `_compare` writes to of a block: the least margins and their blocks, the ratios and theirs, copies.

    It is made here: what makes arrays takes long to compile.
    """
    room = np.empty((_ROOM, entries))
    room[0], room[1:4] = np.inf, -1.0
    return room


def _doubles(side: NDArray[Any]) -> NDArray[np.float64]:
    return np.ascontiguousarray(side, dtype=np.float64).reshape(-1)


def _strides(side: NDArray[Any], shape: tuple[int, ...]) -> tuple[int, int]:
    """Return how far apart in a side the entries of two rows are, and those of two columns: 0 where it is repeated."""
    sizes = (1,) * (len(shape) - side.ndim) + side.shape
    if len(shape) == 1:
        return int(sizes[0] > 1), 0
    return sizes[1] * (sizes[0] > 1), int(sizes[1] > 1)


@part_of_machine_code
def _look(
    ones: NDArray[np.float64],
    ones_from: int,
    others: NDArray[np.float64],
    others_from: int,
    size: int,
    block: float,
    zero_may_fail: bool,
    least: NDArray[np.float64],
    least_block: NDArray[np.float64],
    ratio: NDArray[np.float64],
    ratio_block: NDArray[np.float64],
) -> int:
    """Compare a block, keep the ends of each place over the blocks so far, and return how many entries may fail.

    Places do not touch each other, so that the processor takes several at a time. Here and below they are unsigned:
    for a signed one Numba asks whether it counts from the end, and then entries are fetched one by one.
    """
    may_fail, one_from, other_from = 0, np.uint64(ones_from), np.uint64(others_from)
    for each in range(size):
        place = np.uint64(each)
        one, other = ones[one_from + place], others[other_from + place]
        margin, share = other - one, one / other
        smaller = margin < least[place]
        least[place] = margin if smaller else least[place]
        least_block[place] = block if smaller else least_block[place]
        larger = (one >= 0.0) & (other > 0.0) & (share > ratio[place]) & (share < np.inf)
        ratio[place] = share if larger else ratio[place]
        ratio_block[place] = block if larger else ratio_block[place]
        may_fail += (not margin >= 0.0) | (zero_may_fail & (margin == 0.0))
    return may_fail


@generated
def _as_given(_: Any, array: Any) -> tuple[Any, Any]:
    """Take an array for one that is only read, as the sides are: `_look` is compiled once for all."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        context.nrt.incref(builder, signature.return_type, arguments[0])
        return arguments[0]

    return array.copy(readonly=True)(array), generate


@part_of_machine_code
def _copied(
    side: NDArray[np.float64], row: int, column: int, first: int, last: int, columns: int, block: NDArray[np.float64]
) -> None:
    """Write the entries of some rows of a side one after the other."""
    place, start = _FIRST, np.uint64(first * row)
    for _ in range(first, last):
        entry = start
        for _ in range(columns):
            block[place] = side[entry]
            place, entry = place + _NEXT, entry + np.uint64(column)
        start += np.uint64(row)


@part_of_machine_code
def _marked(
    side: NDArray[np.float64],
    row: int,
    column: int,
    first: int,
    last: int,
    columns: int,
    marked: NDArray[np.bool_],
    other: float,
    block: NDArray[np.float64],
) -> None:
    """Write the entries of some rows, and in place of those that are not marked another number."""
    mark = np.uint64(first * columns)
    if row == columns and column == 1:
        for each in range((last - first) * columns):
            place = np.uint64(each)
            value = side[mark + place]  # looked up whether it is marked or not: no branch has to be guessed
            block[place] = value if marked[mark + place] else other
        return
    place, start = _FIRST, np.uint64(first * row)
    for _ in range(first, last):
        entry = start
        for _ in range(columns):
            value = side[entry]
            block[place] = value if marked[mark] else other
            place, mark, entry = place + _NEXT, mark + _NEXT, entry + np.uint64(column)
        start += np.uint64(row)


# A loop, since NumPy's reductions take longer to compile than all the rest of this file but `_look`.
@part_of_machine_code
def _end(ends: NDArray[np.float64], blocks: NDArray[np.float64], sign: float) -> tuple[float, int]:
    """Return the largest of some ends, none of which is NaN, and the first place at which it was reached.

    The least for a sign of -1. The place is -1 if no block reached any end.
    """
    largest, at = -np.inf, -1
    for place in range(len(ends)):
        if blocks[place] >= 0.0:
            end, reached = sign * ends[place], int(blocks[place]) * len(ends) + place
            if end > largest:
                largest, at = end, reached
            elif end == largest and reached < at:
                at = reached
    return sign * largest, at


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
    marked: NDArray[np.bool_],
    rows: int,
    columns: int,
    strict: bool,
    relative: float,
    absolute: float,
    rounded: bool,
    block_rows: int,
    least: NDArray[np.float64],
    least_block: NDArray[np.float64],
    ratio: NDArray[np.float64],
    ratio_block: NDArray[np.float64],
    ones: NDArray[np.float64],
    others: NDArray[np.float64],
) -> tuple[float, int, int, int, float, int]:
    """Look at block after block; one by one only at the entries of a block of which some may fail."""
    exact = relative == 0.0 and absolute == 0.0
    every = len(marked) == 0
    left_in_line = every and (left_row == columns or rows == 1) and (left_column == 1 or columns == 1)
    right_in_line = every and (right_row == columns or rows == 1) and (right_column == 1 or columns == 1)
    worst, worst_at, undefined_at, violations = np.inf, -1, -1, 0
    for first in range(0, rows, block_rows):
        last = first + block_rows if first + block_rows < rows else rows
        start, entries, block = first * columns, (last - first) * columns, float(first // block_rows)
        # A side that is the same in every row stays as it stands.
        if not every:
            # An entry that is not marked has an infinite margin and no ratio.
            _marked(left, left_row, left_column, first, last, columns, marked, -np.inf, ones)
            _marked(right, right_row, right_column, first, last, columns, marked, np.inf, others)
        elif not left_in_line and (left_row != 0 or first == 0):
            _copied(left, left_row, left_column, first, last, columns, ones)
        if every and not right_in_line and (right_row != 0 or first == 0):
            _copied(right, right_row, right_column, first, last, columns, others)
        # A margin of 0 is no failure where equality is allowed and the right side is what it is.
        ends = (entries, block, strict or rounded, least, least_block, ratio, ratio_block)
        lefts, left_from = (left, start) if left_in_line else (_as_given(ones), 0)
        rights, right_from = (right, start) if right_in_line else (_as_given(others), 0)
        if _look(lefts, left_from, rights, right_from, *ends) == 0:
            continue
        for place in range(start, start + entries):
            if not (every or marked[place]):
                continue
            row, column = place // columns, place % columns
            one = left[row * left_row + column * left_column]
            margin = right[row * right_row + column * right_column] - one
            if margin > 0.0:
                continue
            if margin != margin:
                fails = True
                if undefined_at < 0:
                    undefined_at = place
            else:
                other = at_most[row * at_most_row + column * at_most_column]
                larger = abs(one) if abs(one) > abs(other) else abs(other)
                tolerance = 0.0 if exact else relative * larger + absolute
                fails = not (other - one > 0.0 if strict else other - one >= -tolerance)
            if fails:
                violations += 1
                if worst == worst and (margin < worst or worst_at < 0 or margin != margin):
                    worst, worst_at = margin, place
    largest, ratio_at = _end(ratio, ratio_block, 1.0)
    if undefined_at >= 0:
        return np.nan, undefined_at, violations, worst_at, largest, ratio_at
    smallest, least_at = _end(least, least_block, -1.0)
    if least_at < 0:  # of margins that are all infinite the first is the least
        least_at = 0
        while not every and not marked[least_at]:
            least_at += 1
    return (smallest, least_at, violations, worst_at, largest, ratio_at)


_COMPILED: Any = kept_machine_code(_compare, _SIGNATURE, error_model="numpy")
