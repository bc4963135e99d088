"""lem:deviation-adjusted-bid-bounds. Bids near the estimate leave adjusted bids near the mean cost.

Under asmp:bounded-deviations, -d_- <= b_{i,t} - chat_{i,t} <= d_+ for every t > N. Then on the good event, for every
provider i and every step t > N,

    cbar_i - 2 c_max beta(m_{i,t}) - d_- <= b_{i,t} - c_max beta(m_{i,t}) <= cbar_i + d_+.

With radii widened for Bayesian estimates (1 + gamma) c_max beta takes the place of c_max beta, as in all of appendix C.
"""

from __future__ import annotations

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, cheapest_auctions, dearest_auctions
from proofs_checks.claims.model.case import Case
from proofs_checks.conformance.strategies import settings, steered_cases
from tests.bounds.by_hand import beta
from tests.lemmas.markets import TRUTHFUL, deviating
from tests.lemmas.steps import steps

DEVIATING = settings(assumptions=True) | deviating(TRUTHFUL)
WITHIN = {"arbitrary_bids": False}  # wrong: False -> True


def band(market: Setting, mean_cost: float, m: int) -> tuple[float, float]:
    """Return the least and the largest adjusted bid of a provider after m selections."""
    p = market.platform
    radius = (1 + p.belief_slack) * p.cost_bound * beta(m, market.n_providers, p.confidence)
    return mean_cost - 2 * radius - p.underbid, mean_cost + p.overbid  # wrong: + p.overbid -> + 0.999 * p.overbid


def places(case: Case) -> list[float]:
    """Return where adjusted bids lie: 0 is the lower end of the band, 1 the upper."""
    market, found = case.setting, []
    for step in steps(case)[market.n_providers :]:
        for provider, m, bid in zip(market.providers, step.counts, step.bids, strict=True):
            low, high = band(market, provider.mean_cost, m)
            radius = (high - low - market.platform.underbid - market.platform.overbid) / 2
            found.append((bid - radius - low) / (high - low))
    return found


@given(steered_cases(of=DEVIATING, **WITHIN))
def test_holds_at_every_step(case: Case) -> None:
    found = places(case)
    assert min(found, default=0) >= -1e-9
    assert max(found, default=0) <= 1 + 1e-9


def test_is_tight() -> None:
    """Bids a deviation off their estimates, which lie a radius off the means, on the same side."""
    low = places(cheapest_auctions(Slacks(underbid=0.05, overbid=0.1), scale=60, horizon=600))
    assert 0 <= min(low) + 1e-9 < 1e-6
    assert 1 - 1e-6 < max(places(dearest_auctions(Slacks(underbid=0.05, overbid=0.1)))) <= 1 + 1e-9
