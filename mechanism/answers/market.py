"""A market whose outcomes are recorded answers: the same for every policy."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from bounds.documents import to_data
from bounds.errors import InputError
from mechanism.answers.choices import Draws
from mechanism.answers.complete import CompleteAnswers, token_cost
from mechanism.market.keyed_run import KeyedRun
from mechanism.market.law_tables import LARGEST_TABLE, LAW_FIELDS, LawField, LawTables
from mechanism.market.questions import QuestionPool
from mechanism.randomness import DRAW_BITS, PROVIDER_BITS, counter, squares64, uniform_index


@dataclass(frozen=True)
class AnsweringProvider:
    """A provider i = (m, n_i) of app:experimental-details.

    Parameters
    ----------
    model : str
        Its recorded answers are served.
    listed_price : float, optional
        Price > 0 of an output token; None where answers cost what is recorded, or their own prices.
    multiplicity : int, optional
        n_i >= 1 of best-of-n.

    Examples
    --------
    >>> AnsweringProvider("Qwen2-7B", 0.2, 4).name, AnsweringProvider("Qwen2-7B", 0.2).name
    ('Qwen2-7B@4', 'Qwen2-7B')
    """

    model: str
    listed_price: float | None = None
    multiplicity: int = 1

    @property
    def name(self) -> str:
        """The model, with @n where it is best-of-n."""
        return self.model if self.multiplicity == 1 else f"{self.model}@{self.multiplicity}"


@dataclass(frozen=True, eq=False)
class AnswerLaws:
    """Providers that serve recorded answers, built once and used by every run.

    Parameters
    ----------
    answers : CompleteAnswers
    providers : sequence of AnsweringProvider
        In the order in which indices count them; all have a listed price, or none.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost: what an answer costs whoever asks is 1 + mu times its cost.
    draws : {"passes", "independent"}, optional
        The second without best-of-n.

    Raises
    ------
    InputError
        A model without answers, best-of-n of more candidates than are recorded or than 2^10, or without rewards or
        listed prices, a price that is not positive, a margin out of range, or draws of another name.

    Examples
    --------
    >>> arrays = {"score": [[[1, 1]]], "tokens_out": [[[10, 10]]]}
    >>> answers = CompleteAnswers(name="toy", models=("m",), questions=("q",), **arrays)
    >>> laws = AnswerLaws(answers, [AnsweringProvider("m", 0.5)])
    >>> laws.market(seed=0, run=0).outcome(step=1, provider=0)
    (1.0, 4.0)
    """

    answers: CompleteAnswers
    providers: tuple[AnsweringProvider, ...]
    margin: float = 0.25
    draws: Draws = "passes"

    def __post_init__(self) -> None:
        object.__setattr__(self, "providers", tuple(self.providers))
        if not 1 <= len(self.providers) <= 1 << PROVIDER_BITS:
            rule = f"must be 1..{1 << PROVIDER_BITS} providers"
            raise InputError("providers", len(self.providers), rule, "they are counted so far")
        if self.draws not in get_args(Draws):
            raise InputError(
                "draws", self.draws, f"must be {' or '.join(get_args(Draws))}", "see costproof docs public-evaluations"
            )
        priced = self.at_listed_prices
        for provider in self.providers:
            if (provider.listed_price is None) == priced:
                raise InputError("listed_price", None, "must be given", "give it for all providers, or for none")
            n = self.answers.candidates(provider.multiplicity)
            if n > 1 << DRAW_BITS:
                raise InputError("multiplicity", n, f"must be at most {1 << DRAW_BITS}", "draws are counted so far")
            if n > 1:
                self.answers.rewards()
            if n > 1 and (self.draws == "independent" or not priced):
                raise InputError("multiplicity", n, "must be 1", "best-of-n asks one question, at a listed price")
        _ = self.models, self.units  # an unknown model or a bad price is refused here

    @property
    def at_listed_prices(self) -> bool:
        """Whether a query costs its output tokens times a listed price."""
        return self.providers[0].listed_price is not None

    @cached_property
    def models(self) -> tuple[int, ...]:
        """Index of every provider's model in the answers."""
        return tuple(self.answers.model_index(provider.model) for provider in self.providers)

    @cached_property
    def units(self) -> tuple[Fraction, ...]:
        """Exact cost of every provider's output token, or of what costs 1 whoever asks: price / (1 + margin)."""
        prices = (1 if each.listed_price is None else each.listed_price for each in self.providers)
        return tuple(token_cost(price, self.margin) for price in prices)

    @cached_property
    def costs(self) -> dict[int, NDArray[np.float64]]:
        """Without listed prices, by model: the cost of every answer, correctly rounded, in 1e-6 USD, shape (K, S)."""
        return {i: self.answers.prices_of(self.answers.models[i], self.units[0]) for i in set(self.models)}

    @cached_property
    def points(self) -> NDArray[np.int64]:
        """What adds up to the cost of a query, shape (M, K, S): output tokens, or the number of a single cost."""
        if self.at_listed_prices:
            return np.array([self.answers.output_tokens(model) for model in self.answers.models])
        found = np.zeros(self.answers.score.shape, np.int64)
        for model, costs in self.costs.items():
            found[model] = np.searchsorted(self._levels[model], costs)
        return found

    @cached_property
    def _levels(self) -> dict[int, NDArray[np.float64]]:
        return {model: np.unique(costs) for model, costs in self.costs.items()}

    def cost(self, provider: int, total: int) -> float:
        """Return the cost of a total of `points`, correctly rounded."""
        if not self.at_listed_prices:
            return float(self._levels[self.models[provider]][total])
        # True division of integers is correctly rounded.
        unit = self.units[provider]
        return total * unit.numerator / unit.denominator

    def cost_values(self, provider: int) -> NDArray[np.float64]:
        """Return `cost` of 0, 1, ..., the provider's largest total."""
        if not self.at_listed_prices:
            return self._levels[self.models[provider]]
        most = self.largest(provider)[0]
        if most >= LARGEST_TABLE:
            raise InputError("tokens", most, f"must be below {LARGEST_TABLE} per query", "a table would not fit")
        return np.array([self.cost(provider, total) for total in range(most + 1)])

    def largest(self, provider: int) -> tuple[int, int]:
        """Return the largest total of `points` of a query, and a question that has it."""
        served = np.sort(self.points[self.models[provider]], axis=1)[:, -self.providers[provider].multiplicity :]
        totals = served.sum(axis=1)
        return int(totals.max()), int(totals.argmax())

    def quality(self, provider: int) -> Fraction:
        """Return q_i, exactly (see `CompleteAnswers.quality`)."""
        served = self.providers[provider]
        return self.answers.quality(served.model, served.multiplicity)

    def mean_cost(self, provider: int) -> Fraction:
        """Return cbar_i, exactly, before a cost is rounded to a float."""
        served = self.providers[provider]
        if not self.at_listed_prices:
            return self.answers.mean_price(served.model) * self.units[provider]
        return self.answers.mean_tokens(served.model, served.multiplicity) * self.units[provider]

    def question_costs(self, provider: int) -> NDArray[np.float64]:
        """Return the mean cost of a query about each question, shape (K,)."""
        model = self.models[provider]
        if not self.at_listed_prices:
            return np.asarray(self.costs[model].mean(axis=1))
        each = self.providers[provider].multiplicity * float(self.units[provider])
        return np.asarray(self.points[model].mean(axis=1) * each)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the providers and of everything that is recorded, in hexadecimal."""
        recorded = self.answers
        stated = (recorded.models, recorded.questions, recorded.misaligned, self.providers, self.margin, self.draws)
        found = hashlib.sha256(repr((self.describe(), *stated, recorded.score.shape)).encode())
        for array in (recorded.score, self.points, recorded.reward):
            found.update(b"" if array is None else array.tobytes())
        return found.hexdigest()

    # By content: a worker that is sent the same laws again recognizes them, and does not build their tables anew.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnswerLaws) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("answers", "providers", "margin", "draws")
        return {name: getattr(self, name) for name in kept} | {"digest": self.digest}

    def tables(self) -> LawTables:
        """Return what the compiled episode reads: flat arrays, and a row of `LawField` for every provider.

        The answer s to question q of model m has index (m K + q) S + s in `points`, `values` (its score) and `rewards`.
        """
        return _tabulated(self)

    @property
    def extent(self) -> tuple[int, int]:
        """How many questions come in passes, and how many answers there are to choose from at each of them."""
        questions, samples = self.answers.score.shape[1:]
        return (questions, samples) if self.draws == "passes" else (1, questions * samples)

    def market(self, seed: int, run: int) -> AnswerMarket:
        """Return the potential outcomes of a run."""
        return AnswerMarket(self, seed, run)

    def describe(self) -> dict[str, Any]:
        """Return plain data that state the market: the data's extent, and one table per provider."""
        recorded, extent = self.answers, {"questions": len(self.answers.questions)}
        tables = []
        for i, provider in enumerate(self.providers):
            largest = self.cost(i, self.largest(i)[0])
            served = asdict(provider) if self.at_listed_prices else {}
            means = {"quality": float(self.quality(i)), "mean_cost": float(self.mean_cost(i)), "largest_cost": largest}
            tables.append({"name": provider.name, **served, **means})
        if self.at_listed_prices:
            stated = {"generations_per_question": recorded.samples, "dropped": list(recorded.dropped)}
            return {"benchmark": recorded.name, **extent, **stated, "margin": self.margin, "providers": tables}
        said = {
            "left_out": to_data(recorded.left_out),
            "accepted": list(recorded.accepted),
            "noticed": list(recorded.noticed),
        }
        stated = {"draws": self.draws, "margin": self.margin, **said, "providers": tables}
        return {"evaluation": recorded.name, "format": recorded.format, **extent, **stated}


