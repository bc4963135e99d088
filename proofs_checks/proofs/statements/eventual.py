"""When every auction goes to i*: the corollary as the paper states it, why that says nothing, and its repair.

Source: cor:eventual-ordinary-optimality. Its condition m_i > M_i never holds for an unqualified provider on the good
event; the repair asks that no unqualified provider be eligible.
"""

from __future__ import annotations

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    all_of,
    any_of,
    constant,
    constants,
    either,
    equal,
    exists,
    function,
    implies,
    number,
)
from proofs_checks.proofs.language.vocabulary import ELIGIBLE, assuming, concluded, defining, every, induction, provider
from proofs_checks.proofs.statements.eligibility import THRESHOLD
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COUNT,
    OPTIMAL,
    QUALIFIED,
    QUALITY_ESTIMATE,
    QUALITY_RADIUS,
    QUALITY_THRESHOLD,
    eligibility,
    is_competitor,
)

_I, _J, _WINNER = provider("i"), provider("j"), AUCTION.winner
_NEXT_COUNT, _ONE_COUNT = constants("next_count count", INT)
_ONE_THRESHOLD, _IS_SELECTED = constant("threshold", INT), constant("selected", BOOL)
NEVER_ABOVE_BASE = Obligation(
    "unqualified-count-at-most-threshold-base",
    "after initialization m = 1 <= M_i",
    {
        **defining(initialized=equal(_ONE_COUNT, 1)),
        **concluded("threshold-at-least-one", threshold=_ONE_THRESHOLD >= 1),
    },
    _ONE_COUNT <= _ONE_THRESHOLD,
    (Mutant("a threshold of 0", replace={"threshold": _ONE_THRESHOLD >= 0}),),
)
NEVER_ABOVE = Obligation(
    "unqualified-count-at-most-threshold",
    "on E, m_i <= M_i for an unqualified provider at every step: m_i > M_i never happens",
    {
        **induction(_ONE_COUNT <= _ONE_THRESHOLD),
        **concluded(
            "selected-unqualified-below-threshold", selected=implies(_IS_SELECTED, _ONE_COUNT < _ONE_THRESHOLD)
        ),
        **defining(next=equal(_NEXT_COUNT, _ONE_COUNT + either(_IS_SELECTED, number(1, INT), number(0, INT)))),
    },
    _NEXT_COUNT <= _ONE_THRESHOLD,
    (Mutant("the paper's m <= M_i", replace={"selected": implies(_IS_SELECTED, _ONE_COUNT <= _ONE_THRESHOLD)}),),
)

