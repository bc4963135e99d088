"""Reports that a command reads again, held to the schema that this version prints."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator

from bounds.errors import InputError, printable
from mechanism.versions import versions
from proofs_checks.cli.input import read_json
from proofs_checks.cli.notes import note
from proofs_checks.cli.schema import json_schema
from proofs_checks.pages.page import kind_of


def read_report(argument: str, path: str) -> Any:
    """Return a report of verify, audit or check from a file, or from standard input for ``-``.

    One that this version has printed keeps to its schema, or somebody has changed it. One of another version is taken
    as it is, with a note.
    """
    report = read_json(argument, path)
    kind = kind_of(report)
    if kind is None:
        return report
    own = versions()["costproof"]
    stated = report.get("versions")
    version = stated.get("costproof", own) if isinstance(stated, dict) else own
    if version != own:
        note(f"the report is of costproof {version!s:.20}, this is {own}: what it says is taken as it stands")
    elif wrong := next(Draft202012Validator(json_schema(kind)).iter_errors(report), None):
        place = wrong.json_path.removeprefix("$.") or "the document"
        rule = f"is not what costproof {own} prints (at {printable(place, 60)}: {printable(wrong.message, 120)})"
        remedy = f"print it again with costproof {kind} --json: an earlier build printed it, or it was changed"
        raise InputError(argument, path, rule, remedy)
    return report
