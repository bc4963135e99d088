"""A table for papers, notebooks and programs: one content as CSV, Markdown, LaTeX, HTML or a pandas DataFrame."""

from __future__ import annotations

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape
from typing import Any, NamedTuple

from bounds.errors import InputError, printable
from bounds.glossary import name_of
from bounds.words import number, with_sd


class MeanSd(NamedTuple):
    """A mean and its standard deviation in one cell, for readers; a single run has no standard deviation."""

    mean: float | None
    sd: float | None


Cell = str | float | bool | MeanSd | None

#: Rows that a notebook shows; a frame has all.
SHOWN_ROWS = 100
#: Characters from which a LaTeX column breaks its lines, and how wide it is then.
_LONG, _WIDTH = 40, "6cm"
#: What the rules of a LaTeX table need.
BOOKTABS = r"\usepackage{booktabs}"


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table of raw values.

    Text is written on one line, with escapes for what cannot be printed, so that no cell can break a row or speak to
    the terminal; a DataFrame has it as it is.

    Parameters
    ----------
    title : str
    columns : tuple of str
    rows : tuple of tuple
        As many values in each as there are columns; None is an empty cell.
    key : str or None
        The column that names the rows, which is the index of a DataFrame.
    headings : tuple of str or None
        What stands over the columns where people read them; default their names, with spaces.
    for_readers : Sheet or None
        What Markdown, LaTeX and HTML show instead: fewer columns, words, rounded numbers.
    rounded : bool
        Whether the numbers are rounded already, so that every digit of them is shown, not six.

    Examples
    --------
    >>> sheet = Sheet(title="Two", columns=("name", "share_of_all"), rows=(("a|b", 0.123456789), ("c & d", None)))
    >>> print(sheet.csv(), end="")
    name,share_of_all
    a|b,0.123456789
    c & d,
    >>> print(sheet.markdown(), end="")
    | name | share of all |
    |:--|--:|
    | a\\|b | 0.123457 |
    | c \\& d | - |
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    key: str | None = None
    headings: tuple[str, ...] | None = None
    for_readers: Sheet | None = None
    rounded: bool = False

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in (*self.rows, self.headings or self.columns)):
            raise ValueError(f"{self.title}: a row has not as many cells as there are columns")

    @classmethod
    def of(cls, title: str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], key: str | None = None) -> Sheet:
        """Return the sheet of rows by column name, as `to_data` gives them; what no column names is left out.

        A member of an enumeration counts as its value.

        Examples
        --------
        >>> Sheet.of("One", ["name"], [{"name": "a", "evidence": [1, 2]}]).rows
        (('a',),)
        """
        cells = tuple(tuple(_plain(row[name]) for name in columns) for row in rows)
        return cls(title=title, columns=tuple(columns), rows=cells, key=key)

    def csv(self) -> str:
        """Return it as CSV: every digit, an empty cell for what has no value."""
        import csv  # other formats need none

        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for row in (self.columns, *self.rows):
            writer.writerow([printable(cell) if isinstance(cell, str) else cell for cell in row])
        return text.getvalue()

    def markdown(self) -> str:
        """Return it as a table of Markdown, for reading."""
        if self.for_readers is not None:
            return self.for_readers.markdown()
        head, *body = (f"| {' | '.join(line)} |" for line in self._lines(_in_markdown))
        rule = "|" + "|".join("--:" if right else ":--" for right in self._right) + "|"
        return "\n".join([head, rule, *body]) + "\n"

    def latex(self) -> str:
        """Return it as a LaTeX table, with the rules of booktabs; columns of long text break their lines."""
        if self.for_readers is not None:
            return self.for_readers.latex()
        head, *body = (f"{' & '.join(line)} \\\\" for line in self._lines(_in_latex))
        frame = [rf"\begin{{tabular}}{{{self._alignment()}}}", r"\toprule", head, r"\midrule", *body]
        needed = rf"% needs {BOOKTABS} in the preamble"
        return "\n".join([f"% {printable(self.title)}", needed, *frame, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def html(self, most: int | None = None) -> str:
        """Return it as an HTML table with a caption, where heads and the first column are marked as such.

        Parameters
        ----------
        most : int, optional
            Show no more rows than these, and say so; default all.
        """
        if self.for_readers is not None:
            return self.for_readers.html(most)
        sides = ["right" if right else "left" for right in self._right]
        head, *body = self._lines(_in_html, most)
        heads = _html_cells(head, sides, ['th scope="col"'] * len(head))
        tags = ['th scope="row"', *["td"] * (len(head) - 1)]
        lines = "".join(f"<tr>{_html_cells(cells, sides, tags)}</tr>" for cells in body)
        left_out = f" (the first {len(body):,} of {len(self.rows):,} rows)" if len(body) < len(self.rows) else ""
        caption = f"<caption>{_escaped(printable(self.title))}{left_out}</caption>"
        return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"

    def _repr_html_(self) -> str:
        return self.html(SHOWN_ROWS)

    def to_frame(self) -> Any:
        """Return it as a pandas DataFrame, one row each; NaN stands for an empty cell.

        Raises
        ------
        InputError
            pandas is not installed.
        """
        cells = load_pandas().DataFrame(list(self.rows), columns=list(self.columns))
        found = cells.where(cells.notna()).infer_objects()
        return found if self.key is None else found.set_index(self.key)

    def _lines(self, written: Callable[[Cell, bool], str], most: int | None = None) -> list[list[str]]:
        """Return the head and the rows, each cell as a format writes it."""
        heads = self.headings or tuple(map(name_of, self.columns))
        return [[written(cell, self.rounded) for cell in row] for row in (heads, *self.rows[:most])]

    @property
    def _right(self) -> list[bool]:
        """Of each column whether it holds numbers alone, which stand to the right."""
        columns: Sequence[tuple[Cell, ...]] = list(zip(*self.rows, strict=True)) or [() for _ in self.columns]
        return [all(_is_number(cell) or cell is None for cell in column) for column in columns]

    def _alignment(self) -> str:
        longest = [
            max((len(_shown(row[place], self.rounded)) for row in self.rows), default=0)
            for place in range(len(self.columns))
        ]
        wide = [f"p{{{_WIDTH}}}" if length > _LONG else "l" for length in longest]
        return "".join("r" if right else text for right, text in zip(self._right, wide, strict=True))


class HasSheet(ABC):
    """A result that is also a table: of pandas, and in notebooks."""

    @abstractmethod
    def sheet(self) -> Sheet:
        """Return the result as a table of raw values, which writes itself as CSV, Markdown, LaTeX and HTML."""

    def to_frame(self) -> Any:
        """Return the table of `sheet` as a pandas DataFrame.

        Raises
        ------
        InputError
            pandas is not installed.
        """
        return self.sheet().to_frame()

    def _repr_html_(self) -> str:
        """Return the table as HTML, for notebooks."""
        return self.sheet()._repr_html_()


def load_pandas() -> Any:
    """Return pandas, which is an extra.

    Raises
    ------
    InputError
        It is not installed.
    """
    try:
        import pandas
    except ImportError:
        remedy = "pip install 'costproof[frames]', or take the rows from `sheet().rows`"
        raise InputError("to_frame", "pandas", "is not installed", remedy) from None
    return pandas


def _plain(value: Any) -> Cell:
    found: Cell = value.value if isinstance(value, Enum) else value
    return found


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, (int, float, MeanSd)) and not isinstance(cell, bool)


def _shown(cell: Cell, rounded: bool) -> str:
    """Return a cell for reading, on one line; `rounded` is that of the sheet."""
    if isinstance(cell, str):
        return printable(cell)
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, MeanSd):
        return with_sd(cell.mean, cell.sd)
    return number(cell, rounded)


