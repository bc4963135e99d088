"""Every named quantity and mask of a case against loops over the log that follow the paper's definitions."""

import functools
import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from bounds.formulas.identification import identification_horizon
from bounds.formulas.selection import IDENTIFICATION_BOUND
from bounds.formulas.sharp import SHARP_LEAD_BOUND
from bounds.language.formula import Formula
from bounds.setting.model import PlatformParameters, Provider, Setting
from costproof.strategies import settings
from mechanism.bidding import TruthfulBidder
from mechanism.trace import Trace
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.cases.instances import random_case
from proofs_checks.claims.model import conditions as masks
from proofs_checks.claims.model.case import COLUMNS, Case
from proofs_checks.claims.model.lead import leads
from tests.bounds.by_hand import beta
from tests.drawn import drawn
from tests.lemmas.quantities import burn_in

GROUPS = ("all", "qualified", "unqualified", "competitors")


@functools.cache
def random_settings() -> list[Setting]:
    """2 or 3 providers, two of them qualified, a unique cheapest one; a coarse radius, so that some are excluded."""
    usual = PlatformParameters(0.85, 0.9, 50.0, 1.0, 0.5, belief_slack=0.7, underbid=5.0, overbid=10.0)
    platforms = st.floats(0.2, 3.0).map(lambda scale: replace(usual, exploration_scale=scale))
    return drawn(settings(n_providers=(2, 3), assumptions=True, least_gap=0.05, platform=platforms), 25)


def random_trace(setting: Setting, length: int, rng: np.random.Generator) -> Trace:
    """Any log at all: no platform made it, providers may be missing, scores are low."""
    n, bound = setting.n_providers, setting.platform.cost_bound
    first = rng.permutation(n) if rng.random() < 0.8 else rng.integers(0, n, n)
    served = np.concatenate([first, rng.integers(0, n, length)])[:length]
    amounts = [rng.uniform(0, bound, length) for _ in range(3)]
    return Trace(served, amounts[0], rng.uniform(0, 1, length) ** 6, amounts[1], amounts[2])


