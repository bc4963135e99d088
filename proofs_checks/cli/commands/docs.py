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
    "`costproof docs audit` prints it, and `costproof docs router_adapter.py` prints examples/router_adapter.py, "
    "wherever this program was installed from."
)

#: Lists of the pages, which the command itself prints.
_NO_PAGES = ("README", "index")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    option_adder(parser)("page PAGE", "as audit, or docs/audit.md; an example as router_adapter.py", nargs="?")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    pages = {path.stem: path for path in sorted(_folder("docs").glob("*.md")) if path.stem not in _NO_PAGES}
    examples = {path.name: path for path in sorted(_folder("examples").glob("*.py"))}
    if arguments.page is None:
        _list(arguments, pages, examples)
        return 0
    name = Path(arguments.page).name if arguments.page.endswith(".py") else Path(arguments.page).stem
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
