"""README.md shows what its command prints; the Python of docs/start/python.md runs, and says what its comments say."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from proofs_checks.cli.main import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = ROOT / "docs" / "start" / "python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PYTHON.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
#: An expression on a line of its own, and the value that its comment states.
STATED = re.compile(r"^(?P<expression>\S.*?)  # (?P<value>.+)$", re.MULTILINE)


def stated_values(block: str) -> list[tuple[str, Any]]:
    """Expressions whose comment is a value and nothing else."""
    found = []
    for line in STATED.finditer(block):
        try:
            ast.parse(line["expression"], mode="eval")
            with warnings.catch_warnings(action="ignore"):
                found.append((line["expression"], ast.literal_eval(line["value"])))
        except (SyntaxError, ValueError):
            continue
    return found


def test_every_block_runs_and_every_stated_value_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path])
    names: dict[str, Any] = {}
    compared = 0
    for block in BLOCKS:
        exec(compile(block, PYTHON.name, "exec"), names)
        for expression, value in stated_values(block):
            assert eval(expression, names) == value, expression
            compared += 1
    assert len(BLOCKS) >= 3
    assert compared >= 8


def test_what_commands_are_shown_to_print_they_print(capsys: pytest.CaptureFixture[str]) -> None:
    shown = re.findall(r"^```console\n\$ costproof ([^\n]*)\n(.*?)^\.\.\.\n```$", README, re.DOTALL | re.MULTILINE)
    assert shown
    for command, lines in shown:
        assert main(command.split()) == 0
        assert capsys.readouterr().out.startswith(lines)


def test_nothing_but_the_front_door_is_imported() -> None:
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for block in BLOCKS
        for node in ast.walk(ast.parse(block))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert imported == {"costproof"}


def test_it_leads_on_to_files_that_are_there() -> None:
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert len(linked) >= 10
    assert [path for path in linked if not (ROOT / path).is_file()] == []
