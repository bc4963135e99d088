"""A market whose outcomes are the answers of a public evaluation: the same whatever the policy does."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.evaluations.evaluation import Evaluation
from mechanism.market.keyed_run import KeyedRun
from mechanism.market.law_tables import LAW_FIELDS, LawField, LawTables
from mechanism.market.questions import QuestionPool
from mechanism.randomness import PROVIDER_BITS, counter, squares64, uniform_index
from mechanism.recorded.generations import token_cost

__all__ = ["Draws", "EvaluatedLaws", "EvaluatedMarket"]

Draws = Literal["passes", "independent"]
"""How a step meets its answers.

`passes`: over the questions in a fresh order each, one question per step for all providers. `independent`: a uniform
question, drawn with replacement by every provider at every step for itself, so that its scores and costs are
independent draws of its empirical law.
"""


@dataclass(frozen=True, eq=False)
class EvaluatedLaws:
    """Providers that serve the answers of a public evaluation, built once and used by every run.

    Parameters
    ----------
    evaluation : Evaluation
    models : tuple of str
        What each provider serves, in the order in which indices count them.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost: what an answer costs whoever asks is 1 + mu times its cost.
    draws : {"passes", "independent"}, optional

    Raises
    ------
    InputError
        A model without answers, a margin out of range, or draws of another name.

    Examples
    --------
    >>> import numpy as np
    >>> arrays = {"score": np.array([[1.0], [0.5]]), "dollars": np.array([[5e-6], [1e-6]])}
    >>> none = np.full((2, 1), -1)
    >>> evaluation = Evaluation(
    ...     name="toy", format="routerbench", models=("a", "b"), questions=("q",), prices=(None, None),
    ...     input_tokens=none, output_tokens=none, **arrays,
    ... )
    >>> EvaluatedLaws(evaluation, ("a", "b")).market(seed=0, run=0).outcome(step=1, provider=0)
    (1.0, 4.0)
    """

    evaluation: Evaluation
    models: tuple[str, ...]
    margin: float = 0.25
    draws: Draws = "passes"

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(self.models))
        if not 1 <= len(self.models) <= 1 << PROVIDER_BITS:
            rule = f"must be 1..{1 << PROVIDER_BITS} models"
            raise InputError("models", len(self.models), rule, "providers are counted so far")
        if self.draws not in get_args(Draws):
            raise InputError("draws", self.draws, f"must be {' or '.join(get_args(Draws))}", "see docs/evaluations.md")
        _ = self.indices, self.deflated  # an unknown model or a bad margin is refused here

    @cached_property
    def indices(self) -> tuple[int, ...]:
        """Index of every provider's model in the evaluation."""
        return tuple(map(self.evaluation.model_index, self.models))

    @cached_property
    def deflated(self) -> Fraction:
        """What costs 1 whoever asks costs so much: 1 / (1 + margin)."""
        return token_cost(1, self.margin)

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """Cost of every answer, correctly rounded, in 1e-6 USD, shape (models of the evaluation, questions)."""
        served = set(self.indices)
        rows = range(len(self.evaluation.models))
        nothing = np.zeros(len(self.evaluation.questions))
        return np.array([self.evaluation.prices_of(i, self.deflated) if i in served else nothing for i in rows])

    def quality(self, provider: int) -> Fraction:
        """Return q_i, exactly: the mean score."""
        return self.evaluation.mean_score(self.indices[provider])

    def mean_cost(self, provider: int) -> Fraction:
        """Return cbar_i in 1e-6 USD, exactly, before costs are rounded to floats."""
        return self.evaluation.mean_price(self.indices[provider]) * self.deflated

    def largest_cost(self, provider: int) -> float:
        """Return the largest cost of an answer of a provider, in 1e-6 USD."""
        return float(self.costs[self.indices[provider]].max())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the providers and of every answer, in hexadecimal."""
        stated = (self.evaluation.models, self.evaluation.questions, self.models, self.margin, self.draws)
        found = hashlib.sha256(repr((self.describe(), *stated)).encode())
        for array in (self.evaluation.score, self.costs):
            found.update(array.tobytes())
        return found.hexdigest()

    # By content: a worker that is sent the same laws again recognizes them, and does not build their tables anew.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, EvaluatedLaws) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("evaluation", "models", "margin", "draws")
        return {name: getattr(self, name) for name in kept} | {"digest": self.digest}

    def tables(self) -> LawTables:
        """Return what the compiled episode reads, laid out as recorded generations, one or K of each question.

        `points` holds the number of an answer's cost among those of its model, `totals` the costs.
        """
        return _tabulated(self)

    def market(self, seed: int, run: int) -> EvaluatedMarket:
        """Return the potential outcomes of a run."""
        return EvaluatedMarket(self, seed, run)

    def describe(self) -> dict[str, Any]:
        """Return plain data that state the market: the evaluation's extent, and one table per provider."""
        evaluation = self.evaluation
        tables = [
            {
                "name": model,
                "quality": float(self.quality(i)),
                "mean_cost": float(self.mean_cost(i)),
                "largest_cost": self.largest_cost(i),
            }
            for i, model in enumerate(self.models)
        ]
        return {
            "evaluation": evaluation.name,
            "format": evaluation.format,
            "questions": len(evaluation.questions),
            "draws": self.draws,
            "margin": self.margin,
            "left_out": [each.to_data() for each in evaluation.left_out],
            "accepted": list(evaluation.accepted),
            "noticed": list(evaluation.noticed),
            "providers": tables,
        }


