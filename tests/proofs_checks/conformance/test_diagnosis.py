"""What `check` guesses of a broken mechanism: held to the rule oracle, to the gallery and to mechanisms beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.diagnosis import guess as guess_module
from proofs_checks.conformance.diagnosis.guess import explanation, guess
from proofs_checks.conformance.diagnosis.probes import probes
from proofs_checks.conformance.diagnosis.recording import History, Recording, recorded
from proofs_checks.conformance.diagnosis.rulebook import PLAIN
from proofs_checks.conformance.diagnosis.slips import SLIPS as SLIP_VARIANTS
from proofs_checks.conformance.diagnosis.variants import DRAWS, VAGUE, VARIANTS
from proofs_checks.conformance.mutants.gallery import CORRECT, MUTANTS
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.report.order import telling
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism
from proofs_checks.oracle.rule_oracle import RuleOracle, money_rounding
from proofs_checks.oracle.step_rules import breaches
from tests.parametrized import long_but
from tests.proofs_checks.conformance.slips import AMBIGUOUS, SHOWN_BY, SLIPS

#: Of the gallery, from every theme: words that name the defect, as `breaks` does.
SAMPLE = {
    "OnePercentHigh": "1.01 times the right payment",
    "FirstPrice": "its own bid (first price)",
    "PlainSecondPrice": "lowest bid of a rival, without radii",
    "CountsOneMore": "count + 1",
    "RadiusWithoutTheTwo": "m instead of 2 m",
    "SlackIgnored": "ignores gamma",
    "NobodyIsExcluded": "excludes nobody",
    "LastScoreOnly": "last score for the estimate",
    "NeverExplores": "never explores",
    "ExplorationPaysHalf": "0.5 times the right payment at exploration steps",
    "ExploresTheFirst": "takes the first of the under-sampled instead of drawing",
    "LowestBidWins": "lowest bid win, without the radius",
    "AveragedBids": "mean of the last two bids",
    "EmptyPaysNothing": "pays nothing when nobody is eligible",
    "OwnBidLeak": "1% of the winner's own bid",
    "LateFirstPrice": "its own bid (first price), from step 46 on",
}
GUESSES = "guesses of many mechanisms"
long = pytest.mark.long(GUESSES)


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


def recordings(factory: object, name: str = "it") -> list[Recording]:
    return list(probes(Subject(factory, name)))


class TestRulebook:
    """The table of Algorithm 1 against the rule oracle, which is written apart from it."""

    @pytest.mark.parametrize(
        "name", long_but(1, ["RandomOfTies", "InitializesAtRandom", "ExactFractions"], reason=GUESSES)
    )
    def test_allows_what_correct_mechanisms_answer(self, name: str) -> None:
        assert all(all(each.replayed(PLAIN)) for each in recordings(CORRECT[name]))

    @pytest.mark.parametrize("name", ["CountsOneMore", "NobodyIsExcluded", "LargestIndexWins"])
    def test_allows_what_the_oracle_allows(self, name: str) -> None:
        compared = 0
        for each in recordings(MUTANTS[name].factory):
            oracle, rounding = RuleOracle(each.config), money_rounding(each.config)
            for fine, answer, settled in zip(each.replayed(PLAIN), each.answers, each.settlements, strict=True):
                found = oracle.decisions()
                if len(found) == 1:
                    compared += 1
                    assert fine == (not breaches(found, *answer, rounding))
                oracle.settle(answer[0], *settled)
        assert compared > 1_500

    def test_probes_come_to_every_kind_of_step(self) -> None:
        kinds = [
            told.kind
            for each in recordings(CORRECT["Plain"])
            for log, (provider, _) in each.walked()
            if (told := PLAIN.prescribed(log, provider)) is not None
        ]
        assert min(kinds.count(kind) for kind in ("auction", "lone", "exploration", "empty")) > 50


class TestVariants:
    def test_have_names_of_their_own_and_name_checks(self) -> None:
        every = (*VARIANTS, *SLIP_VARIANTS, *VAGUE, *DRAWS)
        assert len({each.name for each in every}) == len(every)
        assert {name for each in every for name in each.checks} <= ALL_CHECKS.keys()

    @pytest.mark.parametrize("name", long_but(1, ["Plain", "LastOfTies"], reason=GUESSES))
    def test_none_explains_a_correct_mechanism(self, name: str) -> None:
        assert explanation(recordings(CORRECT[name])) is None

    def test_a_counterexample_is_played_again(self) -> None:
        history = History(usual_config(n_providers=2), 0, ((1.0, 0.25), (1.0, 0.5)))
        found = recorded(Subject(CORRECT["Plain"], "it"), history)
        assert found.answers == ((0, 1.0), (1, 1.0), (0, 0.5))
        assert list(found.replayed(PLAIN)) == [True, True, True]

    def test_two_changes_are_explained_by_no_variant(self) -> None:
        class Both(MUTANTS["CountsOneMore"].factory, MUTANTS["FirstBidStands"].factory):
            pass

        assert guess(Subject(Both, "it"), ()) is None


class TestNames:
    @pytest.mark.parametrize("name", long_but(9, SAMPLE, reason=GUESSES))
    def test_a_sample_of_the_gallery(self, name: str) -> None:
        found = guess(Subject(MUTANTS[name].factory, name), ())
        assert found is not None
        assert SAMPLE[name] in found.sentence
        assert found.explained > 2_000

    @pytest.mark.parametrize("words", long_but(39, SLIPS, reason=GUESSES))
    def test_slips(self, words: str) -> None:
        found = guess(Subject(SLIPS[words], words), SHOWN_BY.get(words, ()))
        assert found is not None
        assert words in found.sentence
        assert ("do not tell them apart" in found.sentence) is (words in AMBIGUOUS)


class GoodUntilShown(Plain):
    """Takes three scores of 1/2 for granted."""

    def _estimate(self, provider: int) -> float:
        return (self.score_sums[provider] + 1.5) / (self.counts[provider] + 3)


class StricterWithTheLast(Plain):
    """Asks of the later providers some hundredths more than the threshold."""

    def _is_eligible(self, provider: int) -> bool:
        asked = self.config.quality_threshold + 0.02 * provider
        return self._estimate(provider) + self._radius(provider) >= asked


class CostOfSwitching(Plain):
    """Keeps the provider of the last auction unless another is better by 1% of c_max."""

    last = -1

    def _winner(self, eligible: list[int]) -> int:
        best = super()._winner(eligible)
        better = self._adjusted_bid(best) < self._adjusted_bid(self.last) - 0.01 * self.bound
        if self.last not in eligible or better:
            self.last = best
        return self.last


class TestOtherProvidersEligible:
    """An estimate or a filter that no variant of the list has: that others are eligible is told, and no more."""

    @pytest.mark.parametrize("factory", long_but(1, [GoodUntilShown, StricterWithTheLast], reason=GUESSES))
    def test_it_is_told_and_the_check_of_eligibility_comes_first(self, factory: type) -> None:
        found = guess(Subject(factory, factory.__name__), ())
        assert found is not None
        assert found.sentence.startswith("it serves and pays as if others were eligible")
        assert found.checks[0] == "eligibility"

    def test_a_wrong_winner_among_the_right_ones_is_not_told_so(self) -> None:
        found = guess(Subject(CostOfSwitching, "it"), ())
        assert found is None or "as if others were eligible" not in found.sentence


class NearTiesToTheFirst(Plain):
    """Lets provider 0 win within 1% of c_max."""

    def _winner(self, eligible: list[int]) -> int:
        index = {i: self._adjusted_bid(i) for i in eligible}
        least = min(index.values())
        if index.get(0, math.inf) <= least + 0.01 * self.bound:
            return 0
        return super()._winner(eligible)


class TestWrongWinners:
    @long
    def test_the_first_line_says_it_with_the_numbers_of_the_example(self) -> None:
        report = check_mechanism(NearTiesToTheFirst, only=["no-loss", "index-minimizer"], effort=QUICK)
        assert report.first is not None
        failure = report.first.failure
        assert failure is not None
        standings = failure.standings()
        winner, least = standings[0].adjusted_bid, min(each.adjusted_bid for each in standings if each.eligible)
        told = "it lets provider 0 win an auction although another has the lower adjusted bid"
        assert f"{told} (step {failure.step}: {winner:.6g} against {least:.6g})" in report.headline
        assert report.headline.endswith(", and pays it its own critical payment.")

    def test_who_the_winners_are_and_how_near(self) -> None:
        found = guess(Subject(NearTiesToTheFirst, "it"), ())
        assert found is not None
        assert found.beside.startswith(f"All {found.unexplained_before} wrong winners are provider 0. None is more")
        assert float(found.beside.split("more than ")[1].split()[0]) <= 0.01
        assert found.told.endswith(found.beside)

    def test_of_winners_at_random_nothing_is_shared(self) -> None:
        found = guess(Subject(MUTANTS["RandomWinner"].factory, "it"), ())
        assert found is not None
        assert found.beside == ""


class TestAlternatives:
    """What several changes explain is told of none of them alone."""

    #: One auction with two rivals: their median is their mean.
    HISTORY = History(usual_config(n_providers=3), 0, ((1.0, 0.25), (1.0, 0.5), (1.0, 0.875)))

    def short(self, name: str) -> Recording:
        """What a mutant answers to a history that is too short to tell what is wrong."""
        return recorded(Subject(MUTANTS[name].factory, name), self.HISTORY)

    def test_all_that_explain_are_named(self) -> None:
        found = explanation([self.short("MedianRival")])
        assert found is not None
        assert found.sentence.endswith(": these answers do not tell them apart")
        assert found.alternatives == ("it takes the mean adjusted bid of the rivals in P, not the smallest",)
        assert found.to_data()["alternatives"] == list(found.alternatives)

    def test_further_probes_tell_apart_what_the_first_leave_open(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(guess_module, "probes", lambda subject: [])
        found = guess(Subject(MUTANTS["MedianRival"].factory, "it"), [self.HISTORY])
        assert found is not None
        assert found.name == "median rival"
        assert found.alternatives == ()


class TestReport:
    def test_the_first_line_and_the_data(self) -> None:
        checks = ["payment-range", "critical-payment", "widened-radius"]
        report = check_mechanism(MUTANTS["CountsOneMore"].factory, only=checks, effort=QUICK)
        assert report.headline.endswith("Start with critical-payment: it takes the radius at count + 1.")
        data = report.to_data()
        assert data["first"] == "critical-payment"
        assert data["headline"] == report.headline
        assert data["guess"]["name"] == "count + 1"
        [failed] = [check for check in data["checks"] if check["name"] == "critical-payment"]
        rows = failed["counterexample"]["providers"]
        assert [row["provider"] for row in rows] == list(range(len(rows)))
        assert failed["counterexample"]["expected"] in [min(row["critical_payment"], 1.0) for row in rows]

    @pytest.mark.long("a process that loads SymPy")
    def test_what_breaks_the_contract_is_told_first_and_not_guessed_at(self) -> None:
        report = check_mechanism(MUTANTS["HalvesItsConfidence"].factory, effort=QUICK, only=["contract", "eligibility"])
        assert report.first is not None
        assert report.first.name == "configuration-unchanged"
        assert report.guess is None
        assert "confidence from" in report.headline

    def test_without_an_explanation_nothing_is_looked_for(self) -> None:
        report = check_mechanism(MUTANTS["Fee"].factory, only=["critical-payment"], effort=QUICK, explain=False)
        assert report.guess is None
        assert "Start with critical-payment: step" in report.headline

    def test_a_run_without_failures_has_no_first(self) -> None:
        report = check_mechanism(CORRECT["Plain"], only=["lone-payment"], effort=QUICK)
        assert (report.first, report.headline, report.guess) == (None, "", None)

    @pytest.mark.for_each(
        ("failed", "named", "first"),
        [
            (["payment-range", "critical-payment"], (), "critical-payment"),
            (["payment-range", "critical-payment"], ("payment-range",), "payment-range"),
            (["answers", "critical-payment"], ("critical-payment",), "answers"),
            (["no-loss", "long-run"], (), "long-run"),
            (["payment-range", "no-loss"], (), "payment-range"),
            (["standing-bids", "past-bids", "critical-payment"], (), "past-bids"),
            (["own-bid-independence:1", "critical-payment:9", "eligibility:4"], (), "own-bid-independence"),
            (["past-bids:4", "critical-payment:2"], (), "past-bids"),
            (["own-bid-independence:4", "critical-payment:2"], (), "own-bid-independence"),
            (["own-bid-independence:4", "past-bids:9"], (), "past-bids"),
            (["own-bid-independence", "critical-payment"], ["critical-payment"], "critical-payment"),
            (["state-estimates:2", "index-minimizer:9"], (), "index-minimizer"),
            (["whole-interactions:2", "state-estimates:9"], (), "whole-interactions"),
            (["exploration-draw:1", "index-minimizer:30"], (), "index-minimizer"),
        ],
    )
    def test_the_order(self, failed: list[str], named: tuple[str, ...], first: str) -> None:
        """Names of failed checks, some with the length of their counterexample."""
        found = telling([Failed.of(text) for text in failed], named)
        assert found is not None
        assert found.name == first
