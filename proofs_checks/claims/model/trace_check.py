"""Checks that are no inequality between quantities: functions of a case, with what they carry from part to part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofs_checks.claims.model.case import Carry, Case
from proofs_checks.claims.model.tightness import Tightness


@dataclass(frozen=True, eq=False, kw_only=True)
class TraceCheck:
    """A check of a whole history, one part of the trace at a time.

    Parameters
    ----------
    compare : callable
        From a case (a trace, or a part of one) to how the comparison fared there. What it must know of the parts
        before it reads from the case, with `Case.before_part`.
    carries : tuple of Carry
        What it reads so.
    exact_money : bool
        Whether it holds bids to exact means: it does not apply to a log whose money is rounded.
    by_ratio : bool
        Whether the place that it names is that of the largest ratio; else it is that of the smallest margin.
    false_alarm : float
        Probability that it is violated on a trace of a right market and mechanism; 0 for what cannot be.
    """

    compare: Callable[[Case], Tightness]
    carries: tuple[Carry[Any], ...] = ()
    exact_money: bool = False
    by_ratio: bool = False
    false_alarm: float = 0.0

    def __call__(self, case: Case) -> Tightness:
        """Compare on a case."""
        return self.compare(case)

    @property
    def name(self) -> str:
        """What it compares, in words: the first sentence of the function's docstring."""
        return (self.compare.__doc__ or self.compare.__name__).split(".")[0]


def trace_check(
    *carries: Carry[Any], exact_money: bool = False, by_ratio: bool = False, false_alarm: float = 0.0
) -> Callable[[Callable[[Case], Tightness]], TraceCheck]:
    """Return a decorator that makes a check of a function; see `TraceCheck`.

    Examples
    --------
    >>> from proofs_checks.claims.model.tightness import NOTHING_COMPARED
    >>> @trace_check()
    ... def nothing(case):
    ...     '''Compare nothing.'''
    ...     return NOTHING_COMPARED
    >>> nothing.name
    'Compare nothing'
    """

    def check_of(function: Callable[[Case], Tightness]) -> TraceCheck:
        return TraceCheck(
            compare=function, carries=carries, exact_money=exact_money, by_ratio=by_ratio, false_alarm=false_alarm
        )

    return check_of
