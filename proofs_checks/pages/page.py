"""The page of a report, whichever command printed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import UndefinedError

from bounds.errors import InputError
from proofs_checks.pages.audit import audit_page
from proofs_checks.pages.check import check_page
from proofs_checks.pages.verify import verify_page

#: Keys that only the report of a command has.
_KEYS = {
    "verify": frozenset(("claims", "settings", "counts", "effort")),
    "audit": frozenset(("claims", "rules", "violations", "trace")),
    "check": frozenset(("checks", "mechanism", "generated")),
}


def page_of(data: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """Return the page of a report: one HTML file that needs nothing else and has only what the report has.

    Examples
    --------
    >>> page_of({"settings": []})
    Traceback (most recent call last):
    bounds.errors.InputError: report=['settings'] is not a report: give what verify, audit or check prints with --json
    """
    # Any JSON document, a number too.
    reports: list[Any] = list(data) if isinstance(data, (list, tuple)) else [data]
    kinds = {kind_of(report) for report in reports}
    try:
        if kinds == {"check"}:
            return check_page(reports)
        if len(reports) == 1 and kinds == {"verify"}:
            return verify_page(reports[0])
        if len(reports) == 1 and kinds == {"audit"}:
            return audit_page(reports[0])
    except (KeyError, TypeError, AttributeError, ValueError, UndefinedError) as error:
        raise _unreadable(reports, f"is not whole ({error})") from error
    if len(reports) > 1 and None not in kinds:
        raise InputError("report", sorted(map(str, kinds)), "do not fit on one page", "give several of check alone")
    raise _unreadable(reports, "is not a report")


def kind_of(report: Any) -> str | None:
    """Return the command that printed a report: "verify", "audit" or "check"; None for anything else."""
    if not isinstance(report, Mapping):
        return None
    return next((kind for kind, keys in _KEYS.items() if keys <= report.keys()), None)


def _unreadable(reports: Sequence[Any], rule: str) -> InputError:
    shown = [list(report) if isinstance(report, Mapping) else report for report in reports]
    remedy = "give what verify, audit or check prints with --json"
    return InputError("report", shown[0] if len(shown) == 1 else shown, rule, remedy)
