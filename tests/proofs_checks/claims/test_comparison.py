"""The comparison of two sides in one pass, beside the same said entry by entry, and beside NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from proofs_checks.claims.model.comparison import Compared, compared

#: Equal sides, sides that differ by rounding, both zeros, and what is infinite or undefined.
VALUES = [0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-12, 2.0, -1.0, 5e-324, 1e308, math.inf, -math.inf, math.nan]


@st.composite
def sides(draw: st.DrawFn, *, whole: bool = False) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[int, ...]]:
    """Two sides, what the right one may be at most, and a shape to which they broadcast."""
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    shape = draw(st.sampled_from([(rows,), (rows, columns)]))
    value = st.integers(-3, 3) if whole else st.sampled_from(VALUES)
    found = []
    for _ in range(2):
        own = draw(
            st.sampled_from(
                [
                    (),
                    *((n,) for n in {1, shape[-1]}),
                    *((r, c) for r in {1, shape[0]} for c in {1, shape[-1]} if len(shape) == 2),
                ]
            )
        )
        size = math.prod(own)
        found.append(
            np.array(draw(st.lists(value, min_size=size, max_size=size)), dtype=int if whole else float).reshape(own)
        )
    slack = draw(st.sampled_from([0.0, 0.5, 3.0]))
    return found[0], found[1], found[1] + slack, shape


def by_hand(
    left: NDArray[Any],
    right: NDArray[Any],
    shape: tuple[int, ...],
    strict: bool,
    relative: float,
    absolute: float,
    most: NDArray[Any],
    marked: NDArray[np.bool_] | None = None,
) -> Compared:
    """The same entry by entry, with Python's own numbers."""
    ones, others, at_most = (
        np.broadcast_to(side, shape).ravel().astype(float).tolist() for side in (left, right, most)
    )
    margins = [other - one for one, other in zip(ones, others, strict=True)]

    def fails(at: int) -> bool:
        lenient = at_most[at] - ones[at]
        if math.isnan(margins[at]):
            return True
        if margins[at] > 0:
            return False
        tolerance = relative * max(abs(ones[at]), abs(at_most[at])) + absolute if relative or absolute else 0.0
        return not (lenient > 0 if strict else lenient >= -tolerance)

    def least(places: list[int]) -> int:
        undefined = [at for at in places if math.isnan(margins[at])]
        return undefined[0] if undefined else min(places, key=lambda at: margins[at], default=-1)

    every = [*range(len(margins))] if marked is None else np.flatnonzero(marked).tolist()
    failed = [at for at in every if fails(at)]
    ratios = {at: ones[at] / others[at] for at in every if ones[at] >= 0 and others[at] > 0}
    ratios = {at: ratio for at, ratio in ratios.items() if ratio < math.inf}
    ratio_at = max(ratios, key=lambda at: ratios[at], default=-1)
    return Compared(
        least=margins[least(every)],
        least_at=least(every),
        violations=len(failed),
        worst_at=least(failed),
        ratio=ratios.get(ratio_at, -math.inf),
        ratio_at=ratio_at,
    )


def same(found: Compared, wanted: Compared) -> bool:
    return all(a == b or (a != a and b != b) for a, b in zip(found, wanted, strict=True))


@given(given=sides(), strict=st.booleans(), tolerance=st.sampled_from([(0.0, 0.0), (1e-9, 1e-12), (0.0, 0.5)]))
def test_any_sides(given: Any, strict: bool, tolerance: tuple[float, float]) -> None:
    left, right, most, shape = given
    relative, absolute = (0.0, 0.0) if strict else tolerance
    found = compared(left, right, shape, strict=strict, relative=relative, absolute=absolute, right_at_most=most)
    assert same(found, by_hand(left, right, shape, strict, relative, absolute, most))


@given(given=sides(), marks=st.integers(1, 2**15 - 1), strict=st.booleans())
def test_marked_entries_alone(given: Any, marks: int, strict: bool) -> None:
    left, right, most, shape = given
    marked = np.array([marks >> place & 1 for place in range(math.prod(shape))], dtype=bool).reshape(shape)
    if not marked.any():
        marked.flat[-1] = True
    found = compared(left, right, shape, strict=strict, right_at_most=most, marked=marked)
    assert same(found, by_hand(left, right, shape, strict, 0.0, 0.0, most, marked))


@given(given=sides(whole=True), strict=st.booleans())
def test_whole_numbers(given: Any, strict: bool) -> None:
    left, right, _, shape = given
    assert same(compared(left, right, shape, strict=strict), by_hand(left, right, shape, strict, 0.0, 0.0, right))


def test_long_sides_as_numpy_compares_them() -> None:
    rng = np.random.default_rng(5)
    left, right = rng.normal(size=(4_000, 3)), rng.normal(1.0, 1.0, size=(4_000, 1))
    margins, fits = right - left, (left >= 0) & (right > 0)
    ratios = np.where(fits, left / np.where(fits, right, 1.0), -np.inf)
    assert compared(left, right, left.shape) == (
        margins.min(),
        margins.argmin(),
        (margins < 0).sum(),
        margins.argmin(),
        ratios.max(),
        ratios.argmax(),
    )


@pytest.mark.for_each("seed", range(60))
def test_sides_of_many_blocks(seed: int) -> None:
    """As `sides`, with rows enough for several blocks, the last of them not full."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(400, 1300)), int(rng.choice([1, 2, 7, 600]))
    shape = (rows, columns) if columns < 600 else (5, columns)
    usual = [0.0, -0.0, 1.0, 1.0 + 1e-9, 2.0, -1.0]

    def side(values: list[float]) -> NDArray[np.float64]:
        own = [shape, (shape[0], 1), (columns,), ()][int(rng.integers(4))]
        return np.asarray(rng.choice(values, size=own))

    left, right = side(usual), side(VALUES if seed % 3 == 0 else [3.0, 1.0, 2.0 + 1e-9])
    most, strict = right + float(rng.choice([0.0, 0.5])), bool(seed % 2)
    relative, absolute = (0.0, 0.0) if strict or seed % 5 == 0 else (1e-9, 1e-12)
    marked = None if seed % 4 == 0 else rng.random(shape) < rng.choice([0.001, 0.3, 0.999])
    if marked is not None:
        marked[-1] = True
    found = compared(
        left, right, shape, strict=strict, relative=relative, absolute=absolute, right_at_most=most, marked=marked
    )
    assert same(found, by_hand(left, right, shape, strict, relative, absolute, most, marked))


def test_what_is_cut_from_a_table_that_is_not_to_be_written_to() -> None:
    table = np.arange(12.0).reshape(4, 3)
    table.flags.writeable = False
    assert compared(table[1:, 1], table[1:, 2], (3,)).least == 1.0


@pytest.mark.for_each(
    ("left", "right", "ratio"),
    [
        ([1.0, 3.0, -8.0, 1.0], [2.0, 4.0, 1.0, 0.0], 0.75),
        ([-8.0, 1.0], [1.0, 0.0], None),
        ([1.0], [5e-324], None),  # beyond all doubles: JSON knows no infinity
        ([1.0, 1.0], [5e-324, 2.0], 0.5),
    ],
)
def test_the_largest_ratio_is_that_of_sides_that_have_one(
    left: list[float], right: list[float], ratio: float | None
) -> None:
    found = compared(np.array(left), np.array(right), (len(left),))
    assert (found.ratio if found.ratio_at >= 0 else None) == ratio
