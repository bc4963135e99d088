"""Which of several failed checks names the defect best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

#: That an old bid still moves answers, or that a winner's own bid moves its payment, is no consequence of another
#: defect, and the counterexample says so.
_PROOFS = ("past-bids", "own-bid-independence")
#: What compares every answer with one rule, the special before what many defects break.
_RULES = (
    "initialization-order",
    "initialization-payment",
    "exploration-payment",
    "empty-payment",
    "eligibility",
    "exploration-set",
    "index-minimizer",
    "critical-payment",
    "lone-payment",
)
#: What compares every answer with all rules, or with several: their names say where it was seen, not what is broken.
_GENERAL = ("standing-bids", "widened-radius", "state-estimates", "long-run", "whole-interactions")
#: Rules whose failure is a count of draws; another rule that is broken may be what makes them uneven.
_DRAWS = ("exploration-draw", "empty-draw")

#: The checks that show best that a part of the rules is another; parts are those of `mechanism.replay.RuleTable`.
_RADIUS = ("critical-payment", "index-minimizer", "eligibility", "widened-radius", "state-estimates")
_QUALITY = ("eligibility", "state-estimates", "exploration-set", "empty-payment", "lone-payment")
_EXPLORATION = ("exploration-set", "exploration-payment", "exploration-draw", "index-minimizer", "critical-payment")
_SHOWN_BY: Mapping[str, Sequence[str]] = {
    "late": ("long-run",),
    "drawn": _DRAWS,
    **dict.fromkeys(("price", "rivals", "cap"), ("critical-payment", "lone-payment")),
    **dict.fromkeys(("count", "n", "radius", "width", "price_width"), _RADIUS),
    **dict.fromkeys(("estimate", "hoped", "screened"), _QUALITY),
    **dict.fromkeys(("goal", "tally", "behind"), _EXPLORATION),
    **dict.fromkeys(("ranked", "index"), ("index-minimizer", "monotone-allocation", "critical-payment")),
    "bid": ("standing-bids", "past-bids", "index-minimizer", "critical-payment"),
}


class Named(Protocol):
    """A failed check."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def group(self) -> str:
        """Its group."""

    @property
    def length(self) -> int:
        """Steps of its counterexample before the one in question."""


Check = TypeVar("Check", bound=Named)


def telling(failed: Sequence[Check], parts: Sequence[str]) -> Check | None:
    """Return the failed check that names the defect best; None if none failed.

    Parameters
    ----------
    failed : sequence of checks
        In the order of the suite.
    parts : sequence of str
        The parts of the rules that a diagnosis says are others.
    """
    named = [name for part in parts for name in _SHOWN_BY.get(part, ())]
    return min(failed, key=lambda check: _rank(check, named), default=None)


def _rank(check: Named, named: Sequence[str]) -> tuple[int, ...]:
    """Contract; what shows a diagnosis; what proves a cause; the rule broken soonest; uneven draws; the economics."""
    if check.group == "contract":
        return (0,)
    if check.name in named:
        return 1, named.index(check.name)
    if check.name in _PROOFS:
        return 2, _PROOFS.index(check.name)
    if check.name in _RULES:
        return 3, check.length, _RULES.index(check.name)
    if check.name in _GENERAL:
        return 4, check.length, _GENERAL.index(check.name)
    return (5, _DRAWS.index(check.name)) if check.name in _DRAWS else (6,)
