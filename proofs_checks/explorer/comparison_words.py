"""What the page says in sentences of providers, policies, payoffs and sweeps beside each other."""

from __future__ import annotations

from bounds.errors import printable
from mechanism.policies import PLATFORM
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.policies_view import COLLAPSE, Band
from proofs_checks.explorer.roster_view import RosterView
from proofs_checks.explorer.run_view import Payoffs
from proofs_checks.explorer.sweep_view import SweepPlan
from proofs_checks.explorer.words import NOT_PROMISED, number
from proofs_checks.plurals import counted


def roster_sentences(view: RosterView) -> list[str]:
    """Return who is qualified, who is optimal and by how much, and whether the cheapest provider is good enough."""
    rows = view.rows
    qualified = sum(row.standing != "below the threshold" for row in rows)
    said = [f"{qualified} of {len(rows)} providers reach the quality threshold {number(view.threshold)}."]
    optimal = next((row for row in rows if row.standing == "optimal"), None)
    if optimal is None:
        why = "nobody is qualified" if not qualified else "several of the qualified ones share the lowest cost"
        said.append(f"There is no single optimal provider i*: {why}.")
    else:
        second = f"; the next one costs {number(view.cost_gap)} more" if view.cost_gap is not None else ""
        name = printable(optimal.name, 60)
        said.append(
            f"The cheapest of them, the optimal provider i*, is {name}: a query costs {number(optimal.cost)}{second}."
        )
    cheapest = rows[view.cheapest]
    trap = cheapest.standing == "below the threshold" and qualified
    said.append(
        f"The cheapest of all, {printable(cheapest.name, 60)}, is "
        + ("below the threshold: a rule that looks at cost alone serves the wrong one." if trap else "")
        + ("" if trap else f"{cheapest.standing}.")
    )
    return said


def resolved(count: int | None, horizon: int) -> str:
    """Return at which count a gap is resolved, and that a run is too short for it where it is.

    Examples
    --------
    >>> resolved(120, 500), resolved(5_571, 500), resolved(None, 500)
    ('120', '5,571: longer than a run', '–')
    """
    if count is None:
        return "–"
    return f"{count:,}: longer than a run" if count > horizon else f"{count:,}"


def banded(band: Band, unit: str = "") -> tuple[str, str]:
    """Return a median, and its band where it is another number.

    Examples
    --------
    >>> banded(Band(low=1.0, median=2.0, high=3.0)), banded(Band(low=2.0, median=2.0, high=2.0))
    (('2', '1 to 3'), ('2', ''))
    """
    if band.median != band.median:
        return "–", ""
    low, median, high = (number(each, unit) for each in (band.low, band.median, band.high))
    return median, "" if low == high else f"{low} to {high}"


def collapse_meaning() -> str:
    """Return what a collapse is.

    Examples
    --------
    >>> collapse_meaning()
    'A run collapses when one provider below the threshold serves more than 50% of its queries.'
    """
    return f"A run collapses when one provider below the threshold serves more than {COLLAPSE:.0%} of its queries."


def payoff_sentences(view: Payoffs, policy: str, run: int, *, auctions: bool) -> list[str]:
    """Return what the providers earned together in a run, and how often a query cost more than it paid."""
    net = float(view.gains[-1] + view.losses[-1])
    losing = "No query cost more than it paid."
    if view.losing:
        losing = (
            f"{view.losing:,} of {view.queries:,} queries cost more than they paid, {view.losing_later:,} of them "
            "after initialization."
        )
    said = [
        f"In run {run} under {policy}, providers earned {number(net)} in all: {number(float(view.gains[-1]))} on "
        f"queries that paid at least what they cost, less {number(abs(float(view.losses[-1])))} on the others.",
        f"{losing} The payment is fixed before the answer is known, so that a long answer can cost more.",
    ]
    if not auctions:
        said.append(f"{policy} holds no auction: the user pays the query price, which is the cost and a margin on it.")
    return said


def band_caption(view: Payoffs, policy: str, *, promised: bool) -> str:
    """Return what the picture of payments shows, and of how many steps."""
    if view.second_lowest_cost is None:
        return "There is no band: it needs two qualified providers and a single cheapest one."
    part = (
        "" if view.band_steps == view.queries else f" Of this long run the first {view.band_steps:,} steps are shown."
    )
    if not promised:
        return f"Sampled steps that were auctions. The band of the theory is {NOT_PROMISED}, and not drawn.{part}"
    if policy != PLATFORM:
        part = f" It is the band of the platform: {policy} may pay less or more.{part}"
    return (
        "Sampled steps that were auctions. The band goes from the cost of who served, less a cost radius, to the "
        f"second-lowest qualified cost and a radius, at most c_max.{part}"
    )


def plan_sentence(plan: SweepPlan, market: Market) -> str:
    """Return what a sweep will simulate, or why it cannot."""
    if not plan.markets:
        return "There is no threshold to try: the providers have one quality, or the policies can run at none."
    fewer = f", not {plan.asked_runs}, so that it ends soon" if plan.runs < plan.asked_runs else ""
    left = f" {counted(plan.skipped, 'threshold')} left out: a policy cannot run there." if plan.skipped else ""
    steps = sum(each.horizon * each.runs * len(each.policies) for each in plan.markets)
    return (
        f"{counted(len(plan.markets), 'threshold')} of {', '.join(market.policies)}; {counted(plan.runs, 'run')} at "
        f"each{fewer}: {steps:,} simulated queries.{left}"
    )


def progress_sentence(done: int, plan: SweepPlan) -> str:
    """Return how far a sweep is."""
    said = f"{done} of {counted(len(plan.markets), 'threshold')}"
    return f"{said} done." if done < len(plan.markets) else f"{said}: complete."
