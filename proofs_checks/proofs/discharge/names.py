"""What is checked of the printed numbers of a setting, by the names that `labels.json` has in `takes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from bounds.formulas.identification import identification_horizon
from bounds.formulas.radius import EXACT_SELECTION_BOUND
from bounds.formulas.selection import ELIMINATION_BOUND, ORDINARY_BOUND
from bounds.formulas.sharp import SHARP_ELIMINATION_BOUND, SHARP_ORDINARY_BOUND
from bounds.methods import METHODS
from bounds.radii.names import PAPERS
from bounds.radii.normal_mixture import NORMAL_MIXTURE, tuned_weight
from bounds.radii.radius import log_budget
from bounds.radius_caps import RadiusCaps
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.exploration import exploration_counts, exploration_ends
from bounds.sharpest.formulas import CHERNOFF_BOUND, OTHERS_RADIUS_SUM, RADIUS_SUM, UNQUALIFIED_RADIUS_SUM
from bounds.sharpest.market import MarketInstance
from bounds.sharpest.payments import auction_excess, last_auction, radii_at_target
from bounds.sharpest.probability import impossible_counts
from bounds.sharpest.shortfall import price_shortfalls
from proofs_checks.proofs.discharge import checks
from proofs_checks.proofs.discharge.balls import Balls, ExactPlatform, require

#: The radii whose counts are looked at.
_RADII = (PAPERS, NORMAL_MIXTURE.name)
#: Sums of a few doubles are rounded by less of themselves.
_ROUNDED = 1 + Fraction(1, 10**12)


@dataclass(frozen=True, kw_only=True, eq=False)
class DischargeCase:
    """One setting up to one horizon.

    Parameters
    ----------
    ball : Balls
    setting : Setting
    horizon : int
    """

    ball: Balls
    setting: Setting
    horizon: int

    @cached_property
    def platform(self) -> ExactPlatform:
        """Its platform, exactly."""
        return ExactPlatform.of(self.setting)

    @cached_property
    def values(self) -> dict[str, Any]:
        """The inputs of formulas."""
        return {**formula_inputs(self.setting), "horizon": self.horizon}

    @cached_property
    def market(self) -> MarketInstance:
        """The market that searches see."""
        return MarketInstance.of(self.values)

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

    @cached_property
    def inverses_of_pairs(self) -> list[tuple[Fraction, float]]:
        """The positive gaps of two providers' costs, each with its count as the program finds it."""
        by_cost, costs = self.market.by_cost, self.market.costs
        finite = np.argwhere(np.isfinite(by_cost)).tolist()
        return [(self.gap(float(costs[i]), float(costs[j])), float(by_cost[i, j])) for i, j in finite]

    @cached_property
    def exact_inverses(self) -> int:
        """How many counts are shown to be exact inverses of the radius."""
        gaps = [*self.quality_gaps, *self.cost_gaps, *self.dear_gaps]
        exact, ordinary = self.printed(SHARP_ELIMINATION_BOUND), self.printed(SHARP_ORDINARY_BOUND)
        counts = [*exact, *ordinary, *self.inverses(self.dear_gaps)]
        found = [*zip(gaps, counts, strict=True), *self.inverses_of_pairs]
        for gap, count in found:
            checks.check_exact_inverse(self.ball, self.platform, gap, count)
        return len(found)

    @cached_property
    def impossible(self) -> int:
        """The largest count with a radius of at least 1, as the program finds it."""
        return impossible_counts(self.platform.size, float(self.platform.confidence))

    @cached_property
    def sums(self) -> checks.RadiusSums:
        """Sums of its radii."""
        return checks.RadiusSums(ball=self.ball, platform=self.platform)

    @cached_property
    def excess(self) -> checks.Excess:
        """What its auctions pay above the second-lowest cost."""
        bound = self.exact("cost_bound")
        scale, most = (1 + self.exact("belief_slack")) * bound, bound - self.exact("second_lowest_cost")
        return checks.Excess(sums=self.sums, scale=scale, most=most)

    @cached_property
    def shortfalls(self) -> dict[int, float]:
        """The shortfall that the program finds for auctions from a count of i* on, at the counts that it tries."""
        horizons, queries = np.array([float(self.horizon)]), self.horizon - self.platform.size
        explored = int(exploration_counts(self.market, float(self.horizon))[self.market.optimal])
        tried = {first * 8**power for first in (1, explored + 1) for power in range(18)}
        starts = sorted(first for first in tried if first <= queries)
        return {first: float(price_shortfalls(self.market, horizons, np.array([float(first)]))[0]) for first in starts}

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


