"""Which of several failed checks names the defect best."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

#: Without a guess: what speaks of one thing, before what many defects break. Checks that are not named stand between.
_SPECIFIC = (
    "initialization-order",
    "initialization-payment",
    "past-bids",
    "own-bid-independence",
    "exploration-payment",
    "empty-payment",
    "eligibility",
    "exploration-set",
    "index-minimizer",
    "critical-payment",
    "lone-payment",
    "standing-bids",
    "exploration-draw",
    "empty-draw",
)
_GENERAL = ("widened-radius", "state-estimates", "long-run", "whole-interactions")


class Named(Protocol):
    """A failed check."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def group(self) -> str:
        """Its group."""


Check = TypeVar("Check", bound=Named)


def telling(failed: Sequence[Check], named: Sequence[str]) -> Check | None:
    """Return the failed check that names the defect best; None if none failed.

    Parameters
    ----------
    failed : sequence of checks
        In the order of the suite.
    named : sequence of str
        The checks that a guess names, the best first.
    """
    return min(failed, key=lambda check: _rank(check, named, {each.name for each in failed}), default=None)


def _rank(check: Named, named: Sequence[str], failed: Collection[str]) -> tuple[int, int]:
    """Contract first; then what a guess names; then the rule that is broken, the economics, what anything breaks."""
    if check.group == "contract":
        return 0, 0
    if check.name in named:
        return 1, named.index(check.name)
    if check.name in _SPECIFIC:
        return 2, _SPECIFIC.index(check.name)
    if check.name in _GENERAL:
        return 4, _GENERAL.index(check.name)
    return 3, 0
