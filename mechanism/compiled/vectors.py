"""What the kernel asks of the processor in words of its own: eight lanes at once, and cache lines ahead of their use.

Each function is plain Python, which is its definition, and beside it the machine code that Numba takes instead: its
compiler does not find these by itself. The kernel's name in the cache holds a digest of this file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import core
from numba.extending import intrinsic, overload

from mechanism.market.law_tables import Floats, Words
from mechanism.randomness import squares64

_tools: Any = core.cgutils
_overload: Any = overload
_types: Any = core.types
#: Numbers in a cache line, and in the vectors below.
LANES = 8
#: Entries of which a tournament takes the least at once, two cache lines.
MATCH = 16

_WORD, _DOUBLE = ir.IntType(64), ir.DoubleType()
_WORDS, _DOUBLES = ir.VectorType(_WORD, LANES), ir.VectorType(_DOUBLE, LANES)
_NUMBER = ir.IntType(32)
_PLACES, _ENTRIES = ir.VectorType(_WORD, MATCH), ir.VectorType(_DOUBLE, MATCH)


def prefetch(array: Floats, place: np.uint64) -> None:
    """Ask for the cache line of an entry that is needed soon; changes nothing."""


def eight_draws(key: np.uint64, counter: np.uint64, bits: Words, at: np.uint64) -> None:
    """Set bits[at], ..., bits[at + 7] to the high 62 bits of a draw in a step, given its counter, and in the next 7."""
    for lane in range(LANES):
        bits[int(at) + lane] = squares64(int(key), int(counter) + (lane << 30)) >> 2


def least_of_others(entries: Floats, first: np.uint64, own: np.uint64) -> tuple[float, np.uint64]:
    """Return the least of entries[first], ..., entries[first + 15] but entries[own], and its place.

    The first place among equals; if it is infinity, any place.
    """
    least, place = np.inf, first
    for lane in range(MATCH):
        if int(first) + lane != int(own) and entries[int(first) + lane] < least:
            least, place = entries[int(first) + lane], np.uint64(int(first) + lane)
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


def _generated(function: Callable[..., Any]) -> Any:
    """Let Numba put the instructions that a function generates where compiled code calls it."""
    return intrinsic(function)


def _address(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    view = context.make_array(kind)(context, builder, array)
    return _tools.get_item_pointer(context, builder, kind, view, [place])


def _splat(builder: Any, value: Any, shape: Any) -> Any:
    lone = builder.insert_element(ir.Constant(shape, ir.Undefined), value, _NUMBER(0))
    return builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(_NUMBER, shape.count), [0] * shape.count))


def _each(values: list[int]) -> Any:
    return ir.Constant(_WORDS, values)


@_generated
def _prefetch(_: Any, array: Any, place: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        shape = ir.FunctionType(ir.VoidType(), [byte, _NUMBER, _NUMBER, _NUMBER])
        function = _tools.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0")
        address = builder.bitcast(_address(context, builder, signature.args[0], *arguments), byte)
        to_write, soon, data = _NUMBER(1), _NUMBER(3), _NUMBER(1)
        builder.call(function, [address, to_write, soon, data])
        return context.get_dummy_value()

    return _types.none(array, place), generate


@_generated
def _eight_draws(_: Any, key: Any, counter: Any, bits: Any, at: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one_key, one_counter, array, place = arguments
        half, low = _each([32] * LANES), _each([2**32 - 1] * LANES)

        # An empty piece of assembly hides the number from the compiler: with a known shift, it would see that the high
        # bits of the product are lost, and put a product of 64 bits for that of 32.
        opaque = ir.InlineAsm(ir.FunctionType(_WORD, [_WORD]), "", "=r,0")
        shift = _splat(builder, builder.call(opaque, [_WORD(33)]), _WORDS)

        def product_of_halves(one: Any, other: Any) -> Any:
            return builder.mul(builder.and_(one, low), builder.and_(other, low))

        def squared(x: Any, turned_x: Any, added: Any) -> Any:
            """Return x * x + added: one product of 64 bits takes three times as long as two of 32, side by side."""
            mixed = builder.shl(product_of_halves(x, turned_x), shift)
            return builder.add(builder.add(product_of_halves(x, x), added), mixed)

        def turned(x: Any) -> Any:
            return builder.or_(builder.lshr(x, half), builder.shl(x, half))

        steps = builder.mul(_splat(builder, one_key, _WORDS), _each([lane << 30 for lane in range(LANES)]))
        y = builder.add(_splat(builder, builder.mul(one_key, one_counter), _WORDS), steps)
        z = builder.add(y, _splat(builder, one_key, _WORDS))
        first = squared(y, turned(y), y)
        second = squared(turned(first), first, z)
        third = squared(turned(second), second, y)
        fourth = squared(turned(third), third, z)
        fifth = squared(turned(fourth), fourth, y)
        drawn = builder.lshr(builder.xor(fourth, builder.lshr(fifth, half)), _each([2] * LANES))
        address = _address(context, builder, signature.args[2], array, place)
        builder.store(drawn, builder.bitcast(address, _WORDS.as_pointer())).align = 8
        return context.get_dummy_value()

    return _types.none(key, counter, bits, at), generate


def _pointer(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    return builder.bitcast(_address(context, builder, kind, array, place), _DOUBLES.as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    loaded = builder.load(_pointer(context, builder, kind, array, place))
    loaded.align = 8
    return loaded


def _store(context: Any, builder: Any, kind: Any, array: Any, place: Any, values: Any) -> None:
    builder.store(values, _pointer(context, builder, kind, array, place)).align = 8


def _at_most(builder: Any, values: Any, cap: Any) -> Any:
    caps = _splat(builder, cap, _DOUBLES)
    return builder.select(builder.fcmp_ordered("<", values, caps), values, caps)


def _counts(builder: Any, count: Any) -> Any:
    first = _splat(builder, builder.uitofp(count, _DOUBLE), _DOUBLES)
    return builder.fadd(first, ir.Constant(_DOUBLES, [float(lane) for lane in range(LANES)]))


def _first(builder: Any, lanes: Any) -> Any:
    """Return the first lane that is true, or how many there are."""
    bits = builder.zext(builder.bitcast(lanes, ir.IntType(LANES)), _WORD)
    return builder.cttz(builder.or_(bits, _WORD(1 << LANES)), ir.Constant(ir.IntType(1), 1))


@_generated
def _running_sums(_: Any, values: Any, at: Any, start: Any, sums: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, total, out = arguments
        loaded = _load(context, builder, signature.args[0], array, place)
        found = ir.Constant(_DOUBLES, ir.Undefined)
        for lane in range(LANES):
            total = builder.fadd(total, builder.extract_element(loaded, _NUMBER(lane)))
            found = builder.insert_element(found, total, _NUMBER(lane))
        # One store of all: what was stored in parts cannot be loaded whole until all of it has reached the cache.
        _store(context, builder, signature.args[3], out, place, found)
        return total

    return _types.float64(values, at, start, sums), generate


@_generated
def _capped_sums(_: Any, table: Any, first: Any, added: Any, cap: Any, sums: Any, at: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, number, most, out, place = arguments
        loaded = _load(context, builder, signature.args[0], array, start)
        found = _at_most(builder, builder.fadd(loaded, _splat(builder, number, _DOUBLES)), most)
        _store(context, builder, signature.args[4], out, place, found)
        return context.get_dummy_value()

    return _types.none(table, first, added, cap, sums, at), generate


@_generated
def _capped_means(_: Any, sums: Any, at: Any, count: Any, cap: Any, means: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, first, most, out = arguments
        loaded = _load(context, builder, signature.args[0], array, place)
        found = _at_most(builder, builder.fdiv(loaded, _counts(builder, first)), most)
        _store(context, builder, signature.args[4], out, place, found)
        return context.get_dummy_value()

    return _types.none(sums, at, count, cap, means), generate


@_generated
def _steps_able(_: Any, sums: Any, at: Any, count: Any, radii: Any, threshold: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, first, table, least = arguments
        loaded = _load(context, builder, signature.args[0], array, place)
        widths = _load(context, builder, signature.args[3], table, first)
        highest = builder.fadd(builder.fdiv(loaded, _counts(builder, first)), widths)
        return _first(builder, builder.fcmp_ordered("<", highest, _splat(builder, least, _DOUBLES)))

    return _types.int64(sums, at, count, radii, threshold), generate


@_generated
def _steps_ahead(_: Any, bids: Any, at: Any, count: Any, radii: Any, entry: Any, tied: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, place, first, table, least, ties = arguments
        loaded = _load(context, builder, signature.args[0], array, place)
        widths = _load(context, builder, signature.args[3], table, first)
        adjusted, entries = builder.fsub(loaded, widths), _splat(builder, least, _DOUBLES)
        behind = builder.fcmp_unordered(">=", adjusted, entries)
        above = builder.fcmp_unordered(">", adjusted, entries)
        return builder.select(ties, _first(builder, above), _first(builder, behind))

    return _types.int64(bids, at, count, radii, entry, tied), generate


@_generated
def _least_of_others(_: Any, entries: Any, first: Any, own: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, place = arguments
        address = _address(context, builder, signature.args[0], array, start)
        loaded = builder.load(builder.bitcast(address, _ENTRIES.as_pointer()))
        loaded.align = 8
        lane = _splat(builder, builder.sub(place, start), _PLACES)
        itself = builder.icmp_unsigned("==", lane, ir.Constant(_PLACES, list(range(MATCH))))
        values = builder.select(itself, ir.Constant(_ENTRIES, [float("inf")] * MATCH), loaded)
        least, width = values, MATCH
        while width > 1:
            width //= 2
            halves = [ir.Constant(ir.VectorType(_NUMBER, width), list(range(i, i + width))) for i in (0, width)]
            low, high = (builder.shuffle_vector(least, least, half) for half in halves)
            least = builder.select(builder.fcmp_ordered("<", high, low), high, low)
        value = builder.extract_element(least, _NUMBER(0))
        equal = builder.fcmp_ordered("==", values, _splat(builder, value, _ENTRIES))
        lanes = builder.zext(builder.bitcast(equal, ir.IntType(MATCH)), _WORD)
        found = builder.add(start, builder.cttz(lanes, ir.Constant(ir.IntType(1), 0)))
        return context.make_tuple(builder, signature.return_type, [value, found])

    return _types.Tuple((_types.float64, _types.uint64))(entries, first, own), generate


# Numba compiles the second where it finds the first.
_overload(prefetch)(lambda a, b: lambda a, b: _prefetch(a, b))
_overload(eight_draws)(lambda a, b, c, d: lambda a, b, c, d: _eight_draws(a, b, c, d))
_overload(running_sums)(lambda a, b, c, d: lambda a, b, c, d: _running_sums(a, b, c, d))
_overload(capped_sums)(lambda a, b, c, d, e, f: lambda a, b, c, d, e, f: _capped_sums(a, b, c, d, e, f))
_overload(capped_means)(lambda a, b, c, d, e: lambda a, b, c, d, e: _capped_means(a, b, c, d, e))
_overload(steps_able)(lambda a, b, c, d, e: lambda a, b, c, d, e: _steps_able(a, b, c, d, e))
_overload(steps_ahead)(lambda a, b, c, d, e, f: lambda a, b, c, d, e, f: _steps_ahead(a, b, c, d, e, f))
_overload(least_of_others)(lambda a, b, c: lambda a, b, c: _least_of_others(a, b, c))
