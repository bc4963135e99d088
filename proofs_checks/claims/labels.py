"""Labels of claims: which are variants of which, and what replaces those of earlier versions, without the claims."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NON_OPTIMAL_IN_FLIGHT = "claim:B_id-tightened:in-flight"
#: Labels of earlier versions, each with the claim that says it now, or says more.
REPLACED_BY: Mapping[str, str] = MappingProxyType(
    {
        "thm:sample-complexity:in-flight": _NON_OPTIMAL_IN_FLIGHT,
        "thm:regret:advertised-margins-at-T": "thm:regret:advertised-margins",
        "claim:T_id:in-flight": "claim:T_id:repaired:in-flight",
        "lem:unqualified-elimination:chernoff": "lem:unqualified-elimination:sharpest",
        "lem:unqualified-elimination:time-to-exclude": "lem:unqualified-elimination:queries-to-exclude",
        "lem:qualified-suboptimal-selection:any-radius": "thm:sample-complexity:any-radius",
        "lem:qualified-suboptimal-selection:in-flight": _NON_OPTIMAL_IN_FLIGHT,
        "lem:qualified-suboptimal-selection:sharp": "thm:sample-complexity:sharp",
        "lem:radius-sum:in-flight": "thm:generation-regret:in-flight",
        "lem:radius-sum:sharp": "thm:generation-regret:sharp",
        "lem:radius-sum:sharpest": "thm:generation-regret:sharpest",
        "cor:excess-payment-polynomial:in-flight": "thm:excess-payment-general:in-flight",
        "lem:ordinary-qualified-set:counts": "lem:ordinary-qualified-set",
        "prop:deviation-selection:gap": "prop:deviation-selection",
        **{
            f"{label}:sharpest-binary": f"{label}:sharpest"
            for label in (
                *("thm:sample-complexity", "thm:regret", "claim:T_id", "lem:forced-exploration-bound"),
                *("lem:unqualified-elimination", "thm:excess-payment-general"),
            )
        },
    }
)


def is_or_varies(label: str, of: str) -> bool:
    """Return whether a label is another one, or one of its variants.

    Examples
    --------
    >>> [is_or_varies(label, "claim:T_id") for label in ("claim:T_id", "claim:T_id:sharp", "claim:T_identity")]
    [True, True, False]
    """
    return f"{label}:".startswith(f"{of}:")
