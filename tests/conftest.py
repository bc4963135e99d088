"""Rules for all tests: no deadline on shared machines, the same examples on every run of CI, and no silent skip."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
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


#: What a machine may lack. What the tests need from Python is in the extra `test`.
DEVICES = ("no /dev/full here", "needs a device without an end")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a skipped test fail: a run that compared less than it should has not passed."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and not any(it in str(report.longrepr) for it in DEVICES):
        report.outcome, report.longrepr = "failed", f"{report.longrepr}: needs pip install '.[test]'"
    return report


# Worker processes import the tests' functions by name and take over this path; the installed packages come first.
sys.path.append(str(Path(__file__).parents[1]))
