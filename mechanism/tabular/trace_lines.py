"""The lines of a trace file: one at a time, or all whole lines of a block of it; errors say where."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterator
from io import BufferedIOBase, BytesIO

from bounds.errors import InputError, printable

__all__ = ["BLOCK", "LONGEST_LINE", "Lines", "located", "reason"]

LONGEST_LINE = 1 << 20
"""Most bytes of a line that is read: whatever is longer is no trace."""

BLOCK = 1 << 17
"""Most bytes of a block, unless its one line is longer.

Not above the field limit of `csv` (128 KiB): then no cell of a block can break that limit.
"""


class Lines:
    """The lines of a file as text, and errors that name the line.

    A byte order mark before the first line, as spreadsheets write one, is skipped.
    Lines are read one by one, by iteration, or as a block of bytes: `take` hands out the block, and its taker
    then calls either `skip` or `give_back`.

    Parameters
    ----------
    file : binary file
    name : str
        What errors call it.

    Raises
    ------
    InputError
        While iterating: a file that breaks off, a line that is too long or not UTF-8.

    Examples
    --------
    >>> lines = Lines(BytesIO(b"step,provider"), "trace.csv")
    >>> list(lines), lines.number
    (['step,provider'], 1)
    >>> str(lines.error("x", "is wrong", "write y", column="bid"))
    "trace.csv:1:bid='x' is wrong: write y"
    """

    def __init__(self, file: BufferedIOBase, name: str) -> None:
        self._file, self._name = file, name
        self._block, self._left = BytesIO(), 0
        self._rest = b""  # the beginning of the line that the next block starts with
        self._failure: Exception | None = None
        self._begun = False
        self.number, self.text = 0, ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self._left:
            self.give_back(self._loaded())
        raw = self._block.readline(LONGEST_LINE)
        if not raw:
            raise StopIteration
        self._left -= len(raw)
        self.number += 1
        if len(raw) == LONGEST_LINE:
            raise self.error(raw[:40], f"is longer than {LONGEST_LINE} bytes", "is it a trace?")
        try:
            self.text = raw.decode()
        except UnicodeDecodeError as error:
            raise self.error(raw[error.start : error.end], "is not UTF-8", "save the file as UTF-8") from None
        return self.text

    @property
    def at_block_end(self) -> bool:
        """Whether all lines of the block have been read."""
        return not self._left

    def take(self) -> bytes:
        """Return the lines of the block that have not been read, or the next block; nothing at the end.

        Examples
        --------
        >>> lines = Lines(BytesIO(b"a\\nb\\nc"), "trace.csv")
        >>> next(lines), lines.take()
        ('a\\n', b'b\\nc')
        """
        taken = self._block.read() if self._left else self._loaded()
        self._left = 0
        return taken

    def skip(self, count: int) -> None:
        """Count the lines of a block that was taken."""
        self.number += count

    def give_back(self, taken: bytes) -> None:
        """Put back a block that was taken, to be read line by line."""
        self._block, self._left = BytesIO(taken), len(taken)

    def _loaded(self) -> bytes:
        """Return the next whole lines; a line that is too long, or the last one, may lack its end."""
        read, ended = self._rest, False
        while not ended and (len(read) < BLOCK or (len(read) < LONGEST_LINE and b"\n" not in read)):
            part = self._part(BLOCK - len(read) if len(read) < BLOCK else BLOCK)
            read, ended = read + part, not part
        if not self._begun:
            read, self._begun = read.removeprefix(codecs.BOM_UTF8), True
        end = read.rfind(b"\n") + 1
        if ended and self._failure is not None:
            if not end:
                raise self._unreadable(self._failure)
        elif ended or not end:
            end = len(read)
        whole, self._rest = read[:end], read[end:]
        return whole

    def _part(self, size: int) -> bytes:
        if self._failure is None:
            try:
                return self._file.read1(size)
            except (OSError, EOFError, zlib.error) as error:
                self._failure = error  # told when the lines before it have been read
        return b""

    def _unreadable(self, failure: Exception) -> InputError:
        rule = f"cannot be read beyond line {self.number} ({reason(failure)})"
        return InputError("path", self._name, rule, "a compressed file may be truncated or damaged")

    def error(self, value: object, rule: str, remedy: str, line: int | None = None, column: str = "") -> InputError:
        """Return an error on the given line, or on the one read last."""
        return self.located(InputError(column, value, rule, remedy), line)

    def located(self, error: InputError, line: int | None = None) -> InputError:
        """Return an error of a column with its place: the given line, or the one read last."""
        return located(error, f"{printable(self._name)}:{line or self.number}")


def located(error: InputError, place: str) -> InputError:
    """Return an error of a column, or of a whole line, with its place.

    Examples
    --------
    >>> str(located(InputError("bid", "x", "is wrong", "write 3"), "a.csv:7"))
    "a.csv:7:bid='x' is wrong: write 3"
    """
    argument = f"{place}:{printable(error.argument, 40)}" if error.argument else place
    return InputError(argument, error.value, error.rule, error.remedy)


def reason(error: Exception) -> str:
    """Return what the operating system or a parser complains of, on one line.

    Examples
    --------
    >>> reason(FileNotFoundError(2, "No such file or directory"))
    'no such file or directory'
    """
    text = printable(str(getattr(error, "strerror", None) or error), 160)
    return text[:1].lower() + text[1:]
