"""Terminal view of the claims of an audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from proofs_checks.cli.views.console import table
from proofs_checks.cli.views.verification import marked, place
from proofs_checks.plurals import counted
from proofs_checks.verdict import Verdict


def show_claims(screen: Console, claims: Sequence[Mapping[str, Any]], *, every_row: bool) -> None:
    """Print the claims on a log.

    Parameters
    ----------
    screen : Console
    claims : sequence of mapping
        As `ClaimAudit.to_data` returns them.
    every_row : bool
        Also those that do not apply.
    """
    columns = [("claim", "whole"), ("verdict", "whole"), ("comparisons", "right"), ("ratio", "right"), ("remark", "")]
    found = table("Claims on this log", columns)
    for row in claims:
        if not every_row and _inapplicable(row):
            continue
        known = "\n[dim]documented[/]" if documented(row) else ""
        ratio = "-" if row["tightest_ratio"] is None else f"{row['tightest_ratio']:.3f}"
        compared = f"{row['checked']:,}" if row["checked"] else "-"
        mark = marked(Verdict(row["verdict"])) + known
        found.add_row(escape(row["label"]), mark, compared, ratio, escape(_remark(row)))
    if found.row_count:
        screen.print(found)
    screen.print("ratio: left over right side of 'left <= right', at its largest: 1 is attained, above 1 violated.")
    left_out = [] if every_row else [row for row in claims if _inapplicable(row)]
    if left_out:
        reasons = Counter(row["reason"].split(":")[0] for row in left_out)
        told = "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
        more = f"; {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
        many = "1 claim does" if len(left_out) == 1 else f"{len(left_out)} claims do"
        text = f"{many} not apply here: {told}{more}. --all lists {'it' if len(left_out) == 1 else 'them'}."
        screen.print(text, markup=False)


def _inapplicable(row: Mapping[str, Any]) -> bool:
    """Whether a claim says nothing about the setting or the log, and nothing of it was compared."""
    if row["verdict"] not in (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED) or not row["reason"]:
        return False
    # An assumption that fails at a step is news about the log.
    return not row["checked"] and row["compared_until"] is None and "at step" not in row["reason"]


def documented(row: Mapping[str, Any]) -> bool:
    """Whether a claim is refuted, and that is a documented finding about the paper's wording."""
    return bool(row["verdict"] == Verdict.REFUTED and row["documented_finding"])


def _remark(row: Mapping[str, Any]) -> str:
    parts = [row["reason"]] if row["reason"] else []
    before = row["compared_before"]
    if before:
        ratio = "" if before["ratio"] is None else f", ratio {before['ratio']:.3f}"
        parts.append(
            f"up to step {row['compared_until']:,}: {counted(before['checked'], 'comparison')}, "
            f"{counted(before['violations'], 'violation')}{ratio}"
        )
    if row["verdict"] == Verdict.REFUTED:
        parts.append(counted(row["violations"], "violation"))
        parts += [f"worst: {place(_quoted(row['where']))}"] if row["where"] else []
    parts += [f"never met: {part}" for part in row["unexercised"]] if row["verdict"] == Verdict.NOT_REFUTED else []
    return "; ".join(parts)


def _quoted(where: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a relation is tightest, its name, which is a clause, in quotes."""
    return {key: f'"{value}"' if key == "relation" else value for key, value in where.items()}
