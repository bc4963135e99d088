"""`--jobs`: checks in several processes find what they find one after another, in the same order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from proofs_checks.conformance import QUICK
from proofs_checks.conformance.suite import check_mechanism
from tests.proofs_checks.conformance import misbehaving

pytestmark = pytest.mark.long("starts processes")
MUTANTS, FILE = "proofs_checks.conformance.mutants", Path(misbehaving.__file__)


def printed(*options: str) -> tuple[int, str]:
    """What the command prints: scenarios depend on the modules that are loaded, so it has a process of its own."""
    command = [sys.executable, "-m", "costproof", "check", *options, "--quick", "--json"]
    only = [part for name in ("answers", "restart", "critical-payment", "long-run") for part in ("--only", name)]
    done = subprocess.run([*command, *only], capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    ("code", "options"),
    [
        (0, "mechanism.platform:reference_mechanism"),
        (0, "mechanism.platform:concurrent_mechanism --in-flight 3"),
        (1, f"{MUTANTS}.pricing:FirstPrice"),
        (1, f"{MUTANTS}.pricing:FirstPrice --fail-fast"),
        (1, f"{MUTANTS}.contract:Raises --exclude answers"),  # the others look at what it answers up to there
        (1, f"{FILE}:Sleeps --time-limit 0.1"),
    ],
)
def test_the_report_is_the_same(code: int, options: str) -> None:
    one, two = (printed(*options.split(), "--jobs", jobs) for jobs in ("1", "2"))
    assert one == two
    assert one[0] == code


def test_warnings_are_heard(tmp_path: Path) -> None:
    (tmp_path / "warns.py").write_text(
        "import warnings\nfrom mechanism.platform import Platform\n\n\nclass Warns(Platform):\n"
        "    def _payment(self, winner, able):\n        warnings.warn('overflow', RuntimeWarning)\n"
        "        return super()._payment(winner, able)\n"
    )
    only = ["exploration-payment", "critical-payment"]
    report = check_mechanism(f"{tmp_path}/warns.py:Warns", effort=QUICK, only=only, jobs=2)
    assert report.warned == (f"RuntimeWarning: overflow ({tmp_path}/warns.py:7)",)
