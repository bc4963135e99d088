"""What each confidence radius guarantees, costs and gains, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bounds.radii.names import PAPERS
from proofs_checks.figures.axes import (
    HIGH,
    IDENTIFICATION_HORIZON,
    LOW,
    linear_axis,
    log_axis,
    said,
    shared_legend,
    title,
)
from proofs_checks.figures.look import Palette, look, new_panels
from proofs_checks.figures.runs import SettingRuns
from proofs_checks.radii.effects import RadiusEffect, radius_effects

#: Runs of each radius: enough for medians and the range of most.
_RUNS = 20


def effects_of(runs: SettingRuns) -> tuple[RadiusEffect, ...]:
    """Return the effect of every radius on a setting, up to the horizon of its runs."""
    return radius_effects(runs.setting, runs.horizon, runs=_RUNS)


def radii(effects: Sequence[RadiusEffect], *, dark: bool = False) -> Figure:
    """Draw unqualified share, amount paid and identification of every radius: simulated, and what is guaranteed."""
    with look(dark) as palette:
        figure, panels = new_panels(1, 3, height=2.3)
        shares, paid, leads = panels
        _spread(shares, palette, [100 * each.unqualified_share for each in effects])
        _spread(paid, palette, [each.amount_paid for each in effects])
        for axes, label in ((shares, "Unqualified, % of queries"), (paid, "Paid per query")):
            linear_axis(axes.xaxis)
            axes.set_xlabel(label)
        _identification(leads, palette, effects)
        for axes in panels:
            axes.set_yticks(range(len(effects)), labels=[each.radius if axes is shares else "" for each in effects])
            axes.set_ylim(len(effects) - 0.5, -0.5)
        title(shares, "Confidence radii")
        title(leads, "", effects[0].setting)
        shared_legend(figure, panels)
    return figure


def _spread(axes: Axes, palette: Palette, rows: Sequence[NDArray[np.float64]]) -> None:
    for row, values in enumerate(rows):
        low, middle, high = np.quantile(values, (LOW, 0.5, HIGH))
        _range(axes, palette, row, (low, middle, high))


def _range(axes: Axes, palette: Palette, row: int, found: tuple[float, float, float], **more: Any) -> None:
    low, middle, high = found
    axes.plot([low, high], [row, row], color=palette.blue, linewidth=3.0, alpha=0.45, solid_capstyle="butt")
    axes.plot(
        [middle],
        [row],
        **{"linestyle": "none", "marker": "o", "color": palette.blue, "label": "simulated (median, 10 to 90%)", **more},
    )


def _identification(axes: Axes, palette: Palette, effects: Sequence[RadiusEffect]) -> None:
    """Draw from when on i* leads; an open triangle says that in half of the runs or more it does not at their end."""
    seen: list[float] = []
    for row, each in enumerate(effects):
        last = float(each.horizon)
        low, middle, high = (float(v) for v in np.quantile(each.lead, (LOW, 0.5, HIGH), method="inverted_cdf"))
        beyond = {"marker": ">", "markerfacecolor": palette.background, "label": "simulated: not within the runs"}
        shown = (min(low, last), min(middle, last), min(high, last))
        _range(axes, palette, row, shown, **({} if np.isfinite(middle) else beyond))
        seen += shown
        if each.identification_horizon is not None:
            promised = float(each.identification_horizon)
            axes.plot(
                [promised],
                [row],
                linestyle="none",
                marker="D",
                color=palette.green,
                label=r"guaranteed, $T_{\mathrm{id}}$",
            )
            seen.append(promised)
    log_axis(axes.xaxis, min(seen) * 0.7, max(seen) * 1.4)
    axes.set_xlabel(f"{IDENTIFICATION_HORIZON} (queries)")


def radii_in_words(effects: Sequence[RadiusEffect]) -> str:
    """Say what each radius does."""
    parts = []
    for each in effects:
        middle = float(np.quantile(each.lead, 0.5, method="inverted_cdf"))
        leads = f"from {said(middle)} on" if np.isfinite(middle) else f"not within {each.horizon:,}"
        promised = each.identification_horizon
        guaranteed = "no guarantee" if promised is None else f"guaranteed from {promised:,}"
        parts.append(
            f"{each.radius}{' (the setting without a choice)' * (each.radius == PAPERS)}: "
            f"{said(100 * float(each.unqualified_share.mean()))}% of queries unqualified, "
            f"{said(float(each.amount_paid.mean()))} paid per query, i* leads {leads}, {guaranteed}"
        )
    return (
        f"For each confidence radius, over {len(effects[0].lead)} runs of {effects[0].horizon:,} queries with the same "
        f"outcomes. {'; '.join(parts)}."
    )