class Naive:
    """The paper's definitions, one step and one provider at a time."""

    def __init__(self, setting: Setting, trace: Trace) -> None:
        self.s, self.p, self.n = setting, setting.platform, setting.n_providers
        self.rows = list(zip(*(column.tolist() for column in trace.columns().values()), strict=True))
        self.length = len(self.rows)

    def beta(self, m: int) -> float:
        return beta(m, self.n, self.p.confidence) if m else math.nan

    def history(self, t: int, i: int) -> list[tuple[Any, ...]]:
        return [row for row in self.rows[: t - 1] if row[0] == i]

    def count(self, t: int, i: int) -> int:
        return len(self.history(t, i))

    def mean(self, t: int, i: int, column: int) -> float:
        past = self.history(t, i)
        return sum(row[column] for row in past) / len(past) if past else math.nan

    def bid(self, t: int, i: int) -> float:
        past = self.history(t, i)
        return past[-1][3] if past else math.nan

    def width(self, t: int, i: int) -> float:
        return (1 + self.p.belief_slack) * self.p.cost_bound * self.beta(self.count(t, i))

    def index(self, t: int, i: int) -> float:
        return self.bid(t, i) - self.width(t, i)

    def g(self, t: int) -> float:
        return self.p.exploration_scale * (t / self.n) ** self.p.exploration_exponent

    def able(self, t: int) -> list[int]:
        if t <= self.n:
            return []
        high = [self.mean(t, i, 2) + self.beta(self.count(t, i)) for i in range(self.n)]
        return [i for i in range(self.n) if high[i] >= self.p.quality_threshold]

    def poor(self, t: int) -> list[int]:
        return [i for i in self.able(t) if self.count(t, i) < self.g(t)]

    def is_auction(self, t: int) -> bool:
        return bool(self.able(t)) and not self.poor(t)

    def critical(self, t: int, i: int) -> float:
        if i not in self.able(t):
            return math.nan
        return self.width(t, i) + min((self.index(t, j) for j in self.able(t) if j != i), default=math.inf)

    def served(self, t: int) -> int:
        return self.rows[t - 1][0]

    # Columns.

    def by_step(self, t: int) -> dict[str, float]:
        i, bound = self.served(t), self.p.cost_bound
        able = [self.index(t, j) for j in self.able(t)]
        capped = min(self.critical(t, i), bound) if i in self.able(t) else math.nan
        return {
            "step": t,
            "horizon": t,
            "payment": self.rows[t - 1][1],
            "target": math.ceil(self.g(t)),
            "winner_count": self.count(t, i),
            "count": self.count(t, i),
            "winner_cost_estimate": self.mean(t, i, 4),
            "served_cost": self.s.providers[i].mean_cost,
            "rule_payment": capped if self.is_auction(t) else bound,
            "least_adjusted_bid": min(able) if able else 0.0,
        }

    def by_provider(self, t: int, i: int) -> dict[str, float]:
        return {
            "selection_count": self.count(t, i),
            "quality_estimate": self.mean(t, i, 2),
            "cost_estimate": self.mean(t, i, 4),
            "standing_bid": self.bid(t, i),
            "adjusted_bid": self.index(t, i),
        }

    def increments(self, t: int) -> dict[str, float]:
        i, price = self.served(t), self.rows[t - 1][1]
        provider, optimal, second = self.s.providers[i], self.s.optimal, self.s.second_lowest_cost
        radius = self.beta(self.count(t, i)) if t > self.n and self.count(t, i) else 0.0
        return {
            "non_optimal_steps": i != optimal,
            "unqualified_steps": provider.quality < self.p.quality_threshold,
            "realized_quality_regret": max(self.p.quality_threshold - provider.quality, 0),
            "realized_generation_regret": max(provider.mean_cost - self.s.providers[optimal].mean_cost, 0),
            "realized_excess": max(price - second, 0),
            "realized_auction_excess": 0.0 if self.poor(t) else max(price - second, 0),
            "realized_deviation": abs(price - second),
            "all_explorations": bool(self.poor(t)),
            "realized_radius_sum": radius,
            "optimal_count": i == optimal,
        }

    def provider_increments(self, t: int, i: int) -> dict[str, float]:
        mine, poor = self.served(t) == i, self.poor(t)
        return {
            "explorations": mine and bool(poor),
            "selections": mine and t > self.n,
            "draws": i in poor,
            "draw_imbalance": mine - 1 / len(poor) if i in poor else 0.0,
        }

    def columns(self) -> dict[str, np.ndarray]:
        steps, everybody = range(1, self.length + 1), range(self.n)
        found: dict[str, np.ndarray] = {}
        for name in self.by_step(1):
            found[name] = np.array([self.by_step(t)[name] for t in steps], float)
        for name in self.by_provider(1, 0):
            found[name] = np.array([[self.by_provider(t, i)[name] for i in everybody] for t in steps], float)
        for name in self.increments(1):
            found[name] = np.array(list(itertools.accumulate(float(self.increments(t)[name]) for t in steps)))
        for name in self.provider_increments(1, 0):
            each = np.array([[float(self.provider_increments(t, i)[name]) for i in everybody] for t in steps])
            found[name] = each.cumsum(axis=0)
        found["draw_imbalance"] = np.abs(found["draw_imbalance"])
        found["critical_payment"] = np.array([[self.critical(t, i) for i in everybody] for t in steps])
        found["largest_rival_count"] = np.array(
            [max(self.count(t + 1, i) for i in everybody if i != self.s.optimal) for t in steps], float
        )
        # Feedback comes at once here; `test_checks_by_hand` has logs in which it does not.
        found["most_in_flight"] = np.zeros((self.length, self.n))
        for name in ("all", "others", "unqualified", "quality", "cost"):
            found[f"{name}_in_flight"] = np.zeros(self.length)
        found["quality"] = np.array([p.quality for p in self.s.providers])
        found["mean_cost"] = np.array([p.mean_cost for p in self.s.providers])
        return found


def drawn_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    setting = random_settings()[seed]
    length = int(rng.choice([1, setting.n_providers, setting.n_providers + 1, 45]))
    return Case(setting, random_trace(setting, length, rng), {})


