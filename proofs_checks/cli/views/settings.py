"""What `costproof settings` prints of the built-in settings."""

from __future__ import annotations

from collections.abc import Iterable

from bounds.published import PublishedSetting
from bounds.words import number
from proofs_checks.cli.views.console import console, say, show, table

_TITLE = "Money in 1e-6 USD per query; |Q| of N providers are qualified"
_HEAD = ("name", "N", "|Q|", "q_min", "c_max", "cheapest qualified", "2nd cost")


def show_settings(papers: Iterable[PublishedSetting]) -> None:
    """Print the built-in settings."""
    screen = console()
    found = table(_TITLE, dict.fromkeys(_HEAD, "whole"))
    for paper in papers:
        setting = paper.setting
        found.add_row(
            setting.name,
            str(setting.n_providers),
            str(len(setting.qualified)),
            f"{setting.platform.quality_threshold:g}",
            f"{setting.platform.cost_bound:g}",
            paper.optimal_provider,
            number(setting.second_lowest_cost),
        )
    say(screen, f"{found.row_count} settings of the paper are built in; each name serves wherever SETTING stands.")
    show(screen, found)
    say(screen, "Next: costproof bounds gsm8k-full")
    say(screen, "or:   costproof settings NAME > my-market.toml")
    say(screen, "(one as TOML, ready to edit)", indent=6)
