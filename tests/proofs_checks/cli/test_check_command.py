"""`costproof check` as a stranger meets it: exit codes, one JSON document, a clear line for every way to be wrong."""

import re
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

from proofs_checks.cli.views.check import show_conformance
from proofs_checks.conformance import suite
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.report.report import CheckOutcome, ConformanceReport
from proofs_checks.conformance.suite import ALL_CHECKS, IN_FLIGHT_CHECKS
from tests.parametrized import long_but
from tests.proofs_checks.conformance import misbehaving
from tests.proofs_checks.conformance.test_parametrize import EMPTY
from tests.proofs_checks.outcomes import Outcome, Run

MODULE = Path(misbehaving.__file__)


def statuses(outcome: Outcome) -> dict[str, str]:
    return {check["name"]: check["status"] for check in outcome.data["checks"]}


def target(name: str) -> str:
    return f"{MODULE}:{name}"


def only(*names: str) -> list[str]:
    return [part for name in names for part in ("--only", name)]


class TestExitCodes:
    def test_passes(self, checked: Run) -> None:
        outcome = checked(target("Honest"), "--quick", *only("answers", "lone-payment"))
        assert outcome.code == 0
        assert "2 checks: 2 passed, 0 failed, 0 skipped" in outcome.out
        assert "not a proof" in outcome.out

    @pytest.mark.long("a process that loads SymPy")
    def test_fails(self, checked: Run) -> None:
        outcome = checked(target("Negative"), "--quick", "--all", *only("lone-payment"))
        assert outcome.code == 1
        assert "\n1 of 1 check failed. Start with lone-payment: " in outcome.out
        assert "\nFAILED lone-payment\n" in outcome.out


class TestTargets:
    def test_module(self, checked: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "router_in_this_folder.py").write_text(MODULE.read_text())
        monkeypatch.chdir(tmp_path)
        outcome = checked("router_in_this_folder:Nested.factory", "--quick", "--json", *only("answers"))
        assert outcome.code == 0
        assert outcome.data["mechanism"] == "router_in_this_folder:Nested.factory"


class TestSelection:
    @pytest.mark.long("a process that loads SymPy")
    def test_queries_in_flight(self, checked: Run) -> None:
        mechanisms = "proofs_checks.conformance.mutants.tickets"
        outcome = checked(f"{mechanisms}:tickets", "--in-flight", "2", *only("restart", "initialization-payment"))
        assert outcome.code == 0
        assert "1 of 2 checks passed, 1 not offered with queries in flight (2)." in outcome.told
        outcome = checked(f"{mechanisms}:ForgetsTickets", "--in-flight", "2", *only("restart"))
        assert outcome.code == 1
        assert "--only restart --in-flight 2" in outcome.out

    def test_lists(self, checked: Run) -> None:
        for asked, checks in ((["--list"], ALL_CHECKS), (["--list", "--in-flight", "2"], IN_FLIGHT_CHECKS)):
            outcome = checked(*asked)
            assert outcome.code == 0
            assert all(name in outcome.out for name in checks)
        listed = checked("--list", "--json", "--only", "contract").data
        assert [row["name"] for row in listed] == [c.name for c in ALL_CHECKS.values() if c.group == "contract"]


@pytest.mark.parametrize(("name", "code", "status"), [("Negative", 0, "expected_failure"), ("Honest", 1, "failed")])
def test_a_check_that_is_expected_to_fail_must_fail(checked: Run, name: str, code: int, status: str) -> None:
    expected = ("--expect-failure", "lone-payment=we pay a reserve")
    outcome = checked(target(name), "--quick", "--json", *only("lone-payment"), *expected)
    assert outcome.code == code
    assert statuses(outcome) == {"lone-payment": status}
    assert "we pay a reserve" in outcome.data["checks"][0]["message"]


class TestJson:
    def test_printing_mechanisms_do_not_spoil_it(self, checked: Run) -> None:
        outcome = checked(target("Prints"), "--quick", "--json", *only("answers"))
        assert outcome.data["ran"] == 1
        assert "{ routing }" in outcome.err

    @pytest.mark.long("plays four checks twice")
    def test_the_same_seed_gives_the_same_document(self, checked: Run) -> None:
        chosen = only("own-bid-independence", "critical-payment", "exploration-draw", "whole-interactions")
        arguments = [
            "proofs_checks.conformance.mutants.incentives:OwnBidLeak",
            "--quick",
            "--json",
            "--seed",
            "7",
            *chosen,
        ]
        first, second = checked(*arguments), checked(*arguments)
        assert first.out == second.out
        assert first.data["failed"] > 0


