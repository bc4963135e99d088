"""The front door to settings: what somebody means by a name, a path or an object."""

from __future__ import annotations

import os
from pathlib import Path

from bounds.errors import InputError, printable
from bounds.published import PublishedSetting, published
from bounds.setting.model import Setting
from bounds.setting.table import TableReader

#: A setting, one of the paper's, a built-in name, or the path of a TOML file.
AnySetting = Setting | PublishedSetting | str | os.PathLike[str]


def load_setting(given: AnySetting, table_reader: TableReader | None = None, *, argument: str = "setting") -> Setting:
    """Return the setting that somebody means: one by itself, a built-in one by its name, or that of a TOML file.

    A built-in name wins over a file of the same name; write ``./gsm8k-full`` for the file. A file that names a table
    of providers needs a `table_reader`; see `bounds.setting.file.read_setting`.

    Raises
    ------
    InputError
        It is nothing of these, or the file is not a valid setting; the error names the argument.

    Examples
    --------
    >>> load_setting("gpqa-strong").n_providers
    4
    """
    if isinstance(given, Setting):
        return given
    if isinstance(given, PublishedSetting):
        return given.setting
    if not isinstance(given, (str, os.PathLike)):
        rule = "must be a Setting, a built-in name or the path of a TOML file"
        raise InputError(argument, given, rule, "the built-in names are listed by `costproof settings`")
    name = os.fsdecode(given)
    try:
        return published(name).setting
    except InputError as error:
        unknown = error
    try:
        if os.path.exists(name):
            from bounds.setting.file import read_setting  # a built-in setting needs no reader of TOML

            return read_setting(name, table_reader)
    except InputError as error:
        if error.argument != "path":
            raise
        raise error.about(argument) from None
    is_path = name.endswith(".toml") or Path(name).name != name
    rule = "is not an existing file" if is_path else "is neither a built-in setting nor an existing file"
    file = f"{name}.toml"
    near = f"did you mean the file {printable(file)}?" if not is_path and os.path.isfile(file) else unknown.remedy
    raise InputError(argument, name, rule, f"{near}; anything else must be the path of a TOML file")
