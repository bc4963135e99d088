"""Counterfactuals: one bid of one auction of a trace is changed, and the rules decide again."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.replay import Replay
from proofs_checks.claims.model.case import Carry, Case
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.oracle.rule_oracle import money_rounding

#: Auctions of a trace that are replayed with changed bids, spread evenly over it.
SAMPLED_AUCTIONS = 60
#: Auctions of which a trace in parts keeps the state; of more, every second, fourth, ... is kept.
KEPT_AUCTIONS = 2**14


@dataclass(frozen=True, kw_only=True)
class Counterfactual:
    """One provider's alternatives at one auction, all other bids as they were.

    Parameters
    ----------
    step, provider : int
    estimate : float
        Its cost estimate, which is what it bid, money.
    critical : float
        P, infinite without a rival.
    bids : tuple of float
        Alternatives: the breakpoints 0, P and c_max, rivals' bids, and P plus and minus a hair.
    wins : callable
        From a bid to whether it surely wins, surely loses (ties: None).
    cost_bound : float
    """

    step: int
    provider: int
    estimate: float
    critical: float
    bids: tuple[float, ...]
    wins: Callable[[float], bool | None]
    cost_bound: float

    def gain(self, bid: float) -> float:
        """Return the largest gain that a bid can have, over tie-breaks: payment minus estimate if selected."""
        return self._gain(bid, max)

    def least_gain(self, bid: float) -> float:
        """Return the smallest gain that a bid can have, over tie-breaks."""
        return self._gain(bid, min)

    def _gain(self, bid: float, at_a_tie: Callable[[float, float], float]) -> float:
        won = self.wins(bid)
        return at_a_tie(0.0, self._if_selected) if won is None else self._if_selected * won

    @functools.cached_property
    def _if_selected(self) -> float:
        return min(self.critical, self.cost_bound) - self.estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class SampledAuctions:
    """What the platform knew at auctions of a trace: number 0, stride, 2 stride, ... of the `seen` ones.

    Parameters
    ----------
    seen, stride : int
    steps : array of int, shape (A,)
    eligible, adjusted_bids, cost_radii, standing_bids : array, shape (A, N)
    """

    seen: int
    stride: int
    steps: NDArray[np.int64]
    eligible: NDArray[np.bool_]
    adjusted_bids: NDArray[np.float64]
    cost_radii: NDArray[np.float64]
    standing_bids: NDArray[np.float64]

    @classmethod
    def none(cls, n_providers: int) -> SampledAuctions:
        """Return no auctions."""
        money = dict.fromkeys(_MONEY, np.empty((0, n_providers)))
        none = np.empty(0, dtype=np.int64)
        return cls(seen=0, stride=1, steps=none, eligible=np.empty((0, n_providers), dtype=bool), **money)

    def and_those_of(self, replay: Replay) -> SampledAuctions:
        """Return these and the auctions of the next part, thinned out where they are too many."""
        rows = np.flatnonzero(replay.auction)
        kept = rows[(-self.seen) % self.stride :: self.stride]
        before, thinning = len(self.steps), 1
        while -(-(before + len(kept)) // thinning) > KEPT_AUCTIONS:
            thinning *= 2
        kept = kept[(-before) % thinning :: thinning]
        more: dict[str, Any] = {
            name: np.concatenate([getattr(self, name)[::thinning], getattr(replay, name)[kept]]) for name in _BY_AUCTION
        }
        return replace(self, seen=self.seen + len(rows), stride=self.stride * thinning, **more)

    def spread(self, most: int) -> NDArray[np.int64]:
        """Return the places of evenly spread auctions, or of the kept ones just before them."""
        return np.linspace(0, self.seen - 1, min(most, self.seen)).astype(int) // self.stride


_MONEY = ("adjusted_bids", "cost_radii", "standing_bids")
_BY_AUCTION = ("steps", "eligible", *_MONEY)
_SAMPLED = Carry(
    start=lambda setting: SampledAuctions.none(setting.n_providers),
    after=lambda before, case: before.and_those_of(case.replay),
)


def counterfactuals(case: Case) -> tuple[Counterfactual, ...]:
    """Return every eligible provider of evenly spread auctions of a trace that ends with a case."""
    return case.cached(_SAMPLED, "counterfactuals", lambda: tuple(_counterfactuals(case)))


def _counterfactuals(case: Case) -> Iterator[Counterfactual]:
    sample, bound, hair = case.after_part(_SAMPLED), case.setting.platform.cost_bound, hair_of(case)
    for auction in sample.spread(SAMPLED_AUCTIONS).tolist():
        eligible = tuple(np.flatnonzero(sample.eligible[auction]).tolist())
        adjusted, radii, standing = (getattr(sample, name)[auction].tolist() for name in _MONEY)
        for provider in eligible:
            yield counterfactual(
                int(sample.steps[auction]),
                provider,
                eligible=eligible,
                adjusted=adjusted,
                radius=radii[provider],
                standing=standing,
                cost_bound=bound,
                hair=hair,
            )


def counterfactual(
    step: int,
    provider: int,
    *,
    eligible: tuple[int, ...],
    adjusted: list[float],
    radius: float,
    standing: list[float],
    cost_bound: float,
    hair: float,
) -> Counterfactual:
    """Return the alternatives of an eligible provider at an auction.

    Parameters
    ----------
    step, provider : int
    eligible : tuple of int
    adjusted, standing : list of float
        Adjusted and standing bids of all providers, money.
    radius : float
        The provider's own cost radius, money.
    cost_bound : float
        c_max.
    hair : float
        How far from a breakpoint the bids beside it are, money.

    Examples
    --------
    >>> at = counterfactual(
    ...     9, 0, eligible=(0, 1), adjusted=[1.0, 3.0], radius=2.0, standing=[3.0, 4.0], cost_bound=8.0, hair=0.5
    ... )
    >>> at.critical, at.wins(4.0), at.wins(6.0), at.gain(4.0)
    (5.0, True, False, 2.0)
    """
    found = rules.critical_payment(provider, eligible, adjusted, radius)
    critical = math.inf if found is None else float(found)
    return Counterfactual(
        step=step,
        provider=provider,
        # A provider that bids its estimate, of whatever kind, has it as its standing bid.
        estimate=standing[provider],
        critical=critical,
        bids=alternative_bids(cost_bound, [critical, *(standing[i] for i in eligible)], hair),
        # Several checks ask about the same bids.
        wins=functools.cache(functools.partial(_wins, provider, eligible, adjusted, radius)),
        cost_bound=cost_bound,
    )


def _wins(provider: int, eligible: tuple[int, ...], adjusted: list[float], radius: float, bid: float) -> bool | None:
    """Return whether a bid surely wins or surely loses, the adjusted bids of the others as they are; None: ties."""
    changed = adjusted.copy()
    changed[provider] = bid - radius
    winners = rules.lowest(eligible, changed)
    return None if len(winners) > 1 and provider in winners else provider in winners


def alternative_bids(cost_bound: float, breakpoints: Iterable[float], hair: float) -> tuple[float, ...]:
    """Return bids worth trying: 0, c_max, half of it, and each breakpoint plus and minus a hair, in order.

    Parameters
    ----------
    cost_bound : float
        c_max: bids lie in [0, c_max].
    breakpoints : iterable of float
        Where an allocation may change: a critical payment, rivals' bids; any number, also infinite.
    hair : float
        Money.

    Examples
    --------
    >>> alternative_bids(1.0, [0.25, 1.0, float("inf")], 0.125)
    (0.0, 0.125, 0.25, 0.375, 0.5, 0.875, 1.0)
    """
    around = {point + shift for point in breakpoints for shift in (-hair, 0.0, hair)}
    return tuple(sorted(bid for bid in {0.0, cost_bound, cost_bound / 2} | around if 0 <= bid <= cost_bound))


def hair_of(case: Case) -> float:
    """Return a distance from P that rounding does not bridge: 1e-9 of the widest cost radius there can be."""
    return money_rounding(MechanismConfig.of(case.setting))


def _compare(
    case: Case, name: str, margins: Callable[[Counterfactual], Iterator[tuple[float, float]]], strict: bool = False
) -> Tightness:
    """Collect margins (with the bid they belong to) over all counterfactuals of a case."""
    if not case.ends:
        return NOTHING_COMPARED
    tolerance = 0.0 if strict else -hair_of(case)
    checked = violations = 0
    worst, where = math.inf, None
    for at in counterfactuals(case):
        for bid, margin in margins(at):
            checked += 1
            violations += not (margin > tolerance if strict else margin >= tolerance)
            if margin < worst:
                name_of = case.setting.providers[at.provider].name
                worst, where = margin, {"relation": name, "step": at.step, "provider": name_of, "bid": bid}
    return Tightness(checked, violations, worst if checked else None, None, where)


@trace_check(_SAMPLED)
def losing_or_winning_by_threshold(case: Case) -> Tightness:
    """A bid a hair below P surely wins, one a hair above surely loses (prop:selection-threshold)."""
    hair = 0.5 * hair_of(case)

    def margins(at: Counterfactual) -> Iterator[tuple[float, float]]:
        for bid in at.bids:
            if abs(bid - at.critical) > hair:
                yield bid, 1.0 if at.wins(bid) is (bid < at.critical) else -1.0

    return _compare(case, "a bid wins below P and loses above", margins)


@trace_check(_SAMPLED)
def truthful_never_loses(case: Case) -> Tightness:
    """G(estimate) >= 0, whatever the tie-break (lem:one-step a)."""
    return _compare(case, "G(estimate) >= 0", lambda at: iter([(at.estimate, at.least_gain(at.estimate))]))


@trace_check(_SAMPLED)
def no_deviation_gains(case: Case) -> Tightness:
    """G(estimate) >= G(b) for every alternative bid and tie-break (lem:one-step b)."""

    def margins(at: Counterfactual) -> Iterator[tuple[float, float]]:
        truthful = at.least_gain(at.estimate)
        for bid in at.bids:
            yield bid, truthful - at.gain(bid)

    return _compare(case, "G(estimate) >= G(b)", margins)


@trace_check(_SAMPLED)
def strict_where_allocation_changes(case: Case) -> Tightness:
    """G(estimate) > G(b) where the estimate and b lie on different sides of P (lem:one-step c)."""
    hair = 10 * hair_of(case)

    def margins(at: Counterfactual) -> Iterator[tuple[float, float]]:
        for bid in at.bids:
            if (
                (at.estimate - at.critical) * (bid - at.critical) < 0
                and abs(at.estimate - at.critical) > hair
                and abs(bid - at.critical) > hair / 20
            ):
                yield bid, at.least_gain(at.estimate) - at.gain(bid)

    return _compare(case, "G(estimate) > G(b) across P", margins, strict=True)
