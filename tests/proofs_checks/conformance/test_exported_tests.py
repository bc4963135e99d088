"""`costproof check --export-tests`: what is written runs under plain pytest, without this toolkit, red and green."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mechanism.platform import concurrent_mechanism
from proofs_checks.cli.main import main
from proofs_checks.conformance.checks import search
from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants import tickets
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.report.exported_tests import FAILURES, exported_tests
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism
from tests.proofs_checks.conformance.exports import broken_scenarios

HERE = Path(__file__).parents[3]
REFERENCE = "mechanism.platform:reference_mechanism"
TICKETS = "proofs_checks.conformance.mutants.tickets"
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
long = pytest.mark.long("runs pytest")


@pytest.fixture(autouse=True)
def little_shrinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written matters here, not how small it is."""
    monkeypatch.setattr(search, "SHRINKING", 50)


def exported(target: str, folder: Path, *only: str, in_flight: str = "") -> Path:
    chosen = [part for name in only for part in ("--only", name)] + (["--in-flight", in_flight] if in_flight else [])
    main(["check", target, "--quick", "--json", "--export-tests", str(folder), *chosen])
    return folder


def pytest_of(folder: Path) -> tuple[int, str]:
    """Return exit code and output of plain pytest on a folder, without any plugin, in a process of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout


def is_green(folder: Path) -> bool:
    code, out = pytest_of(folder)
    assert code in (0, 1), out
    return code == 0


@long
@pytest.mark.parametrize(
    ("module", "name", "right", "only", "in_flight"),
    [
        (
            "proofs_checks.conformance.mutants.pricing",
            "FirstPrice",
            REFERENCE,
            ("standing-bids", "critical-payment", "own-bid-independence"),
            "",
        ),
        (
            TICKETS,
            "DropsTheOvertaken",
            "mechanism.platform:concurrent_mechanism",
            tickets.DropsTheOvertaken.caught_by,
            "3",
        ),
    ],
)
def test_a_mutant_fails_and_passes_once_it_is_mended(
    tmp_path: Path, module: str, name: str, right: str, only: tuple[str, ...], in_flight: str
) -> None:
    folder = exported(f"{module}:{name}", tmp_path / "tests", *only, in_flight=in_flight)
    code, out = pytest_of(folder)
    assert code == 1
    failed = {line.split("[")[1].split("]")[0] for line in out.splitlines() if line.startswith("FAILED")}
    report = check_mechanism(f"{module}:{name}", only=only, effort=QUICK, in_flight=in_flight or None, explain=False)
    assert failed == {check.name for check in report.checks if check.status == "failed"} != set()
    other, _, made = right.partition(":")
    for path in folder.rglob("*.py"):
        text = path.read_text()
        path.write_text(text.replace(f"from {module} import {name} as", f"from {other} import {made} as"))
    assert is_green(folder)


@long
def test_they_need_no_toolkit(tmp_path: Path) -> None:
    router = tmp_path / "router.py"
    right = (HERE / "examples" / "router_adapter.py").read_text()
    router.write_text(right)
    folder = exported(f"{router}:make_checked_router", tmp_path / "tests", "contract", "eligibility")
    (folder / "conftest.py").write_text(WITHOUT_TOOLKIT)
    assert is_green(folder)
    assert "config.quality_threshold" in right
    router.write_text(right.replace("config.quality_threshold", "0.0"))
    code, out = pytest_of(folder)
    assert code == 1, out
    assert "test_scenario[eligibility" in out


#: Of both forms; right where it pays all of c_max.
IN_TURN = """
class InTurn:
    def __init__(self, config, rng):
        self.config, self.step = config, 0

    def assign(self):
        self.step += 1
        return (self.step - 1) % self.config.n_providers, 1.0 * self.config.cost_bound

    def settle(self, score, bid, query=1):
        assert query <= self.step

    def state(self):
        return {"step": self.step}

    def restore(self, state):
        self.step = state["step"]
