"""What `costproof check --list` prints, without loading what a check runs."""

from __future__ import annotations

from collections.abc import Collection

from proofs_checks.cli.views.console import console
from proofs_checks.conformance.descriptions import GROUPS, Description


def list_checks(checks: Collection[Description], *, everything: bool = False) -> None:
    """Print the names of checks by group; with `everything`, what each tests."""
    screen = console()
    if everything:
        columns = {"check": "whole", "claim": "", "group": "whole", "tests": ""}
        rows = ((check.name, check.claim, check.group, check.says) for check in checks)
        screen.table("Checks, in the order in which they run", columns, rows)
    else:
        for group, about in GROUPS.items():
            if names := [check.name for check in checks if check.group == group]:
                screen.say(f"{group} ({len(names)}), {about}: {', '.join(names)}")
        screen.print()
        screen.say("--list --all prints what each check tests.")
    screen.say(
        "--only NAME selects a check or a group; `costproof docs what-a-pass-means` says what a pass means.",
        style="dim",
    )
