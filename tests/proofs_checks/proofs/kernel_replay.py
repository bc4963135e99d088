"""What the programs that Coq extracts say of every step of a log, and whether an engine says the same.

Sums, means, bids and thresholds are exact fractions of the logged floats. Radii and g(t) are irrational: each enters as
two fractions that enclose it, and a step is judged where both ends say the same (`decided` of Rules.v).
RulesRefineRuns.v proves that the mechanism then says so too, and pays within three widths of what the low ends pay.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from mpmath import iv

from mechanism.config import MechanismConfig
from mechanism.policies import POLICIES, Policy
from mechanism.replay import Replay
from mechanism.trace import Trace
from tests.proofs_checks.proofs import extracted_rules as kernel
from tests.proofs_checks.proofs.kernel_auctions import EXACT

#: How far from the exact radii those of floats may be, with all that is added to them: the ends stand so far apart.
FLOATS = Fraction(1, 2**42)
#: The oracles and the audit read a comparison either way where it is this close, relative to its scale.
READ_EITHER_WAY = Fraction(4, 10**9)
#: Binary digits of the ends after the point, and of the balls in all.
_BITS, _PRECISION = 100, 160
Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True, kw_only=True)
class Said:
    """What the rules say of a step: `kind` and `candidates`, and what the provider that served is paid.

    `price` is None where no auction decides it: a baseline's users pay the price of the query.
    """

    step: int
    kind: str
    candidates: tuple[int, ...]
    eligible: tuple[int, ...]
    counts: tuple[int, ...]
    price: Fraction | None
    slack: Fraction


@dataclass(frozen=True, kw_only=True)
class Enclosed:
    """Radii and g(t) of a configuration as pairs of fractions."""

    config: MechanismConfig
    rounding: Fraction = FLOATS
    _known: dict[tuple[str, int], Ends] = field(default_factory=dict)

    def beta(self, count: int) -> Ends:
        """Return the ends of beta(m); of whom nothing has arrived the radius is infinite, or as good as."""
        if count == 0:
            return Fraction(2), Fraction(2)
        n, delta = self.config.n_providers, iv.mpf(self.config.confidence)
        return self._ends("beta", count, lambda m: iv.sqrt(iv.log(2 * iv.pi**2 * n * m**2 / (3 * delta)) / (2 * m)))

    def width(self, count: int) -> Ends:
        """Return the ends of (1 + gamma) c_max beta(m)."""
        factor = (1 + Fraction(self.config.belief_slack)) * Fraction(self.config.cost_bound)
        low, high = self.beta(count)
        return factor * low, factor * high

    def goal(self, step: int) -> Ends:
        """Return the ends of g(t), which are equal where g(t) is a whole number: k^q t^p = g^q N^p for alpha = p/q."""
        config = self.config
        scale, power = iv.mpf(config.exploration_scale), iv.mpf(config.exploration_exponent)
        low, high = self._ends("goal", step, lambda t: scale * iv.exp(power * iv.log(t / config.n_providers)))
        whole, alpha = round((low + high) / 2), Fraction(config.exploration_exponent)
        if low <= whole <= high and alpha.denominator <= 64:
            p, q = alpha.numerator, alpha.denominator
            if Fraction(config.exploration_scale) ** q * step**p == whole**q * config.n_providers**p:
                return Fraction(whole), Fraction(whole)
        return low, high

    def _ends(self, name: str, at: int, function: Callable[[Any], Any]) -> Ends:
        """Return the ends of a ball; those of a radius are as far apart as floats may stray."""
        if (name, at) not in self._known:
            before, iv.prec = iv.prec, _PRECISION
            try:
                ball = function(iv.mpf(at))
            finally:
                iv.prec = before
            low, high = _fraction(ball.a), _fraction(ball.b)
            stray = high * self.rounding if name == "beta" else 0
            # Short fractions are quick to compare.
            self._known[name, at] = _floor(low - stray), -_floor(-high - stray)
        return self._known[name, at]


def _fraction(end: Any) -> Fraction:
    (sign, mantissa, exponent, _), _ = end._mpi_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _floor(number: Fraction) -> Fraction:
    return Fraction(math.floor(number * 2**_BITS), 2**_BITS)


class Judge:
    """The extracted programs beside a log: it takes queries as they settle, and says what the next one is.

    Parameters
    ----------
    enclosed : Enclosed
    policy : Policy, optional
        One that is compiled; default the platform.
    prices : sequence of float, optional
        By provider, what a baseline minimizes among the eligible.
    """

    def __init__(
        self, enclosed: Enclosed, policy: Policy = POLICIES["platform"], prices: Sequence[float] | None = None
    ) -> None:
        config, self._enclosed, self._policy, self._prices = enclosed.config, enclosed, policy, prices
        self._threshold = Fraction(config.quality_threshold) if policy.screens else Fraction(0)
        self._bound = Fraction(config.cost_bound)
        self._assigned = self._tallies = (kernel.unheard(EXACT),) * config.n_providers
        self.step = 1

    def assigned(self, provider: int) -> None:
        """Take who serves the step."""
        query = kernel.Build_query(provider, Fraction(0), Fraction(0))
        self._assigned, self.step = kernel.settled(EXACT, self._assigned, query), self.step + 1

    def settle(self, provider: int, score: float, bid: float) -> None:
        self._tallies = kernel.settled(
            EXACT, self._tallies, kernel.Build_query(provider, Fraction(score), Fraction(bid))
        )

    def said(self, served: int) -> Said | None:
        """Return what the rules say of the next step, with the price of who serves it; None if the ends do not say."""
        enclosed, counts = self._enclosed, tuple(tally.served for tally in self._tallies)
        if self.step <= len(counts):
            initial = kernel.fresh(EXACT, self._assigned)
            bound = self._bound if self._prices is None else None
            return Said(
                step=self.step,
                kind="initialization",
                candidates=initial,
                eligible=(),
                counts=counts,
                price=bound,
                slack=self._bound * FLOATS,
            )
        low, high = self._providers(0), self._providers(1)
        goals = enclosed.goal(self.step) if self._policy.explores else (Fraction(0), Fraction(0))
        if not kernel.decided(EXACT, low, high, self._threshold, *goals):
            return None
        able = kernel.eligible(EXACT, low, self._threshold)
        if self._differ_by_rounding(low, able):
            return None
        if self._prices is not None:
            among = able or kernel.everybody(EXACT, low)
            priced = tuple(
                one._replace(bid=Fraction(p), cost_radius=Fraction(0)) for one, p in zip(low, self._prices, strict=True)
            )
            kind, candidates, price = "empty", kernel.lowest(EXACT, priced, among), None
        else:
            kind = kernel.kind_of_query(EXACT, low, self._threshold, goals[0]).value.lower()
            candidates = kernel.candidates(EXACT, low, self._threshold, goals[0])
            price = kernel.payment(EXACT, low, self._threshold, self._bound, goals[0], served)
        widest = max(above.cost_radius - below.cost_radius for below, above in zip(low, high, strict=True))
        return Said(
            step=self.step,
            kind=kind,
            candidates=candidates,
            eligible=able,
            counts=counts,
            price=price,
            slack=3 * widest,
        )

    def _providers(self, end: int) -> tuple[Any, ...]:
        """Return what is known of each provider, with its radii at one end."""

        def beta(count: int) -> Fraction:
            return self._enclosed.beta(count)[end]

        def width(count: int) -> Fraction:
            return self._enclosed.width(count)[end]

        return tuple(kernel.known_of(EXACT, beta, width, tally) for tally in self._tallies)

    def _differ_by_rounding(self, providers: Sequence[Any], able: Sequence[int]) -> bool:
        """Whether exact numbers tell two bids apart, with the same radius, that floats may not."""
        pairs = sorted((providers[i].count, providers[i].bid) for i in able)
        close = self._bound * self._enclosed.rounding
        return any(m == n and 0 < y - x <= close for (m, x), (n, y) in itertools.pairwise(pairs))


def judged(
    trace: Trace, enclosed: Enclosed, policy: Policy = POLICIES["platform"], prices: Sequence[float] | None = None
) -> Iterator[Said | None]:
    """Yield what the rules say of each step of a log, given what had arrived before; None where the ends do not say."""
    judge = Judge(enclosed, policy, prices)
    settled = np.arange(1, len(trace) + 1) if trace.settled is None else trace.settled
    arriving = iter(sorted(range(len(trace)), key=lambda row: (settled[row], row)))
    row = next(arriving, None)
    for step, provider in enumerate(trace.provider.tolist(), 1):
        while row is not None and settled[row] < step:
            judge.settle(int(trace.provider[row]), float(trace.score[row]), float(trace.bid[row]))
            row = next(arriving, None)
        yield judge.said(provider)
        judge.assigned(provider)


def of_log(trace: Trace, said: Sequence[Said | None], *, first: bool, margin: float = 0.0) -> list[str]:
    """Return the steps of a log at which somebody else serves than the rules permit, or another price is paid.

    Parameters
    ----------
    first : bool
        Whether the lowest index wins among equal adjusted bids.
    margin : float, optional
        What a baseline's users pay above the cost, relative to it.
    """
    found = []
    for row, one in enumerate(said):
        if one is None:
            continue
        served, paid = int(trace.provider[row]), Fraction(float(trace.payment[row]))
        permitted = one.candidates[:1] if first and one.kind == "auction" else one.candidates
        if served not in permitted:
            found.append(f"step {one.step}: {served} serves, not one of {permitted}")
        price = one.price
        if price is None:
            price = Fraction(float(trace.cost[row])) * (1 + Fraction(margin))
        if abs(paid - price) > max(one.slack, price * FLOATS):
            found.append(f"step {one.step}: paid {float(paid)}, not {float(price)}")
    return found


def of_truthful_bids(trace: Trace, bound: float) -> list[str]:
    """Return the steps whose bid is not the mean of the provider's costs so far, at most the cost bound."""
    totals: dict[int, tuple[Fraction, int]] = {}
    found = []
    for row, provider in enumerate(trace.provider.tolist()):
        total, count = totals.get(provider, (Fraction(0), 0))
        totals[provider] = total, count = total + Fraction(float(trace.cost[row])), count + 1
        mean = min(kernel.mean(EXACT, total, count), Fraction(bound))
        if abs(Fraction(float(trace.bid[row])) - mean) > Fraction(bound) * FLOATS:
            found.append(f"step {row + 1}: bid {trace.bid[row]}, not {float(mean)}")
    return found


