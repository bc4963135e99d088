"""Recorded generations of one benchmark, and what follows from them exactly: qualities, tokens, costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bounds.errors import InputError, did_you_mean
from mechanism.arguments import whole_number
from mechanism.market.questions import LARGEST_POOL
from mechanism.recorded.alignment import AlignmentReport

__all__ = ["Generations", "token_cost"]

MOST_TOKENS = 2**31 - 1


@dataclass(frozen=True, eq=False, kw_only=True)
class Generations:
    """The recorded generations of some models on one benchmark.

    Parameters
    ----------
    benchmark : str
    models, questions : tuple of str
        Names of the M >= 1 models and of the K >= 1 questions, each once; at most 2^20 questions.
    correct : array_like, shape (M, K, S)
        1 where a generation is correct, else 0. S >= 1 generations per model and question.
    tokens : array_like of int, shape (M, K, S)
        Output tokens, in [0, 2^31).
    reward : array_like of float, shape (M, K, S), optional
        Finite scores of a reward model; best-of-n needs them.
    alignment : AlignmentReport, optional
        What the loader left out.

    Raises
    ------
    InputError
        If one of these rules is broken.

    Notes
    -----
    The arrays are read-only copies: uint8, int32 and float64.

    Examples
    --------
    >>> arrays = {"correct": [[[1, 1, 0]]], "tokens": [[[10, 20, 30]]], "reward": [[[0.1, 0.9, 0.9]]]}
    >>> generations = Generations(benchmark="toy", models=("m",), questions=("q",), **arrays)
    >>> [str(generations.best_of_n_quality("m", n)) for n in (1, 2, 3)], generations.mean_tokens("m", 2)
    (['2/3', '1/2', '1/2'], Fraction(40, 1))
    """

    benchmark: str
    models: tuple[str, ...]
    questions: tuple[str, ...]
    correct: NDArray[np.uint8]
    tokens: NDArray[np.int32]
    reward: NDArray[np.float64] | None = None
    alignment: AlignmentReport = field(default_factory=AlignmentReport)

    def __post_init__(self) -> None:
        shape = tuple(len(_set_names(self, name)) for name in ("models", "questions"))
        if shape[1] > LARGEST_POOL:
            raise InputError("questions", shape[1], f"must be at most {LARGEST_POOL}", "leave some out")
        correct = _checked("correct", self.correct, shape, np.uint8, (0, 1))
        tokens = _checked("tokens", self.tokens, shape, np.int32, (0, MOST_TOKENS))
        reward = None
        if self.reward is not None:
            reward = _checked("reward", self.reward, shape, np.float64, (-math.inf, math.inf))
        for name, array in (("correct", correct), ("tokens", tokens), ("reward", reward)):
            if array is not None and array.shape != correct.shape:
                raise InputError(name, array.shape, f"must have shape {correct.shape}", "it is that of correct")
            object.__setattr__(self, name, array)

    @property
    def samples(self) -> int:
        """S, the recorded generations per model and question."""
        return int(self.correct.shape[2])

    def model_index(self, model: str) -> int:
        """Return the index of a model, or an InputError that suggests one."""
        if model in self.models:
            return self.models.index(model)
        remedy = did_you_mean(model, self.models, f"the recorded models are {', '.join(self.models[:12])}", quote=True)
        raise InputError("model", model, f"has no recorded generations of {self.benchmark}", remedy)

    def best_of_n_quality(self, model: str, n: int = 1) -> Fraction:
        """Return the exact probability that a query served by best-of-n is answered correctly.

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
        correct, questions = self.correct[index], len(self.questions)
        if n == 1:
            return Fraction(int(correct.sum()), correct.size)
        reward = self.rewards()[index]
        # A tie group takes the places s..e-1 in the order of rewards: the best of n lies in it with probability
        # (C(e, n) - C(s, n)) / C(S, n), and is then a uniform member.
        total = sum(
            Fraction(count * (math.comb(end, n) - math.comb(start, n)), end - start)
            for start, end, count in _correct_by_tie_group(reward, correct)
        )
        return Fraction(total) / (math.comb(self.samples, n) * questions)

    def mean_tokens(self, model: str, n: int = 1) -> Fraction:
        """Return the exact mean of the output tokens of a query, all n candidates together."""
        index, n = self.model_index(model), self.candidates(n)
        tokens = self.tokens[index]
        return Fraction(n * int(tokens.sum(dtype=np.int64)), tokens.size)

    def most_tokens(self, model: str, n: int = 1) -> int:
        """Return the largest number of output tokens that n distinct generations of one question have."""
        index, n = self.model_index(model), self.candidates(n)
        largest = np.sort(self.tokens[index], axis=1)[:, -n:]
        return int(largest.sum(axis=1, dtype=np.int64).max())

    def mean_cost(self, model: str, n: int, listed_price: float, margin: float = 0.25) -> Fraction:
        """Return the exact mean cost of a query (see `token_cost`), money per query."""
        return self.mean_tokens(model, n) * token_cost(listed_price, margin)

    def candidates(self, n: int) -> int:
        """Return n if that many distinct generations can be drawn, else an InputError."""
        meaning = "candidates are drawn without replacement from the recorded generations"
        return whole_number("n", n, meaning, least=1, most=self.samples)

    def rewards(self) -> NDArray[np.float64]:
        """Return the rewards, or an InputError that says which are missing."""
        if self.reward is None:
            missing = [str(found) for found in self.alignment.reward_misalignments[:1]] or ["none are given"]
            remedy = "load them with require_rewards=True, which drops such questions from all models"
            raise InputError("reward", missing[0], "leaves best-of-n undefined", remedy)
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
        If an argument is no finite number in its range.

    Examples
    --------
    >>> token_cost(0.5, 0.25)
    Fraction(2, 5)
    """
    _finite("listed_price", listed_price, 0, "a recorded query costs tokens times a listed price")
    if not listed_price:
        raise InputError("listed_price", listed_price, "must be positive", "it is the price of one output token")
    _finite("margin", margin, 0, "0.25 sells at 1.25 times cost")
    return Fraction(listed_price) / (1 + Fraction(margin))


def _finite(name: str, value: object, least: float, remedy: str) -> None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < least:  # type: ignore[arg-type, operator]
        raise InputError(name, value, f"must be a finite number from {least}", remedy)


def _set_names(generations: Generations, argument: str) -> tuple[str, ...]:
    names = tuple(getattr(generations, argument))
    if not names or not all(isinstance(name, str) and name for name in names):
        raise InputError(argument, names, "must be one or more non-empty strings", "they name rows of the arrays")
    if len(set(names)) < len(names):
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise InputError(argument, twice, "is given twice", "every name must be given once")
    object.__setattr__(generations, argument, names)
    return names


def _checked(
    name: str, values: ArrayLike, shape: tuple[int, ...], kind: type[np.generic], limits: tuple[float, float]
) -> NDArray[Any]:
    """Return a read-only copy of an array of shape (models, questions, S) whose values lie within limits."""
    array = np.asarray(values)
    if array.dtype.kind not in "biuf" or array.shape[:-1] != shape or not array.size:
        rule = f"must be numbers of shape ({shape[0]}, {shape[1]}, S)"
        raise InputError(name, f"{array.dtype} of shape {array.shape}", rule, "models, questions, generations")
    bad = ~np.isfinite(array) | (array < limits[0]) | (array > limits[1])
    if kind is not np.float64:
        bad |= array != np.floor(array)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        rule = "must be finite" if kind is np.float64 else f"must be a whole number in {limits[0]}..{limits[1]}"
        raise InputError(f"{name}[{', '.join(map(str, where))}]", array[where].item(), rule, "check the recorded data")
    copy = array.astype(kind, order="C", copy=True)
    copy.flags.writeable = False
    return copy


def _correct_by_tie_group(reward: NDArray[np.float64], correct: NDArray[np.uint8]) -> list[tuple[int, int, int]]:
    """Return how many correct generations lie in tie groups at sorted places start..end-1, all questions together."""
    order = np.argsort(reward, axis=1)
    values = np.take_along_axis(reward, order, axis=1)
    samples = values.shape[1]
    place = np.broadcast_to(np.arange(samples), values.shape)
    edge = np.ones((len(values), 1), dtype=bool)
    new = values[:, 1:] != values[:, :-1]
    start = np.maximum.accumulate(np.where(np.hstack((edge, new)), place, 0), axis=1)
    last = np.where(np.hstack((new, edge)), place + 1, samples)
    end = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    right = np.take_along_axis(correct, order, axis=1) == 1
    codes, counts = np.unique((start * (samples + 1) + end)[right], return_counts=True)
    return [(*divmod(code, samples + 1), count) for code, count in zip(codes.tolist(), counts.tolist(), strict=True)]
