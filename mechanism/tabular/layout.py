"""How the log of a real platform is laid out: the names of its columns, their order, their money, a second file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from bounds.errors import InputError, did_you_mean
from mechanism.tabular.trace_columns import COLUMNS

#: Which standing bid of the provider that served a row holds: the one that it left behind, the one in the auction, or
#: none, since every provider always bids its mean cost.
BID_TIMES = ("after", "before", "posted")


@dataclass(frozen=True, kw_only=True)
class Join:
    """A second file with columns that the log lacks.

    Parameters
    ----------
    path : str
        A table of any format that a log may have.
    on, other : str
        The column of the log, and that of the second file, whose cells say which rows belong together.
    """

    path: str
    on: str
    other: str


@dataclass(frozen=True, kw_only=True)
class LogLayout:
    """How a log is laid out, where it is not as `read_trace` wants it.

    Parameters
    ----------
    format : str, optional
        A name of `mechanism.tabular.log_formats`, which completes what the other parameters leave open; by default the
        format is recognized by the columns of the file.
    columns : mapping of str to str, optional
        From the names in `COLUMNS` to those of the file, or to expressions of these, as ``spend * 1e6``; what is not
        named is called the same.
    where : str, optional
        A condition on the columns of the file, as ``status = 'success'``: other rows are left out.
    order_by : str, optional
        A column of the file, of numbers or of times as ISO 8601 writes them, by which the rows are put in order.
    settled_at : str, optional
        A column of the times, or numbers, at which score and bid arrived, as those of `order_by`; empty where they
        never did.
    unit : float, optional
        What one unit of the log's money is in the setting's money: 1e6 for a log in USD and a setting in 1e-6 USD.
    bids : {"after", "before", "posted"}, optional
        Whether a row holds the standing bid that its provider left behind, or the one that stood in the auction; or
        whether every provider always bids its mean cost in the setting, and the log needs no bids.
    join : Join, optional
    records : str, optional
        Where the rows stand in JSON: the names of nested lists, as ``resourceSpans.scopeSpans.spans``.

    Raises
    ------
    InputError
        A column that no log has, one of the file that is to be two of ours, or a unit that is not positive.

    Examples
    --------
    >>> LogLayout(columns={"payment": "spend"}, unit=1e6).called("payment")
    'spend'
    >>> LogLayout(columns={"pay": "spend"})
    Traceback (most recent call last):
    bounds.errors.InputError: columns='pay=spend' names no column of a log: did you mean payment?
    """

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    where: str | None = None
    order_by: str | None = None
    settled_at: str | None = None
    unit: float = 1.0
    bids: str = "after"
    join: Join | None = None
    records: str = ""

    def __post_init__(self) -> None:
        taken: dict[str, str] = {}
        for name, called in self.columns.items():
            given = f"{name}={called}"
            if name not in COLUMNS:
                remedy = did_you_mean(name, COLUMNS, f"the columns of a log are {', '.join(COLUMNS)}")
                raise InputError("columns", given, "names no column of a log", remedy)
            if called in taken:
                rule = f"takes a column that is {taken[called]} already"
                raise InputError("columns", given, rule, "give every column one meaning")
            taken[called] = name
        if self.settled_at is not None and self.order_by is None:
            remedy = "order_by names the times at which queries were assigned"
            raise InputError("settled_at", self.settled_at, "needs order_by", remedy)
        if not (math.isfinite(self.unit) and self.unit > 0):
            raise InputError("unit", self.unit, "must be positive", "it is what the log's money is in the setting's")
        if self.bids not in BID_TIMES:
            raise InputError("bids", self.bids, f"must be one of {', '.join(BID_TIMES)}", "it says which bid a row has")
        if self.bids == "posted" and "bid" in self.columns:
            raise InputError("bids", self.bids, "reads no bids of the log", f"drop bid={self.columns['bid']}")

    @property
    def implied(self) -> tuple[str, ...]:
        """The columns that are not read, since the setting has them."""
        return ("bid",) if self.bids == "posted" else ()

    def called(self, name: str) -> str | None:
        """Return what a column is called in the file; None if it is not read, or another one has taken its name."""
        if name in self.implied:
            return None
        if name in self.columns:
            return self.columns[name]
        return None if name in self.columns.values() else name

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `costproof audit` that say the same.

        Examples
        --------
        >>> LogLayout(columns={"payment": "spend"}, unit=1e6, bids="before").options
        ('--columns', 'payment=spend', '--unit', '1000000', '--bids', 'before')
        """
        join = self.join
        given = {
            "--format": self.format,
            "--columns": ",".join(f"{name}={called}" for name, called in self.columns.items()) or None,
            "--where": self.where,
            "--order-by": self.order_by,
            "--settled-at": self.settled_at,
            "--unit": None if self.unit == 1 else f"{self.unit:.17g}",
            "--bids": None if self.bids == "after" else self.bids,
            "--join": join.path if join else None,
            "--on": "=".join(dict.fromkeys((join.on, join.other))) if join else None,
        }
        return tuple(part for option, value in given.items() if value is not None for part in (option, value))
