"""What `check --in-flight` guesses: held to the rules beside it, and to mechanisms broken on purpose."""

from __future__ import annotations

from typing import Any

import pytest

from mechanism.delays import delay_law
from mechanism.platform import concurrent_mechanism
from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.diagnosis.guess import explanation, guess
from proofs_checks.conformance.diagnosis.late_variants import LATE_VARIANTS
from proofs_checks.conformance.diagnosis.probes import probes
from proofs_checks.conformance.diagnosis.recording import History, Recording
from proofs_checks.conformance.diagnosis.rulebook import PLAIN
from proofs_checks.conformance.diagnosis.variants import VARIANTS
from proofs_checks.conformance.mutants import tickets
from proofs_checks.conformance.mutants.tickets import Tickets
from proofs_checks.conformance.play.late_feedback import overtaking
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.suite import IN_FLIGHT_CHECKS, check_mechanism
from proofs_checks.oracle.rule_oracle import money_rounding, oracle_beside
from proofs_checks.oracle.step_rules import breaches
from tests.parametrized import long_but
from tests.proofs_checks.conformance.late import late_mutant

LAW = delay_law("3")


def late(factory: Any) -> Subject:
    return Subject(factory, "late").played(in_flight=LAW)


def recordings(factory: Any) -> list[Recording]:
    return list(probes(late(factory)))


def slip(**methods: Any) -> type[Tickets]:
    """Return a mechanism with other rules."""
    return type("Slip", (Tickets,), methods)


class KeepsTheBidOfTheLatestQuery(Tickets):
    """Lets the bid of the query assigned last stand."""

    def _prepare(self) -> None:
        super()._prepare()
        self.latest = [0] * self.n_providers

    def _arrive(self, query: int, score: float, bid: float) -> None:
        provider = self.in_flight.pop(query)
        self._learn(provider, score)
        if query > self.latest[provider]:
            self.latest[provider] = query
            self._take(provider, bid)


#: From a broken mechanism to the variant that it is.
MADE = {
    tickets.CreditsTheLastAssigned: "credits the last assigned",
    tickets.CreditsInOrder: "credits in order",
    tickets.DropsTheOvertaken: "drops the overtaken",
    tickets.WaitsForTheEarlier: "holds for the earlier",
    tickets.CountsWhenAssigned: "counts when assigned",
    tickets.TakesWaitingForZero: "waiting for zero",
    slip(_radius=lambda self, i: self._beta(max(self.counts[i] + self._waiting(i), 1))): "radius of assigned queries",
    slip(
        _explored=lambda self, able: tuple(
            i for i in able if not self.counts[i] or self.counts[i] + self._waiting(i) < self._goal()
        )
    ): "goal against assigned queries",
    slip(_goal=lambda self: self._goal_at(1 + sum(self.counts))): "goal of heard queries",
    slip(
        _estimate=lambda self, i: (self.score_sums[i] + self._waiting(i)) / max(self.counts[i] + self._waiting(i), 1)
    ): "waiting for one",
    KeepsTheBidOfTheLatestQuery: "bid of the latest query",
}
GUESSES = "guesses of many mechanisms"


class TestRulebook:
    """Algorithm 1 as a table, of what has arrived, against the rule oracle, which is written apart from it."""

    @pytest.mark.parametrize("factory", long_but(1, [Tickets, concurrent_mechanism], reason=GUESSES))
    def test_allows_what_correct_mechanisms_answer(self, factory: Any) -> None:
        assert all(all(each.replayed(PLAIN)) for each in recordings(factory))

    @pytest.mark.for_each("mutant", [tickets.CountsWhenAssigned, late_mutant("CountsOneMore")])
    def test_allows_what_the_oracle_allows(self, mutant: Any) -> None:
        compared = wrong = 0
        for seed, each in enumerate(recordings(mutant)):
            law = overtaking(LAW) if seed % 2 else LAW
            oracle, rounding = oracle_beside(each.config, seed, law), money_rounding(each.config)
            for fine, answer, settled in zip(each.judged(PLAIN), each.answers, each.settlements, strict=True):
                found = oracle.decisions()
                if len(found) == 1 and fine is not None:
                    compared += 1
                    wrong += not fine
                    assert fine == (not breaches(found, *answer, rounding))
                oracle.settle(answer[0], *settled)
        assert compared > 1_500
        assert wrong > 100

    def test_at_once_the_walk_is_that_of_no_queries_in_flight(self) -> None:
        for each in recordings(Tickets)[:4]:
            at_once = Recording(config=each.config, answers=each.answers, settlements=each.settlements)
            arrivals = tuple(range(1, len(each.settlements) + 1))
            walked = Recording(
                config=each.config, answers=each.answers, settlements=each.settlements, arrivals=arrivals
            )
            for variant in VARIANTS[::10]:
                assert list(at_once.judged(variant.book)) == list(walked.judged(variant.book)), variant.name


class TestVariants:
    def test_have_names_of_their_own_and_name_checks(self) -> None:
        names = [each.name for each in (*LATE_VARIANTS, *VARIANTS)]
        assert len(set(names)) == len(names)
        assert {name for each in LATE_VARIANTS for name in each.checks} <= IN_FLIGHT_CHECKS.keys()

    @pytest.mark.long(GUESSES)
    def test_none_explains_a_correct_mechanism(self) -> None:
        assert explanation(recordings(concurrent_mechanism)) is None

    def test_each_has_a_broken_mechanism(self) -> None:
        assert set(MADE.values()) == {each.name for each in LATE_VARIANTS}

    @pytest.mark.parametrize("factory", MADE, ids=MADE.values())
    def test_names_a_mechanism_that_errs_so(self, factory: Any) -> None:
        found = guess(late(factory), ())
        assert found is not None
        assert (found.name, found.alternatives) == (MADE[factory], ())
        assert found.explained > 2_000


class TestNames:
    def test_a_counterexample_is_played_again_under_the_law_of_its_check(self) -> None:
        histories = [History(usual_config(n_providers=2), 3, ((1.0, 0.25), (1.0, 0.5)) * 5, delay_law("0-6"))]
        assert guess(late(tickets.DropsTheOvertaken), histories).name == "drops the overtaken"

    def test_the_report_says_it_beside_expected_and_found(self) -> None:
        report = check_mechanism(tickets.CountsWhenAssigned, in_flight="3", only=["critical-payment"], effort=QUICK)
        assert report.headline.endswith("it counts a query when it is assigned, before its score and bid arrive.")
        data = report.to_data()
        assert data["guess"]["name"] == "counts when assigned"
        shown = data["checks"][0]["counterexample"]
        assert shown["expected"] != shown["found"]
        assert [row["count"] for row in shown["providers"]] == list(report.checks[0].failure.oracle().counts)