def _html_cells(cells: Sequence[str], sides: Sequence[str], tags: Sequence[str]) -> str:
    """Return the cells of one row, each in its tag and to its side; notebooks would put all to the right."""
    placed = zip(tags, sides, cells, strict=True)
    return "".join(f'<{tag} style="text-align: {side}">{cell}</{tag[:2]}>' for tag, side, cell in placed)


def _in_html(cell: Cell, rounded: bool) -> str:
    return _escaped(_shown(cell, rounded))


def _escaped(text: str) -> str:
    return escape(text)


def _in_markdown(cell: Cell, rounded: bool) -> str:
    return in_markdown(cell) if isinstance(cell, str) else _shown(cell, rounded)


def in_markdown(text: str) -> str:
    """Return text that Markdown shows as it is.

    Examples
    --------
    >>> in_markdown("|Qhat| of i*")
    '\\\\|Qhat\\\\| of i\\\\*'
    """
    return re.sub(r"([\\`*_{}\[\]<>#|~&$])", r"\\\1", printable(text))


#: What LaTeX takes for a command, sets as another sign, or takes for an option where it stands first in a row.
_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"} | {sign: f"{{{sign}}}" for sign in "[]*"}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}


def _in_latex(cell: Cell, rounded: bool) -> str:
    if _is_number(cell):
        return _number_in_latex(_shown(cell, rounded))
    # Two hyphens would become a dash.
    return re.sub("-(?=-)", "-{}", "".join(_LATEX.get(sign, sign) for sign in _shown(cell, rounded)))


def _number_in_latex(text: str) -> str:
    found = r" \pm ".join(map(_in_math, text.split(" ± ")))
    return f"${found}$" if "\\" in found or found.startswith("-") else text


def _in_math(text: str) -> str:
    mantissa, _, exponent = text.replace(",", "{,}").partition("e")
    return mantissa + (rf" \times 10^{{{int(exponent)}}}" if exponent else "")
