"""What a reader takes away: the setting as TOML, and the command that repeats what is shown."""

from __future__ import annotations

import re
import shlex

from bounds.setting.file import format_setting
from proofs_checks.explorer.controls import SimulatedMarket


def file_name(market: SimulatedMarket) -> str:
    """Return a name for the file of a market's setting: letters, digits, dots and dashes.

    Examples
    --------
    >>> from bounds.published import published
    >>> file_name(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500))
    'gpqa-strong.toml'
    """
    stem = re.sub(r"[^A-Za-z0-9.-]+", "-", market.exported.name)[:60].strip("-.")
    return f"{stem or 'setting'}.toml"


def setting_text(market: SimulatedMarket) -> str:
    """Return the setting that was simulated as the text of a setting file.

    Its names hide nothing: what cannot be seen is escaped. Where the bidders needed a wider radius, it has that one.
    """
    comment = f"# {market.widening}\n" if market.widening else ""
    return comment + format_setting(market.exported)


def command(market: SimulatedMarket) -> str:
    """Return the command that simulates the same runs, from the exported file, and writes their curves.

    Examples
    --------
    >>> from bounds.published import published
    >>> command(SimulatedMarket(setting=published("gpqa-strong").setting, horizon=500, runs=3, seed=7))
    'costproof simulate gpqa-strong.toml --horizon 500 --runs 3 --policy platform --seed 7 --curves curves.csv'
    """
    words = ["costproof", "simulate", file_name(market), "--horizon", market.horizon, "--runs", market.runs]
    for policy in market.policies:
        words += ["--policy", policy]
    if market.bidders != "truthful":
        words += ["--bidders", market.bidders, *["--keep-gamma"] * (market.keep_gamma and bool(market.widening))]
    words += ["--seed", market.seed, "--curves", "curves.csv"]
    return shlex.join(map(str, words))
