"""The two tiers of the tests, what the second needs from the machine, and how much CPU a test of the first may take.

`pytest` runs the first tier; ``pytest -m "long or not long"`` runs both. A test belongs to the second tier if it is
marked with `long` and a reason, or with what it needs beyond pip: `browser`, `coq`, `gpu`.
"""

import os
import resource
import shutil
import time
from collections.abc import Generator

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

from bounds.errors import InputError
from mechanism.campaign.gpu import check_gpu
from proofs_checks.proofs.kernel.coq import coq_version
from tests.browser import browser_path

FIRST_TIER = "not long"
#: CPU seconds of the calibration loop on the machine on which the limit was chosen.
_REFERENCE = 0.035
#: How often a test that exceeds the limit is run again.
_REPETITIONS = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of continuous integration."""
    group = parser.getgroup("tiers")
    group.addoption("--fail-on-skip", action="store_true", help="fail a test that this machine cannot run")
    group.addoption(
        "--cpu-limit",
        type=float,
        metavar="SECONDS",
        help="fail a test that is not marked long and takes more CPU, imports and compilation excluded, relative to a "
        "calibration loop",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples in the first tier, and the same examples in every run of CI."""
    examples = 25 if config.option.markexpr == FIRST_TIER else 100
    settings.register_profile("default", deadline=None, max_examples=examples)
    settings.register_profile("ci", settings.get_profile("default"), derandomize=True, print_blob=True)
    settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put tests that need a part of the machine into the second tier, and skip them where the part is missing."""
    for part, missing in {"browser": _no_browser, "coq": _no_coq, "gpu": _no_gpu}.items():
        needing = [item for item in items if item.get_closest_marker(part)]
        reason = "" if config.option.markexpr == FIRST_TIER or not needing else missing()
        for item in needing:
            item.add_marker(pytest.mark.long(f"needs {part}"))
            if reason:
                item.add_marker(pytest.mark.skip(reason=reason))
    # The longest tests start first: at the end they would occupy one processor alone.
    items.sort(key=lambda item: not item.get_closest_marker("coq") and "test_site" not in item.nodeid)


def _no_browser() -> str:
    return "" if browser_path() else "needs Chromium: apt-get install chromium"


def _no_coq() -> str:
    found = coq_version() and shutil.which("coqchk")
    return "" if found else "needs Coq: apt-get install coq libcoq-coquelicot"


def _no_gpu() -> str:
    try:
        check_gpu()
    except InputError:
        return "needs an NVIDIA GPU and pip install '.[gpu]'"
    return ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a skipped test under `--fail-on-skip`: a run that compares less than it should has not passed."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and item.config.option.fail_on_skip:
        _fail(report)
    return report


def _fail(report: pytest.TestReport | pytest.CollectReport) -> None:
    report.outcome, report.longrepr = "failed", f"skipped: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a skipped module under `--fail-on-skip` where its tests were to run: those of extras are all long."""
    report = yield
    options = collector.config.option
    if report.skipped and options.fail_on_skip and options.markexpr != FIRST_TIER:
        _fail(report)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the tier that was not run."""
    if config.option.markexpr == FIRST_TIER:
        terminalreporter.line('The long tests were not run: pytest -m "long or not long" runs all.')


def _cpu() -> float:
    """Return the CPU seconds of this process and of those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def slower() -> float:
    """Return how many times slower a loop is than on the machine of the limits, at least 1.

    Five times in a row, since whoever shares the core slows the loop as it slows a test.
    """
    begun = time.process_time()
    for _ in range(5):
        sum(i * i for i in range(1_000_000))
    return max(1, (time.process_time() - begun) / 5 / _REFERENCE)


#: CPU seconds of the call of a test.
_CPU = pytest.StashKey[float]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Measure the CPU seconds of a test without its fixtures."""
    begun = _cpu()
    try:
        yield
    finally:
        item.stash[_CPU] = _cpu() - begun


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Fail a test of the first tier that exceeds `--cpu-limit` three times.

    Its first run may import and compile; one more may share its core with others.
    """
    limit = item.config.option.cpu_limit
    if limit is None or item.get_closest_marker("long"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports, allowed = runtestprotocol(item, nextitem=nextitem, log=False), limit
    for _ in range(_REPETITIONS):
        if item.stash.get(_CPU, 0) <= allowed or not all(report.passed for report in reports):
            break
        allowed = limit * slower()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    else:
        if item.stash[_CPU] > allowed:
            call = next(report for report in reports if report.when == "call")
            call.outcome = "failed"
            call.longrepr = (
                f"{item.stash[_CPU]:.1f} CPU seconds, {allowed:.1f} are allowed: mark it long, with a reason"
            )
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
