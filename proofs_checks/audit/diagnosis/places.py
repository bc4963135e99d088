"""Several edits of one log: what explains the first violation is undone, and what remains is explained in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from proofs_checks.audit.diagnosis.edits import Edit, edit_of, edited_bids
from proofs_checks.audit.diagnosis.evidence import Explanation, LogEvidence
from proofs_checks.audit.diagnosis.window import Stretch, Window

#: More edits than this are told as no explanation: so many wrong steps are likelier a wrong mechanism.
MOST = 4
_NUMBERS = {2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class _Place:
    """An edit: where it shows, the violations that it explains, and what it is."""

    first_step: int
    last_step: int
    explained: int
    edit: Edit

    @property
    def text(self) -> str:
        steps = f"Step {self.first_step:,}"
        if self.last_step > self.first_step:
            steps = f"Steps {self.first_step:,} to {self.last_step:,}"
        return f"{steps}: {self.edit.text}."

    @property
    def where(self) -> dict[str, Any]:
        return {"hypothesis": self.edit.kind, **self.edit.where}


def several_places(log: LogEvidence) -> list[Explanation]:
    """Return that several edits together explain every violation of the log, if from two to `MOST` of them do."""
    found: list[_Place] = []
    for stretch in log.recorder.stretches:
        for place in _places(stretch):
            found.append(place)
            if len(found) > MOST:
                return []
    if len(found) < 2 or sum(place.explained for place in found) != log.total:
        return []
    text = f"The violations are consistent with {_NUMBERS[len(found)]} edits. {' '.join(place.text for place in found)}"
    where = {"places": [place.where for place in found]}
    return [log.in_log.explained("several edits", text, where=where)]


def _places(stretch: Stretch) -> Iterator[_Place]:
    """Yield the edits that explain a stretch, one after the other; the last leaves nothing, or is none."""
    around = stretch.window()
    rest = None if around is None else around.followed_by(stretch.later())
    while rest is not None and (piece := rest.around_first()) is not None:
        end = len(rest.trace) - (piece.first_step - rest.first_step) - len(piece.trace)
        later = rest.trace.rows(slice(len(rest.trace) - end, None)) if end else None
        whole = piece.followed_by(later)
        # One that leaves the first violation, or makes one before it, is not tried on all rows.
        tried = [(edit, edit.undone.followed_by(later)) for edit in _single(piece) if edit.is_quiet(piece.first)]
        explaining = [(edit, undone) for edit, undone in tried if not _beyond(undone, whole)]
        if not explaining:
            return
        edit, undone = min(explaining, key=lambda one: one[1].violations)
        rows = np.setdiff1d(whole.audit.violating_rows, undone.audit.violating_rows)
        steps = whole.step(int(rows[0])), whole.step(int(rows[-1]))
        yield _Place(*steps, whole.violations - undone.violations, edit)
        rest = undone


def _beyond(undone: Window, whole: Window) -> bool:
    """Whether an undone edit leaves the first violation, or makes new ones."""
    left, before = undone.audit.violating_rows, whole.audit.violating_rows
    return before[0] in left or bool(len(np.setdiff1d(left, before)))


def _single(piece: Window) -> Iterator[Edit]:
    """Yield edits of one row: of the first wrong payment, and of the bids that stand there."""
    row = piece.first
    if piece.audit.wrong_payments[row]:
        step, paid = piece.step(row), float(piece.trace.payment[row])
        repaired = piece.edited(row, payment=piece.audit.prescriptions[row])
        text = f"an edit of the payment: {paid:.9g} is logged, {piece.audit.prescriptions[row]:.9g} is right"
        yield edit_of("payment edited", {"step": step}, piece, repaired, text)
    yield from edited_bids(piece)
