"""Instances built at the boundary of a bound: there what is realized comes near to what is promised, or attains it.

Random instances come near many bounds, since their scores and costs lie at the edges of the confidence bands. To some
bounds they never come near: it takes many providers, a long horizon, a tiny delta, or edges that match. These
instances are made for them, one function for each way to get there. They are few and the same for every seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.trace import Trace
from proofs_checks.claims.cases.constructed import EdgeBidder, WalkedMarket, trace_on
from proofs_checks.claims.cases.edge_walk import Direction
from proofs_checks.claims.cases.sharpest_constructed import played
from proofs_checks.claims.cases.variants import with_slacks
from proofs_checks.claims.model.case import Case

#: An exponent so near to 1 that with k = 1 two providers are explored for ever: g(t) stays above (t - 1)/2.
_EXPLORES_FOR_EVER = 1 - 1e-9
#: Of two providers explored for ever; from about 90,000 on the bound of thm:regret lies within a tenth.
LONG_EXPLORATION = 110_000


@dataclass(frozen=True, kw_only=True)
class Slacks:
    """What a setting allows its bids: gamma, and d_- and d_+ in shares of c_max."""

    belief_slack: float = 0.0
    underbid: float = 0.0
    overbid: float = 0.0

    def on(self, setting: Setting) -> Setting:
        """Return a setting with these slacks."""
        return with_slacks(setting, **vars(self))


def boundary_setting(
    name: str,
    costs: Sequence[float],
    qualities: Sequence[float] = (1.0, 1.0),
    *,
    threshold: float = 0.0,
    confidence: float = 0.9,
    scale: float = 1.0,
    exponent: float = 0.05,
) -> Setting:
    """Return a setting of two providers, or more, in which few things matter: c_max is 1, everybody is qualified."""
    return setting_of(name, PlatformParameters(threshold, confidence, 1.0, scale, exponent), qualities, costs)


def setting_of(name: str, platform: PlatformParameters, qualities: Sequence[float], costs: Sequence[float]) -> Setting:
    """Return a setting of providers with these qualities and costs, called p0, p1, ..."""
    providers = [Provider(f"p{i}", q, c) for i, (q, c) in enumerate(zip(qualities, costs, strict=True))]
    return Setting(name, platform, tuple(providers))


def _played(
    setting: Setting, edges: Sequence[Direction], horizon: int, *, scores: Sequence[Direction] = (), clip: bool = True
) -> Case:
    """Play a setting whose costs follow the given edges of their bands and whose bids are pulled the same way.

    Scores follow the upper edges, unless others are given.
    """
    rng = np.random.default_rng(0)
    bidders = [
        EdgeBidder(setting, setting.platform.belief_slack, 1.0 if edge == "up" else -1.0, clip) for edge in edges
    ]
    up: list[Direction] = ["up"] * len(edges)
    market = WalkedMarket.constructed(setting, list(zip(scores or up, edges, strict=True)), horizon, rng)
    return Case(setting, trace_on(market, setting, bidders, horizon, rng, check_bids=False))


def explored_for_ever(setting: Setting, first: NDArray[np.int64]) -> Case:
    """Return the run in which two providers of fixed scores and costs are explored in turn, written down."""
    return written(setting, np.concatenate([[0, 1], np.stack([first, 1 - first], axis=1).ravel()]))


def written(setting: Setting, served: NDArray[np.int64], settled: NDArray[np.int64] | None = None) -> Case:
    """Return a run in which every query pays c_max, and every score and cost is the mean; bids are the costs."""
    costs, qualities = (np.array([getattr(p, name) for p in setting.providers]) for name in ("mean_cost", "quality"))
    paid = np.full(len(served), setting.platform.cost_bound)
    return Case(setting, Trace(served, paid, qualities[served], costs[served], costs[served], settled))


def start_alone(slacks: Slacks) -> Case:
    """T = N, where the sum of radii is 0: initialization alone is the regret, N - 2 of N in quality, all of it in cost.

    All but two providers have quality 0 against q_min = 1, all but i* cost c_max.
    """
    n = 32
    setting = boundary_setting("start", [0.0] + [1.0] * (n - 1), [1.0, 1.0] + [0.0] * (n - 2), threshold=1.0, scale=0.5)
    return _played(slacks.on(setting), ["up"] * n, n)


def equal_shares(slacks: Slacks) -> Case:
    """Equal shares attain the sum of radii but for the first term of ln C_0 + 2 ln m, so delta is tiny: ln C_0 = 693.

    Of the draws at equal counts so many go to one provider as the check of uniform draws just lets pass.
    """
    pairs, to_one = 300, 228
    setting = boundary_setting("shares", [0.0, 1.0], confidence=1e-300, exponent=_EXPLORES_FOR_EVER)
    return explored_for_ever(slacks.on(setting), (np.arange(pairs) >= to_one).astype(np.int64))


def exploration_alone(slacks: Slacks) -> Case:
    """All queries explore and pay c_max, with c_(2) next to 0: the exploration term of an average payment is attained.

    With g(T) = T/N it is c_max - c_(2). The radius term, 6 beta(T/N) at alpha = 1, is slack here; it falls below a
    tenth of the bound at about 90,000 queries (for more providers, or a smaller delta, later).
    """
    setting = boundary_setting("exploration", [0.0, 1e-4], confidence=0.99, exponent=_EXPLORES_FOR_EVER)
    return explored_for_ever(slacks.on(setting), np.arange(LONG_EXPLORATION // 2) % 2)


def dearest_auctions(slacks: Slacks) -> Case:
    """The competitor's cost and bid lie high: i* wins as exploration ends, at m = g(t), a radius above c_(2)."""
    return _played(slacks.on(boundary_setting("dearest", [0.1, 0.4], scale=100)), ["down", "up"], 400)


