"""Where the mutants stand among the properties, beside the labels that a person gave them: docs/properties.md."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proofs_checks.conformance.checks.check import QUICK
from proofs_checks.conformance.mutants.gallery import MUTANTS
from proofs_checks.conformance.mutants.kills import TIME_LIMIT, Kill
from proofs_checks.conformance.mutants.plain import Factory
from proofs_checks.conformance.suite import ALL_CHECKS, check_mechanism
from proofs_checks.properties.placement import Placement, Trial, placement
from proofs_checks.properties.tested_by import OF_CHECK

#: A row of docs/mutants.md: the mutant, what it breaks, the checks that caught it.
_ROW = re.compile(r"^\| `(\w+)` \| .+? \| ((?:\*\*)?[\w-]+[\w*, -]*) \|$", re.MULTILINE)


def recorded_kills(page: str) -> tuple[Kill, ...]:
    """Return which checks caught which mutant, as docs/mutants.md has it.

    Examples
    --------
    >>> recorded_kills("| `BidsReset` | Loses all bids. | **long-run**, whole-interactions |")
    (Kill(mutant='BidsReset', caught_by=('long-run', 'whole-interactions')),)
    """
    found = ((name, tuple(caught.replace("*", "").split(", "))) for name, caught in _ROW.findall(page))
    return tuple(Kill(name, caught) for name, caught in found if name in MUTANTS)


def placement_by_names(failed: Iterable[str]) -> Placement:
    """Return where a mechanism stands of which no more is known than the names of the checks that fail.

    Without the counterexample, a check that compares several rules, or plays gamma > 0 besides, refutes less for sure.

    Examples
    --------
    >>> sorted(placement_by_names(["critical-payment", "long-run"]).names)
    ['critical-payments']
    """
    trials = ((check, OF_CHECK[check.name].failed) for check in map(ALL_CHECKS.__getitem__, failed))
    return placement(
        Trial(test=check.name, of=of, outcome="failed", judged=check.group == "rules") for check, of in trials if of
    )


def played_placement(factory: Factory, only: Iterable[str] = (), seed: int = 0) -> Placement:
    """Return where `costproof check --quick` places a mechanism, by its counterexamples.

    Examples
    --------
    >>> from proofs_checks.conformance.mutants.corners import InitializationPaysLess
    >>> sorted(played_placement(InitializationPaysLess, only=["initialization-payment"]).names)
    ['initialization']
    """
    report = check_mechanism(factory, only=tuple(only), seed=seed, effort=QUICK, time_limit=TIME_LIMIT, explain=False)
    return report.properties
