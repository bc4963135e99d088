"""MaskSelection entries against boolean indexing, whatever the shape of the mask and of the values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from proofs_checks.claims.model.mask_selection import MaskSelection

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


@given(STEPS)
def test_marked_steps_alone(mask: np.ndarray) -> None:
    for wide in (mask, np.broadcast_to(mask[:, None], (len(mask), 3))):
        if marked := MaskSelection.of(wide):
            alone = marked.alone()
            # Also where they follow each other: who asks for them alone pays for each.
            assert_array_equal(alone.rows, np.flatnonzero(mask))
            assert [alone.place(flat) for flat in range(alone.size)] == [
                marked.place(flat) for flat in range(marked.size)
            ]


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


@pytest.mark.parametrize("value", [np.array(3.0), np.array(7)])
def test_a_number_stays_a_number(value: Any) -> None:
    for mask in (np.array([True, False, True]), np.array([[True, False], [False, True]])):
        marked = MaskSelection.of(mask)
        assert marked is not None
        assert marked.choose(value) == value


def test_no_members_mark_nothing() -> None:
    assert MaskSelection.of(np.ones((3, 0), bool)) is None
    assert MaskSelection.of(np.broadcast_to(np.ones((3, 1), bool), (3, 0))) is None
    assert MaskSelection.of(np.zeros(0, bool)) is None


def test_what_is_contiguous_is_not_copied() -> None:
    marked = MaskSelection.of(np.array([False, True, True, False]))
    assert marked is not None
    values = np.arange(2.0)
    assert marked.choose(values) is values
