"""Sums of radii with equal shares, exactly, and what is lost in quality and in generation cost with them.

Sources: lem:radius-sum, thm:quality-guarantee and thm:generation-regret, improved. S(D) stands for beta(1) + ... +
beta(D). As beta decreases, S(D) is at most S(s) + (D - s) beta(s + 1) for all whole D and s, below and above s. So n
whole numbers that add up to n s + r, where 0 <= r < n, have sums S of at most r S(s + 1) + (n - r) S(s): no rounding of
a logarithm, no inequality of Cauchy and Schwarz.
"""

from __future__ import annotations

from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import constants, equal, implies
from proofs_checks.proofs.language.vocabulary import COST_BOUND, assuming, concluded, defining, induction, read
from proofs_checks.proofs.statements.radii import LARGER, RADIUS_OF_LARGER, RADIUS_OF_SMALLER, SMALLER
from proofs_checks.proofs.statements.regrets import (
    CLASSIFIED,
    COST_CHAIN,
    COUNTED,
    EACH,
    HORIZON,
    NUMBER,
    QUALITY,
    RADII,
    SHIFT,
    TOTAL,
    WITH_RADIUS,
    together,
)
from proofs_checks.proofs.statements.selection import CAPS_ADD_UP
from proofs_checks.proofs.statements.shared import OVERBID, UNDERBID

