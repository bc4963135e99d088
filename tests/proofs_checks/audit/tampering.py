"""Ways to tamper with the log of a right platform at one place, and what the diagnosis names first.

`table` tries each way on settings and places; docs/audit.md states its figures.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bounds.published import PUBLISHED_NAMES, published
from bounds.setting.model import Setting
from mechanism.bidding import truthful_bidders
from mechanism.config import MechanismConfig
from mechanism.episode import run_episode
from mechanism.market.market import market_laws
from mechanism.replay import Replay
from mechanism.tabular.logs import LogReading
from mechanism.tabular.steps import StepCounter
from mechanism.trace import Trace
from proofs_checks.audit.run import AuditReport, audit
from proofs_checks.conformance.mutants.plain import Plain
from tests.mechanism.trace_samples import standing_bids
from tests.proofs_checks.audit.audited import (
    Order,
    columns_exchanged,
    edited,
    lost_row,
    repeated_rows,
    swapped_rows,
    with_columns,
)

HORIZON = 12_000
#: Where in the log, as a share of it.
PLACES = (0.2, 0.5, 0.8)
#: From a place on, so many rows are tried until a change breaks a rule: one that no decision depends on cannot be seen.
_TRIED = 60

Steps = np.ndarray[Any, np.dtype[np.int64]]
#: A changed log and the steps that its file holds; None where its rows just count.
Tampered = tuple[Trace, Steps | None]


class ServesTheRunnerUp(Plain):
    """Serves the second of an auction instead of the first, once; all else is right."""

    at = 0
    done = False

    def _winner(self, eligible: list[int]) -> int:
        best = super()._winner(eligible)
        others = [i for i in eligible if i != best]
        if self.step < self.at or self.done or not others:
            return best
        self.done = True
        return super()._winner(others)


class SkipsAnExploration(Plain):
    """Holds an auction instead of an exploration, once; all else is right."""

    at = 0
    done = False

    def _explored(self, eligible: list[int]) -> list[int]:
        explored = super()._explored(eligible)
        if self.step < self.at or self.done or not explored or super()._winner(eligible) in explored:
            return explored
        self.done = True
        return []


def deviating(kind: type[Plain], setting: Setting, step: int, seed: int) -> Trace:
    """The log of a platform that decides otherwise once, from a step on; everything after it is right."""
    return _played(type("Once", (kind,), {"at": step}), setting, seed)


@functools.cache
def right(name: str, seed: int = 1) -> Trace:
    return _played(Plain, published(name).setting, seed)


def _played(kind: type[Plain], setting: Setting, seed: int) -> Trace:
    mechanism = kind(MechanismConfig.of(setting), np.random.default_rng(seed))
    market = market_laws(setting).market(seed, 0)
    return run_episode(mechanism, truthful_bidders(setting, np.random.default_rng(seed)), market, HORIZON)


def reorder(rows: Order, *, keeps_steps: bool) -> Callable[[Trace, int], Tampered]:
    def tamper(trace: Trace, row: int) -> Tampered:
        order = rows(len(trace), row)
        return trace.rows(order), order + 1 if keeps_steps else None

    return tamper


def far_apart(apart: int) -> Order:
    def rows(steps: int, row: int) -> np.ndarray:
        order = np.arange(steps)
        order[[row, row + apart]] = order[[row + apart, row]]
        return order

    return rows


def cell(column: str, change: Callable[[float], float]) -> Callable[[Trace, int], Tampered]:
    tamper = edited(column, change)
    return lambda trace, row: (tamper(trace, row), None)


def other_provider(trace: Trace, row: int) -> Tampered:
    provider = trace.provider.copy()
    provider[row] = (provider[row] + 1) % (int(provider.max()) + 1)
    return with_columns(trace, provider=provider), None


def bids_in_the_auction(trace: Trace, row: int) -> Tampered:
    """A log that holds the bid that stood; before its first, a provider's own first bid."""
    standing = np.array(standing_bids(trace))
    return with_columns(trace, bid=np.where(np.isnan(standing), trace.bid, standing)), None


@dataclass(frozen=True)
class Way:
    """A way to tamper: what must be named first (one of these), and how it is done."""

    named: tuple[str, ...]
    tamper: Callable[[Trace, int], Tampered] | type[Plain]
    #: Whether it concerns the whole log, so that one place is enough.
    whole: bool = False


