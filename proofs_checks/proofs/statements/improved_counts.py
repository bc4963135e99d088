"""Improved bounds on selections and exploration, from the same radii, and when i* must lead.

Sources: lem:unqualified-elimination, lem:qualified-suboptimal-selection, thm:sample-complexity and
lem:forced-exploration-bound with the exact inverse of the radius, floor(m*(a)): the largest count m that satisfies
a <= 2 beta(m); the identification horizon.
"""

from __future__ import annotations

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
from proofs_checks.proofs.language.vocabulary import assuming, axiom, concluded, defining
from proofs_checks.proofs.statements.identification import CAPS_ADD_UP, IDENTIFIED, MISSES, MISSES_BASE, OTHERS_SPLIT

_LAMBERT = "That m*(a) of the formula, a value of the Lambert function, is the largest solution of a <= 2 beta(m)."
_PROBABILITY = "What lem:good-event takes from probability theory."
_ARGUMENT, _BETA, _BETA_FIRST, _LOG = constants("gap_argument beta radius_of_one_selection log_of_C")
_COUNT, _LARGEST, _CEILING, _CAP = constants("count largest_count target_rounded_up cap", INT)
_SELECTED, _EXPLORES = constants("selected explores", BOOL)
_LOG_OF_FIRST = constant("log_of_1")
_EXACT_INVERSE = defining(largest=implies(_ARGUMENT <= 2 * _BETA, _COUNT <= _LARGEST))

FIRST_RADIUS = Obligation(
    "first-radius-above-one",
    "beta(1) > 1, so every a <= 2 satisfies a <= 2 beta(1): floor(m*(a)) is at least 1",
    {
        **concluded(
            "radius-squared", radius=equal(2 * number(1) * _BETA_FIRST * _BETA_FIRST, _LOG + 2 * _LOG_OF_FIRST)
        ),
        **concluded("radius-logarithm-above-two", above_two=_LOG + 2 * _LOG_OF_FIRST > 2),
        **axiom("square-root", non_negative=_BETA_FIRST >= 0),
        **defining(largest=implies(_ARGUMENT <= 2 * _BETA_FIRST, _LARGEST >= 1)),
        **assuming(argument=_ARGUMENT <= 2),
    },
    all_of(_ARGUMENT <= 2 * _BETA_FIRST, _LARGEST >= 1),
    (
        Mutant(
            "a radius of a half",
            replace={"above-two": _LOG + 2 * _LOG_OF_FIRST > 0, "non-negative": equal(2 * _BETA_FIRST, 1)},
        ),
    ),
)
_FIRST = concluded("first-radius-above-one", first=_LARGEST >= 1)
_COST_ARGUMENT, _QUALITY_ARGUMENT = constants("normalized_cost_gap quality_gap")
_DEARER_COUNT = constant("largest_count_by_cost", INT)
DEAR_ARGUMENT = Obligation(
    "dear-unqualified-inversion-argument",
    "an unqualified winner of an auction has both gaps at most 2 beta, so their maximum is",
    {
        **concluded("normalized-gap-and-radius", by_cost=_COST_ARGUMENT <= 2 * _BETA),
        **concluded("eligible-unqualified-radius", by_quality=_QUALITY_ARGUMENT <= 2 * _BETA),
        **defining(argument=equal(_ARGUMENT, at_least(_COST_ARGUMENT, _QUALITY_ARGUMENT))),
    },
    _ARGUMENT <= 2 * _BETA,
    (Mutant("the sum of the gaps", replace={"argument": equal(_ARGUMENT, _COST_ARGUMENT + _QUALITY_ARGUMENT)}),),
)
BY_EXACT_INVERSE = Obligation(
    "count-at-most-exact-inverse",
    "a <= 2 beta(m) means m <= floor(m*(a))",
    {**_EXACT_INVERSE, **assuming(condition=_ARGUMENT <= 2 * _BETA)},
    _COUNT <= _LARGEST,
    (Mutant("one less", goal=_COUNT <= _LARGEST - 1),),
)
_SMALLER = either(at_least(_DEARER_COUNT, _CEILING - 1) >= _LARGEST, _LARGEST, at_least(_DEARER_COUNT, _CEILING - 1))
_SHARP_CAP = defining(cap=equal(_CAP, _SMALLER))
UNQUALIFIED_CAP = Obligation(
    "unqualified-selected-below-improved-cap",
    "on E, an unqualified provider is selected only at m <= min{m*(epsilon), max{m*(both gaps), ceil(g(T)) - 1}}",
    {
        **_SHARP_CAP,
        **assuming(selected=_SELECTED),
        **concluded(
            "count-at-most-exact-inverse",
            by_quality=implies(_SELECTED, _COUNT <= _LARGEST),
            by_cost=implies(all_of(_SELECTED, ~_EXPLORES), _COUNT <= _DEARER_COUNT),
        ),
        **concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _COUNT <= _CEILING - 1)),
    },
    _COUNT <= _CAP,
    (Mutant("by cost alone", replace={"cap": equal(_CAP, _DEARER_COUNT)}),),
)
UNQUALIFIED_CAP_POSITIVE = Obligation(
    "improved-cap-non-negative",
    "the improved cap of an unqualified provider is at least 0",
    {**_SHARP_CAP, **_FIRST, **concluded("first-radius-above-one", first_by_cost=_DEARER_COUNT >= 1)},
    _CAP >= 0,
)
UNQUALIFIED = Proof(
    "lem:unqualified-elimination:sharp",
    (FIRST_RADIUS, DEAR_ARGUMENT, BY_EXACT_INVERSE, UNQUALIFIED_CAP, UNQUALIFIED_CAP_POSITIVE),
    "An unqualified provider that is selected is eligible, so epsilon_i <= 2 beta; if it wins an auction, the gap of "
    "lem:ordinary-selection-gap, which holds for any winner, is at most 2 beta as well. Then capped-selections with "
    "the improved cap, by induction on t.",
    uses=(
        "lem:unqualified-elimination",
        "lem:ordinary-selection-threshold",
        "lem:forced-exploration-bound",
        "lem:radius-monotone",
    ),
    beyond=_LAMBERT,
)

