"""Rulebooks in which one part is replaced: what a mechanism would obey if one thing were different."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from proofs_checks.conformance.diagnosis.rulebook import PLAIN, AnyEligible, Log, Rulebook
from proofs_checks.oracle.rule_oracle import ROUNDING, exact_in_floats

_PAYMENT = ("critical-payment", "lone-payment")
_RADIUS = ("critical-payment", "index-minimizer", "eligibility", "widened-radius", "state-estimates")
_SLACK = ("widened-radius",)
_ELIGIBILITY = ("eligibility", "state-estimates", "exploration-set", "empty-payment", "lone-payment")
_EXPLORATION = ("exploration-set", "exploration-payment", "exploration-draw", "index-minimizer", "critical-payment")
_EXPLORED_PAYMENT = ("exploration-payment",)
_ALLOCATION = ("index-minimizer", "monotone-allocation", "critical-payment")
_BIDS = ("standing-bids", "past-bids", "index-minimizer", "critical-payment")
_EMPTY = ("empty-payment", "empty-draw")
#: Wrong winners, each at the price that a rival sets, after which the providers that are eligible are suspected.
_WRONG_WINNERS = 3


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A rule that differs from Algorithm 1 in one thing; `says` goes on from "it"."""

    name: str
    says: str
    #: The checks that name it, the best first.
    checks: tuple[str, ...]
    book: Rulebook
    #: The step from which on it differs from Algorithm 1.
    since: int = 1
    #: Wrong answers that it must prescribe to explain them all; None for half of them.
    enough: int | None = None
    #: What it pays whoever wins, where it leaves open who that is: the answers then say more than it does.
    any_winner_is_paid: str = ""

    @property
    def sentence(self) -> str:
        """What it says, as a sentence's part: "it pays ..."."""
        return f"it {self.says}"


def _variant(name: str, says: str, checks: tuple[str, ...], **parts: Any) -> Variant:
    return Variant(name=name, says=says, checks=checks, book=replace(PLAIN, **parts))


def _critical(**parts: Any) -> Any:
    """Return a price computed by a rulebook with other parts, while the index stays as it is."""
    other = replace(PLAIN, **parts)
    return lambda book, log, i, able: min(other.price(log, i, able), log.config.cost_bound)


def _hoped(**parts: Any) -> Any:
    """Return what eligibility compares, computed with other parts; index and payment stay as they are."""
    other = replace(PLAIN, **parts)
    return lambda book, log, i: other.hoped(other, log, i)


def _logarithm(factor: Callable[[Log, float], float]) -> Any:
    """Return the logarithm's argument times a factor of the log and the count."""
    return lambda book, log, m: PLAIN.inside(PLAIN, log, m) * factor(log, m)


def _bound(log: Log) -> float:
    return log.config.cost_bound


def _steps_goal(shift: float = 0.0, *, scale: bool = True, n: bool = True, complement: bool = False) -> Any:
    """Return g at a shifted step, with the scale, the division by N or the exponent changed."""

    def goal(log: Log) -> float:
        config = log.config
        exponent = 1 - config.exploration_exponent if complement else config.exploration_exponent
        per = config.n_providers if n else 1
        return float((config.exploration_scale if scale else 1.0) * ((log.step + shift) / per) ** exponent)

    return goal


def _whole_goal(rounded: Callable[[float], int], doubtful: float) -> Any:
    """Return g(t) made whole, less one half: counts are told from it without a knife edge.

    Where g(t) is within rounding of a number whose fraction is `doubtful`, either neighbour may come out: the goal is
    then the count about which they differ.
    """

    def goal(log: Log) -> float:
        found = PLAIN.goal(log)
        lower = math.floor(found - doubtful + 0.5)  # the doubtful number next to g(t) is this plus `doubtful`
        doubt = abs(found - lower - doubtful) <= ROUNDING * max(1.0, found)
        if doubt and not exact_in_floats(log.config, log.step):
            return float(min(rounded(found - 0.25), rounded(found + 0.25)))
        return rounded(found) - 0.5

    return goal


def _late_goal(log: Log) -> float:
    """Return g(t - N)."""
    rounds = log.step / log.config.n_providers - 1
    return float(log.config.exploration_scale * rounds**log.config.exploration_exponent)


def _rounds_goal(log: Log) -> float:
    """Return k (t // N)^alpha."""
    rounds = log.step // log.config.n_providers
    return float(log.config.exploration_scale * rounds**log.config.exploration_exponent)


def _lowest(number: Callable[[Log, int], float]) -> Any:
    """Return a choice of those for whom a number is least."""

    def chosen(book: Rulebook, log: Log, among: list[int]) -> list[int]:
        least = min(number(log, i) for i in among)
        return [i for i in among if number(log, i) <= least + 1e-12]

    return chosen


