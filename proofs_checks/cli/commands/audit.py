"""`costproof audit`: a recorded log of a real platform against the rules and the claims."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING

from proofs_checks.cli.arguments import CI_FILES, Options, given_again, real_number, whole_number
from proofs_checks.cli.output import tell
from proofs_checks.cli.signals import noted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bounds.setting.model import Setting
    from mechanism.tabular.layout import LogLayout
    from proofs_checks.audit.report import AuditReport
    from proofs_checks.cli.ci.cases import Case

DESCRIPTION = (
    "Replay a log (CSV, JSON Lines or Parquet: step, provider, payment, score, bid, and cost if it is known), report "
    "every step that breaks a rule with what was expected and found, bids and costs outside [0, c_max], every claim "
    "on the log with its tightest ratio, and what the violations are consistent with. A log may be larger than "
    "memory. Passing is not a proof: `costproof docs what-a-pass-means` lists what a log cannot show."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    meaning = "a .csv, .tsv, .jsonl or .json file (each also with .gz or .zst) or a .parquet file; several are one log"
    add("paths TRACE", meaning, nargs="+")
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
    meaning = (
        "the program that wrote the log, by default recognized by its columns: litellm, langfuse, opentelemetry, "
        "helicone, portkey, openrouter; costproof: no other program"
    )
    add("--format NAME", meaning)
    meaning = "what the file calls columns, or how they follow from its columns: provider=model,payment=spend*1e6"
    add("--columns NAME=COLUMN,...", meaning, type=_columns, action="append")
    add("--where CONDITION", "leave out rows that do not fulfil it: \"status = 'success' and not cache_hit\"")
    add("--order-by COLUMN", "put the rows in the order of a column of times (ISO 8601) or numbers")
    add("--settled-at COLUMN", "times at which score and bid arrived, as those of --order-by; empty: they never did")
    add(
        "--unit X",
        "one unit of the log's money in the setting's money: 1e6 for USD where the setting has 1e-6 USD (default 1)",
        type=real_number(lambda value: 0 < value < math.inf, "must be a finite number above 0"),
        default=1.0,
    )
    meaning = (
        "whether the bid of a row is the one left behind (after, the default) or the one in the auction (before), or "
        "the log has none and every provider bids its mean cost in the setting (posted)"
    )
    add("--bids", meaning, choices=("after", "before", "posted"), default="after")
    add("--join FILE", "a second file with payments, scores, bids or costs that the log lacks")
    add("--on COLUMN", "the column that says which rows of both files belong together; COLUMN=OTHER if named otherwise")
    add.claims()
    meaning = "violations to list one by one; all are counted (default 100,000)"
    add("--max-violations V", meaning, type=whole_number(0, 10**7), dest="most_violations")
    meaning = (
        "keep what the audit knows in FILE; the next one goes on with the rows added since, and says first what is new"
    )
    add("--state FILE", meaning)
    add("--report FILE.html", "write the audit as one HTML page")
    add.ci_files("every rule and claim")
    add.all("every rule, violation, explanation, provider and claim, and what a log cannot show")
    add.tables("a row for every violation, with --all for every claim")
    add.jobs("1: one thread; 2 or more: claims of a long log beside its steps (default: all cores)")


def _columns(text: str) -> dict[str, str]:
    """Return columns by name, from ``provider=model,payment=coalesce(spend, 0)``."""
    found: dict[str, str] = {}
    for pair in re.split(r""",(?=[^,()'"<>!]*=)""", text):
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
    same = ("format", "where", "order_by", "settled_at", "unit", "bids")
    return LogLayout(columns=columns, join=join, **{name: getattr(arguments, name) for name in same})


def _cases(paths: Sequence[str], setting: Setting, layout: LogLayout, report: AuditReport) -> list[Case]:
    """Return the rules and claims as test cases, which are about lines of the log."""
    from mechanism.tabular.logs import lines_of_steps, log_files
    from proofs_checks.cli.ci.cases import cases_of_audit, in_log
    from proofs_checks.cli.ci.files import place_at

    cases = cases_of_audit(report)
    steps = {each.step for case in cases for each in case.findings if each.step}
    lines = lines_of_steps(paths, setting, layout, steps)
    places = {step: place_at(row.file, row.line) for step, row in lines.items()}
    return in_log(cases, place_at(log_files(paths)[0].location, None), places)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a rule is broken, a claim refuted, save documented findings, or an amount out of range.

    With a state, only what the earlier audits did not find counts.
    """
    from mechanism.tabular.logs import lines_of_steps
    from proofs_checks.audit.reading import named
    from proofs_checks.audit.run import SHOWN_VIOLATIONS, audit_log
    from proofs_checks.cli.ci.files import leave
    from proofs_checks.cli.input import setting_named
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.cli.output import check_writable, write_file
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.cli.views.audit import show_audit

    setting, layout = setting_named(arguments.setting), _layout(arguments)
    for file in ("report", "state", *CI_FILES):
        check_writable(file, getattr(arguments, file))
    if arguments.report:
        from proofs_checks.pages.page import page_of  # before the work: it needs an extra
    labels, most = labels_meant(arguments.labels), arguments.most_violations
    with noted() as stopped, progress_bar("auditing steps") as progress:
        report = audit_log(
            arguments.paths,
            setting,
            layout,
            state=arguments.state,
            name=named(arguments.paths),
            tolerance=arguments.tolerance,
            labels=labels,
            most_violations=SHOWN_VIOLATIONS if most is None else most,
            jobs=arguments.jobs,
            progress=lambda steps: progress(steps, steps),
            stopped=stopped,
        )
    if arguments.report:
        write_file("report", arguments.report, page_of(report.to_data()), "report")
    leave(
        arguments,
        report.to_data,
        lambda: _cases(arguments.paths, setting, layout, report),
        whole=not report.interrupted,
    )
    # No next command goes on from the state: a corrected log, or a choice of claims, is audited whole.
    options = [*layout.options, *given_again({"--tolerance": arguments.tolerance})]
    how = {"everything": arguments.everything, "setting": arguments.setting, "asked": labels, "options": options}

    def show() -> None:
        step = report.first_wrong_step
        first_wrong = None if step is None else lines_of_steps(arguments.paths, setting, layout, [step])[step]
        show_audit(report, first_wrong=first_wrong, **how)

    sheet = report.claims_sheet if arguments.everything else report.sheet
    tell(arguments, report.to_data, show, sheet)
    if report.interrupted:
        # What was audited has been shown; the exit code says that it is not all.
        raise KeyboardInterrupt
    return 0 if report.nothing_new else 1
