"""The worst quality against a fine grid: none is above the bound, and the one found is what it says."""

from __future__ import annotations

import numpy as np
import pytest

from bounds.coverage.limits import RADIUS_ROUNDING, paper_radii
from bounds.coverage.tail import tail_bound
from bounds.coverage.walk import band_exit, exit_probability
from bounds.coverage.worst import worst_quality


@pytest.mark.parametrize(("n", "delta"), [(2, 0.95), (4, 0.05), (9, 0.05)])
def test_no_quality_of_a_grid_is_worse(n: int, delta: float) -> None:
    counts = 150
    worst = worst_quality(n_providers=n, confidence=delta, counts=counts)
    radii = paper_radii(counts, n_providers=n, confidence=delta)
    # Half of the grid at random, half just beside the qualities at which a run of equal scores begins to leave.
    edges = radii[radii < 1]
    grid = np.concatenate([np.random.default_rng(3).random(300), edges + 1e-9, edges - 1e-9, 1 - edges + 1e-9])
    failures = [exit_probability(q, radii, radius_rounding=RADIUS_ROUNDING).lower for q in grid if 0 <= q <= 1]
    assert max(failures) <= worst.at_most
    assert max(failures) > 0.5 * worst.failure  # the grid comes near it
    assert worst.failure <= worst.at_most <= 1.011 * worst.failure + tail_bound(counts, n_providers=n, confidence=delta)


def test_it_is_as_bad_as_is_said_and_its_mirror_too() -> None:
    worst = worst_quality(n_providers=4, confidence=0.05, counts=300)
    for quality in (worst.quality, 1 - worst.quality):
        found = band_exit(quality, n_providers=4, confidence=0.05, counts=300)
        assert found.upper == pytest.approx(worst.failure, rel=1e-6)


def test_more_counts_leave_less_open() -> None:
    few, many = (worst_quality(n_providers=4, confidence=0.05, counts=counts) for counts in (200, 2000))
    assert many.at_most < few.at_most
    assert many.failure >= few.failure
