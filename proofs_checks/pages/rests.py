"""What each claim of a report rests on in the paper, and what rests on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Data = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Rests:
    """The labels that a claim rests on, and those that rest on it.

    Parameters
    ----------
    paper : tuple of str
        Those that the paper's proof uses.
    carries : tuple of str
    """

    paper: tuple[str, ...]
    carries: tuple[str, ...]


def rests_of(labels: Collection[str], statements: Mapping[str, Data]) -> dict[str, Rests]:
    """Return what claims rest on by their labels; claims that rest on none and carry none are left out."""
    order = list(labels)

    def those(found: Iterable[str]) -> tuple[str, ...]:
        return tuple(label for label in order if label in found)

    used = {label: those(statements.get(label, {}).get("paper_uses", ())) for label in order}
    found = {}
    for label, paper in used.items():
        carries = those([other for other, its in used.items() if label in its])
        if paper or carries:
            found[label] = Rests(paper=paper, carries=carries)
    return found
