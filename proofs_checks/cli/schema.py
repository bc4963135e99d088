"""The JSON Schema of what each command prints."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from bounds.documents import schema_of

#: The type of the documents of each command; of the other commands a file in `schemas/` has the schema.
DOCUMENTS = {
    "bounds": "bounds.report:BoundsReport",
    "cite": "proofs_checks.cli.documents:Citation",
    "claims": "proofs_checks.verify.claim_list:ClaimSearch",
    "compare": "mechanism.comparison.compare:Comparison",
    "completion": "proofs_checks.cli.documents:CompletionScript",
    "coverage": "proofs_checks.coverage.report:CoverageReport",
    "docs": "proofs_checks.cli.documents:Documentation",
    "explore": "proofs_checks.cli.documents:ExplorerAddress",
    "figures": "proofs_checks.figures.pictures:FiguresDocument",
    "page": "proofs_checks.cli.documents:WrittenPage",
    "plan": "mechanism.planner.plan:Plan",
    "prove": "proofs_checks.proofs.prove:ProveReport",
    "reproduce": "proofs_checks.reproduction.run:Reproduction",
    "settings": "proofs_checks.cli.views.settings:SettingsDocument",
    "simulate": "proofs_checks.cli.views.simulate:SimulationDocument",
    "sweep": "mechanism.sweep:SweepResult",
    "verify": "proofs_checks.verify.run:VerifyReport",
}
_FOLDER = Path(__file__).with_name("schemas")
_SHARED = "shared"
#: How a schema refers to a definition.
_REFERENCE = re.compile(r'"#/\$defs/(\w+)"')


def json_schema(command: str) -> dict[str, Any]:
    """Return the schema of what a command prints with `--json`, with all definitions that it refers to.

    Examples
    --------
    >>> schema = json_schema("claims")
    >>> schema["required"], "ListedClaim" in schema["$defs"]
    (['words', 'claims', 'total'], True)
    """
    if command in DOCUMENTS:
        module, _, name = DOCUMENTS[command].partition(":")
        return schema_of(getattr(import_module(module), name), f"costproof {command} --json")
    return _in_file(command)


def _in_file(command: str) -> dict[str, Any]:
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
