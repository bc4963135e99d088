"""Files that hold a table: what an ending says, opening them, and errors that name a place in them."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path

from bounds.errors import MISSING, InputError, printable
from mechanism.files import reason

_TEXT = (".csv", ".jsonl", ".ndjson")
PARQUET = ".parquet"


def format_of(location: str) -> tuple[str, bool] | None:
    """Return the ending that names the format, and whether ``.gz`` follows it; None if the file is not a table.

    Examples
    --------
    >>> format_of("logs/Monday.CSV.gz"), format_of("notes.txt"), format_of("t.parquet.gz")
    (('.csv', True), None, None)
    """
    compressed = location.lower().endswith(".gz")
    ending = Path(location[:-3] if compressed else location).suffix.lower()
    return (ending, compressed) if ending in _TEXT or (ending == PARQUET and not compressed) else None


@dataclass(frozen=True, kw_only=True)
class TableFile:
    """A file that holds a table.

    Parameters
    ----------
    location : str
        Its path. The ending says the format: see `format_of`.
    name : str
        What errors call it.
    argument : str, optional
        The parameter that gave the path, which errors of the whole file name; by default they name the file.
    kind : str, optional
        What the table is.

    Raises
    ------
    InputError
        An unknown ending.
    """

    location: str
    name: str
    argument: str = ""
    kind: str = "table"

    def __post_init__(self) -> None:
        if format_of(self.location) is None:
            rule = f"must end in {', '.join(_TEXT)}, or in one of these and .gz, or in {PARQUET}"
            raise self.fault(rule, "the ending says what is in the file")

    @property
    def ending(self) -> str:
        """The ending that names the format, without ``.gz``."""
        return (format_of(self.location) or ("", False))[0]

    @property
    def row_word(self) -> str:
        """What the number of a place counts: Parquet has rows, the other formats lines."""
        return "row" if self.ending == PARQUET else "line"

    @property
    def compressed(self) -> bool:
        """Whether gzip compressed the file."""
        return self.location.lower().endswith(".gz")

    def opened(self) -> BufferedIOBase:
        """Open the file to read it, or raise an InputError."""
        try:
            return gzip.open(self.location, "rb") if self.compressed else open(self.location, "rb")
        except (OSError, ValueError) as error:  # ValueError: a NUL character
            raise self.fault(f"cannot be read ({reason(error)})", f"give the path of a {self.kind} file") from None

    def fault(self, rule: str, remedy: str) -> InputError:
        """Return an error of the whole file."""
        return InputError(self.argument or self.name, self.name if self.argument else MISSING, rule, remedy)

    def place(self, line: int | None = None) -> str:
        """Return the file and a line of it (in Parquet a row), as errors show them."""
        return printable(self.name) if line is None else f"{printable(self.name)}:{line}"


def refuse_repeated(names: Sequence[str]) -> None:
    """Raise an InputError if a name is given twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(name, name, "is given twice", "keep one of the two")
        seen.add(name)


def located(error: InputError, place: str) -> InputError:
    """Return an error of a column, or of a whole line, with its place.

    Examples
    --------
    >>> str(located(InputError("bid", "x", "is wrong", "write 3"), "a.csv:7"))
    "a.csv:7:bid='x' is wrong: write 3"
    """
    argument = f"{place}:{printable(error.argument, 40)}" if error.argument else place
    return error.about(argument)
