"""Random bits as a pure function of a key and a counter, and the generators of a run.

Every policy, chunking and number of workers sees the same potential outcomes, since the bits of a draw depend
on nothing but (seed, run, step, provider, draw). The function is Squares with five rounds: B. Widynski,
"Squares: A Fast Counter-Based RNG", arXiv:2004.06278. It uses 64-bit additions, products, shifts, or and
exclusive or only, all modulo 2^64.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from bounds.errors import InputError

Words = NDArray[np.uint64]

STEP_BITS, PROVIDER_BITS, DRAW_BITS = 34, 20, 10
"""Widths of the three fields of a counter, 64 bits together."""

SEED_BITS = 128
"""Seeds are whole numbers below 2^128."""

KEY_BYTES = 16
"""Random bytes that `draw_key` takes from a generator."""

#: From how many digits one is chosen: for the second to the eighth digit of a key, and for each of the last eight.
_FREE_DIGITS, _HIGH_DIGITS = range(14, 7, -1), 14
_LOW = 2**32 - 1
_MASK = 2**64 - 1
#: From so many on, keys and seeds are quicker drawn together, in arrays, than one by one.
_KEYS_TOGETHER, _SEEDS_TOGETHER = 50, 8


class RandomStream(IntEnum):
    """What the randomness of a run is for; streams share no keys.

    Scores and costs; the platform's own draws (initial order, exploration, ties); the bidders' own draws (deviations);
    when feedback arrives.
    """

    OUTCOMES = 0
    PLATFORM = 1
    BIDDERS = 2
    DELAYS = 3


def squares64(key: int, counter: int) -> int:
    """Return 64 random bits, the same for the same key and counter.

    Parameters
    ----------
    key : int
        In [0, 2^64), as `squares_key` makes it.
    counter : int
        In [0, 2^64), as `counter` makes it.

    Examples
    --------
    The first value of an independent implementation's published test set:

    >>> hex(squares64(0x3BC8BCA4D301945B, 0))
    '0x5167ea8b7923d95b'
    """
    x = y = key * counter & _MASK
    z = y + key
    x = x * x + y
    x = (x >> 32 & _LOW) | (x & _LOW) << 32
    x = x * x + z
    x = (x >> 32 & _LOW) | (x & _LOW) << 32
    x = x * x + y
    x = (x >> 32 & _LOW) | (x & _LOW) << 32
    fourth = x * x + z & _MASK
    x = (fourth >> 32) | (fourth & _LOW) << 32
    return fourth ^ (x * x + y & _MASK) >> 32


def counter(step: int, provider: int, draw: int) -> int:
    """Return the counter of a draw; different arguments give different counters.

    Parameters
    ----------
    step : int
        In [0, 2^34).
    provider : int
        Index in [0, 2^20).
    draw : int
        Number of the draw within the step of the provider, in [0, 2^10).

    Returns
    -------
    int
        step 2^30 + provider 2^10 + draw: consecutive draws have consecutive counters.

    Raises
    ------
    InputError
        If an argument is not an integer in its range.

    Examples
    --------
    >>> counter(1, 2, 3) == 2**30 + 2 * 2**10 + 3
    True
    """
    step = natural("step", step, STEP_BITS)
    provider = natural("provider", provider, PROVIDER_BITS)
    draw = natural("draw", draw, DRAW_BITS)
    return (step << PROVIDER_BITS + DRAW_BITS) | (provider << DRAW_BITS) | draw


def squares_key(entropy: int) -> int:
    """Return a key fit for Squares, drawn with the given entropy.

    As the author asks: the eight low hexadecimal digits are distinct and not zero, the lowest is odd,
    and every higher digit is not zero and differs from its right neighbour.

    Parameters
    ----------
    entropy : int
        Not negative; 128 random bits or more make the 2^57.5 keys equally likely up to 2^-64.

    Returns
    -------
    int
        An odd number in [2^60, 2^64).

    Examples
    --------
    >>> hex(squares_key(0))
    '0x2121212187654321'
    """
    entropy, pick = divmod(entropy, 8)
    key = digit = 2 * pick + 1
    free = list(range(1, 16))
    free.remove(digit)
    for place, number in enumerate(_FREE_DIGITS, 1):
        entropy, pick = divmod(entropy, number)
        digit = free.pop(pick)
        key |= digit << 4 * place
    for place in range(8, 16):
        entropy, pick = divmod(entropy, _HIGH_DIGITS)
        digit = pick + 1 + (pick + 1 >= digit)
        key |= digit << 4 * place
    return key


def stream_key(seed: int, run: int, stream: RandomStream) -> int:
    """Return the Squares key of a stream of a run.

    Parameters
    ----------
    seed : int
        In [0, 2^128); 0 is a seed like any other.
    run : int
        In [0, 2^32).
    stream : RandomStream

    Raises
    ------
    InputError
        If the seed or the run is not an integer in its range.

    Examples
    --------
    >>> stream_key(0, 0, RandomStream.OUTCOMES) == stream_key(0, 1, RandomStream.OUTCOMES)
    False
    """
    return _key_of_words(_seed_words(seed, run, stream))


def _seed_words(seed: int, run: int, stream: RandomStream) -> Words:
    return np.asarray(_seed_sequence(seed, run, stream).generate_state(4, np.uint64), dtype=np.uint64)


def _key_of_words(words: Words) -> int:
    """Return `squares_key` of words, the least significant first."""
    return squares_key(int.from_bytes(words.astype("<u8").tobytes(), "little"))


def uniform_index(bits: int, size: int) -> int:
    """Return a uniform index in [0, size) from 64 random bits.

    Parameters
    ----------
    bits : int
        In [0, 2^64); the top 44 are used.
    size : int
        In [1, 2^20]. Every index has probability 1/size up to 2^-44.

    Examples
    --------
    >>> uniform_index(0, 3), uniform_index(2**64 - 1, 3)
    (0, 2)
    """
    return (bits >> 20) * size >> 44


def unit_uniform(bits: int) -> float:
    """Return a multiple of 2^-53 in [0, 1) from 64 random bits.

    Examples
    --------
    >>> unit_uniform(2**63)
    0.5
    """
    return (bits >> 11) * 2.0**-53


def draw_key(rng: np.random.Generator) -> int:
    """Return a Squares key drawn from a generator: what follows it needs no more of the generator.

    Examples
    --------
    >>> draw_key(np.random.default_rng(0)) == draw_key(np.random.default_rng(0))
    True
    """
    return squares_key(int.from_bytes(rng.bytes(KEY_BYTES), "little"))


def stream_generator(seed: int, run: int, stream: RandomStream) -> np.random.Generator:
    """Return the generator of a stream of a run, named as for `stream_key`.

    Examples
    --------
    >>> platform, bidders = (stream_generator(0, 1, stream) for stream in (RandomStream.PLATFORM, RandomStream.BIDDERS))
    >>> bool(platform.random() == bidders.random())
    False
    """
    return np.random.Generator(np.random.PCG64(_seed_sequence(seed, run, stream)))


def _seed_sequence(seed: int, run: int, stream: RandomStream) -> np.random.SeedSequence:
    # NumPy pads the seed to four words before it appends the spawn key, so these ranges rule out collisions.
    return np.random.SeedSequence(natural("seed", seed, SEED_BITS), spawn_key=(natural("run", run, 32), int(stream)))


def squares_keys(entropy: Words) -> Words:
    """Return `squares_key` of many entropies at once.

    Parameters
    ----------
    entropy : array of uint64, shape (R, W)
        W words each, the least significant first.

    Returns
    -------
    array of uint64, shape (R,)

    Examples
    --------
    >>> squares_keys(np.array([[3, 5]], dtype=np.uint64)).tolist() == [squares_key(3 + (5 << 64))]
    True
    """
    if len(entropy) < _KEYS_TOGETHER:
        return np.array([_key_of_words(words) for words in entropy], dtype=np.uint64)
    # Halves of words: what is carried from one to the next then fits a word.
    rest = [half for word in entropy.T[::-1] for half in (word >> np.uint64(32), word & np.uint64(_LOW))]

    def divided(number: int) -> Words:
        """Divide the entropies; return the remainders."""
        left = np.zeros(len(entropy), dtype=np.uint64)
        for place, half in enumerate(rest):
            rest[place], left = np.divmod((left << np.uint64(32)) | half, np.uint64(number))
        return left

    # Two long divisions give the remainders of all sixteen, which fit a word.
    low, high = divided(math.prod((8, *_FREE_DIGITS))), divided(_HIGH_DIGITS**8)
    low, pick = np.divmod(low, np.uint64(8))
    keys = digits = 2 * pick + np.uint64(1)
    free = np.tile(np.arange(1, 16, dtype=np.uint64), (len(entropy), 1))
    for place, number in enumerate(_FREE_DIGITS, 1):
        free = free[free != digits[:, None]].reshape(-1, number)
        low, pick = np.divmod(low, np.uint64(number))
        digits = np.take_along_axis(free, pick.astype(np.int64)[:, None], axis=1)[:, 0]
        keys |= digits << np.uint64(4 * place)
    for place in range(8, 16):
        high, pick = np.divmod(high, np.uint64(_HIGH_DIGITS))
        digits = pick + np.uint64(1) + (pick + np.uint64(1) >= digits)
        keys |= digits << np.uint64(4 * place)
    return np.asarray(keys, dtype=np.uint64)


def stream_keys(seed: int, runs: Sequence[int], stream: RandomStream) -> Words:
    """Return `stream_key` of many runs at once, shape (R,).

    Examples
    --------
    >>> int(stream_keys(0, range(9), RandomStream.OUTCOMES)[5]) == stream_key(0, 5, RandomStream.OUTCOMES)
    True
    """
    return squares_keys(seed_words(seed, runs, stream))


def stream_generators(seed: int, runs: Sequence[int], stream: RandomStream) -> Iterator[np.random.Generator]:
    """Yield `stream_generator` of many runs: to seed them together takes a tenth of the time.

    Examples
    --------
    >>> second = list(stream_generators(0, [0, 1], RandomStream.PLATFORM))[1]
    >>> second.random() == stream_generator(0, 1, RandomStream.PLATFORM).random()
    True
    """
    for words in seed_words(seed, runs, stream):
        seeded: Any = _Seeded(words)  # what NumPy's own types leave out
        yield np.random.Generator(np.random.PCG64(seeded))


class _Seeded(ISeedSequence):
    """Hands a bit generator the words that a `SeedSequence` would."""

    def __init__(self, words: Words) -> None:
        self._words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Words:
        if (n_words, np.dtype(dtype)) != (self._words.size, self._words.dtype):
            raise TypeError(f"PCG64 asks for {n_words} words of {np.dtype(dtype)}, which no version did before")
        return self._words


#: Constants of NumPy's `SeedSequence`, whose algorithm NumPy does not change.
_FIRST_HASH, _HASH_FACTOR, _FIRST_STATE_HASH, _STATE_HASH_FACTOR = 0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED
_MIX_LEFT, _MIX_RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_POOL, _HALF_WORD = 4, np.uint32(16)


def seed_words(seed: int, runs: Sequence[int], stream: RandomStream) -> Words:
    """Return the first four words of `_seed_sequence` of many runs, shape (R, 4).

    They seed the generators. Of a few runs NumPy makes them. Of many the pool of the seed alone is NumPy's; the two
    words of the spawn key are mixed into it here, for all runs at once. The last run's are compared with NumPy's, which
    makes all of them if they differ.
    """
    if len(runs) >= _SEEDS_TOGETHER:
        together = _mixed_words(seed, runs, stream)
        if np.array_equal(together[-1], _seed_words(seed, runs[-1], stream)):
            return together
    return np.array([_seed_words(seed, run, stream) for run in runs], dtype=np.uint64).reshape(-1, 4)


def _mixed_words(seed: int, runs: Sequence[int], stream: RandomStream) -> Words:
    """Return what NumPy makes of the seed and each run, as it does today."""
    for run in (runs[0], runs[-1]) if isinstance(runs, range) else runs:
        natural("run", run, 32)
    numbers = np.array(runs, dtype=np.uint32)
    mixed = [np.full(len(numbers), word) for word in np.random.SeedSequence(natural("seed", seed, SEED_BITS)).pool]
    # The pool has hashed each of its words, and each for each of the others.
    const = _FIRST_HASH * pow(_HASH_FACTOR, _POOL * _POOL, 1 << 32) & _LOW
    for word in (numbers, np.full(len(numbers), int(stream), dtype=np.uint32)):
        for place in range(_POOL):
            hashed, const = _hashed(word, const, _HASH_FACTOR)
            both = _MIX_LEFT * mixed[place] - _MIX_RIGHT * hashed
            mixed[place] = both ^ (both >> _HALF_WORD)
    const, halves = _FIRST_STATE_HASH, []
    for place in range(2 * _POOL):
        hashed, const = _hashed(mixed[place % _POOL], const, _STATE_HASH_FACTOR)
        halves.append(hashed.astype(np.uint64))
    return np.stack(
        [low | (high << np.uint64(32)) for low, high in zip(halves[::2], halves[1::2], strict=True)], axis=1
    )


def _hashed(word: NDArray[np.uint32], const: int, factor: int) -> tuple[NDArray[np.uint32], int]:
    """Return a word hashed with a constant, and the constant of the next."""
    following = const * factor & _LOW
    product = (word ^ np.uint32(const)) * np.uint32(following)
    return product ^ (product >> _HALF_WORD), following


def natural(name: str, value: int, bits: int) -> int:
    """Return a plain int in [0, 2^bits), or say what is wrong with the value.

    Raises
    ------
    InputError
        It is not a whole number, or out of range.

    Examples
    --------
    >>> natural("run", np.int64(3), 32)
    3
    """
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(name, value, "must be a whole number", "write it without a decimal point") from None
    if not 0 <= number < 1 << bits:
        raise InputError(name, value, f"must lie in [0, 2^{bits})", "random bits are numbered within this range")
    return number
