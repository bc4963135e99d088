"""Tables of providers: what their columns mean, and what a row must hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedIOBase
from typing import Any, cast

import numpy as np

from bounds.characters import is_hidden
from bounds.errors import MISSING, InputError, did_you_mean
from bounds.setting.file import PROVIDER_KEYS
from bounds.setting.model import LISTED_PRICE, MEAN_COST, QUALITY, PlatformParameters, Provider
from bounds.setting.table import MOST_BYTES, MOST_CHARACTERS, MOST_ROWS, ProviderTable
from bounds.words import counted
from mechanism.tabular.files import PARQUET, TableFile, located, refuse_repeated
from mechanism.tabular.parquet import ArrowColumn, ParquetTable
from mechanism.tabular.pieces import Piece, TableColumn
from mechanism.tabular.table import Table, open_table
from mechanism.tabular.text import TextColumn

#: Bytes of a line that is too long: a row has five cells.
_LONGEST_LINE = 1 << 17
#: The columns of numbers, and the ranges that hold for every platform.
_RANGES = {quantity.name: quantity for quantity in (QUALITY, MEAN_COST, LISTED_PRICE)}
_TEXTS = ("strings", "categories")


def read_providers(table: ProviderTable, platform: PlatformParameters) -> tuple[Provider, ...]:
    """Return the providers of a table, in the order of its rows.

    Parameters
    ----------
    table : ProviderTable
        A CSV, JSON Lines or Parquet file with the columns name, quality, mean_cost and, optionally, listed_price and
        multiplicity, in any order. An empty cell of the last two is a value that is not given.
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
    source = _ProviderFile(location=table.location, name=table.location, kind="table of providers")
    options: dict[str, Any] = {"unique_keys": True, "wanted": PROVIDER_KEYS, "coded": ("name",)}
    with open_table(source, longest_line=_LONGEST_LINE, **options) as opened:
        if isinstance(opened, ParquetTable):
            rows, unpacked = opened.size
            if rows > MOST_ROWS:
                raise source.too_large(MOST_ROWS, "rows")
            if unpacked > MOST_BYTES:
                raise source.too_large(MOST_BYTES, "bytes (unpacked)")
        return _ProviderReader(opened, source, platform).providers()


@dataclass(frozen=True, kw_only=True)
class _ProviderFile(TableFile):
    """A file of providers, of which no more is unpacked than `MOST_BYTES`."""

    def opened(self) -> BufferedIOBase:
        file = super().opened()
        return file if self.ending == PARQUET else cast(BufferedIOBase, _Limited(file, self))

    def too_large(self, limit: int, unit: str) -> InputError:
        """Return the error of a file that exceeds a limit."""
        return InputError(self.place(), MISSING, f"has more than {limit:,} {unit}", "give fewer or shorter rows")


class _Limited:
    """What `Lines` reads of a file, and an error where that is more than `MOST_BYTES`."""

    def __init__(self, file: BufferedIOBase, source: _ProviderFile) -> None:
        self._file, self._source, self._left = file, source, MOST_BYTES

    def __enter__(self) -> _Limited:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def readline(self, size: int) -> bytes:
        """Return a line, or so many bytes of it."""
        return self._counted(self._file.readline(size))

    def read1(self, size: int) -> bytes:
        """Return so many bytes at most."""
        return self._counted(self._file.read1(size))

    def _counted(self, read: bytes) -> bytes:
        self._left -= len(read)
        if self._left < 0:
            raise self._source.too_large(MOST_BYTES, "bytes (unpacked)")
        return read


