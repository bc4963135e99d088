"""The versions of the solvers, of this package and of Python, for reports and manifests."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from proofs_checks.versions import versions

#: From a solver to the distribution that brings it.
_DISTRIBUTIONS = {"z3": "z3-solver", "cvc5": "cvc5"}


def solver_versions() -> dict[str, str]:
    """Return the versions that produced a result; "missing" for a solver that is not installed."""
    found = dict(versions())
    for solver, distribution in _DISTRIBUTIONS.items():
        try:
            found[solver] = version(distribution)
        except PackageNotFoundError:
            found[solver] = "missing"
    return found
