"""From which horizon on a statement speaks, where the setting knows it: T_0, T_id and their improved forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bounds.setting.model import Setting
from proofs_checks.claims.model.case import Case, Flags
from proofs_checks.claims.model.evidence import HorizonNeeded


@dataclass(frozen=True)
class Start:
    """A horizon from which on a statement speaks.

    Parameters
    ----------
    condition : str
        ``"T > T_0"``, say.
    value : callable
        From a setting to the horizon, a formula of `bounds`; None where there is none up to 2^52.
    """

    condition: str
    value: Callable[[Setting], float | None]

    def needed(self, setting: Setting, reached: int) -> HorizonNeeded | None:
        """Return what a trace of so many steps lacks, or None if it gets there."""
        value = self.value(setting)
        if value is not None and reached > value:
            return None
        return HorizonNeeded(condition=self.condition, value=value, reached=reached)


@dataclass(frozen=True)
class FromStart:
    """A condition on steps that is met nowhere before a start."""

    start: Start
    mask: Callable[[Case], Flags]

    def __call__(self, case: Case) -> Flags:
        """Return where it is met."""
        return self.mask(case)


def start_of(mask: Any) -> Start | None:
    """Return the start before which a condition is met nowhere, if it has one."""
    return mask.start if isinstance(mask, FromStart) else None


def starting_as(steps: Any, mask: Callable[[Case], Flags]) -> Callable[[Case], Flags]:
    """Return a condition with the start of another one that it includes."""
    start = start_of(steps)
    return mask if start is None else FromStart(start, mask)
