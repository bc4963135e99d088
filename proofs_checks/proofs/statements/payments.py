"""What an auction pays, against the second cost c_(2): at most one radius more, at least two less.

Sources: lem:ordinary-payment, lem:two-sided-payment, lem:deviation-payment. Everything is about one non-exploration
step on the good event. The deviations d_-, d_+ are any non-negative numbers, 0 for the paper's equilibrium bids; the
radii any non-negative numbers, so (1 + gamma) c_max beta(m) too. `R` bounds the radii of the qualified providers: (1
+ gamma) c_max beta(g(t)).
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import all_of, constant, either, equal, exists
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    RADIUS,
    Hypotheses,
    assuming,
    concluded,
    defining,
    market,
    provider,
    within,
)
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    OVERBID,
    SECOND_COST,
    adjusted_bid_bounds,
    mean_costs_in_range,
    optimal_provider,
    qualified_are_eligible,
    second_cost,
)

_I, _J = provider("i"), provider("j")
WINNER = AUCTION.winner
_WINNER_RADIUS = RADIUS(WINNER)
PAID = AUCTION.payment(WINNER)
_DEFINITIONS, _MARKET = AUCTION.definitions(), market()
#: R: the radius at the target, which bounds those of the qualified providers.
TARGET_RADIUS = constant("radius_at_target")


def defined(*names: str) -> Hypotheses:
    """Return some of what defines an auction.

    Examples
    --------
    >>> list(defined("winner-least"))
    ['winner-least']
    """
    defined = {**_MARKET, **_DEFINITIONS}
    return {name: defined[name] for name in names}


_CHEAP_RIVAL = exists([_J], all_of(ELIGIBLE(_J), ~equal(_J, _I), AUCTION.adjusted(_J) <= SECOND_COST + OVERBID))
CHEAP_RIVAL = Obligation(
    "some-rival-within-second-cost",
    "of any provider some other eligible one has an adjusted bid of at most c_(2) + d_+: i*, or the second-cheapest",
    {
        **optimal_provider(),
        **qualified_are_eligible(),
        **adjusted_bid_bounds(),
        "second-cost-attained": second_cost()["second-cost-attained"],
    },
    _CHEAP_RIVAL,
    (
        Mutant(
            "without d_+", goal=exists([_J], all_of(ELIGIBLE(_J), ~equal(_J, _I), AUCTION.adjusted(_J) <= SECOND_COST))
        ),
    ),
)
_RIVAL_AT_MOST = all_of(HAS_RIVAL(_I), AUCTION.least_rival(_I) <= SECOND_COST + OVERBID)
LEAST_RIVAL_AT_MOST = Obligation(
    "least-rival-within-second-cost",
    "every provider has a rival, and the least adjusted bid of its rivals is at most c_(2) + d_+",
    {
        **defined("rival-suffices", "least-rival-bounds"),
        **concluded("some-rival-within-second-cost", some_rival=_CHEAP_RIVAL),
    },
    _RIVAL_AT_MOST,
)
ORDINARY_PAYMENT = Obligation(
    "ordinary-payment",
    "an auction pays at most min{c_max, c_(2) + radius of the winner + d_+}",
    {
        **concluded(
            "least-rival-within-second-cost",
            least_rival=all_of(HAS_RIVAL(WINNER), AUCTION.least_rival(WINNER) <= SECOND_COST + OVERBID),
        )
    },
    all_of(PAID <= COST_BOUND, PAID <= SECOND_COST + _WINNER_RADIUS + OVERBID),
    (
        Mutant("without the radius", goal=PAID <= SECOND_COST + OVERBID),
        Mutant("9/10 of the radius", goal=SECOND_COST + Fraction(9, 10) * _WINNER_RADIUS + OVERBID >= PAID),
        Mutant("without d_+", goal=PAID <= SECOND_COST + _WINNER_RADIUS),
    ),
)
#: pi_t, what any step pays.
PAYMENT = constant("payment")
#: (pi_t - c_(2))^+.
EXCESS = either(PAYMENT >= SECOND_COST, PAYMENT - SECOND_COST, 0)
RHO = constant("radius_of_winner")
UPPER = PAYMENT <= SECOND_COST + RHO + OVERBID
ORDINARY_EXCESS = Obligation(
    "ordinary-excess-payment",
    "(pi_t - c_(2))^+ is at most the winner's radius plus d_+ in an auction",
    {
        **concluded("ordinary-payment", upper=UPPER),
        **defining(radius_non_negative=RHO >= 0),
        **assuming(deviation_non_negative=OVERBID >= 0),
    },
    EXCESS <= RHO + OVERBID,
    (Mutant("without d_+", goal=EXCESS <= RHO),),
)
SECOND_COST_AT_MOST = Obligation(
    "second-cost-at-most-bound",
    "0 <= c_(2) <= c_max",
    {**mean_costs_in_range(), **{name: second_cost()[name] for name in ("second-cost-attained",)}},
    within(0, SECOND_COST, COST_BOUND),
    (Mutant("strictly", goal=SECOND_COST < COST_BOUND),),
)
#: The winner's bid.
BID = AUCTION.bid(WINNER)
#: What an auction pays at least.
BID_OR_BOUND = either(BID <= COST_BOUND, BID, COST_BOUND)
PAID_AT_LEAST_BID = Obligation(
    "paid-at-least-bid-or-bound",
    "an auction pays at least the winner's bid or c_max, whichever is less, whatever the bids",
    {**defined("least-rival-attained", "winner-least")},
    PAID >= BID_OR_BOUND,
    (Mutant("at least the bid", goal=PAID >= BID),),
)
UPPER_CHAIN = (CHEAP_RIVAL, LEAST_RIVAL_AT_MOST, ORDINARY_PAYMENT, ORDINARY_EXCESS)
ORDINARY = Proof(
    "lem:ordinary-payment",
    UPPER_CHAIN,
    "The case d_+ = 0. A rival within c_(2) bounds the least rival, and so what the winner is paid, up to its radius.",
    uses=("lem:qualified-eligibility", "lem:adjusted-bid-bounds"),
)
