"""Sums of roots: 1 + ... + 1/sqrt(D) <= 2 sqrt(D), and the Cauchy-Schwarz inequality for sums of sqrt(D_i).

Two lemmas for lem:radius-sum, both by induction. A root is a variable, known by its square.
"""

from __future__ import annotations

from fractions import Fraction

from proofs_checks.proofs.language.axioms import square_root
from proofs_checks.proofs.language.obligation import Mutant, Obligation
from proofs_checks.proofs.language.terms import constants, equal
from proofs_checks.proofs.language.vocabulary import assuming, axiom, concluded, defining, induction

_SUM, _ROOT, _NEXT_ROOT = constants("sum_of_inverse_roots root_of_number root_of_next_number")
_INVERSE_ROOTS = _SUM <= 2 * _ROOT
NO_INVERSE_ROOTS = Obligation(
    "inverse-roots-none",
    "the empty sum of 1/sqrt(l) is at most 2 sqrt(0)",
    {"root": square_root(_ROOT, 0), **defining(empty=equal(_SUM, 0))},
    _INVERSE_ROOTS,
)
INVERSE_ROOTS = Obligation(
    "inverse-roots-one-more",
    "S <= 2 sqrt(D) implies S + 1/sqrt(D + 1) <= 2 sqrt(D + 1)",
    {
        **induction(_INVERSE_ROOTS),
        **axiom("square-root", next_root=_NEXT_ROOT > 0),
        **defining(next_number=equal(_NEXT_ROOT * _NEXT_ROOT, _ROOT * _ROOT + 1)),
    },
    _SUM + 1 / _NEXT_ROOT <= 2 * _NEXT_ROOT,
    (
        Mutant(
            "19/10 for 2",
            replace={"so-far": Fraction(19, 10) * _ROOT >= _SUM},
            goal=Fraction(19, 10) * _NEXT_ROOT >= _SUM + 1 / _NEXT_ROOT,
        ),
    ),
    hints=(_NEXT_ROOT - _ROOT,),
)

#: Of any number of providers: how many, their selections in total, the sum of the roots; the root of one more's.
NUMBER, SERVED, ALL_ROOTS, ROOT_OF_SERVED = constants(
    "providers_so_far selections_of_providers roots_of_providers root_of_served"
)
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
    {**induction(ROOTS_BY_CAUCHY_SCHWARZ)},
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
    {
        **concluded("cauchy-schwarz-mixed-term-squared", squares=_TWICE * _TWICE <= _MIXED * _MIXED),
        **concluded("cauchy-schwarz-mixed-side-non-negative", side=_MIXED >= 0),
    },
    _TWICE <= _MIXED,
)
CAUCHY = Obligation(
    "cauchy-schwarz-one-more",
    "A^2 <= n B means (A + x)^2 <= (n + 1)(B + x^2)",
    {**induction(ROOTS_BY_CAUCHY_SCHWARZ), **concluded("cauchy-schwarz-mixed-term", mixed=_TWICE <= _MIXED)},
    (ALL_ROOTS + ROOT_OF_SERVED) * (ALL_ROOTS + ROOT_OF_SERVED)
    <= (NUMBER + 1) * (SERVED + ROOT_OF_SERVED * ROOT_OF_SERVED),
    (
        Mutant(
            "n for n + 1",
            goal=(ALL_ROOTS + ROOT_OF_SERVED) * (ALL_ROOTS + ROOT_OF_SERVED)
            <= NUMBER * (SERVED + ROOT_OF_SERVED * ROOT_OF_SERVED),
        ),
    ),
)
