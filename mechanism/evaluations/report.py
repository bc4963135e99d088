"""What a loader of public evaluations left out, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bounds.errors import printable
from bounds.words import listed

__all__ = ["Kind", "LeftOut", "listed"]

Kind = Literal["answers", "models", "questions", "files"]


@dataclass(frozen=True)
class LeftOut:
    """Answers, models, questions or files that were left out for one reason.

    Attributes
    ----------
    what : {"answers", "models", "questions", "files"}
    count : int
    reason : str
        Reads after the number: ``"without a score"``.
    first : str
        The first of them, with its place; may be empty.
    models : tuple of (str, int, int), optional
        By model: how many because of it, of how many answers or questions.

    Examples
    --------
    >>> str(LeftOut("answers", 12, "without a score", "a.csv:7", (("m", 12, 40),)))
    '12 answers without a score (m 12 of 40; first: a.csv:7)'
    >>> str(LeftOut("models", 1, "with fewer answers than the others", "tiny"))
    '1 model with fewer answers than the others (tiny)'
    """

    what: Kind
    count: int
    reason: str
    first: str = ""
    models: tuple[tuple[str, int, int], ...] = ()

    def __str__(self) -> str:
        what = self.what[:-1] if self.count == 1 else self.what
        first = printable(self.first, 120)
        shown = [listed([f"{printable(name, 60)} {count:,} of {of:,}" for name, count, of in self.models])]
        shown += [first if self.count == 1 else f"first: {first}"] if first else []
        beside = "; ".join(filter(None, shown))
        return f"{self.count:,} {what} {self.reason}{f' ({beside})' if beside else ''}"

    def to_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        models = [{"name": name, "count": count, "of": of} for name, count, of in self.models]
        return {"what": self.what, "count": self.count, "reason": self.reason, "first": self.first, "models": models}
