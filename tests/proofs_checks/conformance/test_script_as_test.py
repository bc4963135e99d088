"""`costproof check --script`: the file runs with python and with pytest, without this toolkit, red and green alike."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mechanism.config import MechanismConfig
from proofs_checks.cli.main import main
from proofs_checks.conformance.report.failure import Failure
from proofs_checks.conformance.report.script import to_test

#: Refuses to import the toolkit: what is written must not need it.
WITHOUT_TOOLKIT = """
import sys


class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("costproof", "proofs_checks", "mechanism", "bounds"):
            raise ImportError(f"{name} is not to be imported")


sys.meta_path.insert(0, Refused())
"""
#: Serves in turn, and pays all of c_max: wrong where it pays half.
IN_TURN = """
class InTurn:
    def __init__(self, config, rng):
        self.config, self.step = config, 0

    def assign(self):
        self.step += 1
        return (self.step - 1) % self.config.n_providers, 0.5 * self.config.cost_bound

    def settle(self, score, bid):
        pass
"""
RIGHT = IN_TURN.replace("0.5 *", "1.0 *")
FAILURE = Failure(
    message="step 1: wrong", config=MechanismConfig(2, 0.5, 0.05, 1.0, 1.0, 0.5), seed=3, expected=[1], found=0
)


def ends(*command: str, path: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, *command, path.name], cwd=path.parent, env=environment, capture_output=True, text=True
    )


def exit_codes(path: Path) -> list[int]:
    """Return how the file ends with python and with plain pytest, each in a process of its own."""
    return [ends(*how, path=path).returncode for how in ((), ("-m", "pytest", "-q", "-p", "no:cacheprovider"))]


@pytest.mark.long("runs pytest")
@pytest.mark.parametrize("target", ["routers/script_router.py:InTurn", "script_router:InTurn"])
def test_a_copy_of_the_project_tests_its_own_mechanism(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    first, other = tmp_path / "first", tmp_path / "other"
    router = first / ("routers" if "/" in target else "") / "script_router.py"
    router.parent.mkdir(parents=True)
    router.write_text(IN_TURN)
    (first / "tests").mkdir()
    monkeypatch.chdir(first)
    monkeypatch.delitem(sys.modules, "script_router", raising=False)
    assert main(["check", target, "--quick", "--only", "initialization-payment", "--script", "tests/router.py"]) == 1
    (first / "tests" / "conftest.py").write_text(WITHOUT_TOOLKIT)
    # Bytecode would hide a change of the same length within a second.
    shutil.copytree(first, other, ignore=shutil.ignore_patterns("__pycache__"))
    script = other / "tests" / "router.py"
    assert str(tmp_path) not in script.read_text()
    (other / router.relative_to(first)).write_text(RIGHT)
    assert exit_codes(first / "tests" / "router.py") == [1, 1]
    assert exit_codes(script) == [0, 0]


@pytest.mark.long("runs pytest")
def test_a_mechanism_that_ends_its_process_fails_the_test(tmp_path: Path) -> None:
    target = "tests.proofs_checks.conformance.misbehaving:Exits"
    script = tmp_path / "exits.py"
    assert main(["check", target, "--quick", "--only", "answers", "--script", str(script)]) == 1
    assert exit_codes(script)[1] == 1


@pytest.mark.long("runs pytest")
@pytest.mark.parametrize("failure", [replace(FAILURE, expected={"0": 1}), replace(FAILURE, settlements=((1.0, 0.5),))])
def test_what_cannot_be_judged_is_skipped(failure: Failure, tmp_path: Path) -> None:
    """Draws that are counted, and another history than the one that was played."""
    path = tmp_path / "skipped.py"
    failure = replace(failure, providers=(1,) * len(failure.settlements))
    path.write_text(to_test("mechanism.platform:reference_mechanism", "x-y", "y", failure, str(tmp_path)))
    assert "1 skipped" in ends("-m", "pytest", "-q", "-p", "no:cacheprovider", path=path).stdout
