"""`costproof bounds`: every theoretical quantity of the paper for a setting."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace

from bounds.errors import InputError
from proofs_checks.cli.arguments import METHOD_NAMES, Options
from proofs_checks.cli.one_thread import one_thread
from proofs_checks.cli.output import tell

DESCRIPTION = (
    "Evaluate every bound of the paper for a setting at a horizon: which ones are informative (below the trivial "
    "value), the largest contributor, and the changes that would help."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add.setting()
    add.removed("--generations", "use `costproof market --answers PATH > my-market.toml`, and give that file")
    add.horizon()
    which = (
        "from the paper's bounds to the smallest, all proved, for the same market, mechanism and delta: paper (as "
        "printed, the default), sharp (the same good event) or sharpest (delta spent otherwise), the one to use "
        "(costproof docs sharper-bounds)"
    )
    add("--method", which, type=_method, choices=METHOD_NAMES, default="paper")
    add("--advice", "print the suggested changes of each guarantee that is not informative", action="store_true")
    add.all("suggested changes, providers, counts, parts and units")
    add.tables("a row for every guarantee, with --all for every quantity, and provider where it is of one")
    add("--latex", "print the formulas as LaTeX as well", action="store_true")


def _method(text: str) -> str:
    if text == "sharpest-binary":
        raise argparse.ArgumentTypeError(f"{text!r} was removed: take sharpest")
    return text


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with one_thread():
        from bounds.methods import every_formula
        from bounds.published.defaults import default_horizon
        from bounds.report import LatexFormula, evaluate_bounds
        from proofs_checks.cli.input import setting_named
        from proofs_checks.cli.views.bounds import Layer, show_bounds
        from proofs_checks.proofs.kernel.formulas import check_formulas

    if arguments.latex and arguments.table is not None:
        remedy = "give --latex alone or with --json, or else a table without it"
        raise InputError("latex", True, "does not print a table: it prints the formulas", remedy)
    check_formulas()
    setting = setting_named(arguments.setting)
    horizon = default_horizon(setting) if arguments.horizon is None else arguments.horizon
    report = evaluate_bounds(setting, horizon, arguments.method, advice=arguments.table is None)
    named = every_formula() if arguments.latex else {}
    # The names of improved formulas begin with their method.
    others = tuple(f"{method}_" for method in METHOD_NAMES if method not in ("paper", arguments.method))
    formulas = {name: formula for name, formula in named.items() if not name.startswith(others)}
    latex = {
        name: LatexFormula(latex=each.latex(), source=each.source, valid=each.valid, unit=each.quantity.unit)
        for name, each in formulas.items()
    }
    sheet = report.parts_sheet if arguments.everything else report.sheet
    asked, default = shlex.quote(arguments.setting), arguments.horizon is None
    data = replace(report, latex=latex).to_data
    layer: Layer = "everything" if arguments.everything else "advice" if arguments.advice else "screen"
    tell(arguments, data, lambda: show_bounds(report, setting, formulas, asked, layer, default), sheet)
    return 0
