"""`python -m proofs_checks.sharpness.page`: writes the tables of docs/sharpest.md, from bounds and simulated runs."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bounds.published import PUBLISHED_NAMES, published
from proofs_checks.sharpness.compared import QUANTITIES, Elimination, Row, compared, eliminations
from proofs_checks.sharpness.realized import Realized, realized

PAGE = Path(__file__).parents[2] / "docs" / "sharpest.md"
START, END = "<!-- tables: python -m proofs_checks.sharpness.page -->", "<!-- end of tables -->"
HORIZON, RUNS, SEED = 70_000, 200, 0
_METHODS = {"paper": "paper", "sharp": "sharp", "sharpest": "sharpest", "sharpest-binary": "binary"}
_ELIMINATIONS = {"paper": "paper", "sharp": "sharp", "hoeffding": "Hoeffding", "sharpest": "Chernoff"} | {
    "sharpest-binary": "exact"
}


def tables(rows: Sequence[Row], providers: Sequence[Elimination], runs: int) -> str:
    """Return the tables as Markdown: one per setting, and one of the eliminations.

    Parameters
    ----------
    rows, providers : sequence of Row, sequence of Elimination
        Of all settings, one after another.
    runs : int
        How many runs the realized values are of.
    """
    parts = [f"{runs} runs of each setting, seed {SEED}; their mean and their maximum.", ""]
    for setting in dict.fromkeys(row.setting for row in rows):
        head = [f"**{setting}**", *_METHODS.values(), "mean of runs", "maximum", "any platform"]
        parts += _table(head, _rows(row for row in rows if row.setting == setting))
    parts += ["Selections of unqualified providers after initialization, by quality alone:", ""]
    head = ["setting", "provider", *_ELIMINATIONS.values(), "mean of runs", "maximum"]
    parts += _table(head, _eliminations(providers))
    return "\n".join(parts)


def _rows(rows: Iterable[Row]) -> Iterator[list[str]]:
    for row in rows:
        bounds = [_told(row.bounds[name]) for name in _METHODS]
        least = "" if row.least is None else _told(row.least)
        yield [QUANTITIES[row.quantity], *bounds, _told(row.mean), _told(row.largest), least]


def _eliminations(providers: Iterable[Elimination]) -> Iterator[list[str]]:
    for each in providers:
        counts = [_told(each.bounds[name]) for name in _ELIMINATIONS]
        yield [each.setting, each.provider, *counts, _told(each.mean), _told(each.largest)]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *rows]]
    return [*lines, ""]


def _told(value: float | None) -> str:
    """Return a number as a table shows it: whole from 100 on, else to one digit."""
    if value is None or not math.isfinite(value):
        return "-" if value is None else "not by T"
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.1f}"


def written(page: str, found: str) -> str:
    """Return the page with other tables.

    Examples
    --------
    >>> written(f"before {START} old {END} after", "new").replace(chr(10), " ")
    'before <!-- tables: python -m proofs_checks.sharpness.page -->  new  <!-- end of tables --> after'
    """
    before, rest = page.split(START)
    return f"{before}{START}\n\n{found}\n\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Simulate, compare, and write the page."""
    rows: list[Row] = []
    providers: list[Elimination] = []
    for name in PUBLISHED_NAMES:
        setting = published(name).setting
        found: Realized = realized(setting, horizon=HORIZON, runs=RUNS, seed=SEED)
        rows += compared(setting, found)
        providers += eliminations(setting, found)
        sys.stderr.write(f"{name}: {found.runs} runs\n")
    told = tables(rows, providers, RUNS).rstrip()
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), told), encoding="utf-8")


if __name__ == "__main__":
    main()
