"""Counterfactual auctions against enumeration of bids and tie-breaks; broken rules must be noticed."""

import functools
import math
from typing import Any

import numpy as np
import pytest

from bounds.setting.model import PlatformParameters
from mechanism.bidding import TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform
from mechanism.running import least_of_others
from proofs_checks.claims.cases.constructed import FixedMarket, SmallMarket
from proofs_checks.claims.model import counterfactual
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.counterfactual import (
    SAMPLED_AUCTIONS,
    SAMPLED_PROVIDERS,
    ChangedBids,
    counterfactuals,
    hair_of,
    losing_or_winning_by_threshold,
    no_deviation_gains,
    strict_where_allocation_changes,
    truthful_never_loses,
)
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.registry import claim
from proofs_checks.conformance.strategies.runs import GridBidder
from proofs_checks.verdict import Verdict
from tests.bounds.by_hand import LITTLE, beta, platform_of

CHECKS = [losing_or_winning_by_threshold, truthful_never_loses, no_deviation_gains, strict_where_allocation_changes]


def grid_case(seed: int, costs: tuple[float, ...] = (0.25, 0.5, 1.0), gamma: float = 0.0) -> Case:
    """Bids on a grid of four: equal bids at equal counts are frequent."""
    rng = np.random.default_rng(seed)
    platform = PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5, gamma)
    setting = SmallMarket(costs, (1.0,) * len(costs), 40, platform).setting
    mechanism = Platform(MechanismConfig.of(setting), rng, ties="random")
    bidders = [GridBidder(1.0, rng) for _ in costs]
    return Case(setting, run_episode(mechanism, bidders, FixedMarket([1.0] * len(costs), costs), 40), {})


def truthful_case(costs: tuple[float, ...], qualities: tuple[float, ...], horizon: int, **platform: float) -> Case:
    market = SmallMarket(costs, qualities, horizon, platform_of(**{**LITTLE, **platform}))
    return Case(market.setting, market.run([TruthfulBidder() for _ in costs]), {})


def rows_of(at: ChangedBids) -> list[dict[str, Any]]:
    """Return the rows of a table, with the largest and the smallest gain of each."""
    columns = {name: value for name, value in vars(at).items() if isinstance(value, np.ndarray)}
    columns |= {"gain": at.gain, "least_gain": at.least_gain}
    return [
        dict(zip(columns, row, strict=True)) for row in zip(*(each.tolist() for each in columns.values()), strict=True)
    ]


def payoffs(case: Case, at: dict[str, Any]) -> set[float]:
    """What a provider can gain at a step with a bid, over all ways to break a tie; from the definitions."""
    replay, platform, row, provider = case.replay, case.setting.platform, at["step"] - 1, at["provider"]
    width = (1 + platform.belief_slack) * platform.cost_bound
    radius = functools.partial(beta, n=case.setting.n_providers, delta=platform.confidence)
    able = [i for i in range(case.setting.n_providers) if replay.eligible[row, i]]
    index = {j: float(replay.standing_bids[row, j]) - width * radius(int(replay.counts[row, j])) for j in able}
    mine = width * radius(int(replay.counts[row, provider]))
    index[provider] = at["bid"] - mine
    critical = mine + min((index[j] for j in able if j != provider), default=math.inf)
    gain = min(critical, platform.cost_bound) - at["estimate"]
    winners = [j for j in able if index[j] <= min(index.values()) + 1e-12]
    return {gain if winner == provider else 0.0 for winner in winners}


