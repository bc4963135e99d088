"""What is said on stderr while checks take long: on a terminal a bar, elsewhere a line now and then."""

import io
import sys

import pytest

from proofs_checks.cli import progress
from proofs_checks.cli.progress import SlowLine, checks_progress
from proofs_checks.conformance.play import time_limit
from tests.proofs_checks.outcomes import Run


class Clock:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(progress, "_now", made)
    return made


def test_a_line_after_ten_seconds_and_whenever_the_time_has_doubled(clock: Clock, capsys) -> None:
    line = SlowLine(clock())
    for second in range(100):
        clock.now = float(second)
        line.tell(second // 4, 31, 0.04)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        f"costproof: {done} of 31 checks done, roughly {left} to go; one call takes about 40 ms"
        for done, left in ((2, "2 min"), (5, "2 min"), (10, "1 min"), (20, "40 s"))
    ]


def test_the_command_says_nothing_on_stdout_while_it_waits(monkeypatch: pytest.MonkeyPatch, passed: Run) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 1e-9)
    monkeypatch.setattr(time_limit, "_SECOND", 0.0)
    target = "proofs_checks.conformance.mutants.plain:Plain"
    told = passed("check", target, "--json", "--only", "initialization-payment", "--quick", "--in-process")
    assert told.out.startswith("{")
    assert "costproof: 0 of 1 checks done\n" in told.err, "its calls are fast: they are not what takes long"


def test_a_terminal_shows_a_bar_with_what_a_call_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stderr", terminal)
    with checks_progress() as (done, playing):
        playing(12, 31, 0.04)
        done(13, 31)
    assert "13/31" in terminal.getvalue()
    assert "one call takes about 40 ms" in terminal.getvalue()
