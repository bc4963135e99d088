"""The platform as an object: its initialization, its ties, and what it refuses; `test_comparison.py` has its rules.

A statistical test fails for a right platform with probability FALSE_ALARM, over the choice of the seed.
"""

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
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
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism
from mechanism.policies import POLICIES, find_policy
from tests.bounds.by_hand import setting_of
from tests.refusals import assert_refused

FALSE_ALARM = 1e-9
C_MAX = 4.0

CONFIG = MechanismConfig(3, 0.5, 0.05, C_MAX, 2.0, 0.75)
NO_EXPLORATION = replace(CONFIG, exploration_scale=1e-9)


def test_every_provider_is_initialized_once_in_the_given_order() -> None:
    platform = Platform(CONFIG, np.random.default_rng(0), order=(2, 0, 1))
    served = []
    for _ in range(3):
        provider, payment = platform.assign()
        served.append(provider)
        assert payment == C_MAX
        platform.settle(0.0, 0.0)
        assert [math.isnan(bid) for bid in platform.knowledge().standing_bids] == [i not in served for i in range(3)]
    assert served == [2, 0, 1]
    assert platform.knowledge().counts == (1, 1, 1)


def initialized(
    config: MechanismConfig, rng: np.random.Generator, bids: Sequence[float], score: float, **options: Any
) -> Platform:
    platform = Platform(config, rng, **options)
    for bid in bids:
        platform.assign()
        platform.settle(score, bid)
    return platform


def assert_uniform(drawn: Iterable[int], among: Collection[int]) -> None:
    """Every share is tested exactly; with 4000 draws a share off by a fifth of itself does not pass."""
    counts = Counter(drawn)
    assert set(counts) == set(among)
    for provider in among:
        found = scipy.stats.binomtest(counts[provider], counts.total(), 1 / len(among))
        assert found.pvalue > FALSE_ALARM / len(among)


def test_random_ties_are_uniform_among_the_tied() -> None:
    bids = (1.0, 2.0, 1.0, 1.0)
    config = replace(NO_EXPLORATION, n_providers=4)
    rng = np.random.default_rng(1)
    assert_uniform((initialized(config, rng, bids, 1.0, ties="random").assign()[0] for _ in range(4000)), (0, 2, 3))
    first = initialized(config, np.random.default_rng(0), bids, 1.0)
    assert first.assign() == (0, pytest.approx(1.0, rel=1e-15))


def test_assign_and_settle_must_alternate() -> None:
    platform = Platform(CONFIG, np.random.default_rng(0))
    assert_refused(r"settle=1\.0 came without an assigned query: call assign first", platform.settle, 1.0, 1.0)
    platform.assign()
    assert_refused("assign=0 was called twice: settle", platform.assign)
    platform.settle(1.0, 1.0)
    assert_refused("came without", platform.settle, 1.0, 1.0)


@pytest.mark.for_each(
    ("argument", "score", "bid"),
    [
        *(("score", score, 1.0) for score in (-0.1, 1.0000001, math.nan, math.inf)),
        *(("bid", 1.0, bid) for bid in (-1e-9, C_MAX * (1 + 1e-15), math.nan, math.inf, -math.inf)),
    ],
)
def test_scores_and_bids_out_of_range_are_refused(argument: str, score: float, bid: float) -> None:
    """A refused settlement changes nothing and can be repeated."""
    platform = Platform(CONFIG, np.random.default_rng(0))
    platform.assign()
    before = repr(platform.knowledge())
    assert_refused(f"^{argument}=", platform.settle, score, bid)
    assert repr(platform.knowledge()) == before
    platform.settle(1.0, C_MAX)
    assert platform.knowledge().counts == (1, 0, 0)


def test_bids_may_be_left_unchecked_but_not_infinite() -> None:
    platform = Platform(CONFIG, np.random.default_rng(0), check_bids=False)
    platform.assign()
    assert_refused("bid=nan", platform.settle, 1.0, math.nan)
    platform.settle(1.0, -7.0)
    assert platform.knowledge().standing_bids[0] == -7


