"""What `costproof replay` prints: each witness, what it shows, and whether it replays."""

from __future__ import annotations

from collections.abc import Sequence

from proofs_checks.claims.replaying import Replayed
from proofs_checks.cli.prose import wrapped
from proofs_checks.plurals import counted


def witnesses_told(found: Sequence[Replayed]) -> str:
    """Return the headline and two lines or more for every witness."""
    lines = [wrapped(_headline(found))]
    for one in found:
        state = "replays" if one.replays else "DOES NOT REPLAY"
        lines += ["", f"{one.label}: {state}", wrapped(f"on {one.setting or 'a small instance'}: {one.shows}", 4)]
    return "\n".join(lines) + "\n"


def _headline(found: Sequence[Replayed]) -> str:
    if not found:
        return "There is no witness in this report: nothing in it is refuted."
    bare = [one for one in found if one.kind == "none"]
    if bare:
        return (
            f"{counted(len(bare), 'REFUTED verdict')} in this report {'has' if len(bare) == 1 else 'have'} no witness."
        )
    failed = [one for one in found if not one.replays]
    if failed:
        labels = ", ".join(dict.fromkeys(one.label for one in failed))
        return f"{len(failed)} of {len(found)} witnesses did not replay: {labels}."
    if len(found) == 1:
        return "The witness replays: its violation came about again."
    return f"All {len(found)} witnesses replay: each violation came about again."
