import pickle
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from mechanism.market.laws import TOTAL_WEIGHT, DiscreteLaw

BITS = st.integers(0, TOTAL_WEIGHT - 1)
SIXTEENTH = TOTAL_WEIGHT // 16


@st.composite
def laws(draw: st.DrawFn) -> DiscreteLaw:
    points = sorted(draw(st.sets(st.integers(0, 5000), min_size=1, max_size=8)))
    cuts = sorted(draw(st.sets(st.integers(1, TOTAL_WEIGHT - 1), min_size=len(points) - 1, max_size=len(points) - 1)))
    ends = [0, *cuts, TOTAL_WEIGHT]
    weights = [b - a for a, b in pairwise(ends)]
    return DiscreteLaw(tuple(points), tuple(weights), draw(st.fractions(Fraction(1, 10**6), 1000)))


def sixteenths(*counts: int) -> DiscreteLaw:
    """Return a law whose point i has probability counts[i]/16, on the points 0, 2, 4, ..."""
    return DiscreteLaw(tuple(range(0, 2 * len(counts), 2)), tuple(c * SIXTEENTH for c in counts), Fraction(1, 3))


@pytest.mark.for_each("counts", [(16,), (8, 8), (1, 15), (15, 1), (3, 5, 1, 7), (1,) * 16])
@given(low=st.integers(0, SIXTEENTH - 1))
def test_bits_are_shared_out_exactly_by_weight(counts: tuple[int, ...], low: int) -> None:
    law = sixteenths(*counts)
    drawn = [law.point(high * SIXTEENTH + low) for high in range(16)]
    assert [drawn.count(2 * i) for i in range(len(counts))] == list(counts)


@given(laws())
def test_thresholds_are_the_cumulative_weights_exactly(law: DiscreteLaw) -> None:
    start = 0
    for point, weight in zip(law.points, law.weights, strict=True):
        assert law.point(start) == law.point(start + weight - 1) == point
        start += weight
    assert start == TOTAL_WEIGHT


@given(laws(), st.lists(BITS))
def test_arrays_agree_with_scalars(law: DiscreteLaw, bits: list[int]) -> None:
    """An array's search of the cumulative weights draws what one draw at a time does."""
    edges = [e for c in law.cumulative for e in (c - 1, c) if e < TOTAL_WEIGHT]
    drawn = np.searchsorted(np.array(law.cumulative, dtype=np.int64), np.array(bits + edges, np.int64), side="right")
    assert law.values[drawn].tolist() == [law.sample(b) for b in bits + edges]
    assert np.array(law.points)[drawn].tolist() == [law.point(b) for b in bits + edges]


@given(laws())
def test_moments_are_exact(law: DiscreteLaw) -> None:
    table = [(Fraction(w, TOTAL_WEIGHT), p * law.unit) for p, w in zip(law.points, law.weights, strict=True)]
    assert law.mean == sum(w * x for w, x in table)
    assert law.variance == sum(w * (x - law.mean) ** 2 for w, x in table)
    assert law.maximum == float(law.points[-1] * law.unit) == law.values.max()
    assert law.values.tolist() == [float(x) for _, x in table]


@given(st.integers(0, 10**9), st.fractions(Fraction(1, 10**30), 10**30))
def test_values_are_correctly_rounded(total: int, unit: Fraction) -> None:
    law = DiscreteLaw((1,), (TOTAL_WEIGHT,), unit)
    assert law.value(total) == float(total * unit)


def test_tiny_values_round_to_the_nearest_float() -> None:
    law = DiscreteLaw((1, 3), (TOTAL_WEIGHT // 2,) * 2, Fraction(5e-324) / 4)
    assert law.values.tolist() == [0.0, 5e-324]


def test_values_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        sixteenths(8, 8).values[0] = 1.0


def test_laws_compare_hash_and_pickle_as_values() -> None:
    law = sixteenths(3, 13)
    assert law.sample(0) == 0.0
    assert law == sixteenths(3, 13) != sixteenths(13, 3)
    assert len({law, sixteenths(3, 13)}) == 1
    assert pickle.loads(pickle.dumps(law)) == law


HALVES = (TOTAL_WEIGHT // 2,) * 2


@pytest.mark.for_each(
    ("points", "weights", "unit", "argument"),
    [
        ((), (), Fraction(1), "points"),
        ((-1, 1), HALVES, Fraction(1), "points"),
        ((1, 1), HALVES, Fraction(1), "points"),
        ((2, 1), HALVES, Fraction(1), "points"),
        ((1,), HALVES, Fraction(1), "weights"),
        ((1, 2), (TOTAL_WEIGHT, 0), Fraction(1), "weights"),
        ((1, 2), (TOTAL_WEIGHT + 1, -1), Fraction(1), "weights"),
        ((1,), (TOTAL_WEIGHT - 1,), Fraction(1), "weights"),
        ((1,), (TOTAL_WEIGHT,), Fraction(0), "unit"),
        ((1,), (TOTAL_WEIGHT,), 1.0, "unit"),
    ],
)
def test_what_is_no_law_is_refused(points: Any, weights: Any, unit: Any, argument: str) -> None:
    with pytest.raises(InputError, match=f"^{argument}="):
        DiscreteLaw(points, weights, unit)


@pytest.mark.parametrize("bits", [-1, TOTAL_WEIGHT, 2**64 - 1])
def test_bits_out_of_range_are_refused(bits: int) -> None:
    law = sixteenths(8, 8)
    for draw in (law.sample, law.point, law.index):
        with pytest.raises(InputError, match=r"^bits="):
            draw(bits)
