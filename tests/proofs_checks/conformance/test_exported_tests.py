"""`costproof check --export-tests`: what is written runs under plain pytest, without this toolkit, red and green."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from proofs_checks.cli.main import main
from proofs_checks.conformance.checks import search
from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants import tickets
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


@pytest.fixture(autouse=True)
def little_shrinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written matters here, not how small it is."""
    monkeypatch.setattr(search, "SHRINKING", 50)


def exported(target: str, folder: Path, *options: str) -> Path:
    main(["check", target, "--quick", "--json", "--export-tests", str(folder), *options])
    return folder


def pytest_of(folder: Path) -> tuple[int, str]:
    """Return exit code and last line of plain pytest on a folder, without any plugin, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
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
    report = check_mechanism(mutant, only=["rules", "own-bid-independence"], effort=QUICK, explain=False)
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


#: Serves in turn; right where it pays all of c_max, at least during initialization.
IN_TURN_AT_ONCE = """
class InTurn:
    def __init__(self, config, rng):
        self.config, self.step = config, 0

    def assign(self):
        return self.step % self.config.n_providers, 1.0 * self.config.cost_bound

    def settle(self, score, bid):
        self.step += 1
"""


@pytest.mark.parametrize("target", ["routers/exported_router.py:InTurn", "exported_router:InTurn"])
@pytest.mark.parametrize("right_first", [True, False])
def test_a_copy_of_the_project_tests_its_own_mechanism(
    tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch, target: str, right_first: bool
) -> None:
    """Failures and scenarios alike; nothing that is written names the folder where it was written."""
    first, other = tmp_path / "first", tmp_path / "other"
    router = first / ("routers" if "/" in target else "") / "exported_router.py"
    router.parent.mkdir(parents=True)
    texts = [IN_TURN_AT_ONCE, IN_TURN_AT_ONCE.replace("1.0 *", "0.5 *")]
    written, changed = texts if right_first else texts[::-1]
    router.write_text(written)
    monkeypatch.chdir(first)
    exported(target, Path("tests"), "--only", "initialization-payment")
    capsys.readouterr()
    # Bytecode would hide a change of the same length within a second.
    shutil.copytree(first, other, ignore=shutil.ignore_patterns("__pycache__"))
    assert not any(str(tmp_path) in path.read_text() for path in other.rglob("*.py"))
    (other / router.relative_to(first)).write_text(changed)
    passes = [pytest_of(each / "tests")[0] == 0 for each in (first, other)]
    assert passes == [right_first, not right_first]


TICKETS = "proofs_checks.conformance.mutants.tickets"
LATE_REFERENCE = "mechanism.platform:concurrent_mechanism"
#: Of the ticket form, in a file that needs numpy alone: it serves in turn and pays c_max.
IN_TURN = """
class InTurn:
    def __init__(self, config, rng):
        self.config, self.step = config, 0

    def assign(self):
        self.step += 1
        return (self.step - 1) % self.config.n_providers, self.config.cost_bound

    def settle(self, score, bid, query):
        assert query <= self.step

    def state(self):
        return {"step": self.step}

    def restore(self, state):
        self.step = state["step"]
"""


@pytest.fixture(scope="module")
def late_scenarios(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests of a right mechanism with queries in flight."""
    chosen = ("eligibility", "overtaking-feedback", "lost-feedback", "restart", "past-bids", "reproducible")
    only = [part for name in chosen for part in ("--only", name)]
    return exported(LATE_REFERENCE, tmp_path_factory.mktemp("late"), "--in-flight", "3", *only)


def test_queries_in_flight_are_played_without_the_toolkit(tmp_path: Path, capsys) -> None:
    router = tmp_path / "router.py"
    router.write_text(IN_TURN)
    folder = exported(f"{router}:InTurn", tmp_path / "tests", "--in-flight", "0-3", "--only", "contract")
    capsys.readouterr()
    (folder / "conftest.py").write_text(WITHOUT_TOOLKIT)
    code, out = pytest_of(folder)
    assert code == 0, out
    for line, wrong in (("state[", "1 + state["), ("query <=", "query <")):
        assert IN_TURN.count(line) == 1
        router.write_text(IN_TURN.replace(line, wrong))
        code, out = pytest_of(folder)
        assert code == 1, out


def test_scenarios_with_queries_in_flight_pass_where_all_is_right(late_scenarios: Path) -> None:
    code, out = pytest_of(late_scenarios)
    assert code == 0, out
    text = (late_scenarios / "costproof_scenarios.json").read_text()
    assert all(f'"check":"{name}"' in text for name in ("restart", "overtaking-feedback", "past-bids"))


@pytest.mark.parametrize(
    ("mutant", "by"),
    [
        ("CreditsTheLastAssigned", "eligibility"),
        ("DropsTheOvertaken", "overtaking-feedback"),
        ("PassesOverTheBusy", "lost-feedback"),
        ("ForgetsTickets", "restart"),
    ],
)
def test_a_wrong_mechanism_breaks_scenarios_with_queries_in_flight(
    tmp_path: Path, late_scenarios: Path, mutant: str, by: str
) -> None:
    folder = tmp_path / "late"
    shutil.copytree(late_scenarios, folder)
    swapped(folder, LATE_REFERENCE, f"{TICKETS}:{mutant}")
    code, out = pytest_of(folder)
    assert code == 1, out
    assert f"test_scenario[{by}" in out


@pytest.mark.parametrize("mutant", ["DropsTheOvertaken", "CountsWhenAssigned", "SavesWaitingAsCounted"])
def test_failures_with_queries_in_flight_are_red_until_mended(tmp_path: Path, capsys, mutant: str) -> None:
    named = getattr(tickets, mutant).caught_by
    only = [part for name in named for part in ("--only", name)]
    folder = exported(f"{TICKETS}:{mutant}", tmp_path / "tests", "--in-flight", "3", *only)
    capsys.readouterr()
    code, out = pytest_of(folder)
    assert code == 1, out
    failed = {line.split("[")[1].split("]")[0] for line in out.splitlines() if "test_failure[" in line}
    report = check_mechanism(f"{TICKETS}:{mutant}", only=named, effort=QUICK, in_flight="3", explain=False)
    assert failed == {check.name for check in report.checks if check.status == "failed"} != set()
    swapped(folder, f"{TICKETS}:{mutant}", LATE_REFERENCE)
    code, out = pytest_of(folder)
    assert code == 0, out
    assert "passed" in out


def test_a_mechanism_that_ends_its_process_is_no_pass(tmp_path: Path, capsys) -> None:
    target = "tests.proofs_checks.conformance.misbehaving:Exits"
    folder = exported(target, tmp_path / "tests", "--only", "answers")
    capsys.readouterr()
    code, out = pytest_of(folder)
    assert code == 1, out


def test_expected_failures_are_marked(tmp_path: Path) -> None:
    effort = replace(QUICK, keep_passed=True)
    report = check_mechanism(
        "proofs_checks.conformance.mutants.pricing:NoCap",
        only=["payment-range"],
        expected_failures={"payment-range": "we pay more"},
        effort=effort,
    )
    text = exported_tests(report, RULES, str(tmp_path)).files[FAILURES]
    assert "pytest.mark.xfail(reason=" in text
    assert "strict=True" in text


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The exported scenarios of a right mechanism, as a module."""
    report = check_mechanism(Plain, effort=replace(QUICK, keep_passed=True))
    folder = tmp_path_factory.mktemp("exported")
    for name, text in exported_tests(report, RULES, str(folder)).files.items():
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
