"""`costproof coverage`: the exact probability that confidence bands fail, against what delta allows."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import Options, whole_number
from proofs_checks.cli.output import tell

DESCRIPTION = (
    "Compute how probable it is that the mean score or cost of a provider ever leaves its confidence band, and after "
    "how many selections each unqualified provider is eliminated. Scores are taken to be 0 or 1 and independent. "
    "Rounding is enclosed (costproof docs coverage)."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add.setting()
    meaning = "follow scores exactly up to this selection count (default 70,000); beyond, a bound for all laws"
    add("--horizon M", meaning, type=whole_number(1), default=70_000)
    passes = "scores of questions that are asked in passes are not independent, see `costproof docs coverage`"
    add.removed("--premise", passes)
    add.removed("--seed", "leave it out, since nothing is drawn")
    add.removed("--products", "leave it out: costs are followed as far as 1.5e8 products reach")
    add.all("every provider and probability, the worst quality, and what is assumed")
    add.tables("a row for every provider")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from proofs_checks.cli.compilation import noticed
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.cli.views.coverage import show_coverage
    from proofs_checks.coverage.report import coverage

    setting = setting_named(arguments.setting)
    with noticed("compiling the walks; this happens once"), progress_bar("following") as progress:
        report = coverage(setting, counts=arguments.horizon, progress=progress)
    asked = arguments.setting, arguments.everything
    tell(arguments, report.to_data, lambda: show_coverage(report, *asked), report.sheet)
    return 0
