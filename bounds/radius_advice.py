"""Which other confidence radius would make the identification bound informative, or make it so sooner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bounds.formulas.identification import lasting_horizon
from bounds.radii.names import PAPERS, RADII
from bounds.radius_caps import RadiusCaps
from bounds.setting.model import Setting
from bounds.words import both_at_most
from bounds.worth.advice import Help, Sooner, rank
from bounds.worth.guarantee import HARDLY_BETTER
from bounds.worth.worth import Worth

#: What such a change costs.
_PRICE = "proved in steps; regrets and payments then have no bound"


def with_radius_advice(worth: Worth, setting: Setting, horizon: int) -> Worth:
    """Return what the identification bound is worth, with the best other radius among the changes that help.

    Every radius keeps the paper's promise of coverage under the paper's own assumptions, see `bounds.radii`. So none
    needs a further assumption. The paper's other theorems are stated for its own radius alone: that is the price.

    Parameters
    ----------
    worth : Worth
        Of the identification bound of this setting at this horizon. Where no advice was sought it is returned as it is.
    setting : Setting
        With the paper's radius.
    horizon : int

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.worth.guarantee import guarantees_of
    >>> from bounds.worth.worth import worth_of
    >>> setting = published("gpqa-strong").setting
    >>> worth = worth_of(setting, guarantees_of(setting)["identification"], 70_000)
    >>> [(help.radius, help.effect[:34]) for help in with_radius_advice(worth, setting, 70_000).helps if help.radius]
    [('beta-binomial', '9,493 of 69,996 (T_id = 14,099); p')]
    """
    if not worth.helps:
        return worth
    found = _best(setting, horizon, worth.informative_from)
    if found is None:
        return worth
    longer, *changes = worth.helps
    # Better bounds come first: they change nothing.
    bounds = [help for help in changes if help.parameter == "method"]
    others = [help for help in changes if help.parameter != "method"]
    return replace(worth, helps=(longer, *sorted((*bounds, found, *others), key=rank)))


def _best(setting: Setting, horizon: int, starts: int | None) -> Help | None:
    """Return the radius with the least bound at the horizon, or that is informative earliest; None if none helps."""
    others = {name: _caps(setting, name) for name in RADII if name != PAPERS}
    bounds = {name: float(caps.identification_bounds(np.array([horizon], float))[0]) for name, caps in others.items()}
    best, follow = min(bounds, key=lambda name: bounds[name]), horizon - setting.n_providers
    if bounds[best] <= HARDLY_BETTER * follow:
        bound, trivial = both_at_most(bounds[best], follow)
        leads = others[best].identification_horizon
        told = "" if leads is None else f" (T_id = {leads:,})"
        return Help(parameter="radius", value=None, effect=f"{bound} of {trivial}{told}; {_PRICE}", radius=best)
    starting = {
        name: start
        for name, caps in others.items()
        if (start := lasting_horizon(caps.identification_bounds, setting.n_providers)) is not None
    }
    first = min(starting, key=lambda name: starting[name], default=None)
    if first is None or starting[first] <= horizon or (starts is not None and starting[first] >= starts):
        return None
    sooner = Sooner(value=None, informative_from=starting[first], effect=_PRICE, radius=first)
    return Help(parameter="radius", value=None, effect="no other radius is enough", sooner=sooner)


def _caps(setting: Setting, radius: str) -> RadiusCaps:
    return RadiusCaps(replace(setting, platform=replace(setting.platform, radius=radius)))
