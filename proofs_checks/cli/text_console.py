"""The console of everything that rich prints: plain text without markup, hidden characters as escapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from proofs_checks.cli.output import brief, shown, silence


class TextConsole(Console):
    """A console that prints text as it is, without markup, and for which a closed pipe raises no error.

    The exit code says what was found, whoever reads it. Text from outside steers no terminal: its hidden characters
    are escaped in every output; only the console's own colours and movements reach the terminal as such.
    """

    def __init__(self, width: int | None = None, *, stderr: bool = False) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, width=width, stderr=stderr)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is printed of anything, escaped: also what was no string but a `Text`."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text, style, control) if control else Segment(shown(text), style)

    def render_str(self, text: str, **how: Any) -> Text:
        """Return a string as rich lays it out, escaped before its width is measured."""
        return super().render_str(shown(text), **how)

    def out(self, *objects: Any, **how: Any) -> None:
        """Write what nothing wraps or marks, escaped."""
        super().out(*(shown(str(each)) for each in objects), **how)

    def on_broken_pipe(self) -> None:
        """Go on without output instead of exiting with 1, which would say that something is refuted."""
        silence()


def plain(cell: Any) -> Any:
    """Return a cell of a table as it is shown: a string brief and escaped, anything else as it is.

    Examples
    --------
    >>> plain("a\\x07")
    'a\\\\x07'
    """
    if isinstance(cell, str):
        return brief(cell)
    if isinstance(cell, Text) and brief(cell.plain) != cell.plain:
        return Text(brief(cell.plain), cell.style)
    return cell
