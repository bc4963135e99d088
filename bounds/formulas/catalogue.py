"""The catalogue: every formula by its name, and the two sets of formulas that a report can use."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

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
    """The formulas of one method, by the role they play in a report; the paper's where no other is given.

    `quality_by_quality` is the gap-dependent quality regret that needs no i*. `lead` is what T - N must exceed for
    the optimal provider to lead; it counts twice where one bound serves for both its shortfall and the rival's cap.
    """

    unqualified_bound: Formula = selection.ELIMINATION_BOUND
    unqualified_cap: Formula = selection.ELIMINATION_BOUND
    competitor_bound: Formula = selection.ORDINARY_BOUND
    competitor_cap: Formula = selection.COMPETITOR_CAP
    identification: Formula = selection.IDENTIFICATION_BOUND
    lead: Formula = selection.IDENTIFICATION_BOUND
    lead_counts_twice: bool = True
    burn_in: Formula = selection.BURN_IN
    largest_elimination: Formula = selection.LARGEST_ELIMINATION_BOUND
    exploration_steps: Formula = selection.EXPLORATION_STEPS_BOUND
    quality_branches: tuple[Formula, ...] = (regret.QUALITY_REGRET_ANYTIME, regret.QUALITY_REGRET_GAP_DEPENDENT)
    quality_by_quality: Formula = regret.QUALITY_REGRET_GAP_DEPENDENT
    generation_branches: tuple[Formula, ...] = (
        regret.GENERATION_REGRET_ANYTIME,
        regret.GENERATION_REGRET_GAP_DEPENDENT,
    )
    excess: Formula = payment.EXCESS_PAYMENT
    excess_without_exploration: Formula = payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION
    average_deviation: Formula = payment.AVERAGE_PAYMENT_DEVIATION


def _improved_set(**others: Any) -> FormulaSet:
    """Return the formulas that improve the paper's, found by their names; others are given."""

    def improved(printed: Any) -> Any:
        if isinstance(printed, tuple):
            return tuple(map(improved, printed))
        return all_formulas()[f"sharp_{printed.quantity.name}"]

    roles = (field for field in fields(FormulaSet) if field.name not in others)
    return FormulaSet(**others, **{role.name: improved(role.default) for role in roles})


METHODS: Mapping[str, FormulaSet] = MappingProxyType(
    {
        "paper": FormulaSet(),
        "sharp": _improved_set(
            unqualified_cap=sharp.SHARP_UNQUALIFIED_CAP,
            lead=sharp.SHARP_LEAD_BOUND,
            lead_counts_twice=False,
            quality_by_quality=sharp.SHARP_QUALITY_REGRET_BY_QUALITY,
        ),
    }
)
