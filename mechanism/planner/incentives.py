"""Living on exploration: what i* gains by always bidding c_max, and what removes the temptation (finding S1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.formulas.radius import EXACT_SELECTION_BOUND, RADIUS
from bounds.formulas.selection import EXPLORATION_CAP
from bounds.grid.columns import SettingColumns
from bounds.grid.evaluate import evaluate_many
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism.bidding import BidderFactory, FixedBidder, truthful_bidders
from mechanism.metrics.tally import ProviderField
from mechanism.planner.goals import BEST_METHOD, Floats
from mechanism.planner.runs import affordable, played

#: Steps of all runs of this question at most, and runs at each horizon that is tried beyond the plan's.
_MOST_STEPS, _FEW_RUNS = 20_000_000, 10
#: The last of the horizons that are looked at, and how many there are.
_LAST, _GRID = 2.0**50, 360
#: Standard errors of an interval of 95%.
_NORMAL = 1.96


@dataclass(frozen=True, kw_only=True)
class Temptation:
    """What i* gains by always bidding c_max while the others are truthful.

    Parameters
    ----------
    provider : str
    horizon, runs : int
    truthful, always_bound : float
        Mean profit over the runs: payments minus costs.
    gain, gain_error : float
        Mean of the second minus the first over pairs of runs, and its standard error.
    explorations_truthful, explorations_always_bound : float
        How often it was explored, on average.
    exploration_payment : float or None
        What an exploration may pay at most so that the mean gain is 0 or less: c_max if there is none anyway; None
        where it is below the largest mean cost, so that exploration would cost that provider money.
    largest_mean_cost : float
        That cost.
    horizon_proved : int or None
        From which T on truthful bids are proved to earn more, on the good event; see `horizon_proved`.
    horizon_simulated : int or None
        The first of the horizons that were simulated at which the interval of the gain lies below 0.
    most_services, most_profit : float or None
        On the good event, for all others truthful: how often it serves at most, and earns at most, by always bidding
        c_max.
    """

    provider: str
    horizon: int
    runs: int
    truthful: float
    always_bound: float
    gain: float
    gain_error: float
    explorations_truthful: float
    explorations_always_bound: float
    exploration_payment: float | None
    largest_mean_cost: float
    horizon_proved: int | None
    horizon_simulated: int | None
    most_services: int | None
    most_profit: float | None

    @property
    def interval(self) -> tuple[float, float]:
        """The mean gain with 95% confidence, by the normal law."""
        return self.gain - _NORMAL * self.gain_error, self.gain + _NORMAL * self.gain_error

    def to_data(self) -> dict[str, Any]:
        """Return it as plain JSON data."""
        low, high = self.interval
        data = vars(self) | {"gain_low": low, "gain_high": high}
        return {name: value for name, value in data.items() if name != "gain_error"}


def always_bound(index: int) -> BidderFactory:
    """Return a factory of bidders of whom one always bids c_max and the others are truthful."""

    def make(setting: Setting, rng: np.random.Generator) -> list[Any]:
        bidders: list[Any] = truthful_bidders(setting, rng)
        bidders[index] = FixedBidder(setting.platform.cost_bound)
        return bidders

    return make


def temptation(
    setting: Setting, market_of: Setting, horizon: int, *, runs: int, seed: int, method: str = BEST_METHOD
) -> Temptation | None:
    """Simulate i* truthful and always bidding c_max on common outcomes, and say what removes the difference.

    None where there is no unique i*, no second cost, or the horizon is too long to be simulated.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-full").setting
    >>> found = temptation(setting, setting, 20_000, runs=20, seed=0)
    >>> found.interval[0] > 0, round(found.always_bound / found.truthful)
    (True, 34)
    """
    index = setting.optimal
    count = affordable(runs, horizon, _MOST_STEPS)
    if index is None or setting.second_lowest_cost is None or not count:
        return None
    truthful, bold = _profits(setting, market_of, index, horizon, count, seed)
    gains = bold[:, 0] - truthful[:, 0]
    services, profit = most_by_bound(setting, index, horizon)
    return Temptation(
        provider=setting.providers[index].name,
        horizon=horizon,
        runs=count,
        truthful=float(truthful[:, 0].mean()),
        always_bound=float(bold[:, 0].mean()),
        gain=float(gains.mean()),
        gain_error=_error(gains),
        explorations_truthful=float(truthful[:, 1].mean()),
        explorations_always_bound=float(bold[:, 1].mean()),
        exploration_payment=_exploration_payment(setting, gains, bold[:, 1] - truthful[:, 1]),
        largest_mean_cost=max(provider.mean_cost for provider in setting.providers),
        horizon_proved=horizon_proved(setting, index, method),
        horizon_simulated=_horizon_simulated(setting, market_of, index, horizon, gains, seed),
        most_services=services,
        most_profit=profit,
    )


def _profits(
    setting: Setting, market_of: Setting, index: int, horizon: int, runs: int, seed: int
) -> tuple[Floats, Floats]:
    """Return profit and explorations of a provider in every run: truthful, and always bidding c_max."""
    found = []
    for bidders in (truthful_bidders, always_bound(index)):
        tallies = played(setting, market_of, bidders, horizon=horizon, runs=runs, seed=seed)
        fields = (ProviderField.PAYMENT, ProviderField.COST, ProviderField.EXPLORATIONS)
        table = np.array([[tally.provider(field)[index] for field in fields] for tally in tallies])
        found.append(np.stack([table[:, 0] - table[:, 1], table[:, 2]], axis=1))
    return found[0], found[1]


def _error(values: Floats) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0


def _exploration_payment(setting: Setting, gains: Floats, more: Floats) -> float | None:
    """Return what exploration may pay at most so that the mean gain is 0 or less.

    What an exploration pays changes no selection: paid p for each, the gain is smaller by (c_max - p) for each further
    exploration.
    """
    bound = setting.platform.cost_bound
    if gains.mean() <= 0:
        return bound
    if more.mean() <= 0:
        return None
    found = bound - float(gains.mean() / more.mean())
    return found if found >= max(provider.mean_cost for provider in setting.providers) else None


def least_truthful(setting: Setting, index: int, horizons: Floats, method: str) -> Floats:
    """Return what i* earns at least by truthful bids on the good event, at many horizons; NaN where nothing is proved.

    All payments together are at least T (c_(2) - D(T)), with D(T) the bound on the average payment deviation
    (thm:regret). Others get at most c_max for each of at most N - 1 + B_id(T) queries. The costs of i* are together
    at most T (c_* + c_max beta(T)), since m beta(m) grows. The difference is what i* earns at least.
    """
    columns = SettingColumns(base=setting, horizon=horizons.astype(np.int64))
    needed = ("average_payment_deviation", "identification")
    found, values = evaluate_many(columns, method, only=needed), formula_inputs(setting)
    off = np.where(found.applies["average_payment_deviation"], found.values["average_payment_deviation"], np.nan)
    best, bound = setting.providers[index].mean_cost, setting.platform.cost_bound
    radius = RADIUS(values, count=horizons)
    others = (setting.n_providers - 1 + found.values["identification"]) * bound
    return np.asarray(horizons * (found.second_lowest_cost - best - off - bound * radius) - others)


def horizon_proved(setting: Setting, index: int, method: str) -> int | None:
    """Return from which horizon on truthful bids are proved to earn i* more than always bidding c_max.

    Both on the good event, which fails with probability delta at most, with everybody else truthful; at each of a grid
    of horizons up to 2^50, a tenth more each time. None where there is none, and for another radius than the paper's.

    Examples
    --------
    >>> from bounds.published import published
    >>> horizon_proved(published("gpqa-strong").setting, 2, "sharp")
    30525461
    """
    if not setting.platform.papers_radius:
        return None
    grid = np.unique(np.geomspace(setting.n_providers, _LAST, _GRID).round())
    most = np.array([_or_nan(most_by_bound(setting, index, int(steps))[1]) for steps in grid])
    ahead = least_truthful(setting, index, grid, method) > most
    behind = np.flatnonzero(~ahead)
    first = 0 if not len(behind) else int(behind[-1]) + 1
    return int(grid[first]) if first < len(grid) else None


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _horizon_simulated(
    setting: Setting, market_of: Setting, index: int, horizon: int, gains: Floats, seed: int
) -> int | None:
    """Return the plan's horizon, or the first doubling of it, at which the interval of the gain lies below 0."""
    left = _MOST_STEPS
    steps = horizon
    while gains.mean() + _NORMAL * _error(gains) >= 0:
        steps *= 2
        left -= 2 * _FEW_RUNS * steps
        if left < 0:
            return None
        truthful, bold = _profits(setting, market_of, index, steps, _FEW_RUNS, seed)
        gains = bold[:, 0] - truthful[:, 0]
    return steps


