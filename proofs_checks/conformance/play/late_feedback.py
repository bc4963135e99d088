"""Laws of late feedback: when it arrives, overtakes, or never comes."""

from __future__ import annotations

from dataclasses import replace

from mechanism.delays import DelayLaw, arrivals
from mechanism.trace import NEVER_SETTLED

#: Feedback overtakes by this much at least.
_OVERTAKES = 4
#: The share of feedback that never arrives.
_LOST = 0.2


def arrival_list(in_flight: DelayLaw | None, seed: int, steps: int) -> list[int | None]:
    """Return, of the first steps, the last one assigned before score and bid arrived; None if they never did.

    Examples
    --------
    >>> arrival_list(DelayLaw(most=2), 0, 3), arrival_list(None, 0, 3)
    ([3, 4, 5], [1, 2, 3])
    """
    if in_flight is None:
        return list(range(1, steps + 1))
    settled = map(arrivals(in_flight, seed), range(1, steps + 1))
    return [None if step == NEVER_SETTLED else step for step in settled]


def overtaking(law: DelayLaw) -> DelayLaw:
    """Return the law under which some feedback comes at once and some later than a law has it.

    Examples
    --------
    >>> overtaking(DelayLaw(most=3))
    DelayLaw(most=6, least=0, in_order=False, lost=0.0)
    """
    return DelayLaw(most=max(2 * law.most, _OVERTAKES), least=0, lost=law.lost)


def losing(law: DelayLaw) -> DelayLaw:
    """Return a law under which some feedback never arrives.

    Examples
    --------
    >>> losing(DelayLaw(most=3)).lost
    0.2
    """
    return replace(law, lost=max(law.lost, _LOST))
