"""A market whose outcomes are recorded generations: the same whatever the policy does."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.market.keyed_run import KeyedRun
from mechanism.market.law_tables import LARGEST_TABLE, LAW_FIELDS, LawField, LawTables
from mechanism.market.questions import QuestionPool
from mechanism.randomness import DRAW_BITS, PROVIDER_BITS, counter, squares64, uniform_index
from mechanism.recorded.generations import Generations, token_cost

__all__ = ["RecordedLaws", "RecordedMarket", "RecordedProvider"]


@dataclass(frozen=True)
class RecordedProvider:
    """A provider i = (m, n_i) of app:experimental-details.

    Parameters
    ----------
    model : str
        Its recorded generations are served.
    listed_price : float
        Price > 0 of an output token.
    multiplicity : int, optional
        n_i >= 1 of best-of-n.

    Examples
    --------
    >>> RecordedProvider("Qwen2-7B", 0.2, 4).name, RecordedProvider("Qwen2-7B", 0.2).name
    ('Qwen2-7B@4', 'Qwen2-7B')
    """

    model: str
    listed_price: float
    multiplicity: int = 1

    @property
    def name(self) -> str:
        """The model, with @n where it is best-of-n."""
        return self.model if self.multiplicity == 1 else f"{self.model}@{self.multiplicity}"


@dataclass(frozen=True, eq=False)
class RecordedLaws:
    """Providers that serve recorded generations, built once and used by every run.

    Parameters
    ----------
    generations : Generations
    providers : sequence of RecordedProvider
        In the order in which indices count them.
    margin : float, optional
        mu >= 0 of eq:experimental-generation-cost.

    Raises
    ------
    InputError
        A model without recorded generations, best-of-n of more candidates than are recorded or than 2^10, or
        without rewards, or a price that is not positive.

    Examples
    --------
    >>> arrays = {"correct": [[[1, 1]]], "tokens": [[[10, 10]]]}
    >>> generations = Generations(benchmark="toy", models=("m",), questions=("q",), **arrays)
    >>> laws = RecordedLaws(generations, [RecordedProvider("m", 0.5)])
    >>> laws.market(seed=0, run=0).outcome(step=1, provider=0)
    (1.0, 4.0)
    """

    generations: Generations
    providers: tuple[RecordedProvider, ...]
    margin: float = 0.25

    def __post_init__(self) -> None:
        object.__setattr__(self, "providers", tuple(self.providers))
        if not 1 <= len(self.providers) <= 1 << PROVIDER_BITS:
            rule = f"must be 1..{1 << PROVIDER_BITS} providers"
            raise InputError("providers", len(self.providers), rule, "they are counted so far")
        for provider in self.providers:
            n = self.generations.candidates(provider.multiplicity)
            if n > 1 << DRAW_BITS:
                raise InputError("multiplicity", n, f"must be at most {1 << DRAW_BITS}", "draws are counted so far")
            if n > 1:
                self.generations.rewards()
        _ = self.models, self.units  # an unknown model or a bad price is refused here

    @cached_property
    def models(self) -> tuple[int, ...]:
        """Index of every provider's model in the generations."""
        return tuple(self.generations.model_index(provider.model) for provider in self.providers)

    @cached_property
    def units(self) -> tuple[Fraction, ...]:
        """Exact cost of one output token of every provider, listed price / (1 + margin)."""
        return tuple(token_cost(provider.listed_price, self.margin) for provider in self.providers)

    @cached_property
    def most_tokens(self) -> tuple[int, ...]:
        """Largest total of output tokens of a query of every provider."""
        return tuple(self.generations.most_tokens(each.model, each.multiplicity) for each in self.providers)

    def cost(self, provider: int, total: int) -> float:
        """Return the cost of a total of output tokens, correctly rounded."""
        # True division of integers is correctly rounded.
        unit = self.units[provider]
        return total * unit.numerator / unit.denominator

    def cost_values(self, provider: int) -> NDArray[np.float64]:
        """Return `cost` of 0, 1, ..., the provider's largest total."""
        if self.most_tokens[provider] >= LARGEST_TABLE:
            most = self.most_tokens[provider]
            raise InputError("tokens", most, f"must be below {LARGEST_TABLE} per query", "a table would not fit")
        return np.array([self.cost(provider, total) for total in range(self.most_tokens[provider] + 1)])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the providers and of everything that is recorded, in hexadecimal."""
        recorded = self.generations
        stated = (recorded.benchmark, recorded.models, recorded.questions, recorded.alignment)
        found = hashlib.sha256(repr((*stated, self.providers, self.margin, recorded.correct.shape)).encode())
        for array in (recorded.correct, recorded.tokens, recorded.reward):
            found.update(b"" if array is None else array.tobytes())
        return found.hexdigest()

    # By content: a worker that is sent the same laws again recognizes them, and does not build their tables anew.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordedLaws) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("generations", "providers", "margin")
        return {name: getattr(self, name) for name in kept} | {"digest": self.digest}

    def tables(self) -> LawTables:
        """Return what the compiled episode reads: flat arrays, and a row of `LawField` for every provider.

        The generation s of question q of model m has index (m K + q) S + s in `points` (its tokens), `values` (its
        score) and `rewards`.
        """
        return _tabulated(self)

    def market(self, seed: int, run: int) -> RecordedMarket:
        """Return the potential outcomes of a run."""
        return RecordedMarket(self, seed, run)

    def quality(self, provider: int) -> Fraction:
        """Return q_i, exactly (see `Generations.best_of_n_quality`)."""
        served = self.providers[provider]
        return self.generations.best_of_n_quality(served.model, served.multiplicity)

    def mean_cost(self, provider: int) -> Fraction:
        """Return cbar_i, exactly, before a cost is rounded to a float."""
        served = self.providers[provider]
        return self.generations.mean_tokens(served.model, served.multiplicity) * self.units[provider]

    def describe(self) -> dict[str, Any]:
        """Return plain data that state the market: the data's extent, and one table per provider."""
        recorded = self.generations
        tables = [
            {
                "name": provider.name,
                **asdict(provider),
                "quality": float(self.quality(i)),
                "mean_cost": float(self.mean_cost(i)),
                "largest_cost": self.cost(i, self.most_tokens[i]),
            }
            for i, provider in enumerate(self.providers)
        ]
        extent = {"questions": len(recorded.questions), "generations_per_question": recorded.samples}
        stated = {"benchmark": recorded.benchmark, **extent, "dropped": list(recorded.alignment.dropped)}
        return {**stated, "margin": self.margin, "providers": tables}


