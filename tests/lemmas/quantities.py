"""What the statements of the paper say of a market, typed by hand, and the runs on which they are tested."""

import math

import mpmath
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from costproof.testing import Played
from proofs_checks.claims.cases.variants import with_slacks
from tests.bounds import by_hand

#: Markets with at least two qualified providers and a unique i*, for truthful bids.
TRUTHFUL = settings(slacks=False, assumptions=True)
#: Runs of the platform with any bids; scores and costs lie at the edges of the good event.
RUNS = traces(settings(assumptions=True), bidding=None)


@st.composite
def soon_settled(draw: st.DrawFn) -> Setting:
    """Draw a market for truthful bids whose T_0 is at most 30."""
    bound, gap = draw(st.sampled_from([1.0, 102.4])), draw(st.sampled_from([1.0, 0.5, 0.01]))
    least = draw(st.sampled_from([0.0, (1 - gap) / 2, 1 - gap])) * bound
    unqualified = draw(st.sampled_from([[], [(0.0, bound)], [(0.1, 0.0)]]))
    pairs = draw(st.permutations([(1.0, least), (1.0, min(least + gap * bound, bound)), *unqualified]))
    return by_hand.setting_of(
        pairs,
        quality_threshold=1.0,
        confidence=draw(st.sampled_from([0.5, 0.9])),
        cost_bound=bound,
        exploration_scale=draw(st.floats(8, 10)),
        exploration_exponent=draw(st.floats(0.8, 0.95)),
    )


#: Markets for truthful bids, half of which have a small T_0.
SETTLING = TRUTHFUL | soon_settled()


def believing(of: SearchStrategy[Setting]) -> SearchStrategy[Setting]:
    """Return markets whose estimates lie within gamma radii of the empirical means."""
    gammas = st.sampled_from([0.01, 0.5]) | st.floats(0, 1.5)
    return st.builds(lambda market, gamma: with_slacks(market, belief_slack=gamma), of, gammas)


def estimate_runs(of: SearchStrategy[Setting]) -> SearchStrategy[Played]:
    """Return runs whose bids are mean costs, or Bayesian estimates for which the platform widens the radius."""
    return traces(of) | traces(believing(of), bidding="bayesian")


#: Runs whose bids are cost estimates.
ESTIMATE_RUNS = estimate_runs(TRUTHFUL)


def deviating(of: SearchStrategy[Setting]) -> SearchStrategy[Setting]:
    """Return markets whose bids may lie d_- below and d_+ above the estimates."""
    shares = st.sampled_from([0.0, 0.01, 0.1, 0.25])
    return st.builds(
        lambda market, under, over: with_slacks(
            market, underbid=under * market.platform.cost_bound, overbid=over * market.platform.cost_bound
        ),
        of,
        shares,
        shares,
    )


def quality_gaps(market: Setting) -> dict[int, float]:
    """Return eps_i = q_min - q_i of each unqualified provider."""
    return {i: market.platform.quality_threshold - market.providers[i].quality for i in market.unqualified}


def cost_gaps(market: Setting) -> dict[int, float]:
    """Return Delta_i = cbar_i - cbar_{i*} of each provider i != i* in Q."""
    return {i: excesses(market)[i] for i in market.competitors}


def excesses(market: Setting) -> list[float]:
    """Return (cbar_i - cbar_{i*})^+ of every provider; i* has the lowest mean cost in Q."""
    threshold = market.platform.quality_threshold
    least = min(p.mean_cost for p in market.providers if p.quality >= threshold)
    return [max(p.mean_cost - least, 0.0) for p in market.providers]


def second_lowest_cost(market: Setting) -> float:
    """Return c_(2), the second-lowest mean cost of a qualified provider."""
    able = [p.mean_cost for p in market.providers if p.quality >= market.platform.quality_threshold]
    return sorted(able)[1]


def cost_width(market: Setting) -> float:
    """Return (1 + gamma) c_max, which is c_max with truthful bids."""
    return (1 + market.platform.belief_slack) * market.platform.cost_bound


def cost_radius(market: Setting, m: float) -> float:
    """Return (1 + gamma) c_max beta(m)."""
    return cost_width(market) * by_hand.beta(m, market.n_providers, market.platform.confidence)


def count_bound(x: float, market: Setting) -> int:
    """Return M(x)."""
    return by_hand.count_bound(x, market.n_providers, market.platform.confidence)


def target(market: Setting, t: float) -> float:
    """Return g(t) = k (t/N)^alpha."""
    platform = market.platform
    return platform.exploration_scale * (t / market.n_providers) ** platform.exploration_exponent


def explored(market: Setting, horizon: int) -> int:
    """Return ceil(g(T)) - 1; digits decide next to whole numbers."""
    g = target(market, horizon)
    if abs(g - round(g)) > 1e-9 * g:
        return math.ceil(g) - 1
    return by_hand.explored({"horizon": horizon, "n_providers": market.n_providers, **vars(market.platform)})


def radius_sum(market: Setting, horizon: int) -> float:
    """Return the right side of lem:radius-sum with kappa = 1."""
    return by_hand.radius_sum(market.n_providers, market.platform.confidence, horizon)


def burn_in(market: Setting) -> float:
    """Return T_0 = N max{1, (Mbar/k)^(1/alpha)}, where Mbar is the largest of 1 and all M_i."""
    largest = max([1, *(count_bound(gap, market) for gap in quality_gaps(market).values())])
    with mpmath.workdps(50):
        exponent = 1 / mpmath.mpf(market.platform.exploration_exponent)
        return float(market.n_providers * max(1, (largest / mpmath.mpf(market.platform.exploration_scale)) ** exponent))
