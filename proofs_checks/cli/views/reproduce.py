"""What `costproof reproduce` prints: how many of the paper's numbers ours agree with, and all of them."""

from __future__ import annotations

import math

from rich.text import Text

from bounds.words import is_or_are, number
from proofs_checks.cli.views.console import Screen, console
from proofs_checks.reproduction.run import ReproducedNumber, Reproduction, TableAgreement
from proofs_checks.reproduction.statistics import NumberAgainstPrinted

_Z = "z is (printed - ours) / standard error of the difference."
_NOTES = (
    "The standard error is that of 30 printed runs, the print's rounding and our runs; where nothing varies, of the "
    "rounding alone, so that |z| up to 1.73 is within it. A minimum or maximum is compared with "
    "the exact law of that extreme of 30 draws from our runs; it is skewed, so the tail probability (two-sided) says "
    "more than z.",
    "Numbers of one setting come from the same runs and rise and fall together: the count of disagreements varies more "
    "than it would for independent numbers.",
    "Agreement does not show that the recorded generations are distributed as this market assumes: see "
    "`costproof docs reproduction`.",
)
_TUNED = (
    "Agreement is partly by construction: five cost variations and one difficulty constant, for the five markets "
    "together, were fitted to the paper's tables. Printed numbers that need no run are compared by `costproof verify "
    "--claim claim:table-numbers`."
)
#: Tail probability from which an extreme with a large z is not called rare.
_RARE = 0.05


#: Runs from which every number is compared.
_ENOUGH = 300
#: So many of the numbers that are furthest apart are on the screen.
_FURTHEST = 3


def show_reproduction(found: Reproduction, *, everything: bool = False) -> None:
    """Print how many numbers agree, by table or setting, and those furthest apart; with `everything`, every number."""
    screen = console()
    first, *rest = _headline(found)
    screen.say(first, style="bold")
    several = len(found.settings) > 1
    _show_agreement(screen, found, of_settings=several)
    every = [(line, line.comparison) for line in found.lines if line.comparison is not None]
    compared = [each for each in every if each[1].varies or each[0].disagrees]
    compared.sort(key=lambda each: math.inf if each[1].z is None else abs(each[1].z), reverse=True)
    screen.say("Largest |z|:" if found.judged else "Largest |z|, without a verdict:")
    for line, ours in compared[:_FURTHEST]:
        screen.say(_apart(line, ours, found.runs), indent=2, style="yellow" if line.disagrees else "")
    if disagree := [each for each in compared[_FURTHEST:] if each[0].disagrees]:
        screen.say(f"and {len(disagree)} more that disagree (--all)", indent=2)
    screen.say(_Z)
    screen.say(_TUNED)
    if everything:
        if compared:
            line, ours = max(compared, key=lambda each: _relative(*each))
            share = number(100 * _relative(line, ours), digits=2)
            small = ", which is within chance" if found.judged and not line.disagrees else ""
            screen.say(f"Largest relative difference, {share}%{small}: {_apart(line, ours, found.runs)}")
        for line, ours in disagree:
            screen.say(_apart(line, ours, found.runs), indent=2, style="yellow")
        if several:
            _show_agreement(screen, found, of_settings=False)
        for part in found.tables:
            screen.print()
            screen.say(f"{part.setting}, {part.table}: {part.paper.caption} ({part.paper.label})", style="bold")
            columns = {"number": "", "printed": "right", "ours": "right", "std. error": "right", "z": "right"}
            screen.table("", columns, map(_row, part.lines))
        for note in (*rest, *_NOTES):
            screen.say(note, style="dim")
    if found.settings:
        command = f"costproof reproduce {' '.join(found.settings)} --runs {max(_ENOUGH, found.runs)}"
        screen.suggest(f"{command} --all", "every number compared and printed (--out FOLDER keeps the runs)")


