"""Claims as people name them on the command line, told how they were read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from proofs_checks.claims.naming import meant
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.notes import note


def labels_meant(names: Iterable[str], also: Collection[str] = ()) -> list[str]:
    """Return the labels that names mean, each once, those of `also` as they are; on stderr, how a name was read.

    Examples
    --------
    >>> labels_meant(["lem:one-step"])
    ['lem:one-step']
    """
    labels = []
    for name in names:
        if name in also:
            labels.append(name)
            continue
        found = meant(name, all_claims())
        if found.remark:
            note(found.remark)
        labels.append(found.claim.label)
    return list(dict.fromkeys(labels))
