"""Scenarios that checks share, and plays on a market as in a simulation."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import costproof
from bounds.published import published
from mechanism.platform import Platform, reference_mechanism
from mechanism.policies import POLICIES
from mechanism.trace import Trace
from proofs_checks.conformance.checks import search
from proofs_checks.conformance.checks.search import Probe
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.errors import MechanismError
from proofs_checks.conformance.play.interaction import Interaction
from proofs_checks.conformance.play.market import play_on_market
from proofs_checks.conformance.play.scenario import Scenario
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.failure import failure_at
from proofs_checks.conformance.strategies.scenarios import FAMILIES
from tests.proofs_checks.cli.test_play_command import ROUTER
from tests.refusals import refusal

LOCAL = Subject(reference_mechanism, "mechanism.platform:reference_mechanism")


def failing_at(
    step: int, seen: list[Scenario], forced: Callable[[Interaction], bool] = lambda interaction: True
) -> search.Find:
    """Return what finds fault with every scenario in which the last provider serves at a step."""

    def find(subject: AnySubject, interaction: Interaction) -> Probe:
        seen.append(interaction.scenario)
        last = interaction.config.n_providers - 1
        if len(interaction.events) >= step and interaction.events[step - 1].provider == last:
            failure = failure_at(interaction, step, "the last provider serves")
            return Probe(1, replace(failure, forced=forced(interaction)))
        return Probe(1)

    return find


@pytest.mark.parametrize("step", [4, 12, 40])
@pytest.mark.parametrize("family", ["auctions", "noisy"])
def test_a_search_is_that_of_hypothesis_alone(family: str, step: int) -> None:
    """Scenarios that all checks share are tried first; from the first that fails on Hypothesis has it."""
    found = []
    for shared in (True, False):
        seen: list[Scenario] = []
        own = search._Search(LOCAL, failing_at(step, seen))
        if shared:
            own.run(FAMILIES[family], 7, 30)
        else:
            try:
                search._run_search(own._try, FAMILIES[family], LOCAL.domain, 7, 30)
            except (search._FailedError, search.Enough):
                assert own.failure is not None
        found.append((seen, own.failure, own.examples, own.compared))
    assert found[0] == found[1]
    assert len(found[0][0]) > 5


@pytest.mark.parametrize("forced", [2, 3, 99])
def test_a_failure_with_a_forced_history_is_preferred(forced: int) -> None:
    """With so many providers a history is forced; the first scenario that fails has two or three."""
    failing: list[int] = []

    def is_forced(interaction: Interaction) -> bool:
        failing.append(interaction.config.n_providers)
        return failing[-1] == forced

    own = search._Search(LOCAL, failing_at(8, [], is_forced))
    own.run(FAMILIES["auctions"], 7, 30)
    assert failing[0] in (2, 3)
    assert own.failure is not None
    assert own.failure.portable == (forced != 99)
    assert own.failure.config.n_providers == (3 if forced == 3 else 2)  # the smallest, where none is forced


NAME = "gpqa-strong"
SETTING = published(NAME).setting


ROUTERS: dict[str, Any] = {}
exec(ROUTER, ROUTERS)
#: Serves each provider once, then whoever bids least; pays the second bid.
Cheapest = ROUTERS["Cheapest"]


class Always0:
    def assign(self) -> tuple[int, float]:
        return 0, 1.0

    def settle(self, score: float, bid: float) -> None: ...


def equal(one: Trace, other: Trace) -> bool:
    return all(np.array_equal(column, other.columns()[name]) for name, column in one.columns().items())


def test_the_papers_platform_plays_as_it_is_simulated() -> None:
    """The compiled simulation is another implementation; markets, bidders and draws are the same."""
    platform = POLICIES["platform"]
    played = play_on_market(lambda _config, rng: platform.make(SETTING, rng), SETTING, horizon=3_000, seed=5)
    simulated = costproof.simulate(NAME, 3_000, seed=5)
    assert equal(played.trace, simulated)
    assert played.metrics == costproof.measure(NAME, simulated)


@pytest.mark.long("diagnoses a log")
def test_the_log_of_a_router_that_ignores_quality_shows_it() -> None:
    played = play_on_market(Cheapest, SETTING, horizon=2_000)
    counts = np.bincount(played.trace.provider, minlength=4)
    unqualified = sum(int(counts[place]) for place in SETTING.unqualified)
    assert unqualified > 1_500
    assert math.isclose(played.metrics.unqualified_share, unqualified / 2_000)
    assert not costproof.audit(played.trace, NAME, labels="lem:payment-range").passed


def test_who_leaves_out_a_provider_at_the_start_is_told_so() -> None:
    with pytest.raises(MechanismError, match=r"its first 4 queries serve Qwen2-0\.5B twice: each provider is due one"):
        play_on_market(lambda config, rng: Always0(), SETTING, horizon=100)


def test_what_it_prints_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    class Chatty(Cheapest):
        def assign(self) -> tuple[int, float]:
            print("serving")  # noqa: T201
            return super().assign()

    play_on_market(Chatty, SETTING, horizon=10)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("serving") == 10


def test_from_python_by_name_and_by_factory() -> None:
    by_name = costproof.play("mechanism.platform:reference_mechanism", NAME, 200, seed=2)
    assert equal(by_name.trace, costproof.play(reference_mechanism, NAME, 200, seed=2).trace)
    assert not equal(by_name.trace, costproof.play(reference_mechanism, NAME, 200, seed=3).trace)
    for mechanism, options, argument in (
        ("nowhere:make", {}, "mechanism"),
        ("router", {}, "mechanism"),
        (reference_mechanism, {"horizon": 3}, "horizon"),
        ("mechanism.platform:concurrent_mechanism", {"in_flight": "3,lost=2"}, "in_flight"),
    ):
        assert refusal(costproof.play, mechanism, NAME, **options).argument == argument


class TestInFlight:
    """Mechanisms that answer concurrently, and the logs of what they did."""

    def test_a_concurrent_platform_leaves_a_log_that_breaks_no_rule(self) -> None:
        played = costproof.play("mechanism.platform:concurrent_mechanism", "gpqa-strong", 1_000, in_flight="0-5")
        assert played.trace.settled is not None
        assert played.to_data()["in_flight"] == "0-5"
        assert costproof.audit(played.trace, "gpqa-strong").violating_steps == 0

    @pytest.mark.long("audits a log that breaks rules")
    def test_one_that_decides_on_what_it_cannot_know_is_caught(self) -> None:
        """It settles with the score of a query that is still in flight: none was told, so it makes one up."""

        class Guesses(Platform):
            def assign(self) -> tuple[int, float]:
                for query in list(self.in_flight):
                    super().settle(0.5, 0.0, query)
                return super().assign()

            def settle(self, score: float, bid: float, query: int | None = None) -> None:
                if query in self.in_flight:
                    super().settle(score, bid, query)

        played = costproof.play(
            lambda config, rng: Guesses(config, rng, concurrent=True), "gpqa-strong", 1_000, in_flight="3"
        )
        assert costproof.audit(played.trace, "gpqa-strong").violating_steps > 100

    def test_what_was_assigned_before_a_failure_is_kept(self) -> None:
        class Fails(Platform):
            def assign(self) -> tuple[int, float]:
                if self.step == 41:
                    raise RuntimeError("no more")
                return super().assign()

        kept: list[Trace] = []
        with pytest.raises(MechanismError, match=r"assign\(\) at step 41 raised RuntimeError: no more"):
            play_on_market(
                lambda config, rng: Fails(config, rng, concurrent=True),
                published("gpqa-strong").setting,
                horizon=100,
                in_flight="2",
                broken_off=kept.append,
            )
        (trace,) = kept
        assert len(trace) == 40
        assert trace.settled[-1] == 42
