"""The page of `costproof verify --json`: guarantees, theorems, every claim, and what was run."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bounds.glossary import GLOSSARY, title_of
from bounds.published import PUBLISHED_NAMES
from bounds.words import both_at_most
from proofs_checks.claims.cases.variants import VARIANTS
from proofs_checks.claims.model.claim import COMMENTED_OUT
from proofs_checks.claims.model.evidence import place_of_evidence
from proofs_checks.pages.claims import by_section, notation_of, rests_of
from proofs_checks.pages.document import Anchors, render
from proofs_checks.pages.reproduction import reproduction_view
from proofs_checks.pages.verdicts import MARKS, Mark, mark_of, rank_of
from proofs_checks.pages.words import number_as
from proofs_checks.verdict import NOT_MEANT, SILENT, WORDS, Verdict
from proofs_checks.verify.claim_verdicts import wrongs_in_words
from proofs_checks.verify.consistency import contradictions
from proofs_checks.verify.episodes import flags_of

Data = Mapping[str, Any]

#: Settings whose guarantees are not folded.
_SHOWN = 5
#: In a command, a setting that is not built in: the report does not have the name of its file.
_FILE = "SETTING.toml"
#: The place of results without a setting.
_CONSTRUCTED = "constructed instances and proofs"
#: Verdicts that need no word where another place refutes the claim.
_SETTLED = (Verdict.REFUTED, *SILENT)


def verify_page(data: Data) -> str:
    """Return the page of a report of `costproof verify`."""
    groups: dict[str, list[Data]] = {}
    for row in data["claims"]:
        groups.setdefault(row["label"], []).append(row)
    anchors = Anchors("claim").of(list(groups))
    claims = [{**_claim(data, rows, anchors), "order": order} for order, rows in enumerate(groups.values())]
    guarantees = [_guarantees(each) for each in data.get("guarantees", ())]
    reproduced = data.get("reproduction")
    notation = {(each["latex"], each["formula"]): each for claim in claims for each in claim["notation"]}
    return render(
        "verify.html",
        data=data,
        claims=claims,
        guarantees=(guarantees[:_SHOWN], guarantees[_SHOWN:]),
        theorems=[claim for claim in claims if claim["row"]["kind"] == "theorem" and claim["row"]["number"]],
        sections=by_section(claims),
        places=[*data["settings"], _CONSTRUCTED],
        on_settings=sum(
            piece["checked"]
            for row in data["claims"]
            for piece in row["evidence"]
            if row["setting"] is not None and piece["kind"] != "certificate"
        ),
        anchors=anchors,
        commented_out=COMMENTED_OUT,
        notation=list(notation.values()),
        symbols={key: f"symbol-{place}" for place, key in enumerate(notation)},
        theories={
            piece["kernel_file"]: piece["kernel_hash"]
            for row in data["claims"]
            for piece in row["evidence"]
            if piece.get("kernel", "none") != "none"
        },
        rests=rests_of(groups, data.get("statements", {})),
        board=MARKS,
        not_meant=NOT_MEANT,
        refuted=[
            claim
            for claim in claims
            if any(row["verdict"] == "REFUTED" and not row["documented_finding"] for row in claim["rows"])
        ],
        findings=_findings(claims),
        quick=flags_of(data["effort"]) == ("--quick",),
        verdicts=[name for name, mark in MARKS.items() if any(claim["mark"] is mark for claim in claims)],
        figures=data.get("figures"),
        reproduction=None if reproduced is None else reproduction_view(reproduced),
        proofs=data.get("proofs", {}),
        place_of_piece=place_of_piece,
        horizon=GLOSSARY["identification_horizon"],
        horizon_title=title_of("identification_horizon"),
        variants=data["ran"].get("variants", 0),
        in_flight=_in_flight(data),
        contradictions=contradictions(data),
        file=_FILE if set(data["settings"]) - set(data.get("built_in", ())) else None,
    )


def _findings(claims: Sequence[Data]) -> list[Data]:
    """Return the documented findings: wordings of the paper, then stronger readings, with what is wrong in words."""
    found: list[Data] = []
    for stronger, title in ((False, "Wordings of the paper"), (True, "Stronger readings")):
        documented = [each for each in claims if each["row"]["documented_finding"]]
        some = [each for each in documented if each["row"]["stronger_reading"] is stronger]
        verdicts = [row.get("verdict_of_claim", row["verdict"]) for row in (each["row"] for each in some)]
        found += [{"title": title, "wrong": wrongs_in_words(verdicts), "claims": some}] * bool(some)
    return found


def _guarantees(found: Data) -> Data:
    """Return what is guaranteed of a setting, and the one reason where no theorem applies."""
    reasons = {None if bound["applies"] else bound["reason"] for bound in found["bounds"]}
    return {
        **found,
        "none_because": reasons.pop() if len(reasons) == 1 else None,
        "bounds": [_guarantee(bound) for bound in found["bounds"]],
    }


def _guarantee(bound: Data) -> Data:
    """Return a bound as the page shows it: rounded up, with its whole value, and over its trivial value."""
    value, trivial = bound["value"] if bound["applies"] else None, bound["trivial"]
    texts = both_at_most(value, trivial)
    return {
        "title": title_of(bound["guarantee"]),
        "unit": bound["unit"],
        "label": bound["label"],
        "value": number_as(value, texts[0]),
        "trivial": number_as(trivial, texts[1]),
        "share": value / trivial if value is not None and trivial else None,
        "informative": bound["informative"],
        "start": bound["informative_from"],
        "reason": bound.get("why_never") if bound["applies"] else bound["reason"],
        "proved_as": bound["proved_as"],
    }


def _in_flight(data: Data) -> int:
    """Return how many of the runs were constructed instances with queries in flight; 0 where that is not known."""
    ran, effort = data["ran"], data["effort"]
    others = (effort["runs"] + len(VARIANTS) - 1) * len(data["settings"]) + effort["instances"]
    return max(0, ran["episodes"] - others) if ran["tasks_done"] == ran["tasks"] else 0


def _claim(data: Data, rows: Sequence[Data], anchors: Mapping[str, str]) -> Data:
    """Return a claim as the page shows it.

    `ratio` and `constructed` are how much of a bound was used at most, on settings and on constructed instances. A
    claim that is refuted on constructed instances alone has no `ratio`, which would hide that. `violated`: refuted
    without a ratio above 1; `idle`: no comparison on the settings could have failed.
    """
    row = rows[0]
    label = row["label"]
    ratio, constructed = (_ratio(each for each in rows if (each["setting"] is None) is none) for none in (False, True))
    refuted = [each for each in rows if each["verdict"] == "REFUTED"]
    if refuted and all(each["setting"] is None for each in refuted):
        ratio = None
    failed = any(piece["violations"] for each in refuted for piece in each["evidence"])
    printed = constructed if ratio is None else ratio
    stated = data.get("statements", {}).get(label, {})
    found = {each["setting"]: each for each in rows}
    parts = stated.get("parts") or [{"name": "", "headline": True, "latex": each} for each in row["latex"]]
    return {
        "row": row,
        "rows": rows,
        "anchor": anchors[label],
        "mark": (mark := _mark(row.get("verdict_of_claim", row["verdict"]), row)),
        "rank": rank_of(mark),
        "cells": [_cell(place, found.get(place)) for place in (*data["settings"], None)],
        "ratio": ratio,
        "constructed": constructed,
        "printed_ratio": printed,
        "violated": failed and (printed is None or printed < 1),  # the ratio does not say so
        "idle": row.get("could_fail_on_settings") is False,
        "pieces": [(each, piece) for each in rows for piece in each["evidence"]],
        "parts": _parts(rows, parts),
        "notation": notation_of(data, label),
        "implies": stated.get("implies", ()),
        "stated_under": stated.get("stated_under", ()),
        "commented_out": stated.get("commented_out", False),
        "again": _again(data, label),
        "mixed": _mixed(rows),
    }


def _mixed(rows: Sequence[Data]) -> tuple[str, ...]:
    """Return why a claim is refuted although some of its results are not; nothing where all agree."""
    row, verdicts = rows[0], {row["verdict"] for row in rows}
    others = [WORDS[verdict] for verdict in Verdict if verdict in verdicts and verdict not in _SETTLED]
    if "REFUTED" not in (*verdicts, row.get("verdict_of_claim")) or not others:
        return ()
    failing = _failing_parts(rows)
    return (
        f"Refuted as worded: one counterexample is enough. It comes from {_source(rows)}; elsewhere the claim is "
        f"{' or '.join(others)}.",
        *((f"Of its parts, only “{'”, “'.join(failing)}” fails.",) if failing else ()),
        *((f"What holds instead: {row['repaired_by']}.",) if row["repaired_by"] else ()),
    )


def _source(rows: Sequence[Data]) -> str:
    """Return where the counterexample of a refuted claim comes from, which need not be in this report."""
    refuted = [each["setting"] for each in rows if each["verdict"] == "REFUTED"]
    if settings := [setting for setting in refuted if setting is not None]:
        return ", ".join(settings)
    if refuted or not (known := rows[0].get("finding_shown_on")):
        return "constructed instances or a witness"
    return f"{', '.join(known)}, which is not in this report"


def _failing_parts(rows: Sequence[Data]) -> list[str]:
    """Return the names of a claim's refuted parts; none where no other part was compared."""
    parts = [part for row in rows for piece in row["evidence"] for part in piece["parts"]]
    refuted, names = {part["name"] for part in parts if part["verdict"] == "REFUTED"}, [part["name"] for part in parts]
    return [name for name in dict.fromkeys(names) if name in refuted] if refuted < {*names} else []


