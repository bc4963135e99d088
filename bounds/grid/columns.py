"""Settings of one roster as columns of numbers: row r of every column is setting r."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.language.quantities import QUANTITIES, Quantity
from bounds.limits import LARGEST_HORIZON, NOT_LARGER, WHY_NOT_LARGER
from bounds.setting.model import MEAN_COST, QUALITY, PlatformParameters, Setting, broken_rule

Floats = NDArray[np.float64]

#: The numbers of a platform that may vary, by the keys of a setting file.
PLATFORM_KEYS = tuple(each.name for each in fields(PlatformParameters))
#: Those of a provider.
PROVIDER_KEYS: Mapping[str, Quantity] = {"quality": QUALITY, "mean_cost": MEAN_COST}


@dataclass(frozen=True, kw_only=True, eq=False)
class SettingColumns:
    """Settings that share a roster and differ in numbers.

    Parameters
    ----------
    base : Setting
        Has every value that does not vary.
    horizon : array of int, shape (S,)
        T of each.
    platform : mapping of str to array of float, shape (S,)
        The numbers of the platform that vary.
    quality, mean_cost : array of float, shape (S, N), or None
        The numbers of the providers, where any of them varies.

    Raises
    ------
    InputError
        A number is out of its range, or a mean cost above the cost bound.

    Examples
    --------
    >>> from bounds.published import published
    >>> base = published("gpqa-strong").setting
    >>> columns = SettingColumns(base=base, horizon=np.array([10, 20]), platform={"confidence": np.array([0.1, 0.2])})
    >>> len(columns), columns.setting(1).platform.confidence
    (2, 0.2)
    """

    base: Setting
    horizon: NDArray[np.int64]
    platform: Mapping[str, Floats] = field(default_factory=dict)
    quality: Floats | None = None
    mean_cost: Floats | None = None

    def __post_init__(self) -> None:
        if not len(self):
            raise InputError("horizon", [], "has no rows", "give one horizon for each setting")
        for name, column in self.platform.items():
            _check(name, column, QUANTITIES[name])
        for name, quantity in PROVIDER_KEYS.items():
            if (table := getattr(self, name)) is not None:
                _check(name, table, quantity)
        largest = np.broadcast_to(self.of_platform("cost_bound"), (len(self),))[:, None]
        if (self.costs > largest).any():
            row, place = np.argwhere(self.costs > largest)[0]
            named = f"provider.{self.base.providers[place].name}.mean_cost"
            rule = f"must not exceed cost_bound={float(largest[row, 0])!r}"
            raise InputError(named, float(self.costs[row, place]), rule, "raise cost_bound or lower the cost")
        if self.horizon.min() < self.base.n_providers:
            rule = f"must be a whole number of at least N = {self.base.n_providers}"
            why = "initialization alone sends one query to every provider"
            raise InputError("horizon", int(self.horizon.min()), rule, why)
        if self.horizon.max() > LARGEST_HORIZON:
            raise InputError("horizon", int(self.horizon.max()), NOT_LARGER, WHY_NOT_LARGER)

    def __len__(self) -> int:
        return len(self.horizon)

    def of_platform(self, name: str) -> float | Floats:
        """Return a number of the platform: one for all, or a column."""
        found: float | Floats = self.platform.get(name, getattr(self.base.platform, name))
        return found

    @cached_property
    def qualities(self) -> Floats:
        """The quality of every provider in every setting, shape (S, N)."""
        return self._table(self.quality, "quality")

    @cached_property
    def costs(self) -> Floats:
        """The mean cost of every provider in every setting, shape (S, N)."""
        return self._table(self.mean_cost, "mean_cost")

    def _table(self, given: Floats | None, name: str) -> Floats:
        if given is not None:
            return given
        same = np.array([getattr(provider, name) for provider in self.base.providers], dtype=float)
        return np.broadcast_to(same, (len(self), len(same)))

    def setting(self, row: int, name: str = "") -> Setting:
        """Return one of the settings, under a name of its own if one is given."""
        changed: dict[str, Any] = {key: float(column[row]) for key, column in self.platform.items()}
        platform = replace(self.base.platform, **changed)
        providers = [
            replace(provider, quality=float(self.qualities[row, place]), mean_cost=float(self.costs[row, place]))
            for place, provider in enumerate(self.base.providers)
        ]
        return replace(self.base, name=name or self.base.name, platform=platform, providers=tuple(providers))

    def rows(self, chosen: Any) -> SettingColumns:
        """Return the chosen rows, as NumPy chooses them."""
        return SettingColumns(
            base=self.base,
            horizon=self.horizon[chosen],
            platform={name: column[chosen] for name, column in self.platform.items()},
            quality=None if self.quality is None else self.quality[chosen],
            mean_cost=None if self.mean_cost is None else self.mean_cost[chosen],
        )

    def at_horizon(self, horizon: int) -> SettingColumns:
        """Return the same settings at one horizon."""
        return replace(self, horizon=np.full(len(self), horizon))

    def parts(self, most: int) -> Iterator[SettingColumns]:
        """Yield the rows in parts of at most so many."""
        for start in range(0, len(self), most):
            yield self if most >= len(self) else self.rows(slice(start, start + most))


def _check(name: str, column: Floats, quantity: Quantity) -> None:
    for value in (float(column.min()), float(column.max())):
        if rule := broken_rule(quantity, value):
            raise InputError(name, value, rule, "keep all values of the grid in its range")
