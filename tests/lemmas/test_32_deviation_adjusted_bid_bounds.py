"""lem:deviation-adjusted-bid-bounds. Bids near the estimate leave adjusted bids near the mean cost.

Under asmp:bounded-deviations, -d_- <= b_{i,t} - chat_{i,t} <= d_+ for every t > N. Then on the good event, for every
provider i and every step t > N,

    cbar_i - 2 c_max beta(m_{i,t}) - d_- <= b_{i,t} - c_max beta(m_{i,t}) <= cbar_i + d_+.

With radii widened for Bayesian estimates (1 + gamma) c_max beta takes the place of c_max beta, as in all of appendix C.
"""

from hypothesis import given

from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions, dearest_auctions
from tests.lemmas.quantities import TRUTHFUL, cost_radius, deviating
from tests.lemmas.steps import Run, steps

DEVIATING = settings(assumptions=True) | deviating(TRUTHFUL)
WITHIN = "deviating"  # wrong: deviating -> arbitrary
RUNS = traces(DEVIATING, bidding=WITHIN) | traces(DEVIATING, bidding="combined")


def band(market: Setting, mean_cost: float, m: int) -> tuple[float, float]:
    """Return the least and the largest adjusted bid of a provider after m selections."""
    low, high = 2 * cost_radius(market, m) + market.platform.underbid, market.platform.overbid
    return mean_cost - low, mean_cost + high  # wrong: + high -> + 0.999 * high


def places(case: Run) -> list[float]:
    """Return where adjusted bids lie: 0 is the lower end of the band, 1 the upper."""
    market, found = case.setting, []
    for step in steps(case)[market.n_providers :]:
        for provider, m, bid in zip(market.providers, step.counts, step.bids, strict=True):
            low, high = band(market, provider.mean_cost, m)
            found.append((bid - cost_radius(market, m) - low) / (high - low))
    return found


@given(RUNS)
def test_holds_at_every_step(case: Run) -> None:
    found = places(case)
    assert min(found, default=0) >= -1e-9
    assert max(found, default=0) <= 1 + 1e-9


def test_is_tight() -> None:
    """Bids a deviation off their estimates, which lie a radius off the means, on the same side."""
    low = places(cheapest_auctions(Slacks(underbid=0.05, overbid=0.1), scale=60, horizon=600))
    assert 0 <= min(low) + 1e-9 < 1e-6
    assert 1 - 1e-6 < max(places(dearest_auctions(Slacks(underbid=0.05, overbid=0.1)))) <= 1 + 1e-9
