"""Regrets and excess payment beside their bounds, at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bounds.formulas.payment import EXCESS_PAYMENT_WITHOUT_EXPLORATION
from bounds.glossary import title_of
from bounds.guarantees import GUARANTEES
from bounds.language.formula import Formula
from bounds.methods import METHODS
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.words import at_most, counted
from bounds.worth.guarantee import branches_of, number
from mechanism.policy_names import PLATFORM
from proofs_checks.figures.axes import band, mark_steps, panels, said, step_axis, title
from proofs_checks.figures.palette import DASHED, DOTTED, SOLID, Series
from proofs_checks.figures.policies import log_values
from proofs_checks.figures.runs import SettingRuns

Floats = NDArray[np.float64]

_REALISED = Series(name="Realised (median, 10 to 90%)", colour="blue", pattern=SOLID, marker="")
_UNEXPLORED = "excess_payment_without_exploration"
_BRANCHES = {
    "anytime": Series(name="Bound, anytime branch", colour="orange", pattern=DASHED, marker=""),
    "gap_dependent": Series(name="Bound, gap-dependent branch", colour="green", pattern=DOTTED, marker=""),
    "single": Series(name="Bound without its exploration term", colour="purple", pattern=DASHED, marker=""),
}


@dataclass(frozen=True, kw_only=True)
class BoundedCurve:
    """A realised quantity and the branches of its bound.

    Parameters
    ----------
    curve : str
        The name of its curve.
    what : str
    money : bool
        Whether it is an amount of money.
    branches : mapping of str to Formula
    """

    curve: str
    what: str
    money: bool
    branches: dict[str, Formula]


def compared(setting: Setting) -> tuple[BoundedCurve, ...]:
    """Return what is compared on a setting: bounds that its assumptions leave undefined are left out."""
    found, formulas = [], METHODS["paper"]
    for name in ("quality_regret", "generation_regret"):
        stated = branches_of(GUARANTEES[name], setting, formulas)
        branches = dict(zip(("anytime", "gap_dependent"), stated, strict=False))
        found.append(BoundedCurve(curve=name, what=title_of(name), money=name != "quality_regret", branches=branches))
    if not setting.unmet_assumptions:
        unexplored = f"{title_of('excess_payment')} without exploration"
        found.append(
            BoundedCurve(
                curve=_UNEXPLORED, what=unexplored, money=True, branches={"single": EXCESS_PAYMENT_WITHOUT_EXPLORATION}
            )
        )
    return tuple(row for row in found if row.branches)


def values_at(setting: Setting, formula: Formula, steps: Sequence[int]) -> Floats:
    """Return a bound at many horizons; infinite where it has no value."""
    inputs = formula_inputs(setting)
    return np.array([number(formula, inputs, int(step)) for step in steps])


def bounds_over_time(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw cumulative quality regret, generation regret and excess payment against each branch of their bounds.

    The regrets include exploration steps; the excess payment leaves them out, as does its bound.
    """
    rows, curves = compared(runs.setting), runs.curves[PLATFORM]
    height = 2.3 if len(rows) > 1 else 2.9
    with panels(dark, len(rows), height=height, legend_columns=2) as (figure, each, palette):
        for axes, row in zip(each, rows, strict=True):
            band(axes, palette, curves, row.curve, _REALISED)
            seen = [curves.quantiles(row.curve, (0.1, 0.5, 0.9)).ravel()]
            for name, formula in row.branches.items():
                series, bound = _BRANCHES[name], values_at(runs.setting, formula, curves.steps.tolist())
                bound = np.where(np.isfinite(bound), bound, np.nan)
                colour = getattr(palette, series.colour)
                axes.plot(curves.steps, bound, color=colour, linestyle=series.pattern, label=series.name)
                seen.append(bound)
            log_values(axes, np.concatenate(seen))
            axes.set_ylabel(f"Cumulative ({runs.money})" if row.money else "Cumulative (quality points)")
            mark_steps(axes, palette, runs, moving=False)
            step_axis(axes, int(curves.steps[0]), runs.horizon, "Query $t$" if axes is each[-1] else "")
            title(axes, row.what, runs.setting.name)
    return figure


def bounds_over_time_in_words(runs: SettingRuns) -> str:
    """Say how much of each bound is used at the end."""
    curves, said_of = runs.curves[PLATFORM], []
    for row in compared(runs.setting):
        least = min(values_at(runs.setting, formula, [runs.horizon])[0] for formula in row.branches.values())
        realised = float(curves.median(row.curve)[-1])
        bound = "its bound without exploration" if "single" in row.branches else "bound"
        said_of.append(f"{row.what} {said(realised)}, {bound} {at_most(float(least))}")
    first = float(curves.median(_UNEXPLORED)[0])
    without = (
        " “Without exploration”: payments at steps that explore are left out, here and in this bound. costproof bounds "
        "and the explorer count them, so their excess payment and its bound are larger. "
        f"The line of the excess payment starts at {said(first)}: initialization pays each provider c_max once. Where "
        "the line is flat, no auction paid more than the second-lowest cost."
        if any(row.curve == _UNEXPLORED for row in compared(runs.setting))
        else ""
    )
    return f"After {runs.horizon:,} queries, median over {counted(curves.runs, 'run')}: {'; '.join(said_of)}.{without}"
