"""What a hosted mechanism prints: the beginning is shown, the rest counted, and nobody waits for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.hosting.printed import BYTES, LINES, PrintedText
from proofs_checks.conformance.suite import check_mechanism

NOTICE = "costproof: further output of the mechanism is not shown"


def passed_on(tmp_path: Path, *written: bytes) -> str:
    """Return what becomes of some writes."""
    with open(tmp_path / "out", "wb") as file:
        printed = PrintedText(file.fileno())
        for text in written:
            os.write(printed.descriptor, text)
        printed.close()
        printed.close()  # once more does nothing
    return (tmp_path / "out").read_text(encoding="utf-8")


def test_little_is_passed_on_as_it_is(tmp_path: Path) -> None:
    assert passed_on(tmp_path, b"one\n", b"two") == "one\ntwo"
    assert passed_on(tmp_path) == ""


def test_as_many_lines_as_are_shown_are_no_more_than_those(tmp_path: Path) -> None:
    assert passed_on(tmp_path, b"debug\n" * LINES) == "debug\n" * LINES


@pytest.mark.parametrize("at_once", [True, False])
def test_of_many_lines_the_first_are_shown_and_the_others_counted(tmp_path: Path, at_once: bool) -> None:
    lines = [f"debug {number}\n".encode() for number in range(1_000)]
    told = passed_on(tmp_path, *([b"".join(lines)] if at_once else lines)).splitlines()
    assert told[:LINES] == [f"debug {number}" for number in range(LINES)]
    assert told[LINES:] == [NOTICE, f"costproof: {1_000 - LINES} lines of the mechanism were not shown"]


def test_a_line_without_end_is_cut(tmp_path: Path) -> None:
    told = passed_on(tmp_path, b"x" * 50_000)
    assert told.startswith("x" * BYTES + f"\n{NOTICE}\n")
    assert len(told) < BYTES + 200


MECHANISM = """\
import os, subprocess, sys
from proofs_checks.conformance.mutants.plain import Plain

class Prints(Plain):
    def assign(self):
        print("debug", self.step)
        os.write(2, b"raw\\n")
        return super().assign()

class LeavesAWriter(Plain):
    def assign(self):
        if self.step == 2:
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
        return super().assign()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "it.py").write_text(MECHANISM, encoding="utf-8")
    return tmp_path / "it.py"


@pytest.mark.long("starts processes")
def test_the_limit_is_of_all_processes_together(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = check_mechanism(f"{file}:Prints", only=["answers", "independent-instances"], effort=QUICK)
    assert report.conforms
    told = capfd.readouterr().err.splitlines()
    assert len(told) == LINES + 2
    assert told[:2] == ["debug 1", "raw"]
    assert told[LINES] == NOTICE


def test_a_quiet_one_shows_nothing(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with HostedSubject(f"{file}:Prints", quiet=True) as subject:
        assert check_mechanism(subject, only=["initialization-order"], effort=QUICK).conforms
    assert capfd.readouterr().err == ""


@pytest.mark.long("starts processes")
def test_nobody_waits_for_a_child_that_holds_the_pipe(file: Path) -> None:
    report = check_mechanism(f"{file}:LeavesAWriter", only=["initialization-order"], effort=QUICK)
    assert report.checks  # it comes back
