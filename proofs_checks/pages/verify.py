"""The page of `costproof verify --json`: the board of claims, which rests on which, and what was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bounds.glossary import name_of, title_of
from bounds.published import PUBLISHED_NAMES
from bounds.words import both_at_most
from mechanism.policy_names import POLICY_MEANINGS, POLICY_TITLES
from proofs_checks.claims.cases.variants import VARIANTS
from proofs_checks.claims.model.claim import COMMENTED_OUT
from proofs_checks.claims.model.evidence import place_of_evidence
from proofs_checks.pages.claims import notation_of, rests_of
from proofs_checks.pages.document import Anchors, render
from proofs_checks.pages.figures import figure_groups
from proofs_checks.pages.reproduction import reproduction_view
from proofs_checks.pages.verdicts import FINDING, VERDICTS, Mark, mark_of
from proofs_checks.pages.words import number_as
from proofs_checks.verdict import NOT_MEANT, Verdict
from proofs_checks.verify.consistency import contradictions
from proofs_checks.verify.episodes import flags_of

Data = Mapping[str, Any]

#: The order of verdicts on the board, and what a user filters by: a documented finding is no news.
_BOARD = {
    name: mark
    for verdict, own in VERDICTS.items()
    for name, mark in ((verdict, own), *((("FINDING", FINDING),) if verdict == Verdict.REFUTED.value else ()))
}
#: The main theorems, 3 and 4 in the PDF: their rows come first.
_MAIN = ("thm:sample-complexity", "thm:regret")
#: What stands in place of a setting that is no built-in name: only the file that holds it can be named.
_FILE = "SETTING.toml"


def verify_page(data: Data) -> str:
    """Return the page of a report of `costproof verify`."""
    groups: dict[str, list[Data]] = {}
    for row in data["claims"]:
        groups.setdefault(row["label"], []).append(row)
    anchors = Anchors("claim").of(list(groups))
    claims = [_claim(data, rows, anchors) for rows in groups.values()]
    claims.sort(key=lambda claim: claim["row"]["label"] not in _MAIN)
    reproduced = data.get("reproduction")
    return render(
        "verify.html",
        data=data,
        claims=claims,
        guarantees=[_guarantees(each) for each in data.get("guarantees", ())],
        anchors=anchors,
        commented_out=COMMENTED_OUT,
        marks={claim["row"]["label"]: claim["mark"] for claim in claims},
        rests=rests_of(groups, data.get("statements", {})),
        board=_BOARD,
        not_meant=NOT_MEANT,
        refuted=[
            claim
            for claim in claims
            if any(row["verdict"] == "REFUTED" and not row["documented_finding"] for row in claim["rows"])
        ],
        findings=[claim for claim in claims if claim["row"]["documented_finding"]],
        kinds=list(dict.fromkeys(claim["row"]["kind"] for claim in claims)),
        verdicts=[name for name, mark in _BOARD.items() if any(claim["mark"] is mark for claim in claims)],
        figures=figure_groups(data.get("figures")),
        policies=POLICY_TITLES,
        meanings=POLICY_MEANINGS,
        reproduction=None if reproduced is None else reproduction_view(reproduced),
        proofs=data.get("proofs", {}),
        place_of_piece=place_of_piece,
        variants=data["ran"].get("variants", 0),
        in_flight=_in_flight(data),
        contradictions=contradictions(data),
        file=_FILE if set(data["settings"]) - set(data.get("built_in", ())) else None,
    )


def _guarantees(found: Data) -> Data:
    """Return what is guaranteed of a setting as the page shows it: bounds rounded up, each with its whole value."""
    reasons = {None if bound["applies"] else bound["reason"] for bound in found["bounds"]}
    return {
        "setting": found["setting"],
        "horizon": found["horizon"],
        "confidence": found["confidence"],
        "leads": found["identification_horizon"],
        "leads_name": name_of("identification_horizon"),
        "none_because": reasons.pop() if len(reasons) == 1 else None,
        "bounds": [_guarantee(bound) for bound in found["bounds"]],
    }


def _guarantee(bound: Data) -> Data:
    value = bound["value"] if bound["applies"] else None
    at_most, trivial = both_at_most(value, bound["trivial"])
    start = bound["informative_from"]
    return {
        "title": title_of(bound["guarantee"]),
        "unit": bound["unit"],
        "label": bound["label"],
        "value": number_as(value, at_most),
        "trivial": number_as(bound["trivial"], trivial),
        "says": "yes," if bound["informative"] else "not yet," if start is not None else "no",
        "start": start,
        "reason": bound.get("why_never") if bound["applies"] else bound["reason"],
        "proved_as": bound["proved_as"],
    }


def _in_flight(data: Data) -> int:
    """Return how many of the runs were small instances with queries in flight; 0 where that cannot be told."""
    ran, effort = data["ran"], data["effort"]
    told = (effort["runs"] + len(VARIANTS) - 1) * len(data["settings"]) + effort["instances"]
    return max(0, ran["episodes"] - told) if ran["tasks_done"] == ran["tasks"] else 0


def _claim(data: Data, rows: Sequence[Data], anchors: Mapping[str, str]) -> Data:
    """Return a claim as the board shows it.

    `ratio` and `steered` say how much of a bound was used at most, on settings and on small instances. Where small
    instances alone refute the claim, there is no ratio of the settings: it would hide that. `violated` says that it was
    refuted where it has no ratio above 1, `idle` that no comparison on the settings could have failed.
    """
    row = rows[0]
    label = row["label"]
    ratio, steered = (_ratio(each for each in rows if (each["setting"] is None) is beside) for beside in (False, True))
    refuted = [each for each in rows if each["verdict"] == "REFUTED"]
    if refuted and all(each["setting"] is None for each in refuted):
        ratio = None
    failed = any(piece["violations"] for each in refuted for piece in each["evidence"])
    printed = steered if ratio is None else ratio
    stated = data.get("statements", {}).get(label, {})
    found = {each["setting"]: each for each in rows}
    parts = stated.get("parts") or [{"name": "", "headline": True, "latex": each} for each in row["latex"]]
    return {
        "row": row,
        "rows": rows,
        "anchor": anchors[label],
        "mark": _mark(row.get("verdict_of_claim", row["verdict"]), row),
        "cells": [_cell(place, found.get(place)) for place in (*data["settings"], None)],
        "ratio": ratio,
        "steered": steered,
        "printed_ratio": printed,
        "violated": failed and (printed is None or printed < 1),  # the ratio does not say so
        "idle": row.get("could_fail_on_settings") is False,
        "parts": _parts(rows, parts),
        "notation": notation_of(data, label),
        "implies": stated.get("implies", ()),
        "stated_under": stated.get("stated_under", ()),
        "commented_out": stated.get("commented_out", False),
        "again": _again(data, label),
        "mixed": _mixed(rows),
    }


#: What a result that does not refute a claim says of its place, beside one elsewhere that does.
_SPARED = {
    "PROVED": "it is proved",
    "PROVED_STEPS": "its steps are proved",
    "EXACT": "it is true for those numbers",
    "NOT_REFUTED": "no counterexample was found",
}


def _mixed(rows: Sequence[Data]) -> tuple[str, ...]:
    """Return why a refuted claim stands beside verdicts that do not refute it; nothing where it does not."""
    row, verdicts = rows[0], {row["verdict"] for row in rows}
    spared = [verdict for verdict in _SPARED if verdict in verdicts]
    if "REFUTED" not in (*verdicts, row.get("verdict_of_claim")) or not spared:
        return ()
    failing = _failing_parts(rows)
    return (
        f"False as worded: one counterexample is enough. Here it comes from {_source(rows)}.",
        *(f"Where it is {verdict}, {_SPARED[verdict]}." for verdict in spared),
        *((f"Of its parts, only “{'”, “'.join(failing)}” fails.",) if failing else ()),
        *((f"What holds instead: {row['repaired_by']}.",) if row["repaired_by"] else ()),
    )


def _source(rows: Sequence[Data]) -> str:
    """Return where the counterexample of a refuted claim comes from: not always from this report."""
    refuted = [each["setting"] for each in rows if each["verdict"] == "REFUTED"]
    if settings := [setting for setting in refuted if setting is not None]:
        return ", ".join(settings)
    if refuted or not (known := rows[0].get("finding_shown_on")):
        return "small instances or a witness"
    return f"{', '.join(known)}, which this report does not look at"


def _failing_parts(rows: Sequence[Data]) -> list[str]:
    """Return the names of a claim's refuted parts; none where no other part was compared."""
    found = {part["name"]: False for row in rows for piece in row["evidence"] for part in piece["parts"]}
    for row in rows:
        for piece in row["evidence"]:
            for part in piece["parts"]:
                found[part["name"]] |= part["verdict"] == "REFUTED"
    failing = [name for name, fails in found.items() if fails]
    return failing if len(failing) < len(found) else []


