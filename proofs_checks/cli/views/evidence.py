"""What `costproof verify` prints of the evidence for a claim: each piece, those alike on several settings as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console

from bounds.worth.words import rounded_up
from mechanism.tables import LARGEST_HORIZON
from proofs_checks.claims.model.relation import RELATIVE_TOLERANCE
from proofs_checks.claims.witness import numbers_in
from proofs_checks.cli.ranges import besides_numbers, with_ranges
from proofs_checks.cli.views.console import STYLES, place, say
from proofs_checks.plurals import counted
from proofs_checks.proofs.evidence import CertificateEvidence
from proofs_checks.ratios import ratio_text
from proofs_checks.verdict import Evidence, Verdict, place_of_evidence
from proofs_checks.verify.run import SILENT, ClaimResult


class _Piece(NamedTuple):
    """A piece of evidence, and the setting that it is about."""

    setting: str | None
    evidence: Evidence


class _Line(NamedTuple):
    text: str
    style: str


def show_evidence(screen: Console, rows: Sequence[ClaimResult], *, together: bool) -> None:
    """Print the evidence for a claim; `together` tells settings as one whose verdict and reason are the same.

    Told as one is only what was not tested: of a test the numbers of each setting are the result. Reasons that differ
    in their numbers are the same.
    """
    alike: dict[object, list[_Piece]] = {}
    for row in rows:
        for number, piece in enumerate(row.evidence):
            why = (besides_numbers(piece.tried), besides_numbers(piece.reason or ""), len(piece.parts))
            silent = together and row.setting is not None and piece.verdict in SILENT
            key: object = (piece.verdict, piece.kind, why) if silent else (row.setting, number)
            alike.setdefault(key, []).append(_Piece(row.setting, piece))
    for pieces in alike.values():
        _show_pieces(screen, rows[0].label, pieces)


def tightest_anywhere(rows: Sequence[ClaimResult]) -> str:
    """Return how near anything came to the bounds that a claim is cited for, and where; nothing if that is unknown."""
    pieces = [_Piece(row.setting, piece) for row in rows for piece in row.evidence]
    found = [(ratio, piece) for piece in pieces if (ratio := _cited_ratio(piece.evidence)) is not None]
    if not found or any(piece.evidence.violations for piece in pieces):
        return ""
    largest, piece = max(found, key=lambda one: one[0])
    return f"tightest anywhere: ratio {ratio_text(largest)}, on {_place(piece)}"


def _cited_ratio(piece: Evidence) -> float | None:
    cited = [part.tightest_ratio for part in piece.parts if part.headline] if piece.parts else [piece.tightest_ratio]
    return max((ratio for ratio in cited if ratio is not None), default=None)


def _place(piece: _Piece) -> str:
    return place_of_evidence(piece.setting, piece.evidence.kind, piece.evidence.verdict)


def _show_pieces(screen: Console, label: str, pieces: Sequence[_Piece]) -> None:
    """Print pieces with one verdict and reason as one, and where they differ in more than numbers each by itself."""
    head, *lines = zip(*(_lines(piece.setting, piece.evidence) for piece in pieces), strict=True)
    say(
        screen,
        f"{', '.join(map(_place, pieces))}: {with_ranges([line.text for line in head])}",
        indent=2,
        style=head[0].style,
    )
    for same in lines:
        for told in _told_alike(pieces, same):
            say(screen, told.text, indent=6, style=told.style)
    if hint := _reaching(pieces):
        say(screen, hint, indent=6, style="dim")
    nearest = max(pieces, key=lambda piece: piece.evidence.tightest_ratio or 0.0)
    piece = nearest.evidence
    if piece.where:
        on = f" (on {nearest.setting})" if len(pieces) > 1 else ""
        say(screen, f"tightest{on}: {place(piece.where)}", indent=6, style="dim")
    if piece.witness:
        numbers = place(numbers_in(piece.witness))
        said = f"witness ({piece.witness['kind']}){f': {numbers}' if numbers else ''}"
        say(screen, f"{said}; whole in --json; replays", indent=6, style="dim")
    if isinstance(piece, CertificateEvidence):
        _show_what_it_rests_on(screen, label, piece)


def _told_alike(pieces: Sequence[_Piece], lines: Sequence[_Line]) -> list[_Line]:
    """Return a line for all pieces, or of those that differ in more than numbers one for each kind, with its place."""
    kinds: dict[tuple[str, ...], list[int]] = {}
    for number, line in enumerate(lines):
        kinds.setdefault(besides_numbers(line.text), []).append(number)
    told = []
    for numbers in kinds.values():
        text = with_ranges([lines[number].text for number in numbers])
        on = f" (on {', '.join(_place(pieces[number]) for number in numbers)})" if len(kinds) > 1 else ""
        told += [_Line(f"{text}{on}", lines[numbers[0]].style)] if text else []
    return told


def _lines(setting: str | None, piece: Evidence) -> list[_Line]:
    """Return what was tried, what came of it, and a line for each part of several; the setting is named elsewhere."""
    verdict = f"{piece.verdict} ({_exact_for(piece, setting)})" if piece.verdict is Verdict.EXACT else piece.verdict
    facts = []
    if piece.kind == "certificate":
        facts += [f"{counted(piece.checked, 'obligation')} proved"] if piece.checked else []
    elif piece.checked:
        facts += [counted(piece.checked, "comparison"), counted(piece.violations, "violation")]
    facts += _how_near(piece)
    if piece.could_fail is False and len(piece.parts) == 1:
        facts.append(f"could not fail: {piece.parts[0].against_trivial}")
    facts += [piece.reason] if piece.reason else []
    lines = [_Line(f"{verdict} {piece.kind}: {piece.tried}", STYLES[piece.verdict]), _Line("; ".join(facts), "dim")]
    for part in sorted(piece.parts, key=lambda part: not part.headline) if len(piece.parts) > 1 else ():
        cited = "" if part.headline else " (another part of the statement)"
        ratio = "" if part.tightest_ratio is None else f", ratio {ratio_text(part.tightest_ratio)}"
        compared = counted(part.checked, "comparison")
        idle = "" if part.against_trivial is None else f"; could not fail: {part.against_trivial}"
        needs = "" if part.horizon_needed is None else f"; {part.horizon_needed}"
        text = f"{part.verdict} {part.name}{cited}: {compared}{ratio}{idle}{needs}"
        lines.append(_Line(text, STYLES[part.verdict]))
    return lines


def _reaching(pieces: Sequence[_Piece]) -> str:
    """Say which horizon is enough, the least one of several settings, where one that can be simulated was missing."""
    enough = {piece.setting: found for piece in pieces if (found := _enough(piece.evidence)) is not None}
    if not enough:
        return ""
    nearest = min(enough, key=lambda name: enough[name])
    return f"--horizon {enough[nearest]} reaches it" + (f" on {nearest}" if len(pieces) > 1 else "")


def _enough(piece: Evidence) -> int | None:
    """Return a horizon that is enough for every part, rounded up; None where none can be simulated or was missing."""
    needed = [part.horizon_needed for part in piece.parts if part.horizon_needed is not None]
    values = [each.value for each in needed if each.value is not None]
    if not piece.reason or not values or len(values) < len(needed) or max(values) >= LARGEST_HORIZON:
        return None
    return min(LARGEST_HORIZON, int(rounded_up(max(values) + 1, 2, keep_whole=False)))


def _show_what_it_rests_on(screen: Console, label: str, piece: CertificateEvidence) -> None:
    """Print where a proof leaves the paper's, which axioms it assumes, and of how many hypotheses no need is shown."""
    again = f"`costproof prove {label}`"
    if piece.unlike_paper:
        say(screen, f"unlike the paper's proof: {piece.unlike_paper}", indent=6, style="dim")
    if piece.assumed:
        say(screen, f"assumed by name: {', '.join(piece.assumed)}; in words: {again}", indent=6, style="dim")
    if piece.without_mutant:
        which = "one hypothesis" if piece.without_mutant == 1 else f"{piece.without_mutant:,} hypotheses"
        were = "was" if piece.without_mutant == 1 else "were"
        told = f"{which} of {piece.hypotheses:,} {were} not shown to be needed; why: {again}"
        say(screen, told, indent=6, style="dim")


def _exact_for(piece: Evidence, setting: str | None) -> str:
    """Return what an exact result is about: a certificate's instances, one setting, or formulas without one."""
    if piece.kind == "certificate":
        return "only for the instances that are named"
    return "derived without a setting" if setting is None else "computed for this setting"


def _how_near(piece: Evidence) -> list[str]:
    """Return how near comparisons came to the bound; of a violated one, by how much at most."""
    if piece.violations:
        worst = piece.tightest_margin
        return [] if worst is None else [f"violated by {-worst:.6g}"]
    near = [] if piece.tightest_ratio is None else [f"ratio {ratio_text(piece.tightest_ratio)}"]
    margin = piece.tightest_margin
    if margin is None:
        return near
    # A negative zero is a zero.
    rounding = f", within the {RELATIVE_TOLERANCE:g} of both sides that rounding may take" if margin < 0 else ""
    return [*near, f"smallest margin {margin + 0.0:.6g}{rounding}"]
