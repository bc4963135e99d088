"""A witness that holds its whole trace: anybody can check the claim on it again."""

from __future__ import annotations

from typing import Any

from bounds.setting.file import format_setting
from proofs_checks.claims.model.case import Case


def trace_witness(label: str, case: Case, upto: int | None = None) -> dict[str, Any]:
    """Return a witness that holds the setting as TOML and the trace's first `upto` steps."""
    trace = case.trace if upto is None else case.trace.head(upto)
    columns = {name: column.tolist() for name, column in trace.columns().items()}
    setting = format_setting(case.setting)
    return {"kind": "trace", "claim": label, "setting": setting, "origin": case.origin, "trace": columns}
