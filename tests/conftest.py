"""Rules for all tests: examples of Hypothesis, caches, and tests that loop over the entries of a table."""

import gc
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documentation import left_out

pytest_plugins = ("tests.tiers",)


#: Bytecode is kept, here and by the processes that tests start: to compile the tests takes longer than to collect them.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
#: While tests are collected nothing is read that was kept on this machine: what Coq said here would be known for good.
os.environ["COSTPROOF_CACHE"] = "off"
#: Where GitHub runs the tests, commands print annotations.
os.environ.pop("GITHUB_ACTIONS", None)
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


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder of its own: messages show long paths in part."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


#: What workers would compile each, at the same time: first what they need to collect the tests.
_MACHINE_CODE = """
import proofs_checks.claims.model.comparison
from bounds.coverage.walk import band_exit
from bounds.published import published
from mechanism.compiled.episode import CompiledEpisode
from mechanism.running import load_machine_code
band_exit(0.5, n_providers=2, confidence=0.5, counts=2)
load_machine_code()
CompiledEpisode(published("gpqa-strong").setting).trace(horizon=10, seed=0)
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
        if isinstance(mark.args[1], Iterator):
            raise pytest.UsageError(
                f"{metafunc.definition.nodeid}: its entries are an iterator, empty in a second run: list them"
            )
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the code of the pages that no test runs."""
    if any("test_a_page_runs" in node.nodeid for node in terminalreporter.getreports("passed")):
        terminalreporter.line(
            f"{len(left_out())} blocks or commands of the pages are marked as not run, with a reason."
        )


# Worker processes import the tests' functions by name and take over this path; the installed packages come first.
sys.path.append(str(Path(__file__).parents[1]))
