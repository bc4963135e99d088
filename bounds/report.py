"""Every theoretical quantity of a setting at a horizon, as data: values, whether they apply, and why not."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from bounds.errors import InputError
from bounds.formulas import payment, regret, selection
from bounds.formulas.catalogue import METHODS, FormulaSet
from bounds.formulas.identification import LARGEST_HORIZON, identification_horizon, main_text_identification_horizon
from bounds.formulas.selection import from_burn_in
from bounds.language.formula import Formula
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting


@dataclass(frozen=True)
class Bound:
    """A bound at a horizon.

    Parameters
    ----------
    value : float or None
        None where an assumption leaves it undefined.
    applies : bool
        Whether the theorem says anything about this setting and horizon.
    reason : str or None
        Why it does not apply, or why it is vacuous although it applies.
    parts : dict
        Branches and variants of the bound, by name.
    """

    value: float | None
    applies: bool
    reason: str | None
    parts: dict[str, float | None] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """Return the bound as plain JSON data."""
        return {"value": self.value, "applies": self.applies, "reason": self.reason, **self.parts}


@dataclass(frozen=True)
class ProviderBound:
    """What bounds the selections of one provider.

    `selection_bound` is M_i or L_i; `selection_cap` also counts exploration up to the horizon. Both are None
    for the optimal provider and where an assumption leaves them undefined.
    """

    name: str
    qualified: bool
    gap: float | None
    gap_kind: str | None
    selection_bound: float | None
    selection_cap: float | None


@dataclass(frozen=True)
class BoundsReport:
    """What the paper promises for a setting at a horizon; see `evaluate_bounds`.

    `main_text` holds the identification bound and horizon with the real-valued exploration term of
    thm:sample-complexity; `reasons` says, by quantity, why it is undefined or vacuous.
    """

    setting: str
    horizon: int
    method: str
    optimal_provider: str | None
    second_lowest_cost: float | None
    providers: tuple[ProviderBound, ...]
    sum_quality_selection_bounds: float | None
    sum_cost_selection_bounds: float | None
    exploration_cap: int
    exploration_steps_bound: int
    identification_bound: float | None
    identification_horizon: int | None
    burn_in: float | None
    bounds: dict[str, Bound]
    main_text: dict[str, float | None]
    reasons: dict[str, str]

    def to_data(self) -> dict[str, Any]:
        """Return the report as plain JSON data, with the contract's keys."""
        data = {name: getattr(self, name) for name in self.__dataclass_fields__}
        data["providers"] = [vars(provider) for provider in self.providers]
        data["bounds"] = {name: bound.to_data() for name, bound in self.bounds.items()}
        return data


def evaluate_bounds(setting: Setting, horizon: int, method: str = "paper") -> BoundsReport:
    """Evaluate every bound of the paper for a setting.

    Parameters
    ----------
    setting : Setting
    horizon : int
        T, at least the number of providers.
    method : {"paper", "sharp"}
        As printed, or with the improvements of `bounds.formulas.sharp`.

    Returns
    -------
    BoundsReport

    Raises
    ------
    InputError
        The horizon is below N, or the method unknown.

    Examples
    --------
    >>> from bounds.published import published
    >>> report = evaluate_bounds(published("gpqa-strong").setting, 70_000)
    >>> report.identification_bound, report.identification_horizon
    (76846, 153697)
    """
    check_horizon(setting, horizon)
    if method not in METHODS:
        raise InputError("method", method, f"must be one of {', '.join(METHODS)}", "choose printed or improved bounds")
    return _Reporter(setting, horizon, method).report()


def check_horizon(setting: Setting, horizon: int) -> None:
    """Raise an InputError if a horizon is not a whole number from N to 2^52.

    Examples
    --------
    >>> from bounds.published import published
    >>> check_horizon(published("gpqa-strong").setting, 4)
    """
    if isinstance(horizon, bool) or not isinstance(horizon, int) or horizon < setting.n_providers:
        rule = f"must be a whole number of at least N = {setting.n_providers}"
        raise InputError("horizon", horizon, rule, "initialization alone sends one query to every provider")
    if horizon > LARGEST_HORIZON:
        raise InputError("horizon", horizon, "must not exceed 2^52", "larger counts are not exact in floating point")


