"""The rows of a log that a diagnosis replays, kept while it streams by; before the first wrong row only a few."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.tabular.logs import LogReading
from mechanism.trace import Trace
from proofs_checks.diagnosis.log import RecordedLog

#: Rows that are kept before the first wrong one, and entries of a table by row and provider before and after it.
BEFORE, MOST_ENTRIES = 20_000, 2_000_000


class KeptRows:
    """The rows around the first that breaks a rule and those after it, part by part."""

    def __init__(self, setting: Setting, tolerance: float) -> None:
        self._setting, self._tolerance = setting, tolerance
        self._most = MOST_ENTRIES // setting.n_providers
        self._before = min(BEFORE, self._most)
        self._parts: list[tuple[ReplayState, Trace]] = []
        self._first: int | None = None

    @property
    def _end(self) -> int | None:
        return None if self._first is None else self._first + self._most

    def feed(self, before: ReplayState, trace: Trace, violating: NDArray[np.int64]) -> None:
        """Take the next part, the state before it, and its rows that break a rule."""
        if self._first is None and len(violating):
            self._first = before.steps + int(violating[0])
        if self._end is None or before.steps < self._end:
            self._parts.append((before, trace))
        while self._first is None and len(self._parts) > 1 and before.steps - self._parts[1][0].steps >= self._before:
            del self._parts[0]

    def log(self, reading: LogReading) -> RecordedLog | None:
        """Return what was kept; None if no row breaks a rule."""
        if self._first is None or self._end is None:
            return None
        parts = [part for _, part in self._parts]
        if any(part.settled is not None for part in parts):
            parts = [part.with_settled(before.steps + 1) for before, part in self._parts]
        before, trace = self._parts[0][0], Trace.joined(parts)
        start = max(0, self._first - self._before - before.steps)
        state = Replay(MechanismConfig.of(self._setting), trace.head(start), before).after if start else before
        return RecordedLog.of(
            trace.rows(slice(start, self._end - before.steps)),
            self._setting,
            tolerance=self._tolerance,
            start=state if state.steps else None,
            faults=reading.steps.faults() if reading.steps else (),
            money_unit=reading.layout.unit,
            bids=reading.layout.bids,
        )
