"""Definitions and Algorithm 1, checked as what they make of a log: estimates, eligibility, allocation, payment."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from sympy import log, sqrt

from bounds.formulas.selection import EXPLORATION_STEPS_BOUND
from bounds.language.quantities import C_MAX, Q_MIN, N
from proofs_checks.claims.model import trace_quantities as trace
from proofs_checks.claims.model.case import Carry, Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import (
    after_initialization,
    auctions,
    each_provider,
    every_step,
    explorations,
    last_step,
    served_at,
)
from proofs_checks.claims.model.precondition import required
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import NOTHING_COMPARED, Tightness
from proofs_checks.claims.model.trace_check import trace_check

#: Largest error of a mean that is put down to rounding.
_MEAN_TOLERANCE = 1e-12
#: Probability that uniform exploration draws fail the balance check of one trace (Azuma-Hoeffding).
DRAW_FALSE_ALARM = Fraction(1, 10**9)


def _somebody_eligible(case: Case) -> np.ndarray:
    return after_initialization(case) & ~case.replay.empty


WINNER_IS_ELIGIBLE = Relation(
    Q_MIN, trace.QUALITY_ESTIMATE + trace.EACH_RADIUS, served_at(_somebody_eligible), "who serves is eligible"
)
EXPLORED_ARE_UNDER_SAMPLED = Relation(
    trace.WINNER_COUNT, trace.TARGET - 1, explorations, "exploration serves the under-sampled", exact=True
)
WINNER_MINIMIZES = Relation(
    trace.ADJUSTED_BID, trace.LEAST_ADJUSTED, served_at(auctions), "an auction is won by a least adjusted bid"
)
DRAWS_ARE_UNIFORM = Relation(
    trace.DRAW_IMBALANCE,
    sqrt(EXPLORATION_STEPS_BOUND / 2 * log(2 * N / DRAW_FALSE_ALARM)),
    each_provider(last_step),
    f"exploration draws are uniform (false alarm below {float(DRAW_FALSE_ALARM):g} a trace)",
    false_alarm=float(DRAW_FALSE_ALARM),
)
PAID_AT_MOST_THE_RULE = Relation(trace.PAYMENT, trace.RULE_PAYMENT, every_step, "paid at most what the rules prescribe")
PAID_AT_LEAST_THE_RULE = Relation(
    trace.RULE_PAYMENT, trace.PAYMENT, every_step, "paid at least what the rules prescribe"
)
AUCTION_PAYS_CRITICAL = (
    Relation(trace.PAYMENT, trace.RULE_PAYMENT, auctions, "an auction pays at most the capped critical payment"),
    Relation(trace.RULE_PAYMENT, trace.PAYMENT, auctions, "an auction pays at least the capped critical payment"),
)
INITIALIZATION_PAYS_THE_BOUND = Relation(
    C_MAX, trace.PAYMENT, lambda case: case.replay.initialization, "initialization pays c_max"
)


@trace_check()
def serves_each_once(case: Case) -> Tightness:
    """Count the first N steps, or those that there are, that serve a provider again instead of another one."""
    n, behind = case.setting.n_providers, case.first_step - 1
    rows = min(n - behind, len(case.trace))
    if behind >= n or (behind + rows < n and not case.ends):
        return NOTHING_COMPARED
    assigned = case.replay.assigned[0] + np.bincount(case.trace.provider[:rows], minlength=n)
    again = int(behind + rows - np.count_nonzero(assigned))
    return Tightness(1, again, float(-again), None, {"relation": "initialization serves each once"})


def _exact_score_sums(before: tuple[Fraction, ...], case: Case) -> tuple[Fraction, ...]:
    arrived = case.replay.settlements.rows
    found = exact_sums(arrived.score, arrived.provider, case.setting.n_providers)
    return tuple(map(Fraction.__add__, before, found))


EXACT_SCORE_SUMS = Carry(start=lambda setting: (Fraction(0),) * setting.n_providers, after=_exact_score_sums)


@trace_check(EXACT_SCORE_SUMS)
def estimates_are_exact_means(case: Case) -> Tightness:
    """Compare the replayed mean scores with exact fractions, provider by provider, at the end of the trace."""
    if not case.ends:
        return NOTHING_COMPARED
    totals, replay = case.after_part(EXACT_SCORE_SUMS), case.replay
    counts = replay.final_counts.tolist()
    errors = [
        abs(float(total / count - Fraction(float(estimate))))
        for total, count, estimate in zip(totals, counts, replay.final_quality_estimates, strict=True)
        if count
    ]
    worst, violations = max(errors, default=0.0), sum(error > _MEAN_TOLERANCE for error in errors)
    margin = _MEAN_TOLERANCE - worst
    # An equality: the rounding that is allowed is no bound of which some may be used.
    ratio = worst / _MEAN_TOLERANCE if violations else None
    return Tightness(case.setting.n_providers, violations, margin, ratio, {"relation": "exact mean"})


def exact_sums(numbers: NDArray[np.float64], group: NDArray[np.int64], groups: int) -> tuple[Fraction, ...]:
    """Return the sums of doubles in [0, 1], one for each group, without any rounding.

    Examples
    --------
    >>> exact_sums(np.array([0.1, 0.2, 2.0**-1074]), np.array([0, 1, 0]), 2) == (
    ...     Fraction(0.1) + Fraction(2.0**-1074), Fraction(0.2))
    True
    """
    mantissas, exponents = np.frexp(numbers)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    least = int(exponents.min(initial=0))
    # Of one exponent and group the halves of the mantissas add up exactly in doubles, up to 2^26 of them.
    places = (exponents.astype(np.int64) - least) * groups + group
    high, low = (np.bincount(places, half) for half in (whole >> 27, whole & (2**27 - 1)))
    totals = [Fraction(0)] * groups
    for place in np.flatnonzero((high != 0) | (low != 0)).tolist():
        exponent, one = divmod(place, groups)
        totals[one] += ((int(high[place]) << 27) + int(low[place])) * Fraction(2) ** (exponent + least - 53)
    return tuple(totals)


WIDENED = required(
    "belief slack above 0",
    lambda case: case.setting.platform.belief_slack,
    "the mechanism is not widened (belief_slack = 0)",
)

QUALITY_ESTIMATES = Claim(
    label="eq:quality-estimate",
    any_radius=True,
    name="Empirical quality",
    statement="qhat_{i,t} is the mean of the scores of provider i before t",
    checks=(estimates_are_exact_means,),
)
QUALIFIED_SET = Claim(
    label="eq:qualified-set",
    any_radius=True,
    any_delay=True,
    name="Optimistic qualified set",
    statement="who serves after initialization satisfies qhat + beta(m) >= q_min, unless nobody does",
    checks=(WINNER_IS_ELIGIBLE, WINNER_MINIMIZES, EXPLORED_ARE_UNDER_SAMPLED),
    headline=(WINNER_IS_ELIGIBLE,),
    # An eligible provider has served, so it is explored at different counts from 1 to ceil(g(T)) - 1.
    implies=("lem:forced-exploration-bound",),
    note="A filter that is too narrow shows itself where the cheapest or the under-sampled it drops does not serve.",
)
ALLOCATION = Claim(
    label="eq:allocation",
    any_radius=True,
    name="Allocation rule",
    statement="under-sampled eligible providers are explored uniformly; otherwise the least adjusted bid wins",
    checks=(WINNER_IS_ELIGIBLE, EXPLORED_ARE_UNDER_SAMPLED, WINNER_MINIMIZES, DRAWS_ARE_UNIFORM),
    implies=("eq:qualified-set",),
)
CRITICAL_PAYMENT = Claim(
    label="eq:critical-payment",
    any_radius=True,
    any_delay=True,
    name="Critical payment",
    statement="P_{i,t} is the cost radius plus the least adjusted bid of the eligible others, +infinity without any",
    checks=AUCTION_PAYS_CRITICAL,
)
PAYMENT_RULE = Claim(
    label="eq:payment",
    any_radius=True,
    any_delay=True,
    name="Payment rule",
    statement="c_max on initialization, exploration and empty steps, else min{P, c_max}",
    checks=(PAID_AT_MOST_THE_RULE, PAID_AT_LEAST_THE_RULE),
    implies=("eq:critical-payment",),
)
ALGORITHM = Claim(
    label="alg:platform",
    any_radius=True,
    name="Algorithm 1",
    statement="N initialization steps paid c_max, then exploration or a second-price auction among the eligible",
    checks=(serves_each_once, INITIALIZATION_PAYS_THE_BOUND, *ALLOCATION.checks, *PAYMENT_RULE.checks),
    # Who serves and what is paid, at every step; a log may have no exploration, or no auction.
    headline=(WINNER_IS_ELIGIBLE, *PAYMENT_RULE.checks),
    # Each is a part of what is compared here; one selection each is what the counting needs.
    implies=("eq:allocation", "eq:payment", "eq:bayesian-mechanism", "lem:selection-counting"),
)
WIDENED_MECHANISM = Claim(
    label="eq:bayesian-mechanism",
    any_radius=True,
    any_delay=True,
    name="Widened mechanism",
    statement="with radius (1 + gamma) c_max beta in allocation and critical payment",
    checks=(WINNER_IS_ELIGIBLE, EXPLORED_ARE_UNDER_SAMPLED, WINNER_MINIMIZES, *PAYMENT_RULE.checks),
    headline=(WINNER_MINIMIZES, *PAYMENT_RULE.checks),
    assuming=(WIDENED,),
    implies=("eq:qualified-set", "eq:payment", "eq:provider-history"),
)
