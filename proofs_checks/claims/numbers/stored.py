"""The stored numbers of the paper's statements, by label and back.

The source loads ``\\usepackage{Definitions}``, a file that is not distributed with it, and has no ``\\newtheorem`` line
of its own: which statements share a counter is not in the source. Three public versions of that file were read, one of
them in a repository of the authors' group: lemmas, propositions and corollaries count on from theorems, through the
appendix, and no counter starts anew in a section. None of them has assumptions. So the first way of counting is what
the PDF shows most likely, and the others are kept beside it: a number that means another statement in one of them is
given with both.
"""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

#: A row for every numbered statement, with its number in each way of counting.
STORED = Path(__file__).with_name("paper_numbers.csv")
#: How the ways of counting are told; the first is the one whose numbers are shown.
WAYS_IN_WORDS = MappingProxyType(
    {
        "together": "theorems, lemmas, propositions and corollaries counted together",
        "together_with_assumptions": "assumptions counted with them",
        "apart": "each kind counted by itself",
    }
)
_SHORT = {
    "thm": "theorem",
    "th": "theorem",
    "lem": "lemma",
    "prop": "proposition",
    "cor": "corollary",
    "asm": "assumption",
    "asmp": "assumption",
    "ass": "assumption",
    "alg": "algorithm",
}
_NUMBER = re.compile(r"\s*([A-Za-z]+)\.?[\s~]*#?\s*([0-9][0-9.,]*)\s*")


@functools.cache
def _rows() -> tuple[dict[str, str], ...]:
    return tuple(csv.DictReader(STORED.read_text(encoding="utf-8").splitlines()))


@functools.cache
def _numbers() -> Mapping[str, str]:
    shown = next(iter(WAYS_IN_WORDS))
    return MappingProxyType({row["label"]: f"{row['environment'].capitalize()} {row[shown]}" for row in _rows()})


def number_of(label: str) -> str | None:
    """Return the number of a statement as the PDF prints it, or None: it has none, or the label is a variant of ours.

    Examples
    --------
    >>> number_of("thm:regret"), number_of("thm:regret:sharp")
    ('Theorem 4', None)
    """
    return _numbers().get(label)


def read_number(text: str) -> tuple[str, int] | None:
    """Return the kind and the number that a text like "Theorem 3", "thm. 3" or "Lemma~12" states, or None.

    Examples
    --------
    >>> read_number("thm. 3"), read_number("LEMMA 12"), read_number("payment 3")
    (('theorem', 3), ('lemma', 12), None)
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    word, number = found[1].lower(), found[2]
    kind = _SHORT.get(word, word)
    # No statement has a number with a dot, nor 0.
    return (kind, int(number) if number.isdigit() else 0) if numbers_of_kind(kind) else None


def labels_numbered(kind: str, number: int) -> dict[str, str]:
    """Return the label that a number means by each way of counting in which it means one, the way shown first.

    Examples
    --------
    >>> labels_numbered("theorem", 3)["together"], labels_numbered("theorem", 3)["apart"]
    ('thm:sample-complexity', 'thm:regret')
    """
    return {
        way: row["label"]
        for way in WAYS_IN_WORDS
        for row in _rows()
        if row["environment"] == kind and int(row[way]) == number
    }


def numbers_of_kind(kind: str) -> Sequence[int]:
    """Return the numbers that statements of a kind have, as they are shown.

    Examples
    --------
    >>> list(numbers_of_kind("proposition"))
    [1, 31, 33]
    """
    shown = next(iter(WAYS_IN_WORDS))
    return [int(row[shown]) for row in _rows() if row["environment"] == kind]
