"""What the page says in sentences: numbers as they are shown, a step, another bid, a provider's earnings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bounds.errors import printable
from bounds.report import BoundsReport
from bounds.words import all_but, as_horizon, both_at_most, capital, counted, listed, rough, share
from mechanism.rules import Kind
from proofs_checks.explorer.auction_view import StepView, WhatIf
from proofs_checks.explorer.claims_view import in_passes
from proofs_checks.explorer.controls import SimulatedMarket
from proofs_checks.explorer.market_view import ProviderRow
from proofs_checks.explorer.pictures import BAND
from proofs_checks.explorer.provider_view import ProviderView


def number(value: float | None, unit: str = "") -> str:
    """Return a number as the page shows it.

    Examples
    --------
    >>> number(0.89712, "share of queries"), number(31977.0), number(None), number(27.593)
    ('89.7%', '31,977', '–', '27.59')
    """
    if value is None:
        return "–"
    return share(value) if unit.startswith("share") else rough(value, 4)


def bound_and_trivial(value: float | None, trivial: float | None) -> tuple[str, str]:
    """Return an upper bound and its trivial value as the page shows them: as `costproof bounds` does.

    Both are rounded up, and never look alike if they differ.

    Examples
    --------
    >>> bound_and_trivial(51268.4, 51268.9), bound_and_trivial(None, 0.12345678)
    (('51,268.4', '51,268.9'), ('–', '0.12346'))
    """
    most, other = ("–" if text == "-" else text for text in both_at_most(value, trivial))
    return most, other


def beside(value: float | None, threshold: float) -> str:
    """Return a number as the page shows it, and how far off a threshold it is where the two would look the same.

    Examples
    --------
    >>> beside(0.14507, 0.1451107), beside(0.2, 0.1451107), beside(0.1451107, 0.1451107)
    ('0.1451, below by 0.00004', '0.2', '0.1451')
    """
    if value is None or value == threshold or number(value) != number(threshold):
        return number(value)
    # One digit, written out as long as that can be read.
    off = f"{abs(value - threshold):.1g}"
    off = off if abs(value - threshold) < 1e-6 else f"{float(off):.7f}".rstrip("0")
    return f"{number(value)}, {'below' if value < threshold else 'above'} by {off}"


STEP_TITLES = {
    "initialization": "initialization",
    "exploration": "exploration",
    "auction": "an auction",
    "empty": "nobody is eligible",
}


def step_sentences(view: StepView) -> list[str]:
    """Return what happened at a step, in sentences."""
    eligible = [row for row in view.rows if row.eligible]
    paid = (
        f"It was paid {number(view.payment)} money per query; serving cost it {number(view.cost)}, "
        f"the score was {number(view.score)}."
    )
    served, n = printable(view.served, 60), len(view.rows)
    if view.kind == "initialization":
        return [
            f"The first {n} queries go to every provider once, and each pays c_max. This one went to {served}.",
            paid,
        ]
    screened = _screened(len(eligible), n, number(view.threshold))
    if view.kind == "empty":
        return [screened, f"So the query went to one of all providers at random, {served}, and paid c_max.", paid]
    if view.kind == "exploration":
        few = sum(row.under_sampled for row in view.rows)
        rule = (
            f"{few} of them had served fewer than ⌈g(t)⌉ = {view.target:,.0f} queries. Such a step is not an auction: "
            f"one of them is drawn at random and paid c_max = {number(view.cost_bound)}. It was {served}."
        )
        return [screened, rule, paid]
    winner = next(row for row in view.rows if row.served)
    who = "All of them" if len(eligible) > 1 else "It"
    ruled = f"{who} had served at least ⌈g(t)⌉ = {view.target:,.0f} queries, so bids decided."
    won = f"{served} had the lowest adjusted bid, {number(winner.adjusted_bid)}, and served."
    rivals = [row for row in eligible if not row.served and row.adjusted_bid is not None]
    if not rivals or winner.critical is None:
        return [screened, ruled, won, "It had no rival, so it was paid c_max.", paid]
    rival = min(rivals, key=lambda row: row.adjusted_bid or 0.0)
    price = (
        f"Its critical payment is its cost radius {number(winner.cost_radius)} plus the lowest adjusted bid of a "
        f"rival, {number(rival.adjusted_bid)} of {printable(rival.name, 40)}: P = {number(winner.critical)}."
    )
    if winner.critical > view.cost_bound:
        price += f" That exceeds c_max = {number(view.cost_bound)}, which caps the payment."
    return [screened, ruled, won, price, paid]


def _screened(eligible: int, providers: int, threshold: str) -> str:
    """Return how many providers were eligible at a step, and why."""
    if not eligible:
        return (
            f"None of the {providers} providers was eligible: every mean score plus confidence radius lay below the "
            f"threshold {threshold}."
        )
    were, their = ("was", "its") if eligible == 1 else ("were", "their")
    return (
        f"{eligible} of {providers} providers {were} eligible: {their} mean score plus confidence radius reached the "
        f"threshold {threshold}."
    )


def bids_decide(kind: Kind) -> str:
    """Return the sentence below the bids of a step: what they decide."""
    if kind == "initialization":
        return "Bids decide nothing here: in initialization every provider serves once."
    return "A line leads from each standing bid to the adjusted bid; the lowest one among the eligible wins an auction."


def what_if_sentences(what_if: WhatIf) -> list[str]:
    """Return what another bid would have changed, in sentences."""
    name, winners = printable(what_if.name, 60), [printable(winner, 40) for winner in what_if.winners]
    bid = f"its own bid of {number(what_if.bid)}" if what_if.own else f"a bid of {number(what_if.bid)}"
    if what_if.wins is None:
        others = ", ".join(winner for winner in winners if winner != name)
        outcome = f"With {bid}, {name} ties with {others}: the platform draws one of them."
    elif what_if.wins:
        outcome = f"With {bid}, {name} serves this query and is paid {number(what_if.payment)}."
    else:
        outcome = f"With {bid}, {name} does not serve this query, but {listed(winners, 'or')} does"
        outcome += "." if what_if.payment is None else f", and is paid {number(what_if.payment)}."
    if what_if.critical == math.inf:
        rule = f"It has no rival: every bid serves, and it is paid c_max = {number(what_if.most_paid)}."
    else:
        rule = (
            f"Below P = {number(what_if.critical)} it serves, above it does not. "
            f"If it serves, it is paid {number(what_if.most_paid)} for any bid."
        )
    gain = what_if.most_paid - what_if.mean_cost
    gains = f"gains it {number(gain)}" if gain >= 0 else f"loses it {number(-gain)}"
    cost = f"Its mean cost is {number(what_if.mean_cost)}: serving {gains} on average."
    return [outcome, rule, cost]


def metric_caption(shown: SimulatedMarket, asked: SimulatedMarket, why: str) -> str:
    """Return the sentence below a picture over time: of how many runs it is, and what a band is.

    Parameters
    ----------
    shown, asked : SimulatedMarket
        What is drawn, and all that was asked for.
    why : str
        Why fewer runs are drawn, if they are: "while you drag".

    Examples
    --------
    >>> from bounds.published import published
    >>> market = SimulatedMarket(setting=published("gpqa-strong").setting, horizon=700_000)
    >>> metric_caption(market.stages()[0], market, "so far")
    'Median of 3 of 30 runs so far; the band goes from the 10% to the 90% quantile.'
    """
    part = counted(shown.runs, "run") if shown == asked else f"{shown.runs} of {asked.runs} runs {why}"
    return f"Median of {part}; the band goes {BAND}."


def selections_caption(rows: Sequence[ProviderRow]) -> str:
    """Return the sentence below the picture of who served: what bars and ticks are."""
    ticks = "; upright ticks: the paper's bounds" if any(row.cap is not None for row in rows) else ""
    return f"Bars end at the median over runs, thin lines go {BAND}{ticks}. On a log scale, compare the numbers."


def summary_caption(market: SimulatedMarket) -> str:
    """Return the sentence below the numbers above the pictures: under which policy, and how queries are drawn."""
    passes = "questions of the benchmark are drawn in passes without replacement, as in the paper's experiments"
    drawn = passes if in_passes(market) else "every query is an independent draw"
    return f"At the end of a run under {market.policies[0]}, the median over runs and the band; {drawn}."


def leader(report: BoundsReport, *, covered: bool) -> str:
    """Return from when on the theory lets the optimal provider lead; why it does not, where it does not."""
    if not covered:
        return f"T_id, from which on the optimal provider leads, is {NOT_PROMISED}: {WHY_NOT_PROMISED}."
    horizon, optimal = report.identification_horizon, report.optimal_provider
    if horizon is None or optimal is None:
        return (
            "T_id, from which on the optimal provider has the most selections, is not defined here: the last column "
            "says why."
        )
    return (
        f"From T_id = {as_horizon(horizon)} queries on, {printable(optimal, 60)}, the optimal provider, "
        f"has served more queries than any other, with the same probability (Theorem 3, in the form of appendix D)."
    )


def together(report: BoundsReport) -> str:
    """Return how sure the guarantees are, and what they do not say."""
    sure = all_but(report.confidence)
    return (
        f"All these bounds hold together with probability at least 1 - δ = {sure}. A bound above its trivial value, "
        "the most that is possible at all, is not informative. Runs below a bound do not prove it."
    )


def widened_everywhere(market: SimulatedMarket) -> str:
    """Return what the page does about a gamma or bids that the theorems do not allow for; empty where they do.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> widened_everywhere(SimulatedMarket(setting=setting, horizon=500, bidders="independent"))[:76]
    'Independent bidders may bid farther from their mean costs than γ, d₋ and d₊ '
    """
    if market.covered:
        told = "All views use this γ: runs, radii, bounds, claims and the exported setting."
        return f"{market.widening} {told}" if market.widening else ""
    said = market.widening
    if not said:
        kind = capital(market.bidders.partition(":")[0])
        rest = "of the guarantees only that on quality is promised"
        said = f"{kind} bidders may bid farther from their mean costs than γ, d₋ and d₊ allow for: {rest}."
    return f"{said} In every view the other bounds are left out, or marked “{NOT_PROMISED}”."


#: How a guarantee is marked whose theorem does not speak of the bids at hand, and why.
NOT_PROMISED = "not promised here"
WHY_NOT_PROMISED = "these bids may lie farther from mean costs than γ, d₋ and d₊ allow for"


def earnings_sentences(view: ProviderView, market_runs: int) -> list[str]:
    """Return what a provider earns as it bids, what by the best of its alternatives, and how that fits the theory."""
    now, low, high = view.actual.band()
    amount, best = view.best
    gain = best.band()[0] - now
    how = f"its mean cost so far {'plus' if amount >= 0 else 'minus'} {number(abs(amount))}"
    median = number(float(np.median(view.actual.served)))
    queries = f"{median} query" if median == "1" else f"{median} queries"
    which = f"the first {view.runs} of {market_runs} runs" if view.runs < market_runs else "all runs"
    of = f"medians over {which}, band from {number(low)} to {number(high)}"
    if view.runs == 1:
        of = "in the first run alone" if market_runs > 1 else "in the only run"
    earns = f"As it bids now, it serves {queries} of a run and earns {number(now)} money ({of})."
    best_of = f"Of {len(view.alternatives)} such ways to bid, the best is {how}. It earns"
    if gain > 0:
        return [earns, f"{best_of} {number(gain)} more. This gain does not contradict Theorem 2. {_WORST_CASES}"]
    less = f"{number(-gain)} less" if gain < 0 else "the same"
    return [earns, f"{best_of} {less}: none of them pays here. Theorem 2 does not promise that. {_WORST_CASES}"]


#: What thm:robust-dominant compares, and why a gain over whole runs is no counterexample.
_WORST_CASES = (
    "It compares the worst cases of ways to bid, and in the worst case the next query is the last: for one query, no "
    "bid is better than the provider's own estimate of its cost. Over many queries, a bid also changes who serves "
    "later and what the platform learns."
)
