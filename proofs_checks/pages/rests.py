"""What each claim of a report rests on, and what rests on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Data = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Rests:
    """The labels that a claim rests on, each under the strongest source that says so, and those that rest on it.

    Parameters
    ----------
    cited : mapping
        Claims whose obligations those of its proof cite, each citation checked, and the names of these obligations.
    named : tuple of str
        Those that our proof names, and joins in English.
    paper : tuple of str
        Those that the paper's proof alone uses.
    carries : tuple of str
    """

    cited: Mapping[str, Sequence[str]]
    named: tuple[str, ...]
    paper: tuple[str, ...]
    carries: tuple[str, ...]


def rests_of(labels: Collection[str], statements: Mapping[str, Data]) -> dict[str, Rests]:
    """Return what claims rest on by their labels; claims that rest on none and carry none are left out."""
    order = list(labels)

    def those(found: Iterable[str], *stronger: Collection[str]) -> tuple[str, ...]:
        return tuple(label for label in order if label in found and not any(label in other for other in stronger))

    sources = {}
    for label in order:
        stated = statements.get(label, {})
        cited = those(stated.get("cited_proofs", {}))
        named = those(stated.get("proof_uses", ()), cited)
        sources[label] = cited, named, those(stated.get("paper_uses", ()), cited, named)
    found = {}
    for label, (cited, named, paper) in sources.items():
        carries = those([other for other, its in sources.items() if any(label in source for source in its)])
        if cited or named or paper or carries:
            citing = {one: statements[label]["cited_proofs"][one] for one in cited}
            found[label] = Rests(cited=citing, named=named, paper=paper, carries=carries)
    return found
