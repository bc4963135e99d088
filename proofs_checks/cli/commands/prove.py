"""`costproof prove`: machine-checked certificates for all parameters."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bounds.errors import InputError
from proofs_checks.cli.arguments import CLAIM_NAMES, add_claims, add_tables, option_adder, removed
from proofs_checks.cli.output import tell

if TYPE_CHECKING:
    from proofs_checks.proofs.kernel.check import KernelCheck

DESCRIPTION = (
    "Prove claims of the paper for every number of providers, every bid and every confidence level. Where a theorem in "
    "Coq states a claim, the claim is PROVED by it; --kernel has Coq check it here. Each obligation is put to z3 and, "
    "independently, to cvc5 as the same SMT-LIB 2 text, its hypotheses are shown to be satisfiable and its mutants to "
    "be false, and its certificate is re-checked without a solver. The solvers are an extra: pip install "
    "'costproof[prove]'."
)


#: Options of earlier versions, each with what to do instead.
def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add = option_adder(parser)
    add("labels LABEL", f"{CLAIM_NAMES} (default: all with a proof)", nargs="*")
    add_claims(parser, dest="claims")
    parser.add_argument(
        "--counterexamples",
        **removed("see `costproof claims --findings`; `costproof verify --claim LABEL` has the witness"),
    )
    parser.add_argument(
        "--graph", **removed("`costproof prove LABEL --all` lists what each step rests on, --json each citation")
    )
    add("--out DIR", "write scripts, certificates and a manifest with hashes")
    add("--recheck DIR", "check such a folder from disk, with the checker and the installed solvers", dest="folder")
    add(
        "--all",
        "also what each solver said, what each proof does not show, and each mutant of a LABEL",
        action="store_true",
    )
    add("--fresh", "ask both solvers again, whatever they said in an earlier run", action="store_true")
    add(
        "--kernel",
        "first have Coq, if it is installed, check its theorems: two to four minutes; of a LABEL, print what to read",
        action="store_true",
    )
    add_tables(parser, "a row for every claim, with --recheck for every problem")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a claim is not proved, solvers disagree, or a re-check fails or leaves one undecided."""
    arguments.labels = [*arguments.labels, *arguments.claims]
    if arguments.folder is not None:
        return _recheck(arguments)
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.proofs.prove import labels_with_proofs, prove
    from proofs_checks.proofs.solvers.solvers import shared_processes

    labels = labels_meant(arguments.labels, also=labels_with_proofs())
    kernel = _kernel() if arguments.kernel else None
    said = None if kernel is None else kernel.said
    with shared_processes(), progress_bar("proving") as progress:
        report = prove(labels, fresh=arguments.fresh, kernel=said, progress=progress)
    if arguments.out is not None:
        from proofs_checks.proofs.bundle import write_folder

        write_folder(report, arguments.out)

    def show() -> None:
        from proofs_checks.cli.views.kernel import show_kernel
        from proofs_checks.cli.views.prove import show_proofs

        if kernel is not None:
            show_kernel(kernel)
        show_proofs(report, in_full=bool(labels), every_row=arguments.all, kernel_text=arguments.kernel)

    def data() -> dict[str, Any]:
        return report.to_data() | ({} if kernel is None else {"kernel_check": kernel.to_data()})

    tell(arguments, data, show, report.sheet)
    unproved = not all(claim.stands for claim in report.claims)
    return 1 if unproved or report.contradictions or (kernel is not None and kernel.problems) else 0


def _kernel() -> KernelCheck:
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.proofs.kernel.check import check_kernel

    with progress_bar("Coq") as progress:
        return check_kernel(progress)


def _recheck(arguments: argparse.Namespace) -> int:
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.cli.views.prove import show_recheck
    from proofs_checks.proofs.bundle import recheck_folder

    if arguments.labels or arguments.out is not None:
        raise InputError("folder", arguments.folder, "stands alone", "give no LABEL and no --out with it")
    with progress_bar("re-checking") as progress:
        found = recheck_folder(arguments.folder, progress=progress)
    tell(arguments, found.to_data, lambda: show_recheck(found), found.sheet)
    return 1 if found.failures or found.undecided else 0
