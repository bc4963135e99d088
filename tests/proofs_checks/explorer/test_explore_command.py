"""`costproof explore` as a command: its address, Ctrl-C, a missing library, and what it does not load."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.proofs_checks.outcomes import Run, assert_bad_input

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}


@pytest.mark.long("starts a server and interrupts it")
def test_it_prints_its_address_answers_there_and_ends_with_ctrl_c() -> None:
    pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
    command = [sys.executable, "-m", "proofs_checks", "explore", "gpqa-strong", "--no-browser", "--json"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, start_new_session=True
    )
    lines = [running.stdout.readline() for _ in range(4)]
    told = json.loads("".join(lines))
    assert told["setting"] == "gpqa-strong"
    [address] = [each for each in told.values() if str(each).startswith("http://127.0.0.1:")]
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address, timeout=60) as answer:
        assert b"costproof explorer" in answer.read()
    running.send_signal(signal.SIGINT)
    out, errors = running.communicate(timeout=120)
    assert (running.returncode, out, errors) == (130, "", "costproof: interrupted\n")


def test_without_dash_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    for name in [each for each in sys.modules if each.startswith("proofs_checks.explorer")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dash", None)
    assert_bad_input(run("explore", "--no-browser"), "pip install 'costproof[explore]'")


@pytest.mark.long("needs dash")
@pytest.mark.parametrize("arguments", ["no-such-setting", "--port 70000", "--horizon 3", "--horizon 2M"])
def test_bad_input_is_one_line(arguments: str, run: Run) -> None:
    pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
    assert_bad_input(run("explore", *arguments.split(), "--no-browser"))
