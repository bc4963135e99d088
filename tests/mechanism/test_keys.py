"""Keys of many runs are those that each run's own generator draws, and a NumPy that draws otherwise is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings, strategies as st

from bounds.errors import InputError
from bounds.published import published
from mechanism import randomness
from mechanism.compiled import keys
from mechanism.compiled.layout import RunKeys
from mechanism.policies import POLICIES
from mechanism.randomness import RandomStream, draw_key, stream_generator, stream_key

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
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a new process: no run drawn, nothing compared."""
    monkeypatch.setattr(keys, "_BY_NUMPY", keys._Drawn())
    keys._draws_as_numpy.cache_clear()
    yield
    keys._draws_as_numpy.cache_clear()


def test_keys_of_few_runs_and_of_many() -> None:
    expected = one_by_one(5, MANY)
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY[:3]), RunKeys(*(column[:3] for column in expected)))
    assert equal(keys.run_keys(SETTING, POLICY, 5, MANY), expected)
    assert keys.run_keys(SETTING, POLICY, 5, []).orders.shape == (0, SETTING.n_providers)


def test_few_runs_at_a_time_become_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the chunks of a campaign: what has been drawn in this process decides who draws, and changes nothing."""
    expected, compiled = one_by_one(5, MANY), keys.drawn_together
    together: list[int] = []

    def watched(n: int, seed: int, runs: range) -> RunKeys:
        together.append(len(runs))
        return compiled(n, seed, runs)

    monkeypatch.setattr(keys, "drawn_together", watched)
    found = [keys.run_keys(SETTING, POLICY, 5, MANY[first : first + 300]) for first in range(0, 1_500, 300)]
    assert equal(RunKeys(*map(np.concatenate, zip(*found, strict=True))), expected)
    # The first of the seed, of which four are drawn in both ways; then the fourth call and the fifth.
    assert together == [64, 300, 300]


@hypothesis_settings(max_examples=50)
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


@pytest.mark.parametrize("size", [7, 64, 1_500])
def test_a_numpy_that_seeds_otherwise(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """As if the constants here were no longer NumPy's: it seeds each run then, in small chunks as in large ones."""
    expected = one_by_one(5, MANY)
    monkeypatch.setattr(randomness, "_MIX_LEFT", np.uint32(0xCA01F9DF))
    found = [keys.run_keys(SETTING, POLICY, 5, MANY[first : first + size]) for first in range(0, 1_500, size)]
    assert equal(RunKeys(*map(np.concatenate, zip(*found, strict=True))), expected)


@pytest.mark.parametrize("drawn", [0, 10**6])
@pytest.mark.parametrize("seed", [[1], 1.0, -1, 2**128, "1"])
def test_no_seed(monkeypatch: pytest.MonkeyPatch, drawn: int, seed: Any) -> None:
    """The error does not depend on what the process has drawn before."""
    monkeypatch.setattr(keys, "_BY_NUMPY", keys._Drawn(drawn))
    with pytest.raises(InputError, match="seed"):
        keys.run_keys(SETTING, POLICY, seed, [0])


@pytest.mark.parametrize("drawn", [0, 10**6])
def test_seeds_of_numpy(monkeypatch: pytest.MonkeyPatch, drawn: int) -> None:
    monkeypatch.setattr(keys, "_BY_NUMPY", keys._Drawn(drawn))
    for seed in (np.int64(5), np.array(5)):
        assert equal(keys.run_keys(SETTING, POLICY, seed, MANY[:3]), one_by_one(5, MANY[:3]))
