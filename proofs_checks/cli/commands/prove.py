"""`costproof prove`: what is proved for all parameters, by theorems in Coq."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from proofs_checks.cli.arguments import CLAIM_NAMES, Options
from proofs_checks.cli.output import tell

if TYPE_CHECKING:
    from proofs_checks.proofs.kernel.check import KernelCheck

DESCRIPTION = (
    "Say which claims of the paper are proved for every number of providers, every bid and every confidence level. A "
    "claim is proved if Coq accepts a theorem that states it, and proved in steps if Coq accepts theorems for the "
    "steps of its argument; what no theorem states is named. Without --kernel the answer comes from a stored record, "
    "which counts for exactly these sources; --kernel has Coq check them here."
)
#: Options of earlier versions, each with what to do instead.
_REMOVED = {
    "--counterexamples": "see `costproof claims --findings`; `costproof verify --claim LABEL` has the witness",
    "--graph": "`costproof prove LABEL --all` prints every definition behind a theorem",
    "--recheck": "--out writes Coq sources: run `sh check.sh` in that folder",
    "--fresh": "use --kernel: Coq checks the theorems here, and no solver is asked",
    "--no-mutants": "leave it out: no solver is asked",
}


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("labels LABEL", f"{CLAIM_NAMES}, or by a theorem's name in Coq (default: all with a proof)", nargs="*")
    add.claims(dest="claims")
    for option, instead in _REMOVED.items():
        add.removed(option, instead)
    add("--out DIR", "write the Coq sources, with a script that builds and checks them")
    add.all("a row for every claim; of a LABEL, every definition behind its theorem")
    add("--kernel", "first have Coq, if it is installed, check its theorems: three minutes", action="store_true")
    add.tables("a row for every claim")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; 1 if a theorem does not count, or Coq does not accept one."""
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.proofs.prove import labels_with_proofs, prove

    named = [label for name in (*arguments.labels, *arguments.claims) for label in _about(name)]
    labels = labels_meant(named, also=labels_with_proofs())
    kernel = _kernel() if arguments.kernel else None
    report = replace(prove(labels, kernel=None if kernel is None else kernel.said), kernel_check=kernel)
    if arguments.out is not None:
        from proofs_checks.proofs.kernel.folder import write_folder

        write_folder((claim.record.theorem for claim in report.claims), report.to_data(), arguments.out)

    def show() -> None:
        from proofs_checks.cli.views.kernel import show_kernel
        from proofs_checks.cli.views.prove import show_proofs

        if kernel is not None:
            show_kernel(kernel)
        show_proofs(report, in_full=bool(labels), everything=arguments.everything, folder=arguments.out)

    tell(arguments, report.to_data, show, report.sheet)
    return 1 if not all(claim.stands for claim in report.claims) or (kernel is not None and kernel.problems) else 0


def _about(name: str) -> list[str]:
    """Return the labels of the claims that a theorem is about, by its name in Coq; another name as it is."""
    from proofs_checks.proofs.kernel.theorems import kernel_theorems

    plain = name.rpartition(".")[2]
    return [label for label, theorem in kernel_theorems().items() if plain in theorem.cited] or [name]


def _kernel() -> KernelCheck:
    from proofs_checks.cli.output import remark
    from proofs_checks.cli.progress import progress_bar
    from proofs_checks.proofs.kernel.check import check_kernel

    remark("Coq checks its theorems, which takes about three minutes.")
    with progress_bar("Coq") as progress:
        return check_kernel(progress)
