"""A command that runs out of memory says so in one line; it refutes nothing."""

from __future__ import annotations

import errno
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from proofs_checks.cli import main as main_module
from proofs_checks.cli.commands import settings
from proofs_checks.cli.main import main

ROOT = Path(__file__).parents[3]
#: Bytes of addresses: enough to start, and not to load the simulator.
LITTLE = 500_000 * 1024


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "memory ran out"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "memory ran out"),
        (RuntimeError("can't start new thread"), "starts no more threads or processes"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "starts no more threads or processes"),
    ],
)
def test_it_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: Exception, said: str
) -> None:
    def run(arguments: object) -> int:
        raise error

    monkeypatch.setattr(settings, "run", run)
    monkeypatch.setattr(main_module, "silence", lambda: None)  # it would outlive this test
    assert main(["settings"]) == 2
    told = capfd.readouterr()
    assert (told.out, told.err.count("\n"), said in told.err) == ("", 1, True)


@pytest.mark.long("starts a process")
def test_where_the_system_gives_no_more() -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (LITTLE, LITTLE))

    done = subprocess.run(
        [sys.executable, "-m", "proofs_checks", "verify", "gpqa-strong", "--quick"],
        cwd=ROOT,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert done.stderr.count("\n") == 1
    assert "memory" in done.stderr  # which ran out, or is too little for another thread
