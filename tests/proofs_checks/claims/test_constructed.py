"""Steered markets: the good event holds by construction, and the edges of its bands are reached."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.setting.model import Setting
from mechanism.tables import radius_table
from proofs_checks.claims.cases.constructed import EdgeBidder, constructed_case
from proofs_checks.claims.cases.edge_walk import BandWalk, Direction
from proofs_checks.claims.model.precondition import bids_within
from tests.bounds.by_hand import LITTLE, setting_of

DIRECTIONS: tuple[Direction, ...] = ("up", "down", "random", "alternate")
LENGTH = 4000
COUNTS = np.arange(1, LENGTH + 1)
#: beta(m) at N = 3, delta = 0.3.
BETA = np.sqrt(np.log(2 * np.pi**2 * 3 * COUNTS**2.0 / 0.9) / (2 * COUNTS))


def walk(mean: float, upper: float, direction: Direction) -> np.ndarray:
    walker = BandWalk(mean, upper, direction, radius_table(3, 0.3).upto(LENGTH), np.random.default_rng(0))
    return np.array([walker.next() for _ in range(LENGTH)])


@pytest.mark.for_each("direction", DIRECTIONS)
@pytest.mark.parametrize("upper", [1.0, 100.0])
@pytest.mark.parametrize("share", [0.0, 0.03, 0.97, 1.0])
def test_walks_stay_in_range_and_in_the_band(share: float, upper: float, direction: Direction) -> None:
    values = walk(share * upper, upper, direction)
    assert values.min() >= 0
    assert values.max() <= upper * (1 + 1e-9)
    gaps = np.abs(np.cumsum(values) / COUNTS - share * upper)
    assert (gaps <= upper * BETA * (1 + 1e-12)).all()


@pytest.mark.for_each("share", [0.0, 0.03, 0.5, 0.97, 1.0])
@pytest.mark.parametrize(("direction", "sign"), [("up", 1), ("down", -1)])
def test_walks_reach_the_chosen_edge(share: float, direction: Direction, sign: int) -> None:
    gaps = sign * (np.cumsum(walk(share, 1.0, direction)) / COUNTS - share) / BETA
    room = share if sign < 0 else 1 - share
    assert (gaps >= -1e-9).all()
    # The edge lies in [0, 1] from the count on at which the radius is smaller than the room.
    reachable = room > 1.01 * BETA
    np.testing.assert_allclose(gaps[reachable], 1.0, atol=1e-6)
    assert reachable.any() == (room > 0.05)


def test_alternating_walks_take_the_largest_and_the_smallest_value_in_turn() -> None:
    assert walk(0.5, 1.0, "alternate")[:6].tolist() == [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]


def setting(**platform: float) -> Setting:
    pairs = [(0.7, 0.4), (0.5, 1.0), (0.2, 0.1)]
    return setting_of(pairs, **{**LITTLE, "confidence": 0.3, "cost_bound": 2.0, **platform})


class TestEdgeBidder:
    @pytest.mark.for_each("sign", [-1.0, 1.0])
    @pytest.mark.parametrize("clip", [True, False])
    def test_bids_at_the_edge_of_the_slacks(self, sign: float, clip: bool) -> None:
        platform = setting(belief_slack=0.4, underbid=0.1, overbid=0.2)
        bidders = [EdgeBidder(platform, 0.4, sign, clip) for _ in platform.providers]
        case = constructed_case(platform, bidders, horizon=600, rng=np.random.default_rng(1), ties="first")
        assert bids_within(case, 0.4, 0.1, 0.2) is None
        assert bids_within(case, 0.39, 0.1, 0.2) is not None
        assert bids_within(case, 0.4, 0.1 - 1e-6 * (sign < 0), 0.2 - 1e-6 * (sign > 0)) is not None
        inside = (case.trace.bid >= 0) & (case.trace.bid <= 2.0)
        assert inside.all() == clip

    def test_an_estimate_is_clipped_before_the_deviation(self) -> None:
        # The estimate is 0 at most; the deviation of d_- then leads to -0.1, not further.
        bidder = EdgeBidder(setting(belief_slack=1.0, underbid=0.1), 1.0, -1.0, clip=False)
        assert bidder.observe(0.0, 0.0) == pytest.approx(-0.1)
