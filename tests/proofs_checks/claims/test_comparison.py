"""The comparison of two sides in one pass against the same entry by entry; masks against boolean indexing."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from proofs_checks.claims.model import comparison
from proofs_checks.claims.model.comparison import SidesCompared, compared
from proofs_checks.claims.model.mask_selection import MaskSelection

#: Equal sides, sides that differ by rounding, both zeros, and what is infinite or undefined.
VALUES = [0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-12, 2.0, -1.0, 5e-324, 1e308, math.inf, -math.inf, math.nan]


@st.composite
def sides(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[int, ...]]:
    """Two sides, what the right one may be at most, and a shape to which they broadcast."""
    rows, columns = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    shape = draw(st.sampled_from([(rows,), (rows, columns)]))
    value = st.sampled_from(VALUES)
    found = []
    for _ in range(2):
        own = tuple(draw(st.sampled_from([size, size, 1])) for size in shape)
        while own and own[0] == 1 and draw(st.booleans()):
            own = own[1:]
        size = math.prod(own)
        found.append(np.array(draw(st.lists(value, min_size=size, max_size=size)), dtype=float).reshape(own))
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
) -> SidesCompared:
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
    return SidesCompared(
        least=margins[least(every)],
        least_at=least(every),
        violations=len(failed),
        worst_at=least(failed),
        ratio=ratios.get(ratio_at, -math.inf),
        ratio_at=ratio_at,
    )


def same(found: SidesCompared, wanted: SidesCompared) -> bool:
    return all(a == b or (a != a and b != b) for a, b in zip(found, wanted, strict=True))


@settings(max_examples=200)
@given(
    given=sides(),
    marks=st.none() | st.integers(1, 2**27 - 1),
    strict=st.booleans(),
    tolerance=st.sampled_from([(0.0, 0.0), (1e-9, 1e-12), (0.0, 0.5)]),
    block=st.sampled_from([1, 2, 4, 512]),
)
def test_any_sides(given: Any, marks: int | None, strict: bool, tolerance: tuple[float, float], block: int) -> None:
    """In one block, or in several, of which the last may not be full."""
    left, right, most, shape = given
    relative, absolute = (0.0, 0.0) if strict else tolerance
    marked = None
    if marks is not None:
        marked = np.array([marks >> place & 1 for place in range(math.prod(shape))], dtype=bool).reshape(shape)
        marked.flat[-1] |= not marked.any()
    options = {"strict": strict, "relative": relative, "absolute": absolute, "marked": marked}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison, "_BLOCK", block)
        found = compared(left, right, shape, right_at_most=most, **options)
    assert same(found, by_hand(left, right, shape, most=most, **options))


STEPS = arrays(bool, st.integers(1, 8))
#: Of few marks among many places these are picked; of many the mask is kept.
PAIRS = st.one_of(
    arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 4))),
    arrays(bool, st.tuples(st.integers(1, 8), st.integers(1, 4)), fill=st.just(False)),
)


def assert_chooses(mask: np.ndarray, values: np.ndarray, shaped: np.ndarray) -> None:
    """Compare `choose` and `place` with boolean indexing of the values broadcast to the mask."""
    marked = MaskSelection.of(mask)
    if marked is None:
        assert not mask.any()
        return
    chosen = np.broadcast_to(marked.choose(shaped[marked.rows] if len(shaped) == len(mask) else shaped), marked.shape)
    expected = np.broadcast_to(values, mask.shape)[mask]
    inside = np.ones(chosen.size, bool) if marked.marked is None else marked.marked.ravel()
    assert_array_equal(chosen.ravel()[inside], expected)
    assert marked.size == mask.sum()
    places = [marked.place(flat) for flat in np.flatnonzero(inside).tolist()]
    assert places == [(int(place[0]), int(place[1]) if mask.ndim == 2 else 0) for place in np.argwhere(mask)]
    assert marked.by_provider == (mask.ndim == 2)


@given(STEPS)
def test_masks_of_steps(mask: np.ndarray) -> None:
    values = np.arange(len(mask)) + 0.5
    assert_chooses(mask, values, values)


@given(PAIRS)
def test_masks_of_steps_and_providers(mask: np.ndarray) -> None:
    steps, providers = mask.shape
    values = np.arange(steps * providers).reshape(steps, providers) + 0.5
    assert_chooses(mask, values, values)
    assert_chooses(mask, values[:, :1], values[:, :1])


@given(STEPS, st.integers(2, 4))
def test_masks_that_are_the_same_for_every_provider(mask: np.ndarray, providers: int) -> None:
    wide = np.broadcast_to(mask[:, None], (len(mask), providers))
    values = np.arange(wide.size).reshape(wide.shape) + 0.5
    assert_chooses(wide, values, values)
    assert_chooses(wide, values[:, :1], values[:, :1])


@given(PAIRS)
def test_one_value_a_provider(mask: np.ndarray) -> None:
    marked = MaskSelection.of(mask)
    values = np.arange(mask.shape[1]) + 0.5
    if marked is not None:
        chosen = np.broadcast_to(marked.choose(values), marked.shape)
        chosen = chosen.ravel() if marked.marked is None else chosen[marked.marked]
        assert_array_equal(chosen, np.broadcast_to(values, mask.shape)[mask])


def test_no_members_mark_nothing() -> None:
    assert MaskSelection.of(np.ones((3, 0), bool)) is None
    assert MaskSelection.of(np.broadcast_to(np.ones((3, 1), bool), (3, 0))) is None
    assert MaskSelection.of(np.zeros(0, bool)) is None
