"""What the terminal views share: the console, tables, numbers and verdicts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from proofs_checks.cli.output import silence
from proofs_checks.verdict import Verdict

#: Width where output is no terminal: a pipe or a file has no edge to respect.
_PIPE_WIDTH = 150
_STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.PROVED_STEPS: "green",
    Verdict.EXACT: "green",
    Verdict.NOT_REFUTED: "cyan",
    Verdict.REFUTED: "bold red",
    Verdict.VACUOUS: "yellow",
    Verdict.ASSUMPTION_VIOLATED: "magenta",
    Verdict.SKIPPED: "dim",
}
#: Columns of a table of claims, up to a last one of words; see `standing`.
CLAIM_COLUMNS = {"claim": "whole", "verdict": "whole", "comparisons": "right", "ratio": "right"}
#: What `ratio` means in every table of claims.
RATIO = "ratio: left over right side of 'left <= right', at its largest: 1 is attained, above 1 violated."


class _Console(Console):
    """A console that prints text as it is, without markup, and for which a closed pipe is no error.

    The exit code says what was found, whoever reads it.
    """

    def __init__(self, width: int | None = None) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, width=width)

    def on_broken_pipe(self) -> None:
        """Go on without output instead of exiting with 1, which would say that something is refuted."""
        silence()


def console(in_pipe: int = _PIPE_WIDTH) -> Console:
    """Return a console for stdout, as wide as COLUMNS says, else as the terminal, else as is said for a pipe."""
    found = _Console()
    told = os.environ.get("COLUMNS", "").isdigit()
    return found if found.is_terminal or told else _Console(in_pipe)


def table(title: str, columns: Mapping[str, str]) -> Table:
    """Return an empty table; each column is ``"right"``, ``"whole"`` (never broken) or anything else."""
    found = Table(title=title, title_justify="left", title_style="bold", header_style="bold", pad_edge=False)
    for name, kind in columns.items():
        found.add_column(name, justify="right" if kind == "right" else "left", overflow="fold", no_wrap=kind == "whole")
    return found


def number(value: float | None) -> str:
    """Return a number for reading: whole ones in full, others to six digits; a dash for None.

    Examples
    --------
    >>> number(31977), number(0.123456789), number(None)
    ('31,977', '0.123457', '-')
    """
    if value is None:
        return "-"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.6g}"


def marked(verdict: Verdict, before: str = "", after: str = "") -> Text:
    """Return a verdict in its colour, with what stands around it."""
    return Text.assemble(before, (verdict.value, _STYLES[verdict]), after)


def standing(verdict: Verdict, checked: int, ratio: float | None, *, documented: bool) -> tuple[Text, str, str]:
    """Return a claim's verdict, comparisons and ratio as cells of a table; a documented finding is marked as one."""
    mark = marked(verdict).append("\ndocumented" if documented else "", "dim")
    return mark, f"{checked:,}" if checked else "-", "-" if ratio is None else f"{ratio:.3f}"


def place(where: Mapping[str, Any]) -> str:
    """Return ``name value`` pairs of where an inequality is tightest."""
    return ", ".join(f"{k} {number(v) if isinstance(v, (int, float)) else v}" for k, v in where.items())
