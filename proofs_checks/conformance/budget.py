"""The order of checks that share a budget: what a cheap one leaves of its part goes to those after it."""

from __future__ import annotations

from collections.abc import Iterable

from proofs_checks.conformance.descriptions import DESCRIPTIONS

#: Calls of `assign` that checks of a right mechanism make with `QUICK`; with more effort all make more. Those of the
#: contract make fewer than others.
_CALLS = {
    **{"robust-no-loss": 19_000, "robust-worst-case": 24_000, "robust-strict": 23_000},
    **{"exploration-draw": 8_800, "empty-draw": 8_500, "whole-interactions": 2_200, "long-run": 3_900},
    **{"own-bid-independence": 5_800, "monotone-allocation": 6_300, "selection-threshold": 3_000, "no-loss": 2_500},
    **{"no-profitable-misreport": 3_400, "past-bids": 2_400, "eligibility": 2_800, "state-estimates": 3_800},
    **dict.fromkeys(("continued-exploration", "best-provider", "quality-threshold"), 6_000),
    "feedback-recovery": 12_000,
}
_OTHERS = 1_000


def cheapest_first(checks: Iterable[str]) -> list[str]:
    """Return names of checks by their calls, after those of the contract, on which the others rest.

    Examples
    --------
    >>> cheapest_first(["answers", "reproducible", "robust-strict", "long-run", "lone-payment"])
    ['answers', 'reproducible', 'lone-payment', 'long-run', 'robust-strict']
    """
    calls = {name: 0 if DESCRIPTIONS[name].group == "contract" else _CALLS.get(name, _OTHERS) for name in checks}
    return sorted(calls, key=calls.__getitem__)
