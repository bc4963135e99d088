"""The rules after initialization on many steps at once, in one reading of the comparisons that rounding could turn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.selection import EXPLORATION_TARGET
from mechanism.replay import Replay
from proofs_checks.oracle.rule_oracle import ROUNDING

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

#: What a replay derives from who is eligible and from g(t).
_DECIDED = frozenset(
    {"eligible", "targets", "under_sampled", "exploration", "empty", "auction", "contenders", "critical_payments"}
)
#: Providers at the edge of eligibility at one step for which every reading is tried; of more, all in or all out.
_MOST_EDGES = 5


@dataclass(frozen=True, eq=False)
class View:
    """What a reading of the rules needs of some rows; arrays of shape (R,) and (R, N)."""

    served: Rows
    payment: Floats
    adjusted: Floats
    radius: Floats

    def rows(self, chosen: Rows) -> View:
        """Return the same of some of the rows."""
        return View(self.served[chosen], self.payment[chosen], self.adjusted[chosen], self.radius[chosen])


@dataclass(frozen=True, eq=False)
class Reading:
    """Who is eligible and who is under-sampled, in one reading of the comparisons, shape (R, N)."""

    eligible: Flags
    under: Flags

    def rows(self, chosen: Rows) -> Reading:
        """Return the same of some of the rows."""
        return Reading(self.eligible[chosen], self.under[chosen])


@dataclass(frozen=True)
class Slack:
    """How far two equal amounts of a log may be apart.

    Parameters
    ----------
    rounding : float
        Of floats, on the scale of a cost radius.
    tolerance : float
        Of a logged amount. A payment that is compared with c_max is off by it once; one that is compared with a bid,
        and two bids that are compared, twice.
    """

    rounding: float
    tolerance: float

    @property
    def once(self) -> float:
        """Between one logged amount and one that is known."""
        return self.tolerance + self.rounding

    @property
    def twice(self) -> float:
        """Between two logged amounts."""
        return 2 * self.tolerance + self.rounding


@np.errstate(over="ignore")  # a logged payment may be anything
def broken(view: View, reading: Reading, cost_bound: float, slack: Slack) -> dict[str, Flags]:
    """Return which rows break each rule, in one reading."""
    rows, able = np.arange(len(view.served)), reading.eligible
    explored = able & reading.under
    exploration, number = explored.any(axis=1), able.sum(axis=1)
    some = number > 0
    auction, inside = some & ~exploration, able[rows, view.served]
    least, critical = least_and_critical(view, able)
    lone = auction & (number == 1)
    off_bound = np.abs(view.payment - cost_bound) > slack.once
    off = np.abs(view.payment - np.minimum(critical, cost_bound)) > slack.twice
    dear = view.adjusted[rows, view.served] > least + slack.twice
    return {
        "eligibility": some & ~inside,
        "exploration-set": exploration & inside & ~explored[rows, view.served],
        "exploration-payment": exploration & off_bound,
        "empty-payment": ~some & off_bound,
        "lone-payment": lone & np.where(inside, off_bound, off),
        "index-minimizer": auction & inside & dear,
        "critical-payment": auction & ~lone & off,
    }


def readings(plain: Reading, quality: Floats, count: Floats) -> Iterator[Reading]:
    """Yield the plain reading and all others: g(t) a hair lower or higher, each provider at the edge in or out.

    Parameters
    ----------
    plain : Reading
    quality, count : array of float, shape (R, N)
        How far estimates lie above q_min, and counts above g(t).
    """
    close = np.abs(quality) <= ROUNDING
    # Which of a row's edges a provider is, from 0.
    place = np.cumsum(close, axis=1) - 1
    most = int(close.sum(axis=1).max(initial=0))
    patterns: Any = itertools.product((True, False), repeat=most)
    if most > _MOST_EDGES:
        patterns = ((True,) * most, (False,) * most)
    yield plain
    for pattern in patterns:
        able = np.where(close, np.array([*pattern, True])[place], plain.eligible)
        for under in (count < -ROUNDING, count <= ROUNDING):
            yield Reading(able, under)


def least_and_critical(view: View, able: Flags) -> tuple[Floats, Floats]:
    """Return the least adjusted bid of the eligible, and the served one's critical payment; infinite if there is none.

    The served one's own bid is left out of its payment, also where it should not have served.
    """
    rows = np.arange(len(view.served))
    rivals = np.where(able, view.adjusted, np.inf)
    own = rivals[rows, view.served].copy()
    rivals[rows, view.served] = np.inf
    least = rivals.min(axis=1)
    return np.minimum(least, own), view.radius + least


def goals(replay: Replay, rows: slice) -> Floats:
    """Return g(t), not rounded up; beyond all counts where it overflows."""
    config = replay.config
    found = EXPLORATION_TARGET(
        n_providers=config.n_providers,
        exploration_scale=config.exploration_scale,
        exploration_exponent=config.exploration_exponent,
        step=replay.steps[rows].astype(float),
    )
    return np.asarray(np.minimum(found, np.finfo(float).max / 4), dtype=float)


def read_otherwise(replay: Replay, rows: Rows, eligible: Flags, targets: Floats) -> Replay:
    """Return a replay with comparisons read otherwise at rows where rounding decides how they turn out.

    Parameters
    ----------
    replay : Replay
    rows : array of int, shape (R,)
        From 0, increasing.
    eligible : array of bool, shape (R, N)
    targets : array of float, shape (R,)
        ceil(g(t)), or one more where a whole g(t) is read as a hair above.

    Examples
    --------
    >>> from mechanism.config import MechanismConfig
    >>> from mechanism.trace import Trace
    >>> log = Trace([0, 1, 0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.5], [0.2, 0.3, 0.25])
    >>> replay = Replay(MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.5), log)
    >>> replay.targets[2:], replay.exploration.tolist()
    (array([3.]), [False, False, True])
    >>> read_otherwise(replay, np.array([2]), np.array([[True, True]]), np.array([1.0])).exploration.tolist()
    [False, False, False]
    """
    found = Replay(replay.config, replay.trace, replay.before)
    vars(found).update({name: value for name, value in vars(replay).items() if name not in _DECIDED})
    able, goals_read = replay.eligible.copy(), replay.targets.copy()
    able[rows], goals_read[rows] = eligible, targets
    vars(found).update(eligible=able, targets=goals_read)
    return found