@dataclass(frozen=True, eq=False)
class AnswerMarket(KeyedRun):
    """The potential outcomes of one run; satisfies `mechanism.episode.Outcomes`.

    Parameters
    ----------
    laws : AnswerLaws
    seed, run : int
        In [0, 2^128) and [0, 2^32).

    Notes
    -----
    In passes all providers meet the same question at a step; it follows from (seed, run, step) as `QuestionPool` says.
    The draws 0..n-1 of the step and provider choose the n distinct candidates: the draw j swaps place j of the
    recorded order 0..S-1 with place j + `uniform_index` of (bits, S - j). Were the bits uniform, every ordered sample
    would have its probability up to a total variation distance of n S / 2^45. Independent draws choose one candidate
    among the answers to all questions.
    """

    laws: AnswerLaws
    seed: int
    run: int

    @cached_property
    def pool(self) -> QuestionPool:
        """The questions that come in passes."""
        return QuestionPool(self.laws.extent[0])

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return the score and the cost if the provider served the query of the step, in [1, 2^30].

        The score is that of the returned answer; the cost is that of all candidates, money. A pure function of (seed,
        run, step, provider); an InputError if an argument is out of its range.
        """
        chosen = list(self.candidates(step, provider))
        laws, samples = self.laws, self.laws.extent[1]
        model, first = laws.models[provider], self.pool.question(self.key, step) * samples
        served = slice(first, first + samples)
        score, points = laws.answers.score[model].ravel()[served], laws.points[model].ravel()[served]
        best = chosen[0]
        if len(chosen) > 1:
            reward = laws.answers.rewards()[model].ravel()[served].tolist()
            best = max(chosen, key=reward.__getitem__)  # the first of several
        return float(score[best]), laws.cost(provider, int(points[chosen].sum()))

    def candidates(self, step: int, provider: int) -> tuple[int, ...]:
        """Return the indices of the n candidates of a query, in the order in which they were drawn."""
        base = counter(step, provider, 0)
        if provider >= len(self.laws.providers):
            raise InputError("provider", provider, f"must be below {len(self.laws.providers)}", "indices start at 0")
        samples, n = self.laws.extent[1], self.laws.providers[provider].multiplicity
        order: dict[int, int] = {}  # places that were swapped
        for place in range(n):
            other = place + uniform_index(squares64(self.key, base + place), samples - place)
            order[place], order[other] = order.get(other, other), order.get(place, place)
        return tuple(order[place] for place in range(n))

    def query_price(self, cost: float) -> float:
        """Return what a query of this cost is sold for: (1 + margin) cost."""
        return cost * (1 + self.laws.margin)


# Equal laws share their tables: a worker process builds them once, however often laws are sent to it.
@lru_cache(maxsize=8)
def _tabulated(laws: AnswerLaws) -> LawTables:
    recorded, n = laws.answers, len(laws.providers)
    totals = [laws.cost_values(provider) for provider in range(n)]
    rows = np.zeros((n, LAW_FIELDS), dtype=np.int64)
    rows[:, LawField.SCORE_LAW] = np.array(laws.models) * recorded.score[0].size
    rows[:, LawField.MULTIPLICITY] = [provider.multiplicity for provider in laws.providers]
    rows[:, LawField.FIRST_TOTAL] = np.cumsum([0, *map(len, totals)])[:-1]
    rows[:, LawField.SAMPLES] = laws.extent[1]
    none = np.empty(0, dtype=np.int64)
    return LawTables(
        kinds=np.arange(n, dtype=np.int64),
        rows=rows.ravel(),
        first=none,
        sizes=none,
        guide_first=none,
        guide_shift=np.empty(0, dtype=np.uint64),
        cumulative=np.empty(0, dtype=np.uint64),
        # Copies can be written to, as all other tables can: for others Numba would compile one more kernel.
        points=laws.points.ravel().copy(),
        values=recorded.score.ravel().copy(),
        guide=np.empty(0, dtype=np.uint32),
        totals=np.concatenate(totals),
        rewards=np.empty(0) if recorded.reward is None else recorded.reward.ravel().copy(),
        questions=laws.extent[0],
        margin=float(laws.margin),
    )
