"""What `costproof reproduce` prints: the paper's tables beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from proofs_checks.cli.views.console import console, say, show, suggest, table
from proofs_checks.reproduction.run import ReproducedNumber, Reproduction, TableAgreement
from proofs_checks.reproduction.statistics import NumberAgainstPrinted

_NOTES = (
    "z is (printed - ours) / standard error of the difference (30 printed runs, the print's rounding, our runs); where "
    "nothing varies, the rounding alone, so that |z| up to 1.73 is within it. A minimum or maximum is compared with "
    "the exact law of that extreme of 30 draws from our runs; it is skewed, so the tail probability (two-sided) says "
    "more than z.",
    "Numbers of one setting come from the same runs and rise and fall together: the count of disagreements varies more "
    "than it would for independent numbers.",
    "The market's five cost variations and one difficulty constant were chosen looking at these tables, so agreement "
    "with them is partly by construction; nor does it show that the recorded generations are distributed as this "
    "market assumes: see `costproof docs reproduction`.",
)
#: Tail probability from which an extreme with a large z is not called rare.
_RARE = 0.05


def show_reproduction(found: Reproduction, *, only_summary: bool = False) -> None:
    """Print how many numbers agree and which do not, then the tables number by number."""
    screen = console()
    first, *rest = _headline(found)
    say(screen, first, style="bold")
    for text in _disagreements(found):
        say(screen, f"- {text}", indent=2, style="yellow")
    screen.print()
    _show_agreement(screen, found)
    if not only_summary:
        for part in found.tables:
            screen.print()
            say(screen, _title(part), style="bold")
            show(screen, _lines_table(part.lines))
    for note in (*rest, *_NOTES):
        say(screen, note, style="dim")
    if found.settings:
        command = f"costproof reproduce {' '.join(found.settings)} --runs 1000 --out reproduced"
        suggest(screen, command, "more runs, kept in a folder")


def _show_agreement(screen: Console, found: Reproduction) -> None:
    columns = {"table": "", "numbers": "right", "|z| < 3": "right", "|z| < 2": "right", "largest |z|": "right"}
    summary = table("Agreement", columns)
    for part in found.tables:
        agree = f"{part.agree_within_3} of {part.compared}", str(part.agree_within_2)
        counts = (str(len(part.lines)), *(agree if found.judged else ("-", "-")), _z(part.largest_absolute_z))
        summary.add_row(f"{part.setting}, {part.table} {part.paper.label}", *counts)
    show(screen, summary)


def _lines_table(lines: Sequence[ReproducedNumber]) -> Table:
    """Return a row for every number: what it is, as printed, ours, and how far apart they are."""
    columns = {"number": "", "printed": "right", "ours": "right", "std. error": "right", "z": "right"}
    found = table("", columns)
    for line in lines:
        number, ours = line.number, line.comparison
        name = ", ".join(part for part in (line.row, number.column, number.stat) if part)
        cells = ["-", "-", "too few runs"]
        if ours is not None:
            cells = [_figure(ours.ours), _figure(ours.standard_error), _z(ours.z) + " !" * line.disagrees]
        found.add_row(name, _figure(number.printed), *cells, style="yellow" if line.disagrees else "")
    return found


def _title(part: TableAgreement) -> str:
    return f"{part.setting}, {part.table}: {part.paper.caption} ({part.paper.label})"


def _headline(found: Reproduction) -> tuple[str, ...]:
    """Return what was found in a sentence or two, and what weighs it."""
    missing = f" ({found.not_compared} need --runs 300)" if found.not_compared else ""
    if not found.judged:
        return (
            f"Too few runs to judge: {found.runs}, seed {found.seed}; z is far from normal below 30. {found.compared} "
            f"numbers are beside ours{missing}; no verdicts.",
        )
    return (
        f"{found.agree_within_3} of {found.compared} numbers agree within 3 standard errors{missing}; {found.runs:,} "
        f"runs, seed {found.seed}. {found.unexplained} disagree without an explanation.",
        f"Chance alone would make about {found.expected_by_chance:.1f} of the {found.varying} numbers that vary "
        f"disagree if they were independent and normal. Judged by the paper's own half-widths, printed for "
        f"{found.with_halfwidth} of them, {found.beyond_3_by_halfwidth} lie beyond 3.",
    )


def _disagreements(found: Reproduction) -> list[str]:
    return [_verdict(line, line.comparison, found.runs) for line in found.lines if line.disagrees and line.comparison]


def _verdict(line: ReproducedNumber, ours: NumberAgainstPrinted, runs: int) -> str:
    """Say how a number disagrees, and why if somebody found out."""
    tail, why, shown = ours.tail_probability, "unexplained", ""
    if tail is not None and ours.tail_resolved is False:
        shown = f", tail probability not resolved at {runs:,} runs (at most about {tail:.2g})"
        why = "unexplained; no run of ours reaches it, more runs tell"
    elif tail is not None:
        shown = f", tail probability {_figure(tail)}"
        why = "unexplained, but not rare by its tail; more runs tell" if tail >= _RARE else why
    number = line.number
    name = ", ".join(part for part in (number.setting, number.table, line.row, number.column) if part)
    figures = f"printed {_figure(number.printed)}, ours {_figure(ours.ours)}, z {_z(ours.z)}"
    return f"{name}: {figures}{shown}: {line.reason or why}"


def _figure(value: float) -> str:
    """Return a number of a table: whole ones in full, others to five digits.

    Examples
    --------
    >>> _figure(70000.0), _figure(0.69214321), _figure(12345.678)
    ('70,000', '0.69214', '12,345.7')
    """
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1e4 else f"{value:.5g}"


def _z(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"
