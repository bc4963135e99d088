"""Functions compiled by Numba, and kept on disk where that is possible.

Importing this module loads Numba: only modules that hold machine code import it, and these are imported when needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba as nb
from numba.extending import intrinsic, register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])


def kept_machine_code(function: Function, signature: str | None = None, **options: Any) -> Function:
    """Compile for calls from Python, without the interpreter's lock; keep the machine code on disk if possible.

    Numba rebuilds what it kept when the file of the function changes, not when a file that this one calls does. With a
    signature it compiles at once, and once only; else at the first call with arguments of other types.
    """
    try:
        return cast(Function, nb.njit(signature, cache=True, nogil=True, **options)(function))
    except RuntimeError:  # nowhere to write: every process compiles for itself
        return cast(Function, nb.njit(signature, nogil=True, **options)(function))


def part_of_machine_code(function: Function, **options: Any) -> Function:
    """Let compiled code call a function, in which division by 0 is not an error; Python calls it as before.

    `numba.njit` would make each callable from Python as machine code as well, and compile nearly twice as long.
    """
    return register_jitable(error_model="numpy", **options)(function)


def generated(function: Callable[..., Any]) -> Any:
    """Let Numba put the instructions that a function generates where compiled code calls it."""
    return intrinsic(function)
