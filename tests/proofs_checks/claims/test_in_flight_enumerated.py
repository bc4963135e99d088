"""Late feedback by brute force: every draw, every tie and every schedule of arrivals of markets of a few queries.

Nothing here is the product's. Radii are whole hundredths that shrink fast, so that caps are small enough to be reached
within a few queries; running means lie at the edges of their bands, on the side that serves the wrong provider; and the
bounds are the arguments of `proofs_checks.claims.model.in_flight`, with the caps that these
radii have and with the sum of the radii itself in place of S_T.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

pytestmark = pytest.mark.long("enumerates schedules")

#: r(m) in hundredths; of nothing it is infinite, and stands for no more than c_max = 1.
RADII = (10**6, 40, 25, 15, 8, 4, 2, 1, 1, 1, 1, 1)
C_MAX = 100
THRESHOLD = 100


@dataclass(frozen=True)
class Market:
    """Qualities and mean costs in hundredths, on which side of them the running means lie, and ceil(g)."""

    qualities: tuple[int, ...]
    costs: tuple[int, ...]
    cost_sides: tuple[int, ...]
    goal: int

    @property
    def n(self) -> int:
        return len(self.costs)

    @property
    def optimal(self) -> int:
        return min((c, i) for i, c in enumerate(self.costs) if self.qualities[i] >= THRESHOLD)[1]

    @property
    def second(self) -> int:
        return sorted(c for i, c in enumerate(self.costs) if self.qualities[i] >= THRESHOLD)[1]

    def eligible(self, i: int, m: int) -> bool:
        # The qualified score low, the unqualified high.
        edge = 1 if self.qualities[i] < THRESHOLD else -1
        return m == 0 or self.qualities[i] + edge * RADII[m] + RADII[m] >= THRESHOLD

    def bid(self, i: int, m: int) -> int:
        return min(max(self.costs[i] + self.cost_sides[i] * RADII[m], 0), C_MAX)

    def index(self, i: int, m: int) -> int:
        return self.bid(i, m) - RADII[m]

    def shortfall(self, i: int) -> int:
        return max(THRESHOLD - self.qualities[i], 0)

    def excess_cost(self, i: int) -> int:
        return max(self.costs[i] - self.costs[self.optimal], 0)

    def cap(self, i: int) -> int:
        """The largest count of what has arrived at which i other than i* may be served."""
        gap = self.shortfall(i) or self.excess_cost(i)
        last = max((m for m in range(1, len(RADII)) if gap <= 2 * RADII[m]), default=0)
        return last if self.shortfall(i) else max(last, self.goal - 1)


@dataclass(frozen=True)
class Played:
    """A run so far: arrived and assigned queries of each, most in flight, and what the paper sums."""

    arrived: tuple[int, ...]
    assigned: tuple[int, ...]
    most: tuple[int, ...]
    explored: tuple[int, ...]
    lost: int = 0
    dear: int = 0
    excess: int = 0
    radii: int = 0

    @property
    def after_start(self) -> tuple[int, ...]:
        return tuple(a - 1 for a in self.assigned)


def start(market: Market) -> Played:
    nothing, one = (0,) * market.n, (1,) * market.n
    return Played(
        arrived=nothing,
        assigned=one,
        most=nothing,
        explored=nothing,
        lost=sum(map(market.shortfall, range(market.n))),
        dear=sum(map(market.excess_cost, range(market.n))),
        excess=market.n * (C_MAX - market.second),
    )


def answers(market: Market, m: tuple[int, ...]) -> Iterator[tuple[int, int, bool]]:
    """Everything that the rules allow on what has arrived: who serves, for what payment, and whether it explores."""
    able = [i for i in range(market.n) if market.eligible(i, m[i])]
    poor = [i for i in able if m[i] < market.goal]
    if poor:
        yield from ((i, C_MAX, True) for i in poor)
        return
    least = min(market.index(i, m[i]) for i in able)
    for i in able:
        if market.index(i, m[i]) == least:
            rivals = [market.index(j, m[j]) for j in able if j != i]
            yield i, min([C_MAX, *(RADII[m[i]] + rival for rival in rivals)]), False


def put(values: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    return (*values[:i], value, *values[i + 1 :])


def runs(market: Market, so_far: Played, more: int) -> Iterator[Played]:
    """Every run with so many queries more, and all that lie on the way to it."""
    yield so_far
    if not more:
        return
    for m in itertools.product(*(range(a, b + 1) for a, b in zip(so_far.arrived, so_far.assigned, strict=True))):
        for i, payment, explores in answers(market, m):
            flying = so_far.assigned[i] - m[i]
            after = replace(
                so_far,
                arrived=m,
                assigned=put(so_far.assigned, i, so_far.assigned[i] + 1),
                most=put(so_far.most, i, max(so_far.most[i], flying)),
                explored=put(so_far.explored, i, so_far.explored[i] + explores),
                lost=so_far.lost + market.shortfall(i),
                dear=so_far.dear + market.excess_cost(i),
                excess=so_far.excess + max(payment - market.second, 0),
                radii=so_far.radii + RADII[max(m[i], 1)],
            )
            yield from runs(market, after, more - 1)


#: From a market, a run and d_i to pairs of what was realized and its bound.
Bounds = dict[str, tuple[int, int]]


def bounds(market: Market, run: Played, d: tuple[int, ...]) -> Bounds:
    everybody, best = range(market.n), market.optimal
    others = [i for i in everybody if i != best]
    bad = [i for i in everybody if market.shortfall(i)]
    horizon = sum(run.assigned)
    needed = sum(market.cap(i) + d[i] for i in others)
    sums = sum(sum(RADII[1 : count + 1]) for count in run.after_start)
    explored = market.goal - 1
    found = {f"count {i}": (run.after_start[i], market.cap(i) + d[i]) for i in others}
    found |= {f"explored {i}": (run.explored[i], explored + d[i]) for i in everybody}
    return found | {
        "missed": (sum(run.assigned[i] for i in others), market.n - 1 + needed),
        "lead": (max(run.assigned[i] for i in others) + horizon, run.assigned[best] + market.n + 2 * needed),
        "unqualified": (sum(run.assigned[i] for i in bad), sum(market.cap(i) + 1 + d[i] for i in bad)),
        "quality, any gaps": (run.lost, 100 * market.n + 100 * sum(d[i] for i in bad) + 2 * sums),
        "quality": (run.lost, sum((market.cap(i) + 1 + d[i]) * market.shortfall(i) for i in bad)),
        "cost, any gaps": (
            run.dear,
            (market.n - 1) * (explored + 1) * C_MAX + C_MAX * sum(d[i] for i in others) + 2 * sums,
        ),
        "cost": (run.dear, sum((market.cap(i) + 1 + d[i]) * market.excess_cost(i) for i in others)),
        "excess": (run.excess, (market.n * (explored + 1) + sum(d)) * (C_MAX - market.second) + sums),
        "radii": (run.radii, RADII[1] * sum(d) + sums),
    }


MARKETS = {
    "a competitor looks cheap": (Market((100, 100), (20, 50), (1, -1), 1), 6),
    "both are explored": (Market((100, 100), (0, 90), (1, -1), 3), 5),
    "equal indices": (Market((100, 100), (20, 60), (1, -1), 2), 6),
    "an unqualified one looks good": (Market((100, 100, 50), (10, 60, 0), (1, -1, -1), 1), 4),
    "an unqualified one is explored": (Market((100, 100, 20), (0, 30, 90), (1, -1, -1), 2), 3),
}


@pytest.mark.for_each("name", MARKETS)
def test_no_schedule_of_arrivals_breaks_a_bound(name: str) -> None:
    market, more = MARKETS[name]
    seen = 0
    for run in runs(market, start(market), more):
        broken = {what: pair for what, pair in bounds(market, run, run.most).items() if pair[0] > pair[1]}
        assert not broken, (broken, run)
        seen += 1
    assert seen > 1_000


def broken_by(change: Callable[[Played], tuple[int, ...]]) -> set[str]:
    """The bounds that some run breaks with other d_i."""
    return {
        what.split(" ")[0] if what[-1].isdigit() else what
        for market, more in MARKETS.values()
        for run in runs(market, start(market), more)
        for what, (realized, bound) in bounds(market, run, change(run)).items()
        if realized > bound
    }


def test_one_query_in_flight_less_is_refuted() -> None:
    """d_i is all that is needed, and no less; only for any gaps the bounds leave that much room on so few queries."""
    found = broken_by(lambda run: tuple(max(d - 1, 0) for d in run.most))
    assert found == {"count", "explored", "missed", "lead", "unqualified", "quality", "cost", "excess", "radii"}