@pytest.mark.for_each("seed", range(25))
def test_every_quantity_is_what_the_paper_defines(seed: int) -> None:
    case = drawn_case(seed)
    expected = Naive(case.setting, case.trace).columns()
    assert expected.keys() == COLUMNS.keys(), "a quantity without a definition here is untested"
    for name, values in expected.items():
        found = np.array(case.value(name, "all"), float)
        if name == "critical_payment":
            # Ineligible providers have none; without a rival it is infinite, shown as a cap above every bid.
            able = np.isfinite(values)
            assert (found[np.isposinf(values)] > max(case.trace.bid.max(), case.setting.platform.cost_bound)).all()
            found, values = found[able], np.minimum(values[able], found.max(initial=0.0))
        np.testing.assert_allclose(found, values, rtol=1e-9, atol=1e-12, err_msg=name)


def test_the_random_logs_reach_every_kind_of_step() -> None:
    replays = [drawn_case(seed).replay for seed in range(25)]
    for kind in ("auction", "exploration", "empty", "initialization"):
        assert sum(int(getattr(replay, kind).sum()) for replay in replays) >= 10, kind
    assert any((replay.counts[replay.config.n_providers :] == 0).any() for replay in replays)
    lone = [replay.eligible.sum(axis=1)[replay.auction] == 1 for replay in replays]
    assert any(found.any() for found in lone)


@pytest.mark.for_each(("group", "seed"), [*itertools.product(GROUPS, range(3))])
def test_groups_cut_the_provider_axis(group: Any, seed: int) -> None:
    case = drawn_case(seed)
    members = {
        "all": range(case.setting.n_providers),
        "qualified": case.setting.qualified,
        "unqualified": case.setting.unqualified,
        "competitors": case.setting.competitors,
    }[group]
    assert case.members(group) == list(members)
    np.testing.assert_array_equal(
        case.value("selection_count", group), case.replay.counts[:, list(members)].reshape(len(case.trace), -1)
    )
    assert case.value("quality", group).tolist() == [case.setting.providers[i].quality for i in members]
    assert case.value("payment", group).shape == (len(case.trace),)
    assert case.served(group).sum() == np.isin(case.trace.provider, list(members)).sum()


PLATFORM = PlatformParameters(0.5, 0.5, 2.0, 1.0, 0.5)


def two_provider_case(scores: list[float], costs: list[float] | None, quality: float = 0.5) -> Case:
    """Provider 0 serves all steps but the second."""
    served = [0, 1, *([0] * (len(scores) - 2))]
    setting = Setting("two", PLATFORM, (Provider("a", quality, 1.0), Provider("b", 0.5, 1.5)))
    ones = [1.0] * len(scores)
    return Case(setting, Trace(served, ones, scores, ones, costs), {})


def radius(m: int) -> float:
    return beta(m, 2, 0.5)


def test_bid_deviations_by_hand() -> None:
    case = two_provider_case([0.5] * 4, [1.0, 1.5, 0.5, 0.0])
    deviation, radii = case.bid_deviations
    # Bids are 1; the means after each step are 1, 1.5, 0.75, 0.5.
    assert deviation.tolist() == [0.0, -0.5, 0.25, 0.5]
    np.testing.assert_allclose(radii, [2 * radius(m) for m in (1, 1, 2, 3)], rtol=1e-12)


def test_bids_above_every_cap_do_not_bend_the_critical_payment() -> None:
    market = SmallMarket((0.1, 0.2), (1.0, 1.0), 40, PLATFORM)
    trace = market.run([TruthfulBidder(), TruthfulBidder()])
    high = Trace(trace.provider, trace.payment, trace.score, trace.bid + 1000.0, trace.cost)
    case = Case(market.setting, high, {})
    auction = case.replay.auction
    np.testing.assert_allclose(
        case.value("critical_payment", "all")[auction], case.replay.critical_payments[auction], rtol=1e-12
    )


def passes_burn_in(case: Case) -> bool:
    return (
        not case.setting.unmet_assumptions and bool(case.setting.unqualified) and bool(masks.late_auctions(case).any())
    )


