"""Every policy's rule against brute force on the history.

A statistical test fails for a right policy with probability FALSE_ALARM, over the choice of the seed.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import given, settings, strategies as st

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.policies import POLICIES, find_policy

FALSE_ALARM = 1e-9
C_MAX = 4.0
#: The effective rates n lambda are 0.3, 0.2, 0.2, 0.1, 0.4: providers 1 and 2 tie, and 3 is cheapest.
RATES = ((0.15, 2), (0.2, 1), (0.1, 2), (0.1, 1), (0.1, 4))
SETTING = Setting(
    "market",
    # A large exploration scale: the platform would explore at every step below.
    PlatformParameters(0.95, 0.9, C_MAX, 50.0, 0.75),
    tuple(Provider(f"p{i}", 0.5, 1.0, price, n) for i, (price, n) in enumerate(RATES)),
)
N = SETTING.n_providers
BASELINES = ("uniform-eligible", "lowest-price-eligible", "lowest-price")
OUTCOMES = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 1.0, C_MAX])), min_size=1, max_size=60
)

Event = tuple[int, float, float]


def beta(count: int) -> float:
    return math.sqrt(math.log(2 * math.pi**2 * N * count**2 / (3 * 0.9)) / (2 * count))


def eligible(history: list[Event]) -> set[int]:
    able = set()
    for i in range(N):
        scores = [score for served, score, _ in history if served == i]
        if sum(scores) / len(scores) + beta(len(scores)) >= 0.95:
            able.add(i)
    return able


def index(history: list[Event]) -> list[float]:
    """Return the optimistic bidding indices b - c_max beta of all providers."""
    own = [[bid for served, _, bid in history if served == i] for i in range(N)]
    return [bids[-1] - C_MAX * beta(len(bids)) for bids in own]


def play(name: str, outcomes: list[tuple[float, float]], seed: int) -> Iterator[tuple[list[Event], int, float]]:
    """Yield, for every step after initialization, the history, who serves and what the policy asks to be paid."""
    policy = POLICIES[name].make(SETTING, np.random.default_rng(seed))
    history: list[Event] = []
    for step, (score, bid) in enumerate(outcomes, 1):
        provider, payment = policy.assign()
        if step > N:
            yield list(history), provider, payment
        else:
            assert provider not in [served for served, _, _ in history]
            assert payment == C_MAX or (name in BASELINES and math.isnan(payment))
        policy.settle(score, bid)
        history.append((provider, score, bid))


@given(OUTCOMES, st.integers(0, 999))
@settings(deadline=None)
def test_uniform_routing_serves_the_eligible(outcomes: list[tuple[float, float]], seed: int) -> None:
    for history, provider, payment in play("uniform-eligible", outcomes, seed):
        assert provider in (eligible(history) or range(N))
        assert math.isnan(payment)


@given(OUTCOMES, st.integers(0, 999))
@settings(deadline=None)
def test_lowest_price_routing_serves_the_cheapest_of_the_eligible(
    outcomes: list[tuple[float, float]], seed: int
) -> None:
    rates = [price * n for price, n in RATES]
    for history, provider, payment in play("lowest-price-eligible", outcomes, seed):
        able = eligible(history) or set(range(N))
        assert provider in able
        assert all(rates[provider] <= rates[i] for i in able)
        assert math.isnan(payment)


@given(OUTCOMES, st.integers(0, 999))
@settings(deadline=None)
def test_unscreened_lowest_price_routing_always_serves_the_cheapest(
    outcomes: list[tuple[float, float]], seed: int
) -> None:
    assert all(provider == 3 and math.isnan(paid) for _, provider, paid in play("lowest-price", outcomes, seed))


@given(OUTCOMES, st.integers(0, 999))
@settings(deadline=None)
def test_the_ablation_auctions_among_everybody(outcomes: list[tuple[float, float]], seed: int) -> None:
    for history, provider, payment in play("no-quality-filter", outcomes, seed):
        indices = index(history)
        rivals = indices[:provider] + indices[provider + 1 :]
        assert indices[provider] <= min(rivals) + 1e-9
        count = sum(served == provider for served, _, _ in history)
        assert payment == pytest.approx(min(min(rivals) + C_MAX * beta(count), C_MAX), abs=1e-9)


@given(OUTCOMES, st.integers(0, 999))
@settings(deadline=None)
def test_the_platform_explores_the_under_sampled_of_the_eligible(
    outcomes: list[tuple[float, float]], seed: int
) -> None:
    """With k = 50 every eligible provider stays under-sampled, so no step is an auction."""
    for history, provider, payment in play("platform", outcomes, seed):
        assert provider in (eligible(history) or range(N))
        assert payment == C_MAX


def test_the_runs_above_meet_screened_and_empty_markets() -> None:
    sizes: Counter[int] = Counter()
    for seed, every in itertools.product(range(5), (1, 3, 1000)):
        outcomes = [(float(step % every == 0), 1.0) for step in range(60)]
        sizes.update(len(eligible(history)) for history, _, _ in play("uniform-eligible", outcomes, seed))
    assert sizes[0] > 50
    assert sum(sizes[k] for k in range(1, N)) > 50
    assert sizes[N] > 50


def shares(name: str, seed: int, size: int = 4000, score: float = 1.0) -> Counter[int]:
    return Counter(provider for _, provider, _ in play(name, [(score, 1.0)] * (size + N), seed))


def assert_uniform(drawn: Counter[int], among: set[int]) -> None:
    """With 4000 draws, a share off by a fifth of itself does not pass."""
    assert set(drawn) == among
    for provider in among:
        assert scipy.stats.binomtest(drawn[provider], drawn.total(), 1 / len(among)).pvalue > FALSE_ALARM / len(among)


def test_uniform_routing_is_uniform() -> None:
    assert_uniform(shares("uniform-eligible", 1), set(range(N)))


def test_ties_of_prices_are_broken_uniformly() -> None:
    dearer = replace(SETTING.providers[3], listed_price=1.0)  # now providers 1 and 2 are cheapest together
    providers = (*SETTING.providers[:3], dearer, SETTING.providers[4])
    tied = replace(SETTING, providers=providers)
    for name in ("lowest-price", "lowest-price-eligible"):
        policy = POLICIES[name].make(tied, np.random.default_rng(2))
        served = []
        for _ in range(4000 + N):
            served.append(policy.assign()[0])
            policy.settle(1.0, 1.0)
        assert_uniform(Counter(served[N:]), {1, 2})


@pytest.mark.for_each("name", POLICIES)
def test_initialization_serves_everybody_once_in_a_random_order(name: str) -> None:
    first = []
    for seed in range(2000):
        policy = POLICIES[name].make(SETTING, np.random.default_rng([3, seed]))
        first.append(policy.assign()[0])
    assert_uniform(Counter(first), set(range(N)))


@pytest.mark.for_each("name", POLICIES)
def test_a_policy_is_decided_by_its_seed(name: str) -> None:
    assert decisions(name, 0) == decisions(name, 0)
    assert decisions(name, 0) != decisions(name, 1)


def decisions(name: str, seed: int) -> list[str]:
    policy = POLICIES[name].make(SETTING, np.random.default_rng(seed))
    made = []
    for step in range(200):
        made.append(repr(policy.assign()))
        policy.settle(float(step % 4 > 0), float(step % 3))
    return made


@pytest.mark.for_each("name", POLICIES)
def test_prices_are_asked_of_those_policies_only_that_need_them(name: str) -> None:
    providers = (SETTING.providers[0], replace(SETTING.providers[1], listed_price=None), *SETTING.providers[2:])
    unpriced = replace(SETTING, providers=providers)
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
    with pytest.raises(InputError, match="policy='best' must be a Policy or one of platform, uniform-eligible, "):
        find_policy("best")
