"""What the paper prints about routing by listed price alone, which learns nothing: most of it is not a random number.

Every provider serves once; then the lowest listed price serves every query. What the tables say of this rule follows
from the setting, except where providers tie for the lowest price and the number depends on which of them serves.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.published.rounding import written
from bounds.setting.model import Setting

#: The policy, and the one other that screens nobody, as the tables call them.
UNFILTERED = "Lowest listed price, no quality filter"
ABLATION = "No quality filter (ablation)"


def unfiltered_numbers(setting: Setting, horizon: int, window: int) -> Mapping[str, Fraction]:
    """Return what a setting determines of the rule's numbers after so many queries, by what they are.

    Parameters
    ----------
    setting : Setting
        With a listed price for every provider.
    horizon : int
        Queries, at least N + `window`, or N where the moving share is of no interest.
    window : int
        Queries that the moving share looks back on; all of them after initialization.

    Returns
    -------
    mapping of str to Fraction
        ``share_of_optimal``, ``moving_share_of_optimal``, ``unqualified_share``, ``quality_regret`` and
        ``generation_regret`` (per query), ``optimal_most_selected``; without those that a tie leaves open.

    Examples
    --------
    >>> from bounds.published import published
    >>> paper = published("gsm8k-full")
    >>> found = unfiltered_numbers(paper.setting, paper.questions, 0)
    >>> f"{float(found['unqualified_share']):.3f}", f"{float(found['generation_regret']):.2f}"
    ('0.005', '0.04')
    """
    prices = [provider.multiplicity * written(provider.listed_price or 0.0) for provider in setting.providers]
    tied = [index for index, price in enumerate(prices) if price == min(prices)]
    # Each number is linear in the counts, so that it is the same for every split if it is for the extreme ones.
    first, *others = (_served_by(setting, index, horizon, window) for index in tied)
    return {name: value for name, value in first.items() if all(other[name] == value for other in others)}


def _served_by(setting: Setting, chosen: int, horizon: int, window: int) -> dict[str, Fraction]:
    """Return the numbers if this provider serves every query after initialization."""
    after = horizon - setting.n_providers
    counts = [1 + after * (index == chosen) for index in range(setting.n_providers)]
    threshold = written(setting.platform.quality_threshold)
    qualities = [written(provider.quality) for provider in setting.providers]
    costs = [written(provider.mean_cost) for provider in setting.providers]
    optimal = setting.optimal
    least = Fraction(0) if optimal is None else costs[optimal]

    def mean(amounts: list[Fraction]) -> Fraction:
        return sum((count * amount for count, amount in zip(counts, amounts, strict=True)), Fraction(0)) / horizon

    is_optimal = [Fraction(index == optimal) for index in range(setting.n_providers)]
    return {
        "share_of_optimal": mean(is_optimal),
        "moving_share_of_optimal": is_optimal[chosen],
        "unqualified_share": mean([Fraction(quality < threshold) for quality in qualities]),
        "quality_regret": mean([max(threshold - quality, Fraction(0)) for quality in qualities]),
        "generation_regret": mean([max(cost - least, Fraction(0)) for cost in costs]),
        "optimal_most_selected": is_optimal[chosen],
    }
