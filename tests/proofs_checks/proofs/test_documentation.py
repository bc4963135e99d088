"""docs/proofs.md says what the proofs say, and its pictures are well formed."""

from __future__ import annotations

import re
from pathlib import Path

from proofs_checks.headings import anchor_of
from proofs_checks.proofs.catalogue import all_proofs
from proofs_checks.proofs.documentation import current_page, proofs_page

#: Of this checkout, wherever the package is installed.
PAGE = Path(__file__).parents[3] / "docs" / "proofs.md"


def test_the_page_is_up_to_date():
    """Else run `python -m proofs_checks.proofs.documentation`."""
    assert PAGE.read_text(encoding="utf-8") == current_page()


def test_links_lead_to_headings_and_tables_have_as_many_cells_as_columns():
    page = current_page()
    anchors = [anchor_of(heading) for heading in re.findall(r"^## (.*)$", page, re.MULTILINE)]
    assert len(set(anchors)) == len(anchors) >= len(all_proofs())
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= set(anchors)
    width = None
    for line in page.splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else None
        assert cells is None or width in (None, cells), line
        width = cells


def test_what_a_proof_says_is_no_markup(theory):
    from dataclasses import replace

    strange = replace(theory["lem:sum"], argument="a | b * c_d <e> `f`\ng")
    assert r"**Argument**: a \| b \* c\_d \<e> \`f\` g" in proofs_page({"lem:sum": strange}, {})
