"""Which claims' obligations the obligations of a claim cite, read off the hypotheses alone."""

from __future__ import annotations

from proofs_checks.proofs.catalogue import all_proofs


def below(label: str) -> set[str]:
    """Return the claims that a proof names, near and far."""
    found, waiting = set(), list(all_proofs()[label].uses)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += all_proofs()[one].uses
    return found


def cited(label: str) -> dict[str, tuple[str, ...]]:
    """Return the obligations of other claims that those of a claim cite, by the claims that have them.

    Of the claims that share one, those count that the proof names; else all below it.
    """
    proof, found = all_proofs()[label], {}
    own = {each.name for each in proof.obligations}
    names = [h.of for each in proof.obligations for h in each.hypotheses.values() if h.source == "obligation"]
    for name in dict.fromkeys(names):
        if name in own:
            continue
        having = {one for one in below(label) if name in {each.name for each in all_proofs()[one].obligations}}
        for one in sorted(having & set(proof.uses) or having):
            found.setdefault(one, []).append(name)
    return {one: tuple(sorted(names)) for one, names in found.items()}
