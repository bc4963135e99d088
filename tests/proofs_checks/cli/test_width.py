"""What commands print fits 80 columns, in a pipe and in a terminal, and breaks no word and no number."""

import os
import pty
import re
import sys
import threading
from pathlib import Path

import pytest

from bounds.published import published
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.cli.main import main
from proofs_checks.proofs.kernel.theorems import stored
from tests.parametrized import long_but
from tests.proofs_checks.cli.known import report_with_a_witness, slow_ones_once
from tests.proofs_checks.cli.test_bounds_output import SEVEN
from tests.tabled import rows_of

NAME = "gpqa-strong"
COMMANDS = {name: tuple(command.split()) for name, command in rows_of(__file__, "width.csv")}
#: Those that the first tier runs.
QUICK = ["settings", "simulate", "audit", "docs", "claims"]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
#: How long something took differs from run to run.
TIMES = re.compile(r"[\d,.]+ (?=steps/s|s;)|^(\S+ +(?:\d+/\d+ +){3})[\d.]+$", re.MULTILINE)


def broken(narrow: str, wide: str) -> set[str]:
    """Words of a narrow output that a wide one does not have: pieces of broken ones."""
    parts = [set(TIMES.sub(r"\1", text).replace(" \\\n", " ").split()) for text in (narrow, wide)]
    return parts[0] - parts[1]


def pasted(line: str) -> bool:
    """Whether a line is copied whole, however narrow: a word, a script's line or the command after it, Coq's line."""
    return (
        " " not in line.strip()
        or line.startswith(("# ", "from ", "config = ", "history = ", "print(", "Next: fix", "Then  "))
        or any(line.strip() in statement for statement in stored().statements.values())
    )


def too_wide(text: str, columns: int) -> list[str]:
    return [line for line in text.splitlines() if len(line) > columns and not pasted(line)]


once = slow_ones_once()


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a log in which a bid was edited; no solver is asked by `verify`."""
    case = play(published(NAME).setting, "truthful", horizon=600, seed=0, run=0)
    columns = {name: column.copy() for name, column in case.trace.columns().items()}
    columns["bid"][300] *= 1.5
    write_trace(Trace(**columns), tmp_path / "log.csv", case.setting)
    (tmp_path / "report.json").write_text(report_with_a_witness(), encoding="utf-8")
    (tmp_path / "seven.toml").write_text(SEVEN)
    (tmp_path / "near.toml").write_text(SEVEN.replace("0.69\n", "0.69999999999\n"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("proofs_checks.verify.episodes.certificate_evidence", lambda labels: {})
    once(monkeypatch)


def in_a_terminal(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, *streams: str) -> str:
    """What a command writes to a pseudo-terminal by some streams, stdout unless others are named, without colours."""
    ours, theirs = pty.openpty()
    read: list[bytes] = []

    def drain() -> None:
        while True:
            try:
                read.append(os.read(ours, 65536))
            except OSError:
                return

    reader = threading.Thread(target=drain)
    reader.start()
    with monkeypatch.context() as patch, os.fdopen(theirs, "w", encoding="utf-8") as terminal:
        for stream in streams or ("stdout",):
            patch.setattr(sys, stream, terminal)
        patch.setenv("TERM", "xterm")
        main(list(arguments))
    reader.join()
    os.close(ours)
    return ESCAPES.sub("", b"".join(read).decode()).replace("\r\n", "\n")


@pytest.mark.parametrize("name", long_but(QUICK, COMMANDS, reason="runs a command four times"))
def test_narrow_screens(
    name: str, log: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = list(COMMANDS[name])
    found = {}
    for columns in ("400", "60", ""):  # 80 without COLUMNS
        monkeypatch.setenv("COLUMNS", columns)
        main(arguments)
        found[columns] = capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "80")
    found["80"] = in_a_terminal(COMMANDS[name], monkeypatch)
    wide = found.pop("400")
    assert len(wide.splitlines()) <= len(found[""].splitlines())
    for columns, text in found.items():
        assert len(text.splitlines()) > 2
        assert not too_wide(text, int(columns or 80))
        assert not broken(text, wide)
        assert "\u2026" not in text
