"""Numbers that a report prints, against right sides of theorems in Coq, typed again from their text.

The names are those of `Sharp.v`, `Sharpest.v`, `SingleTime.v`, `Corollaries.v` and `AnyRadiusEvent.v`. Of `bounds` only
reports are used: every count, time and horizon is searched for here. What the
sharpest method prints of payments is compared in `tests/bounds/sharpest/test_payments.py`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from bounds.published import PUBLISHED_NAMES, published
from bounds.report import BoundsReport, evaluate_bounds
from bounds.setting.model import PlatformParameters, Provider, Setting
from tests.bounds.by_hand import EASY, setting_of

#: Settings with horizons.
SETTINGS: dict[str, tuple[Setting, int]] = {
    **{name: (published(name).setting, 70_000) for name in PUBLISHED_NAMES},
    "two": (setting_of([(0.75, 0.25), (1.0, 0.625)]), 4_001),
    "all qualified": (
        setting_of([(0.9, 0.3), (0.5, 0.4), (0.8, 0.9)], exploration_exponent=0.6, confidence=0.2),
        2_500,
    ),
    "cheap": (
        setting_of(
            [(0.4, 0.0), (0.8, 0.75), (0.9, 0.5), (0.1, 1.0), (0.3, 0.49), (0.2, 0.9)],
            **{"cost_bound": 1.5, "belief_slack": 0.5, "underbid": 0.01},
        ),
        33_333,
    ),
    "quality 0 and 1": (setting_of([(1.0, 0.0), (1.0, 1.0), (0.0, 0.5)], quality_threshold=1.0, overbid=0.03), 1_200),
    "next to nothing": (
        setting_of([(0.9, 0.2), (0.6, 0.6), (0.2, 0.1)], exploration_scale=1e-4, exploration_exponent=0.3),
        4,
    ),
}


@dataclass(frozen=True)
class RightSides:
    """Definitions of the theorems for one setting and T."""

    setting: Setting
    horizon: int

    @property
    def platform(self) -> PlatformParameters:
        return self.setting.platform

    @property
    def size(self) -> int:
        """N."""
        return len(self.setting.providers)

    @cached_property
    def best(self) -> Provider:
        """The cheapest of the qualified."""
        return min(
            (each for each in self.setting.providers if each.quality >= self.platform.quality_threshold),
            key=lambda each: each.mean_cost,
        )

    @cached_property
    def unqualified(self) -> list[Provider]:
        return [each for each in self.setting.providers if each.quality < self.platform.quality_threshold]

    @cached_property
    def competitors(self) -> list[Provider]:
        return [each for each in self.setting.providers if each not in (*self.unqualified, self.best)]

    @property
    def second(self) -> float:
        """c_(2)."""
        return min(each.mean_cost for each in self.competitors)

    def epsilon(self, provider: Provider) -> float:
        """q_min - q_i."""
        return self.platform.quality_threshold - provider.quality

    def gap(self, provider: Provider) -> float:
        """c_i - c_best."""
        return provider.mean_cost - self.best.mean_cost

    @property
    def scale(self) -> float:
        """(1 + gamma) cmax."""
        return (1 + self.platform.belief_slack) * self.platform.cost_bound

    def relative_gap(self, provider: Provider) -> float:
        return (self.gap(provider) - self.platform.underbid - self.platform.overbid) / self.scale

    # ---- the radius, its inverse, the target

    def beta(self, count: int) -> Any:
        argument = 2 * mpmath.pi**2 * self.size * mpmath.mpf(count) ** 2 / (3 * mpmath.mpf(self.platform.confidence))
        return mpmath.sqrt(mpmath.log(argument) / (2 * count))

    def m_star(self, gap: float) -> int:
        """exact_inverse: the largest n with a <= 2 beta(n), or 0."""
        if gap not in self._inverses:
            self._inverses[gap] = largest(lambda count: gap <= 2 * self.beta(count))
        return self._inverses[gap]

    @cached_property
    def _inverses(self) -> dict[float, int]:
        return {}

    def ceiling_of_target(self, step: int) -> int:
        """ceiling(k (t/N)^alpha)."""
        with mpmath.workdps(60):
            base = mpmath.mpf(step) / self.size
            target = mpmath.mpf(self.platform.exploration_scale) * base ** mpmath.mpf(
                self.platform.exploration_exponent
            )
            whole = mpmath.nint(target)
            return int(whole if abs(target - whole) < mpmath.mpf(10) ** -40 else mpmath.ceil(target))

    @property
    def explored(self) -> int:
        """ceiling(g(T)) - 1."""
        return self.ceiling_of_target(self.horizon) - 1

    # ---- --method sharp

    def sharp_elimination(self, provider: Provider) -> int:
        return self.m_star(self.epsilon(provider))

    def capped(self, elimination: Callable[[Provider], int]) -> dict[str, Cap]:
        """min{elimination, max{m*(max{relative_gap, epsilon}), c}}, and max{m*(relative_gap), c}."""
        dear = {each.name: max(self.relative_gap(each), self.epsilon(each)) for each in self.unqualified}
        of_unqualified = {each.name: Cap(self.m_star(dear[each.name]), elimination(each)) for each in self.unqualified}
        return of_unqualified | {each.name: Cap(self.m_star(self.relative_gap(each))) for each in self.competitors}

    @cached_property
    def sharp_caps(self) -> dict[str, Cap]:
        return self.capped(self.sharp_elimination)

    @property
    def sharp_exploration_steps(self) -> int:
        of_unqualified = (min(self.sharp_elimination(each), self.explored) for each in self.unqualified)
        return (self.size - len(self.unqualified)) * self.explored + sum(of_unqualified)

    @property
    def sharp_burn_in(self) -> Any:
        """sharp_T0."""
        most = max([1, *map(self.sharp_elimination, self.unqualified)])
        ratio = mpmath.mpf(most) / mpmath.mpf(self.platform.exploration_scale)
        return self.size * max(1, ratio ** (1 / mpmath.mpf(self.platform.exploration_exponent)))

    @property
    def sharp_radius_sum(self) -> Any:
        steps = self.horizon - self.size
        share = max(1, mpmath.mpf(steps) / self.size)
        argument = 2 * mpmath.pi**2 * self.size * share**2 / (3 * mpmath.mpf(self.platform.confidence))
        return mpmath.sqrt(2 * self.size * steps * mpmath.log(argument))

    @property
    def sharp_excess_payment(self) -> Any:
        above = self.platform.cost_bound - self.second
        auctions = self.scale * self.sharp_radius_sum + self.platform.overbid * (self.horizon - self.size)
        return (self.size + self.sharp_exploration_steps) * above + auctions

    @property
    def sharp_average_deviation(self) -> Any:
        k, alpha, most = (
            mpmath.mpf(each)
            for each in (self.platform.exploration_scale, self.platform.exploration_exponent, self.platform.cost_bound)
        )
        share = mpmath.mpf(self.size) / self.horizon
        constant = 2 * mpmath.pi**2 * self.size * k**2 / (3 * mpmath.mpf(self.platform.confidence))
        if (logarithm := mpmath.log(constant * share ** (-2 * alpha))) < 0:
            return None  # the average has no bound
        radii = mpmath.sqrt(share**alpha * logarithm / (2 * k))
        early = self.sharp_burn_in / self.horizon * max(self.second, most - self.second)
        explored = k * share ** (1 - alpha) * (most - self.second)
        deviation = max(self.platform.underbid, self.platform.overbid)
        return early + explored + 4 * self.scale / (2 - alpha) * radii + deviation

    # ---- --method sharpest

    def excludes(self, provider: Provider, count: int) -> bool:
        quality, u = mpmath.mpf(provider.quality), len(self.unqualified)
        reach = mpmath.mpf(self.platform.quality_threshold) - self.beta(count)
        if not quality < reach:
            return False
        if quality == 0:
            return True
        kl = reach * mpmath.log(reach / quality) + (1 - reach) * mpmath.log((1 - reach) / (1 - quality))
        return bool(mpmath.log(u * mpmath.pi**2 / (6 * mpmath.mpf(self.platform.confidence))) <= count * kl)

    def last_eligible(self, provider: Provider) -> int:
        """M_i, so that M_i + 1 is the least count that excludes."""
        return self._last_eligible[provider.name]

    @cached_property
    def _last_eligible(self) -> dict[str, int]:
        return {i.name: largest(lambda count, i=i: not self.excludes(i, count)) for i in self.unqualified}

    @cached_property
    def sharpest_caps(self) -> dict[str, Cap]:
        return self.capped(self.last_eligible)

    @cached_property
    def radii(self) -> NDArray[np.float64]:
        """beta at 1, 2, ..., T + 1."""
        count = np.arange(1.0, self.horizon + 2)
        constant = float(mpmath.log(2 * mpmath.pi**2 * self.size / (3 * mpmath.mpf(self.platform.confidence))))
        return np.sqrt((constant + 2 * np.log(count)) / (2 * count))

    def equal_radii(self, shares: int) -> float:
        """equal_shares of T - N, all mod n of them one longer."""
        share, more = divmod(self.horizon - self.size, shares)
        return more * math.fsum(self.radii[: share + 1]) + (shares - more) * math.fsum(self.radii[:share])

    @property
    def quality_anytime(self) -> float:
        return math.fsum(map(self.epsilon, self.unqualified)) + 2 * self.equal_radii(len(self.unqualified))

    def quality_by_caps(self, caps: Mapping[str, Cap]) -> float:
        return math.fsum(self.epsilon(each) * (1 + caps[each.name].at(self.explored)) for each in self.unqualified)

    @property
    def generation_anytime(self) -> float:
        return self.anytime(self.equal_radii(self.size - 1))

    def anytime(self, radii: float) -> float:
        """(N - 1) ceiling(g(T)) cmax + 2 (1 + gamma) cmax S + (d_- + d_+) (T - N)."""
        deviations = (self.platform.underbid + self.platform.overbid) * (self.horizon - self.size)
        return (self.size - 1) * (self.explored + 1) * self.platform.cost_bound + 2 * self.scale * radii + deviations

    @property
    def radius_sum_bound(self) -> float:
        argument = 2 * math.pi**2 * self.size * self.horizon**2 / (3 * self.platform.confidence)
        return math.sqrt(2 * self.size * (self.horizon - self.size) * math.log(argument))

    def generation_by_caps(self, caps: Mapping[str, Cap]) -> float:
        others = [*self.competitors, *self.unqualified]
        return math.fsum((1 + caps[each.name].at(self.explored)) * max(0.0, self.gap(each)) for each in others)

    @cached_property
    def most_explored(self) -> dict[str, int]:
        """X_i = min{ceiling(g(min{T, t_i})) - 1, M_i}, with the least t_i that `explored_until` allows."""
        found = {}
        for each in self.setting.providers:
            most = self.last_eligible(each) if each in self.unqualified else math.inf
            found[each.name] = int(min(most, self.ceiling_of_target(self.explored_until(each)) - 1))
        return found

    def explored_until(self, provider: Provider) -> int:
        """The least e such that N + B_j(t - 1) + g(t) <= t at every t in e + 1, ..., T."""
        counts = self.counts_below_targets
        needed = np.full(self.horizon - self.size, float(self.size)) + counts[1:] + 1
        for other in self.setting.providers:
            if other != provider:
                needed += self._most_selected(provider, other, counts[:-1])
        failing = np.flatnonzero(needed > np.arange(self.size + 1, self.horizon + 1))
        return self.size + (int(failing[-1]) + 1 if len(failing) else 0)

    @cached_property
    def counts_below_targets(self) -> NDArray[np.float64]:
        """ceiling(g(t)) - 1 at t = N, ..., T."""
        steps = np.arange(self.size, self.horizon + 1)
        target = self.platform.exploration_scale * (steps / self.size) ** self.platform.exploration_exponent
        near = np.abs(target - np.round(target)) < 1e-9
        found = np.ceil(target)
        found[near] = [self.ceiling_of_target(int(step)) for step in steps[near]]
        return found - 1

    def most_won(self, j: Provider, i: Provider) -> float:
        """How many auctions i wins while j is eligible, as far as costs tell."""
        apart = (i.mean_cost - j.mean_cost - self.platform.underbid - self.platform.overbid) / self.scale
        return self.m_star(apart) if apart > 0 else math.inf

    def _most_selected(self, j: Provider, i: Provider, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """most_selected, at t - 1 for t = N + 1, ..., T."""
        limit = np.minimum(np.maximum(self.most_won(j, i), counts), np.arange(len(counts)))
        return np.minimum(limit, self.last_eligible(i)) if i in self.unqualified else limit

    # ---- claim:T_id:repaired, and horizons

    def leads_from(self, needed: Callable[[int], float]) -> int:
        """The least T such that T' > N + needed(ceiling(g(T')) - 1) for every T' >= T."""
        steps = ((self.size + int(needed(c)), first, last) for c, first, last in self._steps())
        return 1 + max((min(last, failing) for failing, first, last in steps if first <= failing), default=0)

    def _steps(self) -> Iterator[tuple[int, int, int]]:
        """Yield c, and the first and last T at which c counts are below the target; at far more c than matter."""
        first = 1
        for c in itertools.count():
            exact = (c + 1) / self.platform.exploration_scale
            near = self.size * exact ** (1 / self.platform.exploration_exponent)
            last = int(near * (1 + 1e-12))
            if last > (1 - 1e-12) * near and last < 2**40 and self.ceiling_of_target(last) > c + 1:
                last -= 1
            yield c, first, last
            if last > 10 * self.horizon + 10**7:
                return
            first = last + 1


