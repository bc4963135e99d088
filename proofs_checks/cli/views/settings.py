"""The table of `costproof settings`."""

from __future__ import annotations

from collections.abc import Iterable

from bounds.published import PublishedSetting
from proofs_checks.cli.views.console import console, number, say, show, table


def show_settings(papers: Iterable[PublishedSetting]) -> None:
    """Print the built-in settings."""
    papers = list(papers)
    screen = console()
    say(screen, f"{len(papers)} settings of the paper are built in; each name serves wherever SETTING stands.")
    found = table(
        "Money in 1e-6 USD per query; |Q| of N providers are qualified",
        {"name": "whole", "N": "whole", "|Q|": "whole", "q_min": "whole", "c_max": "whole"}
        | {"cheapest qualified": "whole", "2nd cost": "whole"},
    )
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
    show(screen, found)
    say(screen, "Next: costproof bounds gsm8k-full")
    say(screen, "or:   costproof settings NAME > my-market.toml")
    say(screen, "(one as TOML, ready to edit)", indent=6)
