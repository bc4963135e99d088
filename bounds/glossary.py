"""The glossary: what people call each quantity of a report, in which symbol and unit; programs have the JSON's keys.

Parameters of a setting and quantities of the formulas have theirs in `bounds.language.quantities`.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bounds.guarantees import GUARANTEES
from bounds.words import capital


class GlossaryEntry(NamedTuple):
    """A quantity: its name, the paper's symbol as one types it, its unit, and what it is."""

    name: str
    symbol: str = ""
    unit: str = ""
    meaning: str = ""


#: By key of the JSON, the guarantees first, then what `glossary.csv` has; costproof docs glossary explains them.
GLOSSARY: Mapping[str, GlossaryEntry] = {
    **{
        kind.name: GlossaryEntry(kind.title or kind.name.replace("_", " "), kind.symbol, kind.unit, kind.meaning)
        for kind in GUARANTEES.values()
    },
    **{
        row.pop("key"): GlossaryEntry(**row)
        for row in csv.DictReader(Path(__file__).with_name("glossary.csv").read_text(encoding="utf-8").splitlines())
    },
}


def name_of(key: str) -> str:
    """Return what people call the quantity of a key; any other key with spaces.

    Examples
    --------
    >>> name_of("identification"), name_of("quality_regret"), name_of("exploration_cap")
    ('identification bound', 'quality regret', 'exploration cap')
    """
    return GLOSSARY[key].name if key in GLOSSARY else key.replace("_", " ")


def title_of(key: str) -> str:
    """Return the name of a quantity as a title begins.

    Examples
    --------
    >>> title_of("excess_payment")
    'Excess payment'
    """
    return capital(name_of(key))


def explained(key: str) -> str:
    """Return a sentence that says what a quantity is.

    Examples
    --------
    >>> explained("identification")
    'Identification bound: queries after initialization that miss the optimal provider, at most.'
    """
    return f"{title_of(key)}: {GLOSSARY[key].meaning}."


def unit_of(key: str) -> str:
    """Return the unit of a quantity, empty where it is not known; money is in the setting's own.

    Examples
    --------
    >>> unit_of("average_payment_deviation")
    'money per query'
    """
    return GLOSSARY[key].unit if key in GLOSSARY else ""


def bound_on(key: str) -> str:
    """Return what people call the bound on the quantity of a key.

    Examples
    --------
    >>> bound_on("identification"), bound_on("quality_regret")
    ('identification bound', 'quality regret bound')
    """
    name = name_of(key)
    return name if name.endswith("bound") else f"{name} bound"
