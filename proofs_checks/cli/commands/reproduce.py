"""`costproof reproduce`: the paper's tables, printed beside ours, number by number."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from proofs_checks.cli.arguments import (
    add_jobs,
    add_json,
    add_seed,
    compiled_simulator,
    cores,
    print_json,
    progress_bar,
    whole_number,
)

#: Share of the compared numbers that must agree for exit code 0.
ENOUGH = 0.97


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reproduce",
        help="the paper's tables, printed beside ours, number by number",
        allow_abbrev=False,
        description="Repeat the paper's experiments and put every number of its stochastic tables beside ours, with "
        "the standard error of both and z. Exit code 1 means: from 30 runs on, fewer than 97% of the compared "
        "numbers have |z| < 3; single disagreements are listed, with a reason where one is known, and leave it 0. "
        "Below 30 runs z is shown without verdicts and the exit code is 0. What agreement means, and what it does not: "
        "docs/reproduction.md.",
    )
    parser.add_argument("settings", nargs="*", metavar="SETTING", help="built-in names (default: all five)")
    parser.add_argument(
        "--runs",
        type=whole_number(2, 10_000),
        default=300,
        metavar="R",
        help="independent runs of every setting and policy (default 300, the least that tells how the minima and "
        "maxima of the paper's 30 spread; with fewer these are left out)",
    )
    parser.add_argument("--markdown", metavar="FILE", help="also write the tables as Markdown")
    parser.add_argument(
        "--summary", action="store_true", help="how many agree, what does not and counts per table only"
    )
    add_jobs(parser)
    add_seed(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if there are runs enough to judge and fewer than 97% of the numbers agree."""
    from bounds.published import PUBLISHED_NAMES
    from proofs_checks.cli.views.reproduction import markdown, show_reproduction
    from proofs_checks.reproduction.run import reproduce

    file = _writable(arguments.markdown)
    with compiled_simulator(), progress_bar("reproducing") as progress:
        found = reproduce(
            arguments.settings or PUBLISHED_NAMES,
            runs=arguments.runs,
            seed=arguments.seed,
            jobs=arguments.jobs or cores(),
            progress=progress,
        )
    data = found.to_data()
    if file:
        _write(file, markdown(data))
        sys.stderr.write(f"tables written to {file}\n")
    if arguments.json:
        print_json(data)
    else:
        show_reproduction(data, only_summary=arguments.summary)
    return 1 if found.judged and found.agree_within_3 < ENOUGH * found.compared else 0


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _writable(path: str | None) -> str | None:
    """Fail now rather than after minutes of work if the file cannot be written; leave no empty one behind."""
    if path is None:
        return None
    from bounds.errors import InputError

    existed = os.path.exists(path)
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as error:
        rule = f"cannot be written ({error.strerror})"
        raise InputError("--markdown", path, rule, "name a file in a folder that exists") from None
    if not existed:
        os.remove(path)
    return path
