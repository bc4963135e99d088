"""The picture of a log: which rules were broken when, and who served, in the bins of the report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Data = Mapping[str, Any]

#: Sizes in pixels: of the whole, of a rule's lane, of the shares, and of what stands around them.
WIDTH, LEFT, RIGHT, _LANE, _BAR, _SHARES, _TOP, _AXIS = 1000.0, 170.0, 12.0, 30.0, 20.0, 190.0, 6.0, 26.0
_LEAST_BAR = 2.5
#: Ticks of the axis, about.
_TICKS = 6


def timeline_view(report: Data) -> Data | None:
    """Return the picture of an audited log, in pixels; None for a report that has no timeline.

    A lane for each rule that is broken has its bars and where it is broken first; shares are the areas of providers,
    with a colour of the style sheet; ticks are steps and their places across. `bins` are the same as a table: the first
    step of each bin, selections of each share, violations of each lane. `top` and `bottom` are those of the shares.
    """
    timeline = report.get("timeline")
    if timeline is None:
        return None
    steps, bin_steps, starts = report["steps"], timeline["bin_steps"], timeline["first_steps"]
    sizes = [min(bin_steps, steps - start + 1) for start in starts]
    edges = [_place(start - 1, steps) for start in starts] + [_place(steps, steps)]
    lanes = [
        _lane(rule, counts, number, edges, sizes, _place(report["rules"][rule]["first_step"], steps))
        for number, (rule, counts) in enumerate(timeline["violations"].items())
    ]
    served = dict(timeline["providers"])
    if timeline["other_providers"]:
        served["others"] = timeline["others"]
    top = _TOP + len(lanes) * _LANE + (10 if lanes else 0)
    columns = [*served.values()], [*timeline["violations"].values()]
    return {
        "lanes": lanes,
        "shares": _shares(served, edges, top),
        "ticks": [(tick, _place(tick, steps)) for tick in _ticks(steps)],
        "bins": [(start, *([c[i] for c in counts] for counts in columns)) for i, start in enumerate(starts)],
        **{"width": WIDTH, "height": top + _SHARES + _AXIS, "top": top, "bottom": top + _SHARES},
        **{"left": LEFT, "right": WIDTH - RIGHT},
    }


def _place(step: float, steps: int) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * step / max(1, steps), 2)


def _lane(
    rule: str, counts: Sequence[int], number: int, edges: Sequence[float], sizes: Sequence[int], first: float
) -> Data:
    base = _TOP + (number + 1) * _LANE - (_LANE - _BAR) / 2
    bars = []
    for i, (count, size) in enumerate(zip(counts, sizes, strict=True)):
        if count:
            height = round(max(_LEAST_BAR, _BAR * count / size), 2)
            width = max(_LEAST_BAR, edges[i + 1] - edges[i])
            bars.append({"x": edges[i], "y": round(base - height, 2), "width": round(width, 2), "height": height})
    return {"rule": rule, "y": base, "bars": bars, "first": first}


def _shares(served: Mapping[str, Sequence[int]], edges: Sequence[float], top: float) -> list[Data]:
    """Return the stacked areas, the first provider at the bottom."""
    totals = [max(1, sum(column)) for column in zip(*served.values(), strict=True)]
    below = [0.0] * len(totals)
    shares: list[Data] = []
    for color, (name, counts) in enumerate(served.items()):
        above = [low + count / total for low, count, total in zip(below, counts, totals, strict=True)]
        shares.append({"name": name, "color": color, "path": _area(below, above, edges, top)})
        below = above
    return shares


def _area(below: Sequence[float], above: Sequence[float], edges: Sequence[float], top: float) -> str:
    def down(share: float) -> float:
        return round(top + _SHARES * (1 - share), 1)

    path = f"M{edges[0]:g} {down(below[0])}"
    for i, share in enumerate(above):
        path += f"V{down(share)}H{edges[i + 1]:g}"
    for i in range(len(below) - 1, -1, -1):
        path += f"V{down(below[i])}H{edges[i]:g}"
    return f"{path}Z"


def _ticks(steps: int) -> list[int]:
    """Return round numbers of steps along the axis.

    Examples
    --------
    >>> _ticks(70_000), _ticks(7)
    ([0, 10000, 20000, 30000, 40000, 50000, 60000, 70000], [0, 1, 2, 3, 4, 5, 6, 7])
    """
    rough = max(1.0, steps / _TICKS)
    power = 10 ** math.floor(math.log10(rough))
    size = max(1, round(power * next(factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.75)))
    return list(range(0, steps + 1, size))
