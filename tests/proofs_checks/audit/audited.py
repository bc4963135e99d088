"""Logs to audit: of a right platform, cut in parts, and tampered with in one place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

import numpy as np

from bounds.published import published
from mechanism.trace import Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case

Tamper = Callable[[Trace, int], Trace]
#: From the number of steps of a log and a row to the rows in another order.
Order = Callable[[int, int], np.ndarray]


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


def edited(column: str, change: Callable[[float], float]) -> Tamper:
    def tamper(trace: Trace, row: int) -> Trace:
        values = trace.columns()[column].copy()
        values[row] = change(values[row])
        return with_columns(trace, **{column: values})

    return tamper


def swapped_rows(length: int) -> Order:
    def order(steps: int, row: int) -> np.ndarray:
        rows = np.arange(steps)
        rows[row : row + 2 * length] = [*range(row + length, row + 2 * length), *range(row, row + length)]
        return rows

    return order


def repeated_rows(length: int) -> Order:
    return lambda steps, row: np.insert(np.arange(steps), row + length, np.arange(row, row + length))


def lost_row(steps: int, row: int) -> np.ndarray:
    return np.delete(np.arange(steps), row)


def in_order(order: Order) -> Tamper:
    return lambda trace, row: trace.rows(order(len(trace), row))


def swapped(length: int) -> Tamper:
    return in_order(swapped_rows(length))


def repeated(length: int) -> Tamper:
    return in_order(repeated_rows(length))


lost = in_order(lost_row)


def kinds(report: AuditReport) -> list[str]:
    return [explanation.hypothesis for explanation in report.diagnosis]


def columns_exchanged(trace: Trace, row: int) -> Trace:
    return with_columns(trace, payment=trace.bid, bid=trace.payment)
