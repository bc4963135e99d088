"""What can be chosen of recorded answers, by name; nothing else is loaded to say it."""

from typing import Literal, get_args

#: The format of recorded generations: their costs are tokens times the listed price of who serves them.
GENERATIONS = "generations"
#: The formats of public evaluations (costproof docs public-evaluations).
PublicFormat = Literal["table", "routerbench", "llmrouterbench", "routerarena", "sprout", "lm-eval", "inspect", "helm"]
FORMAT_NAMES = (GENERATIONS, *get_args(PublicFormat))

Draws = Literal["passes", "independent"]
"""How a step meets its answers.

`passes`: over the questions in a fresh order each, one question per step for all providers. `independent`: a uniform
question, drawn with replacement by every provider at every step for itself, so that its scores and costs are
independent draws of its empirical law.
"""

Repeats = Literal["first", "last", "each", "mean"]
"""Which answers of a model to one question count.

The first, the last, each as one to a question of its own, or one with their mean score and mean cost.
"""

Failed = Literal["drop", "zero"]
"""What an answer counts that failed or has no score: it is left out, or it counts as 0 where no score is recorded."""

PriceUnit = Literal["1M", "1k", "1"]
"""How many tokens a price in a table is for."""

#: What looks made up, by the name with which it can be accepted.
SUSPICIONS = {
    "constant-tokens": "the counts of tokens of different questions differ",
    "constant-costs": "the costs of different questions differ",
    "zero-prices": "answers cost something, and where all are free nothing is left to auction",
    "price-units": "prices are in USD per 10^6 tokens, and costs in USD",
}
