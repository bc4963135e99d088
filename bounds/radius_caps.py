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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from bounds.formulas.crossings import first_crossings
from bounds.formulas.identification import identification_horizon
from bounds.formulas.selection import EXPLORATION_CAP
from bounds.formulas.sharp import N_QUALIFIED
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
from bounds.methods import METHODS, FormulaSet, method_formulas
from bounds.radii.catalogue import radius_named
from bounds.radii.names import RADII
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting

#: What stands for a count that nothing bounds.
UNBOUNDED = LARGEST_HORIZON
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


def eliminations(values: Mapping[str, Any]) -> Array:
    """Return M_i of the unqualified providers of the inputs of formulas."""
    name, n = _radius_of(values)

    def count(quality: float, threshold: float, confidence: float) -> float:
        return elimination_count(name, quality, threshold, n, confidence)

    return _of_each(count, values, Q_UNQUALIFIED, Q_MIN, DELTA)


def auctions(values: Mapping[str, Any], costs: Quantity) -> Array:
    """Return L_i of the providers whose mean costs a quantity has: the most selections with which they win auctions."""
    name, n = _radius_of(values)

    def count(cost: float, best: float, under: float, over: float, slack: float, bound: float, delta: float) -> float:
        return auction_count(name, (cost - (best + under + over)) / ((1 + slack) * bound), n, delta)

    return _of_each(count, values, costs, C_STAR, D_MINUS, D_PLUS, GAMMA, C_MAX, DELTA)


def _radius_of(values: Mapping[str, Any]) -> tuple[str, int]:
    """Return the name of the radius, and N."""
    return tuple(RADII)[int(values["radius_choice"])], int(values["n_providers"])


def _of_each(count: Callable[..., float], values: Mapping[str, Any], of: Quantity, *among: Quantity) -> Array:
    """Return a count of each provider, from its own number and from those that all have alike, in every setting."""
    own = np.asarray(values[of.name], dtype=float)
    if not own.size:
        return own
    alike = [np.asarray(values[each.name], dtype=float) for each in among]
    spread = np.broadcast_arrays(own, *(each[..., None] if each.ndim else each for each in alike))
    return np.array([count(*row) for row in zip(*(each.ravel().tolist() for each in spread), strict=True)]).reshape(
        spread[0].shape
    )


def _within_runs(counts: Callable[[Mapping[str, Any]], Array]) -> Callable[[Mapping[str, Any]], Array]:
    """Return the same counts with `UNBOUNDED` for what has none: no run is as long."""
    return lambda values: np.minimum(counts(values), UNBOUNDED)


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
RADIUS_EXPLORATION_STEPS = Formula(
    queries(
        "radius_exploration_steps_bound",
        r"X^{\rho}(T)",
        "most exploration steps: an unqualified provider is explored at most M_i times",
    ),
    N_QUALIFIED * EXPLORATION_CAP + OverUnqualified(Min(RADIUS_ELIMINATION, EXPLORATION_CAP)),
    "lem:forced-exploration-bound, for any radius",
    valid=_EVENT,
)
#: What bounds counts with the radius at hand. Nothing is stated of the other guarantees: no market has them then.
ANY_RADIUS = replace(
    METHODS["sharp"],
    branches={**METHODS["sharp"].branches, "identification": (RADIUS_IDENTIFICATION,)},
    unqualified_bound=RADIUS_ELIMINATION,
    unqualified_cap=RADIUS_UNQUALIFIED_CAP,
    competitor_bound=_COMPETITOR_AUCTIONS,
    competitor_cap=RADIUS_COMPETITOR_CAP,
    lead=RADIUS_LEAD,
    exploration_steps=RADIUS_EXPLORATION_STEPS,
    exploration_steps_without_optimum=RADIUS_EXPLORATION_STEPS,
    unbounded_from=UNBOUNDED,
)


def formulas_for(setting: Setting, method: str) -> FormulaSet:
    """Return the formulas of a report: those of its method, for the paper's radius, and else those for any radius.

    Raises
    ------
    InputError
        There is no such method.
    """
    found = method_formulas(method)
    return found if setting.platform.papers_radius else ANY_RADIUS


@dataclass(frozen=True)
class RadiusCaps:
    """The counts of a setting with the radius that its platform has; infinite where nothing bounds them.

    Examples
    --------
    >>> from bounds.published import published
    >>> caps = RadiusCaps(published("gpqa-strong").setting)
    >>> caps.identification_bounds(np.array([70_000.0])).tolist(), caps.identification_horizon
    ([49134.0], 88614)
    """

    setting: Setting

    @cached_property
    def elimination(self) -> dict[int, float]:
        """M_i of every unqualified provider, by index."""
        return dict(zip(self.setting.unqualified, eliminations(self._inputs).tolist(), strict=True))

    @cached_property
    def auctions(self) -> dict[int, float]:
        """L_i of every provider but i*: the largest count at which it wins an auction; infinite if it costs no more."""
        setting = self.setting
        found: dict[int, float] = {}
        for indices, costs in ((setting.unqualified, C_UNQUALIFIED), (setting.competitors, C_COMPETITOR)):
            if setting.optimal is not None:
                found |= dict(zip(indices, auctions(self._inputs, costs).tolist(), strict=True))
        return {i: found[i] for i in sorted(found)}

    def identification_bounds(self, horizons: Array) -> Array:
        """Return B_id(T) at each of many horizons; infinite where a competitor is not separated from i*."""
        found = RADIUS_IDENTIFICATION(self._inputs, horizon=horizons)
        return np.where(found >= UNBOUNDED, np.inf, found)

    @cached_property
    def identification_horizon(self) -> int | None:
        """The least T from which on i* serves more queries than any other; None if there is none below 2^52."""
        return identification_horizon(self._inputs, RADIUS_LEAD, twice=False)

    @cached_property
    def _inputs(self) -> dict[str, Any]:
        return formula_inputs(self.setting)
