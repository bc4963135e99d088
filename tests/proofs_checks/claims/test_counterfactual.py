"""Counterfactual auctions against enumeration of bids and tie-breaks; broken rules must be noticed."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bounds.setting.model import PlatformParameters
from mechanism import rules
from mechanism.bidding import BayesianBidder, FixedBidder, TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform
from mechanism.trace import Trace
from proofs_checks.claims.cases.steered import FixedMarket, SmallMarket
from proofs_checks.claims.model import counterfactual
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.counterfactual import (
    SAMPLED_AUCTIONS,
    Counterfactual,
    counterfactuals,
    losing_or_winning_by_threshold,
    no_deviation_gains,
    strict_where_allocation_changes,
    truthful_never_loses,
)
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.registry import claim
from proofs_checks.conformance.strategies import GridBidder
from proofs_checks.verdict import Verdict

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
    usual = {
        "quality_threshold": 0.5,
        "confidence": 0.05,
        "cost_bound": 1.0,
        "exploration_scale": 0.5,
        "exploration_exponent": 0.5,
    }
    market = SmallMarket(costs, qualities, horizon, PlatformParameters(**{**usual, **platform}))
    return Case(market.setting, market.run([TruthfulBidder() for _ in costs]), {})


def payoffs(case: Case, at: Counterfactual, bid: float) -> set[float]:
    """What the provider can gain at a step with a bid, over all ways to break a tie; from the definitions."""
    replay, platform, row = case.replay, case.setting.platform, at.step - 1
    width = (1 + platform.belief_slack) * platform.cost_bound
    able = [i for i in range(case.setting.n_providers) if replay.eligible[row, i]]
    index = {j: float(replay.standing_bids[row, j]) - width * beta(case, int(replay.counts[row, j])) for j in able}
    mine = width * beta(case, int(replay.counts[row, at.provider]))
    index[at.provider] = bid - mine
    critical = mine + min((index[j] for j in able if j != at.provider), default=math.inf)
    gain = min(critical, platform.cost_bound) - at.estimate
    winners = [j for j in able if index[j] <= min(index.values()) + 1e-12]
    return {gain if winner == at.provider else 0.0 for winner in winners}


def beta(case: Case, m: int) -> float:
    n, delta = case.setting.n_providers, case.setting.platform.confidence
    return math.sqrt(math.log(2 * math.pi**2 * n * m**2 / (3 * delta)) / (2 * m))


class TestAgainstEnumeration:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("gamma", [0.0, 0.75])
    def test_gains(self, seed: int, gamma: float) -> None:
        case = grid_case(seed, gamma=gamma)
        ties = 0
        for at in counterfactuals(case):
            for bid in {*at.bids, 0.0, 0.25, 0.5, 1.0}:
                if abs(bid - at.critical) < 1e-8 and not math.isclose(bid, at.critical, abs_tol=1e-13):
                    continue  # a hair from the threshold: which side is what rounding decides
                possible = payoffs(case, at, bid)
                ties += len(possible) > 1
                assert at.gain(bid) == pytest.approx(max(possible), abs=1e-9)
                assert at.least_gain(bid) == pytest.approx(min(possible), abs=1e-9)
        assert ties, "ties are the point of the grid"

    def test_every_eligible_provider_of_every_auction_of_a_short_case(self) -> None:
        case = grid_case(1)
        auctions = np.flatnonzero(case.replay.auction)
        assert 10 < len(auctions) <= SAMPLED_AUCTIONS
        wanted = [(t + 1, i) for t in auctions for i in range(3) if case.replay.eligible[t, i]]
        assert [(at.step, at.provider) for at in counterfactuals(case)] == wanted

    def test_a_long_case_is_sampled_evenly_with_both_ends(self) -> None:
        case = truthful_case((0.25, 0.5), (1.0, 1.0), 900)
        auctions = np.flatnonzero(case.replay.auction) + 1
        steps = sorted({at.step for at in counterfactuals(case)})
        assert len(steps) == SAMPLED_AUCTIONS < len(auctions)
        assert (steps[0], steps[-1]) == (auctions[0], auctions[-1])
        assert np.diff(steps).max() < 3 * len(auctions) / SAMPLED_AUCTIONS

    def test_no_auction_no_counterfactual(self) -> None:
        case = truthful_case((0.25, 0.5), (1.0, 1.0), 20, exploration_scale=10.0)
        assert list(counterfactuals(case)) == []
        for check in CHECKS:
            assert check(case) == Tightness(0, 0)


class TestCorners:
    def test_an_exact_tie_goes_either_way(self) -> None:
        # Equal bids at equal counts: P is the own bid.
        case = truthful_case((0.25, 0.25), (1.0, 1.0), 3, exploration_scale=0.1)
        at = counterfactuals(case)[0]
        assert at.critical == pytest.approx(0.25, abs=1e-15)
        assert at.wins(0.25) is None
        assert at.gain(0.25) == at.least_gain(0.25) == pytest.approx(0.0, abs=1e-15)
        assert at.wins(0.25 - 1e-9) is True
        assert at.wins(0.25 + 1e-9) is False

    def test_a_tie_below_the_estimate_shows_both_outcomes(self) -> None:
        # Both bid 0: whoever wins is paid 0. With an estimate of 1/2 it would lose 1/2.
        market = SmallMarket((0.5, 0.5), (1.0, 1.0), 3, PlatformParameters(0.5, 0.05, 1.0, 0.1, 0.5))
        case = Case(market.setting, market.run([FixedBidder(0.0), FixedBidder(0.0)]), {})
        at = replace(counterfactuals(case)[0], estimate=0.5)
        assert (at.gain(0.0), at.least_gain(0.0)) == (0.0, -0.5)

    def test_what_a_provider_bid_is_its_estimate(self) -> None:
        # Bayesian estimates differ from the running mean: what is charged is what was bid.
        market = SmallMarket((0.5, 0.25), (1.0, 1.0), 20, PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5, 1.0))
        case = Case(market.setting, market.run([BayesianBidder(0.83, 5.0), BayesianBidder(0.83, 5.0)]), {})
        for at in counterfactuals(case):
            assert at.estimate == case.replay.standing_bids[at.step - 1, at.provider]
            assert at.estimate not in (0.5, 0.25)

    def test_a_lone_provider_wins_with_any_bid(self) -> None:
        case = truthful_case((0.25, 0.5), (1.0, 0.0), 60, quality_threshold=1.0, exploration_scale=0.1)
        lone = [at for at in counterfactuals(case) if at.critical == math.inf]
        assert lone
        for at in lone:
            assert all(at.wins(bid) is True for bid in (0.0, 0.5, 1.0))
            assert at.gain(1.0) == at.least_gain(0.0) == 0.75
            assert set(at.bids) >= {0.0, 0.5, 1.0}
            assert max(at.bids) <= 1.0

    def test_costs_are_not_needed(self) -> None:
        case = truthful_case((0.25, 0.5), (1.0, 1.0), 30)
        trace = case.trace
        blind = Case(case.setting, Trace(trace.provider, trace.payment, trace.score, trace.bid), {})
        for seen, unseen in zip(counterfactuals(case), counterfactuals(blind), strict=True):
            assert (seen.step, seen.provider, seen.estimate) == (unseen.step, unseen.provider, unseen.estimate)


class TestLemmas:
    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.compare.__name__)
    def test_hold_on_grids_full_of_ties(self, check: Any) -> None:
        found = [check(grid_case(seed, costs=(0.0, 0.5, 1.0))) for seed in range(8)]
        assert sum(part.violations for part in found) == 0
        assert sum(part.checked for part in found) > 500

    def test_strictness_needs_strictness(self) -> None:
        margins = [strict_where_allocation_changes(grid_case(seed)).margin for seed in range(4)]
        assert all(margin is not None and margin > 0 for margin in margins)

    def test_strictness_is_compared_close_to_the_threshold(self) -> None:
        # The first provider's critical payment exceeds its estimate by a millionth at equal counts.
        case = truthful_case((0.25, 0.25 + 1e-6), (1.0, 1.0), 3, exploration_scale=0.1)
        found = strict_where_allocation_changes(case)
        assert found.checked
        assert found.margin == pytest.approx(1e-6, rel=1e-6)


def broken_rules(**replaced: Any) -> SimpleNamespace:
    kept = {name: getattr(rules, name) for name in ("critical_payment", "lowest")}
    return SimpleNamespace(**{**kept, **replaced})


def highest(among: Any, adjusted: Any) -> tuple[int, ...]:
    most = max(adjusted[i] for i in among)
    return tuple(i for i in among if adjusted[i] == most)


def half_price(provider: Any, among: Any, adjusted: Any, radius: Any) -> float | None:
    critical = rules.critical_payment(provider, among, adjusted, radius)
    return None if critical is None else critical / 2


def never_sold(among: Any, adjusted: Any) -> tuple[int, ...]:
    return ()


BREAKS = {
    "the dearest wins": (broken_rules(lowest=highest), {losing_or_winning_by_threshold, no_deviation_gains}),
    "half the price": (broken_rules(critical_payment=half_price), {truthful_never_loses, no_deviation_gains}),
    "nobody wins": (broken_rules(lowest=never_sold), {losing_or_winning_by_threshold, strict_where_allocation_changes}),
}


@pytest.mark.parametrize("name", BREAKS)
def test_broken_rules_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def played() -> Case:
        return truthful_case((0.25, 0.5, 0.75), (1.0, 1.0, 1.0), 60)

    assert all(check(played()).violations == 0 for check in CHECKS)
    broken, noticing = BREAKS[name]
    case = played()  # what a case has computed once it keeps
    monkeypatch.setattr(counterfactual, "rules", broken)
    assert {check for check in CHECKS if check(case).violations} >= noticing
    for label in ("lem:one-step", "prop:selection-threshold"):
        if noticing.intersection(claim(label).checks):
            assert claim(label).check(case).verdict is Verdict.REFUTED


def test_a_violation_names_step_provider_and_bid(monkeypatch: pytest.MonkeyPatch) -> None:
    case = truthful_case((0.25, 0.5), (1.0, 1.0), 60)
    monkeypatch.setattr(counterfactual, "rules", broken_rules(critical_payment=half_price))
    found = truthful_never_loses(case)
    assert found.where is not None
    assert found.where["relation"] == "G(estimate) >= 0"
    assert found.where["provider"] in ("provider-0", "provider-1")
    assert found.where["step"] in np.flatnonzero(case.replay.auction) + 1
    assert found.where["bid"] in (0.25, 0.5)
    assert found.margin is not None
    assert found.margin < 0
