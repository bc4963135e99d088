"""Columns of a log as a platform keeps it: what their cells mean, read whole or one by one, with all that is wrong."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.tabular.files import TableFile, located
from mechanism.tabular.pieces import Piece, TableColumn, text_number, truth_number
from mechanism.tabular.table import Table
from mechanism.tabular.traces import COLUMNS, Columns, checked_number, is_empty

#: Problems of rows that one error reports, and rows that are searched for more after the first.
MOST_PROBLEMS, SEARCHED = 5, 20_000
#: Digits, and powers of ten, of a number by which rows are put in order: what is held of each row in memory is bounded.
MOST_DIGITS, _EXPONENTS = 50, 10_000
#: A time up to its seconds, their fraction, and the time zone.
_FRACTION = re.compile(r"([0-9W-]+\D(?:[0-9]{2}:[0-9]{2}:[0-9]{2}|[0-9]{6}))[.,]([0-9]+)(.*)")
_COMPLEMENTS = str.maketrans("0123456789", "9876543210")
_EVERYWHERE = "must be given on every line or on none"


@dataclass(frozen=True, kw_only=True)
class Cells:
    """How the cells of one column are read.

    Parameters
    ----------
    called : str
        What the column is called in the file.
    whole : callable
        From consecutive cells to an array, or to None where one of them may be refused.
    single : callable
        From one cell to a number or a key; it raises an InputError.
    kind : {"d", "q", "S"}, optional
        Whether these are floats, whole numbers or keys that sort as bytes do.
    """

    called: str
    whole: Callable[[TableColumn], NDArray[Any] | None]
    single: Callable[[object], float | int | bytes]
    kind: str = "d"


def number_cells(name: str, called: str, number: Callable[[object], float | None], *, may_lack: bool = False) -> Cells:
    """Return how a column of numbers is read; cells that may lack one are NaN where they are empty."""
    stated = COLUMNS[name]

    def whole(column: TableColumn) -> NDArray[np.float64] | None:
        values = column.numbers()
        if values is None and name == "score" and (truths := column.indices(_truth)) is not None:
            values = truths.astype(np.float64)
        return None if values is None or not stated.allows(values) else values

    def single(cell: object) -> float:
        value = number(cell)
        if may_lack and (is_empty(cell) or (value is not None and math.isnan(value))):
            return math.nan
        return checked_number(name, cell, value)

    return Cells(called=called, whole=whole, single=single)


def _truth(cell: object) -> int:
    if (value := truth_number(cell)) is None:
        raise InputError("score", cell, "must be true or false", COLUMNS["score"].meaning)
    return int(value)


def step_cells(called: str, number: Callable[[object], float | None]) -> Cells:
    """Return how the steps are read: whole numbers, in any order."""

    def whole(column: TableColumn) -> NDArray[np.int64] | None:
        values = column.numbers()
        if values is None or not np.all((values >= 0) & (values < 2**53) & (values == np.rint(values))):
            return None
        return values.astype(np.int64)

    def single(cell: object) -> int:
        value = number(cell)
        if value is None or not 0 <= value < 2**53 or value != round(value):
            raise InputError("step", cell, "must be a whole number of at least 0", COLUMNS["step"].meaning)
        return int(value)

    return Cells(called=called, whole=whole, single=single, kind="q")


@dataclass
class Order:
    """What the rows are put in order by: numbers, or times with or without a time zone; of one kind in all rows.

    Parameters
    ----------
    called : str
        What the column is called in the file.
    number : callable
        From a cell to its number, else None.
    like : Order, optional
        Whose kind it shares. Cells of this column may be empty; their keys are empty, too.
    """

    called: str
    number: Callable[[object], float | None]
    like: Order | None = None
    kind: str = field(default="", init=False)

    @property
    def cells(self) -> Cells:
        """How the column is read: as keys of bytes that sort as its values do."""
        return Cells(called=self.called, whole=self.whole, single=self.single, kind="S")

    def whole(self, column: TableColumn) -> NDArray[np.bytes_] | None:
        """Return the keys of a column, or None where a cell may be refused."""
        if not (self.like or self).kind:  # 20260131 is a number first
            return None
        keys: list[bytes] = []

        def place(cell: object) -> int:
            keys.append(self.single(cell))
            return len(keys) - 1

        try:
            places = column.indices(place)
        except ValueError:
            return None
        return None if places is None else np.array(keys)[places]

    def single(self, cell: object) -> bytes:
        """Return a key that sorts as the number or time does, with all of its digits."""
        if self.like is not None and is_empty(cell):
            return b""
        value = self.number(cell)
        if value is None and isinstance(cell, str):  # OTLP writes whole numbers of 64 bits as text
            value = text_number(cell)
        if value is None:
            exact = self._seconds(cell)
        elif math.isfinite(value):
            self._must_be("number", cell)
            exact = self._decimal(getattr(cell, "written", None) or str(cell).strip(), cell)
        else:
            raise InputError(self.called, cell, "must be finite", "the rows are put in its order")
        digits = "".join(map(str, exact.as_tuple().digits)).rstrip("0")
        if len(digits) > MOST_DIGITS or (digits and abs(exact.adjusted()) >= _EXPONENTS):
            raise self._too_long(cell)
        return _sorted_as(exact, digits)

    def _decimal(self, text: str, cell: object) -> Decimal:
        try:
            return Decimal(text)
        except InvalidOperation:  # an exponent of 20 digits
            raise self._too_long(cell) from None

    def _too_long(self, cell: object) -> InputError:
        rule = f"must have at most {MOST_DIGITS} digits, and an exponent below {_EXPONENTS:,}"
        return InputError(self.called, cell, rule, "the rows are put in its order, by all of its digits")

    def _seconds(self, cell: object) -> Decimal:
        """Return the time since 1970 with all of its digits; without a time zone, as if in UTC."""
        text = str(cell).strip()
        split = _FRACTION.fullmatch(text)
        whole, fraction = (split[1] + split[3], split[2]) if split else (text, "")
        try:
            # Python reads 12:00.5 as 12:00:00.5, which is 12:00:30.
            time = datetime.fromisoformat("" if re.search("[.,]", whole) else whole)
        except ValueError:
            remedy = "the rows are put in its order; write times as 2026-01-31T12:00:00.5Z, in the years 1 to 9999"
            raise InputError(self.called, cell, "must be a number or a time of ISO 8601", remedy) from None
        self._must_be("time" if time.tzinfo is None else "time with a zone", cell)
        if len(fraction) > MOST_DIGITS:
            raise self._too_long(cell)
        since = (time if time.tzinfo else time.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
        seconds = since.days * 86_400 + since.seconds
        return Decimal(f"{seconds * 10 ** len(fraction) + int(fraction or 0)}e-{len(fraction)}")

    def _must_be(self, kind: str, cell: object) -> None:
        shared = self.like or self
        shared.kind = shared.kind or kind
        if kind != shared.kind:
            rule = f"is a {kind}, and cells before it have a {shared.kind}"
            raise InputError(self.called, cell, rule, "write all of them in one way")


def _sorted_as(number: Decimal, digits: str) -> bytes:
    """Return bytes that sort as numbers do: the sign, the exponent, the digits; complements if it is negative."""
    if not digits:
        return b"1"
    size = f"{number.adjusted() + _EXPONENTS:05}{digits}"
    return f"0{size.translate(_COMPLEMENTS)}:".encode() if number.is_signed() else f"2{size}".encode()


class LogRows:
    """The rows of a table as arrays, by what its columns are called here.

    One error reports all problems of the rows, if they are few and near each other.
    """

    def __init__(self, table: Table, source: TableFile, cells: Mapping[str, Cells]) -> None:
        self._table, self._source, self._cells = table, source, cells
        #: What is wrong with a whole row, whose cells are fine by themselves.
        self.check: Callable[[Mapping[str, Any]], list[InputError]] = lambda row: []
        #: Columns that a later line of JSON Lines may have, though the first lacks them; then it is refused.
        self.absent: tuple[str, ...] = ()

    def pieces(self) -> Iterator[Columns]:
        """Yield all rows in pieces, with `lines`; raise an InputError that names the first problems."""
        pieces = self._table.pieces()
        for piece in pieces:
            columns = self._whole(piece)
            if columns is None:
                columns, problems = self._one_by_one(piece.records)
                if problems:
                    more = (record for later in pieces for record in later.records)
                    raise together([*problems, *self._one_by_one(islice(more, SEARCHED))[1]][:MOST_PROBLEMS])
            if len(columns["lines"]):
                yield columns

    def _whole(self, piece: Piece) -> Columns | None:
        if piece.columns is None or not len(piece.lines):
            return None
        found: Columns = {"lines": piece.lines}
        for name, cells in self._cells.items():
            values = cells.whole(piece.columns[cells.called])
            if values is None:
                return None
            found[name] = values
        return found

    def _one_by_one(self, records: Iterator[tuple[int, Any]]) -> tuple[Columns, list[InputError]]:
        """Return the rows, and what is wrong with them; if something is, it is searched no further than needed."""
        kinds = {"lines": "q"} | {name: cells.kind for name, cells in self._cells.items()}
        columns: dict[str, Any] = {name: [] if kind == "S" else array(kind) for name, kind in kinds.items()}
        problems: list[InputError] = []
        try:
            for line, record in records:
                row, wrong = self._row(record)
                problems += [located(error, self._source.place(line)) for error in wrong]
                if len(problems) >= MOST_PROBLEMS:
                    break
                if not wrong:
                    for column, value in zip(columns.values(), (line, *row), strict=True):
                        column.append(value)
        except InputError as error:  # what cannot be read further
            problems.append(error)
        types = {"q": np.int64, "d": np.float64, "S": np.bytes_}
        return {name: np.array(column, types[kinds[name]]) for name, column in columns.items()}, problems

    def _row(self, record: Any) -> tuple[list[float | int | bytes], list[InputError]]:
        try:
            found = self._table.cells(record)
        except InputError as error:
            return [], [error]
        values: list[float | int | bytes] = []
        problems: list[InputError] = []
        for name, cells in self._cells.items():
            if cells.called not in found:
                problems.append(InputError(cells.called, None, _EVERYWHERE, _meaning(name)))
                continue
            try:
                values.append(cells.single(found[cells.called]))
            except InputError as error:
                argument = cells.called if error.argument == name else error.argument
                problems.append(error.about(argument))
        if not problems:
            problems += self.check(dict(zip(self._cells, values, strict=True)))
        late = (called for called in self.absent if called in found)
        problems += [InputError(called, found[called], _EVERYWHERE, "the first line lacks it") for called in late]
        return values, problems


def _meaning(name: str) -> str:
    return COLUMNS[name].meaning if name in COLUMNS else "the first line has it"


def together(problems: list[InputError]) -> InputError:
    """Return one error that tells several.

    Examples
    --------
    >>> str(together([InputError("a", 1, "is odd", "write 2"), InputError("b", 3, "is odd", "write 4")]))
    'a=1 is odd: write 2; b=3 is odd: write 4'
    """
    first, *more = problems
    return InputError(first.argument, first.value, first.rule, "; ".join([first.remedy, *map(str, more)]))
