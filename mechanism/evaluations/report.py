"""What a loader of public evaluations left out, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bounds.errors import printable

__all__ = ["Kind", "LeftOut"]

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

    Examples
    --------
    >>> str(LeftOut("answers", 12, "without a score", "a.csv:7"))
    '12 answers without a score (first: a.csv:7)'
    >>> str(LeftOut("models", 1, "with fewer answers than the others", "tiny"))
    '1 model with fewer answers than the others (tiny)'
    """

    what: Kind
    count: int
    reason: str
    first: str = ""

    def __str__(self) -> str:
        what = self.what[:-1] if self.count == 1 else self.what
        first = printable(self.first, 120)
        shown = f" ({first})" if first and self.count == 1 else f" (first: {first})" if first else ""
        return f"{self.count:,} {what} {self.reason}{shown}"

    def to_data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"what": self.what, "count": self.count, "reason": self.reason, "first": self.first}
