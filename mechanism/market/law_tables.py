"""The flat look-up tables of a market that the compiled episode reads."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.market.laws import LAW_BITS, DiscreteLaw
from mechanism.market.provider import ProviderMarket

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class LawField(IntEnum):
    """What `LawTables.rows` holds of a kind of provider.

    The numbers of its laws, n of best-of-n, where its costs begin in `totals` (less the least total, in lattice
    steps), and the bits of its difficulty bands.

    Recorded generations have no laws. There, `SCORE_LAW` is where the generations of the model begin in `points` (their
    tokens), `values` (their scores) and `rewards`, and `SAMPLES` is S, how many there are of each question. Elsewhere
    `SAMPLES` is 0.
    """

    SCORE_LAW = 0
    COST_LAW = 1
    MULTIPLICITY = 2
    FIRST_TOTAL = 3
    COST_BITS = 4
    SCORE_BITS = 5
    SAMPLES = 6


#: Length of a row, a whole cache line.
LAW_FIELDS = 8
#: Most costs of the table of one provider, 128 MiB.
LARGEST_TABLE = 2**24


class LawTables(NamedTuple):
    """Laws of scores and costs as look-up tables.

    `rows` holds a row of `LawField` for every kind of provider, `kinds` the kind of each provider. By law: `first` is
    where its points begin in `cumulative`, `points` and `values`; `guide_first` and `guide_shift` say where the guide
    has, for the high bits of a draw, a point at or before the one drawn. `totals` are costs of n candidates. Only
    recorded generations have `rewards`, which best-of-n compares.
    """

    kinds: Ints
    rows: Ints
    first: Ints
    sizes: Ints
    guide_first: Ints
    guide_shift: Words
    cumulative: Words
    points: Ints
    values: Floats
    guide: NDArray[np.uint32]
    totals: Floats
    rewards: Floats
    questions: int
    margin: float


def law_tables(providers: Sequence[ProviderMarket], margin: float) -> LawTables:
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
    laws: dict[DiscreteLaw, int] = {}
    first_totals: dict[tuple[int, int], int] = {}
    totals: list[float] = []
    kinds: dict[tuple[int, ...], int] = {}
    kind_of = []
    for provider in providers:
        row = [0] * LAW_FIELDS
        row[LawField.SCORE_LAW] = laws.setdefault(provider.score_law, len(laws))
        row[LawField.COST_LAW] = laws.setdefault(provider.candidate_law, len(laws))
        row[LawField.MULTIPLICITY] = n = provider.multiplicity
        key = row[LawField.COST_LAW], n
        if key not in first_totals:
            first_totals[key] = len(totals)
            totals.extend(_total_costs(provider.candidate_law, n))
        row[LawField.FIRST_TOTAL] = first_totals[key] - n * provider.candidate_law.points[0]
        row[LawField.COST_BITS] = provider.difficulty_bits
        row[LawField.SCORE_BITS] = provider.score_difficulty_bits
        kind_of.append(kinds.setdefault(tuple(row), len(kinds)))
    sizes = np.array([len(law.points) for law in laws], dtype=np.int64)
    guides = [_guide(law) for law in laws]
    return LawTables(
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
        totals=np.array(totals),
        rewards=np.empty(0),
        questions=providers[0].questions,
        margin=float(margin),
    )


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)


def _guide(law: DiscreteLaw) -> NDArray[np.uint32]:
    """Return, for every value of the high bits of a draw, the index of the first point that it may draw."""
    bits = min((4 * len(law.points) - 1).bit_length(), 12) if len(law.points) > 2 else 0
    cells = np.arange(1 << bits, dtype=np.uint64) << np.uint64(LAW_BITS - bits)
    return np.searchsorted(np.array(law.cumulative, dtype=np.uint64), cells, side="right").astype(np.uint32)


def _total_costs(law: DiscreteLaw, n: int) -> list[float]:
    """Return the costs of a query by the total of its n candidates, from the least on, in lattice steps."""
    span = n * (law.points[-1] - law.points[0]) + 1
    if span > LARGEST_TABLE:
        rule = f"must not exceed {LARGEST_TABLE} different costs per query"
        raise InputError("cost_law", span, rule, "use a coarser lattice, or the plain episode")
    return [law.value(n * law.points[0] + step) for step in range(span)]
