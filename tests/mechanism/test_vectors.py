"""The machine code of `mechanism.compiled.vectors` does what the plain functions beside it say, to the last bit."""

from __future__ import annotations

import numba as nb
import numpy as np
import pytest

from mechanism.compiled import vectors
from mechanism.compiled.vectors import LANES, MATCH
from mechanism.market.law_tables import Floats

AT = np.uint64(3)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_draws(key: np.uint64, counter: np.uint64, bits: Floats, at: np.uint64) -> None:
    vectors.eight_draws(key, counter, bits, at)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_chunk(
    table: Floats, values: Floats, out: Floats, at: np.uint64, count: np.uint64, number: float, cap: float, tied: bool
) -> tuple[float, int, int]:
    last = vectors.running_sums(values, at, number, out[0])
    vectors.capped_sums(table, count, number, cap, out[1], at)
    vectors.capped_means(out[0], at, count, cap, out[2])
    able = vectors.steps_able(out[0], at, count, table, cap)
    return last, able, vectors.steps_ahead(out[2], at, count, table, number, tied)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_least(entries: Floats, first: np.uint64, own: np.uint64) -> tuple[float, np.uint64]:
    return vectors.least_of_others(entries, first, own)


@pytest.mark.parametrize("seed", range(20))
def test_draws_in_lanes_are_draws_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = [*(int(word) for word in rng.integers(0, 2**64, size=20, dtype=np.uint64)), 0, 1, 2**32 - 1, 2**64 - 1]
    for key in words:
        for counter in words[::3]:
            right, found = np.zeros((2, AT + np.uint64(LANES)), dtype=np.uint64)
            with np.errstate(over="ignore"):
                vectors.eight_draws(np.uint64(key), np.uint64(counter), right, AT)
            compiled_draws(np.uint64(key), np.uint64(counter), found, AT)
            assert found.tolist() == right.tolist()


@pytest.mark.parametrize("seed", range(200))
def test_a_chunk_in_lanes_is_a_chunk_step_by_step(seed: int) -> None:
    """Few different numbers, so that there are ties, and chunks of which no step, every step or the first few pass."""
    rng = np.random.default_rng(seed)
    table, values = rng.integers(0, 3, size=30) / 8, rng.integers(0, 4, size=30) / 4
    count, number, cap = np.uint64(rng.integers(1, 9)), rng.integers(0, 5) / 8, rng.integers(1, 6) / 8
    for tied in (False, True):
        right, found = np.zeros((2, 3, 30))
        expected = compiled_chunk.py_func(table, values, right, AT, count, number, cap, tied)
        assert compiled_chunk(table, values, found, AT, count, number, cap, tied) == expected
        assert found.tolist() == right.tolist()


@pytest.mark.parametrize("seed", range(50))
def test_the_least_in_lanes_is_the_first_of_the_least(seed: int) -> None:
    entries = np.random.default_rng(seed).integers(0, 6, size=2 * MATCH) / 4
    for own in range(MATCH, 2 * MATCH):
        first = np.uint64(MATCH)
        assert compiled_least(entries, first, np.uint64(own)) == vectors.least_of_others(entries, first, np.uint64(own))