def _average(weight: float) -> Any:
    """Return an estimate in which every new score has one weight."""

    def estimate(book: Rulebook, log: Log, i: int) -> float:
        found = log.scores[i][0]
        for score in log.scores[i][1:]:
            found += weight * (score - found)
        return found

    return estimate


def _mapped(change: Callable[[float], float]) -> Any:
    """Return the mean of scores that are changed one by one."""
    return lambda book, log, i: statistics.fmean(map(change, log.scores[i]))


def _single_mean(book: Rulebook, log: Log, i: int) -> float:
    """Return the mean of scores that are added up in single precision."""
    total = np.float32(0.0)
    for score in log.scores[i]:
        total += np.float32(score)
    return float(total / np.float32(log.counts[i]))


def _hits(log: Log, i: int) -> int:
    """Return how many scores of a provider are not 0."""
    return sum(score != 0 for score in log.scores[i])


def _without_zeros(book: Rulebook, log: Log, i: int) -> float:
    """Return what eligibility compares, from the scores that are not 0; on the edge where a provider has no other."""
    if not all(_hits(log, j) for j in log.providers):
        return log.config.quality_threshold
    return log.sums[i] / _hits(log, i) + book.radius(log, i)


def _before_the_last_step(book: Rulebook, log: Log, i: int) -> float:
    """Return what eligibility compared one step ago; on the edge where nothing was known of a provider then."""
    before = log.counts_before[i]
    if before == log.counts[i]:
        return PLAIN.hoped(PLAIN, log, i)
    if before == 0:
        return log.config.quality_threshold
    return sum(log.scores[i][:before]) / before + book.beta(log, before)


def _highest_bid(log: Log, among: Iterable[int]) -> float:
    return max(log.bids[i][-1] for i in among)


def _least_count(log: Log) -> int:
    return min(log.counts)


def _width_at(count: Callable[[Log, int], float]) -> Any:
    """Return the cost radius at another count."""
    return lambda book, log, i: (1 + log.config.belief_slack) * _bound(log) * book.beta(log, max(count(log, i), 1))


def _without_explorations(book: Rulebook, log: Log, i: int) -> float:
    """Return a selection count that leaves explorations out."""
    return log.counts[i] - log.explored[i]


def _own_bid(book: Rulebook, log: Log, i: int, able: list[int]) -> float:
    return log.bids[i][-1]