class _ProviderReader:
    """Collects providers from the pieces of a table, whole columns at once or row by row."""

    def __init__(self, table: Table, source: _ProviderFile, platform: PlatformParameters) -> None:
        self._table, self._source, self._platform = table, source, platform
        self._line_of: dict[str, int] = {}
        try:
            _check_header(table)
        except InputError as error:
            raise located(error, table.header_place) from None

    def providers(self) -> tuple[Provider, ...]:
        """Return all providers, or raise an InputError that names the place of what is wrong."""
        found: list[Provider] = []
        for piece in self._table.pieces():
            whole = self._whole(piece)
            found.extend(self._row_by_row(piece, len(found)) if whole is None else whole)
            if len(found) > MOST_ROWS:
                raise self._too_many()
        if len(found) < 2:
            rule = "holds too few providers"
            shown = f"{self._source.place()}: {counted(len(found), 'row')}"
            raise InputError(shown, MISSING, rule, "a market needs two rows or more below the names of the columns")
        return tuple(found)

    def _too_many(self) -> InputError:
        return self._source.too_large(MOST_ROWS, "rows")

    def _whole(self, piece: Piece) -> list[Provider] | None:
        """Return the providers of a piece from its columns; None where a row might break a rule."""
        if piece.columns is None or not len(piece.lines):
            return None
        names = self._names(piece.columns["name"], piece.lines)
        columns: list[Sequence[Any]] = []
        for key in ("quality", "mean_cost", "listed_price", "multiplicity"):
            if key not in self._table.header:
                break
            cells = self._numbers(key, piece.columns[key])
            if cells is None:
                return None
            columns.append(cells)
        in_order = len(columns) == len(self._table.header) - 1
        return list(map(Provider, names, *columns)) if names is not None and in_order else None

    def _numbers(self, key: str, column: TableColumn) -> list[Any] | None:
        """Return the numbers of a column, as a provider has them; None where one might break a rule."""
        if isinstance(column, TextColumn) and max(map(len, column.written)) > MOST_CHARACTERS:
            return None
        values = column.numbers()
        if values is None or not np.isfinite(values).all():
            return None
        if key == "multiplicity":
            return values.astype(np.int64).tolist() if (values == np.rint(values)).all() else None
        within = all(map(_RANGES[key].contains, (float(values.min()), float(values.max()))))
        dear = key == "mean_cost" and values.max() > self._platform.cost_bound
        return values.tolist() if within and not dear else None

    def _names(self, column: TableColumn, lines: Any) -> list[str] | None:
        """Return the names of a piece; None where one might break a rule."""
        names: list[str] = []
        too_long: list[InputError] = []

        def added(cell: object) -> int:
            try:
                if isinstance(cell, str):
                    self._check_length("name", cell)
            except InputError as error:
                too_long.append(error)
                raise
            names.append(self._name(cell))
            return len(names) - 1

        order = column.indices(added)
        if too_long and isinstance(column, ArrowColumn):
            # Row by row, the text would be unpacked as often as rows repeat it.
            raise located(too_long[0], self._source.place())
        if order is None or len(names) < len(order) or self._line_of.keys() & set(names):
            return None
        found = [names[i] for i in order.tolist()]
        self._line_of.update(zip(found, lines.tolist(), strict=True))
        return found

    def _row_by_row(self, piece: Piece, before: int) -> Iterator[Provider]:
        """Yield the providers of a piece, until a row breaks a rule."""
        for count, (line, record) in enumerate(piece.records, before + 1):
            if count > MOST_ROWS:
                raise self._too_many()
            try:
                provider = self._provider(self._table.cells(record))
                first = self._line_of.setdefault(provider.name, line)
                if first != line:
                    rule = f"is a duplicate: it stands in {self._source.row_word} {first} as well"
                    raise InputError("name", provider.name, rule, "give every provider its own name")
            except InputError as error:
                raise located(error, self._source.place(line)) from None
            yield provider

    def _provider(self, cells: dict[str, object]) -> Provider:
        _check_names(tuple(cells))
        given: dict[str, Any] = {"name": self._name(cells["name"])}
        for key, cell in cells.items():
            if key != "name" and not (_is_empty(cell) and not PROVIDER_KEYS[key][1]):
                given[key] = self._number(key, cell)
        provider = Provider(**given)
        if provider.mean_cost > self._platform.cost_bound:
            rule = f"must not exceed cost_bound={self._platform.cost_bound!r}"
            raise InputError("mean_cost", provider.mean_cost, rule, "raise platform.cost_bound or lower the cost")
        return provider

    def _name(self, cell: object) -> str:
        if not isinstance(cell, str) or not cell.strip():
            raise InputError("name", cell, "must be a non-empty text", "give every provider a name")
        self._check_length("name", cell)
        if not (cell.isascii() and cell.isprintable()) and any(map(is_hidden, cell)):
            raise InputError("name", cell, "holds a control or an invisible character", "write it without")
        return cell

    def _number(self, key: str, cell: object) -> float | int:
        meaning = f"it is {PROVIDER_KEYS[key][0]}"
        if isinstance(cell, str):
            self._check_length(key, cell)
        value = self._table.number(cell)
        if value is None:
            shown = None if _is_empty(cell) else cell
            raise InputError(key, shown, "must be a number", f"{meaning}; write it as 0.5 or 3")
        return int(value) if key == "multiplicity" and value.is_integer() else value

    def _check_length(self, key: str, cell: str) -> None:
        if len(cell) > MOST_CHARACTERS:
            raise InputError(key, cell, f"has more than {MOST_CHARACTERS:,} characters", "write it shorter")


def _is_empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _check_header(table: Table) -> None:
    if not table.header:
        raise InputError("", MISSING, "is empty", f"write the columns {', '.join(PROVIDER_KEYS)} and a row for each")
    _check_names(table.header)
    for name, (holds, shown) in table.types.items():
        if name == "name" and holds not in _TEXTS:
            raise InputError(name, shown, "must be a column of strings", PROVIDER_KEYS[name][0])
        if name != "name" and holds not in ("integers", "numbers"):
            raise InputError(name, shown, "must be a column of numbers", PROVIDER_KEYS[name][0])


def _check_names(names: tuple[str, ...]) -> None:
    """Refuse unknown, repeated and missing columns; unknown ones first, as a misspelt one makes another missing."""
    columns = ", ".join(PROVIDER_KEYS)
    for name in names:
        if name not in PROVIDER_KEYS:
            absent = [key for key in PROVIDER_KEYS if key not in names]
            near = did_you_mean(name.strip().casefold(), absent, f"remove it; the columns are {columns}")
            raise InputError(name, MISSING, "is not a known column", near)
    refuse_repeated(names)
    for name, (meaning, required) in PROVIDER_KEYS.items():
        if required and name not in names:
            raise InputError(name, MISSING, "must be given", f"it is {meaning}; the columns are {columns}")
