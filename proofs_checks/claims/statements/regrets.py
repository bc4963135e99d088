"""Quality regret and generation regret at every horizon."""

from __future__ import annotations

from bounds.formulas.regret import (
    GENERATION_REGRET_ANYTIME,
    GENERATION_REGRET_GAP_DEPENDENT,
    QUALITY_REGRET_ANYTIME,
    QUALITY_REGRET_GAP_DEPENDENT,
    RADIUS_SUM_BOUND,
)
from bounds.formulas.selection import UNQUALIFIED_SELECTIONS_BOUND
from bounds.language.quantities import C_MAX, HORIZON
from proofs_checks.claims.model import trace_quantities as trace
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import horizons
from proofs_checks.claims.model.evidence import Evidence, exact_evidence
from proofs_checks.claims.model.in_flight import in_flight
from proofs_checks.claims.model.regime import ANY_BIDS_ON_GOOD_EVENT, TRUTHFUL
from proofs_checks.claims.model.relation import Relation

RADIUS_SUM = Relation(
    trace.RADIUS_SUM_SO_FAR, RADIUS_SUM_BOUND, horizons, "the radii of the selected add up to at most the bound"
)
QUALITY_ANYTIME = Relation(trace.QUALITY_REGRET_SO_FAR, QUALITY_REGRET_ANYTIME, horizons, "quality regret, any gaps")
QUALITY_GAP_DEPENDENT = Relation(
    trace.QUALITY_REGRET_SO_FAR, QUALITY_REGRET_GAP_DEPENDENT, horizons, "quality regret, gaps at hand"
)
UNQUALIFIED_QUERIES = Relation(
    trace.UNQUALIFIED, UNQUALIFIED_SELECTIONS_BOUND, horizons, "queries sent to unqualified providers", exact=True
)
GENERATION_ANYTIME = Relation(
    trace.GENERATION_REGRET_SO_FAR, GENERATION_REGRET_ANYTIME, horizons, "generation regret, any gaps"
)
GENERATION_GAP_DEPENDENT = Relation(
    trace.GENERATION_REGRET_SO_FAR, GENERATION_REGRET_GAP_DEPENDENT, horizons, "generation regret, gaps at hand"
)


def quality_bounds_do_not_grow() -> Evidence:
    """Confirm that the gap-dependent bounds do not contain T, so that they vanish as O(1/T)."""
    import sympy

    free = QUALITY_REGRET_GAP_DEPENDENT, UNQUALIFIED_SELECTIONS_BOUND
    holds = all("horizon" not in {q.name for q in formula.inputs} for formula in free)
    vanish = sympy.limit(sympy.Symbol("A", positive=True) / HORIZON, HORIZON, sympy.oo) == 0
    return exact_evidence("both gap-dependent bounds are free of T, so bound/T tends to 0", holds and vanish)


RADIUS_SUM_CLAIM = Claim(
    label="lem:radius-sum",
    name="Radius sum",
    statement="the sum of beta(m_{I_t,t}) after initialization is at most sqrt(2N(T-N) ln(2 pi^2 N T^2/(3 delta)))",
    checks=(RADIUS_SUM,),
)
QUALITY_GUARANTEE = Claim(
    label="thm:quality-guarantee",
    name="Quality regret",
    statement="quality regret is at most the smaller of two bounds, unqualified queries at most sum (M_i + 1), so "
    "that both, divided by T, are O(1/T); the bounds are computed to be free of T; simulations cannot test the O(1/T)",
    checks=(QUALITY_ANYTIME, QUALITY_GAP_DEPENDENT, UNQUALIFIED_QUERIES),
    regime=ANY_BIDS_ON_GOOD_EVENT,
    everywhere=quality_bounds_do_not_grow,
)
QUALITY_GUARANTEE_IN_FLIGHT = in_flight(
    QUALITY_GUARANTEE,
    "quality regret is at most N + 2 S_T + the sum of the d_i, and at most the sum of (M_i + 1 + d_i) eps_i; "
    "unqualified queries at most sum (M_i + 1 + d_i); all over unqualified providers",
    (trace.UNQUALIFIED_IN_FLIGHT, trace.QUALITY_IN_FLIGHT, trace.UNQUALIFIED_IN_FLIGHT),
)
GENERATION_REGRET = Claim(
    label="thm:generation-regret",
    name="Generation-cost regret",
    statement="for g(T) > 0: generation regret is at most the smaller of two bounds, at every horizon",
    checks=(GENERATION_ANYTIME, GENERATION_GAP_DEPENDENT),
    regime=TRUTHFUL,
    # Without d_- and d_+ the bounds are no larger.
    implies=("thm:deviation-generation-regret",),
)
GENERATION_REGRET_IN_FLIGHT = in_flight(
    GENERATION_REGRET,
    "generation regret is at most the bound for any gaps plus c_max times the sum of the d_i of all but i*, and at "
    "most that for the gaps at hand plus the sum of d_i (cbar_i - cbar_{i*})^+",
    (C_MAX * trace.OTHERS_IN_FLIGHT, trace.COST_IN_FLIGHT),
    name="Generation regret, queries in flight",
)
