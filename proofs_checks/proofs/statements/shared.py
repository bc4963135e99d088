"""What many proofs assume: the good event, eligibility, bids near the estimates, the optimal provider, its rival.

Everything is about one step t > N and any set of providers. The cost radius of a provider is any non-negative number:
c_max beta(m) in the paper, (1 + gamma) c_max beta(m) in its Bayesian variant, where the estimate is the posterior mean.
"""

from __future__ import annotations

from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    Number,
    Term,
    all_of,
    constant,
    constants,
    equal,
    exists,
    function,
    implies,
)
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    RADIUS,
    Auction,
    Hypotheses,
    assuming,
    concluded,
    defining,
    every,
    provider,
    within,
)

AUCTION = Auction()
#: Who is qualified: q_i >= q_min.
QUALIFIED = function("qualified", BOOL)
QUALITY, QUALITY_ESTIMATE, QUALITY_RADIUS = (function(n) for n in ("quality", "quality_estimate", "quality_radius"))
QUALITY_THRESHOLD = constant("quality_threshold")
MEAN_COST, COST_ESTIMATE = function("mean_cost"), function("cost_estimate")
#: d_- and d_+: by how much a bid may be below and above the estimate; 0 in the statements for equilibrium strategies.
UNDERBID, OVERBID = constants("underbid overbid")
#: i*, and c_(2).
OPTIMAL, SECOND_COST = provider("optimal"), constant("second_cost")
#: m_{i,t}.
COUNT = function("selection_count", INT)

#: Why a hypothesis stays that a goal does not need.
STATED_WHOLE = "part of what an auction is, which is stated whole"

_J = provider("j")


def good_event() -> Hypotheses:
    """Return eq:good-event at the current counts: what the good event E says of every provider."""
    return assuming(
        qualities_concentrated=every(
            within(QUALITY(_J) - QUALITY_RADIUS(_J), QUALITY_ESTIMATE(_J), QUALITY(_J) + QUALITY_RADIUS(_J))
        ),
        costs_concentrated=every(within(MEAN_COST(_J) - RADIUS(_J), COST_ESTIMATE(_J), MEAN_COST(_J) + RADIUS(_J))),
    )


def eligibility() -> Hypotheses:
    """Return who is qualified and who is eligible (eq:qualified-set)."""
    return defining(
        qualified=every(equal(QUALIFIED(_J), QUALITY(_J) >= QUALITY_THRESHOLD)),
        eligible=every(equal(ELIGIBLE(_J), QUALITY_ESTIMATE(_J) + QUALITY_RADIUS(_J) >= QUALITY_THRESHOLD)),
    )


def bids(auction: Auction = AUCTION) -> Hypotheses:
    """Return asmp:bounded-deviations; with d_- = d_+ = 0 it is eq:truthful-strategy."""
    deviation = auction.bid(_J) - COST_ESTIMATE(_J)
    return assuming(
        bids_near_estimates=every(within(-UNDERBID, deviation, OVERBID)),
        deviations_non_negative=all_of(UNDERBID >= 0, OVERBID >= 0),
    )


def optimal_provider() -> Hypotheses:
    """Return eq:optimal-provider: i* is qualified, and every other qualified provider costs more on average."""
    return defining(
        optimal_qualified=QUALIFIED(OPTIMAL),
        optimal_cheapest=every(implies(is_competitor(_J), MEAN_COST(OPTIMAL) < MEAN_COST(_J))),
    )


def second_cost() -> Hypotheses:
    """Return that c_(2) is the least mean cost of the qualified providers other than i*, of which there is one."""
    return defining(
        second_cost_attained=exists([_J], all_of(is_competitor(_J), equal(SECOND_COST, MEAN_COST(_J)))),
        second_cost_least=every(implies(is_competitor(_J), MEAN_COST(_J) >= SECOND_COST)),
    )


def mean_costs_in_range() -> Hypotheses:
    """Return that mean costs lie in [0, c_max], as costs do."""
    return defining(mean_costs_in_range=every(within(0, MEAN_COST(_J), COST_BOUND)))


def is_competitor(i: Term) -> Term:
    """Return that i is qualified and not i*."""
    return all_of(QUALIFIED(i), ~equal(i, OPTIMAL))


def qualified_are_eligible() -> Hypotheses:
    """Return the conclusion of lem:qualified-eligibility."""
    return concluded("qualified-is-eligible", qualified_are_eligible=every(implies(QUALIFIED(_J), ELIGIBLE(_J))))


def adjusted_bid_bounds(auction: Auction = AUCTION) -> Hypotheses:
    """Return the conclusion of lem:adjusted-bid-bounds, lem:deviation-adjusted-bid-bounds and their Bayesian form."""
    low, high = MEAN_COST(_J) - 2 * RADIUS(_J) - UNDERBID, MEAN_COST(_J) + OVERBID
    return concluded("adjusted-bid-bounds", adjusted_bids_bounded=every(within(low, auction.adjusted(_J), high)))


def rounded_up(whole: Term, value: Number) -> Term:
    """Return that a whole number is the ceiling of a number.

    Examples
    --------
    >>> str(rounded_up(constant("cap", INT), constant("x")))
    '(and (< (- (to_real cap) 1.0) x) (>= (to_real cap) x))'
    """
    return all_of(to_real(whole) - 1 < value, to_real(whole) >= value)


def to_real(whole: Term) -> Term:
    """Return a whole number as a real one."""
    return Term("to_real", (whole,))
