"""Steps of a log that do not count 1, 2, 3, ...: rows that are lost, repeated or out of order, and where."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bounds.documents import Count, FromOne

FaultKind = Literal["missing", "repeated", "late"]

#: Faults that are told one by one; all are counted.
MOST_FAULTS = 100
#: Gaps that are remembered, so that a row that comes late is told from one that comes twice.
_MOST_GAPS = 10_000


@dataclass(frozen=True, kw_only=True)
class StepFault:
    """A place where the steps do not count on.

    Parameters
    ----------
    kind : {"missing", "repeated", "late"}
        Whether steps are missing before a row, or its step was there before or comes too late.
    row : int
        Row of the log, from 1; for rows that are missing, the one after them.
    line : int
        Its line in the file; in Parquet its row.
    step : int
        Its logged step; of missing ones, the first.
    rows : int
        How many rows are missing; otherwise 1.
    """

    kind: FaultKind
    row: FromOne
    line: FromOne
    step: Count
    rows: FromOne = 1

    @property
    def text(self) -> str:
        """The fault in words.

        Examples
        --------
        >>> StepFault(kind="missing", row=150, line=151, step=150, rows=2).text
        'steps 150 to 151 are missing before line 151'
        """
        # Parquet has rows and no lines.
        place = f"{'row' if self.line == self.row else 'line'} {self.line:,}"
        if self.kind == "missing" and self.rows > 1:
            return f"steps {self.step:,} to {self.step + self.rows - 1:,} are missing before {place}"
        if self.kind == "missing":
            return f"step {self.step:,} is missing before {place}"
        return f"step {self.step:,} {'comes again' if self.kind == 'repeated' else 'comes too late'} in {place}"


class StepCounter:
    """Counts the steps of a log that streams by, and keeps where they do not count on.

    Parameters
    ----------
    lines : callable, optional
        From what is fed beside the steps to the lines of these rows.

    Examples
    --------
    >>> counter = StepCounter()
    >>> counter.feed(np.array([1, 2, 4, 3, 5, 5, 8]), np.arange(2, 9))
    >>> [(fault.kind, fault.row, fault.step, fault.rows) for fault in counter.faults()]
    [('late', 4, 3, 1), ('repeated', 6, 5, 1), ('missing', 7, 6, 2)]
    >>> counter.count
    3
    """

    def __init__(self, lines: Callable[[NDArray[np.int64]], NDArray[np.int64]] = lambda rows: rows) -> None:
        self.rows, self._highest, self._lines = 0, 0, lines
        #: Rows that came after one with a higher step, though their own was not there before.
        self.late = 0
        #: 1 where the file counts from 0.
        self.offset = 0
        self._gaps: list[StepFault] = []
        self._found: list[StepFault] = []
        self._passed = 0  # late and repeated rows
        self._untracked = 0  # gaps beyond those that are remembered

    @property
    def count(self) -> int:
        """How many faults there are."""
        return self._passed + len(self._gaps) + self._untracked

    def faults(self) -> tuple[StepFault, ...]:
        """Return the first faults, in the order of the rows."""
        found = sorted((*self._found, *self._gaps[:MOST_FAULTS]), key=lambda fault: fault.row)[:MOST_FAULTS]
        lines = self._lines(np.array([fault.line for fault in found], np.int64)).tolist()
        return tuple(replace(fault, line=line) for fault, line in zip(found, lines, strict=True))

    def feed(self, steps: NDArray[np.int64], lines: NDArray[np.int64], left_out: NDArray[np.int64] | int = 0) -> None:
        """Take the steps of the next rows, and what `lines` finds their lines by: their numbers in the file.

        Before each row so many were left out, which may have had steps of their own.
        """
        if not len(steps):
            return
        if not self.rows:
            self.offset = int(steps[0] == 0)
        steps = steps + self.offset
        left_out = np.broadcast_to(left_out, steps.shape)
        gaps = np.diff(steps, prepend=self._highest) - 1
        if np.any((gaps < 0) | (gaps > left_out)):
            taken = zip(steps.tolist(), lines.tolist(), left_out.tolist(), strict=True)
            for row, (step, line, others) in enumerate(taken, self.rows + 1):
                self._take(step, row, line, others)
        self.rows += len(steps)
        self._highest = max(self._highest, int(steps.max()))

    def _take(self, step: int, row: int, line: int, left_out: int) -> None:
        if step > self._highest:
            missing = step - 1 - left_out - self._highest
            if missing > 0 and len(self._gaps) == _MOST_GAPS:
                self._untracked += 1
            elif missing > 0:
                gap = StepFault(kind="missing", row=row, line=line, step=self._highest + 1, rows=missing)
                self._gaps.append(gap)
            self._highest = step
            return
        self._passed += 1
        fills = self._fills_a_gap(step)
        self.late += fills
        kind: FaultKind = "late" if fills else "repeated"
        if len(self._found) < MOST_FAULTS:
            self._found.append(StepFault(kind=kind, row=row, line=line, step=step))

    def _fills_a_gap(self, step: int) -> bool:
        """Take a step out of the gap that it belongs to, if it does."""
        at = bisect_right(self._gaps, step, key=lambda gap: gap.step) - 1
        if at < 0 or step >= self._gaps[at].step + self._gaps[at].rows:
            return False
        gap = self._gaps[at]
        before, behind = step - gap.step, gap.step + gap.rows - 1 - step
        left = (replace(gap, rows=before), replace(gap, step=step + 1, rows=behind))
        self._gaps[at : at + 1] = [part for part in left if part.rows]
        return True
