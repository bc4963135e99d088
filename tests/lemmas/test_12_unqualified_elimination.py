"""lem:unqualified-elimination. An unqualified provider serves at most M_i queries after initialization.

On the good event, for any bids, a provider with eps_i = q_min - q_i > 0 serves at most

    M_i = ceil((4 / eps_i^2) ln(57 N / (delta eps_i^4))),   that is M(eps_i),

steps t > N. The last sentence of the proof, "once m_{i,t} > M_i, provider i cannot be selected at any step t > N", is
empty: that count is never reached (cor:eventual-ordinary-optimality). As a gap is at most 1, 30 in place of 57 suffices
(lem:radius-inversion). Somebody must be qualified (the paper assumes two): if nobody is, all are excluded in the end,
and queries are drawn among all.
"""

import math
from collections import Counter

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, lingering
from tests.lemmas.quantities import RUNS, quality_gaps
from tests.lemmas.steps import Run, on_fixed_market, steps


def most(market: Setting, gap: float) -> int:
    """Return M_i of a provider with a given eps_i."""
    logarithm = math.log(57 * market.n_providers / (market.platform.confidence * gap**4))  # wrong: 57 -> 18
    return math.ceil(4 / gap**2 * logarithm)  # wrong: 4 / -> 3.1 /


def shares(case: Run) -> list[float]:
    """Return how many queries after initialization each unqualified provider serves, as a share of M_i."""
    served = Counter(step.served for step in steps(case)[case.setting.n_providers :])
    return [served[i] / most(case.setting, gap) for i, gap in quality_gaps(case.setting).items()]


@given(RUNS)
def test_holds_for_any_bids(case: Run) -> None:
    assert max(shares(case), default=0) <= 1


def test_is_tight() -> None:
    """20 of 24: with a third provider, which two qualified ones demand, there is no larger share."""
    assert 0.83 < max(shares(lingering(Slacks()))) <= 1


def test_holds_only_while_somebody_is_qualified() -> None:
    """Where everybody is excluded, queries are drawn among all for ever."""
    quality = 1.0  # wrong: 1.0 -> 0.0
    usual = {"quality_threshold": 1.0, "confidence": 0.9, "exploration_scale": 1.0, "exploration_exponent": 0.5}
    case = on_fixed_market([(quality, 0.5), (quality, 0.5), (0.0, 0.0)], 150, **usual)
    assert max(shares(case)) <= 1
