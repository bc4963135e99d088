"""Logs to audit: of a right platform, cut in parts, and tampered with in one place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np

from bounds.published import published
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case


def with_columns(trace: Trace, **columns: object) -> Trace:
    return Trace(**{**trace.columns(), **columns})


def rows_of(trace: Trace, rows: object) -> Trace:
    return trace.rows(np.asarray(rows))


def parts(trace: Trace, rows: int) -> Iterator[Trace]:
    for start in range(0, len(trace), rows):
        yield rows_of(trace, np.arange(start, min(start + rows, len(trace))))


@functools.cache
def right_case(number: int) -> Case:
    """A run of a right platform on a published setting."""
    name, variant, horizon = (
        ("gpqa-strong", "truthful", 400),
        ("gsm8k-ladder", "truthful", 2000),
        ("gpqa-ladder", "deviating", 2000),
        ("gsm8k-full", "bayesian", 2000),
    )[number]
    return play(published(name).setting, variant, horizon=horizon, seed=number, run=0)


def edited(column: str, change: Callable[[float], float]) -> Callable[[Trace, int], Trace]:
    def tamper(trace: Trace, row: int) -> Trace:
        values = trace.columns()[column].copy()
        values[row] = change(values[row])
        return with_columns(trace, **{column: values})

    return tamper


def swapped(length: int) -> Callable[[Trace, int], Trace]:
    def tamper(trace: Trace, row: int) -> Trace:
        order = np.arange(len(trace))
        first, second = order[row : row + length].copy(), order[row + length : row + 2 * length].copy()
        order[row : row + 2 * length] = np.concatenate([second, first])
        return rows_of(trace, order)

    return tamper


def repeated(length: int) -> Callable[[Trace, int], Trace]:
    def tamper(trace: Trace, row: int) -> Trace:
        order = np.arange(len(trace))
        return rows_of(trace, np.concatenate([order[: row + length], order[row:]]))

    return tamper


def lost(trace: Trace, row: int) -> Trace:
    return rows_of(trace, np.delete(np.arange(len(trace)), row))


def columns_exchanged(trace: Trace, row: int) -> Trace:
    return with_columns(trace, payment=trace.bid, bid=trace.payment)


#: From the hypothesis that must be named to tamperings of one row.
TAMPERINGS: dict[str, tuple[Callable[[Trace, int], Trace], ...]] = {
    "payment edited": (edited("payment", lambda x: 0.97 * x), edited("payment", lambda x: x + 1e-3)),
    "bid edited": (edited("bid", lambda x: 0.5 * x), edited("bid", lambda x: 1.3 * x)),
    "row missing": (lost,),
    "row duplicated": (repeated(1), repeated(5)),
    "rows exchanged": (swapped(1), swapped(4)),
    "columns exchanged": (columns_exchanged,),
}
