"""Which proofs a list of labels needs, in an order in which each rests on earlier ones."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from bounds.errors import InputError
from proofs_checks.proofs.language.proof import Proof


def proofs_for(labels: Sequence[str], proofs: Mapping[str, Proof]) -> dict[str, Proof]:
    """Return the proofs of some labels, and of the claims that they use, those first.

    Parameters
    ----------
    labels : sequence of str
        All if empty.
    proofs : mapping

    Raises
    ------
    InputError
        A label without a proof; the nearest are named.

    Examples
    --------
    >>> a, b = Proof("lem:a", (), "", uses=("lem:b",)), Proof("lem:b", (), "")
    >>> list(proofs_for(["lem:a"], {"lem:a": a, "lem:b": b}))
    ['lem:b', 'lem:a']
    """
    found: dict[str, Proof] = {}

    def add(label: str) -> None:
        if label in found:
            return
        for used in proofs[label].uses:
            add(used)
        found[label] = proofs[label]

    for label in labels or proofs:
        if label not in proofs:
            near = difflib.get_close_matches(label, proofs, n=3, cutoff=0.4) or list(proofs)[:3]
            raise InputError("LABEL", label, "is no claim with a proof", f"did you mean {', '.join(near)}?")
        add(label)
    return found
