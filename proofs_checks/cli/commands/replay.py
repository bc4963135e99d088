"""`costproof replay`: the witnesses in a report, replayed."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import CLAIM_NAMES, Options
from proofs_checks.cli.output import tell, write

DESCRIPTION = (
    "Read a report that `costproof verify --json` has printed and produce every violation in it again from its "
    "witness; of claims that are named, also the tightest comparison on constructed instances. Other verdicts are "
    "compared with the counts of the report and with the proofs of this version, not computed anew. Exit code 1 if "
    "one of them does not come about again, or if the report contradicts itself. It needs the extra pages."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("report REPORT.json", "the report; - reads it from standard input")
    add("labels CLAIM", f"only these {CLAIM_NAMES}, with their tightest comparisons", nargs="*")
    add.all("every witness, with the numbers that it shows")
    add.tables("a row for every witness")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a witness does not replay, or the report contradicts itself."""
    from proofs_checks.claims.replaying import replay_report
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.cli.reports import read_report
    from proofs_checks.cli.views.replay import ReplayDocument, witnesses_listed
    from proofs_checks.verify.consistency import contradictions

    report = read_report("report", arguments.report)
    found = replay_report(report, labels_meant(arguments.labels))
    odd = contradictions(report)
    document = ReplayDocument(report=arguments.report, witnesses=found, contradictions=tuple(odd))
    text = witnesses_listed(found, odd, everything=arguments.everything)
    tell(arguments, document.to_data, lambda: write(text), found.sheet)
    return 0 if document.all_replay and not odd else 1
