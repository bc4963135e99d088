"""The rows around the first violation of a log, kept while it streams by, and what they are with an edit undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.trace import Trace
from proofs_checks.oracle.rule_oracle import ROUNDING
from proofs_checks.oracle.step_audit import Flags, StepAudit

#: Rows kept before the first violation and after it, and from the beginning of the log.
BEFORE, AFTER, HEAD = 64, 400, 1000
#: Rows kept after those: what explains the first violations should explain these too.
LATER = 4000
#: Rows kept from the end of the log: what explains its beginning should explain these too.
TAIL = 1000
#: How many such stretches of rows are kept: edits may lie far apart.
STRETCHES = 4
#: Rows that are audited before the others where all that matters is whether they hold more than a few violations.
EARLY = 384
#: Numbers with more decimals are not rounded.
_MOST_DECIMALS = 6


@dataclass(frozen=True, eq=False)
class Window:
    """Consecutive rows of a log and the state before them; `first` is the row, from 0, that breaks a rule first."""

    setting: Setting
    tolerance: float
    before: ReplayState
    trace: Trace
    first: int

    @cached_property
    def replay(self) -> Replay:
        """The state at every row."""
        return Replay(MechanismConfig.of(self.setting), self.trace, self.before)

    @cached_property
    def audit(self) -> StepAudit:
        """The rules at every row."""
        return StepAudit(self.setting, self.replay, self.tolerance)

    @cached_property
    def violations(self) -> int:
        """How many violations the rows hold."""
        return sum(self.audit.counts.values())

    def violations_up_to(self, most: float) -> int | None:
        """Return how many violations the rows hold, None if they are more than `most`: the first rows may show that."""
        found = 0
        for part in self._parts():
            found += part.violations
            if found > most:
                return None
        return found

    def _parts(self) -> Iterator[Window]:
        """Yield the first rows and, if they are many, the others apart. Their `first` says nothing."""
        early = replace(self, trace=self.trace.head(EARLY)) if len(self.trace) >= 2 * EARLY else self
        yield early
        if early is not self:
            yield replace(self, before=early.replay.after, trace=self.trace.rows(slice(EARLY, None)))

    @cached_property
    def below_bound(self) -> NDArray[np.bool_]:
        """Whether less than c_max is paid, as only auctions do, shape (T,)."""
        bound = self.setting.platform.cost_bound
        return np.asarray(self.trace.payment < bound - self.tolerance - ROUNDING * bound)

    @property
    def first_step(self) -> int:
        """Step of the first row."""
        return self.before.steps + 1

    def step(self, row: int) -> int:
        """Return the step of a row."""
        return self.first_step + row

    def edited(self, row: int | slice | NDArray[np.int64], **values: Any) -> Window:
        """Return the window with some values of one row, or of several, changed."""
        columns = {name: column.copy() for name, column in self.trace.columns().items()}
        for name, value in values.items():
            columns[name][row] = value
        return replace(self, trace=Trace(**columns))

    def reordered(self, rows: ArrayLike) -> Window:
        """Return the window with these rows of it, in this order."""
        return self.with_rows(self.trace.rows(np.asarray(rows, dtype=np.int64)))

    def with_rows(self, trace: Trace) -> Window:
        """Return the window with other rows; one that moved back cannot have been settled before its new step."""
        if trace.settled is not None:
            steps = self.before.steps + np.arange(1, len(trace) + 1)
            trace = replace(trace, settled=np.maximum(trace.settled, steps))
        return replace(self, trace=trace)

    def followed_by(self, trace: Trace | None) -> Window:
        """Return the window with more rows at its end."""
        return self if trace is None else self.with_rows(_joined(self.trace, trace))

    def first_change(self, logged: Window) -> int:
        """Return the first row that is not as in another window, or that is behind either's end; 0 after another state.

        All before it is audited there as here.
        """
        if self.before is not logged.before:
            return 0
        mine, theirs = self.trace.columns(), logged.trace.columns()
        same = min(len(self.trace), len(logged.trace))
        for name, column in mine.items():
            different = column[:same] != theirs[name][:same]
            same = int(different.argmax()) if different.any() else same
        return same

    @cached_property
    def _states(self) -> dict[int, ReplayState]:
        return {0: self.before}

    @cached_property
    def _right(self) -> dict[int, Flags]:
        return {}

    def right_at(self, row: int) -> Flags:
        """Return which rows would break no rule in the place of a given one, shape (T,)."""
        if row not in self._right:
            self._right[row] = self.audit.are_right(row, self.trace.provider, self.trace.payment)
        return self._right[row]

    def state_before(self, row: int) -> ReplayState:
        """Return what the platform has seen before a row."""
        if row not in self._states:
            self._states[row] = Replay(MechanismConfig.of(self.setting), self.trace.head(row), self.before).after
        return self._states[row]

    def after(self, step: int) -> Window | None:
        """Return its rows after a step; None if there are none. The `first` of the result says nothing."""
        rows = max(0, step - self.before.steps)
        if rows >= len(self.trace):
            return None
        return replace(self, before=self.state_before(rows), trace=self.trace.rows(slice(rows, None)), first=0)

    def around_first(self) -> Window | None:
        """Return the rows around the first violation that this window holds; None if there is none."""
        rows = self.audit.violating_rows
        if not len(rows):
            return None
        first = int(rows[0])
        start = max(0, first - BEFORE)
        kept = self.trace.rows(slice(start, first + AFTER))
        return replace(self, before=self.state_before(start), trace=kept, first=first - start)

    def without(self, row: int) -> Window:
        """Return the window without a row."""
        return self.reordered(np.delete(np.arange(len(self.trace)), row))

    def with_row(self, row: int, **values: Any) -> Window:
        """Return the window with a row more before a given one; what is not given is as there."""
        more = self.reordered(np.insert(np.arange(len(self.trace)), row, row))
        return more.edited(row, **values)

    def violations_in(self, rows: slice) -> int:
        """Return how many violations there are in some rows."""
        return sum(int(np.count_nonzero(flags[rows])) for flags in self.audit.flags.values())

    def last_service(self, provider: int, row: int) -> int | None:
        """Return the last row before `row` that a provider served, if the window holds it."""
        rows = np.flatnonzero(self.trace.provider[:row] == provider)
        return int(rows[-1]) if len(rows) else None

    def next_service(self, provider: int, row: int) -> int | None:
        """Return the first row from `row` on that a provider served, if the window holds it."""
        rows = np.flatnonzero(self.trace.provider[row:] == provider)
        return row + int(rows[0]) if len(rows) else None

    def with_state(self, name: str, provider: int, value: float) -> Window:
        """Return the window after a state that differs in one number of a provider."""
        column: NDArray[Any] = getattr(self.before, name).copy()
        column[provider] = value
        changed: dict[str, Any] = {name: column}
        return replace(self, before=replace(self.before, **changed))


class Stretch:
    """The rows around the first violation from some row on, and those after them, kept while a log streams by."""

    def __init__(self, setting: Setting, tolerance: float, start: int = 0) -> None:
        self._setting, self._tolerance, self._start = setting, tolerance, start
        self._recent: list[tuple[ReplayState, Trace]] = []
        self._first: int | None = None

    @property
    def end(self) -> int | None:
        """The row of the log, from 0, behind the last that is kept; None before a violation."""
        return None if self._first is None else self._first + AFTER + LATER

    def feed(self, before: ReplayState, trace: Trace, violating: NDArray[np.int64]) -> None:
        """Take the next part, the state before it, and its rows that break a rule."""
        rows = before.steps + violating
        rows = rows[rows >= self._start]
        if self._first is None and len(rows):
            self._first = int(rows[0])
        if self.end is None or self.end >= before.steps:
            self._recent.append((before, trace))
        while self._first is None and len(self._recent) > 1 and before.steps - self._recent[1][0].steps >= BEFORE:
            del self._recent[0]

    def window(self) -> Window | None:
        """Return the rows around the first violation, None if there is none."""
        if self._first is None:
            return None
        before, trace = self._kept()
        start = max(0, self._first - BEFORE - before.steps)
        whole = Replay(MechanismConfig.of(self._setting), trace.head(start), before)
        kept = trace.rows(slice(start, self._first - before.steps + AFTER))
        return Window(self._setting, self._tolerance, whole.after, kept, self._first - before.steps - start)

    def later(self) -> Trace | None:
        """Return the rows after the window, None if there are none."""
        if self._first is None:
            return None
        before, trace = self._kept()
        end = self._first - before.steps + AFTER
        later = trace.rows(slice(end, end + LATER))
        return later if len(later) else None

    def _kept(self) -> tuple[ReplayState, Trace]:
        """Return what was kept around the first violation as one trace, and the state before it."""
        return self._recent[0][0], _joined(*(trace for _, trace in self._recent))


class ViolationRecorder:
    """Keeps what a diagnosis needs of a log, part by part."""

    def __init__(self, setting: Setting, tolerance: float) -> None:
        self._setting, self._tolerance = setting, tolerance
        #: The first violation and what follows, then the first after those rows, and so on: `STRETCHES` at most.
        self.stretches = [Stretch(setting, tolerance)]
        self._head: Trace | None = None
        self._last: list[tuple[ReplayState, Trace]] = []
        #: How often each provider served in the whole log, shape (N,).
        self.selections: NDArray[np.int64] = np.zeros(setting.n_providers, dtype=np.int64)
        self._decimals = {"payment": 0, "bid": 0}

    @property
    def decimals(self) -> int | None:
        """The decimals to which payments or bids are rounded, None where both are written in full."""
        found = [decimals for decimals in self._decimals.values() if decimals <= _MOST_DECIMALS]
        return min(found, default=None)

    def feed(self, before: ReplayState, trace: Trace, violating: NDArray[np.int64]) -> None:
        """Take the next part, the state before it, and its rows that break a rule."""
        self.selections += np.bincount(trace.provider, minlength=len(self.selections))
        for name, decimals in self._decimals.items():
            self._decimals[name] = _decimals(trace.columns()[name], decimals)
        if self._head is None or len(self._head) < HEAD:
            self._head = (trace if self._head is None else _joined(self._head, trace)).head(HEAD)
        self._last.append((before, trace))
        while sum(len(part) for _, part in self._last[1:]) >= TAIL:
            del self._last[0]
        for number in range(STRETCHES):
            self.stretches[number].feed(before, trace, violating)
            end = self.stretches[number].end
            if end is None:
                break
            if number + 1 == len(self.stretches) < STRETCHES:
                self.stretches.append(Stretch(self._setting, self._tolerance, end))

    def window(self) -> Window | None:
        """Return the rows around the first violation, None if there is none."""
        return self.stretches[0].window()

    def later(self) -> Trace | None:
        """Return the rows after the window, None if there are none."""
        return self.stretches[0].later()

    def tail(self) -> Window | None:
        """Return the end of the log; its `first` says nothing."""
        if not self._last:
            return None
        before, trace = self._last[0][0], _joined(*(trace for _, trace in self._last))
        start = max(0, len(trace) - TAIL)
        state = Replay(MechanismConfig.of(self._setting), trace.head(start), before).after
        return Window(self._setting, self._tolerance, state, trace.rows(slice(start, None)), 0)

    def head(self) -> Window | None:
        """Return the beginning of the log."""
        if self._head is None:
            return None
        return Window(self._setting, self._tolerance, ReplayState.initial(self._setting.n_providers), self._head, 0)


@np.errstate(over="ignore", invalid="ignore")  # a logged amount may be anything
def _decimals(amounts: NDArray[np.float64], least: int) -> int:
    """Return how many decimals, at least so many, all amounts are rounded to; one more than is tried if to none."""
    while least <= _MOST_DECIMALS and not np.array_equal(np.round(amounts, least), amounts):
        least += 1
    return least


def _joined(*traces: Trace) -> Trace:
    parts = [trace.columns() for trace in traces]
    return Trace(**{name: np.concatenate([columns[name] for columns in parts]) for name in parts[0]})