def shared_auctions(slacks: Slacks) -> Case:
    """Costs and bids of both lie high: who wins is paid a radius above c_(2), and they share the auctions.

    The walks keep a billionth of a radius inside the band, the gap is smaller still: the less served one wins.
    """
    return _played(slacks.on(boundary_setting("shared", [1e-3, 1e-3 + 1e-15], scale=0.03)), ["up", "up"], 3000)


def cheapest_auctions(slacks: Slacks, *, scale: float, horizon: int) -> Case:
    """The competitor, left at m = g(t), lies low and i* has no radius left: i* is paid two radii below c_(2)."""
    return _played(slacks.on(boundary_setting("cheapest", [0.0, 0.95], scale=scale)), ["down", "down"], horizon)


def large_underbids(slacks: Slacks) -> Case:
    """The same where d_- is many radii, inside [0, c_max]: c_(2) = c_max, radii at g(t) of about 0.05."""
    return _played(slacks.on(boundary_setting("underbids", [0.0, 1.0], scale=2200)), ["down", "down"], 7400)


def large_overbids(slacks: Slacks) -> Case:
    """Bids of next to c_max for costs of next to nothing: payments exceed c_(2) by d_+ and more, at nearly every step.

    The radius term of the average excess has fallen below a tenth of d_+.
    """
    return _played(slacks.on(boundary_setting("overbids", [0.0, 1e-3], scale=0.1)), ["up", "up"], 10_000)


def dear_winner(slacks: Slacks, *, gap: float) -> Case:
    """i* looks dear and its competitor cheap: the competitor wins as long as its gap is at most two radii.

    A gap next to c_max has the smallest L_i there is.
    """
    return _played(slacks.on(boundary_setting("dear winner", [0.0, gap], scale=0.03)), ["up", "down"], 200)


def lingering(slacks: Slacks) -> Case:
    """An unqualified provider scores high: it is eligible, and explored, as long as its gap is at most two radii.

    The qualified ones score low, and stay eligible all the same.

    With a third provider, which two qualified ones demand, 20 of M_i = 24 selections are the largest share that there
    is; this gap and this delta have it.
    """
    qualities = [1.0, 1.0, 1 - 0.954]
    setting = boundary_setting("lingering", [0.0, 0.9, 0.5], qualities, threshold=1.0, confidence=0.88, scale=24)
    return _played(slacks.on(setting), ["down", "up", "down"], 120, scores=["down", "down", "up"])


