"""A table for papers and programs: one content, written as CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

Cell = str | float | bool | None


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table of raw values.

    Parameters
    ----------
    title : str
    columns : tuple of str
    rows : tuple of tuple
        As many values in each as there are columns; None is an empty cell.

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
    | c & d | - |
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def csv(self) -> str:
        """Return it as CSV: every digit, an empty cell for what has no value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()

    def markdown(self) -> str:
        """Return it as a table of Markdown, for reading."""
        lines = [
            [name.replace("_", " ") for name in self.columns],
            *([_shown(cell) for cell in row] for row in self.rows),
        ]
        head, *body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        rule = "|" + "|".join("--:" if right else ":--" for right in self._right()) + "|"
        return "\n".join([head, rule, *body]) + "\n"

    def latex(self) -> str:
        """Return it as a LaTeX table, with the rules of booktabs."""
        align = "".join("r" if right else "l" for right in self._right())
        lines = [
            [name.replace("_", " ") for name in self.columns],
            *([_shown(cell) for cell in row] for row in self.rows),
        ]
        head, *body = (" & ".join(_escaped(cell) for cell in line) + r" \\" for line in lines)
        caption = rf"% {' '.join(self.title.split())}"
        frame = [rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule", *body]
        return "\n".join([caption, *frame, r"\bottomrule", r"\end{tabular}"]) + "\n"

    def _right(self) -> list[bool]:
        """Return of each column whether it holds numbers alone."""
        columns: Sequence[tuple[Cell, ...]] = list(zip(*self.rows, strict=True)) or [() for _ in self.columns]
        return [all(_is_number(cell) or cell is None for cell in column) for column in columns]


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def _shown(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if float(cell).is_integer() and abs(cell) < 1e15 else f"{cell:.6g}"


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
