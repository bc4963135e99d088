"""What is checked of the printed numbers of a setting, by the names that `labels.json` has in `takes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from bounds.formulas.identification import identification_horizon
from bounds.formulas.radius import EXACT_SELECTION_BOUND
from bounds.formulas.selection import ELIMINATION_BOUND, ORDINARY_BOUND
from bounds.formulas.sharp import SHARP_ELIMINATION_BOUND, SHARP_ORDINARY_BOUND
from bounds.methods import METHODS
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.exploration import exploration_ends
from bounds.sharpest.formulas import CHERNOFF_BOUND, OTHERS_RADIUS_SUM, RADIUS_SUM, UNQUALIFIED_RADIUS_SUM
from bounds.sharpest.market import Market
from bounds.sharpest.payments import last_auction
from bounds.sharpest.probability import impossible_counts, spare_probability
from bounds.sharpest.shortfall import price_shortfalls
from proofs_checks.plurals import counted
from proofs_checks.proofs.discharge.balls import Balls, NotDischargedError, Platform
from proofs_checks.proofs.discharge.checks import (
    Caps,
    Stitched,
    check_ceiling,
    check_equal_shares,
    check_exact_inverse,
    check_exclusion,
    check_exploration_end,
    check_failure_share,
    check_horizon,
    check_shortfall,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One setting up to one horizon.

    Parameters
    ----------
    of : Balls
    setting : Setting
    horizon : int
    """

    of: Balls
    setting: Setting
    horizon: int

    @cached_property
    def platform(self) -> Platform:
        """Its platform, exactly."""
        return Platform.of(self.setting)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The inputs of formulas."""
        return {**formula_inputs(self.setting), "horizon": self.horizon}

    @cached_property
    def market(self) -> Market:
        """The market that searches see."""
        return Market.of(self.values)

    def exact(self, name: str) -> Fraction:
        """Return a number of the setting."""
        return Fraction(float(self.values[name]))

    def gap(self, cost: float, other: float) -> Fraction:
        """Return (c_i - c_j - d_- - d_+)/((1 + gamma) c_max)."""
        apart = Fraction(cost) - Fraction(other) - self.exact("underbid") - self.exact("overbid")
        return apart / ((1 + self.exact("belief_slack")) * self.exact("cost_bound"))

    @cached_property
    def quality_gaps(self) -> list[Fraction]:
        """The gaps eps_i of the unqualified providers."""
        return [self.exact("quality_threshold") - Fraction(quality) for quality in self.of_each("unqualified_quality")]

    @cached_property
    def cost_gaps(self) -> list[Fraction]:
        """The gaps of the competitors' costs."""
        return [self.gap(cost, self.values["optimal_cost"]) for cost in self.of_each("competitor_cost")]

    @cached_property
    def dear_gaps(self) -> list[Fraction]:
        """The larger gap of each unqualified provider: that of its quality or that of its cost."""
        costs = [self.gap(cost, self.values["optimal_cost"]) for cost in self.of_each("unqualified_cost")]
        return list(map(max, costs, self.quality_gaps))

    def of_each(self, name: str) -> list[float]:
        """Return the numbers of providers."""
        return [float(number) for number in np.asarray(self.values[name], dtype=float)]

    def printed(self, bound: Callable[..., Any]) -> list[float]:
        """Return the numbers that the program prints of a bound, for each provider."""
        return [float(number) for number in np.ravel(bound(self.values))]

    def inverses(self, gaps: list[Fraction]) -> list[float]:
        """Return floor(m*(a)) of some gaps, as the program finds it."""
        size, confidence = self.values["n_providers"], self.values["confidence"]
        found = EXACT_SELECTION_BOUND(gap=np.array(gaps, dtype=float), n_providers=size, confidence=confidence)
        return [float(count) for count in found]


def _exact_inverses(case: Case) -> str:
    gaps = [*case.quality_gaps, *case.cost_gaps, *case.dear_gaps]
    counts = [
        *case.printed(SHARP_ELIMINATION_BOUND),
        *case.printed(SHARP_ORDINARY_BOUND),
        *case.inverses(case.dear_gaps),
    ]
    pairs = dict(zip(gaps, counts, strict=True)) | dict(_gaps_of_pairs(case))
    for gap, count in pairs.items():
        check_exact_inverse(case.of, case.platform, gap, count)
    return f"{counted(len(pairs), 'count')} m: a <= 2 beta(m), and a > 2 beta(m + 1)"


def _gaps_of_pairs(case: Case) -> Iterator[tuple[Fraction, float]]:
    market = case.market
    for i, j in np.argwhere(np.isfinite(market.by_cost)):
        yield case.gap(float(market.costs[i]), float(market.costs[j])), float(market.by_cost[i, j])


def _exclusions(case: Case) -> str:
    counts = case.printed(CHERNOFF_BOUND)
    for quality, count in zip(case.of_each("unqualified_quality"), counts, strict=True):
        check_exclusion(
            case.of,
            case.platform,
            quality=Fraction(quality),
            threshold=case.exact("quality_threshold"),
            sharing=len(counts),
            count=count,
        )
    return f"{counted(len(counts), 'count')} M: (M + 1) kl(q_min - beta(M + 1), q_i) >= ln(n pi^2/(6 delta))"


