"""The JSON Schema of what each command prints: a file per command in `schemas/`, and one with what several share."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).with_name("schemas")
_SHARED = "shared"
#: How a schema refers to a definition.
_REFERENCE = re.compile(r'"#/\$defs/(\w+)"')


def json_schema(command: str) -> dict[str, Any]:
    """Return the schema of what a command prints with `--json`, with all definitions that it refers to.

    Examples
    --------
    >>> schema = json_schema("claims")
    >>> schema["required"], "verdict" in schema["$defs"]
    (['words', 'claims', 'total'], True)
    """
    schema, shared = _read(command), _read(_SHARED)["$defs"]
    used: set[str] = set()
    wanted = _REFERENCE.findall(json.dumps(schema))
    while wanted:
        name = wanted.pop()
        if name in shared and name not in used:
            used.add(name)
            wanted += _REFERENCE.findall(json.dumps(shared[name]))
    if used:
        schema["$defs"] = schema.get("$defs", {}) | {name: shared[name] for name in shared if name in used}
    return schema


def _read(name: str) -> dict[str, Any]:
    """Return a file of `schemas/`, in which every definition is referred to as one of its own."""
    text = (_FOLDER / f"{name}.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text.replace(f'"{_SHARED}.json#', '"#'))
    return schema
