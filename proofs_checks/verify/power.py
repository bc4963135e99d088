"""The power of the steered instances: whether they would catch a bound that is a tenth smaller.

An inequality can only be refuted by an instance that comes near to it. For each inequality of each claim this module
finds the largest share of what its bound allows (`proofs_checks.claims.allowances`) that an instance of `verify` uses.
A bound of which more than nine tenths are used could not be a tenth smaller. `power_page` tells it to readers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import log, sqrt

from bounds.formulas import payment, selection
from bounds.formulas.radius import LOG_CONSTANT
from bounds.formulas.regret import RADIUS_SUM_BOUND
from bounds.language.quantities import C_2, C_MAX, D_MINUS, D_PLUS, GAMMA, HORIZON, N
from bounds.language.reductions import Max
from proofs_checks.claims.allowances import RULES, SLACKS_OF, used
from proofs_checks.claims.cases.boundary import BOUNDARY
from proofs_checks.claims.model.case import Case
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.model.relation import Relation
from proofs_checks.claims.model.tightness import Tightness
from proofs_checks.claims.model.trace_check import TraceCheck
from proofs_checks.claims.registry import all_claims
from proofs_checks.claims.statements import payments, regrets

#: Claims whose inequalities are used up on markets built for them alone, not on the instances.
NOT_PLAYED = ("claim:widening-necessary:repaired", "claim:own-unwidened-wins-stop")

_COST = (1 + GAMMA) * C_MAX
_AVERAGE_EXCESS = {
    "start": N / HORIZON * (C_MAX - C_2),
    "exploration": payment.DEVIATION_EXPLORATION,
    "radii": _COST * sqrt(2 * N / HORIZON * log(LOG_CONSTANT * HORIZON**2)),
}
_AVERAGE_DEVIATION = {
    "start": payment.DEVIATION_START,
    "exploration": payment.DEVIATION_EXPLORATION,
    "radii": payment.DEVIATION_RADIUS,
}
_GENERATION = {
    "initialization and exploration": (N - 1) * (selection.EXPLORATION_CAP + 1) * C_MAX,
    "2 c_max S_T": 2 * _COST * RADIUS_SUM_BOUND,
}
#: Bounds that are sums, in the claim that has all their terms: the relation, and its terms by name.
TERMS: Mapping[str, tuple[Relation, Mapping[str, Any]]] = {
    "thm:quality-guarantee": (regrets.QUALITY_ANYTIME, {"N": 1 * N, "2 S_T": 2 * RADIUS_SUM_BOUND}),
    "thm:generation-regret": (regrets.GENERATION_ANYTIME, _GENERATION),
    "thm:deviation-generation-regret:anytime": (
        regrets.GENERATION_ANYTIME,
        {"d_- + d_+": (D_MINUS + D_PLUS) * (HORIZON - N)},
    ),
    "thm:excess-payment-general": (
        payments.EXCESS,
        {
            "start": N * (C_MAX - C_2),
            "exploration": selection.EXPLORATION_STEPS_BOUND * (C_MAX - C_2),
            "radii": _COST * RADIUS_SUM_BOUND,
        },
    ),
    "cor:excess-payment-polynomial": (payments.AVERAGE_EXCESS, _AVERAGE_EXCESS),
    "thm:regret": (payments.AVERAGE_DEVIATION, _AVERAGE_DEVIATION),
    "thm:deviation-payment-convergence": (payments.AVERAGE_DEVIATION, {"max{d_-, d_+}": Max(D_MINUS, D_PLUS)}),
    "thm:deviation-payment-convergence (excess)": (payments.AVERAGE_EXCESS, {"d_+": 1 * D_PLUS}),
}

Part = tuple[str, str]
Check = Relation | TraceCheck


@dataclass(frozen=True, kw_only=True)
class Reached:
    """The largest share of what an inequality allows that an instance uses, and the number of the instance."""

    share: float
    instance: int


@dataclass(frozen=True, kw_only=True)
class Power:
    """What the instances use of the bounds.

    Parameters
    ----------
    everywhere, random : mapping
        By claim and inequality: on all instances, and on the random ones alone.
    terms : mapping
        By claim and term: the share needed of it where all other terms are kept; left out where nothing is.
    """

    everywhere: Mapping[Part, Reached]
    random: Mapping[Part, Reached]
    terms: Mapping[Part, Reached]


def measured_claims() -> dict[str, Claim]:
    """Return the claims with inequalities; without documented findings, which are refuted as they stand."""
    return {
        label: stated
        for label, stated in all_claims().items()
        if not stated.finding and label not in NOT_PLAYED and any(inequalities(stated))
    }


def inequalities(stated: Claim) -> Iterator[Check]:
    """Yield the checks of a claim that compare something with a bound, rules left out."""
    for check in stated.checks:
        if check.name not in RULES if isinstance(check, Relation) else stated.label in SLACKS_OF:
            yield check


def power_of(cases: Sequence[Case], boundary: int = len(BOUNDARY)) -> Power:
    """Return what the instances use of the bounds.

    Parameters
    ----------
    cases : sequence of Case
        First those at the boundary, then the random ones.
    boundary : int, optional
        How many are at the boundary.
    """
    everywhere, random = {}, {}
    for label, stated in measured_claims().items():
        for check in inequalities(stated):
            share = used(check) if isinstance(check, Relation) else check
            shares = list(_shares(stated, share, cases))
            everywhere[label, check.name] = _largest(shares)
            random[label, check.name] = _largest([found for found in shares if found.instance >= boundary])
    terms = {
        (name, term): _largest(list(_shares(all_claims()[name.split(" ")[0]], used(relation, allowance), cases)))
        for name, (relation, allowances) in TERMS.items()
        for term, allowance in allowances.items()
    }
    return Power(everywhere=everywhere, random=random, terms=terms)


def _shares(stated: Claim, check: Check, cases: Sequence[Case]) -> Iterator[Reached]:
    for instance, case in enumerate(cases):
        found = compared(stated, check, case)
        if found is not None and found.ratio is not None:
            yield Reached(share=found.ratio, instance=instance)


def compared(stated: Claim, check: Check, case: Case) -> Tightness | None:
    """Return how a check fares on a case under the assumptions of a claim; None if one of them fails there."""
    if any(precondition.found_failure(case) for precondition in stated.preconditions):
        return None
    return check.check(case, stated.regime.overrides) if isinstance(check, Relation) else check(case)


def _largest(shares: Sequence[Reached]) -> Reached:
    """Return the largest share; none used is a share of 0 on no instance."""
    return max(shares, key=lambda found: found.share, default=Reached(share=0.0, instance=-1))
