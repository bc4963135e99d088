"""The sum of radii along the selections: lem:radius-sum, by sums of 1/sqrt(l) and the Cauchy-Schwarz inequality.

Roots and logarithms are variables; C stands for 2 pi^2 N / (3 delta), so the logarithm in beta(l) is ln C + 2 ln l.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import (
    log_monotone,
    positive_root,
    root_non_negative,
    root_positive,
    square_root,
)
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import Term, all_of, constant, constants, equal, implies
from proofs_checks.proofs.language.vocabulary import Hypotheses, assuming, concluded, defining, induction, read
from proofs_checks.proofs.statements.radii import RADIUS_FORM, radius_form

_SUM, _ROOT, _NEXT_ROOT = constants("sum_of_inverse_roots root_of_number root_of_next_number")
_INVERSE_ROOTS = _SUM <= 2 * _ROOT
NO_INVERSE_ROOTS = Obligation(
    "inverse-roots-none",
    "the empty sum of 1/sqrt(l) is at most 2 sqrt(0)",
    {"root": square_root(_ROOT, 0)} | defining(empty=equal(_SUM, 0)),
    _INVERSE_ROOTS,
)
INVERSE_ROOTS = Obligation(
    "inverse-roots-one-more",
    "S <= 2 sqrt(D) implies S + 1/sqrt(D + 1) <= 2 sqrt(D + 1)",
    induction(_INVERSE_ROOTS, base="inverse-roots-none")
    | {"next-root": root_positive(_NEXT_ROOT, _ROOT * _ROOT + 1)}
    | defining(next_number=equal(_NEXT_ROOT * _NEXT_ROOT, _ROOT * _ROOT + 1)),
    _SUM + 1 / _NEXT_ROOT <= 2 * _NEXT_ROOT,
    (
        Mutant(
            "19/10 for 2",
            {"so-far": Fraction(19, 10) * _ROOT >= _SUM},
            goal=Fraction(19, 10) * _NEXT_ROOT >= _SUM + 1 / _NEXT_ROOT,
        ),
    ),
    hints=(_NEXT_ROOT - _ROOT,),
)

#: Of any number of providers: how many, their selections in total, the sum of the roots; the root of one more's.
NUMBER, SERVED, ALL_ROOTS = constants("providers_so_far selections_of_providers roots_of_providers")
ROOT_OF_SERVED = constant("root_of_served")
ROOTS_BY_CAUCHY_SCHWARZ = ALL_ROOTS * ALL_ROOTS <= NUMBER * SERVED
_MIXED = SERVED + NUMBER * ROOT_OF_SERVED * ROOT_OF_SERVED
_TWICE = 2 * ALL_ROOTS * ROOT_OF_SERVED
CAUCHY_BASE = Obligation(
    "cauchy-schwarz-none",
    "without providers both sides are 0",
    defining(no_roots=equal(ALL_ROOTS, 0), none=equal(NUMBER, 0)),
    ROOTS_BY_CAUCHY_SCHWARZ,
)
CAUCHY_SQUARE = Obligation(
    "cauchy-schwarz-mixed-term-squared",
    "A^2 <= n B means (2 A x)^2 <= (B + n x^2)^2: the mean of B and n x^2 is at least the root of their product",
    assuming(so_far=ROOTS_BY_CAUCHY_SCHWARZ),
    _TWICE * _TWICE <= _MIXED * _MIXED,
    (Mutant("3 A x", goal=Fraction(9, 4) * _TWICE * _TWICE <= _MIXED * _MIXED),),
    hints=(SERVED - NUMBER * ROOT_OF_SERVED * ROOT_OF_SERVED,),
    signs=(ROOT_OF_SERVED,),
)
MIXED_NON_NEGATIVE = Obligation(
    "cauchy-schwarz-mixed-side-non-negative",
    "B + n x^2 >= 0, for numbers of providers and of selections",
    assuming(selections=SERVED >= 0, providers=NUMBER >= 0),
    _MIXED >= 0,
    signs=(ROOT_OF_SERVED,),
)
CAUCHY_MIXED = Obligation(
    "cauchy-schwarz-mixed-term",
    "2 A x <= B + n x^2",
    concluded("cauchy-schwarz-mixed-term-squared", squares=_TWICE * _TWICE <= _MIXED * _MIXED)
    | concluded("cauchy-schwarz-mixed-side-non-negative", side=_MIXED >= 0),
    _TWICE <= _MIXED,
)
_NEXT_ROOTS, _NEXT_SERVED = ALL_ROOTS + ROOT_OF_SERVED, SERVED + ROOT_OF_SERVED * ROOT_OF_SERVED
CAUCHY = Obligation(
    "cauchy-schwarz-one-more",
    "A^2 <= n B means (A + x)^2 <= (n + 1)(B + x^2)",
    induction(ROOTS_BY_CAUCHY_SCHWARZ, base="cauchy-schwarz-none")
    | concluded("cauchy-schwarz-mixed-term", mixed=_TWICE <= _MIXED),
    _NEXT_ROOTS * _NEXT_ROOTS <= (NUMBER + 1) * _NEXT_SERVED,
    (Mutant("n for n + 1", goal=_NEXT_ROOTS * _NEXT_ROOTS <= NUMBER * _NEXT_SERVED),),
)


_COUNT, _BETA, _LOG_C, _LOG_COUNT = constants("count beta log_of_C log_of_count")

_HORIZON, _LOG_HORIZON = constants("horizon log_of_horizon")
_WIDTH, _ROOT_TWO, _ROOT_OF_COUNT = constants("root_of_log_of_C_T_squared root_of_two root_of_count")
_WIDTH_IS = square_root(_WIDTH, _LOG_C + 2 * _LOG_HORIZON)
_ROOT_TWO_IS = square_root(_ROOT_TWO, 2)
_BY_ROOT_TWO, _SCALED = constants("radius_times_root_of_two radius_times_roots")
TIMES_ROOT_TWO = Obligation(
    "radius-times-root-of-two-squared",
    "(sqrt(2) beta)^2 = 2 beta^2",
    {"root-of-two": _ROOT_TWO_IS} | defining(product=equal(_BY_ROOT_TWO, _BETA * _ROOT_TWO)),
    equal(_BY_ROOT_TWO * _BY_ROOT_TWO, 2 * _BETA * _BETA),
    (Mutant("3 for 2", {"root-of-two": square_root(_ROOT_TWO, 3).formula}),),
)
TIMES_ROOTS = Obligation(
    "radius-times-roots-squared",
    "(sqrt(2) beta sqrt(l))^2 = 2 l beta^2",
    concluded("radius-times-root-of-two-squared", squared=equal(_BY_ROOT_TWO * _BY_ROOT_TWO, 2 * _BETA * _BETA))
    | {"root-of-count": square_root(_ROOT_OF_COUNT, _COUNT)}
    | defining(product=equal(_SCALED, _BY_ROOT_TWO * _ROOT_OF_COUNT)),
    equal(_SCALED * _SCALED, 2 * _COUNT * _BETA * _BETA),
)
SCALED_RADIUS = Obligation(
    "radius-until-horizon-squared",
    "2 l beta(l)^2 <= ln(C T^2) for l <= T",
    assuming(until_horizon=_COUNT <= _HORIZON)
    | {
        "logarithms": log_monotone(_COUNT, _LOG_COUNT, _HORIZON, _LOG_HORIZON),
        "radius": radius_form(_COUNT, _BETA, _LOG_COUNT),
        "width": _WIDTH_IS,
    }
    | concluded("radius-times-roots-squared", scaled=equal(_SCALED * _SCALED, 2 * _COUNT * _BETA * _BETA)),
    _SCALED * _SCALED <= _WIDTH * _WIDTH,
    (Mutant("T, not its square", {"width": square_root(_WIDTH, _LOG_C + _LOG_HORIZON).formula}),),
)


RADIUS_UNTIL_HORIZON = Obligation(
    "radius-until-horizon",
    "sqrt(2) beta(l) sqrt(l) <= sqrt(ln(C T^2)) for l <= T",
    concluded("radius-until-horizon-squared", squares=_SCALED * _SCALED <= _WIDTH * _WIDTH)
    | {"width": root_non_negative(_WIDTH, _LOG_C + 2 * _LOG_HORIZON)},
    _SCALED <= _WIDTH,
)
_RADII, _INVERSE = constants("sum_of_radii inverse_root")
_BY_INVERSE_ROOTS = _RADII * _ROOT_TWO <= _WIDTH * _SUM
RADII_OF_ONE_BASE = Obligation(
    "radii-of-one-provider-none",
    "an empty sum of radii is at most sqrt(ln(C T^2)/2) times an empty sum of 1/sqrt(l)",
    defining(no_radii=equal(_RADII, 0), no_roots=equal(_SUM, 0)),
    _BY_INVERSE_ROOTS,
)
RADII_OF_ONE = Obligation(
    "radii-of-one-provider-one-more",
    "a sum of beta(l) is at most sqrt(ln(C T^2)/2) times the sum of 1/sqrt(l), step",
    induction(_BY_INVERSE_ROOTS, base="radii-of-one-provider-none")
    | concluded("radius-until-horizon", radius=_SCALED <= _WIDTH)
    | defining(
        inverse=all_of(_INVERSE > 0, equal(_INVERSE * _ROOT_OF_COUNT, 1)),
        scaled=equal(_SCALED, _BY_ROOT_TWO * _ROOT_OF_COUNT),
        by_root_two=equal(_BY_ROOT_TWO, _BETA * _ROOT_TWO),
    ),
    (_RADII + _BETA) * _ROOT_TWO <= _WIDTH * (_SUM + _INVERSE),
    (Mutant("another inverse", {"inverse": _INVERSE > 0}),),
)
_ALL_RADII = constant("radii_of_providers")
BY_ROOT = Obligation(
    "radii-of-one-provider",
    "the radii of a provider with D selections add up to at most sqrt(2 ln(C T^2)) sqrt(D)",
    concluded("radii-of-one-provider-one-more", radii=_BY_INVERSE_ROOTS)
    | concluded("inverse-roots-one-more", roots=_SUM <= 2 * ROOT_OF_SERVED)
    | {"width": root_non_negative(_WIDTH, _LOG_C + 2 * _LOG_HORIZON)},
    _RADII * _ROOT_TWO <= 2 * _WIDTH * ROOT_OF_SERVED,
    (Mutant("half of it", goal=_RADII * _ROOT_TWO <= _WIDTH * ROOT_OF_SERVED),),
)
_BY_ROOTS = _ALL_RADII * _ROOT_TWO <= 2 * _WIDTH * ALL_ROOTS
OF_PROVIDERS = Obligation(
    "radii-of-providers-one-more",
    "the bounds add up over the providers, step",
    induction(_BY_ROOTS, start={_ALL_RADII: 0, ALL_ROOTS: 0})
    | concluded("radii-of-one-provider", radii=_RADII * _ROOT_TWO <= 2 * _WIDTH * ROOT_OF_SERVED),
    (_ALL_RADII + _RADII) * _ROOT_TWO <= 2 * _WIDTH * (ALL_ROOTS + ROOT_OF_SERVED),
)


_TIME, _SELECTIONS = constants("time selections_after_initialization")
SELECTIONS = Obligation(
    "selections-add-up-to-steps",
    "the selections after initialization add up to t - N, step: one provider is selected at each step",
    induction(equal(_SELECTIONS, _TIME - NUMBER), start={_SELECTIONS: 0, _TIME: NUMBER})
    | defining(one_each=equal(SERVED, _SELECTIONS + 1)),
    equal(SERVED, _TIME + 1 - NUMBER),
    (Mutant("two each", {"one-each": equal(SERVED, _SELECTIONS + 2)}),),
)
_PAID, _HERE, _KAPPA, _AT_COUNT = constants("sum_so_far a_now kappa radius_at_count")
#: Selections of the selected provider after initialization, before this step; `_BETA` is beta(l), the next is the l-th.
_SERVED_BEFORE = constant("served_before")
_OF_SELECTED, _OF_SELECTED_NEXT = constants("radii_of_selected radii_of_selected_next")
_ALL_NEXT = constant("radii_of_providers_next")
REINDEXED = Obligation(
    "radius-sum-by-provider",
    "the sum over the steps is at most kappa times the radii of all providers, l = 1, ..., D_i, step",
    induction(_PAID <= _KAPPA * _ALL_RADII, start={_PAID: 0, _ALL_RADII: 0})
    | assuming(bounded=_HERE <= _KAPPA * _AT_COUNT)
    | concluded("selection-counting-step", counted=equal(_COUNT, _SERVED_BEFORE + 1))
    | defining(
        function=implies(equal(_COUNT, _SERVED_BEFORE + 1), equal(_AT_COUNT, _BETA)),
        one_more=equal(_OF_SELECTED_NEXT, _OF_SELECTED + _BETA),
        others_unchanged=equal(_ALL_NEXT, _ALL_RADII - _OF_SELECTED + _OF_SELECTED_NEXT),
    ),
    _PAID + _HERE <= _KAPPA * _ALL_NEXT,
    (Mutant("the same radius again", {"one-more": equal(_OF_SELECTED_NEXT, _OF_SELECTED)}),),
)
_PRODUCT, _BOUND, _LEADING = constants("product_of_roots bound_of_sum root_of_two_times_width")
WIDTH_TIMES_ROOT_TWO = Obligation(
    "width-times-root-of-two-squared",
    "(w sqrt(2))^2 = 2 w^2",
    {"root-of-two": _ROOT_TWO_IS} | defining(product=equal(_LEADING, _WIDTH * _ROOT_TWO)),
    equal(_LEADING * _LEADING, 2 * _WIDTH * _WIDTH),
    (Mutant("3 for 2", {"root-of-two": square_root(_ROOT_TWO, 3).formula}),),
)
_PRODUCT_SQUARED = equal(_PRODUCT * _PRODUCT, 2 * _WIDTH * _WIDTH * ALL_ROOTS * ALL_ROOTS)
PRODUCT_SQUARED = Obligation(
    "width-times-roots-squared",
    "(w sqrt(2) S)^2 = 2 w^2 S^2, where S is the sum of the roots",
    concluded("width-times-root-of-two-squared", squared=equal(_LEADING * _LEADING, 2 * _WIDTH * _WIDTH))
    | defining(product=equal(_PRODUCT, _LEADING * ALL_ROOTS)),
    _PRODUCT_SQUARED,
)
FINAL_SQUARE = Obligation(
    "radius-sum-squared",
    "(w sqrt(2) S)^2 <= 2 N (T - N) ln(C T^2), where S is the sum of the roots, w^2 = ln(C T^2)",
    concluded("width-times-roots-squared", product=_PRODUCT_SQUARED)
    | {"width": _WIDTH_IS, "bound": square_root(_BOUND, 2 * NUMBER * SERVED * (_LOG_C + 2 * _LOG_HORIZON))}
    | concluded("cauchy-schwarz-one-more", roots=ROOTS_BY_CAUCHY_SCHWARZ),
    _PRODUCT * _PRODUCT <= _BOUND * _BOUND,
)
PRODUCT_BOUNDED = Obligation(
    "radius-sum-product",
    "w sqrt(2) S <= sqrt(2 N (T - N) ln(C T^2))",
    concluded("radius-sum-squared", squares=_PRODUCT * _PRODUCT <= _BOUND * _BOUND)
    | {"bound": root_non_negative(_BOUND, 2 * NUMBER * SERVED * (_LOG_C + 2 * _LOG_HORIZON))},
    _PRODUCT <= _BOUND,
)
RADII_BOUNDED = Obligation(
    "radii-of-providers-bounded",
    "the radii of all providers add up to at most w sqrt(2) S",
    concluded("radius-sum-product", product_bounded=_PRODUCT <= _BOUND)
    | concluded("radii-of-providers-one-more", radii=_BY_ROOTS)
    | {"root-of-two": positive_root(_ROOT_TWO, 2)}
    | defining(product=equal(_PRODUCT, _LEADING * ALL_ROOTS), first_product=equal(_LEADING, _WIDTH * _ROOT_TWO)),
    _ALL_RADII <= _BOUND,
    (Mutant("1 for 2", {"root-of-two": all_of(_ROOT_TWO > 0, equal(_ROOT_TWO * _ROOT_TWO, 1))}),),
)
FINAL = Obligation(
    "radius-sum",
    "the sum of the a_t is at most kappa sqrt(2 N (T - N) ln(C T^2))",
    assuming(kappa_non_negative=_KAPPA >= 0)
    | concluded("radius-sum-by-provider", paid=_PAID <= _KAPPA * _ALL_RADII)
    | concluded("radii-of-providers-bounded", radii=_ALL_RADII <= _BOUND),
    _PAID <= _KAPPA * _BOUND,
    (Mutant("99/100 of it", goal=Fraction(99, 100) * _KAPPA * _BOUND >= _PAID),),
)


def radius_sum(radii: Term, kappa: Term, root: Term, number: Term, selections: Term) -> Hypotheses:
    """Return lem:radius-sum: radii add up to at most kappa times the root, for so many providers and selections."""
    stands_for = {_PAID: radii, _KAPPA: kappa, _BOUND: root, NUMBER: number, SERVED: selections}
    return read(concluded("radius-sum", radii=radii <= kappa * root), stands_for)


_ONE_RADIUS = (RADIUS_FORM, NO_INVERSE_ROOTS, INVERSE_ROOTS, TIMES_ROOT_TWO, TIMES_ROOTS, SCALED_RADIUS)
_MANY_RADII = (RADIUS_UNTIL_HORIZON, RADII_OF_ONE_BASE, RADII_OF_ONE, BY_ROOT, OF_PROVIDERS)
_CAUCHY_SCHWARZ = (CAUCHY_BASE, CAUCHY_SQUARE, MIXED_NON_NEGATIVE, CAUCHY_MIXED, CAUCHY)
_BOUNDED = (WIDTH_TIMES_ROOT_TWO, PRODUCT_SQUARED, FINAL_SQUARE, PRODUCT_BOUNDED, RADII_BOUNDED)
RADIUS_SUM = Proof(
    "lem:radius-sum",
    (*_ONE_RADIUS, *_MANY_RADII, *_CAUCHY_SCHWARZ, SELECTIONS, REINDEXED, *_BOUNDED, FINAL),
    "Induction on t turns the sum over steps into one over providers and their counts l = 1, ..., D_i (by "
    "lem:selection-counting), each at most T. Induction on D_i bounds one provider's, induction on the providers all "
    "of them, by sqrt(2 ln(C T^2)) times the sum of sqrt(D_i), and that sum by Cauchy-Schwarz, where the D_i add up "
    "to T - N (selections-add-up-to-steps with t + 1 for T). Where an induction has no base here, both sides are empty "
    "sums, 0.",
    uses=("lem:selection-counting",),
    unlike_paper="The paper takes for granted that the sum of 1/sqrt(l) over l = 1, ..., D is at most 2 sqrt(D), and "
    "the inequality of Cauchy and Schwarz. Here both are proved, by induction.",
    beyond="The sums over steps, counts and providers: the bases and steps of their inductions are proved.",
)
