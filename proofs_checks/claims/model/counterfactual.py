"""Counterfactuals: one bid of one auction of a trace is changed, and the rules decide again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanism.config import MechanismConfig
from mechanism.replay import Replay
from mechanism.running import across, least_of_others
from proofs_checks.claims.model.alternative_bids import alternative_bids_by_row
from proofs_checks.claims.model.case import Carry, Case
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.oracle.rule_oracle import money_rounding

Floats = NDArray[np.float64]

#: Auctions of a trace that are replayed with changed bids, spread evenly over it; and providers of each, beside those
#: who win, spread evenly over those who are eligible.
SAMPLED_AUCTIONS, SAMPLED_PROVIDERS = 60, 32
#: Adjusted bids that are looked at together: some megabytes.
_MOST_ENTRIES = 2**20
#: Auctions of which a trace in parts keeps the state; of more, every second, fourth, ... is kept. And of how many
#: providers together, but for as many auctions as are replayed.
KEPT_AUCTIONS, KEPT_STATES = 2**14, 2**20


@dataclass(frozen=True, eq=False, kw_only=True)
class ChangedBids:
    """One bid of one auction, changed; all others as they were, and the rules decide again. A row for each.

    Parameters
    ----------
    step, provider : array of int, shape (M,)
    estimate : array of float, shape (M,)
        The provider's cost estimate of any kind: what it bid, money.
    critical : array of float, shape (M,)
        P, infinite without a rival.
    bid : array of float, shape (M,)
        What it bids instead.
    wins, ties : array of bool, shape (M,)
        Whether it surely wins, and whether chance decides.
    cost_bound : float
    """

    step: NDArray[np.int64]
    provider: NDArray[np.int64]
    estimate: Floats
    critical: Floats
    bid: Floats
    wins: NDArray[np.bool_]
    ties: NDArray[np.bool_]
    cost_bound: float

    @property
    def gain(self) -> Floats:
        """The largest gain that the bid can have, over tie-breaks: payment minus estimate if selected; shape (M,)."""
        return self._gain(np.maximum)

    @property
    def least_gain(self) -> Floats:
        """The smallest gain that the bid can have, over tie-breaks, shape (M,)."""
        return self._gain(np.minimum)

    def _gain(self, at_a_tie: np.ufunc) -> Floats:
        if_selected = np.minimum(self.critical, self.cost_bound) - self.estimate
        return np.where(self.ties, at_a_tie(0.0, if_selected), if_selected * self.wins)


@dataclass(frozen=True, eq=False, kw_only=True)
class Counterfactuals:
    """Eligible providers of some auctions with what each bid, and with its alternatives.

    Parameters
    ----------
    truthful : ChangedBids
        A row for each provider of each auction: it bids its estimate.
    alternatives : ChangedBids
        A row for each bid that is tried: the breakpoints 0, P and c_max, sampled bids, each plus and minus a hair.
    of : array of int, shape (M,)
        The row of `truthful` that an alternative belongs to.
    """

    truthful: ChangedBids
    alternatives: ChangedBids
    of: NDArray[np.int64]


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
        most = min(KEPT_AUCTIONS, max(2 * SAMPLED_AUCTIONS, KEPT_STATES // replay.eligible.shape[1]))
        while -(-(before + len(kept)) // thinning) > most:
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


def counterfactuals(case: Case) -> Counterfactuals:
    """Return the eligible providers of evenly spread auctions of a trace that ends with a case."""
    return case.cached(_SAMPLED, "counterfactuals", lambda: _counterfactuals(case))


def _counterfactuals(case: Case) -> Counterfactuals:
    sample, bound = case.after_part(_SAMPLED), case.setting.platform.cost_bound
    at = sample.spread(SAMPLED_AUCTIONS)
    able, standing = sample.eligible[at], sample.standing_bids[at]
    contenders = np.where(able, sample.adjusted_bids[at], np.inf)
    looked_at = lowest(contenders) & able | evenly_spread(able, SAMPLED_PROVIDERS)
    auction, provider = np.nonzero(looked_at)
    radii = sample.cost_radii[at][auction, provider]
    critical = radii + least_of_others(contenders)[auction, provider]
    estimate = standing[auction, provider]
    bids = np.sort(np.where(looked_at, standing, np.inf), axis=1)[:, : looked_at.sum(axis=1).max(initial=0)]
    breakpoints = np.column_stack([critical, bids[auction]])
    tried = alternative_bids_by_row(bound, breakpoints, hair_of(case))
    of, column = np.nonzero(~np.isnan(tried))

    def changed(pairs: NDArray[np.int64], bids: Floats) -> ChangedBids:
        adjusted = bids - radii[pairs]
        most = max(1, _MOST_ENTRIES // contenders.shape[1])
        parts = [slice(start, start + most) for start in range(0, max(len(bids), 1), most)]
        decided = [_decided(contenders[auction[pairs[part]]], provider[pairs[part]], adjusted[part]) for part in parts]
        wins, ties = (np.concatenate(each) for each in zip(*decided, strict=True))
        return ChangedBids(
            step=sample.steps[at][auction[pairs]],
            provider=provider[pairs],
            estimate=estimate[pairs],
            critical=critical[pairs],
            bid=bids,
            wins=wins,
            ties=ties,
            cost_bound=bound,
        )

    return Counterfactuals(
        truthful=changed(np.arange(len(provider)), estimate), alternatives=changed(of, tried[of, column]), of=of
    )


def _decided(
    contenders: Floats, providers: NDArray[np.int64], adjusted: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether a provider surely wins, and whether it ties, with another adjusted bid in each auction."""
    rows, changed = np.arange(len(providers)), contenders.copy()
    changed[rows, providers] = adjusted
    attaining = lowest(changed)
    wins, alone = attaining[rows, providers], attaining.sum(axis=1) == 1
    return wins & alone, wins & ~alone