@dataclass(frozen=True)
class Cap:
    """min{most, max{least, c}} where c counts are below the target."""

    least: float
    most: float = math.inf

    def at(self, c: int) -> int:
        return int(min(self.most, max(self.least, c)))


def largest(holds: Callable[[int], bool]) -> int:
    """Return the largest count from 1 on at which something holds that does not come back, or 0."""
    high = 1
    while holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def totals(right: RightSides, caps: Mapping[str, Cap]) -> dict[str, Any]:
    """Return what follows from caps: each of them, their sum, and T_id."""

    def needed(c: int) -> float:
        each = [cap.at(c) for cap in caps.values()]
        return sum(each) + max(each)

    each = {f"cap of {name}": cap.at(right.explored) for name, cap in caps.items()}
    return {**each, "identification": sum(each.values()), "T_id": right.leads_from(needed)}


def printed(report: BoundsReport) -> dict[str, Any]:
    """Return what a report prints, by the names of `totals`, and its parts."""
    caps = {f"cap of {each.name}": each.selection_cap for each in report.providers if each.gap_kind}
    regrets = {
        f"{name} {part}": value
        for name in ("quality_regret", "generation_regret")
        for part, value in {**report.bounds[name].parts, "value": report.bounds[name].value}.items()
    }
    return {
        **caps,
        **regrets,
        "identification": report.identification_bound,
        "T_id": report.identification_horizon,
        "explorations": report.exploration_steps_bound,
        "burn-in": report.burn_in,
        "excess payment": report.bounds["excess_payment"].value,
        "payment deviation": report.bounds["average_payment_deviation"].value,
    }


