"""As many answers of every model to every question, and what follows from them exactly: qualities, tokens, costs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError, did_you_mean
from mechanism.answers.choices import GENERATIONS
from mechanism.answers.omissions import Omission
from mechanism.answers.prices import TokenPrice
from mechanism.answers.rows import MOST_TOKENS
from mechanism.arguments import not_negative, whole_number
from mechanism.market.questions import LARGEST_POOL

#: Of a USD: the paper's money.
MICRODOLLARS = 10**6


@dataclass(frozen=True)
class Misalignment:
    """Why a question of recorded generations cannot be used for a model.

    Examples
    --------
    >>> str(Misalignment("gpqa-7", "Qwen2-7B", "has 127 generations, not 128", "q.jsonl:8"))
    "question 'gpqa-7': Qwen2-7B has 127 generations, not 128 (q.jsonl:8)"
    """

    question: str
    model: str
    reason: str
    place: str = ""

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"question {self.question!r}: {self.model} {self.reason}{place}"


@dataclass(frozen=True, kw_only=True, eq=False)
class CompleteAnswers:
    """S answers of each of M models to each of K questions.

    Parameters
    ----------
    name : str
        Of the benchmark, the file or the folder.
    models, questions : tuple of str
        Models are named once; at most 2^20 questions.
    score : array_like, shape (M, K, S)
        In [0, 1].
    tokens_out, tokens_in, tokens_cached : array_like of int, shape (M, K, S), optional
        In [0, 2^31), or -1 where none are recorded. Those of the input that were read from a cache are not among
        `tokens_in`.
    cost : array_like, shape (M, K, S), optional
        What an answer cost as recorded, USD; not read of a model with a price.
    reward : array_like, shape (M, K, S), optional
        Finite scores of a reward model; best-of-n needs them.
    format : str, optional
        See `mechanism.answers.formats.FORMATS`.
    prices : tuple of TokenPrice or None, optional
        By model: what its tokens cost, in place of the recorded cost. Of recorded generations the output price is a
        listed price.
    left_out : tuple of Omission, optional
    accepted : tuple of str, optional
        What looks made up, and was accepted.
    noticed : tuple of str, optional
        What else changes the numbers: failures, repeated answers, prices that no model has.
    misaligned : tuple of Misalignment, optional
        Of recorded generations: why questions are left out.
    unrewarded : tuple of Misalignment, optional
        Of recorded generations: which questions lack rewards; best-of-n is then not defined.
    invalid_rows : tuple of str, optional
        The errors of rows that were left out because the caller asked for that.

    Raises
    ------
    InputError
        If one of these rules is broken.

    Examples
    --------
    >>> arrays = {"score": [[[1, 1, 0]]], "tokens_out": [[[10, 20, 30]]], "reward": [[[0.1, 0.9, 0.9]]]}
    >>> answers = CompleteAnswers(name="toy", models=("m",), questions=("q",), **arrays)
    >>> [str(answers.quality("m", n)) for n in (1, 2, 3)], answers.mean_tokens("m", 2)
    (['2/3', '1/2', '1/2'], Fraction(40, 1))
    """

    name: str
    models: tuple[str, ...]
    questions: tuple[str, ...]
    score: NDArray[np.float64]
    tokens_out: NDArray[np.int64] | None = None
    tokens_in: NDArray[np.int64] | None = None
    tokens_cached: NDArray[np.int64] | None = None
    cost: NDArray[np.float64] | None = None
    reward: NDArray[np.float64] | None = None
    format: str = GENERATIONS
    prices: tuple[TokenPrice | None, ...] = ()
    left_out: tuple[Omission, ...] = ()
    accepted: tuple[str, ...] = ()
    noticed: tuple[str, ...] = ()
    misaligned: tuple[Misalignment, ...] = ()
    unrewarded: tuple[Misalignment, ...] = ()
    invalid_rows: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for argument in ("models", "questions"):
            names = tuple(getattr(self, argument))
            if not names or not all(isinstance(name, str) and name for name in names):
                raise InputError(argument, names, "must be one or more non-empty strings", "they name rows of arrays")
            object.__setattr__(self, argument, names)
        if len(set(self.models)) < len(self.models):
            twice = next(name for position, name in enumerate(self.models) if name in self.models[:position])
            raise InputError("models", twice, "is given twice", "every name must be given once")
        if len(self.questions) > LARGEST_POOL:
            raise InputError("questions", len(self.questions), f"must be at most {LARGEST_POOL}", "leave some out")
        object.__setattr__(self, "prices", self.prices or (None,) * len(self.models))
        whole = (-1, MOST_TOKENS, np.int64)
        limits: dict[str, tuple[float, float, Any]] = {
            "score": (0, 1, np.float64),
            "tokens_out": (0, MOST_TOKENS, np.int64) if self.format == GENERATIONS else whole,
            "tokens_in": whole,
            "tokens_cached": whole,
            "reward": (-math.inf, math.inf, np.float64),
        }
        for argument, limit in limits.items():
            if (values := getattr(self, argument)) is not None:
                object.__setattr__(self, argument, self._checked(argument, values, *limit))

    def _checked(self, argument: str, values: ArrayLike, least: float, most: float, kind: Any) -> NDArray[Any]:
        """Return a read-only copy of an array whose values lie within limits."""
        array = np.asarray(values)
        shape = len(self.models), len(self.questions)
        if array.dtype.kind not in "biuf" or array.shape[:-1] != shape or not array.size:
            rule = f"must be numbers of shape ({shape[0]}, {shape[1]}, S)"
            raise InputError(argument, f"{array.dtype} of shape {array.shape}", rule, "models, questions, answers")
        if argument != "score" and array.shape != self.score.shape:
            raise InputError(argument, array.shape, f"must have shape {self.score.shape}", "it is that of score")
        bad = ~np.isfinite(array) | (array < least) | (array > most)
        if kind is np.int64:
            bad |= array != np.floor(array)
        if bad.any():
            where = tuple(int(i) for i in np.argwhere(bad)[0])
            number = "a whole number" if kind is np.int64 else "a finite number"
            rule = f"must be {number}" + (f" in {least}..{most}" if math.isfinite(most) else "")
            place = f"{argument}[{', '.join(map(str, where))}]"
            raise InputError(place, array[where].item(), rule, "check the recorded data")
        copy: NDArray[Any] = array.astype(kind, order="C", copy=True)
        copy.flags.writeable = False
        return copy

    @property
    def samples(self) -> int:
        """S, the recorded answers of each model to each question."""
        return int(self.score.shape[2])

    @property
    def _of_each(self) -> int:
        """How many answers there are of each model."""
        return len(self.questions) * self.samples

    @property
    def at_listed_prices(self) -> bool:
        """Whether a query costs its output tokens times a listed price, as of recorded generations."""
        return self.format == GENERATIONS

    @property
    def dropped(self) -> tuple[str, ...]:
        """Questions of recorded generations that some model lacks, each once."""
        return tuple(dict.fromkeys(found.question for found in self.misaligned))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was left out, what looks made up and was accepted, and what else changes the numbers, a line each."""
        left_out = (f"left out: {each}" for each in self.left_out)
        return (*left_out, *(f"accepted: {each}" for each in self.accepted), *self.noticed)

    def model_index(self, model: str) -> int:
        """Return the index of a model, or an InputError that suggests one."""
        if model in self.models:
            return self.models.index(model)
        remedy = did_you_mean(model, self.models, f"the models are {', '.join(self.models[:12])}", quote=True)
        raise InputError("model", model, f"has no answers in {self.name}", remedy)

    def quality(self, model: str, n: int = 1) -> Fraction:
        """Return the exact mean score of what best-of-n returns.

        The question is uniform, the n candidates are drawn without replacement from its S recorded ones, and the
        one of highest reward is returned, a uniform one of these where several tie
        (app:experimental-details, empirical quality).

        Parameters
        ----------
        model : str
        n : int
            In 1..S; 1 needs no rewards.

        Returns
        -------
        fractions.Fraction
            In [0, 1]; ``float()`` rounds it correctly.

        Raises
        ------
        InputError
            An unknown model, n out of range, or rewards that are needed and were not loaded.
        """
        index, n = self.model_index(model), self.candidates(n)
        if n == 1:
            return exact_sum(self.score[index]) / self._of_each
        return self._best_of(n, self.rewards()[index], self.score[index]) / len(self.questions)

    def question_qualities(self, model: str, n: int = 1) -> NDArray[np.float64]:
        """Return the mean score of what best-of-n returns for each question, shape (K,); see `quality`."""
        index, n = self.model_index(model), self.candidates(n)
        if n == 1:
            return np.asarray(self.score[index].mean(axis=1))
        rows = zip(self.rewards()[index], self.score[index], strict=True)
        return np.array([float(self._best_of(n, reward[None], score[None])) for reward, score in rows])

    def _best_of(self, n: int, reward: NDArray[np.float64], score: NDArray[np.float64]) -> Fraction:
        """Return the mean score of the best of n, summed over the questions of the rows."""
        # A tie group takes the places s..e-1 in the order of rewards: the best of n lies in it with probability
        # (C(e, n) - C(s, n)) / C(S, n), and is then a uniform member.
        groups = _scores_by_tie_group(reward, score)
        total = sum(scores * (math.comb(end, n) - math.comb(start, n)) / (end - start) for start, end, scores in groups)
        return Fraction(total) / math.comb(self.samples, n)

    def mean_tokens(self, model: str, n: int = 1) -> Fraction:
        """Return the exact mean of the output tokens of a query, all n candidates together."""
        return Fraction(self.candidates(n) * int(self.output_tokens(model).sum()), self._of_each)

    def output_tokens(self, model: str) -> NDArray[np.int64]:
        """Return the output tokens of a model's answers, shape (K, S)."""
        if self.tokens_out is None:
            raise InputError("tokens_out", None, "must be given", "a query costs tokens times a listed price")
        return np.asarray(self.tokens_out[self.model_index(model)])

    def mean_price(self, model: str) -> Fraction:
        """Return the exact mean of what an answer costs whoever asks, in 1e-6 USD, as recorded or at its price."""
        totals: Counter[int] = Counter()
        for numerator, denominator in self._price_ratios(model):
            totals[denominator] += numerator
        return sum((Fraction(n, d) for d, n in totals.items()), Fraction(0)) / self._of_each

    def prices_of(self, model: str, factor: Fraction = Fraction(1)) -> NDArray[np.float64]:
        """Return what every answer of a model costs, in 1e-6 USD, times a factor: correctly rounded, shape (K, S)."""
        # True division of integers is correctly rounded.
        a, b = factor.numerator, factor.denominator
        found = [n * a / (d * b) for n, d in self._price_ratios(model)]
        return np.array(found).reshape(len(self.questions), self.samples)

    def _price_ratios(self, model: str) -> Iterator[tuple[int, int]]:
        """Yield what every answer of a model costs, in 1e-6 USD, as numerator and denominator."""
        index = self.model_index(model)
        if (price := self.prices[index]) is not None:
            rates = tuple(map(Fraction, (price.input, price.of_cached, price.output)))
            request = Fraction(price.request) * MICRODOLLARS
            common = math.lcm(*(each.denominator for each in (*rates, request)))
            a, b, c, fixed = (int(each * common) for each in (*rates, request))
            none = np.zeros(self._of_each, np.int64)
            tokens = (self.tokens_in, self.tokens_cached, self.tokens_out)
            given = (none if each is None else each[index].clip(0).ravel() for each in tokens)
            rows = zip(*(each.tolist() for each in given), strict=True)
            yield from ((a * i + b * h + c * o + fixed, common) for i, h, o in rows)
        elif self.cost is not None:
            ratios = map(float.as_integer_ratio, self.cost[index].ravel().tolist())
            yield from ((n * MICRODOLLARS, d) for n, d in ratios)
        else:
            raise InputError("cost", None, "must be given", f"{model} has no price either")

    def candidates(self, n: int) -> int:
        """Return n if that many distinct answers to a question can be drawn, else an InputError."""
        meaning = "candidates are drawn without replacement from the recorded answers to a question"
        return whole_number("n", n, meaning, least=1, most=self.samples)

    def rewards(self) -> NDArray[np.float64]:
        """Return the rewards, or an InputError that says which are missing."""
        if self.reward is None:
            missing = [*map(str, self.unrewarded[:1]), "none are given"][0]
            remedy = "load them with require_rewards=True, which drops such questions from all models"
            raise InputError("reward", missing, "leaves best-of-n undefined", remedy)
        return self.reward


