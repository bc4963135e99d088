"""A command that runs out of memory says so in one line; it refutes nothing."""

import errno
import resource
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from proofs_checks.cli import main as main_module
from proofs_checks.cli.commands import settings
from proofs_checks.cli.main import LEAST_ADDRESSES
from tests.proofs_checks.outcomes import Run, assert_bad_input

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "memory ran out"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "memory ran out"),
        (RuntimeError("can't start new thread"), "starts no more threads or processes"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "starts no more threads or processes"),
    ],
)
def test_it_is_one_line(monkeypatch: pytest.MonkeyPatch, run: Run, error: Exception, said: str) -> None:
    monkeypatch.setattr(settings, "run", mock.Mock(side_effect=error))
    monkeypatch.setattr(main_module, "silence", lambda: None)  # it would outlive this test
    assert_bad_input(run("settings"), said)


@pytest.mark.long("starts processes")
@pytest.mark.parametrize(
    ("kibibytes", "command", "code"),
    [
        (300_000, "verify gpqa-strong --quick", 2),  # what its libraries printed had 53 to 973 lines
        (450_000, "coverage gpqa-strong", 2),  # it waited in a library without end, or was aborted
        (LEAST_ADDRESSES // 1024, "coverage gpqa-strong", 0),
    ],
)
def test_libraries_are_not_loaded_where_they_would_hang(kibibytes: int, command: str, code: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (kibibytes * 1024, kibibytes * 1024))

    done = subprocess.run(
        [sys.executable, "-m", "proofs_checks", *command.split()],
        cwd=ROOT,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, bool(done.stdout)) == (code, code == 0), done.stderr
    assert not code or (done.stderr.count("\n") == 1 and "ulimit -v" in done.stderr)
