"""The documents of markets whose answers were recorded or evaluated: where the scores and costs came from."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from bounds.documents import NonNegative, Positive, Probability, limits

_AtLeastOne = Annotated[int, limits(minimum=1)]


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
    multiplicity: _AtLeastOne
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
    questions: _AtLeastOne
    generations_per_question: _AtLeastOne
    dropped: list[str]
    margin: NonNegative
    providers: Annotated[list[DescribedModel], limits(minItems=2)]


class DescribedAbsence(TypedDict):
    """A model because of which something was left out.

    Parameters
    ----------
    name : str
        Name of the model.
    count : int
        How many because of it.
    of : int
        Of how many answers or questions.
    """

    name: str
    count: _AtLeastOne
    of: _AtLeastOne


class DescribedOmission(TypedDict):
    """Answers, models, questions or files that were left out for one reason.

    Parameters
    ----------
    what : {"answers", "models", "questions", "files"}
        What was left out.
    count : int
        How many.
    reason : str
        Why, to be read after the number.
    first : str
        The first of them, or where it stands.
    models : list of DescribedAbsence
        Whose answers or questions these are; empty where a model is what was left out.
    """

    what: Literal["answers", "models", "questions", "files"]
    count: _AtLeastOne
    reason: str
    first: str
    models: list[DescribedAbsence]


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
    format : {"routerbench", "llmrouterbench", "routerarena", "sprout"}
        Whose format it has.
    questions : int
        Questions that every model answered.
    draws : {"passes", "independent"}
        Whether queries pass over the questions, or each provider draws one with replacement.
    margin : float
        What an answer cost is 1 plus this times its cost.
    left_out : list of DescribedOmission
        What was left out of the files, and why.
    accepted : list of str
        What looks made up, and was accepted.
    noticed : list of str
        What else changes the numbers: failures, repeated answers, prices that no model has.
    providers : list of DescribedAnswers
        What each provider serves, in the order of the setting.
    """

    evaluation: str
    format: Literal["routerbench", "llmrouterbench", "routerarena", "sprout"]
    questions: _AtLeastOne
    draws: Literal["passes", "independent"]
    margin: NonNegative
    left_out: list[DescribedOmission]
    accepted: list[str]
    noticed: list[str]
    providers: Annotated[list[DescribedAnswers], limits(minItems=2)]
