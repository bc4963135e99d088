"""Claims listed and searched, each with whether it is proved for all parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any

from bounds.errors import InputError
from bounds.sheet import HasSheet, Sheet
from proofs_checks.claims.hypotheses import stated_under
from proofs_checks.claims.labels import is_or_varies
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.naming import meant, search
from proofs_checks.claims.registry import all_claims
from proofs_checks.proofs.kernel.theorems import kernel_facts, kernel_record
from proofs_checks.proofs.prove import verdict_foreseen
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import foreseen_verdict, in_words

_COLUMNS = (
    "label",
    "number",
    "kind",
    "name",
    "statement",
    "source_line",
    "commented_out",
    "stated_under",
    "proved",
    "verdict_of_claim",
    "kernel",
    "kernel_states",
    "kernel_theorem",
    "kernel_assumptions",
    "kernel_problem",
    "documented_finding",
    "repaired_by",
    "refuted_variants",
)


class ClaimList(tuple[Claim, ...], HasSheet):
    """Claims: a tuple that is also a table."""

    def __repr__(self) -> str:
        return f"ClaimList({', '.join(stated.label for stated in self)})"

    @cached_property
    def proved(self) -> dict[str, Verdict]:
        """By label, the verdict that its theorem in Coq gives a claim; nothing without one that counts."""
        found = {each.label: verdict_foreseen(each.label) for each in self}
        return {label: one for label, one in found.items() if one is not None}

    def sheet(self) -> Sheet:
        """Return a row for every claim: how it is called, what it says, and what is known of it."""
        lists = ("stated_under", "kernel_assumptions", "refuted_variants")
        rows = [row | {name: "; ".join(row[name] or ()) for name in lists} for row in self.to_data()]
        return Sheet.of("Claims of the paper", _COLUMNS, rows, key="label")

    def to_data(self) -> list[dict[str, Any]]:
        """Return the claims as plain JSON data, as ``claims --json`` lists them."""
        plain = ("label", "number", "kind", "name", "statement", "source_line", "commented_out")
        return [
            {name: getattr(stated, name) for name in plain}
            | {
                "stated_under": list(stated_under(stated)),
                "proved": self.proved[stated.label].value if stated.label in self.proved else None,
                "verdict_of_claim": foreseen_verdict(stated.label).value,
                **kernel_facts(kernel_record(stated.label)),
                "documented_finding": stated.finding or None,
                "repaired_by": stated.repaired_by or None,
                "refuted_variants": [variant.label for variant in refuted_variants(stated.label)],
            }
            for stated in self
        ]

    def without_variants(self) -> ClaimList:
        """Return the claims that are no variants of others."""
        return ClaimList(stated for stated in self if stated.label.count(":") < 2)


#: Words that, alone, mean the claims with a documented finding, and of these the ones with a verdict.
FINDING_WORDS: Mapping[str, tuple[Verdict, ...]] = MappingProxyType(
    dict.fromkeys(("finding", "findings"), tuple(Verdict))
    | dict.fromkeys(("refuted", "false"), (Verdict.REFUTED,))
    | dict.fromkeys(("vacuous", "empty"), (Verdict.VACUOUS,))
)


def documented_findings(verdicts: Sequence[Verdict] = tuple(Verdict)) -> ClaimList:
    """Return the claims with a documented finding, in the paper's order: what is false, empty or not proved.

    Examples
    --------
    >>> documented_findings([Verdict.VACUOUS])
    ClaimList(cor:eventual-ordinary-optimality)
    """
    return ClaimList(
        stated for stated in all_claims().values() if stated.finding and foreseen_verdict(stated.label) in verdicts
    )


def refuted_variants(label: str) -> ClaimList:
    """Return the variants of a claim that are refuted: other wordings or readings of it, each with a finding.

    Examples
    --------
    >>> refuted_variants("claim:T_id"), refuted_variants("claim:T_id:tightened")
    (ClaimList(claim:T_id:main-text, claim:T_id:tightened), ClaimList())
    """
    return ClaimList(
        each
        for each in documented_findings([Verdict.REFUTED])
        if each.label != label and is_or_varies(each.label, label)
    )


def with_verdict_in_words(text: str) -> ClaimList:
    """Return the claims whose own verdict, in the words of reports or as it stands in JSON, is a text.

    Examples
    --------
    >>> [len(with_verdict_in_words(text)) for text in ("false as worded", "empty as worded", "no such verdict")]
    [5, 1, 0]
    """
    known = ((stated, foreseen_verdict(stated.label)) for stated in all_claims().values())
    return ClaimList(
        stated
        for stated, verdict in known
        if text.lower() in (in_words(stated, verdict), verdict.value.lower(), verdict.value.lower().replace("_", " "))
    )


def find_claims(words: Sequence[str] = ()) -> ClaimList:
    """Return the claims that words fit, all without words; see `costproof.claims`."""
    known = all_claims()
    if len(words) == 1 and (verdicts := FINDING_WORDS.get(words[0].lower())):
        return documented_findings(verdicts)
    if words and (judged := with_verdict_in_words(" ".join(words))):
        return judged
    found = search(words, known) if words else list(known.values())
    if not found:
        # What fits no claim may still be near one: its error names that.
        try:
            found = [meant(" ".join(words), known).claim]
        except InputError as error:
            rule = error.rule if error.rule == "was removed" else "fits no claim"
            raise InputError("words", error.value, rule, error.remedy) from None
    return ClaimList(found)
