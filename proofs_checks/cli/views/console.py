"""What the terminal views share: the console, tables, numbers and verdicts."""

from __future__ import annotations

import heapq
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from bounds.setting.model import Setting
from bounds.words import number as number
from proofs_checks.cli.output import brief, shown
from proofs_checks.cli.prose import wrapped
from proofs_checks.cli.text_console import TextConsole, plain
from proofs_checks.verdict import UNDEFINED, Verdict

#: Width where output is no terminal and COLUMNS is not set.
PIPE_WIDTH = 80
#: Lines of an answer on one screen.
LINES = 30
#: Rows of a table with a row for each provider at most.
MOST_PROVIDERS = 40
#: Colours of verdicts.
STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.PROVED_STEPS: "green",
    Verdict.EXACT: "green",
    Verdict.NOT_REFUTED: "cyan",
    Verdict.REFUTED: "bold red",
    Verdict.VACUOUS: "yellow",
    Verdict.ASSUMPTION_VIOLATED: "magenta",
    Verdict.SKIPPED: "dim",
}
#: What `ratio` means in every table of claims.
RATIO = "ratio: how much of a bound was used, at most: 1 is all of it, above 1 a violation."

#: Characters of a ratio in such a table: 80 columns leave no more beside the longest label and two verdicts.
RATIO_ROOM = 5


_Row = TypeVar("_Row")


def console() -> Screen:
    """Return a screen on stdout, as wide as COLUMNS says, else as the terminal, else as one usually is."""
    return Screen(shutil.get_terminal_size((PIPE_WIDTH, 0)).columns)


class Screen(TextConsole):
    """What an answer is printed on: in sentences, in tables, and with the next command."""

    def height_of(self, show: Callable[[], None]) -> int:
        """Return how many lines something prints, without printing it."""
        with self.capture() as captured:
            show()
        return captured.get().count("\n")

    def say(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """Print a sentence or two, broken between words only: a path or a formula is copied whole."""
        for line in wrapped(brief(text), indent, indent + 2 * bool(indent), self.width).splitlines():
            self.print(line, style=style, soft_wrap=True)

    def suggest(self, command: str, why: str, opening: str = "Next") -> None:
        """Print the next command to try, on lines of its own that a shell takes as they are, after its purpose."""
        self.say(f"{opening}, {why}:")
        joined = re.sub(r"(--[\w-]+) (?=[^-\s])", "\\1\0", shown(command))  # a flag and its value share a line
        joined = re.sub("'[^']*'", lambda quoted: quoted[0].replace(" ", "\0"), joined)
        lines = textwrap.wrap(joined, self.width - 6, break_long_words=False, break_on_hyphens=False)
        self.print("  " + " \\\n    ".join(lines).replace("\0", " "), style="bold", soft_wrap=True)

    def say_estimates(self, setting: Setting, more: str = "") -> None:
        """Say that the numbers are for the point estimates, where inputs are uncertain."""
        if setting.is_uncertain:
            self.say(f"Uncertain inputs and the optimum are point estimates{more}.", style="yellow")

    def table(self, title: str, columns: Mapping[str, str], rows: Iterable[Sequence[str | Text]]) -> None:
        """Print a table whole: its columns in as many tables as the width asks for, each with the first one.

        Columns are ``"right"``, ``"whole"`` (never broken) or anything else, by their heads. A number is never cut.
        Texts are broken between words, the first column only where it leaves no room for another.
        """
        cells = [tuple(map(plain, each)) for each in zip(*rows, strict=True)] or [()] * len(columns)
        first, *others = (
            _Column(plain(head), kind, each) for (head, kind), each in zip(columns.items(), cells, strict=True)
        )
        if title:
            self.say(title, style="bold")
        groups: list[list[_Column]] = []
        room = 0
        for column in others:
            if not groups or column.least + _GAP > room:
                groups.append([])
                room = self.width - first.width
            groups[-1].append(column)
            room -= column.least + _GAP
        for position, group in enumerate(groups):
            if position:
                self.print()
            part = Table(header_style="bold", box=None, pad_edge=False)
            for column, width in zip((first, *group), _widths(self.width, first, group), strict=True):
                whole = None if column.width <= width else width
                side: Literal["left", "right"] = "right" if column.kind == "right" else "left"
                part.add_column(column.head, justify=side, no_wrap=whole is None, max_width=whole, overflow="fold")
            for row in zip(first.cells, *(column.cells for column in group), strict=True):
                part.add_row(*row)
            self.print(part)

    def left_out(self, rows: Sequence[object], shown: Sequence[object]) -> None:
        """Say how many rows of a table are not on the screen, if there are some."""
        if (more := len(rows) - len(shown)) > 0:
            self.say(f"and {more:,} more (--all)")


def largest(rows: Sequence[_Row], values: Sequence[Any], most: int) -> list[_Row]:
    """Return the rows with the largest values, so many at most, in their order.

    Examples
    --------
    >>> largest("abc", [3, 1, 2], 2)
    ['a', 'c']
    """
    return [rows[i] for i in sorted(heapq.nlargest(most, range(len(rows)), values.__getitem__))]


#: Spaces between columns.
_GAP = 2
#: A text is not squeezed into fewer characters, unless the screen has no more.
_NARROW = 24


@dataclass(frozen=True)
class _Column:
    head: str
    kind: str
    cells: tuple[str | Text, ...]

    @property
    def width(self) -> int:
        """What it takes with no cell broken."""
        return max(cell_len(line) for cell in (self.head, *self.cells) for line in str(cell).split("\n"))

    @property
    def least(self) -> int:
        """What it takes with texts broken between words."""
        if self.kind in ("whole", "right"):
            return self.width
        words = (word for cell in (self.head, *self.cells) for word in str(cell).split())
        return min(self.width, max(_NARROW, *map(cell_len, words)))


def _widths(screen: int, first: _Column, group: list[_Column]) -> list[int]:
    """Return how wide columns may be side by side: each as it asks for, texts in what the others leave."""
    room = screen - sum(column.least + _GAP for column in group)
    widths = [min(first.width, room)]
    room -= widths[0]
    for column in group:
        more = max(0, min(column.width - column.least, room))
        widths.append(column.least + more)
        room -= more
    return widths


def tinted(verdict: Verdict, text: str) -> Text:
    """Return a text in the colour of a verdict."""
    return Text(text, STYLES[verdict])


def place(where: Mapping[str, Any]) -> str:
    """Return ``name value`` pairs of where an inequality is tightest.

    Examples
    --------
    >>> place({"step": 6913, "left": 22.5, "right": None})
    'step 6,913, left 22.5, right without a finite value'
    """
    return ", ".join(f"{name} {_of_place(name, value)}" for name, value in where.items())


def _of_place(name: str, value: Any) -> Any:
    if value is None and name in ("left", "right"):
        return UNDEFINED
    return number(value) if isinstance(value, (int, float)) else value
