"""The policies and bidders that the page offers: all that the market knows, in its order."""

from __future__ import annotations

from collections.abc import Mapping

from mechanism import bidding, policies
from mechanism.policies import Policy

#: By name; those of the paper first.
POLICIES: Mapping[str, Policy] = getattr(policies, "ALL_POLICIES", policies.POLICIES)
#: Some run in plain Python; a step of theirs counts as so many of a compiled one.
PLAIN_STEP = 50


#: What can be chosen of bidders; those with a number have one of it here.
BIDDERS: Mapping[str, str] = {
    "truthful": "bid the running mean of their costs",
    "deviating": "bid up to d₋ below or d₊ above it",
    "bayesian": "bid a posterior mean; the platform widens its radius",
} | {
    name: meaning
    for name, factory, meaning in (
        ("biased:0.25", "biased_bidders", "bid a quarter of c_max above the running mean of their costs"),
        ("independent", "independent_bidders", "bid anything up to c_max, whatever their costs"),
    )
    if hasattr(bidding, factory)
}


def weight(policy: str) -> int:
    """Return how much work a step under a policy is, in steps of a compiled run.

    Examples
    --------
    >>> weight("platform")
    1
    """
    return 1 if getattr(POLICIES[policy], "compiled", True) else PLAIN_STEP


def meaning(policy: str) -> str:
    """Return what a policy does, in a few words; empty where the market does not say.

    Examples
    --------
    >>> meaning("lowest-price")[:20]
    'lowest listed price '
    """
    return policies.POLICY_MEANINGS.get(policy, "")


def title(policy: str) -> str:
    """Return how figures call a policy.

    Examples
    --------
    >>> title("platform")
    'Platform'
    """
    return policies.POLICY_NAMES.get(policy, policy)
