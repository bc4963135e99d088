"""A page for each public module, which Sphinx fills from docstrings, and one for each package that exports names."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping

from proofs_checks.handbook.markdown import ORPHAN, block, code, link, page, prose, table
from proofs_checks.handbook.public import PACKAGES, exported, public_modules


def module_pages() -> Mapping[str, str]:
    """Return the page of every public module and package, and their index, by file.

    Examples
    --------
    >>> pages = module_pages()
    >>> "automodule:: bounds.report" in pages["bounds.report.md"], "BoundsReport" in pages["bounds.md"]
    (True, True)
    """
    packages = {f"{name}.md": package_page(name) for name in PACKAGES}
    modules = {f"{name}.md": module_page(name) for name in public_modules()}
    return {**modules, **packages, "index.md": _index()}


def _index() -> str:
    packages = ([link(code(name), f"{name}.md"), _first_line(name)] for name in PACKAGES)
    modules = ([link(code(name), f"{name}.md"), _first_line(name)] for name in public_modules())
    return page(
        "# Python",
        "Import what you need from `costproof`. A name is public if one of the packages below exports it, or if a page "
        "of this documentation or an example imports it; its module then has a page. Everything else may change "
        "without notice.",
        "## Packages",
        table(["package", "is"], packages),
        "## Modules",
        table(["module", "is"], modules),
    )


def package_page(name: str) -> str:
    """Return the page of a package: its names, each with its first line, linked to where it is described."""
    rows = [
        [f"{{py:obj}}`{public} <{home}.{public}>`", _summary(home, public)] for public, home in exported(name).items()
    ]
    return ORPHAN + page(
        f"# {code(name)}",
        link("Python", "index.md"),
        prose((inspect.getdoc(importlib.import_module(name)) or "").partition("\n\n")[0]),
        table(["name", "is"], rows),
    )


def module_page(name: str) -> str:
    """Return the page of a module; its docstrings are read when Sphinx builds the page."""
    return ORPHAN + page(
        f"# {code(name)}", link("Python", "index.md"), block("{eval-rst}", f".. automodule:: {name}\n   :members:")
    )


def _first_line(module: str) -> str:
    return prose((inspect.getdoc(importlib.import_module(module)) or "").partition("\n\n")[0])


def _summary(module: str, name: str) -> str:
    """Return the first line of what a name stands for; of a value that has no docstring of its own, its type."""
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value) or callable(value):
        return prose((inspect.getdoc(value) or "").partition("\n\n")[0])
    return f"a {type(value).__name__}"
