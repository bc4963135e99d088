"""Strategies for standing bids: ties and near-ties are the ordinary case, uniform amounts the exception."""

from __future__ import annotations

import math

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from proofs_checks.conformance.scenario import Bid

#: Bids that depend on the state: at the own critical payment, an ulp beside it, or truthful.
_NAMED: tuple[Bid, ...] = ("critical", "critical - ulp", "critical + ulp", "truthful")


def bids(cost_bound: float, *, named: bool = True) -> SearchStrategy[Bid]:
    """Return a strategy for one standing bid.

    Parameters
    ----------
    cost_bound : float
        c_max: bids lie in [0, c_max].
    named : bool, optional
        Whether bids may be "truthful" or at the provider's own critical payment, give or take an ulp (default).

    Examples
    --------
    >>> from hypothesis import find
    >>> find(bids(1.0, named=False), lambda bid: bid > 0.5)
    1.0
    """
    grid: list[Bid] = [cost_bound / 2, 0.0, cost_bound, cost_bound / 4, math.nextafter(cost_bound / 2, 0.0)]
    return st.sampled_from(grid + (list(_NAMED) if named else [])) | st.floats(0.0, cost_bound)
