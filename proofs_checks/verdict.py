"""Verdicts and the evidence behind them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal


class Verdict(StrEnum):
    """What is known about a claim; `NOT_REFUTED` is not "holds"."""

    PROVED = "PROVED"
    EXACT = "EXACT"
    NOT_REFUTED = "NOT_REFUTED"
    REFUTED = "REFUTED"
    VACUOUS = "VACUOUS"
    ASSUMPTION_VIOLATED = "ASSUMPTION_VIOLATED"
    SKIPPED = "SKIPPED"


#: What each verdict means, in the words of every report.
MEANING: Mapping[Verdict, str] = {
    Verdict.PROVED: "for all parameters, by a certificate",
    Verdict.EXACT: "computed exactly for these parameters",
    Verdict.NOT_REFUTED: "searched or sampled without a violation; no proof",
    Verdict.REFUTED: "violated, with a witness that replays",
    Verdict.VACUOUS: "the statement says nothing here",
    Verdict.ASSUMPTION_VIOLATED: "an assumption of the statement does not hold here",
    Verdict.SKIPPED: "not examined, for the reason given",
}

EvidenceKind = Literal["certificate", "exact", "property", "simulation"]


@dataclass(frozen=True)
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
        Data that `proofs_checks.witness.replays` turns into the violation again.
    unexercised : tuple of str
        Parts of the statement whose condition was never met, so that nothing was compared.
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
    unexercised: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        plain = {**vars(self), "verdict": self.verdict.value, "parameters": dict(self.parameters)}
        return {**plain, "unexercised": list(self.unexercised)}


#: A claim's verdict is that of its most telling evidence, in this order.
_TELLING = (
    Verdict.REFUTED,
    Verdict.PROVED,
    Verdict.EXACT,
    Verdict.NOT_REFUTED,
    Verdict.VACUOUS,
    Verdict.ASSUMPTION_VIOLATED,
    Verdict.SKIPPED,
)


def overall(verdicts: list[Verdict]) -> Verdict:
    """Return the verdict over several pieces of evidence; `SKIPPED` if there is none.

    An exact computation of one part does not lift a sampled part: with both, the weaker one is reported.

    Examples
    --------
    >>> overall([Verdict.VACUOUS, Verdict.NOT_REFUTED, Verdict.ASSUMPTION_VIOLATED]).value
    'NOT_REFUTED'
    >>> overall([Verdict.EXACT, Verdict.NOT_REFUTED]).value
    'NOT_REFUTED'
    """
    found = set(verdicts)
    if Verdict.NOT_REFUTED in found and Verdict.EXACT in found:
        found.discard(Verdict.EXACT)
    return next((verdict for verdict in _TELLING if verdict in found), Verdict.SKIPPED)
