"""The front door to settings, for files too that name a table of providers."""

from __future__ import annotations

from bounds import loading
from bounds.loading import AnySetting
from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.setting.table import ProviderTable


def load_setting(given: AnySetting, *, argument: str = "setting") -> Setting:
    """Return the setting that somebody means: one by itself, a built-in one by its name, or that of a TOML file.

    A built-in name wins over a file of the same name; write ``./gsm8k-full`` for the file. The providers may stand in
    a table that the file names.

    Parameters
    ----------
    given : Setting, PublishedSetting, str or path-like
    argument : str, optional
        What errors call it.

    Raises
    ------
    InputError
        It is nothing of these, or the file or the table breaks a rule: one line that names the file, the place, the
        value, the rule and the remedy.

    Examples
    --------
    >>> load_setting("gpqa-strong").n_providers
    4
    """
    return loading.load_setting(given, _providers, argument=argument)


def _providers(table: ProviderTable, platform: PlatformParameters) -> tuple[Provider, ...]:
    # Few settings name a table: the others do not wait for its reader.
    from mechanism.tabular.providers import read_providers

    return read_providers(table, platform)
