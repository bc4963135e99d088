"""lem:adjusted-bid-bounds. A truthful bid less its radius lies below the mean cost, by two radii at most.

On the good event, with truthful bids, for every provider i and every step t > N,

    cbar_i - 2 c_max beta(m_{i,t}) <= b_{i,t} - c_max beta(m_{i,t}) <= cbar_i.
"""

from collections.abc import Iterator
from typing import Literal

import pytest
from hypothesis import given

from costproof.strategies import settings, traces
from proofs_checks.claims.cases.boundary import Slacks, dear_winner
from tests.lemmas.quantities import cost_radius
from tests.lemmas.steps import Run, steps


def depths(case: Run) -> Iterator[float]:
    """Yield by how many radii an adjusted bid lies below the mean cost of its provider."""
    market = case.setting
    for step in steps(case)[market.n_providers :]:
        for i, provider in enumerate(market.providers):
            radius = cost_radius(market, step.counts[i])
            adjusted = step.bids[i] - radius
            yield (provider.mean_cost - adjusted) / radius


#: The least and the largest depth, in radii.
LEAST, MOST = 0.0, 2.0  # wrong: 2.0 -> 1.999
BIDDING: Literal["truthful", "arbitrary"] = "truthful"  # wrong: = "truthful" -> = "arbitrary"


@given(traces(settings(slacks=False), bidding=BIDDING) | traces(settings(), bidding="bayesian"))
def test_holds_for_truthful_bids(case: Run) -> None:
    for depth in depths(case):
        assert LEAST - 1e-9 <= depth <= MOST + 1e-9  # wrong: LEAST -> LEAST + 0.001


def test_is_tight() -> None:
    """The costs of i* lie at the upper edge of their band, those of its competitor at the lower one."""
    found = list(depths(dear_winner(Slacks(), gap=0.99)))
    assert min(found) == pytest.approx(LEAST, abs=1e-8)
    assert max(found) == pytest.approx(MOST, abs=1e-8)
