"""What the market's picture can show over time: name, unit, meaning, and the guarantee that bounds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bounds.names import title_of

SCORE, MONEY_TOTAL, PER_QUERY, QUERIES, SHARE = (
    "quality points",
    "money",
    "money per query",
    "queries",
    "share of queries",
)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A curve of `mechanism.metrics.curves.Curves`, or one that follows from its selections.

    Parameters
    ----------
    title, unit, meaning : str
    guarantee : str or None
        Which of `bounds.worth.guarantee.guarantees_of` bounds it from above, under the platform.
    level : str or None
        The constant that it is to be compared with: ``quality_threshold``, ``second_lowest_cost`` or
        ``qualified_providers``.
    moving : bool
        Whether it is about the last queries alone, a window that moves, and not about all queries so far.
    """

    title: str
    unit: str
    meaning: str
    guarantee: str | None = None
    level: str | None = None
    moving: bool = False


METRICS: Mapping[str, Metric] = {
    "quality_regret": Metric(
        title=title_of("quality_regret"),
        unit=SCORE,
        meaning="how far the quality of the provider that served lies below the threshold, summed over queries",
        guarantee="quality_regret",
    ),
    "generation_regret": Metric(
        title=title_of("generation_regret"),
        unit=MONEY_TOTAL,
        meaning="how much more the provider that served costs than the optimal one, summed over queries",
        guarantee="generation_regret",
    ),
    "excess_payment": Metric(
        title=title_of("excess_payment"),
        unit=MONEY_TOTAL,
        meaning="what each query was paid above the second-lowest qualified cost, added up; less does not lower it",
        guarantee="excess_payment",
    ),
    "other_selections": Metric(
        title="Queries after initialization not served by the optimal provider",
        unit=QUERIES,
        meaning="queries that the cheapest qualified provider did not serve; the first N queries do not count",
        guarantee="identification",
    ),
    "share_of_optimal": Metric(
        title="Share of the optimal provider",
        unit=SHARE,
        meaning="the share of all queries so far that the cheapest qualified provider served",
    ),
    "unqualified_share": Metric(
        title="Share of unqualified providers",
        unit=SHARE,
        meaning="the share of all queries so far that providers below the quality threshold served",
    ),
    "amount_paid_moving": Metric(
        title="Amount paid, recently",
        unit=PER_QUERY,
        meaning="the mean payment of the last queries (a moving window, without initialization)",
        level="second_lowest_cost",
        moving=True,
    ),
    "auction_payment_moving": Metric(
        title="Payment of auctions, recently",
        unit=PER_QUERY,
        meaning="the mean payment of the auctions among the last queries (a moving window)",
        level="second_lowest_cost",
        moving=True,
    ),
    "winning_bid_moving": Metric(
        title="Winning bid, recently",
        unit=PER_QUERY,
        meaning="the mean standing bid of the winners among the last queries (a moving window)",
        moving=True,
    ),
    "generation_cost": Metric(
        title="Generation cost", unit=PER_QUERY, meaning="what serving cost, on average over all queries so far"
    ),
    "accuracy": Metric(
        title="Accuracy", unit="mean score", meaning="the mean score of all queries so far", level="quality_threshold"
    ),
    "eligible": Metric(
        title="Eligible providers",
        unit="providers",
        meaning="how many providers might have served the query, as far as the platform knew",
        level="qualified_providers",
    ),
    "exploration_steps": Metric(
        title="Exploration steps",
        unit=QUERIES,
        meaning="queries that were given to an under-sampled provider, without an auction",
    ),
}
