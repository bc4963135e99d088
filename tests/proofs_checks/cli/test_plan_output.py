"""What `costproof plan` prints: what backs each goal, what the plan does to the other guarantees, what to type."""

import json
import shlex
from collections.abc import Callable

import pytest

from bounds.published import published
from bounds.report import evaluate_bounds
from bounds.setting.model import Setting
from mechanism.planner.goals import goal_of
from mechanism.planner.plan import PlanRequest, make_plan
from proofs_checks.cli.main import main
from proofs_checks.verify.claim_verdicts import stored_verdict

Run = Callable[..., str]
NAME = "gpqa-strong"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert main(["plan", *arguments]) == code
        out, err = capsys.readouterr()
        return " ".join((err if code else out).split())

    return call


class TestWhatIsNotProved:
    def test_is_not_called_guaranteed(self, run: Run, close_costs: str) -> None:
        command = (close_costs, "--goal", "unqualified-at-most=10000@70000", "--runs", "0")
        screen, told = run(*command), run(*command, "--all")
        assert "10,000 not proved if it holds" in screen
        assert "10000@70000: guaranteed" not in screen
        assert "No guarantee: for this setting the bound of unqualified-at-most=10000@70000 is not proved." in told
        assert "met at every T (looked for up to 2^52) if its bound, which is not proved, holds." in told
        assert "10000@70000: guaranteed" not in told
        assert "Not proved for this setting, so no guarantee: quality regret, generation regret, excess payment" in told

    @pytest.mark.parametrize(
        "goal", ["unqualified-at-most=500@70000", pytest.param("payment-within=1", marks=pytest.mark.long("searches"))]
    )
    def test_a_lead_is_no_reason_where_none_was_asked_for(self, run: Run, close_costs: str, goal: str) -> None:
        assert "so T_id is undefined" in run(close_costs, "--goal", "identify-by=70000", "--runs", "0")
        told = run(close_costs, "--goal", goal, "--runs", "0")
        assert f"Impossible with sharpest bounds: {goal}: " in told
        assert "T_id is undefined" not in told


class TestHowItIsProved:
    def test_bounds_that_are_proved_in_steps_are_said_to_be(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bounds.proved_as._STEPS_ALONE", ("thm:sample-complexity:sharpest",))
        told = run(NAME, "--goal", "identify-by=50k", "--runs", "0")
        assert "34,879 50,000 proved in steps yes" in told
        told = run(NAME, "--goal", "identify-by=50k", "--runs", "0", "--all")
        backed = "proved in steps, as checked when this package was made"
        assert f"{backed}: " in told
        assert "what they do not cover is named" in told

    def test_json_has_the_verdict_of_each_number(self, run: Run) -> None:
        told = json.loads(run(NAME, "--goal", "identify-by=50k", "--runs", "0", "--json"))
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


def test_without_a_goal_the_error_gives_an_example_that_runs(run: Run) -> None:
    said = run(NAME, code=2)
    assert said.startswith("costproof: the following arguments are required: --goal, for example: ")
    example = said.partition("for example: ")[2].partition(" (see")[0]
    program, command, *arguments = shlex.split(example)
    assert (program, command) == ("costproof", "plan")
    assert run(*arguments, "--runs", "0").startswith("A plan for")