def sharp_sides(right: RightSides) -> dict[str, Any]:
    return {
        **totals(right, right.sharp_caps),
        "explorations": right.sharp_exploration_steps,
        "burn-in": right.sharp_burn_in,
        "quality_regret anytime": right.size + 2 * right.sharp_radius_sum,
        "quality_regret gap_dependent": right.quality_by_caps(right.sharp_caps),
        "generation_regret anytime": right.anytime(right.sharp_radius_sum),
        "generation_regret gap_dependent": right.generation_by_caps(right.sharp_caps),
        "excess payment": right.sharp_excess_payment,
        "payment deviation": right.sharp_average_deviation,
    }


def sharpest_sides(right: RightSides) -> dict[str, Any]:
    quality, generation = right.quality_by_caps(right.sharpest_caps), right.generation_by_caps(right.sharpest_caps)
    anytime = {"quality_regret anytime": right.quality_anytime} if right.unqualified else {}
    return {
        **totals(right, right.sharpest_caps),
        **anytime,
        "explorations": sum(right.most_explored.values()),
        "quality_regret gap_dependent": quality,
        "quality_regret value": min([quality, *anytime.values()]),
        "generation_regret anytime": right.generation_anytime,
        "generation_regret gap_dependent": generation,
        "generation_regret value": min(right.generation_anytime, generation),
    }


