"""Notes on stderr: what is good to know beside a result."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from proofs_checks.cli.output import brief, tell_aside
from proofs_checks.cli.prose import wrapped


def note(text: str) -> None:
    """Write to stderr what is good to know, in lines no longer than the width."""
    sys.stdout.flush()  # what was printed before comes first, and ends its line
    tell_aside(wrapped(f"costproof: note: {brief(' '.join(text.split()))}"))


def note_plain(policies: Sequence[str]) -> None:
    """Say which policies are simulated slowly, if any are."""
    if policies:
        note(f"{', '.join(policies)}: in plain Python, hundreds of times slower than compiled policies")
