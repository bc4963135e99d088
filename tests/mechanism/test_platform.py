"""The platform as an object: its initialization, its ties, and what it refuses; `test_baselines.py` has its rules.

A statistical test fails for a right platform with probability FALSE_ALARM, over the choice of the seed.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.platform import Platform, reference_mechanism

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
    with pytest.raises(InputError, match=r"settle=1\.0 came without an assigned query: call assign first"):
        platform.settle(1.0, 1.0)
    platform.assign()
    with pytest.raises(InputError, match="assign=0 was called twice: settle"):
        platform.assign()
    platform.settle(1.0, 1.0)
    with pytest.raises(InputError, match="came without"):
        platform.settle(1.0, 1.0)


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
    with pytest.raises(InputError, match=f"^{argument}="):
        platform.settle(score, bid)
    assert repr(platform.knowledge()) == before
    platform.settle(1.0, C_MAX)
    assert platform.knowledge().counts == (1, 0, 0)


def test_bids_may_be_left_unchecked_but_not_infinite() -> None:
    platform = Platform(CONFIG, np.random.default_rng(0), check_bids=False)
    platform.assign()
    with pytest.raises(InputError, match="bid=nan"):
        platform.settle(1.0, math.nan)
    platform.settle(1.0, -7.0)
    assert platform.knowledge().standing_bids[0] == -7


@pytest.mark.parametrize(
    ("options", "message"),
    [({"ties": "last"}, "ties='last' must be"), ({"order": (0, 1)}, "order="), ({"order": (0, 1, 1)}, "order=")],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Platform(CONFIG, np.random.default_rng(0), **options)


@pytest.mark.for_each(
    ("changes", "argument"),
    [
        ({"n_providers": 1}, "n_providers"),
        ({"n_providers": True}, "n_providers"),
        ({"n_providers": 2.0}, "n_providers"),
        ({"quality_threshold": 1.5}, "quality_threshold"),
        ({"confidence": 0.0}, "confidence"),
        ({"confidence": 1.0}, "confidence"),
        ({"cost_bound": 0.0}, "cost_bound"),
        ({"exploration_scale": math.nan}, "exploration_scale"),
        ({"exploration_exponent": 1.0}, "exploration_exponent"),
        ({"belief_slack": -1.0}, "belief_slack"),
    ],
)
def test_a_configuration_is_checked(changes: dict[str, Any], argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        replace(CONFIG, **changes)


def test_the_factory_takes_any_object_with_the_attributes_of_a_configuration() -> None:
    lookalike: Any = SimpleNamespace(**vars(CONFIG))
    mechanism = reference_mechanism(lookalike, np.random.default_rng(0))
    assert mechanism.assign() == (0, C_MAX)
