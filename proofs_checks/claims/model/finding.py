"""What cases say about a claim, part by part: a claim is known no better than the parts that it is cited for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.verdict import AgainstTrivial, Evidence, EvidenceKind, HorizonNeeded, PartEvidence, Verdict, overall

#: Why a part is vacuous.
NOTHING_MEETS_IT = "nothing meets the statement's condition"
#: Why a part is skipped.
TOLERANCE_COVERS_IT = "--tolerance is so wide that no amount in [0, c_max] could have failed"


@dataclass(frozen=True, kw_only=True)
class Part:
    """What is known about one part of a claim.

    Parameters
    ----------
    name : str
        What it compares, in words.
    headline : bool
        Whether the claim is cited for it.
    verdict : Verdict
    tightness : Tightness
    reason : str or None
        Why it was not compared, or what a reader must know of the comparison.
    horizon_needed, could_fail, against_trivial
        As in `PartEvidence`; see `proofs_checks.claims.reach`.
    """

    name: str
    headline: bool = True
    verdict: Verdict
    tightness: Tightness = NOTHING_COMPARED
    reason: str | None = None
    horizon_needed: HorizonNeeded | None = None
    could_fail: bool | None = None
    against_trivial: AgainstTrivial | None = None

    def found(self, tightness: Tightness) -> Part:
        """Return the part as a comparison leaves it: vacuous if nothing was compared, refuted on a violation.

        It is skipped if rounded money excuses whatever the log might have held: such a comparison is none.
        """
        if tightness.could_not_fail:
            return replace(self, verdict=Verdict.SKIPPED, reason=TOLERANCE_COVERS_IT, could_fail=False)
        if not tightness.checked:
            return self.said(Verdict.VACUOUS, tightness, tightness.note or NOTHING_MEETS_IT)
        return self.said(Verdict.REFUTED if tightness.violations else Verdict.NOT_REFUTED, tightness, tightness.note)

    def said(self, verdict: Verdict, tightness: Tightness, reason: str | None) -> Part:
        """Return the part with what a comparison says of it."""
        return replace(self, verdict=verdict, tightness=tightness, reason=reason)

    def evidence(self) -> PartEvidence:
        """Return the part as evidence shows it."""
        return PartEvidence(
            name=self.name,
            headline=self.headline,
            verdict=self.verdict,
            checked=self.tightness.checked,
            violations=self.tightness.violations,
            tightest_ratio=self.tightness.ratio,
            reason=self.reason,
            horizon_needed=self.horizon_needed,
            could_fail=self.could_fail,
            against_trivial=self.against_trivial,
        )


@dataclass(frozen=True)
class Finding:
    """What one case, or several, say about one claim."""

    verdict: Verdict
    tightness: Tightness = NOTHING_COMPARED
    reason: str | None = None
    parts: tuple[Part, ...] = ()

    def evidence(self, kind: EvidenceKind, tried: str, **more: Any) -> Evidence:
        """Return it as evidence, without its parts."""
        found = self.tightness
        return Evidence(
            kind=kind,
            tried=tried,
            verdict=self.verdict,
            checked=found.checked,
            violations=found.violations,
            tightest_ratio=found.ratio,
            tightest_margin=found.margin,
            where=found.where,
            reason=self.reason,
            **more,
        )


def combine(parts: Sequence[Part]) -> Finding:
    """Return what the parts say together: refuted if one is, else known no better than each headline part.

    Examples
    --------
    >>> held = Part(name="while it is short", headline=False, verdict=Verdict.SKIPPED).found(Tightness(3, 0))
    >>> late = Part(name="in the end", verdict=Verdict.SKIPPED).found(NOTHING_COMPARED)
    >>> found = combine([held, late])
    >>> found.verdict.value, found.reason
    ('VACUOUS', "its headline was not compared: in the end (nothing meets the statement's condition)")
    """
    compared = [part for part in parts if part.tightness.checked]
    whole = together([part.tightness for part in compared])
    missing = [part for part in parts if part.headline and not part.tightness.checked]
    if whole.violations:
        verdict, reason = Verdict.REFUTED, _notes([part for part in compared if part.tightness.violations])
    elif missing or not compared:
        verdict = overall([part.verdict for part in missing or parts]) if parts else Verdict.VACUOUS
        reason = _why([part for part in missing or parts if part.verdict is verdict], bool(compared))
    else:
        verdict, reason = Verdict.NOT_REFUTED, _notes(compared)
    return Finding(verdict, whole, reason, tuple(parts))


def _notes(parts: Sequence[Part]) -> str | None:
    return "; ".join(part.reason for part in parts if part.reason) or None


def _why(missing: Sequence[Part], compared: bool) -> str | None:
    """Return why the parts that a claim is cited for were not compared, and which, if others were."""
    if not compared:
        return next((part.reason for part in missing if part.reason), NOTHING_MEETS_IT)
    by_reason: dict[str | None, list[str]] = {}
    for part in missing:
        by_reason.setdefault(part.reason, []).append(part.name)
    told = (f"{'; '.join(names)} ({reason})" for reason, names in by_reason.items())
    return f"its headline was not compared: {'; '.join(told)}"


def merge(findings: Sequence[Finding]) -> Finding:
    """Return one finding over several traces of a claim; a part that was compared on any of them counts.

    Examples
    --------
    >>> part = Part(name="a bound", verdict=Verdict.VACUOUS, reason="short")
    >>> other = replace(part, verdict=Verdict.ASSUMPTION_VIOLATED, reason="ties")
    >>> merge([combine([part]), combine([other])]).reason
    'short'
    """
    if not findings:
        return Finding(Verdict.SKIPPED, reason="no trace was checked")
    return combine([_merged(same) for same in zip(*(finding.parts for finding in findings), strict=True)])


def _merged(same: Sequence[Part]) -> Part:
    """Return what several traces say about one part."""
    compared = together([part.tightness for part in same])
    if compared.checked:
        return same[0].found(compared)
    verdict = overall([part.verdict for part in same])
    return next(part for part in same if part.verdict is verdict)


def together(parts: Sequence[Tightness]) -> Tightness:
    """Return how those parts fared of which something was compared.

    Place, margin and note are those of the violated or else tightest; the ratio is the largest.
    """
    compared = [part for part in parts if part.checked]
    if not compared:
        return NOTHING_COMPARED
    checked, violations = sum(part.checked for part in compared), sum(part.violations for part in compared)
    present = [part for part in compared if part.where is not None]
    ratios = [part.ratio for part in compared if part.ratio is not None]
    tightest = min(
        present,
        key=lambda part: (not part.violations, -(part.ratio or 0.0), part.margin or 0.0),
        default=NOTHING_COMPARED,
    )
    largest = max(ratios, default=None)
    excused, unfailing = sum(part.excused for part in compared), sum(part.unfailing for part in compared)
    return Tightness(checked, violations, tightest.margin, largest, tightest.where, tightest.note, excused, unfailing)
