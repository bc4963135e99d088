"""Draws of policies are uniform, and prices are asked of those that need them; `test_baselines.py` has their rules."""

from dataclasses import replace

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.policies import POLICIES, find_policy
from tests.mechanism.test_platform import assert_uniform

#: The effective rates n lambda are 0.3, 0.2, 0.2, 1 and 0.4: providers 1 and 2 are cheapest together.
RATES = ((0.15, 2), (0.2, 1), (0.1, 2), (1.0, 1), (0.1, 4))
SETTING = Setting(
    "market",
    PlatformParameters(0.95, 0.9, 4.0, 50.0, 0.75),
    tuple(Provider(f"p{i}", 0.5, 1.0, price, n) for i, (price, n) in enumerate(RATES)),
)
N = SETTING.n_providers


@pytest.mark.for_each(
    ("name", "among"),
    [("uniform-eligible", set(range(N))), ("lowest-price", {1, 2}), ("lowest-price-eligible", {1, 2})],
)
def test_draws_and_ties_are_uniform(name: str, among: set[int]) -> None:
    policy = POLICIES[name].make(SETTING, np.random.default_rng(2))
    served = []
    for _ in range(4000 + N):
        served.append(policy.assign()[0])
        policy.settle(1.0, 1.0)
    assert set(served[:N]) == set(range(N))
    assert_uniform(served[N:], among)


@pytest.mark.for_each("name", POLICIES)
def test_initialization_begins_with_anybody(name: str) -> None:
    makers = (POLICIES[name].make(SETTING, np.random.default_rng([3, seed])) for seed in range(1000))
    assert_uniform((policy.assign()[0] for policy in makers), set(range(N)))


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
