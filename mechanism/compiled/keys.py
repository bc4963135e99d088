"""What is random about each of many runs, for a GPU ten times as fast as NumPy's generators draw it.

`Policy.draws` is the definition: it draws from the `numpy.random.Generator` of a run. The machine code here draws what
that generator draws today. NumPy may change it in another version. So some runs of every seed are drawn by NumPy
alone, and the machine code is left out if it differs. What seeds a generator is compared in `seed_words`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from bounds.machine_code import kept_machine_code, part_of_machine_code
from bounds.setting.model import Setting
from mechanism.compiled.layout import RunKeys
from mechanism.market.law_tables import Ints, Words
from mechanism.policies import Policy
from mechanism.randomness import (
    KEY_BYTES,
    SEED_BITS,
    RandomStream,
    natural,
    seed_words,
    squares_keys,
    stream_generator,
    stream_generators,
    stream_key,
    stream_keys,
)

#: So many runs together, as a GPU plays them, are worth loading the machine code.
_MANY = 1_000
#: Of a seed so many runs are drawn together, as many as a campaign plays at once, and the first of them in both ways.
_TOGETHER, _COMPARED = 64, 4

_U1, _U32, _U63, _U64 = np.uint64(1), np.uint64(32), np.uint64(63), np.uint64(64)
_LOW = np.uint64(2**32 - 1)
#: PCG64's multiplier, in two words.
_FACTOR_HIGH, _FACTOR_LOW = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)


def run_keys(setting: Setting, policy: Policy, seed: int, runs: Sequence[int]) -> RunKeys:
    """Return the keys and orders of some runs under a policy.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.policies import POLICIES
    >>> setting = published("gpqa-strong").setting
    >>> sorted(run_keys(setting, POLICIES["platform"], 0, [0, 1]).orders[1].tolist())
    [0, 1, 2, 3]
    """
    n, seed = setting.n_providers, natural("seed", seed, SEED_BITS)
    if len(runs) >= _MANY and _draws_as_numpy(n, policy, seed):
        return drawn_together(n, seed, runs)
    orders, draws = policy.draws(n, stream_generators(seed, runs, RandomStream.PLATFORM))
    return RunKeys(stream_keys(seed, runs, RandomStream.OUTCOMES), draws, orders)


@lru_cache(maxsize=64)
def _draws_as_numpy(n: int, policy: Policy, seed: int) -> bool:
    """Return whether the machine code draws for the first runs of a seed what NumPy draws."""
    first = range(_COMPARED)
    orders, draws = policy.draws(n, (stream_generator(seed, run, RandomStream.PLATFORM) for run in first))
    outcomes = [stream_key(seed, run, RandomStream.OUTCOMES) for run in first]
    together = (column[:_COMPARED] for column in drawn_together(n, seed, range(_TOGETHER)))
    return all(np.array_equal(one, other) for one, other in zip((outcomes, draws, orders), together, strict=True))


def drawn_together(n: int, seed: int, runs: Sequence[int]) -> RunKeys:
    """Return the keys and orders of runs with N providers as machine code draws them."""
    orders = np.empty((len(runs), n), dtype=np.int64)
    entropy = np.empty((len(runs), KEY_BYTES // 8), dtype=np.uint64)
    draw_orders(seed_words(seed, runs, RandomStream.PLATFORM), orders, entropy)
    return RunKeys(stream_keys(seed, runs, RandomStream.OUTCOMES), squares_keys(entropy), orders)


@part_of_machine_code
def _high_product(left: np.uint64, right: np.uint64) -> np.uint64:
    """Return the high word of the product of two words."""
    left_high, left_low, right_high, right_low = left >> _U32, left & _LOW, right >> _U32, right & _LOW
    middle = left_high * right_low + ((left_low * right_low) >> _U32)
    other = left_low * right_high + (middle & _LOW)
    return left_high * right_high + (middle >> _U32) + (other >> _U32)


@part_of_machine_code
def _next_state(
    high: np.uint64, low: np.uint64, step_high: np.uint64, step_low: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return PCG64's next state, two words, given its increment."""
    product = low * _FACTOR_LOW
    upper = _high_product(low, _FACTOR_LOW) + high * _FACTOR_LOW + low * _FACTOR_HIGH
    total = product + step_low
    return upper + step_high + np.uint64(total < product), total


@part_of_machine_code
def _output(high: np.uint64, low: np.uint64) -> np.uint64:
    """Return the word that PCG64 makes of a state."""
    turn, both = high >> np.uint64(58), high ^ low
    return (both >> turn) | (both << ((_U64 - turn) & _U63))


@kept_machine_code
def draw_orders(words: Words, orders: Ints, entropy: Words) -> None:
    """Set, for every run, a permutation and 16 bytes: what a generator gives that is seeded with the run's words."""
    n = orders.shape[1]
    for run in range(len(words)):
        step_high = (words[run, 2] << _U1) | (words[run, 3] >> _U63)
        step_low = (words[run, 3] << _U1) | _U1
        low = step_low + words[run, 1]
        high = step_high + words[run, 0] + np.uint64(low < step_low)
        high, low = _next_state(high, low, step_high, step_low)
        order, spare, held = orders[run], np.uint64(0), False
        for place in range(n):
            order[place] = place
        # A word gives two halves, the low one first. A shuffle takes as many bits as its place needs, again if the
        # number is too large.
        for turn in range(n - 1, -4, -1):
            size = np.uint64(turn) if turn > 0 else _LOW
            mask = size
            for shift in (1, 2, 4, 8, 16):
                mask |= mask >> np.uint64(shift)
            drawn = _LOW + _U1
            while drawn > size:
                if held:
                    drawn = spare
                else:
                    high, low = _next_state(high, low, step_high, step_low)
                    word = _output(high, low)
                    drawn, spare = word & _LOW, word >> _U32
                held = not held
                drawn &= mask
            if turn > 0:
                other = order[drawn]
                order[drawn] = order[turn]
                order[turn] = other
            elif turn & 1 == 0:
                entropy[run, -turn >> 1] = drawn
            else:
                entropy[run, -turn >> 1] |= drawn << _U32
