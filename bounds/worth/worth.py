"""What one guarantee is worth at a horizon, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from bounds.setting.model import Setting
from bounds.worth.advice import MOST_ADVISED, Help, helps_of
from bounds.worth.driver import Driver, driver_of
from bounds.worth.guarantee import Guarantee
from bounds.worth.threshold import NO_HORIZON, informative_from, why_never


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What a guarantee is worth at a horizon.

    Parameters
    ----------
    trivial : float or None
        What holds without any theory; None where the quantity is undefined.
    share_of_trivial : float or None
        The bound over it; None where it is 0 or the bound is undefined.
    informative : bool
        Whether the guarantee applies and is below its trivial value.
    informative_from : int or None
        The least horizon from which it always is.
    why_never : str or None
        Why there is none.
    driver : Driver or None
        The provider or term that contributes most.
    helps : tuple of Help
        The smallest change of each parameter that would make it informative; empty if it is, or was not asked for, or
        there are more providers than `MOST_ADVISED` has for the method.
    """

    trivial: float | None
    share_of_trivial: float | None
    informative: bool
    informative_from: int | None
    why_never: str | None
    driver: Driver | None
    helps: tuple[Help, ...]

    def to_data(self) -> dict[str, Any]:
        """Return it as plain JSON data."""
        driver = None if self.driver is None else self.driver.to_data()
        return vars(self) | {"driver": driver, "helps": [each.to_data() for each in self.helps]}


def worth_of(
    setting: Setting, guarantee: Guarantee, horizon: int, method: str = "paper", *, advice: bool = True
) -> Worth:
    """Return what a guarantee is worth at a horizon.

    Parameters
    ----------
    setting : Setting
    guarantee : Guarantee
        One of `bounds.worth.guarantee.guarantees_of`, of the same setting and method.
    horizon : int
    method : {"paper", "sharp", "sharpest"}
    advice : bool, optional
        Whether to search for what would help, which takes a tenth of a second.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.worth.guarantee import guarantees_of
    >>> setting = published("gpqa-strong").setting
    >>> found = worth_of(setting, guarantees_of(setting)["identification"], 70_000)
    >>> found.trivial, round(found.share_of_trivial, 3), found.informative, found.informative_from
    (69996.0, 1.098, False, 76851)
    """
    trivial, value = guarantee.trivial_value(horizon), guarantee.value(horizon)
    informative, starts = guarantee.says_something(horizon), informative_from(guarantee)
    obstacle = why_never(guarantee)
    never = None if starts is not None else obstacle or NO_HORIZON
    asked = advice and not informative and obstacle is None and setting.n_providers <= MOST_ADVISED[method]
    share = value / trivial if trivial and math.isfinite(value) else None
    return Worth(
        trivial=trivial,
        share_of_trivial=share if share is not None and math.isfinite(share) else None,
        informative=informative,
        informative_from=starts,
        why_never=never,
        driver=driver_of(setting, guarantee, horizon, method),
        helps=helps_of(setting, guarantee, horizon, method, starts) if asked else (),
    )
