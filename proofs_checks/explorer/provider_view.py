"""A provider's view: what it would have earned by bidding otherwise, all others and the market as they were."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.bidding import Bidder, BidderFactory, DeviatingBidder, TruthfulBidder, prepare_bidders
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics.tally import ProviderField
from mechanism.policies import POLICIES
from mechanism.policy_names import PLATFORM
from proofs_checks.explorer.controls import SimulatedMarket
from proofs_checks.explorer.market_view import HIGH, LOW

Floats = NDArray[np.float64]
#: Amounts that are tried, and the steps that all of them together may take.
ALTERNATIVES, STEPS = 21, 24_000_000
_THREADS = 2


@dataclass(frozen=True, eq=False, kw_only=True)
class Earnings:
    """What a provider earns over a run: payments less costs of the queries that it served.

    Parameters
    ----------
    earned, served : array of float, shape (R,)
        Money, and queries.
    """

    earned: Floats
    served: Floats

    def band(self) -> tuple[float, float, float]:
        """Return the median and the ends of the band of what was earned."""
        low, median, high = np.quantile(self.earned, (LOW, 0.5, HIGH))
        return float(median), float(low), float(high)


@dataclass(frozen=True, eq=False, kw_only=True)
class ProviderView:
    """A provider's earnings as it bids, and by its alternatives.

    Parameters
    ----------
    name : str
    runs : int
        How many of the market's runs this is computed from: the first ones, fewer where all would take long.
    actual : Earnings
    alternatives : tuple of (float, Earnings)
        What it adds to its mean cost so far, money per query, and what it then earns.
    """

    name: str
    runs: int
    actual: Earnings
    alternatives: tuple[tuple[float, Earnings], ...]

    @property
    def best(self) -> tuple[float, Earnings]:
        """The amount with the largest median of what is earned, and that."""
        return max(self.alternatives, key=lambda pair: pair[1].band()[0])


def provider_view(market: SimulatedMarket, provider: int) -> ProviderView:
    """Return what a provider earns under the platform, as it bids and by its alternatives, on the same market.

    Examples
    --------
    >>> from bounds.published import published
    >>> view = provider_view(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, runs=2), 2)
    >>> view.name, view.runs, len(view.alternatives)
    ('Llama-3.1-8B', 2, 21)
    """
    tried = len(alternatives(market.prepared))
    runs = max(1, min(market.runs, STEPS // (market.horizon * (tried + 1))))
    # One key for a market whatever its runs: more of them change nothing here but their number.
    return _view_of(replace(market, runs=runs, policies=(PLATFORM,)), provider)


@lru_cache(maxsize=16)
def _view_of(market: SimulatedMarket, provider: int) -> ProviderView:
    tried, runs = alternatives(market.prepared), market.runs
    actual = earnings(market, provider, None, runs)
    with ThreadPoolExecutor(_THREADS) as pool:
        found = pool.map(lambda each: earnings(market, provider, each, runs), tried)
        return ProviderView(
            name=market.setting.providers[provider].name,
            runs=runs,
            actual=actual,
            alternatives=tuple(zip(tried, found, strict=True)),
        )


def alternatives(setting: Setting) -> tuple[float, ...]:
    """Return the amounts that are tried, evenly spaced: half of the largest mean cost at most."""
    bound = setting.platform.cost_bound
    reach = min(bound, max(each.mean_cost for each in setting.providers) or bound) / 2
    half = np.linspace(0, reach, ALTERNATIVES // 2 + 1).tolist()
    return (*(-amount for amount in reversed(half[1:])), *half)


def earnings(market: SimulatedMarket, provider: int, added: float | None, runs: int) -> Earnings:
    """Return what a provider earns in the first runs if it adds an amount to its mean cost, or (None) as it bids."""
    setting, base = prepare_bidders(market.setting, market.bidders, keep_gamma=market.keep_gamma)
    make = base if added is None else _with(base, provider, added)
    episode = CompiledEpisode(setting, POLICIES[PLATFORM], bidders=make, laws=market.part.outcome_laws())
    tallies = episode.tallies(horizon=market.horizon, seed=market.seed, runs=range(runs))
    totals = np.array([tally.by_provider[-1, :, provider] for tally in tallies])
    return Earnings(
        earned=totals[:, ProviderField.PAYMENT] - totals[:, ProviderField.COST],
        served=totals[:, ProviderField.SELECTIONS],
    )


def _with(base: BidderFactory, provider: int, added: float) -> BidderFactory:
    def make(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        # All others draw first, so that they bid as they did.
        bidders, bound = base(setting, rng), setting.platform.cost_bound
        truthful: Bidder = TruthfulBidder(bound)
        if added:
            side: Literal["over", "under"] = "over" if added > 0 else "under"
            truthful = DeviatingBidder(truthful, abs(added), abs(added), rng, side, cost_bound=bound)
        bidders[provider] = truthful
        return bidders

    return make
