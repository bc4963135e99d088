"""`costproof settings`: the built-in settings, as a table or as TOML to edit."""

from __future__ import annotations

import argparse
from typing import Any

from proofs_checks.cli import output as standard_output
from proofs_checks.cli.arguments import add_json, print_json


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "settings",
        help="list the built-in settings, or print one as TOML",
        allow_abbrev=False,
        description="List the paper's five settings; with NAME, print that setting as TOML, ready to edit.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="a built-in name, or a TOML file to normalize")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from bounds.loading import load_setting
    from bounds.setting.file import format_setting

    if arguments.name is None:
        return _list(arguments.json)
    setting = load_setting(arguments.name)
    if arguments.json:
        print_json(setting.to_data())
    else:
        standard_output.write(format_setting(setting))
    return 0


def _list(as_json: bool) -> int:
    from bounds.published import PUBLISHED_NAMES, published

    rows = [_row(published(name)) for name in PUBLISHED_NAMES]
    if as_json:
        print_json({"settings": rows})
        return 0
    from proofs_checks.cli.views.simulation import show_settings

    show_settings(rows)
    return 0


def _row(paper: Any) -> dict[str, Any]:
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
