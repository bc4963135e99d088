"""The guarantees as formulas of the horizon, and when one is informative."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.formulas import selection
from bounds.formulas.catalogue import all_formulas
from bounds.formulas.identification import NEAR
from bounds.guarantees import GUARANTEES, GuaranteeKind
from bounds.language.computed import Stated, rests_on_search
from bounds.language.formula import Formula
from bounds.methods import METHODS, FormulaSet
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting


@dataclass(frozen=True, kw_only=True)
class Branch:
    """One of the bounds of which a guarantee takes the smallest.

    Parameters
    ----------
    formula : Formula
    per_cap : float or None
        At least what it grows by if the exploration cap ceil(g(T)) - 1 grows by one; of an average, T times it. None
        for the trivial value of N queries: it grows by at most its weights, each at most that of one query.
    settles : bool, optional
        Whether the bound over T, of an average the bound, does not rise with T but for caps, so that it is informative
        for good once it is far enough below its trivial value. On a plateau of the cap every branch does not rise.
    stated : bool, optional
        Whether reports state it; another one only tells from when on the guarantee is informative.
    """

    formula: Formula
    per_cap: float | None
    settles: bool = True
    stated: bool = True


#: A bound of a larger share of its trivial value is informative, but hardly better: no advice leads to one.
HARDLY_BETTER = 0.9


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A bound that holds for every market of the theory, for one setting, at any horizon.

    Parameters
    ----------
    name : str
    branches : tuple of Branch
        Those that have a value in this setting; the smallest counts. Empty if the guarantee is undefined.
    trivial : Formula
        What holds without any theory.
    values : mapping
        What the formulas need but for the horizon; see `bounds.setting.formula_inputs.formula_inputs`.
    largest : Formula or None
        Mbar, where the guarantee holds from the burn-in T_0 on only.
    average : bool
        Whether the bound is an average over the queries rather than a sum.
    whole : bool
        Whether the bound and its trivial value are whole numbers, which doubles below 2^53 compare exactly.
    """

    name: str
    branches: tuple[Branch, ...]
    trivial: Formula
    values: Mapping[str, Any] = field(repr=False)
    largest: Formula | None = None
    average: bool = False
    whole: bool = False

    @property
    def n_providers(self) -> int:
        """N, the least horizon."""
        return int(self.values["n_providers"])

    def value(self, horizon: int) -> float:
        """Return the bound at a horizon; infinite where it has no value."""
        return min((self.of_branch(branch, horizon) for branch in self.branches), default=math.inf)

    def of_branch(self, branch: Branch, horizon: int) -> float:
        """Return the value of a branch at a horizon; infinite where it has none."""
        return number(branch.formula, self.values, horizon)

    def per_cap(self, branch: Branch) -> float:
        """Return at least what a branch grows by with the exploration cap; see `Branch`."""
        return number(self.trivial, self.values, self.n_providers) if branch.per_cap is None else branch.per_cap

    def values_at(self, horizons: Sequence[int]) -> NDArray[np.float64]:
        """Return the bound at many horizons at once, infinite where it has no value.

        Examples
        --------
        >>> from bounds.published import published
        >>> guarantees_of(published("gpqa-strong").setting)["identification"].values_at([70_000, 10**7]).tolist()
        [76846.0, 195930.0]
        """
        found = np.full(len(horizons), math.inf)
        for branch in self.branches:
            np.minimum(found, self.numbers_at(branch.formula, horizons), out=found)
        return found

    def numbers_at(self, formula: Stated, horizons: Sequence[int]) -> NDArray[np.float64]:
        """Return the value of a formula at many horizons, infinite where it has none."""
        if len(horizons) > 1:
            steps = np.asarray(horizons, dtype=float)
            with contextlib.suppress(InputError):  # at one of them, or for want of an input: one by one
                found = formula.with_gaps({**self.values, "horizon": steps})
                return np.broadcast_to(np.where(np.isnan(found), math.inf, found), steps.shape)
        return np.array([number(formula, self.values, int(horizon)) for horizon in horizons])

    def trivial_value(self, horizon: int) -> float | None:
        """Return what holds without any theory at a horizon; None where the quantity itself is undefined."""
        found = number(self.trivial, self.values, horizon)
        return found if math.isfinite(found) else None

    def applies(self, horizon: int) -> bool:
        """Whether the horizon is one that the theorem speaks of."""
        if not self.branches:
            return False
        return self.largest is None or bool(selection.from_burn_in(self.values, horizon, self.largest))

    def says_something(self, horizon: int) -> bool:
        """Whether the guarantee applies and is strictly below its trivial value.

        Near ties are decided exactly, but for bounds that rest on a search: these count as ties.
        """
        # Whether it applies is asked last: it takes longer than the values, which mostly say enough.
        return self._is_below_trivial(horizon) and self.applies(horizon)

    def is_worth_having(self, horizon: int) -> bool:
        """Whether the guarantee is informative, and leaves at most `HARDLY_BETTER` of its trivial value."""
        trivial = self.trivial_value(horizon)
        return trivial is not None and self.value(horizon) <= HARDLY_BETTER * trivial and self.says_something(horizon)

    def says_something_at(self, horizons: Sequence[int]) -> list[bool]:
        """Return `says_something` at many horizons.

        Examples
        --------
        >>> from bounds.published import published
        >>> guarantees_of(published("gpqa-strong").setting)["identification"].says_something_at([76_850, 76_851])
        [False, True]
        """
        trivial = self.numbers_at(self.trivial, horizons)
        with np.errstate(invalid="ignore"):  # where both are infinite
            margin = trivial - self.values_at(horizons)
        doubtful = np.isfinite(margin) & (np.abs(margin) <= NEAR * trivial)
        below = np.isfinite(trivial) & (margin > 0)
        return [
            self.says_something(horizon) if near else bool(far and self.applies(horizon))
            for horizon, near, far in zip(horizons, doubtful, below, strict=True)
        ]

    def _is_below_trivial(self, horizon: int) -> bool:
        trivial = self.trivial_value(horizon)
        if trivial is None:
            return False
        margin = trivial - self.value(horizon)
        if not math.isfinite(margin) or abs(margin) > NEAR * trivial or (self.whole and trivial < 2**52):
            return margin > 0
        exact = {**self.values, "horizon": horizon}
        least = self.trivial.enclose(exact, precision=512).lower
        return any(
            branch.formula.enclose(exact, precision=512).upper < least
            for branch in self.branches
            if math.isfinite(self.of_branch(branch, horizon)) and not rests_on_search(branch.formula)
        )


