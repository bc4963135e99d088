"""Strategies for standing bids: ties and near-ties are the ordinary case, uniform amounts the exception."""

from __future__ import annotations

import math

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from proofs_checks.conformance.play.scenario import Bid

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


@st.composite
def bid_profiles(draw: st.DrawFn, n_providers: int, cost_bound: float) -> tuple[float, ...]:
    """Return a strategy for standing bids of all providers at once.

    All equal, all but one equal, an ulp apart, all 0 or all c_max, or each for itself.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(bid_profiles(3, 1.0), lambda bids: len(set(bids)) > 1)
    (0.5, 0.5, 0.0)
    """
    one = bids(cost_bound, named=False)
    common = float(draw(one))
    profile = [common] * n_providers
    shape = draw(st.sampled_from(["equal", "one differs", "an ulp apart", "free"]))
    if shape == "one differs":
        profile[-1] = float(draw(one))
    elif shape == "an ulp apart":
        toward = draw(st.sampled_from([0.0, cost_bound]))
        profile[draw(st.integers(0, n_providers - 1))] = math.nextafter(common, toward)
    elif shape == "free":
        profile = [float(draw(one)) for _ in range(n_providers)]
    return tuple(profile)


def histories(cost_bound: float, *, max_size: int = 40) -> SearchStrategy[list[tuple[float, float]]]:
    """Return a strategy for what a mechanism is told step by step: scores and the standing bids left behind.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(histories(1.0), lambda history: len(history) == 2)
    [(1.0, 0.5), (1.0, 0.5)]
    """
    scores = st.sampled_from([1.0, 0.0, 0.5]) | st.floats(0.0, 1.0)
    return st.lists(st.tuples(scores, bids(cost_bound, named=False).map(float)), max_size=max_size)
