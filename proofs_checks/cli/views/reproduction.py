"""The paper's tables beside ours, on the terminal and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.markup import escape

from proofs_checks.cli.views.console import console, table

_NOTES = (
    "z is (printed - ours) / standard error of the difference (30 printed runs, the print's rounding, our runs); where "
    "nothing varies, the rounding alone, so that |z| up to 1.73 is within it. A minimum or maximum is compared with "
    "the exact law of that extreme of 30 draws from our runs; it is skewed, so the tail probability (two-sided) says "
    "more than z.",
    "Numbers of one setting come from the same runs and rise and fall together: the count of disagreements varies more "
    "than it would for independent numbers.",
    "The market's five cost variations and one difficulty constant were chosen looking at these tables, so agreement "
    "with them is partly by construction; nor does it show that the recorded generations are distributed as this "
    "market assumes: see docs/reproduction.md.",
)
_TEX = (
    (r"\\quad ", "- "),
    (r"\{,\}", ","),
    (r"\\mathrm\{(\w+)\}", r"\1"),
    (r"\^\{(\w+)\}", r"^\1"),
    (r"\\pi", "pi"),
    (r"\\eqref\{[^}]*\}", ""),
)
#: Tail probability from which an extreme with a large z is not called rare.
_RARE = 0.05
_COLUMNS = ("row", "column", "statistic", "printed", "ours", "standard error", "z")


def readable(label: str) -> str:
    """Return a label of a table without LaTeX.

    Examples
    --------
    >>> readable(r"\\quad at t = T_{\\mathrm{id}}")
    '- at t = T_{id}'
    """
    for pattern, replacement in _TEX:
        label = re.sub(pattern, replacement, label)
    return label


def show_reproduction(data: Mapping[str, Any], *, only_summary: bool = False) -> None:
    """Print the tables number by number, then what disagrees and how many agree."""
    screen = console()
    if only_summary:
        _show_verdicts(screen, data)
    else:
        for title, rows in _grouped(data):
            lines = table(title, [(name, "right" if i > 2 else "") for i, name in enumerate(_COLUMNS)])
            for row in rows:
                lines.add_row(*(escape(cell) for cell in _cells(row)), style="yellow" if row["agrees"] is False else "")
            screen.print(lines)
    _show_summary(screen, data)
    if not only_summary:
        _show_verdicts(screen, data)
    for note in _NOTES:
        screen.print(note, style="dim", markup=False)


def _show_verdicts(screen: Console, data: Mapping[str, Any]) -> None:
    screen.print(_headline(data), style="bold", markup=False)
    for row in _disagreeing(data):
        screen.print(f"- {_name(row)}: {_verdict(row, data['runs'])}", markup=False, style="yellow")


def markdown(data: Mapping[str, Any]) -> str:
    """Return the same as Markdown."""
    parts = ["# The paper's tables, printed and ours", _headline(data), *_NOTES, "## Disagreements"]
    found = [f"- {_safe(_name(row))}: {_safe(_verdict(row, data['runs']))}" for row in _disagreeing(data)]
    parts.append("\n".join(found) or ("None." if data["judged"] else "Too few runs to judge."))
    parts += ["## Summary", _markdown_table(_SUMMARY, [_summary_cells(row, data["judged"]) for row in data["tables"]])]
    for title, rows in _grouped(data):
        parts += [f"## {_safe(title)}", _markdown_table(_COLUMNS, [_cells(row) for row in rows])]
    return "\n\n".join(parts) + "\n"


def _grouped(data: Mapping[str, Any]) -> Iterable[tuple[str, list[Mapping[str, Any]]]]:
    rows: Sequence[Mapping[str, Any]] = data["numbers"]
    names = {(row["setting"], row["table"]): f"{row['caption']} ({row['label']})" for row in data["tables"]}
    for (setting, name), group in groupby(rows, key=lambda row: (row["setting"], row["table"])):
        yield f"{setting}, {name}: {names[setting, name]}", list(group)


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    ours, error = row["ours"], row["standard_error"]
    mark = {True: "", False: " !", None: ""}[row["agrees"]]
    return (
        readable(row["row"]),
        row["column"],
        row["stat"],
        _figure(row["printed"]),
        _figure(ours),
        _figure(error),
        _z(row["z"]) + mark if ours is not None else "too few runs",
    )


_SUMMARY = ("setting", "table", "in the paper", "numbers", "|z| < 3", "|z| < 2", "largest |z|")


def _summary_cells(row: Mapping[str, Any], judged: bool) -> tuple[str, ...]:
    counts = (f"{row['agree_within_3']} of {row['compared']}", str(row["agree_within_2"])) if judged else ("-", "-")
    return (row["setting"], row["table"], row["label"], str(row["numbers"]), *counts, _z(row["largest_absolute_z"]))


def _show_summary(screen: Console, data: Mapping[str, Any]) -> None:
    lines = table("Agreement", [(name, "right" if i > 2 else "") for i, name in enumerate(_SUMMARY)])
    for row in data["tables"]:
        lines.add_row(*_summary_cells(row, data["judged"]))
    screen.print(lines)


def _headline(data: Mapping[str, Any]) -> str:
    compared = data["total"] - data["not_compared"]
    missing = f" ({data['not_compared']} need --runs 300)" if data["not_compared"] else ""
    if not data["judged"]:
        return (
            f"Too few runs to judge: {data['runs']}, seed {data['seed']}; z is far from normal below 30. {compared} "
            f"numbers are beside ours{missing}; no verdicts."
        )
    return (
        f"{data['agree_within_3']} of {compared} numbers agree within 3 standard errors{missing}; {data['runs']:,} "
        f"runs, seed {data['seed']}. {data['unexplained']} disagree without an explanation; chance alone would make "
        f"about {data['expected_by_chance']:.1f} of the {data['varying']} that vary disagree if they were independent "
        f"and normal. Judged by the paper's own half-widths, printed for {data['with_halfwidth']} of them, "
        f"{data['beyond_3_by_halfwidth']} lie beyond 3."
    )


def _disagreeing(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [row for row in data["numbers"] if row["agrees"] is False]


def _name(row: Mapping[str, Any]) -> str:
    return ", ".join(part for part in (row["setting"], row["table"], readable(row["row"]), row["column"]) if part)


def _verdict(row: Mapping[str, Any], runs: int) -> str:
    tail, resolved, why = row["tail_probability"], row["tail_resolved"], "unexplained"
    shown = "" if tail is None else f", tail probability {_figure(tail)}"
    if resolved is False:
        shown = f", tail probability not resolved at {runs:,} runs (at most about {tail:.2g})"
        why = "unexplained; no run of ours reaches it, more runs tell"
    elif tail is not None and tail >= _RARE:
        why = "unexplained, but not rare by its tail; more runs tell"
    figures = f"printed {_figure(row['printed'])}, ours {_figure(row['ours'])}, z {_z(row['z'])}"
    return f"{figures}{shown}: {row['reason'] or why}"


def _figure(value: float | None) -> str:
    """Return a number of a table: whole ones in full, others to five digits.

    Examples
    --------
    >>> _figure(70000.0), _figure(0.69214321), _figure(12345.678)
    ('70,000', '0.69214', '12,345.7')
    """
    if value is None:
        return "-"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.1f}" if abs(value) >= 1e4 else f"{value:.5g}"


def _z(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(_safe(cell) for cell in row) + " |" for row in (header, *rows)]
    lines.insert(1, "|" + " --- |" * len(header))
    return "\n".join(lines)


def _safe(text: str) -> str:
    """Return text that Markdown shows as it is.

    Examples
    --------
    >>> _safe("|Qhat| of i*")
    '\\\\|Qhat\\\\| of i\\\\*'
    """
    return re.sub(r"([\\`*_{}\[\]<>#|])", r"\\\1", text)
