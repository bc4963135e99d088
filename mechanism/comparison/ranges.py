"""How much a metric of one run can differ between two policies: known before anything is played."""

from __future__ import annotations

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.comparison.names import COMPARED
from mechanism.metrics.measures import cost_excesses, quality_shortfalls


def largest_value(metric: str, setting: Setting, *, horizon: int, largest_payment: float) -> float | None:
    """Return what a metric of one run is at most; it is at least 0. None where the setting does not define it.

    Parameters
    ----------
    metric : str
        One of `COMPARED`.
    setting : Setting
        Scores lie in [0, 1] and costs in [0, c_max].
    horizon : int
        T, the number of queries.
    largest_payment : float
        What a user pays for a query at most, money; at least 0 is paid.

    Raises
    ------
    InputError
        The metric is none of these.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> largest_value("accuracy", setting, horizon=1000, largest_payment=75.0)
    1.0
    >>> regret = largest_value("quality_regret", setting, horizon=1000, largest_payment=75.0)
    >>> regret == 1000 * (setting.platform.quality_threshold - min(each.quality for each in setting.providers))
    True
    """
    if metric not in COMPARED:
        remedy = "these are the metrics with a range that is known beforehand"
        raise InputError("metrics", metric, f"must be one of {', '.join(COMPARED)}", remedy)
    second, excesses = setting.second_lowest_cost, cost_excesses(setting)
    largest: dict[str, float | None] = {
        "quality_regret": horizon * float(quality_shortfalls(setting).max()),
        "generation_regret": None if excesses is None else horizon * float(excesses.max()),
        "amount_paid": largest_payment,
        "generation_cost": setting.platform.cost_bound,
        "share_of_optimal": None if setting.optimal is None else 1.0,
        "excess_payment": None if second is None else horizon * max(largest_payment - second, 0.0),
    }
    return largest.get(metric, 1.0)
