"""Violations that a tally counts, and a tally as a container: read, compared and written as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.metrics.tally import ProviderField, RunField, Tally, tally_of
from mechanism.trace import Trace
from tests.bounds.by_hand import beta
from tests.mechanism.named_episodes import NAMED

R = RunField


def strayed(**columns: list[float]) -> Tally:
    """The tally of a hand-made trace of two providers that cost 2 and 4 and score 0.5, with narrow bands."""
    platform = NAMED["usual"].setting.platform
    providers = tuple(
        type(p)(p.name, 0.5, cost / 10) for p, cost in zip(NAMED["usual"].setting.providers, (2.0, 4.0), strict=False)
    )
    setting = Setting("two", type(platform)(0.0, 0.9, 1.0, 1e-9, 0.5), providers)
    steps = len(columns["score"])
    rows = {"provider": [0, 1] + [0] * (steps - 2), "payment": [1.0] * steps, "bid": [0.2] * steps, "cost": [0.2, 0.4]}
    rows["cost"] += [0.2] * (steps - 2)
    return tally_of(setting, Trace(**(rows | columns)))


def test_violations_are_counted_where_they_happen() -> None:
    """300 scores that alternate stay in their band; 300 ones leave it as soon as it is narrower than a half."""
    fair = [0.5, 0.5] + [0.0, 1.0] * 150
    assert strayed(score=fair).run(R.BAND_VIOLATIONS) == 0
    narrow = next(m for m in range(1, 300) if beta(m, 2, 0.9) < 0.5)
    assert strayed(score=[1.0, 0.5] + [1.0] * 300).run(R.BAND_VIOLATIONS) == 302 - narrow
    assert strayed(score=fair, cost=[0.2, 0.4] + [1.0] * 300).run(R.BAND_VIOLATIONS) > 250
    dear = strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 299 + [1.0])
    assert dear.run(R.PAYMENT_VIOLATIONS) == 1
    cheap = strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 299 + [0.0])
    assert cheap.run(R.PAYMENT_VIOLATIONS) == 1
    assert strayed(score=fair, payment=[1.0, 1.0] + [0.4] * 300).run(R.PAYMENT_VIOLATIONS) == 0


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


def counted() -> Tally:
    """A tally whose entries all differ."""
    n, steps = 3, (5, 9)
    by_provider = np.arange(len(steps) * len(ProviderField) * n, dtype=float)
    overall = 1000 + np.arange(len(steps) * len(RunField), dtype=float)
    return Tally(steps, by_provider.reshape(2, len(ProviderField), n), overall.reshape(2, len(RunField)))


@pytest.mark.for_each("step", [0, 4, 6, 10, -1])
def test_only_checkpoints_can_be_read(step: int) -> None:
    tally = counted()
    for read in (tally.provider, tally.run):
        with pytest.raises(InputError, match=rf"^step={step} is none of the checkpoints \(5, 9\)"):
            read(0, step)  # type: ignore[operator]


@pytest.mark.for_each("change", [-8, -1, 1, 8])
def test_bytes_of_another_length_are_refused(change: int) -> None:
    tally = counted()
    data = tally.to_bytes()
    other = data[:change] if change < 0 else data + bytes(change)
    for wrong, steps, n in ((other, tally.steps, 3), (data, (*tally.steps, 10**10), 3), (data, tally.steps, 4)):
        with pytest.raises(InputError, match=r"^data="):
            Tally.from_bytes(wrong, steps, n)


def test_equality_is_that_of_steps_and_all_totals() -> None:
    one = counted()
    assert one == counted() != Tally((5, 8), one.by_provider, one.overall)
    for change in (lambda tally: tally.by_provider, lambda tally: tally.overall):
        other = counted()
        change(other).flat[-1] += 1
        assert one != other
