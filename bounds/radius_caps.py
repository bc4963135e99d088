"""How often who should not serve is selected, for any confidence radius: the paper's steps with another radius.

On the event of `bounds.radii.radius.Radius`, which has probability 1 - delta or more:

* Every qualified provider is eligible at every step after initialization.
* An unqualified provider i that is eligible at count m has q_min - rho(m) <= qhat_i <= q_i + u_i(m), where rho is the
  quality radius at q_min and u_i that of the scores 1 - s, at 1 - q_i. So eps_i <= rho(m) + u_i(m). Both radii do not
  increase: it is selected at most M_i times after initialization, M_i the largest such m.
* Whoever wins an auction at count m against i* has an adjusted bid of at most that of i*, which is at most c* + d_+.
  Its own is at least c_i - d_- - 2 (1 + gamma) c_max r(m). So (c_i - c* - d_- - d_+)/((1 + gamma) c_max) <= 2 r(m),
  and L_i is the largest such m. This never uses that i is qualified.
* Exploration selects at counts up to ceil(g(T)) - 1. So competitors have max{L_i, ceil(g(T)) - 1} selections after
  initialization at most, and unqualified providers no more than M_i, and no more than that.

The sum of these caps is B_id(T). The optimum serves more queries than any other where T > N + B_id(T) + the largest
cap.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bounds.formulas.identification import lasting_horizon
from bounds.formulas.selection import EXPLORATION_CAP
from bounds.limits import LARGEST_HORIZON
from bounds.radii.catalogue import radius_named
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting

#: Comparisons this near are read so that a cap is not too small.
_NEAR = 1 + 1e-11


def largest_count(within: Callable[[float], float], gap: float) -> float:
    """Return the largest count m >= 1 with ``gap <= within(m)`` for a function that does not increase; 0 if none.

    A gap of 0 or less, or one that is still reached at 2^52, has no largest count: infinity. A comparison within
    rounding counts as reached.

    Examples
    --------
    >>> largest_count(lambda m: 1 / m, 0.01)
    100.0
    """

    def reached(count: float) -> bool:
        return gap <= within(count) * _NEAR

    if gap <= 0 or reached(LARGEST_HORIZON):
        return math.inf
    if not reached(1):
        return 0.0
    low, high = 1, 2
    while reached(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if reached(middle) else (low, middle)
    return float(low)


@dataclass(frozen=True)
class RadiusCaps:
    """The caps of a setting with the radius that its platform has.

    Examples
    --------
    >>> from bounds.published import published
    >>> caps = RadiusCaps(published("gpqa-strong").setting)
    >>> caps.identification_bound(70_000), caps.identification_horizon
    (49134.0, 88614)
    """

    setting: Setting

    @cached_property
    def elimination(self) -> dict[int, float]:
        """M_i of every unqualified provider, by index."""
        setting, threshold = self.setting, self.setting.platform.quality_threshold
        qualities = {i: setting.providers[i].quality for i in setting.unqualified}

        def cap(quality: float) -> float:
            def width(count: float) -> float:
                return self._quality(count, threshold) + self._quality(count, 1 - quality)

            return largest_count(width, threshold - quality)

        by_quality = {quality: cap(quality) for quality in set(qualities.values())}
        return {i: by_quality[quality] for i, quality in qualities.items()}

    @cached_property
    def auctions(self) -> dict[int, float]:
        """L_i of every provider but i*: the largest count at which it wins an auction; infinite if it is no dearer."""
        setting, platform = self.setting, self.setting.platform
        if setting.optimal is None:
            return {}
        least = setting.providers[setting.optimal].mean_cost + platform.underbid + platform.overbid
        unit = (1 + platform.belief_slack) * platform.cost_bound
        costs = {i: each.mean_cost for i, each in enumerate(setting.providers) if i != setting.optimal}
        by_cost = {
            cost: largest_count(lambda count: 2 * self._cost(count), (cost - least) / unit)
            for cost in set(costs.values())
        }
        return {i: by_cost[cost] for i, cost in costs.items()}

    def cap(self, index: int, horizon: int) -> float:
        """Return how often a provider other than i* is selected at most after initialization, up to a horizon."""
        other = max(self.auctions.get(index, math.inf), self._exploration(horizon))
        return min(self.elimination.get(index, math.inf), other)

    def identification_bound(self, horizon: int) -> float:
        """Return B_id(T); infinite where a competitor is not separated from i*."""
        return math.fsum(self._caps(horizon))

    def exploration_steps(self, horizon: int) -> float:
        """Return how many exploration steps there are at most up to a horizon: of nobody after its exclusion."""
        each, everybody = self._exploration(horizon), range(self.setting.n_providers)
        return math.fsum(min(each, self.elimination.get(i, math.inf)) for i in everybody)

    @cached_property
    def identification_horizon(self) -> int | None:
        """The least T from which on i* serves more queries than any other; None if there is none below 2^52."""
        return lasting_horizon(
            lambda horizon: math.fsum(caps := self._caps(horizon)) + max(caps), self.setting.n_providers
        )

    def _caps(self, horizon: int) -> list[float]:
        return [self.cap(i, horizon) for i in range(self.setting.n_providers) if i != self.setting.optimal]

    @cached_property
    def _inputs(self) -> dict[str, object]:
        return formula_inputs(self.setting)

    def _exploration(self, horizon: int) -> float:
        return EXPLORATION_CAP.value(self._inputs, horizon=horizon)

    def _quality(self, count: float, mean: float) -> float:
        platform = self.setting.platform
        radius = radius_named(platform.radius)
        return float(
            radius.quality_radius(
                np.array([count]), mean=mean, n_providers=self.setting.n_providers, confidence=platform.confidence
            )[0]
        )

    def _cost(self, count: float) -> float:
        platform = self.setting.platform
        radius = radius_named(platform.radius)
        found = radius.cost_radius(
            np.array([count]), n_providers=self.setting.n_providers, confidence=platform.confidence
        )
        return float(found[0])
