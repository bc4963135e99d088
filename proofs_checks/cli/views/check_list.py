"""What `costproof check --list` prints, without loading what a check runs."""

from __future__ import annotations

from collections.abc import Iterable

from proofs_checks.cli.views.console import console, show, table
from proofs_checks.conformance.descriptions import Description


def list_checks(checks: Iterable[Description]) -> None:
    """Print what there is to check."""
    columns = {"check": "whole", "claim": "", "group": "whole", "says": ""}
    found = table("Checks, in the order in which they run", columns)
    for check in checks:
        found.add_row(check.name, check.claim, check.group, check.says)
    screen = console()
    show(screen, found)
    screen.print(
        "--only NAME selects a check or a group; `costproof docs what-a-pass-means` says what a pass means.",
        style="dim",
    )
