"""Numbers on the screen beside the right sides of the theorems in Coq, typed from their text; none come from `bounds`.

Of the paper's own labels: a name here is that of the definition or section in `theories/` that it transcribes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings, strategies as st
from mpmath import inf, mpf

from bounds.formulas.belief import LAST_UNWIDENED_WIN, UNWIDENED_TARGET_AT_WIN
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.information import information_counts
from tests.bounds.by_hand import EASY, setting_of

_DIGITS = 50
_RELATIVE = mpf("1e-9")

#: The constants of the theorems by where they stand: a test moves each of them.
CONSTANTS: Mapping[str, float] = {
    "selection_bound outside": 4,
    "selection_bound within": 57,
    "radius within": 2,
    "radius_sum_bound": 2,
    "quality, radius sums": 2,
    "generation, radius sums": 2,
    "generation, providers left out": 1,
    "selections before": 1,
    "explorations left out": 1,
    "deviation, radii": 6,
    "deviation, exponent": 2,
    "T_id, times B_id": 2,
}

Side = Callable[["Market"], Any]


def ceiling(x: mpf) -> int:
    """Return the least whole number that is no less."""
    return int(mpmath.ceil(x))


@dataclass(frozen=True, kw_only=True)
class Market:
    """What the theorems speak of, with numbers as precise as one likes."""

    delta: mpf
    cmax: mpf
    qmin: mpf
    k: mpf
    alpha: mpf
    gamma: mpf
    d_minus: mpf
    d_plus: mpf
    quality: tuple[mpf, ...]
    cost: tuple[mpf, ...]
    horizon: int
    constants: Mapping[str, float]

    @classmethod
    def of(cls, setting: Setting, horizon: int, constants: Mapping[str, float] = CONSTANTS) -> Market:
        platform = setting.platform
        return cls(
            delta=mpf(platform.confidence),
            cmax=mpf(platform.cost_bound),
            qmin=mpf(platform.quality_threshold),
            k=mpf(platform.exploration_scale),
            alpha=mpf(platform.exploration_exponent),
            gamma=mpf(platform.belief_slack),
            d_minus=mpf(platform.underbid),
            d_plus=mpf(platform.overbid),
            quality=tuple(mpf(each.quality) for each in setting.providers),
            cost=tuple(mpf(each.mean_cost) for each in setting.providers),
            horizon=horizon,
            constants=constants,
        )

    @property
    def n(self) -> int:
        return len(self.cost)

    @property
    def everybody(self) -> range:
        return range(self.n)

    @property
    def best(self) -> int:
        return min((i for i in self.everybody if self.qmin <= self.quality[i]), key=lambda i: self.cost[i])

    @property
    def competitors(self) -> list[int]:
        return [i for i in self.everybody if self.qmin <= self.quality[i] and i != self.best]

    @property
    def unqualified(self) -> list[int]:
        return [i for i in self.everybody if self.quality[i] < self.qmin]

    @property
    def c2(self) -> mpf:
        return min(self.cost[i] for i in self.competitors)

    def gap(self, i: int) -> mpf:
        return self.cost[i] - self.cost[self.best]

    def log(self, squared: mpf) -> mpf:
        """ln (2 pi^2 N x / (3 delta)) of a squared count x."""
        return mpmath.log(self.constants["radius within"] * mpmath.pi**2 * self.n * squared / (3 * self.delta))

    def beta(self, count: int) -> mpf:
        return mpmath.sqrt(self.log(mpf(count) ** 2) / (2 * count))

    def selection_bound(self, x: mpf) -> int:
        within = self.constants["selection_bound within"] * self.n / (self.delta * x**4)
        return ceiling(self.constants["selection_bound outside"] / x**2 * mpmath.log(within))

    def target(self, t: int) -> mpf:
        return self.k * (mpf(t) / self.n) ** self.alpha

    def explored(self, t: int) -> int:
        return ceiling(self.target(t)) - int(self.constants["explorations left out"])

    def elimination_bound(self, i: int) -> int:
        return self.selection_bound(self.qmin - self.quality[i])

    def ordinary_bound(self, i: int) -> int:
        return self.selection_bound((self.gap(i) - self.d_minus - self.d_plus) / ((1 + self.gamma) * self.cmax))

    def identification_bound(self, t: int) -> int:
        return sum(map(self.elimination_bound, self.unqualified)) + sum(
            max(self.ordinary_bound(i), self.explored(t)) for i in self.competitors
        )

    @property
    def radius_sum_bound(self) -> mpf:
        t = mpf(self.horizon)
        return mpmath.sqrt(self.constants["radius_sum_bound"] * self.n * (t - self.n) * self.log(t**2))

    @property
    def burn_in(self) -> mpf:
        largest = max([1, *map(self.elimination_bound, self.unqualified)])
        return self.n * max(mpf(1), (largest / self.k) ** (1 / self.alpha))


def selection_of_each(market: Market) -> list[int | None]:
    """lem:unqualified-elimination, lem:ordinary-selection-threshold."""
    return [
        None
        if i == market.best
        else market.elimination_bound(i)
        if i in market.unqualified
        else market.ordinary_bound(i)
        for i in market.everybody
    ]


def cap_of_each(market: Market) -> list[int | None]:
    """lem:unqualified-elimination, lem:qualified-suboptimal-selection."""
    explored = market.explored(market.horizon)
    bounds = selection_of_each(market)
    return [
        max(bound, explored) if i in market.competitors and bound is not None else bound
        for i, bound in enumerate(bounds)
    ]


def identification_horizon(market: Market) -> int:
    """claim:T_id:repaired: the least T_id such that T > N + 2 B_id(T) for every T >= T_id."""

    def needed(t: int) -> int:
        return market.n + int(market.constants["T_id, times B_id"]) * market.identification_bound(t)

    late = 2
    while late <= market.n + 2 * (
        market.identification_bound(late) + len(market.competitors) * (ceiling(market.target(late)) + 1)
    ):
        late *= 2
    # No T from needed(late) + 1 up to late fails, since needed never falls.
    while late > needed(late):
        late = needed(late)
    return late + 1


def main_text_horizon(market: Market) -> int:
    """claim:T_id: the least T with T > N + 2 B_id(T), B_id being that of thm:sample-complexity."""

    def leads(t: int) -> bool:
        return bool(t > market.n + market.constants["T_id, times B_id"] * main_text(replace(market, horizon=t)))

    early, late = 0, 1
    while not leads(late):
        early, late = late, 2 * late
    while late - early > 1:
        middle = (early + late) // 2
        early, late = (early, middle) if leads(middle) else (middle, late)
    return late


def main_text(market: Market) -> mpf:
    """thm:sample-complexity without the N - 1 steps of initialization."""
    of_competitors = [max(mpf(market.ordinary_bound(i)), market.target(market.horizon)) for i in market.competitors]
    return sum(map(market.elimination_bound, market.unqualified)) + sum(of_competitors, mpf(0))


def quality_anytime(market: Market) -> mpf:
    return market.n + market.constants["quality, radius sums"] * market.radius_sum_bound


def quality_by_gap(market: Market) -> mpf:
    before = int(market.constants["selections before"])
    return sum(
        ((market.elimination_bound(i) + before) * (market.qmin - market.quality[i]) for i in market.unqualified), mpf(0)
    )


def generation_anytime(market: Market) -> mpf:
    """thm:deviation-generation-regret:anytime; with the slack gamma in claim:summary-appC."""
    t, others = market.horizon, market.n - int(market.constants["generation, providers left out"])
    radii = market.constants["generation, radius sums"] * (1 + market.gamma) * market.cmax * market.radius_sum_bound
    deviating = (market.d_minus + market.d_plus) * (t - market.n)
    return others * ceiling(market.target(t)) * market.cmax + radii + deviating


def generation_by_gap(market: Market) -> mpf:
    before, explored = int(market.constants["selections before"]), market.explored(market.horizon)
    dear = sum(
        ((market.elimination_bound(i) + before) * max(mpf(0), market.gap(i)) for i in market.unqualified), mpf(0)
    )
    return dear + sum((max(market.ordinary_bound(i), explored) + before) * market.gap(i) for i in market.competitors)


def excess_payment(market: Market) -> mpf:
    """thm:excess-payment-general; with gamma and d_+ in Statements.v."""
    t, dear = market.horizon, market.cmax - market.c2
    radii = (1 + market.gamma) * market.cmax * market.radius_sum_bound
    return (market.n + market.n * market.explored(t)) * dear + radii + market.d_plus * (t - market.n)


def excess_of_auctions(market: Market) -> mpf:
    """excess_payment_of_auctions_alone of Statements.v."""
    radii = (1 + market.gamma) * market.cmax * market.radius_sum_bound
    return market.n * (market.cmax - market.c2) + radii + market.d_plus * (market.horizon - market.n)


def excess_per_step(market: Market) -> mpf:
    """cor:excess-payment-polynomial; with d_+ in thm:deviation-payment-convergence."""
    t, n = mpf(market.horizon), market.n
    exploring = (n / t + market.k * (n / t) ** (1 - market.alpha)) * (market.cmax - market.c2)
    radii = (1 + market.gamma) * market.cmax * mpmath.sqrt(2 * n / t * market.log(t**2))
    return exploring + radii + market.d_plus


def deviation_per_step(market: Market) -> mpf | None:
    """thm:regret, thm:payment-convergence, thm:deviation-payment-convergence.

    Below T_0 the logarithm may be negative. Coq's root is 0 there; the paper's has no value, and nothing is printed.
    """
    t, n, alpha = mpf(market.horizon), market.n, market.alpha
    inside = (n / t) ** alpha / (2 * market.k) * market.log(market.k**2 * (t / n) ** (2 * alpha))
    if inside < 0:
        return None
    radii = market.constants["deviation, radii"] * (1 + market.gamma) * market.cmax
    last = radii / (market.constants["deviation, exponent"] - alpha) * mpmath.sqrt(inside)
    exploring = market.k * (n / t) ** (1 - alpha) * (market.cmax - market.c2)
    return market.burn_in / t * market.cmax + exploring + last + max(market.d_minus, market.d_plus)


#: The theorem's right side for each number, by the keys under which `costproof bounds --json` prints it.
SIDES: Mapping[str, Side] = {
    "providers.selection_bound": selection_of_each,
    "providers.selection_cap": cap_of_each,
    "sum_quality_selection_bounds": lambda market: sum(map(market.elimination_bound, market.unqualified)),
    "sum_cost_selection_bounds": lambda market: sum(map(market.ordinary_bound, market.competitors)),
    "exploration_cap": lambda market: market.explored(market.horizon),
    "exploration_steps_bound": lambda market: market.n * market.explored(market.horizon),
    "identification_bound": lambda market: market.identification_bound(market.horizon),
    "identification.value": lambda market: market.identification_bound(market.horizon),
    "identification_horizon": identification_horizon,
    "main_text.identification_bound": main_text,
    "main_text.identification_horizon": main_text_horizon,
    "burn_in": lambda market: market.burn_in,
    "bounds.quality_regret.anytime": quality_anytime,
    "bounds.quality_regret.gap_dependent": quality_by_gap,
    "bounds.quality_regret.value": lambda market: min(quality_anytime(market), quality_by_gap(market)),
    "bounds.generation_regret.anytime": generation_anytime,
    "bounds.generation_regret.gap_dependent": generation_by_gap,
    "bounds.generation_regret.value": lambda market: min(generation_anytime(market), generation_by_gap(market)),
    "bounds.excess_payment.value": excess_payment,
    "bounds.excess_payment.without_exploration": excess_of_auctions,
    "bounds.excess_payment.average_polynomial": excess_per_step,
    "bounds.average_payment_deviation.value": deviation_per_step,
}


#: Settings and horizons: the paper's, and some at the edges of what the theorems assume.
CASES: Mapping[str, tuple[Setting, int]] = {
    **{name: (published(name).setting, 70_000) for name in PUBLISHED_NAMES},
    "two providers": (setting_of([(0.9, 0.25), (0.6, 0.75)], confidence=0.9, exploration_exponent=0.5), 100),
    "all qualify, beliefs and deviations": (
        setting_of([(0.9, 0.2), (0.7, 0.5), (0.5, 0.9)], belief_slack=0.5, underbid=0.0625, overbid=0.125),
        1_000_003,
    ),
    "a cheap unqualified provider": (
        setting_of([(0.4, 0.0), (0.8, 0.3), (0.9, 0.55), (0.1, 1.0)], cost_bound=1.5),
        33_333,
    ),
    "qualities 0 and 1": (setting_of([(0.0, 0.1), (1.0, 0.4), (1.0, 0.5)], quality_threshold=1.0), 4_096),
    "hardly any exploration, just above N": (
        setting_of([(0.8, 0.1), (0.7, 0.4), (0.2, 0.6)], exploration_scale=1e-3, exploration_exponent=0.1),
        4,
    ),
}


def printed(data: Mapping[str, Any], key: str) -> Any:
    """Return what the report prints under a key; of `providers`, that of each."""
    first, _, rest = key.partition(".")
    if first == "providers":
        return [each[rest] for each in data[first]]
    return printed(data[first], rest) if rest else data[first]


def same(shown: Any, proved: Any) -> bool:
    """Return whether two numbers, or lists of numbers, agree: whole ones exactly."""
    if isinstance(proved, list):
        return len(shown) == len(proved) and all(map(same, shown, proved))
    if proved is None or isinstance(proved, int):
        return bool(shown == proved)
    return shown is not None and bool(abs(mpf(shown) - proved) <= _RELATIVE * max(1, abs(proved)))


def differences(
    setting: Setting, horizon: int, constants: Mapping[str, float] = CONSTANTS, *, keys: Iterable[str] = SIDES
) -> Iterator[str]:
    """Yield the keys of the numbers that differ from the right side of their theorem."""
    data = report_of(setting, horizon)
    with mpmath.workdps(_DIGITS):
        market = Market.of(setting, horizon, constants)
        for key in keys:
            if not same(printed(data, key), SIDES[key](market)):
                yield key


@functools.cache
def report_of(setting: Setting, horizon: int) -> Mapping[str, Any]:
    return evaluate_bounds(setting, horizon).to_data()


@pytest.mark.parametrize("name", CASES)
def test_what_is_printed_is_what_is_proved(name: str) -> None:
    assert list(differences(*CASES[name])) == []


@settings(deadline=None, max_examples=15)
@given(EASY, st.sampled_from([0, 3, 1000, 70_000]))
def test_what_is_printed_of_any_market_is_what_is_proved(market: Setting, more: int) -> None:
    """But for horizons, which `tests/bounds/test_identification.py` looks for."""
    keys = [key for key in SIDES if not key.endswith("horizon")]
    assert list(differences(market, market.n_providers + more, keys=keys)) == []


@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_that_moves_is_seen(constant: str) -> None:
    moved = {**CONSTANTS, constant: CONSTANTS[constant] + (2 if constant == "selection_bound within" else 1)}
    assert any(set(differences(*CASES[name], moved)) for name in ("gsm8k-full", "gpqa-strong"))


def kl(a: mpf, b: mpf) -> mpf:
    """kl of SingleTime.v, with what it is where b is 0 or 1."""
    parts = [(a, b), (1 - a, 1 - b)]
    return sum((inf if y == 0 else x * mpmath.log(x / y) for x, y in parts if x), mpf(0))


@pytest.mark.parametrize("name", CASES)
def test_no_platform_asks_less_than_is_proved(name: str) -> None:
    """information_count of claim:own-information-bound, for each unqualified provider that is cheaper than i*."""
    setting, horizon = CASES[name]
    with mpmath.workdps(_DIGITS):
        market = Market.of(setting, horizon)
        delta, qmin = market.delta, market.qmin
        told = kl(delta, 1 - delta) if delta < mpf("0.5") and qmin < 1 else mpf(0)
        proved = [
            told / kl(market.quality[i], qmin) if told and market.cost[i] < market.cost[market.best] else mpf(0)
            for i in market.unqualified
        ]
        assert same(information_counts(formula_inputs(setting)).tolist(), proved)


@pytest.mark.parametrize("name", [name for name in CASES if "deviations" not in name])
def test_competitors_stop_winning_when_it_is_proved(name: str) -> None:
    """claim:own-unwidened-wins-stop: exact_inverse of Sharp.v, and the time N (m*/k)^(1/alpha)."""
    setting, horizon = CASES[name]
    values = formula_inputs(setting)
    with mpmath.workdps(_DIGITS):
        market = Market.of(setting, horizon)
        counts = [exact_inverse(market, market.gap(i) / market.cmax) for i in market.competitors]
        times = [market.n * (count / market.k) ** (1 / market.alpha) for count in counts]
        assert UNWIDENED_TARGET_AT_WIN(values).tolist() == counts
        assert same(LAST_UNWIDENED_WIN(values).tolist(), times)


def exact_inverse(market: Market, gap: mpf) -> int:
    """Return the largest count up to the selection bound of a gap with gap <= 2 beta(count), 0 if there is none."""
    low, high = 0, market.selection_bound(gap) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if gap <= 2 * market.beta(middle) else (low, middle)
    return low
