"""lem:one-step. At one step no bid earns more than bidding the cost estimate, which never loses.

Fix a step s > N and the history before it. Let G(b) be what provider i nets at this step with a bid b in [0, c_max]:
payment minus estimate if it serves. Its estimate e lies in [0, c_max] too, and P is its critical payment. Then

    a) G(e) >= 0;
    b) G(e) >= G(b);
    c) G(b) < G(e) if nobody is explored, i is eligible and (e - P)(b - P) < 0.

This holds whoever is drawn, however ties are broken, and with radii that are widened by 1 + gamma. The paper says after
thm:robust-dominant that "any deviation changing whether the provider is assigned the query" is strictly worse, which a
tie at P refutes.
"""

import math
from typing import NamedTuple

from hypothesis import given, strategies as st

from costproof.strategies import bid_profiles
from mechanism.rules import allocate
from tests.bounds.by_hand import beta

BOUND = 2.0
LARGEST_ESTIMATE = BOUND  # wrong: BOUND -> 1.2 * BOUND


class Step(NamedTuple):
    """What is fixed at the step; provider 0 chooses its bid."""

    counts: list[int]
    eligible: tuple[int, ...]
    target: int
    bids: tuple[float, ...]
    gamma: float = 0.0

    @property
    def radii(self) -> list[float]:
        return [(1 + self.gamma) * BOUND * beta(m, len(self.counts), 0.9) for m in self.counts]

    @property
    def critical(self) -> float:
        """P, infinite without an eligible rival."""
        rivals = [self.bids[j] - self.radii[j] for j in self.eligible if j != 0]
        return self.radii[0] + min(rivals, default=math.inf)

    def nets(self, bid: float, estimate: float) -> list[float]:
        """Return G(bid) for every draw and for every way to break a tie, as the rules of the platform have it."""
        adjusted = [b - radius for b, radius in zip((bid, *self.bids[1:]), self.radii, strict=True)]
        step = allocate(self.eligible, self.counts, self.target, adjusted)
        paid = min(self.critical, BOUND) if step.kind == "auction" else BOUND
        return [paid - estimate if winner == 0 else 0.0 for winner in step.candidates]


@st.composite
def steps(draw: st.DrawFn) -> Step:
    n = draw(st.integers(2, 3))
    return Step(
        counts=draw(st.lists(st.sampled_from([1, 7, 40]), min_size=n, max_size=n)),
        eligible=tuple(sorted(draw(st.sets(st.integers(0, n - 1))))),
        target=draw(st.sampled_from([1, 1, 1, 8])),
        bids=draw(bid_profiles(n, BOUND)),
        gamma=draw(st.sampled_from([0.0, 0.5])),
    )


def near(step: Step, offset: float, most: float) -> float:
    """Return an amount near P, in [0, most]."""
    return min(max(step.critical + offset, 0.0), most)


OFFSETS = st.just(0.0) | st.integers(-20, 20).map(lambda tenths: tenths / 10)


@given(steps(), OFFSETS, OFFSETS)
def test_holds(step: Step, of_estimate: float, of_bid: float) -> None:
    estimate, bid = near(step, of_estimate, LARGEST_ESTIMATE), near(step, of_bid, BOUND)
    truthful, other = step.nets(estimate, estimate), step.nets(bid, estimate)
    assert min(truthful) >= -1e-12
    explores = not step.eligible or any(step.counts[i] < step.target for i in step.eligible)
    if explores or 0 not in step.eligible:
        assert other == truthful
        return
    assert min(truthful) >= max(other) - 1e-12
    if (estimate - step.critical) * (bid - step.critical) < 0:  # wrong: < 0 -> <= 0
        assert min(truthful) > max(other)


def test_is_tight() -> None:
    """Equal counts and a rival's bid of 1: P = 1. What another bid forgoes, or loses, is the distance to P."""
    step = Step(counts=[7, 7], eligible=(0, 1), target=1, bids=(0.0, 1.0))
    assert step.critical == 1.0
    assert (step.nets(0.75, 0.75), step.nets(1.5, 0.75)) == ([0.25], [0.0])
    assert (step.nets(1.25, 1.25), step.nets(0.5, 1.25)) == ([0.0], [-0.25])
    assert step.nets(1.0, 1.0) == [0.0, 0.0]
