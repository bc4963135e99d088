"""The effect of each radius on one setting: what it guarantees, and what simulated runs show."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bounds.radii.names import RADII
from bounds.radius_caps import RadiusCaps
from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics.tally import ProviderField
from mechanism.trace import Trace


@dataclass(frozen=True, kw_only=True, eq=False)
class RadiusEffect:
    """A setting with one radius.

    Parameters
    ----------
    setting, radius : str
    horizon : int
        T, of the bound and of the runs.
    identification_bound : float
        B_id(T); infinite where nothing separates a competitor from i*.
    identification_horizon : int or None
        T_id; None if there is none.
    unqualified_share, amount_paid, auction_payment, lead : array of float, shape (R,)
        By run: the share of queries to unqualified providers, what the users pay per query, the same over auctions
        alone, and from which query on i* has the most selections to the end (infinite if not at T).
    """

    setting: str
    radius: str
    horizon: int
    identification_bound: float
    identification_horizon: int | None
    unqualified_share: NDArray[np.float64]
    amount_paid: NDArray[np.float64]
    auction_payment: NDArray[np.float64]
    lead: NDArray[np.float64]


def lead_time(trace: Trace, n_providers: int, optimal: int) -> float:
    """Return from which query on a provider has more selections than any other to the end; infinite if not there.

    Examples
    --------
    >>> lead_time(Trace([0, 1, 1, 0, 0], [1.0] * 5, [1.0] * 5, [0.0] * 5), 2, 0)
    5.0
    """
    counts = np.cumsum(trace.provider[:, None] == np.arange(n_providers), axis=0)
    own = counts[:, optimal].copy()
    counts[:, optimal] = -1
    behind = np.flatnonzero(own <= counts.max(axis=1))
    last = -1 if not len(behind) else int(behind[-1])
    return math.inf if last + 1 == len(trace) else float(last + 2)


def radius_effects(
    setting: Setting, horizon: int, *, runs: int, seed: int = 0, radii: Iterable[str] = tuple(RADII)
) -> tuple[RadiusEffect, ...]:
    """Return the effect of every radius; runs of one number have the same outcomes under all of them.

    Parameters
    ----------
    setting : Setting
        With a unique cheapest qualified provider; its own radius plays no part.
    horizon, runs, seed : int
    radii : iterable of str, optional
        Default all.

    Examples
    --------
    >>> from bounds.published import published
    >>> paper, kl = radius_effects(published("gpqa-strong").setting, 4000, runs=2, radii=["paper", "kl"])
    >>> paper.identification_horizon, kl.identification_horizon
    (88614, 38367)
    >>> bool(kl.unqualified_share.mean() < paper.unqualified_share.mean())
    True
    """
    return tuple(_effect(_with_radius(setting, name), horizon, runs, seed) for name in radii)


def _with_radius(setting: Setting, name: str) -> Setting:
    return replace(setting, platform=replace(setting.platform, radius=name))


def _effect(setting: Setting, horizon: int, runs: int, seed: int) -> RadiusEffect:
    caps, episode = RadiusCaps(setting), CompiledEpisode(setting)
    tallies = episode.tallies(horizon=horizon, seed=seed, runs=range(runs))
    traces = (episode.trace(horizon=horizon, seed=seed, run=run) for run in range(runs))
    optimal = 0 if setting.optimal is None else setting.optimal

    def totals(field: ProviderField) -> NDArray[np.float64]:
        return np.array([tally.provider(field) for tally in tallies])

    with np.errstate(invalid="ignore"):
        auctions = totals(ProviderField.ORDINARY_PAYMENT).sum(axis=1) / totals(ProviderField.ORDINARY).sum(axis=1)
    return RadiusEffect(
        setting=setting.name,
        radius=setting.platform.radius,
        horizon=horizon,
        identification_bound=caps.identification_bound(horizon),
        identification_horizon=caps.identification_horizon,
        unqualified_share=totals(ProviderField.SELECTIONS)[:, list(setting.unqualified)].sum(axis=1) / horizon,
        amount_paid=totals(ProviderField.PAYMENT).sum(axis=1) / horizon,
        auction_payment=auctions,
        lead=np.array([lead_time(trace, setting.n_providers, optimal) for trace in traces]),
    )
