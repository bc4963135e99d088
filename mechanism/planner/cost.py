"""What a plan does to the other guarantees: every bound with the parameters as given, and as planned."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bounds.documents import NonNegative, Text
from bounds.glossary import name_of, unit_of
from bounds.grid.columns import SettingColumns
from bounds.grid.evaluate import evaluate_many
from bounds.guarantees import GUARANTEES
from bounds.proved_as import ProvedAs, backing_of
from bounds.report import evaluate_bounds
from bounds.setting.model import Setting
from mechanism.planner.goals import EXPLORATION, KINDS


@dataclass(frozen=True, kw_only=True)
class Guaranteed:
    """What one bound is at the horizon of a plan, with the parameters as given and as planned.

    Parameters
    ----------
    quantity : str
        What is at most the bound, in words.
    unit : str
        Unit of the bound.
    label : str
        Label in the paper of what bounds it.
    proved_as : str or None
        Verdict on the claim that bounds it, with the method and the radius of the plan; None where the setting lacks
        what the claim assumes.
    not_proved_because : str or None
        What it lacks, in a sentence; None if nothing.
    as_given : float or None
        With the k, alpha, delta and radius of the setting; None where nothing is guaranteed.
    as_planned : float or None
        With those of the choice; None where nothing is guaranteed.
    given_informative : bool
        Whether the first is below what holds without any theory.
    planned_informative : bool
        Whether the second is.
    """

    quantity: Text
    unit: Text
    label: str
    proved_as: ProvedAs | None
    as_given: NonNegative | None
    as_planned: NonNegative | None
    given_informative: bool
    planned_informative: bool
    not_proved_because: str | None


def guaranteed(given: Setting, planned: Setting, horizon: int, method: str) -> tuple[Guaranteed, ...]:
    """Return every bound of two settings that differ in k, alpha, delta or the radius.

    Parameters
    ----------
    given, planned : Setting
    horizon : int
    method : str
        As `bounds.report.evaluate_bounds` takes it.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.planner.search import with_parameters
    >>> given = published("gpqa-strong").setting
    >>> found = guaranteed(given, with_parameters(given, 1.0, 0.9, 0.05), 70_000, "sharp")
    >>> [(each.quantity, each.as_planned > each.as_given) for each in found if each.quantity.endswith("regret")]
    [('quality regret', False), ('generation regret', True)]
    """
    before, after = (_Bounds(each, horizon, method) for each in (given, planned))

    def row(quantity: str, unit: str, label: str, name: str, each: float = 1.0) -> Guaranteed:
        as_given, as_planned = (_plain(bounds.value(name) * each) for bounds in (before, after))
        backing = backing_of(planned, label, method)
        return Guaranteed(
            quantity=quantity,
            unit=unit,
            label=label,
            proved_as=backing.proved_as,
            as_given=as_given,
            as_planned=as_planned,
            not_proved_because=backing.not_proved_because,
            given_informative=before.informative(name),
            planned_informative=after.informative(name),
        )

    rows = [row(name_of(name), unit_of(name), kind.label, name) for name, kind in GUARANTEES.items()]
    for name, of_kind in KINDS.items():
        if of_kind.answered_by not in GUARANTEES:
            each_costs = given.platform.cost_bound if name == EXPLORATION else 1.0
            rows.append(row(of_kind.quantity, of_kind.unit, of_kind.label, of_kind.answered_by, each_costs))
    return tuple(rows)


class _Bounds:
    """The bounds of one setting; NaN where there is none."""

    def __init__(self, setting: Setting, horizon: int, method: str) -> None:
        self._many = evaluate_many(SettingColumns(base=setting, horizon=np.array([horizon])), method)
        self._setting, self._horizon = setting, horizon

    def value(self, name: str) -> float:
        """Return what a guarantee, or a count, is at most."""
        if name == "identification" and not self._setting.platform.papers_radius:
            bound = evaluate_bounds(self._setting, self._horizon).identification_bound
            return math.nan if bound is None else bound
        return float(self._many.column(name)[0])

    def informative(self, name: str) -> bool:
        """Return whether a guarantee, or a count, is below what holds anyway: of T queries at most T go to anybody."""
        if name in self._many.counts:
            return name == "identification_horizon" or not self.value(name) >= self._horizon
        if name == "identification":
            return self.value(name) < self._horizon - self._setting.n_providers
        return bool(self._many.informative[name][0])


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
