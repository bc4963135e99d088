"""`costproof docs`: the documentation and the examples that come with an installation."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from bounds.errors import InputError, did_you_mean
from proofs_checks.cli.arguments import Options
from proofs_checks.cli.documents import DocumentationExample, DocumentationList, DocumentationPage
from proofs_checks.cli.output import tell, write
from proofs_checks.cli.prose import wrapped

DESCRIPTION = (
    "List the pages of the documentation and the examples, or print one. `costproof docs audit` prints the page about "
    "a command, `costproof docs your-router` the tutorial docs/tutorials/your-router.md, `costproof docs "
    "check#in-pytest` a section of a page, and `costproof docs router_adapter.py` the file examples/router_adapter.py."
)

#: The pages about commands and methods of bounds whose own names differ.
_SHORT = {
    "audit": "how-to/audit-a-log",
    "bounds": "tutorials/your-market",
    "check": "how-to/check-a-mechanism",
    "cite": "reference/commands",
    "compare": "how-to/compare-policies",
    "completion": "reference/commands",
    "docs": "reference/commands",
    "explore": "how-to/explore-a-market",
    "market": "how-to/public-evaluations",
    "page": "how-to/read-a-report",
    "play": "how-to/write-a-policy",
    "prove": "reference/proofs",
    "replay": "reference/claims",
    "reproduce": "explanation/reproduction",
    "settings": "reference/setting-file",
    "sharp": "explanation/sharper-bounds",
    "sharpest": "explanation/sharper-bounds",
    "simulate": "reference/metrics",
    "sweep": "how-to/sweep-settings",
    "verify": "explanation/verdicts",
}


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("page PAGE", "as audit, your-router or your-router#a-section; an example as router_adapter.py", nargs="?")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    pages = _pages(_folder("docs"))
    examples = {path.name: path for path in sorted(_folder("examples").glob("*.py"))}
    if arguments.page is None:
        _list(arguments, pages, examples)
        return 0
    asked, _, section = arguments.page.partition("#")
    name = Path(asked).name if asked.endswith(".py") else _page_name(asked, pages)
    if name in examples:
        program = examples[name].read_text(encoding="utf-8")
        tell(arguments, lambda: DocumentationExample(example=name, python=program), lambda: write(program))
        return 0
    if name not in pages:
        known = [*(page.partition("/")[2] for page in pages), *_SHORT, *examples]
        remedy = did_you_mean(name, known, f"{_mentioning(name, pages)}`costproof docs` lists the pages")
        raise InputError("page", arguments.page, "is not a page of the documentation", remedy)
    text = pages[name].read_text(encoding="utf-8")
    text = _section(text, name, section) if section else text
    tell(arguments, lambda: DocumentationPage(page=name, markdown=text), lambda: write(text))
    return 0


def _mentioning(word: str, pages: Mapping[str, Path]) -> str:
    """Return the pages that mention a word most often, for an error; empty if none does."""
    times = {page: path.read_text(encoding="utf-8").casefold().count(word.casefold()) for page, path in pages.items()}
    most = [page.partition("/")[2] for page in sorted(pages, key=times.__getitem__, reverse=True)[:3] if times[page]]
    return f"it is mentioned in {', '.join(most)}; " if most else ""


def _section(text: str, page: str, asked: str) -> str:
    """Return a section of a page, up to the next heading of its rank."""
    headings = list(_HEADING.finditer(_without_blocks(text)))
    places = {_anchor_of(heading["title"]): at for at, heading in reversed(list(enumerate(headings)))}
    if asked not in places:
        remedy = did_you_mean(asked, [*places], f"the sections are {', '.join(places)}", cutoff=0.4)
        raise InputError("page", f"{page}#{asked}", "is not a section of the page", remedy)
    found = headings[places[asked]]
    later = headings[places[asked] + 1 :]
    end = next((one.start() for one in later if len(one["rank"]) <= len(found["rank"])), len(text))
    return text[found.start() : end].rstrip() + "\n"


def _anchor_of(heading: str) -> str:
    """Return the anchor of a heading, as GitHub and the site have it.

    Examples
    --------
    >>> _anchor_of("What `check` does not mean, yet")
    'what-check-does-not-mean-yet'
    """
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")


_HEADING = re.compile(r"^(?P<rank>#+) (?P<title>.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def _without_blocks(text: str) -> str:
    """Return a page as long as it is, with blanks for its blocks of code: a comment there is not a heading."""
    return _BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text)


#: The folders of pages, in the order in which one reads them.
_FOLDERS = ("tutorials", "how-to", "explanation", "reference", "development")


def _pages(folder: Path) -> dict[str, Path]:
    """Return the pages by name, without the index of each folder and without what is generated."""
    return {
        f"{name}/{path.stem}": path
        for name in _FOLDERS
        for path in sorted((folder / name).glob("*.md"))
        if path.stem != "index"
    }


def _page_name(asked: str, pages: Mapping[str, Path]) -> str:
    """Return the name of what was asked for as audit, docs/tutorials/your-router.md or your-router."""
    name = asked.removeprefix("docs/").removesuffix(".md")
    last = name.rpartition("/")[2]
    alike = [page for page in pages if page.endswith(f"/{last}")]
    return next((page for page in (name, *alike, _SHORT.get(last, last)) if page in pages), last)


def _list(arguments: argparse.Namespace, pages: Mapping[str, Path], examples: Mapping[str, Path]) -> None:
    """List the pages by folder, and the examples; the document has the title of each."""
    by_folder = [[page.partition("/")[2] for page in pages if page.startswith(f"{name}/")] for name in _FOLDERS]
    shown = [
        wrapped("`costproof docs PAGE` prints a page, or the page about a command: `costproof docs first-verdict`."),
        *(wrapped(f"{name}: {', '.join(inside)}", hanging=2) for name, inside in zip(_FOLDERS, by_folder, strict=True)),
        wrapped(f"examples: {', '.join(examples)}", hanging=2),
        wrapped("`costproof docs router_adapter.py > router_adapter.py` writes an example."),
    ]
    titles = {name: _first_line(path).lstrip("# ") for name, path in pages.items()}
    programs = {name: _first_line(path).strip('"') for name, path in examples.items()}
    found = DocumentationList(pages=titles, examples=programs)
    tell(arguments, lambda: found, lambda: write("\n\n".join([*shown, ""])))


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0]


def _folder(name: str) -> Path:
    """Return where pages or examples are: inside the package in an installation, at the top of a checkout."""
    package = Path(__file__).parents[2]
    installed = package / name
    return installed if installed.is_dir() else package.parent / name
