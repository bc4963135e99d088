"""Numbers on the screen beside the right sides of the theorems in Coq, typed from their text; none come from `bounds`.

Of the paper's own labels: a name here is that of the definition or section in `theories/` that it transcribes.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings, strategies as st
from mpmath import inf, mpf

from bounds.formulas.belief import LAST_UNWIDENED_WIN, UNWIDENED_TARGET_AT_WIN
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Provider, Setting
from bounds.sharpest.information import information_counts
from tests.bounds.by_hand import EASY
from tests.proofs_checks.proofs.test_printed_numbers_improved import SETTINGS, RightSides, largest

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


@dataclass(frozen=True)
class Market(RightSides):
    """What the theorems speak of; its constants can be moved."""

    constants: Mapping[str, float]

    def log(self, squared: mpf) -> mpf:
        """ln (2 pi^2 N x / (3 delta)) of a squared count x."""
        within = self.constants["radius within"] * mpmath.pi**2 * self.size
        return mpmath.log(within * squared / (3 * mpf(self.platform.confidence)))

    def beta(self, count: int) -> mpf:
        return mpmath.sqrt(self.log(mpf(count) ** 2) / (2 * count))

    def selection_bound(self, x: float) -> int:
        within = self.constants["selection_bound within"] * self.size / (mpf(self.platform.confidence) * mpf(x) ** 4)
        return ceiling(self.constants["selection_bound outside"] / mpf(x) ** 2 * mpmath.log(within))

    @property
    def target(self) -> mpf:
        return self.platform.exploration_scale * (mpf(self.horizon) / self.size) ** self.platform.exploration_exponent

    @property
    def explored(self) -> int:
        return self.ceiling_of_target(self.horizon) - int(self.constants["explorations left out"])

    def elimination_bound(self, i: Provider) -> int:
        return self.selection_bound(self.epsilon(i))

    def ordinary_bound(self, i: Provider) -> int:
        return self.selection_bound(self.relative_gap(i))

    @property
    def identification_bound(self) -> int:
        return sum(map(self.elimination_bound, self.unqualified)) + sum(
            max(self.ordinary_bound(i), self.explored) for i in self.competitors
        )

    @property
    def radius_sum_bound(self) -> mpf:
        t = mpf(self.horizon)
        return mpmath.sqrt(self.constants["radius_sum_bound"] * self.size * (t - self.size) * self.log(t**2))

    @property
    def most_excess(self) -> float:
        """c_max - c_(2)."""
        return self.platform.cost_bound - self.second

    @property
    def burn_in(self) -> mpf:
        most = max([1, *map(self.elimination_bound, self.unqualified)])
        ratio = most / mpf(self.platform.exploration_scale)
        return self.size * max(mpf(1), ratio ** (1 / mpf(self.platform.exploration_exponent)))


def selection_of_each(market: Market) -> list[int | None]:
    """lem:unqualified-elimination, lem:ordinary-selection-threshold."""
    return [
        None
        if i == market.best
        else market.elimination_bound(i)
        if i in market.unqualified
        else market.ordinary_bound(i)
        for i in market.setting.providers
    ]


def cap_of_each(market: Market) -> list[int | None]:
    """lem:unqualified-elimination, lem:qualified-suboptimal-selection."""
    return [
        max(bound, market.explored) if i in market.competitors and bound is not None else bound
        for i, bound in zip(market.setting.providers, selection_of_each(market), strict=True)
    ]


def identification_horizon(market: Market) -> int:
    """claim:T_id:repaired: the least T_id such that T > N + 2 B_id(T) for every T >= T_id."""

    def needed(t: int) -> int:
        return market.size + int(market.constants["T_id, times B_id"]) * replace(market, horizon=t).identification_bound

    late = 2
    while late <= needed(late) + 2 * len(market.competitors):
        late *= 2
    # No T from needed(late) + 1 up to late fails, since needed never falls.
    while late > needed(late):
        late = needed(late)
    return late + 1


def main_text_horizon(market: Market) -> int:
    """claim:T_id: the least T with T > N + 2 B_id(T), B_id being that of thm:sample-complexity."""
    times = market.constants["T_id, times B_id"]
    return 1 + largest(lambda t: bool(t <= market.size + times * main_text(replace(market, horizon=t))))


def main_text(market: Market) -> mpf:
    """thm:sample-complexity without the N - 1 steps of initialization."""
    of_competitors = [max(mpf(market.ordinary_bound(i)), market.target) for i in market.competitors]
    return sum(map(market.elimination_bound, market.unqualified)) + sum(of_competitors, mpf(0))


def quality_anytime(market: Market) -> mpf:
    return market.size + market.constants["quality, radius sums"] * market.radius_sum_bound


def quality_by_gap(market: Market) -> mpf:
    before = int(market.constants["selections before"])
    return sum(((market.elimination_bound(i) + before) * market.epsilon(i) for i in market.unqualified), mpf(0))


def generation_anytime(market: Market) -> mpf:
    """thm:deviation-generation-regret:anytime; with the slack gamma in claim:summary-appC."""
    others = market.size - int(market.constants["generation, providers left out"])
    radii = market.constants["generation, radius sums"] * market.scale * market.radius_sum_bound
    deviating = (market.platform.underbid + market.platform.overbid) * (market.horizon - market.size)
    return others * market.ceiling_of_target(market.horizon) * market.platform.cost_bound + radii + deviating


def generation_by_gap(market: Market) -> mpf:
    before, explored = int(market.constants["selections before"]), market.explored
    total = sum(((market.elimination_bound(i) + before) * max(0, market.gap(i)) for i in market.unqualified), mpf(0))
    return total + sum((max(market.ordinary_bound(i), explored) + before) * market.gap(i) for i in market.competitors)


def excess_payment(market: Market) -> mpf:
    """thm:excess-payment-general; with gamma and d_+ in Statements.v."""
    return market.size * market.explored * market.most_excess + excess_of_auctions(market)


def excess_of_auctions(market: Market) -> mpf:
    """excess_payment_of_auctions_alone of Statements.v."""
    radii = market.scale * market.radius_sum_bound
    return market.size * market.most_excess + radii + market.platform.overbid * (market.horizon - market.size)


def exploring_per_step(market: Market) -> mpf:
    """k (N/T)^(1 - alpha) (c_max - c_(2))."""
    share = market.size / mpf(market.horizon)
    return market.platform.exploration_scale * share ** (1 - market.platform.exploration_exponent) * market.most_excess


def excess_per_step(market: Market) -> mpf:
    """cor:excess-payment-polynomial; with d_+ in thm:deviation-payment-convergence."""
    t, n = mpf(market.horizon), market.size
    radii = market.scale * mpmath.sqrt(2 * n / t * market.log(t**2))
    return n / t * market.most_excess + exploring_per_step(market) + radii + market.platform.overbid


def deviation_per_step(market: Market) -> mpf | None:
    """thm:regret, thm:payment-convergence, thm:deviation-payment-convergence.

    Below T_0 the logarithm may be negative. Coq's root is 0 there; the paper's has no value, and nothing is printed.
    """
    k, alpha = market.platform.exploration_scale, market.platform.exploration_exponent
    share = market.size / mpf(market.horizon)
    inside = share**alpha / (2 * k) * market.log(k**2 * share ** (-2 * alpha))
    if inside < 0:
        return None
    last = market.constants["deviation, radii"] * market.scale / (market.constants["deviation, exponent"] - alpha)
    early = market.burn_in / market.horizon * market.platform.cost_bound
    deviation = max(market.platform.underbid, market.platform.overbid)
    return early + exploring_per_step(market) + last * mpmath.sqrt(inside) + deviation


#: The theorem's right side for each number, by the keys under which `costproof bounds --json` prints it.
SIDES: Mapping[str, Side] = {
    "providers.selection_bound": selection_of_each,
    "providers.selection_cap": cap_of_each,
    "sum_quality_selection_bounds": lambda market: sum(map(market.elimination_bound, market.unqualified)),
    "sum_cost_selection_bounds": lambda market: sum(map(market.ordinary_bound, market.competitors)),
    "exploration_cap": lambda market: market.explored,
    "exploration_steps_bound": lambda market: market.size * market.explored,
    "identification_bound": lambda market: market.identification_bound,
    "identification.value": lambda market: market.identification_bound,
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


def is_truthful(setting: Setting) -> bool:
    """Whether no bid may lie beside its empirical mean."""
    return not (setting.platform.belief_slack or setting.platform.underbid or setting.platform.overbid)


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
        market = Market(setting, horizon, constants)
        for key in keys:
            if not same(printed(data, key), SIDES[key](market)):
                yield key


@functools.cache
def report_of(setting: Setting, horizon: int) -> Mapping[str, Any]:
    return evaluate_bounds(setting, horizon).to_data()


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_printed_is_what_is_proved(name: str) -> None:
    assert list(differences(*SETTINGS[name])) == []


@settings(deadline=None, max_examples=15)
@given(EASY, st.sampled_from([0, 3, 1000, 70_000]))
def test_what_is_printed_of_any_market_is_what_is_proved(market: Setting, more: int) -> None:
    """But for horizons, which `tests/bounds/test_selection.py` looks for."""
    keys = [key for key in SIDES if not key.endswith("horizon")]
    assert list(differences(market, market.n_providers + more, keys=keys)) == []


@pytest.mark.parametrize("constant", CONSTANTS)
def test_a_constant_that_moves_is_seen(constant: str) -> None:
    moved = {**CONSTANTS, constant: CONSTANTS[constant] + (2 if constant == "selection_bound within" else 1)}
    assert any(set(differences(*SETTINGS[name], moved)) for name in ("gsm8k-full", "gpqa-strong"))


def kl(a: mpf, b: mpf) -> mpf:
    """kl of SingleTime.v, with what it is where b is 0 or 1."""
    parts = [(a, b), (1 - a, 1 - b)]
    return sum((inf if y == 0 else x * mpmath.log(x / y) for x, y in parts if x), mpf(0))


@pytest.mark.parametrize("name", SETTINGS)
def test_no_platform_asks_less_than_is_proved(name: str) -> None:
    """information_count of claim:own-information-bound, for each unqualified provider that is cheaper than i*."""
    setting, horizon = SETTINGS[name]
    with mpmath.workdps(_DIGITS):
        market = Market(setting, horizon, CONSTANTS)
        delta, qmin = mpf(market.platform.confidence), mpf(market.platform.quality_threshold)
        told = kl(delta, 1 - delta) if delta < mpf("0.5") and qmin < 1 else mpf(0)
        proved = [told / kl(mpf(i.quality), qmin) if told and market.gap(i) < 0 else mpf(0) for i in market.unqualified]
        assert same(information_counts(formula_inputs(setting)).tolist(), proved)


@pytest.mark.parametrize("name", [name for name in SETTINGS if is_truthful(SETTINGS[name][0])])
def test_competitors_stop_winning_when_it_is_proved(name: str) -> None:
    """claim:own-unwidened-wins-stop: exact_inverse of Sharp.v, and the time N (m*/k)^(1/alpha)."""
    setting, horizon = SETTINGS[name]
    values = formula_inputs(setting)
    with mpmath.workdps(_DIGITS):
        market = Market(setting, horizon, CONSTANTS)
        platform = market.platform
        counts = [market.m_star(market.gap(i) / platform.cost_bound) for i in market.competitors]
        ratios = [mpf(count) / platform.exploration_scale for count in counts]
        times = [market.size * ratio ** (1 / mpf(platform.exploration_exponent)) for ratio in ratios]
        assert UNWIDENED_TARGET_AT_WIN(values).tolist() == counts
        assert same(LAST_UNWIDENED_WIN(values).tolist(), times)