def token_cost(listed_price: float, margin: float = 0.25) -> Fraction:
    """Return the cost of one output token, eq:experimental-generation-cost: price / (1 + margin), exactly.

    Parameters
    ----------
    listed_price : float
        Price > 0 of one token; in USD per 10^6 tokens, costs are in 1e-6 USD.
    margin : float, optional
        mu >= 0.

    Raises
    ------
    InputError
        If an argument is not a finite number in its range.

    Examples
    --------
    >>> token_cost(0.5, 0.25)
    Fraction(2, 5)
    """
    price = not_negative("listed_price", listed_price, "a recorded query costs tokens times a listed price")
    if not price:
        raise InputError("listed_price", listed_price, "must be positive", "it is the price of one output token")
    return Fraction(price) / (1 + Fraction(not_negative("margin", margin, "0.25 sells at 1.25 times cost")))


def exact_sum(values: NDArray[np.float64]) -> Fraction:
    """Return the exact sum of finite doubles.

    Examples
    --------
    >>> exact_sum(np.array([0.1, 0.2, -0.1])) == Fraction(0.2), sum([0.1, 0.2, -0.1]) == 0.2
    (True, False)
    """
    mantissas, exponents = np.frexp(values)
    whole = (mantissas * 2.0**53).astype(np.int64)
    totals: Counter[int] = Counter()
    for exponent in np.unique(exponents).tolist():
        totals[exponent] = sum(whole[exponents == exponent].tolist())
    return sum((total * Fraction(2) ** (exponent - 53) for exponent, total in totals.items()), Fraction(0))


def _scores_by_tie_group(reward: NDArray[np.float64], score: NDArray[np.float64]) -> list[tuple[int, int, Fraction]]:
    """Return the sum of the scores in tie groups at sorted places start..end-1, all questions together."""
    order = np.argsort(reward, axis=1)
    values = np.take_along_axis(reward, order, axis=1)
    samples = values.shape[1]
    place = np.broadcast_to(np.arange(samples), values.shape)
    edge = np.ones((len(values), 1), dtype=bool)
    new = values[:, 1:] != values[:, :-1]
    start = np.maximum.accumulate(np.where(np.hstack((edge, new)), place, 0), axis=1)
    last = np.where(np.hstack((new, edge)), place + 1, samples)
    end = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    codes, group = np.unique((start * (samples + 1) + end).ravel(), return_inverse=True)
    scores = np.take_along_axis(score, order, axis=1).ravel()[np.argsort(group.ravel(), kind="stable")]
    parts = np.split(scores, np.cumsum(np.bincount(group.ravel()))[:-1])
    return [(*divmod(code, samples + 1), exact_sum(part)) for code, part in zip(codes.tolist(), parts, strict=True)]
