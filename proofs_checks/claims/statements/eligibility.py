"""Eligibility: qualified providers stay, unqualified ones go."""

from __future__ import annotations

from functools import partial
from typing import Any

from bounds.formulas.selection import ELIMINATION_BOUND
from bounds.language.quantities import Q_MIN
from proofs_checks.claims.band_exit import qualified_never_excluded
from proofs_checks.claims.model import trace_quantities as trace
from proofs_checks.claims.model.case import Group
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import (
    after_initialization,
    each_provider,
    eligible_at,
    horizons_after_initialization,
    late_auctions,
    logged_auctions,
    with_feedback,
)
from proofs_checks.claims.model.in_flight import in_flight
from proofs_checks.claims.model.regime import ANY_BIDS_ON_GOOD_EVENT
from proofs_checks.claims.model.relation import Relation


def selected_at_most(cap: Any, group: Group, name: str) -> Relation:
    """Return that no provider of a group is selected more often than its cap."""
    mask = each_provider(horizons_after_initialization, group)
    return Relation(trace.SELECTIONS, cap, mask, name, among=group, exact=True)


_QUALIFIED_ARE_ELIGIBLE = partial(Relation, Q_MIN, trace.QUALITY_ESTIMATE + trace.EACH_RADIUS, among="qualified")
QUALIFIED_STAY = _QUALIFIED_ARE_ELIGIBLE(
    on=with_feedback(each_provider(after_initialization, "qualified"), "qualified"),
    name="every qualified provider is eligible",
)
UNQUALIFIED_SELECTIONS = selected_at_most(
    ELIMINATION_BOUND, "unqualified", "an unqualified provider is selected at most M_i times"
)
UNQUALIFIED_COUNTS = Relation(
    trace.SELECTION_COUNT,
    ELIMINATION_BOUND,
    eligible_at(after_initialization, "unqualified"),
    "an eligible unqualified provider has m <= M_i",
    among="unqualified",
    exact=True,
)
_LOGGED = eligible_at(logged_auctions)
AUCTION_COUNTS = Relation(
    trace.TARGET, trace.SELECTION_COUNT, _LOGGED, "at an auction every eligible provider has m >= g(t)", exact=True
)
LATE_ELIGIBLE_ARE_QUALIFIED = Relation(
    Q_MIN, trace.QUALITY, eligible_at(late_auctions), "after T_0 an auction involves qualified providers only"
)
LATE_QUALIFIED_ARE_ELIGIBLE = _QUALIFIED_ARE_ELIGIBLE(
    on=each_provider(late_auctions, "qualified"), name="after T_0 every qualified provider is eligible"
)

Q_SUBSET = Claim(
    label="claim:Q-subset-Qhat-probability",
    name="Optimistic estimate never excludes a qualified provider",
    statement="Pr(Q subset of Qhat_t for all t > N) >= 1 - delta",
    on_setting=qualified_never_excluded,
    note="A bound on the failure probability for one law, independent Bernoulli scores, no proof for all laws; a run "
    "without exclusion is not evidence of a probability.",
)
QUALIFIED_ELIGIBILITY = Claim(
    label="lem:qualified-eligibility",
    any_delay=True,
    name="Qualified providers stay eligible",
    statement="on the good event every qualified provider is eligible at every t > N",
    checks=(QUALIFIED_STAY,),
    regime=ANY_BIDS_ON_GOOD_EVENT,
)
UNQUALIFIED_ELIMINATION = Claim(
    label="lem:unqualified-elimination",
    name="Unqualified elimination",
    statement="on the good event an unqualified provider is selected at most M_i = M(eps_i) times after initialization",
    checks=(UNQUALIFIED_SELECTIONS,),
    regime=ANY_BIDS_ON_GOOD_EVENT,
)
UNQUALIFIED_IN_FLIGHT = in_flight(
    UNQUALIFIED_ELIMINATION,
    "on the good event an unqualified provider is selected at most M_i + d_i times after initialization",
    (trace.MOST_IN_FLIGHT,),
)
UNQUALIFIED_EXCLUSION = Claim(
    label="lem:unqualified-exclusion",
    any_delay=True,
    name="Unqualified exclusion",
    statement="on the good event an eligible unqualified provider has m_{i,t} <= M_i",
    checks=(UNQUALIFIED_COUNTS,),
    regime=ANY_BIDS_ON_GOOD_EVENT,
)
ORDINARY_QUALIFIED_SET = Claim(
    label="lem:ordinary-qualified-set",
    any_delay=True,
    name="Auctions: counts and set",
    statement="at every auction m_{j,t} >= g(t); on the good event and after T_0 the eligible set is Q",
    checks=(AUCTION_COUNTS, LATE_ELIGIBLE_ARE_QUALIFIED, LATE_QUALIFIED_ARE_ELIGIBLE),
    headline=(LATE_ELIGIBLE_ARE_QUALIFIED, LATE_QUALIFIED_ARE_ELIGIBLE),
    regime=ANY_BIDS_ON_GOOD_EVENT,
    note="Cited for its second part, compared only on traces longer than T_0.",
)