SIDES = {"sharp": sharp_sides, "sharpest": sharpest_sides}


def that_differ(right: RightSides, method: str) -> list[str]:
    """Return what is printed otherwise than a theorem states it.

    Whole numbers are exact, others but for rounding; a sum of radii, of which theorems take any number that is no
    smaller, may be a millionth more.
    """
    shown = printed(evaluate_bounds(right.setting, right.horizon, method))
    differ = []
    for name, value in SIDES[method](right).items():
        if value is None or shown[name] is None:
            differ += [name] * (value is not shown[name])
            continue
        less = 1e-12 if method == "sharp" else 1e-9
        more = 1e-6 if method != "sharp" and name.endswith(("anytime", "value")) else less
        near = float(value) * (1 - less) - 1e-12 <= shown[name] <= float(value) * (1 + more) + 1e-12
        if not (shown[name] == value if isinstance(value, int) else near):
            differ.append(f"{name}: {shown[name]} printed, {value} stated")
    return differ


@pytest.mark.parametrize("method", SIDES)
@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_printed_is_the_right_side_of_the_theorem(name: str, method: str) -> None:
    assert that_differ(RightSides(*SETTINGS[name]), method) == []


@settings(deadline=None, max_examples=8)
@given(EASY, st.sampled_from([0, 3, 1000, 70_000]))
def test_what_is_printed_of_any_market_is_the_right_side(market: Setting, more: int) -> None:
    """But for T_id, which `tests/bounds/test_selection.py` looks for."""
    right = type("AnyMarket", (RightSides,), {"leads_from": lambda self, needed: None})
    assert set(that_differ(right(market, market.n_providers + more), "sharp")) <= {"T_id"}


