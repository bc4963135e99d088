"""What an undone edit leaves of the violations after the rows that it was found in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mechanism.replay import ReplayState
from proofs_checks.audit.diagnosis.edits import Edit
from proofs_checks.audit.diagnosis.evidence import LASTING, NEARLY_ALL, LogEvidence
from proofs_checks.audit.diagnosis.window import Window

#: Edits of which it is not known what the rows scored: far behind them, who is eligible may hang on that.
_SCORES_UNKNOWN = ("row missing", "rows missing")


@dataclass(frozen=True, kw_only=True)
class Aftermath:
    """The violations after the window, as logged and with an edit undone: of the rows behind it, and of the end.

    Parameters
    ----------
    later, later_left : int
        Of the rows that are kept behind the window, as logged and undone.
    end, end_left : int
        Of the end of the log, where the edit can be tried there.
    not_tried : int
        How many violations of the log lie elsewhere.
    """

    later: int
    later_left: int
    end: int
    end_left: int
    not_tried: int

    @property
    def violations(self) -> int:
        """How many there are as logged."""
        return self.later + self.end

    @property
    def left(self) -> int:
        """How many there are with the edit undone."""
        return self.later_left + self.end_left

    @property
    def lasts(self) -> bool:
        """Whether the edit explains most of the rows behind the window, too."""
        return self.later - self.later_left >= LASTING * self.later

    def explains_nearly_all(self, log: LogEvidence, edit: Edit) -> bool:
        """Whether it explains nearly all violations that are kept."""
        return edit.remaining + self.left <= (1 - NEARLY_ALL) * (log.window.violations + self.violations)


def aftermath(log: LogEvidence, edit: Edit) -> Aftermath:
    """Return what an undone edit leaves after the window."""
    undone = edit.undone.followed_by(log.later)
    rows = 0 if log.later is None else len(log.later)
    tried = None if edit.kind in _SCORES_UNKNOWN else log.end
    end = None if tried is None else _carried_on(tried, log.around, undone)
    return Aftermath(
        later=log.around.violations_in(slice(len(log.around.trace) - rows, None)),
        later_left=undone.violations_in(slice(len(undone.trace) - rows, None)),
        end=0 if tried is None else tried.violations,
        end_left=0 if end is None else end.violations,
        not_tried=log.total - log.around.violations - (0 if tried is None else tried.violations),
    )


def _carried_on(end: Window, logged: Window, undone: Window) -> Window:
    """Return the end of a log after what an undone edit changed in the platform's state."""
    one, other, state = logged.replay.after, undone.replay.after, end.before
    # A bid that was replaced since is what the log says.
    stands = np.isclose(state.bids, one.bids, rtol=0, atol=0, equal_nan=True)
    before = ReplayState(
        steps=state.steps + other.steps - one.steps,
        counts=np.maximum(state.counts + other.counts - one.counts, 0),
        score_sums=state.score_sums + (other.score_sums - one.score_sums),
        cost_sums=state.cost_sums + (other.cost_sums - one.cost_sums),
        bids=np.where(stands, other.bids, state.bids),
        in_flight=state.in_flight,
    )
    return replace(end, before=before).with_rows(end.trace)
