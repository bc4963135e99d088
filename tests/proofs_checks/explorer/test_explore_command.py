"""`costproof explore` as a command: its address, Ctrl-C, a missing library, and what it does not load."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from proofs_checks.cli.main import main

ROOT = Path(__file__).parents[3]


def started(*more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "proofs_checks", "explore", "gpqa-strong", "--no-browser", *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )


def interrupted(running: subprocess.Popen[str]) -> tuple[int, str, str]:
    running.send_signal(signal.SIGINT)
    out, errors = running.communicate(timeout=120)
    return running.returncode, out, errors


def test_it_prints_its_address_answers_there_and_ends_with_ctrl_c() -> None:
    running = started()
    assert running.stdout is not None
    line = running.stdout.readline()
    assert line.startswith("The explorer of gpqa-strong is at http://127.0.0.1:")
    address = line.split(" at ")[1].split()[0]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address, timeout=60) as answer:
        assert b"costproof explorer" in answer.read()
    assert interrupted(running) == (130, "", "costproof: interrupted\n")


def test_the_address_is_one_json_document() -> None:
    running = started("--json")
    assert running.stdout is not None
    lines = [running.stdout.readline() for _ in range(4)]
    assert json.loads("".join(lines))["setting"] == "gpqa-strong"
    assert interrupted(running)[0] == 130


def test_without_dash_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [each for each in sys.modules if each.startswith("proofs_checks.explorer")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dash", None)
    assert main(["explore", "--no-browser"]) == 2
    assert "pip install 'costproof[explore]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["explore", "no-such-setting"],
        ["explore", "--port", "70000"],
        ["explore", "--horizon", "3"],
        ["explore", "--horizon", "2M"],
    ],
)
def test_bad_input_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "--no-browser"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_no_other_command_loads_the_explorer() -> None:
    script = (
        "import sys; from proofs_checks.cli.main import main; main(['bounds', 'gpqa-strong']); "
        "print([m for m in sys.modules if m.partition('.')[0] in ('dash', 'flask', 'plotly') or 'explorer' in m])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment, timeout=120
    )
    assert done.stdout.splitlines()[-1] == "[]"