_EXCHANGED, _MISSING, _TWICE = ("rows exchanged",), ("row missing",), ("row duplicated",)
WAYS: Mapping[str, Way] = {
    "payment off by 1e-6 c_max": Way(("payment edited",), lambda trace, row: _paid(trace, row)),
    "payment 3% lower": Way(("payment edited",), cell("payment", lambda paid: 0.97 * paid)),
    "bid halved": Way(("bid edited",), cell("bid", lambda bid: 0.5 * bid)),
    "bid 30% higher": Way(("bid edited",), cell("bid", lambda bid: 1.3 * bid)),
    "two rows exchanged, with their steps": Way(_EXCHANGED, reorder(swapped_rows(1), keeps_steps=True)),
    "two rows exchanged, counted anew": Way(_EXCHANGED, reorder(swapped_rows(1), keeps_steps=False)),
    "two rows 30 apart exchanged, counted anew": Way(_EXCHANGED, reorder(far_apart(30), keeps_steps=False)),
    "two rows 390 apart exchanged, counted anew": Way(_EXCHANGED, reorder(far_apart(390), keeps_steps=False)),
    "blocks of 4 exchanged, counted anew": Way(_EXCHANGED, reorder(swapped_rows(4), keeps_steps=False)),
    "a row lost, with their steps": Way(_MISSING, reorder(lost_row, keeps_steps=True)),
    "a row lost, counted anew": Way(_MISSING, reorder(lost_row, keeps_steps=False)),
    "a row twice, with their steps": Way(_TWICE, reorder(repeated_rows(1), keeps_steps=True)),
    "a row twice, counted anew": Way(_TWICE, reorder(repeated_rows(1), keeps_steps=False)),
    "5 rows twice, counted anew": Way(_TWICE, reorder(repeated_rows(5), keeps_steps=False)),
    "provider of a row changed": Way(("provider edited",), other_provider),
    "runner-up served once": Way(("wrong decision",), ServesTheRunnerUp),
    "exploration skipped once": Way(("exploration skipped",), SkipsAnExploration),
    "bids that stood in the auction": Way(("bids before",), bids_in_the_auction, whole=True),
    "payment and bid exchanged": Way(
        ("columns exchanged",), lambda trace, row: (columns_exchanged(trace, row), None), whole=True
    ),
    "score changed": Way(("score edited",), cell("score", lambda score: 1.0 - score)),
}


def _paid(trace: Trace, row: int) -> Tampered:
    payment = trace.payment.copy()
    payment[row] += 1e-6 * payment[0]
    return with_columns(trace, payment=payment), None


def audited(setting: Setting, tampered: Tampered) -> AuditReport:
    trace, steps = tampered
    reading = LogReading()
    if steps is not None:
        reading.steps = StepCounter()
        reading.steps.feed(steps, np.arange(2, len(steps) + 2))
    return audit([trace], setting, labels=["lem:payment-range"], reading=reading)


def cases(way: Way, name: str, places: tuple[float, ...] = PLACES, seed: int = 1) -> Iterator[AuditReport]:
    """Yield the audits of a setting's log, tampered with at each place."""
    setting, trace = published(name).setting, right(name, seed)
    auctions = Replay(MechanismConfig.of(setting), trace).auction & (trace.payment < setting.platform.cost_bound)
    for place in places[:1] if way.whole else places:
        start = int(place * HORIZON)
        if isinstance(way.tamper, type):
            yield audited(setting, (deviating(way.tamper, setting, start, seed), None))
            continue
        wanted = auctions if way.named == ("payment edited",) else np.ones(len(trace), dtype=bool)
        for row in (start + np.flatnonzero(wanted[start:]))[:_TRIED].tolist():
            report = audited(setting, way.tamper(trace, row))
            if report.violating_steps:
                yield report
                break


def first(report: AuditReport) -> str:
    return report.diagnosis[0].hypothesis if report.diagnosis else "nothing"


def named_first(report: AuditReport) -> set[str]:
    """The hypothesis that is named first, with those that nothing in the log tells from it."""
    return {first(report), *(report.diagnosis[0].alike if report.diagnosis else ())}


def table(names: tuple[str, ...] = PUBLISHED_NAMES, seed: int = 1) -> Iterator[tuple[str, int, int, list[str]]]:
    """Yield each way, how often it was named first, of how many, and what was named else."""
    for told, way in WAYS.items():
        found = [report for name in names for report in cases(way, name, seed=seed)]
        wrong = [first(report) for report in found if named_first(report).isdisjoint(way.named)]
        yield told, len(found) - len(wrong), len(found), wrong


if __name__ == "__main__":
    import sys

    for told, right_ones, total, wrong in table(seed=int(sys.argv[1]) if len(sys.argv) > 1 else 1):
        sys.stdout.write(f"| {told} | {right_ones} of {total} | {', '.join(wrong)} |\n")
        sys.stdout.flush()
