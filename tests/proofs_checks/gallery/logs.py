"""Logs of a right platform that were tampered with afterwards."""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.bidding import TruthfulBidder
from mechanism.episode import simulate
from mechanism.trace import Trace
from proofs_checks.claims.cases.constructed import SmallMarket
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.statements.findings import unwidened_case
from proofs_checks.claims.statements.unwidened import market_of_edges

Tampering = Callable[[Case], Trace]

#: Long enough for the bounds on averages to bite: T_0 is N, and g(T) = 4,866.
_LONG = PlatformParameters(0.5, 0.05, 1.0, 8.0, 2 / 3)
_SHORT = PlatformParameters(0.5, 0.05, 1.0, 0.5, 0.5)
_SLACKS = {
    "truthful": {},
    "bayesian": {"belief_slack": 0.1},
    "deviating": {"underbid": 0.002, "overbid": 0.002},
    "combined": {"belief_slack": 0.1, "underbid": 0.002, "overbid": 0.002},
}


@functools.cache
def right_log(kind: str) -> Case:
    """A log of truthful bidders: "short", or "cheap" and "dear" (by their second cost) with a kind of slack."""
    market, _, slack = kind.partition("-")
    if kind == "drawn":
        return _drawn()
    if kind == "short":
        return _played((0.3, 0.4, 0.6), 120, _SHORT)
    if kind == "unwidened":
        return unwidened_case()
    if kind == "edges":
        return market_of_edges((0.1, 0.9), 10.1, 0.5, 600)
    platform = replace(_LONG, **_SLACKS[slack])
    return _played((0.01, 0.02) if market == "cheap" else (0.3, 0.95), 30_000, platform)


def _played(costs: tuple[float, ...], horizon: int, platform: PlatformParameters) -> Case:
    market = SmallMarket(costs, (1.0,) * len(costs), horizon, platform)
    return Case(market.setting, market.run([TruthfulBidder() for _ in costs]), {"built": "a market of fixed costs"})


def _drawn() -> Case:
    """Scores and costs drawn independently, as no other log of the gallery."""
    providers = (Provider("a", 0.9, 0.2), Provider("b", 0.8, 0.5))
    setting = Setting("drawn", _SHORT, providers)
    return Case(setting, simulate(setting, horizon=3_000, seed=0), {})


def scores_all_one(case: Case) -> Trace:
    """Every score is logged as 1, as no market of these qualities scores."""
    return edited(case, score=np.ones(len(case.trace)))


def edited(case: Case, **columns: object) -> Trace:
    return Trace(**{**case.trace.columns(), **columns})


def auctions_pay(price: float) -> Tampering:
    return lambda case: edited(case, payment=np.where(case.replay.auction, price, case.trace.payment))


def one_payment_off(case: Case) -> Trace:
    """One auction of many is paid a millionth too much."""
    payment = case.trace.payment.copy()
    payment[np.flatnonzero(case.replay.auction)[30]] += 1e-6
    return edited(case, payment=payment)


def one_winner_swapped(case: Case) -> Trace:
    """One auction is logged as served by somebody else."""
    provider = case.trace.provider.copy()
    row = np.flatnonzero(case.replay.auction)[30]
    provider[row] = (provider[row] + 1) % case.setting.n_providers
    return edited(case, provider=provider)


def one_bid_off(case: Case) -> Trace:
    """One standing bid is logged a thousandth too low."""
    bid = case.trace.bid.copy()
    bid[40] -= 1e-3
    return edited(case, bid=bid)


def a_row_lost(case: Case) -> Trace:
    return Trace(**{name: np.delete(column, 40) for name, column in case.trace.columns().items()})


def a_row_twice(case: Case) -> Trace:
    return Trace(**{name: np.insert(column, 40, column[40]) for name, column in case.trace.columns().items()})


def scores_of_one_lost(case: Case) -> Trace:
    """Provider 0 is logged with scores of 0: it should have been excluded."""
    return edited(case, score=np.where(case.trace.provider == 0, 0.0, case.trace.score))


def bids_too_high(case: Case) -> Trace:
    """Every bid is raised by a tenth of the cost bound."""
    return edited(case, bid=np.minimum(case.trace.bid + 0.1, 1.0))


def optimal_serves_all(case: Case) -> Trace:
    return edited(case, provider=np.where(case.replay.initialization, case.trace.provider, case.setting.optimal))


def competitor_wins_late(case: Case) -> Trace:
    """The last query, an auction, is logged as won by the competitor of i*, whose bid and cost are as they should."""
    competitor = case.setting.competitors[0]
    cost = case.setting.providers[competitor].mean_cost
    served = case.trace.provider == competitor
    bid = (case.trace.cost[served].sum() + cost) / (served.sum() + 1)
    last = {"provider": competitor, "cost": cost, "bid": bid}
    changed = {name: np.append(case.trace.columns()[name][:-1], value) for name, value in last.items()}
    return edited(case, **changed)


def tampered(kind: str, tampering: Tampering) -> Case:
    case = right_log(kind)
    return Case(case.setting, tampering(case), case.origin)
