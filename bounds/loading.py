"""A setting by its built-in name or by the path of its file."""

from __future__ import annotations

import os
from pathlib import Path

from bounds.errors import InputError, printable
from bounds.published import published
from bounds.setting.model import Setting
from bounds.setting.table import TableReader


def load_setting(name_or_path: str | os.PathLike[str], table_reader: TableReader | None = None) -> Setting:
    """Return a built-in setting by its name, or read the TOML file at a path.

    A built-in name wins over a file of the same name; write ``./gsm8k-full`` for the file. A file that names a table
    of providers needs a `table_reader`; see `bounds.setting.file.read_setting`.

    Raises
    ------
    InputError
        If it is neither, or if the file is not a valid setting.

    Examples
    --------
    >>> load_setting("gpqa-strong").n_providers
    4
    """
    try:
        name = os.fsdecode(name_or_path)
        return published(name).setting
    except TypeError:
        remedy = "give a built-in name or the path of a TOML setting file"
        raise InputError("setting", name_or_path, "must be a path or a name", remedy) from None
    except InputError as error:
        unknown = error
    try:
        if os.path.exists(name):
            from bounds.setting.file import read_setting  # a built-in setting needs no reader of TOML

            return read_setting(name, table_reader)
    except InputError as error:
        if error.argument != "path":
            raise
        raise error.about("setting") from None
    is_path = name.endswith(".toml") or Path(name).name != name
    rule = "is not an existing file" if is_path else "is neither a built-in setting nor an existing file"
    file = f"{name}.toml"
    near = f"did you mean the file {printable(file)}?" if not is_path and os.path.isfile(file) else unknown.remedy
    raise InputError("setting", name, rule, f"{near}; anything else must be the path of a TOML file")