_COMPETITOR_CAP_IS = defining(cap=equal(_CAP, at_least(_LARGEST, _CEILING - 1)))
COMPETITOR_CAP = Obligation(
    "competitor-selected-below-improved-cap",
    "on E, a competitor is selected only at m <= max{m*(Delta_i/c_max), ceil(g(T)) - 1}",
    {
        **_COMPETITOR_CAP_IS,
        **assuming(selected=_SELECTED),
        **concluded("count-at-most-exact-inverse", wins=implies(all_of(_SELECTED, ~_EXPLORES), _COUNT <= _LARGEST)),
        **concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _COUNT <= _CEILING - 1)),
    },
    _COUNT <= _CAP,
    (
        Mutant("without exploration", replace={"cap": equal(_CAP, _LARGEST)}),
        Mutant("without auctions", replace={"cap": equal(_CAP, _CEILING - 1)}),
    ),
)
COMPETITOR_CAP_POSITIVE = Obligation(
    "improved-competitor-cap-non-negative",
    "the improved cap of a competitor is at least 0",
    {**_COMPETITOR_CAP_IS, **_FIRST},
    _CAP >= 0,
)
COMPETITORS = Proof(
    "lem:qualified-suboptimal-selection:sharp",
    (FIRST_RADIUS, BY_EXACT_INVERSE, COMPETITOR_CAP, COMPETITOR_CAP_POSITIVE),
    "As lem:qualified-suboptimal-selection, with the largest m that satisfies a <= 2 beta(m) for L_i.",
    uses=(
        "lem:ordinary-selection-threshold",
        "lem:forced-exploration-bound",
        "lem:selection-counting",
        "lem:radius-monotone",
    ),
    beyond=_LAMBERT,
)
SAMPLE_COMPLEXITY = Proof(
    "thm:sample-complexity:sharp",
    (MISSES_BASE, MISSES, OTHERS_SPLIT, CAPS_ADD_UP, IDENTIFIED),
    "The obligations of thm:sample-complexity, for any caps of the selections: here the improved ones.",
    uses=("lem:unqualified-elimination:sharp", "lem:qualified-suboptimal-selection:sharp", "lem:good-event"),
    beyond=f"{_PROBABILITY} {_LAMBERT}",
)
TIGHTENED = Proof(
    "claim:B_id-tightened",
    (MISSES_BASE, MISSES, OTHERS_SPLIT, CAPS_ADD_UP, IDENTIFIED),
    "thm:sample-complexity before its last step: the caps are M_i and max{L_i, ceil(g(T)) - 1}.",
    uses=("lem:good-event", "lem:unqualified-elimination", "lem:qualified-suboptimal-selection"),
    beyond=_PROBABILITY,
)