_SUM, _D, _SHARE, _AT_SHARE, _SLOPE, _BETA = constants(
    "radii_of_one selections_of_one share radii_of_share radius_after_share radius_of_one"
)
_NEXT_SUM, _NEXT_D = constants("next_radii_of_one next_selections_of_one")
_BELOW_TANGENT = _SUM <= _AT_SHARE + (_D - _SHARE) * _SLOPE
_NEXT_BELOW_TANGENT = _NEXT_SUM <= _AT_SHARE + (_NEXT_D - _SHARE) * _SLOPE
_AT = {_SUM: _AT_SHARE, _D: _SHARE}
ABOVE = Obligation(
    "radii-above-share-one-more",
    "from D = s upwards: each further radius is at most beta(s + 1)",
    induction(_BELOW_TANGENT, start=_AT)
    | read(
        concluded("radius-at-most-that-of-less", radius=_BETA <= _SLOPE),
        {LARGER: _D + 1, SMALLER: _SHARE + 1, RADIUS_OF_LARGER: _BETA, RADIUS_OF_SMALLER: _SLOPE},
    )
    | defining(one_more=equal(_NEXT_SUM, _SUM + _BETA), next=equal(_NEXT_D, _D + 1)),
    _NEXT_BELOW_TANGENT,
    (Mutant("two more", {"one-more": equal(_NEXT_SUM, _SUM + 2 * _BETA)}),),
)
BELOW = Obligation(
    "radii-below-share-one-less",
    "from D = s downwards: each radius that is left out is at least beta(s + 1)",
    induction(_BELOW_TANGENT, start=_AT)
    | read(
        concluded("radius-at-most-that-of-less", radius=_SLOPE <= _BETA),
        {LARGER: _SHARE + 1, SMALLER: _D, RADIUS_OF_LARGER: _SLOPE, RADIUS_OF_SMALLER: _BETA},
    )
    | defining(one_less=equal(_NEXT_SUM, _SUM - _BETA), next=equal(_NEXT_D, _D - 1)),
    _NEXT_BELOW_TANGENT,
    (Mutant("none less", {"one-less": equal(_NEXT_SUM, _SUM)}),),
)
TANGENT = Obligation(
    "radii-below-tangent-at-share",
    "S(D) <= S(s) + (D - s) beta(s + 1) for all whole D",
    concluded("radii-above-share-one-more", above=implies(_D >= _SHARE, _BELOW_TANGENT))
    | concluded("radii-below-share-one-less", below=implies(_D <= _SHARE, _BELOW_TANGENT)),
    _BELOW_TANGENT,
)
_ALL, _SERVED, _SHARES = constants("radii_of_all selections_of_all shares_number")
_BELOW_TANGENTS = _ALL <= _SHARES * _AT_SHARE + (_SERVED - _SHARES * _SHARE) * _SLOPE
TANGENTS = Obligation(
    "radii-below-tangents",
    "sum S(D_i) <= n S(s) + (sum D_i - n s) beta(s + 1), step over the providers",
    induction(_BELOW_TANGENTS, start={_ALL: 0, _SERVED: 0, _SHARES: 0})
    | concluded("radii-below-tangent-at-share", one=_BELOW_TANGENT),
    _ALL + _SUM <= (_SHARES + 1) * _AT_SHARE + (_SERVED + _D - (_SHARES + 1) * _SHARE) * _SLOPE,
)
_REST, _AFTER_SHARE, _BALANCED = constants("rest_of_shares radii_after_share balanced_sum")
SLOPES = Obligation(
    "radii-below-rest-of-tangent",
    "(sum D_i - n s) beta(s + 1) <= r beta(s + 1), where the D_i add up to at most n s + r",
    assuming(total=_SERVED <= _SHARES * _SHARE + _REST) | defining(slope_non_negative=_SLOPE >= 0),
    (_SERVED - _SHARES * _SHARE) * _SLOPE <= _REST * _SLOPE,
)
BALANCED = Obligation(
    "radii-at-most-equal-shares",
    "sum S(D_i) <= r S(s + 1) + (n - r) S(s): equal shares are the worst case",
    concluded("radii-below-tangents", tangents=_BELOW_TANGENTS)
    | concluded("radii-below-rest-of-tangent", rest=(_SERVED - _SHARES * _SHARE) * _SLOPE <= _REST * _SLOPE)
    | defining(
        after=equal(_AFTER_SHARE, _AT_SHARE + _SLOPE),
        balanced=equal(_BALANCED, _REST * _AFTER_SHARE + (_SHARES - _REST) * _AT_SHARE),
    ),
    _ALL <= _BALANCED,
    (Mutant("all small shares", {"balanced": equal(_BALANCED, _SHARES * _AT_SHARE)}),),
)
_BALANCED_CHAIN = (ABOVE, BELOW, TANGENT, TANGENTS, SLOPES, BALANCED)
_EQUAL_SHARES = (
    "That whole numbers D_i go step by step from s, and the sums over counts and providers: their steps are proved. "
    "That the sum beyond 65,536 counts is at most the integral of beta, which decreases: what is computed. "
)
_BY_EQUAL_SHARES = (
    "the radii along the selections are those at l = 1, ..., D_i of each provider (radius-sum-by-provider). S lies "
    "below its tangents, as beta decreases: by induction from s upwards and downwards. Added up over n providers, with "
    "s and r the quotient and the remainder of T - N by n, it is the sum for equal shares, which is attained."
)

_LOST, _GAP, _TERM, _BETA_NOW = constants("quality_lost_of_one quality_gap term beta")
QUALITY_OF_ONE = Obligation(
    "quality-of-one-by-radii",
    "initialization loses epsilon_i, each further selection at count l at most 2 beta(l), step",
    induction(_LOST <= _GAP + 2 * _SUM, start={_LOST: _GAP, _SUM: 0})
    | concluded("shortfall-at-most-two-radii", shortfall=_TERM <= 2 * _BETA_NOW),
    _LOST + _TERM <= _GAP + 2 * (_SUM + _BETA_NOW),
    (Mutant("1 for 2", goal=_LOST + _TERM <= _GAP + 2 * _SUM + _BETA_NOW),),
)
_GAPS = constants("quality_gaps_of_unqualified")[0]
QUALITY_BY_SHARES = Obligation(
    "quality-regret-by-equal-shares",
    "the quality lost until T is at most the gaps and twice the radii of equal shares of the unqualified",
    concluded("capped-terms-add-up", lost=TOTAL <= _GAPS + 2 * _ALL)
    | concluded("radii-at-most-equal-shares", radii=_ALL <= _BALANCED),
    TOTAL <= _GAPS + 2 * _BALANCED,
    (Mutant("1 for 2", goal=TOTAL <= _GAPS + _BALANCED),),
)
QUALITY_REGRET = Proof(
    "thm:quality-guarantee:sharpest",
    together(QUALITY.obligations, (*_BALANCED_CHAIN, QUALITY_OF_ONE, CAPS_ADD_UP, QUALITY_BY_SHARES)),
    "Only unqualified providers lose quality: epsilon_i in initialization, afterwards at most 2 beta(l) at count l, as "
    f"they are eligible. Their selections add up to at most T - N: {_BY_EQUAL_SHARES} Here n = N - |Q|. The "
    "second bound: the obligations of thm:quality-guarantee, for any caps of the selections, here those of "
    "lem:unqualified-elimination:sharpest.",
    uses=(
        "thm:quality-guarantee",
        "thm:sample-complexity",
        "lem:radius-sum",
        "lem:radius-monotone",
        "lem:unqualified-elimination:sharpest",
    ),
    beyond=f"The sums over steps and over providers: their steps are proved. {_EQUAL_SHARES}That the second bound "
    "is right with the sharpest caps is read.",
)

