"""Rules for all tests: no deadline on shared machines, the same examples on every run of CI, and no silent skip."""

from __future__ import annotations

import gc
import inspect
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from bounds.errors import InputError
from mechanism.campaign.gpu import check_gpu
from proofs_checks.proofs.kernel.coq import coq_version
from tests.browser import without_browser
from tests.documentation import left_out

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


#: Bytecode is kept, here and by the processes that tests start: to compile the tests takes longer than to collect them.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
#: While tests are collected nothing is read that was kept on this machine: what Coq said here would be known for good.
os.environ["COSTPROOF_CACHE"] = "off"
#: Hypothesis reads the constants of all our modules. Processes that tests start find them where this one keeps them.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(__file__).parents[1] / ".hypothesis"))


@pytest.fixture(scope="session", autouse=True)
def _kept_for_these_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep answers of solvers for this run of the tests alone; its workers share them."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COSTPROOF_CACHE", str(shared / "kept"))
        yield


#: What workers would compile each, at the same time: first what they need to collect the tests.
_MACHINE_CODE = """
import proofs_checks.claims.model.comparison
from bounds.coverage.walk import band_exit
from bounds.published import published
from mechanism.compiled.episode import CompiledEpisode
from mechanism.running import load_machine_code
band_exit(0.5, n_providers=2, confidence=0.5, counts=2)
load_machine_code()
episode = CompiledEpisode(published("gpqa-strong").setting)
for streaks in (True, False):
    episode.trace(horizon=10, seed=0, streaks=streaks)
"""
_COMPILING = pytest.StashKey[subprocess.Popen[bytes]]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once the machine code that all processes need, while the workers collect the tests."""
    if os.environ.get("PYTEST_XDIST_WORKER"):
        return
    if session.config.getoption("numprocesses", None):
        session.config.stash[_COMPILING] = subprocess.Popen([sys.executable, "-c", _MACHINE_CODE])


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End with what was compiled: if that failed, no test would say so."""
    compiling = session.config.stash.get(_COMPILING, None)
    if compiling is not None and compiling.wait() and not exitstatus:
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: that is a third of the time, and everything stays."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage again, but never among what was collected, and not so often: that takes its time, too."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


#: Fixtures whose state the entries of a loop would share: tests that need them are parametrized.
_OF_ONE_TEST = {"tmp_path", "monkeypatch", "capsys", "capfd", "caplog", "recwarn", "request"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Collect a test marked with `for_each` as one item: to collect an item takes time in every process."""
    for mark in metafunc.definition.iter_markers("for_each"):
        if shared := _OF_ONE_TEST & inspect.signature(metafunc.function).parameters.keys():
            raise pytest.UsageError(f"{metafunc.definition.nodeid}: its entries would share {shared}: parametrize it")
        names = _names(mark)
        metafunc.parametrize(names, [pytest.param(*[None for _ in names], id=pytest.HIDDEN_PARAM)])


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test marked with `for_each` for every entry, and name those that fail."""
    mark = pyfuncitem.get_closest_marker("for_each")
    if mark is None:
        return None
    subtests: pytest.Subtests = pyfuncitem._request.getfixturevalue("subtests")
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    names, entries, ids = _names(mark), mark.args[1], mark.kwargs.get("ids")
    found = list(entries() if inspect.isroutine(entries) else entries)
    assert found, "there is no entry"
    for entry, label in zip(found, map(ids, found) if callable(ids) else ids or found, strict=True):
        # Workers send their reports as plain texts, which a member of an enumeration is not.
        with subtests.test(str(label)) if isinstance(label, str) else subtests.test(entry=label):
            pyfuncitem.obj(**given | dict(zip(names, (entry,) if len(names) == 1 else entry, strict=True)))
    return True


def _names(mark: pytest.Mark) -> list[str]:
    given = mark.args[0]
    return [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)


#: Marks of what runs only if `-m` says so.
_BY_HAND = ("sweep", "hardening")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out sweeps and long attacks unless `-m` says what to run, and the tests of what this machine lacks."""
    if not config.getoption("-m"):
        _leave_out(config, items, [item for item in items if any(map(item.get_closest_marker, _BY_HAND))])
    on_gpu = any(item.get_closest_marker("gpu") for item in items)
    lacking = {"browser": without_browser(), "coq": not coq_version(), "gpu": on_gpu and without_gpu()}
    for part in (part for part, lacks in lacking.items() if lacks):
        left = _leave_out(config, items, [item for item in items if item.get_closest_marker(part)])
        _not_run(config, {**config.stash.get(_LEFT_OUT, {}), part: left})


def without_gpu() -> bool:
    """Whether no run can be played on a GPU here."""
    try:
        check_gpu()
    except InputError:
        return True
    return False


def _leave_out(config: pytest.Config, items: list[pytest.Item], left: list[pytest.Item]) -> int:
    config.hook.pytest_deselected(items=left)
    unwanted = set(left)
    items[:] = [item for item in items if item not in unwanted]
    return len(left)


#: By what a machine may lack, how many tests that need it were collected and not run.
_LEFT_OUT = pytest.StashKey[dict[str, int]]()
_NOT_RUN = {
    "browser": "tests that read the report pages with a browser were NOT RUN (COSTPROOF_NO_BROWSER)",
    "gpu": "tests that play runs on a GPU were NOT RUN (no NVIDIA GPU here, or not the extra gpu)",
    "coq": "tests that have Coq check the theorems were NOT RUN (no coqc here: apt-get install coq libcoq-coquelicot)",
}


def _not_run(config: pytest.Config, numbers: dict[str, int]) -> None:
    """Keep numbers of tests for the end of the run; a worker hands them on with its output."""
    config.stash[_LEFT_OUT] = numbers
    if hasattr(config, "workeroutput"):
        config.workeroutput["tests_left_out"] = numbers


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take from a worker how many tests it left out; all of them collect the same."""
    numbers = getattr(node, "workeroutput", {}).get("tests_left_out")
    if numbers:
        node.config.stash[_LEFT_OUT] = numbers


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how many tests did not run for want of a browser, Coq or a GPU, and which code of the pages no test runs."""
    left = {part: number for part, number in config.stash.get(_LEFT_OUT, {}).items() if number}
    if left:
        terminalreporter.section("NOT RUN", sep="!", red=True, bold=True)
        for part, number in left.items():
            terminalreporter.line(f"{number} {_NOT_RUN[part]}.", red=True)
    if any("test_documentation.py" in node.nodeid for node in terminalreporter.getreports("passed")):
        marked = left_out()
        terminalreporter.section("documentation")
        terminalreporter.line(f"{len(marked)} blocks or commands of the pages are marked as not run:")
        for place in marked:
            terminalreporter.line(f"  {place}")


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
