"""What people call the quantities that are guaranteed, wherever they are named; programs have the JSON's keys."""

from __future__ import annotations

from collections.abc import Mapping

from bounds.words import capital

#: From a key of the JSON to the paper's name, which docs/reference/glossary.md explains.
NAMES: Mapping[str, str] = {
    "identification": "identification bound",
    "identification_bound": "identification bound",
    "quality_regret": "quality regret",
    "generation_regret": "generation regret",
    "excess_payment": "excess payment",
    "average_payment_deviation": "average payment deviation",
    "identification_horizon": "identification horizon T_id",
}


def name_of(key: str) -> str:
    """Return what people call the quantity of a key; any other key with spaces.

    Examples
    --------
    >>> name_of("identification"), name_of("quality_regret"), name_of("exploration_cap")
    ('identification bound', 'quality regret', 'exploration cap')
    """
    return NAMES.get(key, key.replace("_", " "))


def bound_on(key: str) -> str:
    """Return what people call the bound on the quantity of a key.

    Examples
    --------
    >>> bound_on("identification"), bound_on("quality_regret")
    ('identification bound', 'quality regret bound')
    """
    name = name_of(key)
    return name if name.endswith("bound") else f"{name} bound"


def title_of(key: str) -> str:
    """Return the name of a quantity as a title begins.

    Examples
    --------
    >>> title_of("excess_payment")
    'Excess payment'
    """
    return capital(name_of(key))
