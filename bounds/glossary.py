"""The glossary: what people call each quantity of a report, in which symbol and unit; programs have the JSON's keys.

Parameters of a setting and quantities of the formulas have theirs in `bounds.language.quantities`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bounds.guarantees import GUARANTEES
from bounds.words import capital


class GlossaryEntry(NamedTuple):
    """A quantity: its name, the paper's symbol as one types it, its unit, and what it is."""

    name: str
    symbol: str = ""
    unit: str = ""
    meaning: str = ""


#: By key of the JSON, the guarantees first; costproof docs glossary explains them.
GLOSSARY: Mapping[str, GlossaryEntry] = {
    **{
        kind.name: GlossaryEntry(kind.title or kind.name.replace("_", " "), kind.symbol, kind.unit, kind.meaning)
        for kind in GUARANTEES.values()
    },
    "identification_horizon": GlossaryEntry(
        "identification horizon T_id", "T_id", "queries", "from there on the optimal provider has the most selections"
    ),
    "other_selections": GlossaryEntry(
        "queries after initialization not served by the optimal provider",
        "",
        "queries",
        "queries that the cheapest qualified provider did not serve; the first N queries do not count",
    ),
    "share_of_optimal": GlossaryEntry(
        "share of the optimum",
        "",
        "share of queries",
        "the share of all queries so far that the cheapest qualified provider served",
    ),
    "moving_share_of_optimal": GlossaryEntry(
        "recent share of the optimum",
        "",
        "share of queries",
        "the share of the last queries (a moving window) that the cheapest qualified provider served",
    ),
    "unqualified_share": GlossaryEntry(
        "unqualified share",
        "",
        "share of queries",
        "the share of all queries so far that providers below the quality threshold served",
    ),
    "moving_unqualified_share": GlossaryEntry(
        "recent unqualified share",
        "",
        "share of queries",
        "the share of the last queries (a moving window) that providers below the quality threshold served",
    ),
    "accuracy": GlossaryEntry("accuracy", "", "mean score", "the mean score of all queries so far"),
    "generation_cost": GlossaryEntry(
        "generation cost", "", "money per query", "what serving cost, on average over all queries so far"
    ),
    "amount_paid": GlossaryEntry(
        "amount paid", "", "money per query", "what users paid, on average over all queries so far"
    ),
    "amount_paid_moving": GlossaryEntry(
        "recent amount paid",
        "",
        "money per query",
        "the mean payment of the last queries (a moving window, without initialization)",
    ),
    "auction_payment_moving": GlossaryEntry(
        "recent payment of auctions",
        "",
        "money per query",
        "the mean payment of the auctions among the last queries (a moving window)",
    ),
    "winning_bid_moving": GlossaryEntry(
        "recent winning bid",
        "",
        "money per query",
        "the mean standing bid of the winners among the last queries (a moving window)",
    ),
    "eligible": GlossaryEntry(
        "eligible providers",
        "",
        "providers",
        "how many providers might have served the query, as far as the platform knew",
    ),
    "exploration_steps": GlossaryEntry(
        "exploration steps", "", "queries", "queries that were given to an under-sampled provider, without an auction"
    ),
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
