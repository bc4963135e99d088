"""The versions that produced a result."""

from __future__ import annotations

import platform as _python_platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

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


def versions() -> dict[str, str]:
    """Return the versions that produced a result: Python's, this package's, and those of what it computes with.

    Examples
    --------
    >>> list(versions())
    ['python', 'costproof', 'numpy', 'scipy', 'sympy', 'mpmath', 'python-flint']
    """
    return {"python": _python_platform.python_version(), **package_versions(_PACKAGES, "not installed")}
