"""The improved radius sum: equal shares s = (T - N)/N are the worst case, by a tangent of sqrt(D (ln C + 2 ln D)).

Source: lem:radius-sum, with max{1, (T - N)/N} for T in the logarithm. F(D) stands for sqrt(D (ln C + 2 ln D)), which
bounds the radii of a provider with D selections up to sqrt(2); L for ln C + 2 ln s; r for F(s) = sqrt(s L).
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import log_product, log_tangent, square_root
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import all_of, any_of, constant, constants, equal, implies
from proofs_checks.proofs.language.vocabulary import assuming, axiom, concluded, defining, induction

_SHARE, _D, _LOG, _LOG_RATIO = constants("share selections log_at_share log_of_ratio")
_F, _R, _PRODUCT, _SCALED_LOG = constants("root_of_one root_at_share product_of_roots scaled_log_of_ratio")
_TANGENT = 2 * _LOG * _SHARE + (_LOG + 2) * (_D - _SHARE)

_WIDTH, _ROOT_OF_D, _LOG_C, _LOG_D, _LOG_SHARE = constants(
    "width root_of_selections log_of_C log_of_selections log_of_share"
)
ROOT_SQUARED = Obligation(
    "share-root-squared",
    "F(D) = sqrt(ln(C D^2)) sqrt(D) has the square D (L + 2 ln(D/s))",
    {
        **defining(root=equal(_F, _WIDTH * _ROOT_OF_D), at_share=equal(_LOG, _LOG_C + 2 * _LOG_SHARE)),
        "width": square_root(_WIDTH, _LOG_C + 2 * _LOG_D),
        "root-of-selections": square_root(_ROOT_OF_D, _D),
        "ratio": log_product(_LOG_D, _LOG_SHARE + _LOG_RATIO),
    },
    equal(_F * _F, _D * (_LOG + 2 * _LOG_RATIO)),
)
_SCALED_IS = defining(scaled=equal(_SCALED_LOG, _SHARE * _LOG_RATIO))
SCALED_TANGENT = Obligation(
    "share-scaled-log-tangent",
    "s ln(D/s) <= D - s",
    {"tangent": log_tangent(_LOG_RATIO, _D / _SHARE), **assuming(share_positive=_SHARE > 0), **_SCALED_IS},
    _SCALED_LOG <= _D - _SHARE,
)
_ROOTS = {
    **concluded("share-root-squared", root=equal(_F * _F, _D * (_LOG + 2 * _LOG_RATIO))),
    "root-at-share": square_root(_R, _SHARE * _LOG),
    **defining(product=equal(_PRODUCT, _R * _F)),
}
PRODUCT_SQUARED = Obligation(
    "share-product-of-roots-squared",
    "(r F(D))^2 = L D (s L + 2 s ln(D/s))",
    {**_ROOTS, **_SCALED_IS},
    equal(_PRODUCT * _PRODUCT, _LOG * _D * (_SHARE * _LOG + 2 * _SCALED_LOG)),
)
TANGENT_SQUARED = Obligation(
    "share-tangent-squared",
    "(2 r F(D))^2 <= (2 L s + (L + 2)(D - s))^2: the difference is at least ((L - 2)(D - s))^2",
    {
        **concluded(
            "share-product-of-roots-squared",
            product=equal(_PRODUCT * _PRODUCT, _LOG * _D * (_SHARE * _LOG + 2 * _SCALED_LOG)),
        ),
        **concluded("share-scaled-log-tangent", tangent=_SCALED_LOG <= _D - _SHARE),
        **concluded("radius-logarithm-above-two", above_two=_LOG > 2),
        **assuming(selected=_D > 0),
    },
    2 * _PRODUCT * (2 * _PRODUCT) <= _TANGENT * _TANGENT,
    (
        Mutant(
            "a smaller slope",
            goal=4 * _PRODUCT * _PRODUCT
            <= (2 * _LOG * _SHARE + _LOG * (_D - _SHARE)) * (2 * _LOG * _SHARE + _LOG * (_D - _SHARE)),
        ),
        Mutant("negative selections", replace={"selected": equal(_D, -1), "above-two": equal(_LOG, 3)}),
    ),
    hints=((_LOG - 2) * (_D - _SHARE),),
    redundant={"selected": "cvc5 finds no numbers without it; it does where a mutant replaces it"},
)
TANGENT_NON_NEGATIVE = Obligation(
    "share-tangent-non-negative",
    "2 L s + (L + 2)(D - s) >= 0 for L > 2 and D >= 0",
    {
        **concluded("radius-logarithm-above-two", above_two=_LOG > 2),
        **assuming(selections=_D >= 0, share_positive=_SHARE > 0),
    },
    _TANGENT >= 0,
    (Mutant("a logarithm below two", replace={"above-two": _LOG > 1}),),
)
PRODUCT_BELOW_TANGENT = Obligation(
    "share-product-below-tangent",
    "2 r F(D) <= 2 L s + (L + 2)(D - s) for D > 0",
    {
        **concluded("share-tangent-squared", squares=2 * _PRODUCT * (2 * _PRODUCT) <= _TANGENT * _TANGENT),
        **concluded("share-tangent-non-negative", tangent_non_negative=_TANGENT >= 0),
    },
    2 * _PRODUCT <= _TANGENT,
)
_BELOW_TANGENT = 2 * _R * _F <= _TANGENT
BELOW_TANGENT = Obligation(
    "share-root-below-tangent",
    "the same for D >= 0",
    {
        **defining(product=equal(_PRODUCT, _R * _F), none=implies(equal(_D, 0), equal(_F, 0))),
        **assuming(selections=_D >= 0),
        **concluded("share-product-below-tangent", positive=implies(_D > 0, 2 * _PRODUCT <= _TANGENT)),
        **concluded("share-tangent-non-negative", tangent_non_negative=_TANGENT >= 0),
    },
    _BELOW_TANGENT,
)
_ROOT_SUM, _TOTAL, _NUMBER = constants("sum_of_roots selections_in_total providers_so_far")
SUM_BELOW = Obligation(
    "share-sum-below-tangents",
    "2 r sum F(D_i) <= 2 L s n + (L + 2)(sum D_i - n s), step over the providers",
    {
        **induction(2 * _R * _ROOT_SUM <= 2 * _LOG * _SHARE * _NUMBER + (_LOG + 2) * (_TOTAL - _NUMBER * _SHARE)),
        **concluded("share-root-below-tangent", one=_BELOW_TANGENT),
    },
    2 * _R * (_ROOT_SUM + _F)
    <= 2 * _LOG * _SHARE * (_NUMBER + 1) + (_LOG + 2) * (_TOTAL + _D - (_NUMBER + 1) * _SHARE),
)
_HORIZON = constant("horizon")
SHARES_ADD_UP = Obligation(
    "shares-add-up-to-selections",
    "the D_i add up to N s, for s = (T - N)/N",
    {
        **concluded("selections-add-up-to-steps", total=equal(_TOTAL, _HORIZON - _NUMBER)),
        **defining(share=equal(_SHARE, (_HORIZON - _NUMBER) / _NUMBER)),
        **assuming(two_providers=_NUMBER >= 2),
    },
    equal(_TOTAL, _NUMBER * _SHARE),
    (Mutant("initialization too", replace={"total": equal(_TOTAL, _HORIZON)}),),
)
_TOTAL_IS = concluded("shares-add-up-to-selections", total=equal(_TOTAL, _NUMBER * _SHARE))
ROOTS_AT_SHARES = Obligation(
    "share-roots-at-most-equal-shares",
    "sum F(D_i) <= N F(s), where the D_i add up to N s: equal shares are the worst case",
    {
        **concluded(
            "share-sum-below-tangents",
            tangents=2 * _R * _ROOT_SUM <= 2 * _LOG * _SHARE * _NUMBER + (_LOG + 2) * (_TOTAL - _NUMBER * _SHARE),
        ),
        **_TOTAL_IS,
        **axiom("square-root", root=_R > 0, squared=equal(_R * _R, _SHARE * _LOG)),
    },
    _ROOT_SUM <= _NUMBER * _R,
)
AT_ONE = Obligation(
    "share-root-below-line-at-one",
    "F(D) <= D sqrt(ln C) for whole D: for D >= 1 by the tangent at s = 1",
    {
        **concluded("radius-logarithm-above-two", above_two=_LOG > 2),
        **concluded("share-root-below-tangent", tangent=2 * _R * _F <= 2 * _LOG + (_LOG + 2) * (_D - 1)),
        **axiom("square-root", root=_R > 0, squared=equal(_R * _R, _LOG)),
        **assuming(selected=_D >= 1),
    },
    _F <= _D * _R,
    (Mutant("a logarithm of one", replace={"above-two": _LOG > 1}),),
)
LINES_ADD_UP = Obligation(
    "share-lines-add-up",
    "sum F(D_i) <= sqrt(ln C) sum D_i, step over the providers; 0 for a provider without selections",
    {
        **induction(_ROOT_SUM <= _TOTAL * _R),
        **concluded("share-root-below-line-at-one", line=implies(_D >= 1, _F <= _D * _R)),
        **defining(none=implies(equal(_D, 0), equal(_F, 0)), whole=any_of(equal(_D, 0), _D >= 1)),
    },
    _ROOT_SUM + _F <= (_TOTAL + _D) * _R,
)
_BOUND, _ROOT_TWO, _RADII = constants("bound_of_sum root_of_two radii_of_providers")
_LEADING, _SCALED = constants("root_of_two_times_root root_of_two_times_sum")
_LEADING_IS = concluded("width-times-root-of-two-squared", leading=equal(_LEADING * _LEADING, 2 * _R * _R))
_BOUND_IS = {"bound": square_root(_BOUND, 2 * _NUMBER * _TOTAL * _LOG)}
_BOUNDED = _SCALED * _SCALED <= _BOUND * _BOUND
MANY_SQUARED = Obligation(
    "share-bound-squared",
    "(sqrt(2) N F(s))^2 = 2 N (T - N) ln(C s^2)",
    {
        **_LEADING_IS,
        **_BOUND_IS,
        **axiom("square-root", squared=equal(_R * _R, _SHARE * _LOG)),
        **_TOTAL_IS,
        **defining(scaled=equal(_SCALED, _NUMBER * _LEADING)),
    },
    _BOUNDED,
)
FEW_SQUARED = Obligation(
    "few-selections-bound-squared",
    "(sqrt(2) (T - N) sqrt(ln C))^2 <= 2 N (T - N) ln C for T - N <= N",
    {
        **_LEADING_IS,
        **_BOUND_IS,
        **axiom("square-root", squared=equal(_R * _R, _LOG)),
        **assuming(few=_TOTAL <= _NUMBER, selections=_TOTAL >= 0),
        **defining(scaled=equal(_SCALED, _TOTAL * _LEADING)),
    },
    _BOUNDED,
    hints=(_R,),
    signs=(_LOG,),
)
_RADII_OF_ONE = constant("sum_of_radii")
RADII_BY_ROOTS = Obligation(
    "share-radii-by-roots",
    "the radii of all providers add up to at most sqrt(2) sum F(D_i), step over the providers",
    {
        **induction(_RADII * _ROOT_TWO <= 2 * _ROOT_SUM),
        **concluded("radii-of-one-provider", radii=_RADII_OF_ONE * _ROOT_TWO <= 2 * _WIDTH * _ROOT_OF_D),
        **defining(root=equal(_F, _WIDTH * _ROOT_OF_D)),
    },
    (_RADII + _RADII_OF_ONE) * _ROOT_TWO <= 2 * (_ROOT_SUM + _F),
)
_SIDE = constant("root_bound")
FINAL = Obligation(
    "improved-radius-sum",
    "the radii add up to at most sqrt(2) sum F(D_i) <= sqrt(2 N (T - N) ln(C max{1, s}^2))",
    {
        **concluded("share-radii-by-roots", radii=_RADII * _ROOT_TWO <= 2 * _ROOT_SUM),
        **axiom("square-root", root_of_two=all_of(_ROOT_TWO > 0, equal(_ROOT_TWO * _ROOT_TWO, 2))),
        **concluded("share-roots-at-most-equal-shares", roots=_ROOT_SUM <= _SIDE),
        **defining(scaled=equal(_SCALED, _ROOT_TWO * _SIDE)),
        **concluded("share-bound-squared", squares=_BOUNDED),
        **axiom("square-root", bound=_BOUND >= 0),
    },
    _RADII <= _BOUND,
)
RADIUS_SUM = Proof(
    "lem:radius-sum:sharp",
    (
        ROOT_SQUARED,
        SCALED_TANGENT,
        PRODUCT_SQUARED,
        TANGENT_SQUARED,
        TANGENT_NON_NEGATIVE,
        PRODUCT_BELOW_TANGENT,
        BELOW_TANGENT,
        SUM_BELOW,
        SHARES_ADD_UP,
        ROOTS_AT_SHARES,
        AT_ONE,
        LINES_ADD_UP,
        MANY_SQUARED,
        FEW_SQUARED,
        RADII_BY_ROOTS,
        FINAL,
    ),
    "lem:radius-sum bounds the radii of one provider by sqrt(2 D_i) sqrt(ln(C T^2)) for counts up to T; with D_i for "
    "T it gives sqrt(2) F(D_i), and F(0) = 0. For s >= 1 the tangent of F at s, by induction over the providers, "
    "gives sum F(D_i) <= N F(s); for s < 1 the tangent at 1 gives (T - N) sqrt(ln C). The last obligation is for "
    "either bound (root_bound), with few-selections-bound-squared for s < 1; radius-sum with it bounds the sum of the "
    "a_t. Inductions begin with empty sums; for T = N all sums are empty.",
    uses=("lem:radius-sum", "lem:radius-monotone"),
)
