"""Counters, keys and draws: known answers, what many draw together as each alone, and a NumPy that draws otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from mechanism import randomness
from mechanism.compiled import keys
from mechanism.compiled.layout import RunKeys
from mechanism.policies import POLICIES
from mechanism.randomness import (
    RandomStream,
    counter,
    draw_key,
    squares64,
    squares_key,
    stream_generator,
    stream_generators,
    stream_key,
    stream_keys,
)

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


@pytest.mark.for_each("count", KNOWN)
def test_known_answers(count: int) -> None:
    assert squares64(KNOWN_KEY, count) == KNOWN[count]


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


#: How often each is asked for: a few keys are made one by one, many in arrays.
TIMES = st.sampled_from([1, 60])


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


SETTING, POLICY = published("gsm8k-full").setting, POLICIES["platform"]
MANY = range(2**32 - 1_500, 2**32)


def one_by_one(seed: int, runs: range) -> RunKeys:
    """Return the keys from a generator for each run."""
    drawn = []
    for run in runs:
        rng = stream_generator(seed, run, RandomStream.PLATFORM)
        drawn.append((rng.permutation(SETTING.n_providers), draw_key(rng)))
    return RunKeys(
        np.array([stream_key(seed, run, RandomStream.OUTCOMES) for run in runs], dtype=np.uint64),
        np.array([key for _, key in drawn], dtype=np.uint64),
        np.array([order for order, _ in drawn]),
    )


def equal(one: RunKeys, other: RunKeys) -> bool:
    return all(np.array_equal(mine, theirs) for mine, theirs in zip(one, other, strict=True))


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """As in a new process: nothing compared."""
    keys._draws_as_numpy.cache_clear()
    yield
    keys._draws_as_numpy.cache_clear()


def test_keys_of_few_runs_and_of_many() -> None:
    expected = one_by_one(5, MANY)
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY[:3]), RunKeys(*(column[:3] for column in expected)))
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY), expected)
    assert keys.run_keys(SETTING, POLICY, 5, []).orders.shape == (0, SETTING.n_providers)


@given(st.integers(0, 2**64), st.one_of(st.integers(1, 40), st.sampled_from([1, 2, 3, 4, 5, 8, 9, 16, 17, 257, 3_000])))
def test_orders_of_any_length(seed: int, n: int) -> None:
    """A place that is drawn from just more than a power of two is drawn again most often."""
    found = keys.drawn_together(n, seed, range(5))
    for run in range(5):
        rng = stream_generator(seed, run, RandomStream.PLATFORM)
        assert found.orders[run].tolist() == rng.permutation(n).tolist()
        assert found.draws[run] == draw_key(rng)
        assert found.outcomes[run] == stream_key(seed, run, RandomStream.OUTCOMES)


def test_a_numpy_that_draws_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine code draws is left out then, however many runs there are."""
    expected = one_by_one(5, MANY)

    def otherwise(words: np.ndarray, orders: np.ndarray, entropy: np.ndarray) -> None:
        orders[:], entropy[:] = np.arange(orders.shape[1]), 0

    monkeypatch.setattr(keys, "draw_orders", otherwise)
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY), expected)


def test_a_numpy_that_seeds_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the constants here were no longer NumPy's: it seeds each run then, in small chunks as in large ones."""
    expected = one_by_one(5, MANY)
    monkeypatch.setattr(randomness, "_MIX_LEFT", np.uint32(0xCA01F9DF))
    found = [keys.run_keys(SETTING, POLICY, 5, chunk) for chunk in (MANY[:7], MANY[7:71], MANY[71:])]
    assert equal(RunKeys(*map(np.concatenate, zip(*found, strict=True))), expected)


@pytest.mark.for_each("seed", [[1], 1.0, -1, 2**128, "1"])
def test_no_seed(seed: Any) -> None:
    for runs in ([0], range(1_000)):
        with pytest.raises(InputError, match="seed"):
            keys.run_keys(SETTING, POLICY, seed, runs)