#: A constant of a right side that is changed, the method whose numbers it enters, and a number that is told apart.
WRONG: list[tuple[str, Any, str, str]] = [
    ("beta", lambda self, count: RightSides.beta(self, count) * 1.01, "sharp", "T_id"),
    ("explored", property(lambda self: self.ceiling_of_target(self.horizon)), "sharp", "explorations"),
    ("epsilon", lambda self, each: RightSides.epsilon(self, each) * 1.001, "sharp", "quality_regret gap_dependent"),
    ("sharp_radius_sum", property(lambda self: self.radius_sum_bound), "sharp", "excess payment"),
    ("sharp_burn_in", property(lambda self: self.size), "sharp", "payment deviation"),
    ("excludes", lambda self, each, m: RightSides.excludes(self, each, m + 1), "sharpest", "cap of Llama-3-8B"),
    ("relative_gap", lambda self, each: RightSides.relative_gap(self, each) / 2, "sharpest", "identification"),
    ("explored_until", lambda self, each: RightSides.explored_until(self, each) * 2, "sharpest", "explorations"),
    (
        "equal_radii",
        lambda self, shares: RightSides.equal_radii(self, shares + 1),
        "sharpest",
        "quality_regret anytime",
    ),
    ("gap", lambda self, each: RightSides.gap(self, each) - 0.01, "sharpest", "generation_regret value"),
]


@pytest.mark.parametrize(("changed", "into", "method", "number"), WRONG)
def test_another_constant_is_until_distinct(changed: str, into: Any, method: str, number: str) -> None:
    wrong = type("Wrong", (RightSides,), {changed: into})
    differ = that_differ(wrong(*SETTINGS["gsm8k-full"]), method)
    assert number in [each.split(":")[0] for each in differ]


def test_where_a_gap_is_within_the_deviations_the_anytime_branch_is_printed() -> None:
    setting = setting_of([(0.9, 0.2), (0.1, 0.25), (0.8, 0.25)], underbid=0.05, overbid=0.1)
    right = RightSides(setting, 3_000)
    shown = evaluate_bounds(setting, 3_000).bounds["generation_regret"]
    assert (shown.backing.claim, shown.backing.proved_as) == ("thm:deviation-generation-regret:anytime", "PROVED")
    assert shown.value == pytest.approx(right.anytime(right.radius_sum_bound), rel=1e-12)
    assert shown.value != pytest.approx(right.anytime(right.radius_sum_bound * 1.001), rel=1e-9)
