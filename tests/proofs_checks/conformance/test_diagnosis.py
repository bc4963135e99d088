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
from proofs_checks.conformance.play.any_subject import AnySubject
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.probes import History, diagnose_mechanism, recorded
from proofs_checks.conformance.report.order import telling
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism
from proofs_checks.diagnosis.mechanism_causes import DRAWS, MECHANISM_CAUSES
from proofs_checks.diagnosis.together import MechanismDiagnosis, diagnose_together
from tests.parametrized import long_but
from tests.proofs_checks.conformance.slips import SHOWN_BY, SLIPS

LAW = delay_law("3")
ANOTHER_WINNER = "does not let the least adjusted bid win, and pays the winner its critical payment"
OTHERS = "serves and pays as if others were eligible: its quality estimate, or what it compares, is another"
#: Of the gallery: what is said of each.
GALLERY = {
    "OnePercentHigh": "pays 1.01 times the right payment in auctions",
    "OnePercentLow": "pays 0.99 times the right payment in auctions",
    "FirstPrice": "pays the winner its own bid (first price)",
    "OwnIndexAmongRivals": "pays the winner its own bid (first price)",
    "LowCap": "pays at most 0.99 c_max in auctions",
    "Fee": "adds -1 c_max to the right payment in auctions",
    "RivalsAreAll": "lets ineligible providers set the price",
    "DearestRival": "takes the largest adjusted bid of a rival in P",
    "MedianRival": "takes the median of the rivals' adjusted bids in P",
    "PlainSecondPrice": "pays the winner the lowest bid of a rival, without radii",
    "RivalsRadius": "adds the best rival's cost radius in P, not the winner's",
    "RoundedPayments": "rounds payments to 2 decimals",
    "SinglePrecision": "pays in single precision",
    "RadiusWithoutTheTwo": "divides by m, not by 2 m, in the radius",
    "LogarithmOfM": "takes m for m^2 in the radius's logarithm",
    "OneSided": "has 0.5 times the right number inside the radius's logarithm",
    "OneProviderMore": "takes N + 1 for N in the radius",
    "WithoutN": "leaves N out of the radius",
    "ConfidenceForFailure": "takes 1 - delta for delta in the radius",
    "CountsOneMore": "takes the radius at count + 1",
    "RadiusOfSteps": "takes t for m in the radius's logarithm",
    "SlackIgnored": "ignores gamma, or adds it to all cost radii, which looks the same",
    "SlackInAllocationOnly": "widens the radii by gamma in the index, not in P",
    "SlackInPaymentOnly": "widens the radii by gamma in P, not in the index",
    "SlackAdded": "ignores gamma, or adds it to all cost radii, which looks the same",
    "SlackInQuality": "widens the quality radius by gamma, too",
    "NobodyIsExcluded": "excludes nobody",
    "WithoutOptimism": "compares the mean score alone with q_min, without the radius",
    "Pessimist": "subtracts the radius from the mean score",
    "RadiusOfTheLeastServed": "adds the radius of the least served to the mean score",
    "StaleQuality": "judges quality by the first score",
    "LastScoreOnly": "judges quality by the last score",
    "MovingAverage": "gives every new score the weight 0.1 (moving average)",
    "OptimisticPrior": "judges quality by the mean of the scores and an imagined one of 1",
    "RoundedScores": "judges quality by scores rounded to 0 or 1",
    "BottomScoresAreNothing": "judges quality by scores of which those below 0.01 count as 0",
    "PooledQuality": "judges quality by the mean score of all providers",
    "InitialScoreForgotten": "judges quality by the mean score with 0 for the first one",
    "ExploresAtTheGoal": "explores providers with m <= g(t), not m < g(t)",
    "NeverExplores": "never explores",
    "ExploresTheExcluded": "explores under-sampled providers that are not eligible, too",
    "ExploresAllEligible": "draws an exploration among all eligible, not the under-sampled alone",
    "ExploresUnlessAllAgree": "explores only while every eligible provider is under-sampled",
    "GoalWithoutN": "leaves the division by N out of g(t)",
    "GoalWithoutScale": "leaves k out of g(t)",
    "GoalOfTheLastStep": "explores up to g(t - 1), not g(t)",
    "GoalRoundedDown": "rounds g(t) down",
    "ExponentOfTheComplement": "takes 1 - alpha for alpha in g(t)",
    "ExplorationPaysThePrice": "pays the auction's price at exploration steps",
    "ExplorationPaysLess": "pays 0.999 times the right payment at exploration steps",
    "ExplorationPaysTheBid": "pays the provider its own bid at exploration steps",
    "ExplorationPaysHalf": "pays 0.5 times the right payment at exploration steps",
    "ExploresTheCheapest": "takes the lowest bid at explorations, instead of drawing",
    "ExploresTheFirst": "takes the first at explorations, instead of drawing",
    "DrawsInTurn": "goes round by the step at explorations, instead of drawing",
    "LeastServedFirst": "takes the least served at explorations, instead of drawing",
    "RejectsToAHalf": "draws among the first half at explorations, instead of drawing",
    "EmptyDrawsTheFirst": "takes the first when nobody is eligible, instead of drawing",
    "EmptyDrawsAmongTheCheaper": "draws among the cheaper half when nobody is eligible, instead of drawing",
    "LargestIndexWins": "lets the largest adjusted bid win",
    "LowestBidWins": "lets the lowest bid win, without the radius",
    "RoundRobin": "lets the eligible win in turn",
    "RandomWinner": ANOTHER_WINNER,
    "ShunsTheCheapest": ANOTHER_WINNER,
    "AlwaysSecond": "lets provider 1 serve everything at c_max",
    "AlwaysLast": "lets the last provider serve everything at c_max",
    "QualityWeighted": "weighs the index by quality when it picks the winner",
    "OneRadiusForAll": "has no cost radius, or one for all, which looks the same",
    "IncumbentBonus": "lets the provider that served last win unless another is better by 0.02 c_max",
    "NeverTwiceRunning": "lets nobody win twice running",
    "NearTiesToTheDearest": ANOTHER_WINNER,
    "ShunsLowBids": ANOTHER_WINNER,
    "FirstBidStands": "decides by a provider's first bid",
    "BidsOneServiceLate": "decides by the bid before the last",
    "AveragedBids": "decides by the mean of a provider's last two bids",
    "BidsClipped": "keeps bids at most 0.5 c_max",
    "InitialBidIgnored": "puts c_max for a provider's first bid",
    "MeanOfAllBids": "decides by the mean of all bids of a provider",
    "InitializationPaysLess": "pays 0.9 times the right payment during initialization",
    "InitializesTwice": "serves everybody twice before its first decision",
    "EmptyPaysNothing": "pays 0 times the right payment when nobody is eligible",
    "EmptyPaysTheBid": "pays the provider its own bid when nobody is eligible",
    "EmptyHoldsAnAuction": "holds an auction among all when nobody is eligible",
    "LoneProviderPaidItsBid": "pays the provider its own bid where one alone is eligible",
    "LoneProviderPaidHalf": "pays 0.5 times the right payment where one alone is eligible",
    "LoneProviderMeetsTheExcluded": "lets ineligible providers set the price of a lone eligible one",
    "OwnBidLeak": "mixes a share 0.01 of the provider's own bid into its payment in auctions",
    "SmallOwnBidLeak": "mixes a share 0.0001 of the provider's own bid into its payment in auctions",
    "ExplorationLeak": "mixes a share 0.01 of the provider's own bid into its payment at exploration steps",
    "TurnsAtTheBound": "lets the eligible win in turn at c_max",
    "LateClawback": "pays 0.9 times the right payment in auctions from step 46 on",
    "LateFirstPrice": "pays the winner its own bid (first price) from step 46 on",
    "LateTurns": "lets the eligible win in turn at c_max from step 46 on",
    "FirstScoresHalved": OTHERS,
}
#: Of the gallery, with a history that shows it, where no probe does.
SHOWN = {"CountsWrap": ("counts in 8 bits", History(usual_config(n_providers=2), 0, ((1.0, 0.5), (1.0, 0.25)) * 300))}
#: Of the gallery: broken in a way that is none of the causes.
NOTHING = (
    *("LosersBidMoves", "BidsFade", "LowBidsPaidLess", "PreviousBidLeak", "FirstBidLeak", "MovingAverageLeak"),
    *("PastBidsCount", "InitializationSkips", "AuctionsTheLastInitialStep", "PrefersTheCheapest", "ModuloBias"),
    *("StickyDraw", "DrawsByScore", "PrefersTheSecond", "RoundsTheDraw", "ObeysTheLastScore", "EmptyDrawsTheLastLess"),
)


