"""Bids of truthful, Bayesian and deviating bidders, in exact fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.bidding import (
    BayesianBidder,
    Bidder,
    DeviatingBidder,
    FixedBidder,
    Prior,
    TruthfulBidder,
    bayesian_bidders,
    deviating_bidders,
    truthful_bidders,
)
from tests.bounds.by_hand import setting_of

COSTS = st.lists(st.one_of(st.sampled_from([0.0, 0.1, 1.0]), st.floats(0, 1)), min_size=1, max_size=20)


def market(cost_bound: float = 1.0, underbid: float = 0.25, overbid: float = 0.5, n: int = 4) -> Setting:
    return setting_of([(0.9, 0.0)] * n, cost_bound=cost_bound, underbid=underbid, overbid=overbid)


def bids(bidder: Bidder, costs: list[float]) -> list[float]:
    return [bidder.observe(cost, 1.0) for cost in costs]


def exact_means(costs: list[float], prior_sum: Fraction = Fraction(0), strength: Fraction = Fraction(0)) -> list[float]:
    totals = itertools.accumulate(map(Fraction, costs), initial=prior_sum)
    next(totals)
    return [float(total / (strength + m)) for m, total in enumerate(totals, 1)]


@given(COSTS)
def test_a_truthful_bidder_bids_the_mean_of_its_costs(costs: list[float]) -> None:
    assert bids(TruthfulBidder(), costs) == pytest.approx(exact_means(costs), rel=1e-14, abs=1e-300)


@given(st.floats(1e-6, 1e6), st.integers(1, 50), st.sampled_from([0.0, 1.0, 5.0, 0.3]))
def test_costs_at_the_bound_do_not_lift_a_bid_above_it(bound: float, m: int, strength: float) -> None:
    """Sums of equal floats are rounded: (0.1 + 0.1 + 0.1) / 3 is above 0.1."""
    setting = market(cost_bound=bound)
    rng = np.random.default_rng(0)
    for factory in (truthful_bidders, bayesian_bidders(Prior(1.0, strength))):
        (bidder, *_) = factory(setting, rng)
        found = bids(bidder, [bound] * m)
        assert max(found) <= bound
        assert found == pytest.approx([bound] * m, rel=1e-13)


@given(COSTS, st.floats(0, 1), st.sampled_from([0.0, 1.0, 2.5, 100.0]))
def test_a_bayesian_bidder_bids_the_posterior_mean(costs: list[float], prior_mean: float, strength: float) -> None:
    expected = exact_means(costs, Fraction(prior_mean) * Fraction(strength), Fraction(strength))
    assert bids(BayesianBidder(prior_mean, strength), costs) == pytest.approx(expected, rel=1e-14, abs=1e-300)


@given(COSTS, st.sampled_from(["random", "under", "over", "extremes"]), st.booleans())
def test_deviations_stay_within_their_bounds(costs: list[float], pattern: str, clip: bool) -> None:
    bidder = DeviatingBidder(
        TruthfulBidder(),
        0.25,
        0.5,
        np.random.default_rng(1),
        pattern,
        1.0 if clip else None,  # type: ignore[arg-type]
    )
    for bid, mean in zip(bids(bidder, costs), bids(TruthfulBidder(), costs), strict=True):
        low, high = mean - 0.25, mean + 0.5
        if clip:
            low, high = max(low, 0.0), min(high, 1.0)
            assert 0 <= bid <= 1
        assert low <= bid <= high
        if pattern in ("under", "over", "extremes"):
            assert bid in {"under": (low,), "over": (high,), "extremes": (low, high)}[pattern]


def test_deviating_bidders_take_the_patterns_in_turn_and_the_bounds_of_the_setting() -> None:
    made = deviating_bidders(lambda setting, rng: [FixedBidder(0.5) for _ in setting.providers])
    found = [bids(bidder, [0.0] * 100) for bidder in made(market(), np.random.default_rng(0))]
    assert [set(found[1]), set(found[2]), set(found[3])] == [{0.25}, {1.0}, {0.25, 1.0}]
    assert len(set(found[0])) == 100
    again = [bids(bidder, [0.0] * 100) for bidder in made(market(), np.random.default_rng(0))]
    assert found == again
    unclipped = deviating_bidders(pattern="under", clip=False)(market(), np.random.default_rng(0))
    assert unclipped[0].observe(0.0, 1.0) == -0.25


def test_bad_bidders_are_refused() -> None:
    with pytest.raises(InputError, match="pattern='sideways' must be"):
        DeviatingBidder(TruthfulBidder(), 0, 0, np.random.default_rng(0), "sideways", None)  # type: ignore[arg-type]
    for share in (-0.1, 1.5, math.nan):
        with pytest.raises(InputError, match=r"share=.* must lie in \[0, 1\]"):
            Prior(share=share)
    for strength in (-1.0, math.nan, math.inf):
        with pytest.raises(InputError, match=r"strength=.* must be 0 or more"):
            Prior(strength=strength)
