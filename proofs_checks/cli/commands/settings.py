"""`costproof settings`: the built-in settings, as a table or as TOML to edit."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bounds.sheet import Sheet
from proofs_checks.cli.arguments import SETTING_NAMES, Options
from proofs_checks.cli.output import tell, write

if TYPE_CHECKING:
    from bounds.published import PublishedSetting
    from proofs_checks.cli.views.settings import PublishedRow

DESCRIPTION = "List the paper's five settings; with a name, print that setting as TOML, ready to edit."


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("setting NAME", SETTING_NAMES, nargs="?")
    add.removed("--generations", "`costproof market --answers PATH` prints the setting of recorded answers")
    add.tables("a row for every setting, with NAME for each of its providers")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from bounds.published import PUBLISHED_NAMES, published
    from bounds.setting.file import format_setting
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.views.settings import show_settings

    if arguments.setting is None:
        papers = [published(name) for name in PUBLISHED_NAMES]
        rows = [_row(paper) for paper in papers]
        title = "Built-in settings (money in 1e-6 USD per query)"
        tell(arguments, lambda: {"settings": rows}, lambda: show_settings(papers), lambda: _sheet(title, rows))
    else:
        setting = setting_named(arguments.setting)
        providers = setting.point.to_data()["provider"]
        title = f"Providers of {setting.name}"
        tell(arguments, setting.to_data, lambda: write(format_setting(setting)), lambda: _sheet(title, providers))
    return 0


def _sheet(title: str, rows: Sequence[Mapping[str, Any]]) -> Sheet:
    return Sheet.of(title, list(rows[0]), rows, key="name")


def _row(paper: PublishedSetting) -> PublishedRow:
    setting = paper.setting
    return {
        "name": setting.name,
        "benchmark": paper.benchmark,
        "roster": paper.roster,
        "questions": paper.questions,
        "n_providers": setting.n_providers,
        "n_qualified": len(setting.qualified),
        "quality_threshold": setting.platform.quality_threshold,
        "cost_bound": setting.platform.cost_bound,
        "optimal_provider": paper.optimal_provider,
        "second_lowest_cost": setting.second_lowest_cost,
    }
