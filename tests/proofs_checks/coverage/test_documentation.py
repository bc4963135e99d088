"""The table of the page coverage is what is computed."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context
from pathlib import Path

import pytest

from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.cli.views.coverage import upwards
from proofs_checks.coverage.report import CoverageReport, coverage

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "coverage.md"


def downwards(value: float) -> str:
    return f"{float(Context(prec=3, rounding=ROUND_FLOOR).create_decimal_from_float(value)):.3g}"


def told(report: CoverageReport) -> list[str]:
    return [
        f"{report.confidence:g}",
        *(
            upwards(report.total),
            downwards(report.total_at_least),
            upwards(report.cost_failure),
            upwards(report.false_exclusion),
        ),
        *(upwards(report.worst.at_most), f"{report.providers[0].budget:.3g}"),
    ]


@pytest.mark.long("computes the coverage of each setting")
def test_the_table_of_the_five_settings() -> None:
    text = PAGE.read_text(encoding="utf-8").partition("a test compares this table")[2]
    head, _, *lines = text.partition("\n\n")[2].partition("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (head, *lines)]
    assert tuple(cells[0][1:]) == PUBLISHED_NAMES
    computed = [told(coverage(published(name).setting)) for name in PUBLISHED_NAMES]
    assert [row[1:] for row in cells[1:]] == [list(row) for row in zip(*computed, strict=True)]
