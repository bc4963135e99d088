"""Improved bounds from the same radii: selections, exploration, the radius sum, regrets, payments; when i* must lead.

Sources: lem:unqualified-elimination, lem:qualified-suboptimal-selection, thm:sample-complexity and
lem:forced-exploration-bound with the exact inverse of the radius, floor(m*(a)): the largest count m that satisfies
a <= 2 beta(m); the identification horizon. lem:radius-sum with max{1, (T - N)/N} for T in the logarithm: equal shares
s = (T - N)/N are the worst case, by a tangent. F(D) stands for sqrt(D (ln C + 2 ln D)), which bounds the radii of a
provider with D selections up to sqrt(2); L for ln C + 2 ln s; r for F(s) = sqrt(s L). Last the theorems that rest on
both.
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import (
    log_product,
    log_tangent,
    positive_root,
    root_non_negative,
    root_positive,
    root_squared,
    square_root,
)
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import (
    BOOL,
    INT,
    all_of,
    any_of,
    at_least,
    constant,
    constants,
    either,
    equal,
    function,
    implies,
    number,
)
from proofs_checks.proofs.language.vocabulary import (
    COST_BOUND,
    ELIGIBLE,
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
from proofs_checks.proofs.statements.convergence import CHAIN, COMPOSITION, USES, each_side
from proofs_checks.proofs.statements.eligibility import ORDINARY_COUNTS
from proofs_checks.proofs.statements.payments import (
    PAYMENT,
    TARGET_RADIUS,
    TWO_SIDED_WITH_THREE,
    band,
    target_non_negative,
)
from proofs_checks.proofs.statements.radii import LOG_OF_SMALLER, SMALLER
from proofs_checks.proofs.statements.regrets import (
    COST_CHAIN,
    COST_COMPOSITION,
    COUNTED,
    DEVIATION_GENERATION,
    EXPLORATIONS,
    GENERAL_CHAIN,
    NUMBER,
    QUALITY,
    together,
)
from proofs_checks.proofs.statements.selection import (
    ADJUSTED,
    ANY_CAPS_CHAIN,
    FROM_PROBABILITY,
    GAP,
    SUMS_OF_CAPS,
    TIGHT_SUMS,
    WIDENED,
)
from proofs_checks.proofs.statements.shared import COUNT, QUALIFIED, SECOND_COST, bids, qualified_are_eligible, to_real

_LAMBERT = "That m*(a) of the formula, a value of the Lambert function, is the largest solution of a <= 2 beta(m)."
_THRESHOLDS = ("lem:ordinary-selection-threshold", "lem:forced-exploration-bound")
_COUNTING = (
    "The induction on t that counts the selections up to the improved cap: lem:selection-counting has its steps."
)
_ARGUMENT, _BETA, _BETA_FIRST, _LOG = constants("gap_argument beta radius_of_one_selection log_of_C")
_COUNT, _LARGEST, _CEILING, _CAP = constants("count largest_count target_rounded_up cap", INT)
_SELECTED, _EXPLORES = constants("selected explores", BOOL)
_LOG_OF_ONE = constant("log_of_1")
_FIRST_LOG = _LOG + 2 * _LOG_OF_ONE

FIRST_RADIUS = Obligation(
    "first-radius-above-one",
    "beta(1) > 1, so every a <= 2 satisfies a <= 2 beta(1): floor(m*(a)) is at least 1",
    concluded("radius-squared", radius=equal(2 * number(1) * _BETA_FIRST * _BETA_FIRST, _FIRST_LOG))
    | read(
        concluded("radius-logarithm-above-two", above_two=_FIRST_LOG > 2),
        {SMALLER: number(1), LOG_OF_SMALLER: _LOG_OF_ONE},
    )
    | {"non-negative": root_non_negative(_BETA_FIRST, _FIRST_LOG / 2)}
    | defining(largest=implies(_ARGUMENT <= 2 * _BETA_FIRST, _LARGEST >= 1))
    | assuming(argument=_ARGUMENT <= 2),
    all_of(_ARGUMENT <= 2 * _BETA_FIRST, _LARGEST >= 1),
    (Mutant("a radius of a half", {"above-two": _FIRST_LOG > 0, "non-negative": equal(2 * _BETA_FIRST, 1)}),),
)
_FIRST = concluded("first-radius-above-one", first=_LARGEST >= 1)
_COST_ARGUMENT, _QUALITY_ARGUMENT = constants("normalized_cost_gap quality_gap")
_DEARER_COUNT = constant("largest_count_by_cost", INT)
DEAR_ARGUMENT = Obligation(
    "dear-unqualified-inversion-argument",
    "an unqualified winner of an auction has both gaps at most 2 beta, so their maximum is",
    concluded("normalized-gap-and-radius", by_cost=_COST_ARGUMENT <= 2 * _BETA)
    | concluded("eligible-unqualified-radius", by_quality=_QUALITY_ARGUMENT <= 2 * _BETA)
    | defining(argument=equal(_ARGUMENT, at_least(_COST_ARGUMENT, _QUALITY_ARGUMENT))),
    _ARGUMENT <= 2 * _BETA,
    (Mutant("the sum of the gaps", {"argument": equal(_ARGUMENT, _COST_ARGUMENT + _QUALITY_ARGUMENT)}),),
)
BY_EXACT_INVERSE = Obligation(
    "count-at-most-exact-inverse",
    "a <= 2 beta(m) means m <= floor(m*(a))",
    defining(largest=implies(_ARGUMENT <= 2 * _BETA, _COUNT <= _LARGEST)) | assuming(condition=_ARGUMENT <= 2 * _BETA),
    _COUNT <= _LARGEST,
    (Mutant("one less", goal=_COUNT <= _LARGEST - 1),),
)
_SMALLER = either(at_least(_DEARER_COUNT, _CEILING - 1) >= _LARGEST, _LARGEST, at_least(_DEARER_COUNT, _CEILING - 1))
_SHARP_CAP = defining(cap=equal(_CAP, _SMALLER))
UNQUALIFIED_CAP = Obligation(
    "unqualified-selected-below-improved-cap",
    "on E, an unqualified provider is selected only at m <= min{m*(epsilon), max{m*(both gaps), ceil(g(T)) - 1}}",
    _SHARP_CAP
    | assuming(selected=_SELECTED)
    | concluded(
        "count-at-most-exact-inverse",
        by_quality=implies(_SELECTED, _COUNT <= _LARGEST),
        by_cost=implies(all_of(_SELECTED, ~_EXPLORES), _COUNT <= _DEARER_COUNT),
    )
    | concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _COUNT <= _CEILING - 1)),
    _COUNT <= _CAP,
    (Mutant("by cost alone", {"cap": equal(_CAP, _DEARER_COUNT)}),),
)
UNQUALIFIED_CAP_POSITIVE = Obligation(
    "improved-cap-non-negative",
    "the improved cap of an unqualified provider is at least 0",
    _SHARP_CAP | _FIRST | concluded("first-radius-above-one", first_by_cost=_DEARER_COUNT >= 1),
    _CAP >= 0,
)
UNQUALIFIED = Proof(
    "lem:unqualified-elimination:sharp",
    (FIRST_RADIUS, DEAR_ARGUMENT, BY_EXACT_INVERSE, UNQUALIFIED_CAP, UNQUALIFIED_CAP_POSITIVE),
    "An unqualified provider that is selected is eligible, so epsilon_i <= 2 beta; if it wins an auction, the gap of "
    "lem:ordinary-selection-gap, which holds for any winner, is at most 2 beta as well. Then capped-selections with "
    "the improved cap, by induction on t.",
    uses=("lem:unqualified-elimination", *_THRESHOLDS, "lem:radius-monotone"),
    beyond=f"{_COUNTING} {_LAMBERT}",
)

_COMPETITOR_CAP_IS = defining(cap=equal(_CAP, at_least(_LARGEST, _CEILING - 1)))
COMPETITOR_CAP = Obligation(
    "competitor-selected-below-improved-cap",
    "on E, a competitor is selected only at m <= max{m*(Delta_i/c_max), ceil(g(T)) - 1}",
    _COMPETITOR_CAP_IS
    | assuming(selected=_SELECTED)
    | concluded("count-at-most-exact-inverse", wins=implies(all_of(_SELECTED, ~_EXPLORES), _COUNT <= _LARGEST))
    | concluded("explored-at-most-ceiling", explored=implies(all_of(_SELECTED, _EXPLORES), _COUNT <= _CEILING - 1)),
    _COUNT <= _CAP,
    (
        Mutant("without exploration", {"cap": equal(_CAP, _LARGEST)}),
        Mutant("without auctions", {"cap": equal(_CAP, _CEILING - 1)}),
    ),
)
COMPETITOR_CAP_POSITIVE = Obligation(
    "improved-competitor-cap-non-negative",
    "the improved cap of a competitor is at least 0",
    _COMPETITOR_CAP_IS | _FIRST,
    _CAP >= 0,
)
SAMPLE_COMPLEXITY = Proof(
    "thm:sample-complexity:sharp",
    (FIRST_RADIUS, BY_EXACT_INVERSE, COMPETITOR_CAP, COMPETITOR_CAP_POSITIVE, *ANY_CAPS_CHAIN),
    "The obligations of thm:sample-complexity, for any caps of the selections: here the improved ones. Those of the "
    "competitors are as in lem:qualified-suboptimal-selection, with the largest m that satisfies a <= 2 beta(m) for "
    "L_i.",
    uses=(
        "lem:unqualified-elimination:sharp",
        *_THRESHOLDS,
        "lem:selection-counting",
        "lem:radius-monotone",
        "lem:good-event",
    ),
    beyond=f"{_COUNTING} {SUMS_OF_CAPS}the improved caps, and caps_of_competitors, that of the competitors. "
    f"{FROM_PROBABILITY} {_LAMBERT}",
)
TIGHTENED = Proof(
    "claim:B_id-tightened",
    ANY_CAPS_CHAIN,
    "thm:sample-complexity before its last step: the caps are M_i and max{L_i, ceil(g(T)) - 1}.",
    uses=("lem:good-event", "lem:unqualified-elimination", "lem:qualified-suboptimal-selection"),
    beyond=f"{TIGHT_SUMS} {FROM_PROBABILITY}",
)

_EXPLORED, _SERVED, _SMALLEST = constants("explorations served smaller_cap", INT)
EXPLORED_UNQUALIFIED = Obligation(
    "unqualified-explorations-capped",
    "an unqualified provider is explored at most min{m*(epsilon_i), ceil(g(T)) - 1} times",
    concluded("explorations-step", explorations=_EXPLORED <= _CEILING - 1)
    | concluded("capped-selections-step", selections=_SERVED <= _LARGEST)
    | defining(
        explorations_are_selections=_EXPLORED <= _SERVED,
        cap=equal(_SMALLEST, either(_LARGEST <= _CEILING - 1, _LARGEST, _CEILING - 1)),
    ),
    _EXPLORED <= _SMALLEST,
)
_QUALIFIED_TOTAL, _UNQUALIFIED_TOTAL = constants("explorations_of_qualified explorations_of_unqualified")
_CAPS, _ALL, _NUMBER, _EACH = constants("caps_of_unqualified explorations_of_all qualified_number exploration_cap")
ALL_EXPLORATIONS = Obligation(
    "all-explorations-capped",
    "exploration steps are at most |Q| (ceil(g(T)) - 1) and the caps of the unqualified",
    concluded("sum-of-equally-bounded-terms", qualified=_QUALIFIED_TOTAL <= _NUMBER * _EACH)
    | concluded("capped-terms-add-up", unqualified=_UNQUALIFIED_TOTAL <= _CAPS)
    | defining(total=equal(_ALL, _QUALIFIED_TOTAL + _UNQUALIFIED_TOTAL)),
    _ALL <= _NUMBER * _EACH + _CAPS,
)
EXPLORATION = Proof(
    "lem:forced-exploration-bound:sharp",
    (EXPLORED_UNQUALIFIED, ALL_EXPLORATIONS),
    "One by one for the unqualified, then summed over them (capped-terms-add-up) and over the qualified, who have the "
    "cap of lem:forced-exploration-bound. Needs g(T) > 0, as that does.",
    uses=("lem:forced-exploration-bound", "lem:unqualified-elimination:sharp", "thm:sample-complexity"),
    beyond="The sums over providers, whose steps are proved: that all explorations are those of the qualified and "
    f"those of the unqualified, and that an exploration is a selection. {_LAMBERT}",
)

_HORIZON, _N, _BOUND, _MISSES = constants("horizon providers_number identification_bound misses")
_OPTIMAL_COUNT, _RIVAL_COUNT, _RIVAL_CAP = constants("count_of_optimal count_of_rival cap_of_rival")
_RIVAL_SERVED = constant("selections_of_rival")
_LEAD = (
    concluded("sample-complexity", misses=_MISSES <= _N - 1 + _BOUND)
    | defining(optimal=equal(_OPTIMAL_COUNT, _HORIZON - _MISSES))
    | concluded("capped-selections-step", rival=_RIVAL_SERVED <= _RIVAL_CAP)
    | concluded("selection-counting-step", rival_count=equal(_RIVAL_COUNT, _RIVAL_SERVED + 1))
)
_LEADS = _OPTIMAL_COUNT > _RIVAL_COUNT
LEADS = Obligation(
    "optimal-leads-by-one-cap",
    "T > N + B_id(T) + cap_i means that i* is selected more often than i until T",
    _LEAD | assuming(horizon=_HORIZON > _N + _BOUND + _RIVAL_CAP),
    _LEADS,
    (Mutant("at equality", {"horizon": _HORIZON >= _N + _BOUND + _RIVAL_CAP}),),
)
LEADS_TWICE = Obligation(
    "optimal-leads-by-twice-the-bound",
    "T > N + 2 B_id(T) means that i* is selected more often than any other until T",
    _LEAD | assuming(cap_in_bound=_RIVAL_CAP <= _BOUND, horizon=_HORIZON > _N + 2 * _BOUND),
    _LEADS,
    (
        Mutant("at equality", {"horizon": _HORIZON >= _N + 2 * _BOUND}),
        Mutant("once the bound", {"horizon": _HORIZON > _N + _BOUND}),
    ),
)
IDENTIFICATION_REPAIRED = Proof(
    "claim:T_id:repaired",
    (LEADS_TWICE,),
    "B_id(T) is a sum of caps, none negative (threshold-at-least-one), so it is at least any one of them. At every T "
    "with T > N + 2 B_id(T), so at every T from the least one on from which that stays true.",
    uses=("claim:B_id-tightened",),
    beyond="That the cap of each rival is at most B_id(T), a sum of caps none of which is negative: the obligation "
    f"assumes it. That i* is selected on the T steps less those that miss it. {FROM_PROBABILITY}",
)
IDENTIFICATION_SHARP = Proof(
    "claim:T_id:sharp",
    (LEADS,),
    "For the rival with the largest cap, so for all; at every T from the least one on from which the condition stays "
    "true.",
    uses=("thm:sample-complexity:sharp",),
    beyond="That i* is selected on the T steps less those that miss it, and that the rival with the largest cap "
    f"speaks for all. {FROM_PROBABILITY} {_LAMBERT}",
)


_SHARE, _D, _L, _LOG_RATIO = constants("share selections log_at_share log_of_ratio")
_F, _R, _PRODUCT, _SCALED_LOG = constants("root_of_one root_at_share product_of_roots scaled_log_of_ratio")
_TANGENT = 2 * _L * _SHARE + (_L + 2) * (_D - _SHARE)

_WIDTH, _ROOT_OF_D, _LOG_C, _LOG_D = constants("width root_of_selections log_of_C log_of_selections")
_LOG_SHARE = constant("log_of_share")
ROOT_SQUARED = Obligation(
    "share-root-squared",
    "F(D) = sqrt(ln(C D^2)) sqrt(D) has the square D (L + 2 ln(D/s))",
    defining(root=equal(_F, _WIDTH * _ROOT_OF_D), at_share=equal(_L, _LOG_C + 2 * _LOG_SHARE))
    | {
        "width": square_root(_WIDTH, _LOG_C + 2 * _LOG_D),
        "root-of-selections": square_root(_ROOT_OF_D, _D),
        "ratio": log_product(
            _LOG_D, _LOG_SHARE + _LOG_RATIO, {_LOG_D: _D, _LOG_SHARE: _SHARE, _LOG_RATIO: _D / _SHARE}
        ),
    },
    equal(_F * _F, _D * (_L + 2 * _LOG_RATIO)),
)
_SCALED_IS = defining(scaled=equal(_SCALED_LOG, _SHARE * _LOG_RATIO))
SCALED_TANGENT = Obligation(
    "share-scaled-log-tangent",
    "s ln(D/s) <= D - s",
    {"tangent": log_tangent(_LOG_RATIO, _D / _SHARE)} | assuming(share_positive=_SHARE > 0) | _SCALED_IS,
    _SCALED_LOG <= _D - _SHARE,
)
_ROOTS = (
    concluded("share-root-squared", root=equal(_F * _F, _D * (_L + 2 * _LOG_RATIO)))
    | {"root-at-share": square_root(_R, _SHARE * _L)}
    | defining(product=equal(_PRODUCT, _R * _F))
)
_PRODUCT_SQUARED = equal(_PRODUCT * _PRODUCT, _L * _D * (_SHARE * _L + 2 * _SCALED_LOG))
PRODUCT_SQUARED = Obligation(
    "share-product-of-roots-squared", "(r F(D))^2 = L D (s L + 2 s ln(D/s))", _ROOTS | _SCALED_IS, _PRODUCT_SQUARED
)
_SMALLER_SLOPE = 2 * _L * _SHARE + _L * (_D - _SHARE)
TANGENT_SQUARED = Obligation(
    "share-tangent-squared",
    "(2 r F(D))^2 <= (2 L s + (L + 2)(D - s))^2: the difference is at least ((L - 2)(D - s))^2",
    concluded("share-product-of-roots-squared", product=_PRODUCT_SQUARED)
    | concluded("share-scaled-log-tangent", tangent=_SCALED_LOG <= _D - _SHARE)
    | concluded("radius-logarithm-above-two", above_two=_L > 2)
    | assuming(selected=_D > 0),
    2 * _PRODUCT * (2 * _PRODUCT) <= _TANGENT * _TANGENT,
    (
        Mutant("a smaller slope", goal=4 * _PRODUCT * _PRODUCT <= _SMALLER_SLOPE * _SMALLER_SLOPE),
        Mutant("negative selections", {"selected": equal(_D, -1), "above-two": equal(_L, 3)}),
    ),
    hints=((_L - 2) * (_D - _SHARE),),
    redundant={"selected": "cvc5 finds no numbers without it; it does where a mutant replaces it"},
)
TANGENT_NON_NEGATIVE = Obligation(
    "share-tangent-non-negative",
    "2 L s + (L + 2)(D - s) >= 0 for L > 2 and D >= 0",
    concluded("radius-logarithm-above-two", above_two=_L > 2) | assuming(selections=_D >= 0, share_positive=_SHARE > 0),
    _TANGENT >= 0,
    (Mutant("a logarithm below two", {"above-two": _L > 1}),),
)
PRODUCT_BELOW_TANGENT = Obligation(
    "share-product-below-tangent",
    "2 r F(D) <= 2 L s + (L + 2)(D - s) for D > 0",
    concluded("share-tangent-squared", squares=2 * _PRODUCT * (2 * _PRODUCT) <= _TANGENT * _TANGENT)
    | concluded("share-tangent-non-negative", tangent_non_negative=_TANGENT >= 0),
    2 * _PRODUCT <= _TANGENT,
)
_BELOW_TANGENT = 2 * _R * _F <= _TANGENT
BELOW_TANGENT = Obligation(
    "share-root-below-tangent",
    "the same for D >= 0",
    defining(product=equal(_PRODUCT, _R * _F), none=implies(equal(_D, 0), equal(_F, 0)))
    | assuming(selections=_D >= 0)
    | concluded("share-product-below-tangent", positive=implies(_D > 0, 2 * _PRODUCT <= _TANGENT))
    | concluded("share-tangent-non-negative", tangent_non_negative=_TANGENT >= 0),
    _BELOW_TANGENT,
)
_ROOT_SUM, _TOTAL, _PROVIDERS = constants("sum_of_roots selections_in_total providers_so_far")
_BELOW_TANGENTS = 2 * _R * _ROOT_SUM <= 2 * _L * _SHARE * _PROVIDERS + (_L + 2) * (_TOTAL - _PROVIDERS * _SHARE)
SUM_BELOW = Obligation(
    "share-sum-below-tangents",
    "2 r sum F(D_i) <= 2 L s n + (L + 2)(sum D_i - n s), step over the providers",
    induction(_BELOW_TANGENTS, start={_ROOT_SUM: 0, _TOTAL: 0, _PROVIDERS: 0})
    | concluded("share-root-below-tangent", one=_BELOW_TANGENT),
    2 * _R * (_ROOT_SUM + _F)
    <= 2 * _L * _SHARE * (_PROVIDERS + 1) + (_L + 2) * (_TOTAL + _D - (_PROVIDERS + 1) * _SHARE),
)
SHARES_ADD_UP = Obligation(
    "shares-add-up-to-selections",
    "the D_i add up to N s, for s = (T - N)/N",
    concluded("selections-add-up-to-steps", total=equal(_TOTAL, _HORIZON - _PROVIDERS))
    | defining(share=equal(_SHARE, (_HORIZON - _PROVIDERS) / _PROVIDERS))
    | assuming(two_providers=_PROVIDERS >= 2),
    equal(_TOTAL, _PROVIDERS * _SHARE),
    (Mutant("initialization too", {"total": equal(_TOTAL, _HORIZON)}),),
)
_TOTAL_IS = concluded("shares-add-up-to-selections", total=equal(_TOTAL, _PROVIDERS * _SHARE))
ROOTS_AT_SHARES = Obligation(
    "share-roots-at-most-equal-shares",
    "sum F(D_i) <= N F(s), where the D_i add up to N s: equal shares are the worst case",
    concluded("share-sum-below-tangents", tangents=_BELOW_TANGENTS)
    | _TOTAL_IS
    | {"root": root_positive(_R, _SHARE * _L), "squared": root_squared(_R, _SHARE * _L)},
    _ROOT_SUM <= _PROVIDERS * _R,
)
AT_ONE = Obligation(
    "share-root-below-line-at-one",
    "F(D) <= D sqrt(ln C) for whole D: for D >= 1 by the tangent at s = 1",
    concluded("radius-logarithm-above-two", above_two=_L > 2)
    | read(
        concluded("share-root-below-tangent", tangent=2 * _R * _F <= 2 * _L + (_L + 2) * (_D - 1)), {_SHARE: number(1)}
    )
    | {"root": root_positive(_R, _L), "squared": root_squared(_R, _L)}
    | assuming(selected=_D >= 1),
    _F <= _D * _R,
    (Mutant("a logarithm of one", {"above-two": _L > 1}),),
)
LINES_ADD_UP = Obligation(
    "share-lines-add-up",
    "sum F(D_i) <= sqrt(ln C) sum D_i, step over the providers; 0 for a provider without selections",
    induction(_ROOT_SUM <= _TOTAL * _R, start={_ROOT_SUM: 0, _TOTAL: 0})
    | concluded("share-root-below-line-at-one", line=implies(_D >= 1, _F <= _D * _R))
    | defining(none=implies(equal(_D, 0), equal(_F, 0)), whole=any_of(equal(_D, 0), _D >= 1)),
    _ROOT_SUM + _F <= (_TOTAL + _D) * _R,
)
_BOUND_OF_SUM, _ROOT_TWO, _RADII = constants("bound_of_sum root_of_two radii_of_providers")
_LEADING, _SCALED = constants("root_of_two_times_root root_of_two_times_sum")
_LEADING_IS = concluded("width-times-root-of-two-squared", leading=equal(_LEADING * _LEADING, 2 * _R * _R))
_BOUND_IS = {"bound": square_root(_BOUND_OF_SUM, 2 * _PROVIDERS * _TOTAL * _L)}
_BOUNDED = _SCALED * _SCALED <= _BOUND_OF_SUM * _BOUND_OF_SUM
MANY_SQUARED = Obligation(
    "share-bound-squared",
    "(sqrt(2) N F(s))^2 = 2 N (T - N) ln(C s^2)",
    _LEADING_IS
    | _BOUND_IS
    | {"squared": root_squared(_R, _SHARE * _L)}
    | _TOTAL_IS
    | defining(scaled=equal(_SCALED, _PROVIDERS * _LEADING)),
    _BOUNDED,
)
FEW_SQUARED = Obligation(
    "few-selections-bound-squared",
    "(sqrt(2) (T - N) sqrt(ln C))^2 <= 2 N (T - N) ln C for T - N <= N",
    _LEADING_IS
    | _BOUND_IS
    | {"squared": root_squared(_R, _L)}
    | assuming(few=_TOTAL <= _PROVIDERS, selections=_TOTAL >= 0)
    | defining(scaled=equal(_SCALED, _TOTAL * _LEADING)),
    _BOUNDED,
    hints=(_R,),
    signs=(_L,),
)
_RADII_OF_ONE = constant("sum_of_radii")
RADII_BY_ROOTS = Obligation(
    "share-radii-by-roots",
    "the radii of all providers add up to at most sqrt(2) sum F(D_i), step over the providers",
    induction(_RADII * _ROOT_TWO <= 2 * _ROOT_SUM, start={_RADII: 0, _ROOT_SUM: 0})
    | concluded("radii-of-one-provider", radii=_RADII_OF_ONE * _ROOT_TWO <= 2 * _WIDTH * _ROOT_OF_D)
    | defining(root=equal(_F, _WIDTH * _ROOT_OF_D)),
    (_RADII + _RADII_OF_ONE) * _ROOT_TWO <= 2 * (_ROOT_SUM + _F),
)
_SIDE = constant("root_bound")
FINAL = Obligation(
    "improved-radius-sum",
    "the radii add up to at most sqrt(2) sum F(D_i) <= sqrt(2 N (T - N) ln(C max{1, s}^2))",
    concluded("share-radii-by-roots", radii=_RADII * _ROOT_TWO <= 2 * _ROOT_SUM)
    | {"root-of-two": positive_root(_ROOT_TWO, 2)}
    | concluded("share-roots-at-most-equal-shares", roots=_ROOT_SUM <= _SIDE)
    | defining(scaled=equal(_SCALED, _ROOT_TWO * _SIDE))
    | concluded("share-bound-squared", squares=_BOUNDED)
    | {"bound": root_non_negative(_BOUND_OF_SUM, 2 * _PROVIDERS * _TOTAL * _L)},
    _RADII <= _BOUND_OF_SUM,
)
_TANGENTS = (ROOT_SQUARED, SCALED_TANGENT, PRODUCT_SQUARED, TANGENT_SQUARED, TANGENT_NON_NEGATIVE)
_SHARES = (PRODUCT_BELOW_TANGENT, BELOW_TANGENT, SUM_BELOW, SHARES_ADD_UP, ROOTS_AT_SHARES, AT_ONE, LINES_ADD_UP)
REGRETS = Proof(
    "thm:generation-regret:sharp",
    together((*_TANGENTS, *_SHARES, MANY_SQUARED, FEW_SQUARED, RADII_BY_ROOTS, FINAL), QUALITY.obligations, COST_CHAIN),
    "As thm:quality-guarantee and thm:generation-regret, by obligations that hold for any caps and any bound of the "
    "radius sum: here the caps of lem:unqualified-elimination:sharp and thm:sample-complexity:sharp. Of the radii, "
    "lem:radius-sum bounds those of one provider by sqrt(2 D_i) sqrt(ln(C T^2)) for counts up to T; with D_i for T it "
    "gives sqrt(2) F(D_i), and F(0) = 0. For s >= 1 the tangent of F at s, by induction over the providers, gives sum "
    "F(D_i) <= N F(s); for s < 1 the tangent at 1 gives (T - N) sqrt(ln C). improved-radius-sum is for either bound "
    "(root_bound), with few-selections-bound-squared for s < 1; radius-sum with it bounds the sum of the a_t. "
    f"Inductions begin with empty sums; for T = N all sums are empty. Of the costs: {COST_COMPOSITION}",
    uses=(
        "thm:quality-guarantee",
        "thm:generation-regret",
        "lem:radius-sum",
        "lem:radius-monotone",
        "lem:unqualified-elimination:sharp",
        "thm:sample-complexity:sharp",
    ),
    beyond="The sums over steps, counts and providers: their steps are proved. That they hold with the improved caps "
    "and sum of radii is read.",
)
ANYTIME = Proof(
    "thm:deviation-generation-regret:anytime",
    COST_CHAIN,
    f"The first bound of thm:deviation-generation-regret, which holds whatever the cost gaps. {COST_COMPOSITION}",
    uses=DEVIATION_GENERATION.uses,
    beyond="The sums over steps and over providers: their steps are proved.",
)

_I, _J = provider("i"), provider("j")
#: floor(m*(epsilon_i)): the largest count m with epsilon_i <= 2 beta(m).
_LARGEST_COUNT = function("largest_count_of", INT)
_LEVEL, _TARGET = constants("largest_of_counts target_now")
ORDINARY_SET = Obligation(
    "ordinary-eligible-are-qualified-by-exact-inverse",
    "on E, in an auction with g(t) > max{1, max floor(m*(epsilon_i))}, the eligible providers are the qualified ones",
    qualified_are_eligible()
    | concluded(
        "count-at-most-exact-inverse",
        unqualified_counts=every(implies(all_of(~QUALIFIED(_J), ELIGIBLE(_J)), COUNT(_J) <= _LARGEST_COUNT(_J))),
    )
    | concluded("ordinary-counts", counts=every(implies(ELIGIBLE(_J), to_real(COUNT(_J)) >= _TARGET)))
    | defining(level=every(implies(~QUALIFIED(_J), to_real(_LARGEST_COUNT(_J)) <= _LEVEL)))
    | concluded("after-T0-target-above-thresholds", late=_TARGET > _LEVEL),
    equal(ELIGIBLE(_I), QUALIFIED(_I)),
    (Mutant("at the level", {"late": _TARGET >= _LEVEL}),),
)
EARLY = Obligation(
    "early-deviation-in-range",
    "with bids in [0, c_max], |pi_t - c_(2)| <= max{c_(2), c_max - c_(2)} on any step",
    only(bids(), "deviations-non-negative") | concluded("payment-in-range", payment=within(0, PAYMENT, COST_BOUND)),
    each_side(at_least(SECOND_COST, COST_BOUND - SECOND_COST)),
    (Mutant("the smaller of the two", goal=each_side(SECOND_COST)),),
)
ORDINARY = Obligation(
    "auction-deviation-with-two",
    "in an auction after T_0 |pi_t - c_(2)| <= 2 R + max{d_-, d_+}",
    target_non_negative() | concluded("two-sided-payment-with-two", two_sided=band(2)),
    each_side(2 * TARGET_RADIUS),
    (Mutant("1 for 2", goal=each_side(TARGET_RADIUS)),),
)
_CAPS_OF_EXPLORATIONS = constant("caps_of_explorations")
COUNTED_PAYMENTS = Obligation(
    "initialization-and-capped-exploration",
    "c_max is paid on at most N steps of initialization and as many of exploration as their caps allow",
    defining(counted=equal(COUNTED, NUMBER + EXPLORATIONS))
    | concluded("all-explorations-capped", explored=EXPLORATIONS <= _CAPS_OF_EXPLORATIONS),
    COUNTED <= NUMBER + _CAPS_OF_EXPLORATIONS,
    (Mutant("without initialization", goal=COUNTED <= _CAPS_OF_EXPLORATIONS),),
)
PAYMENTS = Proof(
    "thm:regret:sharp",
    together((ORDINARY_COUNTS, ORDINARY_SET, EARLY, ORDINARY, COUNTED_PAYMENTS), CHAIN, GENERAL_CHAIN),
    "The excess: as thm:excess-payment-general with the counts of lem:forced-exploration-bound:sharp and the root "
    f"of thm:generation-regret:sharp. The average: {COMPOSITION} Here T_0 is N max{{1, (M/k)^(1/alpha)}} for M = "
    "max{1, max floor(m*(epsilon_i))}, E = max{c_(2), c_max - c_(2)}, and the band is of 2 radii, so that the last "
    "term has 4/(2 - alpha) for 6/(2 - alpha).",
    uses=(
        *USES,
        "lem:payment-range",
        "lem:two-sided-payment:sharp",
        "lem:ordinary-qualified-set",
        "lem:unqualified-elimination:sharp",
        "lem:forced-exploration-bound:sharp",
        "thm:generation-regret:sharp",
        "thm:excess-payment-general",
        "thm:regret",
    ),
    beyond="The sums over the steps: their steps are proved.",
)
SUMMARY = Proof(
    "claim:summary-appC",
    (WIDENED, ADJUSTED, GAP, TWO_SIDED_WITH_THREE),
    "The last sentence of the summary of appendix C; the sentences before it are summaries of claims with proofs of "
    "their own. Every obligation of the statements below has d_-, d_+ and the radius (1 + gamma) c_max beta(m) as "
    "parameters, so they hold for both at once; L_i is M at a = (Delta_i - d_- - d_+)/((1 + gamma) c_max).",
    uses=(
        "lem:bayesian-cost-concentration",
        "lem:deviation-adjusted-bid-bounds",
        "prop:deviation-selection",
        "thm:quality-guarantee",
        "thm:deviation-generation-regret",
        "lem:deviation-payment",
        "thm:deviation-payment-convergence",
    ),
    beyond="The claims that it sums up, and the limits.",
)
