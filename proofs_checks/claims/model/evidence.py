"""Evidence as claims give it: what is computed exactly, what cannot be, and a witness that holds its whole trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bounds.setting.file import format_setting
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.finding import Finding
from proofs_checks.verdict import Evidence, Verdict


def exact_evidence(
    tried: str,
    holds: bool,
    *,
    checked: int = 1,
    ratio: float | None = None,
    margin: float | None = None,
    witness: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Evidence:
    """Return evidence of an exact computation: `EXACT` where it confirms, `REFUTED` where it contradicts."""
    return Evidence(
        kind="exact",
        tried=tried,
        verdict=Verdict.EXACT if holds else Verdict.REFUTED,
        checked=checked,
        violations=0 if holds else 1,
        tightest_ratio=ratio,
        tightest_margin=margin,
        witness=witness,
        parameters=parameters or {},
    )


def not_applicable(tried: str, reason: str, verdict: Verdict = Verdict.ASSUMPTION_VIOLATED) -> Evidence:
    """Return evidence that says why nothing could be computed."""
    return Evidence(kind="exact", tried=tried, verdict=verdict, reason=reason)


def shown(found: Finding) -> dict[str, Any]:
    """Return what a witness states of its violations, to be held to by whoever replays it: how many, and the worst."""
    return {"violations": found.tightness.violations, "where": found.tightness.where}


def trace_witness(label: str, case: Case, upto: int | None = None) -> dict[str, Any]:
    """Return a witness that holds the setting as TOML and the trace's first `upto` steps, to check the claim again."""
    trace = case.trace if upto is None else case.trace.head(upto)
    columns = {name: column.tolist() for name, column in trace.columns().items()}
    setting = format_setting(case.setting)
    return {"kind": "trace", "claim": label, "setting": setting, "origin": case.origin, "trace": columns}
