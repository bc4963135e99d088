"""Improved statements for the same mechanism on the same good event (`bounds.formulas.sharp`)."""

from __future__ import annotations

import numpy as np

from bounds.formulas import sharp
from bounds.language.quantities import HORIZON
from proofs_checks.claims.model import trace_quantities as trace
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import burn_in, horizons, horizons_after_initialization, past_burn_in
from proofs_checks.claims.model.lead import leads, misses
from proofs_checks.claims.model.precondition import BIDS_IN_RANGE
from proofs_checks.claims.model.regime import ANY_BIDS_ON_GOOD_EVENT, TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.start import FromStart, Start
from proofs_checks.claims.statements.eligibility import selected_at_most


def _late(case: Case) -> np.ndarray:
    return past_burn_in(case, sharp.SHARP_LARGEST_ELIMINATION_BOUND)


_AFTER_BURN_IN = Start("T > the improved T_0", burn_in(sharp.SHARP_BURN_IN))
LATE = FromStart(_AFTER_BURN_IN, _late)
LATE_AUCTIONS = FromStart(_AFTER_BURN_IN, lambda case: np.asarray(case.replay.auction & _late(case)))

TWO_SIDED = Claim(
    label="lem:two-sided-payment:sharp",
    any_delay=True,
    name="Two-sided payment bound, improved",
    statement="an auction after T_0 pays at least c_(2) - 2 c_max beta(g(t)) (2 instead of 3, and 2 is optimal)",
    checks=(
        Relation(
            sharp.SHARP_LATE_PAYMENT_LOWER, trace.PAYMENT, LATE_AUCTIONS, "after T_0: two radii below the second cost"
        ),
    ),
    regime=TRUTHFUL,
)
UNQUALIFIED = Claim(
    label="lem:unqualified-elimination:sharp",
    name="Unqualified elimination, improved",
    statement="exact inverse of the radius, and elimination by cost of unqualified providers dearer than i*",
    checks=(selected_at_most(sharp.SHARP_UNQUALIFIED_CAP, "unqualified", "selections of an unqualified provider"),),
    regime=TRUTHFUL,
    implies=("lem:unqualified-elimination",),
)
_NON_OPTIMAL = misses(sharp.SHARP_IDENTIFICATION_BOUND, "queries that miss i*")
SAMPLE_COMPLEXITY = Claim(
    label="thm:sample-complexity:sharp",
    name="Number of non-optimal steps, improved",
    statement="N - 1 plus the sum of the improved caps: those of competitors have the exact inverse of the radius for "
    "L_i",
    checks=(_NON_OPTIMAL, selected_at_most(sharp.SHARP_COMPETITOR_CAP, "competitors", "selections of a competitor")),
    headline=(_NON_OPTIMAL,),
    regime=TRUTHFUL,
    implies=("claim:B_id-tightened", "lem:qualified-suboptimal-selection"),
)
IDENTIFICATION = Claim(
    label="claim:T_id:sharp",
    name="Identification horizon, improved",
    statement="i* leads from the least T with T' > N + B(T') + max_i cap_i(T') for every T' >= T on",
    checks=(
        leads(sharp.SHARP_LEAD_BOUND, "i* has more selections than any rival", "the improved T_id", truthful=True),
    ),
    regime=TRUTHFUL,
    # Its horizon is no later: B + max cap is at most 2 B_id.
    implies=("claim:T_id:repaired",),
)
EXPLORATION = Claim(
    label="lem:forced-exploration-bound:sharp",
    name="Exploration count, improved",
    statement="an unqualified provider is explored at most min{M_i, ceil(g(T)) - 1} times",
    checks=(
        Relation(
            trace.ALL_EXPLORATIONS,
            sharp.SHARP_EXPLORATION_STEPS_BOUND,
            horizons_after_initialization,
            "exploration steps",
            exact=True,
        ),
    ),
    regime=ANY_BIDS_ON_GOOD_EVENT,
)
REGRETS = Claim(
    label="thm:generation-regret:sharp",
    name="Regrets, improved",
    statement="quality and generation regret with the improved caps, and with (T - N)/N for T in the logarithm of the "
    "radius sum, by Jensen",
    checks=(
        Relation(trace.QUALITY_REGRET_SO_FAR, sharp.SHARP_QUALITY_REGRET, horizons, "quality regret"),
        Relation(trace.GENERATION_REGRET_SO_FAR, sharp.SHARP_GENERATION_REGRET, horizons, "generation regret"),
    ),
    regime=TRUTHFUL,
    implies=("thm:generation-regret",),
)
_AVERAGE_DEVIATION = Relation(
    trace.DEVIATION_SO_FAR / HORIZON, sharp.SHARP_AVERAGE_PAYMENT_DEVIATION, LATE, "average payment deviation"
)
PAYMENTS = Claim(
    label="thm:regret:sharp",
    name="Payments, improved",
    statement="excess payment with the improved counts; average deviation with 4/(2 - alpha) and a smaller start",
    checks=(Relation(trace.EXCESS_SO_FAR, sharp.SHARP_EXCESS_PAYMENT, horizons, "excess payment"), _AVERAGE_DEVIATION),
    headline=(_AVERAGE_DEVIATION,),
    regime=TRUTHFUL,
    assuming=(BIDS_IN_RANGE,),
    # Its average deviation starts after T_0, that of thm:regret at T_0, which it does not imply therefore.
    implies=("thm:excess-payment-general",),
    note="The average deviation is compared only on traces longer than the improved T_0.",
)