def _exact_inverses(case: DischargeCase) -> int:
    return case.exact_inverses


def _exclusions(case: DischargeCase) -> int:
    qualities, counts = case.of_each("unqualified_quality"), case.printed(CHERNOFF_BOUND)
    check = partial(checks.check_exclusion, case.ball, case.platform, threshold=case.exact("quality_threshold"))
    for quality, count in zip(qualities, counts, strict=True):
        check(quality=Fraction(quality), sharing=len(counts), count=count)
    return len(counts)


def _impossible_counts(case: DischargeCase) -> int:
    checks.check_impossible(case.ball, case.platform, case.impossible)
    return 1


def _horizon_of(method: str, caps: Callable[[DischargeCase], checks.Caps]) -> Callable[[DischargeCase], int]:
    def checked(case: DischargeCase) -> int:
        formulas = METHODS[method]
        horizon = identification_horizon(case.values, formulas.lead, formulas.lead_counts_twice)
        if horizon is None:
            return 0
        checks.check_horizon(case.ball, case.platform, caps(case), horizon)
        return 1

    return checked


def _paper_caps(case: DischargeCase) -> checks.Caps:
    """Return M_i and max{L_i, c}, twice; each the ceiling of 4/x^2 ln(57 N/(delta x^4))."""
    ball, platform = case.ball, case.platform
    unqualified, competitors = case.printed(ELIMINATION_BOUND), case.printed(ORDINARY_BOUND)
    for gap, count in zip([*case.quality_gaps, *case.cost_gaps], [*unqualified, *competitors], strict=True):
        logarithm = ball.apply("log", ball(57 * platform.size / (platform.confidence * gap**4)))
        checks.check_ceiling(ball(4 / gap**2) * logarithm, ball, count)
    return checks.Caps(each=(*((count, count) for count in unqualified), *_open(competitors)), factor=2)


def _sharp_caps(case: DischargeCase) -> checks.Caps:
    _exact_inverses(case)
    return _caps_with(case, case.printed(SHARP_ELIMINATION_BOUND))


def _sharpest_caps(case: DischargeCase) -> checks.Caps:
    _exact_inverses(case)
    _exclusions(case)
    return _caps_with(case, case.printed(CHERNOFF_BOUND))


def _caps_with(case: DischargeCase, most: list[float]) -> checks.Caps:
    """Return min{M_i, max{m*(a), c}} and max{m*(a), c}, the largest twice."""
    unqualified = zip(case.inverses(case.dear_gaps), most, strict=True)
    return checks.Caps(each=(*unqualified, *_open(case.printed(SHARP_ORDINARY_BOUND))), largest=True)


def _open(counts: list[float]) -> Iterator[tuple[float, float]]:
    """Yield the caps max{count, c}."""
    return ((count, np.inf) for count in counts)


def _with_radius(case: DischargeCase, name: str) -> tuple[RadiusCaps, Callable[[Sequence[int]], Any]]:
    """Return the counts of the setting with another radius, and two of these radii."""
    platform = replace(case.setting.platform, radius=name)
    weight = tuned_weight(log_budget(case.platform.size, platform.confidence, tails=2))

    def width(counts: Sequence[int]) -> Any:
        mixed = name == NORMAL_MIXTURE.name
        radii = (
            case.platform.mixture_radii(case.ball, counts, weight) if mixed else case.platform.radii(case.ball, counts)
        )
        return 2 * radii

    return RadiusCaps(replace(case.setting, platform=platform)), width


def _radius_counts(case: DischargeCase) -> int:
    return sum(_counts_with_radius(case, name) for name in _RADII)


def _counts_with_radius(case: DischargeCase, name: str) -> int:
    caps, width = _with_radius(case, name)
    providers, threshold = case.setting.providers, case.exact("quality_threshold")
    found = [(threshold - Fraction(providers[i].quality), count) for i, count in caps.elimination.items()]
    cost = case.values["optimal_cost"]
    gaps = [(case.gap(providers[i].mean_cost, cost), count) for i, count in caps.auctions.items()]
    found += [(gap, count) for gap, count in gaps if gap > 0]
    for gap, count in found:
        checks.check_largest_count(case.ball, width, gap, count)
    return len(found)


