"""Columns of a log as a platform keeps it: what their cells mean, read whole or one by one, with all that is wrong."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.tabular.columns import Batch, Cells, Table
from mechanism.tabular.expressions import Expression
from mechanism.tabular.files import located
from mechanism.tabular.scalars import cell_number
from mechanism.tabular.trace_columns import COLUMNS, Columns, ProviderIndex, checked_number, is_empty

#: Problems of rows that one error reports, and rows that are searched for more after the first.
MOST_PROBLEMS, SEARCHED = 5, 20_000
#: Digits, and powers of ten, of a number by which rows are put in order: what is held of each row in memory is bounded.
MOST_DIGITS, _EXPONENTS = 50, 10_000
#: A time up to its seconds, their fraction, and the time zone.
_FRACTION = re.compile(r"([0-9W-]+\D(?:[0-9]{2}:[0-9]{2}:[0-9]{2}|[0-9]{6}))[.,]([0-9]+)(.*)")
_COMPLEMENTS = str.maketrans("0123456789", "9876543210")
_EVERYWHERE = "must be given on every line or on none"


def number_cells(name: str, called: str, *, may_lack: bool = False) -> Cells:
    """Return how a column of numbers is read; cells that may lack one are NaN where they are empty."""
    stated = COLUMNS[name]

    def single(cell: object) -> float:
        value = cell_number(cell)
        if may_lack and (is_empty(cell) or (value is not None and math.isnan(value))):
            return math.nan
        return checked_number(name, cell, value)

    return Cells(
        called=called,
        kind="grade" if name == "score" else "number",
        least=stated.least,
        most=stated.most,
        empty=math.nan if may_lack else stated.empty,
        single=single,
    )


def step_cells(called: str) -> Cells:
    """Return how the steps are read: whole numbers, in any order."""

    def single(cell: object) -> int:
        value = cell_number(cell)
        if value is None or not 0 <= value < 2**53 or value != round(value):
            raise InputError("step", cell, "must be a whole number of at least 0", COLUMNS["step"].meaning)
        return int(value)

    return Cells(called=called, least=0, most=2**53 - 1, whole=True, single=single, type="q")


def provider_cells(called: str, index: ProviderIndex) -> Cells:
    """Return how the providers are read: as indices."""
    return Cells(called=called, kind="index", index=index.by_text, count=index.count, single=index, type="q")


@dataclass
class Order:
    """What the rows are put in order by: numbers, or times with or without a time zone; of one kind in all rows.

    Parameters
    ----------
    called : str
        What the column is called in the file.
    like : Order, optional
        Whose kind it shares. Cells of this column may be empty; their keys are empty, too.
    """

    called: str
    like: Order | None = None
    kind: str = field(default="", init=False)

    @property
    def cells(self) -> Cells:
        """How the column is read: as keys of bytes that sort as its values do."""
        return Cells(called=self.called, kind="key", single=self.single, type="S")

    def single(self, cell: object) -> bytes:
        """Return a key that sorts as the number or time does, with all of its digits."""
        if self.like is not None and is_empty(cell):
            return b""
        value = cell_number(cell)
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


@dataclass(frozen=True, kw_only=True)
class RowRule:
    """What must hold of the cells of a row together.

    Parameters
    ----------
    doubted : callable
        From the columns and the numbers of the rows to those that may break it.
    broken : callable
        From the values of a row, its cells, and its number, to what is wrong with it.
    """

    doubted: Callable[[Columns, NDArray[np.int64]], NDArray[np.bool_]]
    broken: Callable[[Mapping[str, Any], Mapping[str, object], int], list[InputError]]


class LogRows:
    """The rows of a table as arrays, by what its columns are called here.

    Parameters
    ----------
    table : Table
    cells : mapping of str to Cells
    rule : RowRule, optional
    absent : sequence of str, optional
        Columns that no row may have, as the first ones lack them.
    where : Expression, optional
        Which rows are kept; `left_out` and `unknown` count the others, and `count` all.
    most : int, optional
        Problems that one error reports, if they are few and near each other.
    """

    def __init__(
        self,
        table: Table,
        cells: Mapping[str, Cells],
        *,
        rule: RowRule | None = None,
        absent: Sequence[str] = (),
        where: Expression | None = None,
        most: int = MOST_PROBLEMS,
    ) -> None:
        self._table, self._cells, self._rule, self._absent = table, cells, rule, absent
        self._where, self._most = where, most
        self.count = self.left_out = self.unknown = 0

    def pieces(self) -> Iterator[Columns]:
        """Yield all rows in pieces, with `rows`, their numbers; an InputError then names the first problems."""
        problems: list[InputError] = []
        first_wrong = 0
        batches = self._table.batches(self._cells, where=self._where, absent=self._absent)
        while True:
            try:
                if (batch := next(batches, None)) is None:
                    break
            except InputError as error:  # what cannot be read further
                problems.append(error)
                break
            columns, right = self._read(batch, problems)
            if not first_wrong:
                if len(columns["rows"]):
                    yield columns
                first_wrong = batch.first + right if problems else 0
            if problems and (len(problems) >= self._most or batch.first > first_wrong + SEARCHED):
                break
        if problems:
            raise together(problems[: self._most])

    def _read(self, batch: Batch, problems: list[InputError]) -> tuple[Columns, int]:
        """Return the rows up to the first wrong one, and add what is wrong; how many rows of the batch these are."""
        size, doubtful = len(batch.doubtful), batch.doubtful.copy()
        self.count += size
        rows = np.arange(batch.first, batch.first + size)
        kept = np.ones(size, np.bool_) if batch.kept is None else batch.kept
        found: Columns = {}
        for name, cells in self._cells.items():
            values = batch.columns.get(name)
            if values is None:
                values = np.empty(size, object if cells.is_text else cells.type)
            elif cells.is_text:
                values[~kept] = None
            found[name] = cells.from_keys(values, doubtful) if cells.is_text else values
        if self._rule is not None and not doubtful.all():
            doubtful |= self._rule.doubted(found, rows)
        self.unknown += batch.unknown
        self.left_out += size - int(np.count_nonzero(kept))
        right, in_doubt = size, np.flatnonzero(doubtful & kept).tolist()
        if in_doubt:
            found = {name: values.copy() for name, values in found.items()}
        for i in in_doubt:
            line, record = batch.record(i)
            computed = {
                name: _cell(batch.columns[name][i : i + 1].tolist()[0])
                for name, cells in self._cells.items()
                if cells.expression is not None
            }
            row, wrong = self._row(record, batch.first + i, computed)
            problems += [located(error, self._table.source.place(line)) for error in wrong]
            right = min(right, i) if wrong else right
            if len(problems) >= self._most:
                break
            if not wrong:
                for values, value in zip(found.values(), row, strict=True):
                    values[i] = value
        chosen = slice(right) if kept.all() else np.flatnonzero(kept[:right])
        columns = {name: cells.array(found[name][chosen]) for name, cells in self._cells.items()}
        return {"rows": rows[chosen], **columns}, right

    def _row(
        self, record: Any, number: int, computed: Mapping[str, Any]
    ) -> tuple[list[float | int | bytes], list[InputError]]:
        try:
            found = self._table.cells(record)
        except InputError as error:
            return [], [error]
        values: list[float | int | bytes] = []
        problems: list[InputError] = []
        for name, cells in self._cells.items():
            try:
                values.append(cells.single(computed[name]) if name in computed else _single(cells, found, name))
            except InputError as error:
                problems.append(error.about(cells.called if error.argument == name else error.argument))
        if self._rule is not None and not problems:
            problems += self._rule.broken(dict(zip(self._cells, values, strict=True)), found, number)
        late = (called for called in self._absent if not is_empty(found.get(called)))
        problems += [InputError(called, found[called], _EVERYWHERE, "the first lines lack it") for called in late]
        return values, problems


def _cell(value: Any) -> object:
    """Return the cell that an expression is: empty where it is NULL."""
    return "" if value is None or value != value else value


def _single(cells: Cells, found: Mapping[str, object], name: str) -> float | int | bytes:
    """Return the value of a row that is in doubt."""
    if cells.called not in found and cells.empty is None:
        meaning = COLUMNS[name].meaning if name in COLUMNS else "the first line has it"
        raise InputError(cells.called, None, _EVERYWHERE, meaning)
    return cells.single(found.get(cells.called))


def together(problems: list[InputError]) -> InputError:
    """Return one error that tells several.

    Examples
    --------
    >>> str(together([InputError("a", 1, "is odd", "write 2"), InputError("b", 3, "is odd", "write 4")]))
    'a=1 is odd: write 2; b=3 is odd: write 4'
    """
    first, *more = problems
    return InputError(first.argument, first.value, first.rule, "; ".join([first.remedy, *map(str, more)]))
