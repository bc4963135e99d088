"""The versions that produced a result."""

from __future__ import annotations

import platform as _python_platform
from importlib.metadata import version


def versions() -> dict[str, str]:
    """Return the versions that produced a result."""
    names = ("costproof", "numpy", "scipy", "sympy", "mpmath", "python-flint")
    found = {"python": _python_platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except ModuleNotFoundError:
            found[name] = "not installed"
    return found
