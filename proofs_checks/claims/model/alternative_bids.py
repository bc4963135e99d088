"""Bids worth trying instead of one that was left; apart from what plays a market, which is loaded longer."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def alternative_bids(cost_bound: float, breakpoints: Iterable[float], hair: float) -> tuple[float, ...]:
    """Return bids worth trying: 0, c_max, half of it, and each breakpoint plus and minus a hair, in order.

    Examples
    --------
    >>> alternative_bids(1.0, [0.25, 1.0, float("inf")], 0.125)
    (0.0, 0.125, 0.25, 0.375, 0.5, 0.875, 1.0)
    """
    [bids] = alternative_bids_by_row(cost_bound, np.array([[*breakpoints]], dtype=float), hair)
    return tuple(bids[~np.isnan(bids)].tolist())


def alternative_bids_by_row(cost_bound: float, breakpoints: Floats, hair: float) -> Floats:
    """Return the bids worth trying for the breakpoints in each row, in order; NaN where there is none."""
    always = np.broadcast_to([0.0, cost_bound, cost_bound / 2], (len(breakpoints), 3))
    bids = np.column_stack([always, breakpoints - hair, breakpoints, breakpoints + hair])
    bids[~((bids >= 0) & (bids <= cost_bound))] = np.nan
    bids.sort(axis=1)
    again = bids[:, 1:] == bids[:, :-1]
    bids[:, 1:][again] = np.nan
    return bids
