"""The methods of bounds: the sets of formulas that a report can use."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from bounds.errors import InputError
from bounds.formulas import payment, regret, selection, sharp
from bounds.formulas.catalogue import all_formulas
from bounds.language.computed import Stated
from bounds.language.formula import Formula
from bounds.sharpest import formulas as sharpest


@dataclass(frozen=True, kw_only=True)
class FormulaSet:
    """The formulas of one method, by the role they play in a report; the paper's where no other is given.

    `quality_by_quality` is the gap-dependent quality regret that needs no i*. `lead` is what T - N must exceed for
    the optimal provider to lead; it counts twice where one bound serves for both its shortfall and the rival's cap.
    `exploration_steps_without_optimum` needs no unique i*. `largest_elimination` is Mbar, from which on the average
    deviation applies; None if it applies from N on. Where the excess payment over T may rise as T grows,
    `settling_excess` is one that does not.
    """

    unqualified_bound: Stated = selection.ELIMINATION_BOUND
    unqualified_cap: Formula = selection.ELIMINATION_BOUND
    competitor_bound: Formula = selection.ORDINARY_BOUND
    competitor_cap: Formula = selection.COMPETITOR_CAP
    identification: Formula = selection.IDENTIFICATION_BOUND
    lead: Formula = selection.IDENTIFICATION_BOUND
    lead_counts_twice: bool = True
    burn_in: Formula = selection.BURN_IN
    largest_elimination: Formula | None = selection.LARGEST_ELIMINATION_BOUND
    exploration_steps: Stated = selection.EXPLORATION_STEPS_BOUND
    exploration_steps_without_optimum: Formula = selection.EXPLORATION_STEPS_BOUND
    quality_branches: tuple[Formula, ...] = (regret.QUALITY_REGRET_ANYTIME, regret.QUALITY_REGRET_GAP_DEPENDENT)
    quality_by_quality: Formula = regret.QUALITY_REGRET_GAP_DEPENDENT
    generation_branches: tuple[Formula, ...] = (
        regret.GENERATION_REGRET_ANYTIME,
        regret.GENERATION_REGRET_GAP_DEPENDENT,
    )
    excess: Formula = payment.EXCESS_PAYMENT
    excess_without_exploration: Formula = payment.EXCESS_PAYMENT_WITHOUT_EXPLORATION
    average_deviation: Formula = payment.AVERAGE_PAYMENT_DEVIATION
    settling_excess: Formula | None = None


def _improved_set(**others: Any) -> FormulaSet:
    """Return the formulas that improve the paper's, found by their names; others are given."""

    def improved(printed: Any) -> Any:
        if isinstance(printed, tuple):
            return tuple(map(improved, printed))
        return all_formulas()[f"sharp_{printed.quantity.name}"]

    roles = (field for field in fields(FormulaSet) if field.name not in others and field.default is not None)
    return FormulaSet(**others, **{role.name: improved(role.default) for role in roles})


def _sharpest_set() -> FormulaSet:
    """Return the sharpest bounds; the counts of competitors are those of `sharp`."""
    found: Mapping[str, Any] = sharpest.SHARPEST
    roles: dict[str, Any] = {field.name: found[field.name] for field in fields(FormulaSet) if field.name in found}
    return FormulaSet(
        unqualified_bound=sharpest.CHERNOFF_BOUND,
        competitor_bound=sharp.SHARP_ORDINARY_BOUND,
        competitor_cap=sharp.SHARP_COMPETITOR_CAP,
        exploration_steps_without_optimum=sharp.SHARP_EXPLORATION_STEPS_BOUND,
        lead_counts_twice=False,
        largest_elimination=None,
        quality_branches=(found["quality_anytime"], found["quality_by_gap"]),
        generation_branches=(found["generation_anytime"], found["generation_by_gap"]),
        **roles,
    )


#: As printed; with the same good event; with delta spent otherwise.
METHODS: Mapping[str, FormulaSet] = MappingProxyType(
    {
        "paper": FormulaSet(),
        "sharp": _improved_set(
            unqualified_cap=sharp.SHARP_UNQUALIFIED_CAP,
            lead=sharp.SHARP_LEAD_BOUND,
            lead_counts_twice=False,
            quality_by_quality=sharp.SHARP_QUALITY_REGRET_BY_QUALITY,
        ),
        "sharpest": _sharpest_set(),
    }
)

#: Methods of earlier versions, with what to take instead.
_REMOVED = {"sharpest-binary": "sharpest"}


def method_formulas(method: object) -> FormulaSet:
    """Return the formulas of a method.

    Raises
    ------
    InputError
        There is no such method, or no longer.

    Examples
    --------
    >>> method_formulas("sharpest-binary")
    Traceback (most recent call last):
    ...
    bounds.errors.InputError: method='sharpest-binary' was removed: take sharpest
    """
    if isinstance(method, str) and method in METHODS:
        return METHODS[method]
    if isinstance(method, str) and method in _REMOVED:
        raise InputError("method", method, "was removed", f"take {_REMOVED[method]}")
    rule = f"must be one of {', '.join(METHODS)}"
    raise InputError("method", method, rule, "it chooses the formulas, printed or improved")


@functools.cache
def every_formula() -> Mapping[str, Formula]:
    """Return every formula by the name of the quantity it computes, those of the sharpest method too.

    Examples
    --------
    >>> every_formula()["sharpest_identification_bound"].source
    'thm:sample-complexity, improved'
    """
    further = sharpest.SHARPEST.values()
    named = {found.quantity.name: found for found in further if isinstance(found, Formula)}
    return MappingProxyType({**all_formulas(), **named})
