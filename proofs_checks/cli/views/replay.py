"""What `costproof replay` prints: each witness, what it shows, and whether it replays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bounds.documents import Document, key
from bounds.words import counted, first_of
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.replaying import Replayed
from proofs_checks.cli.prose import wrapped
from proofs_checks.cli.views.claims import totals_of_findings

#: What a replay does not show; a green line must not be taken for more.
_NOT_SHOWN = (
    "A replay shows violations alone; `verify` counts them over all that it tried, a witness is one case of those. "
    "Verdicts without one (PROVED, EXACT, NOT_REFUTED, ...) were compared with the counts in the report and with the "
    "proofs of this version, not computed anew: `costproof prove` and `costproof verify` do that."
)
#: So many contradictions, and fields that differ, are printed.
_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class ReplayDocument(Document):
    """The witnesses of a report of `verify --json`, replayed.

    Parameters
    ----------
    report : str
        Path of the report; - is standard input.
    witnesses : tuple of Replayed
        One entry for each witness that was replayed.
    contradictions : tuple of str
        Where the report contradicts itself, or the proofs of this version.
    """

    report: str
    witnesses: tuple[Replayed, ...]
    contradictions: tuple[str, ...]

    @key
    def all_replay(self) -> bool:
        """Whether every violation came about again."""
        return all(witness.replays for witness in self.witnesses)


def witnesses_told(found: Sequence[Replayed], contradictions: Sequence[str] = ()) -> str:
    """Return the headline, where the report contradicts itself, two lines or more for every witness, and the limits."""
    lines = [wrapped(_headline(found))]
    if contradictions:
        places = counted(len(contradictions), "place")
        lines = [wrapped(f"The report contradicts itself, or this version's proofs, in {places}:")]
        lines += [wrapped(said, 2) for said in contradictions[:_SHOWN]]
        if len(contradictions) > _SHOWN:
            lines.append(f"  and {len(contradictions) - _SHOWN} more (--json)")
        lines.append(wrapped(_headline(found)))
    for one in found:
        state = "replays" if one.replays else "DOES NOT REPLAY"
        lines += ["", f"{one.label}: {state}", wrapped(f"on {one.setting or 'a constructed instance'}: {one.shows}", 4)]
        if one.differs:
            lines.append(wrapped(f"not so in the report: {first_of(one.differs, _SHOWN, where='--json')}", 4))
    lines += ["", wrapped(_NOT_SHOWN)]
    if found:
        documented = {label for label, stated in all_claims().items() if stated.finding}
        against = counted(len({one.label for one in found} & documented), "documented finding")
        lines.append(wrapped(f"The witnesses here are against {against}. {totals_of_findings()}"))
    return "\n".join([*lines, ""])


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
        return "The witness replays: its violation came about again, with the numbers that the report states."
    return f"All {len(found)} witnesses replay: each violation came about again, with the numbers of the report."
