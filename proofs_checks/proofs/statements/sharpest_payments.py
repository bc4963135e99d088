"""What is paid above c_(2), count by count: free of T for all winners but i*; and less for i*, whose rivals bid low.

Sources: thm:excess-payment-general, improved. Where another than i* wins at count m, i* is its rival: the price is at
most c_{i*} + d_+ and one radius, so it exceeds c_(2) by one radius and d_+ less c_(2) - c_{i*}. Where i* wins, the
competitor of cost c_(2) is its rival. The mean of its costs exceeds c_(2) by at most c_max r(m), which is less than the
radius c_max beta(m) that the platform takes off its bid. At each count of a provider it is explored once, or wins once.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import BOOL, all_of, at_least, constant, constants, either, equal, implies
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    RADIUS,
    assuming,
    concluded,
    defining,
    induction,
    only,
    provider,
)
from proofs_checks.proofs.statements.payments import EXCESS, PAID, PAYMENT, SECOND_COST_AT_MOST, WINNER, of_auction
from proofs_checks.proofs.statements.regrets import ABOVE_SECOND, CAPPED, NUMBER, TOTAL
from proofs_checks.proofs.statements.selection import CAPS_ADD_UP
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COST_ESTIMATE,
    COUNT,
    MEAN_COST,
    OPTIMAL,
    OVERBID,
    QUALIFIED,
    SECOND_COST,
    adjusted_bid_bounds,
    bids,
    optimal_provider,
    qualified_are_eligible,
    to_real,
)
from proofs_checks.proofs.statements.sharpest_deviation import STITCHED_CHAIN

#: The competitor of cost c_(2).
SECOND = provider("second")
_SECOND_COMPETES = defining(second_is_competitor=all_of(QUALIFIED(SECOND), ~equal(SECOND, OPTIMAL)))
_GAIN = SECOND_COST - MEAN_COST(OPTIMAL)
_NOT_OPTIMAL = ~equal(WINNER, OPTIMAL)
RIVAL_OF_ANOTHER = Obligation(
    "rival-of-another-winner-is-optimal",
    "another winner than i* has i* for a rival, whose adjusted bid is at most c_{i*} + d_+",
    of_auction("rival-suffices", "least-rival-bounds")
    | qualified_are_eligible()
    | adjusted_bid_bounds()
    | only(optimal_provider(), "optimal-qualified")
    | assuming(another_wins=_NOT_OPTIMAL),
    all_of(HAS_RIVAL(WINNER), AUCTION.least_rival(WINNER) <= MEAN_COST(OPTIMAL) + OVERBID),
    (Mutant("without d_+", goal=all_of(HAS_RIVAL(WINNER), AUCTION.least_rival(WINNER) <= MEAN_COST(OPTIMAL))),),
)
PRICE_OF_ANOTHER = Obligation(
    "price-of-another-winner",
    "another winner than i* is paid at most c_(2) + its radius + d_+ - (c_(2) - c_{i*})",
    concluded(
        "rival-of-another-winner-is-optimal",
        rival=all_of(HAS_RIVAL(WINNER), AUCTION.least_rival(WINNER) <= MEAN_COST(OPTIMAL) + OVERBID),
    ),
    RADIUS(WINNER) + OVERBID - _GAIN >= PAID - SECOND_COST,
    (
        Mutant("9/10 of the radius", goal=Fraction(9, 10) * RADIUS(WINNER) + OVERBID - _GAIN >= PAID - SECOND_COST),
        Mutant("without d_+", goal=RADIUS(WINNER) - _GAIN >= PAID - SECOND_COST),
    ),
)
_GAMMA, _BETA, _DEVIATION, _MEAN_OF_COSTS = constants("gamma beta deviation_radius empirical_mean")
_SHORT = COST_BOUND * (_BETA - _DEVIATION)
SECOND_BIDS_LOW = Obligation(
    "adjusted-bid-of-the-second",
    "the adjusted bid of the competitor of cost c_(2) is at most c_(2) - c_max (beta - r)(m) + d_+",
    only(bids(), "bids-near-estimates")
    | assuming(
        near=COST_ESTIMATE(SECOND) - _MEAN_OF_COSTS <= _GAMMA * COST_BOUND * _BETA,
        deviation=_MEAN_OF_COSTS - SECOND_COST <= COST_BOUND * _DEVIATION,
    )
    | defining(radius=equal(RADIUS(SECOND), (1 + _GAMMA) * COST_BOUND * _BETA)),
    AUCTION.adjusted(SECOND) <= SECOND_COST - _SHORT + OVERBID,
    (
        Mutant("without d_+", goal=AUCTION.adjusted(SECOND) <= SECOND_COST - _SHORT),
        Mutant("without r", goal=AUCTION.adjusted(SECOND) <= SECOND_COST - COST_BOUND * _BETA + OVERBID),
    ),
)
#: h: what c_max (beta - r) is at least, at the counts that the competitor can have.
_LEAST = constant("price_shortfall")
_LOW_BID = SECOND_COST - _LEAST + OVERBID
SHORTFALL = Obligation(
    "adjusted-bid-of-the-second-falls-short",
    "it is at most c_(2) - h + d_+, where h <= c_max (beta - r)(m) at every count m that it can have",
    concluded("adjusted-bid-of-the-second", low=AUCTION.adjusted(SECOND) <= SECOND_COST - _SHORT + OVERBID)
    | assuming(least=_LEAST <= _SHORT),
    AUCTION.adjusted(SECOND) <= _LOW_BID,
)
PRICE_OF_OPTIMAL = Obligation(
    "price-of-the-optimal-winner",
    "where i* wins it is paid at most c_(2) + its radius + d_+ - h",
    of_auction("rival-suffices", "least-rival-bounds")
    | qualified_are_eligible()
    | concluded("adjusted-bid-of-the-second-falls-short", low=AUCTION.adjusted(SECOND) <= _LOW_BID)
    | _SECOND_COMPETES
    | assuming(optimal_wins=equal(WINNER, OPTIMAL)),
    RADIUS(WINNER) + OVERBID - _LEAST >= PAID - SECOND_COST,
    (Mutant("9/10 of the radius", goal=Fraction(9, 10) * RADIUS(WINNER) + OVERBID - _LEAST >= PAID - SECOND_COST),),
)
_EARLIEST, _TIME, _SERVED, _TARGET, _TARGET_FIRST, _SELECTIONS = constants(
    "first_count time count_of_optimal target_now target_at_first selections_after_initialization"
)
COUNT_OF_SECOND = Obligation(
    "count-of-the-second-at-least-target",
    "at an auction that i* wins at count n or later, t >= N + n, so the competitor has at least g(N + n) selections",
    concluded("ordinary-counts", counts=implies(ELIGIBLE(SECOND), to_real(COUNT(SECOND)) >= _TARGET))
    | qualified_are_eligible()
    | _SECOND_COMPETES
    | defining(target_non_decreasing=implies(_TIME >= NUMBER + _EARLIEST, _TARGET >= _TARGET_FIRST))
    | concluded("selections-add-up-to-steps", selections=equal(_SELECTIONS, _TIME - 1 - NUMBER))
    | defining(own_among_all=_SERVED - 1 <= _SELECTIONS)
    | assuming(late=_SERVED >= _EARLIEST),
    to_real(COUNT(SECOND)) >= _TARGET_FIRST,
)
_RADIUS_NOW, _LESS = constants("radius_of_winner price_less")
_IS_OPTIMAL = constant("optimal_selected", BOOL)
_EXCESS = PAYMENT - SECOND_COST
#: min{c_max - c_(2), (kappa beta(m) + d_+ - o)^+}, what an auction at a count adds at most.
_SHIFTED = at_least(_RADIUS_NOW + OVERBID - _LESS, 0)
CLIPPED = either(ABOVE_SECOND <= _SHIFTED, ABOVE_SECOND, _SHIFTED)
CLIPPED_TERM = Obligation(
    "auction-excess-clipped",
    "(pi_t - c_(2))^+ <= min{c_max - c_(2), ((1 + gamma) c_max beta(m) + d_+ - o)^+}, o = c_(2) - c_{i*} or h",
    concluded("price-of-another-winner", another=implies(~_IS_OPTIMAL, _EXCESS <= _RADIUS_NOW + OVERBID - _GAIN))
    | concluded("price-of-the-optimal-winner", optimal=implies(_IS_OPTIMAL, _EXCESS <= _RADIUS_NOW + OVERBID - _LEAST))
    | defining(less=equal(_LESS, either(_IS_OPTIMAL, _LEAST, _GAIN)))
    | concluded("second-cost-at-most-bound", second=SECOND_COST <= COST_BOUND)
    | concluded("ordinary-payment", payment=PAYMENT <= COST_BOUND),
    EXCESS <= CLIPPED,
    (Mutant("not clipped at 0", goal=EXCESS <= _RADIUS_NOW + OVERBID - _LESS),),
)
_IS_COUNTED, _EXPLORED = constants("is_counted explored", BOOL)
_COUNTED, _AUCTIONS, _TERM, _CLIP = constants("counted_of_one auction_excess_of_one term clipped_term")
_OF_ONE = constant("excess_of_one")
_BOUND_OF_ONE = _COUNTED * ABOVE_SECOND + _AUCTIONS
ONE_COUNT = Obligation(
    "excess-of-one-more-count",
    "each count is used once: up to X, what exploration may use, it adds c_max - c_(2), beyond it adds an auction",
    induction(_OF_ONE <= _BOUND_OF_ONE, start={_OF_ONE: 0, _COUNTED: 0, _AUCTIONS: 0})
    | concluded("explored-at-most-ceiling", explorations=implies(_EXPLORED, _IS_COUNTED))
    | concluded("auction-excess-clipped", auction=implies(~_EXPLORED, _TERM <= _CLIP))
    | concluded("excess-of-bound-payment", explored=implies(_EXPLORED, equal(_TERM, ABOVE_SECOND)))
    | defining(clipped=_CLIP <= ABOVE_SECOND),
    (_COUNTED + either(_IS_COUNTED, 1, 0)) * ABOVE_SECOND + (_AUCTIONS + either(_IS_COUNTED, 0, _CLIP))
    >= _OF_ONE + _TERM,
    (Mutant("twice the term", {"auction": implies(~_EXPLORED, _TERM <= 2 * _CLIP)}),),
)
_EXPLORATION_STEPS, _AUCTION_EXCESS, _INITIAL, _LATER = constants(
    "charged_explorations auction_excess excess_of_initialization excess_after_initialization"
)
EXCESS_TOTAL = Obligation(
    "excess-payment-by-counts",
    "the excess until T is at most (N + X)(c_max - c_(2)) and what auctions add at the counts beyond explored ones",
    concluded("capped-terms-add-up", later=_LATER <= _EXPLORATION_STEPS * ABOVE_SECOND + _AUCTION_EXCESS)
    | defining(initialization=equal(_INITIAL, NUMBER * ABOVE_SECOND), total=equal(TOTAL, _INITIAL + _LATER)),
    TOTAL <= (NUMBER + _EXPLORATION_STEPS) * ABOVE_SECOND + _AUCTION_EXCESS,
    (Mutant("without initialization", goal=TOTAL <= _EXPLORATION_STEPS * ABOVE_SECOND + _AUCTION_EXCESS),),
)
_PRICES = (RIVAL_OF_ANOTHER, PRICE_OF_ANOTHER, SECOND_BIDS_LOW, SHORTFALL, PRICE_OF_OPTIMAL, COUNT_OF_SECOND)
_COUNTS = (SECOND_COST_AT_MOST, CLIPPED_TERM, CAPPED, ONE_COUNT, CAPS_ADD_UP, EXCESS_TOTAL)
EXCESS_PAYMENT = Proof(
    "thm:excess-payment-general:sharpest",
    (*STITCHED_CHAIN, *_PRICES, *_COUNTS),
    "Another winner than i* has i* for a rival (price-of-another-winner). Where i* wins, the competitor of cost c_(2) "
    "is its rival, and the mean of its costs is at most c_max r(m) above c_(2) (price-of-the-optimal-winner; with h = "
    "0 it is the paper's). Both are clipped. One provider at a time, count by count: at each count it is explored once "
    "or wins once. X is its cap of lem:forced-exploration-bound:sharpest, below which all its explorations are: the "
    "counts up to X add at most c_max - c_(2) each, those beyond only what an auction adds. A "
    "provider other than i* wins at counts up to floor(m*(a)) only (auction-won-below-count-while-eligible, where i* "
    "is eligible), and up to M_i.",
    uses=(
        "lem:good-event:sharpest",
        "lem:ordinary-payment",
        "lem:two-sided-payment",
        "lem:radius-sum",
        "lem:ordinary-qualified-set",
        "thm:sample-complexity",
        "thm:excess-payment-general",
        "lem:forced-exploration-bound:sharpest",
    ),
    beyond="The sums over counts and over providers: their steps are proved. That a mean exceeds its expectation by "
    "r(m) at some m with probability at most its share of delta: Hoeffding's lemma and Ville's "
    "inequality for each epoch, and the sum of the failures over the epochs (bounds.sharpest.probability); the band in "
    "an epoch is proved (stitched-band). It is for the one competitor of cost c_(2); "
    "delta-is-spent-once has the share. That h is at most c_max (beta - r) at every count from g(N + n) to one more "
    "than the competitor's cap: a search over counts. What is computed of sums of radii.",
)
