"""Functions compiled by Numba, and kept on disk where that is possible.

Importing this module loads Numba: only modules that hold machine code import it, and these are imported when needed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
from llvmlite import ir  # type: ignore[import-untyped]
from numba import core
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

_tools: Any = core.cgutils
_NUMBER = ir.IntType(32)
Function = TypeVar("Function", bound=Callable[..., Any])


def kept_machine_code(function: Function, signature: str | None = None, **options: Any) -> Function:
    """Compile for calls from Python, without the interpreter's lock; keep the machine code on disk if possible.

    Numba rebuilds what it kept when the file of the function changes, not when a file that this one calls does. With a
    signature it compiles at once, and once only; else at the first call with arguments of other types.
    """
    options = {"nogil": True, "no_cfunc_wrapper": True, **options}  # nobody calls it from C
    try:
        return cast(Function, nb.njit(signature, cache=True, **options)(function))
    except RuntimeError:  # nowhere to write: every process compiles for itself
        return cast(Function, nb.njit(signature, **options)(function))


def is_at_hand(function: Callable[..., Any]) -> bool:
    """Whether the machine code of a function that is kept is there, in this process or on disk.

    The function is called with arguments of the same types each time.
    """
    if not isinstance(function, CPUDispatcher):  # NUMBA_DISABLE_JIT: it is not compiled at all
        return True
    compiled: Any = function
    if compiled.signatures:
        return True
    if compiled.stats.cache_path is None:
        return False
    # Nothing public says what Numba kept of this very source for this processor.
    kept = compiled._cache._cache_file._load_index()
    processor = compiled.targetdescr.target_context.codegen().magic_tuple()
    return any(compiled_for == processor for _, compiled_for, *_ in kept)


#: What Numba makes of every function, else, for calls from Python and from C.
_NO_WAYS_IN = ("no_cpython_wrapper", "no_cfunc_wrapper")


class _Part(CPUDispatcher):
    """A function that machine code calls; a way in from Python is made once Python calls it."""

    @functools.cached_property
    def _with_ways_in(self) -> Callable[..., Any]:
        return cast(Callable[..., Any], nb.jit(**self.targetoptions | dict.fromkeys(_NO_WAYS_IN, False))(self.py_func))

    def __call__(self, *arguments: Any) -> Any:
        return self._with_ways_in(*arguments)


def part_of_machine_code(function: Function, **options: Any) -> Function:
    """Let compiled code call a function, in which to divide by 0 is no error; for Python it is compiled once more.

    Ways in from Python and from C, which `numba.njit` makes of every function, take a quarter to a third of the time to
    compile it.
    """
    how = {"nopython": True, "error_model": "numpy", **dict.fromkeys(_NO_WAYS_IN, True), **options}
    return cast(Function, _Part(function, targetoptions=how))


def generated(function: Callable[..., Any]) -> Any:
    """Let Numba put the instructions that a function generates where compiled code calls it."""
    return intrinsic(function)


def address_of(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    """Generate the address of an entry of an array, without a look whether it is inside."""
    view = context.make_array(kind)(context, builder, array)
    return _tools.get_item_pointer(context, builder, kind, view, [place])


def in_every_lane(builder: Any, value: Any, shape: Any) -> Any:
    """Generate a vector of a shape that has a value in every lane."""
    lone = builder.insert_element(ir.Constant(shape, ir.Undefined), value, _NUMBER(0))
    return builder.shuffle_vector(lone, lone, ir.Constant(ir.VectorType(_NUMBER, shape.count), [0] * shape.count))
