"""A claim with queries in flight: the same inequalities, plus what scores and bids that arrive late add to the bounds.

A decision at t rests on what has arrived: m_{i,t} counts the queries of i whose score and bid are there. What the paper
says of one decision (payments, winners, eligibility) is about this state and stays as it is (`Claim.any_delay`). What
it says of counts is about selections, of which some are in flight. Let d_i(T) be the most queries of provider i that
were in flight when it got another one after initialization, up to T.

*Counts.* If i got a query at t, then m_{i,t} <= C for the cap C that the paper's proof gives for an eligible
unqualified provider (M_i), a winning competitor (L_i) or an explored provider (ceil(g(T)) - 1). Before t it had been
assigned m_{i,t} plus at most d_i queries, one of them in initialization. So it has at most C + d_i after it.

*Sums.* Let provider i get its l-th query after initialization when m of its queries had arrived. Then m >= l - d_i, so
beta(m) <= beta(l - d_i) for l > d_i. What one query of i counts, b at most any number of arrivals and kappa beta(m) at
most besides, adds up to b times the sum of the d_i and kappa S_T, with the S_T of lem:radius-sum.

*The lead.* Let D(T) be the sum of the d_i(T) over all i but i*. Then i* leads wherever T > N + 2 (B_id(T) + D(T)).
D may grow with T, so the condition may fail again after it was met. If feedback is lost for ever, D has no bound.

*Averages* keep their limits where the sum of the d_i(T), divided by T, tends to 0, as with delays of at most d queries,
where d_i <= d. They lose them where a share of the feedback is lost.

The good event is about the means of the first m scores *in the order of arrival*. Hoeffding's bound covers them if
delays do not depend on scores and costs: if bad answers come late, the means are biased, and nothing here applies.

`InFlightTotals.v` of `proofs_checks/proofs/kernel/theories` proves each of these claims.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from proofs_checks.claims.model.claim import Check, Claim
from proofs_checks.claims.model.relation import Relation

#: What a reader must know of every claim about queries in flight.
IN_FLIGHT_NOTE = (
    "d_i counts the queries of i that were in flight when it got another one after initialization; 0 with immediate "
    "feedback. Delays must not depend on scores and costs: the good event is about means in the order of arrival."
)
#: What the name of an inequality with such a term ends in.
PLUS = ", plus queries in flight"


def in_flight(claim: Claim, statement: str, added: Sequence[Any], **differing: Any) -> Claim:
    """Return a claim with queries in flight.

    Parameters
    ----------
    claim : Claim
        What it says of immediate feedback.
    statement : str
    added : sequence of sympy.Expr or None
        For each check of the claim what queries in flight add to its right side; None where they add nothing.
    **differing
        Other fields in which the variant differs.
    """

    def delayed(check: Check, more: Any) -> Check:
        if more is None or not isinstance(check, Relation):
            return check
        return replace(check, right=check.right + more, name=f"{check.name}{PLUS}")

    checks = {id(check): delayed(check, more) for check, more in zip(claim.checks, added, strict=True)}
    fields: dict[str, Any] = {
        "label": f"{claim.label}:in-flight",
        "name": f"{claim.name}, queries in flight",
        "implies": (claim.label,),
        "note": IN_FLIGHT_NOTE,
    }
    return replace(
        claim,
        statement=statement,
        checks=tuple(checks.values()),
        headline=tuple(checks[id(check)] for check in claim.headline),
        any_delay=True,
        on_setting=None,
        everywhere=None,
        **fields | differing,
    )
