"""What Coq answered, kept as JSON in the user's cache folder.

An answer stands under the hash of what was asked, for one version of what answered. The folder is the system's for such
files; `COSTPROOF_CACHE` names another, and `COSTPROOF_CACHE=off` keeps nothing. What cannot be read there is asked
again, what cannot be written is not kept: neither is an error.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from bounds.errors import InputError
from mechanism.files import replacing

#: Names another folder; "off" keeps nothing.
_VARIABLE = "COSTPROOF_CACHE"


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


class KeptTable:
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
