"""Accidents of a log and platforms with other parameters, and what must be named first: a table.

A row is a cause, how the log of a right platform is changed, and what is said of it beside its name.
"""

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bounds.published import published
from bounds.setting.model import Provider, Setting
from mechanism.bidding import truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from mechanism.episode import run_concurrent_episode, run_episode, simulate
from mechanism.market.market import market_laws
from mechanism.platform import concurrent_mechanism
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.conformance.mutants.plain import Plain
from proofs_checks.diagnosis.log import RecordedLog
from tests.mechanism.trace_samples import standing_bids
from tests.proofs_checks.audit.audited import with_columns

HORIZON = 1500
STRONG, LADDER, FULL = (published(name).setting for name in ("gpqa-strong", "gpqa-ladder", "gsm8k-full"))
BOUND = STRONG.platform.cost_bound
#: Rows on which a change of one row is tried until it breaks a rule: one that no decision depends on cannot be seen.
ROWS = range(700, 900)

Rows = np.ndarray[Any, np.dtype[np.int64]]
_ALL: Rows = np.arange(HORIZON)


class ServesTheRunnerUp(Plain):
    """Serves the second of an auction instead of the first, once; all else is right."""

    at, done = 700, False

    def _winner(self, eligible: list[int]) -> int:
        best = super()._winner(eligible)
        others = [i for i in eligible if i != best]
        if self.step < self.at or self.done or not others:
            return best
        self.done = True
        return super()._winner(others)


class SkipsAnExploration(Plain):
    """Holds an auction instead of an exploration, once; all else is right."""

    at, done = 700, False

    def _explored(self, eligible: list[int]) -> list[int]:
        explored = super()._explored(eligible)
        if self.step < self.at or self.done or not explored or super()._winner(eligible) in explored:
            return explored
        self.done = True
        return []


class Restarts(Plain):
    """Forgets everything before query 700, and starts anew."""

    at = 700

    def _prepare(self) -> None:
        self.assigned = 0

    def assign(self) -> tuple[int, float]:
        self.assigned += 1
        if self.assigned == self.at:
            self._know_nothing()
        return super().assign()


def played(kind: type[Plain], setting: Setting = STRONG, seed: int = 1, horizon: int = HORIZON) -> Trace:
    """The log of a mechanism with bidders that report their mean cost."""
    mechanism = kind(MechanismConfig.of(setting), np.random.default_rng(seed))
    market = market_laws(setting).market(seed, 0)
    return run_episode(mechanism, truthful_bidders(setting, np.random.default_rng(seed)), market, horizon)


@functools.cache
def right(setting: Setting = STRONG, delay: str = "", horizon: int = HORIZON) -> Trace:
    """The log of a right platform."""
    return simulate(setting, horizon=horizon, seed=1, **({"delay": delay_law(delay)} if delay else {}))


def with_platform(setting: Setting, **values: float) -> Setting:
    return replace(setting, platform=replace(setting.platform, **values))


def cell(column: str, change: Callable[[float], float], *rows: int) -> Callable[[int], Trace]:
    """Some cells of a column changed, so many rows behind the one that is given."""

    def edit(row: int) -> Trace:
        values = right().columns()[column].copy()
        for each in (row + more for more in rows or (0,)):
            values[each] = change(values[each])
        return with_columns(right(), **{column: values})

    return edit


def reordered(order: Callable[[int], Any]) -> Callable[[int], Trace]:
    """Rows in another order, or some of them."""
    return lambda row: right().rows(np.asarray(order(row), dtype=np.int64))


def _exchanged(row: int, apart: int, length: int = 1) -> Rows:
    rows = np.arange(HORIZON)
    one, other = np.arange(row, row + length), np.arange(row + apart, row + apart + length)
    rows[one], rows[other] = other, one
    return rows


def _late(row: int) -> Rows:
    return np.insert(np.delete(_ALL, row), row + 9, row)


def _twice(rows: Rows, row: int) -> Rows:
    return np.insert(rows, row + 5, rows[row : row + 5])


def _with_foreign(row: int) -> Trace:
    rows = right().rows(np.insert(np.arange(HORIZON), row, row))
    columns = {name: column.copy() for name, column in rows.columns().items()}
    columns["payment"][row], columns["score"][row] = 0.5 * BOUND, 1 - columns["score"][row]
    return Trace(**columns)


