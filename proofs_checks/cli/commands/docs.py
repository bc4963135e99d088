"""`costproof docs`: the documentation that comes with an installation."""

from __future__ import annotations

import argparse
from pathlib import Path

from bounds.errors import InputError, did_you_mean
from proofs_checks.cli.arguments import option_adder
from proofs_checks.cli.output import tell, write

SUMMARY = "prints a page of the documentation"
DESCRIPTION = (
    "List the pages of the documentation, or print one: where a help or a report says docs/audit.md, "
    "`costproof docs audit` prints it, wherever this program was installed from."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    option_adder(parser)("page PAGE", "as audit, or docs/audit.md", nargs="?")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    pages = {path.stem: path for path in sorted(_folder().glob("*.md")) if path.stem != "README"}
    if arguments.page is None:
        titles = {
            name: path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for name, path in pages.items()
        }
        lines = [f"  {name:<14} {title}" for name, title in titles.items()]
        shown = "\n".join([f"{len(pages)} pages; costproof docs limits says what a verdict does not mean.", "", *lines])
        tell(arguments, lambda: {"pages": titles}, lambda: write(f"{shown}\n"))
        return 0
    name = Path(arguments.page).stem
    if name not in pages:
        remedy = did_you_mean(name, pages, f"the pages are {', '.join(pages)}")
        raise InputError("page", arguments.page, "is no page of the documentation", remedy)
    text = pages[name].read_text(encoding="utf-8")
    tell(arguments, lambda: {"page": name, "markdown": text}, lambda: write(text))
    return 0


def _folder() -> Path:
    """Return where the pages are: inside the package in an installation, at the top of a checkout."""
    package = Path(__file__).parents[2]
    installed = package / "docs"
    return installed if installed.is_dir() else package.parent / "docs"
