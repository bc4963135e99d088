"""`costproof bounds`: every theoretical quantity of the paper for a setting."""

from __future__ import annotations

import argparse
from typing import Any

from proofs_checks.cli.arguments import add_horizon, add_json, print_json


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "bounds",
        help="every theoretical quantity of the paper for a setting",
        allow_abbrev=False,
        description="Evaluate every bound of the paper for a setting at a horizon, with what does not apply and why.",
    )
    parser.add_argument("setting", metavar="SETTING", help="a built-in name or a TOML file")
    add_horizon(parser, "number of queries (default 70,000, the paper's)")
    parser.add_argument(
        "--method", choices=("paper", "sharp"), default="paper", help="as printed, or improved (docs/sharp.md)"
    )
    parser.add_argument("--latex", action="store_true", help="print the formulas as LaTeX as well")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from bounds.loading import load_setting
    from bounds.report import evaluate_bounds
    from proofs_checks.cli.commands.defaults import default_horizon

    setting = load_setting(arguments.setting)
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    data = evaluate_bounds(setting, horizon, arguments.method).to_data()
    if arguments.latex:
        data["latex"] = _latex(arguments.method)
    if arguments.json:
        print_json(data)
        return 0
    from proofs_checks.cli.views.simulation import show_bounds

    show_bounds(data)
    return 0


def _latex(method: str) -> dict[str, dict[str, str]]:
    """Return every formula of the method: LaTeX, source, range of validity."""
    from bounds.formulas.catalogue import all_formulas

    return {
        name: {
            "latex": formula.latex(),
            "source": formula.source,
            "valid": formula.valid,
            "unit": formula.quantity.unit,
        }
        for name, formula in all_formulas().items()
        if method == "sharp" or not name.startswith("sharp_")
    }