def slip(**methods: Any) -> type[Tickets]:
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
    slip(
        _estimate=lambda self, i: (self.score_sums[i] + self._waiting(i)) / max(self.counts[i] + self._waiting(i), 1)
    ): "takes queries in flight for scores of 1",
    KeepsTheBidOfTheLatestQuery: "lets the bid of the query assigned last stand",
}
#: Causes that no mechanism shows here: whoever pays more than c_max is stopped before.
UNSHOWN = {"It pays P even above c_max."}
GUESSES = "diagnoses of many mechanisms"
long = pytest.mark.long(GUESSES)


def said(factory: Any, *histories: History) -> str:
    """Return what is said of a mechanism, without the "it"; empty if nothing."""
    found = diagnose_mechanism(Subject(factory, "it"), histories)
    return "" if found is None else found.sentence.removeprefix("it ").replace(". This holds", "")


def late(factory: Any) -> AnySubject:
    """A mechanism with queries in flight."""
    return Subject(factory, "late").played(in_flight=LAW)


class Both(MUTANTS["CountsOneMore"].factory, MUTANTS["FirstBidStands"].factory):  # type: ignore[misc]
    """Has two defects."""


class GoodUntilShown(Plain):
    """Takes three scores of 1/2 for granted."""

    def _estimate(self, provider: int) -> float:
        return (self.score_sums[provider] + 1.5) / (self.counts[provider] + 3)


