"""The rules in exact arithmetic, on a grid so coarse that ties are the ordinary case."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from mechanism import rules

COST_BOUND = Fraction(1)
HAIR = Fraction(1, 10**6)
QUARTERS = st.sampled_from([Fraction(i, 4) for i in range(5)])


@dataclass(frozen=True)
class Market:
    """What the rules see before a step."""

    able: tuple[int, ...]
    bids: tuple[Fraction, ...]
    radii: tuple[Fraction, ...]

    @property
    def adjusted(self) -> list[Fraction]:
        return rules.adjusted_bids(self.bids, self.radii)

    def bidding(self, provider: int, bid: Fraction) -> "Market":
        return replace(self, bids=(*self.bids[:provider], bid, *self.bids[provider + 1 :]))

    def candidates(self) -> tuple[int, ...]:
        """Who may win the auction: nobody is under-sampled."""
        n = len(self.bids)
        allocation = rules.allocate(self.able, [1] * n, 1, self.adjusted)
        assert allocation.kind == "auction"
        return allocation.candidates

    def critical(self, provider: int) -> Fraction | None:
        return rules.critical_payment(provider, self.able, self.adjusted, self.radii[provider])


@st.composite
def markets(draw: st.DrawFn, least: int = 1) -> Market:
    n = draw(st.integers(least, 5))
    able = draw(st.sets(st.integers(0, n - 1), min_size=least))
    bids = draw(st.tuples(*[QUARTERS] * n))
    return Market(tuple(sorted(able)), bids, draw(st.tuples(*[QUARTERS] * n)))


def wins(market: Market, provider: int, *, in_every_tie: bool) -> bool:
    """Whether the provider wins with every way, or with some way, to break ties: compared pair by pair."""
    mine = market.bids[provider] - market.radii[provider]
    rivals = [market.bids[j] - market.radii[j] for j in market.able if j != provider]
    return all(mine < theirs if in_every_tie else mine <= theirs for theirs in rivals)


@given(markets())
def test_the_candidates_are_those_who_win_some_tie(market: Market) -> None:
    assert market.candidates() == tuple(i for i in market.able if wins(market, i, in_every_tie=False))


@given(markets(), st.data())
def test_a_provider_wins_below_its_critical_payment_and_loses_above(market: Market, data: st.DataObject) -> None:
    provider = data.draw(st.sampled_from(market.able))
    critical = market.critical(provider)
    if critical is None:
        assert market.able == (provider,)
        critical = Fraction(10**9)  # however high the bid
    else:
        above = market.bidding(provider, critical + HAIR)
        assert not wins(above, provider, in_every_tie=False)
        assert provider not in above.candidates()
        at = market.bidding(provider, critical)
        assert wins(at, provider, in_every_tie=False)
        assert not wins(at, provider, in_every_tie=True)
        assert provider in at.candidates()
        assert len(at.candidates()) > 1
    below = market.bidding(provider, critical - HAIR)
    assert wins(below, provider, in_every_tie=True)
    assert below.candidates() == (provider,)


@given(markets(), QUARTERS, st.data())
def test_the_critical_payment_does_not_depend_on_the_own_bid(
    market: Market, bid: Fraction, data: st.DataObject
) -> None:
    provider = data.draw(st.sampled_from(market.able))
    assert market.bidding(provider, bid).critical(provider) == market.critical(provider)


@given(markets())
def test_every_winner_is_paid_at_least_its_bid_and_at_most_the_cost_bound(market: Market) -> None:
    for winner in market.candidates():
        critical = market.critical(winner)
        payment = rules.auction_payment(critical, COST_BOUND)
        assert market.bids[winner] <= payment <= COST_BOUND
        assert payment == (COST_BOUND if critical is None else min(critical, COST_BOUND))


@given(markets())
def test_floats_decide_as_fractions_do(market: Market) -> None:
    floats = Market(market.able, tuple(map(float, market.bids)), tuple(map(float, market.radii)))  # type: ignore[arg-type]
    assert floats.candidates() == market.candidates()
    assert [floats.critical(i) for i in market.able] == [market.critical(i) for i in market.able]


@given(st.lists(st.tuples(QUARTERS, QUARTERS), max_size=6), QUARTERS)
def test_eligible_are_those_whose_upper_bound_reaches_the_threshold(
    providers: list[tuple[Fraction, Fraction]], threshold: Fraction
) -> None:
    expected = tuple(i for i, (quality, radius) in enumerate(providers) if not quality < threshold - radius)
    assert rules.eligible([q for q, _ in providers], [r for _, r in providers], threshold) == expected


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.fractions(0, 6), st.data())
def test_a_whole_target_explores_the_same_providers(counts: list[int], target: Fraction, data: st.DataObject) -> None:
    among = sorted(data.draw(st.sets(st.integers(0, len(counts) - 1))))
    explored = rules.under_sampled(among, counts, target)
    assert explored == tuple(i for i in among if not counts[i] >= target)
    assert explored == rules.under_sampled(among, counts, math.ceil(target))


@given(markets(), st.lists(st.integers(1, 3), min_size=5, max_size=5), st.integers(0, 4))
def test_an_allocation_explores_before_it_auctions(market: Market, counts: list[int], target: int) -> None:
    counts = counts[: len(market.bids)]
    allocation = rules.allocate(market.able, counts, target, market.adjusted)
    assert allocation.eligible == market.able
    poor = [i for i in market.able if counts[i] < target]
    if poor:
        assert (allocation.kind, list(allocation.candidates)) == ("exploration", poor)
    else:
        assert (allocation.kind, allocation.candidates) == ("auction", market.candidates())


@pytest.mark.parametrize("target", [0, 1, 10**9])
def test_nobody_eligible_leaves_everybody_to_draw_from(target: int) -> None:
    assert rules.allocate((), [1, 2, 3], target, [0, 0, 0]) == rules.Allocation("empty", (0, 1, 2), ())


def test_a_lone_eligible_provider_wins_at_the_cost_bound() -> None:
    allocation = rules.allocate((1,), [9, 9, 9], 0, [-5, 7, -5])
    assert allocation.candidates == (1,)
    assert rules.critical_payment(1, (1,), [-5, 7, -5], 3) is None
    assert rules.auction_payment(None, COST_BOUND) == COST_BOUND
