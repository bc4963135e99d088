"""Axes of a grid: which number of a setting varies, over which values; and the settings that a grid of them makes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from bounds.documents import Text, limits
from bounds.errors import InputError
from bounds.grid.columns import PLATFORM_KEYS, PROVIDER_KEYS, Floats, SettingColumns
from bounds.setting.model import Provider, Setting

#: The symbols of the paper for keys of a setting.
ALIASES: Mapping[str, str] = {
    "q_min": "quality_threshold",
    "delta": "confidence",
    "c_max": "cost_bound",
    "k": "exploration_scale",
    "alpha": "exploration_exponent",
    "gamma": "belief_slack",
    "d_minus": "underbid",
    "d_plus": "overbid",
    "T": "horizon",
    "n_providers": "N",
}
#: What else may vary: the horizon, the number of providers, and how far qualities are from the threshold.
HORIZON, SIZE, MARGIN = "horizon", "N", "margin"
#: Whole numbers.
_WHOLE = (HORIZON, SIZE)
#: Settings of one grid at most.
MOST_SETTINGS = 1_000_000
_EXAMPLE = "write it as confidence=0.01:0.2:20, log:exploration_scale=0.1:10:9 or provider.NAME.quality=0.5:0.7:5"


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One number of a setting and the values that it takes.

    Parameters
    ----------
    key : str
        The number of the setting that varies: a key of the platform,
        ``horizon``, ``N``, ``margin``, or ``provider.NAME.quality`` or ``.mean_cost``.
    values : tuple of float
        The values that it takes.
    """

    key: Text
    values: Annotated[tuple[float, ...], limits(minItems=1)]

    @property
    def provider(self) -> tuple[str, str] | None:
        """The name of the provider and its key, if it is a provider's number."""
        return provider_key(self.key)

    @property
    def texts(self) -> dict[float, str]:
        """Its values for reading, by value: to six digits, or to as many as tell them apart.

        Examples
        --------
        >>> Axis(key="k", values=(1.0, 1.0000001)).texts
        {1.0: '1', 1.0000001: '1.0000001'}
        """
        several = ({value: _text(value, digits) for value in self.values} for digits in range(6, 18))
        # Seventeen digits tell all floats apart.
        return next(texts for texts in several if len({*texts.values()}) == len(texts))


def _text(value: float, digits: int) -> str:
    return f"{value:.{digits}g}" if abs(value) < 1e6 else f"{value:,.{digits - 6}f}"


def provider_key(key: str) -> tuple[str, str] | None:
    """Return the name and the key of ``provider.NAME.KEY``; a name may have dots.

    Examples
    --------
    >>> provider_key("provider.Qwen2.5-3B.quality"), provider_key("confidence")
    (('Qwen2.5-3B', 'quality'), None)
    """
    found = re.fullmatch(r"provider\.(.+)\.(\w+)", key, re.DOTALL)
    return (found[1], found[2]) if found else None


def canonical_key(argument: str, key: str, setting: Setting, more: Sequence[str] = (HORIZON, SIZE, MARGIN)) -> str:
    """Return a key of a setting by its own name or by the paper's symbol.

    Raises
    ------
    InputError
        No number of the setting is called so.

    Examples
    --------
    >>> from bounds.published import published
    >>> canonical_key("over", "q_min", published("gpqa-strong").setting)
    'quality_threshold'
    """
    named = ALIASES.get(key, key)
    if named in PLATFORM_KEYS or named in more:
        return named
    of_provider = provider_key(named)
    if of_provider is None:
        numbers = [each for each in (*PLATFORM_KEYS, *more) if each != "radius"]
        rule = f"must be one of {', '.join(numbers)}, provider.NAME.quality or provider.NAME.mean_cost"
        raise InputError(argument, key, rule, f"the symbols {', '.join(ALIASES)} stand for some of them")
    name, number = of_provider
    if number not in PROVIDER_KEYS:
        raise InputError(argument, key, f"must end in {' or '.join(PROVIDER_KEYS)}", "these numbers of providers vary")
    names = [provider.name for provider in setting.providers]
    if name not in names:
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise InputError(argument, key, f"names no provider of {setting.name}", f"it has {shown}")
    return named