def number(formula: Stated, values: Mapping[str, Any], horizon: int) -> float:
    """Return a formula's value at a horizon; infinite where it has none.

    Examples
    --------
    >>> number(selection.TRIVIAL_IDENTIFICATION_BOUND, {"n_providers": 4}, 100)
    96.0
    """
    inputs = {**values, "horizon": horizon}
    if not formula.input_names <= inputs.keys():
        return math.inf
    try:
        return float(formula(inputs).item())
    except InputError:
        return math.inf


def guarantees_of(
    setting: Setting, method: str = "paper", values: Mapping[str, Any] | None = None
) -> dict[str, Guarantee]:
    """Return the guarantees of a setting by their names in a report.

    Parameters
    ----------
    setting : Setting
    method : {"paper", "sharp", "sharpest"}
    values : mapping, optional
        The setting's `bounds.setting.formula_inputs.formula_inputs`, where they are at hand.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = guarantees_of(published("gpqa-strong").setting)
    >>> list(found)[0], found["identification"].value(70_000), found["identification"].says_something(70_000)
    ('identification', 76846.0, False)
    """
    values = formula_inputs(setting) if values is None else values
    return {name: _guarantee(kind, setting, METHODS[method], values) for name, kind in GUARANTEES.items()}


def _guarantee(kind: GuaranteeKind, setting: Setting, formulas: FormulaSet, values: Mapping[str, Any]) -> Guarantee:
    extra = formulas.settling.get(kind.name)
    grows = {"queries": float(setting.n_providers), "money": setting.n_providers * setting.platform.cost_bound}
    branches = [
        Branch(
            formula=formula, per_cap=grows[kind.per_cap] if kind.per_cap and place == 0 else None, settles=extra is None
        )
        for place, formula in enumerate(branches_of(kind, setting, formulas))
    ]
    if extra is not None and branches:
        branches.append(Branch(formula=extra, per_cap=None, stated=False))
    return Guarantee(
        name=kind.name,
        branches=tuple(branches),
        trivial=all_formulas()[kind.trivial],
        values=values,
        largest=formulas.largest_elimination if kind.from_burn_in else None,
        average=kind.average,
        whole=kind.whole,
    )


def branches_of(kind: GuaranteeKind, setting: Setting, formulas: FormulaSet) -> tuple[Formula, ...]:
    """Return the bounds of a guarantee that a report of a setting states, those that have a value there."""
    branches, unmet = formulas.branches[kind.name], bool(setting.unmet_assumptions)
    if kind.needs_optimum:
        return () if unmet else branches[: kind.unseparated if setting.unseparated else None]
    if not (setting.qualified and setting.platform.papers_radius):
        return ()
    return (*branches[:-1], formulas.without_optimum.get(kind.name, branches[-1])) if unmet else branches
