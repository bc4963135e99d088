"""What an auction pays, against the second cost c_(2): at most one radius more, at least two less.

Sources: lem:ordinary-payment, lem:two-sided-payment (with 3 radii in the paper, 2 in truth, and no less),
lem:deviation-payment. Everything is about one non-exploration step on the good event. The deviations d_-, d_+ are any
non-negative numbers, 0 for the paper's equilibrium bids; the radii any non-negative numbers, so (1 + gamma) c_max
beta(m) too. `R` bounds the radii of the qualified providers: (1 + gamma) c_max beta(g(t)). The lower bound goes by who
wins: i* is paid what its competitors, all qualified, bid; another winner is paid at least its own bid.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    Term,
    all_of,
    constant,
    constants,
    either,
    equal,
    exists,
    function,
    implies,
)
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
    market,
    only,
    provider,
    read,
    within,
)
from proofs_checks.proofs.statements.radii import LARGER, RADIUS_OF_LARGER, RADIUS_OF_SMALLER, SMALLER
from proofs_checks.proofs.statements.selection import WIDENED
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COST_ESTIMATE,
    COUNT,
    MEAN_COST,
    OPTIMAL,
    OVERBID,
    QUALIFIED,
    SECOND_COST,
    UNDERBID,
    adjusted_bid_bounds,
    good_event,
    is_competitor,
    mean_costs_in_range,
    optimal_provider,
    qualified_are_eligible,
    second_cost,
    to_real,
)

_I, _J = provider("i"), provider("j")
WINNER = AUCTION.winner
_WINNER_RADIUS = RADIUS(WINNER)
PAID = AUCTION.payment(WINNER)
_DEFINITIONS, _MARKET = AUCTION.definitions(), market()
#: R: the radius at the target, which bounds those of the qualified providers.
TARGET_RADIUS = constant("radius_at_target")


def of_auction(*names: str) -> Hypotheses:
    """Return some of what defines an auction.

    Examples
    --------
    >>> list(of_auction("winner-least"))
    ['winner-least']
    """
    return only(_MARKET | _DEFINITIONS, *names)


def cheap_rival(i: Term, most: Term) -> Term:
    """Return that some other eligible provider has an adjusted bid of at most so much."""
    return exists([_J], all_of(ELIGIBLE(_J), ~equal(_J, i), AUCTION.adjusted(_J) <= most))


_CHEAP_RIVAL = cheap_rival(_I, SECOND_COST + OVERBID)
CHEAP_RIVAL = Obligation(
    "some-rival-within-second-cost",
    "of any provider some other eligible one has an adjusted bid of at most c_(2) + d_+: i*, or the second-cheapest",
    optimal_provider() | qualified_are_eligible() | adjusted_bid_bounds() | only(second_cost(), "second-cost-attained"),
    _CHEAP_RIVAL,
    (Mutant("without d_+", goal=cheap_rival(_I, SECOND_COST)),),
)
LEAST_RIVAL_AT_MOST = Obligation(
    "least-rival-within-second-cost",
    "every provider has a rival, and the least adjusted bid of its rivals is at most c_(2) + d_+",
    of_auction("rival-suffices", "least-rival-bounds")
    | concluded("some-rival-within-second-cost", some_rival=_CHEAP_RIVAL),
    all_of(HAS_RIVAL(_I), AUCTION.least_rival(_I) <= SECOND_COST + OVERBID),
)
ORDINARY_PAYMENT = Obligation(
    "ordinary-payment",
    "an auction pays at most min{c_max, c_(2) + radius of the winner + d_+}",
    concluded(
        "least-rival-within-second-cost",
        least_rival=all_of(HAS_RIVAL(WINNER), AUCTION.least_rival(WINNER) <= SECOND_COST + OVERBID),
    ),
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
    concluded("ordinary-payment", upper=UPPER)
    | defining(radius_non_negative=RHO >= 0)
    | assuming(deviation_non_negative=OVERBID >= 0),
    EXCESS <= RHO + OVERBID,
    (Mutant("without d_+", goal=EXCESS <= RHO),),
)
SECOND_COST_AT_MOST = Obligation(
    "second-cost-at-most-bound",
    "0 <= c_(2) <= c_max",
    mean_costs_in_range() | only(second_cost(), "second-cost-attained"),
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
    of_auction("least-rival-attained", "winner-least"),
    PAID >= BID_OR_BOUND,
    (Mutant("at least the bid", goal=PAID >= BID),),
)
UPPER_CHAIN = (CHEAP_RIVAL, LEAST_RIVAL_AT_MOST, ORDINARY_PAYMENT, ORDINARY_EXCESS)
ORDINARY = Proof(
    "lem:ordinary-payment",
    UPPER_CHAIN,
    "The case d_+ = 0. A rival within c_(2) bounds the least rival, and so what the winner is paid, up to its radius.",
    uses=("lem:qualified-eligibility", "lem:adjusted-bid-bounds"),
    assumes=(
        "ordinary-payment: goal",
        "some-rival-within-second-cost: optimal-qualified optimal-cheapest second-cost-attained",
        "qualified-is-eligible: eligible qualified qualities-concentrated",
        "adjusted-bid-bounds: bids-near-estimates costs-concentrated",
        "least-rival-within-second-cost: least-rival-bounds rival-suffices",
    ),
)


_SCALE, _BETA, _BETA_AT_TARGET = constants("cost_scale beta_at_count beta_at_target")
_COUNT_NOW, _TARGET = constants("count_now target_now")
#: beta(m_{i,t}).
BETA_OF = function("beta")
_SCALED = concluded("widened-bound", scale_positive=_SCALE > 0) | defining(
    radius=equal(RHO, _SCALE * _BETA), target=equal(TARGET_RADIUS, _SCALE * _BETA_AT_TARGET)
)
AT_TARGET = Obligation(
    "cost-radius-at-most-at-target",
    "(1 + gamma) c_max beta(m) <= (1 + gamma) c_max beta(g(t)) for m >= g(t) >= 1",
    _SCALED
    | read(
        concluded("radius-at-most-that-of-less", beta=_BETA <= _BETA_AT_TARGET),
        {LARGER: _COUNT_NOW, RADIUS_OF_LARGER: _BETA, SMALLER: _TARGET, RADIUS_OF_SMALLER: _BETA_AT_TARGET},
    ),
    RHO <= TARGET_RADIUS,
    (Mutant("strictly", goal=RHO < TARGET_RADIUS),),
)
#: On a non-exploration step t > T_0 of the good event the eligible are the qualified, their radii at most R.
AFTER_THRESHOLD = concluded(
    "ordinary-eligible-are-qualified", eligible_are_qualified=every(implies(ELIGIBLE(_J), QUALIFIED(_J)))
) | read(
    concluded(
        "cost-radius-at-most-at-target", radii_at_target=every(implies(QUALIFIED(_J), RADIUS(_J) <= TARGET_RADIUS))
    ),
    {RHO: RADIUS(_J), _BETA: BETA_OF(_J), _COUNT_NOW: to_real(COUNT(_J))},
)
#: What an auction pays at least: where i* wins, and where another does.
_FLOOR, _FLOOR_OF_OTHER = SECOND_COST - 2 * TARGET_RADIUS - UNDERBID, SECOND_COST - TARGET_RADIUS - UNDERBID
COMPETITORS = Obligation(
    "competitors-adjusted-bid",
    "every qualified provider but i* has an adjusted bid of at least c_(2) - 2 R - d_-",
    only(second_cost(), "second-cost-least")
    | adjusted_bid_bounds()
    | only(AFTER_THRESHOLD, "radii-at-target")
    | assuming(competitor=is_competitor(_I)),
    AUCTION.adjusted(_I) >= _FLOOR,
    (
        Mutant("19/10 for 2", goal=AUCTION.adjusted(_I) >= SECOND_COST - Fraction(19, 10) * TARGET_RADIUS - UNDERBID),
        Mutant("without d_-", goal=AUCTION.adjusted(_I) >= SECOND_COST - 2 * TARGET_RADIUS),
    ),
)
_COMPETITORS_BOUNDED = concluded(
    "competitors-adjusted-bid", competitors=every(implies(is_competitor(_J), AUCTION.adjusted(_J) >= _FLOOR))
)
LEAST_RIVAL_OF_OPTIMAL = Obligation(
    "least-rival-of-optimal",
    "the rivals of i* are qualified: the least adjusted bid of them is at least c_(2) - 2 R - d_-",
    of_auction("least-rival-attained")
    | only(AFTER_THRESHOLD, "eligible-are-qualified")
    | _COMPETITORS_BOUNDED
    | assuming(rival=HAS_RIVAL(OPTIMAL)),
    AUCTION.least_rival(OPTIMAL) >= _FLOOR,
)
_SECOND_IN_RANGE = concluded("second-cost-at-most-bound", second_cost_at_most_bound=SECOND_COST <= COST_BOUND)
_RADIUS_OF_QUALIFIED = assuming(deviation_non_negative=UNDERBID >= 0)


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
    of_auction("radii-non-negative")
    | _SECOND_IN_RANGE
    | _RADIUS_OF_QUALIFIED
    | target_non_negative()
    | concluded(
        "least-rival-of-optimal", least_rival=implies(HAS_RIVAL(OPTIMAL), AUCTION.least_rival(OPTIMAL) >= _FLOOR)
    )
    | assuming(optimal_wins=equal(WINNER, OPTIMAL)),
    PAID >= _FLOOR,
    (
        Mutant("199/100 for 2", goal=SECOND_COST - Fraction(199, 100) * TARGET_RADIUS - UNDERBID <= PAID),
        Mutant("without d_-", goal=PAID >= SECOND_COST - 2 * TARGET_RADIUS),
    ),
)
BID_OF_OTHER = Obligation(
    "bid-of-another-winner",
    "a winner that is not i* bids at least c_(2) - R - d_-",
    of_auction("winner-eligible")
    | AFTER_THRESHOLD
    | adjusted_bid_bounds()
    | only(second_cost(), "second-cost-least")
    | assuming(another_wins=~equal(WINNER, OPTIMAL)),
    BID >= _FLOOR_OF_OTHER,
    (Mutant("9/10 of R", goal=SECOND_COST - Fraction(9, 10) * TARGET_RADIUS - UNDERBID <= BID),),
)
WON_BY_OTHER = Obligation(
    "auction-won-by-another",
    "where another than i* wins, the auction pays at least c_(2) - R - d_-: the selection gap is not needed",
    _SECOND_IN_RANGE
    | _RADIUS_OF_QUALIFIED
    | target_non_negative()
    | concluded("paid-at-least-bid-or-bound", paid=PAID >= BID_OR_BOUND)
    | concluded("bid-of-another-winner", bid=BID >= _FLOOR_OF_OTHER),
    PAID >= _FLOOR_OF_OTHER,
    (Mutant("9/10 of R", goal=SECOND_COST - Fraction(9, 10) * TARGET_RADIUS - UNDERBID <= PAID),),
)
OPTIMAL_WINS = equal(WINNER, OPTIMAL)
PAID_AT_LEAST = Obligation(
    "auction-pays-at-least-two-radii-less",
    "on a non-exploration step t > T_0 the auction pays at least c_(2) - 2 R - d_-: 2, where the paper has 3",
    target_non_negative()
    | concluded("auction-won-by-optimal", optimal=implies(OPTIMAL_WINS, PAID >= _FLOOR))
    | concluded("auction-won-by-another", another=implies(~OPTIMAL_WINS, PAID >= _FLOOR_OF_OTHER)),
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
    concluded("auction-pays-at-least-two-radii-less", lower=PAYMENT >= _FLOOR)
    | concluded("ordinary-payment", upper=UPPER)
    | read(
        concluded("cost-radius-at-most-at-target", radius=RHO <= TARGET_RADIUS),
        {_BETA: BETA_OF(WINNER), _COUNT_NOW: to_real(COUNT(WINNER))},
    ),
    band(2),
    (Mutant("1 for 2", goal=band(1)),),
)
TWO_SIDED_WITH_THREE = Obligation(
    "two-sided-payment",
    "c_(2) - 3 R - d_- <= pi_t <= c_(2) + R + d_+, as the paper states it",
    target_non_negative() | concluded("two-sided-payment-with-two", sharper=band(2)),
    band(3),
    (Mutant("1 for 3", goal=band(1)),),
)
_BY_OPTIMAL = (WIDENED, AT_TARGET, COMPETITORS, LEAST_RIVAL_OF_OPTIMAL, SECOND_COST_AT_MOST, WON_BY_OPTIMAL)
_BY_OTHER = (PAID_AT_LEAST_BID, BID_OF_OTHER, WON_BY_OTHER)
LOWER_CHAIN = (*_BY_OPTIMAL, *_BY_OTHER, PAID_AT_LEAST, TWO_SIDED)
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
    unlike_paper="Where another than i* wins, the paper bounds the bids of its rivals, by lem:ordinary-selection-gap, "
    "and needs 3 radii. Here the winner is paid at least its own bid, as in the paper's proof of "
    "lem:deviation-payment: 2 radii are enough, and the 3 of the paper follow.",
    assumes=(
        "auction-won-by-optimal: deviation-non-negative radii-non-negative",
        "second-cost-at-most-bound: mean-costs-in-range second-cost-attained",
        "paid-at-least-bid-or-bound: winner-least",
        "least-rival-of-optimal: least-rival-attained",
        "cost-radius-at-most-at-target: radius target",
        "radius-decreases: larger smaller",
        "radius-squared: goal radius logarithm",
        "squared-radius-decreases: x-from-one",
        "radius-at-most-that-of-less: function ratio",
        "ordinary-eligible-are-qualified: largest",
        "radius-inversion: bound",
        "radius-inversion-without-the-count: count-positive",
        "radius-inversion-constant: bound",
        "eligible-unqualified-below-threshold: threshold",
        "ordinary-counts: no-exploration",
        "after-T0-ratio: late start maximum ratio two-providers",
        "after-T0-target-above-thresholds: target powers needed needed-positive factor-positive",
        "competitors-adjusted-bid: second-cost-least",
        "bid-of-another-winner: winner-eligible",
        "least-rival-within-second-cost: rival-suffices least-rival-bounds",
        "adjusted-bid-bounds: costs-concentrated bids-near-estimates",
        "qualified-is-eligible: qualities-concentrated qualified eligible",
        "some-rival-within-second-cost: optimal-cheapest optimal-qualified",
        "auction-pays-at-least-two-radii-less: goal",
        "ordinary-payment: goal",
        "radius-logarithm-above-two: delta-below-one",
        "widened-bound: gamma-non-negative cost-bound-positive widened",
    ),
)

DEVIATION_PAYMENT = Proof(
    "lem:deviation-payment",
    (*UPPER_CHAIN, *LOWER_CHAIN, TWO_SIDED_WITH_THREE),
    f"The upper bound is that of lem:ordinary-payment with d_+. {BY_WINNER}",
    uses=("lem:qualified-eligibility", "lem:deviation-adjusted-bid-bounds", *LOWER_USES),
    assumes=(
        "ordinary-payment: goal",
        "some-rival-within-second-cost: optimal-qualified optimal-cheapest second-cost-attained",
        "qualified-is-eligible: eligible qualified qualities-concentrated",
        "adjusted-bid-bounds: bids-near-estimates costs-concentrated",
        "least-rival-within-second-cost: least-rival-bounds rival-suffices",
        "auction-won-by-optimal: deviation-non-negative radii-non-negative",
        "second-cost-at-most-bound: mean-costs-in-range second-cost-attained",
        "paid-at-least-bid-or-bound: winner-least",
        "least-rival-of-optimal: least-rival-attained",
        "cost-radius-at-most-at-target: radius target",
        "radius-decreases: larger smaller",
        "radius-squared: goal radius logarithm",
        "squared-radius-decreases: x-from-one",
        "radius-at-most-that-of-less: function ratio",
        "ordinary-eligible-are-qualified: largest",
        "radius-inversion: bound",
        "radius-inversion-without-the-count: count-positive",
        "radius-inversion-constant: bound",
        "eligible-unqualified-below-threshold: threshold",
        "ordinary-counts: no-exploration",
        "after-T0-ratio: late start maximum ratio two-providers",
        "after-T0-target-above-thresholds: target powers needed needed-positive factor-positive",
        "competitors-adjusted-bid: second-cost-least",
        "bid-of-another-winner: winner-eligible",
        "auction-pays-at-least-two-radii-less: goal",
        "radius-logarithm-above-two: delta-below-one",
        "widened-bound: gamma-non-negative cost-bound-positive widened",
    ),
)


_EXTREME = assuming(
    lowest_estimates=every(implies(is_competitor(_J), equal(COST_ESTIMATE(_J), MEAN_COST(_J) - RADIUS(_J)))),
    bids_the_estimate=every(equal(AUCTION.bid(_J), COST_ESTIMATE(_J))),
    at_target=every(implies(is_competitor(_J), equal(RADIUS(_J), TARGET_RADIUS))),
    optimal_wins=OPTIMAL_WINS,
    radius_of_optimal_small=all_of(RADIUS(OPTIMAL) > 0, RADIUS(OPTIMAL) < TARGET_RADIUS),
    estimates_in_range=every(within(0, COST_ESTIMATE(_J), COST_BOUND)),
)
#: Every hypothesis of the lemma, so that the model of this obligation's hypotheses satisfies them all.
_LEMMA = (
    market()
    | AUCTION.definitions()
    | optimal_provider()
    | second_cost()
    | mean_costs_in_range()
    | only(good_event(), "costs-concentrated")
    | AFTER_THRESHOLD
    | qualified_are_eligible()
)
_NEEDED = ("rival-suffices", "least-rival-bounds", "second-cost-attained", "qualified-are-eligible")
_SHORT = SECOND_COST - 2 * TARGET_RADIUS + RADIUS(OPTIMAL)
TWO_APPROACHED = Obligation(
    "two-radii-approached",
    "competitors at the target, estimates at the lower end of their bands: i* is paid at most c_(2) - 2 R + its radius",
    _LEMMA | _EXTREME,
    either(_SHORT <= COST_BOUND, _SHORT, COST_BOUND) >= PAID,
    (Mutant("even less", goal=PAID < _SHORT),),
    redundant=dict.fromkeys(
        [*(name for name in _LEMMA if name not in _NEEDED), "radius-of-optimal-small", "estimates-in-range"],
        "every hypothesis of the lemma: its model satisfies them all",
    ),
)
_LESS = constant("less_than_two")
TWO_OPTIMAL = Obligation(
    "less-than-two-radii-fails",
    "there, a constant below 2 fails once the radius of i* is less than (2 - constant) R",
    read(
        concluded("two-radii-approached", short=PAYMENT <= SECOND_COST - 2 * TARGET_RADIUS + RHO),
        {PAID: PAYMENT, RADIUS(OPTIMAL): RHO},
    )
    | assuming(radius_of_optimal_small=RHO < (2 - _LESS) * TARGET_RADIUS),
    PAYMENT < SECOND_COST - _LESS * TARGET_RADIUS,
    (Mutant("2", {"radius-of-optimal-small": (Fraction(21, 10) - _LESS) * TARGET_RADIUS > RHO}),),
)
TWO_SIDED_PAYMENT_SHARP = Proof(
    "lem:two-sided-payment:sharp",
    (*LOWER_CHAIN, TWO_APPROACHED, TWO_OPTIMAL),
    f"The case d_- = d_+ = 0. {BY_WINNER} That 2 is the least constant: in two-radii-approached every hypothesis of "
    "the lemma can hold (its model says so), and with m at the target for the competitors and m large for i*, "
    "beta(m)/beta(g) is as small as one likes.",
    uses=LOWER_USES,
    beyond="For the optimality of 2: beta(m) tends to 0 as m grows, so that the radius of i* gets below (2 - constant) "
    "R; and a run on E in which a whole g(t) is the count of every competitor at such an auction, the estimates are at "
    "the ends of their bands (the obligation is about one auction with any such numbers).",
)