#: L_i, as a number of each competitor; m_{i,tau} at a step tau >= t, where m_{i,t} is `COUNT`.
_CAP_OF = function("competitor_threshold_of", INT)
_LATER = function("later_selection_count", INT)
_COMPETITORS_PAST = every(implies(is_competitor(_J), COUNT(_J) > _CAP_OF(_J)))
_UNQUALIFIED_PAST = every(implies(~QUALIFIED(_J), COUNT(_J) > THRESHOLD(_J)))
_MONOTONE = concluded("selection-counts-do-not-decrease", counts=every(_LATER(_J) >= COUNT(_J)))
_AUCTIONS_LATER = concluded(
    "ordinary-winner-below-threshold",
    below_threshold=implies(is_competitor(_WINNER), _LATER(_WINNER) < _CAP_OF(_WINNER)),
)
_NOW_COUNT, _STEP_COUNT, _NEXT_COUNT = constants("count_then count_now next_count", INT)
COUNTS_GROW = Obligation(
    "selection-counts-do-not-decrease",
    "a selection count is never below what it was, step",
    {
        **induction(_STEP_COUNT >= _NOW_COUNT),
        **defining(next=any_of(equal(_NEXT_COUNT, _STEP_COUNT), equal(_NEXT_COUNT, _STEP_COUNT + 1))),
    },
    _NEXT_COUNT >= _NOW_COUNT,
)
EVENTUAL_AS_STATED = Obligation(
    "eventual-optimality-as-stated",
    "if m_i > M_i for all unqualified and m_i > L_i for all competitors, later auctions go to i*",
    {
        **_MONOTONE,
        **_AUCTIONS_LATER,
        **assuming(unqualified_past=_UNQUALIFIED_PAST, competitors_past=_COMPETITORS_PAST),
        **concluded(
            "selected-unqualified-below-threshold",
            unqualified_below=implies(~QUALIFIED(_WINNER), _LATER(_WINNER) < THRESHOLD(_WINNER)),
        ),
    },
    equal(_WINNER, OPTIMAL),
)
NEVER_APPLIES = Obligation(
    "eventual-optimality-condition-never-holds",
    "on E, m_i > M_i for every unqualified provider never happens while there is one: the statement says nothing",
    {
        **assuming(somebody_unqualified=exists([_J], ~QUALIFIED(_J))),
        **concluded(
            "unqualified-count-at-most-threshold",
            never_above=every(implies(~QUALIFIED(_J), COUNT(_J) <= THRESHOLD(_J))),
        ),
    },
    ~_UNQUALIFIED_PAST,
    (Mutant("from M_i on", goal=~every(implies(~QUALIFIED(_J), COUNT(_J) >= THRESHOLD(_J)))),),
)
EVENTUAL = Proof(
    "cor:eventual-ordinary-optimality",
    (COUNTS_GROW, EVENTUAL_AS_STATED, NEVER_ABOVE_BASE, NEVER_ABOVE, NEVER_APPLIES),
    "At an auction at tau >= t, as the paper argues; counts are compared with those at t by induction from t on. But "
    "by induction on t (unqualified-count-at-most-threshold) the condition never holds on E unless every provider is "
    "qualified: the statement is true and vacuous.",
    uses=("lem:unqualified-elimination", "lem:ordinary-selection-threshold"),
    remark="vacuous",
)
_NEXT_ESTIMATE, _NEXT_RADIUS = function("next_quality_estimate"), function("next_quality_radius")
_NEXT_ELIGIBLE = function("next_eligible", BOOL)
STAYS_INELIGIBLE = Obligation(
    "ineligible-stays-ineligible",
    "on E, who is not eligible is not selected, so its statistics stay, so it is not eligible at the next step",
    {
        "eligible": eligibility()["eligible"],
        **induction(~ELIGIBLE(_I), "ineligible"),
        **concluded("selected-is-eligible", selected_eligible=ELIGIBLE(_WINNER)),
        **defining(
            statistics_stay=every(
                implies(
                    ~equal(_WINNER, _J),
                    all_of(
                        equal(_NEXT_ESTIMATE(_J), QUALITY_ESTIMATE(_J)), equal(_NEXT_RADIUS(_J), QUALITY_RADIUS(_J))
                    ),
                )
            ),
            next_eligible=every(equal(_NEXT_ELIGIBLE(_J), _NEXT_ESTIMATE(_J) + _NEXT_RADIUS(_J) >= QUALITY_THRESHOLD)),
        ),
    },
    ~_NEXT_ELIGIBLE(_I),
)
EVENTUAL_REPAIRED_STEP = Obligation(
    "eventual-optimality-repaired",
    "once no unqualified provider is eligible and m_i > L_i for all competitors, auctions go to i*",
    {
        **_MONOTONE,
        **_AUCTIONS_LATER,
        "winner-eligible": AUCTION.definitions()["winner-eligible"],
        **concluded(
            "ineligible-stays-ineligible", unqualified_ineligible=every(implies(~QUALIFIED(_J), ~ELIGIBLE(_J)))
        ),
        **assuming(competitors_past=_COMPETITORS_PAST),
    },
    equal(_WINNER, OPTIMAL),
    (
        Mutant(
            "two counts less",
            replace={"competitors-past": every(implies(is_competitor(_J), COUNT(_J) > _CAP_OF(_J) - 2))},
        ),
    ),
)
EVENTUAL_REPAIRED = Proof(
    "cor:eventual-ordinary-optimality:repaired",
    (COUNTS_GROW, STAYS_INELIGIBLE, EVENTUAL_REPAIRED_STEP),
    "From the step t at which the condition holds, by induction: unqualified providers stay ineligible and counts do "
    "not fall, so it holds at every later step; an auction then goes to i*. Already m_i >= L_i suffices.",
    uses=("lem:unqualified-elimination", "lem:ordinary-selection-threshold"),
)
