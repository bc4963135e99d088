"""`costproof audit`: a recorded log of a real platform against the rules and the claims."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

from proofs_checks.cli.arguments import Options, real_number, whole_number
from proofs_checks.cli.output import tell
from proofs_checks.cli.signals import noted

if TYPE_CHECKING:
    from mechanism.tabular.layout import LogLayout

DESCRIPTION = (
    "Replay a log (CSV, JSON Lines or Parquet: step, provider, payment, score, bid, and cost if it is known), report "
    "every step that breaks a rule with what was expected and found, bids and costs outside [0, c_max], every claim "
    "on the log with its tightest ratio, and what the violations are consistent with. A log may be larger than "
    "memory. Passing is not a proof: `costproof docs what-a-pass-means` lists what a log cannot show."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("path TRACE", "a .csv, .jsonl, .ndjson (also with .gz) or .parquet file")
    add(
        "--setting SETTING",
        "the platform's setting: a built-in name, a TOML file, or - for standard input",
        required=True,
    )
    rule = "must be a finite number of at least 0, in the setting's money"
    add(
        "--tolerance X",
        "how far logged payments and bids may be from the true ones, money: 0.005 if rounded to cents "
        "(default 0: only the rounding of floats)",
        type=real_number(lambda value: 0 <= value < math.inf, rule),
        default=0.0,
    )
    meaning = "what the file calls columns: provider=model,payment=spend; columns that are not used are ignored"
    add("--columns NAME=COLUMN,...", meaning, type=_columns, action="append")
    add("--order-by COLUMN", "put the rows in the order of a column of times (ISO 8601) or numbers")
    add("--settled-at COLUMN", "times at which score and bid arrived, as those of --order-by; empty: they never did")
    add(
        "--unit X",
        "one unit of the log's money in the setting's money: 1e6 for USD where the setting has 1e-6 USD (default 1)",
        type=real_number(lambda value: 0 < value < math.inf, "must be a finite number above 0"),
        default=1.0,
    )
    meaning = "whether the bid of a row is the one left behind (after, the default) or the one in the auction (before)"
    add("--bids", meaning, choices=("after", "before"), default="after")
    add("--join FILE", "a second file with payments, scores, bids or costs that the log lacks")
    add("--on COLUMN", "the column that says which rows of both files belong together; COLUMN=OTHER if named otherwise")
    add.claims()
    meaning = "violations to list one by one; all are counted (default 100,000)"
    add("--max-violations V", meaning, type=whole_number(0, 10**7), dest="most_violations")
    add("--report FILE.html", "write the audit as one HTML page")
    add.all("every rule, violation, explanation, provider and claim, and what a log cannot show")
    add.tables("a row for every violation, with --all for every claim")
    add.jobs("1: one thread; 2 or more: claims of a long log beside its steps (default: all cores)")


def _columns(text: str) -> dict[str, str]:
    """Return columns by name, from ``provider=model,payment=spend``."""
    found: dict[str, str] = {}
    for pair in text.split(","):
        name, _, column = (part.strip() for part in pair.partition("="))
        if not (name and column):
            raise argparse.ArgumentTypeError(f"{pair[:40]!r} must be NAME=COLUMN, as payment=spend")
        if name in found:
            raise argparse.ArgumentTypeError(f"{name[:40]!r} is given twice")
        found[name] = column
    return found


def _layout(arguments: argparse.Namespace) -> LogLayout:
    """Return how the log is laid out."""
    from bounds.errors import MISSING, InputError
    from mechanism.tabular.layout import Join, LogLayout

    if (arguments.join is None) != (arguments.on is None):
        given, lacking = ("join", "on") if arguments.on is None else ("on", "join")
        raise InputError(lacking, MISSING, f"must be given beside --{given}", "--join FILE --on COLUMN")
    join = None
    if arguments.join is not None:
        on, equals, other = arguments.on.partition("=")
        join = Join(path=arguments.join, on=on, other=other if equals else on)
    columns = {name: column for given in arguments.columns or () for name, column in given.items()}
    return LogLayout(
        columns=columns,
        order_by=arguments.order_by,
        settled_at=arguments.settled_at,
        unit=arguments.unit,
        bids=arguments.bids,
        join=join,
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a rule is broken, a claim refuted, save documented findings, or an amount out of range."""
    from mechanism.tabular.logs import LogReading
    from proofs_checks.audit.reading import log_parts
    from proofs_checks.audit.run import SHOWN_VIOLATIONS, audit, chunk_rows
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.cli.output import check_writable, write_file
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.cli.views.audit import show_audit

    setting = setting_named(arguments.setting)
    reading = LogReading(layout=_layout(arguments))
    parts = log_parts(arguments.path, setting, reading, rows=chunk_rows(setting))
    check_writable("report", arguments.report)
    labels, most = labels_meant(arguments.labels), arguments.most_violations
    with noted() as stopped, progress_bar("auditing steps") as progress:
        report = audit(
            parts,
            setting,
            name=arguments.path,
            tolerance=arguments.tolerance,
            labels=labels,
            most_violations=SHOWN_VIOLATIONS if most is None else most,
            jobs=arguments.jobs,
            reading=reading,
            progress=lambda steps: progress(steps, steps),
            stopped=stopped,
        )
    if arguments.report:
        from proofs_checks.pages.page import page_of

        write_file("report", arguments.report, page_of(report.to_data()), "report")
    how = {"everything": arguments.everything, "setting": arguments.setting, "asked": labels}
    sheet = report.claims_sheet if arguments.everything else report.sheet
    tell(arguments, report.to_data, lambda: show_audit(report, **how), sheet)
    if report.interrupted:
        # What was audited has been shown; the exit code says that it is not all.
        raise KeyboardInterrupt
    return 0 if report.passed else 1
