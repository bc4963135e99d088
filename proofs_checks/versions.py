"""The versions that produced a result."""

from __future__ import annotations

import platform as _python_platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

_PACKAGES = ("costproof", "numpy", "scipy", "sympy", "mpmath", "python-flint")


def versions(more: Mapping[str, str] = MappingProxyType({}), *, absent: str = "not installed") -> dict[str, str]:
    """Return the versions that produced a result: Python's, this package's, and those of what it computes with.

    Parameters
    ----------
    more : mapping of str to str, optional
        Other packages: what to call each, and the distribution that brings it.
    absent : str, optional
        What stands for one that is not installed.

    Examples
    --------
    >>> versions({"solver": "no-such-solver"}, absent="missing")["solver"]
    'missing'
    """
    found = {"python": _python_platform.python_version()}
    for name, distribution in {**dict(zip(_PACKAGES, _PACKAGES, strict=True)), **more}.items():
        try:
            found[name] = version(distribution)
        except PackageNotFoundError:
            found[name] = absent
    return found
