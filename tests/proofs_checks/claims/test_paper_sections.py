"""The section of each statement is where the paper's source has its label."""

from __future__ import annotations

import csv
from pathlib import Path

from proofs_checks.claims.paper_statements import SECTIONS, section_of

LABELS = Path(__file__).with_name("paper_labels.csv")
#: The line of the source at which each section begins.
_STARTS = {"2": 134, "3": 247, "4": 316, "5": 367, "A": 514, "B": 1430, "C": 1505, "D": 1632}


def test_every_label_is_in_the_section_of_its_line() -> None:
    rows = list(csv.DictReader(LABELS.read_text(encoding="utf-8").splitlines()))
    assert rows
    for row in rows:
        begun = [section for section, line in _STARTS.items() if line <= int(row["source_line"])]
        assert section_of(row["label"]) == begun[-1], row["label"]
    assert list(_STARTS) == [section for section in SECTIONS if section]
