"""`costproof page`: the HTML page of a report that was kept as JSON."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import Options
from proofs_checks.cli.output import tell, write

DESCRIPTION = (
    "Read a report that `costproof verify`, `audit` or `check` has printed with --json and write its page: one HTML "
    "file that needs no network and contains only what the report contains. Several reports of check make one page "
    "with their mechanisms side by side. Exit code 1 if a report of verify contradicts itself, or the proofs of this "
    "version: the page then says so."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("reports REPORT.json", "the report, or several of check; - reads one from standard input", nargs="+")
    add("--out FILE.html", "where to write the page (default: standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a report of verify contradicts itself, which the page says too, else 0."""
    from proofs_checks.cli.output import check_writable, remark, write_file
    from proofs_checks.cli.reports import read_report
    from proofs_checks.pages.page import kind_of, page_of
    from proofs_checks.verify.consistency import contradictions

    check_writable("out", arguments.out)
    reports = [read_report("reports", path) for path in arguments.reports]
    text = page_of(reports[0] if len(reports) == 1 else reports)
    if arguments.out:
        write_file("out", arguments.out, text, "page")
    odd = contradictions(reports[0]) if kind_of(reports[0]) == "verify" else ()
    if odd:
        remark(f"the report contradicts itself ({odd[0]}): costproof replay {arguments.reports[0]} says where")
    told = {
        "reports": arguments.reports,
        "kind": kind_of(reports[0]),
        "out": arguments.out,
        "characters": len(text),
        "contradictions": list(odd),
    }
    tell(arguments, lambda: told, lambda: None if arguments.out else write(text))
    return 1 if odd else 0
