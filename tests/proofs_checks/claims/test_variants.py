"""Variants of a setting: the slacks they carry cover their bids, and no more than they must."""

from __future__ import annotations

import pytest

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.episode import simulate
from mechanism.market.market import market_laws
from proofs_checks.claims.cases.variants import PRIOR, VARIANTS, deviations_of, play, slack_of, with_slacks
from proofs_checks.claims.model import precondition as p
from tests.bounds.by_hand import setting_of

COVERED = {
    "truthful": p.TRUTHFUL_BIDS,
    "bayesian": p.BOUNDED_BELIEFS,
    "deviating": p.BOUNDED_DEVIATIONS,
    "combined": p.BELIEFS_AND_DEVIATIONS,
}


def market(*providers: tuple[float, float], **slacks: float) -> Setting:
    return setting_of(providers, cost_bound=10.0, exploration_scale=1.0, exploration_exponent=0.5, **slacks)


@pytest.mark.for_each("name", PUBLISHED_NAMES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_bids_lie_within_the_slacks_and_in_range(variant: str, name: str) -> None:
    case = play(published(name).setting, variant, horizon=400, seed=1, run=0)
    assert COVERED[variant].failure(case) is None
    assert p.BIDS_IN_RANGE.failure(case) is None
    assert len(case.trace) == 400
    named = {"kind": "simulation", "variant": variant, "seed": 1, "run": 0, "horizon": 400, "setting_name": name}
    assert named.items() <= case.origin.items()
    if variant != "truthful":
        assert p.TRUTHFUL_BIDS.failure(case) is not None, "the variant must do something"


@pytest.mark.for_each("name", PUBLISHED_NAMES)
def test_deviations_leave_the_cost_gaps_separated(name: str) -> None:
    prepared = VARIANTS["deviating"].prepare(published(name).setting)
    assert prepared.platform.underbid > 0
    assert p.unseparated(prepared) is None


def test_deviations_are_a_tenth_of_the_smallest_gap() -> None:
    assert deviations_of(market((0.9, 2.0), (0.9, 5.0), (0.9, 9.0))) == pytest.approx((0.3, 0.3))
    assert deviations_of(market((0.9, 2.0), (0.9, 5.0), underbid=0.7)) == (0.7, 0.0), "the setting's own win"


def test_without_a_gap_a_hundredth_of_the_bound() -> None:
    for providers in (((0.9, 2.0), (0.9, 2.0)), ((0.9, 2.0), (0.1, 3.0)), ((0.1, 2.0), (0.1, 3.0))):
        assert deviations_of(market(*providers)) == (0.1, 0.1)


def test_the_slack_covers_the_prior_or_is_the_settings() -> None:
    plain = market((0.9, 2.0), (0.9, 5.0))
    assert slack_of(plain) == PRIOR.belief_slack(plain) > 0
    assert slack_of(with_slacks(plain, belief_slack=50.0)) == 50.0


def test_truthful_runs_drop_the_settings_slacks() -> None:
    slack = market((0.9, 2.0), (0.9, 5.0), belief_slack=1.0, underbid=0.5, overbid=0.5)
    prepared = VARIANTS["truthful"].prepare(slack).platform
    assert (prepared.belief_slack, prepared.underbid, prepared.overbid) == (0.0, 0.0, 0.0)
    assert prepared == with_slacks(market((0.9, 2.0), (0.9, 5.0))).platform


@pytest.mark.for_each("variant", VARIANTS)
def test_a_case_is_the_plain_episode_on_independent_queries(variant: str) -> None:
    setting = published("gsm8k-ladder").setting
    case = play(setting, variant, horizon=600, seed=2, run=3)
    prepared = VARIANTS[variant].prepare(setting)
    laws = market_laws(prepared, questions=0)
    assert laws.market(2, 3).pool is None
    plain = simulate(prepared, horizon=600, seed=2, run=3, bidders=VARIANTS[variant].bidders, laws=laws)
    assert case.trace == plain
    assert case.setting == prepared
    assert case.origin["market"] == "independent queries"
