"""The policies and bidders that the page offers: all that the market knows, in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mechanism.policies import ALL_POLICIES, POLICY_MEANINGS, POLICY_NAMES, Policy

#: By name; those of the paper first.
POLICIES: Mapping[str, Policy] = ALL_POLICIES
#: A step of a policy that runs in plain Python takes as long as so many of a compiled one.
PLAIN_STEP = 300
#: What can be chosen of bidders, without the numbers that `bayesian` and `biased` take.
BIDDERS: Mapping[str, str] = {
    "truthful": "bid the running mean of their costs",
    "deviating": "bid up to d₋ below or d₊ above it",
    "bayesian": "bid a posterior mean; the platform widens its radius",
    "biased": "bid a share of c_max above the running mean of their costs, or below it",
    "independent": "bid anything up to c_max, whatever their costs",
}


def plain(policies: Sequence[str]) -> tuple[str, ...]:
    """Return those of some policies that run in plain Python.

    Examples
    --------
    >>> plain(["platform", "cheapest-bid"])
    ('cheapest-bid',)
    """
    return tuple(policy for policy in policies if not POLICIES[policy].compiled)


def weight(policies: Sequence[str]) -> int:
    """Return how much work a step under each of some policies is, in steps of a compiled run.

    Examples
    --------
    >>> weight(["platform", "lowest-price"]), weight(["cheapest-bid"])
    (2, 300)
    """
    return len(policies) + (PLAIN_STEP - 1) * len(plain(policies))


def meaning(policy: str) -> str:
    """Return what a policy does, in a few words.

    Examples
    --------
    >>> meaning("lowest-price")[:25]
    'takes the lowest listed p'
    """
    return POLICY_MEANINGS.get(policy, "")


def title(policy: str) -> str:
    """Return how figures call a policy.

    Examples
    --------
    >>> title("platform")
    'Platform'
    """
    return POLICY_NAMES.get(policy, policy)
