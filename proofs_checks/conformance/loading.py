"""Reading what users write: the factory that ``MODULE:OBJECT`` names, and ``NAME=REASON`` of expected failures."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from bounds.errors import InputError, did_you_mean
from proofs_checks.conformance.play.subject import Factory

_FORM = "write MODULE:OBJECT, as my_package.router:make_router, or path/to/file.py:OBJECT"
_FORM_REMEDY = f"{_FORM}; run it from the folder that holds the package"


def load_factory(factory: str) -> Factory:
    """Return the factory that ``MODULE:OBJECT`` or ``path/to/file.py:OBJECT`` names.

    Parameters
    ----------
    factory : str
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
    module, colon, name = factory.rpartition(":")
    if not colon or not module or not name:
        raise InputError("factory", factory, "names no object of a module", _FORM)
    names = _names_in_file(factory, module) if module.endswith(".py") else _names_in_module(factory, module)
    found = _attribute(factory, names, name)
    if not callable(found):
        remedy = "name a function of (config, rng), or a class that takes both"
        raise InputError("factory", factory, f"is {_a(type(found).__name__)}, which cannot be called", remedy)
    made: Factory = found
    return made


def _names_in_module(target: str, module: str) -> dict[str, Any]:
    if _holds_module(Path.cwd(), module.partition(".")[0]):
        _search_in(os.getcwd())
    try:
        return vars(importlib.import_module(module))
    except (Exception, SystemExit) as error:
        if _is_missing(module, error):
            raise InputError("factory", target, f"cannot be imported ({_one_line(error)})", _FORM_REMEDY) from error
        path = f"{module.replace('.', os.sep)}.py"
        raise _not_importable(target, error, _package_remedy(error, path, target)) from error


def _names_in_file(target: str, path: str) -> dict[str, Any]:
    if not Path(path).is_file():
        raise InputError("factory", target, "names a file that does not exist", "give the path of the file")
    _search_in(str(Path(path).resolve().parent))
    try:
        return runpy.run_path(path)
    except (Exception, SystemExit) as error:
        raise _not_importable(target, error, _package_remedy(error, path, target)) from error


def _package_remedy(error: BaseException, path: str, target: str) -> str | None:
    """Return from which folder, and as which module, a file finds the package that it did not find."""
    here, folder = Path.cwd(), _package_folder(error, path)
    module = None if folder is None else _module_of(path, folder)
    if module is None:
        return None
    name = target.rpartition(":")[2]
    if folder == here:
        return f"write {module}:{name}, which imports packages of the current folder as well"
    return f"write {module}:{name} and run it from {folder}, which holds the package"


def _package_folder(error: BaseException, path: str) -> Path | None:
    here = Path.cwd()
    if isinstance(error, ModuleNotFoundError):
        folders = (here, *Path(path).resolve().parents)
        return next((each for each in folders if _holds_module(each, str(error.name))), None)
    if not isinstance(error, ImportError) or "relative import" not in str(error):
        return None
    failing = [each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).is_file()][-1]
    dots = re.match(r"from\s*(\.*)", failing.line or "")
    folder = Path(failing.filename).resolve().parents[len(dots[1]) if dots else 1]
    return here if folder.is_relative_to(here) else folder


def _holds_module(folder: Path, name: str) -> bool:
    return (folder / name).is_dir() or (folder / f"{name}.py").is_file()


def _module_of(path: str, folder: Path) -> str | None:
    """Return the name of a file's module as seen from a folder, None where it has none.

    Examples
    --------
    >>> here = Path.cwd()
    >>> [_module_of(each, here) for each in ("routers/first.py", "my-routers/first.py", "/first.py")]
    ['routers.first', None, None]
    """
    parts = Path(os.path.relpath(Path(path).resolve(), folder)).with_suffix("").parts
    return ".".join(parts) if all(part.isidentifier() for part in parts) else None


def _search_in(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _is_missing(module: str, error: BaseException) -> bool:
    """Return whether there is no such module, rather than one that fails when it is imported."""
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        return module == error.name or module.startswith(f"{error.name}.")
    return _failing_statement(error) is None


def _not_importable(target: str, error: BaseException, remedy: str | None = None) -> InputError:
    place = _failing_statement(error)
    where = "" if place is None else f" at {place}"
    if remedy is None:
        remedy = "it must run by itself when it is imported"
        if isinstance(error, ModuleNotFoundError):
            remedy = f"install the package that has {error.name!r}, or correct the import"
    return InputError("factory", target, f"fails when it is imported{where} ({_one_line(error)})", remedy)


def _failing_statement(error: BaseException) -> str | None:
    """Return file and line of the statement that failed, the importing machinery aside."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{error.filename}:{error.lineno}"
    walked = traceback.walk_tb(error.__traceback__)
    places = [f"{frame.f_code.co_filename}:{line}" for frame, line in walked if not _imports(frame)]
    return places[-1] if places else None


def _imports(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__"))
    return module == __name__ or module.partition(".")[0] in ("importlib", "_frozen_importlib", "runpy")


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())[:160]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _a(name: str) -> str:
    return f"{'an' if name[:1].lower() in tuple('aeiou') else 'a'} {name}"


def _attribute(target: str, names: dict[str, Any], name: str) -> Any:
    first, *rest = name.split(".")
    if first not in names:
        public = [known for known in names if not known.startswith("_")]
        remedy = did_you_mean(first, public, "check the name after the colon", most=3)
        raise InputError("factory", target, f"has no {first!r}", remedy)
    found = names[first]
    for part in rest:
        if not hasattr(found, part):
            raise InputError("factory", target, f"has no {part!r}", "check the name after the colon")
        found = getattr(found, part)
    return found


def parse_expected_failures(pairs: Iterable[str]) -> dict[str, str]:
    """Return reasons by name of the check, from ``NAME=REASON`` each.

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
            remedy = "write NAME=REASON, as lone-payment='we pay a reserve'"
            raise InputError("expected_failures", pair, "gives no reason", remedy)
        if name in expected:
            rule = f"gives a second reason for {name}"
            raise InputError("expected_failures", pair, rule, "give one reason per check")
        expected[name] = reason.strip()
    return expected
