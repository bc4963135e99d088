"""A played market read step by step, as the statements of the paper speak of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from costproof.testing import Played
from mechanism.bidding import Bidder, FixedBidder, TruthfulBidder
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.model.case import Case
from tests.bounds.by_hand import setting_of

Run = Played | Case
Kind = Literal["initialization", "exploration", "auction", "nobody eligible"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """A query: what the platform knew when it was assigned, who served it and what the user paid."""

    t: int
    kind: Kind
    served: int
    payment: float
    #: Per provider, before the query: m_{i,t}, the standing bids b_{i,t}, and the empirical qualities (NaN before the
    #: first score).
    counts: list[int]
    bids: list[float]
    qualities: list[float]
    #: The members of the optimistic qualified set.
    eligible: list[int]


def steps(run: Run) -> list[Step]:
    replay, trace = run.replay, run.trace
    kinds = zip(replay.initialization.tolist(), replay.exploration.tolist(), replay.auction.tolist(), strict=True)
    columns = (
        trace.provider.tolist(),
        trace.payment.tolist(),
        replay.counts.tolist(),
        replay.standing_bids.tolist(),
        replay.quality_estimates.tolist(),
        replay.eligible.tolist(),
    )
    return [
        Step(
            t=t,
            kind=_kind(*flags),
            served=served,
            payment=payment,
            counts=counts,
            bids=bids,
            qualities=qualities,
            eligible=[i for i, may in enumerate(eligible) if may],
        )
        for t, (flags, served, payment, counts, bids, qualities, eligible) in enumerate(
            zip(kinds, *columns, strict=True), start=1
        )
    ]


def auctions(run: Run) -> list[Step]:
    """Return the steps at which nobody is initialized or explored and somebody is eligible."""
    return [step for step in steps(run) if step.kind == "auction"]


def _kind(initialization: bool, exploration: bool, auction: bool) -> Kind:
    if initialization:
        return "initialization"
    return "exploration" if exploration else "auction" if auction else "nobody eligible"


def on_fixed_market(
    pairs: Sequence[tuple[float, float]], horizon: int, *, bidders: Sequence[Bidder] | None = None, **platform: float
) -> Case:
    """Return a run in which every score and cost is its mean; `pairs` of them, truthful bids by default."""
    qualities, costs = zip(*pairs, strict=True)
    market = SmallMarket(costs, qualities, horizon, setting_of(pairs, **platform).platform)
    return Case(market.setting, market.run(bidders or [TruthfulBidder() for _ in pairs], check_bids=False))


def standing_still(
    *bids: float, cost: float = 0.9, horizon: int = 100, scale: float = 0.1, exponent: float = 0.5
) -> Case:
    """Return a run of two qualified providers whose queries cost 0 and 0.9, and whose bids are as given for ever."""
    usual = {"quality_threshold": 0.0, "confidence": 0.9, "exploration_scale": scale, "exploration_exponent": exponent}
    bidders = [FixedBidder(bid) for bid in bids]
    return on_fixed_market([(1.0, 0.0), (1.0, cost)], horizon, bidders=bidders, **usual)
