"""Every metric over time that follows from the curves of runs, those among them that the theory bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.metrics.curves import CURVE_NAMES, Curves


def over_time(setting: Setting, curves: Curves, metric: str) -> NDArray[np.float64]:
    """Return a metric of every run over time, shape (R, C); NaN where it is not defined.

    Parameters
    ----------
    setting : Setting
    curves : Curves
    metric : str
        A curve, ``"other_selections"`` (queries after initialization that the optimal provider did not serve) or
        ``"average_payment_deviation"``.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> from mechanism.metrics.curves import trace_curves
    >>> setting = published("gpqa-strong").setting
    >>> curves = trace_curves(setting, simulate(setting, horizon=600, seed=0), window=50, margin=0.25)
    >>> over_time(setting, curves, "other_selections")[0, -1] == 596 - (curves.selections[0, -1, 2] - 1)
    np.True_
    """
    if metric in CURVE_NAMES:
        return np.asarray(curves[metric], dtype=float)
    optimal, second = setting.optimal, setting.second_lowest_cost
    if optimal is None or (second is None and metric == "average_payment_deviation"):
        return np.full(curves.quality_regret.shape, np.nan)
    if second is not None and metric == "average_payment_deviation":
        # |x| is twice the positive part of x, less x.
        return np.asarray(2 * curves.excess_payment / curves.steps - (curves.amount_paid - second))
    # Each provider serves once in initialization; what is counted comes after it.
    return np.asarray(curves.steps - setting.n_providers - (curves.selections[:, :, optimal] - 1), dtype=float)