_EXPLORED, _SERVED, _SMALLEST = constants("explorations served smaller_cap", INT)
EXPLORED_UNQUALIFIED = Obligation(
    "unqualified-explorations-capped",
    "an unqualified provider is explored at most min{m*(epsilon_i), ceil(g(T)) - 1} times",
    {
        **concluded("explorations-step", explorations=_EXPLORED <= _CEILING - 1),
        **concluded("capped-selections-step", selections=_SERVED <= _LARGEST),
        **defining(
            explorations_are_selections=_EXPLORED <= _SERVED,
            cap=equal(_SMALLEST, either(_LARGEST <= _CEILING - 1, _LARGEST, _CEILING - 1)),
        ),
    },
    _EXPLORED <= _SMALLEST,
)
_QUALIFIED_TOTAL, _UNQUALIFIED_TOTAL, _CAPS, _ALL = constants(
    "explorations_of_qualified explorations_of_unqualified caps_of_unqualified explorations_of_all"
)
_NUMBER, _EACH = constants("qualified_number exploration_cap")
ALL_EXPLORATIONS = Obligation(
    "all-explorations-capped",
    "exploration steps are at most |Q| (ceil(g(T)) - 1) and the caps of the unqualified",
    {
        **concluded("sum-of-equally-bounded-terms", qualified=_QUALIFIED_TOTAL <= _NUMBER * _EACH),
        **concluded("capped-terms-add-up", unqualified=_UNQUALIFIED_TOTAL <= _CAPS),
        **defining(total=equal(_ALL, _QUALIFIED_TOTAL + _UNQUALIFIED_TOTAL)),
    },
    _ALL <= _NUMBER * _EACH + _CAPS,
)
EXPLORATION = Proof(
    "lem:forced-exploration-bound:sharp",
    (EXPLORED_UNQUALIFIED, ALL_EXPLORATIONS),
    "One by one for the unqualified, then summed over them (capped-terms-add-up) and over the qualified, who have the "
    "cap of lem:forced-exploration-bound. Needs g(T) > 0, as that does.",
    uses=("lem:forced-exploration-bound", "lem:unqualified-elimination:sharp", "thm:sample-complexity"),
    beyond=_LAMBERT,
)

_HORIZON, _N, _BOUND, _MISSES = constants("horizon providers_number identification_bound misses")
_OPTIMAL_COUNT, _RIVAL_COUNT, _RIVAL_CAP, _RIVAL_SERVED = constants(
    "count_of_optimal count_of_rival cap_of_rival selections_of_rival"
)
_LEAD = {
    **concluded("sample-complexity", misses=_MISSES <= _N - 1 + _BOUND),
    **defining(optimal=equal(_OPTIMAL_COUNT, _HORIZON - _MISSES)),
    **concluded("capped-selections-step", rival=_RIVAL_SERVED <= _RIVAL_CAP),
    **concluded("selection-counting-step", rival_count=equal(_RIVAL_COUNT, _RIVAL_SERVED + 1)),
}
_LEADS = _OPTIMAL_COUNT > _RIVAL_COUNT
LEADS = Obligation(
    "optimal-leads-by-one-cap",
    "T > N + B_id(T) + cap_i means that i* is selected more often than i until T",
    {**_LEAD, **assuming(horizon=_HORIZON > _N + _BOUND + _RIVAL_CAP)},
    _LEADS,
    (Mutant("at equality", replace={"horizon": _HORIZON >= _N + _BOUND + _RIVAL_CAP}),),
)
LEADS_TWICE = Obligation(
    "optimal-leads-by-twice-the-bound",
    "T > N + 2 B_id(T) means that i* is selected more often than any other until T",
    {**_LEAD, **defining(cap_in_bound=_RIVAL_CAP <= _BOUND), **assuming(horizon=_HORIZON > _N + 2 * _BOUND)},
    _LEADS,
    (
        Mutant("at equality", replace={"horizon": _HORIZON >= _N + 2 * _BOUND}),
        Mutant("once the bound", replace={"horizon": _HORIZON > _N + _BOUND}),
    ),
)
IDENTIFICATION_REPAIRED = Proof(
    "claim:T_id:repaired",
    (LEADS_TWICE,),
    "B_id(T) is a sum of caps, none negative (threshold-at-least-one), so it is at least any one of them. At every T "
    "with T > N + 2 B_id(T), so at every T from the least one on from which that stays true.",
    uses=("claim:B_id-tightened",),
    beyond=_PROBABILITY,
)
IDENTIFICATION_SHARP = Proof(
    "claim:T_id:sharp",
    (LEADS,),
    "For the rival with the largest cap, so for all; at every T from the least one on from which the condition stays "
    "true.",
    uses=("thm:sample-complexity:sharp",),
    beyond=f"{_PROBABILITY} {_LAMBERT}",
)
