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
    "Only these are replayed. Other verdicts were compared with the counts in the report and with the proofs of this "
    "version, not computed anew: `costproof prove` and `costproof verify` do that."
)
#: So many contradictions, witnesses, and fields that differ are on the screen.
_CONTRADICTIONS, _WITNESSES, _FIELDS = 3, 12, 5


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
        """Whether every violation, or tightest comparison, came about again."""
        return all(witness.replays for witness in self.witnesses)


def witnesses_listed(found: Sequence[Replayed], contradictions: Sequence[str] = (), *, everything: bool = False) -> str:
    """Return the headline, where the report contradicts itself, and the witnesses, those that do not replay first.

    With `everything`, all of them with what they show.
    """
    lines = [wrapped(_headline(found))]
    if contradictions:
        places = counted(len(contradictions), "place")
        lines.insert(0, wrapped(f"The report contradicts itself, or this version's proofs, in {places}:"))
        shown = len(contradictions) if everything else _CONTRADICTIONS
        lines[1:1] = [wrapped(text, 2) for text in contradictions[:shown]]
        if len(contradictions) > shown:
            lines.insert(shown + 1, f"  and {len(contradictions) - shown} more (--all)")
    ordered = found if everything else sorted(found, key=lambda one: one.replays)[:_WITNESSES]
    for one in ordered:
        state = "replays" if one.replays else "DOES NOT REPLAY"
        what = ", tightest comparison" * one.holds
        lines.append(wrapped(f"{one.label} on {one.setting or 'a constructed instance'}{what}: {state}", 2))
        if everything or one.holds:
            lines.append(wrapped(one.shows, 6))
        if one.differs:
            lines.append(wrapped(f"differs in {first_of(one.differs, _FIELDS, where='--json')}", 6))
    if len(found) > len(ordered):
        lines.append(f"  and {len(found) - len(ordered)} more (--all)")
    lines.append(wrapped(_NOT_SHOWN))
    if any(not one.holds for one in found):
        documented = {label for label, stated in all_claims().items() if stated.finding}
        against = counted(len({one.label for one in found} & documented), "documented finding")
        lines.append(wrapped(f"The witnesses are against {against}.{f' {totals_of_findings()}' * everything}"))
    return "\n".join([*lines, ""])


def _headline(found: Sequence[Replayed]) -> str:
    if not found:
        return "There is no witness in this report: nothing in it is refuted."
    bare = [one for one in found if one.kind == "none"]
    if bare:
        return f"{counted(len(bare), 'refuted claim')} in this report {'has' if len(bare) == 1 else 'have'} no witness."
    failed = [one for one in found if not one.replays]
    if failed:
        labels = ", ".join(dict.fromkeys(one.label for one in failed))
        return f"{len(failed)} of {len(found)} witnesses did not replay: {labels}."
    if len(found) == 1:
        what = "The tightest comparison replays: it" if found[0].holds else "The witness replays: its violation"
        return f"{what} came about again, with the numbers that the report states."
    what = "each comparison" if any(one.holds for one in found) else "each violation"
    return f"All {len(found)} witnesses replay: {what} came about again, with the numbers of the report."
