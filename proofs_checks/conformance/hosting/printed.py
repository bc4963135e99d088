"""What a hosted mechanism prints: the beginning is passed on to stderr, the rest is counted."""

from __future__ import annotations

import contextlib
import os

from bounds.words import counted

#: So much is passed on.
LINES, BYTES = 20, 2_000
_CHUNK = 1 << 16


class PrintedText:
    """A pipe that hosts write into; what is there is taken by `take`, and at the end by `close`.

    Parameters
    ----------
    out : int, optional
        The descriptor that the beginning goes to; stderr by default.
    """

    def __init__(self, out: int = 2) -> None:
        self._out = out
        self._lines, self._bytes, self._left_out = LINES, BYTES, 0
        self._cut = self._within_line = False
        self.received, self.descriptor = os.pipe()
        os.set_blocking(self.received, False)

    def close(self) -> None:
        """Pass on what is there, and say how much was left out; what is alive may still hold the pipe."""
        if self.received < 0:
            return
        while self.take():
            pass
        for descriptor in (self.received, self.descriptor):
            os.close(descriptor)
        self.received = -1
        if self._cut:
            self._write(f"costproof: {counted(self._left_out, 'line')} of the mechanism were not shown\n".encode())

    def take(self) -> bool:
        """Pass on or count some of what is there, and return whether there was anything."""
        try:
            chunk = os.read(self.received, _CHUNK)
        except BlockingIOError:
            return False
        shown = b"" if self._cut else b"".join(chunk.splitlines(keepends=True)[: self._lines])[: self._bytes]
        self._lines, self._bytes = self._lines - shown.count(b"\n"), self._bytes - len(shown)
        if shown:
            self._write(shown)
            self._within_line = not shown.endswith(b"\n")
        rest = chunk[len(shown) :]
        if rest and not self._cut:
            self._cut = True
            broken = b"\n" if self._within_line else b""
            self._write(broken + b"costproof: further output of the mechanism is not shown\n")
        self._left_out += rest.count(b"\n")
        return True

    def _write(self, text: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody may read stderr any more
            while text:
                text = text[os.write(self._out, text) :]