@dataclass(frozen=True, eq=False)
class RecordedMarket(KeyedRun):
    """The potential outcomes of one run; satisfies `mechanism.episode.Outcomes`.

    Parameters
    ----------
    laws : RecordedLaws
    seed, run : int
        In [0, 2^128) and [0, 2^32).

    Notes
    -----
    All providers meet the same question at a step; it follows from (seed, run, step) as `QuestionPool` says. The
    draws 0..n-1 of the step and provider choose the n distinct candidates: the draw j swaps place j of the
    recorded order 0..S-1 with place j + `uniform_index` of (bits, S - j). Were the bits uniform, every ordered sample
    would have its probability up to a total variation distance of n S / 2^45.
    """

    laws: RecordedLaws
    seed: int
    run: int

    @cached_property
    def pool(self) -> QuestionPool:
        """The questions, by their index in the generations."""
        return QuestionPool(len(self.laws.generations.questions))

    def outcome(self, step: int, provider: int) -> tuple[float, float]:
        """Return the score and the cost if the provider served the query of the step, in [1, 2^30].

        The score is 1 if the returned generation is correct, else 0; the cost is that of all candidates, money. A pure
        function of (seed, run, step, provider); an InputError if an argument is out of its range.
        """
        chosen = self.candidates(step, provider)
        question = self.pool.question(self.key, step)
        laws, recorded, model = self.laws, self.laws.generations, self.laws.models[provider]
        reward = [0.0] * recorded.samples if recorded.reward is None else recorded.reward[model, question].tolist()
        best = max(chosen, key=reward.__getitem__)  # the first of several
        total = int(recorded.tokens[model, question, chosen].sum(dtype=np.int64))
        return float(recorded.correct[model, question, best]), laws.cost(provider, total)

    def candidates(self, step: int, provider: int) -> tuple[int, ...]:
        """Return the indices of the n candidates of a query, in the order in which they were drawn."""
        base = counter(step, provider, 0)
        if provider >= len(self.laws.providers):
            raise InputError("provider", provider, f"must be below {len(self.laws.providers)}", "indices start at 0")
        order = list(range(self.laws.generations.samples))
        n = self.laws.providers[provider].multiplicity
        for place in range(n):
            other = place + uniform_index(squares64(self.key, base + place), len(order) - place)
            order[place], order[other] = order[other], order[place]
        return tuple(order[:n])

    def query_price(self, cost: float) -> float:
        """Return what a query of this cost is sold for at the listed price: (1 + margin) cost."""
        return cost * (1 + self.laws.margin)


# Equal laws share their tables: a worker process builds them once, however often laws are sent to it.
@lru_cache(maxsize=8)
def _tabulated(laws: RecordedLaws) -> LawTables:
    recorded, n = laws.generations, len(laws.providers)
    totals = [laws.cost_values(provider) for provider in range(n)]
    rows = np.zeros((n, LAW_FIELDS), dtype=np.int64)
    rows[:, LawField.SCORE_LAW] = np.array(laws.models) * (len(recorded.questions) * recorded.samples)
    rows[:, LawField.MULTIPLICITY] = [provider.multiplicity for provider in laws.providers]
    rows[:, LawField.FIRST_TOTAL] = np.cumsum([0, *map(len, totals)])[:-1]
    rows[:, LawField.SAMPLES] = recorded.samples
    none = np.empty(0, dtype=np.int64)
    return LawTables(
        kinds=np.arange(n, dtype=np.int64),
        rows=rows.ravel(),
        first=none,
        sizes=none,
        guide_first=none,
        guide_shift=np.empty(0, dtype=np.uint64),
        cumulative=np.empty(0, dtype=np.uint64),
        points=recorded.tokens.ravel().astype(np.int64),
        values=recorded.correct.ravel().astype(np.float64),
        guide=np.empty(0, dtype=np.uint32),
        totals=np.concatenate(totals),
        # A copy can be written to, as all other tables can: for others Numba would compile one more kernel.
        rewards=np.empty(0) if recorded.reward is None else recorded.reward.ravel().copy(),
        questions=len(recorded.questions),
        margin=float(laws.margin),
    )
