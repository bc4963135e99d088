"""The versions that produced a result."""

from __future__ import annotations

import platform as _python_platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

_PACKAGES = ("costproof", "numpy", "scipy", "sympy", "mpmath", "python-flint")


def package_versions(packages: Iterable[str], absent: str) -> dict[str, str]:
    """Return the versions of packages.

    Parameters
    ----------
    packages : iterable of str
        Names of distributions.
    absent : str
        What stands for a package that is not installed.

    Examples
    --------
    >>> package_versions(["costproof-without-this-name"], absent="not installed")
    {'costproof-without-this-name': 'not installed'}
    """
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = absent
    return found


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
    found = package_versions([*_PACKAGES, *more.values()], absent)
    named = {name: found[distribution] for name, distribution in more.items()}
    return {"python": _python_platform.python_version(), **{name: found[name] for name in _PACKAGES}, **named}
