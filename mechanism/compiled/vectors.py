"""What the kernel asks of the processor in words of its own: eight lanes at once, and cache lines ahead of their use.

Each function is plain Python, which is its definition, and beside it the machine code that Numba takes instead: its
compiler does not find these by itself. The kernel's name in the cache holds a digest of this file
and of `bounds.machine_code`. No other module generates instructions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import binding, ir  # type: ignore[import-untyped]
from numba import config, core, types
from numba.extending import overload
from numpy.typing import NDArray

from bounds.machine_code import generated
from mechanism.market.law_tables import Floats, Words
from mechanism.randomness import squares64

_tools: Any = core.cgutils
_overload: Any = overload
_types: Any = types
_config: Any = config
Counts = NDArray[np.int32]
#: Numbers in a cache line, and in the vectors below.
LANES = 8
#: Entries of which a tournament takes the least at once, two cache lines; and sums of 32 bits in a line.
MATCH = 16

_WORD, _DOUBLE = ir.IntType(64), ir.DoubleType()
_WORDS, _DOUBLES = ir.VectorType(_WORD, LANES), ir.VectorType(_DOUBLE, LANES)
_NUMBER = ir.IntType(32)
_COUNTS = ir.VectorType(_NUMBER, MATCH)
_PLACES, _ENTRIES = ir.VectorType(_WORD, MATCH), ir.VectorType(_DOUBLE, MATCH)


def prefetch(array: Floats, place: np.uint64) -> None:
    """Ask for the cache line of an entry that is needed soon; changes nothing."""


def eight_draws(key: np.uint64, counter: np.uint64, bits: Words, at: np.uint64) -> None:
    """Set bits[at], ..., bits[at + 7] to the high 62 bits of a draw in a step, given its counter, and in the next 7."""
    for lane in range(LANES):
        bits[int(at) + lane] = squares64(int(key), int(counter) + (lane << 30)) >> 2


def put(entries: Floats, place: np.uint64, value: float) -> None:
    """Set entries[place], of a match whose entries are looked at together soon: its first place is a multiple of 16."""
    entries[place] = value


def least_of_others(entries: Floats, own: np.uint64) -> tuple[float, np.uint64]:
    """Return the least of the match of entries[own] but that entry, and its place.

    The first place among equals; if it is infinity, any place.
    """
    first = int(own) // MATCH * MATCH
    least, place = np.inf, np.uint64(first)
    for lane in range(first, first + MATCH):
        if lane != int(own) and entries[lane] < least:
            least, place = entries[lane], np.uint64(lane)
    return least, place


def running_sums(values: Floats, at: np.uint64, start: float, sums: Floats) -> float:
    """Set sums[at], ..., sums[at + 7] to a sum after each value of the same places; return the last."""
    for place in range(int(at), int(at) + LANES):
        start += values[place]
        sums[place] = start
    return start


def capped_sums(table: Floats, first: np.uint64, added: float, cap: float, sums: Floats, at: np.uint64) -> None:
    """Set sums[at], ..., sums[at + 7] to eight entries of a table with a number added to each, the cap at most."""
    for lane in range(LANES):
        sums[int(at) + lane] = min(table[int(first) + lane] + added, cap)


def capped_means(sums: Floats, at: np.uint64, count: np.uint64, cap: float, means: Floats) -> None:
    """Set means[at], ..., means[at + 7] to sums over a count and the seven after it, the cap at most."""
    for lane in range(LANES):
        means[int(at) + lane] = min(sums[int(at) + lane] / (int(count) + lane), cap)


def steps_able(sums: Floats, at: np.uint64, count: np.uint64, radii: Floats, threshold: float) -> int:
    """Return how many of eight estimates, plus their radii, reach the threshold before one does not."""
    for lane in range(LANES):
        after = int(count) + lane
        if sums[int(at) + lane] / after + radii[after] < threshold:
            return lane
    return LANES


def steps_ahead(bids: Floats, at: np.uint64, count: np.uint64, radii: Floats, entry: float, tied: bool) -> int:
    """Return how many of eight bids, less their radii, are below an entry (or equal, if `tied`) before one is not."""
    for lane in range(LANES):
        adjusted = bids[int(at) + lane] - radii[int(count) + lane]
        if not (adjusted < entry or (tied and adjusted == entry)):
            return lane
    return LANES


def ones(word: np.uint64) -> int:
    """Return how many bits of a word are set."""
    return int(word).bit_count()


def nth_one(word: np.uint64, rank: int) -> np.uint64:
    """Return the place of the set bit of a word below which `rank` others are set."""
    rest = int(word)
    for _ in range(rank):
        rest &= rest - 1
    return np.uint64((rest & -rest).bit_length() - 1)


def last_at_most(sums: Counts, first: np.uint64, number: int) -> np.uint64:
    """Return which of sums[first], ..., sums[first + 15], which ascend from 0, is the last that is at most a number."""
    found = 0
    for lane in range(MATCH):
        if sums[int(first) + lane] <= number:
            found = lane
    return np.uint64(found)


def add_after(sums: Counts, start: np.uint64, place: np.uint64, change: int) -> None:
    """Add a number to those after sums[start + place] in its group of sixteen."""
    for other in range(int(start + place) + 1, int(start) + (int(place) // MATCH + 1) * MATCH):
        sums[other] += change


def _address_of(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    """Generate the address of an entry of an array, without a look whether it is inside."""
    view = context.make_array(kind)(context, builder, array)
    return _tools.get_item_pointer(context, builder, kind, view, [place])


def _in_every_lane(builder: Any, value: Any, shape: Any) -> Any:
    """Generate a vector of a shape that has a value in every lane."""
    lone = builder.insert_element(ir.Constant(shape, ir.Undefined), value, _NUMBER(0))
    return builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(_NUMBER, shape.count), [0] * shape.count))


def _each(values: list[int]) -> Any:
    return ir.Constant(_WORDS, values)


@generated
def _prefetch(_: Any, array: Any, place: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        shape = ir.FunctionType(ir.VoidType(), [byte, _NUMBER, _NUMBER, _NUMBER])
        function = _tools.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        address = builder.bitcast(_address_of(context, builder, signature.args[0], *arguments), byte)
        to_write, soon, data = _NUMBER(1), _NUMBER(3), _NUMBER(1)
        builder.call(function, [address, to_write, soon, data])
        return context.get_dummy_value()

    return _types.none(array, place), generate


def _can(feature: str) -> bool:
    """Whether the processor has a feature, and Numba is not configured to compile for another one."""
    return _config.CPU_NAME is None and bool(binding.get_host_cpu_features().get(feature))


def _squares_of_words(builder: Any) -> Callable[..., Any]:
    """Return what generates x * x + y, given x, x with its halves exchanged, and y."""
    return lambda x, _, added: builder.add(builder.mul(x, x), added)


def _squares_of_halves(builder: Any) -> Callable[..., Any]:
    """Return what `_squares_of_words` does, put together from two products of 32 bits, side by side.

    On Intel's processors a product of 64 bits takes three times as long as these.
    """
    low = _each([2**32 - 1] * LANES)
    # An empty piece of assembly hides the number from the compiler: with a known shift, it would see that the high
    # bits of the product are lost, and put a product of 64 bits for that of 32.
    opaque = ir.InlineAsm(ir.FunctionType(_WORD, [_WORD]), "", "=r,0")
    shift = _in_every_lane(builder, builder.call(opaque, [_WORD(33)]), _WORDS)

    def product_of_halves(one: Any, other: Any) -> Any:
        return builder.mul(builder.and_(one, low), builder.and_(other, low))

    def squared(x: Any, turned_x: Any, added: Any) -> Any:
        mixed = builder.shl(product_of_halves(x, turned_x), shift)
        return builder.add(builder.add(product_of_halves(x, x), added), mixed)

    return squared


@generated
def _eight_draws(_: Any, key: Any, counter: Any, bits: Any, at: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # AMD's have a quick product of 64 bits from Zen 4 on: with it, eight draws take half the time.
        quick = binding.get_host_cpu_name().startswith("znver") and _can("avx512dq")
        squares = _squares_of_words if quick else _squares_of_halves
        return _draw_eight(context, builder, signature, arguments, squares(builder))

    return _types.none(key, counter, bits, at), generate


def _draw_eight(context: Any, builder: Any, signature: Any, arguments: Any, squared: Callable[..., Any]) -> Any:
    one_key, one_counter, array, place = arguments
    half = _each([32] * LANES)

    def turned(x: Any) -> Any:
        return builder.or_(builder.lshr(x, half), builder.shl(x, half))

    steps = builder.mul(_in_every_lane(builder, one_key, _WORDS), _each([lane << 30 for lane in range(LANES)]))
    y = builder.add(_in_every_lane(builder, builder.mul(one_key, one_counter), _WORDS), steps)
    z = builder.add(y, _in_every_lane(builder, one_key, _WORDS))
    first = squared(y, turned(y), y)
    second = squared(turned(first), first, z)
    third = squared(turned(second), second, y)
    fourth = squared(turned(third), third, z)
    fifth = squared(turned(fourth), fourth, y)
    drawn = builder.lshr(builder.xor(fourth, builder.lshr(fifth, half)), _each([2] * LANES))
    address = _address_of(context, builder, signature.args[2], array, place)
    builder.store(drawn, builder.bitcast(address, _WORDS.as_pointer())).align = 8
    return context.get_dummy_value()


def _pointer(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    return builder.bitcast(_address_of(context, builder, kind, array, place), _DOUBLES.as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    loaded = builder.load(_pointer(context, builder, kind, array, place))
    loaded.align = 8
    return loaded


def _store(context: Any, builder: Any, kind: Any, array: Any, place: Any, values: Any) -> None:
    builder.store(values, _pointer(context, builder, kind, array, place)).align = 8


def _at_most(builder: Any, values: Any, cap: Any) -> Any:
    caps = _in_every_lane(builder, cap, _DOUBLES)
    return builder.select(builder.fcmp_ordered("<", values, caps), values, caps)


def _counts(builder: Any, count: Any) -> Any:
    first = _in_every_lane(builder, builder.uitofp(count, _DOUBLE), _DOUBLES)
    return builder.fadd(first, ir.Constant(_DOUBLES, [float(lane) for lane in range(LANES)]))


def _first(builder: Any, lanes: Any) -> Any:
    """Return the first lane that is true, or how many there are."""
    bits = builder.zext(builder.bitcast(lanes, ir.IntType(LANES)), _WORD)
    return builder.cttz(builder.or_(bits, _WORD(1 << LANES)), ir.Constant(ir.IntType(1), 1))


@generated
def _running_sums(_: Any, values: Any, at: Any, start: Any, sums: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, total, out = arguments
        first = _address_of(context, builder, signature.args[0], array, place)
        found = ir.Constant(_DOUBLES, ir.Undefined)
        for lane in range(LANES):
            # One load of each: they may have been stored one by one.
            total = builder.fadd(total, builder.load(builder.gep(first, [_NUMBER(lane)])))
            found = builder.insert_element(found, total, _NUMBER(lane))
        # One store of all: what was stored in parts cannot be loaded whole until all of it has reached the cache.
        _store(context, builder, signature.args[3], out, place, found)
        return total

    return _types.float64(values, at, start, sums), generate


@generated
def _capped_sums(_: Any, table: Any, first: Any, added: Any, cap: Any, sums: Any, at: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, number, most, out, place = arguments
        loaded = _load(context, builder, signature.args[0], array, start)
        found = _at_most(builder, builder.fadd(loaded, _in_every_lane(builder, number, _DOUBLES)), most)
        _store(context, builder, signature.args[4], out, place, found)
        return context.get_dummy_value()

    return _types.none(table, first, added, cap, sums, at), generate


@generated
def _capped_means(_: Any, sums: Any, at: Any, count: Any, cap: Any, means: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, first, most, out = arguments
        loaded = _load(context, builder, signature.args[0], array, place)
        found = _at_most(builder, builder.fdiv(loaded, _counts(builder, first)), most)
        _store(context, builder, signature.args[4], out, place, found)
        return context.get_dummy_value()

    return _types.none(sums, at, count, cap, means), generate


@generated
def _steps_able(_: Any, sums: Any, at: Any, count: Any, radii: Any, threshold: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, first, table, least = arguments
        loaded = _load(context, builder, signature.args[0], array, place)
        widths = _load(context, builder, signature.args[3], table, first)
        highest = builder.fadd(builder.fdiv(loaded, _counts(builder, first)), widths)
        return _first(builder, builder.fcmp_ordered("<", highest, _in_every_lane(builder, least, _DOUBLES)))

    return _types.int64(sums, at, count, radii, threshold), generate


@generated
def _steps_ahead(_: Any, bids: Any, at: Any, count: Any, radii: Any, entry: Any, tied: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, first, table, least, ties = arguments
        loaded = _load(context, builder, signature.args[0], array, place)
        widths = _load(context, builder, signature.args[3], table, first)
        adjusted, entries = builder.fsub(loaded, widths), _in_every_lane(builder, least, _DOUBLES)
        behind = builder.fcmp_unordered(">=", adjusted, entries)
        above = builder.fcmp_unordered(">", adjusted, entries)
        return builder.select(ties, _first(builder, above), _first(builder, behind))

    return _types.int64(bids, at, count, radii, entry, tied), generate


def _match(context: Any, builder: Any, kind: Any, entries: Any, own: Any) -> tuple[Any, Any, Any, Any]:
    """Return where the match of an entry begins, its address, its entries, and which lane the entry is."""
    first = builder.and_(own, _WORD(2**64 - MATCH))
    address = builder.bitcast(_address_of(context, builder, kind, entries, first), _ENTRIES.as_pointer())
    loaded = builder.load(address)
    loaded.align = 8
    lane = _in_every_lane(builder, builder.sub(own, first), _PLACES)
    return first, address, loaded, builder.icmp_unsigned("==", lane, ir.Constant(_PLACES, list(range(MATCH))))


@generated
def _put(_: Any, entries: Any, place: Any, value: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, own, entry = arguments
        _first_place, address, loaded, itself = _match(context, builder, signature.args[0], array, own)
        # One store of all, as the next load is: what was stored in part reaches it late.
        builder.store(builder.select(itself, _in_every_lane(builder, entry, _ENTRIES), loaded), address).align = 8
        return context.get_dummy_value()

    return _types.none(entries, place, value), generate


@generated
def _least_of_others(_: Any, entries: Any, own: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first, _address, loaded, itself = _match(context, builder, signature.args[0], *arguments)
        values = builder.select(itself, ir.Constant(_ENTRIES, [float("inf")] * MATCH), loaded)
        least, width = values, MATCH
        while width > 1:
            width //= 2
            halves = [ir.Constant(ir.VectorType(_NUMBER, width), list(range(i, i + width))) for i in (0, width)]
            low, high = (builder.shuffle_vector(least, least, half) for half in halves)
            least = builder.select(builder.fcmp_ordered("<", high, low), high, low)
        value = builder.extract_element(least, _NUMBER(0))
        equal = builder.fcmp_ordered("==", values, _in_every_lane(builder, value, _ENTRIES))
        lanes = builder.zext(builder.bitcast(equal, ir.IntType(MATCH)), _WORD)
        found = builder.add(first, builder.cttz(lanes, ir.Constant(ir.IntType(1), 0)))
        return context.make_tuple(builder, signature.return_type, [value, found])

    return _types.Tuple((_types.float64, _types.uint64))(entries, own), generate


@generated
def _ones(_: Any, word: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return _types.int64(word), generate


@generated
def _nth_one(_: Any, word: Any, rank: Any) -> tuple[Any, Any]:
    """Put a one below `rank` others into the places of the word's ones: a single instruction, where there is it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if not _can("bmi2"):
            return _nth_one_by_counting(builder, *arguments)
        shape = ir.FunctionType(_WORD, [_WORD, _WORD])
        deposit = _tools.get_or_insert_function(builder.module, shape, "llvm.x86.bmi.pdep.64")
        placed = builder.call(deposit, [builder.shl(_WORD(1), arguments[1]), arguments[0]])
        return builder.cttz(placed, ir.Constant(ir.IntType(1), 1))

    return _types.uint64(word, rank), generate