def most_by_bound(setting: Setting, index: int, horizon: int) -> tuple[int | None, float | None]:
    """Return how often a provider that always bids c_max serves at most on the good event, and its profit at most.

    Let the others be truthful and a competitor other than it qualified, of mean cost c. On the good event that
    competitor stays eligible and its adjusted bid is at most c. The provider's own, after m services, is at least c_max
    (1 - (1 + gamma) beta(m)). So it wins an auction only while (1 + gamma) beta(m) >= 1 - c/c_max, that is for m up to
    some m_0, and is explored only while m < g(t). It serves at most n = 1 + max{m_0, ceil(g(T)) - 1} queries, is paid
    c_max at most for each, and its costs are at least n (c_i - c_max beta(n)) together. So its profit is at most
    n (c_max - c_i + c_max beta(n)), which grows with n. None where bids may deviate, and for another radius.

    Examples
    --------
    >>> from bounds.published import published
    >>> services, profit = most_by_bound(published("gpqa-strong").setting, 2, 70_000)
    >>> services, round(profit)
    (3044, 111159)
    """
    others = [setting.providers[i].mean_cost for i in setting.qualified if i != index]
    platform, values = setting.platform, formula_inputs(setting)
    bound = platform.cost_bound
    room = 2 * (1 - min(others, default=bound) / bound) / (1 + platform.belief_slack)
    if room <= 0 or platform.underbid or platform.overbid or not platform.papers_radius:
        return None, None
    try:
        wins = EXACT_SELECTION_BOUND.value(values, gap=room)
    except InputError:  # beta(m) is at least 1 - c/c_max for no m, or for all that matter
        return None, None
    services = min(horizon, 1 + int(min(horizon, max(wins, EXPLORATION_CAP.value(values, horizon=horizon)))))
    radius = RADIUS.value(values, count=services)
    return services, services * (bound - setting.providers[index].mean_cost + bound * radius)


def with_parameters(
    setting: Setting, scale: float, exponent: float, confidence: float, radius: str | None = None
) -> Setting:
    """Return a setting with other k, alpha and delta, and with another radius if one is named."""
    platform = replace(setting.platform, exploration_scale=scale, exploration_exponent=exponent, confidence=confidence)
    platform = platform if radius is None else replace(platform, radius=radius)
    return replace(setting, platform=platform)
