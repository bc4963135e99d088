"""What `costproof figures` prints: what was drawn where, or the list of figures."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bounds.words import counted, listed
from proofs_checks.cli.prose import wrapped
from proofs_checks.figures.catalogue import KINDS

if TYPE_CHECKING:
    from proofs_checks.figures.pictures import FigureReport


def figures_listed(everything: bool) -> str:
    """Return every figure with its title, or of `everything` what it shows and the paper's labels it stands for."""
    own = [kind.name for kind in KINDS if not kind.labels]
    labels = len({label for kind in KINDS for label in kind.all_labels})
    lines = [wrapped(f"{len(KINDS)} figures for the paper's {labels}. Not in the paper: {listed(own)}."), ""]
    width = max(len(kind.name) for kind in KINDS)
    for kind in KINDS:
        lines += [wrapped(f"{kind.name:<{width}}  {kind.title}", hanging=width + 2)]
        if everything:
            lines += [wrapped(f"{kind.shows}.", 4)]
            lines += [wrapped(f"Paper: {', '.join(kind.all_labels)}" if kind.labels else "Not in the paper.", 4)]
    more = "What each shows, and the paper's labels: costproof figures --list --all"
    lines += [""] if everything else ["", wrapped(more)]
    return "\n".join([*lines, "Next (or of a TOML file):", "  costproof figures payments --setting gpqa-strong", ""])


def notes_of(report: FigureReport) -> list[str]:
    """Say of each figure that was not drawn why; figures of one setting and one reason share a line."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for missing in report.not_drawn:
        reasons.setdefault((missing.reason, missing.setting or ""), []).append(missing.figure)
    return [
        f"not drawn{f' for {setting}' if setting else ''}: {', '.join(figures)} ({reason})"
        for (reason, setting), figures in reasons.items()
    ]


def figures_told(report: FigureReport, folder: str) -> str:
    """Say how many figures were written where, and how many could not be drawn."""
    files = sum(len(picture.files) for picture in report.pictures)
    left = f"; {counted(len(report.not_drawn), 'figure')} could not be drawn" if report.not_drawn else ""
    drawn = f"{counted(len(report.pictures), 'figure')} in {counted(files, 'file')}"
    return f"{drawn} written to {os.path.join(folder, '')}{left}"