def lowest(adjusted: Floats) -> NDArray[np.bool_]:
    """Return who attains the smallest adjusted bid of its row: `mechanism.rules.lowest` for many auctions at once.

    Examples
    --------
    >>> lowest(np.array([[2.0, 1.0, 1.0], [0.0, np.inf, 1.0]])).tolist()
    [[False, True, True], [True, False, False]]
    """
    return np.asarray(adjusted == across(np.minimum, adjusted)[:, None])


def evenly_spread(chosen: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    """Return at most so many of those that are chosen in each row, spread evenly over them.

    Examples
    --------
    >>> evenly_spread(np.array([[True, False, True, True, True], [False, True, False, False, True]]), 2).tolist()
    [[True, False, False, True, False], [False, True, False, False, True]]
    """
    rank, count = np.cumsum(chosen, axis=1) - 1, np.maximum(chosen.sum(axis=1, keepdims=True), most)
    return np.asarray(chosen & (rank * most // count > (rank - 1) * most // count))


def hair_of(case: Case) -> float:
    """Return a distance from P that rounding does not bridge: 1e-9 of the widest cost radius there can be."""
    return money_rounding(MechanismConfig.of(case.setting))


def _compare(
    case: Case, name: str, margins: Callable[[Counterfactuals], tuple[ChangedBids, Any, Floats]], strict: bool = False
) -> Tightness:
    """Look at some margins over all counterfactuals of a case: those of changed bids, of which some are meant."""
    if not case.ends:
        return NOTHING_COMPARED
    tolerance = 0.0 if strict else -hair_of(case)
    of, meant, margin = margins(counterfactuals(case))
    rows = np.flatnonzero(np.broadcast_to(meant, margin.shape))
    if not len(rows):
        return NOTHING_COMPARED
    margin = margin[rows]
    fails = ~(margin > tolerance if strict else margin >= tolerance)
    worst = int(np.argmin(np.where(np.isnan(margin), np.inf, margin)))
    row = rows[worst]
    provider = case.setting.providers[int(of.provider[row])].name
    where = {"relation": name, "step": int(of.step[row]), "provider": provider, "bid": float(of.bid[row])}
    return Tightness(len(rows), int(fails.sum()), float(margin[worst]), None, where)


@trace_check(_SAMPLED)
def losing_or_winning_by_threshold(case: Case) -> Tightness:
    """A bid a hair below P surely wins, one a hair above surely loses (prop:selection-threshold)."""
    hair = 0.5 * hair_of(case)

    def margins(at: Counterfactuals) -> tuple[ChangedBids, Any, Floats]:
        tried = at.alternatives
        as_it_should = ~tried.ties & (tried.wins == (tried.bid < tried.critical))
        return tried, abs(tried.bid - tried.critical) > hair, np.where(as_it_should, 1.0, -1.0)

    return _compare(case, "a bid wins below P and loses above", margins)


@trace_check(_SAMPLED)
def truthful_never_loses(case: Case) -> Tightness:
    """G(estimate) >= 0, for any tie-break (lem:one-step a)."""
    return _compare(case, "G(estimate) >= 0", lambda at: (at.truthful, True, at.truthful.least_gain))


@trace_check(_SAMPLED)
def no_deviation_gains(case: Case) -> Tightness:
    """G(estimate) >= G(b) for every alternative bid and tie-break (lem:one-step b)."""
    return _compare(case, "G(estimate) >= G(b)", lambda at: (at.alternatives, True, _lead(at)))


@trace_check(_SAMPLED)
def strict_where_allocation_changes(case: Case) -> Tightness:
    """G(estimate) > G(b) where the estimate and b lie on different sides of P (lem:one-step c)."""
    hair = 10 * hair_of(case)

    def margins(at: Counterfactuals) -> tuple[ChangedBids, Any, Floats]:
        own, other = at.alternatives.estimate - at.alternatives.critical, at.alternatives.bid - at.alternatives.critical
        with np.errstate(invalid="ignore"):  # without a rival P is infinite
            across_it = (own * other < 0) & (abs(own) > hair) & (abs(other) > hair / 20)
        return at.alternatives, across_it, _lead(at)

    return _compare(case, "G(estimate) > G(b) across P", margins, strict=True)


def _lead(at: Counterfactuals) -> Floats:
    """Return how much more bidding the estimate gains at least than each alternative gains at most."""
    return np.asarray(at.truthful.least_gain[at.of] - at.alternatives.gain)