LATE = next(case for instance in range(0, 200, 4) if passes_burn_in(case := random_case(0, instance)))
CASES = [LATE, random_case(0, 3), random_case(0, 8), random_case(0, 15)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.setting.name)
class TestSteps:
    def test_by_the_clock(self, case: Case) -> None:
        n, length = case.setting.n_providers, len(case.trace)
        expected = {
            masks.every_step: [True] * length,
            masks.after_initialization: [t > n for t in range(1, length + 1)],
            masks.horizons: [t >= n for t in range(1, length + 1)],
            masks.horizons_after_initialization: [t > n for t in range(1, length + 1)],
            masks.last_step: [t == length for t in range(1, length + 1)],
            masks.logged_auctions: [
                t > n and price < case.setting.platform.cost_bound for t, price in enumerate(case.trace.payment, 1)
            ],
        }
        for mask, flags in expected.items():
            assert mask(case).tolist() == flags, mask.__name__

    def test_every_step_is_of_one_kind(self, case: Case) -> None:
        kinds = [masks.auctions(case), masks.explorations(case), case.replay.initialization, case.replay.empty]
        assert (np.sum(kinds, axis=0) == 1).all()

    def test_late_steps(self, case: Case) -> None:
        start, steps = burn_in(case.setting), range(1, len(case.trace) + 1)
        assert masks.late_horizons(case).tolist() == [t >= start for t in steps]
        auctions = masks.auctions(case)
        assert masks.late_auctions(case).tolist() == [t > start and bool(auctions[t - 1]) for t in steps]

    @pytest.mark.for_each("group", ["all", "qualified", "unqualified", "competitors"])
    def test_by_provider(self, case: Case, group: masks.Group) -> None:
        served, able, members = case.trace.provider.tolist(), case.replay.eligible, case.members(group)
        auctions = masks.auctions(case)
        expected = {
            masks.each_provider(masks.auctions, group): lambda t, i: auctions[t],
            masks.served_at(masks.auctions, group): lambda t, i: auctions[t] and served[t] == i,
            masks.eligible_at(masks.auctions, group): lambda t, i: auctions[t] and able[t, i],
        }
        for mask, holds in expected.items():
            flags = mask(case)
            assert flags.shape == (len(served), len(members))
            assert all(flags[t, g] == holds(t, i) for t in range(len(served)) for g, i in enumerate(members))

    def test_losers(self, case: Case) -> None:
        served, able = case.trace.provider.tolist(), case.replay.eligible
        flags, auctions = masks.losers_at(masks.auctions)(case), masks.auctions(case)
        for t, i in np.ndindex(*flags.shape):
            assert flags[t, i] == (auctions[t] and able[t, i] and served[t] != i)


def test_a_horizon_equal_to_the_burn_in_is_late_and_an_auction_there_is_not() -> None:
    # All are qualified and k = 1/2: T_0 = N (1/k)^(1/alpha) = 8 exactly, and g(t) <= 1 until then.
    market = SmallMarket((0.1, 0.2), (1.0, 1.0), 9, PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5))
    case = Case(market.setting, market.run([TruthfulBidder(), TruthfulBidder()]), {})
    assert burn_in(case.setting) == 8
    assert masks.auctions(case)[2:].all()
    assert masks.late_horizons(case).tolist() == [False] * 7 + [True] * 2
    assert masks.late_auctions(case).tolist() == [False] * 8 + [True]


@pytest.mark.for_each(("bound", "twice"), [(IDENTIFICATION_BOUND, True), (SHARP_LEAD_BOUND, False)])
def test_the_lead_is_compared_from_the_identification_horizon_on(bound: Formula, twice: bool) -> None:
    reached = 0
    for instance in range(0, 60, 3):
        case = random_case(0, instance)
        if case.setting.unmet_assumptions:
            continue
        horizon = identification_horizon(case.truthful_constants, bound, twice)
        expected = [horizon is not None and t >= horizon for t in range(1, len(case.trace) + 1)]
        leading = leads(bound, "the lead", "T_id", twice=twice, truthful=True)
        assert leading.on(case).tolist() == expected
        reached += any(expected)
    assert reached >= 2
