"""What a reader must read of a theorem: its text and every definition behind it, as they stand in the sources."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from proofs_checks.proofs.kernel.scan import code_of
from proofs_checks.proofs.kernel.theorems import KernelTheorem, sources

#: Different words for what is proved.
_STATED = ("Theorem", "Lemma", "Corollary", "Example")
#: What a section declares: names behind which their types stand.
_DECLARED = ("Variable", "Hypothesis", "Context")
#: A statement, a definition or the edge of a section: from its first word to the period that ends it.
_SENTENCE = re.compile(
    rf"^({'|'.join(_STATED)}|Definition|Fixpoint|Inductive|Record|Let|Notation|Variables?|Hypothesis|Context|Section|End)"
    r" (.*?\.)(?=\s)",
    re.DOTALL | re.MULTILINE,
)
#: What may change what a theorem says without a word of it in its text.
_AROUND = ("Hypothesis ", "Context ")
#: What changes what a sign means in every sentence of its section.
_SIGN = 'Notation "'
_WORD = re.compile(r"(?:[A-Z]\w*\.)?[A-Za-z_][\w']*")
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
    file : str
        Of `theories`.
    kind : str
        The word with which it begins. A ``"Hypothesis"`` or ``"Context"`` is a premise of the theorems of its section
        whose proofs use it.
    names : tuple of str
        What it states, defines or declares; of a record its fields, too.
    line : int
        Of the file, from 1 on.
    text : str
    comment : str
        What stands before it in English; empty if nothing does.
    sections : tuple of str
        Those in which it stands, the outermost first.
    """

    file: str
    kind: str
    names: tuple[str, ...]
    line: int
    text: str
    comment: str
    sections: tuple[str, ...]

    @property
    def is_local(self) -> bool:
        """Whether it ends with its section."""
        return bool(self.sections) and self.kind in (*_DECLARED, "Let", "Notation")

    def stands_around(self, other: Passage) -> bool:
        """Return whether it stands above another passage of its file, in a section around that."""
        above = self.file == other.file and self.line < other.line
        return above and self.sections == other.sections[: len(self.sections)]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """A theorem as it is written, after every definition that it rests on. All else is Coq's.

    Parameters
    ----------
    path : Path
        Of the file of the theorem.
    passages : tuple of Passage
        In the order in which Coq reads them; the theorem is the last.
    """

    path: Path
    passages: tuple[Passage, ...]

    @property
    def lines(self) -> int:
        """How many lines there are to read."""
        return sum(passage.text.count("\n") + 1 for passage in self.passages)

    @property
    def by_file(self) -> dict[str, tuple[Passage, ...]]:
        """The passages of each file."""
        files = dict.fromkeys(passage.file for passage in self.passages)
        return {file: tuple(one for one in self.passages if one.file == file) for file in files}


def reading_of(theorem: KernelTheorem) -> Reading:
    """Return what is to be read of a theorem.

    Examples
    --------
    >>> from proofs_checks.proofs.kernel.theorems import kernel_theorems
    >>> reading = reading_of(kernel_theorems()["lem:radius-inversion"])
    >>> [name for passage in reading.passages for name in passage.names]
    ['floor', 'ceiling', 'radius', 'selection_bound', 'lem_radius_inversion']
    """
    known = _passages(theorem.file)
    stated = next(one for one in known if one.kind in _STATED and theorem.name in one.names)
    around = [one for one in known if one.text.startswith(_AROUND) and one.stands_around(stated)]
    found, waiting = {stated, *around}, [stated, *around]
    while waiting:
        meant = [one for one in _meant_by(waiting.pop()) if one not in found]
        found.update(meant)
        waiting += meant
    order = list(sources())
    passages = sorted(found - {stated}, key=lambda one: (order.index(one.file), one.line))
    place = Path(str(files("proofs_checks.proofs.kernel") / "theories" / theorem.file))
    return Reading(path=place, passages=(*passages, stated))


def _meant_by(using: Passage) -> Iterator[Passage]:
    """Yield the passages of this development that the names and the signs in another one stand for."""
    yield from (one for one in _passages(using.file) if one.text.startswith(_SIGN) and one.stands_around(using))
    for name in _used(using):
        meant = _meaning(name, using)
        if meant is not None:
            yield meant


