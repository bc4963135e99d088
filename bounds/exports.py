"""The public names of a package: each is loaded when it is first asked for, so that importing a package is quick."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from typing import Any

#: What is no dependency, and the extra that installs it.
_EXTRAS = {"matplotlib": "figures", "dash": "explore", "z3": "prove", "cvc5": "prove"}


def exports(package: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return what a package sets as its ``__all__``, ``__getattr__`` and ``__dir__``.

    Its public names are those that its source imports under ``if TYPE_CHECKING:``.

    Parameters
    ----------
    package : str
        Its ``__name__``.

    Examples
    --------
    >>> public, load, _ = exports("bounds")
    >>> public[:2], load("InputError").__module__
    (['BoundsReport', 'Formula'], 'bounds.errors')
    """
    with open(str(sys.modules[package].__file__), encoding="utf-8") as source:
        homes = _homes(source.read())

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(importlib.import_module(homes[name]), name)
        except ModuleNotFoundError as missing:
            lacking = f"{missing.name}".partition(".")[0]
            if lacking not in _EXTRAS:
                raise
            told = f"{package}.{name} needs {lacking}: pip install 'costproof[{_EXTRAS[lacking]}]'"
            raise ModuleNotFoundError(told, name=missing.name) from None

    return sorted(homes), load, lambda: sorted({*vars(sys.modules[package]), *homes})


def _homes(source: str) -> dict[str, str]:
    """Return the module of each name that is imported under ``if TYPE_CHECKING:``."""
    imports = (line for block in ast.parse(source).body if isinstance(block, ast.If) for line in block.body)
    return {name.name: str(line.module) for line in imports if isinstance(line, ast.ImportFrom) for name in line.names}
