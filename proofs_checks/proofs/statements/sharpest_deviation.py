"""The stitched radius r(m): by how much the mean of one provider's costs ever exceeds its expectation.

Source: `bounds.sharpest.probability.stitched_radii`. In the epoch of the counts m from 2^k to 2^(k+1), with W = 2^k
sqrt(2) and s^2 = 8 L/W, no sum S_m of what scores exceed their expectation by is above L/s + m s/8 but for a
probability of e^-L (Hoeffding's lemma and Ville's inequality). Proved is the algebra: that this is at most sqrt(m L/8)
(c + 1/c) for c = 2^(1/4), for every m of the epoch. U stands for sqrt(m L/8), x for sqrt(m/W), which is between 1/c and
c, first_part for L/s, second_part for m s/8.
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import root_squared
from proofs_checks.proofs.language.obligation import Mutant, Obligation
from proofs_checks.proofs.language.terms import all_of, constants, equal
from proofs_checks.proofs.language.vocabulary import assuming, concluded, defining, only

_X, _X_INVERSE, _C, _C_INVERSE = constants("root_of_ratio inverse_of_root spread inverse_of_spread")
_INVERSES = defining(
    inverse_of_root=all_of(_X > 0, equal(_X * _X_INVERSE, 1)),
    inverse_of_spread=all_of(_C > 0, equal(_C * _C_INVERSE, 1)),
)
PRODUCT = Obligation(
    "stitched-product-of-inverses",
    "1/(c x) <= 1, since x is at least 1/c",
    defining(inverse_of_root=all_of(_X > 0, equal(_X * _X_INVERSE, 1))) | assuming(at_least=_X >= _C_INVERSE),
    _X_INVERSE * _C_INVERSE <= 1,
    (Mutant("x below 1/c", {"at-least": 2 * _X >= _C_INVERSE}),),
)
_SPREAD = _X + _X_INVERSE <= _C + _C_INVERSE
SPREAD = Obligation(
    "stitched-spread",
    "x + 1/x <= c + 1/c for 1/c <= x <= c: the difference is (c - x)(1 - 1/(c x))",
    _INVERSES
    | concluded("stitched-product-of-inverses", product=_X_INVERSE * _C_INVERSE <= 1)
    | assuming(at_most=_X <= _C),
    _SPREAD,
)
_SCALE, _SUM, _COUNT, _EVIDENCE = constants("scale_of_martingale sum_of_deviations count evidence")
_FIRST, _SECOND = constants("first_part second_part")
_PARTS = defining(
    scale_positive=_SCALE > 0, first=equal(_FIRST * _SCALE, _EVIDENCE), second=equal(8 * _SECOND, _COUNT * _SCALE)
)
LINE = Obligation(
    "stitched-below-line",
    "s S_m - m s^2/8 <= L means S_m <= L/s + m s/8",
    _PARTS | assuming(not_reached=8 * _SCALE * _SUM - _COUNT * _SCALE * _SCALE <= 8 * _EVIDENCE),
    _SUM <= _FIRST + _SECOND,
    (Mutant("m s^2/4", {"not-reached": 4 * _SCALE * _SUM - _COUNT * _SCALE * _SCALE <= 4 * _EVIDENCE}),),
)
_WIDTH, _U = constants("width_of_epoch root_of_evidence")
RATIO = Obligation(
    "stitched-ratio-of-parts",
    "m s/8 = x^2 L/s, since s^2 = 8 L/W and x^2 = m/W",
    _PARTS
    | assuming(width_positive=_WIDTH > 0)
    | {"scale": root_squared(_SCALE, 8 * _EVIDENCE / _WIDTH), "root-of-ratio": root_squared(_X, _COUNT / _WIDTH)},
    equal(_SECOND, _X * _X * _FIRST),
)
_U_IS = defining(root_of_evidence=equal(_U, _X * _FIRST))
_RATIO = concluded("stitched-ratio-of-parts", ratio=equal(_SECOND, _X * _X * _FIRST))
ROOT = Obligation(
    "stitched-root-of-evidence",
    "U = x L/s has the square m L/8: it is the root of it",
    _U_IS | only(_PARTS, "first", "second") | _RATIO,
    equal(8 * _U * _U, _COUNT * _EVIDENCE),
    (Mutant("without the 8", goal=equal(_U * _U, _COUNT * _EVIDENCE)),),
)
SUMMED = Obligation(
    "stitched-parts-by-root",
    "L/s + m s/8 = U (x + 1/x)",
    _U_IS | _RATIO | defining(inverse_of_root=equal(_X * _X_INVERSE, 1)),
    equal(_FIRST + _SECOND, _U * (_X + _X_INVERSE)),
)
SCALED = Obligation(
    "stitched-parts-at-most-spread",
    "U (x + 1/x) <= U (c + 1/c)",
    concluded("stitched-spread", spread=_SPREAD) | defining(root_non_negative=_U >= 0),
    _U * (_X + _X_INVERSE) <= _U * (_C + _C_INVERSE),
)
BAND = Obligation(
    "stitched-band",
    "S_m <= sqrt(m L/8)(c + 1/c) at every count of the epoch",
    concluded("stitched-below-line", line=_SUM <= _FIRST + _SECOND)
    | concluded("stitched-parts-by-root", parts=equal(_FIRST + _SECOND, _U * (_X + _X_INVERSE)))
    | concluded("stitched-parts-at-most-spread", spread=_U * (_X + _X_INVERSE) <= _U * (_C + _C_INVERSE)),
    _SUM <= _U * (_C + _C_INVERSE),
)
STITCHED_CHAIN = (PRODUCT, SPREAD, LINE, RATIO, ROOT, SUMMED, SCALED, BAND)
