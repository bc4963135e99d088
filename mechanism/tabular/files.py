"""Files that hold a table: what an ending says, opening them, and errors that name a place in them."""

from __future__ import annotations

import gzip
import importlib
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from bounds.errors import MISSING, InputError, did_you_mean, printable
from mechanism.files import reason

JSON, PARQUET = ".json", ".parquet"
_TEXT = (".csv", ".tsv", ".jsonl", ".ndjson", JSON)
_PACKED = (".gz", ".zst")
#: How files of these endings begin, and no text.
_BEGINNINGS: Mapping[str, bytes | tuple[bytes, ...]] = {
    ".gz": b"\x1f\x8b",
    ".zst": b"\x28\xb5\x2f\xfd",
    PARQUET: b"PAR1",
    ".pkl": (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
}


def format_of(location: str) -> tuple[str, str] | None:
    """Return the ending that names the format, and that of its compression; None if the file is not a table.

    Examples
    --------
    >>> format_of("logs/Monday.CSV.gz"), format_of("notes.txt"), format_of("t.parquet.gz"), format_of("a.json")
    (('.csv', '.gz'), None, None, ('.json', ''))
    """
    packed = next((each for each in _PACKED if location.lower().endswith(each)), "")
    ending = Path(location[: len(location) - len(packed)]).suffix.lower()
    return (ending, packed) if ending in _TEXT or (ending == PARQUET and not packed) else None


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
            rule = f"must end in {', '.join(_TEXT)}, or in one of these and {' or '.join(_PACKED)}, or in {PARQUET}"
            raise self.fault(rule, "the ending says what is in the file")

    @property
    def ending(self) -> str:
        """The ending that names the format, without that of the compression."""
        return (format_of(self.location) or ("", ""))[0]

    @property
    def packed(self) -> str:
        """The ending that names the compression, if there is one."""
        return (format_of(self.location) or ("", ""))[1]

    @property
    def separator(self) -> str:
        """What separates the cells of a line, in CSV and TSV."""
        return "\t" if self.ending == ".tsv" else ","

    def opened(self) -> BufferedIOBase:
        """Open the file to read it, unpacked, or raise an InputError."""
        path = Path(self.location)
        try:
            if path.exists() and not (path.is_file() or path.is_dir()):  # it is opened more than once
                raise OSError("not a plain file")
            with open(self.location, "rb") as file:
                begin = file.read(4)
            opened: BufferedIOBase
            if self.packed == ".zst":
                opened = zstd().open(self.location, "rb")
            else:
                opened = gzip.open(self.location, "rb") if self.packed else open(self.location, "rb")  # noqa: SIM115
        except (OSError, ValueError) as error:  # ValueError: a NUL character
            raise self.fault(f"cannot be read ({reason(error)})", f"give the path of a {self.kind} file") from None
        found = next((ending for ending, mark in _BEGINNINGS.items() if begin.startswith(mark)), "")
        if found not in ("", self.packed or self.ending):
            opened.close()
            raise self.fault(f"is a {found} file, by how it begins", f"rename it: its name must end in {found}")
        return opened

    def fault(self, rule: str, remedy: str) -> InputError:
        """Return an error of the whole file."""
        return InputError(self.argument or self.name, self.name if self.argument else MISSING, rule, remedy)

    def place(self, line: int | None = None) -> str:
        """Return the file and a line of it (in Parquet a row), as errors show them."""
        return printable(self.name) if line is None else f"{printable(self.name)}:{line}"


def natural_order(names: Iterable[str]) -> list[str]:
    """Return names sorted so that the numbers in them count as numbers.

    Examples
    --------
    >>> natural_order({"q10", "q9", "q"})
    ['q', 'q9', 'q10']
    """
    return sorted(names, key=_natural_key)


def _natural_key(name: str) -> tuple[tuple[tuple[int, str], ...], str]:
    # Text and digits alternate, so equal places hold equal kinds. Digits compare by length, then as text: an
    # integer of over 4300 digits could not be read.
    parts = re.split(r"([0-9]+)", name)
    keys = [(len(part.lstrip("0")), part.lstrip("0")) if i % 2 else (0, part) for i, part in enumerate(parts)]
    return tuple(keys), name


def zstd() -> Any:
    """Return the module of Zstandard: from Python 3.14 on it comes with it."""
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def unpacking_errors() -> tuple[type[Exception], ...]:
    """Return what reading a damaged compressed file raises."""
    return (OSError, EOFError, zlib.error, zstd().ZstdError)


def check_names(names: Sequence[str], columns: Mapping[str, tuple[str, bool]]) -> None:
    """Refuse unknown, repeated and missing columns; unknown ones first, as a misspelt one makes another missing.

    Parameters
    ----------
    names : sequence of str
        What the columns of a file are called.
    columns : mapping of str to tuple
        What they may be called, each with its meaning and whether it must be there.
    """
    # Only one that is not there can have been meant.
    absent = {name: must for name, (_, must) in columns.items() if name not in names}
    required = [name for name, must in absent.items() if must]
    for name in names:
        if name not in columns:
            lacking = f"rename it, if it is {' or '.join(required)}" if required else "remove it"
            near = did_you_mean(name.strip().casefold(), absent, f"{lacking}; the columns are {', '.join(columns)}")
            raise InputError(name, MISSING, "is not a known column", near)
    refuse_repeated(names)
    for name in required:
        raise InputError(name, MISSING, "must be given", f"{columns[name][0]}; the columns are {', '.join(columns)}")


def refuse_repeated(names: Sequence[str]) -> None:
    """Raise an InputError if a name is given twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(name, name, "is given twice", "keep one of the two")
        seen.add(name)


@contextmanager
def at(place: str) -> Iterator[None]:
    """Give an error that is raised in the block its place.

    Examples
    --------
    >>> with at("a.csv:7"):
    ...     raise InputError("bid", "x", "is wrong", "write 3")
    Traceback (most recent call last):
    bounds.errors.InputError: a.csv:7:bid='x' is wrong: write 3
    """
    try:
        yield
    except InputError as error:
        raise located(error, place) from None


def located(error: InputError, place: str) -> InputError:
    """Return an error of a column, or of a whole line, with its place.

    Examples
    --------
    >>> str(located(InputError("bid", "x", "is wrong", "write 3"), "a.csv:7"))
    "a.csv:7:bid='x' is wrong: write 3"
    """
    argument = f"{place}:{printable(error.argument, 40)}" if error.argument else place
    return error.about(argument)
