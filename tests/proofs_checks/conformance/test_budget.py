"""`--budget` and `--fail-fast`: which checks run how far, on a clock that only the mechanism's calls move."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from bounds.errors import InputError
from mechanism.platform import reference_mechanism
from proofs_checks.conformance import QUICK, suite
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.play import any_subject
from proofs_checks.conformance.report.report import ConformanceReport
from proofs_checks.conformance.suite import check_mechanism

#: Seconds that `assign` takes.
CALL = 0.05


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    now = SimpleNamespace(seconds=100.0)
    for module in (suite, any_subject):
        monkeypatch.setattr(module, "monotonic", lambda: now.seconds)
    return now


@pytest.fixture
def checked(clock: SimpleNamespace) -> Callable[..., ConformanceReport]:
    """Check a mechanism whose calls take their time."""

    def check(factory: Any, **options: Any) -> ConformanceReport:
        class Slow:
            def __init__(self, *given: Any) -> None:
                self.made = factory(*given)

            def assign(self) -> tuple[int, float]:
                clock.seconds += CALL
                return self.made.assign()

            def settle(self, score: float, bid: float) -> None:
                self.made.settle(score, bid)

        return check_mechanism(Slow, effort=QUICK, explain=False, **options)

    return check


def test_a_run_of_a_router_ends_in_time(checked: Callable[..., ConformanceReport], clock: SimpleNamespace) -> None:
    """A run has 2,000 queries of 50 ms: the check ends within it, and has compared nothing."""
    begun = clock.seconds
    report = checked(reference_mechanism, profile="router", only=["best-provider"], budget=20.0)
    assert clock.seconds - begun <= 20.0 + 100 * CALL
    [found] = report.checks
    assert (found.status, found.cut, found.message) == ("skipped", True, "not run: its share of the budget was over")
    assert not report.conforms


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), "5"])
def test_a_budget_is_positive(seconds: Any) -> None:
    with pytest.raises(InputError, match="budget"):
        check_mechanism(reference_mechanism, budget=seconds)


def test_what_was_cut_is_named_and_compared_as_far_as_time_allowed(
    checked: Callable[..., ConformanceReport], clock: SimpleNamespace
) -> None:
    report = checked(reference_mechanism, only=["initialization-payment", "robust-strict"], budget=200.0)
    assert {check.name: check.cut for check in report.checks} == {
        "robust-strict": True,
        "initialization-payment": False,
    }
    dear, _ = report.checks
    assert report.conforms
    assert dear.compared > 0
    assert clock.seconds - 100.0 < 250.0
    assert report.to_data()["budget"] == 200.0


def test_a_search_plays_one_interaction_and_draws_none_without_time(checked: Callable[..., ConformanceReport]) -> None:
    report = checked(reference_mechanism, only=["initialization-payment", "exploration-draw"], budget=0.01)
    search, draws = report.checks
    assert (search.status, search.examples, search.cut) == ("passed", 1, True)
    assert draws.power == ""  # it is stated for as many draws as the effort has
    assert (draws.status, draws.message) == ("skipped", "not run: its share of the budget was over")
    assert report.conforms
    assert not replace(report, strict=True).conforms


def test_shrinking_ends_with_the_share(checked: Callable[..., ConformanceReport], clock: SimpleNamespace) -> None:
    report = checked(MUTANTS["FirstPrice"].factory, only=["critical-payment"], budget=5.0)
    assert report.failed == 1
    assert clock.seconds - 100.0 < 10.0


@pytest.mark.long("plays all checks")
@pytest.mark.parametrize("mutant", ["FirstPrice", "NeverExplores", "SinglePrecision", "LastScoreOnly"])
def test_ten_minutes_of_a_slow_mechanism_are_worth_it(
    mutant: str, checked: Callable[..., ConformanceReport], clock: SimpleNamespace
) -> None:
    report = checked(MUTANTS[mutant].factory, budget=600.0)
    assert {check.name for check in report.checks if check.status == "failed"} & {*MUTANTS[mutant].caught_by}
    assert clock.seconds - 100.0 < 700.0


@pytest.mark.long("plays all checks")
def test_a_right_slow_mechanism_passes_every_check(
    checked: Callable[..., ConformanceReport], clock: SimpleNamespace
) -> None:
    report = checked(reference_mechanism, budget=600.0)
    assert report.conforms
    assert sum(check.cut for check in report.checks) > 10
    assert clock.seconds - 100.0 < 700.0


def test_with_a_budget_too_an_error_is_reported_once(checked: Callable[..., ConformanceReport]) -> None:
    report = checked(MUTANTS["Raises"].factory, only=["contract"], budget=600.0)
    assert [check.name for check in report.checks if check.status == "failed"] == ["answers"]


def test_no_check_is_run_after_one_that_fails() -> None:
    names = ["initialization-payment", "index-minimizer", "critical-payment", "widened-radius", "long-run"]
    report = check_mechanism(MUTANTS["FirstPrice"].factory, only=names, effort=QUICK, fail_fast=True, explain=False)
    assert [check.name for check in report.checks] == names
    assert [check.status for check in report.checks] == ["passed", "passed", "failed", "skipped", "skipped"]
    assert report.checks[-1].message == "not run: critical-payment failed"
    assert report.headline.startswith("1 of 5 checks failed; 2 were not run. Start with critical-payment")