MISBEHAVIOURS = {
    "Raises": ("answers", r"assign\(\) at step 3 raised KeyError: .*no price for \[bold\]\d\[/bold\]"),
    "RaisesWhenSettled": ("answers", r"settle\(.*\) at step 3 raised ZeroDivisionError: no grades"),
    "NaN": ("answers", r"assign\(\) at step 3 pays nan"),
    "Negative": ("payment-range", r"step 3: .*-"),
    "ChangesConfig": ("configuration-unchanged", r"changed the configuration that it was given: cost_bound from"),
    "SharedState": (
        "independent-instances",
        r"instances share state. Alone: provider \d for [\d.]+. Beside another instance: provider",
    ),
    "SharedMemory": ("independent-instances", r"in a process of its own, .* is there state outside the instance\?"),
    "returns_nothing": ("answers", r"factory\(config, rng\) returned None \(NoneType\) without assign\(\)"),
}
#: One for each way in which an answer, a settlement or a factory can be wrong.
QUICKLY_FOUND = ["Raises", "RaisesWhenSettled", "NaN", "ChangesConfig", "returns_nothing"]


class TestMisbehaviour:
    @pytest.mark.parametrize("name", long_but(QUICKLY_FOUND, MISBEHAVIOURS, reason="plays until a counterexample"))
    def test_is_a_failed_check_with_a_clear_message(self, checked: Run, name: str) -> None:
        check, message = MISBEHAVIOURS[name]
        outcome = checked(target(name), "--quick", "--json", *only(check))
        assert outcome.code == 1
        assert statuses(outcome) == {check: "failed"}
        [found] = outcome.data["checks"]
        assert re.search(message, found["message"])
        assert found["counterexample"] is not None

    def test_without_a_failure_there_is_no_script(self, checked: Run, tmp_path: Path) -> None:
        path = tmp_path / "failure.py"
        outcome = checked(target("Honest"), "--quick", "--script", str(path), *only("answers"))
        assert outcome.code == 0
        assert not path.exists()
        assert "no script was written" in outcome.err


class TestView:
    @staticmethod
    def report(**changes: object) -> ConformanceReport:
        found = suite.check_mechanism(misbehaving.NaN, only=["answers", "initialization-payment"])
        return replace(found, **changes)

    def test_a_message_shared_by_checks_is_shown_once(self, capsys) -> None:
        first = self.report().checks[0]
        show_conformance(self.report(checks=(first, replace(first, name="another-check"))), everything=True)
        out = capsys.readouterr().out
        assert out.count("import numpy as np") == 1
        assert "FAILED answers, another-check" not in out
        show_conformance(self.report(checks=(first, replace(first, name="another-check"))), scripts=True)
        out = capsys.readouterr().out
        assert out.count("import numpy as np") == 1
        assert "FAILED answers, another-check" in out

    def test_says_what_python_warned_of_and_where(self, capsys, recwarn: pytest.WarningsRecorder) -> None:
        class Warns(misbehaving.Honest):
            def assign(self) -> tuple[int, float]:
                warnings.warn("overflow encountered", RuntimeWarning, stacklevel=1)
                return super().assign()

        with warnings.catch_warnings():
            warnings.simplefilter("default")
            report = suite.check_mechanism(Warns, only=["initialization-payment"], effort=QUICK)
        [warned] = report.to_data()["warnings"]
        assert warned.startswith(f"RuntimeWarning: overflow encountered ({__file__}:")
        show_conformance(report)
        assert "Python warned of the mechanism: RuntimeWarning: overflow" in capsys.readouterr().out
        assert not recwarn.list


def test_what_compared_nothing_is_no_success(checked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "select", lambda only, **options: {"answers": EMPTY})
    outcome = checked(target("Honest"))
    assert outcome.code == 1
    assert "1 check: 0 passed, 0 failed, 1 skipped" in outcome.out


def test_interruption_keeps_what_was_finished(checked: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(subject, seed, effort) -> CheckOutcome:
        raise KeyboardInterrupt

    one, two = (ALL_CHECKS[name] for name in ("initialization-order", "initialization-payment"))
    stops = replace(two, run=interrupted)
    monkeypatch.setattr(suite, "select", lambda only, **options: {one.name: one, stops.name: stops})
    outcome = checked(target("Honest"), "--json")
    assert outcome.code == 130
    assert statuses(outcome) == {"initialization-order": "passed"}
    assert outcome.data["interrupted"] is True
