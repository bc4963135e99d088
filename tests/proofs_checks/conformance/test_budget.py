"""`--budget` and `--fail-fast`: which checks run how far, on a clock that only the mechanism's calls move."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from mechanism.platform import reference_mechanism
from proofs_checks.conformance import QUICK, budget
from proofs_checks.conformance.budget import Budget, fair_share
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.play import any_subject
from proofs_checks.conformance.report.report import ConformanceReport
from proofs_checks.conformance.suite import check_mechanism

#: Seconds that `assign` takes.
CALL = 0.05
SECONDS = st.floats(0.01, 100)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    now = SimpleNamespace(seconds=100.0)
    for module in (budget, any_subject):
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


@given(left=SECONDS, needs=st.lists(SECONDS, min_size=1, max_size=6))
def test_the_share_is_that_of_the_highest_level_that_all_can_have(left: float, needs: list[float]) -> None:
    """By bisection over levels: every check gets its need, or the level."""
    low, high = 0.0, left
    for _ in range(100):
        level = (low + high) / 2
        low, high = (level, high) if sum(min(need, level) for need in needs) <= left else (low, level)
    expected = needs[0] + left - sum(needs) if sum(needs) <= left else min(needs[0], low)
    assert fair_share(left, needs) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_deadlines_follow_the_pace_of_what_was_done(clock: SimpleNamespace) -> None:
    names = ["answers", "lone-payment", "robust-strict"]
    times = Budget(60.0, names)
    assert times.deadline(0, cut=False) == 120.0  # nothing is known: a third of the time
    clock.seconds += 3.4  # 340 calls of 10 ms: then 1,000 calls take 10 s, and 23,000 far too long
    assert times.deadline(1, cut=False) == pytest.approx(103.4 + 15.0)
    clock.seconds += 10.0
    assert times.deadline(2, cut=True) == pytest.approx(160.0)


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
