"""The kernel's draws and sets, and that comparing it with the plain episode would catch a kernel that is wrong.

The mutants run as plain Python, without Numba: the source of the kernel is also valid Python.
"""

import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np
import pytest
from numba.extending import intrinsic

from bounds.errors import InputError
from mechanism.compiled import episode as compiled, kernel, vectors
from mechanism.compiled.vectors import LANES
from mechanism.market.law_tables import Floats
from mechanism.metrics.tally import Tally, tally_of
from mechanism.policies import POLICIES
from mechanism.trace import Trace
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import Episode, tally_differences, trace_differences
from tests.parametrized import long_but
from tests.tabled import rows_of

SOURCE = Path(kernel.__file__).read_text(encoding="utf-8")


#: By the episode in which it is noticed: a line of the kernel or a part of one, and what takes its place.
CHANGES = rows_of(__file__, "kernel_changes.csv")


def pure(source: str, **known: object) -> types.ModuleType:
    """Return the kernel, or what is built on it, as plain Python, from its (mutated) source and names it is given."""
    without = [line for line in source.splitlines() if line not in ("@_compile", "@inline")]
    module = types.ModuleType("mutant")
    vars(module).update(known)
    exec(compile("\n".join(without), "mutant", "exec"), module.__dict__)
    return module


def short(name: str) -> Episode:
    """Return a named episode, no longer than plain Python can play twice in a moment."""
    named = NAMED[name]
    horizon = min(named.horizon, {"usual": 200, "eligible again": 900, "hopeless": 600}.get(name, 300))
    return replace(named, horizon=horizon, checkpoints=tuple(step for step in named.checkpoints if step <= horizon))


EXPECTED: dict[str, tuple[Trace, Tally]] = {}


def found(name: str, monkeypatch: pytest.MonkeyPatch, source: str) -> list[str]:
    """Return how the runs of a kernel's source differ from the plain ones, a second run in the same call included."""
    one = short(name)
    if name not in EXPECTED:
        trace = one.plain()
        EXPECTED[name] = trace, tally_of(one.setting, trace, one.checkpoints, POLICIES[one.policy])
    trace, tally = EXPECTED[name]
    monkeypatch.setattr(compiled, "run_episodes", pure(source).run_episodes)
    with np.errstate(all="ignore"):
        try:
            wrong = trace_differences(trace, one.compiled_trace())
            return wrong or tally_differences(tally, one.compiled_tallies([one.run + 1, one.run])[1])
        except (IndexError, InputError, OverflowError) as error:  # a place or a number that no run has
            return [type(error).__name__]


@pytest.mark.parametrize("name", long_but(1, dict.fromkeys(row[0] for row in CHANGES), reason="plays in Python"))
def test_a_changed_kernel_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The unchanged one is not, so a change differs by itself and not by the way it is run."""
    assert found(name, monkeypatch, SOURCE) == []
    for right, wrong in [(was, now) for episode, was, now in CHANGES if episode == name]:
        assert SOURCE.count(right) == 1, "the text that this change replaces has changed"
        assert found(name, monkeypatch, SOURCE.replace(right, wrong)) != [], right


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
def compiled_ones(word: np.uint64, rank: int) -> tuple[int, np.uint64, np.uint64]:
    return vectors.ones(word), vectors.nth_one(word, rank), counted_one(word, rank)


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
