"""lem:qualified-eligibility. A qualified provider stays in the optimistic qualified set.

On the good event, at every step t > N and for any bids,

    q_i >= q_min  implies  qhat_{i,t} + beta(m_{i,t}) >= q_min.

So the set is not empty, as two providers are qualified.
"""

from hypothesis import given

from bounds.setting.model import Setting
from costproof.strategies import settings, traces
from costproof.testing import Played
from proofs_checks.claims.cases.boundary import Slacks, lingering
from tests.bounds.by_hand import beta
from tests.lemmas.steps import Step, steps


def shortfalls(market: Setting, step: Step) -> list[float]:
    """Return, per qualified provider, by how many radii its empirical quality falls short of q_min."""
    threshold = market.platform.quality_threshold
    n, delta = market.n_providers, market.platform.confidence
    radii = [beta(m, n, delta) for m in step.counts]  # wrong: beta -> 0.99999 * beta
    return [(threshold - step.qualities[i]) / radii[i] for i in market.qualified]


@given(traces(settings(), bidding=None))
def test_holds_after_initialization(played: Played) -> None:
    for step in steps(played)[played.setting.n_providers :]:
        assert all(share <= 1 + 1e-9 for share in shortfalls(played.setting, step))
        assert set(step.eligible) >= set(played.setting.qualified)
        assert step.kind != "nobody eligible" or not played.setting.qualified


def test_is_tight() -> None:
    """Where q_i = q_min, scores at the lower edge of their band leave nothing between the two sides."""
    case = lingering(Slacks())
    shares = [share for step in steps(case)[3:] for share in shortfalls(case.setting, step)]
    assert 0.999999 < max(shares) <= 1
