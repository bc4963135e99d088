"""Eligibility: qualified providers stay, unqualified ones go."""

from __future__ import annotations

from bounds.formulas.selection import ELIMINATION_BOUND
from bounds.language.quantities import Q_MIN
from proofs_checks.claims.band_exit import qualified_never_excluded
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.conditions import (
    after_initialization,
    each_provider,
    eligible_at,
    horizons_after_initialization,
    late_auctions,
    logged_auctions,
)
from proofs_checks.claims.model.regime import ANY_BIDS_ON_GOOD_EVENT
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import (
    EACH_RADIUS,
    QUALITY,
    QUALITY_ESTIMATE,
    SELECTION_COUNT,
    SELECTIONS,
    TARGET,
)

QUALIFIED_STAY = Relation(
    Q_MIN,
    QUALITY_ESTIMATE + EACH_RADIUS.symbol,
    each_provider(after_initialization, "qualified"),
    "every qualified provider is eligible",
    "qualified",
    where=(EACH_RADIUS,),
)
UNQUALIFIED_SELECTIONS = Relation(
    SELECTIONS,
    ELIMINATION_BOUND.symbol,
    each_provider(horizons_after_initialization, "unqualified"),
    "an unqualified provider is selected at most M_i times",
    "unqualified",
    (ELIMINATION_BOUND,),
    exact=True,
)
UNQUALIFIED_COUNTS = Relation(
    SELECTION_COUNT,
    ELIMINATION_BOUND.symbol,
    eligible_at(after_initialization, "unqualified"),
    "an eligible unqualified provider has m <= M_i",
    "unqualified",
    (ELIMINATION_BOUND,),
    exact=True,
)
AUCTION_COUNTS = Relation(
    TARGET,
    SELECTION_COUNT,
    eligible_at(logged_auctions),
    "at an auction every eligible provider has m >= g(t)",
    exact=True,
)
LATE_ELIGIBLE_ARE_QUALIFIED = Relation(
    Q_MIN, QUALITY, eligible_at(late_auctions), "after T_0 an auction involves qualified providers only"
)
LATE_QUALIFIED_ARE_ELIGIBLE = Relation(
    Q_MIN,
    QUALITY_ESTIMATE + EACH_RADIUS.symbol,
    each_provider(late_auctions, "qualified"),
    "after T_0 every qualified provider is eligible",
    "qualified",
    where=(EACH_RADIUS,),
)

Q_SUBSET = Claim(
    "claim:Q-subset-Qhat-probability",
    "Optimistic estimate never excludes a qualified provider",
    "Pr(Q subset of Qhat_t for all t > N) >= 1 - delta",
    163,
    on_setting=qualified_never_excluded,
    note="A bound on the failure probability for one law, independent Bernoulli scores, no proof for all laws; a run "
    "without exclusion is no evidence of a probability.",
)
QUALIFIED_ELIGIBILITY = Claim(
    "lem:qualified-eligibility",
    "Qualified providers stay eligible",
    "on the good event every qualified provider is eligible at every t > N",
    615,
    (QUALIFIED_STAY,),
    ANY_BIDS_ON_GOOD_EVENT,
)
UNQUALIFIED_ELIMINATION = Claim(
    "lem:unqualified-elimination",
    "Unqualified elimination",
    "on the good event an unqualified provider is selected at most M_i = M(eps_i) times after initialization",
    796,
    (UNQUALIFIED_SELECTIONS,),
    ANY_BIDS_ON_GOOD_EVENT,
)
UNQUALIFIED_EXCLUSION = Claim(
    "lem:unqualified-exclusion",
    "Unqualified exclusion",
    "on the good event an eligible unqualified provider has m_{i,t} <= M_i",
    1199,
    (UNQUALIFIED_COUNTS,),
    ANY_BIDS_ON_GOOD_EVENT,
)
ORDINARY_COUNTS = Claim(
    "lem:ordinary-qualified-set:counts",
    "Auctions: counts",
    "at every auction m_{j,t} >= g(t) for all eligible j (first part, any history)",
    1217,
    (AUCTION_COUNTS,),
)
ORDINARY_QUALIFIED_SET = Claim(
    "lem:ordinary-qualified-set",
    "Auctions: counts and set",
    "at every auction m_{j,t} >= g(t); on the good event and after T_0 the eligible set is Q",
    1217,
    (AUCTION_COUNTS, LATE_ELIGIBLE_ARE_QUALIFIED, LATE_QUALIFIED_ARE_ELIGIBLE),
    ANY_BIDS_ON_GOOD_EVENT,
    implies=("lem:ordinary-qualified-set:counts",),
    note="The second part is compared only on traces longer than T_0; `checked` counts both parts.",
)
