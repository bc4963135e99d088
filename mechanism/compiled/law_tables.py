"""A market's laws as the flat look-up tables that the compiled episode reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bounds.errors import InputError
from mechanism.compiled.layout import LARGEST_TABLE, LAW_FIELDS, LawField, Laws
from mechanism.market.discrete_law import LAW_BITS, DiscreteLaw
from mechanism.market.provider import ProviderMarket


def law_tables(providers: Sequence[ProviderMarket], margin: float) -> Laws:
    """Return the tables of providers' scores and costs; equal laws share theirs.

    Raises
    ------
    InputError
        A provider's costs take more than 2^24 values.

    Examples
    --------
    >>> from mechanism.market.laws import bernoulli, point_mass
    >>> law_tables([ProviderMarket(bernoulli(0.25), point_mass(3.0))], 0.25).values.tolist()
    [0.0, 1.0, 3.0]
    """
    numbers: dict[int, int] = {}
    laws: list[DiscreteLaw] = []
    seen: dict[DiscreteLaw, int] = {}
    for provider in providers:
        for law in (provider.score_law, provider.candidate_law):
            if id(law) not in numbers:
                if law not in seen:
                    seen[law] = len(laws)
                    laws.append(law)
                numbers[id(law)] = seen[law]
    sizes = np.array([len(law.points) for law in laws], dtype=np.int64)
    guides = [_guide(law) for law in laws]
    totals = _Totals()
    kinds: dict[tuple[int, ...], int] = {}
    kind_of = []
    for provider in providers:
        row = [0] * LAW_FIELDS
        row[LawField.SCORE_LAW] = numbers[id(provider.score_law)]
        row[LawField.COST_LAW] = numbers[id(provider.candidate_law)]
        row[LawField.MULTIPLICITY] = provider.multiplicity
        row[LawField.FIRST_TOTAL] = totals.add(provider) - provider.multiplicity * provider.candidate_law.points[0]
        row[LawField.COST_BITS] = provider.difficulty_bits
        row[LawField.SCORE_BITS] = provider.score_difficulty_bits
        kind_of.append(kinds.setdefault(tuple(row), len(kinds)))
    return Laws(
        kinds=np.array(kind_of, dtype=np.int64),
        rows=np.array(list(kinds), dtype=np.int64).ravel(),
        first=_starts(sizes),
        sizes=sizes,
        guide_first=_starts(np.array([len(guide) for guide in guides], dtype=np.int64)),
        guide_shift=np.array([LAW_BITS - (len(guide).bit_length() - 1) for guide in guides], dtype=np.uint64),
        cumulative=np.concatenate([np.array(law.cumulative, dtype=np.uint64) for law in laws]),
        points=np.concatenate([np.array(law.points, dtype=np.int64) for law in laws]),
        values=np.concatenate([law.values for law in laws]),
        guide=np.concatenate(guides),
        totals=totals.table(),
        rewards=np.empty(0),
        questions=providers[0].questions,
        margin=float(margin),
    )


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _guide(law: DiscreteLaw) -> np.ndarray:
    """Return, for every value of the high bits of a draw, the index of the first point that it may draw."""
    bits = min((4 * len(law.points) - 1).bit_length(), 12) if len(law.points) > 2 else 0
    cells = np.arange(1 << bits, dtype=np.uint64) << np.uint64(LAW_BITS - bits)
    return np.searchsorted(np.array(law.cumulative, dtype=np.uint64), cells, side="right").astype(np.uint32)


class _Totals:
    """Costs of a query by the total of its candidates, in lattice steps; equal providers share them."""

    def __init__(self) -> None:
        self._starts: dict[tuple[DiscreteLaw, int], int] = {}
        self._by_identity: dict[tuple[int, int], int] = {}
        self._values: list[float] = []

    def add(self, provider: ProviderMarket) -> int:
        law, n = provider.candidate_law, provider.multiplicity
        known = (id(law), n)
        if known not in self._by_identity:
            self._by_identity[known] = self._start(law, n)
        return self._by_identity[known]

    def _start(self, law: DiscreteLaw, n: int) -> int:
        if (law, n) not in self._starts:
            self._starts[law, n] = len(self._values)
            span = n * (law.points[-1] - law.points[0]) + 1
            if span > LARGEST_TABLE:
                rule = f"must not exceed {LARGEST_TABLE} different costs of a query"
                raise InputError("cost_law", span, rule, "use a coarser lattice, or the plain episode")
            self._values.extend(law.value(n * law.points[0] + step) for step in range(span))
        return self._starts[law, n]

    def table(self) -> np.ndarray:
        return np.array(self._values)
