"""The numbers of the PDF: counted anew from the list of labels."""

from __future__ import annotations

import csv
from pathlib import Path

from proofs_checks.claims.numbers.stored import STORED, number_of
from proofs_checks.claims.registry import all_claims

LIST = Path(__file__).with_name("paper_labels.csv")
ROWS = list(csv.DictReader(STORED.read_text(encoding="utf-8").splitlines()))
KINDS = ("theorem", "lemma", "proposition", "corollary", "assumption", "algorithm")


def listed() -> list[dict[str, str]]:
    """The paper's own list of labels, those that LaTeX numbers as statements, in the order of the source."""
    rows = csv.DictReader(LIST.read_text(encoding="utf-8").splitlines())
    return sorted((row for row in rows if row["kind"] in KINDS), key=lambda row: int(row["source_line"]))


def test_the_numbers_follow_from_the_papers_list() -> None:
    """By counting how many statements of the counter stand before, which is not how they are computed."""
    known = listed()
    assert [(row["label"], row["environment"], row["line"]) for row in ROWS] == [
        (row["label"], row["kind"], row["source_line"]) for row in known
    ]
    for place, (row, stored) in enumerate(zip(known, ROWS, strict=True)):
        before = [other["kind"] for other in known[:place]]
        together = ("theorem", "lemma", "proposition", "corollary")
        shared = together if row["kind"] in together else (row["kind"],)
        wide = (*together, "assumption") if row["kind"] in (*together, "assumption") else (row["kind"],)
        assert int(stored["together"]) == 1 + sum(kind in shared for kind in before)
        assert int(stored["together_with_assumptions"]) == 1 + sum(kind in wide for kind in before)
        assert int(stored["apart"]) == 1 + before.count(row["kind"])


def test_every_numbered_statement_is_a_claim_and_the_other_way_round() -> None:
    numbered = {row["label"] for row in ROWS}
    assert numbered <= all_claims().keys()
    stated = {label for label, claim in all_claims().items() if label.count(":") == 1 and claim.kind in KINDS}
    # The one that is commented out in the source is printed nowhere.
    assert stated - numbered == {"lem:selection-counting"}
    assert all(claim.number == number_of(label) for label, claim in all_claims().items())
