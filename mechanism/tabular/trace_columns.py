"""The columns of a trace, and what their cells may be.

`COLUMNS` is the place to add a column to (and a field to `mechanism.trace.Trace`).
"""

from __future__ import annotations

import math
import os
import re
import sys
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bounds.errors import InputError, did_you_mean, printable
from bounds.setting.model import Setting
from mechanism.tabular.files import TableFile
from mechanism.tabular.scalars import truth_number
from mechanism.trace import NEVER_SETTLED

LONGEST_LINE = 1 << 20
"""Bytes of a line that is too long: a file with such a line is not a trace."""

_LARGEST = sys.float_info.max


@dataclass(frozen=True, kw_only=True)
class ColumnMeaning:
    """What a column of a trace holds.

    Parameters
    ----------
    meaning : str
        For errors, to be read after them.
    least, most : float, optional
        The range of its numbers, finite.
    remedy : str, optional
        What to do about a number out of range.
    optional : bool, optional
        Whether a file may lack the column.
    empty : float, optional
        What an empty cell stands for; None if it may not be empty.
    """

    meaning: str
    least: float = -_LARGEST
    most: float = _LARGEST
    remedy: str = ""
    optional: bool = False
    empty: float | None = None

    @property
    def rule(self) -> str:
        """What a number that is out of range breaks."""
        return f"must be at least {self.least}" if self.most == _LARGEST else f"must lie in [{self.least}, {self.most}]"


COLUMNS = {
    "step": ColumnMeaning(meaning="it counts the queries: 1, 2, ..."),
    "provider": ColumnMeaning(meaning="it says who served, by name or 0-based index"),
    "payment": ColumnMeaning(meaning="it is what the user paid"),
    "score": ColumnMeaning(
        meaning="it is the grade of the response, in [0, 1], or true or false; for other words calculate it "
        "(score=case when COLUMN = 'WORD' then 1 else 0 end)",
        least=0,
        most=1,
        remedy="rescale the grade of the response",
    ),
    "bid": ColumnMeaning(meaning="it is the standing bid that the served provider left behind"),
    "cost": ColumnMeaning(meaning="it is what serving cost (optional)", optional=True),
    "settled": ColumnMeaning(
        meaning="it is the number of the last query assigned before score and bid arrived (optional)",
        least=1,
        most=NEVER_SETTLED,
        remedy="leave the cell empty if they never arrived",
        optional=True,
        empty=NEVER_SETTLED,
    ),
}
"""The columns in their order. All but the first two are numbers, fields of `Trace` of the same name."""

Columns = dict[str, NDArray[Any]]
"""Consecutive rows: the columns that `Trace` has, and `lines`, on which the rows start."""


class ProviderIndex:
    """Finds whom a cell means: a provider's name, or its index where that is nobody's name.

    Attributes
    ----------
    by_text : dict
        The index that a text means.
    count : int
        How many providers there are.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting, self.count = setting, setting.n_providers
        names = {provider.name: i for i, provider in enumerate(setting.providers)}
        self.by_text = {str(i): i for i in names.values()} | names

    def __call__(self, cell: object) -> int:
        """Return the index of a provider, or raise an InputError."""
        if isinstance(cell, str) and (index := self.by_text.get(cell)) is not None:
            return index
        last = self._setting.n_providers - 1
        if type(cell) is int and 0 <= cell <= last:
            return cell
        if type(cell) is int or (isinstance(cell, str) and re.fullmatch(r"-[0-9]+|[1-9][0-9]*", cell)):
            raise InputError("provider", cell, f"must lie in 0..{last}", "indices start at 0")
        names = [printable(provider.name, 40) for provider in self._setting.providers]
        shown = ", ".join(f"'{name}'" for name in names[:12]) + (", ..." if names[12:] else "")
        remedy = did_you_mean(cell, names, f"write an index in 0..{last} or a name: {shown}", quote=True)
        rule = f"is not a provider of setting '{printable(self._setting.name, 40)}'"
        raise InputError("provider", cell, rule, remedy)


def is_empty(cell: object) -> bool:
    """Return whether a cell holds nothing, as CSV or as JSON and Parquet write it."""
    return cell is None or cell == ""


def checked_number(name: str, cell: object, value: float | None) -> float:
    """Return the number that a cell of a column holds, or raise an InputError."""
    column = COLUMNS[name]
    if column.empty is not None and is_empty(cell):
        return column.empty
    if value is None and name == "score":
        value = truth_number(cell)
    if value is None:
        remedy = f"{column.meaning}; write it as 0.5 or {min(column.most, 3):g}"
        raise InputError(name, cell, "must be a number", remedy)
    if not math.isfinite(value):
        raise InputError(name, cell, "must be finite", column.meaning)
    if not column.least <= value <= column.most:
        raise InputError(name, cell, column.rule, column.remedy)
    return value


def trace_file(path: str | os.PathLike[str]) -> TableFile:
    """Return the file that holds a trace, or raise an InputError: its ending is unknown."""
    try:
        location = os.fsdecode(path)
    except TypeError:
        raise InputError("path", path, "must be a path", "give the path of a trace file") from None
    return TableFile(location=location, name=location, argument="path", kind="trace")
