"""Counterfactuals: one bid of one auction of a trace is changed, and the rules decide again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from mechanism import rules
from mechanism.config import MechanismConfig
from proofs_checks.claims.cases.case import Case
from proofs_checks.claims.model.relation import Tightness
from proofs_checks.oracle.rule_oracle import money_rounding

#: Auctions of a trace that are replayed with changed bids, spread evenly over it.
SAMPLED_AUCTIONS = 60


@dataclass(frozen=True)
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
        if_selected = min(self.critical, self.cost_bound) - self.estimate
        won = self.wins(bid)
        return max(0.0, if_selected) if won is None else if_selected * won

    def least_gain(self, bid: float) -> float:
        """Return the smallest gain that a bid can have, over tie-breaks."""
        if_selected = min(self.critical, self.cost_bound) - self.estimate
        won = self.wins(bid)
        return min(0.0, if_selected) if won is None else if_selected * won


def counterfactuals(case: Case) -> Iterator[Counterfactual]:
    """Yield every eligible provider of evenly spread auctions of a case."""
    replay = case.replay
    rows = np.flatnonzero(replay.auction)
    for row in rows[np.linspace(0, len(rows) - 1, min(SAMPLED_AUCTIONS, len(rows))).astype(int)]:
        able = tuple(np.flatnonzero(replay.eligible[row]).tolist())
        adjusted, radii = replay.adjusted_bids[row].tolist(), replay.cost_radii[row].tolist()
        for provider in able:
            # A provider that bids its estimate, of whatever kind, has it as its standing bid.
            yield _at(case, int(row) + 1, provider, able, adjusted, radii, float(replay.standing_bids[row, provider]))


def _at(
    case: Case,
    step: int,
    provider: int,
    able: tuple[int, ...],
    adjusted: list[float],
    radii: list[float],
    estimate: float,
) -> Counterfactual:
    bound = case.setting.platform.cost_bound
    critical = rules.critical_payment(provider, able, adjusted, radii[provider])
    hair = hair_of(case)

    def wins(bid: float) -> bool | None:
        changed = [*adjusted[:provider], bid - radii[provider], *adjusted[provider + 1 :]]
        winners = rules.lowest(able, changed)
        return None if provider in winners and len(winners) > 1 else provider in winners

    rivals = (float(b) for b in case.replay.standing_bids[step - 1][list(able)])
    threshold = math.inf if critical is None else float(critical)
    bids = alternative_bids(bound, [threshold, *rivals], hair)
    return Counterfactual(step, provider, estimate, threshold, bids, wins, bound)


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


def losing_or_winning_by_threshold(case: Case) -> Tightness:
    """A bid a hair below P surely wins, one a hair above surely loses (prop:selection-threshold)."""
    hair = 0.5 * hair_of(case)

    def margins(at: Counterfactual) -> Iterator[tuple[float, float]]:
        for bid in at.bids:
            if abs(bid - at.critical) > hair:
                yield bid, 1.0 if at.wins(bid) is (bid < at.critical) else -1.0

    return _compare(case, "a bid wins below P and loses above", margins)


def truthful_never_loses(case: Case) -> Tightness:
    """G(estimate) >= 0, whatever the tie-break (lem:one-step a)."""
    return _compare(case, "G(estimate) >= 0", lambda at: iter([(at.estimate, at.least_gain(at.estimate))]))


def no_deviation_gains(case: Case) -> Tightness:
    """G(estimate) >= G(b) for every alternative bid and tie-break (lem:one-step b)."""

    def margins(at: Counterfactual) -> Iterator[tuple[float, float]]:
        truthful = at.least_gain(at.estimate)
        for bid in at.bids:
            yield bid, truthful - at.gain(bid)

    return _compare(case, "G(estimate) >= G(b)", margins)


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
