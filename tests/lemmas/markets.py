"""Settings that some statements need: with slacks of the bids, or with a T_0 that is passed soon."""

from __future__ import annotations

import math

import mpmath
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from bounds.setting.model import PlatformParameters, Setting
from proofs_checks.claims.cases.variants import with_slacks
from proofs_checks.conformance.strategies import gapped_settings, settings
from tests.bounds.by_hand import beta

#: With truthful bids, two qualified providers and one cheapest among them.
TRUTHFUL = settings(slacks=False, assumptions=True)


def second_lowest_cost(market: Setting) -> float:
    """Return c_(2), the second-lowest mean cost of a qualified provider."""
    return sorted(p.mean_cost for p in market.providers if p.quality >= market.platform.quality_threshold)[1]


def cost_radius(market: Setting, m: float) -> float:
    """Return (1 + gamma) c_max beta(m), which is c_max beta(m) with truthful bids."""
    p = market.platform
    return (1 + p.belief_slack) * p.cost_bound * beta(m, market.n_providers, p.confidence)


def target(market: Setting, t: int) -> float:
    """Return g(t)."""
    return market.platform.exploration_scale * (t / market.n_providers) ** market.platform.exploration_exponent


def unqualified_gaps(market: Setting) -> list[float]:
    """Return eps_i of every unqualified provider."""
    threshold = market.platform.quality_threshold
    return [threshold - p.quality for p in market.providers if p.quality < threshold]


def count_bound(x: float, n: int, delta: float) -> float:
    """Return M(x) of thm:sample-complexity, also of an x whose powers are no floats."""
    x = mpmath.mpf(x)
    return float(mpmath.ceil(4 / x**2 * mpmath.log(57 * n / (delta * x**4)))) if x else math.inf


def burn_in(market: Setting) -> float:
    """Return T_0 = N max{1, (Mbar/k)^(1/alpha)}, where Mbar is the largest of 1 and all M_i."""
    n, platform = market.n_providers, market.platform
    largest = max([1, *(count_bound(gap, n, platform.confidence) for gap in unqualified_gaps(market))])
    steps = mpmath.mpf(largest / platform.exploration_scale) ** (1 / platform.exploration_exponent)
    return float(n * max(1, steps))


@st.composite
def soon_settled(draw: st.DrawFn) -> Setting:
    """Draw a setting with truthful bids whose T_0 is at most 30."""
    scale, exponent = draw(st.floats(8, 10)), draw(st.floats(0.8, 0.95))
    bound = draw(st.sampled_from([1.0, 102.4]))
    platform = PlatformParameters(1.0, draw(st.sampled_from([0.5, 0.9])), bound, scale, exponent)
    unqualified = draw(st.sampled_from([(), (1.0,), (0.9,)]))
    gap = draw(st.sampled_from([1.0, 0.5, 0.01]))
    return draw(gapped_settings(unqualified, (gap * bound,), platform=platform))


def believing(of: SearchStrategy[Setting]) -> SearchStrategy[Setting]:
    """Return settings whose estimates lie within gamma radii of the empirical means."""
    gammas = st.sampled_from([0.01, 0.5]) | st.floats(0, 1.5)
    return st.builds(lambda market, gamma: with_slacks(market, belief_slack=gamma), of, gammas)


def deviating(of: SearchStrategy[Setting]) -> SearchStrategy[Setting]:
    """Return settings whose bids may lie d_- below and d_+ above the estimates."""
    shares = st.sampled_from([0.0, 0.01, 0.1, 0.25])
    return st.builds(
        lambda market, under, over: with_slacks(
            market, underbid=under * market.platform.cost_bound, overbid=over * market.platform.cost_bound
        ),
        of,
        shares,
        shares,
    )
