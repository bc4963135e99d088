"""Claims listed and searched, each with whether it is proved for all parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypedDict

from bounds.documents import INLINE, Document, FromOne, schema_of
from bounds.errors import InputError
from bounds.sheet import HasSheet, Sheet
from proofs_checks.claims.hypotheses import stated_under
from proofs_checks.claims.labels import is_or_varies
from proofs_checks.claims.model.claim import Claim, ClaimKind
from proofs_checks.claims.naming import meant, search
from proofs_checks.claims.registry import all_claims
from proofs_checks.proofs.kernel.theorems import KernelFacts, kernel_facts, kernel_record
from proofs_checks.proofs.prove import verdict_foreseen
from proofs_checks.verdict import Verdict
from proofs_checks.verify.claim_verdicts import in_words, stored_verdict


@dataclass(frozen=True, kw_only=True)
class ListedClaim(Document):
    """A claim that was found.

    Parameters
    ----------
    label : str
        Label of the claim, the paper's where it is the paper's.
    number : str or None
        Number in the paper's PDF, as Theorem 4; None if it has none.
    kind : str
        What kind of statement the label announces.
    name : str
        Short name of the claim.
    statement : str
        The statement, in words and formulas.
    source_line : int or None
        Line of the paper's source; None for a statement that is not the paper's.
    commented_out : bool
        Whether it stands in a comment of the paper's source, so that the PDF does not have it.
    stated_under : tuple of str
        Hypotheses under which it is stated, the paper's of its claims, ours of our variants; empty if none.
    proved : Verdict or None
        Verdict that its theorem in Coq gives it; None without one that counts.
    verdict_of_claim : Verdict
        The claim's own verdict if `prove` and `verify` confirm it; SKIPPED where it states no fact.
    kernel : KernelFacts
        What is known of its theorem in Coq.
    documented_finding : str or None
        What is wrong with the paper's wording; None if nothing is known to be.
    repaired_by : str or None
        Label of the repaired statement; None if there is none.
    refuted_variants : tuple of str
        Labels of its variants that are refuted, wordings or readings of it; often none.
    """

    label: str
    number: str | None
    kind: ClaimKind
    name: str
    statement: str
    source_line: FromOne | None
    commented_out: bool
    stated_under: tuple[str, ...]
    proved: Verdict | None
    verdict_of_claim: Verdict
    kernel: KernelFacts = field(metadata=INLINE)
    documented_finding: str | None
    repaired_by: str | None
    refuted_variants: tuple[str, ...]

    @classmethod
    def of(cls, stated: Claim) -> ListedClaim:
        """Return a claim as it is listed."""
        return cls(
            label=stated.label,
            number=stated.number,
            kind=stated.kind,
            name=stated.name,
            statement=stated.statement,
            source_line=stated.source_line,
            commented_out=stated.commented_out,
            stated_under=stated_under(stated),
            proved=verdict_foreseen(stated.label),
            verdict_of_claim=stored_verdict(stated.label),
            kernel=kernel_facts(kernel_record(stated.label)),
            documented_finding=stated.finding or None,
            repaired_by=stated.repaired_by or None,
            refuted_variants=tuple(variant.label for variant in refuted_variants(stated.label)),
        )


class ClaimSearch(TypedDict):
    """The claims of the paper, all or those that the words fit.

    Parameters
    ----------
    words : list of str
        The words that were searched for; empty for all claims.
    claims : list of ListedClaim
        The claims that were found.
    total : int
        How many claims there are, found or not.
    """

    words: list[str]
    claims: list[ListedClaim]
    total: FromOne


class ClaimList(tuple[Claim, ...], HasSheet):
    """Claims: a tuple that is also a table."""

    def __repr__(self) -> str:
        return f"ClaimList({', '.join(stated.label for stated in self)})"

    def sheet(self) -> Sheet:
        """Return a row for every claim: how it is called, what it says, and what is known of it."""
        rows = [
            {name: "; ".join(value) if isinstance(value, list) else value for name, value in row.items()}
            for row in self.to_data()
        ]
        return Sheet.of("Claims of the paper", schema_of(ListedClaim, "claim")["required"], rows, key="label")

    def to_data(self) -> list[dict[str, Any]]:
        """Return the claims as plain JSON data, as ``claims --json`` lists them."""
        return [ListedClaim.of(stated).to_data() for stated in self]

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
        stated for stated in all_claims().values() if stated.finding and stored_verdict(stated.label) in verdicts
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
    >>> [len(with_verdict_in_words(text)) for text in ("refuted", "empty", "no such verdict")]
    [16, 1, 0]
    """
    known = ((stated, stored_verdict(stated.label)) for stated in all_claims().values())
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
