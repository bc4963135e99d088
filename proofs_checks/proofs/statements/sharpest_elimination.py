"""An unqualified provider is found out at one count, so one deviation is paid for, with what the good event leaves.

Sources: lem:unqualified-elimination with M_i such that at the count M_i + 1 the mean score is below q_min - beta but
for a small probability, by Hoeffding's or by Chernoff's bound; thm:sample-complexity and the identification horizon
with these caps. An excluded provider is not selected, so its count stays, and so does what decides its eligibility.

What delta is spent on: the good event at the counts m with beta(m) < 1, since no mean of values in [0, 1] is further
than 1 from its expectation; the eliminations; and no more than what the counts 2, 3, ... with beta(m) >= 1 would cost.
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import (
    chernoff,
    exp_of_minus_log,
    exp_tangent,
    one_sided_hoeffding,
    square_root,
    union_bound,
    zeta_two,
)
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    all_of,
    at_least,
    constant,
    constants,
    either,
    equal,
    implies,
    number,
)
from proofs_checks.proofs.language.vocabulary import (
    ELIGIBLE,
    assuming,
    concluded,
    defining,
    induction,
    only,
    provider,
    read,
)
from proofs_checks.proofs.statements.good_event import EACH_AT_MOST, NUMBER_OF_EQUALS, SUM_OF_EQUALS, TERM_OF_EQUALS
from proofs_checks.proofs.statements.improved import BY_EXACT_INVERSE, DEAR_ARGUMENT, FIRST_RADIUS, LEADS
from proofs_checks.proofs.statements.selection import ANY_CAPS_CHAIN, SUMS_OF_CAPS
from proofs_checks.proofs.statements.shared import (
    AUCTION,
    QUALITY,
    QUALITY_ESTIMATE,
    QUALITY_RADIUS,
    QUALITY_THRESHOLD,
    eligibility,
    to_real,
)
from proofs_checks.proofs.statements.sharpest_deviation import STITCHED_CHAIN

_I = provider("i")
_GAP = QUALITY_THRESHOLD - QUALITY(_I)
#: r(m): sqrt(L/(2 m)) for the budget L = ln(n pi^2/(6 delta)), where n providers are unqualified.
_RADIUS, _BUDGET, _COUNT, _ARGUMENT = constants("single_time_radius elimination_budget count budget_argument")
_TAIL, _FAILS, _DELTA, _PI_SQUARED, _UNQUALIFIED = constants(
    "tail probability_of_no_elimination delta pi_squared unqualified_number"
)
ABOVE = Obligation(
    "eligible-means-above-by-single-time-radius",
    "who is eligible at a count with beta + r < epsilon has a mean score that exceeds its quality by more than r",
    only(eligibility(), "eligible") | assuming(passed=QUALITY_RADIUS(_I) + _RADIUS < _GAP, still_eligible=ELIGIBLE(_I)),
    QUALITY_ESTIMATE(_I) - QUALITY(_I) > _RADIUS,
    (
        Mutant("beta alone", {"passed": QUALITY_RADIUS(_I) < _GAP}),
        Mutant("r alone", {"passed": _RADIUS < _GAP}),
        Mutant("at equality", {"passed": QUALITY_RADIUS(_I) + _RADIUS <= _GAP}),
    ),
)
_ARGUMENT_IS = defining(
    argument=equal(6 * _DELTA * _ARGUMENT, _UNQUALIFIED * _PI_SQUARED),
    positive=all_of(_DELTA > 0, _PI_SQUARED > 0, _UNQUALIFIED >= 1),
)
_EACH_IS = defining(
    positive=all_of(_PI_SQUARED > 0, _UNQUALIFIED >= 1),
    each=equal(EACH_AT_MOST * _UNQUALIFIED * _PI_SQUARED, 6 * _DELTA),
)
_RARELY = _FAILS * _UNQUALIFIED * _PI_SQUARED <= 6 * _DELTA
EXPONENT = Obligation(
    "single-time-radius-squared",
    "2 m r(m)^2 is the budget: what r is made for",
    {"radius": square_root(_RADIUS, _BUDGET / (2 * _COUNT))} | assuming(count_positive=_COUNT >= 1),
    equal(2 * _COUNT * _RADIUS * _RADIUS, _BUDGET),
    (Mutant("without the 2", goal=equal(_COUNT * _RADIUS * _RADIUS, _BUDGET)),),
)
BY_HOEFFDING = Obligation(
    "one-elimination-fails-by-hoeffding",
    "at the count of its elimination a provider is eligible with probability at most 6 delta/(pi^2 n)",
    _ARGUMENT_IS
    | concluded("single-time-radius-squared", exponent=equal(2 * _COUNT * _RADIUS * _RADIUS, _BUDGET))
    | {
        "exponential": exp_of_minus_log(_TAIL, 2 * _COUNT * _RADIUS * _RADIUS, _BUDGET, _ARGUMENT),
        "hoeffding": one_sided_hoeffding(_FAILS, _TAIL, _COUNT, _RADIUS),
    },
    _RARELY,
    (
        Mutant("half the argument", {"argument": equal(12 * _DELTA * _ARGUMENT, _UNQUALIFIED * _PI_SQUARED)}),
        Mutant("strictly", goal=_FAILS * _UNQUALIFIED * _PI_SQUARED < 6 * _DELTA),
    ),
)
_TESTED, _MEAN, _DIVERGENCE = constants("tested_mean quality_of_one divergence")
_INVERSE = constant("inverse_of_budget_argument")
TAIL_SMALL = Obligation(
    "chernoff-tail-within-budget",
    "m kl >= L means exp(-m kl) <= exp(-L): the tangent of exp",
    assuming(evidence=_COUNT * _DIVERGENCE >= _BUDGET)
    | defining(inverse_positive=_INVERSE > 0)
    | {"tangent": exp_tangent(_INVERSE, -_BUDGET, _TAIL, -(_COUNT * _DIVERGENCE))},
    _TAIL <= _INVERSE,
    (Mutant("too little evidence", {"evidence": 2 * _COUNT * _DIVERGENCE >= _BUDGET}),),
)
BY_CHERNOFF = Obligation(
    "one-elimination-fails-by-chernoff",
    "the same where m kl(q_min - beta(m), q_i) >= ln(n pi^2/(6 delta)), for any scores in [0, 1]",
    _ARGUMENT_IS
    | concluded("chernoff-tail-within-budget", tail=_TAIL <= _INVERSE)
    | {
        "exponential": exp_of_minus_log(_INVERSE, _BUDGET, _BUDGET, _ARGUMENT),
        "chernoff": chernoff(_FAILS, _TAIL, _COUNT, _DIVERGENCE, _TESTED, _MEAN),
    },
    _RARELY,
    (Mutant("strictly", goal=_FAILS * _UNQUALIFIED * _PI_SQUARED < 6 * _DELTA),),
)
_ELIMINATIONS = constant("failures_of_eliminations")
_ALL_RARELY = _ELIMINATIONS * _PI_SQUARED <= 6 * _DELTA
ALL_ELIMINATIONS = Obligation(
    "eliminations-fail",
    "the failures of n eliminations add up to at most 6 delta/pi^2, the price of the count 1",
    defining(
        positive=all_of(_PI_SQUARED > 0, _UNQUALIFIED >= 1),
        each=equal(EACH_AT_MOST * _UNQUALIFIED * _PI_SQUARED, 6 * _DELTA),
    )
    | read(
        concluded("sum-of-equally-bounded-terms", added=_ELIMINATIONS <= _UNQUALIFIED * EACH_AT_MOST),
        {SUM_OF_EQUALS + TERM_OF_EQUALS: _ELIMINATIONS, to_real(NUMBER_OF_EQUALS) + 1: _UNQUALIFIED},
    ),
    _ALL_RARELY,
    (Mutant("one provider more", {"added": _ELIMINATIONS <= (_UNQUALIFIED + 1) * EACH_AT_MOST}),),
)
EACH_FAILS = Obligation(
    "one-elimination-fails-at-most",
    "each fails with probability at most 6 delta/(pi^2 n), what is added up",
    concluded("one-elimination-fails-by-chernoff", fails=_RARELY)
    | defining(
        positive=all_of(_PI_SQUARED > 0, _UNQUALIFIED >= 1),
        each=equal(EACH_AT_MOST * _UNQUALIFIED * _PI_SQUARED, 6 * _DELTA),
    ),
    _FAILS <= EACH_AT_MOST,
    (Mutant("strictly", goal=_FAILS < EACH_AT_MOST),),
)
_ESTIMATE, _QUALITY_OF_ONE, _BETA = constants("estimate_of_one quality_of_one beta")
IMPOSSIBLE = Obligation(
    "no-failure-at-impossible-counts",
    "where beta >= 1, the mean of values in [0, 1] is within beta of its expectation",
    assuming(impossible=_BETA >= 1)
    | defining(
        mean_in_range=all_of(_ESTIMATE >= 0, _ESTIMATE <= 1),
        quality_in_range=all_of(_QUALITY_OF_ONE >= 0, _QUALITY_OF_ONE <= 1),
    ),
    all_of(_ESTIMATE - _QUALITY_OF_ONE <= _BETA, _QUALITY_OF_ONE - _ESTIMATE <= _BETA),
    (Mutant("a radius below 1", {"impossible": 10 * _BETA >= 9}),),
)
_N, _SCALE, _SO_FAR, _SQUARES = constants("providers_number pi_squared_N failures_so_far sum_of_inverse_squares")
_HEAD, _ALL_SQUARES, _GOOD_FAILS = constants("sum_until_m0 sum_of_all_inverse_squares probability_of_bad_event")
_GOOD_RARELY = _GOOD_FAILS * _PI_SQUARED <= 6 * _DELTA * _SQUARES
_SPARE, _ANY, _SUM, _HOLDS = constants("failures_of_spare probability_of_any sum_of_failures probability_of_all")
GOOD_FAILS = Obligation(
    "good-event-fails-beyond-impossible-counts",
    "the good event without the counts m <= m_0 fails with probability at most 6 delta/pi^2 times the sum beyond m_0",
    concluded("failures-of-one-more-count", failures=_SO_FAR * _SCALE <= 3 * _DELTA * _SQUARES)
    | defining(scale=equal(_SCALE, _PI_SQUARED * _N))
    | {"union": union_bound(_GOOD_FAILS, 2 * _N, _SO_FAR)}
    | assuming(positive=_PI_SQUARED > 0),
    _GOOD_RARELY,
    (Mutant("three means a provider", {"union": _GOOD_FAILS <= 3 * _N * _SO_FAR}),),
)
SPENT = Obligation(
    "delta-is-spent-once",
    "good event, eliminations and what the counts 2, ..., m_0 leave: with probability at least 1 - delta all hold",
    concluded(
        "good-event-fails-beyond-impossible-counts", good_event=_GOOD_FAILS * _PI_SQUARED <= 6 * _DELTA * _SQUARES
    )
    | concluded("eliminations-fail", eliminations=_ALL_RARELY)
    | assuming(spare=_SPARE * _PI_SQUARED <= 6 * _DELTA * (_HEAD - 1), positive=all_of(_PI_SQUARED > 0, _DELTA > 0))
    | defining(
        squares=equal(_ALL_SQUARES, _HEAD + _SQUARES),
        sum=equal(_SUM, _GOOD_FAILS + _ELIMINATIONS + _SPARE),
        complement=equal(_HOLDS, 1 - _ANY),
    )
    | {"zeta": zeta_two(_ALL_SQUARES, _PI_SQUARED), "union": union_bound(_ANY, number(1), _SUM)},
    _HOLDS >= 1 - _DELTA,
    (
        Mutant("the count 1 twice", {"spare": _SPARE * _PI_SQUARED <= 6 * _DELTA * _HEAD}),
        Mutant("a smaller delta", goal=_HOLDS >= 1 - _DELTA * 9 / 10),
    ),
)

_NOW, _NEXT, _CAP = constants("count next_count cap", INT)
_SELECTED, _EXPLORES = constants("selected explores", BOOL)
_IS_SELECTED = equal(AUCTION.winner, _I)
_ONE = either(_IS_SELECTED, number(1, INT), number(0, INT))
EXCLUDED = Obligation(
    "excluded-at-elimination-count",
    "with a mean below q_min - beta at the count M + 1 a provider is excluded there",
    only(eligibility(), "eligible") | assuming(low=QUALITY_ESTIMATE(_I) < QUALITY_THRESHOLD - QUALITY_RADIUS(_I)),
    ~ELIGIBLE(_I),
    (Mutant("at q_min - beta", {"low": QUALITY_ESTIMATE(_I) <= QUALITY_THRESHOLD - QUALITY_RADIUS(_I)}),),
)
_FROZEN = _NOW <= _CAP + 1
FROZEN_BASE = Obligation(
    "count-below-elimination-base",
    "after initialization m = 1 <= M + 1",
    defining(initialized=equal(_NOW, 1)) | assuming(cap_non_negative=_CAP >= 0),
    _FROZEN,
)
FROZEN = Obligation(
    "count-below-elimination-step",
    "at M + 1 it is excluded, so not selected: its count never exceeds M + 1",
    induction(_FROZEN, base="count-below-elimination-base")
    | concluded("excluded-at-elimination-count", excluded=implies(equal(_NOW, _CAP + 1), ~ELIGIBLE(_I)))
    | concluded("selected-is-eligible", eligible=ELIGIBLE(AUCTION.winner))
    | defining(count=equal(_NEXT, _NOW + _ONE)),
    _NEXT <= _CAP + 1,
    (Mutant("excluded one later", {"excluded": implies(equal(_NOW, _CAP + 2), ~ELIGIBLE(_I))}),),
)
ELIGIBLE_BELOW = Obligation(
    "eligible-unqualified-below-single-time-count",
    "so it is eligible only at counts m <= M",
    concluded("count-below-elimination-step", frozen=_FROZEN)
    | concluded("excluded-at-elimination-count", excluded=implies(equal(_NOW, _CAP + 1), ~ELIGIBLE(_I)))
    | assuming(still_eligible=ELIGIBLE(_I)),
    _NOW <= _CAP,
    (Mutant("one less", goal=_NOW <= _CAP - 1),),
)
SELECTED_BELOW = Obligation(
    "unqualified-selected-below-single-time-count",
    "so it is selected only at counts m <= M",
    concluded("eligible-unqualified-below-single-time-count", below=implies(ELIGIBLE(_I), _NOW <= _CAP))
    | concluded("selected-is-eligible", eligible=ELIGIBLE(AUCTION.winner))
    | assuming(selected=_IS_SELECTED),
    _NOW <= _CAP,
)
_LARGEST, _CEILING, _SINGLE = constants("largest_count target_rounded_up single_time_count", INT)
_BY_COST = at_least(_LARGEST, _CEILING - 1)
CAPPED = Obligation(
    "unqualified-selected-below-sharpest-cap",
    "an unqualified provider is selected only at m <= min{M, max{m*(both gaps), ceil(g(T)) - 1}}",
    defining(cap=equal(_CAP, either(_BY_COST >= _SINGLE, _SINGLE, _BY_COST)))
    | assuming(selected=_SELECTED)
    | concluded("unqualified-selected-below-single-time-count", by_quality=implies(_SELECTED, _NOW <= _SINGLE))
    | concluded("count-at-most-exact-inverse", by_cost=implies(all_of(_SELECTED, ~_EXPLORES), _NOW <= _LARGEST))
    | concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _NOW <= _CEILING - 1)),
    _NOW <= _CAP,
    (Mutant("by cost alone", {"cap": equal(_CAP, _LARGEST)}),),
)
_BUDGETS = (ABOVE, EXPONENT, BY_HOEFFDING, TAIL_SMALL, BY_CHERNOFF, EACH_FAILS)
_SHARED = (ALL_ELIMINATIONS, IMPOSSIBLE, GOOD_FAILS, SPENT)
_PROBABILITY = (*_BUDGETS, *_SHARED)
_BY_QUALITY = (EXCLUDED, FROZEN_BASE, FROZEN, ELIGIBLE_BELOW, SELECTED_BELOW)
_TRACE = (*_BY_QUALITY, FIRST_RADIUS, DEAR_ARGUMENT, BY_EXACT_INVERSE, CAPPED)
IN_PROBABILITY = (
    "That the first m scores of a provider are independent draws, whichever steps they come from, and that the sum of "
    "the failures over all counts is the limit of those up to a count: as in lem:good-event."
)
_COUNTED = "The induction on t that counts the selections: its base and step are proved."
_ENDS = (
    "That a provider with q_i = 0 or q_min - beta >= 1 needs no Chernoff bound: its mean cannot reach q_min - beta > "
    "0, or is at most 1."
)
EVENT = Proof(
    "lem:good-event:sharpest",
    (*_PROBABILITY, *STITCHED_CHAIN),
    "The good event fails only at counts m with beta(m) < 1, as lem:good-event has it count by count: 6 delta/pi^2 "
    "times the sum of 1/m^2 beyond m_0. An exclusion fails with probability 6 delta/(pi^2 n) (Hoeffding or Chernoff), "
    "all n together with what the count 1 would have cost. The deviations of one mean cost have half of "
    "what the counts 2, ..., m_0 would have cost. The sum of 1/m^2 over all counts is pi^2/6: delta "
    "is spent once.",
    uses=("lem:good-event",),
    beyond=f"{IN_PROBABILITY} {_ENDS} Hoeffding's lemma and Ville's inequality for the stitched radius in each epoch, "
    "where its band is proved (stitched-band), and the sum of the failures over the epochs. That beta(m) >= 1 up to "
    f"m_0.",
)
_ONE_COUNT = (
    "One count decides: at M_i + 1 the mean of the first M_i + 1 scores is below q_min - beta(M_i + 1) but for a "
    "probability of 6 delta/(pi^2 n). By Hoeffding where beta + r < epsilon_i: who is eligible there has a mean that "
    "exceeds its quality by more than r. By Chernoff where (M_i + 1) kl(q_min - beta, q_i) >= ln(n pi^2/(6 delta)). "
    "Both are stated, and a provider needs one of the two. The n failures cost what the good event pays for the count "
    "1, at which no mean leaves its band (first-radius-above-one). On a run: induction on t from m = 1; at M_i + 1 the "
    "provider is excluded, so it is not selected, and the count on which its eligibility depends stays. Then "
    "capped-selections with the cap"
)
_USES = (
    "lem:good-event:sharpest",
    "lem:qualified-eligibility",
    "lem:unqualified-elimination",
    "lem:forced-exploration-bound",
    "lem:ordinary-selection-gap",
    "lem:unqualified-exclusion",
    "lem:unqualified-elimination:sharp",
    "lem:selection-counting",
)
UNQUALIFIED = Proof(
    "lem:unqualified-elimination:sharpest",
    (*_PROBABILITY, *_TRACE),
    f"{_ONE_COUNT}, by cost too, as in lem:unqualified-elimination:sharp.",
    uses=_USES,
    beyond=f"{IN_PROBABILITY} {_COUNTED} {_ENDS}",
)
_PROVED_ON_EVENT = (
    "That what is shown on the event has probability at least 1 - delta, as the event has (delta-is-spent-once)."
)


SAMPLE_COMPLEXITY = Proof(
    "thm:sample-complexity:sharpest",
    ANY_CAPS_CHAIN,
    "The obligations of thm:sample-complexity, for any caps of the selections: here those of "
    "lem:unqualified-elimination:sharpest, by cost too, and of the competitors those of "
    "thm:sample-complexity:sharp.",
    uses=("lem:unqualified-elimination:sharpest", "thm:sample-complexity:sharp"),
    beyond=f"{SUMS_OF_CAPS}the sharpest caps, and caps_of_competitors, that of the competitors. {_PROVED_ON_EVENT}",
)
IDENTIFICATION = Proof(
    "claim:T_id:sharpest",
    (LEADS,),
    "For the rival with the largest cap, so for all; at every T from the least one on from which the condition "
    "stays true. No part of the event depends on T.",
    uses=("thm:sample-complexity:sharpest",),
    beyond="That i* is selected on the T steps less those that miss it, and that the rival with the largest cap "
    f"speaks for all. {_PROVED_ON_EVENT}",
)