def _show_agreement(screen: Screen, found: Reproduction, *, of_settings: bool) -> None:
    """Print how many numbers of each table, or of each setting, agree."""
    rows: dict[str, list[TableAgreement]] = {}
    for part in found.tables:
        table_name = f"{part.table} ({part.paper.label})"
        name = table_name if len(found.settings) == 1 else f"{part.setting}, {table_name}"
        rows.setdefault(part.setting if of_settings else name, []).append(part)
    head = "setting" if of_settings else "table"
    within = ("|z| < 3", "|z| < 2") if found.judged else ()
    summary = []
    for name, parts in rows.items():
        compared = sum(part.compared for part in parts)
        counts = (sum(part.agree_within_3 for part in parts), sum(part.agree_within_2 for part in parts))
        largest = max((part.largest_absolute_z for part in parts if part.largest_absolute_z is not None), default=None)
        numbers = sum(len(part.lines) for part in parts)
        summary.append((name, f"{compared} of {numbers}", *map(str, counts[: len(within)]), _z(largest)))
    screen.table("", {head: "", **dict.fromkeys(("compared", *within, "largest |z|"), "right")}, summary)


def _relative(line: ReproducedNumber, ours: NumberAgainstPrinted) -> float:
    """Return how far ours is from a printed number, relative to it; 0 where 0 is printed."""
    return abs(ours.ours / line.number.printed - 1) if line.number.printed else 0.0


def _row(line: ReproducedNumber) -> list[str | Text]:
    """Return a number in a row: what it is, as printed, ours, and how far apart they are."""
    printed, ours = line.number, line.comparison
    name = ", ".join(part for part in (line.row, printed.column, printed.stat) if part)
    cells = ["-", "-", "too few runs"]
    if ours is not None:
        figures = (number(value, digits=5) for value in (ours.ours, ours.standard_error))
        cells = [*figures, _z(ours.z) + " !" * line.disagrees]
    style = "yellow" if line.disagrees else ""
    return [Text(cell, style) for cell in (name, number(printed.printed, digits=5), *cells)]


def _headline(found: Reproduction) -> tuple[str, ...]:
    """Return what was found in a sentence or two, and what weighs it."""
    missing = f" ({found.not_compared} need --runs {_ENOUGH})" if found.not_compared else ""
    if not found.judged:
        return (
            f"{found.runs} runs (seed {found.seed}) are too few for verdicts: below 30 z is far from normal. "
            f"{found.compared} numbers compared{missing}.",
        )
    disagree = f" {found.unexplained} of the others {is_or_are(found.unexplained or 0)} unexplained."
    disagree *= found.agree_within_3 < found.compared
    constant = found.compared - found.varying
    rounded = f" ({constant} do not vary between runs: for these, to the printed digits)" * bool(constant)
    more = f" {found.not_compared} more need --runs {_ENOUGH}." if found.not_compared else ""
    return (
        f"{found.agree_within_3} of {found.compared} compared numbers agree within 3 standard errors{rounded}; "
        f"{found.runs:,} runs of each policy, seed {found.seed}.{disagree}{more}",
        f"Chance alone would make about {found.expected_by_chance:.1f} of the {found.varying} numbers that vary "
        f"disagree if they were independent and normal. Judged by the paper's own half-widths, printed for "
        f"{found.with_halfwidth} of them, {found.beyond_3_by_halfwidth} lie beyond 3.",
    )


def _apart(line: ReproducedNumber, ours: NumberAgainstPrinted, runs: int) -> str:
    """Return a printed number and ours, and of one that disagrees why, if that is known."""
    printed = line.number
    name = ", ".join(part for part in (printed.setting, printed.table, line.row, printed.column) if part)
    figures = f"printed {number(printed.printed, digits=5)}, ours {number(ours.ours, digits=5)}, z {_z(ours.z)}"
    if not line.disagrees:
        return f"{name}: {figures}"
    tail, why, shown = ours.tail_probability, "unexplained", ""
    if tail is not None and ours.tail_resolved is False:
        shown = f", tail probability not resolved at {runs:,} runs (at most about {tail:.2g})"
        why = "unexplained; not reached by any run of ours, more runs would tell"
    elif tail is not None:
        shown = f", tail probability {number(tail, digits=5)}"
        why = "unexplained, but not rare by its tail; more runs would tell" if tail >= _RARE else why
    return f"{name}: {figures}{shown}: {line.reason or why}"


def _z(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"
