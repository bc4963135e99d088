"""What the terminal views share: the console, tables, numbers."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from proofs_checks.cli import output as standard_output

#: Width where output is no terminal: a pipe or a file has no edge to respect.
_PIPE_WIDTH = 150


class _Console(Console):
    """A console for which a closed pipe is no error: the exit code says what was found, whoever reads it."""

    def on_broken_pipe(self) -> None:
        """Go on without output instead of exiting with 1, which would say that something is refuted."""
        standard_output.silence()


def console() -> Console:
    """Return a console for stdout."""
    found = _Console(highlight=False)
    return found if found.is_terminal else _Console(highlight=False, width=_PIPE_WIDTH)


def table(title: str, columns: Iterable[tuple[str, str]]) -> Table:
    """Return an empty table with columns of a name and ``"right"``, ``"whole"`` (never broken) or anything else."""
    found = Table(title=title, title_justify="left", title_style="bold", header_style="bold", pad_edge=False)
    for name, justify in columns:
        found.add_column(
            name, justify="right" if justify == "right" else "left", overflow="fold", no_wrap=justify == "whole"
        )
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
