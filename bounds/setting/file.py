"""Setting files: TOML in, TOML out. A wrong file is an error of one line that names the key."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from bounds.characters import is_hidden
from bounds.documents import INTERNAL, descriptions, to_data
from bounds.errors import MISSING as NOT_GIVEN, InputError, did_you_mean, printable
from bounds.radii.names import PAPERS
from bounds.setting.model import PlatformParameters, Pricing, Provider, Setting, StatedInputs
from bounds.setting.table import TableReader, table_named_by
from bounds.words import listed

#: Largest file that is read, in bytes: about ten thousand providers. More stand in a table beside the file.
MAX_BYTES = 1 << 20
_TOO_LONG = 'name a table of the providers: providers = "providers.csv" (costproof docs setting-file)'
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
#: A dotted key of more parts than any setting has.
_MANY_PARTS = re.compile(rf"(?<![\w-])(?:{_PART}){{50}}")
_EXAMPLE = "'costproof settings gsm8k-full' prints a setting to start from"
_TABLES = {"platform": PlatformParameters, "pricing": Pricing, "inputs": StatedInputs, "provider": Provider}
_HEADERS = {table: f"[{table}]" for table in _TABLES} | {"provider": "[[provider]]"}
_KEYS = {  # table -> its keys -> whether the key must be given
    table: {field.name: field.default is MISSING for field in fields(kind) if field.metadata != INTERNAL}
    for table, kind in _TABLES.items()
}
#: What each key means, as the docstrings of the tables' classes say it; a meaning here ends without a full stop.
_COMMENTS = {
    key: meaning.removesuffix(".")
    for kind in (PlatformParameters, Pricing, Provider)
    for key, meaning in descriptions(kind).items()
}
#: What is said of a provider, in a ``[[provider]]`` table or a row of a table of providers: what it means, and whether
#: it must be given.
PROVIDER_KEYS = {key: (_COMMENTS[key], required) for key, required in _KEYS["provider"].items()}
#: Keys that newcomers write at the top of a file, and what to do; the error names both.
_AT_THE_TOP = {
    "name": "a setting takes its name from its file, so delete this line",
    "providers": "write [[provider]], not [[providers]]",
}
#: What all five published settings have; the error about a missing key names it.
_PAPERS = {"confidence": 0.05, "exploration_scale": 2.0, "exploration_exponent": 0.75}
#: Optional keys that are not written at their default: of a provider, and of the platform.
_OPTIONAL: dict[str, Any] = {field.name: field.default for field in fields(Provider)}
_UNWRITTEN: dict[str, Any] = {"radius": PAPERS}
#: Tables that a file may leave out.
_MAY_BE_LEFT_OUT = ("pricing", "inputs")
#: So many missing keys are named at most.
_NAMED = 8


def read_setting(path: str | os.PathLike[str], table_reader: TableReader | None = None) -> Setting:
    """Read a setting file; the setting is called like the file, without directory and extension.

    Parameters
    ----------
    path : str or path-like
        A UTF-8 file of at most `MAX_BYTES` bytes, in the format that `format_setting` writes, or with the name of a
        table of providers in place of its ``[[provider]]`` tables.
    table_reader : callable, optional
        Reads that table. Without it a file that names one is refused; `mechanism.settings.load_setting` has it.

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
    remedy = "give the path of a TOML setting file"
    try:
        location = os.fsdecode(path)
    except TypeError:
        raise InputError("path", path, "must be a path", remedy) from None
    try:
        with open(location, "rb") as file:
            content = file.read(MAX_BYTES + 1)  # no more: it may be a device that never ends
    except (OSError, ValueError) as error:  # ValueError: a NUL character
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("path", location, f"cannot be read ({reason.lower()})", f"{remedy}; {_EXAMPLE}") from None
    place = Path(location)
    return _setting_in(content, printable(place.stem), printable(location), place.parent, table_reader)


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


def format_setting(setting: Setting, *, comments: bool = True) -> str:
    """Return a setting as the text of a setting file, by default with comments on meaning and units.

    Reading the text gives the same setting, exactly: ``parse_setting(format_setting(s), s.name) == s``.

    Examples
    --------
    >>> from bounds.published import published
    >>> print(format_setting(published("gpqa-strong").setting).splitlines()[4])
    quality_threshold = 0.1451107  # q_min, in [0, 1]: the mean score that makes a provider qualified
    """
    uncommented = dict(_COMMENTS) if comments else {}
    heading = (
        f"# Setting {printable(setting.name)}",
        "# Money is in one unit of your choice; the built-in settings use 1e-6 USD.",
        "",
    )
    lines = [
        *(heading if comments else ()),
        *_lines("[platform]", setting.platform, uncommented),
        *(_lines("[pricing]", setting.pricing, uncommented) if setting.pricing != Pricing() else ()),
        *(_lines("[inputs]", setting.inputs, uncommented) if setting.inputs != StatedInputs() else ()),
    ]
    for provider in setting.providers:
        lines += _lines("[[provider]]", provider, uncommented)
    return "\n".join(lines)


