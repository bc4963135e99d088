"""Two policies compared on common outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bounds.loading import AnySetting
from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from mechanism.campaign.spec import Campaign
from mechanism.comparison.compare import Comparison, compare_policies
from mechanism.settings import load_setting
from proofs_checks.conformance.own_policies import own_policies


def compare(
    policies: Sequence[str],
    setting: AnySetting,
    *,
    horizon: int | None = None,
    metrics: str | Iterable[str] = (),
    runs: int = 1000,
    error: float = 0.05,
    seed: int = 0,
) -> Comparison:
    """Play pairs of runs under two policies, until it is known of every metric which policy has the lower expectation.

    Parameters
    ----------
    policies : sequence of str
        Two names of policies, or ``MODULE:OBJECT`` of a mechanism as `play` takes it.
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    horizon : int, optional
        T, the number of queries of a run; default 70,000, the paper's, or N if that is larger.
    metrics : str or iterable of str, optional
        Of `mechanism.comparison.ranges.COMPARED`; default the regrets of quality and of cost, and the amount paid.
    runs : int, optional
        The most pairs of runs.
    error : float, optional
        How probable any wrong interval or decision is at most, whenever one stops.
    seed : int, optional
        Both policies meet the same market in the same run.

    Returns
    -------
    Comparison
        An interval for the expected difference of each metric, and after how many pairs its sign was known.

    Raises
    ------
    InputError
        There is no such setting, policy or metric, or a number is out of range.
    proofs_checks.conformance.play.subject.MechanismError
        A mechanism raised, took too long, or gave no valid answer.

    Examples
    --------
    >>> found = compare(("uniform-eligible", "lowest-price"), "gpqa-strong", horizon=2_000)
    >>> found.metrics[0].lower, found.runs < 100
    ('uniform-eligible', True)
    """
    given = load_setting(setting)
    steps = default_horizon(given) if horizon is None else horizon
    check_horizon(given, steps)
    with own_policies(policies) as own:
        campaign = Campaign(
            given,
            horizon=steps,
            runs=runs,
            seed=seed,
            window=default_window(given, steps),
            policies=tuple(policies),
            own_policies=own,
        )
        return compare_policies(campaign, metrics=[metrics] if isinstance(metrics, str) else list(metrics), error=error)
