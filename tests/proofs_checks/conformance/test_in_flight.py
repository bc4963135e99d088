"""Mechanisms of the ticket form: held to what has arrived, whatever overtakes, is lost, or is started again."""

import json
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from costproof.strategies import scenarios
from mechanism.delays import Arrivals, DelayLaw, delay_law
from mechanism.platform import concurrent_mechanism, reference_mechanism
from mechanism.trace import NEVER_SETTLED
from proofs_checks.cli.views.check import show_conformance
from proofs_checks.conformance.checks import fresh_process
from proofs_checks.conformance.checks.restart import restart_in_a_fresh_process
from proofs_checks.conformance.descriptions import QUICK, SuiteEffort
from proofs_checks.conformance.hosting.hosted import HostedSubject
from proofs_checks.conformance.mutants import tickets
from proofs_checks.conformance.mutants.draws import PrefersTheCheapest
from proofs_checks.conformance.mutants.pricing import FirstPrice
from proofs_checks.conformance.mutants.tickets import Tickets
from proofs_checks.conformance.play.interaction import Interaction, play_scenario
from proofs_checks.conformance.play.scenario import Query, Scenario, usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.suite import ALL_CHECKS, IN_FLIGHT_CHECKS, check_mechanism, select
from tests.parametrized import long_but
from tests.refusals import assert_refused

pytestmark = pytest.mark.usefixtures("little_shrinking")
LIGHT = SuiteEffort(examples=4, draws=3_000)
#: Enough for mutants that err only after many steps.
ENOUGH = SuiteEffort(examples=8, draws=3_000)
MUTANTS = {name: made for name, made in vars(tickets).items() if getattr(made, "caught_by", ())}
LAWS = ("0", "3", "0-5", "1-4,in-order", "2,lost=0.2", "0-6,in-order,lost=0.1")
MODULE = "proofs_checks.conformance.mutants.tickets"


class Locked(Tickets):
    """Right, and for several threads: each waits for its turn."""

    def _prepare(self) -> None:
        self.lock = threading.RLock()

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        with self.lock:
            super().settle(score, bid, query)


class LockedTooLate(Locked):
    """Reads the selection count before it has its turn."""

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        provider = self.in_flight[query or 0]
        known = self.counts[provider]
        super().settle(score, bid, query)
        self.counts[provider] = known + 1


class RefusesIfBusy(Locked):
    """Raises an error where another thread has its turn."""

    def settle(self, score: float, bid: float, query: int | None = None) -> None:
        if not self.lock.acquire(timeout=0.001):
            raise TimeoutError("busy")
        try:
            super().settle(score, bid, query)
        finally:
            self.lock.release()


def late(factory: Any, law: str) -> Subject:
    return Subject(factory, "late").played(in_flight=delay_law(law))


class TestArrivals:
    """When feedback arrives: a pure function of law, seed and query."""

    @given(
        st.integers(0, 5),
        st.integers(0, 5),
        st.booleans(),
        st.sampled_from([0.0, 0.3]),
        st.integers(0, 2**32),
        st.integers(1, 700),
    )
    def test_keep_the_law_for_any_query(
        self, least: int, more: int, in_order: bool, lost: float, seed: int, queries: int
    ) -> None:
        law = DelayLaw(most=least + more, least=least, in_order=in_order, lost=lost)
        one, other = Arrivals(law, seed), Arrivals(law, seed)
        last = one(queries)
        found = [one(query) for query in range(1, queries + 1)]
        assert found == [other(query) for query in range(1, queries + 1)], "however many were asked for before"
        assert found[-1] == last
        arrived = [(query, settled) for query, settled in enumerate(found, 1) if settled != NEVER_SETTLED]
        assert all(query + least <= settled <= query + least + more for query, settled in arrived)
        assert lost or len(arrived) == queries
        if in_order:
            assert [settled for _, settled in arrived] == sorted(settled for _, settled in arrived)


def known(interaction: Interaction, step: int, provider: int) -> list[tuple[float, float]]:
    """What had arrived of a provider before a step, told by the log alone: the definition of `settled`."""
    rows = [(interaction.arrival(s), s) for s in range(1, step) if interaction.providers[s - 1] == provider]
    return [interaction.settlements[s - 1] for arrival, s in sorted(rows) if arrival < step]


#: Ties, bids at the critical payment, one eligible, nobody eligible.
SMALL = st.sampled_from(["auctions", "noisy", "exploring", "lone", "empty"]).flatmap(scenarios)


