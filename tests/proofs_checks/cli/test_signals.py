"""A signal at any moment: one line, 130 or 143, no traceback, no process left, and what was finished is kept."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bounds.published import published
from mechanism.tabular.traces import write_trace
from proofs_checks.claims.cases.variants import play

pytestmark = pytest.mark.long("starts and signals processes")

#: The program, which says on a descriptor of its own when it has started; the tests may run where signals are ignored.
PROGRAM = """
import os, signal, sys
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)
from proofs_checks.cli.program import program
from proofs_checks.cli.signals import leave_at_once
leave_at_once()
os.write(int(sys.argv.pop(1)), b".")
program()
"""
#: Set in the environment of a program.
MARK = "COSTPROOF_TEST_OF_SIGNALS"
SAID = {signal.SIGINT: "costproof: interrupted", signal.SIGTERM: "costproof: terminated"}
COMMANDS = {
    "bounds": ("bounds", "gpqa-strong"),
    "audit": ("audit", "log.csv", "--setting", "gpqa-strong", "--jobs", "2"),
    "simulate": ("simulate", "gpqa-strong", "--runs", "2000", "--jobs", "2", "--out", "kept", "--no-traces"),
    "simulate, processes": ("simulate", "gpqa-strong", "--runs", "2000", "--jobs", "2", "--backend", "processes"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("signals")
    setting = published("gpqa-strong").setting
    write_trace(play(setting, "truthful", horizon=150_000, seed=0, run=0).trace, found / "log.csv", setting)
    return found


def environment(*folders: Path) -> dict[str, str]:
    """Return the environment of a process that imports what this one does, and what is in some folders first."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, folders), *filter(None, sys.path)])}


#: Lines that an interruption of the program ends.
INTERRUPTED = """
import os, signal, time
from proofs_checks.cli import signals
signal.signal(signal.SIGINT, signal.default_int_handler)
signals.interrupt_work()
{}
try:
    {}
    time.sleep(30)
except KeyboardInterrupt:
    print(signals.said(), signals.exit_code())
"""


def ran(before: str, interrupted: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    """Run some lines of Python to their end."""
    command, env = [sys.executable, "-c", INTERRUPTED.format(before, interrupted)], environment(*folders)
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)


def started(arguments: tuple[str, ...], folder: Path, mark: str = "") -> subprocess.Popen[str]:
    """Return a process of the program, in a session of its own, that has seen to signals."""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(writer), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        pass_fds=(writer,),
        start_new_session=True,
        env=environment() | {MARK: mark},
    )
    os.close(writer)
    assert os.read(reader, 1) == b"."
    os.close(reader)
    return process


def left(mark: str) -> list[int]:
    """Return the processes that a program and its workers left, whichever session they are in: they inherit a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z" and f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def gone(mark: str, seconds: float = 5.0) -> bool:
    """Whether all of them end soon."""
    end = time.monotonic() + seconds
    while left(mark) and time.monotonic() < end:
        time.sleep(0.05)
    return not left(mark)


@pytest.mark.parametrize("number", SAID, ids=lambda number: number.name)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_signal_at_a_random_moment_is_one_line(name: str, number: signal.Signals, folder: Path) -> None:
    rng = random.Random(f"{name} {number}")
    for delay in (rng.uniform(0, 0.2), rng.uniform(0.2, 1), rng.uniform(1, 3)):
        mark = f"{os.getpid()} {name} {number} {delay}"
        process = started(COMMANDS[name], folder, mark)
        time.sleep(delay)
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
        told = f"{name} {number.name} after {delay:.3f} s: {process.returncode} {out} {err}"
        assert process.returncode in (0, 128 + number), told
        assert "Traceback" not in err, told
        lines = [line for line in err.splitlines() if not re.match(r"costproof: compiling|[\d,]+ of [\d,]+ runs", line)]
        if process.returncode:
            # Said what had been finished, or nothing; and, where nothing was left to interrupt, not even the line.
            assert lines == [SAID[number]] or (not lines and out), told
        assert gone(mark), told


def test_an_interruption_that_code_swallowed_comes_again(folder: Path) -> None:
    """As callbacks of the import system swallow it: here one of the collector's finalizers."""
    finalized = """
class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000):
            pass
"""
    done = ran(finalized, "Finalized()")
    assert (done.stdout, done.stderr) == ("interrupted 130\n", "")


def test_what_an_interruption_leaves_half_made_complains_to_nobody(folder: Path) -> None:
    """As llvmlite's objects do, whose finalizer needs what their constructor had not got to."""
    half_made = """
class HalfMade:
    def __init__(self, interrupted):
        if interrupted:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):
                pass
    def __del__(self):
        self.never_set
HalfMade(False)
"""
    done = ran(half_made, "HalfMade(True)")
    assert done.stdout == "interrupted 130\n"
    assert done.stderr.count("Traceback") == 1, "without an interruption it is said"


def test_an_interruption_waits_for_the_end_of_an_import(tmp_path: Path) -> None:
    """As NumPy does while it is imported: it makes another error of it, and no longer tells which."""
    module = """
import os, signal
try:
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(1_000_000))
except BaseException:
    raise ImportError("something is wrong with your installation") from None
"""
    (tmp_path / "turns_it_into_another_error.py").write_text(module)
    done = ran("", "import turns_it_into_another_error", tmp_path)
    assert (done.stdout, done.stderr) == ("interrupted 130\n", "")
