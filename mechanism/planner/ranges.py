"""Ranges of a setting's numbers: the settings that a plan must hold for.

Where nobody changes between qualified and unqualified and i* stays who it is, every goal's bound is monotone or convex
in each number alone (costproof docs plan), so that it is largest at a corner of the ranges. Where a class changes, the
ranges are cut there; so the corners of all pieces decide. Settings in between are drawn at random and checked too.
Over the region of uncertain inputs a search looks at two corners of each part in which the classes and i* stay the
same, and the ranges of `bounds.ranges` decide.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bounds.documents import Text
from bounds.errors import InputError
from bounds.grid.axes import canonical_key, columns_at, provider_key
from bounds.grid.columns import PLATFORM_KEYS, SettingColumns
from bounds.setting.model import Setting
from bounds.setting.region import Region

#: Corners of all pieces at most, and settings between them.
MOST_CORNERS = 4096
INTERIOR = 512
#: What a plan chooses itself.
_CHOSEN = ("exploration_scale", "exploration_exponent", "confidence")
_EXAMPLE = "write --range provider.NAME.quality=0.5:0.6"


@dataclass(frozen=True, kw_only=True)
class Range:
    """An interval in which a number of the setting lies.

    Parameters
    ----------
    key : str
        The number.
    low : float
        It is at least this.
    high : float
        It is at most this.
    """

    key: Text
    low: float
    high: float


def range_of(text: str, setting: Setting) -> Range:
    """Return a range as it is written: ``KEY=LO:HI``.

    Raises
    ------
    InputError
        It is not written so, or the key is not a number of the setting, or a plan chooses it.

    Examples
    --------
    >>> from bounds.published import published
    >>> range_of("q_min=0.14:0.15", published("gpqa-strong").setting)
    Range(key='quality_threshold', low=0.14, high=0.15)
    """
    key, _, given = text.rpartition("=")
    parts = given.split(":")
    try:
        low, high = map(float, parts)
    except ValueError:
        raise InputError("range", text, "must be KEY=LO:HI with two numbers", _EXAMPLE) from None
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise InputError("range", text, "must have LO at most HI, both finite", _EXAMPLE)
    named = canonical_key("range", key, setting, more=())
    if named in _CHOSEN:
        raise InputError(
            "range", text, "is a number that the plan chooses", "--confidence says what delta may be at most"
        )
    return Range(key=named, low=low, high=high)


def corners(setting: Setting, ranges: Sequence[Range]) -> dict[str, NDArray[np.float64]]:
    """Return the corners of all pieces of the ranges, as a value of every key for each.

    A range of a quality, or of the threshold, is cut where the provider begins to be qualified; a range of a cost where
    it equals another provider's cost.

    Raises
    ------
    InputError
        A key comes twice, or there are more than 4,096 corners.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> {key: len(values) for key, values in corners(setting, [range_of("q_min=0.12:0.15", setting)]).items()}
    {'quality_threshold': 2}
    """
    keys = [each.key for each in ranges]
    for key in keys:
        if keys.count(key) > 1:
            raise InputError("range", key, "comes twice", "give one range for each number")
    by_key = {each.key: each for each in ranges}
    points = [sorted(_critical(each, by_key, setting)) for each in ranges]
    size = math.prod(map(len, points))
    if size > MOST_CORNERS:
        raise InputError("range", size, f"makes more than {MOST_CORNERS:,} corners", "give fewer ranges")
    mesh = np.meshgrid(*points, indexing="ij")
    return {key: values.ravel() for key, values in zip(keys, mesh, strict=True)}


def ranges_of(region: Region) -> tuple[Range, ...]:
    """Return the intervals of the uncertain inputs of a setting as ranges."""
    return tuple(
        Range(key=f"provider.{provider.name}.{name}", low=low, high=high)
        for provider, *intervals in zip(region.setting.providers, region.quality, region.mean_cost, strict=True)
        for name, (low, high) in zip(("quality", "mean_cost"), intervals, strict=True)
        if low < high
    )


def corners_of(region: Region) -> dict[str, NDArray[np.float64]]:
    """Return the corners of a region at which the bounds of goals are largest, as `corners` does; none of no parts."""
    if not region.parts:
        return {}
    tables = zip(("quality", "mean_cost"), zip(*region.worst_corners, strict=True), strict=True)
    columns = {
        f"provider.{provider.name}.{name}": np.array(values)
        for name, rows in tables
        for provider, *values in zip(region.setting.providers, *rows, strict=True)
    }
    return {each.key: columns[each.key] for each in ranges_of(region)}


def _critical(each: Range, ranges: Mapping[str, Range], setting: Setting) -> set[float]:
    """Return the ends of a range, and both sides of where somebody's class may change within it."""

    def ends(key: str, value: float) -> tuple[float, ...]:
        found = ranges.get(key)
        return (value,) if found is None else (found.low, found.high)

    of_provider = provider_key(each.key)
    threshold = ends("quality_threshold", setting.platform.quality_threshold)
    cuts: list[float] = []
    if each.key == "quality_threshold":
        for provider in setting.providers:
            for quality in ends(f"provider.{provider.name}.quality", provider.quality):
                cuts += quality, math.nextafter(quality, 2.0)
    elif of_provider is not None and of_provider[1] == "quality":
        cuts += [side for value in threshold for side in (value, math.nextafter(value, -1.0))]
    elif of_provider is not None:
        for provider in setting.providers:
            if provider.name != of_provider[0]:
                cuts += ends(f"provider.{provider.name}.mean_cost", provider.mean_cost)
    return {each.low, each.high, *(cut for cut in cuts if each.low <= cut <= each.high)}


def between(ranges: Sequence[Range], size: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Return settings in the ranges, drawn uniformly, as a value of every key for each."""
    rng = np.random.default_rng(seed)
    return {each.key: rng.uniform(each.low, each.high, size) for each in ranges}


def settings_at(setting: Setting, points: Mapping[str, NDArray[np.float64]]) -> SettingColumns:
    """Return the settings at points of the ranges; the setting itself where there are no ranges."""
    if not points:
        return SettingColumns(base=setting, horizon=np.array([setting.n_providers]))
    return columns_at(setting, points, setting.n_providers)


def repeated(columns: SettingColumns, scale: NDArray[np.float64], exponent: NDArray[np.float64]) -> SettingColumns:
    """Return every setting with every pair of k and alpha: the pairs fastest."""
    times, size = len(scale), len(columns)

    def each(table: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        return None if table is None else np.repeat(table, times, axis=0)

    platform = {name: np.repeat(column, times) for name, column in columns.platform.items() if name in PLATFORM_KEYS}
    platform |= {"exploration_scale": np.tile(scale, size), "exploration_exponent": np.tile(exponent, size)}
    return SettingColumns(
        base=columns.base,
        horizon=np.repeat(columns.horizon, times),
        platform=platform,
        quality=each(columns.quality),
        mean_cost=each(columns.mean_cost),
    )
