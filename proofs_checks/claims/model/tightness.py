"""How tight a comparison was: how often it was made, how often it failed, and where it was closest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from bounds.documents import Count, NonNegative
from proofs_checks.claims.model.witness_kinds import Place


@dataclass(frozen=True)
class Tightness:
    """How a check fared on a trace, or on a part of one.

    Parameters
    ----------
    checked : int
        How many instances were compared.
    violations : int
        How many of them failed.
    margin : float or None
        Smallest right minus left side; None if nothing was checked or a side is undefined or infinite.
    ratio : float or None
        Largest left over right side among those with 0 <= left and right > 0. None, too, where a comparison failed and
        this is below 1: the sides that failed had no such ratio, and that of others would read as if none had.
    where : Place or None
        Step (from 1), provider and both sides: of the worst violation, else of the largest ratio, else of the
        smallest margin.
    note : str or None
        What a reader must know of the comparison, or why there was none.
    excused : int
        Comparisons that hold only because logged money may be rounded; ratio and margin are of the logged numbers.
    unfailing : int
        Comparisons that no amount in [0, c_max] could have failed, so far may logged money be off.
    telling : Place or None
        Of a constructed instance, where the ratio was largest of those comparisons whose bound was below its trivial
        value, which could fail; None if there was none, or no trivial value is known.
    """

    checked: Count
    violations: Count
    margin: float | None = None
    ratio: NonNegative | None = None
    where: Annotated[dict[str, Any], Place] | None = None
    note: str | None = None
    excused: Count = 0
    unfailing: Count = 0
    telling: Annotated[dict[str, Any], Place] | None = None

    def __post_init__(self) -> None:
        if self.violations and self.ratio is not None and self.ratio < 1:
            object.__setattr__(self, "ratio", None)

    @property
    def could_not_fail(self) -> bool:
        """Whether there were comparisons, and rounded money excuses everything that the log might have held."""
        return 0 < self.checked == self.unfailing and not self.violations


#: What a check says of steps that it has nothing to say about.
NOTHING_COMPARED = Tightness(0, 0)


def joined(before: Tightness, part: Tightness, *, by_ratio: bool) -> Tightness:
    """Return what two consecutive parts of a trace say together.

    Parameters
    ----------
    before, part : Tightness
    by_ratio : bool
        Whether the place is that of the largest ratio where nothing is violated; else it is that of the smallest
        margin.

    Examples
    --------
    >>> two = joined(Tightness(3, 0, 1.0, 0.5, {"step": 2}), Tightness(1, 0, 2.0, 0.7, {"step": 4}), by_ratio=True)
    >>> two.checked, two.margin, two.ratio, two.where
    (4, 1.0, 0.7, {'step': 4})
    """
    if not part.checked or not before.checked:
        return part if part.checked or (part.note and not before.checked) else before
    return Tightness(
        checked=before.checked + part.checked,
        violations=before.violations + part.violations,
        margin=_least_margin(before, part),
        ratio=largest(before.ratio, part.ratio),
        where=min(before, part, key=_by_ratio if by_ratio else _by_margin).where,
        note=before.note or part.note,
        excused=before.excused + part.excused,
        unfailing=before.unfailing + part.unfailing,
        telling=tightest_place(before.telling, part.telling),
    )


def largest(*ratios: float | None) -> float | None:
    """Return the largest of those that are known; None if none is."""
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def tightest_place(*places: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the place with the largest ratio; None if there is none."""
    return max((place for place in places if place is not None), key=ratio_at, default=None)


def ratio_at(place: Mapping[str, Any]) -> float:
    """Return the ratio of the two sides at a place, the right one positive.

    Examples
    --------
    >>> ratio_at({"relation": "a sum", "left": 1.0, "right": 4.0})
    0.25
    """
    return float(place["left"] / place["right"])


def _least_margin(before: Tightness, part: Tightness) -> float | None:
    # A side that is undefined or infinite and violated leaves no margin; one that is infinite and holds is no least.
    if any(found.margin is None and found.violations for found in (before, part)):
        return None
    return min((found.margin for found in (before, part) if found.margin is not None), default=None)


def _by_margin(found: Tightness) -> tuple[float, ...]:
    return (float("inf") if found.margin is None else found.margin,)


def _by_ratio(found: Tightness) -> tuple[float, ...]:
    """Order parts as a relation orders places: the worst violation, the largest ratio, the smallest margin."""
    if found.violations:
        left, right = (found.where or {}).get("left"), (found.where or {}).get("right")
        undefined = -float("inf") if found.margin is None else found.margin
        return (0, undefined if left is None or right is None else right - left)
    if found.ratio is not None:
        return (1, -found.ratio)
    return (2, *_by_margin(found))
