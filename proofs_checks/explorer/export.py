"""What a reader takes away: the setting as TOML, and the command that repeats what is shown."""

from __future__ import annotations

import re
import shlex

from bounds.setting.file import format_setting
from proofs_checks.explorer.controls import Market


def file_name(market: Market) -> str:
    """Return a name for the file of a market's setting: letters, digits, dots and dashes.

    Examples
    --------
    >>> from bounds.published import published
    >>> file_name(Market(setting=published("gpqa-strong").setting, horizon=500))
    'gpqa-strong.toml'
    """
    stem = re.sub(r"[^A-Za-z0-9.-]+", "-", market.exported.name)[:60].strip("-.")
    return f"{stem or 'setting'}.toml"


def setting_text(market: Market) -> str:
    """Return the setting that was simulated as the text of a setting file.

    Its names hide nothing: what cannot be seen is escaped. Where the bidders needed a wider radius, it has that one.
    """
    comment = f"# {widened(market)}\n" if widened(market) else ""
    return comment + format_setting(market.exported)


def widened(market: Market) -> str:
    """Return by how much the bidders widened the platform's radius; empty where it was wide enough.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> widened(Market(setting=setting, horizon=500, bidders="bayesian"))
    'γ = 0 does not cover the prior of bayesian bidders; the platform is widened by γ = 0.2631.'
    >>> widened(Market(setting=setting, horizon=500))
    ''
    """
    given, used = (each.platform.belief_slack for each in (market.setting, market.prepared))
    if given == used:
        return ""
    return (
        f"γ = {given:.4g} does not cover the prior of {market.bidders} bidders; the platform is widened by "
        f"γ = {used:.4g}."
    )


def command(market: Market) -> str:
    """Return the command that simulates the same runs, from the exported file, and writes their curves.

    Examples
    --------
    >>> from bounds.published import published
    >>> command(Market(setting=published("gpqa-strong").setting, horizon=500, runs=3, seed=7))
    'costproof simulate gpqa-strong.toml --horizon 500 --runs 3 --policy platform --seed 7 --curves curves.csv'
    """
    words = ["costproof", "simulate", file_name(market), "--horizon", market.horizon, "--runs", market.runs]
    for policy in market.policies:
        words += ["--policy", policy]
    if market.bidders != "truthful":
        words += ["--bidders", market.bidders]
    words += ["--seed", market.seed, "--curves", "curves.csv"]
    return shlex.join(map(str, words))
