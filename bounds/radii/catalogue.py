"""Every radius by its name."""

from __future__ import annotations

from bounds.radii.beta_binomial import BETA_BINOMIAL
from bounds.radii.names import radius_name
from bounds.radii.normal_mixture import NORMAL_MIXTURE
from bounds.radii.paper import PAPER
from bounds.radii.radius import Radius

_BY_NAME = {radius.name: radius for radius in (PAPER, BETA_BINOMIAL, NORMAL_MIXTURE)}


def radius_named(name: str) -> Radius:
    """Return the radius of a name.

    Raises
    ------
    InputError
        There is none of this name.

    Examples
    --------
    >>> radius_named("beta-binomial").cost is radius_named("paper").cost
    True
    """
    return _BY_NAME[radius_name(name)]
