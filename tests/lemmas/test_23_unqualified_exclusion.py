"""lem:unqualified-exclusion. An unqualified provider that is eligible has been selected at most M_i times.

On the good event, for any bids, for every i not in Q and every step t > N: if i is in the optimistic qualified set,
that is qhat_{i,t} + beta(m_{i,t}) >= q_min, then

    m_{i,t} <= M_i = ceil((4 / eps_i^2) ln(57 N / (delta eps_i^4))),   where eps_i = q_min - q_i.

Before it is rounded up the bound is strict, and a provider is selected only while it is eligible: m_{i,t} <= M_i holds
whether it is eligible or not (see cor:eventual-ordinary-optimality).
"""

import math

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, lingering
from tests.lemmas.quantities import RUNS, quality_gaps
from tests.lemmas.steps import Run, steps


def most(market: Setting, gap: float) -> int:
    """Return M_i."""
    squared = gap**2
    logarithm = math.log(57 * market.n_providers / (market.platform.confidence * squared**2))
    return math.ceil(4 / squared * logarithm)  # wrong: 4 / -> 3.16 /


def shares(case: Run) -> list[float]:
    """Return the count of an unqualified provider as a share of M_i, whenever it is eligible."""
    bounds = {i: most(case.setting, gap) for i, gap in quality_gaps(case.setting).items()}
    after = [step for step in steps(case) if step.t > case.setting.n_providers]
    return [step.counts[i] / bound for step in after for i, bound in bounds.items() if i in step.eligible]


@given(RUNS)
def test_holds_at_every_step(case: Run) -> None:
    assert max(shares(case), default=0) <= 1


def test_is_nearly_tight() -> None:
    """With eps_i = 0.954 and scores at the upper edge: 20 of M_i = 24, and no other gap has a larger share.

    For small gaps the share tends to a half.
    """
    assert max(shares(lingering(Slacks()))) == 20 / 24
