"""Logs to audit: of a right platform, cut in parts, and tampered with in one place."""

import functools
from collections.abc import Callable, Iterator

import numpy as np

from bounds.published import published
from mechanism.trace import Trace
from proofs_checks.claims.cases.variants import play
from proofs_checks.claims.model.case import Case

Tamper = Callable[[Trace, int], Trace]


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


def lost(trace: Trace, row: int) -> Trace:
    return trace.rows(np.delete(np.arange(len(trace)), row))
