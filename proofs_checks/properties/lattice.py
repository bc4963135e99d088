"""The properties of a mechanism, and which of them rests on which."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

#: Steps of a short run: the longest scenarios of `check` have so many, but for those that are made to be long.
SHORT = 150


@dataclass(frozen=True)
class Property:
    """A property of a mechanism; it stands for itself and for all that it rests on, so it implies these.

    Parameters
    ----------
    name : str
    says : str
        What it says beyond what it rests on, in one line.
    rests_on : tuple of str
        Names of the properties that it implies directly. A rule of the paper rests on those that say at which steps it
        applies, and by which numbers; a guarantee rests on the rules that the paper proves it from.
    """

    name: str
    says: str
    rests_on: tuple[str, ...] = ()


_IN_ORDER = (
    Property("answers", "every call is answered with a provider and a finite payment"),
    Property("repeatable", "answers depend on configuration, seed and history alone", ("answers",)),
    Property("initialization", "the first N steps serve each provider once, for c_max", ("repeatable",)),
    Property("eligibility", "who serves is eligible: counts, estimates and radii are right", ("initialization",)),
    Property("exploration", "eligible providers with m < g(t) are served before any auction", ("eligibility",)),
    Property("fixed-payments", "explorations, and steps with nobody eligible, pay c_max", ("exploration",)),
    Property("uniform-draws", "explorations, and steps with nobody eligible, are drawn uniformly", ("exploration",)),
    Property("allocation", "an auction is won by the least adjusted bid of those that stand", ("exploration",)),
    Property(
        "critical-payments", "an auction pays the bid up to which its winner wins, min{P, c_max}", ("allocation",)
    ),
    Property("belief-slack", "gamma widens the cost radius, and nothing else", ("critical-payments", "fixed-payments")),
    Property("long-runs", f"no rule breaks after the first {SHORT} steps", ("critical-payments", "fixed-payments")),
    Property("payment-range", "every payment lies in [0, c_max]", ("belief-slack",)),
    Property(
        "individual-rationality",
        "at no step does a truthful provider expect a loss",
        ("critical-payments", "fixed-payments"),
    ),
    Property(
        "bid-independence",
        "neither its own bid nor a replaced one moves what a winner is paid",
        ("critical-payments", "fixed-payments"),
    ),
    Property(
        "truthfulness", "at no step does a bid gain more than the cost estimate", ("bid-independence", "uniform-draws")
    ),
    Property("strict-truthfulness", "a bid on the other side of the critical payment gains less", ("truthfulness",)),
    Property(
        "robust-truthfulness",
        "up to any horizon, truthful bidding has the best worst case, and no loss",
        ("long-runs", "individual-rationality", "strict-truthfulness"),
    ),
    Property("good-event", "mean scores and mean costs stay in their confidence bands"),
    Property(
        "bounds",
        "counts, regrets and payments keep the paper's bounds",
        ("long-runs", "payment-range", "uniform-draws", "good-event"),
    ),
)

#: Every property by name; each comes after all that it rests on.
PROPERTIES: Mapping[str, Property] = MappingProxyType({each.name: each for each in _IN_ORDER})


@functools.cache
def weaker(name: str) -> frozenset[str]:
    """Return all that a property rests on, directly or through others: what it implies.

    Examples
    --------
    >>> sorted(weaker("exploration"))
    ['answers', 'eligibility', 'initialization', 'repeatable']
    """
    direct = PROPERTIES[name].rests_on
    return frozenset(direct).union(*map(weaker, direct))


def weakest(names: Iterable[str]) -> tuple[str, ...]:
    """Return those of some properties that rest on none of the others, in the order of the list.

    Examples
    --------
    >>> weakest(["truthfulness", "uniform-draws", "allocation"])
    ('uniform-draws', 'allocation')
    """
    found = frozenset(names)
    return tuple(name for name in PROPERTIES if name in found and not weaker(name) & found)
