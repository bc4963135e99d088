"""What several independent runs say together about a statement that each of them gives a p-value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from proofs_checks.claims.model.band_failure import FALSE_ALARM, upwards
from proofs_checks.claims.model.evidence import Evidence, Part, combine


def joint_p_value(p_values: Sequence[float]) -> float:
    """Return a p-value of several independent ones together: some of them are small.

    That K or more of R independent p-values are at most x has probability C(R, K) x^K at most, so C(R, K) times the
    K-th power of the K-th smallest is a p-value. Of all K the smallest is taken, each with the weight 2^-K.

    Examples
    --------
    >>> upwards(joint_p_value([1e-5, 1.0, 1.0])), joint_p_value([1e-5, 1e-5, 1.0]) < 2e-9, joint_p_value([1.0, 1.0])
    ('6.0e-5', True, 1.0)
    """
    ranked, runs = sorted(p_values), len(p_values)
    # By logarithms: the powers of many small ones fall below all doubles.
    weighed = [
        k * math.log(2) + math.log(math.comb(runs, k)) + k * math.log(max(p, 1e-300))
        for k, p in enumerate(ranked, start=1)
        if p < 1
    ]
    return math.exp(min([*weighed, 0.0]))


def joint_over_runs(merged: Evidence, runs: Sequence[Sequence[Evidence]]) -> Evidence:
    """Return the joint evidence of independent runs, part by part."""
    parts = [
        _jointly(part, [[found.parts[i] for found in same] for same in runs]) for i, part in enumerate(merged.parts)
    ]
    return combine(parts)


def _jointly(part: Part, runs: Sequence[Sequence[Part]]) -> Part:
    p_values = [p for same in runs if (p := _p_value(same)) is not None]
    failed = sum(p < 1 for p in p_values)
    if not failed:
        return part
    joint = joint_p_value(p_values)
    told = f"so in {failed} of {len(p_values)} independent runs, together with probability at most {upwards(joint)}"
    violations = max(part.tightness.violations, int(joint < FALSE_ALARM / 2))
    return part.compared(replace(part.tightness, violations=violations, note=f"{part.tightness.note}; {told}"))


def _p_value(same: Sequence[Part]) -> float | None:
    """Return the p-value of a run over its traces, or None if none was compared."""
    found = [part.tightness.where["p_value"] for part in same if part.tightness.where is not None]
    return min(1.0, len(found) * min(found)) if found else None
