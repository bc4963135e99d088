"""thm:robust-dominant. Against the unknown, a provider does best in the worst case by bidding its cost estimate.

Fix a provider i, the strategies of the others, and a history H_t with t > N. Let U(sigma) be the expected sum, over the
steps s = t, ..., T that i serves, of pi_s - chat_{i,s}. Bidding the estimate, sigma*_i = chat_{i,s},

    i)   has U >= 0 for every T >= t and all score and cost distributions of the others;
    ii)  has the largest infimum of U over all of these;
    iii) has a strictly larger one than a strategy whose bid at t and the estimate have P_{i,t} strictly between them,
         if nobody is explored at t and i is eligible.

This holds for any estimate in [0, c_max], and with radii that are widened by 1 + gamma. Bidding the estimate is no
best reply at a known T, where overbidding and being selected by exploration alone may earn more. U charges estimates,
not the true mean cost. A bid that changes the assignment at a tie need not be worse, whatever the text that follows
says.
"""

import functools
from fractions import Fraction
from typing import NamedTuple

from hypothesis import given, strategies as st

from mechanism.rules import adjusted_bids, allocate, auction_payment, critical_payment, eligible
from tests.bounds.by_hand import beta

HAIR, HALF, BOUND = Fraction(1, 10**9), Fraction(1, 2), Fraction(1)
QUARTERS = st.integers(0, 4).map(lambda quarters: Fraction(quarters, 4))
#: What i does not know: the scores of the other provider and the bids that it leaves; and how many queries follow.
OTHERS = [(0, Fraction(1)), (1, Fraction(0)), (1, HALF)]
LATER = (0, 1, 2)  # wrong: (0, 1, 2) -> (2,)


class History(NamedTuple):
    """What providers 0 and 1 did before a step. A query costs provider 0, which is i, 0 or c_max with equal chances."""

    counts: tuple[int, int]
    scores: tuple[int, int]
    cost: Fraction
    bids: tuple[Fraction, Fraction]
    scale: float
    gamma: Fraction = Fraction(0)

    @property
    def estimate(self) -> Fraction:
        """The mean cost of i, if gamma further queries had cost c_max/2."""
        return (self.cost + self.gamma / 2) / (self.counts[0] + self.gamma)


@functools.lru_cache(10_000)
def decide(now: History) -> tuple[dict[int, Fraction], Fraction | None]:
    """Return what each provider that may serve would be paid, and P_{i,t} if it is an auction and i is eligible.

    Nothing is rounded from the radii on.
    """
    widening = 1 + now.gamma
    radii = [Fraction(beta(m, 2, 0.9)) for m in now.counts]
    able = eligible([score / m for score, m in zip(now.scores, now.counts, strict=True)], radii, 1)
    adjusted = adjusted_bids(now.bids, [widening * radius for radius in radii])
    kind, serving, _ = allocate(able, now.counts, now.scale * ((sum(now.counts) + 1) / 2) ** 0.5, adjusted)
    if kind != "auction":
        return dict.fromkeys(serving, BOUND), None
    critical = {i: critical_payment(i, able, adjusted, widening * radii[i]) for i in able}
    return {i: auction_payment(critical[i], BOUND) for i in serving}, critical.get(0)


@functools.lru_cache(10_000)
def utility(now: History, bid: Fraction | None, other: tuple[int, Fraction], later: int) -> Fraction:
    """Return U over this query and so many later ones, of a strategy that bids an amount, or the estimate (None)."""
    total, (m, rival), (score, rivals) = Fraction(0), now.counts, now.scores
    payments, _ = decide(now)
    for served, paid in payments.items():
        rival_serves = {"counts": (m, rival + 1), "scores": (score, rivals + other[0]), "bids": (now.bids[0], other[1])}
        futures = [now._replace(**rival_serves)]
        if served == 0:
            total += paid - now.estimate  # wrong: now.estimate -> Fraction(1, 2)
            serves = now._replace(counts=(m + 1, rival), scores=(score + 1, rivals))
            futures = [bidding(serves._replace(cost=now.cost + more), bid) for more in (0, 1)]
        if later:
            total += sum(utility(future, bid, other, later - 1) for future in futures) / len(futures)
    return total / len(payments)


def bidding(now: History, bid: Fraction | None) -> History:
    """Return the history with another standing bid of i, or its estimate (None)."""
    return now._replace(bids=(now.estimate if bid is None else bid, now.bids[1]))


def worst(now: History, bid: Fraction | None) -> Fraction:
    """Return the infimum of U."""
    now = bidding(now, bid)
    return min(utility(now, bid, other, later) for other in OTHERS for later in LATER)


@st.composite
def histories(draw: st.DrawFn) -> History:
    counts = draw(st.tuples(*[st.sampled_from([1, 2, 5, 20])] * 2))
    scores = tuple(draw(st.sampled_from([m, 0])) for m in counts)
    cost, other, gamma = draw(QUARTERS) * counts[0], draw(QUARTERS), draw(st.sampled_from([Fraction(0), HALF]))
    scale = draw(st.sampled_from([0.0, 0.75, 1.0, 3.0]))
    return bidding(History(counts, scores, cost, (cost, other), scale, gamma), None)


@given(histories(), QUARTERS)
def test_holds_for_all_bids_about_the_critical_payment(now: History, any_bid: Fraction) -> None:
    (_, critical), (estimate, _) = decide(now), now.bids
    assert worst(now, None) >= 0
    near = [] if critical is None else [critical - HAIR, critical, critical + HAIR]
    for bid in (bid for bid in (*near, any_bid, Fraction(0), BOUND) if 0 <= bid <= BOUND):
        assert worst(now, None) >= worst(now, bid)
        if critical is not None and (estimate - critical) * (bid - critical) < 0:  # wrong: < 0 -> <= 0
            assert worst(now, None) > worst(now, bid)


@given(histories(), QUARTERS)
def test_is_tight(now: History, bid: Fraction) -> None:
    """The worst case is that no query follows: then every bid on the estimate's side of P is worth as much."""
    (_, critical), (estimate, _) = decide(now), now.bids
    if critical is not None:
        assert worst(now, None) == max(min(critical, BOUND) - estimate, 0)
        if (estimate - critical) * (bid - critical) > 0:
            assert utility(bidding(now, bid), bid, OTHERS[0], 0) == worst(now, None)


def test_is_no_best_reply_at_a_known_horizon() -> None:
    """With one query to follow, i had better lose this one: it is explored next, and paid c_max."""
    quarter = Fraction(1, 4)
    now = History((1, 1), (1, 1), quarter, (quarter, HALF), 0.75)
    assert utility(now, None, (1, HALF), 1) == quarter
    assert utility(bidding(now, BOUND), BOUND, (1, HALF), 1) == 3 * quarter
