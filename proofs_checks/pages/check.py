"""The page of `costproof check --json`, of one or more reports: checks by mechanisms, and each failure."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofs_checks.pages.document import Anchors, render
from proofs_checks.pages.verdicts import NOT_RUN, STATUSES, Mark

Data = Mapping[str, Any]

#: Steps of a history that the page shows, the last ones; the report has all.
_STEPS = 30


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a check found about a mechanism."""

    result: Data | None
    mark: Mark
    anchor: str | None


@dataclass(frozen=True, kw_only=True)
class Line:
    """A check, and what it found about every mechanism."""

    check: Data
    found: tuple[Found, ...]


@dataclass(frozen=True, kw_only=True)
class Failed:
    """A failed check in full: its place, the end of its history, and how it is run again."""

    result: Data
    anchor: str
    history: tuple[Data, ...]
    again: str


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """A report, its place on the page, and its failures, the telling one first."""

    report: Data
    anchor: str
    failed: tuple[Failed, ...]


def check_page(reports: Sequence[Data]) -> str:
    """Return the page of reports of `costproof check`."""
    places = Anchors("failure")
    names = Anchors("mechanism")
    mechanisms = [_mechanism(i, report, places, names) for i, report in enumerate(reports)]
    return render(
        "check.html",
        data={"versions": reports[0]["versions"] if reports else {}},
        mechanisms=mechanisms,
        one=len(mechanisms) == 1,
        failures=any(mechanism.failed for mechanism in mechanisms),
        lines=_lines(reports, places),
        statuses=STATUSES,
    )


def _lines(reports: Sequence[Data], places: Anchors) -> list[Line]:
    """Return the checks of all reports, each once, in the order in which they ran."""
    checks: dict[str, Data] = {}
    for report in reports:
        for result in report["checks"]:
            checks.setdefault(result["name"], result)
    return [
        Line(check=check, found=tuple(_found(i, report, name, places) for i, report in enumerate(reports)))
        for name, check in checks.items()
    ]


def _found(number: int, report: Data, name: str, places: Anchors) -> Found:
    result = next((result for result in report["checks"] if result["name"] == name), None)
    if result is None:
        return Found(result=None, mark=NOT_RUN, anchor=None)
    anchor = places[f"{number} {name}"] if result["status"] in ("failed", "expected_failure") else None
    return Found(result=result, mark=STATUSES.get(result["status"], NOT_RUN), anchor=anchor)


def _mechanism(number: int, report: Data, places: Anchors, names: Anchors) -> Mechanism:
    failed = [result for result in report["checks"] if result["status"] in ("failed", "expected_failure")]
    failed.sort(key=lambda result: (result["name"] != report["first"], result["status"] != "failed"))
    return Mechanism(
        report=report,
        anchor=names[f"{number} {report['mechanism']}"],
        failed=tuple(
            Failed(
                result=result,
                anchor=places[f"{number} {result['name']}"],
                history=tuple((result["counterexample"] or {}).get("history", ())[-_STEPS:]),
                again=_again(report, result["name"]),
            )
            for result in failed
        ),
    )


def _again(report: Data, name: str) -> str:
    within = [part for kept in (report.get("domain") or "").split(", ") if kept for part in ("--domain", kept)]
    late = ["--in-flight", report["in_flight"]] if report.get("in_flight") is not None else []
    command = ["costproof", "check", report["mechanism"], "--only", name, "--seed", str(report["seed"]), *late, *within]
    return shlex.join(command)