def _horizon_of(method: str, caps: Callable[[Case], Caps]) -> Callable[[Case], str]:
    def checked(case: Case) -> str:
        formulas = METHODS[method]
        horizon = identification_horizon(case.values, formulas.lead, formulas.lead_counts_twice)
        if horizon is None:
            return "no horizon is printed"
        check_horizon(case.of, case.platform, caps(case), horizon)
        return f"at T = {horizon:,} and for good, by the growth of g; not at {horizon - 1:,}"

    return checked


def _paper_caps(case: Case) -> Caps:
    """Return M_i and max{L_i, c}, twice; each the ceiling of 4/x^2 ln(57 N/(delta x^4))."""
    of, platform = case.of, case.platform
    unqualified, competitors = case.printed(ELIMINATION_BOUND), case.printed(ORDINARY_BOUND)
    for gap, count in zip([*case.quality_gaps, *case.cost_gaps], [*unqualified, *competitors], strict=True):
        logarithm = of.apply("log", of(57 * platform.size / (platform.confidence * gap**4)))
        check_ceiling(of(4 / gap**2) * logarithm, of, count)
    return Caps(each=(*((count, count) for count in unqualified), *_open(competitors)), factor=2)


def _sharp_caps(case: Case) -> Caps:
    _exact_inverses(case)
    each = zip(case.inverses(case.dear_gaps), case.printed(SHARP_ELIMINATION_BOUND), strict=True)
    return Caps(each=(*each, *_open(case.printed(SHARP_ORDINARY_BOUND))), largest=True)


def _sharpest_caps(case: Case) -> Caps:
    _exact_inverses(case)
    _exclusions(case)
    each = zip(case.inverses(case.dear_gaps), case.printed(CHERNOFF_BOUND), strict=True)
    return Caps(each=(*each, *_open(case.printed(SHARP_ORDINARY_BOUND))), largest=True)


def _open(counts: list[float]) -> Iterator[tuple[float, float]]:
    """Yield the caps max{count, c}."""
    return ((count, np.inf) for count in counts)


def _exploration_ends(case: Case) -> str:
    market, ends = case.market, exploration_ends(case.market)
    for j in np.flatnonzero(np.isfinite(ends)):
        others = [i for i in range(len(ends)) if i != j]
        each = tuple((float(market.by_cost[i, j]), float(market.elimination[i])) for i in others)
        check_exploration_end(case.of, case.platform, Caps(each=each), int(ends[j]))
    return f"{counted(int(np.isfinite(ends).sum()), 'end')} t_j: t - N >= B_j(t - 1) + g(t) at all later t"


def _radius_sums(case: Case) -> str:
    size, queries = case.platform.size, case.horizon - case.platform.size
    unqualified = len(case.quality_gaps)
    shares = {RADIUS_SUM: size, UNQUALIFIED_RADIUS_SUM: unqualified, OTHERS_RADIUS_SUM: size - 1}
    asked = [(of_them, bound.value(case.values)) for bound, of_them in shares.items() if of_them]
    for of_them, total in asked:
        check_equal_shares(case.of, case.platform, of_them, queries, total)
    return f"{counted(len(asked), 'sum')} of the radii of {queries:,} counts in equal shares"


def _failure_share(case: Case) -> str:
    size, confidence = case.platform.size, float(case.platform.confidence)
    last, failure = impossible_counts(size, confidence), spare_probability(size, confidence) / 2
    check_failure_share(case.of, case.platform, last, failure)
    return f"beta({last}) >= 1, and {failure:.6g} is at most (6/pi^2) delta times the sum of 1/m^2 up to there"


def _shortfalls(case: Case) -> str:
    market, platform = case.market, case.platform
    failure = spare_probability(platform.size, float(platform.confidence)) / 2
    stitched = Stitched(of=case.of, failure=failure)
    rival = market.optimal + 1 + int(np.argmin(market.costs[market.optimal + 1 :]))
    selected = max(market.by_cost[rival, market.optimal], platform.explored_below(case.of, case.horizon))
    starts = [8**power for power in range(18) if 8**power <= case.horizon - platform.size]
    for first in starts:
        [short] = price_shortfalls(market, np.array([float(case.horizon)]), np.array([float(first)]))
        least = platform.explored_below(case.of, platform.size + first) + 1
        most = max(least, int(min(selected, case.horizon)) + 1)
        check_shortfall(case.of, platform, stitched, counts=(least, most), short=float(short))
    return f"{counted(len(starts), 'number')}: beta(m) - r(m) is at least so much at all counts of the rival"


def _out_of_auctions(case: Case) -> str:
    market, platform = case.market, case.platform
    cheap = [at for at in range(market.n_unqualified) if market.costs[at] < market.second_lowest_cost]
    for at in cheap:
        last = platform.size + int(last_auction(market, float(market.elimination[at])))
        if not platform.target_exceeds(case.of, last + 1, int(market.elimination[at])):
            raise NotDischargedError(f"g({last + 1}) > M_{at} does not hold")
    return f"{counted(len(cheap), 'step')} s: g(s + 1) > M_j, and g grows"


#: What is checked of a setting, by name.
CHECKS: Mapping[str, Callable[[Case], str]] = MappingProxyType(
    {
        "exact-inverse": _exact_inverses,
        "exclusion-count": _exclusions,
        "T_id-repaired": _horizon_of("paper", _paper_caps),
        "T_id-sharp": _horizon_of("sharp", _sharp_caps),
        "T_id-sharpest": _horizon_of("sharpest", _sharpest_caps),
        "exploration-end": _exploration_ends,
        "radius-sum": _radius_sums,
        "failure-share": _failure_share,
        "shortfall": _shortfalls,
        "out-of-auctions": _out_of_auctions,
    }
)
