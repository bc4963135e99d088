"""`pytest --check-mechanism MODULE:OBJECT`, in processes of its own, as anybody's project runs it."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from proofs_checks.conformance import pytest_plugin

MODULE = Path(__file__).parent / "misbehaving.py"
BROKEN = "tests.proofs_checks.conformance.misbehaving"


def target(name: str) -> str:
    return f"house_router:{name}"


@pytest.fixture
def run(tmp_path: Path):
    (tmp_path / "house_router.py").write_text(MODULE.read_text(encoding="utf-8"), encoding="utf-8")

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        plain = ["-p", "no:cacheprovider", "-p", "no:dash", "-W", "error"]
        command = [sys.executable, "-m", "pytest", *plain, "--costproof-quick"]
        # pytest compiles the package of a plugin in its own way: once for all tests here, if it may keep what it makes.
        without = ("PYTEST_ADDOPTS", "PYTHONDONTWRITEBYTECODE")
        env = {key: value for key, value in os.environ.items() if key not in without}
        return subprocess.run(
            [*command, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False
        )

    return call


def only(*names: str) -> list[str]:
    return [part for name in names for part in ("--costproof-only", name)]


def test_is_registered() -> None:
    [found] = [entry for entry in entry_points(group="pytest11") if entry.name == "costproof"]
    assert found.value == "proofs_checks.conformance.pytest_plugin"


@pytest.mark.long("runs pytest")
def test_one_test_a_check_without_a_test_file(run) -> None:
    done = run("-v", "--check-mechanism", target("Negative"), *only("answers", "lone-payment"), "--costproof-seed=4")
    assert done.returncode == 1
    assert f"costproof: {target('Negative')} (checks: 2), seed 4, quick" in done.stdout
    assert "collected 2 items" in done.stdout
    assert f"{target('Negative')}::answers PASSED" in done.stdout
    assert f"{target('Negative')}::lone-payment FAILED" in done.stdout
    assert "provider == one and abs(payment - due)" in done.stdout  # the script
    assert "provider  count  " in done.stdout  # the numbers that decide
    assert "check_mechanism(" not in done.stdout  # the suite's own frames


@pytest.mark.long("runs pytest")
def test_expected_failures_are_strict(run) -> None:
    expect = ["--costproof-expect-failure", "lone-payment=we charge providers"]
    targets = [part for name in ("Negative", "Honest") for part in ("--check-mechanism", target(name))]
    done = run("-rA", *targets, *expect, *only("lone-payment"))
    assert done.returncode == 1
    assert f"XFAIL {target('Negative')}::lone-payment - we charge providers" in done.stdout
    assert f"FAILED {target('Honest')}::lone-payment" in done.stdout
    assert "1 failed, 1 xfailed" in done.stdout


@pytest.mark.long("runs pytest")
def test_with_workers_tests_of_the_project_and_selection(run, tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("def test_mine(): pass\n")
    chosen = ["--check-mechanism", target("Honest"), *only("initialization-order", "lone-payment")]
    done = run("-n", "2", "--strict-markers", "-k", "lone or mine", "-m", "costproof or not costproof", *chosen)
    assert "2 passed" in done.stdout


def test_without_its_option_it_adds_nothing() -> None:
    config = _Config(check_mechanism=[])
    pytest_plugin.pytest_configure(config)
    assert pytest_plugin.pytest_report_header(config) is None
    items: list[pytest.Item] = []
    pytest_plugin.pytest_collection_modifyitems(None, config, items)
    assert items == []


class _Config:
    """As much of pytest's configuration as the plugin asks for."""

    def __init__(self, **options: object) -> None:
        self._options = {
            "check_mechanism": [f"{BROKEN}:Honest"],
            "costproof_profile": "auction",
            "costproof_only": [],
            "costproof_exclude": [],
            "costproof_strict": False,
            "costproof_expect_failure": [],
            "costproof_seed": 0,
            "costproof_quick": True,
            "costproof_time_limit": None,
            "costproof_domain": [],
            "costproof_in_flight": None,
            **options,
        }
        self.stash = pytest.Stash()

    def getoption(self, name: str) -> object:
        return self._options[name]

    def addinivalue_line(self, name: str, line: str) -> None:
        assert name == "markers"


@pytest.mark.parametrize(
    ("options", "mentioned"),
    [
        ({"check_mechanism": [f"{BROKEN}:Honst"]}, "did you mean Honest"),
        ({"costproof_only": ["lone-paymnt"]}, "did you mean lone-payment"),
        ({"costproof_exclude": ["lone-paymnt"]}, "costproof-exclude='lone-paymnt' is not a check"),
        ({"costproof_only": ["lone-payment"], "costproof_profile": "router"}, "is not a check of the profile router"),
        ({"costproof_expect_failure": ["answers"]}, "gives no reason"),
        ({"costproof_domain": ["scores=ternary"]}, "is not a kind of scores"),
        ({"costproof_time_limit": 0.0}, "must be a positive number of seconds"),
        ({"costproof_seed": -1}, "must not be negative"),
        ({"costproof_in_flight": "many"}, "costproof-in-flight='many' is not a number of queries in flight"),
        ({"costproof_in_flight": "3", "costproof_only": ["robust-strict"]}, "with queries in flight"),
    ],
)
def test_wrong_options_are_usage_errors(options: dict[str, object], mentioned: str) -> None:
    with pytest.raises(pytest.UsageError, match=mentioned):
        pytest_plugin.pytest_configure(_Config(**options))


@pytest.mark.long("runs pytest")
def test_queries_in_flight(run) -> None:
    mutants = "proofs_checks.conformance.mutants.tickets"
    targets = [part for name in ("ForgetsTickets", "tickets") for part in ("--check-mechanism", f"{mutants}:{name}")]
    late = ["--costproof-in-flight", "2", *only("restart", "initialization-payment")]
    done = run("-rA", *targets, *late)
    assert done.returncode == 1
    assert "seed 0, quick, queries in flight: 2" in done.stdout
    assert f"FAILED {mutants}:ForgetsTickets::restart" in done.stdout
    assert "1 failed, 2 passed, 1 skipped" in done.stdout
    assert "not offered: the mechanism offers no state() and restore(state)" in done.stdout
    assert "mechanism.restore(" in done.stdout  # the script


@pytest.mark.long("a process that loads SymPy")
def test_a_wrong_name_ends_the_run_in_one_line(run) -> None:
    done = run("--check-mechanism", target("Honst"))
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "did you mean Honest" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
