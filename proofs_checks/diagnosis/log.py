"""A log in memory, with the edits that causes are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.tabular.steps import StepFault
from mechanism.trace import NEVER_SETTLED, Trace

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

#: Behind every row.
FAR = 2**40
#: The arrays of a log that have an entry for each row.
_COLUMNS = ("provider", "payment", "score", "bid", "line", "delay")


@dataclass(frozen=True, eq=False, kw_only=True)
class RecordedLog:
    """A log, or what an edit makes of it; arrays have the shape (T,), in the order in which queries were assigned.

    Parameters
    ----------
    setting : Setting
    provider, payment, score, bid : array
        As in `Trace`.
    line : array of int
        Which row of the recorded log each is, from 1; 0 of a row that an edit inserted. Such a row is not judged.
    delay : array of int, optional
        How many further queries had been assigned when score and bid came, at least. Default none.
    batch : int, optional
        The size of batches, at whose ends they came.
    tolerance : float, optional
        How far logged money may be off.
    columns : mapping of str to array, optional
        Other columns of the recorded log, by `line`: ``"step"``, ``"cost"``, and times.
    start : ReplayState, optional
        What came before the first row. Default nothing.
    money_unit : float, optional
        What one unit of the file's money is worth in the setting's.
    behind : int, optional
        How many rows of the recorded log came before the first.
    bids : str, optional
        Whether the file's bids were read as those left ``"after"`` a service or those that stood ``"before"``.
    """

    setting: Setting
    provider: Rows
    payment: Floats
    score: Floats
    bid: Floats
    line: Rows
    delay: Rows | None = None
    batch: int = 1
    tolerance: float = 0.0
    columns: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    start: ReplayState | None = None
    money_unit: float = 1.0
    behind: int = 0
    bids: str = "after"

    @classmethod
    def of(
        cls,
        trace: Trace,
        setting: Setting,
        *,
        tolerance: float = 0.0,
        start: ReplayState | None = None,
        faults: Iterable[StepFault] = (),
        columns: Mapping[str, NDArray[Any]] | None = None,
        money_unit: float = 1.0,
        bids: str = "after",
    ) -> RecordedLog:
        """Return a trace as a log; `faults` say where the steps of its file do not count 1, 2, 3, ..."""
        before, rows = 0 if start is None else start.steps, np.arange(1, len(trace) + 1)
        steps = before + rows
        for fault in sorted(faults, key=lambda fault: fault.kind != "missing"):
            if fault.kind == "missing":
                steps[max(0, fault.row - 1 - before) :] += fault.rows
            elif before < fault.row <= before + len(steps):
                steps[fault.row - 1 - before] = fault.step
                steps[fault.row - before :] -= fault.kind == "repeated"
        others = {"step": steps, **(columns or {})}
        if trace.cost is not None:
            others["cost"] = trace.cost
        if trace.settled is not None:
            others["settled"] = trace.settled
        return cls(
            setting=setting,
            provider=trace.provider,
            payment=trace.payment,
            score=trace.score,
            bid=trace.bid,
            line=rows,
            delay=None if trace.settled is None else np.minimum(trace.settled, NEVER_SETTLED // 2) - before - rows,
            tolerance=tolerance,
            columns=others,
            start=start,
            money_unit=money_unit,
            behind=before,
            bids=bids,
        )

    def __len__(self) -> int:
        return len(self.provider)

    @property
    def known(self) -> ReplayState:
        """What came before the first row."""
        return self.start or ReplayState.initial(self.setting.n_providers)

    @cached_property
    def trace(self) -> Trace:
        """The rows as a trace."""
        settled = None
        if self.delay is not None:
            steps = self.known.steps + np.arange(1, len(self) + 1)
            settled = steps + np.maximum(self.delay, -steps % self.batch)
            if "settled" in self.columns:  # the file counts rows that it lacks, and not those that it repeats
                said = (self.line > 0) & (self.delay < FAR)
                settled = np.where(said, np.maximum(self.column("settled"), steps), settled)
        return Trace(self.provider, self.payment, self.score, self.bid, settled=settled)

    @cached_property
    def replay(self) -> Replay:
        """The rows under Algorithm 1."""
        return Replay(MechanismConfig.of(self.setting), self.trace, self.start)

    def column(self, name: str) -> Any:
        """Return a column of the answers, or one of the others row by row; of inserted rows that of some row."""
        return self.columns[name][self.line - 1] if name in self.columns else getattr(self, name)

    def rows(self, chosen: slice | NDArray[Any]) -> RecordedLog:
        """Return some rows in the given order."""
        return self.having(**{name: c[chosen] for name in _COLUMNS if (c := getattr(self, name)) is not None})

    def having(self, **columns: Any) -> RecordedLog:
        """Return the log with other columns."""
        return replace(self, **columns)

    def edited(self, at: Any, **values: Any) -> RecordedLog:
        """Return the log with other values in some rows."""
        changed = {name: getattr(self, name).copy() for name in values}
        for name, value in values.items():
            changed[name][at] = value
        return self.having(**changed)

    def without(self, at: Any) -> RecordedLog:
        """Return the log without some rows, by numbers or by a mask."""
        return self.rows(np.delete(np.arange(len(self)), at))

    def not_counting(self, at: Flags) -> RecordedLog:
        """Return the log without rows that the steps of arrival in the file count."""
        gone, settled = np.sort(self.line[at]), self.columns.get("settled")
        if settled is None:
            return self.without(at)
        counted = settled - np.searchsorted(gone, settled, side="right")
        return self.having(columns={**self.columns, "settled": counted}).without(at)

    def inserted(self, row: int, who: Any, score: Any, bid: Any) -> RecordedLog:
        """Return the log with rows before a given one; what they were paid is not known, and they are not judged."""
        number = np.size(who)
        longer = self.rows(np.insert(np.arange(len(self)), row, np.full(number, min(row, len(self) - 1))))
        return longer.edited(slice(row, row + number), provider=who, score=score, bid=bid, payment=0.0, line=0)

    def in_flight(self, number: int) -> RecordedLog:
        """Return the log with score and bid of every row so many queries late."""
        return replace(self, delay=np.full(len(self), number))

    def unheard(self, at: Any) -> RecordedLog:
        """Return the log with score and bid of some rows never heard of."""
        log = self if self.delay is not None else replace(self, delay=np.zeros(len(self), dtype=np.int64))
        return log.edited(at, delay=FAR)

    @property
    def never_heard(self) -> Flags:
        """Whether the log says that the score and the bid of a row never came."""
        said = "settled" in self.columns
        return (self.line > 0) & (self.column("settled") >= FAR) if said else np.zeros(len(self), dtype=np.bool_)

    def heard(self, scores: Any) -> RecordedLog:
        """Return the log with scores of the rows that were never heard of, as if they had come at once."""
        at, settled = self.never_heard, self.columns["settled"]
        log = self.edited(at, delay=0, score=np.asarray(scores))
        return replace(log, columns={**self.columns, "settled": np.where(settled >= FAR, 0, settled)})

    def scaled(self, at: Any, factor: float, columns: Iterable[str] = ("payment", "bid")) -> RecordedLog:
        """Return the log with the money of some rows divided by a factor, as far as doubles reach."""
        most = np.finfo(np.float64).max
        return self.edited(at, **{name: np.clip(getattr(self, name)[at] / factor, -most, most) for name in columns})

    def place(self, row: int) -> int:
        """Return the step of a row as the recorded log counts it."""
        line = next((int(line) for line in self.line[row:] if line), len(self.line))
        return self.behind + line


def times_before(values: Rows) -> Rows:
    """Return how often each value came before.

    Examples
    --------
    >>> times_before(np.array([3, 1, 3, 3])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) != 0))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.arange(len(values)) - np.repeat(starts, np.diff(np.append(starts, len(values))))
    return found
