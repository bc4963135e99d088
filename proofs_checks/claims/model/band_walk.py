"""The probability that a running mean of independent scores leaves its confidence band: never less than it is."""

from __future__ import annotations

import functools
import math

from bounds.coverage.enclosure import Bracket
from bounds.coverage.limits import RADIUS_ROUNDING
from bounds.coverage.walk import FOLLOWED_COUNTS, Side as Side, exit_probability
from mechanism.tables import TabulatedFunction, radius_table

#: Share of a band's budget that is spent on counts above 1: 1 - 6/pi^2.
_BEYOND_ONE_DRAW = 1 - 6 / math.pi**2


def band_exit(
    quality: float, *, n_providers: int, confidence: float, counts: int = FOLLOWED_COUNTS, side: Side = "both"
) -> Bracket:
    """Enclose the probability that the mean of i.i.d. Bernoulli scores leaves its band within `counts` draws.

    Examples
    --------
    >>> band_exit(0.5, n_providers=4, confidence=0.05, counts=4).upper < 1e-300
    True
    """
    return _followed(quality, radius_table(n_providers, confidence), counts, side)


@functools.lru_cache(maxsize=256)
def _followed(quality: float, table: TabulatedFunction, counts: int, side: Side) -> Bracket:
    return exit_probability(quality, table.upto(counts)[1:], side, radius_rounding=RADIUS_ROUNDING)


def hoeffding_exit(confidence: float, n_providers: int) -> float:
    """Return a bound on the probability that any of the N means of a kind, scores or costs, ever leaves its band.

    Both sides of N bands at all counts have delta/2 together. A mean of one draw cannot leave its band if beta(1) is
    1 or more, as it is for N >= 2.

    Examples
    --------
    >>> round(hoeffding_exit(0.05, 4), 6)
    0.009802
    """
    return (_BEYOND_ONE_DRAW if n_providers > 1 else 1.0) * confidence / 2
