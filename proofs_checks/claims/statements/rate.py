"""Rates of convergence, derived symbolically from the bound itself."""

from __future__ import annotations

from fractions import Fraction

from bounds.formulas.rate import optimal_rate
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.evidence import Evidence, exact_evidence


def rate_is_optimal_at_two_thirds() -> Evidence:
    """Derive the exponent of each term and the maximiser of their minimum."""
    rate = optimal_rate()
    holds = (rate.best_alpha, rate.best_exponent) == (Fraction(2, 3), Fraction(1, 3))
    found = {"exponent": str(rate.exponent), "best_alpha": str(rate.best_alpha)}
    limits = {"limits_at_0_and_1": list(map(str, rate.limits))}
    tried = "exponents of the three terms by a symbolic limit; their minimum and its maximiser"
    return exact_evidence(tried, holds, parameters=found | limits)


RATE = Claim(
    label="claim:rate-after-thm-regret",
    name="Rate",
    statement="the deviation vanishes as max{T^-(1-alpha), T^-(alpha/2)} up to logarithms; alpha = 2/3 is best",
    everywhere=rate_is_optimal_at_two_thirds,
    implies=("cor:optimal-alpha",),
    note="Up to sqrt(ln T).",
)
OPTIMAL_ALPHA = Claim(
    label="cor:optimal-alpha",
    name="Optimal alpha",
    statement="the bound is O(T^-min{1-alpha, alpha/2} sqrt(ln T)); the exponent is largest, 1/3, at alpha = 2/3",
    everywhere=rate_is_optimal_at_two_thirds,
    implies=("claim:rate-after-thm-regret",),
    note="Asymptotic: the start T_0 = N (Mbar/k)^(1/alpha) also depends on alpha and dominates at finite horizons.",
)
