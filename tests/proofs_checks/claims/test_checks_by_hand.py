"""Checks that are functions instead of relations, on logs small enough to check on paper; truthful bids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.registry import claim
from proofs_checks.claims.statements.bayesian import estimates_stay_near_means
from proofs_checks.claims.statements.definitions import estimates_are_exact_means, serves_each_once
from proofs_checks.claims.statements.deviations import deviations_stay_in_bounds
from proofs_checks.claims.statements.findings import competitor_wins_every_auction, optimism_fails_somewhere
from proofs_checks.claims.statements.history import bids_are_running_means
from proofs_checks.claims.statements.identification import nobody_else_wins, original_condition
from proofs_checks.claims.statements.unwidened import gaps_of_winners
from proofs_checks.verdict import Verdict

PLATFORM = PlatformParameters(0.5, 0.05, 1.0, 1e-3, 0.5)
SETTING = Setting("hand", PLATFORM, (Provider("a", 1.0, 0.25), Provider("b", 1.0, 0.5)))


def case(
    served: list[int], bids: list[float] | None = None, costs: list[float] | None = None, **platform: float
) -> Case:
    n = len(served)
    trace = Trace(served, [1.0] * n, [1.0] * n, bids or [0.5] * n, costs or [0.5] * n)
    return Case(replace(SETTING, platform=replace(PLATFORM, **platform)), trace, {})


def in_flight(settled: Case) -> Case:
    """Return the case of a log that ends before the score and the bid of its last query arrive."""
    arrivals = [*range(1, len(settled.trace)), 2**53 - 1]
    return replace(settled, trace=replace(settled.trace, settled=np.array(arrivals)))


class TestInitialization:
    def test_each_once_in_any_order(self) -> None:
        assert serves_each_once(case([1, 0, 0])).violations == 0

    def test_one_left_out(self) -> None:
        assert serves_each_once(case([1])).violations == 0  # the log ends within the initialization
        found = serves_each_once(case([1, 1, 0]))
        assert (found.checked, found.violations, found.margin) == (1, 1, -1.0)

    @pytest.mark.parametrize("served", [[1], [1, 0]])
    def test_the_last_of_which_is_in_flight(self, served: list[int]) -> None:
        assert serves_each_once(in_flight(case(served))).violations == 0
        assert serves_each_once(in_flight(case([1, 1]))).violations == 1


class TestMeans:
    def test_bids_that_are_means(self) -> None:
        found = bids_are_running_means(case([0, 1, 0], [0.2, 0.4, 0.3], [0.2, 0.4, 0.4]))
        assert (found.checked, found.violations) == (3, 0)

    def test_a_bid_that_is_the_last_cost(self) -> None:
        found = bids_are_running_means(case([0, 1, 0], [0.2, 0.4, 0.4], [0.2, 0.4, 0.4]))
        assert (found.violations, (found.where or {})["step"]) == (1, 3)
        assert found.margin == pytest.approx(-0.1)

    def test_replayed_scores_are_exact(self) -> None:
        right = case([0, 1, 0])
        assert estimates_are_exact_means(right).violations == 0
        right.replay.__dict__["_quality"] = right.replay._quality + np.array([[0.0, 1e-9]])
        assert estimates_are_exact_means(right).violations == 1

    def test_the_score_of_a_query_in_flight_is_not_in_the_mean(self) -> None:
        assert estimates_are_exact_means(in_flight(case([0, 1, 0]))).violations == 0


class TestSlacks:
    def test_deviations(self) -> None:
        bids, costs = [0.5, 0.45, 0.7], [0.5, 0.5, 0.5]
        inside = deviations_stay_in_bounds(case([0, 1, 0], bids, costs, underbid=0.05, overbid=0.25))
        assert (inside.violations, inside.checked) == (0, 3)
        assert inside.ratio == pytest.approx(0.8)
        for slacks in ({"underbid": 0.04, "overbid": 0.25}, {"underbid": 0.05, "overbid": 0.1}):
            assert deviations_stay_in_bounds(case([0, 1, 0], bids, costs, **slacks)).violations == 1

    def test_a_vanishing_overbid_has_no_ratio(self) -> None:
        found = deviations_stay_in_bounds(case([0, 1], [0.75, 0.75], overbid=5e-324))
        assert (found.violations, found.ratio) == (2, None)

    def test_beliefs(self) -> None:
        # beta(1) = sqrt(ln(2 pi^2 2/0.15)/2) = 1.6693, and 0.4/1.6693 = 0.2396.
        wide, narrow = (case([0, 1], [0.9, 0.5], belief_slack=slack) for slack in (0.24, 0.239))
        assert estimates_stay_near_means(wide).violations == 0
        found = estimates_stay_near_means(narrow)
        assert (found.violations, (found.where or {})["step"]) == (1, 1)
        assert found.ratio > 1


class TestWinners:
    # With k = 1/1000 every step after initialization is an auction.
    def test_every_auction(self) -> None:
        assert competitor_wins_every_auction(case([0, 1, 1, 1])).violations == 0
        found = competitor_wins_every_auction(case([0, 1, 1, 0, 0]))
        assert (found.checked, found.violations, (found.where or {})["step"]) == (3, 2, 4)

    def test_optimism(self) -> None:
        # beta(1) = 1.67 at c_max = 1: an adjusted bid exceeds the mean cost only if the bid exceeds it by 1.67.
        assert optimism_fails_somewhere(case([0, 1, 0], [1.0, 1.0, 1.0])).violations == 1
        found = optimism_fails_somewhere(case([0, 1, 0], [2.0, 1.0, 1.0]))
        assert (found.checked, found.violations) == (1, 0)
        assert found.margin == pytest.approx(2.0 - 0.25 - 1.6693, abs=1e-4)


class TestUnwidened:
    """Delta = 1/4, c_max = 1, gamma = 1/2: a win at counts m_i, m_* needs 1/4 <= 2.5 beta(m_i) + .5 beta(m_*)."""

    def test_both_radii_count(self) -> None:
        few = gaps_of_winners(case([0, 1, 1]))
        beta = np.sqrt(np.log(2 * np.pi**2 * 2 / (3 * 0.05)) / 2)
        assert (few.checked, few.violations, few.ratio) == (1, 0, pytest.approx(0.25 / (3 * beta)))
        assert gaps_of_winners(case([0, 1, 0])) == Tightness(0, 0)

    def test_a_win_at_large_counts_is_too_late(self) -> None:
        served = [0, 1, *([1] * 3000)]
        assert gaps_of_winners(case(served)).violations == 0, "i* has one selection, and a large radius"
        late = gaps_of_winners(case([0, 1, *([0] * 500), *([1] * 3000)]))
        assert (late.checked, late.violations > 500) == (3000, True)
        m = np.arange(1, 3001)
        radius = lambda k: np.sqrt(np.log(2 * np.pi**2 * 2 * k**2 / (3 * 0.05)) / (2 * k))  # noqa: E731 - of arrays
        assert late.violations == int((2.5 * radius(m) + 0.5 * radius(501) < 0.25).sum())
        assert (late.where or {})["step"] == 3502


class TestEventually:
    """The gap is a quarter of c_max: L = M(1/4), and the condition is m > L for the competitor."""

    BOUND = int(np.ceil(64 * np.log(57 * 2 * 256 / 0.05)))

    @pytest.mark.for_each("condition", [original_condition, nobody_else_wins])
    def test_from_then_on_auctions_go_to_the_optimal(self, condition: Callable[[Case], Tightness]) -> None:
        # After step 2 the competitor has one selection; after BOUND more it has m = L + 1.
        served = [0, 1, *([1] * self.BOUND)]
        assert condition(case([*served])) == Tightness(0, 0)
        good = condition(case([*served, 0, 0]))
        assert (good.checked, good.violations) == (2, 0)
        bad = condition(case([*served, 0, 1]))
        assert (bad.checked, bad.violations, (bad.where or {})["step"]) == (2, 1, len(served) + 2)

    def test_without_slacks_of_the_setting(self) -> None:
        served = [0, 1, *([1] * self.BOUND), 0]
        assert nobody_else_wins(case(served, overbid=0.9)).checked == 1


CLAIM = claim("eq:truthful-strategy")
CASE = play(published("gpqa-strong").setting, "truthful", horizon=300, seed=0, run=0)


def test_truthful_bidders_follow_it() -> None:
    finding = CLAIM.check(CASE)
    assert (finding.verdict, finding.tightness.checked) == (Verdict.NOT_REFUTED, 300)


@pytest.mark.for_each("step", [0, 150, 299])
def test_one_other_bid_refutes_it(step: int) -> None:
    bids = np.array(CASE.trace.bid)
    bids[step] += 1e-6
    lying = Case(CASE.setting, replace(CASE.trace, bid=bids), CASE.origin)
    finding = CLAIM.check(lying)
    assert (finding.verdict, finding.tightness.violations) == (Verdict.REFUTED, 1)
    assert finding.tightness.where["step"] == step + 1
