"""Claims as people name them on the command line, with how they were read."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from proofs_checks.cli.notes import note


def labels_meant(names: Iterable[str], also: Collection[str] = ()) -> list[str]:
    """Return the labels that names mean, each once, those of `also` as they are; on stderr, how a name was read.

    Examples
    --------
    >>> labels_meant(["lem:one-step"])
    ['lem:one-step']
    """
    labels, remarks = [], {}
    for name in names:
        if name in also:
            labels.append(name)
            continue
        # Claims bring their formulas with them, and SymPy: who names none of them does not wait for these.
        from proofs_checks.claims.naming import meant
        from proofs_checks.claims.registry import all_claims

        found = meant(name, all_claims())
        if found.remark:
            remarks[name] = found
        labels.append(found.claim.label)
    if len(remarks) == 1:
        note(next(iter(remarks.values())).remark)
    elif remarks:
        told = ", ".join(f"{name!r} as {found.claim.label}" for name, found in remarks.items())
        note(f"read: {told}; `costproof claims NAME` has more on each")
    return list(dict.fromkeys(labels))