class StricterWithTheLast(Plain):
    """Asks of the later providers some hundredths more than the threshold."""

    def _is_eligible(self, provider: int) -> bool:
        asked = self.config.quality_threshold + 0.02 * provider
        return self._estimate(provider) + self._radius(provider) >= asked


class TestNames:
    @pytest.mark.parametrize("name", long_but(9, GALLERY, reason=GUESSES))
    def test_of_the_gallery(self, name: str) -> None:
        assert said(MUTANTS[name].factory) == GALLERY[name]

    @pytest.mark.parametrize("name", long_but(30, SLIPS, reason=GUESSES))
    def test_slips(self, name: str) -> None:
        assert said(SLIPS[name], *SHOWN_BY.get(name, ())) == name

    @pytest.mark.parametrize("name", SHOWN)
    def test_what_one_history_shows(self, name: str) -> None:
        sentence, history = SHOWN[name]
        assert said(MUTANTS[name].factory, history) == sentence

    @pytest.mark.parametrize("factory", long_but(3, LATE, reason=GUESSES), ids=LATE.get)
    def test_with_queries_in_flight(self, factory: Any) -> None:
        found = diagnose_mechanism(late(factory), ())
        assert found.sentence == f"it {LATE[factory]}"
        assert found.answers > 2_000

    @pytest.mark.parametrize("factory", long_but(1, [GoodUntilShown, StricterWithTheLast], reason=GUESSES))
    def test_of_another_estimate_or_filter_no_more_than_that_it_is_another(self, factory: type) -> None:
        assert said(factory) == OTHERS

    def test_every_cause_has_a_mechanism_that_shows_it(self) -> None:
        named = [*GALLERY.values(), *SLIPS, *LATE.values(), *(sentence for sentence, _ in SHOWN.values())]
        for says in {cause.says for cause in MECHANISM_CAUSES} - UNSHOWN:
            pattern = re.sub(r"\\{\w+\\}", ".+", re.escape(says[3:-1]))
            assert any(re.fullmatch(pattern, each) for each in named), says


class TestNothing:
    @pytest.mark.parametrize("name", long_but(2, NOTHING, reason=GUESSES))
    def test_is_said_of_other_defects(self, name: str) -> None:
        assert said(MUTANTS[name].factory) == ""

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

    def test_a_counterexample_is_played_again(self) -> None:
        log = recorded(Subject(Plain, "it"), History(usual_config(n_providers=2), 0, ((1.0, 0.25), (1.0, 0.5))))
        assert list(zip(log.provider.tolist(), log.payment.tolist(), strict=True)) == [(0, 1.0), (1, 1.0), (0, 0.5)]

    def test_a_counterexample_is_played_again_under_the_law_of_its_check(self) -> None:
        history = History(usual_config(n_providers=2), 3, ((1.0, 0.25), (1.0, 0.5)) * 5, delay_law("0-6"))
        log = recorded(late(Tickets), history)
        assert log.delay.max() > 3


class TestAlternatives:
    """What several changes explain is told of none of them alone."""

    #: One auction with two rivals: their median is their mean.
    HISTORY = History(usual_config(n_providers=3), 0, ((1.0, 0.25), (1.0, 0.5), (1.0, 0.875)))

    def found(self, further: Any = ()) -> MechanismDiagnosis:
        subject = Subject(MUTANTS["MedianRival"].factory, "it")
        return diagnose_together([recorded(subject, self.HISTORY)], further)

    def test_all_that_explain_are_named(self) -> None:
        sentence, found = self.found().sentence, self.found().found
        assert sentence.endswith(": these answers do not tell them apart")
        assert {"It takes the mean of the rivals' adjusted bids in P."} < {each.sentence for each in found}
        assert {each.explains for each in found} == {1.0}

    def test_further_probes_tell_apart_what_the_first_leave_open(self) -> None:
        found = self.found(probes_module.further_probes(Subject(MUTANTS["MedianRival"].factory, "it")))
        assert [each.sentence for each in found.found] == ["It takes the median of the rivals' adjusted bids in P."]


class TestReport:
    def test_the_first_line_and_the_data(self) -> None:
        checks = ["payment-range", "critical-payment", "widened-radius"]
        report = check_mechanism(MUTANTS["CountsOneMore"].factory, only=checks, effort=QUICK)
        assert report.headline.endswith("Start with critical-payment: it takes the radius at count + 1.")
        data = report.to_data()
        assert data["first"] == "critical-payment"
        assert data["headline"] == report.headline
        assert [each["cause"] for each in data["diagnosis"]] == ["another radius"]
        [failed] = [check for check in data["checks"] if check["name"] == "critical-payment"]
        rows = failed["counterexample"]["providers"]
        assert [row["provider"] for row in rows] == list(range(len(rows)))
        assert failed["counterexample"]["expected"] in [min(row["critical_payment"], 1.0) for row in rows]

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
    found = telling([Failed.of(text) for text in failed.split()], parts)
    assert found.name == first
