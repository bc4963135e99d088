"""What a command reads: a JSON document from a file or from standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from bounds.errors import InputError


def read_json(argument: str, path: str) -> Any:
    """Return the JSON document in a file, or on standard input for ``-``.

    Raises
    ------
    InputError
        It cannot be read, or is no JSON.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
        return json.loads(text)
    except OSError as error:
        rule = f"cannot be read ({error.strerror or 'no reason given'})"
        raise InputError(argument, path, rule, "name a file that a command has written with --json") from None
    except (ValueError, RecursionError) as error:
        place = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(argument, path, f"is no JSON{place}", "name what a command has written with --json") from None
