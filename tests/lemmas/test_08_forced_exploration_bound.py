"""lem:forced-exploration-bound. Each provider is explored fewer than g(T) times.

Let g be non-decreasing and T > N. If provider i serves an exploration step t <= T, then m_{i,t} < g(t) <= g(T). So i
serves at most ceil(g(T)) - 1 exploration steps, and all providers at most N (ceil(g(T)) - 1).

The counts need g(T) > 0, which the paper does not say: with g = -1/2 nobody is explored, and 0 > -1. It is so for
g(t) = k (t/N)^alpha.
"""

import math
from collections import Counter

from hypothesis import given, strategies as st

from costproof.strategies import settings, traces
from costproof.testing import Played
from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions
from tests.lemmas.quantities import target
from tests.lemmas.steps import steps


def most(g: float) -> int:
    return math.ceil(g) - 1  # wrong: - 1 -> - 2


@given(st.lists(st.floats(-2, 9), min_size=1).map(sorted), st.integers(2, 4), st.data())
def test_holds_for_any_target(g: list[float], n: int, data: st.DataObject) -> None:
    counts, explorations = [1] * n, [0] * n
    for goal in g:
        poor = [i for i in range(n) if counts[i] < goal]
        served = data.draw(st.sampled_from(poor or range(n)))
        explorations[served] += bool(poor)
        counts[served] += 1
    if g[-1] > 0:  # wrong: > 0 -> > -3
        assert max(explorations) <= most(g[-1])
        assert sum(explorations) <= n * most(g[-1])


@given(traces(settings(), bidding=None))
def test_holds_for_the_platform(played: Played) -> None:
    explorations: Counter[int] = Counter()
    for step in steps(played):
        if step.kind == "exploration":
            explorations[step.served] += 1
            g = target(played.setting, step.t) * (1 + 1e-12)
            assert step.counts[step.served] < g
            assert explorations[step.served] <= most(g)


def test_is_tight() -> None:
    """The competitor serves nothing but its explorations, as i* is far cheaper."""
    case = cheapest_auctions(Slacks(), scale=20, horizon=1000)
    explorations = Counter(step.served for step in steps(case) if step.kind == "exploration")
    assert explorations[1] == most(target(case.setting, 1000)) > 20
