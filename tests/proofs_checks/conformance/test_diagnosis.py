"""What `check` says of a broken mechanism: of the gallery, of mechanisms beside it, and of none that is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

from mechanism.delays import delay_law
from mechanism.platform import concurrent_mechanism
from proofs_checks.conformance import probes as probes_module
from proofs_checks.conformance.descriptions import QUICK
from proofs_checks.conformance.mutants import tickets
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.mutants.tickets import Tickets
from proofs_checks.conformance.play.any_mechanism import PlayedInteraction
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.probes import diagnose_mechanism, recorded
from proofs_checks.conformance.report.order import rank
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism
from proofs_checks.diagnosis.mechanism_causes import DRAWS, MECHANISM_CAUSES
from proofs_checks.diagnosis.together import MechanismDiagnosis, diagnose_together
from tests.parametrized import long_but
from tests.proofs_checks.conformance.slips import GALLERY, SHOWN_BY, SLIPS

LAW = delay_law("3")
#: Of the gallery, with a history that shows it, where no probe does.
SHOWN = {
    "CountsWrap": (
        "keeps counts modulo 256",
        PlayedInteraction(usual_config(n_providers=2), 0, ((1.0, 0.5), (1.0, 0.25)) * 300),
    ),
    "BidsReset": (
        "puts c_max for all bids that were left before step 700",
        PlayedInteraction(usual_config(n_providers=2), 0, ((1.0, 0.5), (1.0, 0.25)) * 360),
    ),
}
#: Of the gallery: broken in a way that is none of the causes.
NOTHING = (
    *("LosersBidMoves", "LowBidsPaidLess", "MovingAverageLeak"),
    *("InitializationSkips", "PrefersTheCheapest", "ModuloBias"),
    *("StickyDraw", "DrawsByScore", "PrefersTheSecond", "RoundsTheDraw", "ObeysTheLastScore", "EmptyDrawsTheLastLess"),
)


def slip(**methods: Any) -> type[Tickets]:
    return type("Slip", (Tickets,), methods)


#: With queries in flight: what is said of mechanisms that err there.
LATE = {
    tickets.CreditsTheLastAssigned: "credits feedback to the provider that was assigned last",
    tickets.CreditsInOrder: "credits feedback to the query that has waited longest",
    tickets.DropsTheOvertaken: "drops feedback that a later query's has overtaken",
    tickets.WaitsForTheEarlier: "holds feedback back until that of every earlier query is there",
    tickets.CountsWhenAssigned: "counts a query when it is assigned, before its score and bid arrive",
    tickets.TakesWaitingForZero: "takes queries in flight for scores of 0",
    slip(
        _radius=lambda self, i: self._beta(max(self.counts[i] + self._waiting(i), 1))
    ): "counts queries in flight in the radius",
    slip(
        _explored=lambda self, able: tuple(
            i for i in able if not self.counts[i] or self.counts[i] + self._waiting(i) < self._goal()
        )
    ): "counts queries in flight where it compares counts with g(t)",
    slip(_goal=lambda self: self._goal_at(1 + sum(self.counts))): "takes the number of queries heard of for t in g(t)",
}
#: Causes that no mechanism shows here: whoever pays more than c_max is stopped before.
UNSHOWN = {"It pays P even above c_max."}
GUESSES = "diagnoses of many mechanisms"
long = pytest.mark.long(GUESSES)


def said(factory: Any, *histories: PlayedInteraction) -> str:
    """Return what is said of a mechanism, without the "it"; empty if nothing."""
    found = diagnose_mechanism(Subject(factory, "it"), histories)
    return "" if found is None else found.sentence.removeprefix("it ").replace(". This holds", "")


def late(factory: Any) -> AnySubject:
    """A mechanism with queries in flight."""
    return Subject(factory, "late").played(in_flight=LAW)


class Both(MUTANTS["CountsOneMore"].factory, MUTANTS["FirstBidStands"].factory):  # type: ignore[misc]
    """Has two defects."""


class GoodUntilShown(Plain):
    """Takes three scores of 1/3 for granted."""

    def _estimate(self, provider: int) -> float:
        return (self.score_sums[provider] + 1) / (self.counts[provider] + 3)


class StricterWithTheLast(Plain):
    """Asks of the later providers some hundredths more than the threshold."""

    def _is_eligible(self, provider: int) -> bool:
        asked = self.config.quality_threshold + 0.02 * provider
        return self._estimate(provider) + self._radius(provider) >= asked


class TestNames:
    @pytest.mark.parametrize("name", long_but(["NeverExplores"], GALLERY, reason=GUESSES))
    def test_of_the_gallery(self, name: str) -> None:
        assert said(MUTANTS[name].factory) == GALLERY[name]

    @pytest.mark.parametrize("name", long_but(6, SLIPS, reason=GUESSES))
    def test_slips(self, name: str) -> None:
        assert said(SLIPS[name], *SHOWN_BY.get(name, ())) == name

    @long
    @pytest.mark.parametrize("name", SHOWN)
    def test_what_one_history_shows(self, name: str) -> None:
        sentence, history = SHOWN[name]
        assert said(MUTANTS[name].factory, history) == sentence

    @pytest.mark.parametrize("factory", long_but(1, LATE, reason=GUESSES), ids=LATE.get)
    def test_with_queries_in_flight(self, factory: Any) -> None:
        found = diagnose_mechanism(late(factory), ())
        assert found.sentence == f"it {LATE[factory]}"
        assert found.answers > 2_000

    @pytest.mark.parametrize("factory", long_but(1, [GoodUntilShown, StricterWithTheLast], reason=GUESSES))
    def test_of_another_estimate_or_filter_no_more_than_that_it_is_another(self, factory: type) -> None:
        others = "serves and pays as if others were eligible: its quality estimate, or what it compares, is another"
        assert said(factory) == others

    def test_every_cause_has_a_mechanism_that_shows_it(self) -> None:
        named = [*GALLERY.values(), *SLIPS, *LATE.values(), *(sentence for sentence, _ in SHOWN.values())]
        for says in {cause.says for cause in MECHANISM_CAUSES} - UNSHOWN:
            pattern = re.sub(r"\\{\w+\\}", ".*", re.escape(says[3:-1]))
            assert any(re.fullmatch(pattern, each) for each in named), says


class TestNothing:
    @pytest.mark.parametrize("name", long_but(1, NOTHING, reason=GUESSES))
    def test_is_said_of_other_defects(self, name: str) -> None:
        assert said(MUTANTS[name].factory) == ""

    @long
    def test_is_said_of_two_defects(self) -> None:
        assert said(Both) == ""

    @pytest.mark.parametrize("name", long_but(1, CORRECT, reason=GUESSES))
    def test_is_said_of_correct_mechanisms(self, name: str) -> None:
        assert said(CORRECT[name]) == ""

    @pytest.mark.parametrize("factory", long_but(1, [Tickets, concurrent_mechanism], reason=GUESSES))
    def test_is_said_of_correct_mechanisms_with_queries_in_flight(self, factory: Any) -> None:
        assert diagnose_mechanism(late(factory), ()) is None


class TestProbes:
    def test_come_to_every_kind_of_step(self) -> None:
        replays = [log.replay for log in probes_module.probes(Subject(Plain, "it"))]
        lone = [replay.auction & (replay.eligible.sum(axis=1) == 1) for replay in replays]
        assert sum(map(sum, lone)) > 50
        for flags in ("auction", "exploration", "empty"):
            assert sum(getattr(replay, flags).sum() for replay in replays) > 50
        assert set(DRAWS) == {"at explorations", "when nobody is eligible"}

    def test_a_counterexample_is_played_again_under_the_law_of_its_check(self) -> None:
        config, settlements = usual_config(n_providers=2), ((1.0, 0.25), (1.0, 0.5))
        log = recorded(Subject(Plain, "it"), PlayedInteraction(config, 0, settlements))
        assert list(zip(log.provider.tolist(), log.payment.tolist(), strict=True)) == [(0, 1.0), (1, 1.0), (0, 0.5)]
        log = recorded(late(Tickets), PlayedInteraction(config, 3, settlements * 5, in_flight=delay_law("0-6")))
        assert log.delay.max() > 3


class TestAlternatives:
    """What several changes explain is told of none of them alone."""

    #: One auction with two rivals: their median is their mean.
    HISTORY = PlayedInteraction(usual_config(n_providers=3), 0, ((1.0, 0.25), (1.0, 0.5), (1.0, 0.875)))

    def found(self, further: Any = ()) -> MechanismDiagnosis:
        subject = Subject(MUTANTS["MedianRival"].factory, "it")
        return diagnose_together([recorded(subject, self.HISTORY)], further)

    @pytest.mark.long("explains two runs")
    def test_all_that_explain_are_named(self) -> None:
        sentence, found = self.found().sentence, self.found().found
        assert sentence.endswith(": these answers do not tell them apart")
        assert {"It takes the mean of the rivals' adjusted bids in P."} < {each.sentence for each in found}
        assert {each.explains for each in found} == {1.0}

    @long
    def test_further_probes_tell_apart_what_the_first_leave_open(self) -> None:
        found = self.found(probes_module.further_probes(Subject(MUTANTS["MedianRival"].factory, "it")))
        assert [each.sentence for each in found.found] == ["It takes the median of the rivals' adjusted bids in P."]


class TestReport:
    @pytest.mark.long("explains a whole run")
    def test_the_first_line_and_the_data(self) -> None:
        checks = ["payment-range", "critical-payment", "widened-radius"]
        report = check_mechanism(MUTANTS["CountsOneMore"].factory, only=checks, effort=QUICK)
        assert report.headline.endswith("Start with critical-payment: it takes m + 1 for m in the radius.")
        data = report.to_data()
        assert data["first"] == "critical-payment"
        assert data["headline"] == report.headline
        assert [each["cause"] for each in data["diagnosis"]] == ["another radius"]
        [failed] = [check for check in data["checks"] if check["name"] == "critical-payment"]
        rows = failed["counterexample"]["providers"]
        assert [row["provider"] for row in rows] == list(range(len(rows)))
        assert failed["counterexample"]["expected"] in [min(row["critical_payment"], 1.0) for row in rows]

    @long
    def test_with_queries_in_flight_beside_expected_and_found(self) -> None:
        report = check_mechanism(tickets.CountsWhenAssigned, in_flight="3", only=["critical-payment"], effort=QUICK)
        assert report.headline.endswith("it counts a query when it is assigned, before its score and bid arrive.")
        shown = report.to_data()["checks"][0]["counterexample"]
        assert shown["expected"] != shown["found"]
        assert [row["count"] for row in shown["providers"]] == list(report.checks[0].failure.oracle().counts)

    @pytest.mark.long("a process that loads SymPy")
    def test_what_breaks_the_contract_is_told_first_and_not_diagnosed(self) -> None:
        report = check_mechanism(MUTANTS["HalvesItsConfidence"].factory, effort=QUICK, only=["contract", "eligibility"])
        assert report.first.name == "configuration-unchanged"
        assert not report.diagnosis
        assert "confidence from" in report.headline

    def test_without_an_explanation_nothing_is_looked_for(self) -> None:
        report = check_mechanism(MUTANTS["Fee"].factory, only=["critical-payment"], effort=QUICK, explain=False)
        assert not report.diagnosis
        assert "Start with critical-payment: step" in report.headline

    def test_a_run_without_failures_has_no_first(self) -> None:
        report = check_mechanism(CORRECT["Plain"], only=["lone-payment"], effort=QUICK)
        assert (report.first, report.headline, report.diagnosis) == (None, "", ())


@dataclass(frozen=True)
class Failed:
    """A failed check as the order sees it."""

    name: str
    group: str
    length: int

    @classmethod
    def of(cls, text: str) -> Failed:
        """Read ``NAME`` or ``NAME:LENGTH``."""
        name, _, length = text.partition(":")
        return cls(name, ALL_CHECKS[name].group, int(length or 3))


@pytest.mark.for_each(
    ("failed", "parts", "first"),
    [
        ("payment-range critical-payment", (), "critical-payment"),
        ("index-minimizer:1 critical-payment:9", ("price",), "critical-payment"),
        ("answers critical-payment", ("price",), "answers"),
        ("no-loss long-run", (), "long-run"),
        ("payment-range no-loss", (), "payment-range"),
        ("standing-bids past-bids critical-payment", (), "past-bids"),
        ("own-bid-independence:1 critical-payment:9 eligibility:4", (), "own-bid-independence"),
        ("own-bid-independence:4 past-bids:9", (), "past-bids"),
        ("own-bid-independence critical-payment", ("price",), "critical-payment"),
        ("state-estimates:2 index-minimizer:9", (), "index-minimizer"),
        ("whole-interactions:2 state-estimates:9", (), "whole-interactions"),
        ("exploration-draw:1 index-minimizer:30", (), "index-minimizer"),
    ],
)
def test_the_order(failed: str, parts: tuple[str, ...], first: str) -> None:
    """Names of failed checks, some with the length of their counterexample."""
    found = min(map(Failed.of, failed.split()), key=lambda each: rank(each.name, each.group, each.length, parts))
    assert found.name == first
