"""Exploration ends for providers that win auctions: i*, and cheap unqualified ones.

Source: lem:forced-exploration-bound, improved. While j is eligible, every other provider is selected at most so often:
by exploration, by auctions that it can win against j, or until it is excluded. B_j(t) is the sum of these caps. So j
has m_j >= t - N - B_j(t - 1) selections before t, and is no longer explored once that is at least g(t). What t must
exceed, N + B_j(t) + g(t), grows more slowly than t: from some t on j is not explored. E stands for the last one before.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import power_product
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    Term,
    all_of,
    at_least,
    constant,
    constants,
    either,
    equal,
    implies,
    power,
)
from proofs_checks.proofs.language.vocabulary import (
    ELIGIBLE,
    RADIUS,
    assuming,
    concluded,
    defining,
    induction,
    only,
    provider,
)
from proofs_checks.proofs.statements.convergence import BERNOULLI
from proofs_checks.proofs.statements.findings import STAYS_INELIGIBLE
from proofs_checks.proofs.statements.selection import CAPS_ADD_UP, WIDENED, WIDENED_BOUND
from proofs_checks.proofs.statements.shared import AUCTION, MEAN_COST, OVERBID, UNDERBID, adjusted_bid_bounds

_J, _WINNER = provider("i"), AUCTION.winner
_EXCESS_COST = MEAN_COST(_WINNER) - MEAN_COST(_J)
_GAP_BOUND = 2 * RADIUS(_WINNER) + UNDERBID + OVERBID
GAP = Obligation(
    "gap-to-any-eligible",
    "the winner of an auction costs at most 2 radii + d_- + d_+ more than any eligible provider, qualified or not",
    only(AUCTION.definitions(), "winner-least") | adjusted_bid_bounds() | assuming(still_eligible=ELIGIBLE(_J)),
    _EXCESS_COST <= _GAP_BOUND,
    (
        Mutant("19/10 for 2", goal=Fraction(19, 10) * RADIUS(_WINNER) + UNDERBID + OVERBID >= _EXCESS_COST),
        Mutant("no overbidding", goal=2 * RADIUS(_WINNER) + UNDERBID >= _EXCESS_COST),
    ),
)
_DIFFERENCE, _RADIUS_OF_ONE, _NORMALIZED, _BETA = constants("cost_gap cost_radius_of_one normalized_gap beta")
NORMALIZED = Obligation(
    "normalized-gap-to-any-eligible",
    "the gap means a <= 2 beta, for a = (c_i - c_j - d_- - d_+)/((1 + gamma) c_max)",
    concluded("gap-to-any-eligible", gap=_DIFFERENCE <= 2 * _RADIUS_OF_ONE + UNDERBID + OVERBID)
    | defining(
        cost_radius=equal(_RADIUS_OF_ONE, WIDENED_BOUND * _BETA),
        normalized=equal(_NORMALIZED, (_DIFFERENCE - UNDERBID - OVERBID) / WIDENED_BOUND),
    )
    | concluded("widened-bound", widened=WIDENED_BOUND > 0),
    _NORMALIZED <= 2 * _BETA,
)
_NOW, _LARGEST, _CEILING, _SINGLE, _CAP = constants(
    "count largest_count_by_cost target_rounded_up single_time_count cap", INT
)
_SELECTED, _EXPLORES, _UNQUALIFIED = constants("selected explores is_unqualified", BOOL)
WON_BELOW = Obligation(
    "auction-won-below-count-while-eligible",
    "so i wins auctions while j is eligible at counts m <= floor(m*(a)) only",
    concluded("normalized-gap-to-any-eligible", radius=_NORMALIZED <= 2 * _BETA)
    | defining(largest=implies(_NORMALIZED <= 2 * _BETA, _NOW <= _LARGEST)),
    _NOW <= _LARGEST,
    (Mutant("one less", goal=_NOW <= _LARGEST - 1),),
)
_BY_COST = at_least(_LARGEST, _CEILING - 1)
OTHER_CAPPED = Obligation(
    "other-selected-below-cap-while-eligible",
    "while j is eligible, i is selected at m <= max{m*(a), ceil(g) - 1} only, if unqualified at m <= M_i too",
    defining(cap=equal(_CAP, either(all_of(_UNQUALIFIED, _BY_COST >= _SINGLE), _SINGLE, _BY_COST)))
    | assuming(selected=_SELECTED)
    | concluded(
        "unqualified-selected-below-single-time-count",
        by_quality=implies(all_of(_SELECTED, _UNQUALIFIED), _NOW <= _SINGLE),
    )
    | concluded(
        "auction-won-below-count-while-eligible", by_cost=implies(all_of(_SELECTED, ~_EXPLORES), _NOW <= _LARGEST)
    )
    | concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _NOW <= _CEILING - 1)),
    _NOW <= _CAP,
    (
        Mutant("without exploration", {"cap": equal(_CAP, _LARGEST)}),
        Mutant("without auctions", {"cap": equal(_CAP, _CEILING - 1)}),
    ),
)
_TIME, _N, _OTHERS, _CAPS, _TOTAL = constants(
    "time providers_number selections_of_others caps_of_others selections_in_total"
)
_COUNT, _OWN = constants("count_of_explored selections_of_explored", INT)
_TARGET = constant("target_now")
OWN_COUNT = Obligation(
    "own-count-while-others-capped",
    "before step t there were t - 1 - N selections, at most B_j(t - 1) of them of others: m_j >= t - N - B_j(t - 1)",
    concluded("selections-add-up-to-steps", steps=equal(_TOTAL, _TIME - 1 - _N))
    | concluded("selection-counting-step", own=equal(_COUNT, _OWN + 1))
    | defining(total=equal(_TOTAL, _OWN + _OTHERS))
    | concluded("capped-terms-add-up", others=_OTHERS <= _CAPS),
    _COUNT >= _TIME - _N - _CAPS,
    (Mutant("one more", goal=_COUNT >= _TIME - _N - _CAPS + 1),),
)
_NEEDED = _N + _CAPS + _TARGET
EXPLORED_EARLY = Obligation(
    "explored-only-before-its-end",
    "so j is explored at t only if t < N + B_j(t - 1) + g(t)",
    concluded("own-count-while-others-capped", count=_COUNT >= _TIME - _N - _CAPS)
    | concluded("explored-below-target", explored=_COUNT < _TARGET),
    _TIME < _NEEDED,
    (Mutant("one earlier", goal=_NEEDED > _TIME + 1),),
)

_VALUE, _EXPONENT, _BASE = constants("value_of_power exponent base")
POWER_BELOW = Obligation(
    "power-at-most-base",
    "u^alpha <= u for u >= 1",
    concluded("bernoulli", bernoulli=_VALUE <= 1 + _EXPONENT * (_BASE - 1))
    | assuming(exponent=_EXPONENT < 1, larger=_BASE >= 1),
    _VALUE <= _BASE,
    (Mutant("a base below 1", {"larger": _BASE > 0}),),
)
_EARLIER, _LATER, _FACTOR, _POWER, _POWER_LATER = constants(
    "earlier later target_factor ratio_to_alpha later_ratio_to_alpha"
)
_AT, _AT_LATER = constants("target_earlier target_later")
_SLOWLY = _AT_LATER * _EARLIER <= _AT * _LATER
TARGET_RATIO = Obligation(
    "target-by-ratio-of-times",
    "g(u) = g(t) (u/t)^alpha, where g(t) = k (t/N)^alpha",
    defining(target=equal(_AT, _FACTOR * _POWER), later=equal(_AT_LATER, _FACTOR * _POWER_LATER))
    | {
        "powers": power_product(
            _POWER_LATER,
            _POWER * _VALUE,
            {
                _POWER: power(_EARLIER / _N, _EXPONENT),
                _POWER_LATER: power(_BASE * _EARLIER / _N, _EXPONENT),
                _VALUE: power(_BASE, _EXPONENT),
            },
        )
    },
    equal(_AT_LATER, _AT * _VALUE),
)
_SCALED = _AT_LATER <= _AT * _BASE
TARGET_SCALED = Obligation(
    "target-at-most-scaled-by-ratio",
    "so g(u) <= g(t) u/t for u >= t",
    concluded("target-by-ratio-of-times", ratio=equal(_AT_LATER, _AT * _VALUE))
    | concluded("power-at-most-base", power=_VALUE <= _BASE)
    | defining(target_non_negative=_AT >= 0),
    _SCALED,
)
TARGET_SLOW = Obligation(
    "target-grows-more-slowly-than-time",
    "g(u)/u <= g(t)/t for u >= t",
    concluded("target-at-most-scaled-by-ratio", scaled=_SCALED)
    | defining(ratio=equal(_LATER, _BASE * _EARLIER), positive=_EARLIER > 0),
    _SLOWLY,
)
_MOST, _LEAST = constants("elimination_cap auction_cap")


def _capped(target: Term) -> Term:
    """Return min{M, max{m*, g}}."""
    larger = at_least(_LEAST, target)
    return either(larger >= _MOST, _MOST, larger)


CAP_SLOW = Obligation(
    "cap-grows-more-slowly-than-time",
    "min{M, max{m*, g(u)}}/u <= min{M, max{m*, g(t)}}/t for u >= t",
    concluded("target-grows-more-slowly-than-time", target=_SLOWLY)
    | assuming(later=_LATER >= _EARLIER)
    | defining(elimination_non_negative=_MOST >= 0, auctions_non_negative=_LEAST >= 0),
    _capped(_AT_LATER) * _EARLIER <= _capped(_AT) * _LATER,
)
_SUM, _SUM_LATER, _ONE, _ONE_LATER = constants("needed_earlier needed_later cap_earlier cap_later")
_SUMS_SLOW = _SUM_LATER * _EARLIER <= _SUM * _LATER
SUM_SLOW = Obligation(
    "needed-time-grows-more-slowly",
    "so does N + g + the sum of the caps, step over the providers",
    induction(_SUMS_SLOW, base="needed-time-begins")
    | concluded("cap-grows-more-slowly-than-time", one=_ONE_LATER * _EARLIER <= _ONE * _LATER),
    (_SUM_LATER + _ONE_LATER) * _EARLIER <= (_SUM + _ONE) * _LATER,
)
SUM_SLOW_BASE = Obligation(
    "needed-time-begins",
    "N + g grows more slowly than time",
    concluded("target-grows-more-slowly-than-time", target=_SLOWLY)
    | defining(first=equal(_SUM, _N + _AT), first_later=equal(_SUM_LATER, _N + _AT_LATER), positive=_N >= 0)
    | assuming(later=_LATER >= _EARLIER),
    _SUMS_SLOW,
)
FINAL = Obligation(
    "past-its-end-for-good",
    "a time that is not below what it needs stays so: all later times are not below what they need",
    concluded("needed-time-grows-more-slowly", slowly=_SUMS_SLOW)
    | assuming(past=_SUM <= _EARLIER, positive=_EARLIER > 0, later=_LATER >= _EARLIER),
    _SUM_LATER <= _LATER,
)
_EXPLORED, _END, _HORIZON, _BOTH = (
    constant("explored", BOOL),
    constant("end_of_exploration"),
    constant("horizon"),
    constant("end"),
)
NOT_LATER = Obligation(
    "not-explored-after-its-end",
    "what is explored at t is explored at a time that is below what it needs, so not past E",
    concluded("explored-only-before-its-end", early=implies(_EXPLORED, _TIME < _NEEDED))
    | concluded("past-its-end-for-good", past=implies(_TIME > _END, _NEEDED <= _TIME))
    | assuming(explored=_EXPLORED),
    _TIME <= _END,
    (Mutant("strictly", goal=_TIME < _END),),
)
UNTIL_END = Obligation(
    "explored-until-horizon-and-end",
    "explorations of j until T are explorations until min{T, E}",
    concluded("not-explored-after-its-end", its_end=_TIME <= _END)
    | assuming(until_horizon=_TIME <= _HORIZON)
    | defining(end=equal(_BOTH, either(_END <= _HORIZON, _END, _HORIZON))),
    _TIME <= _BOTH,
)
_EXPLORATIONS, _SERVED, _SMALLEST = constants("explorations served smaller_cap", INT)
_AT_MOST = either(all_of(_UNQUALIFIED, _SINGLE <= _CEILING - 1), _SINGLE, _CEILING - 1)
ONE_EXPLORED = Obligation(
    "explorations-until-end-capped",
    "j is explored at most ceil(g(min{T, E})) - 1 times until T; an unqualified one at most M_j times",
    concluded("explorations-step", explorations=_EXPLORATIONS <= _CEILING - 1)
    | concluded("capped-selections-step", selections=implies(_UNQUALIFIED, _SERVED <= _SINGLE))
    | defining(explorations_are_selections=_EXPLORATIONS <= _SERVED, cap=equal(_SMALLEST, _AT_MOST)),
    _EXPLORATIONS <= _SMALLEST,
)
_WHILE = (STAYS_INELIGIBLE, WIDENED, GAP, NORMALIZED, WON_BELOW, OTHER_CAPPED, CAPS_ADD_UP, OWN_COUNT, EXPLORED_EARLY)
_SLOW = (BERNOULLI, POWER_BELOW, TARGET_RATIO, TARGET_SCALED, TARGET_SLOW, CAP_SLOW, SUM_SLOW_BASE, SUM_SLOW, FINAL)
EXPLORATION = Proof(
    "lem:forced-exploration-bound:sharpest",
    (*_WHILE, *_SLOW, NOT_LATER, UNTIL_END, ONE_EXPLORED),
    "For one provider j. Who is eligible at t was so at all earlier steps after initialization "
    "(ineligible-stays-ineligible). So the winner of every auction before t costs at most 2 radii + d_- + d_+ more "
    "than j, and each other provider was selected at most as often as its cap (capped-selections). The caps add up to "
    "B_j(t - 1), all selections to t - 1 - N. What is explored has m_j < g(t), hence t < N + B_j(t - 1) + g(t). With "
    "g(t) for ceil(g(t - 1)) - 1, which is less, the right side over t does not increase: it is passed for good. Then "
    "lem:forced-exploration-bound with min{T, E} for T, and the sum over the providers.",
    uses=(
        "lem:adjusted-bid-bounds",
        "lem:selection-counting",
        "lem:forced-exploration-bound",
        "lem:radius-sum",
        "lem:unqualified-elimination:sharpest",
    ),
    beyond="The sums over steps and over providers, and the induction on t that counts the selections: their steps are "
    "proved. That somebody excluded stays excluded, as its count and its mean stay. That E is the last t with t < N + "
    "B_j(t - 1) + g(t), with caps of whole numbers: a search.",
)
