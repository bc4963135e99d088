"""A page for each public module, which Sphinx fills from docstrings, and one for each package that exports names."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
from collections.abc import Iterator, Mapping

from bounds.language.formula import Formula
from bounds.language.quantities import Quantity
from proofs_checks.claims.model.regime import Regime
from proofs_checks.handbook.docstrings import plain_docstring
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
        f"# {code(name)}",
        link("Python", "index.md"),
        block("{eval-rst}", f".. automodule:: {name}\n   :members:"),
        *_values(name),
    )


def _values(module: str) -> Iterator[str]:
    """Yield the values of a module that no comment describes: formulas, quantities and regimes describe themselves."""
    loaded = importlib.import_module(module)
    entries = [_value(name, getattr(loaded, name)) for name in undescribed_values(inspect.getsource(loaded))]
    if entries:
        yield "## Values"
        yield block("{eval-rst}", "\n\n".join([f".. py:currentmodule:: {module}", *entries]))


def undescribed_values(source: str) -> list[str]:
    """Return the constants that a module's source defines without a comment or a docstring for readers.

    Examples
    --------
    >>> undescribed_values("#: Three.\\nA = 3\\nB = 4\\n_C = 5\\nD = 6\\n'Six.'\\n")
    ['B']
    """
    lines, body = source.splitlines(), ast.parse(source).body
    found = []
    for statement, after in itertools.zip_longest(body, body[1:]):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        described = statement.lineno > 1 and lines[statement.lineno - 2].startswith("#:")
        described |= isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        found += [name for name in names if name.isupper() and not name.startswith("_") and not described]
    return found


def _value(name: str, value: object) -> str:
    """Return the entry of a value: what it stands for, and its formula."""
    formula = ""
    if isinstance(value, Formula):
        said, formula = value.quantity.meaning, f"\n\n   .. math:: {value.latex()}"
    elif isinstance(value, Quantity):
        said, formula = value.meaning, f"\n\n   .. math:: {value.latex}"
    else:
        said = value.name if isinstance(value, Regime) else f"a value of the type ``{type(value).__name__}``"
    [words] = plain_docstring([said[:1].upper() + said[1:]])
    return f".. py:data:: {name}\n\n   {words}.{formula}"


def _first_line(module: str) -> str:
    return prose((inspect.getdoc(importlib.import_module(module)) or "").partition("\n\n")[0])


def _summary(module: str, name: str) -> str:
    """Return the first line of what a name stands for; of a value that has no docstring of its own, its type."""
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value) or callable(value):
        return prose((inspect.getdoc(value) or "").partition("\n\n")[0])
    return f"a {type(value).__name__}"