def negative_payments(slacks: Slacks) -> Case:
    """Underbids of many c_max, not clipped to [0, c_max]: payments are d_- below the costs."""
    return _played(
        slacks.on(boundary_setting("negative", [0.0, 1e-3], exponent=0.3)), ["down", "down"], 300, clip=False
    )


def excluded_at_one_count() -> Case:
    """An unqualified provider scores as high as single-time elimination lets it: excluded at count M_i + 1, not before.

    It is explored until then, and so is a second one.
    """
    setting = boundary_setting(
        "excluded", [0.0, 0.9, 0.5, 0.5], [1.0, 1.0, 0.5, 0.5], threshold=1.0, confidence=0.5, scale=300
    )
    return played(setting, 900, np.random.default_rng(0))


_TRUTHFUL = Slacks()
#: Slacks so small that truthful bids satisfy every assumption about bids, and the bounds with slacks are compared too.
_HAIR = Slacks(underbid=1e-6, overbid=1e-6)
_HAIR_WIDENED = Slacks(belief_slack=1e-6, underbid=1e-6, overbid=1e-6)
_DEVIATING = Slacks(underbid=0.1, overbid=0.1)
_BAYESIAN = Slacks(belief_slack=0.5)
_COMBINED = Slacks(belief_slack=0.5, underbid=0.1, overbid=0.1)

#: The instances by name.
BOUNDARY: dict[str, Callable[[], Case]] = {
    "start, deviating": partial(start_alone, _DEVIATING),
    "start, combined": partial(start_alone, _COMBINED),
    "equal shares": partial(equal_shares, _DEVIATING),
    "equal shares, combined": partial(equal_shares, _COMBINED),
    "exploration alone": partial(exploration_alone, _HAIR),
    "exploration alone, widened": partial(exploration_alone, _HAIR_WIDENED),
    "dearest auctions": partial(dearest_auctions, _TRUTHFUL),
    "dearest auctions, Bayesian": partial(dearest_auctions, _BAYESIAN),
    "dearest auctions, deviating": partial(dearest_auctions, _DEVIATING),
    "dearest auctions, combined": partial(dearest_auctions, _COMBINED),
    "shared auctions": partial(shared_auctions, _TRUTHFUL),
    "cheapest auctions": partial(cheapest_auctions, _TRUTHFUL, scale=20, horizon=3000),
    "cheapest auctions, Bayesian": partial(cheapest_auctions, _BAYESIAN, scale=45, horizon=3000),
    "cheapest auctions, deviating": partial(
        cheapest_auctions, Slacks(underbid=0.01, overbid=0.01), scale=60, horizon=3000
    ),
    "cheapest auctions, combined": partial(
        cheapest_auctions, Slacks(belief_slack=0.5, underbid=0.01, overbid=0.01), scale=60, horizon=3000
    ),
    "large underbids": partial(large_underbids, Slacks(underbid=0.9)),
    "large underbids, combined": partial(large_underbids, Slacks(belief_slack=0.02, underbid=0.92)),
    "large overbids": partial(large_overbids, Slacks(overbid=0.95)),
    "dear winner": partial(dear_winner, _TRUTHFUL, gap=0.99),
    "dear winner, Bayesian": partial(dear_winner, Slacks(belief_slack=0.01), gap=1.0),
    "dear winner, deviating": partial(dear_winner, Slacks(underbid=0.005, overbid=0.005), gap=1.0),
    "dear winner, combined": partial(dear_winner, Slacks(belief_slack=0.005, underbid=0.002, overbid=0.002), gap=1.0),
    "lingering": partial(lingering, _TRUTHFUL),
    "lingering, combined": partial(lingering, _COMBINED),
    "excluded at one count": excluded_at_one_count,
    "negative payments": partial(negative_payments, Slacks(underbid=50.0)),
}
