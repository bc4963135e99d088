"""What `bounds` and `settings` print: at 80 columns no line is longer and no word is broken; tables read back."""

from __future__ import annotations

import csv
import io
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.file import format_setting
from proofs_checks.cli.arguments import whole_number
from proofs_checks.cli.main import main
from proofs_checks.cli.views.bounds import headline

SHOWN = [["settings"]] + [
    ["bounds", name, *more]
    for name in PUBLISHED_NAMES
    for more in ([], ["--all"], ["--method", "sharp"], ["--horizon", "9007199254740e2", "--all"])
]
_WORD = re.compile(r"[^\s│┃]+")


def printed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(arguments) == 0
    return capsys.readouterr().out


def words(text: str) -> set[str]:
    return {word for line in text.splitlines() for word in _WORD.findall(line) if not set(word) <= set("━┏┳┓┡╇┩└┴┘─")}


@pytest.mark.parametrize("arguments", SHOWN, ids=" ".join)
def test_nothing_is_broken_at_80_columns_in_a_pipe(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    narrow = printed(arguments, capsys)
    assert max(map(len, narrow.splitlines())) <= 80
    monkeypatch.setenv("COLUMNS", "400")
    wide = printed(arguments, capsys)
    assert words(narrow) == words(wide)


def test_a_broken_word_is_noticed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """At 40 columns the table of settings does not fit: the comparison above says so."""
    monkeypatch.setenv("COLUMNS", "40")
    narrow = printed(["settings"], capsys)
    monkeypatch.setenv("COLUMNS", "400")
    assert words(narrow) != words(printed(["settings"], capsys))


@pytest.mark.parametrize("arguments", [["settings"], ["bounds", "gpqa-ladder", "--all"]], ids=" ".join)
def test_a_terminal_of_80_columns_shows_the_same(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    program = [sys.executable, "-m", "proofs_checks", *arguments]
    with subprocess.Popen(program, stdout=follower, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65536):
                shown += piece
        except OSError:  # the other end is closed: all has been read
            pass
        finally:
            os.close(leader)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r", "")
    assert max(map(len, text.splitlines())) <= 80
    monkeypatch.delenv("COLUMNS", raising=False)
    assert words(text) == words(printed(arguments, capsys))


def test_the_headline_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    first, second, *others = printed(["bounds", "gpqa-strong"], capsys).splitlines()
    assert first == "At T = 70,000 three of five guarantees say something for gpqa-strong."
    assert second.startswith("The others start to: identification from T = 76,851")
    assert "Llama-3.2-1B (gap 0.037281) is why" in " ".join(others)


def test_a_headline_when_all_say_something() -> None:
    report = evaluate_bounds(published("gpqa-strong").setting, 10**8)
    assert headline(report) == ["At T = 100,000,000 five of five guarantees say something for gpqa-strong."]


def test_a_cap_above_the_horizon_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(["bounds", "gpqa-full"], capsys).splitlines()
    marked = [line for line in lines if "> T" in line]
    assert [_WORD.findall(line)[0] for line in marked] == ["Qwen2-0.5B"]


def test_one_qualified_provider_is_no_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lone.toml"
    toml = format_setting(published("gpqa-strong").setting)
    path.write_text(toml.replace("quality_threshold = 0.1451107", "quality_threshold = 0.19"))
    text = printed(["bounds", str(path), "--all"], capsys)
    assert "of five guarantees" in text.splitlines()[0]
    assert "undefined" in text


@pytest.mark.parametrize("command", [["bounds", "gpqa-strong"], ["settings"]])
def test_tables_for_papers(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(printed([*command, "--csv"], capsys))))
    assert len(rows) == 5
    if command[0] == "bounds":
        report = evaluate_bounds(published("gpqa-strong").setting, 70_000)
        assert [float(row["value"]) for row in rows] == [bound.value for bound in report.guarantees.values()]
    markdown = printed([*command, "--markdown"], capsys).splitlines()
    assert len(markdown) == 7
    assert len({line.count("|") for line in markdown if r"\|" not in line}) == 1
    latex = printed([*command, "--latex-table"], capsys)
    assert latex.count(r" \\") == 6
    assert latex.rstrip().endswith(r"\end{tabular}")
    assert not re.search(r"(?<!\\)[_#]", latex.partition("\n")[2])


def test_two_tables_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--csv", "--markdown"]) == 2
    assert "not allowed with" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "value"),
    [("70k", 70_000), ("2M", 2_000_000), ("1e6", 10**6), ("1.5m", 1_500_000), ("0.007K", 7), ("70,000", 70_000)],
)
def test_horizons_as_people_write_them(text: str, value: int) -> None:
    assert whole_number(1)(text) == value


@pytest.mark.parametrize(
    "text", ["k", "M", "1.0001k", "70kk", "1/3k", "nank", "70 g", "-1k", "infM", "1e99M", "1e99999999k", "1/0k"]
)
def test_other_suffixes_are_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bounds", "gpqa-strong", f"--horizon={text}"]) == 2
    assert "whole number" in capsys.readouterr().err
