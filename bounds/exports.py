"""The public names of a package: each is loaded when it is first asked for, so that importing a package is quick."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

from bounds.extras import lacking_extra


def exports(
    package: str, names: Mapping[str, str], inside: str = ""
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return what a package sets as its ``__all__``, ``__getattr__`` and ``__dir__``.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    names : mapping of str to str
        From a module to the public names it defines, separated by spaces.
    inside : str, optional
        The package in which the modules are, where they are named without it.

    Examples
    --------
    >>> public, load, _ = exports("shelf", {"fractions": "Fraction"})
    >>> public, load("Fraction").__module__
    (['Fraction'], 'fractions')
    """
    homes = {name: f"{inside}.{module}" if inside else module for module, own in names.items() for name in own.split()}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            return getattr(importlib.import_module(homes[name]), name)
        except ModuleNotFoundError as missing:
            if not (lacking := lacking_extra(missing)):
                raise
            raise ModuleNotFoundError(f"{package}.{name}: {lacking}", name=missing.name) from None

    return sorted(homes), load, lambda: sorted({*vars(sys.modules[package]), *homes})
