"""Queries in flight: sums of radii, regrets and payments.

All of it rests on one count. Let provider i get its l-th query after initialization at t <= T, when m of its queries
had arrived and f were in flight. Before t it had been assigned l queries, one of them in initialization, so m = l - f.
By the definition of d_i(T), f <= d_i. So, with beta(0) read as infinite:

(*)  for l > d_i:  m >= l - d_i >= 1, so beta(m) <= beta(l - d_i), since beta falls (lem:radius-monotone, N >= 2).

Let D_i be the number of these queries, so that the D_i add up to T - N, and S_T the bound of lem:radius-sum, whose
proof bounds the sum over i of beta(1) + ... + beta(D_i) by S_T.

So what one query of i counts, b at most whatever has arrived and kappa beta(m) at most besides, adds up over all
queries to b times the sum of the d_i and kappa S_T: the bounds are those of the paper and a multiple of the d_i.
`InFlightTotals.v` of `proofs_checks/proofs/kernel/theories` proves each of them.

**What vanishes.** Averages keep their limits where the sum of the d_i(T), divided by T, tends to 0, as with delays of
at most d queries, where d_i <= d. They lose them where a share of the feedback is lost. If nothing ever arrives, every
query is an exploration: the average excess is c_max - cbar_(2) for ever, and these bounds promise no less.
"""

from __future__ import annotations

from bounds.formulas.payment import AVERAGE_PAYMENT_DEVIATION, EXCESS_PAYMENT
from bounds.formulas.regret import (
    GENERATION_REGRET_ANYTIME,
    GENERATION_REGRET_GAP_DEPENDENT,
    QUALITY_REGRET_ANYTIME,
    QUALITY_REGRET_GAP_DEPENDENT,
)
from bounds.formulas.selection import UNQUALIFIED_SELECTIONS_BOUND
from bounds.language.quantities import C_2, C_MAX, HORIZON
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import horizons, late_horizons
from proofs_checks.claims.model.regime import ANY_BIDS_ON_GOOD_EVENT, TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import (
    ALL_IN_FLIGHT,
    COST_IN_FLIGHT,
    DEVIATION_SO_FAR,
    EXCESS_SO_FAR,
    GENERATION_REGRET_SO_FAR,
    OTHERS_IN_FLIGHT,
    QUALITY_IN_FLIGHT,
    QUALITY_REGRET_SO_FAR,
    UNQUALIFIED,
    UNQUALIFIED_IN_FLIGHT,
)
from proofs_checks.claims.statements.in_flight import IN_FLIGHT_NOTE
from proofs_checks.claims.statements.payments import LATE

#: Most that the queries in flight add to what is paid above the second cost.
PAID_IN_FLIGHT = (C_MAX - C_2) * ALL_IN_FLIGHT

QUALITY_GUARANTEE = Claim(
    label="thm:quality-guarantee:in-flight",
    any_delay=True,
    name="Quality regret, queries in flight",
    statement="quality regret is at most N + 2 S_T + the sum of the d_i, and at most the sum of (M_i + 1 + d_i) eps_i; "
    "unqualified queries at most sum (M_i + 1 + d_i); all over unqualified providers",
    source_line=1002,
    checks=(
        Relation(
            QUALITY_REGRET_SO_FAR,
            QUALITY_REGRET_ANYTIME + UNQUALIFIED_IN_FLIGHT,
            horizons,
            "quality regret, any gaps, queries in flight",
        ),
        Relation(
            QUALITY_REGRET_SO_FAR,
            QUALITY_REGRET_GAP_DEPENDENT + QUALITY_IN_FLIGHT,
            horizons,
            "quality regret, gaps at hand, queries in flight",
        ),
        Relation(
            UNQUALIFIED,
            UNQUALIFIED_SELECTIONS_BOUND + UNQUALIFIED_IN_FLIGHT,
            horizons,
            "queries sent to unqualified providers, queries in flight",
            exact=True,
        ),
    ),
    regime=ANY_BIDS_ON_GOOD_EVENT,
    implies=("thm:quality-guarantee",),
    note=IN_FLIGHT_NOTE,
)
GENERATION_REGRET = Claim(
    label="thm:generation-regret:in-flight",
    any_delay=True,
    name="Generation regret, queries in flight",
    statement="generation regret is at most the bound for any gaps plus c_max times the sum of the d_i of all but "
    "i*, and at most that for the gaps at hand plus the sum of d_i (cbar_i - cbar_{i*})^+",
    source_line=1050,
    checks=(
        Relation(
            GENERATION_REGRET_SO_FAR,
            GENERATION_REGRET_ANYTIME + C_MAX * OTHERS_IN_FLIGHT,
            horizons,
            "generation regret, any gaps, queries in flight",
        ),
        Relation(
            GENERATION_REGRET_SO_FAR,
            GENERATION_REGRET_GAP_DEPENDENT + COST_IN_FLIGHT,
            horizons,
            "generation regret, gaps at hand, queries in flight",
        ),
    ),
    regime=TRUTHFUL,
    implies=("thm:generation-regret",),
    note=IN_FLIGHT_NOTE,
)
EXCESS = Claim(
    label="thm:excess-payment-general:in-flight",
    any_delay=True,
    name="Excess payment, queries in flight",
    statement="what each query is paid above c_(2) adds up to at most the bound plus c_max - c_(2) times the sum of "
    "the d_i",
    source_line=1111,
    checks=(
        Relation(
            EXCESS_SO_FAR,
            EXCESS_PAYMENT + PAID_IN_FLIGHT,
            horizons,
            "cumulative payment above the second cost, queries in flight",
        ),
    ),
    regime=TRUTHFUL,
    implies=("thm:excess-payment-general",),
    note=IN_FLIGHT_NOTE,
)
AVERAGE_DEVIATION = Claim(
    label="thm:regret:in-flight",
    any_delay=True,
    name="Average absolute payment deviation, queries in flight",
    statement="the average of |payment - c_(2)| is at most the three-term bound plus c_max - c_(2) times the sum of "
    "the d_i over T, for every T >= T_0",
    source_line=352,
    checks=(
        Relation(
            DEVIATION_SO_FAR / HORIZON,
            AVERAGE_PAYMENT_DEVIATION + PAID_IN_FLIGHT / HORIZON,
            late_horizons,
            "average distance of the payment from the second cost, queries in flight",
        ),
    ),
    regime=TRUTHFUL,
    implies=("thm:regret",),
    note=f"{LATE} {IN_FLIGHT_NOTE}",
)
