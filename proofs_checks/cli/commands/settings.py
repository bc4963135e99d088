"""`costproof settings`: the built-in settings, as a table or as TOML to edit."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from proofs_checks.cli.output import print_json, write

if TYPE_CHECKING:
    from bounds.published import PublishedSetting

SUMMARY = "list the built-in settings, or print one as TOML"
DESCRIPTION = "List the paper's five settings; with NAME, print that setting as TOML, ready to edit."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("setting", nargs="?", metavar="NAME", help="a built-in name, or a TOML file to normalize")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from bounds.loading import load_setting
    from bounds.published import PUBLISHED_NAMES, published
    from bounds.setting.file import format_setting

    if arguments.setting is None:
        return _list([published(name) for name in PUBLISHED_NAMES], arguments.json)
    setting = load_setting(arguments.setting)
    if arguments.json:
        print_json(setting.to_data())
    else:
        write(format_setting(setting))
    return 0


def _list(papers: list[PublishedSetting], as_json: bool) -> int:
    if as_json:
        print_json({"settings": [_row(paper) for paper in papers]})
    else:
        from proofs_checks.cli.views.settings import show_settings

        show_settings(papers)
    return 0


def _row(paper: PublishedSetting) -> dict[str, Any]:
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
