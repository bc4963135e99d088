"""A setting by its built-in name or the path of its file, whose providers may stand in a table beside it."""

from __future__ import annotations

import os

from bounds import loading
from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.setting.table import ProviderTable

__all__ = ["load_setting"]


def load_setting(name_or_path: str | os.PathLike[str]) -> Setting:
    """Return a built-in setting by its name, or read the TOML file at a path and the table of providers that it names.

    A built-in name wins over a file of the same name; write ``./gsm8k-full`` for the file.

    Parameters
    ----------
    name_or_path : str or path-like

    Raises
    ------
    InputError
        If it is neither, or if the file or the table breaks a rule: one line that names the file, the place, the
        value, the rule and the remedy.

    Examples
    --------
    >>> load_setting("gpqa-strong").n_providers
    4
    """
    return loading.load_setting(name_or_path, _providers)


def _providers(table: ProviderTable, platform: PlatformParameters) -> tuple[Provider, ...]:
    # Few settings name a table: the others do not wait for its reader.
    from mechanism.tabular.providers import read_providers

    return read_providers(table, platform)