def of_replay(replay: Replay, said: Sequence[Said | None]) -> list[str]:
    """Return the steps at which a replay of the log says something else: counts, kind, who is eligible, the price."""
    found = []
    critical = replay.of_served(replay.critical_payments)
    for row, one in enumerate(said):
        if one is None:
            continue
        kinds = {"initialization": replay.initialization, "exploration": replay.exploration}
        kinds |= {"auction": replay.auction, "empty": replay.empty}
        kind = [name for name, steps in kinds.items() if steps[row]]
        able = tuple(np.flatnonzero(replay.eligible[row]).tolist())
        if kind != [one.kind] or tuple(replay.counts[row].tolist()) != one.counts or able != one.eligible:
            found.append(f"step {one.step}: {kind}, counts {replay.counts[row]}, eligible {able}")
        under = tuple(np.flatnonzero(replay.under_sampled[row]).tolist())
        if one.kind == "exploration" and under != one.candidates:
            found.append(f"step {one.step}: explores {under}")
        if one.kind == "auction":
            contenders, served = replay.contenders[row], int(replay.trace.provider[row])
            if int(np.argmin(contenders)) != one.candidates[0]:
                found.append(f"step {one.step}: the lowest is {np.argmin(contenders)}")
            if served in able and one.price is not None:
                price = Fraction(min(float(critical[row]), replay.config.cost_bound))
                if abs(price - one.price) > one.slack:
                    found.append(f"step {one.step}: the price is {float(price)}")
    return found


def of_oracle(oracle: Any, trace: Trace, said: Sequence[Said | None]) -> list[str]:
    """Return the steps at which an oracle beside the log decides something else."""
    found = []
    for row, one in enumerate(said):
        served = int(trace.provider[row])
        decisions = oracle.decisions()
        if one is not None and len(decisions) == 1:
            [decision] = decisions
            if (decision.kind, decision.providers) != (one.kind, one.candidates):
                found.append(f"step {one.step}: {decision.kind} among {decision.providers}")
            elif abs(Fraction(decision.payments[served]) - (one.price or 0)) > one.slack:
                found.append(f"step {one.step}: pays {float(decision.payments[served])}")
        oracle.settle(served, float(trace.score[row]), float(trace.bid[row]))
    return found


def refused(trace: Trace, said: Sequence[Said | None]) -> set[int]:
    """Return the steps of a log that the rules refuse, whoever wins among equal bids."""
    return {int(one.split()[1].rstrip(":")) for one in of_log(trace, said, first=False)}


@functools.cache
def enclosed(config: MechanismConfig, rounding: Fraction = FLOATS) -> Enclosed:
    """Return the enclosures of a configuration, from memory where it can."""
    return Enclosed(config=config, rounding=rounding)
