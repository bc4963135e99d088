"""The lines of a text file: one at a time, or all whole lines of a block of it; errors say where."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase, BytesIO

from bounds.errors import InputError
from mechanism.tabular.files import TableFile, located, reason

__all__ = ["BLOCK", "Lines"]

BLOCK = 120 << 10
"""Bytes of a block, which then goes on to the end of its last line."""


class Lines(Iterator[str]):
    """The lines of a file as text, and errors that name the line.

    A byte order mark before the first line, as spreadsheets write one, is skipped.

    Parameters
    ----------
    file : binary file
    source : TableFile
        What errors call it.
    longest : int
        Bytes at which a line is too long.

    Raises
    ------
    InputError
        While iterating: a file that breaks off, a line that is too long or not UTF-8.

    Examples
    --------
    >>> source = TableFile(location="a.csv", name="a.csv")
    >>> lines = Lines(BytesIO(b"a\\nb\\nc"), source, 100)
    >>> next(lines), lines.take(), lines.number
    ('a\\n', b'b\\nc', 1)
    """

    def __init__(self, file: BufferedIOBase, source: TableFile, longest: int) -> None:
        self._file, self._source, self._longest = file, source, longest
        self._block, self._left = BytesIO(), 0
        self._failure: Exception | None = None
        self.number, self.text = 0, ""

    def __next__(self) -> str:
        raw = self._block.readline(self._longest) if self._left else self._tried(self._file.readline, self._longest)
        self._left = max(self._left - len(raw), 0)
        too_long = len(raw) == self._longest
        if not self.number:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if self._failure is not None and not raw:
            raise self._unreadable(self._failure)
        if not raw:
            raise StopIteration
        self.number += 1
        if too_long:
            raise self.error(raw[:40], f"is longer than {self._longest} bytes", f"is it a {self._source.kind}?")
        try:
            self.text = raw.decode()
        except UnicodeDecodeError as error:
            raise self.error(raw[error.start : error.end], "is not UTF-8", "save the file as UTF-8") from None
        return self.text

    @property
    def at_block_end(self) -> bool:
        """Whether all lines of a block that is read again have been read."""
        return not self._left

    def take(self) -> bytes:
        """Return the next whole lines of the file, without counting them; nothing at its end."""
        read = b""
        while len(read) < BLOCK and (part := self._tried(self._file.read1, BLOCK - len(read))):
            read += part
        if read and not read.endswith(b"\n"):
            read += self._tried(self._file.readline, self._longest)
        if self._failure is not None:
            read = read[: read.rfind(b"\n") + 1]
            if not read:
                raise self._unreadable(self._failure)
        return read

    def read_again(self, taken: bytes, number: int) -> None:
        """Read a block that was taken line by line, after so many lines of the file."""
        self._block, self._left, self.number = BytesIO(taken), len(taken), number

    def _tried(self, read: Callable[[int], bytes], size: int) -> bytes:
        """Return what is read; nothing from a failure on, which is told after the lines before it."""
        if self._failure is None:
            try:
                return read(size)
            except (OSError, EOFError, zlib.error) as error:
                self._failure = error
        return b""

    def _unreadable(self, failure: Exception) -> InputError:
        rule = f"cannot be read beyond line {self.number} ({reason(failure)})"
        return self._source.fault(rule, "a compressed file may be truncated or damaged")

    def place(self, line: int | None = None) -> str:
        """Return the file and the given line, or the one read last."""
        return self._source.place(line or self.number)

    def error(self, value: object, rule: str, remedy: str, line: int | None = None) -> InputError:
        """Return an error of the given line, or of the one read last."""
        return located(InputError("", value, rule, remedy), self.place(line))
