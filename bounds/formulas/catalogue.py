"""The catalogue: every formula by its name."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType

from bounds.formulas import belief, payment, radius, regret, selection, sharp
from bounds.language.formula import Formula


@functools.cache
def all_formulas() -> Mapping[str, Formula]:
    """Return every formula by the name of the quantity it computes, in the order of the modules.

    Examples
    --------
    >>> all_formulas()["burn_in"].source
    'thm:regret'
    """
    found = {
        value.quantity.name: value
        for module in (radius, selection, regret, payment, belief, sharp)
        for value in vars(module).values()
        if isinstance(value, Formula)
    }
    return MappingProxyType(found)
