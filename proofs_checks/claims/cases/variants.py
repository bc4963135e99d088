"""Variants: how the providers of a setting bid, with the slacks that their bids need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import TypedDict

from bounds.documents import NonNegative
from bounds.setting.file import format_setting
from bounds.setting.model import Setting
from mechanism.bidding import BidderFactory, Prior, bayesian_bidders, deviating_bidders, truthful_bidders
from mechanism.compiled.episode import CompiledEpisode
from mechanism.market.market import market_laws
from mechanism.plain_episode import PlainEpisode
from mechanism.policies import POLICIES
from proofs_checks.claims.model.case import Case

PRIOR = Prior(share=0.5, strength=5.0)
#: Where the queries of a run come from, in words.
MARKET = "independent queries"


@dataclass(frozen=True)
class BiddingVariant:
    """A way to bid.

    Parameters
    ----------
    describe : str
    prepare : callable
        From a setting to the one whose slacks cover these bids.
    bidders : BidderFactory
    """

    describe: str
    prepare: Callable[[Setting], Setting]
    bidders: BidderFactory


def with_slacks(setting: Setting, *, belief_slack: float = 0.0, underbid: float = 0.0, overbid: float = 0.0) -> Setting:
    """Return a setting with other slacks."""
    platform = replace(setting.platform, belief_slack=belief_slack, underbid=underbid, overbid=overbid)
    return replace(setting, platform=platform)


def deviations_of(setting: Setting) -> tuple[float, float]:
    """Return d_- and d_+: the setting's, or a tenth of its smallest positive cost gap each where it has none."""
    platform = setting.platform
    if platform.underbid or platform.overbid:
        return platform.underbid, platform.overbid
    if setting.optimal is None or not setting.competitors:
        return 0.01 * platform.cost_bound, 0.01 * platform.cost_bound
    optimal = setting.providers[setting.optimal].mean_cost
    gap = min(setting.providers[i].mean_cost for i in setting.competitors) - optimal
    return 0.1 * gap, 0.1 * gap


def slack_of(setting: Setting) -> float:
    """Return the gamma that covers the prior of the Bayesian variants, or the setting's if that is larger."""
    return max(setting.platform.belief_slack, PRIOR.belief_slack(setting))


def _deviating(setting: Setting, *, belief_slack: float = 0.0) -> Setting:
    underbid, overbid = deviations_of(setting)
    return with_slacks(setting, belief_slack=belief_slack, underbid=underbid, overbid=overbid)


VARIANTS: Mapping[str, BiddingVariant] = MappingProxyType(
    {
        "truthful": BiddingVariant("bid the running mean cost", with_slacks, truthful_bidders),
        "bayesian": BiddingVariant(
            "bid a posterior mean (prior mean c_max/2, worth 5 observations); the platform widens its radius",
            lambda setting: with_slacks(setting, belief_slack=slack_of(setting)),
            bayesian_bidders(PRIOR),
        ),
        "deviating": BiddingVariant(
            "deviate from the running mean by up to underbid and overbid, clipped to [0, c_max]",
            _deviating,
            deviating_bidders(),
        ),
        "combined": BiddingVariant(
            "deviate from a posterior mean; the platform widens its radius",
            lambda setting: _deviating(setting, belief_slack=slack_of(setting)),
            deviating_bidders(bayesian_bidders(PRIOR)),
        ),
    }
)


class BidSlacks(TypedDict):
    """What bids may deviate by.

    Parameters
    ----------
    belief_slack : float
        gamma: cost radii are 1 + gamma times as wide.
    underbid : float
        How far bids may lie below the mean cost so far, money.
    overbid : float
        How far bids may lie above the mean cost so far, money.
    """

    belief_slack: NonNegative
    underbid: NonNegative
    overbid: NonNegative


def slacks(setting: Setting) -> dict[str, BidSlacks]:
    """Return gamma, d_- and d_+ of every variant of a setting.

    Examples
    --------
    >>> from bounds.published import published
    >>> slacks(published("gpqa-strong").setting)["truthful"]
    {'belief_slack': 0.0, 'underbid': 0.0, 'overbid': 0.0}
    """
    prepared = {name: variant.prepare(setting).platform for name, variant in VARIANTS.items()}
    return {
        name: {"belief_slack": each.belief_slack, "underbid": each.underbid, "overbid": each.overbid}
        for name, each in prepared.items()
    }


def play(setting: Setting, variant: str, *, horizon: int, seed: int, run: int, machine_code: bool = True) -> Case:
    """Play one run of a variant of a setting and return the case.

    The queries are independent, also in the published settings: the theory assumes it. The paper's experiments (and
    `simulate`) draw a benchmark's questions without replacement instead.

    Examples
    --------
    >>> from bounds.published import published
    >>> len(play(published("gpqa-strong").setting, "truthful", horizon=100, seed=0, run=0).trace)
    100
    """
    prepared, episode = _episode(setting, variant, CompiledEpisode if machine_code else PlainEpisode)
    trace = episode.trace(horizon=horizon, seed=seed, run=run)
    origin = {
        "kind": "simulation",
        "variant": variant,
        "seed": seed,
        "run": run,
        "horizon": horizon,
        "market": MARKET,
        "setting": _written(setting),
        "setting_name": setting.name,
    }
    return Case(prepared, trace, origin)


#: Every run of a setting has its text in its origin.
_written = lru_cache(maxsize=16)(format_setting)


@lru_cache(maxsize=16)
def _episode(
    setting: Setting, variant: str, kind: type[CompiledEpisode] | type[PlainEpisode]
) -> tuple[Setting, CompiledEpisode | PlainEpisode]:
    chosen = VARIANTS[variant]
    prepared = chosen.prepare(setting)
    laws = market_laws(prepared, questions=0)
    return prepared, kind(setting=prepared, policy=POLICIES["platform"], bidders=chosen.bidders, laws=laws)
