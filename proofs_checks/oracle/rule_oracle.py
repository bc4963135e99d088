"""The rules beside a running mechanism: what Algorithm 1 prescribes at the next step, in floats or exact fractions.

An oracle knows only what the log says. It applies `mechanism.rules` to numbers of either kind. A comparison that
rounding could turn either way is read in both ways: a mechanism may round as it likes.
"""

from __future__ import annotations

import copy
import functools
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, NamedTuple

from bounds.documents import Count, FromOne, NonNegative, Probability
from bounds.radii.names import PAPERS
from mechanism import rules
from mechanism.config import MechanismConfig
from mechanism.delays import DelayLaw, Waiting, arrivals, at_once
from mechanism.rules import Kind, Number
from mechanism.tables import NEVER_REACHED, TabulatedFunction, cost_table, goal_table, quality_table

#: Comparisons closer than this, relative to the scale of what is compared, can be read either way.
ROUNDING = 1e-9
#: Knife edges at one step beyond which the step is not judged at all: every reading would have to be listed.
_MOST_EDGES = 6
_DIGITS = 60
#: Up to which step and k a whole g(t) may count as exact.
_EXACT_STEP, _EXACT_SCALE = 64, 2.0


def money_rounding(config: MechanismConfig) -> float:
    """Return how far amounts of money may be off, for a cost radius and a bid are added up to them.

    Examples
    --------
    >>> from bounds.published import published
    >>> f"{money_rounding(MechanismConfig.of(published('gsm8k-full').setting)):.4g}"  # c_max is 102.4
    '1.024e-07'
    """
    return ROUNDING * (1 + config.belief_slack) * config.cost_bound


class Decision(NamedTuple):
    """What the rules prescribe at a step."""

    kind: Kind
    #: Who may serve: within rounding of the least adjusted bid in an auction.
    providers: tuple[int, ...]
    #: From a provider to what it is paid if it serves, for every provider.
    payments: Mapping[int, Number]
    eligible: tuple[int, ...]

    @property
    def lone(self) -> bool:
        """Whether this is an auction with one eligible provider."""
        return self.kind == "auction" and len(self.eligible) == 1


@dataclass(frozen=True, kw_only=True)
class OracleNumbers:
    """The numbers that an oracle computes with."""

    #: Turns a float of the log or the configuration into such a number.
    number: Callable[[float], Number]
    #: From a configuration to the function of m that is beta(m), or the radius in its place for scores, and for costs.
    radius: Callable[[MechanismConfig], Callable[[int], Number]]
    cost_radius: Callable[[MechanismConfig], Callable[[int], Number]]
    #: From a configuration to the function of t that is g(t), not rounded up.
    target: Callable[[MechanismConfig], Callable[[int], Number]]
    #: Comparisons closer than this can be read either way.
    edge: Number


@functools.lru_cache(maxsize=65_536)
def _evaluated(expression: Any, config: MechanismConfig, **counts: int) -> Fraction:
    """Return an expression to 60 digits, far beyond any rounding that is judged, as a fraction."""
    import mpmath

    names, function = _compiled(expression)
    at = {**vars(config), **counts}
    with mpmath.workdps(_DIGITS):
        # Floats are exact in 60 digits; symbolic powers of their fractions would be astronomically large.
        return Fraction(mpmath.nstr(function(*(mpmath.mpf(at[name]) for name in names)), _DIGITS))


@functools.cache
def _compiled(expression: Any) -> tuple[list[str], Callable[..., Any]]:
    """Return the names in an expression, and the function of them: writing it takes longer than calling it."""
    import sympy

    symbols = sorted(expression.free_symbols, key=str)
    return [symbol.name for symbol in symbols], sympy.lambdify(symbols, expression, "mpmath")


def _exact_radius(
    table: Callable[[MechanismConfig], TabulatedFunction], config: MechanismConfig
) -> Callable[[int], Fraction]:
    """Return beta(m) to 60 digits. Another radius is what its table says: it has no digits beyond."""
    if config.radius == PAPERS:
        from bounds.formulas.radius import RADIUS

        return lambda m: _evaluated(RADIUS.expression, config, count=m)
    return lambda m: Fraction(table(config)[m])


