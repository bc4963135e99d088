"""Tables of providers: what their columns mean, and what a row must hold."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from bounds.errors import MISSING, InputError
from bounds.setting.file import PROVIDER_KEYS
from bounds.setting.model import PlatformParameters, Provider
from bounds.setting.table import MOST_BYTES, MOST_CHARACTERS, MOST_ROWS, ProviderTable
from bounds.words import counted
from mechanism.tabular.columns import Table
from mechanism.tabular.files import PARQUET, TableFile, at, check_names, unpacking_errors
from mechanism.tabular.parquet import ParquetTable
from mechanism.tabular.scalars import cell_number, is_blank, visible
from mechanism.tabular.table import open_table

#: Bytes of a line that is too long: a row has five cells.
_LONGEST_LINE = 1 << 17
#: Bytes that are unpacked at a time, to see how many there are.
_BLOCK = 1 << 20
_TOO_LONG = (f"has more than {MOST_CHARACTERS:,} characters", "write it shorter")
_COLUMNS = {key: (f"it is {meaning}", required) for key, (meaning, required) in PROVIDER_KEYS.items()}


def read_providers(table: ProviderTable, platform: PlatformParameters) -> tuple[Provider, ...]:
    """Return the providers of a table, in the order of its rows.

    Parameters
    ----------
    table : ProviderTable
        A CSV, JSON Lines or Parquet file with the columns name, quality, mean_cost and, optionally, listed_price,
        multiplicity and cost_variation, in any order. An empty cell of the last three is a value that is not given.
    platform : PlatformParameters
        Its cost bound limits the mean costs.

    Raises
    ------
    InputError
        If the file cannot be read, is too large or breaks a rule: one line that names the file,
        the line (in Parquet the row), the column, the value, the rule and the remedy.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "p.csv")
    ...     _ = path.write_text("name,mean_cost,quality\\na,0.2,0.9\\nb,0.3,0.8\\n")
    ...     read_providers(ProviderTable(location=str(path), given="p.csv"), platform)[1].mean_cost
    0.3
    """
    source = TableFile(location=table.location, name=table.location, kind="table of providers")
    if source.ending != PARQUET:
        _check_size(source)
    opened = open_table(source, longest_line=_LONGEST_LINE, unique_keys=True, wanted=PROVIDER_KEYS)
    if isinstance(opened, ParquetTable):
        rows, unpacked = opened.size
        if rows > MOST_ROWS:
            raise _too_large(source, MOST_ROWS, "rows")
        if unpacked > MOST_BYTES:
            raise _too_large(source, MOST_BYTES, "bytes (unpacked)")
    with at(opened.header_place):
        _check_header(opened)
    found: list[Provider] = []
    line_of: dict[str, int] = {}
    for line, record in opened.records():
        if len(found) == MOST_ROWS:
            raise _too_large(source, MOST_ROWS, "rows")
        with at(source.place(line)):
            provider = _provider(opened.cells(record), platform)
            if line_of.setdefault(provider.name, line) != line:
                rule = f"is a duplicate: it stands at {source.place(line_of[provider.name])} as well"
                raise InputError("name", provider.name, rule, "give every provider its own name")
        found.append(provider)
    if len(found) < 2:
        shown = f"{source.place()}: {counted(len(found), 'row')}"
        remedy = "a market needs two rows or more below the names of the columns"
        raise InputError(shown, MISSING, "holds too few providers", remedy)
    return tuple(found)


def _check_size(source: TableFile) -> None:
    """Refuse a file that unpacks to more than `MOST_BYTES`; what is damaged is refused where it is read."""
    size = 0
    with source.opened() as file, suppress(*unpacking_errors()):
        while read := file.read(_BLOCK):
            size += len(read)
            if size > MOST_BYTES:
                raise _too_large(source, MOST_BYTES, "bytes (unpacked)")


def _too_large(source: TableFile, limit: int, unit: str) -> InputError:
    return InputError(source.place(), MISSING, f"has more than {limit:,} {unit}", "give fewer or shorter rows")


def _check_header(table: Table) -> None:
    if not table.header:
        raise InputError("", MISSING, "is empty", f"write the columns {', '.join(PROVIDER_KEYS)} and a row for each")
    check_names(table.header, _COLUMNS)
    if isinstance(table, ParquetTable) and table.longest("name") > MOST_CHARACTERS:
        # Row by row, the text would be unpacked as often as rows repeat it.
        raise InputError("name", MISSING, *_TOO_LONG)


def _provider(cells: Mapping[str, object], platform: PlatformParameters) -> Provider:
    check_names(tuple(cells), _COLUMNS)
    given: dict[str, Any] = {}
    for key, cell in cells.items():
        if isinstance(cell, str) and len(cell) > MOST_CHARACTERS:
            raise InputError(key, cell, *_TOO_LONG)
        if key == "name":
            given[key] = _name(cell)
        elif PROVIDER_KEYS[key][1] or not is_blank(cell):
            given[key] = _number(key, cell)
    provider = Provider(**given)
    if provider.mean_cost > platform.cost_bound:
        rule = f"must not exceed cost_bound={platform.cost_bound!r}"
        raise InputError("mean_cost", provider.mean_cost, rule, "raise platform.cost_bound or lower the cost")
    return provider


def _name(cell: object) -> str:
    if not isinstance(cell, str) or is_blank(cell):
        raise InputError("name", cell, "must be a non-empty text", "give every provider a name")
    return visible("name", cell)


def _number(key: str, cell: object) -> float | int:
    value = cell_number(cell)
    if value is None:
        remedy = f"{_COLUMNS[key][0]}; write it as 0.5 or 3"
        raise InputError(key, None if is_blank(cell) else cell, "must be a number", remedy)
    return int(value) if key == "multiplicity" and value.is_integer() else value
