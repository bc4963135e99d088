"""`costproof audit`: a recorded log of a real platform against the rules and the claims."""

from __future__ import annotations

import argparse
import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from proofs_checks.cli.arguments import add_jobs, add_json, cores, print_json, progress_bar, whole_number


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "audit",
        help="replays a recorded log and reports every step that breaks a rule",
        allow_abbrev=False,
        description="Replay a log (CSV, JSON Lines or Parquet: step, provider, payment, score, bid, and cost if it is "
        "known), report every step that breaks a rule with what was expected and found, bids and costs outside "
        "[0, c_max], every claim on the log with its tightest ratio, and what the violations are consistent with. "
        "A log may be larger than memory. No violation is no proof: docs/audit.md says what a log cannot show.",
    )
    parser.add_argument("trace", metavar="TRACE", help="a .csv, .jsonl, .ndjson (also with .gz) or .parquet file")
    parser.add_argument(
        "--setting", required=True, metavar="SETTING", help="the platform's setting: a built-in name or a TOML file"
    )
    parser.add_argument(
        "--tolerance",
        type=_amount,
        default=0.0,
        metavar="X",
        help="how far logged payments and bids may be from the true ones, money: 0.005 if rounded to cents "
        "(default 0: only the rounding of floats)",
    )
    parser.add_argument(
        "--claim", action="append", metavar="LABEL", dest="claims", help="only this claim; repeat for several"
    )
    parser.add_argument(
        "--max-violations",
        type=whole_number(0, 10**7),
        default=100_000,
        metavar="V",
        help="violations to list one by one; all are counted (default 100,000)",
    )
    parser.add_argument(
        "--all", action="store_true", help="also list claims that do not apply to the setting or the log"
    )
    add_jobs(parser, "1: one process; 2 or more: claims of a long log beside its steps (default: all cores)")
    add_json(parser)
    parser.set_defaults(run=run)


def _amount(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} must be a finite number of at least 0, in the setting's money")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a rule is broken, a claim refuted, save documented findings, or an amount out of range."""
    from bounds.setting.file import load_setting
    from mechanism.tabular.traces import read_trace_chunks
    from proofs_checks.audit.run import audit, chunk_rows

    setting = load_setting(arguments.setting)
    chunks = read_trace_chunks(arguments.trace, setting, rows=chunk_rows(setting))
    with _interruption() as stopped, progress_bar("auditing steps") as progress:
        report = audit(
            (chunk.trace for chunk in chunks),
            setting,
            name=arguments.trace,
            tolerance=arguments.tolerance,
            labels=arguments.claims or (),
            most_violations=arguments.max_violations,
            jobs=arguments.jobs or cores(),
            progress=lambda steps: progress(steps, steps),
            stopped=stopped,
        )
    data = report.to_data()
    if arguments.json:
        print_json(data)
    else:
        from proofs_checks.cli.views.audit import show_audit

        show_audit(data, every_row=arguments.all)
    if report.interrupted:
        # What was audited has been shown; the exit code says that it is not all.
        raise KeyboardInterrupt
    return 0 if report.passed else 1


@contextmanager
def _interruption() -> Iterator[Callable[[], bool]]:
    """Yield whether there was an interruption from the keyboard, which is not to come in the midst of a part."""
    seen: list[bool] = []

    def note(*_: object) -> None:
        if seen:  # asked again: at once
            raise KeyboardInterrupt
        seen.append(True)

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # not in the main thread: whoever runs it there handles signals
        yield lambda: False
        return
    try:
        yield lambda: bool(seen)
    finally:
        signal.signal(signal.SIGINT, before)
