"""What the page says in sentences: numbers as they are shown, a step, another bid, a provider's earnings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bounds.errors import printable
from bounds.published import published_with
from bounds.worth.words import all_but, as_horizon, at_most, both_at_most
from mechanism.bidding import prior_of
from mechanism.rules import Kind
from proofs_checks.explorer.auction_view import StepView, WhatIf
from proofs_checks.explorer.claims_view import GoodEvents, in_passes, without_runs
from proofs_checks.explorer.controls import Market
from proofs_checks.explorer.market_view import MetricView, Promises, ProviderRow
from proofs_checks.explorer.metrics import METRICS
from proofs_checks.explorer.pictures import BAND, reach_of
from proofs_checks.explorer.policies_view import COLLAPSE
from proofs_checks.explorer.provider_view import ProviderView
from proofs_checks.explorer.registry import POLICIES, plain
from proofs_checks.explorer.roster_view import roster_view
from proofs_checks.plurals import counted


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


def bound_and_trivial(value: float | None, trivial: float | None) -> tuple[str, str]:
    """Return an upper bound and its trivial value as the page shows them: as `costproof bounds` does.

    Both are rounded up, and never look alike if they differ.

    Examples
    --------
    >>> bound_and_trivial(51268.4, 51268.9), bound_and_trivial(None, 0.12345678)
    (('51,268.4', '51,268.9'), ('–', '0.12346'))
    """
    if value is None or trivial is None:
        return "–" if value is None else at_most(value), "–" if trivial is None else at_most(trivial)
    return both_at_most(value, trivial)


def beside(value: float | None, threshold: float) -> str:
    """Return a number as the page shows it, and how far off a threshold it is where the two would look the same.

    Examples
    --------
    >>> beside(0.14507, 0.1451107), beside(0.2, 0.1451107), beside(0.1451107, 0.1451107)
    ('0.1451, below by 0.00004', '0.2', '0.1451')
    """
    if value is None or value == threshold or number(value) != number(threshold):
        return number(value)
    return f"{number(value)}, {'below' if value < threshold else 'above'} by {_short(abs(value - threshold))}"


def _short(value: float) -> str:
    """Return a small number with one digit, written out as long as that can be read."""
    return f"{float(f'{value:.1g}'):.7f}".rstrip("0") if value >= 1e-6 else f"{value:.1g}"


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
            f"{few} of them had served fewer than ⌈g(t)⌉ = {view.target:,.0f} queries. Such a step is no auction: "
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
    """Return how the sentence about the bids of a step ends: what they decide, and what grey means."""
    if kind == "initialization":
        return ". They decide nothing here: in initialization nobody is screened, and every provider serves once."
    return ": the lowest diamond among the eligible wins an auction. Grey, with ✗: not eligible."


def what_if_title(what_if: WhatIf) -> str:
    """Return what is looked at: another bid of a provider, or its own."""
    name = printable(what_if.name, 60)
    return f"Other bids of {name} at this step" if what_if.own else f"If {name} had bid {number(what_if.bid)}"


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
        outcome = f"With {bid}, {name} does not serve this query, but {' or '.join(winners)} does"
        outcome += "." if what_if.payment is None else f", and is paid {number(what_if.payment)}."
    if what_if.critical == math.inf:
        rule = f"It has no rival: every bid serves, and it is paid c_max = {number(what_if.most_paid)}."
    else:
        rule = (
            f"Below P = {number(what_if.critical)} it serves, above it does not. "
            f"If it serves, it is paid {number(what_if.most_paid)}, whatever it bids."
        )
    gain = what_if.most_paid - what_if.mean_cost
    gains = f"gains it {number(gain)}" if gain >= 0 else f"loses it {number(-gain)}"
    cost = f"Its mean cost is {number(what_if.mean_cost)}: serving {gains} on average."
    return [outcome, rule, cost]


def metric_title(metric: str, market: Market) -> str:
    """Return the title of a picture over time.

    Examples
    --------
    >>> from bounds.published import published
    >>> metric_title("accuracy", Market(setting=published("gpqa-strong").setting, horizon=500))
    'Accuracy over time: gpqa-strong'
    """
    return f"{METRICS[metric].title} over time: {_market_shown(market)}"


def selections_title(market: Market) -> str:
    """Return the title of the picture of who served, under which policy."""
    return f"Queries that each provider served under {market.policies[0]}: {_market_shown(market)}"


def _market_shown(market: Market) -> str:
    return printable(market.shown_name, 60)


def metric_caption(shown: Market, asked: Market, seconds: float, why: str) -> str:
    """Return the sentence below a picture over time: of how many runs, and what a band is.

    Parameters
    ----------
    shown, asked : Market
        What is drawn, and all that was asked for.
    seconds : float
        That it took.
    why : str
        Why fewer runs are drawn, if they are: "while you drag".
    """
    part = counted(shown.runs, "run") if shown.runs == asked.runs else f"{shown.runs} of {asked.runs} runs {why}"
    who = "" if shown.policies == ("platform",) else " of each policy"
    slow = plain(shown.policies)
    if shown.plain_runs < shown.runs:
        who += f" ({counted(shown.plain_runs, 'run')} of {', '.join(slow)}: in plain Python, they take long)"
    if left := plain(asked.policies) if not slow else ():
        who += f" (without {', '.join(left)} {why})"
    return f"Median of {part}{who}; the band goes {BAND}. Computed in {1000 * seconds:.0f} ms."


def runs_shown(shown: Market, asked: Market, why: str) -> str:
    """Return how many of the runs are there; empty where all are.

    Examples
    --------
    >>> from bounds.published import published
    >>> market = Market(setting=published("gpqa-strong").setting, horizon=700_000)
    >>> runs_shown(market.while_dragging(), market, "so far"), runs_shown(market, market, "so far")
    ('3 of 30 runs so far', '')
    """
    if shown == asked:
        return ""
    if shown.runs == asked.runs:
        return f"Without {', '.join(plain(asked.policies))} {why}"
    return f"{shown.runs} of {asked.runs} runs {why}"


def branches_caption(view: MetricView, *, log: bool) -> str:
    """Return what the two bounds of a regret are; empty where a metric has not two.

    Parameters
    ----------
    view : MetricView
    log : bool
        Whether the axis is logarithmic.
    """
    if not view.branches:
        return ""
    names = [name for name, _ in view.branches]
    told = f" The paper has two bounds: “{names[0]}” (dashed) and “{names[1]}” (dotted)."
    told += " The smaller at each t counts: the broad line."
    far = [name for name, values in view.branches if values[-1] > reach_of(view) and not log]
    return told + (f" “{far[0]}” ends above the picture: “Log scale” shows it." if far else "")


def selections_caption(policy: str, rows: Sequence[ProviderRow]) -> str:
    """Return the sentence below the picture of who served: of which policy, and what bars, lines and ticks are."""
    said = f"Policy: {policy}. A bar ends at the median over runs; the thin line across its end goes {BAND}."
    said += (
        " Under each name: that median, and its share of all queries. The axis is a log scale: compare these "
        "numbers, not the lengths of bars."
    )
    tick = (
        " An upright tick is the paper's bound on the queries that this provider serves. The optimal provider has "
        "none: the paper bounds how often the others serve, and the optimal one is to serve all the rest."
    )
    return said + tick if any(row.cap is not None for row in rows) else said


def summary_caption(market: Market) -> str:
    """Return the sentence below the numbers above the pictures: under which policy, and what each is."""
    known = published_with(market.setting.providers)
    why = (
        f" The last {market.window:,} queries are as many as the benchmark has questions."
        if known and market.window == known.questions
        else ""
    )
    return (
        f"At the end of a run under {market.policies[0]}, the policy that was chosen first. "
        f"Large: the median over runs. Small: {BAND}.{why}"
    )


def draws(market: Market) -> str:
    """Return how queries are drawn, and how long a window is: both change when a provider joins or leaves.

    Examples
    --------
    >>> from bounds.published import published
    >>> draws(Market(setting=published("gpqa-strong").setting, horizon=500))[:55]
    'The providers are those of a benchmark: its questions a'
    """
    if in_passes(market):
        return (
            "The providers are those of a benchmark: its questions are drawn in passes without replacement, as in the "
            "paper's experiments."
        )
    return (
        "The providers are not those of a built-in setting, unchanged: every query is an independent draw, and recent "
        f"means the last {counted(market.window, 'query')}. With the providers of a built-in setting, the benchmark's "
        "questions are drawn without replacement, and recent means as many queries as it has questions."
    )


def why_collapsed(market: Market, rows: Sequence[ProviderRow]) -> str:
    """Return why a provider below the threshold serves most queries under a policy that screens; empty where none does.

    Parameters
    ----------
    market : Market
    rows : sequence of ProviderRow
        Who served under its first policy.
    """
    if not POLICIES[market.policies[0]].screens:
        return ""
    for row, known in zip(rows, roster_view(market).rows, strict=True):
        share = row.median / market.horizon
        if row.qualified or share <= COLLAPSE or known.gap is None or known.resolved_at is None:
            continue
        return (
            f"{printable(row.name, 40)} is below the threshold and serves {number(share, 'share')} of the queries. It "
            f"misses the threshold by {number(known.gap)}. To be sure of that, a platform needs about "
            f"{known.resolved_at:,} scores of this provider; a run has {market.horizon:,} queries."
        )
    return ""


def bidders_in_words(bidders: str) -> str:
    """Return what bidders a market has, with their numbers.

    Examples
    --------
    >>> bidders_in_words("truthful"), bidders_in_words("biased:-0.2")
    ('truthful bidders', 'biased bidders (mean cost - 0.2 c_max)')
    >>> bidders_in_words("bayesian:0.1:40")
    'Bayesian bidders (prior mean 0.1 c_max, worth 40 observations)'
    """
    if (prior := prior_of(bidders)) is not None:
        worth = f"{prior.strength:g} observation{'s' * (prior.strength != 1)}"
        return f"Bayesian bidders (prior mean {prior.share:g} c_max, worth {worth})"
    kind, _, amount = bidders.partition(":")
    if kind == "biased":
        return f"biased bidders (mean cost {'-' if float(amount) < 0 else '+'} {abs(float(amount)):g} c_max)"
    return f"{kind} bidders ({amount})" if amount else f"{kind} bidders"


def leader(found: Promises) -> str:
    """Return from when on the theory lets the optimal provider lead; why it does not, where it does not."""
    if not found.covered:
        return f"T_id, from which on the optimal provider leads, is {NOT_PROMISED}: {WHY_NOT_PROMISED}."
    if found.leads_from is None or found.optimal is None:
        return (
            "T_id, from which on the lead of the optimum is guaranteed, is not defined here: the last column says why."
        )
    return (
        f"From T_id = {as_horizon(found.leads_from)} queries on, {printable(found.optimal, 60)}, the optimal provider, "
        f"has served more queries than any other, with the same probability (Theorem 3, in the form of appendix D)."
    )


def together(found: Promises) -> str:
    """Return how sure the guarantees are, and what they do not say."""
    return (
        "In every market that meets their assumptions, all these bounds hold together with probability at least "
        f"1 - δ = {all_but(found.confidence)}; none is a bound on a mean. They are rounded up. The trivial value is "
        "the most that is possible at all: for queries after initialization it is T - N. A bound above it says "
        "nothing. That simulated runs stay below a bound is no proof, and shows nothing about other markets."
    )


def good_event_count(found: GoodEvents, *, passes: bool) -> str:
    """Return in how many runs the good event held, and why that tests little.

    Examples
    --------
    >>> good_event_count(GoodEvents(held=30, looked_at=30, runs=30, confidence=0.05), passes=False)[:40]
    'The good event held in 30 of 30 runs. Th'
    """
    of = f"{found.looked_at} runs" if found.looked_at == found.runs else f"the first {found.looked_at} runs"
    why = "Its bands are wide, so that runs seldom leave them: that it held tests the lemma little."
    drawn = " Besides, the lemma is about independent draws, and these are without replacement." if passes else ""
    return (
        f"The good event held in {found.held} of {of}. The lemma says that it does with probability at least "
        f"1 - δ = {all_but(found.confidence)}. {why}{drawn}"
    )


def not_compared() -> str:
    """Return which claims are missing from those of a run, and where they are.

    Examples
    --------
    >>> not_compared().startswith("Not in this list are")
    True
    """
    of_setting, others = without_runs()
    return (
        f"Not in this list are {of_setting + others} claims that no run can test. {of_setting} are computed from the "
        f"numbers of a setting, as the identification horizon and the printed tables. {others} are about formulas "
        "alone: they are proved, or refuted, without a run. costproof verify has them all."
    )


def earnings_caption(view: ProviderView) -> str:
    """Return the sentence below a picture of earnings: of how many runs, and why not of all."""
    if view.runs == view.market_runs:
        return _median_of(view.runs)
    first = f"The first of {view.market_runs} runs" if view.runs == 1 else ""
    first = first or f"Median of the first {view.runs} of {view.market_runs} runs; the band goes {BAND}"
    return (
        f"{first}. Every run is simulated "
        f"{len(view.alternatives) + 1} times, once for each way to bid: with all runs the answer would take too long."
    )


def _median_of(runs: int) -> str:
    return "One run, without a band." if runs == 1 else f"Median of {counted(runs, 'run')}; the band goes {BAND}."


def looser_bounds(market: Market) -> str:
    """Return why bounds are looser than these bidders need; empty where they are not.

    Examples
    --------
    >>> from bounds.published import published
    >>> looser_bounds(Market(setting=published("gpqa-strong").setting, horizon=500))
    ''
    """
    platform = market.setting.platform
    kind = market.bidders.partition(":")[0]
    if kind not in ("truthful", "bayesian") or not market.covered or not (platform.underbid or platform.overbid):
        return ""
    return (
        f"The bounds on this page allow for bids up to d₋ = {number(platform.underbid)} below and "
        f"d₊ = {number(platform.overbid)} above a provider's estimate of its cost. "
        f"{kind.capitalize()} bidders bid just that estimate: with d₋ = d₊ = 0 the bounds are tighter."
    )


def widened_everywhere(market: Market) -> str:
    """Return what the page does about a gamma or bids that the theorems do not allow for; empty where they do.

    Examples
    --------
    >>> from bounds.published import published
    >>> setting = published("gpqa-strong").setting
    >>> widened_everywhere(Market(setting=setting, horizon=500, bidders="independent"))[:76]
    'Independent bidders may bid farther from their mean costs than γ, d₋ and d₊ '
    """
    if market.covered:
        told = "All views use this γ: runs, radii, bounds, claims and the exported setting."
        return f"{market.widening} {told}" if market.widening else ""
    said = market.widening
    if not said:
        kind = market.bidders.partition(":")[0].capitalize()
        rest = "of the guarantees only that on quality is promised"
        said = f"{kind} bidders may bid farther from their mean costs than γ, d₋ and d₊ allow for: {rest}."
    return f"{said} In every view the other bounds are left out, or marked “{NOT_PROMISED}”."


#: How a guarantee is marked whose theorem does not speak of the bids at hand, and why.
NOT_PROMISED = "not promised here"
WHY_NOT_PROMISED = "these bids may lie farther from mean costs than γ, d₋ and d₊ allow for"


def earnings_sentences(view: ProviderView) -> list[str]:
    """Return what a provider earns as it bids, what by the best of its alternatives, and how that fits the theory."""
    now, low, high = view.actual.band()
    alternative, best = view.best
    found = best.band()[0]
    how = f"a fixed bid of {number(alternative.amount)}"
    if alternative.kind == "shifted":
        sign = "plus" if alternative.amount >= 0 else "minus"
        how = f"its mean cost so far {sign} {number(abs(alternative.amount))}"
    median = number(float(np.median(view.actual.served)))
    queries = f"{median} query" if median == "1" else f"{median} queries"
    runs = counted(view.runs, "run")
    if view.runs < view.market_runs:
        runs = f"the first {view.runs} of the market's {counted(view.market_runs, 'run')}"
    of = f"medians over {runs}; the band of what it earns goes from {number(low)} to {number(high)}"
    if view.runs == 1:
        of = "in the first run alone" if view.market_runs > 1 else "in the only run"
        of += ": one run, no band"
    earns = f"As it bids now, it serves {queries} of a run and earns {number(now)} money ({of})."
    best_of = f"Of {len(view.alternatives)} other ways to bid, the best is {how}."
    if found > now:
        return [
            earns,
            f"{best_of} It earns {number(found)}, {number(found - now)} more.",
            f"This gain does not contradict Theorem 2. {_WORST_CASES}",
            _GIVEN_CASE,
        ]
    less = "the same" if found == now else f"{number(now - found)} less"
    return [
        earns,
        f"{best_of} It earns {less}: none of them pays.",
        f"In another market one of them may pay: Theorem 2 does not rule that out. {_WORST_CASES}",
        _GIVEN_CASE,
    ]


#: What thm:robust-dominant compares, and why a gain over whole runs is no counterexample.
_WORST_CASES = (
    "The theorem is about worst cases. A provider knows neither the horizon nor the scores and costs of the others; "
    "the next query may be the last one. For one query, no bid is better than the provider's own estimate of its cost. "
    "So no way to bid has a better worst case than to bid that estimate."
)
_GIVEN_CASE = (
    "This page shows one given case, not the worst one. Over many queries, a bid also changes who serves later and "
    "what the platform learns about each provider. That can pay."
)
