"""What the paper promises for a setting."""

from __future__ import annotations

from bounds.published.defaults import default_horizon
from bounds.report import BoundsReport, evaluate_bounds
from costproof.arguments import AnySetting, setting_of

__all__ = ["bounds"]


def bounds(
    setting: AnySetting, horizon: int | None = None, *, method: str = "paper", advice: bool = False
) -> BoundsReport:
    """Evaluate every bound of the paper for a setting.

    Parameters
    ----------
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    horizon : int, optional
        T, the number of queries, from N to 2^52; default 70,000, the paper's, or N if that is larger.
    method : {"paper", "sharp", "sharpest", "sharpest-binary"}, optional
        As printed, or with improved bounds.
    advice : bool, optional
        Whether to search for changes of parameters that would make a silent guarantee say something (`helps`).
        It takes a tenth of a second or more for each guarantee.

    Returns
    -------
    BoundsReport
        Each bound with its value, whether it applies and why not, and what it is worth.

    Raises
    ------
    InputError
        There is no such setting or method, or the horizon is out of range.

    Examples
    --------
    >>> report = bounds("gpqa-strong")
    >>> report.horizon, report.identification_bound, report.identification_horizon
    (70000, 76846, 153697)
    """
    given = setting_of(setting)
    steps = default_horizon(given) if horizon is None else horizon
    return evaluate_bounds(given, horizon=steps, method=method, advice=advice)
