"""Mechanisms made for less than everything: what they say, what still is checked, and what decides a step."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mechanism.platform import reference_mechanism
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.mutants.pricing import FirstPrice
from proofs_checks.conformance.play.domain import Domain, domain_of
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import play_scenario
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.play.watched import LeftDomainError
from proofs_checks.conformance.report.decided import deciding, mistaken
from proofs_checks.conformance.report.report import ConformanceReport
from proofs_checks.conformance.strategies.scenarios import FAMILIES
from proofs_checks.conformance.strategies.within import within
from proofs_checks.conformance.suite import check_mechanism
from proofs_checks.oracle.rule_oracle import RuleOracle
from proofs_checks.oracle.step_rules import Breach, breaches
from tests.proofs_checks.conformance.narrow import FailsAtOnce, HaltedError, Narrow, NeverReady, SaysSo
from tests.proofs_checks.outcomes import Run
from tests.refusals import refusal

pytestmark = pytest.mark.usefixtures("little_shrinking")
SHRINKING = 50
NARROW = ["scores=binary", "q_min=inside"]
WITH_TWO = [*NARROW, "eligible=2.."]


def of_status(report: ConformanceReport, status: str) -> set[str]:
    return {check.name for check in report.checks if check.status == status}


class TestReading:
    @pytest.mark.for_each(
        ("given", "told"),
        [
            ((), ""),
            ("scores=binary", "scores=binary"),
            (["q_min=inside"], "q_min=0.01..0.99"),
            (["q_min=0.7"], "q_min=0.7"),
            (["providers=3.."], "providers=3.."),
            (["providers=..4", "eligible=1.."], "providers=2..4, eligible=1.."),
            (["eligible=3.."], "providers=3.., eligible=3.."),
            (["belief_slack=0"], "belief_slack=0"),
        ],
    )
    def test_what_is_given_is_told_in_the_same_words(self, given: list[str], told: str) -> None:
        assert str(domain_of(given)) == told
        assert domain_of(told.split(", ") if told else ()) == domain_of(given)

    @pytest.mark.for_each(
        ("given", "rule"),
        [
            (["q_min=0.1..0.5", "q_min=inside"], "restricts q_min twice"),
            (["providers=2", "eligible=3.."], "asks for 3 eligible providers of at most 2"),
            ("scores", "is not a restriction"),
            ("scores=ternary", "is not a kind of scores"),
            ("qmin=0.5", "restricts 'qmin'"),
            ("q_min=0.5..1.5", "must be a range within 0..1"),
            ("q_min=nan", "must be a range within 0..1"),
            ("q_min=..", "must be a range within 0..1"),
            ("providers=1..3", "must be a range within 2.."),
            ("providers=2.5", "counts providers"),
            ("eligible=2..3", "has an end"),
            ("belief_slack=1", "is not a restriction"),
        ],
    )
    def test_what_is_none_is_refused_by_name(self, given: str | list[str], rule: str) -> None:
        error = refusal(domain_of, given)
        assert error.argument == "domain"
        assert rule in str(error)


DOMAINS = st.builds(
    Domain,
    binary_scores=st.booleans(),
    thresholds=st.sampled_from([(0.0, 1.0), (0.01, 0.99), (0.4, 0.6)]),
    providers=st.sampled_from([(2, math.inf), (3, 3), (2, 3), (6, 8)]),
    least_eligible=st.sampled_from([0, 1, 2]),
    belief_slack=st.booleans(),
)


class TestScenarios:
    @pytest.mark.for_each("family", [name for name in FAMILIES if name != "long run"])
    @given(data=st.data())
    @settings(max_examples=6, suppress_health_check=list(HealthCheck), deadline=None)
    def test_every_family_stays_inside(self, data: st.DataObject, family: str) -> None:
        domain = data.draw(DOMAINS)
        scenario = data.draw(within(domain, FAMILIES[family]))
        config = scenario.config
        assert domain.config(config) == config
        assert len(scenario.queries) == config.n_providers
        assert all(domain.score(query.score) == query.score for own in scenario.queries for query in own)
        subject = Subject(reference_mechanism, "reference").played(domain=domain)
        played = play_scenario(subject, scenario)
        for decisions in played.decisions[config.n_providers :]:
            assert all(len(each.eligible) >= domain.least_eligible for each in decisions)

    def test_a_mechanism_is_not_asked_where_too_few_are_eligible(self) -> None:
        asked: list[int] = []

        class Counting(Plain):
            def assign(self) -> tuple[int, float]:
                asked.append(self.step)
                return super().assign()

        config = usual_config(n_providers=2, quality_threshold=1.0, confidence=0.99)
        subject = Subject(Counting, "counting").played(domain=Domain(least_eligible=2))
        mechanism = subject.start(config, 0)
        with pytest.raises(LeftDomainError):
            mechanism.replay([(0.0, 0.5)] * 40)
        # An independent count: with scores of 0, who has served m times is out once beta(m) < 1.
        reference = Plain(config, np.random.default_rng(0))
        for step in range(1, 41):
            if step > 2 and not all(reference._beta(m) >= 1.0 for m in reference.counts):
                break
            reference.assign()
            reference.settle(0.0, 0.5)
        assert asked == list(range(1, step))


@pytest.mark.long("all checks of a mechanism")
class TestNarrow:
    """The mechanism of the issue: scores 0 or 1, q_min inside (0, 1), a halt where one provider is eligible."""

    @pytest.fixture(scope="class")
    @classmethod
    def report(cls) -> ConformanceReport:
        return check_mechanism(Narrow, effort=QUICK, domain=NARROW, explain=False)

    def test_all_but_what_lies_behind_the_halt_says_something(self, report: ConformanceReport) -> None:
        assert report.ran == 29
        assert report.to_data()["domain"] == "scores=binary, q_min=0.01..0.99"
        assert of_status(report, "skipped") == {"empty-payment", "empty-draw", "restart"}
        assert not report.conforms

    def test_the_deviations_are_named(self, report: ConformanceReport) -> None:
        assert of_status(report, "failed") == {"answers", "lone-payment"}
        [lone] = (check for check in report.checks if check.name == "lone-payment")
        assert "raised HaltedError: at most one provider is eligible" in lone.message
        assert "is to serve for " in lone.message
        [empty] = (check for check in report.checks if check.name == "empty-payment")
        assert empty.message == "no answer to compare: it fails to answer before such a step, as answers reports"

    def test_with_two_eligible_nothing_fails(self) -> None:
        report = check_mechanism(Narrow, effort=QUICK, domain=WITH_TWO)
        assert not report.failed
        assert of_status(report, "skipped") == {"empty-payment", "lone-payment", "empty-draw", "restart"}
        assert not report.discarded
        assert report.conforms
        assert not replace(report, strict=True).conforms

    def test_a_wrong_rule_is_found_within_the_domain_too(self) -> None:
        class NarrowFirstPrice(FirstPrice, Narrow):
            pass

        report = check_mechanism(NarrowFirstPrice, effort=QUICK, domain=WITH_TWO, only=["rules"])
        assert "critical-payment" in of_status(report, "failed")
        assert "pays the provider's own bid in auctions" in report.headline
        [failure] = (check.failure for check in report.checks if check.name == "critical-payment")
        assert {score for score, _ in failure.settlements} <= {0.0, 1.0}


@pytest.mark.long("all checks of a mechanism")
class TestNotImplemented:
    @pytest.fixture(scope="class")
    @classmethod
    def report(cls) -> ConformanceReport:
        return check_mechanism(SaysSo, effort=QUICK, explain=False)

    def test_it_fails_nothing_and_passes_nothing(self) -> None:
        report = check_mechanism(NeverReady, only=["contract", "lone-payment"], effort=QUICK)
        assert (report.ran, report.failed, report.conforms) == (0, 0, False)
        told = [check.message for check in report.checks if check.discarded]
        # What it does not offer is known without an answer.
        assert [check.name for check in report.checks if not check.discarded] == ["restart"]
        assert all(message.startswith("too little to compare: ") and "--domain" in message for message in told)

    def test_scenarios_are_counted_per_check(self, report: ConformanceReport) -> None:
        data = report.to_data()
        counted = {check["name"]: (check["examples"], check["discarded"]) for check in data["checks"]}
        assert counted["lone-payment"] == (0, 3 * QUICK.examples)
        assert data["discarded"] == sum(discarded for _, discarded in counted.values())
        assert all(check["outside"].endswith(")") for check in data["checks"] if check["discarded"])
        assert any("HaltedError" in check.message for check in report.checks if check.status == "failed")

    def test_inside_its_domain_it_discards_nothing(self) -> None:
        report = check_mechanism(SaysSo, effort=QUICK, domain=NARROW)
        assert not report.discarded
        assert report.ran == 29


def stopping(base: type[Plain], last: int) -> type[Plain]:
    """Return a mechanism that answers no more after a step."""

    class Stops(base):
        def assign(self) -> tuple[int, float]:
            if self.step > last:
                raise HaltedError
            return super().assign()

    return Stops


class TestOneFailureStopsNoOther:
    @pytest.mark.long("all rules of a mechanism")
    def test_a_mechanism_that_answers_nothing_fails_once(self) -> None:
        report = check_mechanism(FailsAtOnce, effort=QUICK, explain=False)
        assert of_status(report, "failed") == {"answers"}
        assert report.headline.startswith("1 of 32 checks failed; 30 had no answer to compare. Start with answers")

    @pytest.mark.long("all rules of a mechanism")
    def test_a_factory_that_fails_for_some_configurations_is_checked_on_the_others(self) -> None:
        class NoSlack(FirstPrice):
            def _prepare(self) -> None:
                if self.config.belief_slack:
                    raise TypeError("no beliefs")

        report = check_mechanism(NoSlack, effort=QUICK, only=["answers", "rules"], explain=False)
        failed = of_status(report, "failed")
        assert {"widened-radius", "critical-payment", "standing-bids"} <= failed
        assert "answers" not in failed

    @pytest.mark.long("all rules of a mechanism")
    def test_a_late_error_leaves_what_came_before(self) -> None:
        report = check_mechanism(stopping(FirstPrice, 12), effort=QUICK, explain=False)
        assert {"answers", "own-bid-independence", "critical-payment"} <= of_status(report, "failed")
        assert {"payment-range", "initialization-order", "eligibility"} <= of_status(report, "passed")

    @pytest.mark.parametrize("last", [9, 60])
    def test_a_run_that_breaks_off_before_it_is_long_is_not_looked_at(self, last: int) -> None:
        report = check_mechanism(
            stopping(Plain, last), effort=QUICK, only=["answers", "initialization-order", "long-run"]
        )
        assert of_status(report, "passed") == {"initialization-order"}
        early, late = report.checks[1:]
        assert last > 9 or 0 < early.broken_off < early.examples
        assert (late.status, late.broken_off) == ("skipped", late.examples)
        assert late.message == "no answer to compare: it fails to answer before such a step, as answers reports"

    def test_a_long_run_counts_its_late_steps(self) -> None:
        (found,) = check_mechanism(reference_mechanism, effort=QUICK, only=["long-run"]).checks
        assert found.status == "passed"
        assert 200 * found.examples <= found.compared <= 600 * found.examples


def test_what_the_domain_error_of_a_call_says() -> None:
    with pytest.raises(MechanismError) as raised:
        Subject(SaysSo, "narrow").start(usual_config(n_providers=2), 0)
    assert raised.value.is_outside
    assert raised.value.message.startswith("factory(config, rng) raised NotImplementedError: q_min must lie inside")


def test_the_command_and_the_page_say_the_domain_and_how_to_run_again(tmp_path: Path, run: Run) -> None:
    page = tmp_path / "page.html"
    target = "tests.proofs_checks.conformance.narrow:Narrow"
    kept = [part for restriction in NARROW for part in ("--domain", restriction)]
    outcome = run("check", target, "--quick", "--only", "lone-payment", *kept, "--report", page)
    assert outcome.code == 1
    assert outcome.out.startswith("This seems to be an auction: ")
    assert "1 of 1 check failed within the domain (scores=binary," in outcome.out
    out = " ".join(outcome.out.replace("\\", "").split())
    assert "Scenarios were restricted to scores=binary, q_min=0.01..0.99; " in out
    again = f"costproof check {target} --only lone-payment --quick --domain scores=binary --domain q_min=0.01..0.99"
    assert again in out
    assert "within the domain scores=binary, q_min=0.01..0.99 alone" in page.read_text()
    assert "--domain scores=binary --domain q_min=0.01..0.99" in page.read_text()


def test_what_was_discarded_is_said_with_a_proposal(run: Run) -> None:
    target = "tests.proofs_checks.conformance.narrow:SaysSo"
    outcome = run("check", target, "--quick", "--only", "lone-payment")
    assert outcome.code == 1
    out = outcome.told
    assert "1 of 1 check could not run or had nothing to compare." in out
    assert "24 scenarios of 1 check were discarded: the mechanism raised NotImplementedError." in out
    assert "--domain keeps scenarios inside its domain" in out


def oracle_of(*settled: tuple[int, float, float], **unusual: Any) -> RuleOracle:
    """The rules after some steps: who served, its score and its bid; all providers have scored and bid alike."""
    oracle = RuleOracle(usual_config(**{"n_providers": 2, **unusual}))
    for provider, score, bid in settled:
        oracle.settle(provider, score, bid)
    return oracle


ONCE = ((0, 1.0, 0.5), (1, 1.0, 0.5))
TWICE_AND_ONCE = (*ONCE, (0, 1.0, 0.5))


@pytest.mark.for_each(
    ("oracle", "told"),
    [
        (oracle_of(ONCE[0]), "Step 2 of the first 2: provider 1 is due its first query, for c_max."),
        (oracle_of(*ONCE), "g(3) = 0.0122: no eligible provider has fewer selections, so an auction is due."),
        (
            oracle_of(*TWICE_AND_ONCE, exploration_scale=1.1),
            "g(4) = 1.56: provider 1 (1 selection) is below it, so it must be explored, for c_max.",
        ),
        (
            oracle_of(*TWICE_AND_ONCE, exploration_scale=2.0),
            "g(4) = 2.83: providers 0 (2 selections), 1 (1 selection) are below it, so one of them must be explored, "
            "for c_max.",
        ),
        (
            oracle_of(*((i, 0.0, 0.5) for i in (0, 1) * 20), quality_threshold=1.0, confidence=0.9),
            "Nobody is eligible: any provider may be drawn, for c_max.",
        ),
        (
            oracle_of(*((i, float(i), 0.5) for i in (0, 1) * 20), quality_threshold=1.0, confidence=0.9),
            "g(41) = 0.0453: provider 1 alone is eligible, and it has 20 selections, enough: it serves and is paid "
            "c_max.",
        ),
        (oracle_of(*ONCE, exploration_scale=1e-9), "g(3) = 1.22e-09: no eligible provider has fewer selections,"),
        (oracle_of(*ONCE, exploration_scale=1e12), "g(3) = 1.22e+12: providers 0 (1 selection), 1 (1 selection) are"),
        (oracle_of(), "Step 1 of the first 2: one of providers 0, 1 is due its first query, for c_max."),
    ],
)
def test_the_kind_of_step_that_is_due(oracle: RuleOracle, told: str) -> None:
    assert deciding(oracle).startswith(told)


def test_a_whole_goal_is_told_from_a_near_one() -> None:
    config = {"exploration_scale": 2.0, "exploration_exponent": 0.5}
    assert deciding(oracle_of(*ONCE, *ONCE, *ONCE, ONCE[0], **config)).startswith("g(8) = 4: ")
    near = deciding(oracle_of(*ONCE, *ONCE, *ONCE, ONCE[0], **{**config, "exploration_scale": 1.999999}))
    assert near.startswith("g(8) = 3.999998: ")


def only(oracle: RuleOracle, provider: int, payment: float) -> Breach:
    [breach] = breaches(oracle.decisions(), provider, payment, oracle.money_rounding)
    return breach


EXPLORED = {"exploration_scale": 1.0}


@pytest.mark.for_each(
    ("oracle", "provider", "payment", "told"),
    [
        (
            oracle_of(*ONCE, *ONCE, **EXPLORED),
            0,
            1.0,
            ": the mechanism pays c_max, as in an exploration; an auction is due (selections 2, 2; target g(5) = 1.58)",
        ),
        (  # where somebody may be excluded, explorations are not the only steps that pay c_max
            oracle_of(*ONCE, *ONCE, quality_threshold=0.5),
            0,
            1.0,
            ": the mechanism pays c_max, as in an exploration or without a rival; an auction is due (selections 2, 2; "
            "target g(5) = 0.0158)",
        ),
        (
            oracle_of(*ONCE, **EXPLORED),
            0,
            0.5,
            ": the mechanism pays the price of an auction; exploration is due (selections 1, 1; target g(3) = 1.22)",
        ),
        (oracle_of(*ONCE, **EXPLORED), 0, 0.7, ""),
        (oracle_of(*ONCE), 0, 0.3, ""),
    ],
)
def test_another_kind_of_step_is_told(oracle: RuleOracle, provider: int, payment: float, told: str) -> None:
    assert mistaken(oracle, only(oracle, provider, payment), provider, payment) == told


def test_who_may_serve_is_named() -> None:
    assert "expected provider 1 (rule" in str(Breach(rule="eligibility", expected=[1], found=0))
    assert "expected one of providers 1, 2 (rule" in str(Breach(rule="eligibility", expected=[1, 2], found=0))


@pytest.mark.parametrize(
    ("mutant", "check", "told"),
    [
        ("GoalWithoutN", "critical-payment", "as in an exploration; an auction is due (selections "),
        ("NeverExplores", "exploration-payment", "the price of an auction; exploration is due (selections "),
    ],
)
def test_the_message_of_a_check_names_it(mutant: str, check: str, told: str) -> None:
    report = check_mechanism(MUTANTS[mutant].factory, only=[check], effort=QUICK, explain=False)
    assert told in report.headline
    assert re.search(r"; target g\(\d+\) = [\d.]+\)\.$", report.headline)
