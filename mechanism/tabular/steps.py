"""Steps of a log that do not count 1, 2, 3, ...: rows that are lost, repeated or out of order, and where."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
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


@dataclass
class _StepGap:
    """Consecutive steps that have not come yet, and the row before which they should have."""

    first: int
    last: int
    row: int
    line: int


class StepCounter:
    """Counts the steps of a log that streams by, and keeps where they do not count on.

    Examples
    --------
    >>> counter = StepCounter()
    >>> counter.feed(np.array([1, 2, 4, 3, 5, 5, 8]), np.arange(2, 9))
    >>> [(fault.kind, fault.row, fault.step, fault.rows) for fault in counter.faults()]
    [('late', 4, 3, 1), ('repeated', 6, 5, 1), ('missing', 7, 6, 2)]
    >>> counter.count
    3
    """

    def __init__(self) -> None:
        self.rows, self._highest = 0, 0
        #: Rows that came after one with a higher step, though their own was not there before.
        self.late = 0
        #: 1 where the file counts from 0.
        self.offset = 0
        self._gaps: list[_StepGap] = []
        self._found: list[StepFault] = []
        self._passed = 0  # late and repeated rows
        self._untracked = 0  # gaps beyond those that are remembered

    @property
    def count(self) -> int:
        """How many faults there are."""
        return self._passed + len(self._gaps) + self._untracked

    def faults(self) -> tuple[StepFault, ...]:
        """Return the first faults, in the order of the rows."""
        gaps = (
            StepFault(kind="missing", row=gap.row, line=gap.line, step=gap.first, rows=gap.last - gap.first + 1)
            for gap in self._gaps[:MOST_FAULTS]
        )
        return tuple(sorted((*self._found, *gaps), key=lambda fault: fault.row)[:MOST_FAULTS])

    def feed(self, steps: NDArray[np.int64], lines: NDArray[np.int64]) -> None:
        """Take the steps of the next rows, and their lines."""
        if not len(steps):
            return
        if not self.rows:
            self.offset = int(steps[0] == 0)
        steps = steps + self.offset
        first = self._highest + 1
        if not np.array_equal(steps, np.arange(first, first + len(steps))):
            for row, (step, line) in enumerate(zip(steps.tolist(), lines.tolist(), strict=True), self.rows + 1):
                self._take(step, row, line)
        self.rows += len(steps)
        self._highest = max(self._highest, int(steps.max()))

    def _take(self, step: int, row: int, line: int) -> None:
        if step > self._highest:
            if step > self._highest + 1:
                if len(self._gaps) < _MOST_GAPS:
                    self._gaps.append(_StepGap(self._highest + 1, step - 1, row, line))
                else:
                    self._untracked += 1
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
        at = bisect_right(self._gaps, step, key=lambda gap: gap.first) - 1
        if at < 0 or step > self._gaps[at].last:
            return False
        gap = self._gaps[at]
        left = [_StepGap(gap.first, step - 1, gap.row, gap.line), _StepGap(step + 1, gap.last, gap.row, gap.line)]
        self._gaps[at : at + 1] = [part for part in left if part.first <= part.last]
        return True
