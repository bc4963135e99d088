"""The table of providers that a setting file names: where it is, and how much of it is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from bounds.errors import InputError, printable
from bounds.setting.model import PlatformParameters, Provider

_REMEDY = 'write providers = "providers.csv", a file in the folder of the setting file or below it'


#: Limits within which a table is read: rows, as many providers as a market can have; bytes, after decompression; and
#: characters of one cell, a name or the digits of a number.
MOST_ROWS, MOST_BYTES, MOST_CHARACTERS = 1 << 20, 1 << 28, 1000


@dataclass(frozen=True, kw_only=True)
class ProviderTable:
    """A file with a row for each provider.

    Parameters
    ----------
    location : str
        Its path. The ending says the format.
    given : str
        The path as the setting file has it.
    """

    location: str
    given: str


#: Returns the providers of a table, whose costs the platform's parameters bound.
TableReader = Callable[[ProviderTable, PlatformParameters], tuple[Provider, ...]]


def table_named_by(given: Any, folder: Path | None) -> ProviderTable:
    """Return the table that ``providers`` names in a setting file.

    Parameters
    ----------
    given : str
        Its path.
    folder : Path or None
        Of the setting file; None where the setting came from elsewhere.

    Raises
    ------
    InputError
        It names no plain file in the folder or below it.

    Examples
    --------
    >>> table_named_by("../providers.csv", Path("markets"))
    Traceback (most recent call last):
        ...
    bounds.errors.InputError: providers='../providers.csv' must lie in the folder of the setting file or below it: ...
    """
    if not isinstance(given, str) or not given:
        raise InputError("providers", given, "must name a file", _REMEDY)
    if folder is None:
        rule = "names a table, but this setting has no folder to look in"
        raise InputError("providers", given, rule, "save the setting in a file beside the table and name that file")
    return ProviderTable(location=_plain_file(given, folder), given=given)


def _plain_file(given: str, folder: Path) -> str:
    """Return the path of a plain file in a folder or below it; a link may not lead out of the folder either."""
    location = os.path.join(folder, given)
    try:
        inside = Path(location).resolve().is_relative_to(folder.resolve())
        if PurePath(given).is_absolute() or ".." in PurePath(given).parts or not inside:
            rule = "must lie in the folder of the setting file or below it"
            raise InputError("providers", given, rule, "copy the table there, and name it by its path from there")
        kind = os.stat(location).st_mode
    except InputError:
        raise
    except (OSError, ValueError, RuntimeError) as error:  # a NUL character, a circle of links
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise InputError("providers", given, f"cannot be read ({printable(reason, 160)})", _REMEDY) from None
    if not stat.S_ISREG(kind):
        what = "a folder" if stat.S_ISDIR(kind) else "a device, a pipe or a socket"
        raise InputError("providers", given, f"is {what}, not a plain file", _REMEDY)
    return location
