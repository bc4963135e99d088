"""The paper's tables beside ours, as a part of a page: each table with the strip of its z."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Data = Mapping[str, Any]

#: The strip shows z from minus to plus this; what lies beyond stands at its end.
STRIP = 4.0


@dataclass(frozen=True, kw_only=True)
class TableView:
    """A table of the paper for one setting: what it is, its lines, and where their z lie on a strip of width 1."""

    table: Data
    lines: tuple[Data, ...]
    dots: tuple[float, ...]

    @property
    def agrees(self) -> bool:
        """Whether all of its numbers that were compared agree."""
        return bool(self.table["agree_within_3"] == self.table["compared"])


@dataclass(frozen=True, kw_only=True)
class ReproductionView:
    """What `costproof reproduce --json` says, table by table."""

    data: Data
    tables: tuple[TableView, ...]
    strip: float = STRIP

    @property
    def not_compared(self) -> tuple[Data, ...]:
        """The printed numbers without one of ours, each with its reason."""
        return tuple(line for table in self.tables for line in table.lines if line["ours"] is None)

    @property
    def differ(self) -> bool:
        """Whether some compared numbers do not agree."""
        return not all(table.agrees for table in self.tables)


def reproduction_view(data: Data) -> ReproductionView:
    """Return a report of `costproof reproduce` for a page."""
    lines: dict[tuple[str, str], list[Data]] = {}
    for line in data["numbers"]:
        lines.setdefault((line["setting"], line["table"]), []).append(line)
    tables = []
    for table in data["tables"]:
        own = lines[table["setting"], table["table"]]
        scores = [line["z"] for line in own if line["z"] is not None]
        dots = [round(0.5 + max(-STRIP, min(STRIP, z)) / (2 * STRIP), 4) for z in scores]
        tables.append(TableView(table=table, lines=tuple(own), dots=tuple(dots)))
    return ReproductionView(data=data, tables=tuple(tables))
