"""How Sphinx builds the site: `sphinx-build -W docs build/site`. Commands and theorems are written to `generated/`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from importlib.metadata import version as installed_version
from pathlib import Path

from sphinx.application import Sphinx

from bounds.glossary import GLOSSARY
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.commands import SUMMARIES
from proofs_checks.cli.main import make_parser
from proofs_checks.conformance.descriptions import DESCRIPTIONS, profiles_of
from proofs_checks.proofs.theorem_page import pages

project = "costproof"
author = "The costproof developers"
copyright = "the costproof developers"
version = release = installed_version("costproof")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
default_role = "literal"
# Two hyphens begin an option: they are no dash.
smartquotes_action = "qe"

myst_heading_anchors = 4

autodoc_member_order = "bysource"
# Types stand in the docstrings, in words.
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"costproof {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

#: Outside code: a bar, which begins a substitution, and an underscore behind a word, which makes it a link.
_MARKUP = re.compile(r"(`+[^`]*`+)|(\||(?<=\w)_(?!\w))")


def setup(app: Sphinx) -> None:
    """Write the generated pages before Sphinx looks for sources, and have docstrings read as they are written."""
    generated = Path(app.srcdir) / "generated"
    _write_commands(generated)
    _write_glossary(generated)
    _write_checks(generated)
    _write_findings(generated)
    _write_theorems(generated)
    app.connect("autodoc-process-docstring", _escape, priority=100)


def _write_commands(folder: Path) -> None:
    """Write what `--help` prints, a section for each command."""
    os.environ["COLUMNS"] = "88"
    parser = make_parser()
    [commands] = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
    sections = [f"## `costproof {name}`\n\n```text\n{commands[name].format_help()}```\n" for name in SUMMARIES]
    folder.mkdir(exist_ok=True)
    text = "\n".join([f"# Commands\n\n```text\n{parser.format_help()}```\n", *sections])
    (folder / "commands.md").write_text(text, encoding="utf-8")


def _write_glossary(folder: Path) -> None:
    """Write what tables, figures and pages call each quantity, with its symbol and unit."""
    rows = {e.name: (e.name, f"`{key}`", e.symbol, e.unit, e.meaning) for key, e in GLOSSARY.items()}
    _write_table(folder / "quantities.md", "Quantities", ("name", "key", "symbol", "unit", "meaning"), rows.values())


def _write_checks(folder: Path) -> None:
    """Write what every check of a mechanism says, in the order in which they run."""
    rows = [
        (f"`{each.name}`", each.group, ", ".join(profiles_of(each.name)), f"`{each.claim}`", each.says)
        for each in DESCRIPTIONS.values()
    ]
    _write_table(folder / "checks.md", "Checks", ("check", "group", "profiles", "claim", "says"), rows)


def _write_findings(folder: Path) -> None:
    """Write what is wrong with wordings of the paper and with tempting readings of it."""
    found = [each for each in all_claims().values() if each.finding]
    rows = [
        (
            f"`{each.label}`",
            "reading" if each.stronger_reading else "wording",
            _plain(each.statement),
            _plain(each.finding),
            f"`{each.repaired_by}`",
        )
        for each in sorted(found, key=lambda each: each.stronger_reading)
    ]
    _write_table(folder / "findings.md", "Findings", ("claim", "kind", "it says", "finding", "what holds"), rows)


def _plain(text: str) -> str:
    """Return a text whose asterisks and bars are no markup."""
    return text.replace("|", r"\|").replace("*", r"\*")


def _write_table(path: Path, title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    path.write_text("\n".join([f"# {title}", "", *lines, ""]), encoding="utf-8")


def _write_theorems(folder: Path) -> None:
    """Write a page for each label that has a theorem in Coq, and their index."""
    names = []
    for label, text in pages():
        names.append(f"theorem-{label.replace(':', '-')}")
        (folder / f"{names[-1]}.md").write_text(text, encoding="utf-8")
    listed = "\n".join(["```{toctree}", ":maxdepth: 1", "", *names, "```"])
    index = f"# Theorems\n\nEach label with the theorem in Coq that states it.\n\n{listed}\n"
    (folder / "theorems.md").write_text(index, encoding="utf-8")


def _escape(_app: Sphinx, kind: str, _name: str, _of: object, _options: object, lines: list[str]) -> None:
    """Escape signs that reStructuredText takes for markup, outside code and examples."""
    example = False
    for place, line in enumerate(lines):
        example = (example or line.lstrip().startswith(">>>")) and bool(line.strip())
        if not example:
            lines[place] = _MARKUP.sub(lambda found: found[1] or f"\\{found[2]}", line)
    if kind in ("property", "attribute", "data"):
        # Napoleon takes the words before a colon for a type, unless an empty comment comes first.
        lines[:0] = ["..", ""]
