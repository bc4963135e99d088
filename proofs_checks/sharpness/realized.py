"""What simulated runs of a setting amounted to: the quantities that the guarantees bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics.measures import measure

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Realized:
    """Quantities of many runs of a setting, one entry per run.

    Parameters
    ----------
    horizon : int
        T of the runs.
    of : mapping of str to array of float, shape (R,)
        By the names of `bounds.report.THEOREMS`, and `identification_horizon`: the query from which i* led to the end,
        infinite if it did not lead then. Nothing where the setting has no unique i* and second-lowest cost.
    selections : array of float, shape (R, N)
        Selections after initialization.
    """

    horizon: int
    of: Mapping[str, Floats]
    selections: Floats

    @property
    def runs(self) -> int:
        """How many runs there were."""
        return len(self.selections)


def realized(setting: Setting, *, horizon: int, runs: int, seed: int) -> Realized:
    """Simulate runs of a setting with truthful bids and its own laws, and return what they amounted to.

    Parameters
    ----------
    setting : Setting
        With a unique optimal provider and a second qualified one.
    horizon : int
        T.
    runs, seed : int

    Examples
    --------
    >>> from bounds.published import published
    >>> found = realized(published("gpqa-strong").setting, horizon=2_000, runs=2, seed=0)
    >>> sorted(found.of)[:2], found.selections.sum(axis=1).tolist()
    (['average_payment_deviation', 'excess_payment'], [1996.0, 1996.0])
    """
    episode = CompiledEpisode(setting)
    names = ("quality_regret", "generation_regret", "excess_payment", "average_payment_deviation", "exploration_steps")
    of: dict[str, list[float]] = {name: [] for name in (*names, "identification", "identification_horizon")}
    selections = []
    for run in range(runs):
        trace = episode.trace(horizon=horizon, seed=seed, run=run)
        found = measure(setting, trace, window=horizon)
        after = np.array(found.selections) - 1.0
        selections.append(after)
        for name in names:
            of[name].append(float(getattr(found, name)))
        of["identification"].append(float(after.sum() - after[setting.optimal]))
        of["identification_horizon"].append(leads_from(setting, trace.provider))
    return Realized(
        horizon=horizon, of={name: np.array(values) for name, values in of.items()}, selections=np.array(selections)
    )


def leads_from(setting: Setting, served: NDArray[np.int64]) -> float:
    """Return the query from which i* has more selections than any other to the end; infinite if it has not at the end.

    Examples
    --------
    >>> from bounds.setting.model import PlatformParameters, Provider, Setting
    >>> providers = (Provider("dear", 0.9, 3.0), Provider("cheap", 0.9, 1.0))
    >>> setting = Setting("two", PlatformParameters(0.5, 0.05, 4.0, 1.0, 0.75), providers)
    >>> leads_from(setting, np.array([0, 0, 1, 1, 1, 0, 1])), leads_from(setting, np.array([1, 0]))
    (7.0, inf)
    """
    ahead = np.full(len(served), np.iinfo(np.int64).max)
    own = np.cumsum(served == setting.optimal)
    for rival in set(range(setting.n_providers)) - {setting.optimal}:
        np.minimum(ahead, own - np.cumsum(served == rival), out=ahead)
    behind = np.flatnonzero(ahead <= 0)
    last = int(behind[-1]) + 1 if len(behind) else 0
    return float(last + 1) if last < len(served) else np.inf
