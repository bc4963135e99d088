"""A log that a router writes while it runs, and that `costproof audit` reads."""

from __future__ import annotations

import csv
import os
import threading
from types import TracebackType
from typing import Any

from bounds.errors import InputError
from mechanism.files import reason

_HEADER = ("step", "provider", "payment", "score", "bid", "settled")
#: Queries that wait for their feedback at most: those behind the first of them are not in the file yet.
MOST_OPEN = 10_000


class TraceWriter:
    """Writes a row for each query of a running platform, in the order of the queries.

    A row is written, and the file flushed, once its feedback and that of all queries before it has arrived: a crash
    leaves a log that begins at the first query. Feedback that has not come when 10,000 later queries have been
    assigned, or at `close`, never came. Several threads may call.

    Parameters
    ----------
    path : str or path-like
        A ``.csv`` file that does not exist yet.

    Raises
    ------
    InputError
        The path has another ending, exists or cannot be written; a query that is unknown or was settled before.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "log.csv")
    >>> with TraceWriter(path) as log:
    ...     first, second = log.assigned("small", 75.0), log.assigned("large", 75.0)
    ...     log.settled(second, score=1.0, bid=20.5)
    ...     log.settled(first, score=0.0, bid=3.5)
    >>> print(path.read_text())
    step,provider,payment,score,bid,settled
    1,small,75.0,0.0,3.5,2.0000009536743164
    2,large,75.0,1.0,20.5,2.0
    <BLANKLINE>
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not os.fsdecode(path).lower().endswith(".csv"):
            raise InputError("path", path, "must end in .csv", "the ending says what is in the file")
        try:
            self._file = open(path, "x", encoding="utf-8", newline="")  # noqa: SIM115 (`close` closes it)
        except OSError as error:
            rule = f"cannot be written ({reason(error)})"
            raise InputError("path", path, rule, "give a path that does not exist yet") from None
        self._rows, self._lock = csv.writer(self._file, lineterminator="\n"), threading.Lock()
        self._open: dict[int, list[Any]] = {}
        self._last, self._later = 0, 0
        self._write(_HEADER)

    def assigned(self, provider: str | int, payment: float) -> int:
        """Write down who serves the next query, by name or 0-based index, and what the user pays; return its number."""
        with self._lock:
            self._last += 1
            self._later = 0
            self._open[self._last] = [self._last, provider, payment, None, None, None]
            self._pass_on(self._last - MOST_OPEN)
            return self._last

    def settled(self, query: int, *, score: float, bid: float) -> None:
        """Write down what came of a query: its score in [0, 1], and the provider's standing bid from now on."""
        with self._lock:
            row = self._open.get(query)
            if row is None or row[-1] is not None:
                rule = "is not a query in flight"
                raise InputError("query", query, rule, "give a number that assigned() returned, once")
            # Fractions put arrivals between the same two queries in order.
            row[3:] = score, bid, self._last + self._later / 2**20
            self._later += 1
            self._pass_on(0)

    def close(self) -> None:
        """Write the queries whose feedback never came, and close the file."""
        with self._lock:
            self._pass_on(self._last)
            self._file.close()

    def _pass_on(self, never: int) -> None:
        """Write the rows that are complete, from the first open one on, and those up to a query in any case."""
        while self._open:
            query = next(iter(self._open))
            if query > never and self._open[query][-1] is None:
                break
            self._write(self._open.pop(query))

    def _write(self, row: Any) -> None:
        self._rows.writerow(row)
        self._file.flush()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
