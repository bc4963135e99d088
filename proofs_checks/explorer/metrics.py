"""What the market's picture can show over time, and what each metric is compared with; the glossary names them."""

from __future__ import annotations

from collections.abc import Mapping

#: What `mechanism.metrics.over_time` has. By metric, which of `bounds.worth.guarantee.guarantees_of` bounds it from
#: above, under the platform, if one does.
METRICS: Mapping[str, str | None] = {
    "quality_regret": "quality_regret",
    "generation_regret": "generation_regret",
    "excess_payment": "excess_payment",
    "average_payment_deviation": "average_payment_deviation",
    "other_selections": "identification",
    **dict.fromkeys(("share_of_optimal", "unqualified_share", "amount_paid_moving", "auction_payment_moving")),
    **dict.fromkeys(("winning_bid_moving", "generation_cost", "accuracy", "eligible", "exploration_steps")),
}
#: The constant of a setting that a metric is compared with.
LEVELS: Mapping[str, str] = {
    "amount_paid_moving": "second_lowest_cost",
    "auction_payment_moving": "second_lowest_cost",
    "accuracy": "quality_threshold",
    "eligible": "qualified_providers",
}


def is_moving(metric: str) -> bool:
    """Return whether a metric is about the last queries alone, a window that moves, and not about all so far."""
    return metric.endswith("_moving")