@dataclass(frozen=True, eq=False)
class EvaluatedMarket(KeyedRun):
    """The potential outcomes of one run; satisfies `mechanism.episode.Outcomes`.

    Parameters
    ----------
    laws : EvaluatedLaws
    seed, run : int
        In [0, 2^128) and [0, 2^32).
    """

    laws: EvaluatedLaws
    seed: int
    run: int

    @cached_property
    def pool(self) -> QuestionPool:
        """The questions, by their index in the evaluation."""
        return QuestionPool(len(self.laws.evaluation.questions))

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return the score and the cost if the provider served the query of the step, in [1, 2^30].

        A pure function of (seed, run, step, provider); an InputError if an argument is out of its range.
        """
        first = counter(step, provider, 0)
        if provider >= len(self.laws.models):
            raise InputError("provider", provider, f"must be below {len(self.laws.models)}", "indices start at 0")
        if self.laws.draws == "passes":
            question = self.pool.question(self.key, step)
        else:
            question = uniform_index(squares64(self.key, first), self.pool.size)
        model = self.laws.indices[provider]
        return float(self.laws.evaluation.score[model, question]), float(self.laws.costs[model, question])

    def query_price(self, cost: float) -> float:
        """Return what a query of this cost is sold for: (1 + margin) cost."""
        return cost * (1 + self.laws.margin)


# Equal laws share their tables: a worker process builds them once, however often laws are sent to it.
@lru_cache(maxsize=8)
def _tabulated(laws: EvaluatedLaws) -> LawTables:
    n, count = len(laws.models), len(laws.evaluation.questions)
    different = [np.unique(costs, return_inverse=True) for costs in laws.costs]
    served = [different[model] for model in laws.indices]
    rows = np.zeros((n, LAW_FIELDS), dtype=np.int64)
    rows[:, LawField.SCORE_LAW] = np.array(laws.indices) * count
    rows[:, LawField.MULTIPLICITY] = 1
    rows[:, LawField.FIRST_TOTAL] = np.cumsum([0, *(len(costs) for costs, _ in served)])[:-1]
    rows[:, LawField.SAMPLES] = 1 if laws.draws == "passes" else count
    none = np.empty(0, dtype=np.int64)
    return LawTables(
        kinds=np.arange(n, dtype=np.int64),
        rows=rows.ravel(),
        first=none,
        sizes=none,
        guide_first=none,
        guide_shift=np.empty(0, dtype=np.uint64),
        cumulative=np.empty(0, dtype=np.uint64),
        points=np.concatenate([place.ravel() for _, place in different]).astype(np.int64),
        # A copy can be written to, as all other tables can: for others Numba would compile one more kernel.
        values=laws.evaluation.score.ravel().copy(),
        guide=np.empty(0, dtype=np.uint32),
        totals=np.concatenate([costs for costs, _ in served]),
        rewards=np.empty(0),
        questions=count if laws.draws == "passes" else 1,
        margin=float(laws.margin),
    )
