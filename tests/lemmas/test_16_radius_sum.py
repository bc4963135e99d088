"""lem:radius-sum. The confidence radii of the selected providers add up to at most about sqrt(N T ln T).

For T >= N, kappa >= 0 and numbers a_t >= 0 with a_t <= kappa beta(m_{I_t,t}) for t = N + 1, ..., T,

    sum_{N < t <= T} a_t <= kappa sqrt(2 N (T - N) ln(2 pi^2 N T^2 / (3 delta))).

It is about counts alone: any sequence of selections is allowed in which everybody is selected once in the first N
steps.
"""

import math

import numpy as np
from hypothesis import given, strategies as st

from tests.bounds.by_hand import CONFIDENCES, beta


def most(kappa: float, n: int, delta: float, horizon: int) -> float:
    """Return the right side."""
    logarithm = math.log(2 * math.pi**2 * n * horizon**2 / 3) - math.log(delta)
    return kappa * math.sqrt(2 * n * (horizon - n) * logarithm)  # wrong: 2 * n * -> 1.98 * n *


def total(kappa: float, n: int, delta: float, selected: list[int]) -> float:
    """Return the largest sum of a_t for the providers selected after initialization."""
    counts, found = [1] * n, 0.0
    for i in selected:
        found += kappa * beta(counts[i], n, delta)
        counts[i] += 1
    return found


SELECTIONS = st.integers(2, 5).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.integers(0, n - 1))))


@given(selections=SELECTIONS, delta=CONFIDENCES, kappa=st.sampled_from([0.0, 1.0, 204.8]))
def test_holds_for_any_selections(selections: tuple[int, list[int]], delta: float, kappa: float) -> None:
    n, selected = selections
    assert total(kappa, n, delta, selected) <= most(kappa, n, delta, n + len(selected))


@given(n=st.integers(2, 9), delta=CONFIDENCES, length=st.integers(0, 400))
def test_holds_for_selections_in_turn(n: int, delta: float, length: int) -> None:
    """Equal shares are the worst ones, since beta decreases."""
    assert total(1, n, delta, [t % n for t in range(length)]) <= most(1, n, delta, n + length)


def test_is_tight() -> None:
    """For a tiny delta the radii fall as m^(-1/2), and both are selected a million times (equality at T = N)."""
    n, delta, share = 2, 1e-300, 10**6
    m = np.arange(1, share + 1)
    radii = np.sqrt((math.log(2 * math.pi**2 * n / 3) - math.log(delta) + 2 * np.log(m)) / (2 * m))
    assert 0.995 < n * radii.sum() / most(1, n, delta, n + n * share) <= 1
    assert most(1, n, delta, n) == 0
