"""Queries in flight: when the optimal provider leads, and when every auction goes to it.

The lead. Let D(T) be the sum of the d_i(T) over all i but i*, with d_i as in `in_flight`. Then i* leads wherever
T > N + 2 (B_id(T) + D(T)). With D = 0 this is T_id. Here D may grow with T, so the condition may fail again after it
was met: the claim says what is sure at each T. If D(T) is at most some D for all T, i* leads from the T_id on that has
B_id + D in place of B_id. If feedback is lost for ever, D has no bound, and there is no such T_id.

Auctions. By cor:eventual-ordinary-optimality, repaired, every auction goes to i* once all unqualified providers are
ineligible and m > L_i for all competitors. In flight this is false: the last scores of an ineligible provider may
arrive and make it eligible again. With nothing of it in flight it stays ineligible, since it gets no query.

`InFlightTotals.v` of `proofs_checks/proofs/kernel/theories` proves both.
"""

from __future__ import annotations

from bounds.formulas.selection import ELIMINATION_BOUND, IDENTIFICATION_BOUND
from bounds.language.quantities import HORIZON, N
from proofs_checks.claims.model.case import Carry, Case, Flags
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import horizons
from proofs_checks.claims.model.regime import TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.trace_check import trace_check
from proofs_checks.claims.model.trace_quantities import OPTIMAL_COUNT, OTHERS_IN_FLIGHT, RIVAL_LEAD
from proofs_checks.claims.statements.identification import auctions_go_to_optimal, competitors_beaten
from proofs_checks.claims.statements.in_flight import IN_FLIGHT_NOTE

#: What the lead of i* may lack of T.
LACKING = N + 2 * (IDENTIFICATION_BOUND + OTHERS_IN_FLIGHT)


def _settled_for_good(case: Case) -> Flags:
    """Where no provider but i* can win an auction any more, shape (T,)."""
    replay, settled = case.replay, competitors_beaten(case)
    for provider, most in zip(case.setting.unqualified, ELIMINATION_BOUND(case.truthful_constants), strict=True):
        gone = ~replay.eligible[:, provider]
        if replay.delayed:
            gone &= replay.in_flight[:, provider] == 0
        settled &= gone | (replay.counts[:, provider] > most)
    return settled


SETTLED_FOR_GOOD: Carry[bool] = Carry(
    start=lambda setting: False, after=lambda before, case: before or bool(case.where(_settled_for_good).any())
)


@trace_check(SETTLED_FOR_GOOD)
def nobody_else_wins(case: Case) -> Tightness:
    """Check auctions after m > M_i or gone with nothing in flight for the unqualified, and m > L_i for competitors."""
    already = case.before_part(SETTLED_FOR_GOOD)
    return auctions_go_to_optimal(case, case.where(_settled_for_good) | already)


LEAD = Claim(
    label="claim:T_id:repaired:in-flight",
    any_delay=True,
    name="Lead of the optimal provider, queries in flight, with appendix D's bound",
    statement="i* has at least T - N - 2 (B_id(T) + the sum of the d_i of all others) selections more than any rival, "
    "with appendix D's B_id: it leads where that is positive",
    source_line=453,
    checks=(
        Relation(
            RIVAL_LEAD + HORIZON,
            OPTIMAL_COUNT + LACKING,
            horizons,
            "i* leads by at least T - N - 2 (B_id(T) + sum d_i)",
            exact=True,
        ),
    ),
    regime=TRUTHFUL,
    implies=("claim:T_id:repaired",),
    note=IN_FLIGHT_NOTE,
)
EVENTUAL = Claim(
    label="cor:eventual-ordinary-optimality:in-flight",
    any_delay=True,
    name="Eventual optimality of auctions, queries in flight",
    statement="once every unqualified provider has m > M_i, or is ineligible with none of its queries in flight, and "
    "m > L_i for every competitor, every auction goes to i*",
    source_line=934,
    checks=(nobody_else_wins,),
    regime=TRUTHFUL,
    # With nothing in flight its condition is met no later.
    implies=("cor:eventual-ordinary-optimality:repaired",),
    note="It is about what has arrived. The condition of the repaired corollary is not enough in flight: an ineligible "
    "provider may become eligible again when its last scores arrive.",
)
