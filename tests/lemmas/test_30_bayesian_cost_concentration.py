"""lem:bayesian-cost-concentration. An estimate near the empirical mean cost is near the mean cost.

Under asmp:beliefs, |e_{i,m} - chat_{i,m}| <= gamma c_max beta(m) for every m >= 1. Then on the good event, for every
provider i and every m >= 1,

    |e_{i,m} - cbar_i| <= (1 + gamma) c_max beta(m).
"""

from collections.abc import Iterator

from hypothesis import given

from costproof.strategies import traces
from proofs_checks.claims.cases.boundary import Slacks, dearest_auctions
from tests.lemmas.quantities import TRUTHFUL, believing, cost_radius
from tests.lemmas.steps import Run, steps

ESTIMATES = "bayesian"  # wrong: bayesian -> arbitrary


def shares(case: Run) -> Iterator[float]:
    """Yield what the estimates of all providers at all steps use of the bound; they bid their estimates."""
    for step in steps(case)[case.setting.n_providers :]:
        for provider, m, bid in zip(case.setting.providers, step.counts, step.bids, strict=True):
            most = cost_radius(case.setting, m)  # wrong: cost -> 0.999 * cost
            yield abs(bid - provider.mean_cost) / most


@given(traces(believing(TRUTHFUL), bidding=ESTIMATES))
def test_holds_at_every_count(case: Run) -> None:
    assert max(shares(case), default=0) <= 1 + 1e-9


def test_is_tight() -> None:
    """The costs of the dearer provider lie a radius above their mean, and its estimates gamma radii above that."""
    assert 0.999 < max(shares(dearest_auctions(Slacks(belief_slack=0.5)))) <= 1 + 1e-9