class _Reporter:
    """Builds one report; None stands for what an unmet assumption leaves undefined."""

    def __init__(self, setting: Setting, horizon: int, method: str) -> None:
        self.setting, self.horizon, self.method = setting, horizon, method
        self.formulas: FormulaSet = METHODS[method]
        self.values = {**formula_inputs(setting), "horizon": horizon}
        self.unmet = "; ".join(setting.unmet_assumptions)
        self.unseparated = "" if self.unmet else _unseparated(setting)

    def report(self) -> BoundsReport:
        formulas, blocked = self.formulas, self.unmet or self.unseparated
        providers = tuple(self._provider(index) for index in range(self.setting.n_providers))
        horizon = None if blocked else identification_horizon(self.values, formulas.lead, formulas.lead_counts_twice)
        bound = None if blocked else self._number(formulas.identification)
        return BoundsReport(
            setting=self.setting.name,
            horizon=self.horizon,
            method=self.method,
            optimal_provider=None
            if self.setting.optimal is None
            else self.setting.providers[self.setting.optimal].name,
            second_lowest_cost=self.setting.second_lowest_cost,
            providers=providers,
            sum_quality_selection_bounds=_total(p.selection_bound for p in providers if p.gap_kind == "quality"),
            sum_cost_selection_bounds=None
            if self.unmet
            else _total(p.selection_bound for p in providers if p.gap_kind == "cost"),
            exploration_cap=self._count(selection.EXPLORATION_CAP),
            exploration_steps_bound=self._count(formulas.exploration_steps),
            identification_bound=bound,
            identification_horizon=horizon,
            burn_in=self._number(formulas.burn_in),
            bounds=self._bounds(),
            main_text=self._main_text(bool(blocked)),
            reasons=self._reasons(bound, horizon),
        )

    def _number(self, formula: Formula, index: int | None = None) -> float | None:
        """Return a formula's value (for one provider, if given), or None where it has none."""
        values = self.values if index is None else {**self.values, **formula_inputs(self.setting, among=(index,))}
        if any(quantity.name not in values for quantity in formula.inputs):
            return None
        try:
            return _plain(float(formula(values).item()))
        except InputError:
            return None

    def _count(self, formula: Formula) -> int:
        value = formula.value(self.values)
        if math.isinf(value):
            scale = self.setting.platform.exploration_scale
            raise InputError("exploration_scale", scale, "makes g(T) overflow", "it is k in g(t) = k (t/N)^alpha")
        return int(value)

    def _provider(self, index: int) -> ProviderBound:
        setting, provider, formulas = self.setting, self.setting.providers[index], self.formulas
        if index in setting.unqualified:
            kind, gap_formula, bound, cap = (
                "quality",
                selection.QUALITY_GAP,
                formulas.unqualified_bound,
                formulas.unqualified_cap,
            )
        elif index in setting.competitors:
            kind, gap_formula, bound, cap = (
                "cost",
                selection.COST_GAP,
                formulas.competitor_bound,
                formulas.competitor_cap,
            )
        else:
            return ProviderBound(provider.name, True, None, None, None, None)
        gap, limit = self._number(gap_formula, index), self._number(bound, index)
        capped = self._number(cap, index)
        return ProviderBound(provider.name, kind == "cost", gap, kind, limit, limit if capped is None else capped)

    def _bounds(self) -> dict[str, Bound]:
        formulas = self.formulas
        excess = {
            "without_exploration": self._number(formulas.excess_without_exploration),
            "average_polynomial": self._number(payment.AVERAGE_EXCESS_PAYMENT) if self.method == "paper" else None,
        }
        # The quality guarantee needs no bids and no i*: one qualified provider keeps the eligible set non-empty.
        unmet = "" if self.setting.qualified else self.unmet
        by_gap = formulas.quality_by_quality if self.unmet else formulas.quality_branches[1]
        return {
            "quality_regret": self._regret(formulas.quality_branches[0], by_gap, regret.TRIVIAL_QUALITY_REGRET, unmet),
            "generation_regret": self._regret(
                *formulas.generation_branches, regret.TRIVIAL_GENERATION_REGRET, self.unmet
            ),
            "excess_payment": self._bound(formulas.excess, payment.TRIVIAL_EXCESS_PAYMENT, self.unmet, excess),
            "average_payment_deviation": self._average_deviation(),
        }

    def _regret(self, anytime: Formula, gap_dependent: Formula, trivial: Formula, unmet: str) -> Bound:
        """Return the smaller branch, or the anytime one where the gaps promise nothing."""
        parts = {"anytime": self._number(anytime), "gap_dependent": self._number(gap_dependent)}
        if unmet:
            return Bound(None, False, unmet, dict.fromkeys(parts))
        values = [value for value in parts.values() if value is not None]
        reasons = [] if values else ["vacuous: it is not finite"]
        if values and (largest := self._number(trivial)) is not None and min(values) > largest:
            reasons.append(f"vacuous: it exceeds the trivial maximum {largest:,.6g}")
        if parts["gap_dependent"] is None:
            reasons.append(f"the gap-dependent branch does not apply: {self.unseparated or 'it is not finite'}")
        return Bound(min(values, default=None), True, "; ".join(reasons) or None, parts)

    def _bound(self, formula: Formula, trivial: Formula, unmet: str, parts: dict[str, float | None]) -> Bound:
        if unmet:
            return Bound(None, False, unmet, dict.fromkeys(parts))
        value, largest = self._number(formula), self._number(trivial)
        if value is None:
            return Bound(None, True, "vacuous: it is not finite", parts)
        vacuous = largest is not None and value > largest
        return Bound(value, True, f"vacuous: it exceeds the trivial maximum {largest:,.6g}" if vacuous else None, parts)

    def _average_deviation(self) -> Bound:
        bound = self._bound(self.formulas.average_deviation, payment.TRIVIAL_PAYMENT_DEVIATION, self.unmet, {})
        if not bound.applies:
            return bound
        burn_in = self.formulas.burn_in.value(self.values)
        if from_burn_in(self.values, self.horizon, self.formulas.largest_elimination):
            return bound
        reason = f"T = {self.horizon:,} is below T_0 = {burn_in:,.1f}; the theorem needs T >= T_0"
        return Bound(bound.value, False, reason)

    def _main_text(self, blocked: bool) -> dict[str, float | None]:
        return {
            "identification_bound": None if blocked else self._number(selection.IDENTIFICATION_BOUND_MAIN_TEXT),
            "identification_horizon": None if blocked else main_text_identification_horizon(self.values),
        }

    def _reasons(self, bound: float | None, horizon: int | None) -> dict[str, str]:
        blocked = self.unmet or self.unseparated
        reasons = {}
        if blocked:
            reasons["identification_bound"] = blocked
        elif bound is None:
            reasons["identification_bound"] = "vacuous: it is not finite"
        elif bound >= self.horizon:
            reasons["identification_bound"] = f"vacuous: B_id(T) = {bound:,} is not below T = {self.horizon:,}"
        if horizon is None:
            reasons["identification_horizon"] = blocked or "no horizon below 2^52 guarantees the lead"
        return reasons


def _unseparated(setting: Setting) -> str:
    """Return why the competitors' bounds are undefined under the stated deviations, or an empty string."""
    optimal = setting.optimal
    if optimal is None:
        return ""
    # Exactly: a sum and a difference of doubles can round to opposite sides of one another.
    deviation = Fraction(setting.platform.underbid) + Fraction(setting.platform.overbid)
    reach = Fraction(setting.providers[optimal].mean_cost) + deviation
    close = [setting.providers[i].name for i in setting.competitors if setting.providers[i].mean_cost <= reach]
    if not close:
        return ""
    return (
        f"the cost gap of {', '.join(close)} does not exceed underbid + overbid = {float(deviation):g} "
        "(prop:deviation-selection)"
    )


def _total(bounds: Any) -> float | None:
    """Return the sum, or None if a summand is undefined."""
    values = list(bounds)
    return None if None in values else sum(values)


def _plain(value: float) -> float | None:
    """Return an int where the value is one, None where it is not finite."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
