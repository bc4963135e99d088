"""What a reader must read of a theorem: its text, and what its file defines for it, as they stand in the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from proofs_checks.proofs.kernel.theorems import KernelTheorem, sources

#: A statement or definition: from its first word to the period that ends it.
_SENTENCE = re.compile(r"^(Theorem|Definition|Notation|Variables?) (.*?\.)(?=\s)", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^(Section|End) (\w+)\.", re.MULTILINE)
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_][\w']*")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A statement or definition as it stands in a file.

    Parameters
    ----------
    kind : str
        ``"Theorem"``, ``"Definition"``, ``"Notation"`` or ``"Variable"``.
    name : str
        What it states or defines; of variables all their names.
    line : int
        Of the file, from 1 on.
    text : str
    sections : tuple of str
        Those in which it stands, the outermost first.
    """

    kind: str
    name: str
    line: int
    text: str
    sections: tuple[str, ...]

    @property
    def words(self) -> set[str]:
        """The names in it."""
        return set(_WORD.findall(_COMMENT.sub("", self.text)))


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A theorem as it is written, after what its file defines for it.

    Parameters
    ----------
    path : Path
        Of the file.
    passages : tuple of Passage
        In the order of the file; the theorem is the last.
    """

    path: Path
    passages: tuple[Passage, ...]

    @property
    def lines(self) -> int:
        """How many lines there are to read."""
        return sum(passage.text.count("\n") + 1 for passage in self.passages)


def reading_of(theorem: KernelTheorem) -> Reading:
    """Return what is to be read of a theorem.

    Examples
    --------
    >>> from proofs_checks.proofs.kernel.theorems import kernel_theorems
    >>> reading = reading_of(kernel_theorems()["lem:unqualified-exclusion"])
    >>> [passage.name for passage in reading.passages if passage.kind != "Variables"][-3:]
    ['market', 'good_event', 'lem_unqualified_exclusion']
    """
    known = list(_passages(sources()[theorem.file]))
    stated = next(one for one in known if (one.kind, one.name) == ("Theorem", theorem.name))
    found = {stated}
    waiting = [stated]
    while waiting:
        words = waiting.pop().words
        more = [one for one in known if one not in found and _is_meant(one, words, stated)]
        found.update(more)
        waiting += more
    place = Path(str(files("proofs_checks.proofs.kernel") / "theories" / theorem.file))
    return Reading(path=place, passages=tuple(one for one in known if one in found))


def _is_meant(one: Passage, words: set[str], stated: Passage) -> bool:
    """Return whether names mean a passage: a definition above, or what stands in a section around the theorem."""
    if one.kind == "Theorem" or one.line > stated.line:
        return False
    around = one.sections == stated.sections[: len(one.sections)]
    if one.kind == "Definition":
        return one.name in words
    return around and bool(words & set(_WORD.findall(one.name)))


def _passages(text: str) -> Iterator[Passage]:
    """Yield the statements, definitions and variables of a file."""
    for found in _SENTENCE.finditer(text):
        kind, rest = found.groups()
        name = _names(rest) if kind.startswith("Variable") else _WORD.findall(rest)[0]
        line = text.count("\n", 0, found.start()) + 1
        sections = tuple(_open_sections(text, found.start()))
        yield Passage(kind=kind.rstrip("s"), name=name, line=line, text=found.group(), sections=sections)


def _names(declared: str) -> str:
    """Return the names that variables declare, without their types.

    Examples
    --------
    >>> _names("(N : nat) (delta cmax : R).")
    'N delta cmax'
    >>> _names("decided : forall w, P w.")
    'decided'
    """
    groups = re.findall(r"\(([^():]*):", declared) if declared.startswith("(") else [declared.partition(":")[0]]
    return " ".join(" ".join(groups).split())


def _open_sections(text: str, place: int) -> Iterator[str]:
    opened: list[str] = []
    for found in _SECTION.finditer(text, 0, place):
        if found.group(1) == "Section":
            opened.append(found.group(2))
        elif opened and opened[-1] == found.group(2):
            opened.pop()
    yield from opened
