"""What a command reads: a JSON document or a setting, from a file or from standard input."""

from __future__ import annotations

import json
import sys
from errno import EFBIG
from typing import Any

from bounds.errors import InputError
from bounds.setting.file import MAX_BYTES, parse_setting
from bounds.setting.model import Setting
from mechanism.files import LARGEST_DOCUMENT, read_whole, within
from mechanism.settings import load_setting
from proofs_checks.cli.notes import note

#: What a setting from standard input is called.
_STDIN = "stdin"


def setting_named(name: str) -> Setting:
    """Return a built-in setting by its name, or read the TOML file at a path, or standard input for ``-``.

    Say on stderr what a large delta means: 0.95 is often a slip for 0.05.

    Examples
    --------
    >>> setting_named("gpqa-strong").n_providers
    4
    """
    setting = _setting_on_stdin() if name == "-" else load_setting(name)
    delta = setting.platform.confidence
    if delta > 0.5:
        meaning = "it is delta, the probability with which the guarantees may fail; for 95% certainty it is 0.05"
        note(f"platform.confidence = {delta!r} of {setting.name} is above 0.5: {meaning}")
    return setting


def _setting_on_stdin() -> Setting:
    try:
        text = sys.stdin.read(MAX_BYTES + 1)
    except ValueError:
        raise InputError("setting", "-", "is not UTF-8 text", "write a TOML setting to standard input") from None
    if len(text) > MAX_BYTES:
        raise InputError("setting", "-", f"is longer than {MAX_BYTES} bytes", "write one TOML setting to it")
    return parse_setting(text, _STDIN)


def read_json(argument: str, path: str) -> Any:
    """Return the JSON document in a file, or on standard input for ``-``."""
    try:
        content = within(sys.stdin.read(LARGEST_DOCUMENT + 1).encode()) if path == "-" else read_whole(path)
        return json.loads(content.decode())
    except OSError as error:
        rule = f"cannot be read ({error.strerror or 'no reason given'})"
        remedy = "name a file that a command has written with --json, an audit with fewer --max-violations"
        raise InputError(argument, path, rule, remedy if error.errno == EFBIG else remedy.split(",")[0]) from None
    except (ValueError, RecursionError) as error:
        place = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(argument, path, f"is not JSON{place}", "name what a command has written with --json") from None
