"""How often who should not serve is selected, for any confidence radius: the paper's steps with another radius.

On the event of `bounds.radii.radius.Radius`, which has probability 1 - delta or more:

* Every qualified provider is eligible at every step after initialization.
* An unqualified provider i that is eligible at count m has q_min - rho(m) <= qhat_i <= q_i + u_i(m), where rho is the
  quality radius at q_min and u_i that of the scores 1 - s, at 1 - q_i. So eps_i <= rho(m) + u_i(m). Both radii do not
  increase: it is selected at most M_i times after initialization, M_i the largest such m.
* Whoever wins an auction at count m against i* has an adjusted bid of at most that of i*, which is at most c* + d_+.
  Its own is at least c_i - d_- - 2 (1 + gamma) c_max r(m). So (c_i - c* - d_- - d_+)/((1 + gamma) c_max) <= 2 r(m),
  and L_i is the largest such m. This never uses that i is qualified.
* Exploration selects at counts up to ceil(g(T)) - 1. So competitors have max{L_i, ceil(g(T)) - 1} selections after
  initialization at most, and unqualified providers no more than M_i, and no more than that.

The sum of these caps is B_id(T). The optimum serves more queries than any other where T > N + B_id(T) + the largest
cap.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bounds.formulas.crossings import first_crossings
from bounds.formulas.identification import lasting_horizon
from bounds.formulas.selection import EXPLORATION_CAP
from bounds.language.arithmetic import Array
from bounds.language.computed import Computed
from bounds.language.formula import Formula
from bounds.language.quantities import (
    C_COMPETITOR,
    C_MAX,
    C_STAR,
    C_UNQUALIFIED,
    D_MINUS,
    D_PLUS,
    DELTA,
    GAMMA,
    Q_MIN,
    Q_UNQUALIFIED,
    RADIUS_CHOICE,
    N,
    Quantity,
    queries,
)
from bounds.language.reductions import (
    LargestOverCompetitors,
    LargestOverUnqualified,
    Max,
    Min,
    OverCompetitors,
    OverUnqualified,
)
from bounds.limits import LARGEST_HORIZON
from bounds.radii.catalogue import radius_named
from bounds.radii.names import RADII
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting

#: Comparisons this near are read so that a cap is not too small.
_NEAR = 1 + 1e-11


def largest_count(within: Callable[[Array], Array], gap: float) -> float:
    """Return the largest count m >= 1 with ``gap <= within(m)`` for a function that does not increase; 0 if none.

    A gap of 0 or less, or one that is still reached at 2^52, has no largest count: infinity. A comparison within
    rounding counts as reached.

    Examples
    --------
    >>> largest_count(lambda counts: 1 / counts, 0.01)
    100.0
    """
    if gap <= 0:
        return math.inf
    above, crossed = first_crossings(lambda tries: gap > within(tries.ravel())[:, None] * _NEAR, 1, 1)
    return above.item() - 1 if crossed.all() else math.inf


@functools.lru_cache(maxsize=4096)
def elimination_count(name: str, quality: float, threshold: float, n_providers: int, confidence: float) -> float:
    """Return M_i, the largest count at which a provider of this quality can be eligible, with the radius of a name.

    Examples
    --------
    >>> [elimination_count(name, 0.5, 0.75, 4, 0.05) for name in ("paper", "beta-binomial")]
    [611.0, 219.0]
    """
    radius = functools.partial(radius_named(name).quality_radius, n_providers=n_providers, confidence=confidence)

    return largest_count(
        lambda counts: radius(counts, mean=threshold) + radius(counts, mean=1 - quality), threshold - quality
    )


@functools.lru_cache(maxsize=4096)
def auction_count(name: str, gap: float, n_providers: int, confidence: float) -> float:
    """Return the largest count at which two cost radii reach a gap, which is over (1 + gamma) c_max.

    Examples
    --------
    >>> auction_count("paper", 0.25, 4, 0.05)
    611.0
    """
    radius = functools.partial(radius_named(name).cost_radius, n_providers=n_providers, confidence=confidence)
    return largest_count(lambda counts: 2 * radius(counts), gap)


@dataclass(frozen=True)
class RadiusCaps:
    """The caps of a setting with the radius that its platform has.

    Examples
    --------
    >>> from bounds.published import published
    >>> caps = RadiusCaps(published("gpqa-strong").setting)
    >>> caps.identification_bound(70_000), caps.identification_horizon
    (49134.0, 88614)
    """

    setting: Setting

    @cached_property
    def elimination(self) -> dict[int, float]:
        """M_i of every unqualified provider, by index."""
        counts = eliminations(self._inputs).tolist()
        return dict(zip(self.setting.unqualified, counts, strict=True))

    @cached_property
    def auctions(self) -> dict[int, float]:
        """L_i of every provider but i*: the largest count at which it wins an auction; infinite if it is no dearer."""
        setting = self.setting
        if setting.optimal is None:
            return {}
        found = {
            **dict(zip(setting.unqualified, auctions(self._inputs, C_UNQUALIFIED).tolist(), strict=True)),
            **dict(zip(setting.competitors, auctions(self._inputs, C_COMPETITOR).tolist(), strict=True)),
        }
        return {i: found[i] for i in sorted(found)}

    def cap(self, index: int, horizon: int) -> float:
        """Return how often a provider other than i* is selected at most after initialization, up to a horizon."""
        return float(self._caps([index], np.asarray(float(horizon)))[0])

    def identification_bound(self, horizon: int) -> float:
        """Return B_id(T); infinite where a competitor is not separated from i*."""
        return float(self.identification_bounds(np.asarray(float(horizon))))

    def exploration_steps(self, horizon: int) -> float:
        """Return how many exploration steps there are at most up to a horizon: of nobody after its exclusion."""
        each, everybody = self._exploration(horizon), range(self.setting.n_providers)
        return math.fsum(min(each, self.elimination.get(i, math.inf)) for i in everybody)

    @cached_property
    def identification_horizon(self) -> int | None:
        """The least T from which on i* serves more queries than any other; None if there is none below 2^52."""

        def needed(horizons: Array) -> Array:
            caps = self._caps(self._others, horizons)
            return np.asarray(caps.sum(axis=-1) + caps.max(axis=-1))

        return lasting_horizon(needed, self.setting.n_providers)

    def identification_bounds(self, horizons: Array) -> Array:
        """Return B_id(T) at each of many horizons."""
        return np.asarray(self._caps(self._others, horizons).sum(axis=-1))

    @property
    def _others(self) -> list[int]:
        return [i for i in range(self.setting.n_providers) if i != self.setting.optimal]

    def _caps(self, indices: Sequence[int], horizons: Array) -> Array:
        """Return `cap` of some providers, on the last axis, at each of many horizons."""
        auctions, elimination = (
            np.array([counts.get(i, math.inf) for i in indices]) for counts in (self.auctions, self.elimination)
        )
        exploration = EXPLORATION_CAP(self._inputs, horizon=horizons)[..., None]
        return np.asarray(np.minimum(elimination, np.maximum(auctions, exploration)))

    @cached_property
    def _inputs(self) -> dict[str, object]:
        return formula_inputs(self.setting)

    def _exploration(self, horizon: int) -> float:
        return EXPLORATION_CAP.value(self._inputs, horizon=horizon)


def eliminations(values: Mapping[str, Any]) -> Array:
    """Return M_i of the unqualified providers of the inputs of formulas."""
    name, n, delta = _radius_of(values)
    threshold = float(values["quality_threshold"])
    return _of_each(values, Q_UNQUALIFIED, lambda quality: elimination_count(name, quality, threshold, n, delta))


def auctions(values: Mapping[str, Any], costs: Quantity) -> Array:
    """Return L_i of the providers whose mean costs a quantity has: the most selections with which they win auctions."""
    name, n, delta = _radius_of(values)
    least = float(values["optimal_cost"]) + float(values["underbid"]) + float(values["overbid"])
    unit = (1 + float(values["belief_slack"])) * float(values["cost_bound"])
    return _of_each(values, costs, lambda cost: auction_count(name, (cost - least) / unit, n, delta))


def _radius_of(values: Mapping[str, Any]) -> tuple[str, int, float]:
    """Return the name of the radius, N and delta."""
    return tuple(RADII)[int(values["radius_choice"])], int(values["n_providers"]), float(values["confidence"])


def _of_each(values: Mapping[str, Any], quantity: Quantity, count: Callable[[float], float]) -> Array:
    """Return a count of each provider; the inputs have one number for each, or that of one alone."""
    given = np.asarray(values[quantity.name], dtype=float)
    return np.array([count(number) for number in given.ravel().tolist()]).reshape(given.shape)


def _within_runs(counts: Callable[[Mapping[str, Any]], Array]) -> Callable[[Mapping[str, Any]], Array]:
    """Return the same counts with a number for what has none: no run is as long."""
    return lambda values: np.minimum(counts(values), LARGEST_HORIZON)


_EVENT = "with probability 1 - delta, all together, for the radius at hand"
_BIDS = (C_STAR, D_MINUS, D_PLUS, GAMMA, C_MAX)


def _of_auctions(name: str, group: str, costs: Quantity) -> Computed:
    return Computed(
        queries(
            name,
            r"L^{\rho}_i",
            f"largest count at which {group} wins an auction; d is what bids may deviate together, kappa scales radii",
            per_provider=True,
        ),
        _within_runs(functools.partial(auctions, costs=costs)),
        (RADIUS_CHOICE, N, DELTA, costs, *_BIDS),
        r"\max\left\{m : \bar c_i - \bar c_{i^*} - d \leq 2 \kappa r(m)\right\}",
        "lem:ordinary-selection-gap, for any radius",
        valid=_EVENT,
        home=__name__,
    )


#: M_i, L_i, the caps and their sums as formulas: what claims about any radius compare with.
RADIUS_ELIMINATION = Computed(
    queries(
        "radius_elimination_bound",
        r"M^{\rho}_i",
        "largest count at which an unqualified provider is eligible",
        per_provider=True,
    ),
    _within_runs(eliminations),
    (RADIUS_CHOICE, N, DELTA, Q_MIN, Q_UNQUALIFIED),
    r"\max\left\{m : \varepsilon_i \leq \rho(m) + u_i(m)\right\}",
    "lem:unqualified-elimination, for any radius",
    valid=f"{_EVENT}; any bids",
    home=__name__,
)
_UNQUALIFIED_AUCTIONS = _of_auctions("radius_unqualified_auctions", "an unqualified provider", C_UNQUALIFIED)
_COMPETITOR_AUCTIONS = _of_auctions("radius_competitor_auctions", "a competitor of i*", C_COMPETITOR)
RADIUS_UNQUALIFIED_CAP = Formula(
    queries(
        "radius_unqualified_cap",
        r"\mathrm{cap}^{\rho}_i",
        "most post-initialization selections of an unqualified provider, by quality or by cost",
    ),
    Min(RADIUS_ELIMINATION, Max(_UNQUALIFIED_AUCTIONS, EXPLORATION_CAP)),
    "lem:unqualified-elimination and lem:ordinary-selection-gap, for any radius",
    valid=_EVENT,
)
RADIUS_COMPETITOR_CAP = Formula(
    queries(
        "radius_competitor_cap", r"\mathrm{cap}^{\rho}_i", "most post-initialization selections of a competitor of i*"
    ),
    Max(_COMPETITOR_AUCTIONS, EXPLORATION_CAP),
    "lem:qualified-suboptimal-selection, for any radius",
    valid=_EVENT,
)
RADIUS_IDENTIFICATION = Formula(
    queries(
        "radius_identification_bound",
        r"B^{\rho}_{\mathrm{id}}(T)",
        "most post-initialization queries that miss the optimal provider",
    ),
    OverUnqualified(RADIUS_UNQUALIFIED_CAP) + OverCompetitors(RADIUS_COMPETITOR_CAP),
    "thm:sample-complexity, for any radius",
    valid=_EVENT,
)
RADIUS_LEAD = Formula(
    queries(
        "radius_lead_bound",
        r"B^{\rho}_{\mathrm{id}}(T) + \max_i \mathrm{cap}^{\rho}_i(T)",
        "what T - N must exceed for i* to lead",
    ),
    RADIUS_IDENTIFICATION
    + Max(LargestOverUnqualified(RADIUS_UNQUALIFIED_CAP), LargestOverCompetitors(RADIUS_COMPETITOR_CAP)),
    "claim:T_id, for any radius",
    valid=_EVENT,
)