#: From the simple to the odd: the first that explains everything is named.
VARIANTS: tuple[Variant, ...] = (
    # One provider serves everything, whatever is known.
    *(
        _variant(
            name,
            f"lets {who} serve everything at c_max, whatever is bid",
            ("index-minimizer", "eligibility"),
            eligible=only,
            paid_lone=lambda book, log, i, able: _bound(log),
            goal=lambda log: -1.0,
        )
        for name, who, only in (
            ("always provider 0", "provider 0", lambda book, log, able: [0]),
            ("always provider 1", "provider 1", lambda book, log, able: [1]),
            ("always provider N - 1", "the last provider", lambda book, log, able: [log.config.n_providers - 1]),
        )
    ),
    # What an auction pays.
    _variant("first price", "pays the winner its own bid (first price)", _PAYMENT, paid=_own_bid),
    _variant(
        "no cap",
        "pays P even above c_max: the cap is missing",
        ("payment-range", *_PAYMENT),
        paid=lambda book, log, i, able: PLAIN.price(log, i, able) if len(able) > 1 else _bound(log),
    ),
    _variant(
        "count + 1 in payment",
        "pays by count + 1: the price takes the winner's radius one query later",
        _PAYMENT,
        price_width=_width_at(lambda log, i: log.counts[i] + 1),
    ),
    _variant(
        "count - 1 in payment",
        "pays by count - 1: the price takes the winner's radius one query earlier",
        _PAYMENT,
        price_width=_width_at(lambda log, i: log.counts[i] - 1),
    ),
    _variant(
        "rival's radius",
        "adds the best rival's cost radius in P, not the winner's",
        _PAYMENT,
        critical=lambda book, log, i, able: min(
            ((book.index(book, log, j), book.bid(book, log, j)) for j in able if j != i), default=(0, math.inf)
        )[1],
    ),
    _variant(
        "second price without radii",
        "pays the lowest bid of a rival, without radii (plain second price)",
        _PAYMENT,
        critical=lambda book, log, i, able: min((book.bid(book, log, j) for j in able if j != i), default=math.inf),
    ),
    _variant(
        "best rival's index",
        "pays the best rival's adjusted bid, without the winner's radius",
        _PAYMENT,
        price_width=lambda book, log, i: 0.0,
    ),
    _variant(
        "rivals without radius",
        "leaves the rivals' radii out of P",
        _PAYMENT,
        critical=lambda book, log, i, able: (
            book.price_width(book, log, i) + min((book.bid(book, log, j) for j in able if j != i), default=math.inf)
        ),
    ),
    _variant(
        "second price among all",
        "counts ineligible providers in the minimum of P, even where one alone is eligible",
        ("lone-payment", "critical-payment"),
        rivals=lambda book, log, i, able: [j for j in log.providers if j != i],
    ),
    _variant(
        "excluded rivals",
        "counts ineligible providers in the minimum of P, where two or more are eligible",
        _PAYMENT,
        rivals=lambda book, log, i, able: [j for j in log.providers if j != i] if len(able) > 1 else [],
    ),
    _variant(
        "excluded price the lone",
        "pays a lone eligible provider by the bids of ineligible ones, not c_max",
        ("lone-payment",),
        paid_lone=lambda book, log, i, able: min(book.price(log, i, list(log.providers)), _bound(log)),
    ),
    _variant(
        "dearest rival", "takes the largest adjusted bid of a rival in P, not the smallest", _PAYMENT, best_rival=max
    ),
    _variant(
        "median rival",
        "takes the median adjusted bid of the rivals in P, not the smallest",
        _PAYMENT,
        best_rival=statistics.median,
    ),
    _variant(
        "upper median rival",
        "takes the middle adjusted bid of the rivals in P, not the smallest",
        _PAYMENT,
        best_rival=lambda values: sorted(values)[len(values) // 2],
    ),
    _variant(
        "third price",
        "takes the second smallest adjusted bid of the rivals in P",
        _PAYMENT,
        best_rival=lambda values: sorted(values)[min(1, len(values) - 1)],
    ),
    _variant(
        "mean rival",
        "takes the mean adjusted bid of the rivals in P, not the smallest",
        _PAYMENT,
        best_rival=statistics.fmean,
    ),
    *(
        _variant(
            f"capped at the {who} bid{' but for the lone' if lone else ''}",
            f"caps an auction's payment at the highest standing bid{among}, not at c_max",
            _PAYMENT,
            paid=lambda book, log, i, able, all_bids=all_bids: min(
                PLAIN.price(log, i, able), _highest_bid(log, log.providers if all_bids else able)
            ),
            **lone,
        )
        for who, among, all_bids in (("highest", "", True), ("highest eligible", " of the eligible", False))
        for lone in ({}, {"paid_lone": lambda book, log, i, able: _bound(log)})
    ),
    *(
        _variant(
            f"tied rivals lost by {what}",
            f"leaves a rival with the winner's own {what} out of P: rivals are told from the winner by value",
            _PAYMENT,
            rivals=lambda book, log, i, able, number=number: [
                j for j in able if number(book, log, j) != number(book, log, i)
            ],
        )
        for what, number in (("adjusted bid", PLAIN.index), ("bid", PLAIN.bid))
    ),
    _variant("always c_max", "pays c_max in every auction", _PAYMENT, paid=lambda book, log, i, able: _bound(log)),
    _variant("lone at its bid", "pays a lone eligible provider its own bid", ("lone-payment",), paid_lone=_own_bid),
    # Corners.
    _variant(
        "empty at the bid", "pays the drawn provider its bid when nobody is eligible", _EMPTY, paid_empty=_own_bid
    ),
    _variant(
        "empty at nothing", "pays nothing when nobody is eligible", _EMPTY, paid_empty=lambda book, log, i, able: 0.0
    ),
    _variant("empty by auction", "holds an auction among all when nobody is eligible", _EMPTY, auctions_empty=True),
    _variant(
        "initially nothing",
        "pays nothing during initialization",
        ("initialization-payment",),
        paid_initially=lambda book, log, i, able: 0.0,
    ),
    _variant(
        "initialized twice",
        "serves everybody twice before its first decision",
        ("index-minimizer", "critical-payment"),
        rounds=2,
    ),
    # Exploration.
    _variant(
        "exploration at the bid",
        "pays the bid at exploration steps, not c_max",
        _EXPLORED_PAYMENT,
        paid_exploring=_own_bid,
    ),
    _variant(
        "exploration at the price",
        "pays the auction's price at exploration steps, not c_max",
        _EXPLORED_PAYMENT,
        paid_exploring=lambda book, log, i, able: book.paid(book, log, i, able),
    ),
    _variant(
        "exploration unpaid",
        "pays nothing at exploration steps",
        _EXPLORED_PAYMENT,
        paid_exploring=lambda book, log, i, able: 0.0,
    ),
    _variant("no exploration", "never explores: exploration is left out", _EXPLORATION, goal=lambda log: -1.0),
    _variant(
        "explores at the goal",
        "explores providers with m <= g(t), not m < g(t)",
        _EXPLORATION,
        tally=lambda book, log, i: log.counts[i] - 1e-6,
    ),
    _variant("goal rounded down", "rounds g(t) down", _EXPLORATION, goal=_whole_goal(math.floor, 0.0)),
    _variant("goal rounded", "rounds g(t) to the nearest whole number", _EXPLORATION, goal=_whole_goal(round, 0.5)),
    _variant("goal of whole rounds", "takes t // N for t/N in g(t)", _EXPLORATION, goal=_rounds_goal),
    _variant("goal of the last step", "explores up to g(t - 1), not g(t)", _EXPLORATION, goal=_steps_goal(-1)),
    _variant("goal from the start", "explores up to g(t - N), not g(t)", _EXPLORATION, goal=_late_goal),
    _variant("goal of the next step", "explores up to g(t + 1), not g(t)", _EXPLORATION, goal=_steps_goal(1)),
    _variant(
        "goal without N",
        "takes g(t) = k t^alpha: the division by N is missing",
        _EXPLORATION,
        goal=_steps_goal(n=False),
    ),
    _variant(
        "goal without k",
        "takes g(t) = (t/N)^alpha: the scale k is missing",
        _EXPLORATION,
        goal=_steps_goal(scale=False),
    ),
    _variant(
        "exponent 1 - alpha", "takes 1 - alpha for alpha in g(t)", _EXPLORATION, goal=_steps_goal(complement=True)
    ),
    _variant("goal times 2", "explores up to 2 g(t)", _EXPLORATION, goal=lambda log: 2 * PLAIN.goal(log)),
    _variant("goal halved", "explores up to g(t) / 2", _EXPLORATION, goal=lambda log: PLAIN.goal(log) / 2),
    _variant(
        "linear goal",
        "takes alpha = 1 in g(t)",
        _EXPLORATION,
        goal=lambda log: log.config.exploration_scale * log.step / log.config.n_providers,
    ),
    _variant(
        "explores the excluded",
        "explores under-sampled providers that are not eligible, too",
        _EXPLORATION,
        contested=lambda book, log, able: list(log.providers),
    ),
    _variant(
        "explores all eligible",
        "draws an exploration among all eligible, not the under-sampled alone",
        _EXPLORATION,
        explored_of=lambda book, log, able, under: able if under else [],
    ),
    _variant(
        "explores unless all agree",
        "explores only while every eligible provider is under-sampled",
        _EXPLORATION,
        explored_of=lambda book, log, able, under: under if len(under) == len(able) else [],
    ),
    *(
        _variant(f"explorations uncounted{name}", f"leaves explorations out of {says}", _EXPLORATION, **parts)
        for name, says, parts in (
            (
                "",
                "the selection counts, not out of the mean score",
                {"count": _without_explorations, "tally": _without_explorations},
            ),
            (
                " and unscored",
                "the selection counts and of the mean score",
                {
                    "count": _without_explorations,
                    "tally": _without_explorations,
                    "estimate": lambda book, log, i: (
                        (log.sums[i] - log.explored_sums[i]) / _without_explorations(book, log, i)
                    ),
                },
            ),
            (
                " but scored",
                "the selection counts, by which it divides the sum of all scores",
                {
                    "count": _without_explorations,
                    "tally": _without_explorations,
                    "estimate": lambda book, log, i: log.sums[i] / _without_explorations(book, log, i),
                },
            ),
            (" in g(t)", "the counts that it compares with g(t)", {"tally": _without_explorations}),
            (" in the radius", "the counts that it takes the radius at", {"count": _without_explorations}),
        )
    ),
    # Radii.
    _variant("count + 1", "takes the radius at count + 1", _RADIUS, count=lambda book, log, i: log.counts[i] + 1),
    _variant(
        "count - 1", "takes the radius at count - 1", _RADIUS, count=lambda book, log, i: max(log.counts[i] - 1, 1)
    ),
    _variant("m for 2 m", "divides by m instead of 2 m in the radius", _RADIUS, divisor=lambda book, log, m: m),
    _variant("4 m for 2 m", "divides by 4 m instead of 2 m in the radius", _RADIUS, divisor=lambda book, log, m: 4 * m),
    *(
        _variant(
            f"log{base}",
            f"takes log{base} for ln in the radius",
            _RADIUS,
            divisor=lambda book, log, m, base=base: 2 * m * math.log(base),
        )
        for base in (10, 2)
    ),
    _variant("ln m", "takes m for m^2 inside the radius's logarithm", _RADIUS, inside=_logarithm(lambda log, m: 1 / m)),
    _variant(
        "no union over steps",
        "leaves m^2 out of the radius's logarithm",
        _RADIUS,
        inside=_logarithm(lambda log, m: 1 / m**2),
    ),
    _variant(
        "one-sided radius",
        "leaves the factor 2 out of the radius's logarithm (one-sided)",
        _RADIUS,
        inside=_logarithm(lambda log, m: 0.5),
    ),
    _variant(
        "radius for N + 1",
        "takes N + 1 for N in the radius",
        _RADIUS,
        inside=_logarithm(lambda log, m: (log.config.n_providers + 1) / log.config.n_providers),
    ),
    _variant(
        "radius without N",
        "leaves N out of the radius: no union over the providers",
        _RADIUS,
        inside=_logarithm(lambda log, m: 1 / log.config.n_providers),
    ),
    _variant(
        "1 - delta",
        "takes 1 - delta for delta in the radius",
        _RADIUS,
        inside=_logarithm(lambda log, m: log.config.confidence / (1 - log.config.confidence)),
    ),
    _variant("delta / 2", "takes delta / 2 for delta in the radius", _RADIUS, inside=_logarithm(lambda log, m: 2.0)),
    _variant(
        "step for count",
        "takes the step t for the count m inside the radius's logarithm",
        _RADIUS,
        inside=_logarithm(lambda log, m: log.step**2 / m**2),
    ),
    _variant(
        "radius of settled queries",
        "takes t - 1 for m inside the radius's logarithm",
        _RADIUS,
        inside=_logarithm(lambda log, m: (log.step - 1) ** 2 / m**2),
    ),
    _variant(
        "radius of the step",
        "takes the radius at the step t instead of the count m",
        _RADIUS,
        count=lambda book, log, i: log.step,
    ),
    _variant(
        "least count for all",
        "takes the least served provider's radius for everybody",
        _RADIUS,
        count=lambda book, log, i: _least_count(log),
    ),
    _variant("doubled radius", "doubles the radius", _RADIUS, divisor=lambda book, log, m: m / 2),
    _variant("halved radius", "halves the radius", _RADIUS, divisor=lambda book, log, m: 8 * m),
    _variant(
        "cost radius without c_max",
        "leaves c_max out of the cost radius",
        _RADIUS,
        width=lambda book, log, i: book.cost_radius(log, i) / _bound(log),
        price_width=lambda book, log, i: book.cost_radius(log, i) / _bound(log),
    ),
    # gamma.
    _variant(
        "no gamma",
        "ignores gamma (adding it to all radii alike looks the same: it cancels)",
        _SLACK,
        width=lambda book, log, i: _bound(log) * book.radius(log, i),
        price_width=lambda book, log, i: _bound(log) * book.radius(log, i),
    ),
    _variant(
        "no gamma in the price",
        "leaves gamma out of P (it widens the index alone)",
        _SLACK,
        critical=lambda book, log, i, able: (
            book.price(log, i, able) - log.config.belief_slack * _bound(log) * book.radius(log, i)
        ),
    ),
    _variant(
        "gamma in the index only",
        "uses gamma in the index alone: P has none",
        _SLACK,
        paid=_critical(
            width=lambda book, log, i: _bound(log) * book.radius(log, i),
            price_width=lambda book, log, i: _bound(log) * book.radius(log, i),
        ),
    ),
    _variant(
        "gamma in the payment only",
        "uses gamma in P alone: the index has none",
        _SLACK,
        winners=lambda book, log, able: replace(PLAIN, width=lambda b, x, i: _bound(x) * b.radius(x, i)).least(
            log, able
        ),
    ),
    _variant(
        "no gamma in rivals",
        "uses gamma for the winner's radius alone",
        _SLACK,
        width=lambda book, log, i: _bound(log) * book.radius(log, i),
    ),
    _variant(
        "doubled gamma",
        "counts gamma twice",
        _SLACK,
        width=lambda book, log, i: (1 + 2 * log.config.belief_slack) * _bound(log) * book.radius(log, i),
        price_width=lambda book, log, i: (1 + 2 * log.config.belief_slack) * _bound(log) * book.radius(log, i),
    ),
    _variant(
        "gamma squared",
        "widens by (1 + gamma)^2",
        _SLACK,
        width=lambda book, log, i: (1 + log.config.belief_slack) ** 2 * _bound(log) * book.radius(log, i),
        price_width=lambda book, log, i: (1 + log.config.belief_slack) ** 2 * _bound(log) * book.radius(log, i),
    ),
    _variant(
        "gamma times c_max added",
        "takes gamma for 1 + gamma",
        _SLACK,
        width=lambda book, log, i: log.config.belief_slack * _bound(log) * book.radius(log, i),
        price_width=lambda book, log, i: log.config.belief_slack * _bound(log) * book.radius(log, i),
    ),
    _variant(
        "gamma in quality",
        "widens the quality radius by gamma, too",
        (*_SLACK, *_ELIGIBILITY),
        hoped=lambda book, log, i: book.estimate(book, log, i) + (1 + log.config.belief_slack) * book.radius(log, i),
    ),
    # Eligibility and the quality estimate.
    _variant(
        "no filter",
        "excludes nobody: the quality filter is left out",
        _ELIGIBILITY,
        hoped=lambda book, log, i: math.inf,
    ),
    _variant(
        "no quality radius",
        "judges quality by the estimate alone, without the radius",
        _ELIGIBILITY,
        hoped=lambda book, log, i: book.estimate(book, log, i),
    ),
    _variant(
        "pessimist",
        "subtracts the radius from the quality estimate",
        _ELIGIBILITY,
        hoped=lambda book, log, i: book.estimate(book, log, i) - book.radius(log, i),
    ),
    _variant(
        "filter at count + 1",
        "takes count + 1 in the eligibility radius alone",
        _ELIGIBILITY,
        hoped=_hoped(count=lambda book, log, i: log.counts[i] + 1),
    ),
    _variant(
        "filter at count - 1",
        "takes count - 1 in the eligibility radius alone",
        _ELIGIBILITY,
        hoped=_hoped(count=lambda book, log, i: max(log.counts[i] - 1, 1)),
    ),
    _variant(
        "half the quality radius",
        "adds half the radius to the quality estimate",
        _ELIGIBILITY,
        hoped=lambda book, log, i: book.estimate(book, log, i) + book.radius(log, i) / 2,
    ),
    _variant(
        "doubled quality radius",
        "adds twice the radius to the quality estimate",
        _ELIGIBILITY,
        hoped=lambda book, log, i: book.estimate(book, log, i) + 2 * book.radius(log, i),
    ),
    _variant(
        "filter by the least served",
        "screens everybody with the least served provider's radius",
        _ELIGIBILITY,
        hoped=lambda book, log, i: book.estimate(book, log, i) + book.beta(log, _least_count(log)),
    ),
    _variant(
        "excluded for ever",
        "never lets a provider back that was excluded once",
        _ELIGIBILITY,
        eligible=lambda book, log, able: [i for i in able if i not in log.excluded],
    ),
    _variant(
        "filter of the last step",
        "takes who was eligible one step before (stale eligibility)",
        _ELIGIBILITY,
        hoped=_before_the_last_step,
    ),
    _variant(
        "good start",
        "never excludes a provider whose first scores were all 1",
        _ELIGIBILITY,
        eligible=lambda book, log, able: [
            i for i in log.providers if i in able or (len(log.scores[i]) > 3 and min(log.scores[i][:4]) == 1)
        ],
    ),
    _variant(
        "first score",
        "keeps the first score as the estimate (an old score)",
        _ELIGIBILITY,
        estimate=lambda book, log, i: log.scores[i][0],
    ),
    _variant(
        "last score",
        "takes the last score for the estimate, not the mean",
        _ELIGIBILITY,
        estimate=lambda book, log, i: log.scores[i][-1],
    ),
    _variant(
        "old score",
        "lacks the last score: the estimate is one score old",
        _ELIGIBILITY,
        estimate=lambda book, log, i: statistics.fmean(log.scores[i][:-1] or log.scores[i]),
    ),
    _variant(
        "mean rounded down",
        "rounds the mean score down to a whole number (// for /)",
        _ELIGIBILITY,
        estimate=lambda book, log, i: float(math.floor(log.sums[i] / log.counts[i] + 1e-12)),
    ),
    _variant(
        "best score",
        "takes the best score for the estimate, not the mean",
        _ELIGIBILITY,
        estimate=lambda book, log, i: max(log.scores[i]),
    ),
    _variant(
        "median score",
        "takes the median of the scores for the estimate, not the mean",
        _ELIGIBILITY,
        estimate=lambda book, log, i: statistics.median(log.scores[i]),
    ),
    *(
        _variant(
            f"moving average {weight}",
            f"gives every new score the weight {weight:g} (moving average)",
            _ELIGIBILITY,
            estimate=_average(weight),
        )
        for weight in (0.5, 0.3, 0.25, 0.2, 0.1, 0.05, 0.01)
    ),
    *(
        _variant(
            f"last {k} scores",
            f"takes the mean of the last {k} scores for the estimate",
            _ELIGIBILITY,
            estimate=lambda book, log, i, k=k: statistics.fmean(log.scores[i][-k:]),
        )
        for k in (2, 3, 4, 5, 8, 10, 16, 20, 25, 30, 32, 40, 50, 64, 75, 100, 128, 150, 200, 250)
    ),
    _variant(
        "prior of 1",
        "begins the estimate with an imagined score of 1",
        _ELIGIBILITY,
        estimate=lambda book, log, i: (log.sums[i] + 1) / (log.counts[i] + 1),
    ),
    _variant(
        "prior of 0",
        "divides the scores by count + 1 (an imagined score of 0)",
        _ELIGIBILITY,
        estimate=lambda book, log, i: log.sums[i] / (log.counts[i] + 1),
    ),
    _variant(
        "laplace",
        "adds one good and one bad imagined score to the estimate",
        _ELIGIBILITY,
        estimate=lambda book, log, i: (log.sums[i] + 1) / (log.counts[i] + 2),
    ),
    _variant(
        "initial score forgotten",
        "leaves the initial score out of the estimate, but counts it",
        _ELIGIBILITY,
        estimate=lambda book, log, i: (log.sums[i] - log.scores[i][0]) / log.counts[i],
    ),
    _variant(
        "initial query forgotten",
        "leaves the initial query out of the estimate",
        _ELIGIBILITY,
        estimate=lambda book, log, i: statistics.fmean(log.scores[i][1:] or log.scores[i]),
    ),
    _variant(
        "rounded scores",
        "counts scores as right or wrong: 1 from 0.5 on, else 0",
        _ELIGIBILITY,
        estimate=_mapped(lambda score: float(score >= 0.5)),
    ),
    _variant(
        "top scores",
        "counts a score near 1 as 1",
        _ELIGIBILITY,
        estimate=_mapped(lambda score: 1.0 if score > 0.98 else score),
    ),
    _variant(
        "bottom scores",
        "counts a score near 0 as 0",
        _ELIGIBILITY,
        estimate=_mapped(lambda score: 0.0 if score < 0.01 else score),
    ),
    _variant(
        "scores in single precision",
        "keeps scores in single precision (float32)",
        _ELIGIBILITY,
        estimate=_mapped(lambda score: float(np.float32(score))),
    ),
    _variant(
        "sums in single precision", "adds scores up in single precision (float32)", _ELIGIBILITY, estimate=_single_mean
    ),
    _variant(
        "mean without zeros",
        "leaves scores of 0 out of the mean, but counts them in m",
        _ELIGIBILITY,
        hoped=_without_zeros,
    ),
    _variant(
        "zeros skipped",
        "skips queries with a score of 0: neither the mean nor m counts them",
        _ELIGIBILITY,
        hoped=_without_zeros,
        count=lambda book, log, i: max(_hits(log, i), 1),
        tally=lambda book, log, i: _hits(log, i),
    ),
    _variant(
        "pooled quality",
        "pools the scores of all providers in one estimate",
        _ELIGIBILITY,
        estimate=lambda book, log, i: sum(log.sums) / sum(log.counts),
    ),
    # Who wins an auction.
    _variant(
        "lowest bid",
        "lets the lowest bid win, without the radius",
        _ALLOCATION,
        winners=_lowest(lambda log, i: log.bids[i][-1]),
    ),
    _variant(
        "no cost radius",
        "leaves the cost radius out, or takes one for all, which cancels: the lowest bid wins and pays the next",
        _ALLOCATION,
        width=lambda book, log, i: 0.0,
        price_width=lambda book, log, i: 0.0,
    ),
    _variant(
        "radius added",
        "adds the radius to the bid in the index instead of subtracting it",
        _ALLOCATION,
        winners=lambda book, log, able: replace(PLAIN, width=lambda b, x, i: -b.cost_radius(x, i)).least(log, able),
    ),
    _variant(
        "largest index",
        "lets the largest adjusted bid win",
        _ALLOCATION,
        winners=_lowest(lambda log, i: -PLAIN.index(PLAIN, log, i)),
    ),
    _variant("highest bid", "lets the highest bid win", _ALLOCATION, winners=_lowest(lambda log, i: -log.bids[i][-1])),
    _variant(
        "best quality",
        "lets the best quality estimate win",
        _ALLOCATION,
        winners=_lowest(lambda log, i: -log.sums[i] / log.counts[i]),
    ),
    _variant("least served", "lets the least served win", _ALLOCATION, winners=_lowest(lambda log, i: log.counts[i])),
    _variant(
        "quality in the index",
        "subtracts c_max times the quality estimate from the index",
        _ALLOCATION,
        index=lambda book, log, i: PLAIN.index(PLAIN, log, i) - _bound(log) * (log.sums[i] / log.counts[i] - 1),
    ),
    _variant(
        "allocation by quality",
        "weighs the index by quality when it picks the winner",
        _ALLOCATION,
        winners=_lowest(lambda log, i: PLAIN.index(PLAIN, log, i) - _bound(log) * log.sums[i] / log.counts[i]),
    ),
    _variant(
        "never twice running",
        "lets nobody win twice running",
        _ALLOCATION,
        winners=lambda book, log, able: book.least(log, [i for i in able if i != log.last] or able),
    ),
    # Turns, and winners that no bid decides; paid the price or c_max.
    *(
        _variant(
            f"{name}{' at c_max' if paid else ''}",
            f"{says}{' and pays c_max' if paid else ''}",
            _ALLOCATION,
            winners=winners,
            **({"paid": lambda book, log, i, able: _bound(log)} if paid else {}),
        )
        for paid in (True, False)
        for name, says, winners in (
            (
                "always the first",
                "lets the first eligible provider win, whatever it bids",
                lambda book, log, able: able[:1],
            ),
            (
                "always the last",
                "lets the last eligible provider win, whatever it bids",
                lambda book, log, able: able[-1:],
            ),
            (
                "in turn",
                "lets the eligible win in turn, whatever they bid",
                lambda book, log, able: [able[log.step % len(able)]],
            ),
            (
                "in turn from t - 1",
                "lets the eligible win in turn, whatever they bid",
                lambda book, log, able: [able[(log.step - 1) % len(able)]],
            ),
        )
    ),
    # Standing bids.
    *(
        _variant(name, says, _BIDS, bid=bid)
        for name, says, bid in (
            ("first bid", "lets a provider's first bid stand for ever", lambda book, log, i: log.bids[i][0]),
            (
                "previous bid",
                "lets a bid stand one service late (an old bid)",
                lambda book, log, i: log.bids[i][-2] if len(log.bids[i]) > 1 else log.bids[i][0],
            ),
            (
                "previous bid or c_max",
                "lets a bid stand one service late, and c_max before",
                lambda book, log, i: log.bids[i][-2] if len(log.bids[i]) > 1 else _bound(log),
            ),
            ("lowest bid so far", "keeps a provider's lowest bid so far", lambda book, log, i: min(log.bids[i])),
            ("highest bid so far", "keeps a provider's highest bid so far", lambda book, log, i: max(log.bids[i])),
            (
                "mean of two bids",
                "lets the mean of the last two bids stand",
                lambda book, log, i: statistics.fmean(log.bids[i][-2:]),
            ),
            (
                "mean of all bids",
                "lets the mean of all bids of a provider stand",
                lambda book, log, i: statistics.fmean(log.bids[i]),
            ),
            (
                "mean of all bids, rounded down",
                "lets the mean of all bids of a provider stand, rounded down to a whole number (// for /)",
                lambda book, log, i: float(math.floor(statistics.fmean(log.bids[i]) + 1e-12)),
            ),
            (
                "whole bids",
                "rounds bids down to whole numbers",
                lambda book, log, i: float(math.floor(log.bids[i][-1])),
            ),
            (
                "initial bid ignored",
                "puts c_max for a provider's first bid",
                lambda book, log, i: log.bids[i][-1] if len(log.bids[i]) > 1 else _bound(log),
            ),
            (
                "initial bid nothing",
                "puts 0 for a provider's first bid",
                lambda book, log, i: log.bids[i][-1] if len(log.bids[i]) > 1 else 0.0,
            ),
        )
    ),
)

#: Tried when nothing else explains the answers: these allow more than one answer.
VAGUE: tuple[Variant, ...] = (
    *(
        Variant(
            name=name,
            says=f"does not let the least adjusted bid win, and pays the winner {paid}",
            checks=_ALLOCATION,
            book=replace(PLAIN, winners=lambda book, log, able: able, paid=amount),
            any_winner_is_paid=paid,
        )
        for name, paid, amount in (
            ("another winner", "its own critical payment", PLAIN.paid),
            ("another winner at c_max", "c_max", lambda book, log, i, able: _bound(log)),
        )
    ),
    Variant(
        name="other providers eligible",
        says="serves and pays as if others were eligible: its quality estimate, or what it compares, is another",
        checks=(*_ELIGIBILITY, "index-minimizer", *_PAYMENT),
        book=AnyEligible(),
        enough=_WRONG_WINNERS,
    ),
)

#: Choices where Algorithm 1 draws: each allows less than the draw does, and is looked at only where the rules are kept.
DRAWS: tuple[Variant, ...] = tuple(
    _variant(f"{when}: {name}", f"{says} {where}", checks, **{part: chosen})
    for part, when, where, checks in (
        ("explored", "exploration", "of the under-sampled instead of drawing", ("exploration-draw", "empty-draw")),
        ("drawn", "empty", "instead of drawing when nobody is eligible", ("empty-draw", "exploration-draw")),
    )
    for name, says, chosen in (
        ("first", "takes the first", lambda book, log, among: among[:1]),
        ("last", "takes the last", lambda book, log, among: among[-1:]),
        ("cheapest", "takes the cheapest", _lowest(lambda log, i: log.bids[i][-1])),
        ("dearest", "takes the dearest", _lowest(lambda log, i: -log.bids[i][-1])),
        ("least served", "takes the least served", _lowest(lambda log, i: log.counts[i])),
        ("best estimate", "takes the best quality estimate", _lowest(lambda log, i: -log.sums[i] / log.counts[i])),
        ("in turn", "goes round by the step", lambda book, log, among: [among[log.step % len(among)]]),
        ("in turn from t - 1", "goes round by the step", lambda book, log, among: [among[(log.step - 1) % len(among)]]),
        ("first half", "draws among the first half", lambda book, log, among: among[: (len(among) + 1) // 2]),
        (
            "cheaper half",
            "draws among the cheaper half",
            lambda book, log, among: sorted(among, key=lambda i: log.bids[i][-1])[: (len(among) + 1) // 2],
        ),
        ("adjusted", "takes the least adjusted bid", lambda book, log, among: book.least(log, among)),
    )
)
