"""Which properties a log refutes, from the weakest on: trials for `proofs_checks.properties`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from proofs_checks.claims.implications import implications
from proofs_checks.claims.model.finding import Finding
from proofs_checks.properties.lattice import SHORT
from proofs_checks.properties.placement import Outcome, Placement, Trial, placement
from proofs_checks.properties.tested_by import OF_CLAIM, OF_OTHER_CLAIMS, OF_PART, OF_RULE
from proofs_checks.verdict import PartEvidence, Verdict

#: What is compared with the rules in the state of the log: it means nothing of its own where a weaker property fails.
_JUDGED = ("uniform-draws", "belief-slack")


class Audited(Protocol):
    """A claim, and what a log says about it."""

    @property
    def label(self) -> str:
        """Its label."""

    @property
    def finding(self) -> Finding:
        """What the log says about it."""

    @property
    def ended(self) -> int | None:
        """The step at which an assumption of it failed, if that is news about the log."""

    @property
    def counts_as_refuted(self) -> bool:
        """Whether the log refutes it as news."""

    @property
    def parts(self) -> tuple[PartEvidence, ...]:
        """What the log says about its parts."""


def placement_of(
    broken: Mapping[str, int],
    applicable: Mapping[str, int],
    steps: int,
    claims: Iterable[Audited],
    covered: Sequence[str] = (),
) -> Placement:
    """Return which properties a log refutes.

    Parameters
    ----------
    broken, applicable : mapping
        By rule: how many steps break it, and at how many it has something to say.
    steps : int
        Steps of the log.
    claims : iterable of Audited
    covered : sequence of str, optional
        Rules that a wide tolerance let nothing break.

    Examples
    --------
    >>> found = placement_of({"critical-payment": 3}, {"index-minimizer": 9, "critical-payment": 9}, 20, [])
    >>> found.names, [told.name for told in found.standing]
    (frozenset({'critical-payments'}), ['allocation'])
    """
    rules = _of_rules(broken, applicable, long=steps > SHORT and not covered)
    # A property of which one rule could not fail is not tested by its other rules alone.
    half = {OF_RULE[rule] for rule in covered if rule in OF_RULE}
    told = (trial for trial in rules if trial.outcome != "passed" or trial.of not in half)
    return placement([*told, *_of_claims(list(claims))])


def _of_rules(broken: Mapping[str, int], applicable: Mapping[str, int], *, long: bool) -> Iterator[Trial]:
    for rule, name in OF_RULE.items():
        if broken.get(rule, 0):
            yield Trial(test=rule, of=name, outcome="failed")
        elif applicable.get(rule, 0):
            yield Trial(test=rule, of=name, outcome="passed")
    if long and not any(broken.values()):
        yield Trial(test="every rule", of="long-runs", outcome="passed")


def _of_claims(claims: list[Audited]) -> Iterator[Trial]:
    refuted = _weakest({claim.label for claim in claims if claim.counts_as_refuted})
    for claim in claims:
        for part in claim.parts:
            if part.name in OF_PART and (outcome := _outcome(part.verdict, claim)):
                yield _trial(claim, OF_PART[part.name], outcome)
        name = OF_CLAIM.get(claim.label, OF_OTHER_CLAIMS)
        if name is None:
            continue
        if claim.label in refuted:
            yield _trial(claim, name, "failed")
        elif (outcome := _outcome(claim.finding.verdict, claim)) in ("passed", "ended"):
            yield _trial(claim, name, outcome)


def _trial(claim: Audited, name: str, outcome: Outcome) -> Trial:
    until = claim.ended - 1 if outcome == "ended" and claim.ended is not None else 0
    return Trial(test=claim.label, of=name, outcome=outcome, judged=name in _JUDGED, until=until)


def _weakest(refuted: set[str]) -> set[str]:
    """Return the refuted claims that imply no other refuted one, unless that implies them as well."""
    implied = implications()
    return {
        label
        for label in refuted
        if not any(other in refuted and label not in implied[other] for other in implied[label])
    }


def _outcome(verdict: Verdict, claim: Audited) -> Outcome | None:
    """Return what a verdict on a claim, or on a part of it, says; nothing of what the setting rules out."""
    if verdict is Verdict.REFUTED:
        return "failed"
    if verdict is Verdict.ASSUMPTION_VIOLATED and claim.ended is not None:
        return "ended"
    return "passed" if verdict is Verdict.NOT_REFUTED else None
