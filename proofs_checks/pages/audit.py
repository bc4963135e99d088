"""The page of `costproof audit --json`: the diagnosis, the log as a picture, its violations, and the claims on it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from mechanism.tabular.steps import StepFault
from proofs_checks.audit.reading import as_arguments
from proofs_checks.pages.claims import by_section, notation_of
from proofs_checks.pages.document import Anchors, render
from proofs_checks.pages.timeline import timeline_view
from proofs_checks.pages.verdicts import MARKS, VERDICTS, mark_of, rank_of
from proofs_checks.verdict import BESIDE, BESIDE_MEANING, NOT_MEANT, refuted_beside

Data = Mapping[str, Any]

#: Violations that the page lists one by one; the report has more.
_LISTED = 200
#: Places at which the steps do not count on that the page names.
_PLACES = 5
#: Of fewer violations the page does not say that they have one cause.
_MANY = 10


def audit_page(data: Data) -> str:
    """Return the page of a report of `costproof audit`."""
    anchors = Anchors("claim").of([row["label"] for row in data["claims"]])
    claims = [{**_claim(data, row, anchors), "order": order} for order, row in enumerate(data["claims"])]
    broken = {rule: found for rule, found in data["rules"].items() if found["broken"]}
    return render(
        "audit.html",
        data=data,
        reading=_reading(data),
        misplaced=data.get("step_faults", {"places": 0})["places"],
        places=[StepFault(**fault).text for fault in data.get("step_faults", {"first": ()})["first"][:_PLACES]],
        sections=by_section(claims),
        anchors=anchors,
        board=MARKS,
        not_meant=NOT_MEANT,
        beside=BESIDE,
        verdicts=[name for name, mark in MARKS.items() if any(claim["mark"] is mark for claim in claims)],
        refuted=[claim for claim in claims if claim["mark"] is VERDICTS["REFUTED"]],
        first=min(broken, key=lambda rule: broken[rule]["first_step"], default=None),
        silent=[rule for rule, found in data["rules"].items() if not found["steps"]],
        timeline=timeline_view(data),
        listed=data["violations"][:_LISTED],
        several=sum(data["violation_counts"].values()) > data["violating_steps"],
        odd=_odd(data),
        follows=_follows(data),
        again=_again(data),
        file=not data.get("built_in"),
    )


def _odd(data: Data) -> str:
    """Return which cell is odd although no rule is broken; reports of earlier versions may lack it."""
    if data.get("edited_cost"):
        return "cost"
    return "bid" if data.get("bids_off_mean_cost") == 1 and data.get("first_bid_off_mean_cost") else ""


def _follows(data: Data) -> str:
    """Return that one bid makes most of the violations, where one explains many."""
    if not data["diagnosis"] or len(data["violations"]) < _MANY:
        return ""
    first = data["diagnosis"][0]
    if "bid edited" not in first["cause"]:
        return ""
    return (
        "A wrong bid changes what every later step expects, until its provider serves again. So the expected values "
        "below follow from the edited bid, and their rows need not be wrong."
    )


def _claim(data: Data, row: Data, anchors: Mapping[str, str]) -> Data:
    """Return a claim on the log, and how it is shown.

    `beside` says what it means that only parts are refuted that the claim is not cited for; empty where that is not so.
    `ratio` is how much of the bound was used at most; None where what the claim is cited for was not compared.
    """
    mark = mark_of(row["verdict"], documented=bool(row["documented_finding"]))
    stated = data.get("statements", {}).get(row["label"], {})
    formulas = stated.get("parts") or [{"latex": None}] * len(row["parts"])
    return {
        "row": row,
        "anchor": anchors[row["label"]],
        "mark": mark,
        "rank": rank_of(mark),
        "beside": BESIDE_MEANING * refuted_beside((part["verdict"], part["headline"]) for part in row["parts"]),
        "ratio": None if row["verdict"] == "VACUOUS" else row["tightest_ratio"],
        "parts": [{**part, "latex": formula["latex"]} for part, formula in zip(row["parts"], formulas, strict=True)],
        "notation": notation_of(data, row["label"]),
        "stated_under": stated.get("stated_under", ()),
        "again": _again(data, "--claim", row["label"], "--all"),
    }


def _reading(data: Data) -> Data:
    """Return how the file was read; reports of earlier versions lack it."""
    found: Data = data.get("reading", {"options": (), "ignored_columns": (), "notes": ()})
    return found


def _again(data: Data, *more: str) -> str:
    setting = data["setting"] if data.get("built_in") else "SETTING.toml"
    tolerance = ("--tolerance", repr(data["tolerance"])) if data["tolerance"] else ()
    options = _reading(data)["options"]
    return f"costproof audit {as_arguments(data['trace'])} " + shlex.join(
        ["--setting", setting, *options, *tolerance, *more]
    )
