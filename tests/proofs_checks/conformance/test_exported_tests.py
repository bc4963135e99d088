"""`costproof check --export-tests`: what is written runs under plain pytest, without this toolkit, red and green."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from proofs_checks.cli.main import main
from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.report.exported_tests import FAILURES, SCENARIOS, exported_tests
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism

HERE = Path(__file__).parents[3]
REFERENCE = "mechanism.platform:reference_mechanism"
RULES = {name: check.rules for name, check in ALL_CHECKS.items()}
#: Refuses to import the toolkit: what is exported must not need it.
WITHOUT_TOOLKIT = """
import sys


class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("costproof", "proofs_checks", "mechanism", "bounds"):
            raise ImportError(f"{name} is not to be imported")


sys.meta_path.insert(0, Refused())
"""


def exported(target: str, folder: Path, *options: str) -> Path:
    main(["check", target, "--quick", "--json", "--export-tests", str(folder), *options])
    return folder


def pytest_of(folder: Path) -> tuple[int, str]:
    """Return exit code and last line of plain pytest on a folder, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:costproof", "-rf", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout


def swapped(folder: Path, old: str, new: str) -> None:
    """Let the tests of a folder play another mechanism."""
    module, _, name = old.partition(":")
    other, _, made = new.partition(":")
    for path in folder.rglob("*.py"):
        text = path.read_text()
        path.write_text(text.replace(f"from {module} import {name} as", f"from {other} import {made} as"))


def test_the_reference_mechanism_passes_all(tmp_path: Path, capsys) -> None:
    folder = exported(
        REFERENCE, tmp_path / "tests", "--only", "contract", "--only", "economic", "--only", "lone-payment"
    )
    assert "0 failures and " in capsys.readouterr().err
    code, out = pytest_of(folder)
    assert code == 0, out
    assert int(out.split(" passed")[0].split()[-1]) > 100


def test_a_mutant_fails_and_passes_once_it_is_mended(tmp_path: Path, capsys) -> None:
    mutant = "proofs_checks.conformance.mutants.pricing:FirstPrice"
    folder = exported(mutant, tmp_path / "tests", "--only", "rules", "--only", "own-bid-independence")
    capsys.readouterr()
    code, out = pytest_of(folder)
    assert code == 1
    failed = {line.split("[")[1].split("]")[0] for line in out.splitlines() if line.startswith("FAILED")}
    report = check_mechanism(mutant, only=["rules", "own-bid-independence"], effort=QUICK)
    assert failed == {check.name for check in report.checks if check.status == "failed"}
    swapped(folder, mutant, REFERENCE)
    code, out = pytest_of(folder)
    assert code == 0, out


def test_they_need_no_toolkit(tmp_path: Path, capsys) -> None:
    router = tmp_path / "router.py"
    router.write_text((HERE / "examples" / "router_adapter.py").read_text())
    folder = exported(
        f"{router}:make_checked_router", tmp_path / "tests", "--only", "contract", "--only", "eligibility"
    )
    capsys.readouterr()
    (folder / "conftest.py").write_text(WITHOUT_TOOLKIT)
    code, out = pytest_of(folder)
    assert code == 0, out
    broken = router.read_text()
    assert broken.count("quality_threshold") > 0
    router.write_text(broken.replace("config.quality_threshold", "0.0"))
    code, out = pytest_of(folder)
    assert code == 1, out
    assert "test_scenario[eligibility" in out


def test_a_mechanism_that_ends_its_process_is_no_pass(tmp_path: Path, capsys) -> None:
    target = "tests.proofs_checks.conformance.misbehaving:Exits"
    folder = exported(target, tmp_path / "tests", "--only", "answers")
    capsys.readouterr()
    code, out = pytest_of(folder)
    assert code == 1, out


def test_expected_failures_are_marked() -> None:
    effort = replace(QUICK, keep_passed=True)
    report = check_mechanism(
        "proofs_checks.conformance.mutants.pricing:NoCap",
        only=["payment-range"],
        expected_failures={"payment-range": "we pay more"},
        effort=effort,
    )
    text = exported_tests(report, RULES).files[FAILURES]
    assert "pytest.mark.xfail(reason=" in text
    assert "strict=True" in text


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The exported scenarios of a right mechanism, as a module."""
    report = check_mechanism(Plain, effort=replace(QUICK, keep_passed=True))
    folder = tmp_path_factory.mktemp("exported")
    for name, text in exported_tests(report, RULES).files.items():
        folder.joinpath(name).write_text(text)
    spec = importlib.util.spec_from_file_location("exported_scenarios", folder / SCENARIOS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fails(scenarios: ModuleType, monkeypatch: pytest.MonkeyPatch, factory: object, check: str) -> bool:
    """Return whether a mechanism fails a scenario of a check."""
    monkeypatch.setattr(scenarios, "factory", factory)
    try:
        for scenario in scenarios.SCENARIOS:
            if scenario["check"] == check:
                scenarios.test_scenario(scenario)
    except AssertionError:
        return True
    return False


def test_every_check_but_those_of_draws_has_scenarios(scenarios: ModuleType) -> None:
    assert {each["check"] for each in scenarios.SCENARIOS} == ALL_CHECKS.keys() - {"exploration-draw", "empty-draw"}


def test_a_right_mechanism_keeps_them(scenarios: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any(fails(scenarios, monkeypatch, Plain, check) for check in ALL_CHECKS)


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("NoCap", "payment-range"),
        ("FirstPrice", "own-bid-independence"),
        ("MeanOfAllBids", "past-bids"),
        ("LargestIndexWins", "monotone-allocation"),
        ("OnePercentHigh", "selection-threshold"),
        ("Fee", "no-loss"),
        ("FirstPrice", "no-profitable-misreport"),
        ("Fee", "robust-no-loss"),
        ("LowCap", "lone-payment"),
        ("ExplorationPaysHalf", "exploration-payment"),
        ("NobodyIsExcluded", "eligibility"),
        ("ExploresAllEligible", "exploration-set"),
        ("FirstBidStands", "standing-bids"),
        ("LowestBidWins", "index-minimizer"),
        ("SinglePrecision", "critical-payment"),
        ("SlackIgnored", "widened-radius"),
        ("LastScoreOnly", "state-estimates"),
    ],
)
def test_a_wrong_one_breaks_them(scenarios: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str, by: str) -> None:
    assert fails(scenarios, monkeypatch, MUTANTS[name].factory, by)
