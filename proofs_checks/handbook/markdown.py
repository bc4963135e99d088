"""Pieces of a page as Markdown of MyST: text that marks up nothing, tables, formulas, links between pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bounds.sheet import in_markdown

#: A page that no table of contents lists; an index links to it.
ORPHAN = "---\norphan: true\n---\n\n"


def text(words: str) -> str:
    """Return words that Markdown shows as they are, on one line.

    Examples
    --------
    >>> text("c_max of\\n  i*")
    'c\\\\_max of i\\\\*'
    """
    return in_markdown(" ".join(words.split()))


def prose(words: str) -> str:
    """Return words in which single or double backticks mark code, and nothing else marks up anything.

    Examples
    --------
    >>> prose("as `Trace` has c_max, see ``--json``")
    'as `Trace` has c\\\\_max, see `--json`'
    """
    parts = re.split(r"(``.+?``|`[^`]+`)", " ".join(words.split()))
    return "".join(
        code(part.strip("`")) if part.startswith("`") and part.endswith("`") and len(part) > 2 else in_markdown(part)
        for part in parts
    )


def code(words: str) -> str:
    """Return words as code; in a table a bar would end the cell.

    Examples
    --------
    >>> code("a|b")
    '`a\\\\|b`'
    """
    shown = words.replace("|", "\\|")
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def link(shown: str, page: str) -> str:
    """Return a link to a page; `shown` is Markdown.

    Examples
    --------
    >>> link("here", "index.md")
    '[here](index.md)'
    """
    return f"[{shown}]({page})"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are Markdown; nothing without rows.

    Examples
    --------
    >>> print(table(["name", "says"], [["`a`", "one"]]), end="")
    | name | says |
    |---|---|
    | `a` | one |
    >>> table(["name"], [])
    ''
    """
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    return "\n".join([f"| {' | '.join(headings)} |", "|" + "---|" * len(headings), *lines, ""])


def block(kind: str, content: str) -> str:
    """Return a fenced block.

    Examples
    --------
    >>> print(block("sh", "costproof docs"), end="")
    ```sh
    costproof docs
    ```
    """
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", content)), default=0))
    return f"{fence}{kind}\n{content.strip(chr(10))}\n{fence}\n"


def display(latex: str) -> str:
    """Return a formula on lines of its own."""
    return block("{math}", latex)


def inline(latex: str) -> str:
    r"""Return a formula within a line; in a table a bar would end the cell.

    Examples
    --------
    >>> inline(r"|\pi_t|")
    '{math}`\\|\\pi_t\\|`'
    """
    return f"{{math}}`{latex.replace('|', chr(92) + '|')}`"


def contents(pages: Iterable[str]) -> str:
    """Return a table of contents that is shown in the sidebar alone.

    Examples
    --------
    >>> print(contents(["one", "two"]), end="")
    ```{toctree}
    :hidden:
    <BLANKLINE>
    one
    two
    ```
    """
    return block("{toctree}", ":hidden:\n\n" + "\n".join(pages))


def page(*parts: str) -> str:
    """Return a page of parts, with one empty line between them; empty parts are left out.

    Examples
    --------
    >>> page("# One", "", "Text")
    '# One\\n\\nText\\n'
    """
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def bullets(items: Iterable[str]) -> str:
    """Return a list; nothing without items."""
    return "\n".join(f"- {item}" for item in items)
