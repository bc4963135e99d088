"""What Coq answered, kept as JSON in the user's cache folder.

An answer stands under the hash of what was asked, for one version of what answered. The folder is the system's for such
files; `COSTPROOF_CACHE` names another, and `COSTPROOF_CACHE=off` keeps nothing. What cannot be read there is asked
again, what cannot be written is not kept: neither is an error.
"""

from __future__ import annotations

import contextlib
import errno
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


def read_kept(name: str) -> dict[str, Any]:
    """Return everything that is kept under a name, plain data by hash; nothing where the file cannot be read."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        if (file := _file(name)) is not None and isinstance(found := json.loads(_read_own(file)), dict):
            return found
    return {}


def keep(name: str, entries: Mapping[str, Any]) -> None:
    """Keep entries under a name, beside those that are there.

    Of two runs that add at the same moment one may lose what it adds: it is found again.
    """
    if (file := _file(name)) is None:
        return
    with contextlib.suppress(OSError, InputError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with replacing(file, _VARIABLE, "name a folder that you may write to, or off") as new:
            new.write_text(json.dumps({**read_kept(name), **entries}), encoding="utf-8")


def _file(name: str) -> Path | None:
    """Return the file of a name, or None where nothing is kept."""
    named = os.environ.get(_VARIABLE, "")
    return None if named == "off" else (Path(named) if named else user_cache_path("costproof")) / f"{name}.json"


def _read_own(file: Path) -> bytes:
    """Return what is in a file of this user's own; that of another user could say anything."""
    if hasattr(os, "getuid") and file.stat().st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "belongs to another user", os.fspath(file))
    return file.read_bytes()
