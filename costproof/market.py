"""Play a setting's market once or many times, read what a platform has logged, and measure either."""

from __future__ import annotations

import os
from collections.abc import Iterable

from bounds.loading import AnySetting
from bounds.published.defaults import default_horizon, default_window
from bounds.report import check_horizon
from costproof.arguments import AnyTrace, trace_of
from mechanism.campaign.run import run_campaign
from mechanism.campaign.spec import Campaign
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics import measures
from mechanism.metrics.curves import Curves
from mechanism.metrics.measures import Metrics
from mechanism.policies import Policy, find_policy
from mechanism.settings import load_setting
from mechanism.tabular import traces
from mechanism.trace import Trace


def simulate(
    setting: AnySetting, horizon: int | None = None, *, policy: str | Policy = "platform", seed: int = 0, run: int = 0
) -> Trace:
    """Play one run of a setting with truthful providers, compiled: equal to plain Python to the last bit.

    Parameters
    ----------
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    horizon : int, optional
        T, the number of queries, from 1 to 10^8; default 70,000, the paper's, or N if that is larger.
    policy : str or Policy, optional
        ``"platform"`` (default), ``"uniform-eligible"``, ``"lowest-price-eligible"``, ``"lowest-price"`` or
        ``"no-quality-filter"``.
    seed, run : int, optional
        Key of the run's randomness. Every policy meets the same market in the same run.

    Returns
    -------
    Trace
        Who served, what was paid, the score, the bid left behind and the cost, one row per query.

    Raises
    ------
    InputError
        There is no such setting or policy, a number is out of range, or the policy needs a listed price.

    See Also
    --------
    mechanism.compiled.episode.CompiledEpisode : other bidders and markets, and many runs without their traces.
    mechanism.campaign.spec.Campaign : runs of several policies, kept on disk and resumed.

    Examples
    --------
    >>> trace = simulate("gpqa-strong", horizon=1_000, seed=1)
    >>> len(trace), trace.payment[:2].tolist()  # the first queries initialize and pay the cost bound
    (1000, [75.008, 75.008])
    """
    given, chosen = load_setting(setting), find_policy(policy)
    chosen.check(given)
    steps = default_horizon(given) if horizon is None else horizon
    return CompiledEpisode(given, chosen).trace(horizon=steps, seed=seed, run=run)


def curves(
    setting: AnySetting,
    horizon: int | None = None,
    *,
    runs: int = 30,
    policies: str | Iterable[str] = (),
    seed: int = 0,
    window: int | None = None,
    jobs: int = 1,
    out: str | os.PathLike[str] | None = None,
) -> dict[str, Curves]:
    """Play runs of a setting with truthful providers, and return what the paper measures of them over time.

    Parameters
    ----------
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    horizon : int, optional
        T, at least N; default 70,000, the paper's, or N if that is larger.
    runs : int, optional
        R; default 30, the paper's. Run r is that of ``simulate(..., seed=seed, run=r)``.
    policies : str or iterable of str, optional
        One policy or several; default all that the setting's listed prices allow.
    seed : int, optional
        Every policy meets the same market in the same run.
    window : int, optional
        Queries of the moving averages; default the benchmark's size, or T/50 where none is known.
    jobs : int, optional
        Threads; they change no result.
    out : str or path-like, optional
        Folder of a campaign (``costproof simulate --out``), from which finished runs are read and to which new ones
        are added, without traces.

    Returns
    -------
    dict of str to Curves
        By policy: arrays of shape (runs, steps), after about a hundred log-spaced steps from N to T, one pass over the
        benchmark among them.

    Raises
    ------
    InputError
        There is no such setting or policy, a number is out of range, a policy needs a listed price, or the folder holds
        another campaign.

    Examples
    --------
    >>> platform = curves("gpqa-strong", horizon=2_000, runs=5, policies="platform")["platform"]
    >>> platform
    Curves(5 runs, 91 steps from 4 to 2000)
    >>> low, high = platform.band("amount_paid_moving", 0.1, 0.9)
    >>> bool(low[-1] <= platform.median("amount_paid_moving")[-1] <= high[-1])
    True
    """
    given = load_setting(setting)
    steps = default_horizon(given) if horizon is None else horizon
    check_horizon(given, steps)
    campaign = Campaign(
        given,
        horizon=steps,
        runs=runs,
        seed=seed,
        window=default_window(given, steps) if window is None else window,
        policies=(policies,) if isinstance(policies, str) else tuple(policies),
    )
    folder = None if out is None else os.fspath(out)
    found = run_campaign(campaign, jobs=jobs, out=folder, traces=False, curves=True).curves
    return {policy: band for (_, policy), band in found.items()}


def measure(
    setting: AnySetting, trace: AnyTrace, *, window: int | None = None, policy: str | Policy = "platform"
) -> Metrics:
    """Return the paper's metrics of a trace.

    Parameters
    ----------
    setting : Setting, PublishedSetting, str or path-like
        A setting, a built-in name, or the path of a TOML file.
    trace : Trace, str, path-like or iterable of Trace
        A trace, the path of a recorded log, or its consecutive parts; with costs, and at least N steps long.
    window : int, optional
        Queries of the moving averages; default the benchmark's size, or a fiftieth of the trace where none is known.
    policy : str or Policy, optional
        Says whether there were exploration steps and a quality filter; default ``"platform"``.

    Returns
    -------
    Metrics
        Regrets and excess payments are cumulative; costs and payments are per query.

    Raises
    ------
    InputError
        The trace has no costs or is too short, or an argument is nothing of the above.

    Examples
    --------
    >>> found = measure("gpqa-strong", simulate("gpqa-strong", horizon=10_000))
    >>> found.window, 0 < found.accuracy < 1
    (546, True)
    """
    given, chosen = load_setting(setting), find_policy(policy)
    whole = trace_of(trace, given)
    length = default_window(given, len(whole)) if window is None else window
    return measures.measure(given, whole, window=length, policy=chosen)


def read_trace(path: str | os.PathLike[str], setting: AnySetting) -> Trace:
    """Read a recorded log of a platform.

    Parameters
    ----------
    path : str or path-like
        A ``.csv``, ``.jsonl``, ``.ndjson`` (each also with ``.gz``) or ``.parquet`` file with the columns step (1, 2,
        ...), provider, payment, score, bid and, optionally, cost.
    setting : Setting, PublishedSetting, str or path-like
        Whose providers served: a setting, a built-in name, or the path of a TOML file.

    Raises
    ------
    InputError
        The file cannot be read or breaks a rule; the line, the column, the value, the rule and the remedy are named.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as log:
    ...     _ = log.write("step,provider,payment,score,bid\\n1,Qwen2.5-7B,75.008,1,20.5\\n")
    ...     log.flush()
    ...     read_trace(log.name, "gpqa-strong").provider.tolist()
    [3]
    """
    return traces.read_trace(path, load_setting(setting))
