"""Implications as an oracle: no input may refute a consequence of a claim and spare the claim itself.

Claims declare what they imply (`Claim.implies`). An implication speaks of the statements as they are compared, with
their tolerances, wherever both are compared: it needs neither the paper's other lemmas nor the good event to be
true. So an input that refutes the consequence and spares the cause convicts a comparison, not a mechanism.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from proofs_checks.claims.model.evidence import Evidence
from proofs_checks.claims.registry import all_claims
from proofs_checks.verdict import PROOFS, Verdict

#: Verdicts of a claim that was compared and not refuted.
SPARED = frozenset({*PROOFS, Verdict.EXACT, Verdict.NOT_REFUTED})

Implications = Mapping[str, tuple[str, ...]]


class ContradictionError(RuntimeError):
    """What was found contradicts itself: a comparison or a declared implication is wrong."""


@functools.cache
def implications() -> Implications:
    """Return what every claim implies, directly or through other claims, by label.

    Examples
    --------
    >>> implications()["eq:payment"]
    ('eq:critical-payment',)
    """
    return closed({label: claim.implies for label, claim in all_claims().items()})


def closed(declared: Mapping[str, Sequence[str]]) -> Implications:
    """Return the transitive closure of declared implications, in the order of the labels.

    Parameters
    ----------
    declared : mapping of str to sequence of str
        By the label of the cause; every label is a key. An equivalence is declared in both directions.

    Examples
    --------
    >>> dict(closed({"a": ["b"], "b": ["c"], "c": []}))
    {'a': ('b', 'c'), 'b': ('c',), 'c': ()}
    >>> dict(closed({"a": ["b"], "b": ["a"]}))
    {'a': ('b',), 'b': ('a',)}
    """
    reached = {cause: _reached(cause, declared) for cause in declared}
    order = {label: tuple(other for other in declared if other in found) for label, found in reached.items()}
    return MappingProxyType(order)


def broken_implications(
    evidence: Mapping[str, Evidence], declared: Implications | None = None
) -> tuple[tuple[str, str], ...]:
    """Return the pairs (cause, consequence) whose consequence is refuted although the cause is spared.

    A cause that was not compared (vacuous, an assumption violated, skipped, absent) breaks nothing. One that is
    vacuous because its headline was not compared is spared where others of its parts were.

    Parameters
    ----------
    evidence : mapping of str to Evidence
        What one input says, by label: one case, or one setting. What is merged over several inputs would not do:
        the cause may not apply where the consequence is refuted.
    declared : mapping, optional
        Default `implications`.

    Examples
    --------
    >>> refuted, spared = Evidence(Verdict.REFUTED), Evidence(Verdict.NOT_REFUTED)
    >>> broken_implications({"eq:payment": spared, "eq:critical-payment": refuted})
    (('eq:payment', 'eq:critical-payment'),)
    >>> broken_implications({"eq:payment": refuted, "eq:critical-payment": spared})
    ()
    """
    known = implications() if declared is None else declared
    refuted = {label for label, found in evidence.items() if found.verdict is Verdict.REFUTED}
    spared = [label for label, found in evidence.items() if _is_spared(found)]
    return tuple((cause, found) for cause in spared for found in known.get(cause, ()) if found in refuted)


def _is_spared(found: Evidence) -> bool:
    return found.verdict in SPARED or (found.verdict is Verdict.VACUOUS and found.checked > 0)


def forbid_contradictions(evidence: Mapping[str, Evidence], place: str) -> None:
    """Fail if an implication is broken.

    Parameters
    ----------
    evidence : mapping of str to Evidence
        What one input says, by label.
    place : str
        What input that is, for the message.

    Raises
    ------
    ContradictionError
        It names the pairs. Nothing is known about the mechanism then, but that the checks are wrong.
    """
    if broken := broken_implications(evidence):
        pairs = "; ".join(
            f"{consequence} is {evidence[consequence].verdict}, {cause}, which implies it, {evidence[cause].verdict}"
            for cause, consequence in broken
        )
        remedy = "one of the two comparisons, or the implication that the cause declares, is wrong"
        raise ContradictionError(f"the claims contradict each other on {place}: {pairs}. This is a defect: {remedy}")


def _reached(cause: str, declared: Mapping[str, Sequence[str]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = list(declared[cause])
    while waiting:
        label = waiting.pop()
        if label not in found:
            found.add(label)
            waiting.extend(declared[label])
    return frozenset(found - {cause})
