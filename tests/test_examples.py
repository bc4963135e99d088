"""The examples run as their documentation says."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from proofs_checks.cli.main import main
from proofs_checks.conformance import QUICK
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.suite import check_mechanism

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
ROUTER = EXAMPLES / "router_adapter.py"


def test_the_router_knows_nothing_of_this_toolkit() -> None:
    before_main = ROUTER.read_text(encoding="utf-8").split("def main()")[0]
    assert not re.search(r"^\s*(from|import) (costproof|mechanism|bounds|proofs_checks)", before_main, re.MULTILINE)


def test_it_runs_as_a_program_and_passes_every_check() -> None:
    done = subprocess.run(
        [sys.executable, str(ROUTER)], capture_output=True, text=True, timeout=120, check=False, cwd=EXAMPLES.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no proof" in done.stdout


def test_the_command_of_its_documentation_checks_it(capsys) -> None:
    assert main(["check", f"{ROUTER}:make_checked_router", "--quick", "--only", "contract"]) == 0
    assert "make_checked_router" in capsys.readouterr().out


def test_a_broken_router_is_caught() -> None:
    """The adapter hides nothing: a margin forgotten in the price is found."""
    make = load_factory(f"{ROUTER}:make_checked_router")
    names = make.__globals__

    class Forgetful(names["HouseRouter"]):
        def _margin(self, name: str) -> int:
            return 0

    names["HouseRouter"] = Forgetful
    report = check_mechanism(make, effort=QUICK, only=["index-minimizer", "critical-payment"])
    assert report.failed


def ran(name: str) -> list[str]:
    found = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT / "examples",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return found.stdout.splitlines()


def test_second_price_with_a_reserve() -> None:
    no_loss, no_gain, discounted, replayed = ran("second_price_with_reserve.py")
    assert no_loss.startswith("reserve-no-loss: PROVED (by z3 and by cvc5)")
    assert no_gain.startswith("reserve-no-profitable-deviation: PROVED (by z3 and by cvc5)")
    assert discounted.startswith("reserve-as-a-discount: REFUTED")
    nets = re.fullmatch(r"  the winner nets (-\d+(/\d+)?) by the rules of the mechanism", replayed)
    assert nets is not None
    assert Fraction(nets[1]) < 0


def test_a_router_is_played_and_its_log_audited(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "play_and_audit.py"), str(log)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No rule is broken" in done.stdout
    assert len(log.read_text().splitlines()) == 20_001


def test_the_logs_are_what_their_script_writes(tmp_path: Path) -> None:
    ran_in = [sys.executable, str(EXAMPLES / "logs_as_they_are.py"), str(tmp_path)]
    subprocess.run(ran_in, check=True, capture_output=True, timeout=120)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written == {path.name: path.read_bytes() for path in (EXAMPLES / "logs").iterdir()}


def commands() -> list[str]:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8").replace("\\\n", "")
    return re.findall(r"^costproof (audit \S+\.(?:csv|jsonl) .*)$", text, re.MULTILINE)


def test_there_is_a_log_of_each_kind() -> None:
    assert len(commands()) == 3


@pytest.mark.parametrize("command", commands())
def test_one_command_audits_each_log(command: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(EXAMPLES / "logs")
    assert main([*shlex.split(command), "--jobs", "1", "--claim", "lem:payment-range", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["steps"] == 300


@pytest.mark.parametrize("command", commands())
def test_what_is_wrong_in_them_would_be_found(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """Test of the test: without the options that say how bids and money stand there, they do not pass."""
    monkeypatch.chdir(EXAMPLES / "logs")
    other = command.replace("--unit 1e6", "--unit 1e5").replace("--bids before", "--bids after")
    assert main([*shlex.split(other), "--jobs", "1", "--claim", "lem:payment-range"]) in (1, 2)
    capsys.readouterr()