def place_of_piece(row: Data, piece: Data) -> str:
    """Return how a page calls the place of one piece of the evidence of a result."""
    return place_of_evidence(row["setting"], piece["kind"], Verdict(piece["verdict"]))


def _mark(verdict: str, row: Data) -> Mark:
    return mark_of(verdict, documented=bool(row["documented_finding"]))


def _cell(setting: str | None, row: Data | None) -> Data:
    """Return what one setting, or none in particular, says about a claim."""
    return {"place": setting or _CONSTRUCTED, "mark": mark_of(None) if row is None else _mark(row["verdict"], row)}


def _ratio(rows: Iterable[Data]) -> float | None:
    """Return the largest ratio of some results of a claim."""
    return max((row["tightest_ratio"] for row in rows if row.get("tightest_ratio") is not None), default=None)


def _parts(rows: Sequence[Data], stated: Sequence[Data]) -> list[Data]:
    """Return the parts of a claim in their order, with what the evidence of each row says about them."""
    pieces = [(place_of_piece(row, piece), piece) for row in rows for piece in row["evidence"]]
    whole = [(place, piece["parts"]) for place, piece in pieces if len(piece["parts"]) == len(stated)]
    return [{**part, "found": [(place, parts[number]) for place, parts in whole]} for number, part in enumerate(stated)]


def _again(data: Data, label: str) -> str | None:
    """Return the command that looks at a claim again, at the same settings with the same effort and seed, if any."""
    flags = flags_of(data["effort"])
    if flags is None or not data["settings"]:
        return None
    built_in = data.get("built_in", ())
    settings = [name if name in built_in else _FILE for name in data["settings"]]
    named = [] if tuple(settings) == tuple(PUBLISHED_NAMES) else settings
    return shlex.join(["costproof", "verify", *named, *flags, "--seed", str(data["seed"]), "--claim", label])
