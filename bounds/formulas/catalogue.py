"""The catalogue: every formula by its name, and the two sets of formulas that a report can use."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bounds.formulas import belief, payment, radius, regret, selection, sharp
from bounds.language.formula import Formula


@functools.cache
def all_formulas() -> Mapping[str, Formula]:
    """Return every formula by the name of the quantity it computes, in the order of the modules.

    Examples
    --------
    >>> all_formulas()["burn_in"].source
    'thm:regret'
    """
    found = {
        value.quantity.name: value
        for module in (radius, selection, regret, payment, belief, sharp)
        for value in vars(module).values()
        if isinstance(value, Formula)
    }
    return MappingProxyType(found)


@dataclass(frozen=True, kw_only=True)
class FormulaSet:
    """The formulas of one method, by the role they play in a report.

    `quality_by_quality` is the gap-dependent quality regret that needs no i*. `lead` is what T - N must exceed for
    the optimal provider to lead; it counts twice where one bound serves for both its shortfall and the rival's cap.
    """

    unqualified_bound: Formula
    unqualified_cap: Formula
    competitor_bound: Formula
    competitor_cap: Formula
    identification: Formula
    lead: Formula
    lead_counts_twice: bool
    burn_in: Formula
    largest_elimination: Formula
    exploration_steps: Formula
    quality_branches: tuple[Formula, Formula]
    quality_by_quality: Formula
    generation_branches: tuple[Formula, Formula]
    excess: Formula
    excess_without_exploration: Formula
    average_deviation: Formula


METHODS: Mapping[str, FormulaSet] = MappingProxyType(
    {
        "paper": FormulaSet(
            unqualified_bound=selection.ELIMINATION_BOUND,
            unqualified_cap=selection.ELIMINATION_BOUND,
            competitor_bound=selection.ORDINARY_BOUND,
            competitor_cap=selection.COMPETITOR_CAP,
            identification=selection.IDENTIFICATION_BOUND,
            lead=selection.IDENTIFICATION_BOUND,
            lead_counts_twice=True,
            burn_in=selection.BURN_IN,
            largest_elimination=selection.LARGEST_ELIMINATION_BOUND,
            exploration_steps=selection.EXPLORATION_STEPS_BOUND,
            quality_branches=(regret.QUALITY_REGRET_ANYTIME, regret.QUALITY_REGRET_GAP_DEPENDENT),
            quality_by_quality=regret.QUALITY_REGRET_GAP_DEPENDENT,
            generation_branches=(regret.GENERATION_REGRET_ANYTIME, regret.GENERATION_REGRET_GAP_DEPENDENT),
            excess=payment.EXCESS_PAYMENT,
            excess_without_exploration=payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION,
            average_deviation=payment.AVERAGE_PAYMENT_DEVIATION,
        ),
        "sharp": FormulaSet(
            unqualified_bound=sharp.SHARP_ELIMINATION_BOUND,
            unqualified_cap=sharp.SHARP_UNQUALIFIED_CAP,
            competitor_bound=sharp.SHARP_ORDINARY_BOUND,
            competitor_cap=sharp.SHARP_COMPETITOR_CAP,
            identification=sharp.SHARP_IDENTIFICATION_BOUND,
            lead=sharp.SHARP_LEAD_BOUND,
            lead_counts_twice=False,
            burn_in=sharp.SHARP_BURN_IN,
            largest_elimination=sharp.SHARP_LARGEST_ELIMINATION_BOUND,
            exploration_steps=sharp.SHARP_EXPLORATION_STEPS_BOUND,
            quality_branches=(sharp.SHARP_QUALITY_REGRET_ANYTIME, sharp.SHARP_QUALITY_REGRET_GAP_DEPENDENT),
            quality_by_quality=sharp.SHARP_QUALITY_REGRET_BY_QUALITY,
            generation_branches=(sharp.SHARP_GENERATION_REGRET_ANYTIME, sharp.SHARP_GENERATION_REGRET_GAP_DEPENDENT),
            excess=sharp.SHARP_EXCESS_PAYMENT,
            excess_without_exploration=sharp.SHARP_EXCESS_PAYMENT_WITHOUT_EXPLORATION,
            average_deviation=sharp.SHARP_AVERAGE_PAYMENT_DEVIATION,
        ),
    }
)