def _nth_one_by_counting(builder: Any, word: Any, rank: Any) -> Any:
    """Count the ones of the first bytes, then of the first bits of the byte that is found, eight counts at once."""
    shape = ir.FunctionType(_WORDS, [_WORDS])
    count = _tools.get_or_insert_function(builder.module, shape, f"llvm.ctpop.v{LANES}i64")
    words, ranks = _in_every_lane(builder, word, _WORDS), _in_every_lane(builder, rank, _WORDS)

    def too_few(masks: Any) -> Any:
        """Return how many masks cover no more than `rank` ones."""
        lanes = builder.icmp_unsigned("<=", builder.call(count, [builder.and_(words, masks)]), ranks)
        return builder.ctpop(builder.zext(builder.bitcast(lanes, ir.IntType(LANES)), _WORD))

    byte = builder.shl(too_few(_each([2 ** (8 * lane + 8) - 1 for lane in range(LANES)])), _WORD(3))
    ends = builder.shl(_each([2 << lane for lane in range(LANES)]), _in_every_lane(builder, byte, _WORDS))
    return builder.add(byte, too_few(builder.sub(ends, _each([1] * LANES))))


@generated
def _last_at_most(_: Any, sums: Any, first: Any, number: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, most = arguments
        address = _address_of(context, builder, signature.args[0], array, place)
        loaded = builder.load(builder.bitcast(address, _COUNTS.as_pointer()))
        loaded.align = 4
        within = builder.icmp_signed("<=", loaded, _in_every_lane(builder, builder.trunc(most, _NUMBER), _COUNTS))
        found = builder.ctpop(builder.zext(builder.bitcast(within, ir.IntType(MATCH)), _WORD))
        return builder.sub(found, _WORD(1))

    return _types.uint64(sums, first, number), generate


@generated
def _add_after(_: Any, sums: Any, start: Any, place: Any, change: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, place, number = arguments
        lane = builder.trunc(builder.and_(place, _WORD(MATCH - 1)), _NUMBER)
        first = builder.add(start, builder.and_(place, _WORD(2**64 - MATCH)))
        address = _address_of(context, builder, signature.args[0], array, first)
        address = builder.bitcast(address, _COUNTS.as_pointer())
        loaded = builder.load(address)
        loaded.align = 4
        after = builder.icmp_signed(
            ">", ir.Constant(_COUNTS, list(range(MATCH))), _in_every_lane(builder, lane, _COUNTS)
        )
        added = _in_every_lane(builder, builder.trunc(number, _NUMBER), _COUNTS)
        added = builder.select(after, added, ir.Constant(_COUNTS, [0] * MATCH))
        builder.store(builder.add(loaded, added), address).align = 4
        return context.get_dummy_value()

    return _types.none(sums, start, place, change), generate


# Numba compiles the second where it finds the first.
_overload(prefetch)(lambda a, b: lambda a, b: _prefetch(a, b))
_overload(eight_draws)(lambda a, b, c, d: lambda a, b, c, d: _eight_draws(a, b, c, d))
_overload(running_sums)(lambda a, b, c, d: lambda a, b, c, d: _running_sums(a, b, c, d))
_overload(capped_sums)(lambda a, b, c, d, e, f: lambda a, b, c, d, e, f: _capped_sums(a, b, c, d, e, f))
_overload(capped_means)(lambda a, b, c, d, e: lambda a, b, c, d, e: _capped_means(a, b, c, d, e))
_overload(steps_able)(lambda a, b, c, d, e: lambda a, b, c, d, e: _steps_able(a, b, c, d, e))
_overload(steps_ahead)(lambda a, b, c, d, e, f: lambda a, b, c, d, e, f: _steps_ahead(a, b, c, d, e, f))
_overload(put)(lambda a, b, c: lambda a, b, c: _put(a, b, c))
_overload(least_of_others)(lambda a, b: lambda a, b: _least_of_others(a, b))
_overload(ones)(lambda a: lambda a: _ones(a))
_overload(nth_one)(lambda a, b: lambda a, b: _nth_one(a, b))
_overload(last_at_most)(lambda a, b, c: lambda a, b, c: _last_at_most(a, b, c))
_overload(add_after)(lambda a, b, c, d: lambda a, b, c, d: _add_after(a, b, c, d))
