"""The instances at the boundary are runs of the platform; `test_power` and `tests/lemmas` show how near they come."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform
from proofs_checks.claims.cases.boundary import BOUNDARY, explored_for_ever
from proofs_checks.claims.cases.constructed import FixedMarket
from proofs_checks.claims.cases.instances import instance_case, random_case
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.verdict import Verdict
from proofs_checks.verify.episodes import DEFAULT, QUICK

NAMES = list(BOUNDARY)


@pytest.fixture(scope="module")
def cases(default_cases: list[Case]) -> dict[str, Case]:
    return dict(zip(NAMES, default_cases, strict=False))


@pytest.mark.long("plays the instances again")
def test_they_come_first_and_do_not_depend_on_the_seed(default_cases: list[Case]) -> None:
    assert len(BOUNDARY) < QUICK.instances < DEFAULT.instances
    for number, name in enumerate(NAMES):
        other = instance_case(9, number)
        assert other.trace == default_cases[number].trace
        assert other.setting == default_cases[number].setting
        assert dict(other.origin) == {"kind": "steered", "seed": 9, "instance": number, "market": name}
    first_random = len(BOUNDARY)
    assert instance_case(9, first_random).trace == random_case(9, first_random).trace


@pytest.mark.parametrize("name", NAMES)
def test_they_meet_the_assumptions_and_refute_no_claim(name: str, cases: dict[str, Case]) -> None:
    case = cases[name]
    assert case.setting.unmet_assumptions == ()
    assert case.band_exit is None
    refuted = {label for label, c in all_claims().items() if c.checks and c.is_refuted_by(c.check(case).verdict)}
    assert refuted == set()
    followed = claim("alg:platform").check(case)
    # A trace of N steps serves nobody after the initialization, for which the algorithm is cited.
    serves = len(case.trace) > case.setting.n_providers
    assert followed.verdict is (Verdict.NOT_REFUTED if serves else Verdict.VACUOUS)
    assert followed.tightness.checked


def test_the_run_that_is_written_down_is_what_the_platform_plays_with_the_same_draws() -> None:
    providers = (Provider("a", 0.75, 0.5), Provider("b", 0.5, 1.25))
    setting = Setting("two", PlatformParameters(0.25, 0.3, 2.0, 1.0, 1 - 1e-9), providers)
    platform = Platform(MechanismConfig.of(setting), np.random.default_rng(4))
    market = FixedMarket([p.quality for p in providers], [p.mean_cost for p in providers])
    played = run_episode(platform, [TruthfulBidder(2.0), TruthfulBidder(2.0)], market, 1002)
    draws = played.provider[2::2]
    assert 100 < draws.sum() < 400
    assert explored_for_ever(setting, draws).trace == played
    lopsided = explored_for_ever(setting, np.zeros(300, np.int64))
    assert claim("eq:allocation").check(lopsided).verdict is Verdict.REFUTED
