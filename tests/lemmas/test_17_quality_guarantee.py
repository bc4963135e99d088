"""thm:quality-guarantee. Quality below the threshold is delivered a bounded number of times.

On the good event, for any bids, the quality regret R = sum_{t <= T} (q_min - q_{I_t})^+ satisfies for every T >= N

    R <= min{N + 2 sqrt(2 N (T - N) ln(2 pi^2 N T^2 / (3 delta))),  sum_{i not in Q} (M_i + 1) eps_i},

and at most sum_{i not in Q} (M_i + 1) queries go to unqualified providers. Neither sum depends on T: divided by T, both
are O(1/T).

Of the two sums of radii one is enough: eps_i <= 2 beta(n) at the n-th selection after initialization, so n selections
cost at most n eps_i <= sqrt(2 n ln(2 pi^2 N n^2 / (3 delta))), and over all providers these add up to at most the root.
"""

import numpy as np
from hypothesis import given

from bounds.setting.model import Setting
from mechanism.bidding import TruthfulBidder
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.platform import Platform
from proofs_checks.claims.cases.boundary import Slacks, boundary_setting, lingering
from proofs_checks.claims.cases.constructed import WalkedMarket
from tests.lemmas.quantities import RUNS, count_bound, quality_gaps, radius_sum
from tests.lemmas.steps import Run, steps

SUMS_ENOUGH = 1.0  # wrong: 1.0 -> 0.9


def anytime(market: Setting, horizon: int, sums: float = SUMS_ENOUGH) -> float:
    """Return the first bound on R."""
    return market.n_providers + sums * radius_sum(market, horizon)  # wrong: n_providers + -> n_providers * 0.99 +


def selections(market: Setting) -> dict[int, float]:
    """Return M_i + 1 of each unqualified provider."""
    caps = {i: count_bound(gap, market) for i, gap in quality_gaps(market).items()}
    return {i: cap + 1 for i, cap in caps.items()}  # wrong: cap + 1 -> 0.83 * (cap + 1)


def by_gaps(market: Setting) -> float:
    """Return the second bound on R."""
    gaps = quality_gaps(market)
    return sum(most * gaps[i] for i, most in selections(market).items())


@given(RUNS)
def test_holds_at_every_horizon(case: Run) -> None:
    market, gaps, regret, unqualified = case.setting, quality_gaps(case.setting), 0.0, 0
    for step in steps(case):
        regret += gaps.get(step.served, 0.0)
        unqualified += step.served in gaps
        if step.t >= market.n_providers:
            assert regret <= anytime(market, step.t) * (1 + 1e-12)
            assert regret <= by_gaps(market) * (1 + 1e-12)
            assert unqualified <= sum(selections(market).values())


def test_is_tight_at_the_start() -> None:
    """T = N = 500, all but two providers have quality 0, and q_min = 1: R = N - 2."""
    n = 500
    market = boundary_setting("start", [0.0] + [1.0] * (n - 1), [1.0, 1.0] + [0.0] * (n - 2), threshold=1.0)
    regret = sum(quality_gaps(market)[i] for i in range(2, n))
    assert 0.99 < regret / anytime(market, n) <= 1


def test_needs_a_sum_of_radii() -> None:
    """30 providers of quality 0 and q_min = 1 serve 309 queries each, until 2 beta(m) < 1."""
    n, rng = 32, np.random.default_rng(0)
    qualities = [1.0, 1.0] + [0.0] * (n - 2)
    market = boundary_setting("radii", [0.5] * n, qualities, threshold=1.0, confidence=1e-60, scale=1e6)
    walks = WalkedMarket.constructed(market, [("up", "up")] * n, 10_000, rng)
    platform, bidders = Platform(MechanismConfig.of(market), rng), [TruthfulBidder(1.0) for _ in qualities]
    regret = (run_episode(platform, bidders, walks, 10_000).provider >= 2).sum()
    assert 0.91 < regret / anytime(market, 10_000) <= 1


def test_is_nearly_tight_for_given_gaps() -> None:
    """An unqualified provider that scores high is selected 20 times after initialization, and M_i = 24."""
    case = lingering(Slacks())
    served = sum(step.served == 2 for step in steps(case))
    assert served == 21
    assert 0.83 < served * 0.954 / by_gaps(case.setting) <= 1
    assert served <= sum(selections(case.setting).values())
