"""The names of policies, and what each does; nothing else is loaded to say them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: The name of the paper's mechanism: the policy that auctions, bounds and payments are about.
PLATFORM = "platform"

#: What the figures and the paper call each of its policies.
POLICY_TITLES: Mapping[str, str] = MappingProxyType(
    {
        PLATFORM: "Platform",
        "uniform-eligible": "Uniform among eligible",
        "lowest-price-eligible": "Lowest listed price among eligible",
        "lowest-price": "Lowest listed price, no quality filter",
        "no-quality-filter": "No quality filter (ablation)",
    }
)

#: What each policy does with a query, those of the paper first.
POLICY_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        PLATFORM: "the paper's mechanism: it screens out providers of low quality, tries those that it knows too "
        "little of, and gives every other query to the lowest adjusted bid",
        "uniform-eligible": "screens as the platform does, then draws one of the eligible providers at random; no bids",
        "lowest-price-eligible": "screens as the platform does, then takes the lowest listed price; no bids",
        "lowest-price": "takes the lowest listed price of all providers, of any quality; no bids",
        "no-quality-filter": "the platform's auction among all providers, without screening and without exploration",
        "uniform-random": "draws one of all providers at random; no bids",
        "oracle-optimal": "knows the optimal provider, and serves it alone; no bids",
        "oracle-costs": "screens as the platform does, then takes the lowest true mean cost; no bids",
        "oracle-quality": "takes the highest true quality; no bids",
        "oracle-qualified": "knows who is qualified, and draws one of these at random; no bids",
        "cheapest-bid": "takes the lowest standing bid of all providers, and pays it",
        "quality-greedy": "takes the highest mean score so far; no bids",
        "greedy-cheapest": "screens as the platform does, then takes the lowest mean invoice so far; no bids",
        "invoice-lcb": "screens as the platform does, then takes the lowest mean invoice less a radius: it tries those "
        "of which it has few invoices; no bids",
        "pay-your-bid": "the platform, but the winner of an auction is paid its own bid",
        "explore-runner-up": "the platform, but it explores the runner-up of the auction alone",
        "explore-additively": "the platform, but auctions that were won do not count as exploration",
    }
)

#: The policies of the paper, and all of ours.
PAPER_POLICY_NAMES, POLICY_NAMES = tuple(POLICY_TITLES), tuple(POLICY_MEANINGS)