_SCALE, _COUNT_BOUND, _SUM_OF_OTHERS = constants("cost_scale most_counted radii_of_others")
_LATER = HORIZON - NUMBER
SCALED = Obligation(
    "scaled-radii-of-others",
    "2 (1 + gamma) c_max times the radii of the others is at most that of equal shares",
    concluded("widened-bound", scale_positive=_SCALE > 0)
    | concluded("radii-at-most-equal-shares", radii=_SUM_OF_OTHERS <= _BALANCED)
    | defining(scaled=equal(RADII, 2 * _SCALE * _SUM_OF_OTHERS)),
    RADII <= 2 * _SCALE * _BALANCED,
    (Mutant("1 for 2", goal=RADII <= _SCALE * _BALANCED),),
)
COST_BY_SHARES = Obligation(
    "generation-regret-by-equal-shares",
    "at most (N - 1) ceil(g(T)) c_max + 2 (1 + gamma) c_max S + (d_- + d_+)(T - N), for S of N - 1 equal shares",
    assuming(deviations_non_negative=UNDERBID + OVERBID >= 0)
    | concluded("classified-sum-one-more", classified=CLASSIFIED)
    | defining(each=equal(EACH, COST_BOUND), shift=equal(SHIFT, UNDERBID + OVERBID), positive=COST_BOUND > 0)
    | concluded("initialization-and-exploration-of-others", counted=COUNTED <= _COUNT_BOUND)
    | concluded("steps-with-radius-at-most", steps=WITH_RADIUS <= _LATER)
    | concluded("scaled-radii-of-others", radii=RADII <= 2 * _SCALE * _BALANCED),
    TOTAL <= _COUNT_BOUND * COST_BOUND + 2 * _SCALE * _BALANCED + (UNDERBID + OVERBID) * _LATER,
    (
        Mutant(
            "without deviations",
            {"deviations-non-negative": equal(UNDERBID + OVERBID, 1)},
            goal=TOTAL <= _COUNT_BOUND * COST_BOUND + 2 * _SCALE * _BALANCED,
        ),
    ),
)
GENERATION_REGRET = Proof(
    "thm:generation-regret:sharpest",
    together(COST_CHAIN, (*_BALANCED_CHAIN, SCALED, COST_BY_SHARES)),
    "As thm:generation-regret:sharp; only the N - 1 providers other than i* have radii in it, whose selections add up "
    "to at most T - N, as in thm:quality-guarantee:sharpest for N - 1 shares. The second bound: its obligations for "
    "any caps, here those of lem:unqualified-elimination:sharpest and thm:sample-complexity:sharp.",
    uses=(
        "thm:quality-guarantee",
        "thm:generation-regret",
        "lem:radius-sum",
        "lem:radius-monotone",
        "lem:unqualified-elimination:sharpest",
        "thm:sample-complexity:sharp",
    ),
    beyond=f"The sums over steps and over providers: their steps are proved. {_EQUAL_SHARES}That the second bound "
    "is right with the sharpest caps is read.",
)