def axis_of(text: str, setting: Setting) -> Axis:
    """Return an axis as it is written: ``KEY=LO:HI:COUNT``, or ``log:KEY=LO:HI:COUNT`` for equal ratios.

    ``KEY=V1,V2,V3`` lists the values. Whole numbers are rounded, and each is taken once.

    Raises
    ------
    InputError
        It is not written so, or the key is not a number of the setting.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> axis_of("delta=0.01:0.05:5", setting)
    Axis(key='confidence', values=(0.01, 0.02, 0.03, 0.04, 0.05))
    >>> axis_of("log:horizon=1000:100000:3", setting).values
    (1000, 10000, 100000)
    """
    key, equals, given = text.rpartition("=") if "=" in text else (text, "", "")
    ratio = key.startswith("log:")
    key = key.removeprefix("log:")
    if ":" not in given and equals:
        named = canonical_key("over", key, setting)
        listed = [_number(text, each) for each in given.split(",")]
        if named in _WHOLE and not all(value.is_integer() for value in listed):
            raise InputError("over", text, "must list whole numbers", f"{named} counts something")
        return Axis(key=named, values=_plain(named, np.array(listed)))
    parts = given.split(":")
    if len(parts) != 3:
        raise InputError("over", text, "must be KEY=LO:HI:COUNT", _EXAMPLE)
    named = canonical_key("over", key, setting)
    low, high, count = (_number(text, part) for part in parts)
    if not (count.is_integer() and 1 <= count <= MOST_SETTINGS):
        raise InputError("over", text, f"must have a COUNT of 1 to {MOST_SETTINGS:,}", _EXAMPLE)
    if ratio and not (low > 0 and high > 0):
        raise InputError("over", text, "needs LO and HI above 0", "equal ratios never reach 0: leave log: out")
    spaced = np.geomspace(low, high, int(count)) if ratio else np.linspace(low, high, int(count))
    return Axis(key=named, values=_plain(named, spaced))


def suffixed_number(written: str) -> float:
    """Return the number that a text is, with k for thousands or M for millions behind it; NaN if it is none.

    Examples
    --------
    >>> suffixed_number("70k"), suffixed_number("1.5M"), suffixed_number("many")
    (70000.0, 1500000.0, nan)
    """
    factor = {"k": 1e3, "M": 1e6}.get(written[-1:], 1.0)
    try:
        return float(written[:-1] if factor != 1 else written) * factor
    except ValueError:
        return math.nan


def _number(text: str, part: str) -> float:
    found = suffixed_number(part)
    if not math.isfinite(found):
        raise InputError("over", text, "must have numbers between its colons or commas", _EXAMPLE)
    return found


def _plain(key: str, values: Floats) -> tuple[float, ...]:
    """Return values without the rounding noise of their spacing; whole numbers each once."""
    if key in _WHOLE:
        return tuple(dict.fromkeys(round(value) for value in values.tolist()))
    return tuple(dict.fromkeys(float(f"{value:.15g}") for value in values.tolist()))


def grid_points(axes: Sequence[Axis]) -> Iterator[dict[str, float]]:
    """Yield the points of a grid, the last axis fastest.

    Raises
    ------
    InputError
        An axis comes twice, or there are more than a million points.

    Examples
    --------
    >>> axes = [Axis(key="confidence", values=(0.1, 0.2)), Axis(key="horizon", values=(10, 20))]
    >>> [tuple(point.values()) for point in grid_points(axes)]
    [(0.1, 10), (0.1, 20), (0.2, 10), (0.2, 20)]
    """
    check_axes(axes)
    for index in np.ndindex(*(len(axis.values) for axis in axes)):
        yield {axis.key: axis.values[i] for axis, i in zip(axes, index, strict=True)}


def check_axes(axes: Sequence[Axis]) -> int:
    """Return how many points a grid has; see `grid_points` for what is refused."""
    keys = [axis.key for axis in axes]
    if not keys:
        raise InputError("over", [], "names no number that varies", _EXAMPLE)
    for key in keys:
        if keys.count(key) > 1:
            raise InputError("over", key, "comes twice", "list all its values once: KEY=V1,V2,V3")
    size = math.prod(len(axis.values) for axis in axes)
    if size > MOST_SETTINGS:
        raise InputError("over", size, f"makes more than {MOST_SETTINGS:,} settings", "take fewer values")
    return size


