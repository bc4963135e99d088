"""What an auction after T_0 pays: within radii of the second cost, at most one above and at most two below.

Sources: lem:two-sided-payment, with 3 in the paper and 2 in truth, and lem:deviation-payment. By who wins: i* is paid
what its competitors, all qualified, bid; another winner is paid at least its own bid.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import Term, constants, equal, implies
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    RADIUS,
    Hypotheses,
    assuming,
    concluded,
    defining,
    every,
    provider,
    within,
)
from proofs_checks.proofs.statements.payments import (
    BID,
    BID_OR_BOUND,
    PAID,
    PAID_AT_LEAST_BID,
    PAYMENT,
    RHO,
    SECOND_COST_AT_MOST,
    TARGET_RADIUS,
    UPPER,
    UPPER_CHAIN,
    WINNER,
    defined,
)
from proofs_checks.proofs.statements.selection import WIDENED
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    OPTIMAL,
    OVERBID,
    QUALIFIED,
    SECOND_COST,
    UNDERBID,
    adjusted_bid_bounds,
    is_competitor,
    second_cost,
)

_I, _J = provider("i"), provider("j")
_SCALE, _BETA, _BETA_AT_TARGET = constants("cost_scale beta_at_count beta_at_target")
_SCALED = {
    **concluded("widened-bound", scale_positive=_SCALE > 0),
    **defining(radius=equal(RHO, _SCALE * _BETA), target=equal(TARGET_RADIUS, _SCALE * _BETA_AT_TARGET)),
}
AT_TARGET = Obligation(
    "cost-radius-at-most-at-target",
    "(1 + gamma) c_max beta(m) <= (1 + gamma) c_max beta(g(t)) for m >= g(t) >= 1",
    {**_SCALED, **concluded("radius-at-most-that-of-less", beta=_BETA <= _BETA_AT_TARGET)},
    RHO <= TARGET_RADIUS,
    (Mutant("strictly", goal=RHO < TARGET_RADIUS),),
)
#: On a non-exploration step t > T_0 of the good event the eligible are the qualified, their radii at most R.
AFTER_THRESHOLD = {
    **concluded("ordinary-eligible-are-qualified", eligible_are_qualified=every(implies(ELIGIBLE(_J), QUALIFIED(_J)))),
    **concluded(
        "cost-radius-at-most-at-target", radii_at_target=every(implies(QUALIFIED(_J), RADIUS(_J) <= TARGET_RADIUS))
    ),
}
COMPETITORS = Obligation(
    "competitors-adjusted-bid",
    "every qualified provider but i* has an adjusted bid of at least c_(2) - 2 R - d_-",
    {
        **{name: second_cost()[name] for name in ("second-cost-least",)},
        **adjusted_bid_bounds(),
        **{name: AFTER_THRESHOLD[name] for name in ("radii-at-target",)},
        **assuming(competitor=is_competitor(_I)),
    },
    AUCTION.adjusted(_I) >= SECOND_COST - 2 * TARGET_RADIUS - UNDERBID,
    (
        Mutant("19/10 for 2", goal=AUCTION.adjusted(_I) >= SECOND_COST - Fraction(19, 10) * TARGET_RADIUS - UNDERBID),
        Mutant("without d_-", goal=AUCTION.adjusted(_I) >= SECOND_COST - 2 * TARGET_RADIUS),
    ),
)
_COMPETITORS_BOUNDED = concluded(
    "competitors-adjusted-bid",
    competitors=every(implies(is_competitor(_J), AUCTION.adjusted(_J) >= SECOND_COST - 2 * TARGET_RADIUS - UNDERBID)),
)
_ELIGIBLE_QUALIFIED = {name: AFTER_THRESHOLD[name] for name in ("eligible-are-qualified",)}
LEAST_RIVAL_OF_OPTIMAL = Obligation(
    "least-rival-of-optimal",
    "the rivals of i* are qualified: the least adjusted bid of them is at least c_(2) - 2 R - d_-",
    {
        **defined("least-rival-attained"),
        **_ELIGIBLE_QUALIFIED,
        **_COMPETITORS_BOUNDED,
        **assuming(rival=HAS_RIVAL(OPTIMAL)),
    },
    AUCTION.least_rival(OPTIMAL) >= SECOND_COST - 2 * TARGET_RADIUS - UNDERBID,
)
_SECOND_IN_RANGE = concluded("second-cost-at-most-bound", second_cost_at_most_bound=SECOND_COST <= COST_BOUND)
_RADIUS_OF_QUALIFIED = assuming(deviation_non_negative=UNDERBID >= 0)
_FLOOR = SECOND_COST - 2 * TARGET_RADIUS - UNDERBID


def target_non_negative() -> Hypotheses:
    """Return that R is non-negative, as a radius.

    Examples
    --------
    >>> list(target_non_negative())
    ['target-radius-non-negative']
    """
    return defining(target_radius_non_negative=TARGET_RADIUS >= 0)


WON_BY_OPTIMAL = Obligation(
    "auction-won-by-optimal",
    "where i* wins, the auction pays at least c_(2) - 2 R - d_-",
    {
        **defined("radii-non-negative"),
        **_SECOND_IN_RANGE,
        **_RADIUS_OF_QUALIFIED,
        **target_non_negative(),
        **concluded(
            "least-rival-of-optimal", least_rival=implies(HAS_RIVAL(OPTIMAL), AUCTION.least_rival(OPTIMAL) >= _FLOOR)
        ),
        **assuming(optimal_wins=equal(WINNER, OPTIMAL)),
    },
    PAID >= _FLOOR,
    (
        Mutant("199/100 for 2", goal=SECOND_COST - Fraction(199, 100) * TARGET_RADIUS - UNDERBID <= PAID),
        Mutant("without d_-", goal=PAID >= SECOND_COST - 2 * TARGET_RADIUS),
    ),
)
BID_OF_OTHER = Obligation(
    "bid-of-another-winner",
    "a winner that is not i* bids at least c_(2) - R - d_-",
    {
        **defined("winner-eligible"),
        **AFTER_THRESHOLD,
        **adjusted_bid_bounds(),
        **{name: second_cost()[name] for name in ("second-cost-least",)},
        **assuming(another_wins=~equal(WINNER, OPTIMAL)),
    },
    BID >= SECOND_COST - TARGET_RADIUS - UNDERBID,
    (Mutant("9/10 of R", goal=SECOND_COST - Fraction(9, 10) * TARGET_RADIUS - UNDERBID <= BID),),
)
WON_BY_OTHER = Obligation(
    "auction-won-by-another",
    "where another than i* wins, the auction pays at least c_(2) - R - d_-: the selection gap is not needed",
    {
        **_SECOND_IN_RANGE,
        **_RADIUS_OF_QUALIFIED,
        **target_non_negative(),
        **concluded("paid-at-least-bid-or-bound", paid=PAID >= BID_OR_BOUND),
        **concluded("bid-of-another-winner", bid=BID >= SECOND_COST - TARGET_RADIUS - UNDERBID),
    },
    PAID >= SECOND_COST - TARGET_RADIUS - UNDERBID,
    (Mutant("9/10 of R", goal=SECOND_COST - Fraction(9, 10) * TARGET_RADIUS - UNDERBID <= PAID),),
)
OPTIMAL_WINS = equal(WINNER, OPTIMAL)
PAID_AT_LEAST = Obligation(
    "auction-pays-at-least-two-radii-less",
    "on a non-exploration step t > T_0 the auction pays at least c_(2) - 2 R - d_-: 2, where the paper has 3",
    {
        **target_non_negative(),
        **concluded("auction-won-by-optimal", optimal=implies(OPTIMAL_WINS, PAID >= _FLOOR)),
        **concluded(
            "auction-won-by-another", another=implies(~OPTIMAL_WINS, PAID >= SECOND_COST - TARGET_RADIUS - UNDERBID)
        ),
    },
    PAID >= _FLOOR,
    (Mutant("199/100 for 2", goal=SECOND_COST - Fraction(199, 100) * TARGET_RADIUS - UNDERBID <= PAID),),
)


def band(radii: int) -> Term:
    """Return c_(2) - (a number of R) - d_- <= pi_t <= c_(2) + R + d_+.

    Examples
    --------
    >>> str(band(2).arguments[0])
    '(>= payment (- (- second_cost (* 2.0 radius_at_target)) underbid))'
    """
    return within(SECOND_COST - radii * TARGET_RADIUS - UNDERBID, PAYMENT, SECOND_COST + TARGET_RADIUS + OVERBID)


TWO_SIDED = Obligation(
    "two-sided-payment-with-two",
    "c_(2) - 2 R - d_- <= pi_t <= c_(2) + R + d_+",
    {
        **concluded("auction-pays-at-least-two-radii-less", lower=PAYMENT >= _FLOOR),
        **concluded("ordinary-payment", upper=UPPER),
        **concluded("cost-radius-at-most-at-target", radius=RHO <= TARGET_RADIUS),
    },
    band(2),
    (Mutant("1 for 2", goal=band(1)),),
)
TWO_SIDED_WITH_THREE = Obligation(
    "two-sided-payment",
    "c_(2) - 3 R - d_- <= pi_t <= c_(2) + R + d_+, as the paper states it",
    {**target_non_negative(), **concluded("two-sided-payment-with-two", sharper=band(2))},
    band(3),
    (Mutant("1 for 3", goal=band(1)),),
)
LOWER_CHAIN = (
    WIDENED,
    AT_TARGET,
    COMPETITORS,
    LEAST_RIVAL_OF_OPTIMAL,
    SECOND_COST_AT_MOST,
    WON_BY_OPTIMAL,
    PAID_AT_LEAST_BID,
    BID_OF_OTHER,
    WON_BY_OTHER,
    PAID_AT_LEAST,
    TWO_SIDED,
)
LOWER_USES = ("lem:adjusted-bid-bounds", "lem:radius-monotone", "lem:ordinary-qualified-set", "lem:ordinary-payment")
BY_WINNER = (
    "By who wins. If i*, its rivals are qualified competitors; if another, it is paid at least its bid, which is "
    "within a radius of its mean cost. The radii are at most R by lem:radius-monotone, since m >= g(t) >= 1."
)
TWO_SIDED_PAYMENT = Proof(
    "lem:two-sided-payment",
    (*LOWER_CHAIN, TWO_SIDED_WITH_THREE),
    f"The case d_- = d_+ = 0. {BY_WINNER}",
    uses=LOWER_USES,
)

DEVIATION_PAYMENT = Proof(
    "lem:deviation-payment",
    (*UPPER_CHAIN, *LOWER_CHAIN, TWO_SIDED_WITH_THREE),
    f"The upper bound is that of lem:ordinary-payment with d_+. {BY_WINNER}",
    uses=("lem:qualified-eligibility", "lem:deviation-adjusted-bid-bounds", *LOWER_USES),
)
