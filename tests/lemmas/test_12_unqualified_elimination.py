"""lem:unqualified-elimination. An unqualified provider serves at most M_i queries after initialization.

On the good event, for any bids, a provider with eps_i = q_min - q_i > 0 serves at most

    M_i = ceil((4 / eps_i^2) ln(57 N / (delta eps_i^4))),   that is M(eps_i),

steps t > N. The last sentence of the proof, "once m_{i,t} > M_i it cannot be selected", is empty: that count is never
reached (cor:eventual-ordinary-optimality). As a gap is at most 1, 30 instead of 57 suffices. Two providers are
qualified, as everywhere: nobody is eligible otherwise, in the end.
"""

from __future__ import annotations

import math
from collections import Counter

from hypothesis import given

from bounds.formulas.selection import ELIMINATION_BOUND, SUM_ELIMINATION_BOUNDS
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import PlatformParameters, Setting
from mechanism.bidding import TruthfulBidder
from proofs_checks.claims.cases.boundary import Slacks, lingering
from proofs_checks.claims.cases.steered import SmallMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.conformance.strategies import settings, steered_cases
from tests.lemmas.steps import steps

TWO_QUALIFIED = settings(assumptions=True)


def most(market: Setting, i: int) -> int:
    """Return M_i."""
    gap = market.platform.quality_threshold - market.providers[i].quality
    logarithm = math.log(57 * market.n_providers / (market.platform.confidence * gap**4))  # wrong: 57 -> 18
    return math.ceil(4 / gap**2 * logarithm)  # wrong: 4 / -> 3.1 /


def selections(case: Case) -> Counter[int]:
    """Return how many steps after initialization each provider serves."""
    return Counter(step.served for step in steps(case)[case.setting.n_providers :])


@given(steered_cases(of=TWO_QUALIFIED))
def test_holds_for_any_bids(case: Case) -> None:
    served = selections(case)
    for i in case.setting.unqualified:
        assert served[i] <= most(case.setting, i)


@given(TWO_QUALIFIED)
def test_bounds_prints_it(market: Setting) -> None:
    values, expected = formula_inputs(market), [most(market, i) for i in market.unqualified]
    assert all(math.isclose(*pair, rel_tol=1e-9) for pair in zip(ELIMINATION_BOUND(values), expected, strict=True))
    assert math.isclose(SUM_ELIMINATION_BOUNDS.value(values), sum(expected), rel_tol=1e-9)


def test_is_tight() -> None:
    """20 of 24: with a third provider, which two qualified ones demand, there is no larger share."""
    case = lingering(Slacks())
    assert 0.83 < selections(case)[2] / most(case.setting, 2) <= 1


def test_holds_only_while_somebody_is_qualified() -> None:
    """Where everybody is excluded, queries are drawn among all for ever."""
    quality = 1.0  # wrong: 1.0 -> 0.0
    market = SmallMarket((0.5, 0.5, 0.0), (quality, quality, 0.0), 150, PlatformParameters(1.0, 0.9, 1.0, 1.0, 0.5))
    case = Case(market.setting, market.run([TruthfulBidder() for _ in market.costs]))
    assert all(selections(case)[i] <= most(case.setting, i) for i in case.setting.unqualified)
