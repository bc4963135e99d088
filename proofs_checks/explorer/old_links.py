"""Links of version 0.2, which name views, policies and switches that the explorer had then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import parse_qsl, urlencode

from mechanism.policies import ALL_POLICIES, PLATFORM, POLICIES

#: Views that left: the nearest view that is there, and what replaces the view.
REPLACED_VIEWS: Mapping[str, tuple[str, str]] = {
    "roster": ("guarantees", "use costproof bounds SETTING, or costproof figures landscape --setting SETTING"),
    "policies": ("market", "use costproof compare platform POLICY SETTING"),
    "beliefs": ("auction", "this view has the estimates and bids of one step; use costproof figures for whole runs"),
    "payoffs": ("provider", "use costproof figures payment-bounds --setting SETTING for payments over time"),
    "sweep": ("market", "use costproof sweep SETTING --over quality_threshold=START:STOP:NUMBER"),
    "glossary": ("market", "costproof docs reference/glossary prints it"),
}


def renewed(query: str) -> tuple[str, str]:
    """Return the query string of a link as it is written today, and what replaces what it named; empty if nothing left.

    Examples
    --------
    >>> query, told = renewed("view=sweep&policies=platform,cheapest-bid")
    >>> query
    'view=market&policies=platform'
    >>> for sentence in told.split(". "):
    ...     print(sentence)
    The view “sweep” has left: use costproof sweep SETTING --over quality_threshold=START:STOP:NUMBER
    The policy cheapest-bid is not shown here: use costproof compare platform cheapest-bid SETTING.
    >>> renewed("runs=0&runs=1")
    ('runs=0&runs=1', '')
    """
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=40)
    except ValueError:  # which the reader of links refuses
        return query, ""
    told: list[str] = []
    kept = [(key, value) for each in pairs for key, value in _renewed(*each, told)]
    return (urlencode(kept), " ".join(told)) if kept != pairs else (query, "")


def _renewed(key: str, value: str, told: list[str]) -> Iterator[tuple[str, str]]:
    """Yield a pair of a link as it is today, if it has a place, and add to what is told."""
    if key == "view" and value in REPLACED_VIEWS:
        nearest, instead = REPLACED_VIEWS[value]
        told.append(f"The view “{value}” has left: {instead}.")
        yield key, nearest
    elif key == "policies":
        names = value.split(",")
        left = [name for name in names if name in ALL_POLICIES and name not in POLICIES]
        instead = "The policy {0} is not shown here: use costproof compare platform {0} SETTING."
        told += [instead.format(name) for name in left]
        yield key, ",".join(name for name in names if name not in left) or PLATFORM
    elif key == "pinned":
        if value == "yes":
            told.append("c_max no longer follows prices and costs: set it by its slider.")
    elif key != "policy":  # whose run the views of beliefs and payoffs showed
        yield key, value
