"""What the page says in sentences: numbers as they are shown, a step, another bid, a provider's earnings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bounds.errors import printable
from proofs_checks.explorer.auction_view import StepView, WhatIf
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
    if unit.startswith("share"):
        return f"{value:.1%}"
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


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
    screened = (
        f"{len(eligible)} of {n} providers were eligible: their mean score plus radius reached the threshold "
        f"{number(view.threshold)}."
    )
    if view.kind == "empty":
        return [screened, f"So the query went to one of all providers at random, {served}, and paid c_max.", paid]
    if view.kind == "exploration":
        few = sum(row.under_sampled for row in view.rows)
        rule = (
            f"{few} of them had served fewer than ⌈g(t)⌉ = {view.target:,.0f} queries. Such a step is no auction: "
            f"one of them is drawn at random and paid c_max = {number(view.cost_bound)}. It was {served}."
        )
        return [screened, rule, paid]
    winner = next(row for row in view.rows if row.served)
    ruled = f"All of them had served at least ⌈g(t)⌉ = {view.target:,.0f} queries, so bids decided."
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


def what_if_sentences(what_if: WhatIf) -> list[str]:
    """Return what another bid would have changed, in sentences."""
    name, winners = printable(what_if.name, 60), [printable(winner, 40) for winner in what_if.winners]
    bid = number(what_if.bid)
    if what_if.wins is None:
        others = ", ".join(winner for winner in winners if winner != name)
        outcome = f"With a bid of {bid}, {name} would have tied with {others}; the platform draws."
    elif what_if.wins:
        outcome = f"With a bid of {bid}, {name} would have served and been paid {number(what_if.payment)}."
    else:
        outcome = f"With a bid of {bid}, {name} would not have served, but {' or '.join(winners)}"
        outcome += "." if what_if.payment is None else f", paid {number(what_if.payment)}."
    if what_if.critical == math.inf:
        rule = f"It has no rival: every bid serves, and it is paid c_max = {number(what_if.most_paid)}."
    else:
        rule = (
            f"Below P = {number(what_if.critical)} it serves, above it does not. "
            f"Its payment, {number(what_if.most_paid)}, does not depend on its own bid."
        )
    gain = what_if.most_paid - what_if.mean_cost
    cost = f"Its mean cost is {number(what_if.mean_cost)}: serving gains it {number(gain)} on average."
    return [outcome, rule, cost]


def metric_caption(runs: int, asked: int, seconds: float, policies: Sequence[str]) -> str:
    """Return the sentence below a picture over time: of how many runs, and what a band is."""
    part = f"{runs} of {asked} runs while you drag" if runs < asked else f"{runs} run{'s' if runs > 1 else ''}"
    who = "" if policies == ("platform",) else " of each policy"
    return f"Median of {part}{who}; the band holds {BAND} of them. Computed in {1000 * seconds:.0f} ms."


def earnings_sentences(view: ProviderView) -> list[str]:
    """Return what a provider earns as it bids, and by the best of its alternatives, in sentences."""
    now, low, high = view.actual.band()
    alternative, best = view.best
    found = best.band()[0]
    how = f"always bid {number(alternative.amount)}"
    if alternative.kind == "shifted":
        sign = "plus" if alternative.amount >= 0 else "minus"
        how = f"bid its mean cost so far {sign} {number(abs(alternative.amount))}"
    earns = f"As it bids, it earns {number(now)} money over a run (median; band {number(low)} to {number(high)})"
    serves = f"with {number(float(np.median(view.actual.served)))} queries served."
    best_of = f"The best of {len(view.alternatives)} alternatives, to {how}, earns {number(found)}"
    gain = f"{number(found - now)} more." if found > now else f"{number(now - found)} less: none of them pays."
    return [f"{earns}, {serves}", f"{best_of}: {gain}"]
