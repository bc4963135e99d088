"""The counts of many settings whose confidence radius is not the paper's, by `bounds.radius_caps.RadiusCaps`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.identification import lasting_horizons
from bounds.formulas.selection import EXPLORATION_CAP
from bounds.grid.columns import Floats, SettingColumns
from bounds.radius_caps import RadiusCaps

#: Numbers on which the caps of a provider by quality and by cost do not depend.
_OF_EXPLORATION = frozenset(("exploration_scale", "exploration_exponent"))


def counts_of_other_radius(
    columns: SettingColumns,
    qualified: NDArray[np.bool_],
    optimal: NDArray[np.int64],
    wanted: Collection[str],
    latest: int,
) -> Mapping[str, Floats]:
    """Return the wanted counts of settings, by name; infinite where nothing bounds them.

    Parameters
    ----------
    columns : SettingColumns
        Their base has the radius.
    qualified : array of bool, shape (S, N)
    optimal : array of int, shape (S,)
        The index of i*; -1 where it is not unique.
    wanted : collection of str
        Of ``identification``, ``identification_horizon``, ``exploration_cap``, ``exploration_steps`` and
        ``unqualified_queries``; others are left out.
    latest : int
        A T_id that is later is not looked for.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from bounds.published import published
    >>> base = published("gpqa-strong").setting
    >>> base = replace(base, platform=replace(base.platform, radius="beta-binomial"))
    >>> columns = SettingColumns(base=base, horizon=np.array([70_000]))
    >>> qualified, optimal = columns.qualities >= base.platform.quality_threshold, np.array([base.optimal])
    >>> found = counts_of_other_radius(columns, qualified, optimal, ["identification_horizon"], 2**52)
    >>> found["identification_horizon"].tolist()
    [14099.0]
    """
    size, n = len(columns), columns.base.n_providers
    elimination, auctions = _static_caps(columns)
    known = np.flatnonzero(optimal >= 0)
    given = {
        "n_providers": np.full(size, float(n)),
        **{name: np.broadcast_to(columns.of_platform(name), (size,)) for name in _OF_EXPLORATION},
    }

    def explored(horizon: Any) -> Floats:
        return np.asarray(EXPLORATION_CAP(given, horizon=horizon))

    def caps(horizon: Any) -> Floats:
        found = np.minimum(elimination, np.maximum(auctions, explored(horizon)[..., None]))
        found[..., known, optimal[known]] = 0.0
        return found

    def lead(tried: Any) -> Floats:
        found = caps(tried)
        return np.asarray(found.sum(axis=-1) + found.max(axis=-1))

    horizons = columns.horizon.astype(float)
    counts: dict[str, Callable[[], Floats]] = {
        "identification": lambda: caps(horizons).sum(axis=1),
        "identification_horizon": lambda: lasting_horizons(lead, n, size, latest=latest),
        "exploration_cap": lambda: explored(horizons),
        "exploration_steps": lambda: np.minimum(explored(horizons)[:, None], elimination).sum(axis=1),
        "unqualified_queries": lambda: np.where(qualified, 0.0, caps(horizons) + 1).sum(axis=1),
    }
    return {name: counts[name]() for name in counts.keys() & set(wanted)}


def _static_caps(columns: SettingColumns) -> tuple[Floats, Floats]:
    """Return M_i and L_i of every provider in every setting, shape (S, N); infinite where there is none."""
    shape = (len(columns), columns.base.n_providers)
    if columns.quality is None and columns.mean_cost is None and columns.platform.keys() <= _OF_EXPLORATION:
        one = _caps_of(columns, 0)
        return np.broadcast_to(one[0], shape), np.broadcast_to(one[1], shape)
    found = np.array([_caps_of(columns, row) for row in range(len(columns))])
    return found[:, 0], found[:, 1]


def _caps_of(columns: SettingColumns, row: int) -> Floats:
    caps = RadiusCaps(columns.setting(row))
    found = np.full((2, columns.base.n_providers), np.inf)
    for table, named in zip(found, (caps.elimination, caps.auctions), strict=True):
        for index, count in named.items():
            table[index] = count
    return found
