"""Of a claim on a page: its notation, its section of the paper, and the claims that its proof there uses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from proofs_checks.claims.paper_statements import SECTIONS, section_of

Data = Mapping[str, Any]


def notation_of(data: Data, label: str) -> list[Data]:
    """Return the names in the formulas of a claim, each with its formula as this claim has it.

    Examples
    --------
    >>> known = {"gap": {"latex": "d", "meaning": "the gap", "unit": "1", "formula": "d = x + y"}}
    >>> stated = {"lem:a": {"notation": ["gap"], "definitions": {"gap": "d = x"}}}
    >>> notation_of({"notation": known, "statements": stated}, "lem:a")[0]["formula"]
    'd = x'
    """
    stated, known = data.get("statements", {}).get(label, {}), data.get("notation", {})
    own = stated.get("definitions", {})
    return [
        {**known[name], "formula": own.get(name, known[name]["formula"])}
        for name in stated.get("notation", ())
        if name in known
    ]


def by_section(claims: Sequence[Data]) -> list[tuple[str, list[Data]]]:
    """Return views of claims, each with its `row`, by the section of the paper that states them."""
    found: dict[str, list[Data]] = {key: [] for key in SECTIONS}
    for claim in claims:
        found[section_of(claim["row"]["label"])].append(claim)
    return [(SECTIONS[key], stated) for key, stated in found.items() if stated]


def rests_of(labels: Collection[str], statements: Mapping[str, Data]) -> dict[str, Data]:
    """Return the labels that each claim rests on in the paper, and those that rest on it; claims without any left out.

    Examples
    --------
    >>> rests_of(["lem:a", "lem:b"], {"lem:a": {"paper_uses": ["lem:b", "lem:c"]}})["lem:b"]
    {'paper': [], 'carries': ['lem:a']}
    """
    used = {label: statements.get(label, {}).get("paper_uses", ()) for label in labels}
    found = {
        label: {
            "paper": [other for other in labels if other in used[label]],
            "carries": [other for other in labels if label in used[other]],
        }
        for label in labels
    }
    return {label: rests for label, rests in found.items() if rests["paper"] or rests["carries"]}
