"""Queries in flight: what the paper's counts become where score and bid arrive after later queries were assigned.

A decision at t rests on what has arrived: m_{i,t} counts the queries of i whose score and bid are there. What the paper
says of one decision (payments, critical payments, winners, eligibility) is about this state and stays as it is. What
it says of counts is about selections, of which some are in flight. Let d_i be the most queries of provider i that were
in flight when it got another one after initialization. Then d_i is all that has to be added, provider by provider:

If i got a query at t, then m_{i,t} <= C for the cap C that the paper's proof gives for an eligible unqualified provider
(M_i), a winning competitor (L_i) or an explored provider (ceil(g(T)) - 1). Before t it had been assigned m_{i,t} plus
at most d_i queries, one of them in initialization. With t the last such step it has at most C + d_i after it.

The good event is about the means of the first m scores *in the order of arrival*. Hoeffding's bound covers them if
delays do not depend on scores and costs: if bad answers come late, the means are biased, and nothing here applies.

What follows for T_id stands in `in_flight_identification`, for regrets and payments in `in_flight_totals`.
"""

from __future__ import annotations

from bounds.formulas.selection import (
    COMPETITOR_CAP,
    ELIMINATION_BOUND,
    EXPLORATION_CAP,
    EXPLORATION_STEPS_BOUND,
    NON_OPTIMAL_STEPS_BOUND,
)
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import each_provider, horizons, horizons_after_initialization
from proofs_checks.claims.model.regime import ANY_BIDS_ON_GOOD_EVENT, TRUTHFUL
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import (
    ALL_EXPLORATIONS,
    ALL_IN_FLIGHT,
    EXPLORATIONS,
    MOST_IN_FLIGHT,
    NON_OPTIMAL,
    OTHERS_IN_FLIGHT,
)
from proofs_checks.claims.statements.definitions import EXPLORED_ARE_UNDER_SAMPLED
from proofs_checks.claims.statements.eligibility import selected_at_most

#: What a reader must know of every claim about queries in flight.
IN_FLIGHT_NOTE = (
    "d_i counts the queries of i that were in flight when it got another one after initialization; 0 with immediate "
    "feedback. Delays must not depend on scores and costs: the good event is about means in the order of arrival."
)

_EXPLORATIONS = (
    Relation(
        EXPLORATIONS,
        EXPLORATION_CAP + MOST_IN_FLIGHT,
        each_provider(horizons_after_initialization),
        "a provider is explored at most ceil(g(T)) - 1 + d_i times",
        exact=True,
    ),
    Relation(
        ALL_EXPLORATIONS,
        EXPLORATION_STEPS_BOUND + ALL_IN_FLIGHT,
        horizons_after_initialization,
        "at most N (ceil(g(T)) - 1) + sum d_i exploration steps",
        exact=True,
    ),
)

_NON_OPTIMAL = (
    Relation(
        NON_OPTIMAL,
        NON_OPTIMAL_STEPS_BOUND + OTHERS_IN_FLIGHT,
        horizons,
        "at most N - 1 + B_id(T) + sum d_i queries miss i*",
        exact=True,
    ),
)
_COMPETITORS = selected_at_most(
    COMPETITOR_CAP + MOST_IN_FLIGHT,
    "competitors",
    "a competitor is selected at most max{L_i, ceil(g(T)) - 1} + d_i times",
)

UNQUALIFIED = Claim(
    label="lem:unqualified-elimination:in-flight",
    any_delay=True,
    name="Unqualified elimination, queries in flight",
    statement="on the good event an unqualified provider is selected at most M_i + d_i times after initialization",
    source_line=796,
    checks=(
        selected_at_most(
            ELIMINATION_BOUND + MOST_IN_FLIGHT,
            "unqualified",
            "an unqualified provider is selected at most M_i + d_i times",
        ),
    ),
    regime=ANY_BIDS_ON_GOOD_EVENT,
    implies=("lem:unqualified-elimination",),
    note=IN_FLIGHT_NOTE,
)
EXPLORATION = Claim(
    label="lem:forced-exploration-bound:in-flight",
    any_radius=True,
    any_delay=True,
    name="Exploration count, queries in flight",
    statement="a provider is explored at most ceil(g(T)) - 1 + d_i times, all at most N (ceil(g(T)) - 1) + the sum of "
    "the d_i times",
    source_line=657,
    checks=(EXPLORED_ARE_UNDER_SAMPLED, *_EXPLORATIONS),
    headline=_EXPLORATIONS,
    implies=("lem:forced-exploration-bound",),
    note=IN_FLIGHT_NOTE,
)
NON_OPTIMAL_STEPS = Claim(
    label="claim:B_id-tightened:in-flight",
    any_delay=True,
    name="Number of non-optimal steps, queries in flight",
    statement="at most N - 1 + B_id(T) + the sum of the d_i of all others queries miss i*, with appendix D's B_id, "
    "since i in Q without i* is selected at most max{L_i, ceil(g(T)) - 1} + d_i times after initialization",
    source_line=1752,
    checks=(*_NON_OPTIMAL, _COMPETITORS),
    headline=_NON_OPTIMAL,
    regime=TRUTHFUL,
    implies=("claim:B_id-tightened", "lem:qualified-suboptimal-selection"),
    note=IN_FLIGHT_NOTE,
)
