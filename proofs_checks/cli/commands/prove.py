"""`costproof prove`: machine-checked certificates for all parameters."""

from __future__ import annotations

import argparse
from typing import Any

from proofs_checks.cli.arguments import add_json, print_json, progress_bar


def add_parser(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "prove",
        help="machine-checked certificates, for all parameters",
        allow_abbrev=False,
        description="Prove claims of the paper for every number of providers, every bid and every confidence level: "
        "each obligation is put to z3 and, independently, to cvc5 as the same SMT-LIB 2 text, its hypotheses are shown "
        "to be satisfiable and its mutants to be false, and its certificate is re-checked without a solver. "
        "The solvers are an extra: pip install 'costproof[prove]'.",
    )
    parser.add_argument("labels", nargs="*", metavar="LABEL", help="labels of the paper (default: all with a proof)")
    parser.add_argument("--out", metavar="DIR", help="write scripts, certificates and a manifest with hashes")
    parser.add_argument(
        "--recheck", metavar="DIR", help="check such a folder from disk, with the checker and the installed solvers"
    )
    parser.add_argument(
        "--counterexamples", action="store_true", help="list only what is false, with numbers that refute it"
    )
    parser.add_argument("--graph", action="store_true", help="print the graph of obligations instead of the table")
    add_json(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a claim is not proved, solvers disagree, or a re-check fails."""
    if arguments.recheck is not None:
        return _recheck(arguments)
    if arguments.counterexamples:
        return _counterexamples(arguments)
    from dataclasses import replace

    from proofs_checks.cli.views.proving import show_graph, show_proofs
    from proofs_checks.proofs.bundle import write_folder
    from proofs_checks.proofs.counterexamples import find_counterexamples
    from proofs_checks.proofs.prove import prove

    with progress_bar("proving") as progress:
        report = prove(arguments.labels, progress=progress)
    report = replace(report, refuted=find_counterexamples({claim.proof.label for claim in report.claims}))
    if arguments.out is not None:
        write_folder(report, arguments.out)
    data = report.to_data()
    if arguments.json:
        print_json(data)
    elif arguments.graph:
        show_graph(data)
    else:
        show_proofs(data, in_full=bool(arguments.labels))
    unproved = not all(claim.stands for claim in report.claims)
    return 1 if unproved or report.contradictions else 0


def _counterexamples(arguments: argparse.Namespace) -> int:
    from bounds.errors import InputError
    from proofs_checks.cli.views.proving import show_refuted
    from proofs_checks.proofs.counterexamples import COUNTEREXAMPLES, find_counterexamples

    if arguments.out is not None or arguments.graph:
        raise InputError(
            "--counterexamples", "--out or --graph", "stands alone", "give no --out and no --graph with it"
        )
    known = {counterexample.label for counterexample in COUNTEREXAMPLES}
    for label in arguments.labels:
        if label not in known:
            raise InputError("LABEL", label, "has no counterexample", f"one of: {', '.join(sorted(known))}")
    refuted = find_counterexamples(arguments.labels or None)
    data = {"refuted": [found.to_data() for found in refuted]}
    if arguments.json:
        print_json(data)
    else:
        show_refuted(data, in_full=True)
    return 0 if all(found.replayed for found in refuted) else 1


def _recheck(arguments: argparse.Namespace) -> int:
    from bounds.errors import InputError
    from proofs_checks.cli.views.proving import show_recheck
    from proofs_checks.proofs.bundle import recheck_folder

    if arguments.labels or arguments.out is not None:
        raise InputError("--recheck", arguments.recheck, "stands alone", "give no LABEL and no --out with it")
    with progress_bar("re-checking") as progress:
        found = recheck_folder(arguments.recheck, progress=progress)
    if arguments.json:
        print_json(found.to_data())
    else:
        show_recheck(found.to_data())
    return 1 if found.failures else 0
