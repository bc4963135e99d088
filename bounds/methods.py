"""The methods of bounds: the sets of formulas that a report can use."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bounds.errors import InputError
from bounds.formulas import regret, selection, sharp
from bounds.formulas.catalogue import all_formulas
from bounds.guarantees import GUARANTEES
from bounds.language.computed import Stated
from bounds.language.formula import Formula
from bounds.sharpest import formulas as sharpest


@dataclass(frozen=True, kw_only=True)
class FormulaSet:
    """The formulas of one method, by the role they play in a report.

    `branches` and `variants` are those of `bounds.guarantees.GUARANTEES`, by the guarantee's name; a variant that the
    method does not improve is None. `settling` is an excess payment that, over T, does not rise as T grows, where the
    branch of that name may rise. `without_optimum` has the last branch where i* is not unique. `lead` is what T - N
    must exceed for the optimal provider to lead; it counts twice where one bound serves for both its shortfall and the
    rival's cap. `exploration_steps_without_optimum` needs no unique i*. `largest_elimination` is Mbar, from which on
    the average deviation applies; None if it applies from N on. A count of `unbounded_from` or more stands for none.
    """

    branches: Mapping[str, tuple[Formula, ...]]
    variants: Mapping[str, Mapping[str, Formula | None]]
    settling: Mapping[str, Formula]
    unqualified_bound: Stated
    unqualified_cap: Stated
    competitor_bound: Stated
    competitor_cap: Stated
    lead: Formula
    lead_counts_twice: bool
    burn_in: Stated
    largest_elimination: Formula | None
    exploration_steps: Stated
    exploration_steps_without_optimum: Stated
    without_optimum: Mapping[str, Formula]
    unbounded_from: float = math.inf

    @property
    def identification(self) -> Formula:
        """What bounds the queries that miss the optimal provider."""
        return self.branches["identification"][0]


def _formula_set(*prefixes: str, **others: Any) -> FormulaSet:
    """Return the formulas whose names begin with the first of some prefixes that there is; others are given."""
    known: Mapping[str, Any] = {**{each.quantity.name: each for each in sharpest.SHARPEST.values()}, **all_formulas()}

    def improved(printed: str) -> Any:
        return next((known[f"{prefix}{printed}"] for prefix in prefixes if f"{prefix}{printed}" in known), None)

    def formula(printed: str) -> Any:
        return improved(printed) or known[printed]

    roles: dict[str, Any] = {
        "unqualified_bound": formula("elimination_bound"),
        "competitor_bound": formula("ordinary_bound"),
        "competitor_cap": formula("competitor_cap"),
        "burn_in": formula("burn_in"),
        "exploration_steps": formula("exploration_steps_bound"),
        "exploration_steps_without_optimum": formula("exploration_steps_bound"),
        "settling": {},
        **others,
    }
    return FormulaSet(
        branches={name: tuple(map(formula, kind.branches)) for name, kind in GUARANTEES.items()},
        variants={
            name: {part: improved(each) if prefixes else formula(each) for part, each in kind.variants.items()}
            for name, kind in GUARANTEES.items()
        },
        **roles,
    )


#: As printed; with the same good event; with delta spent otherwise.
METHODS: Mapping[str, FormulaSet] = MappingProxyType(
    {
        "paper": _formula_set(
            unqualified_cap=selection.ELIMINATION_BOUND,
            lead=selection.IDENTIFICATION_BOUND,
            lead_counts_twice=True,
            largest_elimination=selection.LARGEST_ELIMINATION_BOUND,
            without_optimum={"quality_regret": regret.QUALITY_REGRET_GAP_DEPENDENT},
        ),
        "sharp": _formula_set(
            "sharp_",
            unqualified_cap=sharp.SHARP_UNQUALIFIED_CAP,
            lead=sharp.SHARP_LEAD_BOUND,
            lead_counts_twice=False,
            largest_elimination=sharp.SHARP_LARGEST_ELIMINATION_BOUND,
            without_optimum={"quality_regret": sharp.SHARP_QUALITY_REGRET_BY_QUALITY},
        ),
        "sharpest": _formula_set(
            "sharpest_",
            "sharp_",
            settling={"excess_payment": sharpest.SHARPEST["settling_excess"]},
            unqualified_bound=sharpest.CHERNOFF_BOUND,
            unqualified_cap=sharpest.SHARPEST["unqualified_cap"],
            lead=sharpest.SHARPEST["lead"],
            lead_counts_twice=False,
            largest_elimination=None,
            exploration_steps_without_optimum=sharp.SHARP_EXPLORATION_STEPS_BOUND,
            without_optimum={"quality_regret": sharpest.SHARPEST["quality_by_quality"]},
        ),
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