def _with_money(factor: float, rows: Any) -> Trace:
    money = {name: right().columns()[name].copy() for name in ("payment", "bid")}
    for column in money.values():
        column[rows] *= factor
    return with_columns(right(), **money)


def _paid(change: Callable[[Any], Any], rows: Any = slice(700, None)) -> Trace:
    payment = right().payment.copy()
    payment[rows] = change(payment[rows])
    return with_columns(right(), payment=payment)


def _in_single_precision(amounts: Any) -> Any:
    return amounts.astype(np.float32).astype(np.float64)


def _in_the_auction() -> Trace:
    standing = np.array(standing_bids(right()))
    return with_columns(right(), bid=np.where(np.isnan(standing), right().bid, standing))


def _with_strangers(*names: str) -> RecordedLog:
    strangers = tuple(Provider(name, 0.5, 2.0) for name in names)
    setting = replace(STRONG, providers=(*STRONG.providers[:2], *strangers, *STRONG.providers[2:]))
    provider = right().provider
    shifted = with_columns(right(), provider=np.where(provider >= 2, provider + len(names), provider))
    return RecordedLog.of(shifted, setting)


def _in_batches(size: int) -> Trace:
    """Feedback of all queries of a batch at its end, of which the log does not say so."""
    mechanism = concurrent_mechanism(MechanismConfig.of(STRONG), np.random.default_rng(1))
    bidders = truthful_bidders(STRONG, np.random.default_rng(1))
    settled = -(-np.arange(1, HORIZON + 1) // size) * size
    trace = run_concurrent_episode(mechanism, bidders, market_laws(STRONG).market(1, 0), settled)
    return replace(trace, settled=None)


def _scaled_scores(low: float, high: float) -> RecordedLog:
    trace = right(LADDER, horizon=3000)
    score = trace.score.copy()
    score[700:] = low + (high - low) * score[700:]
    return RecordedLog.of(with_columns(trace, score=score), LADDER)


def _with_times(law: str) -> RecordedLog:
    """Feedback at times of its own, which only columns of the file say."""
    trace = right(delay=law)
    assert trace.settled is not None
    steps = np.arange(1, len(trace) + 1)
    times = {"begin": steps.astype(float), "end": np.minimum(trace.settled, len(trace) + 9) + 0.5}
    return RecordedLog.of(replace(trace, settled=None), STRONG, columns=times)


def _out_of_order() -> RecordedLog:
    order = np.random.default_rng(0).permutation(np.arange(4, HORIZON))
    order = np.concatenate([np.arange(4), order])
    return RecordedLog.of(right().rows(order), STRONG, columns={"number": order.astype(float)})


def _error_rates() -> RecordedLog:
    trace = right(FULL)
    return RecordedLog.of(with_columns(trace, score=1 - trace.score), FULL)


def _played_elsewhere(setting: Setting = STRONG, horizon: int = HORIZON, **values: float) -> RecordedLog:
    """The log of a platform that has other parameters than the setting says."""
    return RecordedLog.of(right(with_platform(setting, **values), horizon=horizon), setting)


@dataclass(frozen=True, kw_only=True)
class Accident:
    """What must be named first, and how a log comes to it: from a row, or as a whole."""

    cause: str
    at: Callable[[int], Trace] | None = None
    whole: Callable[[], Trace | RecordedLog] | None = None
    #: Which values of the first diagnosis are known.
    told: Mapping[str, Any] = field(default_factory=dict)
    #: The least share that it must explain.
    share: float = 1.0

    def logs(self) -> Iterator[RecordedLog]:
        """The logs, one for each row that is tried."""
        if self.whole is not None:
            found = self.whole()
            yield found if isinstance(found, RecordedLog) else RecordedLog.of(found, STRONG)
        for row in ROWS if self.at is not None else ():
            yield RecordedLog.of(self.at(row), STRONG)


def _last_first() -> Trace:
    trace = right(delay="0-3")
    return replace(trace, settled=trace.settled + np.linspace(0.9, 0, len(trace)))


def _with_cache_hits() -> Trace:
    """Every ninth query is answered without a provider: nothing is paid, and nothing comes back."""
    places = np.arange(0, HORIZON, 9)
    rows = np.insert(_ALL, places, 0)
    hits = places + np.arange(len(places))
    settled = np.arange(1, len(rows) + 1)
    settled[hits] = NEVER_SETTLED
    payment = right().payment[rows]
    payment[hits] = 0.0
    return replace(right().rows(rows), payment=payment, settled=settled)


def _scaled_late(provider: int) -> RecordedLog:
    """One of several providers that win auctions is paid a tenth more in the last fifth of the log."""
    trace = right(LADDER)
    late = (trace.provider == provider) & (np.arange(HORIZON) >= 0.8 * HORIZON)
    return RecordedLog.of(with_columns(trace, payment=np.where(late, 1.1 * trace.payment, trace.payment)), LADDER)


#: Who is paid c_max only.
_EXPLORED = "Llama-3.1-8B"


def _of(name: str) -> Any:
    return np.flatnonzero(right().provider == [provider.name for provider in STRONG.providers].index(name))


_BELOW = functools.partial(lambda: np.flatnonzero((right().payment < BOUND) & (np.arange(HORIZON) >= 700)))

ACCIDENTS: Mapping[str, Accident] = {
    "payment off by 1e-6 c_max": Accident(cause="payment edited", at=cell("payment", lambda paid: paid + 1e-6 * BOUND)),
    "payments far apart": Accident(cause="payment edited", at=cell("payment", lambda paid: 0.9 * paid, 0, 200, 550)),
    "bid 30% higher": Accident(cause="bid edited", at=cell("bid", lambda bid: 1.3 * bid)),
    "provider changed": Accident(cause="provider edited", at=cell("provider", lambda i: (i + 1) % 4)),
    "rows exchanged": Accident(cause="rows exchanged", at=reordered(lambda row: _exchanged(row, 1))),
    "rows 390 apart exchanged": Accident(cause="rows exchanged", at=reordered(lambda row: _exchanged(row, 390))),
    "blocks of 4 exchanged": Accident(cause="rows exchanged", at=reordered(lambda row: _exchanged(row, 4, 4))),
    "row late": Accident(cause="row out of place", at=reordered(_late)),
    "5 rows twice": Accident(cause="row duplicated", at=reordered(lambda row: _twice(_ALL, row))),
    "row of elsewhere": Accident(cause="row too many", at=_with_foreign),
    "row lost": Accident(cause="row missing", at=reordered(lambda row: np.delete(np.arange(HORIZON), row))),
    "10 rows lost": Accident(
        cause="rows missing", at=reordered(lambda row: np.delete(np.arange(HORIZON), slice(row, row + 10)))
    ),
    "10 rows lost shortly before 5 rows that come twice": Accident(
        cause="rows missing and row duplicated",
        at=reordered(lambda row: _twice(np.delete(_ALL, slice(row, row + 10)), row + 30)),
    ),
    "runner-up served once": Accident(cause="wrong decision", whole=lambda: played(ServesTheRunnerUp)),
    "exploration skipped once": Accident(cause="exploration skipped", whole=lambda: played(SkipsAnExploration)),
    "euros from a row on": Accident(
        cause="another currency", whole=lambda: _with_money(0.92, slice(700, None)), told={"from_step": 701}
    ),
    "2% more": Accident(cause="payments scaled", whole=lambda: _paid(lambda paid: 1.02 * paid)),
    "2% more in auctions": Accident(cause="payments scaled", whole=lambda: _paid(lambda paid: 1.02 * paid, _BELOW())),
    "0.25 more": Accident(cause="payments scaled", whole=lambda: _paid(lambda paid: paid + 0.25)),
    "a stretch": Accident(
        cause="payments scaled", whole=lambda: _paid(lambda paid: 1.02 * paid, slice(700, 1000)), share=0.99
    ),
    "payments of one provider that is only explored": Accident(
        cause="payments scaled",
        whole=lambda: _paid(lambda paid: 0.92 * paid, _of(_EXPLORED)),
        told={"provider": _EXPLORED},
    ),
    "payments of one provider from late on": Accident(
        cause="payments scaled",
        whole=lambda: _scaled_late(1),
        told={"provider": LADDER.providers[1].name, "value": 1.1},
    ),
    "cache hits where arrivals are logged": Accident(cause="rows paid alike", whole=_with_cache_hits),
    "two decimals": Accident(
        cause="rounded money",
        whole=lambda: with_columns(right(), payment=np.round(right().payment, 2), bid=np.round(right().bid, 2)),
        told={"value": 0.005},
    ),
    "two decimals of another unit": Accident(
        cause="rounded money",
        whole=lambda: with_columns(
            right(), payment=np.round(right().payment * 1e-6, 8) * 1e6, bid=np.round(right().bid * 1e-6, 8) * 1e6
        ),
        told={"value": 0.005},
    ),
    "single precision": Accident(
        cause="single precision",
        whole=lambda: with_columns(
            right(), payment=_in_single_precision(right().payment), bid=_in_single_precision(right().bid)
        ),
        share=0.95,
    ),
    "end times": Accident(cause="feedback at end times", whole=lambda: _with_times("0-3,in-order"), share=0.95),
    "some in flight": Accident(
        cause="queries in flight", whole=lambda: replace(right(delay="0-3"), settled=None), share=0.95
    ),
    "batches": Accident(cause="queries in flight", whole=lambda: _in_batches(5), told={"value": 5}),
    "row lost where feedback comes in batches": Accident(
        cause="queries in flight and row missing", whole=lambda: _in_batches(5).rows(np.delete(_ALL, 740))
    ),
    "the last query first": Accident(cause="order of feedback", whole=_last_first),
    "feedback lost": Accident(
        cause="feedback lost", whole=lambda: replace(right(delay="0,lost=0.005"), settled=None), share=0.99
    ),
    "feedback lost in flight": Accident(
        cause="queries in flight and feedback lost",
        whole=lambda: replace(right(delay="3,lost=0.01"), settled=None),
        share=0.99,
    ),
    "row lost where arrivals are logged": Accident(
        cause="row missing", at=lambda row: right(delay="0-3").rows(np.delete(np.arange(HORIZON), row))
    ),
    "scores in percent of percent": Accident(
        cause="scores scaled", whole=lambda: _scaled_scores(0.0, 0.01), told={"value": 0.01}
    ),
    "payments cut off": Accident(
        cause="payments truncated", whole=lambda: _paid(lambda paid: np.minimum(paid, 0.26 * BOUND))
    ),
    "three times as much, up to c_max": Accident(
        cause="payments scaled", whole=lambda: _paid(lambda paid: np.minimum(3 * paid, BOUND)), told={"value": 3.0}
    ),
    "0.25 less in auctions": Accident(
        cause="payments scaled", whole=lambda: _paid(lambda paid: paid - 0.25, _BELOW()), told={"value": -0.25}
    ),
    "seven times as much": Accident(cause="payments scaled", whole=lambda: _paid(lambda paid: 7 * paid)),
    "restart without the state": Accident(
        cause="platform restarted", whole=lambda: played(Restarts), told={"from_step": 700}
    ),
    "shuffled": Accident(cause="another order", whole=_out_of_order, told={"value": "number"}),
    "bids that stood": Accident(cause="bids before", whole=_in_the_auction, share=0.95),
    "columns": Accident(
        cause="columns exchanged", whole=lambda: with_columns(right(), payment=right().bid, bid=right().payment)
    ),
    "names": Accident(
        cause="names exchanged",
        whole=lambda: with_columns(
            right(),
            provider=np.where(np.arange(HORIZON) < 700, right().provider, np.array([1, 0, 2, 3])[right().provider]),
        ),
        share=0.95,
    ),
    "a column shifted": Accident(
        cause="column shifted", whole=lambda: with_columns(right(), payment=np.roll(right().payment, 1)), share=0.95
    ),
    "error rates": Accident(cause="scores inverted", whole=_error_rates),
    "two that never serve": Accident(cause="provider absent", whole=lambda: _with_strangers("echo", "foxtrot")),
}

SETTINGS: Mapping[str, Accident] = {
    "gamma": Accident(cause="wrong setting", whole=lambda: _played_elsewhere(belief_slack=0.15), told={"value": 0.15}),
    "delta": Accident(cause="wrong setting", whole=lambda: _played_elsewhere(confidence=0.01), told={"value": 0.01}),
    "k": Accident(cause="wrong setting", whole=lambda: _played_elsewhere(exploration_scale=1.4), share=0.95),
    "alpha": Accident(cause="wrong setting", whole=lambda: _played_elsewhere(exploration_exponent=0.5), share=0.95),
    "q_min": Accident(
        cause="wrong setting", whole=lambda: _played_elsewhere(LADDER, 4000, quality_threshold=0.3096), share=0.95
    ),
    "that of another published market": Accident(
        cause="wrong setting", whole=lambda: RecordedLog.of(right(published("gpqa-full").setting), FULL)
    ),
    "c_max": Accident(cause="wrong setting", whole=lambda: _played_elsewhere(cost_bound=1.3 * BOUND)),
}
