"""What one guarantee is worth at a horizon, as data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from bounds.documents import FromOne, NonNegative, named
from bounds.setting.model import Setting
from bounds.worth.advice import MOST_ADVISED, Help, helps_of
from bounds.worth.contributor import Contributor, largest_contributor
from bounds.worth.guarantee import Guarantee
from bounds.worth.threshold import NO_HORIZON, informative_from, why_never


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What a guarantee is worth at a horizon.

    Parameters
    ----------
    trivial : float or None
        What holds without any theory, in the unit of the bound; None where it is undefined.
    share_of_trivial : float or None
        The bound over its trivial value; None where either is undefined or the latter is 0.
    informative : bool
        Whether it applies and is below its trivial value.
    informative_from : int or None
        Least horizon from which on it always is informative; None if there is none.
    why_never : str or None
        Why no horizon makes it informative; None if one does.
    contributor : Contributor or None
        The provider or the term that makes most of the bound; None if nothing does.
    helps : tuple of Help
        What would make it informative, or make it so sooner, changes of the mechanism before those of the market; empty
        if it is informative, or was not asked for, or there are more providers than `MOST_ADVISED` has for the method.
    """

    trivial: float | None
    share_of_trivial: NonNegative | None
    informative: bool
    informative_from: FromOne | None
    why_never: str | None
    contributor: Contributor | None = field(metadata=named("driver"))
    helps: tuple[Help, ...]


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
        contributor=largest_contributor(setting, guarantee, horizon, method),
        helps=helps_of(setting, guarantee, horizon, method, starts) if asked else (),
    )
