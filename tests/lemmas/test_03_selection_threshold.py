"""prop:selection-threshold. At an auction the critical payment decides who wins.

Fix a step t > N at which nobody is explored, a provider i of the optimistic qualified set and the bids of the others.
Then i is assigned the query if b_{i,t} < P_{i,t}, and is not if b_{i,t} > P_{i,t}, where

    P_{i,t} = c_max beta(m_{i,t}) + min over the other members j of [b_{j,t} - c_max beta(m_{j,t})],

+infinity without another member. Bids are arbitrary. At b_{i,t} = P_{i,t} the way to break ties decides. The platform
may widen c_max beta to (1 + gamma) c_max beta.
"""

import math

import numpy as np
from hypothesis import given

from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from costproof.testing import Played
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from tests.bounds.by_hand import setting_of
from tests.lemmas.quantities import cost_radius
from tests.lemmas.steps import auctions

THREE = setting_of([(1.0, 0.5)] * 3, exploration_scale=1e-9)


def critical(market: Setting, i: int, members: list[int], bids: list[float], counts: list[int]) -> float:
    """Return P_{i,t}."""
    others = [bids[j] - cost_radius(market, counts[j]) for j in members if j != i]
    return cost_radius(market, counts[i]) + min(others, default=math.inf)  # wrong: cost_radius -> 0.9999 * cost_radius


@given(traces(settings(), bidding="arbitrary"))
def test_holds_for_arbitrary_bids(played: Played) -> None:
    hair = 1e-12 * played.setting.platform.cost_bound
    for step in auctions(played):
        for i in step.eligible:
            threshold = critical(played.setting, i, step.eligible, step.bids, step.counts)
            assert step.served == i or step.bids[i] >= threshold - hair  # wrong: threshold - -> threshold +
            assert step.served != i or step.bids[i] <= threshold + hair


def test_is_tight() -> None:
    """Whoever served bids 1e-9 of c_max below its critical payment and serves again, or above it and does not."""
    platform = Platform(MechanismConfig.of(THREE), np.random.default_rng(0))
    counts, bids, decided = [0, 0, 0], [0.5, 0.5, 0.5], 0
    served, _ = platform.assign()
    for step in range(200):
        counts[served] += 1
        side = -1 if step % 2 else 1
        threshold = math.nan if 0 in counts else critical(THREE, served, [0, 1, 2], bids, counts)
        decides = 0.1 <= threshold <= 0.9
        bids[served] = threshold + side * 1e-9 if decides else 0.5
        platform.settle(1.0, bids[served])
        last, (served, _) = served, platform.assign()
        assert not decides or (served == last) == (side < 0)
        decided += decides
    assert decided > 100
