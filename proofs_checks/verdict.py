"""Verdicts and the evidence behind them, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from bounds.words import as_horizon, rough, told_apart


class Verdict(StrEnum):
    """What is known about a claim; `NOT_REFUTED` is not "holds"."""

    PROVED = "PROVED"
    PROVED_STEPS = "PROVED_STEPS"
    EXACT = "EXACT"
    NOT_REFUTED = "NOT_REFUTED"
    REFUTED = "REFUTED"
    VACUOUS = "VACUOUS"
    ASSUMPTION_VIOLATED = "ASSUMPTION_VIOLATED"
    SKIPPED = "SKIPPED"


#: What each verdict means, in the words of every report.
MEANING: Mapping[Verdict, str] = {
    Verdict.PROVED: "for all parameters: Coq accepts a theorem that states the claim",
    Verdict.PROVED_STEPS: "Coq accepts theorems for the steps of the argument; what they do not cover is named",
    Verdict.EXACT: "computed exactly for these parameters",
    Verdict.NOT_REFUTED: "searched or sampled without a violation; no proof",
    Verdict.REFUTED: "violated; a violation that this run found has a witness that replays",
    Verdict.VACUOUS: "says nothing: as worded its condition never holds (its own verdict); or what was run was too "
    "short for it, or never met it (here)",
    Verdict.ASSUMPTION_VIOLATED: "an assumption of the statement does not hold here",
    Verdict.SKIPPED: "not examined, for the reason given",
}

#: How a refutation is called that is only of parts that the claim is not cited for, and what that means.
BESIDE = "REFUTED beside"
BESIDE_MEANING = "the claim's own relation is not violated; a relation compared with it is"

#: What stands for a side of a comparison that has no finite value, as a price where nobody can have one.
UNDEFINED = "without a finite value"

#: What a verdict does not mean: of which verdicts, in short, and in a sentence or two.
NOT_MEANT: Sequence[tuple[tuple[Verdict, ...], str, str]] = (
    (
        (Verdict.NOT_REFUTED,),
        "NOT_REFUTED is not “holds”.",
        "Some instances were compared, and the claim failed on none of them. Nothing is said about all the others.",
    ),
    (
        (Verdict.PROVED,),
        "PROVED is about the formulas.",
        "That the theorem in Coq says what the paper says must be trusted. Each claim names its theorem, and says "
        "whether Coq checked it on this machine.",
    ),
    (
        (Verdict.PROVED_STEPS,),
        "PROVED_STEPS is weaker.",
        "Coq has theorems for steps of the argument. What they do not cover is argued in English, and named.",
    ),
    ((Verdict.EXACT,), "EXACT is about these parameters.", "It says nothing about others."),
    (
        (Verdict.REFUTED,),
        "REFUTED may be old news.",
        "Where the paper's own wording is empty, too strong or false, that is a documented finding. It stands beside "
        "the repaired statement.",
    ),
    (
        (Verdict.VACUOUS, Verdict.ASSUMPTION_VIOLATED, Verdict.SKIPPED),
        "VACUOUS, ASSUMPTION_VIOLATED and SKIPPED are no passes.",
        "What the claim is cited for was not tested there.",
    ),
)

#: What is said of a claim that no comparison could refute, because its bound is too large.
COULD_NOT_FAIL = "could not fail here: its bound is above the trivial value, which needs no theory."

#: Of the verdicts on proofs that a command takes from the package, without asking Coq.
WHEN_MADE = "as checked when this package was made"
#: Verdicts that a theorem in Coq gives a claim, the stronger first.
PROOFS = (Verdict.PROVED, Verdict.PROVED_STEPS)

EvidenceKind = Literal["certificate", "exact", "property", "simulation"]


@dataclass(frozen=True, kw_only=True)
class HorizonNeeded:
    """A horizon that a statement needs, and that was not reached.

    Parameters
    ----------
    condition : str
        ``"T > T_0"``, say.
    value : float or None
        The number in it, whole for T_id; None if it is beyond 2^52 or there is none.
    reached : int
        The longest horizon that was played, or that of the log.
    """

    condition: str
    value: float | None
    reached: int

    def __str__(self) -> str:
        told = "which is not below 2^52" if self.value is None else f"= {as_horizon(self.value)}"
        return f"needs {self.condition} {told}; here T = {self.reached:,}"


@dataclass(frozen=True, kw_only=True)
class AgainstTrivial:
    """A bound beside the value that holds without any theory, at the longest horizon that was compared.

    Parameters
    ----------
    horizon : int
    bound, trivial : float
        Of a bound for each provider, the smallest.
    """

    horizon: int
    bound: float
    trivial: float

    def __str__(self) -> str:
        above = "is above the trivial" if self.bound > self.trivial else "is no less than the trivial"
        bound, trivial = told_apart(lambda digits: (rough(self.bound, digits), rough(self.trivial, digits)), 3)
        return f"the bound {bound} {above} {trivial}"


@dataclass(frozen=True, kw_only=True)
class PartEvidence:
    """What is known about one part of a statement.

    Parameters
    ----------
    name : str
        What it compares, in words.
    headline : bool
        Whether the statement is cited for it: the whole is known no better than this part.
    verdict : Verdict
    checked, violations : int
        How many instances of it were compared, and how many failed.
    tightest_ratio : float or None
        As in `Evidence`.
    reason : str or None
        Why it was not compared.
    horizon_needed : HorizonNeeded or None
        The horizon that would have to be reached for a comparison, if that is what was missing.
    could_fail : bool or None
        Whether any comparison could have found a violation: its bound was below the trivial value somewhere. None if
        the trivial value is not known, or nothing was compared.
    against_trivial : AgainstTrivial or None
        The bound beside its trivial value, where no comparison could fail.
    """

    name: str
    headline: bool
    verdict: Verdict
    checked: int = 0
    violations: int = 0
    tightest_ratio: float | None = None
    reason: str | None = None
    horizon_needed: HorizonNeeded | None = None
    could_fail: bool | None = None
    against_trivial: AgainstTrivial | None = None

    def to_data(self, kind: EvidenceKind | None = None) -> dict[str, Any]:
        """Return plain JSON data; `kind` is that of the evidence it is a part of, None for a part of an audit."""
        beside = {
            name: None if value is None else dict(vars(value))
            for name, value in (("horizon_needed", self.horizon_needed), ("against_trivial", self.against_trivial))
        }
        unknown = why_not_known(self.could_fail, kind, checked=self.checked, violations=self.violations)
        return {**vars(self), "verdict": self.verdict.value, **beside, "could_fail_unknown": unknown}


#: Why it is not known of comparisons whether they could fail, by the kind of evidence.
_NOT_KNOWN: Mapping[EvidenceKind | None, str] = MappingProxyType(
    {
        "simulation": "no trivial value is known for what is compared",
        "property": "not computed on small instances, each of which has a setting of its own",
        "exact": "it is computed exactly, and no bound is compared with runs",
        "certificate": "it is proved for all parameters, and no bound is compared with runs",
        None: "not computed for a log",
    }
)


def why_not_known(could_fail: bool | None, kind: EvidenceKind | None, *, checked: int, violations: int) -> str | None:
    """Return why `could_fail` is None, in words; None where it is not.

    Examples
    --------
    >>> why_not_known(None, "property", checked=3, violations=0)
    'not computed on small instances, each of which has a setting of its own'
    >>> why_not_known(None, "simulation", checked=0, violations=0), why_not_known(True, None, checked=3, violations=0)
    ('nothing was compared', None)
    """
    if could_fail is not None:
        return None
    if violations:
        return "a violation was found: it could fail"
    return _NOT_KNOWN[kind] if checked or kind in ("certificate", "exact") else "nothing was compared"


def any_could_fail(told: Sequence[bool | None]) -> bool | None:
    """Return whether one of several comparisons could fail: None where none is known to, and not all known not to.

    Examples
    --------
    >>> any_could_fail([False, None, True]), any_could_fail([False, None]), any_could_fail([False, False])
    (True, None, False)
    """
    if True in told:
        return True
    return None if None in told or not told else False


def differ(parts: Sequence[PartEvidence]) -> bool:
    """Return whether more is known about one part than about another."""
    return len({part.verdict for part in parts}) > 1


def never_met(parts: Sequence[PartEvidence]) -> tuple[str, ...]:
    """Return the names of the parts whose condition was never met, so that nothing was compared."""
    return tuple(part.name for part in parts if part.verdict is Verdict.VACUOUS)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One thing that was done to a claim.

    Parameters
    ----------
    kind : {"certificate", "exact", "property", "simulation"}
    tried : str
        What was tried, in one line.
    verdict : Verdict
        What this piece alone says.
    checked : int
        How many instances of the statement were compared.
    violations : int
        How many of them failed.
    tightest_ratio : float or None
        Largest smaller side over larger side of the inequality: 1 is attained, above 1 violated.
    tightest_margin : float or None
        Smallest larger side minus smaller side.
    where : mapping or None
        Step, provider and relation of the tightest instance.
    reason : str or None
        Why it is vacuous, skipped, or lacks an assumption.
    witness : mapping or None
        Data that `proofs_checks.claims.witness.replays` turns into the violation again.
    parts : tuple of PartEvidence
        What is known about each part of the statement; none for what looks at the statement as a whole.
    parameters : mapping
        Seed, runs, horizon and whatever else is needed to do it again.
    """

    kind: EvidenceKind
    tried: str
    verdict: Verdict
    checked: int = 0
    violations: int = 0
    tightest_ratio: float | None = None
    tightest_margin: float | None = None
    where: Mapping[str, Any] | None = None
    reason: str | None = None
    witness: Mapping[str, Any] | None = None
    parts: tuple[PartEvidence, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def compared(self) -> bool:
        """Whether what the statement is cited for was compared."""
        return self.checked > 0 and self.verdict is not Verdict.VACUOUS

    @property
    def could_fail(self) -> bool | None:
        """Whether a comparison of what the statement is cited for could have found a violation; None: not known."""
        return any_could_fail([part.could_fail for part in self.parts if part.headline and part.checked])

    @property
    def could_fail_unknown(self) -> str | None:
        """Why `could_fail` is None, in words; None where it is not."""
        cited = [part for part in self.parts if part.headline and part.checked]
        silent = self.parts and not cited
        checked = 0 if silent else self.checked
        return why_not_known(self.could_fail, self.kind, checked=checked, violations=self.violations)

    @property
    def unexercised(self) -> tuple[str, ...]:
        """Parts of the statement whose condition was never met, so that nothing was compared."""
        return never_met(self.parts)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        plain = {**vars(self), "verdict": self.verdict.value, "parameters": dict(self.parameters)}
        return plain | {
            "parts": [part.to_data(self.kind) for part in self.parts],
            "unexercised": list(self.unexercised),
            "could_fail": self.could_fail,
            "could_fail_unknown": self.could_fail_unknown,
        }


def place_of_evidence(setting: str | None, kind: EvidenceKind, verdict: Verdict) -> str:
    """Return where a piece of evidence is about: its setting or, without one, how far it reaches.

    Only a proof and an exact derivation reach any setting; what was searched is as far as it was searched.

    Examples
    --------
    >>> place_of_evidence("gpqa-strong", "simulation", Verdict.NOT_REFUTED)
    'gpqa-strong'
    >>> place_of_evidence(None, "certificate", Verdict.PROVED), place_of_evidence(None, "property", Verdict.NOT_REFUTED)
    ('any setting', 'small instances')
    >>> place_of_evidence(None, "exact", Verdict.EXACT), place_of_evidence(None, "exact", Verdict.REFUTED)
    ('any setting', 'a small instance')
    """
    if setting is not None:
        return setting
    if kind == "certificate":
        return "any setting"
    if kind == "exact":
        return "any setting" if verdict is Verdict.EXACT else "a small instance"
    return "small instances"


def joint(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict over the parts of one statement: a part that is known does not lift one that is not.

    What is argued in English about one part is not lifted by an exact computation about another.

    Examples
    --------
    >>> joint([Verdict.EXACT, Verdict.NOT_REFUTED]).value, joint([Verdict.EXACT, Verdict.VACUOUS]).value
    ('NOT_REFUTED', 'VACUOUS')
    """
    order = (
        Verdict.REFUTED,
        Verdict.NOT_REFUTED,
        Verdict.VACUOUS,
        Verdict.ASSUMPTION_VIOLATED,
        Verdict.SKIPPED,
        Verdict.PROVED_STEPS,
        Verdict.EXACT,
        Verdict.PROVED,
    )
    return _first(order, verdicts)


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the verdict over several settings: the most telling one; `SKIPPED` if there is none.

    What is proved for all parameters, or step by step, stays so. What was only sampled somewhere is not reported as
    exact, and where nothing was compared does not count.

    Examples
    --------
    >>> overall([Verdict.VACUOUS, Verdict.NOT_REFUTED, Verdict.ASSUMPTION_VIOLATED]).value
    'NOT_REFUTED'
    >>> overall([Verdict.EXACT, Verdict.NOT_REFUTED]).value
    'NOT_REFUTED'
    """
    order = (
        Verdict.REFUTED,
        Verdict.PROVED,
        Verdict.PROVED_STEPS,
        Verdict.NOT_REFUTED,
        Verdict.EXACT,
        Verdict.VACUOUS,
        Verdict.ASSUMPTION_VIOLATED,
        Verdict.SKIPPED,
    )
    return _first(order, verdicts)


def _first(order: Sequence[Verdict], verdicts: Sequence[Verdict]) -> Verdict:
    return next((verdict for verdict in order if verdict in verdicts), Verdict.SKIPPED)


def refuted_beside(parts: Iterable[tuple[str, bool]]) -> bool:
    """Return whether a claim is refuted, but only in parts that it is not cited for.

    Parameters
    ----------
    parts : iterable of (str, bool)
        By part: its verdict, and whether the claim is cited for it.

    Examples
    --------
    >>> refuted_beside([("NOT_REFUTED", True), ("REFUTED", False)])
    True
    >>> refuted_beside([("REFUTED", True), ("REFUTED", False)]), refuted_beside([("NOT_REFUTED", True)])
    (False, False)
    """
    cited = [headline for verdict, headline in parts if verdict == Verdict.REFUTED]
    return bool(cited) and not any(cited)