class TestOracle:
    """The rules beside a mechanism with queries in flight; `test_kernel_engines` has what they prescribe."""

    @given(SMALL)
    def test_a_law_of_nothing_is_immediate_feedback(self, scenario: Scenario) -> None:
        at_once = play_scenario(Subject(reference_mechanism, "it"), scenario)
        ticketed = play_scenario(late(concurrent_mechanism, "0"), scenario)
        assert (at_once.events, at_once.decisions) == (ticketed.events, ticketed.decisions)

    def test_standing_bids_are_those_that_arrived_last(self) -> None:
        scenario = Scenario(usual_config(n_providers=2), 3, ((Query(1.0, 0.25, 0.5),), (Query(1.0, 0.5, 0.25),)), 30)
        interaction = play_scenario(late(concurrent_mechanism, "0-5"), scenario)
        for step in range(3, 31):
            for provider in range(2):
                changed = interaction.last_service(provider, step)
                heard = known(interaction, step, provider)
                assert (changed is None) is (not heard)
                if changed is not None:
                    assert interaction.settlements[changed - 1] == heard[-1]


class TestCorrect:
    @pytest.mark.long("all checks of mechanisms with queries in flight")
    @pytest.mark.parametrize(("factory", "law"), [(concurrent_mechanism, "0-5,lost=0.1"), (Locked, "3")])
    def test_mechanisms_are_not_accused(self, factory: Any, law: str) -> None:
        report = check_mechanism(factory, in_flight=law, effort=LIGHT)
        not_passed = {each.name: each.message for each in report.checks if each.status != "passed"}
        no_lock = "not offered: no attribute of the mechanism is a lock: one thread calls it"
        assert not_passed == ({} if factory is Locked else {"threads": no_lock})
        assert report.conforms
        assert [each.name for each in report.checks] == list(IN_FLIGHT_CHECKS)

    def test_what_is_not_offered_is_said_and_costs_nothing(self) -> None:
        report = check_mechanism(tickets.tickets, in_flight="2", only=["restart", "initialization-payment"])
        restart, other = report.checks
        assert (restart.status, other.status, report.conforms) == ("skipped", "passed", True)
        assert restart.message == "not offered: the mechanism offers no state() and restore(state)"

    @pytest.mark.long("a process that loads SymPy")
    def test_with_a_domain(self) -> None:
        only = ["overtaking-feedback", "restart", "reproducible"]
        report = check_mechanism(
            concurrent_mechanism, in_flight="2", domain=["scores=binary", "eligible=2.."], only=only, effort=LIGHT
        )
        assert report.conforms, report.headline


class TestMutants:
    @pytest.mark.parametrize("mutant", long_but(8, MUTANTS, reason="all mutants"))
    def test_named_checks_catch(self, mutant: str) -> None:
        named = MUTANTS[mutant].caught_by
        report = check_mechanism(MUTANTS[mutant], in_flight="3", only=named, effort=ENOUGH, explain=False)
        assert {each.name for each in report.checks if each.status == "failed"} == set(named)

    def test_every_check_of_queries_in_flight_alone_catches_one(self) -> None:
        named = {name for made in MUTANTS.values() for name in made.caught_by}
        assert IN_FLIGHT_CHECKS.keys() - ALL_CHECKS.keys() <= named <= IN_FLIGHT_CHECKS.keys()

    @pytest.mark.long("runs the checks twice")
    def test_what_is_wrong_without_queries_in_flight_is_wrong_with_them(self) -> None:
        mixed = type("LateFirstPrice", (Tickets, FirstPrice), {})
        report = check_mechanism(mixed, in_flight="3", only=["own-bid-independence", "critical-payment"], effort=LIGHT)
        assert report.failed == 2

    @pytest.mark.long("counts draws")
    def test_draws_are_told_from_the_bids_that_have_arrived(self) -> None:
        class Late(Tickets, PrefersTheCheapest):
            def _prepare(self) -> None:
                self.bids = [self.bound] * self.n_providers  # of whom no bid has arrived

        report = check_mechanism(Late, in_flight="3", only="exploration-draw", effort=QUICK)
        assert "one of those with the lowest standing bid was drawn" in report.checks[0].message


class TestThreads:
    """Two threads hand over feedback: one stops at a line, and the other one goes on, or waits for its turn."""

    @pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long("more scenarios"))])
    def test_whoever_waits_for_its_turn_is_right(self, seed: int) -> None:
        report = check_mechanism(Locked, in_flight="0-5,lost=0.1", only="threads", effort=QUICK, seed=seed)
        assert report.conforms, report.headline
        assert report.checks[0].compared > 150

    @pytest.mark.parametrize(
        ("factory", "told"),
        [
            (tickets.DropsIfBusy, "two threads hand over feedback at once, provider . serves"),
            (LockedTooLate, "two threads hand over feedback at once, provider . serves"),
            (RefusesIfBusy, r"at once: settle\(.*\) at step \d+ raised TimeoutError: busy"),
        ],
    )
    def test_others_are_caught(self, factory: Any, told: str) -> None:
        report = check_mechanism(factory, in_flight="3", only="threads", effort=QUICK, explain=False)
        assert report.failed
        assert re.search(told, report.checks[0].message)

    def test_calls_in_turn_show_nothing(self) -> None:
        only = ["lost-feedback", "overtaking-feedback", "critical-payment"]
        assert check_mechanism(tickets.DropsIfBusy, in_flight="3", only=only, effort=LIGHT).conforms


