"""When the good event fails on a trace: by how much, and how improbable that is for independent scores and costs.

The means of lem:good-event are those of a table that no platform touches: row i holds the scores (and costs) of
provider i's 1st, 2nd, 3rd, ... query, drawn independently with its mean. Which rows a platform reads how far depends
on what it has read, but the means that a trace of T queries shows are among those of the first T entries. So under any
platform a mean is seen outside its band with no greater probability than that of a band left by any mean of
the table up to T.

A failure is measured by its *level*: the least delta for whose radii the bands fail. By Hoeffding's inequality (the
proof of the lemma) a level of s or less has a probability of s at most. That bound is exact for no law; for scores of
0 and 1 the probability is computed by dynamic programming.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from typing import Literal

import numpy as np

from bounds.coverage.limits import RADIUS_ROUNDING
from bounds.coverage.tail import tail_bound
from bounds.coverage.walk import exit_probability
from bounds.formulas.radius import RADIUS
from bounds.setting.model import Setting
from proofs_checks.claims.model.band_walk import hoeffding_exit
from proofs_checks.claims.model.case import Carry, Case

Kind = Literal["score", "cost"]

#: Probability with which a right market is refuted on one trace, by its scores and by its costs together.
FALSE_ALARM = 1e-6
#: Counts that a p-value follows exactly; Hoeffding bounds the rest.
FOLLOWED_COUNTS = 4096
#: Levels below are taken to be this one, so that no probability falls below all doubles.
_LEAST_LEVEL = 1e-200
#: Relative to the logarithm of a level: rounding must not make it smaller than it is.
_LEVEL_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Outlier:
    """The mean of a trace that lies furthest outside its band, measured by its level.

    Parameters
    ----------
    log_level : float
        Logarithm of the least delta whose band does not hold it.
    step, provider, count : int
        After which step, of whom, and of how many observations it is the mean.
    """

    log_level: float
    step: int
    provider: int
    count: int


@dataclass(frozen=True, kw_only=True)
class OutlierState:
    """What the steps so far say about the bands.

    Parameters
    ----------
    score, cost : Outlier or None
        None where no mean has left its band.
    binary : bool
        Whether every score was 0 or 1.
    """

    score: Outlier | None = None
    cost: Outlier | None = None
    binary: bool = True


def _after(before: OutlierState, case: Case) -> OutlierState:
    score = case.trace.score
    furthest: dict[str, Outlier | None] = {"score": before.score, "cost": before.cost}
    for outside in case.outside_bands:
        outlier, kept = _furthest(case, outside.rows, outside.distances), furthest[outside.what]
        if kept is None or outlier.log_level < kept.log_level:
            furthest[outside.what] = outlier
    binary = before.binary and bool(((score == 0) | (score == 1)).all())
    return OutlierState(score=furthest["score"], cost=furthest["cost"], binary=binary)


def _furthest(case: Case, rows: np.ndarray, distances: np.ndarray) -> Outlier:
    """Return the mean of the lowest level among those that lie outside, the first of equals."""
    counts, radii = case.replay.counts_after[rows], case.replay.radii_after[rows]
    # The radius at delta is beta(m): a distance d is the radius at the level delta exp(2 m (beta(m)^2 - d^2)).
    levels = math.log(case.setting.platform.confidence) + 2 * counts * (radii**2 - distances**2)
    at = int(np.argmin(levels))
    row, settled = int(rows[at]), case.replay.settlements
    return Outlier(
        log_level=float(levels[at]),
        step=int(settled.steps[row]),
        provider=int(settled.rows.provider[row]),
        count=int(counts[at]),
    )


#: The furthest outliers of the steps so far.
OUTLIERS: Carry[OutlierState] = Carry(start=lambda setting: OutlierState(), after=_after)


@dataclass(frozen=True, kw_only=True)
class BandFailure:
    """A failure of the good event and what it says.

    Parameters
    ----------
    kind : {"score", "cost"}
    outlier : Outlier
    p_value : float
        With which probability, at most, independent scores (costs) leave their bands as far as this or further.
    text : str
        Who left the band, and the p-value.
    """

    kind: Kind
    outlier: Outlier
    p_value: float
    text: str


def band_failure(case: Case, kind: Kind) -> BandFailure | None:
    """Return the failure of a kind of means on a trace, given its last part; None if all stay in their bands."""
    return case.cached("band failure", kind, lambda: _failure(case, kind))


def _failure(case: Case, kind: Kind) -> BandFailure | None:
    state, setting = case.after_part(OUTLIERS), case.setting
    outlier: Outlier | None = getattr(state, kind)
    if outlier is None:
        return None
    rounded_up = outlier.log_level + _LEVEL_ROUNDING * max(1.0, abs(outlier.log_level))
    # A mean beyond all doubles lies infinitely far outside.
    level = _LEAST_LEVEL if outlier.log_level == -math.inf else max(math.exp(min(rounded_up, 0.0)), _LEAST_LEVEL)
    if kind == "score" and state.binary:
        p, how = binary_exit_probability(setting, level, case.last_step), "binary scores, exactly but for a union"
    else:
        p, how = hoeffding_exit(level, setting.n_providers), f"{kind}s, by Hoeffding"
    name = setting.providers[outlier.provider].name
    text = f"the mean {kind} of {name} at m = {outlier.count} lies so far outside its band that this has probability "
    text += f"at most {upwards(p)} under independent {kind}s ({how})"
    return BandFailure(kind=kind, outlier=outlier, p_value=p, text=text)


def binary_exit_probability(setting: Setting, level: float, counts: int) -> float:
    """Return the probability that a mean of binary scores leaves the bands at a level within `counts` queries.

    Exact for each provider up to `FOLLOWED_COUNTS`, beyond by Hoeffding; the providers are added up, which bounds it
    also where they are asked the same questions.

    Examples
    --------
    >>> from bounds.published import published
    >>> binary_exit_probability(published("gpqa-strong").setting, 0.05, 1000) < 2e-5
    True
    """
    qualities = tuple(provider.quality for provider in setting.providers)
    return _binary_exit(qualities, level, counts)


@functools.lru_cache(maxsize=64)
def _binary_exit(qualities: tuple[float, ...], level: float, counts: int) -> float:
    n, followed = len(qualities), min(counts, FOLLOWED_COUNTS)
    radii = np.asarray(RADIUS(count=np.arange(1, followed + 1, dtype=float), n_providers=n, confidence=level))
    walks = {q: exit_probability(q, radii, radius_rounding=RADIUS_ROUNDING).upper for q in sorted(set(qualities))}
    exits = sum(qualities.count(q) * upper for q, upper in walks.items())
    rest = n * tail_bound(followed, n_providers=n, confidence=level) if counts > followed else 0.0
    # What the programme lost below all doubles is far less than the level itself.
    return min(1.0, max(exits + rest, level * 1e-100))


def failure_of_the_good_event(case: Case) -> str | None:
    """Return in words how improbable the failure of the good event on a trace is, given its last part."""
    if not case.is_drawn:
        return None
    failures = [found for kind in KINDS if (found := band_failure(case, kind)) is not None]
    if not failures:
        return None
    # The smaller of two p-values, twice: whichever of scores and costs it is.
    p = min(1.0, min(found.p_value for found in failures) * (2 if case.knows_costs else 1))
    return (
        f"so large a failure has probability at most {upwards(p)} under independent scores and costs (lem:good-event)"
    )


KINDS: tuple[Kind, Kind] = ("score", "cost")


def upwards(p_value: float) -> str:
    """Return a probability with two digits, rounded up.

    Examples
    --------
    >>> upwards(1.2300001e-7), upwards(1.0)
    ('1.3e-7', '1')
    """
    rounded = Context(prec=2, rounding=ROUND_CEILING).create_decimal_from_float(p_value)
    return f"{rounded:.1e}" if rounded < 1e-3 else f"{float(rounded):g}"
