"""The hypothesis that score and bid of some queries arrived after later queries had been assigned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bounds.words import counted
from mechanism.tables import cost_table, entries
from mechanism.trace import Trace
from proofs_checks.audit.diagnosis.evidence import HABIT, NEARLY_ALL, RECURRING, Explanation, LogEvidence
from proofs_checks.audit.diagnosis.window import Window

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

#: A constant number in flight is looked for up to this; a varying one among these.
MOST_CONSTANT = 32
VARYING = (1, 2, 3, 4, 6, 8, 12, 16)
#: Rows on which a varying number is tried, and entries of the table of what they may have been paid.
_TRIED_ROWS, _MOST_ENTRIES = 200, 20_000_000
#: If so many payments of other rows fit as well, fitting says nothing.
_BY_CHANCE = 0.2
_REMEDY = (
    "Log the number of the last query that had been assigned when score and bid arrived in a column `settled`; then "
    "every step is audited on what the platform knew."
)


def in_flight(log: LogEvidence) -> list[Explanation]:
    """Return that queries were in flight, if a constant number or a small varying one explains the beginning."""
    head = log.head
    violating = len(head.audit.violating_rows)
    if head.trace.settled is not None or violating < max(RECURRING, HABIT * len(head.trace)):
        return []
    return _constant(log) or _varying(log)


def _constant(log: LogEvidence) -> list[Explanation]:
    head, steps = log.head, np.arange(1, len(log.head.trace) + 1)
    for number in range(1, MOST_CONSTANT + 1):
        late = replace(head, trace=Trace(**{**head.trace.columns(), "settled": steps + number}))
        if (remaining := late.violations_up_to((1 - NEARLY_ALL) * head.violations)) is None:
            continue
        text = (
            f"The violations are consistent with {counted(number, 'query')} in flight: every decision knows all "
            f"queries before it but the last {'one' if number == 1 else number}. {_REMEDY}"
        )
        return [log.in_head.explained("queries in flight", text, remaining=remaining, where={"in_flight": number})]
    return []


def _varying(log: LogEvidence) -> list[Explanation]:
    """Return the same of a number that varies, from payments alone: each fits a state with so few queries missing."""
    head = log.head
    telling = head.below_bound & ~head.replay.initialization
    rows = np.flatnonzero(telling & head.audit.wrong_payments)
    if len(rows) < RECURRING:
        return []
    # What some rival's bid explains with nothing in flight says nothing of queries in flight.
    rows = rows[~_fits(_prices(head, rows, 0), head.trace.payment[rows], head)]
    if len(rows) < max(RECURRING, HABIT * np.count_nonzero(telling)):
        return []
    rows = rows[:_TRIED_ROWS]
    for number in VARYING:
        if len(rows) * head.setting.n_providers * (2 * number + 1) * (number + 1) ** 2 > _MOST_ENTRIES:
            break
        prices = _prices(head, rows, number)
        fitting = float(np.mean(_fits(prices, head.trace.payment[rows], head)))
        if fitting < NEARLY_ALL:
            continue
        if float(np.mean(_fits(prices, head.trace.payment[rows][::-1], head))) > _BY_CHANCE:
            break
        text = (
            f"The violations are consistent with queries in flight, in a number that varies: if some of the last "
            f"{number} scores and bids had not arrived, {fitting:.0%} of {len(rows)} wrong payments are "
            f"critical payments. Who should have served was not looked at. {_REMEDY}"
        )
        left = round((1 - fitting) * head.violations)
        where = {"in_flight_at_most": number}
        return [log.in_head.explained("queries in flight", text, remaining=left, where=where)]
    return []


def _fits(prices: Floats, payments: Floats, head: Window) -> Flags:
    return np.asarray((np.abs(prices - payments[:, None]) <= head.audit.slack.twice).any(axis=1))


def _prices(head: Window, rows: Rows, number: int) -> Floats:
    """Return every price that some rows may have had, with up to `number` of the queries before them in flight.

    A price is the radius of who serves, at one of its counts, plus the standing bid of a rival less its radius: each
    of the rival's last bids, at each of its counts, whatever the others knew. A late answer may overtake one that was
    assigned as much later, so that twice as many bids may stand.
    """
    radii = cost_table(head.replay.config)
    width = (1 + head.setting.platform.belief_slack) * head.setting.platform.cost_bound
    counts = head.replay.counts[rows]
    fewer = np.arange(number + 1)
    known = counts[:, :, None] - fewer
    cost_radii = np.where(known > 0, width * entries(radii, np.maximum(known, 1)), np.nan)
    bids = _last_bids(head, counts, 2 * number)
    adjusted = bids[:, :, :, None] - cost_radii[:, :, None, :]
    served = head.trace.provider[rows]
    adjusted[np.arange(len(rows)), served] = np.nan
    own = cost_radii[np.arange(len(rows)), served]
    return (own[:, :, None] + adjusted.reshape(len(rows), 1, -1)).reshape(len(rows), -1)


def _last_bids(head: Window, counts: Rows, back: int) -> Floats:
    """Return each provider's last bids, as logged, after so many selections, and up to `back` before it; (R, N, K)."""
    found = np.full((*counts.shape, back + 1), np.nan)
    for provider in range(counts.shape[1]):
        bids = head.trace.bid[head.trace.provider == provider]
        places = counts[:, provider, None] - 1 - np.arange(back + 1)
        if len(bids):
            found[:, provider] = np.where(places >= 0, bids[np.maximum(places, 0)], np.nan)
    return found
