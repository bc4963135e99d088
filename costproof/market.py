"""Play a setting's market, read what a platform has logged, and measure either."""

from __future__ import annotations

import os

from bounds.published.defaults import default_horizon, default_window
from costproof.arguments import AnySetting, AnyTrace, setting_of, trace_of
from mechanism.compiled.episode import CompiledEpisode
from mechanism.metrics import measures
from mechanism.metrics.measures import Metrics
from mechanism.policies import Policy, find_policy
from mechanism.tabular import traces
from mechanism.trace import Trace

__all__ = ["measure", "read_trace", "simulate"]


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
    mechanism.campaign.run.Campaign : runs of several policies, kept on disk and resumed.

    Examples
    --------
    >>> trace = simulate("gpqa-strong", horizon=1_000, seed=1)
    >>> len(trace), trace.payment[:2].tolist()  # the first queries initialize and pay the cost bound
    (1000, [75.008, 75.008])
    """
    given, chosen = setting_of(setting), find_policy(policy)
    chosen.check(given)
    steps = default_horizon(given) if horizon is None else horizon
    return CompiledEpisode(given, chosen).trace(horizon=steps, seed=seed, run=run)


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
    given, chosen = setting_of(setting), find_policy(policy)
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
    return traces.read_trace(path, setting_of(setting))
