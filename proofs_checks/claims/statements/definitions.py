"""Definitions and Algorithm 1, checked as what they make of a log: estimates, eligibility, allocation, payment."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy

from bounds.formulas.selection import EXPLORATION_STEPS_BOUND
from bounds.language.quantities import C_MAX, Q_MIN, N
from proofs_checks.claims.cases.case import Case
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
from proofs_checks.claims.model.precondition import Precondition
from proofs_checks.claims.model.relation import Relation, Tightness
from proofs_checks.claims.model.trace_quantities import (
    ADJUSTED_BID,
    DRAW_IMBALANCE,
    EACH_RADIUS,
    LEAST_ADJUSTED,
    PAYMENT,
    QUALITY_ESTIMATE,
    RULE_PAYMENT,
    TARGET,
    WINNER_COUNT,
)

#: Probability that uniform exploration draws fail the balance check of one trace (Azuma-Hoeffding).
DRAW_FALSE_ALARM = sympy.Rational(1, 10**9)


def _somebody_eligible(case: Case) -> np.ndarray:
    return after_initialization(case) & ~case.replay.empty


WINNER_IS_ELIGIBLE = Relation(
    Q_MIN,
    QUALITY_ESTIMATE + EACH_RADIUS.symbol,
    served_at(_somebody_eligible),
    "who serves is eligible",
    where=(EACH_RADIUS,),
)
EXPLORED_ARE_UNDER_SAMPLED = Relation(
    WINNER_COUNT, TARGET - 1, explorations, "exploration serves the under-sampled", exact=True
)
WINNER_MINIMIZES = Relation(
    ADJUSTED_BID, LEAST_ADJUSTED, served_at(auctions), "an auction is won by a least adjusted bid"
)
DRAWS_ARE_UNIFORM = Relation(
    DRAW_IMBALANCE,
    sympy.sqrt(EXPLORATION_STEPS_BOUND.symbol / 2 * sympy.log(2 * N / DRAW_FALSE_ALARM)),
    each_provider(last_step),
    f"exploration draws are uniform (false alarm below {float(DRAW_FALSE_ALARM):g} a trace)",
    where=(EXPLORATION_STEPS_BOUND,),
)
PAID_AT_MOST_THE_RULE = Relation(PAYMENT, RULE_PAYMENT, every_step, "paid at most what the rules prescribe")
PAID_AT_LEAST_THE_RULE = Relation(RULE_PAYMENT, PAYMENT, every_step, "paid at least what the rules prescribe")
AUCTION_PAYS_CRITICAL = (
    Relation(PAYMENT, RULE_PAYMENT, auctions, "an auction pays at most the capped critical payment"),
    Relation(RULE_PAYMENT, PAYMENT, auctions, "an auction pays at least the capped critical payment"),
)
INITIALIZATION_PAYS_THE_BOUND = Relation(
    C_MAX, PAYMENT, lambda case: case.replay.initialization, "initialization pays c_max"
)


def serves_each_once(case: Case) -> Tightness:
    """Count the first N steps, or those that there are, that serve a provider again instead of another one."""
    first = case.trace.provider[: case.setting.n_providers].tolist()
    again = len(first) - len(set(first))
    return Tightness(1, again, float(-again), None, {"relation": "initialization serves each once"})


def estimates_are_exact_means(case: Case) -> Tightness:
    """Compare the replayed mean scores with exact fractions, provider by provider, at the end of the trace."""
    worst, violations = 0.0, 0
    for provider in range(case.setting.n_providers):
        scores = case.trace.score[case.trace.provider == provider]
        if not len(scores):
            continue
        # Equal scores are added at once: exact all the same, and scores take few values.
        values, counts = (found.tolist() for found in np.unique(scores, return_counts=True))
        mean = sum(map(Fraction.__mul__, map(Fraction, values), map(Fraction, counts)), Fraction(0)) / len(scores)
        error = abs(float(mean - Fraction(float(case.replay.final_quality_estimates[provider]))))
        worst, violations = max(worst, error), violations + (error > 1e-12)
    return Tightness(case.setting.n_providers, violations, 1e-12 - worst, worst / 1e-12, {"relation": "exact mean"})


WIDENED = Precondition(
    "belief slack above 0",
    lambda case: None if case.setting.platform.belief_slack else "the mechanism is not widened (belief_slack = 0)",
)

QUALITY_ESTIMATES = Claim(
    "eq:quality-estimate",
    "Empirical quality",
    "qhat_{i,t} is the mean of the scores of provider i before t",
    154,
    (estimates_are_exact_means,),
)
QUALIFIED_SET = Claim(
    "eq:qualified-set",
    "Optimistic qualified set",
    "who serves after initialization satisfies qhat + beta(m) >= q_min, unless nobody does",
    158,
    (WINNER_IS_ELIGIBLE, WINNER_MINIMIZES, EXPLORED_ARE_UNDER_SAMPLED),
    # An eligible provider has served, so it is explored at different counts from 1 to ceil(g(T)) - 1.
    implies=("lem:forced-exploration-bound",),
    note="A filter that is too narrow shows itself where the cheapest or the under-sampled it drops does not serve.",
)
ALLOCATION = Claim(
    "eq:allocation",
    "Allocation rule",
    "under-sampled eligible providers are explored uniformly; otherwise the least adjusted bid wins",
    167,
    (WINNER_IS_ELIGIBLE, EXPLORED_ARE_UNDER_SAMPLED, WINNER_MINIMIZES, DRAWS_ARE_UNIFORM),
    implies=("eq:qualified-set",),
)
CRITICAL_PAYMENT = Claim(
    "eq:critical-payment",
    "Critical payment",
    "P_{i,t} is the cost radius plus the least adjusted bid of the eligible others, +infinity without any",
    183,
    AUCTION_PAYS_CRITICAL,
)
PAYMENT_RULE = Claim(
    "eq:payment",
    "Payment rule",
    "c_max on initialization, exploration and empty steps, else min{P, c_max}",
    188,
    (PAID_AT_MOST_THE_RULE, PAID_AT_LEAST_THE_RULE),
    implies=("eq:critical-payment",),
)
ALGORITHM = Claim(
    "alg:platform",
    "Algorithm 1",
    "N initialization steps paid c_max, then exploration or a second-price auction among the eligible",
    201,
    (serves_each_once, INITIALIZATION_PAYS_THE_BOUND, *ALLOCATION.checks, *PAYMENT_RULE.checks),
    # Each is a part of what is compared here; one selection each is what the counting needs.
    implies=("eq:allocation", "eq:payment", "eq:bayesian-mechanism", "lem:selection-counting"),
)
WIDENED_MECHANISM = Claim(
    "eq:bayesian-mechanism",
    "Widened mechanism",
    "with radius (1 + gamma) c_max beta in allocation and critical payment",
    1471,
    (WINNER_IS_ELIGIBLE, EXPLORED_ARE_UNDER_SAMPLED, WINNER_MINIMIZES, *PAYMENT_RULE.checks),
    assuming=(WIDENED,),
    implies=("eq:qualified-set", "eq:payment", "eq:provider-history"),
)
