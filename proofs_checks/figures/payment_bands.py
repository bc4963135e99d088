"""The payments of one run inside the band that the theory gives each of them."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from bounds.words import at_most
from proofs_checks.figures.axes import (
    SECOND_LOWEST_COST,
    linear_axis,
    mark_steps,
    reference,
    said,
    shared_legend,
    step_axis,
    title,
)
from proofs_checks.figures.look import DASH_DOTTED, look, new_panels
from proofs_checks.figures.runs import SettingRuns
from proofs_checks.figures.sampled_payments import payment_band

#: Where the axis is cut, in second-lowest costs, as in the paper.
_CUT = 1.6


def payment_bounds(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw the payments of the first run's auctions at log-spaced steps, inside their bounds.

    Sampled steps that explored are left blank. The axis is cut at 1.6 times the second-lowest cost.
    """
    setting = runs.setting
    found = payment_band(setting, runs.log)
    second = setting.second_lowest_cost or setting.platform.cost_bound
    with look(dark) as palette:
        figure, (axes,) = new_panels()
        shown = np.isfinite(found.payment)
        steps = found.steps[shown]
        axes.vlines(
            steps,
            found.lower[shown],
            found.upper[shown],
            color=palette.grey,
            alpha=0.18,
            linewidth=0.8,
            label="The band",
        )
        for values, label in ((found.upper, "Upper bound"), (found.lower, "Lower bound")):
            marker = 6 if label == "Lower bound" else 7  # carets that point at the payment
            axes.plot(
                steps,
                values[shown],
                color=palette.orange,
                linestyle="none",
                marker=marker,
                markersize=3.5,
                markeredgewidth=0,
                label=label,
            )
        axes.plot(
            steps,
            found.payment[shown],
            color=palette.blue,
            linestyle="none",
            marker=".",
            markersize=4.0,
            markeredgewidth=0,
            label=r"Payment $\pi_t$",
        )
        reference(axes, palette, setting.second_lowest_cost, SECOND_LOWEST_COST, DASH_DOTTED)
        mark_steps(axes, palette, runs)
        step_axis(axes, int(steps[0] * 0.9), runs.horizon)
        linear_axis(axes.yaxis)
        axes.set_ylim(0, min(_CUT * second, 1.05 * setting.platform.cost_bound))
        axes.set_ylabel(f"{runs.money} per query")
        title(axes, "Payments of one run and their bounds", setting.name)
        shared_legend(figure, [axes])
    return figure


def payment_bounds_in_words(runs: SettingRuns) -> str:
    """Say how many payments are shown, how many lie inside, and where the band ends."""
    found = payment_band(runs.setting, runs.log)
    shown = np.isfinite(found.payment)
    inside = (found.payment >= found.lower) & (found.payment <= found.upper) & shown
    last = np.flatnonzero(shown)[-1] if shown.any() else None
    ends = (
        ""
        if last is None
        else (
            f" The last shown, at step {int(found.steps[last]):,}, is {said(float(found.payment[last]))} between "
            f"{said(float(found.lower[last]))} and {at_most(float(found.upper[last]))}."
        )
    )
    payments = f"{int(shown.sum())} sampled payments of auctions of one run of {runs.horizon:,} queries"
    return f"{int(inside.sum())} of {payments} lie inside their bounds.{ends}"
