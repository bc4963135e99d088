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
_types: Any = core.types
#: Numbers in a cache line, and in the vectors below.
LANES = 8

_WORD, _DOUBLE = ir.IntType(64), ir.DoubleType()
_WORDS, _DOUBLES = ir.VectorType(_WORD, LANES), ir.VectorType(_DOUBLE, LANES)
_NUMBER = ir.IntType(32)


def prefetch(array: Floats, place: np.uint64) -> None:
    """Ask for the cache line of an entry that is needed soon; changes nothing."""


def eight_draws(key: np.uint64, counter: np.uint64, bits: Words, at: np.uint64) -> None:
    """Set bits[at], ..., bits[at + 7] to the high 62 bits of a draw in a step, given its counter, and in the next 7."""
    for lane in range(LANES):
        bits[int(at) + lane] = squares64(int(key), int(counter) + (lane << 30)) >> 2


def least_of_others(entries: Floats, first: np.uint64, own: np.uint64) -> tuple[float, np.uint64]:
    """Return the least of entries[first], ..., entries[first + 7] but entries[own], and its place.

    The first place among equals; if it is infinity, any place.
    """
    least, place = np.inf, first
    for lane in range(LANES):
        if int(first) + lane != int(own) and entries[int(first) + lane] < least:
            least, place = entries[int(first) + lane], np.uint64(int(first) + lane)
    return least, place


def _address(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    view = context.make_array(kind)(context, builder, array)
    return _tools.get_item_pointer(context, builder, kind, view, [place])


def _splat(builder: Any, value: Any, shape: Any) -> Any:
    lone = builder.insert_element(ir.Constant(shape, ir.Undefined), value, _NUMBER(0))
    return builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(_NUMBER, LANES), [0] * LANES))


def _each(values: list[int]) -> Any:
    return ir.Constant(_WORDS, values)


@intrinsic
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


@intrinsic
def _eight_draws(_: Any, key: Any, counter: Any, bits: Any, at: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        one_key, one_counter, array, place = arguments
        half, low = _each([32] * LANES), _each([2**32 - 1] * LANES)

        opaque = ir.InlineAsm(ir.FunctionType(_WORD, [_WORD]), "", "=r,0")
        shift = _splat(builder, builder.call(opaque, [_WORD(33)]), _WORDS)

        def product_of_halves(one: Any, other: Any) -> Any:
            return builder.mul(builder.and_(one, low), builder.and_(other, low))

        def squared(x: Any, turned_x: Any, added: Any) -> Any:
            """Return x * x + added: two products of 32 bits take a third of the time of one of 64."""
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


@intrinsic
def _least_of_others(_: Any, entries: Any, first: Any, own: Any) -> tuple[Any, Any]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, start, place = arguments
        address = _address(context, builder, signature.args[0], array, start)
        loaded = builder.load(builder.bitcast(address, _DOUBLES.as_pointer()))
        loaded.align = 8
        lane = _splat(builder, builder.sub(place, start), _WORDS)
        itself = builder.icmp_unsigned("==", lane, _each(list(range(LANES))))
        values = builder.select(itself, ir.Constant(_DOUBLES, [float("inf")] * LANES), loaded)
        least, width = values, LANES
        while width > 1:
            width //= 2
            halves = [ir.Constant(ir.VectorType(_NUMBER, width), list(range(i, i + width))) for i in (0, width)]
            low, high = (builder.shuffle_vector(least, least, half) for half in halves)
            least = builder.select(builder.fcmp_ordered("<", high, low), high, low)
        value = builder.extract_element(least, _NUMBER(0))
        equal = builder.fcmp_ordered("==", values, _splat(builder, value, _DOUBLES))
        lanes = builder.zext(builder.bitcast(equal, ir.IntType(LANES)), _WORD)
        found = builder.add(start, builder.cttz(lanes, ir.Constant(ir.IntType(1), 0)))
        return context.make_tuple(builder, signature.return_type, [value, found])

    return _types.Tuple((_types.float64, _types.uint64))(entries, first, own), generate


_fetched: Any = _prefetch
_drawn: Any = _eight_draws
_least: Any = _least_of_others


@overload(prefetch)
def _compiled_fetched(array: Any, place: Any) -> Callable[..., Any]:
    def call(array: Any, place: Any) -> Any:
        return _fetched(array, place)

    return call


@overload(eight_draws)
def _compiled_eight_draws(key: Any, counter: Any, bits: Any, at: Any) -> Callable[..., Any]:
    def call(key: Any, counter: Any, bits: Any, at: Any) -> Any:
        return _drawn(key, counter, bits, at)

    return call


@overload(least_of_others)
def _compiled_least_of_others(entries: Any, first: Any, own: Any) -> Callable[..., Any]:
    def call(entries: Any, first: Any, own: Any) -> Any:
        return _least(entries, first, own)

    return call