def place_of_piece(row: Data, piece: Data) -> str:
    """Return how a page calls the place of one piece of the evidence of a result."""
    return place_of_evidence(row["setting"], piece["kind"], Verdict(piece["verdict"]))


def _mark(verdict: str, row: Data) -> Mark:
    return mark_of(verdict, documented=bool(row["documented_finding"]))


def _cell(setting: str | None, row: Data | None) -> Data:
    """Return what one setting, or none in particular, says about a claim."""
    place = "beside the settings" if setting is None else setting
    return {"place": place, "mark": mark_of(None) if row is None else _mark(row["verdict"], row)}


def _ratio(rows: Iterable[Data]) -> float | None:
    """Return the largest ratio of some results of a claim."""
    return max((row["tightest_ratio"] for row in rows if row.get("tightest_ratio") is not None), default=None)


def _parts(rows: Sequence[Data], stated: Sequence[Data]) -> list[Data]:
    """Return the parts of a claim in their order, with what the evidence of each row says about them."""
    pieces = [(place_of_piece(row, piece), piece) for row in rows for piece in row["evidence"]]
    told = [(place, piece["parts"]) for place, piece in pieces if len(piece["parts"]) == len(stated)]
    return [{**part, "found": [(place, parts[number]) for place, parts in told]} for number, part in enumerate(stated)]


def _again(data: Data, label: str) -> str | None:
    """Return the command that looks at a claim again, at the same settings with the same effort and seed, if any."""
    flags = flags_of(data["effort"])
    if flags is None or not data["settings"]:
        return None
    built_in = data.get("built_in", ())
    settings = [name if name in built_in else _FILE for name in data["settings"]]
    named = [] if tuple(settings) == tuple(PUBLISHED_NAMES) else settings
    return shlex.join(["costproof", "verify", *named, *flags, "--seed", str(data["seed"]), "--claim", label])
