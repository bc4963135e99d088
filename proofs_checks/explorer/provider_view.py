"""A provider's view: what it would have earned by bidding otherwise, all others and the market as they were."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.bidding import Bidder, BidderFactory, DeviatingBidder, FixedBidder, TruthfulBidder, prepare_bidders
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics.tally import ProviderField
from mechanism.policies import PLATFORM, POLICIES
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.market_view import HIGH, LOW

Floats = NDArray[np.float64]
#: Alternatives of each kind, and the steps that all of them together may take.
ALTERNATIVES, STEPS = 21, 24_000_000
_THREADS = 2


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A way to bid: always the same amount, or the mean cost so far plus an amount; money per query."""

    kind: str
    amount: float

    def bidder(self, setting: Setting, rng: np.random.Generator) -> Bidder:
        """Return a provider that bids so, its bids clipped to [0, c_max]."""
        bound = setting.platform.cost_bound
        if self.kind == "fixed":
            return FixedBidder(self.amount)
        if self.amount == 0:
            return TruthfulBidder(bound)
        side = "over" if self.amount > 0 else "under"
        reach = abs(self.amount)
        return DeviatingBidder(TruthfulBidder(bound), reach, reach, rng, side, cost_bound=bound)  # type: ignore[arg-type]


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
    runs, market_runs : int
        How many of the market's runs this is computed from: the first ones, fewer where all would take long.
    actual : Earnings
    alternatives : tuple of (Alternative, Earnings)
    """

    name: str
    runs: int
    market_runs: int
    actual: Earnings
    alternatives: tuple[tuple[Alternative, Earnings], ...]

    def of_kind(self, kind: str) -> tuple[tuple[Alternative, Earnings], ...]:
        """Return the alternatives of a kind, by amount."""
        return tuple(pair for pair in self.alternatives if pair[0].kind == kind)

    @property
    def best(self) -> tuple[Alternative, Earnings]:
        """The alternative with the largest median."""
        return max(self.alternatives, key=lambda pair: pair[1].band()[0])


def provider_view(market: Market, provider: int) -> ProviderView:
    """Return what a provider earns under the platform, as it bids and by its alternatives, on the same market.

    Examples
    --------
    >>> from bounds.published import published
    >>> view = provider_view(Market(setting=published("gpqa-strong").setting, horizon=500, runs=2), 2)
    >>> view.name, view.runs, len(view.alternatives)
    ('Llama-3.1-8B', 2, 42)
    """
    tried = len(alternatives(market.prepared))
    runs = max(1, min(market.runs, STEPS // (market.horizon * (tried + 1))))
    # One key for a market whatever its runs: more of them change nothing here but their number.
    found = _view_of(replace(market, runs=runs, policies=(PLATFORM,)), provider)
    return replace(found, market_runs=market.runs)


@lru_cache(maxsize=16)
def _view_of(market: Market, provider: int) -> ProviderView:
    tried, runs = alternatives(market.prepared), market.runs
    actual = earnings(market, provider, None, runs)
    with ThreadPoolExecutor(_THREADS) as pool:
        found = pool.map(lambda each: earnings(market, provider, each, runs), tried)
        return ProviderView(
            name=market.setting.providers[provider].name,
            runs=runs,
            market_runs=market.runs,
            actual=actual,
            alternatives=tuple(zip(tried, found, strict=True)),
        )


def alternatives(setting: Setting) -> tuple[Alternative, ...]:
    """Return the alternatives that are tried: evenly spaced amounts."""
    bound = setting.platform.cost_bound
    fixed = np.linspace(0.0, bound, ALTERNATIVES).tolist()
    dearest = max(each.mean_cost for each in setting.providers) or bound
    reach = min(bound, dearest) / 2
    shifts = np.linspace(-reach, reach, ALTERNATIVES).tolist()
    shifts[ALTERNATIVES // 2] = 0.0
    return (
        *(Alternative(kind="fixed", amount=amount) for amount in fixed),
        *(Alternative(kind="shifted", amount=amount) for amount in shifts),
    )


def earnings(market: Market, provider: int, alternative: Alternative | None, runs: int) -> Earnings:
    """Return what a provider earns in the first runs, with an alternative or (None) as it bids."""
    setting, base = prepare_bidders(market.setting, market.bidders, keep_gamma=market.keep_gamma)
    make = base if alternative is None else _with(base, provider, alternative.bidder)
    episode = CompiledEpisode(setting, POLICIES[PLATFORM], bidders=make, laws=market.part.market())
    tallies = episode.tallies(horizon=market.horizon, seed=market.seed, runs=range(runs))
    totals = np.array([tally.by_provider[-1, :, provider] for tally in tallies])
    return Earnings(
        earned=totals[:, ProviderField.PAYMENT] - totals[:, ProviderField.COST],
        served=totals[:, ProviderField.SELECTIONS],
    )


def _with(
    base: BidderFactory, provider: int, bidder: Callable[[Setting, np.random.Generator], Bidder]
) -> BidderFactory:
    def make(setting: Setting, rng: np.random.Generator) -> list[Bidder]:
        # All others draw first, so that they bid as they did.
        bidders = base(setting, rng)
        bidders[provider] = bidder(setting, rng)
        return bidders

    return make
