"""What the names in a claim's formulas stand for, as a part of a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Data = Mapping[str, Any]


def notation_of(data: Data, label: str) -> tuple[Data, ...]:
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
    return tuple(
        {**known[name], "formula": own.get(name, known[name]["formula"])}
        for name in stated.get("notation", ())
        if name in known
    )
