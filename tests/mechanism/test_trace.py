import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

from bounds.errors import InputError
from mechanism.trace import Trace

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def columns(**changes: Any) -> dict[str, Any]:
    return {"provider": [0, 1], "payment": [1, 2.5], "score": [1, 0], "bid": [0.5, 0.25], **changes}


def test_columns_have_their_types_and_cannot_be_changed() -> None:
    trace = Trace(**columns(score=[True, False], cost=np.array([1, 2], dtype=np.float32)))
    assert {name: column.dtype.name for name, column in trace.columns().items()} == {
        "provider": "int64",
        "payment": "float64",
        "score": "float64",
        "bid": "float64",
        "cost": "float64",
    }
    for column in trace.columns().values():
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


def test_the_trace_keeps_its_own_copy() -> None:
    payments = np.array([1.0, 2.0])
    trace = Trace(**columns(payment=payments))
    payments[0] = 9
    assert trace.payment.tolist() == [1, 2]


@given(arrays.arrays(np.float64, st.integers(0, 6), elements=NUMBERS), st.booleans())
def test_equal_columns_make_equal_traces(amounts: np.ndarray[Any, Any], with_cost: bool) -> None:
    provider = np.arange(len(amounts))
    cost = amounts if with_cost else None
    trace = Trace(provider, amounts, amounts, amounts, cost)
    assert trace == Trace(provider.tolist(), amounts.tolist(), amounts.tolist(), amounts.tolist(), cost)
    assert pickle.loads(pickle.dumps(trace)) == trace
    assert len(trace) == len(amounts)
    assert trace != Trace(provider, amounts, amounts, amounts, None if with_cost else amounts)
    for name in trace.columns():
        if len(trace):
            changed = {**trace.columns(), name: trace.columns()[name].copy()}
            changed[name][-1] = 3 if changed[name][-1] != 3 else 4
            assert trace != Trace(**changed)


def test_a_trace_equals_nothing_else() -> None:
    assert Trace(**columns()) != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(Trace(**columns()))


def test_head_is_the_trace_of_the_first_steps() -> None:
    trace = Trace(**columns(cost=[3, 4]))
    assert trace.head(1) == Trace([0], [1], [1], [0.5], [3])
    assert trace.head(5) == trace
    assert len(trace.head(0)) == 0


@pytest.mark.for_each(
    ("changes", "message"),
    [
        ({"payment": [1.0]}, "payment=1 entries differ from provider's 2"),
        ({"cost": [1.0, 2, 3]}, "cost=3 entries differ"),
        ({"bid": [0.5, np.nan]}, r"bid\[1\]=nan must be finite"),
        ({"score": [np.inf, 1]}, r"score\[0\]=inf must be finite"),
        ({"payment": [None, 1.0]}, r"payment\[0\]=nan must be finite"),
        ({"payment": ["1", "2"]}, "payment=.* must be a sequence of numbers"),
        ({"payment": [1j, 2]}, "must be a sequence of numbers"),
        ({"payment": [[1, 2], [3, 4]]}, "must be a sequence of numbers"),
        ({"payment": [[1], [3, 4]]}, "must be a sequence of numbers"),
        ({"payment": 3.0}, "must be a sequence of numbers"),
        ({"payment": [10**400, 1]}, "must be a sequence of numbers"),
        ({"provider": [0.7, 1]}, r"provider=\[0.7, 1\] must be a sequence of whole numbers"),
        ({"provider": [np.nan, 1]}, "must be a sequence of whole numbers"),
        ({"provider": ["0", "1"]}, "must be a sequence of whole numbers"),
        ({"provider": [True, False]}, "must be a sequence of whole numbers"),
        ({"provider": [2**70, 1]}, "must be a sequence of whole numbers"),
    ],
)
def test_bad_columns_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Trace(**columns(**changes))


def test_exact_numbers_are_rounded() -> None:
    assert Trace(**columns(payment=[Fraction(1, 4), Fraction(1, 3)])).payment.tolist() == [0.25, 1 / 3]
