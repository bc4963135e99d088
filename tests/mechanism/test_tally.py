"""A tally as a container: reading it, comparing it, writing it as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from bounds.errors import InputError
from mechanism.metrics.tally import ProviderField, RunField, Tally

FLOATS = st.floats(allow_nan=False)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    steps = draw(st.lists(st.integers(1, 10**9), min_size=1, max_size=4, unique=True).map(sorted))
    n = draw(st.integers(1, 6))
    shape = (len(steps), len(ProviderField), n)
    return Tally(
        tuple(steps),
        draw(arrays(float, shape, elements=FLOATS)),
        draw(arrays(float, (len(steps), len(RunField)), elements=FLOATS)),
    )


@given(tallies())
def test_bytes_and_back(tally: Tally) -> None:
    n = tally.by_provider.shape[-1]
    again = Tally.from_bytes(tally.to_bytes(), tally.steps, n)
    assert again == tally
    assert again.to_bytes() == tally.to_bytes()
    assert again.by_provider.dtype == np.float64
    assert len(tally.to_bytes()) == 8 * len(tally.steps) * (len(ProviderField) * n + len(RunField))


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=30)
@given(tallies(), st.sampled_from([-8, -1, 1, 8]))
def test_bytes_of_another_length_are_refused(tally: Tally, change: int) -> None:
    data = tally.to_bytes()
    other = data[:change] if change < 0 else data + bytes(change)
    n = tally.by_provider.shape[-1]
    with pytest.raises(InputError, match=r"^data="):
        Tally.from_bytes(other, tally.steps, n)
    with pytest.raises(InputError, match=r"^data="):
        Tally.from_bytes(data, (*tally.steps, 10**10), n)
    with pytest.raises(InputError, match=r"^data="):
        Tally.from_bytes(data, tally.steps, n + 1)


def counted() -> Tally:
    """A tally whose entries all differ."""
    n, steps = 3, (5, 9)
    by_provider = np.arange(len(steps) * len(ProviderField) * n, dtype=float)
    overall = 1000 + np.arange(len(steps) * len(RunField), dtype=float)
    return Tally(steps, by_provider.reshape(2, len(ProviderField), n), overall.reshape(2, len(RunField)))


def test_totals_are_read_by_name_and_step() -> None:
    tally, width = counted(), len(ProviderField) * 3
    for field in ProviderField:
        assert tally.provider(field, 5).tolist() == [3.0 * field + i for i in range(3)]
        assert tally.provider(field).tolist() == tally.provider(field, 9).tolist()
        assert tally.provider(field).tolist() == [width + 3.0 * field + i for i in range(3)]
    for field in RunField:
        assert tally.run(field, 5) == 1000 + field
        assert tally.run(field) == tally.run(field, 9) == 1000 + len(RunField) + field


@pytest.mark.for_each("step", [0, 4, 6, 10, -1])
def test_only_checkpoints_can_be_read(step: int) -> None:
    tally = counted()
    for read in (tally.provider, tally.run):
        with pytest.raises(InputError, match=rf"^step={step} is none of the checkpoints \(5, 9\)"):
            read(0, step)  # type: ignore[operator]


def test_equality_is_that_of_steps_and_all_totals() -> None:
    one = counted()
    assert one == counted()
    assert one != Tally((5, 8), one.by_provider, one.overall)
    assert one != "tally"
    for place in range(one.by_provider.size):
        other = counted()
        other.by_provider.flat[place] += 1
        assert one != other
    for place in range(one.overall.size):
        other = counted()
        other.overall.flat[place] += 1
        assert one != other
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
