"""Where names stand beside the dots of a picture: over no dot, over no other name, and inside the picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: Pixels of the letters of a name, of the widest usual letter, and of a dot's half width with some room.
NAME_SIZE, _LETTER, _DOT = 11, 6.8, 6
#: Pixels of the drawing on a phone. What is free there is free in a larger one, where letters keep their size.
_WIDTH, _HEIGHT = 270, 260
#: How much of the axes stands beyond the outermost dots, as a share of each.
_ROOM = 0.12
#: The sides of a dot in the order in which they are tried, by what plotly.js calls them: where the name goes from it.
_SIDES: Mapping[str, tuple[int, int]] = {
    "bottom right": (1, -1),
    "top left": (-1, 1),
    "top center": (0, 1),
    "bottom center": (0, -1),
    "top right": (1, 1),
    "bottom left": (-1, -1),
    "middle left": (-1, 0),
    "middle right": (1, 0),
}

Box = tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class Area:
    """The ranges of two axes, the lower one in powers of ten where it is logarithmic.

    Parameters
    ----------
    log : bool
    across, up : tuple of float
    """

    log: bool
    across: tuple[float, float]
    up: tuple[float, float]

    @classmethod
    def around(cls, dots: Sequence[tuple[float, float]], level: float) -> Area:
        """Return the area of dots and of a level; its lower axis is logarithmic where all dots lie above 0."""
        log = min(x for x, _ in dots) > 0
        xs = [math.log10(x) if log else x for x, _ in dots]
        room = _ROOM * (max(xs) - min(xs)) or 0.5
        top = max(level, *(y for _, y in dots)) or 1.0
        return cls(log=log, across=(min(xs) - room, max(xs) + room), up=(-_ROOM / 2 * top, (1 + _ROOM) * top))

    def pixels(self, x: float, y: float) -> tuple[float, float]:
        """Return where a dot is in a drawing on a phone."""
        at = math.log10(x) if self.log else x
        (left, right), (low, high) = self.across, self.up
        return (at - left) / (right - left) * _WIDTH, (y - low) / (high - low) * _HEIGHT


def sides_of(
    names: Sequence[tuple[str, float, float]], dots: Sequence[tuple[float, float]], area: Area
) -> dict[tuple[float, float], str]:
    """Return at which side of its dot each name stands; names without room are left out.

    Parameters
    ----------
    names : sequence of (str, float, float)
        Each with its dot.
    dots : sequence of (float, float)
        All dots, those with names included.
    area : Area

    Examples
    --------
    >>> dots = [(10.0, 0.2), (100.0, 0.8)]
    >>> sides_of([("left", *dots[0]), ("right", *dots[1])], dots, Area.around(dots, 0.5))
    {(10.0, 0.2): 'bottom right', (100.0, 0.8): 'top left'}
    """
    taken = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in (area.pixels(*dot) for dot in dots)]
    found: dict[tuple[float, float], str] = {}
    for name, x, y in names:
        for side in _SIDES:
            box = name_box(name, area.pixels(x, y), side)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= _WIDTH and box[3] <= _HEIGHT
            if inside and not any(overlap(box, other) for other in taken):
                found[x, y] = side
                taken.append(box)
                break
    return found


def name_box(name: str, dot: tuple[float, float], side: str) -> Box:
    """Return the left, lower, right and upper end of a name beside a dot, in pixels."""
    (x, y), (right, up), width = dot, _SIDES[side], _LETTER * len(name)
    left = x + _DOT if right > 0 else x - _DOT - width if right < 0 else x - width / 2
    low = y + _DOT if up > 0 else y - _DOT - NAME_SIZE - 2 if up < 0 else y - NAME_SIZE / 2 - 1
    return left, low, left + width, low + NAME_SIZE + 2


def overlap(one: Box, other: Box) -> bool:
    """Return whether two boxes have more than an edge in common."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
