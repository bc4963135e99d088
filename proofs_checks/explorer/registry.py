"""The policies and bidders that the page offers: all that the market knows, in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mechanism.policies import ALL_POLICIES, POLICY_MEANINGS, POLICY_NAMES, Policy

#: By name; those of the paper first.
POLICIES: Mapping[str, Policy] = ALL_POLICIES
#: A step of a policy that runs in plain Python takes as long as so many of a compiled one.
PLAIN_STEP = 300
#: What can be chosen of bidders; those with a number have one of it here.
BIDDERS: Mapping[str, str] = {
    "truthful": "bid the running mean of their costs",
    "deviating": "bid up to d₋ below or d₊ above it",
    "bayesian": "bid a posterior mean; the platform widens its radius",
    "biased:0.25": "bid a quarter of c_max above the running mean of their costs",
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
    return POLICY_MEANINGS.get(policy) or _FURTHER_MEANINGS.get(policy, "")


def title(policy: str) -> str:
    """Return how figures call a policy.

    Examples
    --------
    >>> title("platform")
    'Platform'
    """
    return POLICY_NAMES.get(policy, policy)


#: What the policies do that the paper has not.
_FURTHER_MEANINGS: Mapping[str, str] = {
    "uniform-random": "draws one of all providers at random; no bids",
    "oracle-optimal": "knows the optimal provider, and serves it alone; no bids",
    "oracle-costs": "screens as the platform does, then takes the lowest true mean cost; no bids",
    "oracle-quality": "takes the highest true quality; no bids",
    "cheapest-bid": "takes the lowest standing bid of all providers, and pays it",
    "quality-greedy": "takes the highest mean score so far; no bids",
    "greedy-cheapest": "screens as the platform does, then takes the lowest mean invoice so far; no bids",
    "invoice-lcb": "the same, with a radius taken off the mean invoice: it tries whom it knows little of",
    "pay-your-bid": "the platform, but the winner of an auction is paid its own bid",
    "explore-runner-up": "the platform, but it explores the runner-up of the auction alone",
    "explore-additively": "the same, but auctions that were won do not count as exploration",
}
