"""The paper's tables with ours, as a part of a page: each table with the strip of its z."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

Data = Mapping[str, Any]

#: The strip shows z from minus to plus this; what is beyond is at its end.
STRIP = 4.0


def reproduction_view(data: Data) -> Data:
    """Return a report of `costproof reproduce` for a page: its tables with their lines."""
    tables = [_table(data, table) for table in data["tables"]]
    return {"data": data, "tables": tables, "differ": not all(table["agrees"] for table in tables), "strip": STRIP}


def _table(data: Data, table: Data) -> Data:
    """Return a table with its lines, and where their z lie on a strip of width 1."""
    key = table["setting"], table["table"]
    lines = [line for line in data["numbers"] if (line["setting"], line["table"]) == key]
    scores = [line["z"] for line in lines if line["z"] is not None]
    return {
        "table": table,
        "rows": [(row, list(group)) for row, group in itertools.groupby(lines, lambda line: line["row"])],
        "dots": [round(0.5 + max(-STRIP, min(STRIP, z)) / (2 * STRIP), 4) for z in scores],
        "agrees": table["agree_within_3"] == table["compared"],
    }
