"""`costproof claims`: the claims of the paper, listed and searched."""

from __future__ import annotations

import argparse
from typing import Any

from bounds.errors import InputError
from proofs_checks.cli.arguments import Options
from proofs_checks.cli.output import tell, write

DESCRIPTION = (
    "List the claims, or those that WORDS fit: a label, a number as 'Theorem 4', or words of the name or the "
    "statement, or else those of a verdict, as 'proved in steps' or 'tested'. Each comes with its number in the "
    "paper's PDF, with whether it is proved for all parameters, and with what is wrong with its wording, if something "
    "is. --findings lists what is refuted, empty or not proved as worded, with --all also the numbers that show it; as "
    "WORDS alone, 'refuted' or 'false', 'vacuous' or 'empty', and 'findings' do the same. Else nothing is computed: "
    "`verify --claim` tests a claim, `prove` proves it."
)


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("words WORDS", "all must stand in a claim's label, number, name or statement", nargs="*")
    add("--findings", "only what is refuted, empty or not proved as it is worded", action="store_true")
    add.all("of the list, each claim with its name and all variants; of what WORDS find, each claim in full")
    add.tables("a row for every claim that is listed")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from proofs_checks.claims.labels import is_or_varies
    from proofs_checks.claims.numbers.stored import read_number
    from proofs_checks.claims.registry import all_claims
    from proofs_checks.cli.names import labels_meant
    from proofs_checks.cli.views.claims import claims_found, claims_listed, findings_listed
    from proofs_checks.verify.claim_list import FINDING_WORDS, ClaimList, documented_findings, find_claims

    text = " ".join(arguments.words)
    if read_number(text):
        labels_meant([text])  # says on stderr how the number was read
    found = find_claims(arguments.words)
    if arguments.findings:
        found = ClaimList(
            stated for stated in documented_findings() if any(is_or_varies(stated.label, each.label) for each in found)
        )
        if not found:
            rule = "fits no claim with a documented finding"
            raise InputError("words", text, rule, "`costproof claims --findings` lists those")
    of_findings = arguments.findings or text.lower() in FINDING_WORDS
    listed = found if arguments.words or of_findings or arguments.everything else found.without_variants()

    def data() -> dict[str, Any]:
        return {"words": list(arguments.words), "claims": found.to_data(), "total": len(all_claims())}

    def show() -> None:
        shown = findings_listed if of_findings else claims_found if arguments.words else claims_listed
        write(shown(found, everything=arguments.everything))

    tell(arguments, data, show, listed.sheet)
    return 0
