"""The table of `costproof settings`."""

from __future__ import annotations

from collections.abc import Iterable

from bounds.published import PublishedSetting
from proofs_checks.cli.views.console import console, number, table


def show_settings(papers: Iterable[PublishedSetting]) -> None:
    """Print the built-in settings."""
    columns = {"name": "whole", "benchmark": "", "N": "right", "|Q|": "right", "q_min": "right", "c_max": "right"}
    found = table(
        "Built-in settings (money in 1e-6 USD per query; c_(2): the second-lowest cost)",
        columns | {"optimal provider": "whole", "c_(2)": "right"},
    )
    for paper in papers:
        setting = paper.setting
        found.add_row(
            setting.name,
            f"{paper.benchmark} {paper.roster.replace('-', ' ')}",
            str(setting.n_providers),
            str(len(setting.qualified)),
            f"{setting.platform.quality_threshold:g}",
            f"{setting.platform.cost_bound:g}",
            paper.optimal_provider,
            number(setting.second_lowest_cost),
        )
    screen = console()
    screen.print(found)
    screen.print("costproof settings NAME prints one as TOML, ready to edit.", style="dim")
