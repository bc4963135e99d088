"""Which claims a proof rests on by citations that were checked, not by its word alone: obligation cites obligation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofs_checks.proofs.catalogue import proofs_for
from proofs_checks.proofs.language.obligation import Proof
from proofs_checks.proofs.results import ObligationResult


def cited_proofs(
    proof: Proof, results: Sequence[ObligationResult], proofs: Mapping[str, Proof]
) -> dict[str, tuple[str, ...]]:
    """Return the claims whose obligations those of a proof cite, and which of them.

    A citation counts once the machine has checked that what is taken from an obligation follows from it. What a proof
    merely names in `Proof.uses` is not among them; what it names through another claim can be.

    Notes
    -----
    Claims may share an obligation. It then counts for those that the proof names; if it names none of them, for all
    on which it rests.
    """
    own = {obligation.name for obligation in proof.obligations}
    found: dict[str, dict[str, None]] = {}
    for result in results:
        for citation in result.sequent.citations:
            if citation.cited not in own and citation.hypothesis not in result.not_following:
                for label in _claims_of(citation.cited, proof, proofs):
                    found.setdefault(label, {})[citation.cited] = None
    return {label: tuple(names) for label, names in found.items()}


def _claims_of(obligation: str, proof: Proof, proofs: Mapping[str, Proof]) -> list[str]:
    """Return the claims that an obligation belongs to, among those that a proof names, else on which it rests."""
    far = proofs_for(proof.uses, proofs) if proof.uses else {}
    having = [label for label, one in far.items() if any(own.name == obligation for own in one.obligations)]
    return [label for label in having if label in proof.uses] or having
