"""Evidence for or against a claim, part by part: a claim is known no better than the parts that it is cited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Any, Literal

from bounds.documents import INTERNAL, Count, Document, FromOne, NonNegative, key
from bounds.setting.file import format_setting
from bounds.words import as_horizon, rough, until_distinct
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness, largest, tightest_place
from proofs_checks.claims.model.witness_kinds import InstanceWitness, Place, Shows, Witness
from proofs_checks.verdict import Verdict, joint

EvidenceKind = Literal["certificate", "exact", "property", "simulation"]

#: Why a part is vacuous.
NOTHING_MEETS_IT = "nothing meets the statement's condition"
#: Why a part is skipped.
TOLERANCE_COVERS_IT = "--tolerance is so wide that no amount in [0, c_max] could have failed"
#: Why it is not known of comparisons whether they could fail, by the kind of evidence; None: of a log.
_NOT_KNOWN: Mapping[EvidenceKind | None, str] = MappingProxyType(
    {
        **dict.fromkeys(("simulation", "property"), "no trivial value is known for what is compared"),
        "exact": "it is computed exactly, and no bound is compared with runs",
        "certificate": "it is proved for all parameters, and no bound is compared with runs",
        None: "not computed for a log",
    }
)


@dataclass(frozen=True, kw_only=True)
class HorizonNeeded:
    """A horizon that a statement needs, and that was not reached.

    Parameters
    ----------
    condition : str
        What must hold, as T > T_0.
    value : float or None
        The number in it; None if it is beyond 2^52 or there is none.
    reached : int
        The longest horizon that was looked at.
    """

    condition: str
    value: NonNegative | None
    reached: FromOne

    def __str__(self) -> str:
        value = "which is not below 2^52" if self.value is None else f"= {as_horizon(self.value)}"
        return f"needs {self.condition} {value}; here T = {self.reached:,}"


@dataclass(frozen=True, kw_only=True)
class AgainstTrivial:
    """A bound beside the value that holds without any theory, at the longest horizon that was compared.

    Parameters
    ----------
    horizon : int
        The longest horizon that was looked at.
    bound : float
        The bound there; of a bound for each provider, the smallest.
    trivial : float
        What holds there without any theory.
    """

    horizon: FromOne
    bound: float
    trivial: float

    def __str__(self) -> str:
        above = "is above the trivial" if self.bound > self.trivial else "is no less than the trivial"
        bound, trivial = until_distinct(lambda digits: (rough(self.bound, digits), rough(self.trivial, digits)), 3)
        return f"the bound {bound} {above} {trivial}"


@dataclass(frozen=True, kw_only=True)
class _Tested(Document):
    """What was compared, as a part of a statement or as the whole.

    Parameters
    ----------
    tightness : Tightness
        How often it was compared, how often it failed, and where it was closest.
    """

    tightness: Tightness = field(default=NOTHING_COMPARED, metadata=INTERNAL)

    @key
    def checked(self) -> Count:
        """How many instances were compared."""
        return self.tightness.checked

    @key
    def violations(self) -> Count:
        """How many of them failed."""
        return self.tightness.violations

    @key
    def tightest_ratio(self) -> NonNegative | None:
        """Largest smaller side over larger side: 1 is attained, above 1 is violated, None is undefined."""
        return self.tightness.ratio

    @key
    def tightest_that_could_fail(self) -> Annotated[Mapping[str, Any], Place] | None:
        """Of constructed instances, where the ratio is largest of those comparisons that could fail; else None."""
        return self.tightness.telling


@dataclass(frozen=True, kw_only=True)
class Part(_Tested):
    """What is known about one part of a statement.

    Parameters
    ----------
    name : str
        What it compares, in words.
    headline : bool
        Whether the statement is cited for it: the whole is known no better than this part.
    verdict : Verdict
        What is known about this part.
    reason : str or None
        Why it was not compared, or what to know of the comparison; None if nothing.
    horizon_needed : HorizonNeeded or None
        The horizon that a comparison needs and that was not reached; None if that was not what was missing.
    could_fail : bool or None
        Whether a comparison could have found a violation: its bound was below the trivial value somewhere, and no
        tolerance covered it. None: see `could_fail_unknown`.
    against_trivial : AgainstTrivial or None
        The bound beside its trivial value, where no comparison could fail, or of constructed instances the tightest
        could not; else None.
    kind : str or None
        The kind of the evidence that it is part of; None on a single trace, as of a log.
    """

    name: str
    headline: bool = True
    verdict: Verdict
    reason: str | None = None
    horizon_needed: HorizonNeeded | None = None
    could_fail: bool | None = None
    against_trivial: AgainstTrivial | None = None
    kind: EvidenceKind | None = field(default=None, metadata=INTERNAL)

    @key
    def could_fail_unknown(self) -> str | None:
        """Why `could_fail` is None, in words: nothing was compared, say, or a constructed instance was; else None."""
        return why_not_known(self.could_fail, self.kind, self.tightness)

    def compared(self, tightness: Tightness) -> Part:
        """Return the part as a comparison leaves it: vacuous if nothing was compared, refuted on a violation.

        It is skipped if rounded money excuses everything that the log might have held: such a comparison is none.
        """
        if tightness.could_not_fail:
            return replace(self, verdict=Verdict.SKIPPED, reason=TOLERANCE_COVERS_IT, could_fail=False)
        if not tightness.checked:
            reason = tightness.note or NOTHING_MEETS_IT
            return replace(self, verdict=Verdict.VACUOUS, tightness=tightness, reason=reason)
        verdict = Verdict.REFUTED if tightness.violations else Verdict.NOT_REFUTED
        return replace(self, verdict=verdict, tightness=tightness, reason=tightness.note)


@dataclass(frozen=True)
class Evidence(_Tested):
    """What was found about a claim: on one trace, on several together, or by what else was done to it.

    Parameters
    ----------
    verdict : Verdict
        What this piece alone says.
    reason : str or None
        Why it was not compared, or what to know of the comparison; None if nothing.
    parts : tuple of Part
        What is known about each part of the statement; empty for what looks at the whole.
    kind : {"certificate", "exact", "property", "simulation"}
        How it was examined: by proof, by exact computation, on constructed instances, or on runs.
    tried : str
        What was tried, in one line; empty for a single trace.
    witness : mapping or None
        Data from which `costproof replay` produces the violation again; None if there is none.
    tightest_run : mapping or None
        Data from which `costproof replay` produces the tightest comparison again: of constructed instances on which a
        claim holds; None otherwise.
    parameters : mapping
        What is needed to do it again, and numbers that were found, by name.
    until : int or None
        Of a single trace: the last step up to which the claim was compared, if an assumption failed later.
    before : Tightness or None
        How it fared up to there.
    """

    verdict: Verdict
    reason: str | None = None
    parts: tuple[Part, ...] = ()
    _: KW_ONLY
    kind: EvidenceKind = "simulation"
    tried: str = ""
    witness: Annotated[Mapping[str, Any], Witness] | None = None
    tightest_run: Annotated[Mapping[str, Any], InstanceWitness] | None = None
    parameters: Annotated[Mapping[str, Any], dict[str, float | str | list[str]]] = field(default_factory=dict)
    until: int | None = field(default=None, metadata=INTERNAL)
    before: Tightness | None = field(default=None, metadata=INTERNAL)

    @key
    def tightest_margin(self) -> float | None:
        """Smallest larger side minus smaller side, in their unit; None if it is undefined or infinite."""
        return self.tightness.margin

    @key
    def where(self) -> Annotated[Mapping[str, Any], Place] | None:
        """The tightest instance, or the worst violation; None if nothing was compared."""
        return self.tightness.where

    @property
    def cited_ratio(self) -> float | None:
        """The largest ratio of the parts that the statement is cited for; None if none of them has one.

        Parts that could not fail do not count beside others.
        """
        cited = [part for part in self.parts if part.headline]
        telling = [part for part in cited if part.checked and part.could_fail is not False] or cited
        ratios = [part.tightest_ratio for part in telling] if self.parts else [self.tightest_ratio]
        return max((ratio for ratio in ratios if ratio is not None), default=None)

    @property
    def compared(self) -> bool:
        """Whether what the statement is cited for was compared."""
        return self.checked > 0 and self.verdict is not Verdict.VACUOUS

    @key
    def could_fail(self) -> bool | None:
        """Whether a comparison of what the statement is cited for could have found a violation; None: not known."""
        return any_could_fail([part.could_fail for part in self.parts if part.headline and part.checked])

    @key
    def could_fail_unknown(self) -> str | None:
        """Why `could_fail` is None, in words: nothing was compared, say, or a constructed instance was; else None."""
        cited = [part for part in self.parts if part.headline and part.checked]
        found = replace(self.tightness, checked=0) if self.parts and not cited else self.tightness
        return why_not_known(self.could_fail, self.kind, found)

    @key
    def unexercised(self) -> tuple[str, ...]:
        """Names of the parts whose condition was never met."""
        return tuple(part.name for part in self.parts if part.verdict is Verdict.VACUOUS)

    @property
    def shows(self) -> Shows:
        """What a witness states of its violations, to be held to by whoever replays it: how many, and the worst."""
        return {"violations": self.violations, "where": self.where}


def why_not_known(could_fail: bool | None, kind: EvidenceKind | None, found: Tightness) -> str | None:
    """Return why `could_fail` is None, in words; None where it is not.

    Examples
    --------
    >>> why_not_known(None, "property", Tightness(3, 0))
    'no trivial value is known for what is compared'
    >>> why_not_known(None, "simulation", NOTHING_COMPARED), why_not_known(True, None, Tightness(3, 0))
    ('nothing was compared', None)
    """
    if could_fail is not None:
        return None
    if found.violations:
        return "a violation was found: it could fail"
    return _NOT_KNOWN[kind] if found.checked or kind in ("certificate", "exact") else "nothing was compared"


def any_could_fail(known: Sequence[bool | None]) -> bool | None:
    """Return whether one of several comparisons could fail: None where none is known to, and not all known not to.

    Examples
    --------
    >>> any_could_fail([False, None, True]), any_could_fail([False, None]), any_could_fail([False, False])
    (True, None, False)
    """
    if True in known:
        return True
    return None if None in known or not known else False


def place_of_evidence(setting: str | None, kind: EvidenceKind, verdict: Verdict) -> str:
    """Return where a piece of evidence is about: its setting or, without one, how far it reaches.

    Only a proof and an exact derivation reach any setting; what was searched is as far as it was searched.

    Examples
    --------
    >>> place_of_evidence("gpqa-strong", "simulation", Verdict.NOT_REFUTED)
    'gpqa-strong'
    >>> place_of_evidence(None, "certificate", Verdict.PROVED), place_of_evidence(None, "property", Verdict.NOT_REFUTED)
    ('any setting', 'constructed instances')
    >>> place_of_evidence(None, "exact", Verdict.EXACT), place_of_evidence(None, "exact", Verdict.REFUTED)
    ('any setting', 'a constructed instance')
    """
    if setting is not None:
        return setting
    if kind == "certificate":
        return "any setting"
    if kind == "exact":
        return "any setting" if verdict is Verdict.EXACT else "a constructed instance"
    return "constructed instances"


def combine(parts: Sequence[Part]) -> Evidence:
    """Return what the parts say together: refuted if one is, else known no better than each headline part.

    Examples
    --------
    >>> held = Part(name="while it is short", headline=False, verdict=Verdict.SKIPPED).compared(Tightness(3, 0))
    >>> late = Part(name="in the end", verdict=Verdict.SKIPPED).compared(NOTHING_COMPARED)
    >>> found = combine([held, late])
    >>> found.verdict.value, found.reason
    ('VACUOUS', "its headline was not compared: in the end (nothing meets the statement's condition)")
    """
    compared = [part for part in parts if part.checked]
    whole = together([part.tightness for part in compared])
    missing = [part for part in parts if part.headline and not part.checked]
    if whole.violations:
        verdict, reason = Verdict.REFUTED, _notes([part for part in compared if part.violations])
    elif missing or not compared:
        verdict = joint([part.verdict for part in missing or parts]) if parts else Verdict.VACUOUS
        reason = _why([part for part in missing or parts if part.verdict is verdict], bool(compared))
    else:
        verdict, reason = Verdict.NOT_REFUTED, _notes(compared)
    return Evidence(verdict, reason, tuple(parts), tightness=whole)


def _notes(parts: Sequence[Part]) -> str | None:
    return "; ".join(part.reason for part in parts if part.reason) or None


def _why(missing: Sequence[Part], compared: bool) -> str | None:
    """Return why the parts that a claim is cited for were not compared, and which, if others were."""
    if not compared:
        return next((part.reason for part in missing if part.reason), NOTHING_MEETS_IT)
    by_reason: dict[str | None, list[str]] = {}
    for part in missing:
        by_reason.setdefault(part.reason, []).append(part.name)
    reasons = (f"{'; '.join(names)} ({reason})" for reason, names in by_reason.items())
    return f"its headline was not compared: {'; '.join(reasons)}"


def merge(evidence: Sequence[Evidence]) -> Evidence:
    """Return what several traces say about a claim; a part that was compared on any of them counts.

    Examples
    --------
    >>> part = Part(name="a bound", verdict=Verdict.VACUOUS, reason="short")
    >>> other = replace(part, verdict=Verdict.ASSUMPTION_VIOLATED, reason="ties")
    >>> merge([combine([part]), combine([other])]).reason
    'short'
    """
    if not evidence:
        return Evidence(Verdict.SKIPPED, reason="no trace was checked")
    return combine([_merged(same) for same in zip(*(each.parts for each in evidence), strict=True)])


def _merged(same: Sequence[Part]) -> Part:
    """Return what several traces say about one part."""
    compared = together([part.tightness for part in same])
    if compared.checked:
        return same[0].compared(compared)
    verdict = joint([part.verdict for part in same])
    return next(part for part in same if part.verdict is verdict)


def together(parts: Sequence[Tightness]) -> Tightness:
    """Return how those parts fared of which something was compared.

    Place, margin and note are those of the violated or else tightest; the ratio is the largest.
    """
    compared = [part for part in parts if part.checked]
    if not compared:
        return NOTHING_COMPARED
    tightest = min(
        (part for part in compared if part.where is not None),
        key=lambda part: (not part.violations, -(part.ratio or 0.0), part.margin or 0.0),
        default=NOTHING_COMPARED,
    )
    return Tightness(
        checked=sum(part.checked for part in compared),
        violations=sum(part.violations for part in compared),
        margin=tightest.margin,
        ratio=largest(*(part.ratio for part in compared)),
        where=tightest.where,
        note=tightest.note,
        excused=sum(part.excused for part in compared),
        unfailing=sum(part.unfailing for part in compared),
        telling=tightest_place(*(part.telling for part in compared)),
    )


def evidence_of(
    tried: str,
    found: Tightness,
    *,
    kind: EvidenceKind = "property",
    reason: str | None = None,
    witness: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Evidence:
    """Return what a comparison of a whole statement says; the witness is kept where it is refuted."""
    spared = Verdict.EXACT if kind == "exact" else Verdict.NOT_REFUTED
    return Evidence(
        Verdict.REFUTED if found.violations else spared,
        reason,
        tightness=found,
        kind=kind,
        tried=tried,
        witness=witness if found.violations else None,
        parameters=parameters or {},
    )


def exact_evidence(
    tried: str,
    holds: bool,
    *,
    checked: int = 1,
    ratio: float | None = None,
    margin: float | None = None,
    witness: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Evidence:
    """Return evidence of an exact computation: `EXACT` where it confirms, `REFUTED` where it contradicts."""
    found = Tightness(checked, 0 if holds else 1, margin, ratio)
    return evidence_of(tried, found, kind="exact", witness=witness, parameters=parameters)


def not_applicable(tried: str, reason: str, verdict: Verdict = Verdict.ASSUMPTION_VIOLATED) -> Evidence:
    """Return evidence that says why nothing could be computed."""
    return Evidence(verdict, reason=reason, kind="exact", tried=tried)


def trace_witness(label: str, case: Case) -> dict[str, Any]:
    """Return a witness that holds the setting as TOML and the trace, to check the claim again."""
    columns = {name: column.tolist() for name, column in case.trace.columns().items()}
    setting = format_setting(case.setting)
    return {"kind": "trace", "claim": label, "setting": setting, "origin": case.origin, "trace": columns}
