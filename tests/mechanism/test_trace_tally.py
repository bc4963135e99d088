"""Totals of a trace against loops over its rows, which decide themselves who was eligible and what was explored."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings as hypothesis_settings

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
from mechanism.policies import POLICIES, Policy
from mechanism.trace import Trace
from tests.mechanism.named_episodes import NAMED
from tests.mechanism.random_episodes import COUNTS, Episode, episodes, tally_differences

P, R = ProviderField, RunField


@dataclass
class Loop:
    """Totals, one row of the trace at a time."""

    setting: Setting
    policy: Policy
    by_provider: np.ndarray = field(init=False)
    overall: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        n = self.setting.n_providers
        self.by_provider, self.overall = np.zeros((len(P), n)), np.zeros(len(R))
        self.scores: list[list[float]] = [[] for _ in range(n)]
        self.costs: list[list[float]] = [[] for _ in range(n)]
        self.bids = [math.nan] * n

    def radius(self, m: int) -> float:
        n, delta = self.setting.n_providers, self.setting.platform.confidence
        return math.sqrt(math.log(2 * math.pi**2 * n * m**2 / (3 * delta)) / (2 * m))

    def target(self, step: int) -> float:
        platform = self.setting.platform
        return platform.exploration_scale * (step / self.setting.n_providers) ** platform.exploration_exponent

    def eligible(self) -> list[int]:
        """Return who may serve after initialization."""
        threshold = self.setting.platform.quality_threshold
        estimates = [sum(s) / len(s) + self.radius(len(s)) for s in self.scores]
        return [i for i, estimate in enumerate(estimates) if not self.policy.screens or estimate >= threshold]

    def kind(self, step: int, able: list[int]) -> str:
        if step <= self.setting.n_providers:
            return "initialization"
        if not able:
            return "empty"
        poor = any(len(self.scores[i]) < self.target(step) - 1e-9 for i in able)
        return "exploration" if self.policy.explores and poor else "auction"

    def take(self, step: int, i: int, payment: float, score: float, bid: float, cost: float) -> None:
        n, second = self.setting.n_providers, self.setting.second_lowest_cost
        able = list(range(n)) if step <= n else self.eligible()
        kind = self.kind(step, able)
        excess = 0.0 if second is None else max(payment - second, 0.0)
        mine, run = self.by_provider, self.overall
        mine[P.SELECTIONS, i] += 1
        mine[P.SCORE, i] += score
        mine[P.COST, i] += cost
        mine[P.PAYMENT, i] += payment
        mine[P.LAST_SELECTION, i] = step
        if kind == "exploration":
            mine[P.EXPLORATIONS, i] += 1
            run[R.EXPLORATION_COST] += cost
            run[R.EXPLORATION_EXCESS] += excess
        elif kind == "initialization":
            run[R.INITIALIZATION_EXCESS] += excess
        else:
            mine[P.ORDINARY, i] += 1
            mine[P.ORDINARY_PAYMENT, i] += payment
            run[R.ORDINARY_EXCESS] += excess
            run[R.WINNING_BIDS] += self.bids[i]
        run[R.ELIGIBLE] = len(able)
        bound = self.setting.platform.cost_bound
        provider = self.setting.providers[i]
        if kind == "auction" and self.policy.auctions:
            width = bound * self.radius(len(self.scores[i])) * (1 + 1e-12)
            above = second is not None and payment > second + width
            run[R.PAYMENT_VIOLATIONS] += above or payment < provider.mean_cost - width
        self.scores[i].append(score)
        self.costs[i].append(cost)
        self.bids[i] = bid
        m = len(self.scores[i])
        band = self.radius(m) * (1 + 1e-12)
        quality_error = abs(sum(self.scores[i]) / m - provider.quality)
        cost_error = abs(sum(self.costs[i]) / m - provider.mean_cost)
        run[R.BAND_VIOLATIONS] += quality_error > band or cost_error > bound * band


def looped(setting: Setting, trace: Trace, checkpoints: list[int], policy: Policy) -> Tally:
    loop, kept = Loop(setting, policy), []
    for step, row in enumerate(zip(*(c.tolist() for c in trace.columns().values()), strict=True), 1):
        loop.take(step, *row)
        if step in checkpoints:
            kept.append((loop.by_provider.copy(), loop.overall.copy()))
    by_provider, overall = zip(*kept, strict=True)
    return Tally(tuple(checkpoints), np.array(by_provider), np.array(overall))


@pytest.mark.for_each("name", [name for name in NAMED if name not in ("many", "seventy")])
def test_totals_are_those_of_a_loop_over_the_rows(name: str) -> None:
    one = NAMED[name]
    trace, policy = one.plain().head(min(one.horizon, 500)), POLICIES[one.policy]
    checkpoints = sorted({*range(1, min(len(trace), 20)), *range(20, len(trace), 31), len(trace)})
    expected = looped(one.setting, trace, checkpoints, policy)
    assert tally_differences(expected, tally_of(one.setting, trace, checkpoints, policy)) == []


@hypothesis_settings(max_examples=25)
@given(episodes(longest=200))
def test_checkpoints_are_the_totals_of_the_trace_that_ends_there(episode: Episode) -> None:
    trace, policy = episode.plain(), POLICIES[episode.policy]
    found = tally_of(episode.setting, trace, episode.checkpoints, policy)
    for row, step in enumerate(found.steps):
        alone = tally_of(episode.setting, trace.head(step), policy=policy)
        kept = Tally((step,), found.by_provider[row : row + 1], found.overall[row : row + 1])
        assert tally_differences(alone, kept) == []


def strayed(**columns: list[float]) -> Tally:
    """The tally of a hand-made trace of two providers that cost 2 and 4 and score 0.5, with narrow bands."""
    platform = NAMED["usual"].setting.platform
    providers = tuple(
        type(p)(p.name, 0.5, cost / 10) for p, cost in zip(NAMED["usual"].setting.providers, (2.0, 4.0), strict=False)
    )
    setting = Setting("two", type(platform)(0.0, 0.9, 1.0, 1e-9, 0.5), providers)
    steps = len(columns["score"])
    rows = {"provider": [0, 1] + [0] * (steps - 2), "payment": [1.0] * steps, "bid": [0.2] * steps, "cost": [0.2, 0.4]}
    rows["cost"] += [0.2] * (steps - 2)
    return tally_of(setting, Trace(**(rows | columns)))


def test_violations_are_counted_where_they_happen() -> None:
    """300 scores that alternate stay in their band; 300 ones leave it as soon as it is narrower than a half."""
    fair = [0.5, 0.5] + [0.0, 1.0] * 150
    assert strayed(score=fair).run(R.BAND_VIOLATIONS) == 0
    narrow = next(m for m in range(1, 300) if Loop(NAMED["ties"].setting, POLICIES["platform"]).radius(m) < 0.5)
    strays = strayed(score=[1.0, 0.5] + [1.0] * 300).run(R.BAND_VIOLATIONS)
    assert abs(strays - (301 - narrow)) < 12  # the other market has other providers, so a slightly other radius
    assert strayed(score=fair, cost=[0.2, 0.4] + [1.0] * 300).run(R.BAND_VIOLATIONS) > 250
    dear = strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 299 + [1.0])
    assert dear.run(R.PAYMENT_VIOLATIONS) == 1
    cheap = strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 299 + [0.0])
    assert cheap.run(R.PAYMENT_VIOLATIONS) == 1
    assert strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 300).run(R.PAYMENT_VIOLATIONS) == 0


def test_a_trace_without_costs_is_refused() -> None:
    one = NAMED["usual"]
    trace = one.plain()
    bare = Trace(trace.provider, trace.payment, trace.score, trace.bid)
    with pytest.raises(InputError, match=r"^cost=None is missing"):
        tally_of(one.setting, bare)


@pytest.mark.for_each("checkpoints", [[0], [-1], [601], [5, 10**6]])
def test_checkpoints_outside_the_trace_are_refused(checkpoints: list[int]) -> None:
    one = NAMED["usual"]
    with pytest.raises(InputError, match=r"^checkpoints=.* must lie in 1\.\.600"):
        tally_of(one.setting, one.plain(), checkpoints)


def test_all_fields_are_compared() -> None:
    """`tally_differences` sees a change of any field."""
    one = NAMED["usual"]
    tally = tally_of(one.setting, one.plain())
    assert tally_differences(tally, tally) == []
    for place, name in [(p, p.name) for p in P]:
        other = Tally(tally.steps, tally.by_provider.copy(), tally.overall)
        other.by_provider[0, place, 1] += 1
        assert tally_differences(tally, other) == [name]
    for place, name in [(r, r.name) for r in R]:
        other = Tally(tally.steps, tally.by_provider, tally.overall.copy())
        other.overall[0, place] += 1
        assert tally_differences(tally, other) == [name]
    assert set(COUNTS[0]) < set(P)
    assert set(COUNTS[1]) < set(R)
