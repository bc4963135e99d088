"""Seconds that a run may take, shared by its checks: cheap ones run whole, the others as far as time allows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from time import monotonic

from mechanism.arguments import seconds
from proofs_checks.conformance.descriptions import DESCRIPTIONS

#: Calls of `assign` that checks of a right mechanism make with `QUICK`; with more effort all make more.
_CALLS = {
    **{"answers": 340, "configuration-unchanged": 160, "reproducible": 720, "independent-instances": 620},
    **{"robust-no-loss": 19_000, "robust-worst-case": 24_000, "robust-strict": 23_000},
    **{"exploration-draw": 8_800, "empty-draw": 8_500, "whole-interactions": 2_200, "long-run": 3_900},
    **{"own-bid-independence": 5_800, "monotone-allocation": 6_300, "selection-threshold": 3_000, "no-loss": 2_500},
    **{"no-profitable-misreport": 3_400, "past-bids": 2_400, "eligibility": 2_800, "state-estimates": 3_800},
    **dict.fromkeys(("continued-exploration", "best-provider", "quality-threshold"), 6_000),
    "feedback-recovery": 12_000,
}
_OTHERS = 1_000
#: A check may take so many times what is expected of it.
_SLACK = 1.5


def cheapest_first(checks: Iterable[str]) -> list[str]:
    """Return names of checks by their calls, after those of the contract, on which the others rest.

    Examples
    --------
    >>> cheapest_first(["answers", "reproducible", "robust-strict", "long-run", "lone-payment"])
    ['answers', 'reproducible', 'lone-payment', 'long-run', 'robust-strict']
    """
    calls = {name: 0 if DESCRIPTIONS[name].group == "contract" else _CALLS.get(name, _OTHERS) for name in checks}
    return sorted(calls, key=calls.__getitem__)


class Budget:
    """When each of some checks has to end, for all of them to end in time.

    Parameters
    ----------
    left : float
        Seconds from now on.
    checks : sequence of str
        Names of the checks, in the order in which they run.
    """

    def __init__(self, left: float, checks: Sequence[str]) -> None:
        seconds("budget", left, "it is what all checks may take together")
        self._calls = [_CALLS.get(name, _OTHERS) for name in checks]
        self._since = monotonic()
        self._end = self._since + left
        #: Seconds and calls of the checks that ran whole: these tell what a call takes.
        self._spent, self._made = 0.0, 0

    def deadline(self, done: int, *, cut: bool) -> float:
        """Return when the next check has to end, on the clock `time.monotonic`.

        `done` checks are over; `cut` says whether the last of them was cut short.
        """
        now = monotonic()
        if done and not cut:
            self._spent, self._made = self._spent + now - self._since, self._made + self._calls[done - 1]
        self._since = now
        pace = self._spent / self._made if self._made else math.inf
        return now + fair_share(self._end - now, [_SLACK * pace * calls for calls in self._calls[done:]])


def fair_share(left: float, needs: Sequence[float]) -> float:
    """Return how much of what is left the first of some may have: none gets less than another that has not enough.

    What all of them leave over goes to the first.

    Examples
    --------
    >>> fair_share(9.0, [1.0, 2.0]), fair_share(9.0, [5.0, 1.0, 8.0]), fair_share(9.0, [1.0, 50.0])
    (7.0, 4.0, 1.0)
    """
    rest = left
    for place, need in enumerate(sorted(needs)):
        level = rest / (len(needs) - place)
        if need > level:
            return min(needs[0], level)
        rest -= need
    return needs[0] + rest
