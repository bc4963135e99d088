"""Which number LaTeX prints before each statement of the paper, from the order of the statements in its source.

The source loads ``\\usepackage{Definitions}``, a file that is not distributed with it, and has no ``\\newtheorem`` line
of its own: which statements share a counter is not in the source. Three public versions of that file were read, one of
them in a repository of the authors' group: lemmas, propositions and corollaries count on from theorems, through
the appendix, and no counter starts anew in a section. None of them has assumptions. So the first way of counting below
is what the PDF shows most likely, and the others are kept beside it: a number that means another statement in one of
them is told with both.

``python -m proofs_checks.claims.numbers.counting paper.tex`` computes the table anew and writes it.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofs_checks.claims.numbers.stored import STORED

_TOGETHER = ("theorem", "lemma", "proposition", "corollary")
#: Ways of counting by name, the likeliest first: the environments that share one counter; the others have their own.
WAYS: Mapping[str, tuple[str, ...]] = {
    "together": _TOGETHER,
    "together_with_assumptions": (*_TOGETHER, "assumption"),
    "apart": (),
}
_ENVIRONMENTS = (*_TOGETHER, "assumption", "algorithm")
_BEGIN = re.compile(rf"\\begin\{{({'|'.join(_ENVIRONMENTS)})\}}")
_LABEL = re.compile(r"\\label\{([^}]*)\}")
_COMMENT = re.compile(r"(?<!\\)%.*")


@dataclass(frozen=True)
class Statement:
    """A numbered environment of the source: what it is, its first label, and the line of that label."""

    environment: str
    label: str
    line: int


def statements_of(source: str) -> list[Statement]:
    """Return the numbered statements of a LaTeX source in order; what is commented out is none.

    Raises
    ------
    ValueError
        A statement has no label.

    Examples
    --------
    >>> statements_of("% \\\\begin{lemma}\\n\\\\begin{theorem}[Main]\\n  \\\\label{thm:main}\\n\\\\end{theorem}")
    [Statement(environment='theorem', label='thm:main', line=3)]
    """
    # A comment ends with its line, so lines stay where they are.
    text = "\n".join(_COMMENT.sub("", line) for line in source.splitlines())
    found = []
    for begin in _BEGIN.finditer(text):
        end = text.index(f"\\end{{{begin[1]}}}", begin.end())
        label = _LABEL.search(text, begin.end(), end)
        if label is None:
            raise ValueError(f"line {text.count(chr(10), 0, begin.start()) + 1}: a {begin[1]} without a label")
        found.append(Statement(begin[1], label[1], text.count("\n", 0, label.start()) + 1))
    return found


def counted(environments: Sequence[str], way: str) -> list[int]:
    """Return the numbers of statements, given what they are in order.

    Examples
    --------
    >>> counted(["proposition", "theorem", "assumption", "lemma"], "together")
    [1, 2, 1, 3]
    """
    counters: Counter[str] = Counter()
    numbers = []
    for environment in environments:
        counter = "shared" if environment in WAYS[way] else environment
        counters[counter] += 1
        numbers.append(counters[counter])
    return numbers


def table_of(source: str) -> str:
    """Return the table of a LaTeX source as CSV: label, environment, line, and its number in each way of counting."""
    statements = statements_of(source)
    columns = [counted([statement.environment for statement in statements], way) for way in WAYS]
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["label", "environment", "line", *WAYS])
    for statement, *numbers in zip(statements, *columns, strict=True):
        rows.writerow([statement.label, statement.environment, statement.line, *numbers])
    return written.getvalue()


if __name__ == "__main__":
    STORED.write_text(table_of(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