class TestFreshProcess:
    """A mechanism that takes back its state in a process in which it is the first."""

    @pytest.mark.long("starts processes")
    def test_right_ones_go_on(self) -> None:
        for factory in (concurrent_mechanism, Tickets):
            probe = restart_in_a_fresh_process(late(factory, "0-4,lost=0.1"))
            assert (probe.compared, probe.failure) == (116 + 81, None)

    @pytest.mark.long("starts processes")
    def test_what_the_module_keeps_is_lost_there_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def checked() -> Any:
            return check_mechanism(tickets.KeepsBidsInItsModule, in_flight="3", only="contract", effort=LIGHT)

        failed = [each for each in checked().checks if each.status == "failed"]
        assert [each.name for each in failed] == ["restart"]
        assert "a restart in a new process" in failed[0].message
        monkeypatch.setattr(fresh_process, "can_host", lambda: False)
        assert checked().conforms

    @pytest.mark.long("a process that loads SymPy")
    def test_an_error_there_is_told_at_its_step(self) -> None:
        failure = restart_in_a_fresh_process(late(tickets.ForgetsTickets, "2")).failure
        assert failure.step > 5
        broken = restart_in_a_fresh_process(late(tickets.SavesKeysAsNumbers, "2")).failure
        assert "raised KeyError" in broken.message

    def test_nothing_is_compared_without_a_name(self) -> None:
        assert restart_in_a_fresh_process(late(lambda config, rng: Tickets(config, rng), "2")).compared == 0


class TestHosted:
    """In a process of its own a mechanism answers as in this one."""

    def test_answers_alike(self) -> None:
        law = delay_law("0-4,lost=0.1")
        config, settlements = usual_config(n_providers=3, exploration_scale=1.3), [(1.0, 0.25), (0.5, 0.5)] * 20
        local = Subject(Tickets, "local").played(in_flight=law).start(config, 5)
        with HostedSubject(f"{MODULE}:Tickets") as subject:
            hosted = subject.played(in_flight=law).start(config, 5)
            assert hosted.offers("restart") is local.offers("restart") is True
            assert hosted.offers("threads") is local.offers("threads") is False
            for part in (settlements, settlements):
                assert hosted.replay(part) == local.replay(part)
                hosted.restart(1), local.restart(1)
            assert subject.played(in_flight=DelayLaw(most=0)).start(config, 5).replay([(1.0, 0.5)]), (
                "another instance goes on"
            )

    def test_the_part_of_a_state_that_json_cannot_hold_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        class Saves(Tickets):
            def state(self) -> Any:
                return {"open": [(3, np.int64(0))]}

        report = check_mechanism(Saves, in_flight="1", only="restart", effort=LIGHT)
        part = "['open'][0][1] is a numpy.int64, which JSON cannot hold: write int(...)"
        assert f"returned what is not JSON: {part}" in report.checks[0].message
        show_conformance(report)
        out = capsys.readouterr().out
        assert "found None" not in out
        assert "adjusted" not in out


class TestReport:
    def test_a_failure_shows_when_feedback_arrived(self) -> None:
        only = "overtaking-feedback"
        report = check_mechanism(tickets.DropsTheOvertaken, in_flight="3", effort=ENOUGH, only=only, explain=False)
        data = json.loads(json.dumps(report.to_data()))
        assert data["in_flight"] == "3"
        shown = data["checks"][0]["counterexample"]
        assert all(row["settled"] is None or row["settled"] >= row["step"] for row in shown["history"])
        assert "confirmed in exact fractions" in shown["exact"]

    @pytest.mark.long("runs scripts")
    @pytest.mark.parametrize(
        ("mutant", "law", "check"),
        [
            ("DropsTheOvertaken", "3", "overtaking-feedback"),
            ("ForgetsTickets", "2", "restart"),
            ("KeepsBidsInItsModule", "3", "restart"),
            ("DropsIfBusy", "3", "threads"),
        ],
    )
    def test_its_script_shows_it(self, tmp_path: Path, mutant: str, law: str, check: str) -> None:
        report = check_mechanism(f"{MODULE}:{mutant}", in_flight=law, effort=ENOUGH, only=check)
        file = tmp_path / "shows.py"
        for factory, code in ((mutant, 1), ("Tickets", 0)):
            file.write_text(report.checks[0].script.replace(f"import {mutant}", f"import {factory}"))
            assert subprocess.run([sys.executable, file], check=False, capture_output=True).returncode == code

    def test_checks_are_named_where_they_belong(self) -> None:
        assert "restart" in select("contract", in_flight=True)
        for only, law, told in (
            ("threads", None, "is not a check of a mechanism without queries in flight"),
            ("robust-strict", "3", "is not a check of a mechanism with queries in flight"),
            ("answers", "51", "must be at most 50 queries"),
            ("answers", "many", "is not a number of queries in flight"),
        ):
            assert_refused(told, check_mechanism, concurrent_mechanism, only=only, in_flight=law)
