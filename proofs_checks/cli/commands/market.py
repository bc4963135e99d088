"""`costproof market`: the setting of an evaluation and a list of prices."""

from __future__ import annotations

import argparse

from proofs_checks.cli.arguments import Options, real_number, whole_number
from proofs_checks.cli.notes import note
from proofs_checks.cli.output import tell, write
from proofs_checks.cli.recordings import PATH_OF_ANSWERS, add_reading, answers_read

DESCRIPTION = (
    "Make a setting of recorded answers and the prices of tokens, and print it as TOML, with what it assumes as "
    "comments. Every model becomes a provider: its mean score is the quality, and what its answers cost is what a "
    "query costs. Money is in 1e-6 USD per query."
)
EXAMPLE = "costproof market --answers answers.csv --prices prices.csv --threshold 0.65 > my-market.toml"


def add_options(add: Options) -> None:
    """Add what the command takes."""
    add("--answers PATH", PATH_OF_ANSWERS, required=True)
    add_reading(add)
    which = "a model that becomes a provider; repeat for others (default: costproof docs public-evaluations)"
    add.several("--model NAME", which, "models", default=None)
    share = real_number(lambda value: 0 <= value <= 1, "must lie in 0..1")
    meaning = "q_min, the mean score that is good enough (default: the better half of the models qualifies)"
    add("--threshold Q", meaning, type=share, dest="quality_threshold")
    add("--qualified K", "how many models qualify, instead of q_min", type=whole_number(1))
    positive = real_number(lambda value: 0 < value < float("inf"), "must be positive")
    longest = "of recorded generations that of as many tokens as --token-cap"
    add("--cost-bound C", f"c_max in 1e-6 USD (default: the price of the dearest answer, {longest})", type=positive)
    cap = "the most output tokens of an answer; of a public evaluation c_max is then the price of the longest answers"
    add("--token-cap L", f"{cap} (default: 512, the paper's, or as many as the longest has)", type=whole_number(1))
    margin = "by which a price exceeds the cost: a token costs its price / (1 + MU) (default 0.25, the paper's)"
    add("--margin MU", margin, type=real_number(lambda value: 0 <= value < float("inf"), "must not be negative"))
    inside = real_number(lambda value: 0 < value < 1, "must lie between 0 and 1, without both")
    add("--confidence DELTA", "the probability with which the guarantees may fail (default 0.05)", type=inside)
    scale = "k and alpha of the exploration target k (t/N)^alpha"
    add("--exploration-scale K", f"{scale} (default 2, the paper's)", type=positive)
    add("--exploration-exponent ALPHA", "see --exploration-scale (default 0.75, the paper's)", type=inside)


#: What the setting is made with, by the name of its option and in Python.
_MAKING = (
    *("quality_threshold", "qualified", "cost_bound", "token_cap", "margin"),
    *("confidence", "exploration_scale", "exploration_exponent"),
)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    from mechanism.answers.evaluated import evaluated_market
    from proofs_checks.cli.views.market import market_toml

    answers = answers_read(arguments, arguments.models, rewards=False)
    market = evaluated_market(answers, **{name: getattr(arguments, name) for name in _MAKING})
    for told in (market.summary, *answers.remarks, *market.warnings):
        note(told)
    tell(arguments, market.to_data, lambda: write(market_toml(market, answers.remarks)))
    return 0
