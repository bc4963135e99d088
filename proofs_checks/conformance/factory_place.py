"""Where a factory stands in its file, found without importing it: its code belongs in a process of its own."""

from __future__ import annotations

import ast
import os
import sys
import tokenize
from collections.abc import Iterable
from importlib.machinery import PathFinder
from itertools import accumulate


def factory_place(factory: str) -> tuple[str, int] | None:
    """Return the file of a factory and the line that defines it; None where there is no such source file.

    Parameters
    ----------
    factory : str
        ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT``, as `loading.load_factory` takes it. The line is 1 where
        OBJECT is not defined by a statement of the file.

    Examples
    --------
    >>> path, line = factory_place("proofs_checks.conformance.factory_place:factory_place")
    >>> os.path.basename(path), line > 1
    ('factory_place.py', True)
    """
    module, _, name = factory.rpartition(":")
    path = module if module.endswith(".py") else _file_of(module)
    if path is None or not path.endswith(".py") or not os.path.isfile(path):
        return None
    return path, _line_of(path, name)


def _file_of(module: str) -> str | None:
    folders: Iterable[str] | None = [os.getcwd(), *sys.path]
    origin = None
    for name in accumulate(module.split("."), "{}.{}".format):
        spec = None if folders is None else PathFinder.find_spec(name, [*folders])
        if spec is None:
            return None
        folders, origin = spec.submodule_search_locations, spec.origin
    return origin


def _line_of(path: str, name: str) -> int:
    """Return the line of a name of a file, or of one within it, as ``Routers.make``."""
    try:
        with tokenize.open(path) as file:
            body = ast.parse(file.read()).body
    except (OSError, SyntaxError, ValueError):
        return 1
    line = 1
    for part in name.split("."):
        found = next((each for each in reversed(body) if part in _names(each)), None)
        if found is None:
            break
        line, body = found.lineno, getattr(found, "body", [])
    return line


def _names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines."""
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name for alias in statement.names}
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return {target.id for target in targets if isinstance(target, ast.Name)}
