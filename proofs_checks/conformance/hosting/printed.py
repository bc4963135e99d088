"""What a hosted mechanism prints: the beginning is passed on to stderr, the rest is counted."""

from __future__ import annotations

import contextlib
import os
import select
import threading

from proofs_checks.plurals import counted

#: So much is passed on.
LINES, BYTES = 20, 2_000
_CHUNK = 1 << 16


class Printed:
    """A pipe that hosts write into; a thread reads it until `close`.

    Parameters
    ----------
    out : int, optional
        The descriptor that the beginning goes to; stderr by default.
    """

    def __init__(self, out: int = 2) -> None:
        self._out = out
        self._lines, self._bytes, self._left_out = LINES, BYTES, 0
        self._cut = self._within_line = False
        self._received, self.descriptor = os.pipe()
        self._stopped, self._stop = os.pipe()
        self._thread: threading.Thread | None = threading.Thread(target=self._pass_on, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pass on what is there, say how much was left out, and stop; what is alive may still hold the pipe."""
        if self._thread is None:
            return
        os.close(self.descriptor)
        os.close(self._stop)
        self._thread.join()
        self._thread = None
        for descriptor in (self._received, self._stopped):
            os.close(descriptor)
        if self._cut:
            self._write(f"costproof: {counted(self._left_out, 'line')} of the mechanism were not shown\n".encode())

    def _pass_on(self) -> None:
        stopping = False
        while True:
            ready = select.select([self._received, self._stopped], [], [], 0 if stopping else None)[0]
            if self._received in ready:
                chunk = os.read(self._received, _CHUNK)
                if not chunk:
                    return
                self._take(chunk)
            elif stopping:
                return
            stopping = stopping or self._stopped in ready

    def _take(self, chunk: bytes) -> None:
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

    def _write(self, text: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody may read stderr any more
            while text:
                text = text[os.write(self._out, text) :]
