"""The documents of markets whose answers were recorded or evaluated: where the scores and costs came from."""

from __future__ import annotations

from typing import Annotated, TypedDict

from bounds.documents import FromOne, NonNegative, Positive, Probability, limits
from mechanism.answers.choices import Draws, PublicFormat
from mechanism.answers.omissions import Omission


class DescribedModel(TypedDict):
    """A model whose recorded generations are served.

    Parameters
    ----------
    name : str
        Name of the model and how many candidates it generates.
    model : str
        Name of the model whose generations are served.
    listed_price : float
        Price of an output token, money.
    multiplicity : int
        Candidates generated for a query (best-of-n).
    quality : float
        Mean score in the recordings.
    mean_cost : float
        Mean cost of a query in the recordings, money.
    largest_cost : float
        Largest cost of a query in the recordings, money.
    """

    name: str
    model: str
    listed_price: Positive
    multiplicity: FromOne
    quality: Probability
    mean_cost: NonNegative
    largest_cost: NonNegative


class DescribedRecordings(TypedDict):
    """The recorded generations that were served.

    Parameters
    ----------
    benchmark : str
        Name of the benchmark.
    questions : int
        Questions that are asked.
    generations_per_question : int
        Recorded generations of each model for each question.
    dropped : list of str
        Questions left out because a model lacks them.
    margin : float
        A listed price is 1 plus this times the cost.
    providers : list of DescribedModel
        What each provider serves, in the order of the setting.
    """

    benchmark: str
    questions: FromOne
    generations_per_question: FromOne
    dropped: list[str]
    margin: NonNegative
    providers: Annotated[list[DescribedModel], limits(minItems=2)]


class DescribedAnswers(TypedDict):
    """A model whose evaluated answers are served.

    Parameters
    ----------
    name : str
        Name of the model whose answers are served.
    quality : float
        Mean score of its answers.
    mean_cost : float
        Mean cost of its answers, 1e-6 USD.
    largest_cost : float
        Largest cost of an answer, 1e-6 USD.
    """

    name: str
    quality: Probability
    mean_cost: NonNegative
    largest_cost: NonNegative


class DescribedEvaluation(TypedDict):
    """The public evaluation whose answers were served, one of each model to each question.

    Parameters
    ----------
    evaluation : str
        Name of its file or folder.
    format : {"table", "routerbench", "llmrouterbench", "routerarena", "sprout", "lm-eval", "inspect", "helm"}
        Whose format it has.
    questions : int
        Questions that every model answered.
    draws : {"passes", "independent"}
        Whether queries pass over the questions, or each provider draws one with replacement.
    margin : float
        What an answer cost is 1 plus this times its cost.
    left_out : list of Omission
        What was left out of the files, and why.
    accepted : list of str
        What looks made up, and was accepted.
    noticed : list of str
        What else changes the numbers: failures, repeated answers, prices that no model has.
    providers : list of DescribedAnswers
        What each provider serves, in the order of the setting.
    """

    evaluation: str
    format: PublicFormat
    questions: FromOne
    draws: Draws
    margin: NonNegative
    left_out: list[Omission]
    accepted: list[str]
    noticed: list[str]
    providers: Annotated[list[DescribedAnswers], limits(minItems=2)]
