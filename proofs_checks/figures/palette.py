"""Colours and line patterns of every picture, in figures and in the explorer; matplotlib is not needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from bounds.setting.model import Setting
from mechanism.policy_names import POLICY_TITLES

#: One of matplotlib's on-off patterns.
LineStyle = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True, kw_only=True)
class Palette:
    """Colours on one background.

    Parameters
    ----------
    background, ink, muted, faint : str
        Behind everything; text and axes; lesser text; grids.
    blue, orange, green, purple, grey : str
        Series. Each stands out from the background by a contrast of 3 or more, as WCAG 2 asks of graphics.
    map : str
        Name of the colour map of numbers.
    """

    background: str
    ink: str
    muted: str
    faint: str
    blue: str
    orange: str
    green: str
    purple: str
    grey: str
    map: str = "cividis"


#: Okabe and Ito's hues, chosen so that any two differ by 20 (CIE 1976) with full vision and without each kind of cone.
LIGHT = Palette(
    background="#ffffff",
    ink="#1a1a1a",
    muted="#5a6675",
    faint="#e3e3e3",
    blue="#1f6fd0",
    orange="#d55e00",
    green="#1b9e55",
    purple="#aa4499",
    grey="#5f5f5f",
)
#: The same hues, lighter; any two differ by 19.
DARK = Palette(
    background="#16181d",
    ink="#ececec",
    muted="#a3afbf",
    faint="#343841",
    blue="#4aa3ff",
    orange="#f0884a",
    green="#1fd18f",
    purple="#e29bd4",
    grey="#d8d8d8",
)
#: On-off patterns: the second channel beside colour.
SOLID: LineStyle = "-"
DASHED: LineStyle = (0, (5.0, 2.0))
DOTTED: LineStyle = (0, (1.0, 1.5))
DASH_DOTTED: LineStyle = (0, (6.0, 1.5, 1.0, 1.5))
LONG_DASHED: LineStyle = (0, (9.0, 2.5))


@dataclass(frozen=True, kw_only=True)
class Series:
    """How one line of a kind is drawn everywhere: its name in the paper, colour, pattern and marker."""

    name: str
    colour: str
    pattern: LineStyle
    marker: str


#: Routing rules as the paper names them.
POLICY_SERIES: Mapping[str, Series] = MappingProxyType(
    {
        policy: Series(name=POLICY_TITLES[policy], colour=colour, pattern=pattern, marker=marker)
        for policy, colour, pattern, marker in (
            ("platform", "blue", SOLID, "o"),
            ("uniform-eligible", "grey", DASHED, "s"),
            ("lowest-price-eligible", "green", DASH_DOTTED, "D"),
            ("lowest-price", "orange", DOTTED, "^"),
            ("no-quality-filter", "purple", LONG_DASHED, "v"),
        )
    }
)


class Role(NamedTuple):
    """What a provider is in a market, in every picture: its colour, and a marker, a hatch and a sign beside it."""

    colour: str
    marker: str
    hatch: str
    sign: str


ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "$i^*$": Role("green", "*", "", "★"),
        "qualified": Role("blue", "o", "//", "✓"),
        "unqualified": Role("orange", "X", "..", "✗"),
    }
)


def role_of(setting: Setting, index: int) -> str:
    """Return the role of a provider, as legends say it.

    Examples
    --------
    >>> from bounds.published import published
    >>> [role_of(published("gpqa-strong").setting, index) for index in range(4)]
    ['unqualified', 'unqualified', '$i^*$', 'qualified']
    """
    if index == setting.optimal:
        return "$i^*$"
    return "qualified" if index in setting.qualified else "unqualified"
