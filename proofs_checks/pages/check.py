"""The page of `costproof check --json`, of one or more reports: checks by mechanisms, and each failure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from proofs_checks.pages.document import Anchors, render
from proofs_checks.pages.verdicts import NOT_RUN, STATUSES

Data = Mapping[str, Any]

#: Steps of a history that the page shows, the last ones; the report has all.
_STEPS = 30
_FAILED = ("failed", "expected_failure")


def check_page(reports: Sequence[Data]) -> str:
    """Return the page of reports of `costproof check`."""
    places, names = Anchors("failure"), Anchors("mechanism")
    mechanisms = [
        {"report": report, "anchor": names[f"{i} {report['mechanism']}"], "failed": _failures(i, report, places)}
        for i, report in enumerate(reports)
    ]
    checks = {result["name"]: result for report in reversed(reports) for result in reversed(report["checks"])}
    order = dict.fromkeys(result["name"] for report in reports for result in report["checks"])
    return render(
        "check.html",
        data={"versions": reports[0]["versions"] if reports else {}},
        mechanisms=mechanisms,
        one=len(mechanisms) == 1,
        failures=any(mechanism["failed"] for mechanism in mechanisms),
        lines=[
            {"check": checks[name], "found": [_found(i, report, name, places) for i, report in enumerate(reports)]}
            for name in order
        ],
        statuses=STATUSES,
    )


def _found(number: int, report: Data, name: str, places: Anchors) -> Data:
    """Return what a check found about a mechanism."""
    result = next((result for result in report["checks"] if result["name"] == name), None)
    status = "" if result is None else result["status"]
    anchor = places[f"{number} {name}"] if status in _FAILED else None
    return {"result": result, "mark": STATUSES.get(status, NOT_RUN), "anchor": anchor}


def _failures(number: int, report: Data, places: Anchors) -> list[Data]:
    """Return the failed checks of a report, the telling one first, each with the end of its history."""
    failed = [result for result in report["checks"] if result["status"] in _FAILED]
    failed.sort(key=lambda result: (result["name"] != report["first"], result["status"] != "failed"))
    return [
        {
            "result": result,
            "anchor": places[f"{number} {result['name']}"],
            "history": (result["counterexample"] or {}).get("history", ())[-_STEPS:],
            "again": _again(report, result["name"]),
        }
        for result in failed
    ]


def _again(report: Data, name: str) -> str:
    within = [part for kept in (report.get("domain") or "").split(", ") if kept for part in ("--domain", kept)]
    late = ["--in-flight", report["in_flight"]] if report.get("in_flight") is not None else []
    profile = ["--profile", report["profile"]] if report.get("profile", "auction") != "auction" else []
    command = ["costproof", "check", report["mechanism"], *profile, "--only", name, "--seed", str(report["seed"])]
    return shlex.join([*command, *late, *within])
