"""cor:eventual-ordinary-optimality. Once all others have been selected often enough, i* wins every auction.

With truthful bids, on the good event, if at some step t > N

    m_{i,t} > M_i for every i not in Q   and   m_{i,t} > L_i for every i != i* in Q,

then every step tau >= t that explores nobody is assigned to i*.

The paper's condition never holds while a provider is unqualified: no such provider ever reaches m > M_i, since it is
not eligible any more. What holds, and is tested here, has "i is not eligible" in place of "m_{i,t} > M_i".
"""

from hypothesis import given

from bounds.setting.model import Setting
from proofs_checks.claims.cases.boundary import Slacks, dear_winner
from tests.lemmas.quantities import ESTIMATE_RUNS, cost_gaps, cost_width, count_bound, quality_gaps
from tests.lemmas.steps import Run, Step, on_fixed_market, steps


def condition(market: Setting, step: Step) -> bool:
    last_wins = {i: count_bound(gap / cost_width(market), market) for i, gap in cost_gaps(market).items()}
    excluded = not set(step.eligible) & set(market.unqualified)  # wrong: not set(step.eligible) & -> True or
    return excluded and all(step.counts[i] > last for i, last in last_wins.items())  # wrong: > last -> > last - 4


def later_auctions(case: Run) -> list[Step]:
    """Return the auctions from the first step on at which the condition holds."""
    after = [step for step in steps(case) if step.t > case.setting.n_providers]
    first = next((step.t for step in after if condition(case.setting, step)), len(case.trace) + 1)
    return [step for step in after if step.t >= first and step.kind == "auction"]


@given(ESTIMATE_RUNS)
def test_holds(case: Run) -> None:
    assert all(step.served == case.setting.optimal for step in later_auctions(case))


@given(ESTIMATE_RUNS)
def test_the_condition_of_the_paper_never_holds(case: Run) -> None:
    for i, gap in quality_gaps(case.setting).items():
        assert case.replay.final_counts[i] <= count_bound(gap, case.setting)


def test_is_nearly_tight() -> None:
    """L_i = 20, and the competitor still wins the auction that it enters with 17 selections."""
    case = dear_winner(Slacks(), gap=0.99)
    assert max(step.counts[1] for step in steps(case) if step.served == 1) == 17
    assert all(step.served == 0 for step in later_auctions(case))


def test_unqualified_providers_must_be_excluded() -> None:
    """The unqualified provider is the cheapest: it wins auctions until it is excluded, long after m_1 > L_1 = 28."""
    usual = {"quality_threshold": 1.0, "confidence": 0.9, "exploration_scale": 30.0, "exploration_exponent": 0.05}
    case = on_fixed_market([(1.0, 0.1), (1.0, 1.0), (0.7, 0.0)], 300, **usual)
    assert {step.served for step in later_auctions(case)} == {0}
