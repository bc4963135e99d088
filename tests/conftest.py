"""Hypothesis profiles: no deadline on shared machines; the same examples on every run of CI. Sweeps are left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the sweeps unless `-m` says what to run."""
    if not config.getoption("-m"):
        sweeps = [item for item in items if item.get_closest_marker("sweep")]
        config.hook.pytest_deselected(items=sweeps)
        items[:] = [item for item in items if item not in sweeps]


# Worker processes and clusters import the tests' functions by name; an installed package has no tests.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))
