"""What a reader must read of a theorem: its text, and what its file defines for it, as they stand in the sources."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from proofs_checks.proofs.kernel.scan import code_of
from proofs_checks.proofs.kernel.theorems import KernelTheorem, sources

#: A statement or definition: from its first word to the period that ends it.
_SENTENCE = re.compile(
    r"^(Theorem|Lemma|Corollary|Example|Definition|Let|Notation|Variables?|Hypothesis|Context) (.*?\.)(?=\s)",
    re.DOTALL | re.MULTILINE,
)
#: Different words for what is proved.
_STATED = ("Theorem", "Lemma", "Corollary", "Example")
#: What a section declares: names behind which their types stand.
_DECLARED = ("Variable", "Hypothesis", "Context")
#: What may change what a theorem says without a word of it in its text.
_AROUND = ("Hypothesis ", "Context ", 'Notation "')
_SECTION = re.compile(r"^(Section|End) (\w+)\.", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_][\w']*")
#: What may be named from another file or further down: how it begins, its name, and the rest of it.
_DEFINED = re.compile(
    r"^(Definition|Fixpoint|Inductive|Record|Notation|Lemma|Theorem) (\w+)(.*?\.)(?=\s)", re.DOTALL | re.MULTILINE
)
#: The fields of a record and the constructors of an inductive definition.
_PARTS = {"Record": re.compile(r"[{;]\s*(\w+) :"), "Inductive": re.compile(r"(?::=|\|)\s*(\w+)")}
_IMPORT = re.compile(r"^From Costproof Require Import ([^.]*)\.", re.MULTILINE)
#: Names that are bound where they stand: behind a quantifier, and in groups with a type.
_BINDER = re.compile(r"\b(?:forall|exists)\b(.*?),|\bfun\b(.*?)=>|\blet\b(.*?):=", re.DOTALL)
_GROUP = re.compile(r"\(([^():]*):[^()]*\)")


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A statement or definition as it stands in a file.

    Parameters
    ----------
    kind : str
        The word with which it begins. A ``"Hypothesis"`` or ``"Context"`` is a premise of the theorems of its section
        whose proofs use it.
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
        return set(_WORD.findall(code_of(self.text)))


@dataclass(frozen=True, kw_only=True)
class DefinedElsewhere:
    """A name that a theorem uses, defined where none of the passages stands.

    Parameters
    ----------
    name : str
    file : str
        Of `theories`.
    line : int
        Of the file, from 1 on.
    """

    name: str
    file: str
    line: int


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A theorem as it is written, after what its file defines for it.

    Parameters
    ----------
    path : Path
        Of the file.
    passages : tuple of Passage
        In the order of the file; the theorem is the last.
    elsewhere : tuple of DefinedElsewhere
        The other names of this development in them, by file and line. All else is Coq's, or bound where it stands.
    """

    path: Path
    passages: tuple[Passage, ...]
    elsewhere: tuple[DefinedElsewhere, ...]

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
    >>> [passage.name for passage in reading.passages if passage.kind != "Variable"][-3:]
    ['market', 'good_event', 'lem_unqualified_exclusion']
    >>> [(one.name, one.file, one.line) for one in reading.elsewhere][:2]
    [('bt', 'Runs.v', 64), ('rad', 'Runs.v', 65)]
    """
    known = list(_passages(sources()[theorem.file]))
    stated = next(one for one in known if one.kind in _STATED and one.name == theorem.name)
    found = {stated, *(one for one in known if one.text.startswith(_AROUND) and _stands_around(one, stated))}
    waiting = [*found]
    while waiting:
        using = waiting.pop()
        more = [one for one in known if one not in found and _is_meant(one, using)]
        found.update(more)
        waiting += more
    place = Path(str(files("proofs_checks.proofs.kernel") / "theories" / theorem.file))
    passages = tuple(one for one in known if one in found)
    return Reading(path=place, passages=passages, elsewhere=_elsewhere(theorem.file, passages))


def _elsewhere(file: str, passages: tuple[Passage, ...]) -> tuple[DefinedElsewhere, ...]:
    """Return where the names in passages of a file are defined that are neither theirs nor bound in them."""
    named = set(" ".join(passage.name for passage in passages).split())
    words = set().union(*(_used(passage) - (named - {passage.name}) for passage in passages))
    last = passages[-1].line
    own = {name: line for name, line in _defined(sources()[file]) if line < last}
    places = {name: DefinedElsewhere(name=name, file=file, line=own[name]) for name in words & own.keys()}
    # What is imported last hides what has the same name.
    for other in reversed(_imported(file)):
        for name, line in _defined(sources()[other]):
            if name in words:
                places.setdefault(name, DefinedElsewhere(name=name, file=other, line=line))
    taken = {passage.line for passage in passages}
    found = [one for one in places.values() if not (one.file == file and one.line in taken)]
    return tuple(sorted(found, key=lambda one: (one.file != file, one.file, one.line, one.name)))


def _is_meant(one: Passage, using: Passage) -> bool:
    """Return whether a passage uses another: a definition above, or what stands in a section around it."""
    if one.kind in (*_STATED, "Hypothesis") or one.line > using.line:
        return False
    if one.kind in ("Definition", "Let"):
        return one.name in using.words
    return _stands_around(one, using) and bool(using.words & set(_WORD.findall(one.name)))


def _stands_around(one: Passage, other: Passage) -> bool:
    """Return whether a passage stands above another, in a section around it."""
    return one.line < other.line and one.sections == other.sections[: len(one.sections)]


def _passages(text: str) -> Iterator[Passage]:
    """Yield the statements, definitions and variables of a file."""
    code = code_of(text)
    for found in _SENTENCE.finditer(code):
        kind, rest = found.groups()
        kind = kind.replace("Variables", "Variable")
        first = _WORD.match(rest)
        name = _names(rest) if kind in _DECLARED else first[0] if first else ""
        line = text.count("\n", 0, found.start()) + 1
        sections = tuple(_open_sections(code, found.start()))
        yield Passage(kind=kind, name=name, line=line, text=text[slice(*found.span())], sections=sections)


def _names(declared: str) -> str:
    """Return the names that variables declare, without their types.

    Examples
    --------
    >>> _names("(N : nat) (delta cmax : R).")
    'N delta cmax'
    >>> _names("decided : forall w, P w.")
    'decided'
    """
    groups = (
        re.findall(r"[({]([^():]*):", declared) if declared.startswith(("(", "{")) else [declared.partition(":")[0]]
    )
    return " ".join(" ".join(groups).split())


def _open_sections(code: str, place: int) -> Iterator[str]:
    opened: list[str] = []
    for found in _SECTION.finditer(code, 0, place):
        if found.group(1) == "Section":
            opened.append(found.group(2))
        elif opened and opened[-1] == found.group(2):
            opened.pop()
    yield from opened


def _used(passage: Passage) -> set[str]:
    """Return the names that a passage uses and does not bind; of a notation its own, where it stands for another."""
    text = code_of(passage.text)
    if passage.kind in _DECLARED:
        return set(_WORD.findall(text.partition(" ")[2])) - set(passage.name.split())
    head, _, body = text.partition(":=") if passage.kind in ("Notation", "Definition", "Let") else text.partition(" : ")
    arguments = _WORD.findall(_GROUP.sub(r" \1 ", head).partition(":")[0])
    types = " ".join(re.findall(r"\([^():]*:([^()]*)\)", head))
    bound = {*arguments[2:], *_bound_in(text)}
    return (set(_WORD.findall(f"{types} {head.partition(':')[2]} {body}")) - bound) - {passage.name} | (
        {passage.name} & set(_WORD.findall(body)) if passage.kind == "Notation" else set()
    )


def _bound_in(text: str) -> set[str]:
    """Return the names that quantifiers and functions bind.

    Examples
    --------
    >>> sorted(_bound_in("forall x y, x < y -> exists (z : R), fun '(a, b) => z = a"))
    ['a', 'b', 'x', 'y', 'z']
    """
    return {
        name
        for ends in _BINDER.findall(text)
        for name in _WORD.findall(_GROUP.sub(r" \1 ", "".join(ends)).partition(" : ")[0])
    }


def _imported(file: str) -> list[str]:
    """Return the files of this development that a file imports, in its order."""
    return [f"{name}.v" for names in _IMPORT.findall(code_of(sources()[file])) for name in names.split()]


@functools.cache
def _defined(text: str) -> tuple[tuple[str, int], ...]:
    """Return what a file defines for others, and the lines; a notation of a section ends with that."""
    found = []
    code = code_of(text)
    for one in _DEFINED.finditer(code):
        kind, name, rest = one.groups()
        if kind == "Notation" and any(_open_sections(code, one.start())):
            continue
        line = text.count("\n", 0, one.start()) + 1
        parts = _PARTS[kind].findall(":=" + rest.partition(":=")[2]) if kind in _PARTS else []
        found += [(each, line) for each in (name, *parts)]
    return tuple(found)
