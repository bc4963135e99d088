"""The providers of a market beside each other: quality and cost, the frontier, and when each gap is resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bounds.limits import LARGEST_HORIZON
from bounds.published import PUBLISHED_NAMES, published
from bounds.report import ProviderBound, provider_bounds
from bounds.setting.model import Provider, Setting
from mechanism.config import MechanismConfig
from mechanism.tables import quality_table
from proofs_checks.explorer.controls import Market
from proofs_checks.figures.frontier import pareto_frontier

Floats = NDArray[np.float64]
#: Counts at which the radius is drawn, log-spaced.
_POINTS = 160
#: Qualities nearer than this have no midpoint: a threshold there would separate nothing that a run can tell apart.
LEAST_GAP = 1e-6
#: How many digits a midpoint has.
_DIGITS = 6


@dataclass(frozen=True, kw_only=True)
class RosterRow:
    """A provider beside the threshold and the optimal one.

    Parameters
    ----------
    name : str
    standing : {"optimal", "qualified", "below the threshold"}
    quality, cost : float
    on_frontier : bool
        No other provider is as good and cheaper, or better and as cheap.
    gap : float or None
        How far its quality falls below the threshold, or how much dearer than the optimal provider it is.
    gap_kind : {"quality", "cost"} or None
    level : float or None
        The confidence radius below which the gap is resolved: half of it, in units of the radius.
    resolved_at : int or None
        The least selection count from which on the radius is below that level. Both are None of a cost gap where the
        bids may be farther from mean costs than the platform allows for.
    """

    name: str
    standing: str
    quality: float
    cost: float
    on_frontier: bool
    gap: float | None
    gap_kind: str | None
    level: float | None
    resolved_at: int | None


@dataclass(frozen=True, eq=False, kw_only=True)
class RosterView:
    """All providers of a market.

    Parameters
    ----------
    rows : tuple of RosterRow
        In the order of the setting.
    others : tuple of Provider
        Those of the built-in settings of the same benchmark that are not in this one.
    threshold : float
    cheapest : int
        The provider with the least mean cost.
    cost_gap : float or None
        How much dearer the second of the qualified providers is than the optimal one.
    counts, radii : array, shape (P,)
        The confidence radius by selection count.
    horizon : int
    covered : bool
        Whether gamma, d_- and d_+ allow for the bids: else it is not promised how fast a cost gap is resolved.
    """

    rows: tuple[RosterRow, ...]
    others: tuple[Provider, ...]
    threshold: float
    cheapest: int
    cost_gap: float | None
    counts: NDArray[np.int64]
    radii: Floats
    horizon: int
    covered: bool


def roster_view(market: Market) -> RosterView:
    """Return the providers of a market beside each other.

    Examples
    --------
    >>> view = roster_view(Market(setting=published("gpqa-strong").setting, horizon=500))
    >>> [(row.standing, row.resolved_at) for row in view.rows][:2], view.rows[view.cheapest].name
    ([('below the threshold', 5287), ('below the threshold', 39476)], 'Qwen2-0.5B')
    """
    setting = market.prepared
    frontier, providers = pareto_frontier(setting), setting.providers
    bounds = provider_bounds(setting, market.horizon, "sharp")

    def told(index: int) -> bool:
        # Who is below the threshold is found out whatever the bids, who is dearer by bids near mean costs.
        return market.covered or bounds[index].gap_kind == "quality"

    rows = tuple(
        RosterRow(
            name=provider.name,
            standing=standing_of(setting, i),
            quality=provider.quality,
            cost=provider.mean_cost,
            on_frontier=i in frontier,
            gap=bounds[i].gap,
            gap_kind=bounds[i].gap_kind,
            level=_level(setting, bounds[i]) if told(i) else None,
            resolved_at=_resolved_at(bounds[i]) if told(i) else None,
        )
        for i, provider in enumerate(providers)
    )
    reach = max([market.horizon, *(row.resolved_at for row in rows if row.resolved_at)])
    counts = np.unique(np.geomspace(1.0, 2.0 * min(reach, LARGEST_HORIZON), _POINTS).round().astype(np.int64))
    second = setting.second_lowest_cost
    return RosterView(
        rows=rows,
        others=known_elsewhere(setting),
        threshold=setting.platform.quality_threshold,
        cheapest=min(range(len(providers)), key=lambda i: providers[i].mean_cost),
        cost_gap=None if second is None or setting.optimal is None else second - providers[setting.optimal].mean_cost,
        counts=counts,
        radii=quality_table(MechanismConfig.of(setting)).function(counts.astype(float)),
        horizon=market.horizon,
        covered=market.covered,
    )


def standing_of(setting: Setting, index: int) -> str:
    """Return what a provider is: optimal, qualified, or below the threshold."""
    if index == setting.optimal:
        return "optimal"
    return "qualified" if index in setting.qualified else "below the threshold"


def _level(setting: Setting, bound: ProviderBound) -> float | None:
    """Return half the gap in units of the confidence radius; None where no count resolves it."""
    platform = setting.platform
    if bound.gap is None:
        return None
    if bound.gap_kind == "quality":
        return bound.gap / 2
    gap = bound.gap - platform.underbid - platform.overbid
    return gap / (2 * (1 + platform.belief_slack) * platform.cost_bound) if gap > 0 else None


def _resolved_at(bound: ProviderBound) -> int | None:
    """Return the first count after the last one at which the gap may go unnoticed."""
    return None if bound.selection_bound is None else int(bound.selection_bound) + 1


def known_elsewhere(setting: Setting) -> tuple[Provider, ...]:
    """Return the providers of the built-in settings of the same benchmark that a setting does not have.

    Examples
    --------
    >>> [each.name for each in known_elsewhere(published("gpqa-full").setting)][:2]
    ['Qwen2-1.5B@2', 'Qwen2-1.5B@4']
    """
    names = {provider.name for provider in setting.providers}
    return tuple(provider for name, provider in _catalogue(setting.name).items() if name not in names)


@lru_cache(maxsize=8)
def _catalogue(name: str) -> Mapping[str, Provider]:
    """Return the providers of all built-in settings of a setting's benchmark, by name; none for another setting."""
    if name not in PUBLISHED_NAMES:
        return {}
    benchmark = name.partition("-")[0]
    found: dict[str, Provider] = {}
    for each in PUBLISHED_NAMES:
        if each.partition("-")[0] == benchmark:
            found = {provider.name: provider for provider in published(each).setting.providers} | found
    return found


def midpoints(setting: Setting) -> tuple[float, ...]:
    """Return the thresholds halfway between neighbouring qualities, from the lowest; none between equal ones.

    Examples
    --------
    >>> midpoints(published("gpqa-strong").setting)
    (0.079413, 0.14509, 0.189751)
    """
    qualities = sorted({provider.quality for provider in setting.providers})
    return tuple(round((low + high) / 2, _DIGITS) for low, high in pairwise(qualities) if high - low > LEAST_GAP)


def next_midpoint(setting: Setting, way: str) -> float | None:
    """Return the midpoint nearest to the threshold above it (``later``) or below it (``earlier``), if there is one.

    Examples
    --------
    >>> setting = published("gpqa-strong").setting
    >>> next_midpoint(setting, "later"), next_midpoint(setting, "earlier")
    (0.189751, 0.14509)
    """
    threshold = setting.platform.quality_threshold
    if way == "later":
        return min((each for each in midpoints(setting) if each > threshold), default=None)
    return max((each for each in midpoints(setting) if each < threshold), default=None)
