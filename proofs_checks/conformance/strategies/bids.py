"""Strategies for standing bids: ties and near-ties are the ordinary case, uniform amounts the exception."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from proofs_checks.claims.model.alternative_bids import alternative_bids
from proofs_checks.conformance.play.scenario import Bid

if TYPE_CHECKING:
    from proofs_checks.conformance.play.played import Played

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


def misreports(played: Played, step: int, provider: int) -> SearchStrategy[float]:
    """Return a strategy for other standing bids of a provider at a step of a run: those at which something may change.

    Half of the draws are 0, c_max, half of it, or at a breakpoint: a rival's standing bid, the bid that ties with a
    rival's adjusted bid, the own critical payment or bid, the mean cost, or that plus d_+ or minus d_-; an ulp of c_max
    below or above it, too. The others are uniform in [0, c_max].

    Parameters
    ----------
    played : Played
    step : int
        After initialization.
    provider : int

    Examples
    --------
    >>> from hypothesis import find
    >>> from mechanism.trace import Trace
    >>> from proofs_checks.conformance.play.played import Played
    >>> from proofs_checks.conformance.strategies.edges import settings
    >>> setting = find(settings(), lambda setting: True)
    >>> trace = Trace([0, 1, 0], [1.0, 1.0, 0.5], [0.75, 0.75, 0.75], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25])
    >>> find(misreports(Played(setting, trace), 3, 0), lambda bid: bid > 0.5)
    0.5000000000000002
    """
    replay, row, platform = played.replay, step - 1, played.setting.platform
    estimate, radius = replay.cost_estimates[row, provider], replay.cost_radii[row, provider]
    points = [
        *(estimate, estimate - platform.underbid, estimate + platform.overbid),
        *(replay.critical_payments[row, provider], *replay.standing_bids[row], *(replay.adjusted_bids[row] + radius)),
    ]
    bound = platform.cost_bound
    return st.sampled_from(alternative_bids(bound, points, math.ulp(bound))) | st.floats(0.0, bound)