def resized(setting: Setting, size: int) -> Setting:
    """Return a setting with so many providers: the first ones, or all and copies of those that are not i*, in turn.

    A copy of i* would tie with it. A copy is called NAME (2), the next one NAME (3).

    Examples
    --------
    >>> from bounds.published import published
    >>> [provider.name for provider in resized(published("gpqa-strong").setting, 6).providers][-2:]
    ['Qwen2-0.5B (2)', 'Llama-3.2-1B (2)']
    """
    if size < 2:
        raise InputError("N", size, "must be at least 2", "a market needs two providers")
    providers = list(setting.providers[:size])
    others = [each for place, each in enumerate(setting.providers) if place != setting.optimal]
    taken = {provider.name for provider in providers}
    copy = 1
    while len(providers) < size:
        copy += 1
        for provider in others[: size - len(providers)]:
            name = f"{provider.name} ({copy})"
            if name in taken:
                raise InputError("N", size, f"needs a copy that is called {name!r}", "rename the provider of that name")
            providers.append(replace(provider, name=name))
    return replace(setting, providers=tuple(providers))


def grid_columns(setting: Setting, axes: Sequence[Axis], horizon: int) -> list[tuple[list[int], SettingColumns]]:
    """Return the settings of a grid as columns, one for each number of providers, with the points that they are.

    Parameters
    ----------
    setting : Setting
    axes : sequence of Axis
    horizon : int
        T where no axis varies it.

    Examples
    --------
    >>> from bounds.published import published
    >>> axis = Axis(key="margin", values=(0.5, 1.0))
    >>> ((_, columns),) = grid_columns(published("gpqa-strong").setting, [axis], 70_000)
    >>> columns.qualities[:, 0].round(4).tolist()
    [0.0981, 0.051]
    """
    points = list(grid_points(axes))
    by_size: dict[int, list[int]] = {}
    for place, point in enumerate(points):
        by_size.setdefault(int(point.get(SIZE, setting.n_providers)), []).append(place)
    found = []
    for size, places in by_size.items():
        base = setting if size == setting.n_providers else resized(setting, size)
        column = {axis.key: np.array([points[place][axis.key] for place in places], dtype=float) for axis in axes}
        found.append((places, columns_at(base, column, horizon)))
    return found


def columns_at(base: Setting, column: Mapping[str, Floats], horizon: int) -> SettingColumns:
    """Return settings from the values of some keys, a value for each setting.

    Examples
    --------
    >>> from bounds.published import published
    >>> columns_at(published("gpqa-strong").setting, {"confidence": np.array([0.1, 0.2])}, 100).setting(1).name
    'gpqa-strong'
    """
    rows = len(next(iter(column.values())))
    steps = column.get(HORIZON, np.full(rows, float(horizon))).astype(np.int64)
    platform = {key: values for key, values in column.items() if key in PLATFORM_KEYS}
    tables: dict[str, Any] = {}
    for key, values in column.items():
        of_provider = provider_key(key)
        if of_provider is not None:
            name, number = of_provider
            table = tables.setdefault(number, _repeated(base.providers, number, rows))
            table[:, _place(base, key, name)] = values
    if MARGIN in column:
        table = tables.setdefault("quality", _repeated(base.providers, "quality", rows))
        tables["quality"] = _with_margin(base, table, platform, column[MARGIN])
    return SettingColumns(base=base, horizon=steps, platform=platform, **tables)


def _place(base: Setting, key: str, name: str) -> int:
    for place, provider in enumerate(base.providers):
        if provider.name == name:
            return place
    rule = f"names a provider that is not among the first {base.n_providers}"
    raise InputError("over", key, rule, "let N begin at its place in the roster")


def _repeated(providers: Sequence[Provider], number: str, rows: int) -> Floats:
    return np.tile(np.array([getattr(provider, number) for provider in providers], dtype=float), (rows, 1))


def _with_margin(base: Setting, quality: Floats, platform: Mapping[str, Floats], factor: Floats) -> Floats:
    """Return qualities with their distances to the threshold multiplied, within [0, 1]; a factor of 1 changes none."""
    if factor.min() < 0:
        raise InputError("margin", float(factor.min()), "must be 0 or more", "it multiplies distances to q_min")
    threshold = np.broadcast_to(platform.get("quality_threshold", base.platform.quality_threshold), factor.shape)
    moved = np.clip(threshold[:, None] + factor[:, None] * (quality - threshold[:, None]), 0.0, 1.0)
    return np.where(factor[:, None] == 1, quality, moved)
