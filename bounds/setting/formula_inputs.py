"""The inputs of every formula, taken from a setting."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from bounds.language.evaluation import KNOWN, Known
from bounds.radii.names import RADII
from bounds.setting.model import Setting


def formula_inputs(setting: Setting, among: Collection[int] | None = None) -> dict[str, Any]:
    """Return the values that formulas need, by quantity name.

    Parameters
    ----------
    setting : Setting
    among : collection of int, optional
        Keep only these providers in the arrays of unqualified providers and competitors (default: all).

    Returns
    -------
    dict
        Platform parameters, the radius by its place in `bounds.radii.names.RADII`, ``n_providers``, the qualities and
        costs of unqualified providers and competitors as arrays in the order of their indices, and ``optimal_cost``
        and ``second_lowest_cost`` where they exist; and what formulas have found for these inputs,
        `bounds.language.evaluation.Known`.

    Examples
    --------
    >>> from bounds.published import published
    >>> values = formula_inputs(published("gpqa-strong").setting)
    >>> values["n_providers"], len(values["competitor_cost"])
    (4, 1)
    """
    providers, chosen = setting.providers, None if among is None else set(among)
    unqualified = [providers[i] for i in setting.unqualified if chosen is None or i in chosen]
    competitors = [providers[i] for i in setting.competitors if chosen is None or i in chosen]
    values: dict[str, Any] = {
        **{name: value for name, value in vars(setting.platform).items() if name != "radius"},
        "radius_choice": list(RADII).index(setting.platform.radius),
        "n_providers": setting.n_providers,
        "n_qualified": len(setting.qualified),
        "unqualified_quality": np.array([p.quality for p in unqualified], dtype=float),
        "unqualified_cost": np.array([p.mean_cost for p in unqualified], dtype=float),
        "competitor_cost": np.array([p.mean_cost for p in competitors], dtype=float),
    }
    if setting.optimal is not None:
        values["optimal_cost"] = providers[setting.optimal].mean_cost
    if setting.second_lowest_cost is not None:
        values["second_lowest_cost"] = setting.second_lowest_cost
    return values | {KNOWN: Known(values)}
