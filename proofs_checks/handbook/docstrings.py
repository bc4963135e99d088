"""Docstrings as reStructuredText: signs that it would take for markup are shown as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

#: What is code within a line, and stays as it is.
_CODE = re.compile(r"(`+[^`]*`+)")
#: A bar would begin a substitution, and an underscore behind a word a link.
_MARKUP = re.compile(r"\||(?<=\w)_(?!\w)")


def plain_docstring(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a docstring with escapes; examples stay as they are.

    Examples
    --------
    >>> list(plain_docstring(["mean |x| over d_-", ">>> a | b", "", "`a|b`"]))
    ['mean \\\\|x\\\\| over d\\\\_-', '>>> a | b', '', '`a|b`']
    """
    example = False
    for line in lines:
        example = (example or line.lstrip().startswith(">>>")) and bool(line.strip())
        yield line if example else "".join(map(_escaped, _CODE.split(line)))


def _escaped(part: str) -> str:
    return part if part.startswith("`") else _MARKUP.sub(lambda found: f"\\{found[0]}", part)
