"""`costproof claims`: the claims of the paper, listed and searched."""

from __future__ import annotations

import argparse
from typing import Any

from bounds.errors import InputError
from proofs_checks.cli.arguments import option_adder
from proofs_checks.cli.output import tell, write

SUMMARY = "list and search the claims of the paper"
DESCRIPTION = (
    "List the claims, or those that WORDS fit: a label, a number as 'Theorem 4', or words of the name or the "
    "statement. Each comes with its number in the paper's PDF, with whether it is proved for all parameters, and with "
    "what is wrong with its wording, if something is. Nothing is computed: `verify --claim` tests a claim, `prove` "
    "proves it."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    add = option_adder(parser)
    add("words WORDS", "all must stand in a claim's label, number, name or statement", nargs="*")
    add("--all", "list the variants of each claim as well", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from proofs_checks.claims.naming import meant, search
    from proofs_checks.claims.numbers.stored import read_number
    from proofs_checks.claims.registry import all_claims
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.cli.views.claims import claims_in_full, claims_listed
    from proofs_checks.proofs.catalogue import all_proofs, verdict_if_it_stands

    known, proofs = all_claims(), all_proofs()
    if read_number(" ".join(arguments.words)):
        labels_meant([" ".join(arguments.words)])
    found = search(arguments.words, known) if arguments.words else list(known.values())
    if not found:
        # What fits no claim may still be near one: its error names that.
        try:
            found = [meant(" ".join(arguments.words), known).claim]
        except InputError as error:
            raise InputError("words", error.value, "fits no claim", error.remedy) from None
    proved = {label: verdict_if_it_stands(proof) for label, proof in proofs.items()}

    def data() -> dict[str, Any]:
        keys = ("label", "number", "kind", "name", "statement", "source_line")
        rows = [
            {key: getattr(stated, key) for key in keys}
            | {
                "proved": proved[stated.label].value if stated.label in proved else None,
                "documented_finding": stated.finding or None,
                "repaired_by": stated.repaired_by or None,
            }
            for stated in found
        ]
        return {"words": list(arguments.words), "claims": rows, "total": len(known)}

    def show() -> None:
        if arguments.words:
            write(claims_in_full(found, proved))
        else:
            write(claims_listed(found, proved, variants=arguments.all))

    tell(arguments.json, data, show)
    return 0
