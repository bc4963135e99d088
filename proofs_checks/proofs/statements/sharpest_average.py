"""How far payments are from c_(2) on average, without a T_0: unqualified providers disturb only some auctions.

Source: thm:regret, improved. At every auction all eligible providers have g(t) selections, so radii of at most R, that
of g(t). An auction pays at most c_(2) + R + d_+. It pays at least F - 2 R - d_-, where F is the least cost of the
eligible providers other than i* and of c_(2): that is c_(2) unless an unqualified provider that costs less is eligible.
Such auctions are disturbed. They are few: each such provider is excluded in the end.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import BOOL, INT, all_of, at_least, constant, constants, either, equal, implies
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
    HAS_RIVAL,
    RADIUS,
    assuming,
    concluded,
    defining,
    every,
    induction,
    only,
    provider,
    read,
    within,
)
from proofs_checks.proofs.statements.eligibility import ORDINARY_COUNTS
from proofs_checks.proofs.statements.payments import (
    AT_TARGET,
    BETA_OF,
    BID,
    BID_OR_BOUND,
    OPTIMAL_WINS,
    PAID,
    PAYMENT,
    RHO,
    SECOND_COST_AT_MOST,
    TARGET_RADIUS,
    UPPER,
    WINNER,
    of_auction,
    target_non_negative,
)
from proofs_checks.proofs.statements.regrets import ABOVE_SECOND, AVERAGE, CAPPED, EXPLORATIONS, NUMBER, TERM, TOTAL
from proofs_checks.proofs.statements.selection import WIDENED
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    COUNT,
    MEAN_COST,
    OPTIMAL,
    OVERBID,
    QUALIFIED,
    SECOND_COST,
    UNDERBID,
    adjusted_bid_bounds,
    second_cost,
    to_real,
)

_I, _J = provider("i"), provider("j")
#: F, the least mean cost of the eligible providers other than i*, at most c_(2).
_FLOOR_COST = constant("least_eligible_cost")
_OTHER_ELIGIBLE = all_of(ELIGIBLE(_J), ~equal(_J, OPTIMAL))
_FLOOR_IS = every(implies(_OTHER_ELIGIBLE, MEAN_COST(_J) >= _FLOOR_COST))
_RADII = read(
    concluded(
        "cost-radius-at-most-at-target", radii_at_target=every(implies(ELIGIBLE(_J), RADIUS(_J) <= TARGET_RADIUS))
    ),
    {RHO: RADIUS(_J), constant("beta_at_count"): BETA_OF(_J), constant("count_now"): to_real(COUNT(_J))},
)
UNDISTURBED = Obligation(
    "undisturbed-least-eligible-cost",
    "F = c_(2) where every eligible unqualified provider costs at least c_(2)",
    only(second_cost(), "second-cost-least")
    | assuming(
        undisturbed=every(implies(all_of(ELIGIBLE(_J), ~QUALIFIED(_J)), MEAN_COST(_J) >= SECOND_COST)),
        other=all_of(ELIGIBLE(_I), ~equal(_I, OPTIMAL)),
    ),
    MEAN_COST(_I) >= SECOND_COST,
)
_LOW, _LOW_BID = _FLOOR_COST - 2 * TARGET_RADIUS - UNDERBID, _FLOOR_COST - TARGET_RADIUS - UNDERBID
ADJUSTED = Obligation(
    "eligible-adjusted-bid-above-floor",
    "every eligible provider but i* has an adjusted bid of at least F - 2 R - d_-",
    adjusted_bid_bounds() | _RADII | assuming(floor=_FLOOR_IS, other=all_of(ELIGIBLE(_I), ~equal(_I, OPTIMAL))),
    AUCTION.adjusted(_I) >= _LOW,
    (
        Mutant("19/10 for 2", goal=AUCTION.adjusted(_I) >= _FLOOR_COST - Fraction(19, 10) * TARGET_RADIUS - UNDERBID),
        Mutant("without d_-", goal=AUCTION.adjusted(_I) >= _FLOOR_COST - 2 * TARGET_RADIUS),
    ),
)
LEAST_RIVAL = Obligation(
    "least-rival-of-optimal-above-floor",
    "so has the least rival of i*",
    of_auction("least-rival-attained")
    | concluded(
        "eligible-adjusted-bid-above-floor", others=every(implies(_OTHER_ELIGIBLE, AUCTION.adjusted(_J) >= _LOW))
    )
    | assuming(rival=HAS_RIVAL(OPTIMAL)),
    AUCTION.least_rival(OPTIMAL) >= _LOW,
)
_SIDES = assuming(deviation_non_negative=UNDERBID >= 0)
_FLOOR_AT_MOST = assuming(floor_at_most_second=_FLOOR_COST <= SECOND_COST) | concluded(
    "second-cost-at-most-bound", second_at_most_bound=SECOND_COST <= COST_BOUND
)
WON_BY_OPTIMAL = Obligation(
    "disturbed-auction-won-by-optimal",
    "where i* wins, the auction pays at least F - 2 R - d_-",
    of_auction("radii-non-negative")
    | _SIDES
    | _FLOOR_AT_MOST
    | target_non_negative()
    | concluded(
        "least-rival-of-optimal-above-floor",
        least_rival=implies(HAS_RIVAL(OPTIMAL), AUCTION.least_rival(OPTIMAL) >= _LOW),
    )
    | assuming(optimal_wins=OPTIMAL_WINS),
    PAID >= _LOW,
    (Mutant("199/100 for 2", goal=_FLOOR_COST - Fraction(199, 100) * TARGET_RADIUS - UNDERBID <= PAID),),
)
BID_OF_OTHER = Obligation(
    "disturbed-bid-of-another-winner",
    "another winner bids at least F - R - d_-",
    of_auction("winner-eligible")
    | _RADII
    | adjusted_bid_bounds()
    | assuming(floor=_FLOOR_IS, another_wins=~OPTIMAL_WINS),
    BID >= _LOW_BID,
    (Mutant("9/10 of R", goal=_FLOOR_COST - Fraction(9, 10) * TARGET_RADIUS - UNDERBID <= BID),),
)
WON_BY_OTHER = Obligation(
    "disturbed-auction-won-by-another",
    "where another wins, it is paid at least F - R - d_-",
    _SIDES
    | _FLOOR_AT_MOST
    | target_non_negative()
    | concluded("paid-at-least-bid-or-bound", paid=PAID >= BID_OR_BOUND)
    | concluded("disturbed-bid-of-another-winner", bid=BID >= _LOW_BID),
    PAID >= _LOW_BID,
)
AT_LEAST = Obligation(
    "auction-pays-at-least-floor",
    "an auction pays at least F - 2 R - d_-",
    target_non_negative()
    | concluded("disturbed-auction-won-by-optimal", optimal=implies(OPTIMAL_WINS, PAID >= _LOW))
    | concluded("disturbed-auction-won-by-another", another=implies(~OPTIMAL_WINS, PAID >= _LOW_BID)),
    PAID >= _LOW,
)
AT_MOST = Obligation(
    "auction-pays-at-most-target-radius-more",
    "an auction pays at most c_(2) + R + d_+: its winner is eligible, so its radius is at most R",
    concluded("ordinary-payment", upper=UPPER)
    | read(
        concluded("cost-radius-at-most-at-target", radius=RHO <= TARGET_RADIUS),
        {constant("beta_at_count"): BETA_OF(WINNER), constant("count_now"): to_real(COUNT(WINNER))},
    ),
    PAYMENT <= SECOND_COST + TARGET_RADIUS + OVERBID,
    (Mutant("9/10 of R", goal=SECOND_COST + Fraction(9, 10) * TARGET_RADIUS + OVERBID >= PAYMENT),),
)
_ABOVE = PAYMENT - SECOND_COST
_DISTANCE = either(_ABOVE >= 0, _ABOVE, -_ABOVE)
_TRIVIAL = at_least(SECOND_COST, ABOVE_SECOND)
_BANDS = 2 * TARGET_RADIUS + at_least(UNDERBID, OVERBID)
_TERM_OF_RADII = either(_TRIVIAL <= _BANDS, _TRIVIAL, _BANDS)
_LOWERED = SECOND_COST - _FLOOR_COST
_TERM_OF_DISTURBED = either(_TRIVIAL <= _LOWERED, _TRIVIAL, _LOWERED)
DEVIATION = Obligation(
    "auction-deviation-with-floor",
    "|pi_t - c_(2)| <= min{D, 2 R + max{d_-, d_+}} + min{D, c_(2) - F}, for D = max{c_(2), c_max - c_(2)}",
    target_non_negative()
    | assuming(
        deviations_non_negative=all_of(UNDERBID >= 0, OVERBID >= 0), floor_at_most_second=_FLOOR_COST <= SECOND_COST
    )
    | concluded("auction-pays-at-least-floor", lower=PAYMENT >= _LOW)
    | concluded("auction-pays-at-most-target-radius-more", upper=PAYMENT <= SECOND_COST + TARGET_RADIUS + OVERBID)
    | concluded("payment-in-range", payment=within(0, PAYMENT, COST_BOUND)),
    _TERM_OF_RADII + _TERM_OF_DISTURBED >= _DISTANCE,
    (
        Mutant("1 for 2", goal=TARGET_RADIUS + at_least(UNDERBID, OVERBID) + _TERM_OF_DISTURBED >= _DISTANCE),
        Mutant("undisturbed", goal=_TERM_OF_RADII >= _DISTANCE),
    ),
)

_TIME, _START, _TARGET, _LEVEL = constants("step T0 target_now level")
_SINGLE, _CAP, _LARGEST, _NOW = constants("single_time_count cap largest_count_by_cost count", INT)
DISTURBED_BY_TIME = Obligation(
    "disturbed-by-one-only-early",
    "a cheap unqualified provider j is eligible at auctions with g(t) <= m_j <= M_j only: t <= N max{1, (M_j/k)^(1/a)}",
    concluded("ordinary-counts", counts=implies(ELIGIBLE(_I), to_real(COUNT(_I)) >= _TARGET))
    | concluded("eligible-unqualified-below-single-time-count", below=implies(ELIGIBLE(_I), COUNT(_I) <= _SINGLE))
    | defining(level=equal(_LEVEL, to_real(_SINGLE)))
    | concluded("after-T0-target-above-thresholds", late=implies(_TIME > _START, _TARGET > _LEVEL))
    | assuming(still_eligible=ELIGIBLE(_I)),
    _TIME <= _START,
    (Mutant("strictly", goal=_TIME < _START),),
)
_DIFFERENCE, _TO_DEAREST, _COST_OF_ONE, _COST_OF_DEAREST, _RADIUS_OF_ONE = constants(
    "cost_gap gap_to_dearest cost_of_eligible cost_of_dearest cost_radius_of_one"
)
GAP_TO_DEAREST = Obligation(
    "gap-to-dearest-of-set",
    "while one of a set is eligible, a winner costs at most 2 radii + d_- + d_+ more than the dearest of the set",
    concluded("gap-to-any-eligible", gap=_DIFFERENCE <= 2 * _RADIUS_OF_ONE + UNDERBID + OVERBID)
    | assuming(dearest=_COST_OF_ONE <= _COST_OF_DEAREST)
    | defining(difference=equal(_TO_DEAREST, _DIFFERENCE + _COST_OF_ONE - _COST_OF_DEAREST)),
    _TO_DEAREST <= 2 * _RADIUS_OF_ONE + UNDERBID + OVERBID,
)
_IN_SET, _WINS = constants("in_set wins", BOOL)
WON_IN_SET = Obligation(
    "auction-won-while-set-eligible",
    "of these auctions each of the set wins at most M_i, everybody else at most floor(m*(gap to the dearest))",
    concluded(
        "eligible-unqualified-below-single-time-count", by_quality=implies(all_of(_WINS, _IN_SET), _NOW <= _SINGLE)
    )
    | concluded("auction-won-below-count-while-eligible", by_cost=implies(all_of(_WINS, ~_IN_SET), _NOW <= _LARGEST))
    | assuming(wins=_WINS)
    | defining(cap=equal(_CAP, either(_IN_SET, _SINGLE, _LARGEST))),
    _NOW <= _CAP,
)
_DISTURBED, _OF_SET, _OF_REST, _CAPS, _REST = constants(
    "disturbed_auctions disturbed_by_set disturbed_by_rest caps_of_auctions last_time_of_rest"
)
DISTURBED = Obligation(
    "disturbed-auctions-at-most",
    "disturbed auctions are at most those of a set, by counts, and those of the rest, by time",
    concluded("capped-terms-add-up", by_counts=_OF_SET <= _CAPS)
    | concluded("early-steps-at-most-T0", by_time=_OF_REST <= _REST)
    | defining(either_way=_DISTURBED <= _OF_SET + _OF_REST),
    _DISTURBED <= _CAPS + _REST,
)
_RADII_SUM, _SHARE, _RADII_NOW, _DISTURBED_TERM = constants(
    "sum_of_radii_at_target explored_steps radii_at_target_now disturbed_term"
)
_EXPLORED, _IS_DISTURBED = constants("explored is_disturbed", BOOL)
_KIND = _RADII_NOW + either(_IS_DISTURBED, _DISTURBED_TERM, 0) >= TERM
BY_KIND = Obligation(
    "auction-deviation-by-kind",
    "an auction deviates by at most its radii at the target, and a disturbed one by at most c_(2) - min c_j more",
    concluded("auction-deviation-with-floor", deviation=_TERM_OF_RADII + _TERM_OF_DISTURBED >= _DISTANCE)
    | concluded("undisturbed-least-eligible-cost", undisturbed=implies(~_IS_DISTURBED, _FLOOR_COST >= SECOND_COST))
    | assuming(disturbed=implies(_IS_DISTURBED, _TERM_OF_DISTURBED <= _DISTURBED_TERM))
    | defining(term=equal(TERM, _DISTANCE), radii=equal(_RADII_NOW, _TERM_OF_RADII)),
    _KIND,
)
_SUMMED = TOTAL <= EXPLORATIONS * ABOVE_SECOND + _RADII_SUM + _DISTURBED * _DISTURBED_TERM
SUMMED = Obligation(
    "deviations-with-disturbed-auctions",
    "initialization and exploration add c_max - c_(2), auctions their radii, disturbed ones c_(2) - F more, step",
    induction(_SUMMED, start={TOTAL: 0, EXPLORATIONS: 0, _RADII_SUM: 0, _DISTURBED: 0})
    | concluded("excess-of-bound-payment", explored=implies(_EXPLORED, TERM <= ABOVE_SECOND))
    | concluded("auction-deviation-by-kind", auction=implies(~_EXPLORED, _KIND))
    | defining(radii_non_negative=_RADII_NOW >= 0, disturbed_non_negative=_DISTURBED_TERM >= 0),
    (EXPLORATIONS + either(_EXPLORED, 1, 0)) * ABOVE_SECOND
    + (_RADII_SUM + _RADII_NOW)
    + (_DISTURBED + either(_IS_DISTURBED, 1, 0)) * _DISTURBED_TERM
    >= TOTAL + TERM,
    (Mutant("twice the term", {"explored": implies(_EXPLORED, TERM <= 2 * ABOVE_SECOND)}),),
)
_MOST_EXPLORED, _MOST_DISTURBED = constants("caps_of_explorations most_disturbed")
_ALL_COUNTED = (NUMBER + _MOST_EXPLORED) * ABOVE_SECOND
EXPLORED_COST = Obligation(
    "deviation-of-counted-steps",
    "initialization and exploration add at most (N + X)(c_max - c_(2))",
    concluded("second-cost-at-most-bound", second=SECOND_COST <= COST_BOUND)
    | concluded("capped-terms-add-up", explorations=_SHARE <= _MOST_EXPLORED)
    | defining(counted=equal(EXPLORATIONS, NUMBER + _SHARE)),
    EXPLORATIONS * ABOVE_SECOND <= _ALL_COUNTED,
    (Mutant("without initialization", goal=EXPLORATIONS * ABOVE_SECOND <= _MOST_EXPLORED * ABOVE_SECOND),),
)
DISTURBED_COST = Obligation(
    "deviation-of-disturbed-auctions",
    "disturbed auctions add at most W (c_(2) - F)",
    concluded("disturbed-auctions-at-most", disturbed=_DISTURBED <= _MOST_DISTURBED)
    | defining(disturbed_non_negative=_DISTURBED_TERM >= 0),
    _DISTURBED * _DISTURBED_TERM <= _MOST_DISTURBED * _DISTURBED_TERM,
)
UNTIL_HORIZON = Obligation(
    "deviations-until-horizon-without-T0",
    "the deviations until T are at most (N + X)(c_max - c_(2)), the radii at the target, and W (c_(2) - F)",
    concluded("deviations-with-disturbed-auctions", summed=_SUMMED)
    | concluded("deviation-of-counted-steps", counted=EXPLORATIONS * ABOVE_SECOND <= _ALL_COUNTED)
    | concluded(
        "deviation-of-disturbed-auctions", disturbed=_DISTURBED * _DISTURBED_TERM <= _MOST_DISTURBED * _DISTURBED_TERM
    ),
    TOTAL <= _ALL_COUNTED + _RADII_SUM + _MOST_DISTURBED * _DISTURBED_TERM,
)
_STEP = (
    UNDISTURBED,
    ADJUSTED,
    LEAST_RIVAL,
    WON_BY_OPTIMAL,
    BID_OF_OTHER,
    WON_BY_OTHER,
    AT_LEAST,
    AT_MOST,
    DEVIATION,
    BY_KIND,
)
_FEW = (DISTURBED_BY_TIME, GAP_TO_DEAREST, WON_IN_SET, DISTURBED)
_SUM = (SUMMED, EXPLORED_COST, DISTURBED_COST, UNTIL_HORIZON)
AVERAGE_PAYMENT = Proof(
    "thm:regret:sharpest",
    (WIDENED, AT_TARGET, ORDINARY_COUNTS, SECOND_COST_AT_MOST, CAPPED, *_STEP, *_FEW, *_SUM, AVERAGE),
    "At an auction every eligible provider has g(t) selections (ordinary-counts), so a radius of at most R. From "
    "above: the paper's bound with R. From below by who wins, as lem:two-sided-payment, with the least cost F of "
    "the eligible providers for c_(2); F = c_(2) unless the auction is disturbed. Bids in [0, c_max] keep the "
    "deviation at most D. The disturbed auctions are counted by time or, for a set of providers that cost less than "
    "i*, by counts: while one of the set is eligible, each of them wins at most M_i auctions and everybody else as "
    "many as its gap to the dearest of the set allows. For another choice of set the same; the least is used. "
    "Induction on t adds up, and T divides. E and X are those of lem:forced-exploration-bound:sharpest.",
    uses=(
        "lem:payment-range",
        "lem:ordinary-payment",
        "lem:two-sided-payment",
        "lem:ordinary-qualified-set",
        "thm:payment-convergence",
        "thm:excess-payment-general",
        "lem:forced-exploration-bound:sharpest",
        "lem:unqualified-elimination:sharpest",
    ),
    beyond="The sums over the steps and over providers: their steps are proved. That F is the least of finitely many "
    "costs, and at most the least unqualified cost in disturbed auctions. That the radii at the target "
    "add up to what is computed, block by block, each with its largest term.",
)