def _exact_target(config: MechanismConfig) -> Callable[[int], Fraction]:
    """Return g(t) to 60 digits."""
    from bounds.formulas.selection import EXPLORATION_TARGET

    return lambda t: _evaluated(EXPLORATION_TARGET.expression, config, step=t)


def _goals(config: MechanismConfig) -> TabulatedFunction:
    return goal_table(config.n_providers, config.exploration_scale, config.exploration_exponent)


FLOATS = OracleNumbers(
    number=float,
    radius=lambda config: quality_table(config).__getitem__,
    cost_radius=lambda config: cost_table(config).__getitem__,
    target=lambda config: _goals(config).__getitem__,
    edge=ROUNDING,
)
#: Exact sums, means and differences; radii and g(t), which are irrational, to 60 digits.
EXACT = OracleNumbers(
    number=Fraction,
    radius=functools.partial(_exact_radius, quality_table),
    cost_radius=functools.partial(_exact_radius, cost_table),
    target=_exact_target,
    edge=Fraction(1, 10**50),
)


def exact_in_floats(config: MechanismConfig, step: int) -> bool:
    """Whether m < g(t) comes out right at m = g(t) however it is computed: small powers of two and their square roots.

    There `m < g(t)` and `m <= g(t)` differ; elsewhere a whole g(t) excuses either. Beyond these sizes sums of
    logarithms are not exact any more: log 8 - log 4 < (log 16 - log 4) / 2 in floats, with k = 4.
    """
    if config.exploration_exponent != 0.5 or step > _EXACT_STEP or config.exploration_scale > _EXACT_SCALE:
        return False
    numbers = (float(step), float(config.n_providers), config.exploration_scale)
    mantissas, exponents = zip(*map(math.frexp, numbers), strict=True)
    return set(mantissas) == {0.5} and all((exponent - 1) % 2 == 0 for exponent in exponents[:2])


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What decides about a provider at a step.

    Parameters
    ----------
    provider : int
        Index of the provider, from 0.
    count : int
        Queries that it has served.
    radius : float or Fraction
        Confidence radius after so many queries.
    quality_estimate : float or Fraction
        Mean of its scores.
    eligible : bool
        Whether its upper confidence limit reaches the threshold.
    bid : float or Fraction
        Its standing bid, money.
    adjusted_bid : float or Fraction
        Its standing bid less its cost radius, money.
    critical_payment : float, Fraction or None
        Bid up to which it wins, before the cap, money; None if it is not eligible or has no rival.
    """

    provider: Count
    count: FromOne
    radius: Annotated[Number, NonNegative]
    quality_estimate: Annotated[Number, Probability]
    eligible: bool
    bid: Annotated[Number, float]
    adjusted_bid: Annotated[Number, float]
    critical_payment: Annotated[Number | None, float | None]


#: What an oracle keeps by provider of what has arrived.
_LEARNED = ("counts", "_score_sums", "_bids", "_radii", "_cost_radii", "_adjusted", "_margins")


class RuleOracle:
    """What the platform of Algorithm 1 knows and would decide, fed with the log of another.

    Parameters
    ----------
    config : MechanismConfig
    numbers : OracleNumbers, optional
        `FLOATS` (default) or `EXACT`.
    settled : callable, optional
        From a step to the last one assigned before its score and bid arrive; see `mechanism.trace.Trace.settled`. By
        default they arrive at once. `settle` takes a step of the log as soon as it is assigned; what came of it counts
        once it has arrived. A provider of which nothing has arrived after initialization is explored, as every
        provider with m < g(t).

    Examples
    --------
    >>> from bounds.published import published
    >>> oracle = RuleOracle(MechanismConfig.of(published("gsm8k-full").setting))
    >>> [decision] = oracle.decisions()
    >>> decision.kind, decision.providers, decision.payments[0]
    ('initialization', (0, 1, 2, 3, 4, 5, 6, 7, 8), 102.4)
    >>> oracle.settle(4, score=1.0, bid=16.0)
    >>> oracle.decisions()[0].providers
    (0, 1, 2, 3, 5, 6, 7, 8)

    What is in flight is not known:

    >>> late = RuleOracle(MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75), settled=lambda step: step + 1)
    >>> late.settle(0, score=1.0, bid=0.25), late.counts
    (None, [0, 0])
    >>> late.settle(1, score=1.0, bid=0.5), late.counts, late.decisions()[0].kind
    (None, [1, 0], 'exploration')
    """

    def __init__(
        self, config: MechanismConfig, numbers: OracleNumbers = FLOATS, *, settled: Callable[[int], int] = at_once
    ) -> None:
        n, number = config.n_providers, numbers.number
        self.config, self._numbers = config, numbers
        self._radius, self._cost_radius = numbers.radius(config), numbers.cost_radius(config)
        self._target = numbers.target(config)
        self._bound, self._threshold = number(config.cost_bound), number(config.quality_threshold)
        self._width = (1 + number(config.belief_slack)) * self._bound
        self.money_rounding = number(money_rounding(config))
        self.step = 1
        self._waiting = Waiting[tuple[int, float, float]](settled)
        self.counts: list[int] = [0] * n
        #: Who was assigned a query, whether or not its score and bid have arrived.
        self._assigned = [False] * n
        self._score_sums: list[Number] = [number(0.0)] * n
        self._bids: list[Number] = [number(0.0)] * n
        self._radii: list[Number] = [number(0.0)] * n
        self._cost_radii: list[Number] = [number(0.0)] * n
        self._adjusted: list[Number] = [number(0.0)] * n
        #: By how much an optimistic estimate passes the threshold; of whom nothing has arrived, surely.
        self._margins: list[Number] = [1 + numbers.edge] * n
        #: What every provider is paid where there is no auction.
        self._all_bound = _PaymentTable(dict.fromkeys(range(n), self._bound))

    def settle(self, provider: int, score: float, bid: float) -> None:
        """Take what the log says of a step, and learn what has arrived before the next one."""
        self._assigned[provider] = True
        self._waiting.add(self.step, (provider, score, bid))
        self.step += 1
        for _, outcome in self._waiting.arrived(self.step - 1):
            self._learn(*outcome)

    def _learn(self, provider: int, score: float, bid: float) -> None:
        """Take a score and a standing bid that have arrived."""
        numbers = self._numbers
        self.counts[provider] = count = self.counts[provider] + 1
        self._score_sums[provider] = total = self._score_sums[provider] + numbers.number(score)
        self._radii[provider] = radius = self._radius(count)
        self._margins[provider] = total / count + radius - self._threshold
        self._bids[provider] = known = numbers.number(bid)
        self._cost_radii[provider] = cost_radius = self._width * self._cost_radius(count)
        [self._adjusted[provider]] = rules.adjusted_bids([known], [cost_radius])

    def decisions(self) -> tuple[Decision, ...]:
        """Return what the rules prescribe at the next step: several decisions where rounding decides which.

        The first takes every comparison as the numbers have it.

        Nothing is returned where a provider is unserved after initialization (its estimate is undefined), or where
        too many comparisons are knife edges to list every reading. One that was served and of which nothing has arrived
        is eligible: its radius is infinite.
        """
        if self.step <= self.config.n_providers:
            unserved = tuple(i for i, assigned in enumerate(self._assigned) if not assigned)
            return (self._decided("initialization", unserved, unserved),)
        if not all(self._assigned):
            return ()
        edge, margins = self._numbers.edge, self._margins
        plain = tuple([i for i, margin in enumerate(margins) if margin >= 0])
        edges = [i for i, margin in enumerate(margins) if -edge <= margin <= edge]
        if len(edges) > _MOST_EDGES:
            return ()
        targets = self.targets()
        if not edges and len(targets) == 1:  # as nearly always: there is one reading
            return (self._decision(plain, *targets),)
        surely = set(plain).difference(edges)
        others = (
            tuple(sorted(surely.union(chosen)))
            for size in range(len(edges) + 1)
            for chosen in itertools.combinations(edges, size)
        )
        sets = dict.fromkeys((plain, *others))
        return tuple(dict.fromkeys(self._decision(able, target) for able in sets for target in targets))

    def standings(self) -> tuple[Standing, ...]:
        """Return the numbers that decide the next step, per provider; none before everybody has served.

        Examples
        --------
        >>> from bounds.published import published
        >>> RuleOracle(MechanismConfig.of(published("gsm8k-full").setting)).standings()
        ()
        """
        if not all(self.counts):
            return ()
        estimates = [total / m for total, m in zip(self._score_sums, self.counts, strict=True)]
        able = rules.eligible(estimates, self._radii, self._threshold)
        return tuple(
            Standing(
                provider=i,
                count=self.counts[i],
                radius=self._radii[i],
                quality_estimate=estimates[i],
                eligible=i in able,
                bid=self._bids[i],
                adjusted_bid=self._adjusted[i],
                critical_payment=self._critical(i, able) if i in able else None,
            )
            for i in range(self.config.n_providers)
        )

    def critical(self, provider: int) -> Number | None:
        """Return the critical payment of a provider at the next step if it is eligible, else None."""
        for decision in self.decisions():
            if decision.kind == "auction" and provider in decision.eligible:
                return self._critical(provider, decision.eligible)
        return None

    def critical_after(self, provider: int, score: float) -> Number | None:
        """Return the critical payment that a provider has next if its query now gets a score."""
        later = copy.copy(self)
        for learned in _LEARNED:
            setattr(later, learned, getattr(self, learned).copy())
        later._learn(provider, score, 0.0)
        later.step += 1
        return later.critical(provider) if all(later.counts) else None

    @property
    def goal(self) -> Number:
        """g(t) of the next step, the count below which an eligible provider is under-sampled."""
        return self._target(self.step)

    def targets(self) -> tuple[Number, ...]:
        """Return what counts are compared with: g(t), or two whole numbers if rounding decides on which side it is."""
        goal = self.goal
        if goal >= NEVER_REACHED or abs(goal - round(goal)) > self._numbers.edge * max(1, goal):
            return (goal,)
        nearest = round(goal)
        if exact_in_floats(self.config, self.step):
            return (nearest,)
        return (nearest, nearest + 1) if goal <= nearest else (nearest + 1, nearest)

    def _critical(self, provider: int, able: tuple[int, ...]) -> Number | None:
        return rules.critical_payment(provider, able, self._adjusted, self._cost_radii[provider])

    def _decision(self, able: tuple[int, ...], target: Number) -> Decision:
        adjusted = self._adjusted
        allocation = rules.allocate(able, self.counts, target, adjusted)
        if allocation.kind != "auction":
            return self._decided(allocation.kind, allocation.candidates, able)
        most = adjusted[allocation.candidates[0]] + self.money_rounding
        tied = tuple([i for i in able if adjusted[i] <= most])
        payments = ((i, rules.auction_payment(self._critical(i, able), self._bound)) for i in range(len(adjusted)))
        return Decision("auction", tied, _PaymentTable(payments), able)

    def _decided(self, kind: Kind, providers: tuple[int, ...], able: tuple[int, ...]) -> Decision:
        """Return a decision that pays c_max to whoever serves."""
        return Decision(kind, providers, self._all_bound, able)


def oracle_beside(
    config: MechanismConfig, seed: int, in_flight: DelayLaw | None, numbers: OracleNumbers = FLOATS
) -> RuleOracle:
    """Return the rules beside a mechanism that was started with a configuration, a seed and a law of delay.

    Examples
    --------
    >>> oracle = oracle_beside(MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75), 0, DelayLaw(most=1))
    >>> oracle.settle(0, score=1.0, bid=0.5)
    >>> oracle.counts
    [0, 0]
    """
    return RuleOracle(config, numbers, settled=at_once if in_flight is None else arrivals(in_flight, seed))


class _PaymentTable(dict[int, Any]):
    """Payments by provider, hashable, to find equal decisions."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self.items()))
