import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import Bidder, FixedBidder, deviating_bidders, truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode, simulate
from mechanism.market.market import market_laws
from mechanism.platform import Mechanism
from mechanism.policies import POLICIES, Policy
from mechanism.randomness import RandomStream, stream_generator
from mechanism.replay import Replay

SETTING = published("gpqa-strong").setting
BASELINES = ("uniform-eligible", "lowest-price-eligible", "lowest-price")
T = 1500


class Scripted:
    """A mechanism that serves in turn, asks for its own payments and writes down what it is told."""

    def __init__(self, payments: list[float]) -> None:
        self._turns: Iterator[tuple[int, float]] = zip(
            itertools.cycle(range(SETTING.n_providers)), payments, strict=False
        )
        self.told: list[tuple[float, float]] = []

    def assign(self) -> tuple[int, float]:
        return next(self._turns)

    def settle(self, score: float, bid: float) -> None:
        self.told.append((score, bid))


def test_an_episode_logs_what_happened() -> None:
    mechanism, market = Scripted([3.0, math.nan, 0.0, 7.5, math.nan]), market_laws(SETTING).market(5, 6)
    trace = run_episode(mechanism, [FixedBidder(float(i)) for i in range(4)], market, 5)
    outcomes = [market.outcome(t + 1, t % 4) for t in range(5)]
    assert trace.provider.tolist() == [0, 1, 2, 3, 0]
    assert trace.score.tolist() == [score for score, _ in outcomes]
    assert trace.cost is not None
    assert trace.cost.tolist() == [cost for _, cost in outcomes]
    assert trace.bid.tolist() == [0, 1, 2, 3, 0]
    assert trace.payment.tolist() == [3.0, 1.25 * outcomes[1][1], 0.0, 7.5, 1.25 * outcomes[4][1]]
    assert mechanism.told == [*zip(trace.score.tolist(), trace.bid.tolist(), strict=True)]


@pytest.mark.for_each("name", POLICIES)
def test_every_policy_meets_the_same_market(name: str) -> None:
    """Scores and costs are the potential outcomes of (seed, run, step, provider), whatever was served before."""
    trace = simulate(SETTING, horizon=T, seed=3, run=2, policy=POLICIES[name])
    market = market_laws(SETTING).market(3, 2)
    assert trace.cost is not None
    for provider in range(SETTING.n_providers):
        served = trace.provider == provider
        assert served.any()
        outcomes = [market.outcome(int(row) + 1, provider) for row in np.flatnonzero(served)]
        assert [*zip(trace.score[served].tolist(), trace.cost[served].tolist(), strict=True)] == outcomes


def test_policies_do_differ() -> None:
    # The cheapest provider of this setting stays eligible for long, so screening it changes nothing yet.
    names = [name for name in POLICIES if name != "lowest-price-eligible"]
    traces = [simulate(SETTING, horizon=T, seed=3, policy=POLICIES[name]) for name in names]
    for one, other in itertools.combinations(traces, 2):
        assert (one.provider != other.provider).mean() > 0.05


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_are_invoiced_at_the_listed_price(name: str) -> None:
    trace = simulate(SETTING, horizon=T, seed=0, policy=POLICIES[name])
    assert trace.cost is not None
    assert trace.payment.tolist() == (1.25 * trace.cost).tolist()
    dearer = simulate(SETTING, horizon=T, seed=0, policy=POLICIES[name], laws=market_laws(SETTING, margin=0.5))
    assert dearer.cost is not None
    assert dearer.payment == pytest.approx(1.5 * dearer.cost, rel=1e-15)


@pytest.mark.parametrize("name", ["platform", "no-quality-filter"])
def test_the_mechanisms_payments_stay_up_to_the_cost_bound(name: str) -> None:
    trace = simulate(SETTING, horizon=T, seed=0, policy=POLICIES[name])
    bound = SETTING.platform.cost_bound
    assert trace.payment[:4].tolist() == [bound] * 4
    assert trace.payment.max() <= bound
    assert (trace.payment < bound).any()


def test_truthful_bidders_bid_their_mean_cost() -> None:
    trace = simulate(SETTING, horizon=T, seed=1)
    replay = Replay(MechanismConfig.of(SETTING), trace)
    after = np.concatenate([replay.cost_estimates[1:], replay.final_cost_estimates[None]])
    assert trace.bid.tolist() == replay.of_served(after).tolist()


@pytest.mark.for_each("name", POLICIES)
def test_seed_and_run_decide_everything(name: str) -> None:
    def run(seed: int, number: int) -> object:
        return simulate(SETTING, horizon=200, seed=seed, run=number, policy=POLICIES[name])

    assert run(0, 0) == run(0, 0)
    assert run(0, 0) != run(1, 0)
    assert run(0, 0) != run(0, 1)
    assert run(1, 0) != run(0, 1)


@pytest.mark.for_each("name", POLICIES)
def test_a_longer_run_begins_with_the_shorter_one(name: str) -> None:
    """No policy knows its horizon."""
    long, short = (simulate(SETTING, horizon=t, seed=4, policy=POLICIES[name]) for t in (700, 300))
    assert long.head(300) == short


def test_platform_and_bidders_draw_from_streams_of_their_own() -> None:
    given: dict[str, np.random.Generator] = {}

    def policy(setting: Setting, rng: np.random.Generator) -> Mechanism:
        given["platform"] = rng
        return POLICIES["platform"].make(setting, np.random.default_rng(0))

    def bidders(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        given["bidders"] = rng
        return truthful_bidders(setting, rng)

    simulate(SETTING, horizon=5, seed=4, run=2, policy=Policy(policy), bidders=bidders)
    drawn = {name: rng.random() for name, rng in given.items()}
    streams = {"platform": RandomStream.PLATFORM, "bidders": RandomStream.BIDDERS}
    assert drawn == {name: stream_generator(4, 2, stream).random() for name, stream in streams.items()}
    assert drawn["platform"] != drawn["bidders"]


def test_deviations_change_bids_only() -> None:
    setting = replace(SETTING, platform=replace(SETTING.platform, underbid=1.0, overbid=2.0))
    truthful, deviating = (
        simulate(setting, horizon=300, seed=4, bidders=bidders)
        for bidders in (truthful_bidders, deviating_bidders(pattern="over"))
    )
    assert truthful.provider[:4].tolist() == deviating.provider[:4].tolist()
    assert truthful.score[:4].tolist() == deviating.score[:4].tolist()
    assert deviating.bid[:4] == pytest.approx(truthful.bid[:4] + 2.0)


@pytest.mark.for_each("bound", [0.1, 102.4, 1 / 3, 1e-7])
def test_providers_whose_every_cost_is_the_bound_can_bid_truthfully(bound: float) -> None:
    """The rounded mean of equal costs may exceed them; the platform refuses bids above the bound."""
    platform = PlatformParameters(0.0, 0.05, bound, 2.0, 0.75)
    setting = Setting("dear", platform, (Provider("a", 1.0, bound), Provider("b", 1.0, bound)))
    trace = simulate(setting, horizon=300, seed=0)
    assert trace.bid == pytest.approx(np.full(300, bound), rel=1e-13)
    assert trace.bid.max() <= bound


@pytest.mark.for_each("horizon", [0, -1, 2.5, True, "10", None])
def test_a_horizon_is_a_whole_number_of_queries(horizon: object) -> None:
    with pytest.raises(InputError, match=r"horizon=.* must be a whole number from 1"):
        simulate(SETTING, horizon=horizon, seed=0)  # type: ignore[arg-type]
