"""Numbers that a theorem takes, each with a property, and how the program shows that those it computes have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Discharged:
    """A number that a theorem takes, and how its property was shown.

    Parameters
    ----------
    name : str
        As `takes` of `labels.json` names it.
    property : str
        What the theorem asks of it, in a sentence.
    how : str
        What was done, in a sentence.
    settings : tuple of str
        The settings whose numbers were looked at.
    """

    name: str
    property: str
    how: str
    settings: tuple[str, ...]

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {**vars(self), "settings": list(self.settings)}


def discharged(label: str) -> tuple[Discharged, ...]:
    """Return the numbers, of those that the theorem about a claim takes, whose property is shown.

    Examples
    --------
    >>> discharged("lem:payment-range")
    ()
    """
    return ()
