"""`costproof docs`: the documentation and the examples that come with an installation."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from bounds.errors import InputError, did_you_mean
from proofs_checks.cli.arguments import option_adder
from proofs_checks.cli.output import tell, write
from proofs_checks.cli.prose import wrapped

DESCRIPTION = (
    "List the pages of the documentation and the examples, or print one: where a help or a report says docs/audit.md, "
    "`costproof docs audit` prints it, `costproof docs tutorials/your-router` prints a tutorial, and `costproof docs "
    "router_adapter.py` prints examples/router_adapter.py, wherever this program was installed from."
)

#: Lists of the pages, which the command itself prints.
_LISTS = ("README", "index")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    option_adder(parser)("page PAGE", "as audit, or docs/audit.md; an example as router_adapter.py", nargs="?")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    pages = _pages(_folder("docs"))
    examples = {path.name: path for path in sorted(_folder("examples").glob("*.py"))}
    if arguments.page is None:
        _list(arguments, pages, examples)
        return 0
    name = Path(arguments.page).name if arguments.page.endswith(".py") else _page_name(arguments.page, pages)
    if name in examples:
        program = examples[name].read_text(encoding="utf-8")
        tell(arguments, lambda: {"example": name, "python": program}, lambda: write(program))
        return 0
    if name not in pages:
        remedy = did_you_mean(name, [*pages, *examples], f"the pages are {', '.join(pages)}")
        raise InputError("page", arguments.page, "is no page of the documentation", remedy)
    text = pages[name].read_text(encoding="utf-8")
    tell(arguments, lambda: {"page": name, "markdown": text}, lambda: write(text))
    return 0


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
    tell(arguments, lambda: {"pages": titles, "examples": programs}, lambda: write("\n".join([*shown, ""])))


def _first_line(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0]


def _folder(name: str) -> Path:
    """Return where pages or examples are: inside the package in an installation, at the top of a checkout."""
    package = Path(__file__).parents[2]
    installed = package / name
    return installed if installed.is_dir() else package.parent / name