def _lines(
    header: str, owner: PlatformParameters | Pricing | StatedInputs | Provider, uncommented: dict[str, str]
) -> list[str]:
    """Return the lines of a table; a key is explained where the file first uses it."""
    optional = _OPTIONAL if isinstance(owner, Provider) else _UNWRITTEN
    values = to_data(owner).items()
    shown = {key: f"{key} = {_written(value)}" for key, value in values if value != optional.get(key)}
    width = min(40, max(map(len, shown.values())))
    for key in uncommented.keys() & shown.keys():
        shown[key] = f"{shown[key]:<{width}}  # {uncommented.pop(key)}"
    return [header, *shown.values(), ""]


def _written(value: str | float | dict[str, Any]) -> str:
    """Return a value as TOML has it; what cannot be seen in a name is escaped."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {_written(part)}' for key, part in value.items())}}}"
    if not isinstance(value, str):
        return repr(value)
    quoted = json.dumps(value, ensure_ascii=False)
    return quoted if quoted.isprintable() else "".join(map(_seen, quoted))


def _seen(character: str) -> str:
    if not is_hidden(character):
        return character
    code = ord(character)
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


def _setting_in(
    source: str | bytes, name: str, place: str, folder: Path | None = None, table_reader: TableReader | None = None
) -> Setting:
    try:
        document = _document(source)
        return setting_of_document(document, name, folder=folder, table_reader=table_reader)
    except InputError as error:
        raise error.about(f"{place}: {error.argument}") from None


def _document(source: str | bytes) -> dict[str, Any]:
    """Return the tables of a TOML text, or say what is wrong with it and in which line."""
    if len(source) > MAX_BYTES:
        raise InputError("text", source[:40], f"is longer than {MAX_BYTES} bytes", _TOO_LONG)
    try:
        text = source if isinstance(source, str) else source.decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        wrong = error.object[error.start : error.end]
        raise InputError(f"line {line}", wrong, "is not UTF-8", "save the file as UTF-8") from None
    if text.startswith("\ufeff"):
        remedy = "save the file as UTF-8 without it"
        raise InputError("line 1", text[:20], "must not begin with a byte order mark", remedy)
    if not text.strip():
        raise InputError("text", text, "is empty", "start from what 'costproof settings gsm8k-full' prints")
    if long := _MANY_PARTS.search(text):  # tomllib takes minutes for a key of 100,000 parts
        line = text.count("\n", 0, long.start()) + 1
        raise InputError(f"line {line}", long[0], "is a key of too many parts", "write [platform] and [[provider]]")
    lines = text.split("\n")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+), column \d+\)$", str(error))
        at = int(found[1]) - 1 if found else len(lines) - 1
        rule = f"is not valid TOML: {printable(str(error), 160)}"
        remedy = "write key = value, a string in quotes, a number without"
    except RecursionError:
        at = max(range(len(lines)), key=lambda i: lines[i].count("[") + lines[i].count("{"))
        rule, remedy = "is nested too deep", "no value is an array"
    except ValueError:  # Python refuses to read an integer of over 4300 digits
        at = max(range(len(lines)), key=lambda i: max(map(len, re.findall(r"[\d_]+", lines[i])), default=0))
        rule, remedy = "holds a number of too many digits", "write a large number as 1e300"
    raise InputError(f"line {at + 1}", lines[at].strip(), rule, remedy)


def setting_of_document(
    document: dict[str, Any], name: str, *, folder: Path | None = None, table_reader: TableReader | None = None
) -> Setting:
    """Return the setting that plain data describe, as a setting file holds them; every error names the key.

    Parameters
    ----------
    document : dict
        ``platform``, a dict, and ``provider``, a list of dicts, with the keys of a setting file; or ``providers``, the
        name of a table, in place of ``provider``.
    name : str
        The name of the setting.
    folder : Path, optional
        Where such a table is looked for.
    table_reader : callable, optional
        Reads it.

    Raises
    ------
    InputError
        A key is unknown or missing, or a value breaks a rule. Unknown keys come first: a misspelt key makes another
        one missing, and the error is about the misspelling.

    Examples
    --------
    >>> setting_of_document({"platform": {"confidnce": 0.05}}, "mine")
    Traceback (most recent call last):
        ...
    bounds.errors.InputError: platform.confidnce=0.05 is not a known key: did you mean confidence?
    """
    if isinstance(document.get("providers"), (str, dict)):
        return _setting_with_table(document, name, folder, table_reader)
    rows = document.get("provider", [])
    try:
        tables = tuple(_tables(document))
        for table, place, known in tables:
            _reject_unknown_keys(table, place, known)
        _reject_missing_keys(tables)
        providers = tuple(_within(f"provider[{position}]", Provider, row) for position, row in enumerate(rows, 1))
        return Setting(
            name, _within("platform", PlatformParameters, document["platform"]), providers, **_optional_tables(document)
        )
    except InputError as error:
        # Say which provider the error is about, unless it is about the name.
        found = set(re.findall(r"(?:^|, )provider\[(\d+)\]\.(?!name$)", error.argument))
        row = rows[int(found.pop()) - 1] if len(found) == 1 and error.argument.startswith("provider[") else None
        if not isinstance(row, dict) or not isinstance(row.get("name"), str):
            raise
        remedy = f"{error.remedy} (provider '{printable(row['name'], 40)}')"
        raise InputError(error.argument, error.value, error.rule, remedy) from None


def _setting_with_table(
    document: dict[str, Any], name: str, folder: Path | None, table_reader: TableReader | None
) -> Setting:
    named = document["providers"]
    if "provider" in document:
        rule = "cannot be combined with [[provider]]"
        raise InputError("providers", named, rule, "keep the table or the [[provider]] tables")
    tables = tuple(_tables({key: value for key, value in document.items() if key != "providers"}, among=("platform",)))
    for each, place, known in tables:
        _reject_unknown_keys(each, place, known)
    _reject_missing_keys(tables)
    platform = _within("platform", PlatformParameters, document["platform"])
    table = table_named_by(named, folder)
    if table_reader is None:
        remedy = "costproof.load_setting reads it; or write [[provider]] tables"
        raise InputError("providers", table.given, "names a table, which is not opened here", remedy)
    return Setting(name, platform, table_reader(table, platform), **_optional_tables(document))


def _optional_tables(document: dict[str, Any]) -> dict[str, Any]:
    return {table: _within(table, _TABLES[table], document.get(table, {})) for table in _MAY_BE_LEFT_OUT}


def _within(place: str, kind: type[Any], table: dict[str, Any]) -> Any:
    try:
        return kind(**table)
    except InputError as error:
        raise error.within(place) from None


def _tables(
    document: dict[str, Any], among: Collection[str] = ("platform", "provider")
) -> Iterator[tuple[dict[str, Any], str, dict[str, bool]]]:
    """Yield every table that the document should have, or may have, with its place and its keys."""
    yield document, "", {**dict.fromkeys(among, True), **dict.fromkeys(_MAY_BE_LEFT_OUT, False)}
    rows = document.get("provider", [])
    for name in ("platform", *_MAY_BE_LEFT_OUT):
        table = document.get(name)
        if table is not None:
            if not isinstance(table, dict):
                raise InputError(name, table, "must be one table", f"write {_HEADERS[name]} above its keys")
            yield table, name, _KEYS[name]
    remedy = "write [[provider]] above the keys of each provider"
    if not isinstance(rows, list):
        raise InputError("provider", rows, "must be an array of tables", remedy)
    for position, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(f"provider[{position}]", row, "must be a table", remedy)
        yield row, f"provider[{position}]", _KEYS["provider"]


def _reject_unknown_keys(table: dict[str, Any], place: str, known: dict[str, bool]) -> None:
    for key in (key for key in table if key not in known):
        homes = ["write it above [platform]"] if place and key == "providers" else []
        homes += [] if place else _of_the_top(table, key)
        homes += [f"it belongs under {_HEADERS[home]}" for home, keys in _KEYS.items() if key in keys and not homes]
        near = did_you_mean(key.casefold().replace("-", "_"), known, f"the keys here are {', '.join(known)}")
        raise InputError(_at(place, key), table[key], "is not a known key", (homes or [near])[0])


def _of_the_top(document: dict[str, Any], key: str) -> list[str]:
    """Return what to do about a key above all tables that is a common mistake; if the file has both, about both."""
    made = {"name": "name" in document, "providers": isinstance(document.get("providers"), list)}
    return ["; ".join(remedy for each, remedy in _AT_THE_TOP.items() if made[each])] if made.get(key) else []


def _reject_missing_keys(tables: Sequence[tuple[dict[str, Any], str, dict[str, bool]]]) -> None:
    """Name whole tables that are missing, else all keys that are, each with what it is."""
    missing = [
        (place, key)
        for table, place, known in tables
        for key, required in known.items()
        if required and key not in table
    ]
    headers = [key for place, key in missing if not place]
    if headers:
        written = listed([_HEADERS[key] for key in headers])
        remedy = f"write {written} above {'its' if len(headers) == 1 else 'their'} keys; {_EXAMPLE}"
        raise InputError(", ".join(headers), NOT_GIVEN, "must be given", remedy)
    if missing:
        more = len(missing) - _NAMED
        named = ", ".join(_at(*each) for each in missing[:_NAMED])
        rule = f"and {more} more must be given" if more > 0 else "must be given"
        raise InputError(named, NOT_GIVEN, rule, _meanings(dict.fromkeys(key for _, key in missing)))


def _meanings(keys: Iterable[str]) -> str:
    """Say what keys are, with the paper's value where all its settings have the same."""
    told = {key: _COMMENTS[key] + (f" (the paper uses {_PAPERS[key]})" if key in _PAPERS else "") for key in keys}
    if len(told) == 1:
        return f"it is {next(iter(told.values()))}"
    return "; ".join(f"{key} is {meaning}" for key, meaning in told.items())


def _at(place: str, key: str) -> str:
    """Return a key with the place of its table, short and printable."""
    shown = key if re.fullmatch(r"[\w-]{1,40}", key, re.ASCII) else f"'{printable(key, 40)}'"
    return f"{place}.{shown}" if place else shown
