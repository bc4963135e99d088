"""Versions of installed packages."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version


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