"""


@long
@pytest.mark.parametrize(
    ("target", "right_first"), [("routers/exported_router.py:InTurn", True), ("exported_router:InTurn", False)]
)
def test_a_copy_of_the_project_tests_its_own_mechanism(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, right_first: bool
) -> None:
    """Failures and scenarios alike; nothing that is written names the folder where it was written."""
    first, other = tmp_path / "first", tmp_path / "other"
    router = first / ("routers" if "/" in target else "") / "exported_router.py"
    router.parent.mkdir(parents=True)
    texts = [IN_TURN, IN_TURN.replace("1.0 *", "0.5 *")]
    written, changed = texts if right_first else texts[::-1]
    router.write_text(written)
    monkeypatch.chdir(first)
    exported(target, Path("tests"), "initialization-payment")
    # Bytecode would hide a change of the same length within a second.
    shutil.copytree(first, other, ignore=shutil.ignore_patterns("__pycache__"))
    assert not any(str(tmp_path) in path.read_text() for path in other.rglob("*.py"))
    (other / router.relative_to(first)).write_text(changed)
    assert [is_green(each / "tests") for each in (first, other)] == [right_first, not right_first]


@long
def test_queries_in_flight_are_played_without_the_toolkit(tmp_path: Path) -> None:
    router = tmp_path / "router.py"
    router.write_text(IN_TURN)
    folder = exported(f"{router}:InTurn", tmp_path / "tests", "contract", in_flight="0-3")
    (folder / "conftest.py").write_text(WITHOUT_TOOLKIT)
    assert is_green(folder)
    for line, wrong in (("state[", "1 + state["), ("query <=", "query <")):
        assert IN_TURN.count(line) == 1
        router.write_text(IN_TURN.replace(line, wrong))
        assert not is_green(folder)


@pytest.fixture(scope="module")
def late_scenarios(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests of a right mechanism with queries in flight."""
    chosen = ("eligibility", "overtaking-feedback", "lost-feedback", "restart", "past-bids", "reproducible")
    return exported("mechanism.platform:concurrent_mechanism", tmp_path_factory.mktemp("late"), *chosen, in_flight="3")


def test_scenarios_with_queries_in_flight_pass_where_all_is_right(late_scenarios: Path) -> None:
    assert broken_scenarios(late_scenarios, concurrent_mechanism) == []
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
def test_a_wrong_mechanism_breaks_scenarios_with_queries_in_flight(late_scenarios: Path, mutant: str, by: str) -> None:
    assert broken_scenarios(late_scenarios, getattr(tickets, mutant), by)


@long
def test_a_mechanism_that_ends_its_process_is_no_pass(tmp_path: Path) -> None:
    assert not is_green(exported("tests.proofs_checks.conformance.misbehaving:Exits", tmp_path / "tests", "answers"))


def test_expected_failures_are_marked(tmp_path: Path) -> None:
    report = check_mechanism(
        "proofs_checks.conformance.mutants.pricing:NoCap",
        only=["payment-range"],
        expected_failures={"payment-range": "we pay more"},
        effort=replace(QUICK, keep_passed=True),
    )
    text = exported_tests(report, RULES, str(tmp_path)).files[FAILURES]
    assert "pytest.mark.xfail(reason=" in text
    assert "strict=True" in text


@pytest.fixture(scope="module")
def scenarios(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported scenarios of a right mechanism, of all checks."""
    report = check_mechanism(Plain, effort=replace(QUICK, keep_passed=True))
    folder = tmp_path_factory.mktemp("exported")
    for name, text in exported_tests(report, RULES, str(folder)).files.items():
        folder.joinpath(name).write_text(text)
    return folder


@pytest.mark.long("scenarios of all checks")
class TestScenarios:
    def test_every_check_but_those_of_draws_has_some(self, scenarios: Path) -> None:
        text = scenarios.joinpath("costproof_scenarios.json").read_text()
        with_scenarios = {name for name in ALL_CHECKS if f'"check":"{name}"' in text}
        assert with_scenarios == ALL_CHECKS.keys() - {"exploration-draw", "empty-draw"}

    def test_a_right_mechanism_keeps_them(self, scenarios: Path) -> None:
        assert broken_scenarios(scenarios, Plain) == []

    @pytest.mark.for_each(
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
    def test_a_wrong_one_breaks_them(self, scenarios: Path, name: str, by: str) -> None:
        assert broken_scenarios(scenarios, MUTANTS[name].factory, by)
