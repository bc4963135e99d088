"""The table of providers that a setting file names: where it is, and how much of it is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path, PurePath
from typing import Any

from bounds.errors import InputError, did_you_mean, printable
from bounds.setting.model import PlatformParameters, Provider

__all__ = ["ProviderTable", "TableReader", "raised_by", "table_named_by"]

_REMEDY = 'write providers = "providers.csv", a file in the folder of the setting file or below it'


@dataclass(frozen=True, kw_only=True)
class ProviderTable:
    """A file with a row for each provider, and the limits within which it is read.

    Parameters
    ----------
    location : str
        Its path. The ending says the format.
    given : str
        The path as the setting file has it.
    most_rows : int, optional
        Rows that are read at most; by default 2^20, as many providers as a market can have.
    most_bytes : int, optional
        Bytes that are read at most, after decompression.
    most_characters : int, optional
        Characters of one cell, a name or the digits of a number.
    """

    location: str
    given: str
    most_rows: int = 1 << 20
    most_bytes: int = 1 << 28
    most_characters: int = 1000


#: Returns the providers of a table, whose costs the platform's parameters bound.
TableReader = Callable[[ProviderTable, PlatformParameters], tuple[Provider, ...]]

#: The limits that a setting file may change.
_LIMITS = tuple(field.name for field in fields(ProviderTable) if isinstance(field.default, int))


def raised_by(table: ProviderTable, limit: str) -> str:
    """Return how to raise one of the limits, as errors tell it.

    Examples
    --------
    >>> raised_by(ProviderTable(location="a.csv", given="a.csv"), "most_rows")
    'to read more, write providers = {file = "a.csv", most_rows = 2097152} in the setting file'
    """
    larger = 2 * getattr(table, limit)
    return f'to read more, write providers = {{file = "{table.given}", {limit} = {larger}}} in the setting file'


def table_named_by(value: str | dict[str, Any], folder: Path | None) -> ProviderTable:
    """Return the table that ``providers`` names in a setting file.

    Parameters
    ----------
    value : str or dict
        A path, or a table with the path as ``file`` beside limits.
    folder : Path or None
        Of the setting file; None where the setting came from elsewhere.

    Raises
    ------
    InputError
        It names no plain file in the folder or below it, or a limit is no whole number.

    Examples
    --------
    >>> table_named_by("../providers.csv", Path("markets"))
    Traceback (most recent call last):
        ...
    bounds.errors.InputError: providers='../providers.csv' must lie in the folder of the setting file or below it: ...
    """
    named = {"file": value} if isinstance(value, str) else value
    for key in named:
        if key not in ("file", *_LIMITS):
            near = did_you_mean(key, ("file", *_LIMITS), f"the keys here are file, {', '.join(_LIMITS)}")
            raise InputError(f"providers.'{printable(key, 40)}'", named[key], "is not a known key", near)
    given = named.get("file")
    if not isinstance(given, str) or not given:
        raise InputError("providers", given, "must name a file", _REMEDY)
    limits = {key: _limit(key, named[key]) for key in _LIMITS if key in named}
    if folder is None:
        rule = "names a table, but this setting has no folder to look in"
        raise InputError("providers", given, rule, "save the setting in a file beside the table and name that file")
    return ProviderTable(location=_plain_file(given, folder), given=given, **limits)


def _limit(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 1 << 40:
        raise InputError(f"providers.{key}", value, "must be a whole number in 1..2^40", "leave it out for the default")
    return value


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
