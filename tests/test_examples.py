"""The examples run as their documentation says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

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
