"""Bids that stood in the auction, turned into those that were left behind, and the other way round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.trace import Trace

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

#: Rows that are replayed at once.
_PART = 16_384
#: A bid this near to the running mean cost, as a share of c_max, is it.
_MEAN = 1e-9


def left_behind(config: MechanismConfig, columns: Mapping[str, NDArray[Any]]) -> tuple[Trace, int]:
    """Return a log with the bids that were left behind, from one with the bids that stood in the auction.

    A provider leaves the bid that stands when it serves next. What it left last is not in the log: where all its bids
    are its mean cost, it is this; otherwise the least bid that the later payments allow. On a log of a right platform
    no rule is broken by it.

    Parameters
    ----------
    config : MechanismConfig
    columns : mapping of str to array, shape (T,)
        Those of a `Trace`. The bid of a provider's first row may be NaN: it had none.

    Returns
    -------
    Trace, int
        And of how many rows the bid is not in the log.

    Raises
    ------
    InputError
        A later row has no bid.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> log = {"provider": np.array([0, 1, 0, 1]), "bid": np.array([np.nan, np.nan, 0.3, 0.4])}
    >>> log |= {"payment": np.ones(4), "score": np.ones(4)}
    >>> trace, unknown = left_behind(config, log)
    >>> trace.bid[:2].tolist(), unknown
    ([0.3, 0.4], 2)
    """
    provider, bid = columns["provider"].astype(np.int64), columns["bid"]
    seen = _shifted(provider, np.ones(len(bid)), forwards=True)
    lacking = np.flatnonzero(np.isnan(bid) & ~np.isnan(seen))
    if len(lacking):
        row = int(lacking[0])
        rule = "must be a number, as its provider has served before"
        raise InputError(f"bid at step {row + 1:,}", float(bid[row]), rule, "it is the bid that stood in the auction")
    return _filled(config, columns, _shifted(provider, bid, forwards=False))


def stood_in_auction(config: MechanismConfig, trace: Trace) -> Trace:
    """Return what `left_behind` was given, read as bids that were left behind: its opposite, but for each first bid.

    Examples
    --------
    >>> config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    >>> stood_in_auction(config, Trace([0, 1, 0, 1], [1.0] * 4, [1.0] * 4, [0.3, 0.4, 0.5, 0.6])).bid[2:].tolist()
    [0.3, 0.4]
    """
    found, _ = _filled(config, trace.columns(), _shifted(trace.provider, trace.bid, forwards=True))
    return found


def _shifted(provider: Rows, values: Floats, *, forwards: bool) -> Floats:
    """Return, at every row, the value at its provider's next row (with `forwards`, the previous one), or NaN."""
    order = np.argsort(provider, kind="stable")
    same = provider[order][1:] == provider[order][:-1]
    moved = np.full(len(values), np.nan)
    source, target = (order[:-1], order[1:]) if forwards else (order[1:], order[:-1])
    moved[target[same]] = values[source[same]]
    return moved


def _filled(config: MechanismConfig, columns: Mapping[str, NDArray[Any]], bid: Floats) -> tuple[Trace, int]:
    """Return a trace with these bids, of which some are NaN: those that the payments allow are put there."""
    unknown = np.flatnonzero(np.isnan(bid))
    trace = Trace(**{**columns, "bid": np.where(np.isnan(bid), 0.0, bid)})
    least = _least_allowed(config, trace, unknown)
    filled = bid.copy()
    filled[unknown] = np.clip(least, 0.0, config.cost_bound)
    if trace.cost is not None:
        mean = _running_means(trace.provider, trace.cost)
        for row in unknown.tolist():
            own = np.flatnonzero((trace.provider == trace.provider[row]) & ~np.isnan(bid))
            untold = not len(own) and least[unknown == row][0] == -np.inf
            if untold or (len(own) and np.all(np.abs(bid[own] - mean[own]) <= _MEAN * config.cost_bound)):
                filled[row] = mean[row]
    return Trace(**{**columns, "bid": filled}), len(unknown)


def _least_allowed(config: MechanismConfig, trace: Trace, unknown: Rows) -> Floats:
    """Return the least bid that a provider may have left at some rows, from the payments until it serves again.

    P = radius of who served + (bid - radius) of who sets the price, and everybody else's is not below it.
    """
    least = np.full(len(unknown), -np.inf)
    ends = []
    for row in unknown.tolist():
        later = np.flatnonzero(trace.provider[row + 1 :] == trace.provider[row])
        ends.append(row + 1 + int(later[0]) if len(later) else len(trace))
    state = ReplayState.initial(config.n_providers)
    for start in range(0, len(trace), _PART):
        part = Replay(config, trace.rows(slice(start, start + _PART)), state)
        state = part.after
        own: Floats = part.of_served(part.cost_radii)
        for at, (row, end) in enumerate(zip(unknown.tolist(), ends, strict=True)):
            low, high = max(row + 1 - start, 0), min(end - start, len(part.trace))
            if low >= high:
                continue
            rows, provider = slice(low, high), int(trace.provider[row])
            telling = part.auction[rows] & part.eligible[rows, provider]
            bids = part.trace.payment[rows] - own[rows] + part.cost_radii[rows, provider]
            least[at] = max(least[at], float(np.max(bids[telling], initial=-np.inf)))
    return least


def _running_means(provider: Rows, values: Floats) -> Floats:
    """Return the mean over each row's provider up to this row."""
    means = np.empty(len(values))
    for served in np.unique(provider).tolist():
        rows = np.flatnonzero(provider == served)
        means[rows] = np.cumsum(values[rows]) / np.arange(1, len(rows) + 1)
    return means
