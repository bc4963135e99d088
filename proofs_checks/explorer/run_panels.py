"""One run over time, as parts of the page: beliefs and payoffs."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from bounds.errors import printable
from proofs_checks.explorer.comparison_panels import picture
from proofs_checks.explorer.comparison_words import band_caption, payoff_sentences
from proofs_checks.explorer.controls import PageState
from proofs_checks.explorer.page import select
from proofs_checks.explorer.registry import POLICIES
from proofs_checks.explorer.roster_view import RosterView
from proofs_checks.explorer.run_pictures import (
    band_picture,
    optimistic_picture,
    payoff_picture,
    payoffs_of_picture,
    shares_picture,
    slack_picture,
)
from proofs_checks.explorer.run_view import Beliefs, Payoffs


def _of_policy(state: PageState) -> Component:
    """Return the choice of whose run is shown, among the policies of the market."""
    options = {name: name for name in state.market.policies}
    return html.Div(
        [html.Label("Policy", htmlFor="policy"), select("policy", options, state.policy)], className="row narrow"
    )


def beliefs_page(view: Beliefs, roster: RosterView, state: PageState, theme: str) -> list[Component]:
    """Return what a run had shown over time: who served, estimates of quality, and bids beside mean costs."""
    name = f"{printable(state.market.shown_name, 60)}, run {state.focus.run} under {state.policy}"
    return [
        html.Div(
            [
                _of_policy(state),
                html.P(
                    "★ is the optimal provider, its line is thick; ✓ is qualified, ✗ below the threshold.",
                    className="meaning",
                ),
                picture(
                    shares_picture(view, roster.rows, theme),
                    "shares",
                    f"Share of each provider over time: {name}",
                    "Of all queries so far. Which providers does the policy come back to?",
                ),
            ],
            className="card",
        ),
        html.Div(
            [
                html.Div(
                    picture(
                        optimistic_picture(view, roster.rows, theme),
                        "optimistic",
                        f"Optimistic quality estimates: {name}",
                        "A provider is eligible while its line is at or above the dotted threshold. Early "
                        "estimates above 1 say nothing.",
                    ),
                    className="card",
                ),
                html.Div(
                    picture(
                        slack_picture(view, roster.rows, theme),
                        "slack",
                        f"Belief slack of the bids: {name}",
                        "How far a standing bid is from the mean of the provider's costs so far. The platform allows "
                        "for what the dotted lines say. Truthful bidders are at 0.",
                    ),
                    className="card",
                ),
            ],
            className="pair",
        ),
    ]


def payoffs_page(view: Payoffs, roster: RosterView, state: PageState, theme: str) -> list[Component]:
    """Return what a run paid beside what it cost: step by step, over time, and by provider."""
    name = f"{printable(state.market.shown_name, 60)}, run {state.focus.run} under {state.policy}"
    auctions = POLICIES[state.policy].auctions
    told = payoff_sentences(view, state.policy, state.focus.run, auctions=auctions)
    return [
        html.Div(
            [
                _of_policy(state),
                *(html.P(sentence) for sentence in told),
                picture(
                    band_picture(view, theme, promised=state.market.covered),
                    "payment-band",
                    f"{'Payments in their band' if state.market.covered else 'Payments of auctions'}: {name}",
                    band_caption(view, state.policy, promised=state.market.covered),
                ),
            ],
            className="card",
        ),
        html.Div(
            [
                html.Div(
                    picture(
                        payoff_picture(view, theme),
                        "payoff",
                        f"Earned by all providers so far: {name}",
                        "Gains: queries that paid at least what they cost. Losses: the others. Net: both together.",
                    ),
                    className="card",
                ),
                html.Div(
                    picture(
                        payoffs_of_picture(view, roster.rows, theme),
                        "payoffs-of",
                        f"Earned by each provider: {name}",
                        "The same over the whole run; who earned most stands first.",
                    ),
                    className="card",
                ),
            ],
            className="pair",
        ),
    ]
