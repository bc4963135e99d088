"""Setting files: TOML in, TOML out, and a setting by its built-in name or by the path of its file."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from bounds.setting.toml_text import MAX_BYTES, printable, toml_document

if TYPE_CHECKING:
    from tomlkit.items import Table

__all__ = ["format_setting", "load_setting", "parse_setting", "read_setting"]

_EXAMPLE = "'costproof settings gsm8k-full' prints a setting to start from"
_HEADERS = {"platform": "[platform]", "provider": "[[provider]]"}
_KEYS: dict[str, dict[str, bool]] = {  # table -> its keys -> whether the key must be given
    table: {field.name: field.default is MISSING for field in fields(kind)}
    for table, kind in (("platform", PlatformParameters), ("provider", Provider))
}
_COMMENTS = {
    "quality_threshold": "q_min, in [0, 1]: the mean score that makes a provider qualified",
    "confidence": "delta, in (0, 1): the probability with which the guarantees may fail",
    "cost_bound": "c_max > 0, money per query: no cost, bid or payment exceeds it",
    "exploration_scale": "k > 0 of the target selection count k (t/N)^alpha",
    "exploration_exponent": "alpha, in (0, 1), of the same",
    "belief_slack": "gamma >= 0: how far beliefs may stray from the empirical mean (optional)",
    "underbid": "d_- >= 0, money per query: how far bids may lie below it (optional)",
    "overbid": "d_+ >= 0, money per query: how far bids may lie above it (optional)",
    "name": "unique within the file",
    "quality": "q_i, in [0, 1]: the mean score",
    "mean_cost": "c_i, in [0, cost_bound], money per query",
    "listed_price": "> 0, money per token; in 1e-6 USD that is USD per 1e6 tokens (optional)",
    "multiplicity": "n, in 1..1000, of best-of-n (optional)",
}


def load_setting(name_or_path: str | os.PathLike[str]) -> Setting:
    """Return a built-in setting by its name, or read the TOML file at a path.

    A built-in name wins over a file of the same name; write ``./gsm8k-full`` for the file.

    Raises
    ------
    InputError
        If it is neither, or if the file is not a valid setting.

    Examples
    --------
    >>> load_setting("gpqa-strong").n_providers
    4
    """
    name = _location(name_or_path)
    try:
        return published(name).setting
    except InputError as error:
        unknown = error
    if _exists(name):
        return read_setting(name)
    is_path = name.endswith(".toml") or Path(name).name != name
    rule = "is not an existing file" if is_path else "is neither a built-in setting nor an existing file"
    remedy = f"{unknown.remedy}; anything else must be the path of a TOML file"
    raise InputError("setting", name, rule, remedy)


def read_setting(path: str | os.PathLike[str]) -> Setting:
    """Read a setting file; the setting is called like the file, without directory and extension.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file of at most `MAX_BYTES` bytes, in the format that `format_setting` writes.

    Raises
    ------
    InputError
        If the file cannot be read or breaks a rule: one line that names the file, the key, the value, the
        rule and the remedy.

    Examples
    --------
    >>> read_setting("missing.toml")
    Traceback (most recent call last):
        ...
    bounds.errors.InputError: path='missing.toml' cannot be read (no such file or directory): ...
    """
    location = _location(path)
    return _setting_in(_read(location), printable(Path(location).stem), printable(location))


def parse_setting(text: str, name: str) -> Setting:
    """Return the setting that a TOML text describes.

    Parameters
    ----------
    text : str
        A ``[platform]`` table and two or more ``[[provider]]`` tables, as `format_setting` writes them.
    name : str
        The name of the setting; errors call the text by it.

    Raises
    ------
    InputError
        If the text is not TOML or breaks a rule: one line that names the key, the value, the rule and the
        remedy.

    Examples
    --------
    >>> parse_setting("[platform]\\nconfidnce = 0.05", "mine")
    Traceback (most recent call last):
        ...
    bounds.errors.InputError: mine: platform.confidnce=0.05 is not a known key: did you mean confidence?
    """
    if not isinstance(text, str):
        raise InputError("text", text, "must be a string", "read_setting reads files")
    return _setting_in(text, name, printable(name))


def format_setting(setting: Setting) -> str:
    """Return a setting as the text of a setting file, with comments on meaning and units.

    Reading the text gives the same setting, exactly: ``parse_setting(format_setting(s), s.name) == s``.

    Examples
    --------
    >>> print(format_setting(load_setting("gpqa-strong")).splitlines()[4])
    quality_threshold = 0.1451107  # q_min, in [0, 1]: the mean score that makes a provider qualified
    """
    import tomlkit

    document = tomlkit.document()
    document.add(tomlkit.comment(f"Setting {printable(setting.name)}"))
    document.add(tomlkit.comment("Money is in one unit of your choice; the built-in settings use 1e-6 USD."))
    document.add(tomlkit.nl())
    uncommented = dict(_COMMENTS)
    document.add("platform", _toml_table(setting.platform, "platform", uncommented).add(tomlkit.nl()))
    rows = tomlkit.aot()
    for provider in setting.providers:
        rows.append(_toml_table(provider, "provider", uncommented))
    document.add("provider", rows)
    return tomlkit.dumps(document)


def _toml_table(owner: PlatformParameters | Provider, table: str, uncommented: dict[str, str]) -> Table:
    """Return the fields as a TOML table; a key is explained where the file first uses it.

    A provider's optional keys are left out at their default.
    """
    import tomlkit

    result = tomlkit.table()
    values = {field.name: getattr(owner, field.name) for field in fields(owner)}
    defaults = {field.name: field.default for field in fields(owner) if table == "provider"}
    shown = {key: tomlkit.item(value) for key, value in values.items() if value != defaults.get(key)}
    width = min(40, max(len(f"{key} = {item.as_string()}") for key, item in shown.items()))
    for key, item in shown.items():
        if key in uncommented:
            item.comment(uncommented.pop(key))
            item.trivia.comment_ws = " " * max(2, width + 2 - len(f"{key} = {item.as_string()}"))
        result.add(key, item)
    return result


def _location(path: str | os.PathLike[str]) -> str:
    try:
        return os.fsdecode(path)
    except TypeError:
        raise InputError("path", path, "must be a path", "give the path of a TOML setting file") from None


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:  # a NUL character
        return False


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)  # no more: it may be a device that never ends
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        reason = getattr(error, "strerror", None) or str(error)
        remedy = f"give the path of a TOML setting file; {_EXAMPLE}"
        raise InputError("path", path, f"cannot be read ({reason.lower()})", remedy) from None


def _setting_in(source: str | bytes, name: str, place: str) -> Setting:
    try:
        return _setting(toml_document(source), name)
    except InputError as error:
        raise InputError(f"{place}: {error.argument}", error.value, error.rule, error.remedy) from None


def _setting(document: dict[str, Any], name: str) -> Setting:
    """Return the setting that a document describes; every error names the key.

    Unknown keys come first: a misspelt key makes another one missing, and the misspelling is to be told.
    """
    rows = document.get("provider", [])
    try:
        tables = tuple(_tables(document))
        for table, place, known in tables:
            _reject_unknown_keys(table, place, known)
        for table, place, known in tables:
            _reject_missing_keys(table, place, known)
        providers = tuple(_provider(row, position) for position, row in enumerate(rows, 1))
        return Setting(name, _platform(document["platform"]), providers)
    except InputError as error:
        raise _with_provider_name(error, rows) from None


def _tables(document: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str, dict[str, bool]]]:
    """Yield every table that the document should have, with its place and its keys."""
    yield document, "", dict.fromkeys(_HEADERS, True)
    platform, rows = document.get("platform"), document.get("provider", [])
    if platform is not None:
        if not isinstance(platform, dict):
            raise InputError("platform", platform, "must be one table", "write [platform] above its keys")
        yield platform, "platform", _KEYS["platform"]
    remedy = "write [[provider]] above the keys of each provider"
    if not isinstance(rows, list):
        raise InputError("provider", rows, "must be an array of tables", remedy)
    for position, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(f"provider[{position}]", row, "must be a table", remedy)
        yield row, f"provider[{position}]", _KEYS["provider"]


def _platform(table: dict[str, Any]) -> PlatformParameters:
    try:
        return PlatformParameters(**table)
    except InputError as error:
        raise error.within("platform") from None


def _provider(row: dict[str, Any], position: int) -> Provider:
    try:
        return Provider(**row)
    except InputError as error:
        raise error.within(f"provider[{position}]") from None


def _reject_unknown_keys(table: dict[str, Any], place: str, known: dict[str, bool]) -> None:
    for key, value in table.items():
        if key not in known:
            raise InputError(_at(place, key), value, "is not a known key", _suggestion(key, known))


def _reject_missing_keys(table: dict[str, Any], place: str, known: dict[str, bool]) -> None:
    for key, required in known.items():
        if required and key not in table:
            example = f"write {_HEADERS[key]} above its keys; {_EXAMPLE}" if key in _HEADERS else ""
            remedy = example or f"it is {_COMMENTS[key]}"
            raise InputError(_at(place, key), None, "must be given", remedy)


def _at(place: str, key: str) -> str:
    """Return a key with the place of its table, short and printable."""
    bare = re.fullmatch(r"[\w-]{1,40}", key, re.ASCII)
    shown = key if bare else f"'{printable(key, 40)}'"
    return f"{place}.{shown}" if place else shown


def _suggestion(key: str, known: Iterable[str]) -> str:
    for table, keys in _KEYS.items():
        if key in keys:
            return f"it belongs under {_HEADERS[table]}"
    near = difflib.get_close_matches(key.casefold().replace("-", "_"), known, 1)
    return f"did you mean {near[0]}?" if near else f"the keys here are {', '.join(known)}"


def _with_provider_name(error: InputError, rows: Sequence[Any]) -> InputError:
    """Add the name of the provider that the error is about, unless it is about the name."""
    found = re.match(r"provider\[(\d+)\]\.(?!name$)", error.argument)
    row = rows[int(found[1]) - 1] if found else None
    name = row.get("name") if isinstance(row, dict) else None
    if not isinstance(name, str):
        return error
    remedy = f"{error.remedy} (provider '{printable(name, 40)}')"
    return InputError(error.argument, error.value, error.rule, remedy)