def _meaning(name: str, using: Passage) -> Passage | None:
    """Return the passage that a name stands for: the last one above, else the last one that is imported."""
    file, _, plain = name.rpartition(".")
    if file:
        return _exported(f"{file}.v").get(plain)
    above = [one for one in _passages(using.file) if name in one.names and one.line < using.line]
    visible = [one for one in above if not one.is_local or one.stands_around(using)]
    imported = (_exported(other)[name] for other in reversed(_imported(using.file)) if name in _exported(other))
    return visible[-1] if visible else next(imported, None)


def _exported(file: str) -> Mapping[str, Passage]:
    """Return what a file defines for others by its names; nothing where there is no such file."""
    return _exported_by(file, sources()[file]) if file in sources() else {}


@functools.cache
def _exported_by(file: str, text: str) -> Mapping[str, Passage]:
    return {name: one for one in _passages_of(file, text) if not one.is_local for name in one.names}


def _passages(file: str) -> tuple[Passage, ...]:
    """Return the statements, definitions and declarations of a file."""
    return _passages_of(file, sources()[file])


@functools.cache
def _passages_of(file: str, text: str) -> tuple[Passage, ...]:
    found, sections = [], list[str]()
    for each in _SENTENCE.finditer(code_of(text)):
        kind, rest = each.groups()
        if kind == "Section":
            sections.append(rest.rstrip("."))
        elif kind == "End":
            sections.remove(rest.rstrip("."))
        else:
            found.append(
                Passage(
                    file=file,
                    kind=kind.replace("Variables", "Variable"),
                    names=tuple(_names(kind, rest)),
                    line=text.count("\n", 0, each.start()) + 1,
                    text=text[slice(*each.span())],
                    comment=_comment_before(text[: each.start()]),
                    sections=tuple(sections),
                )
            )
    return tuple(found)


def _comment_before(text: str) -> str:
    """Return the comment with which a text ends, on lines of its own; empty for the heading of a part.

    Examples
    --------
    >>> _comment_before("(* Zero. *)\\n"), _comment_before("Variable q : R. (* qualities *)\\n")
    ('(* Zero. *)', '')
    """
    start = text.rfind("(*") if text.endswith("*)\n") else -1
    of_its_own = start == 0 or text[start - 1 : start] == "\n"
    comment = text[start:].rstrip()
    return comment if of_its_own and comment.count("*)") == 1 and not comment.startswith("(* ----") else ""


def _names(kind: str, rest: str) -> list[str]:
    """Return the names that a sentence states, defines or declares, without their types.

    Examples
    --------
    >>> _names("Variables", "(N : nat) (delta cmax : R).")
    ['N', 'delta', 'cmax']
    >>> _names("Hypothesis", "decided : forall w, P w.")
    ['decided']
    >>> _names("Record", "law (E : R) : Prop := { one : E = 1; less : E < 2 }.")
    ['law', 'one', 'less']
    """
    if kind.rstrip("s") in _DECLARED:
        grouped = rest.startswith(("(", "{"))
        return " ".join(re.findall(r"[({]([^():]*):", rest) if grouped else [rest.partition(":")[0]]).split()
    first = _WORD.match(rest)
    parts = _PARTS[kind].findall(":=" + rest.partition(":=")[2]) if kind in _PARTS else []
    return [*([first[0]] if first else []), *parts]


def _used(passage: Passage) -> set[str]:
    """Return the names that a passage uses and does not bind; of a notation its own, where it stands for another."""
    text = code_of(passage.text)
    if passage.kind in _DECLARED:
        return set(_WORD.findall(text.partition(" ")[2])) - set(passage.names)
    head, _, body = text.partition(" : " if passage.kind in _STATED else ":=")
    arguments = _WORD.findall(_GROUP.sub(r" \1 ", head).partition(":")[0])
    types = " ".join(re.findall(r"\([^():]*:([^()]*)\)", head))
    bound = {*arguments[2:], *_bound_in(text)}
    used = set(_WORD.findall(f"{types} {head.partition(':')[2]} {body}")) - bound
    return used if passage.kind == "Notation" else used - set(passage.names)


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


def _imported(file: str) -> tuple[str, ...]:
    """Return the files of this development that a file imports, in its order."""
    return _imported_by(sources()[file])


@functools.cache
def _imported_by(text: str) -> tuple[str, ...]:
    return tuple(f"{name}.v" for names in _IMPORT.findall(code_of(text)) for name in names.split())
