"""The least horizon from which a guarantee is informative for good, with the reason why it does.

Why the search ends, and is right. Call a term star-shaped if term(T)/T does not increase. Constants, k (T/N)^alpha
and, from T = 4N on, the radius sum S_T are; so are sums, minima and maxima of such terms. The trivial value is a T, or
T - N. Where the paper's bound has a term d (T - N), the constants beside it make up for d N. So with the real g(T) in
place of the cap ceil(g(T)) - 1, a bound that is below its trivial value at some T >= 4N stays below. The cap is at
least g(T) - 1. So a bound that is below by more than what one cap more would add is below *for good*. Below that
horizon the cap is constant on plateaus. On each the same argument says that a bound once below stays so to its end:
bisection finds where.

The paper's average deviation has no cap, and does not increase from T_0 on: T_0 / T and (N/T)^(1 - alpha) fall, and so
does ln(C_0 g^2) / g, since ln(C_0 g^2) >= 2 where g >= 1.

The sharpest bounds on payments count initialization at its trivial value. What else they count, exploration up to times
that do not depend on T, min{W, T - N} and sums of T - N terms that do not rise, is star-shaped in T - N, and so is what
is left of the trivial value. But the sharpest excess payment need not be so from one plateau to the next: it counts no
auction where it counts an exploration, and less for a rival that was selected less. A larger bound that is star-shaped,
`settling_excess`, tells from when on it stays below.
"""

from __future__ import annotations

import itertools

import numpy as np

from bounds.formulas.crossings import bisected, first_crossing, neighbours, tries_of
from bounds.formulas.selection import EXPLORATION_CAP
from bounds.worth.guarantee import Guarantee

#: From so many providers' worth of queries on, S_T / T does not increase (N >= 2, delta < 1).
_SETTLED = 4
#: So many steps of a bisection ask together: what a formula costs is mostly not its arithmetic.
_LEVELS = 3
#: By how much, relatively, the inverse of g in doubles is expected to be off.
_ROUNDED = 2.0**-44
#: Far above the rounding error of any formula, relatively.
_SAFE = 1e-9


def informative_from(guarantee: Guarantee) -> int | None:
    """Return the least T such that the guarantee is informative at every T' >= T.

    Returns
    -------
    int or None
        None if it is undefined, if nothing can go wrong (the trivial value is 0), or if no horizon up to 2^52 is
        found to be certain to be one; `why_never` says which.

    Examples
    --------
    >>> from bounds.published import published
    >>> from bounds.worth.guarantee import guarantees_of
    >>> found = guarantees_of(published("gpqa-strong").setting)
    >>> informative_from(found["identification"]), found["identification"].value(76_850)
    (76851, 76846.0)
    """
    if why_never(guarantee) is not None:
        return None
    if guarantee.largest is not None:
        return first_crossing(guarantee.says_something_at, guarantee.n_providers)
    settled = _SETTLED * guarantee.n_providers
    top = first_crossing(lambda horizons: _for_good(guarantee, horizons), settled, _LEVELS)
    return None if top is None else _least(guarantee, top)


def why_never(guarantee: Guarantee) -> str | None:
    """Return why no horizon makes a guarantee informative, as far as that is known without a search, or None."""
    trivial = guarantee.trivial_value(2 * guarantee.n_providers)
    if not guarantee.branches or trivial is None:
        return "it is undefined here"
    return "nothing can go wrong: its trivial value is 0" if trivial == 0 else None


#: Why `informative_from` is None where `why_never` is not the reason.
NO_HORIZON = "not found: no horizon up to 2^52 is certain to be enough, or the search took too long"
#: So many plateaus are searched below a horizon that is certain to be enough; a handful is usual.
_PLATEAUS = 500


def _for_good(guarantee: Guarantee, horizons: list[int]) -> list[bool]:
    """Whether the bound is so far below its trivial value that it stays below, at each of many horizons."""
    trivial = guarantee.numbers_at(guarantee.trivial, horizons)
    queries = np.asarray(horizons, dtype=float) if guarantee.average else 1.0
    found = np.zeros(len(horizons), dtype=bool)
    for branch in guarantee.branches:
        if branch.settles:
            most = guarantee.numbers_at(branch.formula, horizons) + guarantee.per_cap(branch) / queries
            found |= np.isfinite(trivial) & (most < trivial * (1 - _SAFE))
    return list(map(bool, found))


def _least(guarantee: Guarantee, top: int) -> int | None:
    """Return the least horizon, given one that is certain; None if more than `_PLATEAUS` plateaus lie between."""
    n, settled = guarantee.n_providers, _SETTLED * guarantee.n_providers
    end, left, size = top, _PLATEAUS, 1
    while left and end > settled:
        # Every horizon from `end` on holds.
        starts = _starts(guarantee, end - 1, settled, min(size, left))
        lasts = [end - 1, *(start - 1 for start in starts[:-1])]
        ends = list(itertools.chain.from_iterable(zip(lasts, starts, strict=True)))
        holds = guarantee.says_something_at(ends)
        if not all(holds):
            place, begins = divmod(holds.index(False), 2)
            if not begins:
                return lasts[place] + 1
            return bisected(guarantee.says_something_at, starts[place], lasts[place], _LEVELS)
        end, left, size = starts[-1], left - len(starts), min(2 * len(starts), tries_of(n))
    if not left:
        return None
    size = 1
    while end > n:
        horizons = range(end - 1, max(end - 1 - size, n - 1), -1)
        holds = guarantee.says_something_at(horizons)
        if not all(holds):
            return end - holds.index(False)
        end, size = horizons[-1], min(2 * size, tries_of(n))
    return end


def _starts(guarantee: Guarantee, last: int, least: int, most: int) -> list[int]:
    """Return the first horizons of plateaus of the exploration cap, from the one of a horizon down to a least one."""
    values = guarantee.values
    caps = EXPLORATION_CAP.value(values, horizon=last) - np.arange(float(most))
    # g(T) = k (T/N)^alpha exceeds a cap from about here on; whole numbers decide.
    with np.errstate(all="ignore"):
        share = (np.maximum(caps, 0.0) / values["exploration_scale"]) ** (1 / values["exploration_exponent"])
        about = np.floor(guarantee.n_providers * share)
        guesses = np.clip(about + np.ceil(about * _ROUNDED) * np.arange(-1.0, 3.0)[:, None], least, last - 1.0)
    ends = np.full(most, least - 1.0), np.full(most, float(last))
    starts = neighbours(lambda horizons: EXPLORATION_CAP(values, horizon=horizons) >= caps, *ends, guesses=guesses)[1]
    return [int(start) for start in dict.fromkeys(starts.tolist())]