@pytest.mark.parametrize(
    ("options", "message"),
    [({"ties": "last"}, "ties='last' must be"), ({"order": (0, 1)}, "order="), ({"order": (0, 1, 1)}, "order=")],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    assert_refused(message, Platform, CONFIG, np.random.default_rng(0), **options)


@pytest.mark.for_each(
    ("argument", "value"),
    [
        *(("n_providers", value) for value in (1, True, 2.0)),
        *(("quality_threshold", 1.5), ("confidence", 0.0), ("confidence", 1.0), ("cost_bound", 0.0)),
        *(("exploration_scale", math.nan), ("exploration_exponent", 1.0), ("belief_slack", -1.0)),
    ],
)
def test_a_configuration_is_checked(argument: str, value: Any) -> None:
    assert_refused(f"^{argument}=", replace, CONFIG, **{argument: value})


def test_the_factory_takes_any_object_with_the_attributes_of_a_configuration() -> None:
    lookalike: Any = SimpleNamespace(**vars(CONFIG))
    mechanism = reference_mechanism(lookalike, np.random.default_rng(0))
    assert mechanism.assign() == (0, C_MAX)


#: The effective rates n lambda are 0.3, 0.2, 0.2, 1 and 0.4: providers 1 and 2 are cheapest together.
RATES = ((0.15, 2), (0.2, 1), (0.1, 2), (1.0, 1), (0.1, 4))
PRICED = Setting(
    "market",
    PlatformParameters(0.95, 0.9, 4.0, 50.0, 0.75),
    tuple(Provider(f"p{i}", 0.5, 1.0, price, n) for i, (price, n) in enumerate(RATES)),
)
N = PRICED.n_providers


@pytest.mark.for_each(
    ("name", "among"),
    [("uniform-eligible", set(range(N))), ("lowest-price", {1, 2}), ("lowest-price-eligible", {1, 2})],
)
def test_draws_and_ties_are_uniform(name: str, among: set[int]) -> None:
    policy = POLICIES[name].make(PRICED, np.random.default_rng(2))
    served = []
    for _ in range(4000 + N):
        served.append(policy.assign()[0])
        policy.settle(1.0, 1.0)
    assert set(served[:N]) == set(range(N))
    assert_uniform(served[N:], among)


@pytest.mark.for_each("name", POLICIES)
def test_initialization_begins_with_anybody(name: str) -> None:
    makers = (POLICIES[name].make(PRICED, np.random.default_rng([3, seed])) for seed in range(1000))
    assert_uniform((policy.assign()[0] for policy in makers), set(range(N)))


@pytest.mark.for_each("name", POLICIES)
def test_prices_are_asked_of_those_policies_only_that_need_them(name: str) -> None:
    providers = (PRICED.providers[0], replace(PRICED.providers[1], listed_price=None), *PRICED.providers[2:])
    unpriced = replace(PRICED, providers=providers)
    if name.startswith("lowest-price"):
        with pytest.raises(InputError, match=r"provider\[2\]\.listed_price is missing: .*'p1'"):
            POLICIES[name].make(unpriced, np.random.default_rng(0))
    else:
        POLICIES[name].make(unpriced, np.random.default_rng(0)).assign()


def test_policies_have_the_names_and_flags_of_the_contract() -> None:
    assert {name: (policy.screens, policy.explores) for name, policy in POLICIES.items()} == {
        "platform": (True, True),
        "uniform-eligible": (True, False),
        "lowest-price-eligible": (True, False),
        "lowest-price": (False, False),
        "no-quality-filter": (False, False),
    }
    assert find_policy("platform") is POLICIES["platform"]
    assert_refused("policy='best' must be a Policy or one of platform, uniform-eligible, ", find_policy, "best")


COSTS = st.lists(st.one_of(st.sampled_from([0.0, 0.1, 1.0]), st.floats(0, 1)), min_size=1, max_size=20)


def market(cost_bound: float = 1.0, underbid: float = 0.25, overbid: float = 0.5, n: int = 4) -> Setting:
    return setting_of([(0.9, 0.0)] * n, cost_bound=cost_bound, underbid=underbid, overbid=overbid)


def bids(bidder: Bidder, costs: list[float]) -> list[float]:
    return [bidder.observe(cost, 1.0) for cost in costs]


def exact_means(costs: list[float], prior_sum: Fraction, strength: Fraction) -> list[float]:
    totals = itertools.accumulate(map(Fraction, costs), initial=prior_sum)
    next(totals)
    return [float(total / (strength + m)) for m, total in enumerate(totals, 1)]


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
    assert bids(TruthfulBidder(), costs) == bids(BayesianBidder(prior_mean, 0.0), costs)


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
        assert_refused(r"share=.* must lie in \[0, 1\]", Prior, share=share)
    for strength in (-1.0, math.nan, math.inf):
        assert_refused(r"strength=.* must be 0 or more", Prior, strength=strength)
