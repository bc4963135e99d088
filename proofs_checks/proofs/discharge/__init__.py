"""Computed numbers that theorems in Coq take with a stated property: that the printed ones have it, by enclosures.

A theorem about the exact inverse of the radius, or about the horizon from which on a condition holds, takes any number
with that property. The program finds it in doubles. Here the property is checked for the number that is printed: from
its definition, in balls, and not by the search that found it. Inputs are the doubles of the setting, exactly.

`names` has what is checked of a setting, `checks` how, `balls` the radius and the target.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from bounds.errors import InputError, did_you_mean
from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from bounds.words import counted
from proofs_checks.proofs.discharge.balls import NotDischargedError, balls
from proofs_checks.proofs.discharge.names import CHECKS, DischargeCase, check_of
from proofs_checks.proofs.kernel.theorems import named_theorems

#: Up to which horizon the published settings are looked at.
_HORIZON = 70_000


@dataclass(frozen=True, kw_only=True)
class Discharged:
    """A number that a theorem takes, and how its property was shown.

    Parameters
    ----------
    name : str
        Short name of the number.
    property : str
        What the theorem asks of it.
    how : str
        How that was shown.
    settings : tuple of str
        The settings whose numbers were looked at.
    """

    name: str
    property: str
    how: str
    settings: tuple[str, ...]


def discharged(label: str) -> tuple[Discharged, ...]:
    """Return the numbers, of those that the theorem about a claim takes, whose property is shown.

    It is shown for the numbers that the program prints for each published setting at T = 70,000.

    Examples
    --------
    >>> [one.name for one in discharged("lem:unqualified-elimination:sharpest")]
    ['exclusion-count', 'exact-inverse']
    >>> discharged("lem:payment-range")
    ()
    """
    taken = named_theorems().get(label, {}).get("takes", {})
    shown = {name: how for name in taken if (known := check_of(name, label)) and (how := _how(known))}
    return tuple(
        Discharged(name=name, property=taken[name], how=how, settings=PUBLISHED_NAMES) for name, how in shown.items()
    )


@functools.cache
def _how(name: str) -> str:
    """Return how numbers are shown to be right for every published setting; empty where they are not."""
    with balls():
        try:
            looked_at = sum(map(CHECKS[name].run, _published_cases()))
        except NotDischargedError:
            return ""
    return f"{counted(looked_at, CHECKS[name].what)} up to T = {_HORIZON:,}, by enclosure: {CHECKS[name].says}"


@functools.cache
def _published_cases() -> tuple[DischargeCase, ...]:
    """Return the published settings: what is found for one name serves the next."""
    with balls() as ball:
        return tuple(
            DischargeCase(ball=ball, setting=published(each).setting, horizon=_HORIZON) for each in PUBLISHED_NAMES
        )


def numbers_shown(name: str, setting: Setting, *, horizon: int) -> int:
    """Return how many numbers of a kind the program prints for a setting, all of which have the property.

    Parameters
    ----------
    name : str
        Of the kind, as in `CHECKS`.
    setting : Setting
        One with a unique optimal provider.
    horizon : int

    Raises
    ------
    NotDischargedError
        One has it not, or it is too near to decide.
    InputError
        There is no such kind, or no optimal provider.

    Examples
    --------
    >>> numbers_shown("exclusion-count", published("gpqa-strong").setting, horizon=1_000)
    2
    """
    if name not in CHECKS:
        raise InputError("name", name, "is not a kind of numbers", did_you_mean(name, CHECKS, "see CHECKS"))
    if setting.optimal is None or len(setting.qualified) < 2:
        remedy = "the numbers are those of a unique optimal provider with a competitor"
        raise InputError("setting", setting.name, "has no unique optimal provider, or no competitor", remedy)
    with balls() as ball:
        return CHECKS[name].run(DischargeCase(ball=ball, setting=setting, horizon=horizon))
