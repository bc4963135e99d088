"""What is kept between runs, in the user's cache folder: nothing is asked twice that cannot have changed.

Two things are kept. A solver's answer to a script stands under the hash of the script, for one version of the solver.
What was found about proofs stands under a hash of this program, its certificates and the versions of what it computes
with: whatever of these changes, all is done again. The folder is the system's for such files; `COSTPROOF_CACHE` names
another, and `COSTPROOF_CACHE=off` keeps nothing. What cannot be read there is done again, what cannot be written is
not kept: neither is an error.
"""

from __future__ import annotations

import contextlib
import copyreg
import errno
import functools
import hashlib
import json
import os
import pickle
import zlib
from collections.abc import Callable, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from platformdirs import user_cache_path

from bounds.errors import InputError
from mechanism.files import replacing
from mechanism.versions import versions

_Found = TypeVar("_Found")
#: Names another folder; "off" keeps nothing.
_VARIABLE = "COSTPROOF_CACHE"
#: What decides what is found: the program, with its certificates.
_PACKAGES = ("bounds", "mechanism", "proofs_checks")
#: So many findings are kept, the newest.
_MOST = 12


def kept_folder() -> Path | None:
    """Return the folder in which things are kept, or None where nothing is."""
    named = os.environ.get(_VARIABLE, "")
    return None if named == "off" else Path(named) if named else user_cache_path("costproof")


def hash_of(*parts: str) -> str:
    """Return a hash of texts, by which what was found of them is known again.

    Examples
    --------
    >>> hash_of("a", "b") == hash_of("ab")
    False
    """
    lengths = "".join(f"{len(part)}," for part in parts)
    return hashlib.sha256("\n".join([lengths, *parts]).encode()).hexdigest()


class Table:
    """Plain data by hash, in one file.

    Parameters
    ----------
    name : str
        Of the file.

    Notes
    -----
    Of two runs that add at the same moment one may lose what it adds: it is found again.
    """

    def __init__(self, name: str) -> None:
        folder = kept_folder()
        self._file = None if folder is None else folder / f"{name}.json"

    def read(self) -> dict[str, Any]:
        """Return everything; nothing where the file cannot be read."""
        with contextlib.suppress(OSError, ValueError, RecursionError):
            if self._file is not None and isinstance(found := json.loads(_read_own(self._file)), dict):
                return found
        return {}

    def add(self, entries: Mapping[str, Any]) -> None:
        """Add entries."""
        if self._file is not None and entries:
            _write(self._file, json.dumps({**self.read(), **entries}).encode())


def kept_finding(
    name: str, *parts: str, make: Callable[[], _Found], keep: Callable[[_Found], bool], fresh: bool = False
) -> tuple[_Found, bool]:
    """Return what an earlier run of the same program found, or what `make` finds now; and whether it was kept.

    Parameters
    ----------
    name : str
        What is found.
    parts : str
        What it depends on besides the program.
    make : callable
    keep : callable
        Whether what was found now may be kept.
    fresh : bool, optional
        Find it now, and keep that in the place of what was found before.
    """
    folder = kept_folder()
    if folder is None:
        return make(), False
    file = folder / "findings" / f"{name}-{hash_of(_program(), *parts)}.pickle"
    if not fresh:
        with contextlib.suppress(Exception):
            return pickle.loads(zlib.decompress(_read_own(file))), True
    found = make()
    if keep(found):
        _write(file, zlib.compress(_pickled(found), 1))
        _forget_old(file.parent)
    return found, False


def _read_only(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(mapping)


def _pickled(found: object) -> bytes:
    text = BytesIO()
    pickler = pickle.Pickler(text, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = copyreg.dispatch_table | {MappingProxyType: lambda one: (_read_only, (dict(one),))}
    pickler.dump(found)
    return text.getvalue()


@functools.cache
def _program() -> str:
    """Return a hash of this program, of its certificates, and of the versions of what it computes with."""
    packages = [content for name in _PACKAGES for content in _contents(files(name))]
    found = versions({"z3": "z3-solver", "cvc5": "cvc5", "numba": "numba"})
    return hash_of(json.dumps(found, sort_keys=True), *packages)


def _contents(folder: Traversable) -> list[str]:
    found: list[str] = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            found += _contents(each) if each.name != "__pycache__" else []
        elif each.name.endswith((".py", ".json", ".v")):
            found += [each.name, hashlib.sha256(each.read_bytes()).hexdigest()]
    return found


def _read_own(file: Path) -> bytes:
    """Return what is in a file of this user's own; that of another user could say anything."""
    if hasattr(os, "getuid") and file.stat().st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "belongs to another user", os.fspath(file))
    return file.read_bytes()


def _write(file: Path, content: bytes) -> None:
    with contextlib.suppress(OSError, InputError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file, _VARIABLE, "name a folder that you may write to, or off") as new:
            new.write_bytes(content)


def _forget_old(folder: Path) -> None:
    with contextlib.suppress(OSError):
        by_age = sorted(folder.glob("*.pickle"), key=lambda each: each.stat().st_mtime, reverse=True)
        for old in by_age[_MOST:]:
            old.unlink(missing_ok=True)
