"""Instances with queries in flight, built where what they add to a bound is needed.

Each is a run of the platform written down: its draws are possible ones, though nobody would wait for them. They are few
and the same for every seed. With d_i as in `proofs_checks.claims.model.in_flight`:

- Unheard: nothing ever arrives. Every query is an exploration, and nearly all of T is the sum of the d_i.
- Held back: at the last count at which a competitor is explored its feedback stops. It attains its cap and d_i.
- No news: one observation each arrives, and misleads. All auctions go to a competitor, at m = 1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bounds.setting.model import Setting
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.claims.cases.boundary import boundary_setting, written
from proofs_checks.claims.model.case import Case

#: So long that 2 S_T is below a tenth of T.
UNHEARD_LENGTH = 110_000
#: How many queries of a competitor are held back.
HELD_BACK = 60
#: Up to which count both are explored there: g(t) = 24 (t/2)^.001 lies between 24 and 25.
LAST_EXPLORED = 24


def _unheard(setting: Setting, later: NDArray[np.int64]) -> Case:
    served = np.concatenate([np.arange(setting.n_providers), later])
    return written(setting, served, np.full(len(served), NEVER_SETTLED))


def unheard_and_unqualified() -> Case:
    """All explorations are drawn to an unqualified provider: nearly T is lost in quality, in cost and in i*'s lead."""
    setting = boundary_setting("unheard", [0.0, 0.9, 1.0], [1.0, 1.0, 0.0], threshold=1.0, scale=0.5)
    return _unheard(setting, np.full(UNHEARD_LENGTH - 3, 2))


def unheard_and_dear() -> Case:
    """Two providers in turn, paid c_max at every step, with c_(2) next to 0; T_0 is N, and radii at g(T) are small."""
    setting = boundary_setting("unheard, dear", [0.0, 1e-4], scale=4, exponent=0.5)
    return _unheard(setting, np.arange(UNHEARD_LENGTH - 2) % 2)


def held_back() -> Case:
    """Both are explored in turn up to m = ceil(g) - 1 >= L_i; then the competitor alone, and nothing more arrives."""
    setting = boundary_setting("held back", [0.0, 1.0], scale=LAST_EXPLORED, exponent=0.001)
    served = np.concatenate([np.arange(2 * LAST_EXPLORED) % 2, np.ones(HELD_BACK, np.int64)])
    settled = np.arange(1, len(served) + 1)
    settled[2 * LAST_EXPLORED :] = len(served)
    return written(setting, served, settled)


def no_news() -> Case:
    """i* costs c_max at first and its competitor nothing, against their means; then nothing arrives.

    The competitor wins every auction, and is paid what i* bids.
    """
    setting = boundary_setting("no news", [0.0, 1.0], scale=0.03)
    served = np.ones(UNHEARD_LENGTH, np.int64)
    served[0] = 0
    costs, bids = np.ones(len(served)), np.zeros(len(served))
    bids[0], costs[1] = 1.0, 0.0
    settled = np.full(len(served), NEVER_SETTLED)
    settled[:2] = 1, 2
    return Case(setting, Trace(served, np.ones(len(served)), np.ones(len(served)), bids, costs, settled))


#: The instances by name.
LATE_BOUNDARY: dict[str, Callable[[], Case]] = {
    "unheard, unqualified": unheard_and_unqualified,
    "unheard, dear": unheard_and_dear,
    "held back": held_back,
    "no news": no_news,
}
