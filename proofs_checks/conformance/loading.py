"""Reading what users write: the factory that ``MODULE:OBJECT`` names, and ``NAME=REASON`` of expected failures."""

from __future__ import annotations

import difflib
import importlib
import os
import runpy
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bounds.errors import InputError
from proofs_checks.conformance.subject import Factory

_FORM = "write MODULE:OBJECT, as my_package.router:make_router, or path/to/file.py:OBJECT"


def load_factory(target: str) -> Factory:
    """Return the factory that ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT`` names.

    Parameters
    ----------
    target : str
        Modules are looked for in the current folder as well; OBJECT may have dots.

    Raises
    ------
    InputError
        There is no such module or object, importing it fails, or the object cannot be called.

    Examples
    --------
    >>> load_factory("mechanism.platform:reference_mechanism").__name__
    'reference_mechanism'
    """
    module, colon, name = target.rpartition(":")
    if not colon or not module or not name:
        raise InputError("MODULE:OBJECT", target, "names no object of a module", _FORM)
    names = _names_in_file(target, module) if module.endswith(".py") else _names_in_module(target, module)
    found = _attribute(target, names, name)
    if not callable(found):
        remedy = "name a function of (config, rng), or a class that takes both"
        raise InputError("MODULE:OBJECT", target, f"is a {type(found).__name__}, which cannot be called", remedy)
    factory: Factory = found
    return factory


def _names_in_module(target: str, module: str) -> dict[str, Any]:
    folder = os.getcwd()
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return vars(importlib.import_module(module))
    except (Exception, SystemExit) as error:
        raise _not_importable(target, error) from error


def _names_in_file(target: str, path: str) -> dict[str, Any]:
    if not Path(path).is_file():
        raise InputError("MODULE:OBJECT", target, "names a file that does not exist", "give the path of the file")
    folder = str(Path(path).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return runpy.run_path(path)
    except (Exception, SystemExit) as error:
        raise _not_importable(target, error) from error


def _not_importable(target: str, error: BaseException) -> InputError:
    text = " ".join(str(error).split())[:160]
    rule = f"cannot be imported ({type(error).__name__}: {text})"
    return InputError("MODULE:OBJECT", target, rule, f"{_FORM}; run it from the folder that holds the package")


def _attribute(target: str, names: dict[str, Any], name: str) -> Any:
    first, *rest = name.split(".")
    if first not in names:
        public = [known for known in names if not known.startswith("_")]
        near = difflib.get_close_matches(first, public, n=3)
        remedy = f"did you mean {', '.join(near)}?" if near else "check the name after the colon"
        raise InputError("MODULE:OBJECT", target, f"has no {first!r}", remedy)
    found = names[first]
    for part in rest:
        if not hasattr(found, part):
            raise InputError("MODULE:OBJECT", target, f"has no {part!r}", "check the name after the colon")
        found = getattr(found, part)
    return found


def parse_expected_failures(pairs: Iterable[str], option: str = "--expect-failure") -> dict[str, str]:
    """Return reasons by name of the check.

    Parameters
    ----------
    pairs : iterable of str
        ``NAME=REASON`` each.
    option : str, optional
        What errors call them.

    Raises
    ------
    InputError
        No reason, or two for one check.

    Examples
    --------
    >>> parse_expected_failures(["lone-payment=we pay a reserve price"])
    {'lone-payment': 'we pay a reserve price'}
    """
    expected: dict[str, str] = {}
    for pair in pairs:
        name, _, reason = pair.partition("=")
        if not reason.strip():
            raise InputError(option, pair, "gives no reason", "write NAME=REASON, as lone-payment='we pay a reserve'")
        if name in expected:
            raise InputError(option, pair, f"gives a second reason for {name}", "give one reason a check")
        expected[name] = reason.strip()
    return expected
