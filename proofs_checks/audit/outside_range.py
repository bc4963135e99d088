"""Bids and costs of a log that lie outside [0, c_max], where the paper has none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proofs_checks.oracle.step_audit import StepAudit

#: The columns that lie in [0, c_max]. A wrong payment breaks a rule anyway.
AMOUNTS = ("bid", "cost")


@dataclass(frozen=True)
class OutsideRange:
    """How many amounts of a column lie outside [0, c_max].

    Parameters
    ----------
    steps : int
    first_step : int or None
        The first of them, if there is one.
    """

    steps: int
    first_step: int | None

    def and_those_of(self, audit: StepAudit, name: str) -> OutsideRange:
        """Return these and those of the next part of the log; one that tolerance or rounding explains does not count.

        Parameters
        ----------
        audit : StepAudit
        name : str
            A column of `AMOUNTS`; without costs none lies outside.

        Examples
        --------
        >>> from bounds.published import published
        >>> from mechanism.config import MechanismConfig
        >>> from mechanism.replay import Replay
        >>> from mechanism.trace import Trace
        >>> setting = published("gpqa-strong").setting
        >>> log = Trace([0, 1, 2], [75.008] * 3, [1.0] * 3, [9.0, 75.1, -2.0])
        >>> audit = StepAudit(setting, Replay(MechanismConfig.of(setting), log))
        >>> OutsideRange(0, None).and_those_of(audit, "bid"), OutsideRange(0, None).and_those_of(audit, "cost")
        (OutsideRange(steps=2, first_step=2), OutsideRange(steps=0, first_step=None))
        """
        amounts = audit.replay.trace.columns().get(name)
        if amounts is None:
            return self
        slack, bound = audit.slack.once, audit.replay.config.cost_bound
        rows = np.flatnonzero((amounts < -slack) | (amounts > bound + slack))
        if not len(rows):
            return self
        first = audit.replay.start.steps + int(rows[0]) + 1
        return OutsideRange(self.steps + len(rows), first if self.first_step is None else self.first_step)
