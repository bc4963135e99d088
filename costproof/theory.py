"""What the paper promises for a setting, and how probable it is that what this rests on fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.loading import AnySetting
from bounds.published.defaults import default_horizon
from bounds.report import BoundsReport, evaluate_bounds
from mechanism.settings import load_setting
from proofs_checks.proofs.kernel.formulas import check_formulas

if TYPE_CHECKING:
    from proofs_checks.coverage.report import CoverageReport


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
    method : {"paper", "sharp", "sharpest"}, optional
        As printed, or with improved bounds.
    advice : bool, optional
        Whether to search for changes of parameters that would make a guarantee informative (`helps`).
        It takes a tenth of a second or more for each guarantee.

    Returns
    -------
    BoundsReport
        Each bound with its value, whether it applies and why not, and what it is worth.

    Raises
    ------
    InputError
        There is no such setting or method, the horizon is out of range, or a formula is not the one that Coq has.

    Examples
    --------
    >>> report = bounds("gpqa-strong")
    >>> report.horizon, report.identification_bound, report.identification_horizon
    (70000, 76846, 153697)
    """
    check_formulas()
    given = load_setting(setting)
    steps = default_horizon(given) if horizon is None else horizon
    return evaluate_bounds(given, horizon=steps, method=method, advice=advice)


def coverage(setting: AnySetting, horizon: int = 70_000) -> CoverageReport:
    """Compute how probable it is that the confidence bands of a setting fail, against what delta allows.

    Parameters
    ----------
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    horizon : int, optional
        Selection count up to which scores of 0 and 1 are followed exactly, at most 1,000,000; beyond, a bound.

    Returns
    -------
    CoverageReport
        Budget and failure of every provider, the law of elimination of the unqualified, and the total.

    Raises
    ------
    InputError
        There is no such setting, or the horizon is out of range.

    Examples
    --------
    >>> report = coverage("gpqa-strong", 1_000)
    >>> 1e-6 < report.total_at_least < report.total < 1e-5
    True
    """
    # Numba and the laws of costs take a third of a second, which `bounds` need not pay.
    from proofs_checks.coverage.report import coverage as computed

    return computed(load_setting(setting), counts=horizon)
