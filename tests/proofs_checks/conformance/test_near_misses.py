"""What would make one wrong answer right: found of mechanisms whose defect is known, and of nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.diagnosis.near_misses import fitting_counts, left_out, near_miss, up_to_the_wrong_one
from proofs_checks.conformance.diagnosis.recording import History, Recording, recorded
from proofs_checks.conformance.mutants.gallery import CORRECT
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.conformance.play.scenario import usual_config
from proofs_checks.conformance.play.subject import Subject
from proofs_checks.conformance.suite import check_mechanism


class OddCountsLag(Plain):
    """Takes the radius at an odd count above 4 for that of the count before."""

    def _cost_radius(self, provider: int) -> float:
        count = self._count(provider)
        lagging = count - count % 2 if count > 4 else count
        return super()._cost_radius(provider) / self._beta(count) * self._beta(lagging)


class LosesSeventh(Plain):
    """Does not learn the score of the seventh query, or counts it; its bid stands, unless it is dropped, too."""

    drops = ("score",)
    seen = 0

    def settle(self, score: float, bid: float) -> None:
        self.seen += 1
        before = self.counts[self.serving], self.score_sums[self.serving], self.bids[self.serving]
        provider = self.serving
        super().settle(score, bid)
        if self.seen == 7:
            if "score" in self.drops:
                self.counts[provider], self.score_sums[provider] = before[:2]
            if "bid" in self.drops:
                self.bids[provider] = before[2]


#: Bids that differ, so that none is lost unseen.
BIDS = History(usual_config(n_providers=2), 0, tuple((1.0, 0.1 + 0.07 * (step * 5 % 11)) for step in range(14)))


def wrong(factory: Callable[..., object], history: History = BIDS) -> Recording:
    """What a mechanism answers up to its first wrong answer."""
    found = up_to_the_wrong_one(recorded(Subject(factory, "it"), history))  # type: ignore[arg-type]
    assert found is not None
    return found


#: The first wrong answers of `OddCountsLag` are wrong prices here.
DEAR = History(usual_config(n_providers=2), 0, ((1.0, 1.0), *((1.0, 0.5),) * 3, (1.0, 1.0), *((1.0, 0.5),) * 6))
DEARER = DEAR._replace(config=usual_config(n_providers=2, belief_slack=0.1))


class TestCounts:
    def test_the_count_that_was_taken_is_found_and_no_other(self) -> None:
        [found] = fitting_counts(wrong(OddCountsLag, DEAR))
        assert found.has % 2 == 1
        assert found.has > 4
        assert found.count == found.has - 1

    def test_how_many_others_lag_alike_is_said(self) -> None:
        one, other = wrong(OddCountsLag, DEAR), wrong(OddCountsLag, DEARER)
        told = near_miss([("critical-payment", one), ("long-run", other)])
        [fit] = fitting_counts(one)
        assert told.startswith(f"The payment of step {len(one.answers)} fits the radius of provider {fit.provider} at")
        assert told.endswith("1 of 1 other example fits in this way, each with a count 1 lower.")

    def test_a_right_mechanism_has_nothing_to_explain(self) -> None:
        right = recorded(Subject(CORRECT["Plain"], "it"), BIDS)
        assert up_to_the_wrong_one(right) is None
        assert near_miss([("critical-payment", right)]) == ""
        assert near_miss([]) == ""


class TestLeftOut:
    @pytest.mark.parametrize(
        ("drops", "part"), [(("score",), "score"), (("bid",), "bid"), (("score", "bid"), "feedback")]
    )
    def test_the_step_and_the_part_are_found(self, drops: tuple[str, ...], part: str) -> None:
        recording = wrong(type("Loses", (LosesSeventh,), {"drops": drops}))
        found = left_out(recording)
        # A bid of whoever wins the wrong step does not show there: then both the score and the whole explain it.
        assert {each.step for each in found} == {7}
        assert part in {each.part for each in found} <= ({"bid"} if part == "bid" else {"score", "feedback"})
        assert found[0].provider == recording.answers[6][0]
        assert "step 7 (provider" in near_miss([("critical-payment", recording)])

    def test_a_payment_that_nothing_explains_is_not_explained(self) -> None:
        class PaysOneThirdMore(Plain):
            def _payment(self, winner: int, eligible: list[int]) -> float:
                return super()._payment(winner, eligible) / 3 + 0.123

        recording = wrong(PaysOneThirdMore)
        assert fitting_counts(recording) == []
        assert left_out(recording) == []


@pytest.mark.long("three checks of a late failure")
def test_the_report_says_it_where_nothing_is_guessed_and_only_there() -> None:
    report = check_mechanism(LosesSeventh, only=["critical-payment", "index-minimizer", "eligibility"], effort=QUICK)
    assert report.guess is None
    assert "step 7 (provider" in report.hint
    assert report.to_data()["hint"] == report.hint
    named = check_mechanism(CORRECT["Plain"], only=["critical-payment"], effort=QUICK)
    assert named.hint == ""
    assert named.to_data()["hint"] is None
