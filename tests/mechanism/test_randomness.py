"""A statistical test fails for a fair generator with probability FALSE_ALARM, over the choice of the seed."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError
from mechanism.randomness import (
    RandomStream,
    counter,
    draw_key,
    squares64,
    squares_key,
    squares_keys,
    stream_generator,
    stream_generators,
    stream_key,
    stream_keys,
)

FALSE_ALARM = 1e-9
WORDS = st.integers(0, 2**64 - 1)

# From the test set of randomgen (a C implementation), then from the C text of the method's paper, compiled.
KNOWN_KEY = 0x3BC8BCA4D301945B
KNOWN = {
    0: 0x5167EA8B7923D95B,
    1: 0xE03102BE2DB8C20,
    2: 0xE59F61D7BEB27F5D,
    3: 0x943AC4D08E1A4431,
    499: 0x9A73C8CE36D6615D,
    0x75BCD15007002: 0x5AC29660046F6A3A,
    0x8000000000000000: 0xA1FFCEF56AEAAC07,
    0xFFFFFFFFFFFFFFFF: 0xBCF68F9BC82E357F,
}


def squares64_many(key: int, counters: ArrayLike) -> NDArray[np.uint64]:
    """Return `squares64` of every counter, in the same shape."""
    half, factor = np.uint64(32), np.uint64(key)
    with np.errstate(over="ignore"):  # wrapping modulo 2^64 is the arithmetic of the method
        x = y = np.asarray(counters, dtype=np.uint64) * factor
        z = y + factor
        for addend in (y, z, y):
            x = x * x + addend
            x = (x >> half) | (x << half)
        fourth = x * x + z
        x = (fourth >> half) | (fourth << half)
        return np.asarray(fourth ^ ((x * x + y) >> half), dtype=np.uint64)


@pytest.mark.for_each("count", KNOWN)
def test_known_answers(count: int) -> None:
    assert squares64(KNOWN_KEY, count) == KNOWN[count]


def test_known_answers_in_an_array() -> None:
    assert squares64_many(KNOWN_KEY, list(KNOWN)).tolist() == list(KNOWN.values())


def test_the_streams_of_a_run_never_change() -> None:
    keys = [stream_key(0, 0, stream) for stream in RandomStream]
    assert [f"{key:x}" for key in keys] == [
        "a97c79c81325fca9",
        "674ea9e3d7569fe3",
        "ac649fbe15fbc7d3",
        "313bd9e5c64b51d3",
    ]
    assert squares64(keys[0], counter(1, 0, 0)) == 0x1DD08D67CE86771F
    assert stream_generator(0, 0, RandomStream.PLATFORM).integers(2**63) == 3364714723560915154
    assert stream_generator(0, 0, RandomStream.BIDDERS).integers(2**63) == 1156363723064881819


@given(WORDS, st.lists(WORDS, min_size=1))
def test_arrays_agree_with_scalars_bit_for_bit(key: int, counters: list[int]) -> None:
    expected = [squares64(key, count) for count in counters]
    assert all(0 <= bits < 2**64 for bits in expected)
    many = squares64_many(key, np.array(counters, dtype=np.uint64))
    assert many.dtype == np.uint64
    assert many.tolist() == expected
    assert int(squares64_many(key, np.uint64(counters[0]))) == expected[0]


def test_arrays_of_any_shape() -> None:
    counters = np.arange(6, dtype=np.uint64).reshape(2, 3)
    assert squares64_many(KNOWN_KEY, counters).tolist() == [
        [squares64(KNOWN_KEY, 3 * i + j) for j in range(3)] for i in range(2)
    ]


@given(st.integers(0, 2**34 - 1), st.integers(0, 2**20 - 1), st.integers(0, 1023))
def test_a_counter_gives_its_arguments_back(step: int, provider: int, draw: int) -> None:
    count = counter(step, provider, draw)
    assert (count // 2**30, count // 2**10 % 2**20, count % 2**10) == (step, provider, draw)
    assert 0 <= count < 2**64
    assert count == counter(np.int64(step), np.uint32(provider), np.int8(0)) + draw


@pytest.mark.for_each(
    ("arguments", "name"),
    [
        ((-1, 0, 0), "step"),
        ((2**34, 0, 0), "step"),
        ((1.0, 0, 0), "step"),
        ((0, -1, 0), "provider"),
        ((0, 2**20, 0), "provider"),
        ((0, 0, 1024), "draw"),
        ((0, 0, None), "draw"),
    ],
)
def test_counters_out_of_range_are_refused(arguments: tuple[int, int, int], name: str) -> None:
    with pytest.raises(InputError, match=f"^{name}=") as error:
        counter(*arguments)
    assert error.value.argument == name


@given(st.integers(0, 2**256 - 1))
def test_keys_follow_the_rules_of_the_method(entropy: int) -> None:
    text = f"{squares_key(entropy):x}"
    assert len(text) == 16
    assert "0" not in text
    assert len(set(text[8:])) == 8
    assert int(text[-1], 16) % 2 == 1
    assert all(a != b for a, b in pairwise(text[:9]))


def test_all_choices_of_a_key_occur() -> None:
    texts = [f"{stream_key(0, run, RandomStream.OUTCOMES):016x}" for run in range(500)]
    assert {text[-1] for text in texts} == set("13579bdf")  # misses one with probability 8 (7/8)^500 < 1e-28
    for place in range(15):
        assert {text[place] for text in texts} == set("123456789abcdef")  # with probability < 15 (15/16)^500 < 1e-12


def test_seeds_runs_and_streams_have_their_own_keys() -> None:
    keys = {
        stream_key(seed, run, stream)
        for seed in (0, 1, 2, 2**64, 2**128 - 1)
        for run in (*range(50), 2**32 - 1)
        for stream in RandomStream
    }
    assert len(keys) == 5 * 51 * 4


@pytest.mark.for_each(
    ("seed", "run", "name"),
    [(-1, 0, "seed"), (2**128, 0, "seed"), (0.5, 0, "seed"), (0, -1, "run"), (0, 2**32, "run"), (0, None, "run")],
)
def test_bad_seeds_and_runs_are_refused(seed: int, run: int, name: str) -> None:
    for stream in (RandomStream.PLATFORM, RandomStream.BIDDERS):
        with pytest.raises(InputError, match=f"^{name}="):
            stream_generator(seed, run, stream)


def test_generators_repeat_themselves_and_differ_from_each_other() -> None:
    def first(generator: np.random.Generator) -> int:
        return int(generator.integers(2**63))

    streams = (RandomStream.PLATFORM, RandomStream.BIDDERS)
    for stream in streams:
        assert first(stream_generator(0, 3, stream)) == first(stream_generator(0, 3, stream))
    draws = [first(stream_generator(seed, run, stream)) for stream in streams for seed in (0, 1) for run in (0, 1)]
    assert len(set(draws)) == 8


SIZE = 2**18


def outcomes_key(seed: int, run: int = 0) -> int:
    return stream_key(seed, run, RandomStream.OUTCOMES)


def words(seed: int, run: int = 0, provider: int = 0, draw: int = 0) -> NDArray[np.uint64]:
    """Return the bits of one draw of one provider in steps 1, 2, ..., as a market uses them."""
    counters = (np.arange(1, SIZE + 1, dtype=np.uint64) << np.uint64(24)) + np.uint64(counter(0, provider, draw))
    return squares64_many(outcomes_key(seed, run), counters)


def p_value(cells: NDArray[np.uint64], number: int) -> float:
    counts = np.bincount(cells.astype(np.int64), minlength=number)
    return float(scipy.stats.chisquare(counts).pvalue)


def high(bits: NDArray[np.uint64], number: int) -> NDArray[np.uint64]:
    return bits >> np.uint64(64 - number)


@pytest.mark.parametrize("seed", [0, 1, 2026])
@pytest.mark.for_each("shift", range(0, 64, 8))
def test_every_byte_is_uniform(seed: int, shift: int) -> None:
    # 2^18 draws in 256 cells: power 0.96 against a tenth of the cells being 10 % too likely.
    assert p_value(words(seed) >> np.uint64(shift) & np.uint64(255), 256) > FALSE_ALARM


PAIRS = {
    "score and cost": lambda: (words(0, draw=0), words(0, draw=2)),
    "two candidates": lambda: (words(0, draw=2), words(0, draw=3)),
    "two providers": lambda: (words(0, provider=0), words(0, provider=1)),
    "distant providers": lambda: (words(0, provider=3), words(0, provider=2051)),
    "two steps": lambda: (words(0)[:-1], words(0)[1:]),
    "two runs": lambda: (words(0, run=0), words(0, run=1)),
    "seed 0 and seed 1": lambda: (words(0), words(1)),
}


@pytest.mark.for_each("pair", PAIRS)
def test_pairs_of_draws_are_independent(pair: str) -> None:
    # 2^18 pairs in 32 x 32 cells: power above 0.99 against a correlation of 0.05.
    first, second = PAIRS[pair]()
    assert p_value(high(first, 5) << np.uint64(5) | high(second, 5), 1024) > FALSE_ALARM


def test_the_uniformity_test_sees_a_poor_generator() -> None:
    poor = np.arange(SIZE, dtype=np.uint64) * np.uint64(SIZE // 2)  # fills half of the range
    assert p_value(high(poor << np.uint64(28), 5), 32) < FALSE_ALARM


def test_distinct_counters_do_not_collide() -> None:
    # Fair bits collide with probability 2^19 choose 2 / 2^64 < 1e-8.
    seen = np.concatenate([words(0, provider=0), words(0, provider=1)])
    assert len(np.unique(seen)) == 2 * SIZE


#: How often each is asked for: a few keys are made one by one, many in arrays.
TIMES = st.sampled_from([1, 60])


@given(st.lists(st.one_of(st.integers(0, 2**256 - 1), st.sampled_from([0, 2**256 - 1])), min_size=1, max_size=9), TIMES)
def test_keys_that_are_made_together(entropies: list[int], times: int) -> None:
    entropies = entropies * times
    words = np.array(
        [[entropy >> 64 * place & 2**64 - 1 for place in range(4)] for entropy in entropies], dtype=np.uint64
    )
    assert squares_keys(words).tolist() == [squares_key(entropy) for entropy in entropies]


SEEDS = st.one_of(st.integers(0, 2**128 - 1), st.sampled_from([0, 2**32 - 1, 2**32, 2**96, 2**128 - 1]))
RUNS = st.lists(st.one_of(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2**32 - 1])), max_size=9)


@given(SEEDS, RUNS, TIMES, st.sampled_from(RandomStream))
def test_runs_that_are_seeded_together(seed: int, runs: list[int], times: int, stream: RandomStream) -> None:
    """They have the keys and generators that each has alone."""
    runs = runs * times
    assert stream_keys(seed, runs, stream).tolist() == [stream_key(seed, run, stream) for run in runs]
    together, alone = stream_generators(seed, runs, stream), (stream_generator(seed, run, stream) for run in runs)
    for mine, theirs in zip(together, alone, strict=True):
        assert (mine.permutation(5).tolist(), draw_key(mine)) == (theirs.permutation(5).tolist(), draw_key(theirs))


@pytest.mark.for_each(
    ("runs", "wrong"),
    [
        ([0, -1], -1),
        ([*range(60), -1], -1),
        (range(2**32 - 1, 2**32 + 1), 2**32),
        (range(2**32 - 60, 2**32 + 1), 2**32),
        ([1.5], 1.5),
        ([*range(60), 1.5], 1.5),
    ],
)
def test_runs_that_have_no_number(runs: Sequence[int], wrong: object) -> None:
    with pytest.raises(InputError, match=f"run={wrong}"):
        stream_keys(0, runs, RandomStream.OUTCOMES)
