"""The machine code of `mechanism.compiled.vectors` does what the plain functions beside it say, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np
import pytest
from numba.extending import intrinsic

from mechanism.compiled import vectors
from mechanism.compiled.vectors import LANES, MATCH, Counts
from mechanism.market.law_tables import Floats, Words

AT = np.uint64(3)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_draws(key: np.uint64, counter: np.uint64, bits: Floats, at: np.uint64) -> None:
    vectors.eight_draws(key, counter, bits, at)


def drawn_with(squares: Callable[..., Any]) -> Any:
    """What `eight_draws` is on processors that square words like this."""

    @intrinsic
    def draw(_: Any, key: Any, counter: Any, bits: Any, at: Any) -> tuple[Any, Any]:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return vectors._draw_eight(context, builder, signature, arguments, squares(builder))

        return nb.core.types.none(key, counter, bits, at), generate

    return nb.njit(lambda key, counter, bits, at: draw(key, counter, bits, at))


WAYS_TO_DRAW = {
    "as this processor does": compiled_draws,
    "squares of words": drawn_with(vectors._squares_of_words),
    "squares of halves": drawn_with(vectors._squares_of_halves),
}


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
def compiled_least(entries: Floats, own: np.uint64) -> tuple[float, np.uint64]:
    return vectors.least_of_others(entries, own)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_put(entries: Floats, place: np.uint64, value: float) -> None:
    vectors.put(entries, place, value)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_either(bits: Words, half: np.uint64, bound: np.uint64, values: Floats, at: np.uint64) -> None:
    vectors.either(bits, half, bound, 0.25, 0.75, values, at)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_ones(word: np.uint64, rank: int) -> tuple[int, np.uint64, np.uint64]:
    return vectors.ones(word), vectors.nth_one(word, rank), counted_one(word, rank)


@nb.njit  # type: ignore[untyped-decorator]
def compiled_sums(sums: Counts, first: np.uint64, number: int, place: np.uint64, change: int) -> np.uint64:
    found = vectors.last_at_most(sums, first, number)
    vectors.add_after(sums, first, place, change)
    return found


@intrinsic
def counted_one(_: Any, word: Any, rank: Any) -> tuple[Any, Any]:
    """What `nth_one` is on processors without the instruction that spreads a word's bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return vectors._nth_one_by_counting(builder, *arguments)

    return nb.core.types.uint64(word, rank), generate


@pytest.mark.parametrize("way", WAYS_TO_DRAW)
@pytest.mark.for_each("seed", range(20))
def test_draws_in_lanes_are_draws_one_by_one(seed: int, way: str) -> None:
    rng = np.random.default_rng(seed)
    words = [*(int(word) for word in rng.integers(0, 2**64, size=20, dtype=np.uint64)), 0, 1, 2**32 - 1, 2**64 - 1]
    for key in words:
        for counter in words[::3]:
            right, found = np.zeros((2, AT + np.uint64(LANES)), dtype=np.uint64)
            with np.errstate(over="ignore"):
                vectors.eight_draws(np.uint64(key), np.uint64(counter), right, AT)
            WAYS_TO_DRAW[way](np.uint64(key), np.uint64(counter), found, AT)
            assert found.tolist() == right.tolist()


@pytest.mark.for_each("seed", range(200))
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


@pytest.mark.for_each("seed", range(50))
def test_the_least_in_lanes_is_the_first_of_the_least(seed: int) -> None:
    entries = np.random.default_rng(seed).integers(0, 6, size=2 * MATCH) / 4
    for own in range(MATCH, 2 * MATCH):
        assert compiled_least(entries, np.uint64(own)) == vectors.least_of_others(entries, np.uint64(own))


def test_an_entry_is_put_where_it_belongs() -> None:
    for place in range(2 * MATCH):
        right, found = np.arange(4 * MATCH, dtype=np.float64).reshape(2, -1) % (2 * MATCH)
        vectors.put(right, np.uint64(place), -1.0)
        compiled_put(found, np.uint64(place), -1.0)
        assert found.tolist() == right.tolist()


@pytest.mark.for_each("bound", [0, 1, 3, 2**62, 2**64 - 1])
def test_values_of_two_are_chosen_bit_by_bit(bound: int) -> None:
    bits = np.array([*range(12), *range(2**62 - 4, 2**62 + 4)], dtype=np.uint64)
    for half in range(len(bits) - LANES + 1):
        right, found = np.zeros((2, 20))
        vectors.either(bits, np.uint64(half), np.uint64(bound), 0.25, 0.75, right, AT)
        compiled_either(bits, np.uint64(half), np.uint64(bound), found, AT)
        assert found.tolist() == right.tolist()


@pytest.mark.for_each("seed", range(20))
def test_ones_of_a_word_are_counted_and_found(seed: int) -> None:
    """By the instruction for it, if the processor has it, and without."""
    word = int(np.random.default_rng(seed).integers(0, 2**64, dtype=np.uint64))
    for mask in (2**64 - 1, 0x8000000000000001, 0xFF00FF00FF00FF00, word >> 1, word >> 40, word << 37 & 2**64 - 1):
        kept = np.uint64((word | 0x8000000000000001) & mask)
        places = [place for place in range(64) if int(kept) >> place & 1]
        for rank, place in enumerate(places):
            assert vectors.nth_one(kept, rank) == place
            assert compiled_ones(kept, rank) == (len(places), place, place)


@pytest.mark.for_each("seed", range(50))
def test_sums_of_sixteen_are_searched_and_raised_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = np.uint64(MATCH)
    for place in range(2 * MATCH):
        right = np.concatenate([[0], np.cumsum(rng.integers(0, 4, size=3 * MATCH))]).astype(np.int32)
        right[MATCH:] -= right[MATCH]
        found = right.copy()
        number, change = int(rng.integers(0, 40)), int(rng.integers(-1, 5))
        expected = compiled_sums.py_func(right, first, number, np.uint64(place), change)
        assert compiled_sums(found, first, number, np.uint64(place), change) == expected
        assert found.tolist() == right.tolist()
