"""What the bound of an inequality allows: the side that would be a tenth smaller if the bound were.

For most relations it is the right side. A bound that stands on something, as c_(2) + c_max beta(m) stands on c_(2),
allows its distance from there (`ALLOWED`). What is a rule allows nothing: there a hair is too much (`RULES`). What no
instance can come near to is in `LOOSE`, with the reason.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import sympy

from bounds.formulas import payment
from bounds.language.quantities import C_2, C_MAX, D_MINUS, D_PLUS
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.trace_quantities import EACH_RADIUS
from proofs_checks.claims.statements.auctions import COST_RADIUS
from proofs_checks.claims.statements.identification import LACKING

#: By how much a bound is made smaller.
TENTH = sympy.Rational(1, 10)
#: By how much a rule is: in shares of c_max, or of a count.
HAIR = sympy.Rational(1, 10**6)

#: What a relation allows, by its name, where that is not simply its right side: the distance of the bound from the
#: cost, the mean or the estimate on which it is put.
ALLOWED: Mapping[str, Any] = {
    "who serves is eligible": EACH_RADIUS,
    "every qualified provider is eligible": EACH_RADIUS,
    "after T_0 every qualified provider is eligible": EACH_RADIUS,
    "an adjusted bid is at most the mean cost": COST_RADIUS + D_PLUS,
    "an adjusted bid is within two radii below the mean cost": COST_RADIUS + D_MINUS,
    "an estimate is at most (1+gamma) radii low": COST_RADIUS,
    "an estimate is at most (1+gamma) radii high": COST_RADIUS,
    "an auction pays at most the second cost plus a radius": payment.AUCTION_PAYMENT_UPPER - C_2,
    "an auction pays at least the winner's cost minus a radius": payment.C_SERVED
    - payment.AUCTION_PAYMENT_LOWER_SERVED,
    "after T_0: at most a radius above the second cost": payment.COST_RADIUS_AT_TARGET + D_PLUS,
    "after T_0: at most three radii below the second cost": 3 * payment.COST_RADIUS_AT_TARGET + D_MINUS,
    "after T_0: two radii below the second cost": 2 * payment.COST_RADIUS_AT_TARGET + D_MINUS,
    "a payment is at least -d_-": D_MINUS,
    "i* leads by at least T - N - 2 (B_id(T) + sum d_i)": LACKING,
}

#: Rules: of what both sides must be equal somewhere, a hair is made a violation. Of money the hair is one of c_max.
RULES: Mapping[str, Any] = {
    "an auction is won by a least adjusted bid": C_MAX,
    "an auction pays at most the capped critical payment": C_MAX,
    "an auction pays at least the capped critical payment": C_MAX,
    "initialization pays c_max": C_MAX,
    "paid at most what the rules prescribe": C_MAX,
    "paid at least what the rules prescribe": C_MAX,
    "a payment is not negative": C_MAX,
    "l <= m": 1,
    "m <= l": 1,
}

#: Checks by hand that compare bids with a bound of the setting: the slacks that make it.
SLACKS_OF: Mapping[str, tuple[str, ...]] = {
    "asmp:beliefs": ("belief_slack",),
    "asmp:bounded-deviations": ("underbid", "overbid"),
}


class Loose(NamedTuple):
    """The share of a bound that an instance refutes; of which inequalities, in which claims if not in all."""

    caught_at: float
    parts: tuple[str, ...]
    labels: tuple[str, ...] = ()


#: Bounds that could be a tenth smaller.
LOOSE = (
    # Nine tenths of M(x) are still a bound. On the good event a count m at which x <= 2 beta(m) is at most m*(x), the
    # exact inverse, and m*(x) < .862 M(x) for all N >= 2, delta < 1 and x <= 1. For put y = 57N/(delta x^4) >= 114.
    # Then M(x) >= (4/x^2) ln y, and m*(x) = (4/x^2) s, where s > 1 and s - ln s = ln(32 pi^2 y/171)/2. As y grows
    # s/ln y falls wherever s > 2.0002, and at y = 114 it is .8617. Of whole numbers, 17 of 20 is the largest share that
    # a search over delta and x found at N = 2; the instances attain it.
    Loose(0.84, ("a winning competitor has m <= L_i",)),
    # As for L_i; with the query of initialization m* + 1 < .9 (M + 1), since M >= 19. Two qualified providers and an
    # unqualified one make N >= 3, where the same search found 20 of 24, and 21 of 25 with that query; the instances
    # attain both. The bound with the exact inverse, `lem:unqualified-elimination:sharp`, is attained.
    Loose(
        0.83,
        (
            "an unqualified provider is selected at most M_i times",
            "an unqualified provider is selected at most M_i times, plus queries in flight",
            "an eligible unqualified provider has m <= M_i",
            "queries sent to unqualified providers",
            "queries sent to unqualified providers, plus queries in flight",
            "quality regret, gaps at hand",
            "quality regret, gaps at hand, plus queries in flight",
        ),
    ),
    # Two of the three radii are enough (`lem:two-sided-payment:sharp`, page sharper-bounds), so at most 2/3 can be
    # used. Of the bound with two radii more than nine tenths are used, and of this one too where d_- is many radii
    # (`lem:deviation-payment`).
    Loose(
        0.6,
        ("after T_0: at most three radii below the second cost",),
        ("lem:two-sided-payment", "thm:payment-convergence", "prop:bayesian-substitution"),
    ),
)


def used(relation: Relation) -> Relation:
    """Return the inequality between what is used of what a relation allows and all of that: its ratio is the share."""
    chosen = ALLOWED.get(relation.name, relation.right)
    whole = sympy.sympify(chosen)
    return replace(relation, left=relation.left - relation.right + whole, right=whole)


def tightened(relation: Relation, by: Any = TENTH) -> Relation:
    """Return a relation that allows less by a share of what it allows; of a rule, by a share of its scale."""
    chosen = RULES.get(relation.name, ALLOWED.get(relation.name, relation.right))
    return replace(relation, right=relation.right - by * sympy.sympify(chosen))


def loose(label: str, part: str) -> Loose | None:
    """Return why no instance can come near to the bound of a part of a claim, if so."""
    return next((entry for entry in LOOSE if part in entry.parts and label in (entry.labels or (label,))), None)
