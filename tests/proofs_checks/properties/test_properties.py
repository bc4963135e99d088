"""The order of the properties, what tests them, and what is told of them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, strategies as st

from proofs_checks.claims.registry import all_claims
from proofs_checks.conformance.suite import ALL_CHECKS, IN_FLIGHT_CHECKS
from proofs_checks.oracle.step_rules import STEP_RULES
from proofs_checks.properties.lattice import PROPERTIES, SHORT, weaker, weakest
from proofs_checks.properties.placement import Outcome, Placement, Trial, in_words, placement
from proofs_checks.properties.tested_by import OF_CHECK, OF_CLAIM, OF_OTHER_CLAIMS, OF_PART, OF_RULE, refuted_by

OUTCOMES: tuple[Outcome, ...] = ("failed", "passed", "stopped")
TRIALS = st.lists(
    st.builds(
        Trial,
        test=st.sampled_from(["a", "b", "c"]),
        of=st.sampled_from([*PROPERTIES]),
        outcome=st.sampled_from(OUTCOMES),
        judged=st.booleans(),
        replayed=st.booleans(),
    )
)


def paths(name: str) -> set[str]:
    """What a property rests on, walked one line after the other."""
    found, waiting = set[str](), [*PROPERTIES[name].rests_on]
    while waiting:
        found.add(one := waiting.pop())
        waiting += PROPERTIES[one].rests_on
    return found


class TestLattice:
    def test_every_property_comes_after_what_it_rests_on(self) -> None:
        for earlier, name in enumerate(PROPERTIES):
            assert set(PROPERTIES[name].rests_on) <= set(itertools.islice(PROPERTIES, earlier))

    @pytest.mark.for_each("name", PROPERTIES)
    def test_weaker_is_all_that_lines_lead_to(self, name: str) -> None:
        assert weaker(name) == paths(name)

    @given(st.sets(st.sampled_from([*PROPERTIES])))
    def test_the_weakest_are_those_below_which_is_none(self, names: set[str]) -> None:
        assert set(weakest(names)) == {name for name in names if not any(other in paths(name) for other in names)}
        assert bool(weakest(names)) == bool(names)


#: With and without queries in flight.
CHECKS = {**ALL_CHECKS, **IN_FLIGHT_CHECKS}


class TestTestedBy:
    def test_every_check_and_every_rule_tests_a_property(self) -> None:
        assert OF_CHECK.keys() == CHECKS.keys()
        assert OF_RULE.keys() == STEP_RULES.keys()
        named = {name for tests in OF_CHECK.values() for name in (tests.passed, tests.failed) if name}
        assert named | set(OF_RULE.values()) | {*filter(None, OF_CLAIM.values())} | {OF_OTHER_CLAIMS} == {*PROPERTIES}

    def test_what_plays_a_history_again_says_so(self) -> None:
        """All checks of incentives do, but for that of one answer's range; those that compare answers alone do not."""
        again = {name for name, tests in OF_CHECK.items() if tests.replays}
        assert again == {name for name, check in CHECKS.items() if check.group == "economic"} - {"payment-range"} | {
            "strict-misreport",
            "robust-strict",
        }

    def test_what_compares_with_several_rules_says_so(self) -> None:
        """A check that compares with one rule tests the property of that rule."""
        for name, check in CHECKS.items():
            assert OF_CHECK[name].rule == (len(check.rules) > 1), name
            if len(check.rules) == 1:
                [rule] = check.rules
                assert OF_CHECK[name].passed == OF_CHECK[name].failed == OF_RULE[rule]

    def test_what_is_refuted_without_a_counterexample_implies_what_is_refuted_with_one(self) -> None:
        for (check, tests), rule in itertools.product(OF_CHECK.items(), ["", *OF_RULE]):
            if not tests.failed or (rule and rule not in CHECKS[check].rules):
                continue
            found = refuted_by(check, rule=rule)
            assert found in {tests.failed} | weaker(tests.failed), (check, rule)

    def test_claims_and_parts_are_those_of_the_registry(self) -> None:
        assert OF_CLAIM.keys() <= all_claims().keys()
        parts = {getattr(check, "name", "") for claim in all_claims().values() for check in claim.checks}
        assert OF_PART.keys() <= parts

    @pytest.mark.for_each(
        ("rule", "belief_slack", "step", "found"),
        [
            ("eligibility", 0.0, 9, "eligibility"),
            ("critical-payment", 0.0, SHORT, "critical-payments"),
            ("critical-payment", 0.0, SHORT + 1, "long-runs"),
            ("eligibility", 0.5, 9, "belief-slack"),
            ("eligibility", 0.5, SHORT + 1, ""),
            ("", 0.0, 9, ""),
        ],
    )
    def test_a_counterexample_refutes(self, rule: str, belief_slack: float, step: int, found: str) -> None:
        assert refuted_by("whole-interactions", rule=rule, belief_slack=belief_slack, step=step) == found

    def test_neither_gamma_nor_the_step_excuses_what_is_no_rule(self) -> None:
        for check in ("answers", "payment-range", "no-loss", "exploration-draw", "long-run"):
            assert refuted_by(check, belief_slack=0.5, step=9_000) in (OF_CHECK[check].failed, "")


class TestPlacement:
    @given(TRIALS)
    def test_every_property_is_told_once_as_its_tests_say(self, trials: list[Trial]) -> None:
        """Group by group, from the definition."""
        found = placement(trials)
        groups = {told.name: group for group, every in vars(found).items() for told in every}
        assert sorted(told.name for every in vars(found).values() for told in every) == sorted(PROPERTIES)
        failed = {trial.of for trial in trials if trial.outcome == "failed"}
        for name in PROPERTIES:
            own = [trial for trial in trials if trial.of == name]
            if name in failed and not paths(name) & failed:
                expected = "weakest_refuted"
            elif any(
                trial.outcome == "failed" and not trial.judged and not (trial.replayed and "repeatable" in failed)
                for trial in own
            ):
                expected = "also_refuted"
            elif {trial.outcome for trial in own} - {"stopped"} == {"passed"}:
                expected = "standing"
            else:
                expected = "untold"
            assert groups[name] == expected

    @given(TRIALS)
    def test_something_is_refuted_exactly_where_a_test_failed(self, trials: list[Trial]) -> None:
        found = placement(trials)
        assert bool(found.names) == any(trial.outcome == "failed" for trial in trials)
        assert bool(in_words(found.to_data())) == bool(found.names)

    def test_nothing_is_ever_said_to_be_true(self) -> None:
        trials = [Trial(test="a", of=name, outcome="passed") for name in PROPERTIES]
        failing = [*trials, Trial(test="b", of="long-runs", outcome="failed")]
        for told in (placement(trials), placement(failing), Placement()):
            assert not {"holds", "proved", "true"} & set(" ".join(in_words(told.to_data())).split())
        assert "Not refuted here in the first 150 steps: answers" in " ".join(in_words(placement(failing).to_data()))
