"""`costproof bounds`: every theoretical quantity of the paper for a setting."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from proofs_checks.cli.arguments import add_horizon, add_setting, option_adder
from proofs_checks.cli.output import tell

if TYPE_CHECKING:
    from bounds.language.formula import Formula

SUMMARY = "every theoretical quantity of the paper for a setting"
DESCRIPTION = "Evaluate every bound of the paper for a setting at a horizon, with what does not apply and why."


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add = option_adder(parser)
    add_setting(parser)
    add_horizon(parser, "number of queries (default 70,000, the paper's)")
    add("--method", "as printed, or improved (docs/sharp.md)", choices=("paper", "sharp"), default="paper")
    add("--latex", "print the formulas as LaTeX as well", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from bounds.loading import load_setting
    from bounds.published.defaults import default_horizon
    from bounds.report import evaluate_bounds
    from proofs_checks.cli.views.bounds import show_bounds

    setting = load_setting(arguments.setting)
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    report = evaluate_bounds(setting, horizon, arguments.method)
    formulas = _formulas(arguments.method) if arguments.latex else {}
    latex = {"latex": {name: _described(formula) for name, formula in formulas.items()}} if formulas else {}
    tell(arguments.json, lambda: report.to_data() | latex, lambda: show_bounds(report, formulas))
    return 0


def _formulas(method: str) -> dict[str, Formula]:
    """Return every formula of a method."""
    from bounds.formulas.catalogue import all_formulas

    return {
        name: formula for name, formula in all_formulas().items() if method == "sharp" or not name.startswith("sharp_")
    }


def _described(formula: Formula) -> dict[str, str]:
    return {"latex": formula.latex(), "source": formula.source, "valid": formula.valid, "unit": formula.quantity.unit}
