"""The text of a trace file, CSV or JSON Lines, block by block: as whole columns, or row by row where in doubt."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import StringIO
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mechanism.tabular.trace_cells import Cells, Piece, piece_of_text
from mechanism.tabular.trace_lines import BLOCK, Lines
from mechanism.tabular.trace_rows import COLUMNS, CsvRows, JsonRows, Row, Rows, json_number, text_number

__all__ = ["CSV_TEXT", "JSON_TEXT", "Block", "TextFormat", "csv_block", "json_block", "text_pieces"]


class Block(NamedTuple):
    """The cells of a block of text.

    Attributes
    ----------
    lines : array of int, shape (rows,)
        The line on which each row starts, counted from 0 within the block.
    columns : list of sequences of str
        The cells, by column, in the order of `COLUMNS`.
    """

    lines: NDArray[np.int64]
    columns: list[Sequence[str]]


class TextFormat(NamedTuple):
    """How a format writes rows.

    Attributes
    ----------
    rows : callable
        Reads them one by one, and says what is wrong with them.
    number : callable
        Returns the number that one of its cells holds, else None.
    block : callable
        Cuts a text of whole lines, given the header, into cells; None where that is not plain. It never cuts what
        `rows` refuses, nor in another way.
    indices : callable
        Returns the providers by the text of the cells that `block` cuts.
    """

    rows: Callable[[Lines], Rows]
    number: Callable[[object], float | None]
    block: Callable[[str, tuple[str, ...]], Block | None]
    indices: Callable[[Cells], Mapping[str, int]]


def text_pieces(lines: Lines, form: TextFormat, cells: Cells) -> Iterator[Piece]:
    """Yield all rows of a file, in pieces of many.

    A block of the file is read as whole columns. If anything in it is unusual, its rows are read one by one: that is
    slower, but tells what is wrong and where.

    Raises
    ------
    InputError
        Whatever is wrong with the file: it names the line, the column, the value, the rule and the remedy.

    Examples
    --------
    >>> from io import BytesIO
    >>> from bounds.published import published
    >>> text = b"step,provider,payment,score,bid\\n1,3,75.0,1,20.5\\n2,0,75.0,0,20.5\\n3,1,75.0,1,20.5\\n"
    >>> cells = Cells(published("gpqa-strong").setting, CSV_TEXT.number, "trace.csv")
    >>> [piece.provider.tolist() for piece in text_pieces(Lines(BytesIO(text), "trace.csv"), CSV_TEXT, cells)]
    [[3], [0, 1]]
    """
    rows, indices = form.rows(lines), form.indices(cells)
    piece = cells.piece(islice(rows, 1), 1)  # which reads the header as well
    step = 1
    while piece is not None:
        yield piece
        step += len(piece.provider)
        piece = _columns(lines, rows.header, step, form, indices)
        if piece is None:
            piece = cells.piece(_rest_of_block(rows, lines), step)


def _rest_of_block(rows: Rows, lines: Lines) -> Iterator[Row]:
    for row in rows:
        yield row
        if lines.at_block_end:
            return


def _columns(
    lines: Lines, header: tuple[str, ...], step: int, form: TextFormat, indices: Mapping[str, int]
) -> Piece | None:
    """Return the next block as columns, or None if it must be read row by row."""
    taken = lines.take()
    text = _text(taken) if len(taken) <= BLOCK else None
    block = form.block(text, header) if text else None
    piece = None if block is None else piece_of_text(block.columns, block.lines + lines.number + 1, step, indices)
    if text is None or piece is None:
        lines.give_back(taken)
    else:
        lines.skip(text.count("\n"))
    return piece


def _text(taken: bytes) -> str | None:
    """Return whole lines as text in which each has its end, None if they are not UTF-8."""
    try:
        text = taken.decode()
    except UnicodeDecodeError:
        return None
    return text if text.endswith("\n") or not text else text + "\n"


def csv_block(text: str, header: tuple[str, ...]) -> Block | None:
    """Cut lines of CSV into cells.

    Examples
    --------
    >>> header = ("step", "provider", "payment", "score", "bid")
    >>> csv_block('1,a,3,1,.5\\n\\n2,"b",4,0,.7\\n', header).lines
    array([0, 2])
    >>> csv_block("1,a,3,1,.5,7\\n", header) is None
    True
    """
    places = _places(header)
    cells = None if '"' in text else _plain_cells(text, len(header))
    if cells is not None:
        stride = len(header) + 1
        return Block(np.arange(len(cells) // stride), [cells[place::stride] for place in places])
    try:
        records = list(csv.reader(StringIO(text, newline="\n"), strict=True))
    except csv.Error:
        return None
    # As many records as lines: none is written over several lines, and the lines can be counted.
    filled = [line for line, record in enumerate(records) if record]
    if len(records) != text.count("\n") or set(map(len, filter(None, records))) != {len(header)}:
        return None
    columns = list(zip(*filter(None, records), strict=True))
    return Block(np.array(filled), [columns[place] for place in places])


def _plain_cells(text: str, width: int) -> list[str] | None:
    """Return the cells of all lines, each line followed by a cell that holds its end.

    None unless every line has as many cells as the header, without quotes.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    rows = text.count("\n")
    cells = text.replace("\n", ",\n,").split(",")
    if "\r" in text or len(cells) != rows * (width + 1) + 1 or cells[width :: width + 1].count("\n") != rows:
        return None
    cells.pop()  # the empty text after the last end
    return cells


def json_block(text: str, header: tuple[str, ...]) -> Block | None:
    r"""Cut JSON Lines into cells, as JSON writes them.

    Examples
    --------
    >>> text = '{"step": 1, "provider": "a", "payment": 3, "score": 1, "bid": 0.5}\n'
    >>> json_block(text, ("step", "provider", "payment", "score", "bid")).columns
    [['1'], ['"a"'], ['3'], ['1'], ['0.5']]
    """
    parts = _json_line(header).split(text)
    stride = len(header) + 1
    if any(parts[::stride]):  # what is left between the lines that match
        return None
    columns: list[Sequence[str]] = [parts[place + 1 :: stride] for place in _places(header)]
    return Block(np.arange(len(parts) // stride), columns)


def _places(header: tuple[str, ...]) -> list[int]:
    return [header.index(name) for name in COLUMNS if name in header]


@lru_cache(maxsize=8)
def _json_line(header: tuple[str, ...]) -> re.Pattern[str]:
    """Return what matches a line with these columns in this order, and no line that JSON refuses."""
    space = r"[ \t\r]*+"
    # A whole -0 is 0 for JSON, and would be -0.0 for float().
    number = r"(-?+(?!0[0-9])[0-9]++(?:\.[0-9]++)?+(?:[eE][-+]?+[0-9]++)?+)(?<!-0)"
    provider = r'("[^"\\\x00-\x1f]*+"|[0-9]++)'
    pairs = (f'"{name}"{space}:{space}{provider if name == "provider" else number}{space}' for name in header)
    return re.compile(rf"{space}\{{{space}{f',{space}'.join(pairs)}\}}{space}\n")


def _csv_indices(cells: Cells) -> Mapping[str, int]:
    return cells.indices


def _json_indices(cells: Cells) -> Mapping[str, int]:
    """A JSON number is an index even where a name has the same digits."""
    return {f'"{name}"': index for name, index in cells.indices.items()} | {str(i): i for i in range(cells.n_providers)}


CSV_TEXT = TextFormat(CsvRows, text_number, csv_block, _csv_indices)
"""CSV with a header."""

JSON_TEXT = TextFormat(JsonRows, json_number, json_block, _json_indices)
"""JSON Lines: one object a line."""