class TestAgainstEnumeration:
    @pytest.mark.for_each("seed", range(4))
    @pytest.mark.parametrize("gamma", [0.0, 0.75])
    def test_gains(self, seed: int, gamma: float) -> None:
        case = grid_case(seed, gamma=gamma)
        ties, found = 0, counterfactuals(case)
        for at in (*rows_of(found.alternatives), *rows_of(found.truthful)):
            if abs(at["bid"] - at["critical"]) < 1e-8 and not math.isclose(at["bid"], at["critical"], abs_tol=1e-13):
                continue  # a hair from the threshold: which side is what rounding decides
            possible = payoffs(case, at)
            ties += len(possible) > 1
            assert at["gain"] == pytest.approx(max(possible), abs=1e-9)
            assert at["least_gain"] == pytest.approx(min(possible), abs=1e-9)
        assert ties, "ties are the point of the grid"

    def test_the_bids_that_are_tried(self) -> None:
        case = grid_case(2)
        found, replay, hair = counterfactuals(case), case.replay, hair_of(case)
        tried: dict[tuple[int, int], list[float]] = {}
        for at in rows_of(found.alternatives):
            tried.setdefault((at["step"], at["provider"]), []).append(at["bid"])
        assert len(tried) == len(found.truthful.step)
        for at in rows_of(found.truthful):
            row, bound = at["step"] - 1, case.setting.platform.cost_bound
            points = [at["critical"], *replay.standing_bids[row][replay.eligible[row]].tolist()]
            around = {0.0, bound, bound / 2} | {point + shift for point in points for shift in (-hair, 0.0, hair)}
            assert tried[at["step"], at["provider"]] == sorted(bid for bid in around if 0 <= bid <= bound)

    def test_every_eligible_provider_of_every_auction_of_a_short_case(self) -> None:
        case = grid_case(1)
        auctions = np.flatnonzero(case.replay.auction)
        assert 10 < len(auctions) <= SAMPLED_AUCTIONS
        wanted = [(t + 1, i) for t in auctions for i in range(3) if case.replay.eligible[t, i]]
        assert [(at["step"], at["provider"]) for at in rows_of(counterfactuals(case).truthful)] == wanted

    def test_a_long_case_is_sampled_evenly_with_both_ends(self) -> None:
        case = truthful_case((0.25, 0.5), (1.0, 1.0), 900)
        auctions = np.flatnonzero(case.replay.auction) + 1
        steps = sorted(set(counterfactuals(case).truthful.step.tolist()))
        assert len(steps) == SAMPLED_AUCTIONS < len(auctions)
        assert (steps[0], steps[-1]) == (auctions[0], auctions[-1])
        assert np.diff(steps).max() < 3 * len(auctions) / SAMPLED_AUCTIONS

    def test_no_auction_no_counterfactual(self) -> None:
        case = truthful_case((0.25, 0.5), (1.0, 1.0), 20, exploration_scale=10.0)
        assert len(counterfactuals(case).truthful.step) == len(counterfactuals(case).alternatives.step) == 0
        for check in CHECKS:
            assert check(case) == Tightness(0, 0)


class TestCorners:
    def test_a_lone_provider_wins_with_any_bid(self) -> None:
        case = truthful_case((0.25, 0.5), (1.0, 0.0), 60, quality_threshold=1.0, exploration_scale=0.1)
        lone = [at for at in rows_of(counterfactuals(case).alternatives) if at["critical"] == math.inf]
        assert lone
        assert all(at["wins"] and at["gain"] == at["least_gain"] == 0.75 for at in lone)
        assert {at["bid"] for at in lone} >= {0.0, 0.5, 1.0}
        assert max(at["bid"] for at in lone) <= 1.0


class TestLemmas:
    def test_strictness_is_compared_close_to_the_threshold(self) -> None:
        # The first provider's critical payment exceeds its estimate by a millionth at equal counts.
        case = truthful_case((0.25, 0.25 + 1e-6), (1.0, 1.0), 3, exploration_scale=0.1)
        found = strict_where_allocation_changes(case)
        assert found.checked
        assert found.margin == pytest.approx(1e-6, rel=1e-6)


def highest(adjusted: Any) -> Any:
    eligible = np.where(np.isinf(adjusted), -np.inf, adjusted)
    return eligible == eligible.max(axis=1, keepdims=True)


def low_price(contenders: Any) -> Any:
    return least_of_others(contenders) - 0.5


def never_sold(adjusted: Any) -> Any:
    return np.zeros(adjusted.shape, bool)


BREAKS = {
    "the dearest wins": ("lowest", highest, {losing_or_winning_by_threshold, no_deviation_gains}),
    "half a unit too little": ("least_of_others", low_price, {truthful_never_loses, no_deviation_gains}),
    "nobody wins": ("lowest", never_sold, {losing_or_winning_by_threshold, strict_where_allocation_changes}),
}


@pytest.mark.parametrize("name", BREAKS)
def test_broken_rules_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def played() -> Case:
        return truthful_case((0.25, 0.5, 0.75), (1.0, 1.0, 1.0), 60)

    assert all(check(played()).violations == 0 for check in CHECKS)
    rule, broken, noticing = BREAKS[name]
    case = played()  # what a case has computed once it keeps
    monkeypatch.setattr(counterfactual, rule, broken)
    assert {check for check in CHECKS if check(case).violations} >= noticing
    for label in ("lem:one-step", "prop:selection-threshold"):
        if noticing.intersection(claim(label).checks):
            assert claim(label).check(case).verdict is Verdict.REFUTED


def test_work_is_linear_in_the_providers() -> None:
    costs = tuple((1 + i) / 200 for i in range(100))
    at = counterfactuals(truthful_case(costs, (1.0,) * len(costs), 300))
    providers_by_auction = np.bincount(at.truthful.step)
    assert 0 < providers_by_auction.max() <= SAMPLED_PROVIDERS + 1
    # Of each sampled provider: P and the sampled bids, each three times, beside 0, c_max / 2 and c_max.
    assert len(at.of) <= len(at.truthful.step) * (3 * (SAMPLED_PROVIDERS + 2) + 3)
    winning = np.unique(at.truthful.step[at.truthful.wins | at.truthful.ties])
    assert len(winning) == np.count_nonzero(providers_by_auction)
