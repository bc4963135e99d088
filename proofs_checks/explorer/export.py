"""What a reader takes away: the setting as TOML, and the command that repeats what is shown."""

from __future__ import annotations

import re
import shlex

from bounds.setting.file import format_setting
from bounds.setting.model import Setting
from proofs_checks.explorer.controls import Market


def file_name(setting: Setting) -> str:
    """Return a name for the setting's file: letters, digits, dots and dashes.

    Examples
    --------
    >>> from bounds.published import published
    >>> file_name(published("gpqa-strong").setting)
    'gpqa-strong.toml'
    """
    stem = re.sub(r"[^A-Za-z0-9.-]+", "-", setting.name)[:60].strip("-.")
    return f"{stem or 'setting'}.toml"


def setting_text(market: Market) -> str:
    """Return the setting as the text of a setting file, whose names hide nothing: what cannot be seen is escaped."""
    return format_setting(market.setting)


def command(market: Market) -> str:
    """Return the command that simulates the same runs, from the exported file, and writes their curves.

    Examples
    --------
    >>> from bounds.published import published
    >>> command(Market(setting=published("gpqa-strong").setting, horizon=500, runs=3, seed=7))
    'costproof simulate gpqa-strong.toml --horizon 500 --runs 3 --policy platform --seed 7 --curves curves.csv'
    """
    words = ["costproof", "simulate", file_name(market.setting), "--horizon", market.horizon, "--runs", market.runs]
    for policy in market.policies:
        words += ["--policy", policy]
    if market.bidders != "truthful":
        words += ["--bidders", market.bidders]
    words += ["--seed", market.seed, "--curves", "curves.csv"]
    return shlex.join(map(str, words))