def _radius_horizons(case: DischargeCase) -> int:
    shown = 0
    for name in _RADII:
        _counts_with_radius(case, name)
        caps, _ = _with_radius(case, name)
        if caps.identification_horizon is not None:
            others = [i for i in range(case.platform.size) if i != case.setting.optimal]
            each = tuple((caps.auctions.get(i, np.inf), caps.elimination.get(i, np.inf)) for i in others)
            checks.check_horizon(
                case.ball, case.platform, checks.Caps(each=each, largest=True), caps.identification_horizon
            )
            shown += 1
    return shown


def _exploration_ends(case: DischargeCase) -> int:
    market, ends = case.market, exploration_ends(case.market)
    ending = np.flatnonzero(np.isfinite(ends)).tolist()
    for j in ending:
        others = [i for i in range(len(ends)) if i != j]
        each = tuple((float(market.by_cost[i, j]), float(market.elimination[i])) for i in others)
        checks.check_exploration_end(case.ball, case.platform, checks.Caps(each=each), int(ends[j]))
    return len(ending)


def _equal_shares(case: DischargeCase) -> int:
    size, queries = case.platform.size, case.horizon - case.platform.size
    shares = {RADIUS_SUM: size, UNQUALIFIED_RADIUS_SUM: len(case.quality_gaps), OTHERS_RADIUS_SUM: size - 1}
    asked = [(of_them, bound.value(case.values)) for bound, of_them in shares.items() if of_them]
    for of_them, total in asked:
        checks.check_equal_shares(case.sums, of_them, queries, total)
    return len(asked)


def _shortfalls(case: DischargeCase) -> int:
    market, platform, size = case.market, case.platform, case.platform.size
    stitched = checks.Stitched(ball=case.ball, failure=checks.spare_share(case.ball, platform, case.impossible) / 2)
    rival = market.optimal + 1 + int(np.argmin(market.costs[market.optimal + 1 :]))
    wins = market.by_cost[rival, market.optimal]
    selected = min(max(wins, platform.explored_below(case.ball, case.horizon)), case.horizon - size)
    for first, short in case.shortfalls.items():
        counts = platform.explored_below(case.ball, size + first) + 1, int(selected) + 1
        if counts[0] <= counts[1]:
            checks.check_shortfall(case.ball, platform, stitched, counts=counts, short=short)
    return len(case.shortfalls)


def _excess(case: DischargeCase) -> int:
    """Check the sums of the excess payment: with exploration, without it, and without the shortfall."""
    market, queries, ends = case.market, case.horizon - case.platform.size, exploration_ends(case.market)
    limits = zip(ends.tolist(), market.elimination.tolist(), strict=True)
    explored = [
        int(min(case.platform.explored_below(case.ball, int(min(case.horizon, end))), most)) for end, most in limits
    ]
    counts = exploration_counts(market, float(case.horizon))
    require(explored == counts.tolist(), f"the most explorations {counts}")
    nothing, horizon = [0] * len(explored), float(case.horizon)
    shared = case.excess.in_shares(case.platform.size, queries, -case.exact("overbid"))
    for left_out, total, shortfalls in (
        (explored, auction_excess(market, horizon, counts), case.shortfalls),
        (nothing, auction_excess(market, horizon), case.shortfalls),
        (nothing, auction_excess(market, horizon, shortfall=False), {}),
    ):
        bounds = [shared, *_excess_by_provider(case, left_out, shortfalls)]
        enough = any((bound <= case.ball(float(total)) * case.ball(_ROUNDED)) is True for bound in bounds)
        require(enough, f"what auctions pay above c_(2) is at most {float(total)}: that it")
    return 3


def _excess_by_provider(case: DischargeCase, explored: list[int], shortfalls: Mapping[int, float]) -> Iterator[Any]:
    """Yield the excess of auctions beyond explored counts: without a shortfall, then with one from some count on."""
    market, queries, overbid = case.market, case.horizon - case.platform.size, case.exact("overbid")
    best, lead = market.optimal, case.exact("second_lowest_cost") - case.exact("optimal_cost")
    wins = [int(min(queries, count)) for count in market.selections_by_cost.tolist()]
    losing = [i for i in range(len(wins)) if i != best and wins[i] > explored[i]]
    others = sum((case.excess.over(explored[i], wins[i], lead - overbid) for i in losing), case.ball(0))
    own = explored[best]
    yield others + case.excess.over(min(own, queries), queries, -overbid)
    for first, short in shortfalls.items():
        if own < first <= queries:
            saved = case.exact("cost_bound") * Fraction(short) - overbid
            before = case.excess.over(own, first - 1, -overbid)
            yield others + before + case.excess.over(first - 1, queries, saved)


