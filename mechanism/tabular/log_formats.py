"""Logs of other programs by name: which of their columns hold what, and which of their rows are queries served.

A new format is one more row of `log_formats.csv`; several of one name are the layouts that one program writes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from bounds.errors import InputError, did_you_mean
from mechanism.tabular.expressions import parse
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.sql import identifier

#: The name of costproof's own layout: with it, no other format is looked for.
OWN = "costproof"


@dataclass(frozen=True, kw_only=True)
class LogFormat:
    """How another program lays out its log.

    Parameters
    ----------
    program : str
        Its name, in small letters that of the format.
    provider, payment : str
        The columns of who served and of what was paid, in USD; an expression may make it USD.
    times : tuple of str
        The column of the time of a query, and that of its answer if there is one.
    where : str, optional
        The condition of a row that is a query served.
    records : str, optional
        Where the rows stand in JSON, as in `LogLayout`.
    key : str
        The column by which a second file with scores and bids belongs to the log.

    Examples
    --------
    >>> layout = FORMATS[0].completed(LogLayout(columns={"provider": "model"}, unit=1e6))
    >>> layout.format, layout.columns, layout.order_by
    ('litellm', {'provider': 'model', 'payment': 'spend'}, 'startTime')
    """

    program: str
    provider: str
    payment: str
    times: tuple[str, ...]
    where: str | None = None
    records: str = ""
    key: str

    @property
    def name(self) -> str:
        """What ``--format`` calls it."""
        return self.program.casefold()

    @cached_property
    def columns(self) -> frozenset[str]:
        """The columns that it reads, by which a file is recognized."""
        read = (
            *parse(self.payment, "columns", "number").columns,
            *parse(self.where or "true", "where", "condition").columns,
        )
        return frozenset({self.provider, *self.times, *read})

    def completed(self, layout: LogLayout) -> LogLayout:
        """Return a layout with what it leaves open taken from this format."""
        order_by, *settled_at = self.times
        timed = layout.order_by is None and layout.settled_at is None and layout.bids != "before"
        return replace(
            layout,
            format=self.name,
            columns={"provider": self.provider, "payment": self.payment, **layout.columns},
            order_by=layout.order_by or order_by,
            settled_at=settled_at[0] if timed and settled_at else layout.settled_at,
            where=layout.where or self.where,
            records=layout.records or self.records,
        )


def _format(row: Mapping[str, str]) -> LogFormat:
    return LogFormat(**{**row, "times": tuple(row["times"].split()), "where": row["where"] or None})  # type: ignore[arg-type]


_TABLE = Path(__file__).with_name("log_formats.csv").read_text(encoding="utf-8")
# Older versions of LiteLLM have the status in `metadata` alone, or nowhere; there a failed request cost nothing.
FORMATS = tuple(map(_format, csv.DictReader(_TABLE.splitlines())))
"""The formats that are read by name; a file has the first one whose columns it has."""

NAMES = (OWN, *dict.fromkeys(each.name for each in FORMATS))


def format_of(layout: LogLayout, header: Callable[[str], Collection[str]]) -> LogFormat | None:
    """Return the format of a file, as it is named or recognized by its columns; None for costproof's own.

    Parameters
    ----------
    layout : LogLayout
        What is known of it.
    header : callable
        From where the rows stand to the names of the columns.

    Raises
    ------
    InputError
        A name that no format has.
    """
    if layout.format not in (None, *NAMES):
        remedy = did_you_mean(str(layout.format), NAMES, f"the formats are {', '.join(NAMES)}")
        raise InputError("format", layout.format, "is the name of no format", remedy)
    known = {*layout.columns, *header(layout.records)}
    if layout.format is None and all({name, layout.called(name)} & known for name in ("provider", "payment")):
        return None
    called = [each for each in FORMATS if layout.format in (None, each.name)]
    for form in called:
        if form.columns <= {*header(layout.records or form.records)}:
            return form
    if not called or layout.format is None:
        return None
    lacking = sorted(called[0].columns - {*header(layout.records or called[0].records), *layout.columns.values()})
    if lacking and layout.where is None:
        rule = f"reads columns that the file does not have: {', '.join(lacking)}"
        raise InputError("format", layout.format, rule, "--columns, --order-by and --where say what stands for them")
    return called[0]


#: Words in the names of columns that say what they hold, the surest first.
_WORDS = {
    "provider": ("provider", "model", "winner", "vendor", "deployment", "route", "engine", "backend", "arm"),
    "payment": ("payment", "paid", "spend", "charge", "price", "amount", "usd", "cost"),
    "score": ("score", "grade", "correct", "reward", "rating", "quality", "feedback"),
    "bid": ("bid", "offer", "ask", "quote"),
    "order_by": ("start", "created", "timestamp", "time", "date", "ts"),
    "settled_at": ("settled", "received", "arrived", "completed", "finished", "end"),
}
#: Units of money in the names of columns, and how many of them are one.
_UNITS = {"cents": "100", "cent": "100", "micros": "1e6", "microdollars": "1e6"}


def guessed(names: Iterable[str], header: Collection[str]) -> dict[str, str]:
    """Return which columns of an unknown file may be those of ours, by the words in their names, money in whole units.

    Examples
    --------
    >>> guessed(["provider", "payment", "score", "order_by"], ["createdAt", "model_name", "priceCents", "id"])
    {'provider': 'model_name', 'payment': 'priceCents/100', 'order_by': 'createdAt'}
    >>> guessed(["provider", "payment"], ["ai_model", "cost"])  # of Portkey
    {'provider': 'ai_model', 'payment': 'cost/100'}
    """
    spaced = {called: re.sub(r"([a-z])(?=[A-Z])", r"\1 ", called).casefold() for called in header}
    words = {called: re.split(r"[^a-z]+", text) for called, text in spaced.items()}
    units = {called: _UNITS[word] for called, within in words.items() for word in within if word in _UNITS}
    units |= {"cost": "100"} if any(each.payment == "cost/100" and each.provider in header for each in FORMATS) else {}
    whole = {name: f"{name if name.isidentifier() else identifier(name)}/{parts}" for name, parts in units.items()}
    found: dict[str, str] = {}
    for name in names:
        hits = (called for word in _WORDS[name] for called, within in words.items() if word in within)
        if (hit := next((each for each in hits if each not in found.values()), None)) is not None:
            found[name] = hit
    return {name: whole.get(called, called) for name, called in found.items()}
