"""What `costproof plan` and `sweep` print: what backs each goal, what is not promised, what to type."""

import re
import shlex
from pathlib import Path

import pytest

from bounds.published import published
from bounds.report import evaluate_bounds
from bounds.setting.model import Setting
from mechanism.planner.goals import goal_of
from mechanism.planner.plan import PlanRequest, make_plan
from proofs_checks.verify.claim_verdicts import stored_verdict
from tests.proofs_checks.cli.test_bounds_output import market
from tests.proofs_checks.outcomes import Run, assert_bad_input

NAME = "gpqa-strong"


@pytest.fixture
def planned(passed: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *arguments: passed("plan", *arguments)


class TestWhatIsNotProved:
    def test_is_not_called_guaranteed(self, planned: Run, close_costs: str) -> None:
        command = (close_costs, "--goal", "unqualified-at-most=10000@70000", "--runs", "0")
        screen, told = planned(*command).told, planned(*command, "--all").told
        assert "10,000 not proved if it holds" in screen
        assert "10000@70000: guaranteed" not in screen
        assert "No guarantee: for this setting the bound of unqualified-at-most=10000@70000 is not proved." in told
        assert "met at every T (looked for up to 2^52) if its bound, which is not proved, holds." in told
        assert "10000@70000: guaranteed" not in told
        assert "Not proved for this setting, so no guarantee: quality regret, generation regret, excess payment" in told

    @pytest.mark.parametrize(
        "goal", ["unqualified-at-most=500@70000", pytest.param("payment-within=1", marks=pytest.mark.long("searches"))]
    )
    def test_a_lead_is_no_reason_where_none_was_asked_for(self, planned: Run, close_costs: str, goal: str) -> None:
        assert "so T_id is undefined" in planned(close_costs, "--goal", "identify-by=70000", "--runs", "0").told
        told = planned(close_costs, "--goal", goal, "--runs", "0").told
        assert f"Impossible with sharpest bounds: {goal}: " in told
        assert "T_id is undefined" not in told


class TestHowItIsProved:
    def test_bounds_that_are_proved_in_steps_are_said_to_be(
        self, planned: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("bounds.proved_as._STEPS_ALONE", ("thm:sample-complexity:sharpest",))
        told = planned(NAME, "--goal", "identify-by=50k", "--runs", "0").told
        assert "34,879 50,000 proved in steps yes" in told
        told = planned(NAME, "--goal", "identify-by=50k", "--runs", "0", "--all").told
        backed = "proved in steps, as checked when this package was made"
        assert f"{backed}: " in told
        assert "what they do not cover is named" in told

    def test_json_has_the_verdict_of_each_number(self, planned: Run) -> None:
        told = planned(NAME, "--goal", "identify-by=50k", "--runs", "0", "--json").data
        verdict = stored_verdict("thm:sample-complexity:sharpest").value
        assert [(row["backed_by"], row["proved_as"]) for row in told["backing"]] == [
            ("proved", verdict),
            ("exact", None),
        ]


@pytest.mark.long("searches for plans")
class TestWhatItCosts:
    def test_every_bound_is_the_one_that_a_report_has(self) -> None:
        """The report evaluates one setting at a time, and shares no code with the table for many."""
        setting = published(NAME).setting
        goals = (goal_of("payment-within=20%@300k", setting, 70_000),)
        found = make_plan(PlanRequest(setting=setting, goals=goals, confidence=0.05, runs=0))
        told = {each.quantity: each for each in found.guarantees}

        def report(setting: Setting) -> dict[str, float | None]:
            of = evaluate_bounds(setting, found.horizon, "sharpest")
            named = {name.replace("_", " "): bound.value for name, bound in of.bounds.items()}
            return named | {
                "identification bound": of.identification_bound,
                "identification horizon T_id": of.identification_horizon,
                "paid in exploration steps": of.exploration_steps_bound * setting.platform.cost_bound,
            }

        given, planned = report(found.request.setting), report(found.chosen)
        assert told.keys() - given.keys() == {"queries to unqualified providers"}
        for name, value in given.items():
            assert told[name].as_given == pytest.approx(value, rel=1e-12), name
            assert told[name].as_planned == pytest.approx(planned[name], rel=1e-12), name


def test_without_a_goal_the_error_gives_an_example_that_runs(run: Run, planned: Run) -> None:
    refused = run("plan", NAME)
    assert_bad_input(refused, "the following arguments are required: --goal, for example: ")
    example = refused.err.partition("for example: ")[2].partition(" (see")[0]
    program, command, *arguments = shlex.split(example)
    assert (program, command) == ("costproof", "plan")
    assert planned(*arguments, "--runs", "0").told.startswith("A plan for")


def test_json_of_a_sweep_says_why_no_lead_is_promised(close_costs: str, passed: Run) -> None:
    [point] = passed("sweep", close_costs, "--over", "delta=0.1", "--json").data["settings"]
    assert point["identification_horizon"] is None
    assert "does not exceed underbid + overbid = 0.4" in point["reason"]


def test_the_optimum_of_each_row_of_a_sweep_is_named_where_it_changes(passed: Run, tmp_path: Path) -> None:
    path = tmp_path / "three.toml"
    path.write_text(market(0.5, 100, ("small", 0.655, 16.1), ("large", 0.9, 42.0), ("poor", 0.3, 5.0)))
    for thresholds, optimum, rows in (
        ("0.5,0.7", " of each row", {"0.5": "small", "0.7": "large"}),
        ("0.5,0.6", " (small)", {}),
    ):
        out = passed("sweep", path, "--over", f"q_min={thresholds}").out
        assert f"The optimum i*{optimum} is guaranteed the most selections" in out
        assert dict(re.findall(r"(?m)^ +(0\.\d)  ([a-z]+) ", out)) == rows


def test_what_is_not_proved_of_a_sweep_is_not_left_unsaid(close_costs: str, passed: Run) -> None:
    told = passed("sweep", close_costs, "--over", "delta=0.1,0.2").told
    assert "Not proved: generation regret (2 settings), excess payment (2 settings)" in told
    assert "regret (2 settings)" not in passed("sweep", "gpqa-strong", "--over", "delta=0.1,0.2").out
