"""Names that all code of a process uses: which of them somebody replaced since a module was imported."""

from __future__ import annotations

import builtins
import math
import os
import random
import sys
import time
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np

_MODULES: Mapping[str, ModuleType] = {
    "builtins": builtins,
    "math": math,
    "numpy": np,
    "numpy.random": np.random,
    "os": os,
    "random": random,
    "sys": sys,
    "time": time,
}
#: Names of `sys` that it is usual to replace, or that Python itself replaces.
_HOOKS = ("displayhook", "excepthook", "unraisablehook", "breakpointhook")
#: Replaced names that a message lists.
_NAMED = 4


class SharedNames:
    """What names stood for when this was made.

    Names that are added later are nobody's business. Of `sys` and `time` functions alone are looked at: other names
    change by themselves, as with `time.tzset`.

    Examples
    --------
    >>> names = SharedNames()
    >>> names.replaced()
    ()
    """

    def __init__(self) -> None:
        self._before = {name: _shared(name, module) for name, module in _MODULES.items()}

    def replaced(self) -> tuple[str, ...]:
        """Return the names, as ``math.sqrt``, that stand for something else now."""
        gone = object()
        return tuple(
            f"{name}.{key}"
            for name, known in self._before.items()
            for key, value in known.items()
            if vars(_MODULES[name]).get(key, gone) is not value
        )


def named(replaced: Sequence[str]) -> str:
    """Return the first of some names as a text; empty if there are none.

    Examples
    --------
    >>> named(["math.log", "math.sqrt"])
    'math.log, math.sqrt'
    """
    return ", ".join(replaced[:_NAMED]) + (" and more" if len(replaced) > _NAMED else "")


def _shared(name: str, module: ModuleType) -> dict[str, Any]:
    found = {key: value for key, value in vars(module).items() if not (key.startswith("__") and name != "builtins")}
    if module in (sys, time):
        found = {key: value for key, value in found.items() if callable(value) and key not in _HOOKS}
    return {key: value for key, value in found.items() if key not in ("_", "__builtins__", "__warningregistry__")}
