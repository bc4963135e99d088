"""`costproof reproduce`: the paper's tables, printed beside ours, number by number."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import Options, whole_number
from proofs_checks.cli.output import tell

#: Share of the compared numbers that must agree for exit code 0.
ENOUGH = 0.97

DESCRIPTION = (
    "Repeat the paper's experiments and put every number of its stochastic tables beside ours, with the standard error "
    "of both and z. Exit code 1 means: from 30 runs on, fewer than 97% of the compared numbers have |z| < 3; single "
    "disagreements are listed, with a reason where one is known, and leave it 0. Below 30 runs z is shown without "
    "verdicts and the exit code is 0. What agreement means, and what it does not: costproof docs reproduction."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("settings SETTING", "built-in names (default: all five)", nargs="*")
    add(
        "--runs R",
        "independent runs of every setting and policy (default 300, the fewest that show how the minima and "
        "maxima of the paper's 30 spread; with fewer these are left out)",
        type=whole_number(2, 10_000),
        default=300,
    )
    add("--out DIR", "keep finished runs there, a campaign for each setting, and do only what is missing")
    add.all("every number of every table")
    add("--summary", "with --csv, --markdown or --latex-table: a row for every table of the paper", action="store_true")
    add.tables("a row for every number, with --summary for every table of the paper")
    add.jobs()
    add.seed()


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if there are runs enough to judge and fewer than 97% of the numbers agree."""
    from bounds.published import PUBLISHED_NAMES
    from proofs_checks.cli.compilation import compiled_simulator
    from proofs_checks.cli.notes import note
    from proofs_checks.cli.progress import kept_progress
    from proofs_checks.cli.views.reproduce import show_reproduction
    from proofs_checks.reproduction.run import reproduce

    with compiled_simulator(), kept_progress("reproducing", arguments.out) as progress:
        found = reproduce(
            arguments.settings or PUBLISHED_NAMES,
            runs=arguments.runs,
            seed=arguments.seed,
            jobs=arguments.jobs,
            out=arguments.out,
            progress=progress,
        )
    for told in found.notes:
        note(told)
    sheet = found.summary_sheet if arguments.summary else found.sheet
    tell(arguments, found.to_data, lambda: show_reproduction(found, everything=arguments.everything), sheet)
    return 1 if found.judged and found.agree_within_3 < ENOUGH * found.compared else 0
