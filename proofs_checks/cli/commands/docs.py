"""`costproof docs`: the documentation and the examples that come with an installation."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from bounds.errors import InputError, did_you_mean
from proofs_checks.cli.arguments import option_adder
from proofs_checks.cli.documents import DocumentationExample, DocumentationList, DocumentationPage
from proofs_checks.cli.output import tell, write
from proofs_checks.cli.prose import wrapped

DESCRIPTION = (
    "List the pages of the documentation and the examples, or print one: where a help or a report says docs/audit.md, "
    "`costproof docs audit` prints it. `costproof docs check#reading-a-result` prints a section of a page, `costproof "
    "docs tutorials/your-router` a tutorial, and `costproof docs router_adapter.py` examples/router_adapter.py, "
    "wherever this program was installed from."
)

#: Lists of the pages, which the command itself prints.
_LISTS = ("README", "index")
#: Pages that earlier versions had, and what to read instead.
_REMOVED = {
    "attacks": "see kernel#what-is-checked",
    "certificates": "see kernel",
    "first-lines": "see check",
    "first-lines-in-flight": "see check",
    "growth": "see speed",
    "mutants": "see check",
    "power": "see limits; `costproof verify` says of each claim how much of its bound was used",
    "proofs": "`costproof prove LABEL` prints the theorem about a claim",
    "properties": "see check; `costproof check --list` has the checks, weakest first",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    option_adder(parser)(
        "page PAGE", "as audit, or docs/audit.md, or audit#a-section; an example as router_adapter.py", nargs="?"
    )


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
    if name in _REMOVED:
        raise InputError("page", name, "was removed", _REMOVED[name])
    if name not in pages:
        remedy = did_you_mean(name, [*pages, *examples], f"the pages are {', '.join(pages)}")
        raise InputError("page", arguments.page, "is no page of the documentation", remedy)
    text = pages[name].read_text(encoding="utf-8")
    text = _section(text, name, section) if section else text
    tell(arguments, lambda: DocumentationPage(page=name, markdown=text), lambda: write(text))
    return 0


def _section(text: str, page: str, asked: str) -> str:
    """Return a section of a page, with what stands below its heading up to the next of its rank."""
    headings = list(_HEADING.finditer(_without_blocks(text)))
    places = {_anchor_of(heading["title"]): at for at, heading in reversed(list(enumerate(headings)))}
    if asked not in places:
        remedy = did_you_mean(asked, [*places], f"the sections are {', '.join(places)}", cutoff=0.4)
        raise InputError("page", f"{page}#{asked}", "is no section of the page", remedy)
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
    """Return a page as long as it is, with blanks for its blocks of code: a comment there is no heading."""
    return _BLOCK.sub(lambda block: re.sub(r"[^\n]", " ", block.group()), text)


def _pages(folder: Path) -> dict[str, Path]:
    """Return the pages by name, those of folders last; no list of pages, and none that is generated."""
    found = [path for path in folder.rglob("*.md") if path.stem not in _LISTS]
    named = {path.relative_to(folder).with_suffix("").as_posix(): path for path in found}
    written = [name for name in named if not name.startswith("generated/")]
    return {name: named[name] for name in sorted(written, key=lambda name: ("/" in name, name))}


def _page_name(asked: str, pages: Mapping[str, Path]) -> str:
    """Return the name of what was asked for as audit, docs/audit.md, tutorials/your-router or your-router."""
    name = asked.removeprefix("docs/").removesuffix(".md")
    last = name.rpartition("/")[2]
    alike = [page for page in pages if page.endswith(f"/{last}")]
    return next((page for page in (name, last, *alike) if page in pages), last)


def _list(arguments: argparse.Namespace, pages: Mapping[str, Path], examples: Mapping[str, Path]) -> None:
    """Tell the pages and the examples, each with its first line."""
    titles = {name: _first_line(path).lstrip("# ") for name, path in pages.items()}
    programs = {name: _first_line(path).strip('"') for name, path in examples.items()}
    shown = [
        wrapped(f"{len(pages)} pages; `costproof docs limits` says what a verdict does not mean."),
        "",
        *(wrapped(f"{name:<14} {title}", 2, hanging=17) for name, title in titles.items()),
        "",
        wrapped(f"{len(examples)} examples; `costproof docs router_adapter.py > router_adapter.py` writes one."),
        "",
        *(line for name, title in programs.items() for line in (f"  {name}", wrapped(title, 4))),
    ]
    found = DocumentationList(pages=titles, examples=programs)
    tell(arguments, lambda: found, lambda: write("\n".join([*shown, ""])))


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0]


def _folder(name: str) -> Path:
    """Return where pages or examples are: inside the package in an installation, at the top of a checkout."""
    package = Path(__file__).parents[2]
    installed = package / name
    return installed if installed.is_dir() else package.parent / name
