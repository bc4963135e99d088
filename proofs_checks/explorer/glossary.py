"""The words of the page, each in a sentence."""

from __future__ import annotations

from collections.abc import Mapping

from bounds.published.defaults import MONEY_IN_WORDS
from proofs_checks.explorer.comparison_words import collapse_meaning
from proofs_checks.verdict import MEANING, NOT_MEANT, Verdict


def _not_meant(verdict: Verdict) -> str:
    return " ".join(f"{short} {told}" for of, short, told in NOT_MEANT if verdict in of)


#: A term with its symbol, and what it is.
TERMS: Mapping[str, str] = {
    "Quality q": "The mean score of a provider's answers, between 0 and 1. Nobody in the market knows it.",
    "Mean cost c": "What a provider spends on a query, on average. It is private: the platform sees bids alone.",
    "Quality threshold q_min": "The least quality that the platform wants. Who reaches it is qualified.",
    "Optimal provider i*": "The cheapest of the qualified providers: who ought to serve every query.",
    "Quality gap ε": "How far a provider's quality falls below the threshold. A small gap takes many queries to see.",
    "Cost gap Δ": "How much more a qualified provider costs than the optimal one.",
    "Confidence radius β(m)": "How far a mean of m scores may lie from the quality, on the good event.",
    "Optimistic quality estimate": "The mean score so far plus the radius: how good a provider may still be.",
    "Eligible": "A provider whose optimistic quality estimate still reaches the threshold.",
    "Standing bid": "The bid that a provider left behind when it last served. It holds until it serves again.",
    "Cost radius": "(1 + γ) c_max β(m): how far a standing bid may lie from the mean cost.",
    "Adjusted bid": "The standing bid less the cost radius. The lowest one among the eligible wins an auction.",
    "Critical payment": (
        "The highest bid with which the winner would still have won. It does not depend on the bid itself."
    ),
    "Cost bound c_max": "The most that is ever paid for a query, and the scale of the cost radius.",
    "Exploration": "Steps given to eligible providers that have served less than g(t) queries; no auction is held.",
    "Belief slack γ": "How far bids may be from mean costs, in radii: the platform widens its cost radius by as much.",
    "Good event": "All means lie within their radii at all times. It happens with probability 1 − δ at least.",
    "Quality regret": "How far the quality of who served falls below the threshold, summed over the queries.",
    "Generation regret": "How much more it cost to serve than the optimal provider would have cost, summed.",
    "Excess payment": "How much more was paid than the second-lowest qualified cost, summed over the queries.",
    "Identification bound": "How many queries after initialization other providers than the optimal one serve at most.",
    "Policy": "A way to route queries. “platform” is the paper's mechanism; the others are there to compare.",
    "Money": MONEY_IN_WORDS,
    "Collapse": collapse_meaning(),
    # Each verdict in the words of the reports.
    **{verdict.value: f"Of a claim: {meaning}. {_not_meant(verdict)}" for verdict, meaning in MEANING.items()},
}
