"""Regrets and excess payment beside their bounds, at every step."""

from __future__ import annotations

from collections.abc import Sequence

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
from proofs_checks.figures.axes import panels, said
from proofs_checks.figures.palette import DASHED, DOTTED, SOLID, Series
from proofs_checks.figures.runs import SettingRuns

Floats = NDArray[np.float64]

_REALISED = Series(name="Realised (median, 10 to 90%)", colour="blue", pattern=SOLID, marker="")
_UNEXPLORED = "excess_payment_without_exploration"
_BRANCHES = {
    "anytime": Series(name="Bound, anytime branch", colour="orange", pattern=DASHED, marker=""),
    "gap_dependent": Series(name="Bound, gap-dependent branch", colour="green", pattern=DOTTED, marker=""),
    "single": Series(name="Bound without its exploration term", colour="purple", pattern=DASHED, marker=""),
}


def compared(setting: Setting) -> dict[str, dict[str, Formula]]:
    """Return, by the curve, the branches of its bound; what a setting's assumptions leave undefined is left out."""
    found = {
        name: dict(
            zip(("anytime", "gap_dependent"), branches_of(GUARANTEES[name], setting, METHODS["paper"]), strict=False)
        )
        for name in ("quality_regret", "generation_regret")
    }
    if not setting.unmet_assumptions:
        found[_UNEXPLORED] = {"single": EXCESS_PAYMENT_WITHOUT_EXPLORATION}
    return {curve: branches for curve, branches in found.items() if branches}


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
    with panels(runs, dark, len(rows), height=height, legend_columns=2) as (figure, each):
        for panel, (curve, branches) in zip(each, rows.items(), strict=True):
            panel.band(curves, curve, _REALISED)
            seen = [curves.quantiles(curve, (0.1, 0.5, 0.9)).ravel()]
            for name, formula in branches.items():
                bound = values_at(runs.setting, formula, curves.steps.tolist())
                seen.append(np.where(np.isfinite(bound), bound, np.nan))
                panel.axes.plot(curves.steps, seen[-1], **panel.line_of(_BRANCHES[name]))
            panel.log_values(np.concatenate(seen))
            panel.axes.set_ylabel(f"Cumulative ({'quality points' if curve == 'quality_regret' else runs.money})")
            panel.over_time(title_of(curve), last=panel is each[-1], moving=False)
    return figure


def bounds_over_time_in_words(runs: SettingRuns) -> str:
    """Say how much of each bound is used at the end."""
    curves, said_of = runs.curves[PLATFORM], []
    for curve, branches in compared(runs.setting).items():
        least = min(values_at(runs.setting, formula, [runs.horizon])[0] for formula in branches.values())
        realised = float(curves.median(curve)[-1])
        bound = "its bound without exploration" if curve == _UNEXPLORED else "bound"
        said_of.append(f"{title_of(curve)} {said(realised)}, {bound} {at_most(float(least))}")
    first = float(curves.median(_UNEXPLORED)[0])
    without = (
        " “Without exploration”: payments at steps that explore are left out, here and in this bound. costproof bounds "
        "and the explorer count them, so their excess payment and its bound are larger. "
        f"The line of the excess payment starts at {said(first)}: initialization pays each provider c_max once. Where "
        "the line is flat, no auction paid more than the second-lowest cost."
        if _UNEXPLORED in compared(runs.setting)
        else ""
    )
    return f"After {runs.horizon:,} queries, median over {counted(curves.runs, 'run')}: {'; '.join(said_of)}.{without}"
