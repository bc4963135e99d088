"""Mutants of the theorems in Coq: one constant or rule is another.

Hashes and stored texts are left out here: a mutant is killed where Coq does not accept it, or a file that rests on it.
"""

import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from proofs_checks.proofs.kernel.coq import KernelError, check_file
from tests.tabled import rows_of

_SENTENCE = re.compile(
    r"^ *(?:Theorem|(Definition|Fixpoint|Inductive|Record)) (?P<name>\w+).*?(?(1)\.(?=\s)|(?=^ *Proof))",
    re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_IMPORTS = re.compile(r"From Costproof Require (?:Import |Export )?([\w\s]+)\.")

#: Of processor time for a file: a proof that no longer fits can keep Coq busy without end. The longest takes 5.
_SECONDS = 60


class Sentence(NamedTuple):
    """A definition or the statement of a theorem: where it stands in its file."""

    file: str
    name: str
    start: int
    end: int


class Mutant(NamedTuple):
    """A file with one thing in a sentence changed."""

    file: str
    sentence: str
    was: str
    now: str
    text: str

    def __str__(self) -> str:
        now = self.now.strip() or "nothing"
        return f"{self.file} {self.sentence}: {' '.join(self.was.split())} -> {now}"


def sentences(file: str, text: str) -> list[Sentence]:
    hidden = _COMMENT.sub(lambda comment: " " * len(comment.group()), text)
    return [Sentence(file, found["name"], found.start(), found.end()) for found in _SENTENCE.finditer(hidden)]


def rule_mutants(texts: Mapping[str, str]) -> list[Mutant]:
    found = []
    for file, name, right, wrong in rows_of(__file__, "kernel_mutants.csv"):
        one = _holding(texts, file, name, right)
        text = texts[one.file]
        start = text.index(right, one.start, one.end)
        found.append(Mutant(one.file, one.name, right, wrong, text[:start] + wrong + text[start + len(right) :]))
    return found


def _holding(texts: Mapping[str, str], file: str, name: str, right: str) -> Sentence:
    """Return the definition of a name that holds a text, in its file, or in the one to which it has moved."""
    for place in sorted(texts, key=lambda each: each != file):
        for one in sentences(place, texts[place]):
            if one.name == name and right in texts[place][one.start : one.end]:
                return one
    raise ValueError(f"no definition of {name} holds {right!r}: say in kernel_mutants.csv what it is now")


def needed(texts: Mapping[str, str], files: Iterable[str]) -> dict[str, str]:
    """Return files with all that they import, in order."""
    wanted = set(files)
    for file in reversed(texts):
        if file in wanted:
            wanted |= {f"{word}.v" for line in _IMPORTS.findall(texts[file]) for word in line.split()}
    return {file: text for file, text in texts.items() if file in wanted}


class Build:
    """A folder in which all that others import is compiled; in copies of it a changed file, and what rests on it."""

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        self._folder, self._texts = folder, texts
        for name, text in texts.items():
            if self._after(name) and not (folder / name).with_suffix(".vo").exists():
                check_file(folder, name, text)

    def killer(self, mutant: Mutant) -> str:
        """Return the first file that Coq does not accept, empty if it accepts all."""
        texts, changed = {**self._texts, mutant.file: mutant.text}, [mutant.file, *self._after(mutant.file)]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for compiled in self._folder.glob("*.vo"):
                if f"{compiled.stem}.v" not in changed:
                    (folder / compiled.name).symlink_to(compiled)
            for file in changed:
                try:
                    check_file(folder, file, texts[file], seconds=_SECONDS)
                except KernelError as error:
                    return str(error).split(":", 1)[0]
        return ""

    def _after(self, file: str) -> list[str]:
        """Return the files that rest on one, in order."""
        found = {Path(file).stem}
        for name, text in self._texts.items():
            used = {word for line in _IMPORTS.findall(text) for word in line.split()}
            if used & found:
                found.add(Path(name).stem)
        return [name for name in self._texts if Path(name).stem in found and name != file]