def _target_sums(case: DischargeCase) -> int:
    second, bound = case.exact("second_lowest_cost"), case.exact("cost_bound")
    spread = max(case.exact("underbid"), case.exact("overbid"))
    most, twice, more = map(case.ball, (max(second, bound - second), 2 * case.excess.scale, spread))
    total = float(radii_at_target(case.market, float(case.horizon)))

    def band(radius: Any) -> Any:
        return case.ball.apply("minimum", most, twice * radius + more)

    checks.check_target_sum(case.ball, case.platform, last=case.horizon, band=band, total=total)
    return 1


def _out_of_auctions(case: DischargeCase) -> int:
    market, platform = case.market, case.platform
    cheap = [at for at in range(market.n_unqualified) if market.costs[at] < market.second_lowest_cost]
    for at in cheap:
        last = platform.size + int(last_auction(market, float(market.elimination[at])))
        reached = platform.target_exceeds(case.ball, last + 1, int(market.elimination[at]))
        require(reached, f"g({last + 1}) > {market.elimination[at]:.0f}")
    return len(cheap)


@dataclass(frozen=True, kw_only=True)
class DischargeCheck:
    """What is checked of one kind of numbers.

    Parameters
    ----------
    what : str
        One of them, in words.
    says : str
        What is checked.
    run : callable
        From a case to how many there are.
    """

    what: str
    says: str
    run: Callable[[DischargeCase], int]


_LEADS = "T' > N + B(T') + max_i cap_i(T') from it on, and not before: at it, and by the growth of g"
#: What is checked of a setting, by name; where labels mean different numbers by it, by name and label.
CHECKS: Mapping[str, DischargeCheck] = MappingProxyType(
    {
        "exact-inverse": DischargeCheck(what="count", says="a <= 2 beta(m) and a > 2 beta(m + 1)", run=_exact_inverses),
        "exclusion-count": DischargeCheck(
            what="count",
            says="at m = M + 1, p = q_min - beta(m) > q_i, and q_i = 0 or m kl(p, q_i) >= ln(u pi^2/(6 delta))",
            run=_exclusions,
        ),
        **dict.fromkeys(
            ("last-count-without-failure", "impossible-count"),
            DischargeCheck(what="count", says="beta(m_0) >= 1", run=_impossible_counts),
        ),
        "repaired-horizon": DischargeCheck(
            what="horizon",
            says="T' > N + 2 B_id(T') from it on, and not before: at it, and by the growth of g",
            run=_horizon_of("paper", _paper_caps),
        ),
        "sharp-horizon": DischargeCheck(what="horizon", says=_LEADS, run=_horizon_of("sharp", _sharp_caps)),
        "sharpest-horizon": DischargeCheck(what="horizon", says=_LEADS, run=_horizon_of("sharpest", _sharpest_caps)),
        "radius-count": DischargeCheck(
            what="count",
            says="the largest at which two radii reach the gap, for the paper's radius and the normal mixture",
            run=_radius_counts,
        ),
        "radius-horizon": DischargeCheck(
            what="horizon", says=f"{_LEADS}, for the paper's radius and the normal mixture", run=_radius_horizons
        ),
        "exploration-end": DischargeCheck(
            what="time", says="t - N >= B_j(t - 1) + g(t) at every later t, by the growth of g", run=_exploration_ends
        ),
        "equal-shares": DischargeCheck(
            what="sum", says="at least the sum of the radii of T - N counts in equal shares", run=_equal_shares
        ),
        "shortfall": DischargeCheck(
            what="number", says="at most beta(m) - r(m) at every count m that the rival can have", run=_shortfalls
        ),
        "end-of-disturbance": DischargeCheck(what="step", says="g(t) > M_j at every later t", run=_out_of_auctions),
        "radius-sums thm:excess-payment-general:sharpest": DischargeCheck(
            what="sum",
            says="at least that of what auctions pay above c_(2), by provider or in equal shares, but for 1e-12 of it",
            run=_excess,
        ),
        "radius-sums thm:regret:sharpest": DischargeCheck(
            what="sum", says="at least that of the bands at the target, step by step", run=_target_sums
        ),
    }
)


def check_of(name: str, label: str = "") -> str:
    """Return the name under which a check stands in `CHECKS`; empty if there is none.

    Examples
    --------
    >>> check_of("radius-sums", "thm:regret:sharpest"), check_of("shortfall"), check_of("other")
    ('radius-sums thm:regret:sharpest', 'shortfall', '')
    """
    return next((each for each in (f"{name} {label}", name) if each in CHECKS), "")
