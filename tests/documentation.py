"""The code in the pages of the documentation: its blocks, their commands, and what is marked as not run.

A comment above a block says that it is not run, and why: ``<!-- not run: it installs -->``, or ``% not run: it
installs`` where only Sphinx reads the page. ``<!-- not run `costproof explore`: it serves until stopped -->`` says it
of the commands that begin so. Blank lines and further comments may stand between.
"""

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = (
    ROOT / "README.md",
    ROOT / "examples" / "README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts),
    ROOT / "CONTRIBUTING.md",
)
_BLOCK = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<kind>\w+)\n(?P<text>.*?)^(?P=indent)(?P=fence)$", re.DOTALL | re.MULTILINE
)
_MARK = re.compile(r"not run(?: `(?P<command>[^`]+)`)?: (?P<reason>\S.*?)(?: *-->)?$")
_COMMENT = re.compile(r"^(?:%|<!--).*")
#: What a comment behind a command, or the paragraph below its block, says of its exit code.
_EXIT_CODE = re.compile(r"#.*\bexit code (\d)")
_ENDED_WITH = re.compile(r"\bexit code is (\d)(?! if)")


@dataclass(frozen=True, kw_only=True)
class Mark:
    """That a block, or the commands of it that begin with some words, are not run, and why."""

    command: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command as a page shows it: its words, where its output goes, what it is to print and to end with.

    A text that ``cat > FILE <<'END'`` writes, or that ``python - <<'END'`` runs, is `given`.
    """

    words: tuple[str, ...]
    into: str = ""
    given: str | None = None
    code: int = 0
    prints: str = ""

    @property
    def line(self) -> str:
        """The command as one line."""
        return shlex.join(self.words) + (f" > {self.into}" if self.into else "")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A block of code of a page, from the line on which it begins."""

    page: Path
    line: int
    kind: str
    text: str
    marks: tuple[Mark, ...]
    below: str

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def not_run(self) -> str:
        """Why all of it is not run; empty if it is run."""
        return next((mark.reason for mark in self.marks if not mark.command), "")

    def commands(self) -> list[Command]:
        """Return its commands in their order; the paragraph below may say what the last ends with."""
        found = list(_commands(self.text, shown="$ " in self.text))
        if ended := _ENDED_WITH.search(self.below):
            found[-1] = replace(found[-1], code=int(ended[1]))
        return found

    def reason_of(self, command: Command) -> str:
        """Return why a command is not run; empty if it is."""
        named = (mark for mark in self.marks if mark.command and command.line.startswith(mark.command))
        return self.not_run or next((mark.reason for mark in named), "")


def blocks(page: Path, *kinds: str) -> list[Block]:
    """Return the blocks of a page of some kinds."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            page=page,
            line=text.count("\n", 0, found.start()) + 1,
            kind=found["kind"],
            text=textwrap.dedent(found["text"]),
            marks=_marks(text[: found.start()].splitlines()),
            below=text[found.end() :].lstrip("\n").partition("\n\n")[0],
        )
        for found in _BLOCK.finditer(text)
        if found["kind"] in kinds
    ]


def _marks(lines_above: list[str]) -> tuple[Mark, ...]:
    found = []
    for line in reversed(lines_above):
        if line.strip() and not _COMMENT.match(line.strip()):
            break
        if mark := _MARK.search(line):
            found.append(Mark(command=mark["command"] or "", reason=mark["reason"]))
    return tuple(found)


_HERE = re.compile(
    r"^(?:\$ )?(?:cat > (?P<into>\S+)|python -) <<'(?P<end>\w+)'\n(?P<given>.*?^)(?P=end)$\n?", re.DOTALL | re.MULTILINE
)


def _commands(text: str, *, shown: bool) -> Iterator[Command]:
    """Yield commands; in a session those after a dollar, each with what it prints."""
    if here := _HERE.search(text):
        yield from _commands(text[: here.start()], shown=shown)
        words = ("cat",) if here["into"] else ("python", "-")
        yield Command(words=words, into=here["into"] or "", given=here["given"])
        yield from _commands(text[here.end() :], shown=shown)
        return
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:] if shown else re.sub(r"\\\n *", " ", text).splitlines()
    for part in parts:
        line, _, prints = part.partition("\n") if shown else (part, "", "")
        code = _EXIT_CODE.search(line)
        alone = shlex.split(line, comments=True)
        while alone:
            end = alone.index("&&") if "&&" in alone else len(alone)
            one, alone = alone[:end], alone[end + 1 :]
            into = one[one.index(">") + 1] if ">" in one else ""
            words = one[: one.index(">")] if into else one
            yield Command(
                words=tuple(words), into=into, code=int(code[1]) if code else 0, prints="" if alone else prints
            )


def left_out() -> list[str]:
    """Return what is marked as not run, and why."""
    return [
        f"{block.place}: {f'`{mark.command}`, ' if mark.command else ''}{mark.reason}"
        for page in PAGES
        for block in blocks(page, "python", "sh", "console")
        for mark in block.marks
    ]
