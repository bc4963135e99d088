"""When i* is guaranteed to lead, as the paper says, as sharper bounds say, and when it did lead in simulated runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bounds.names import title_of
from mechanism.metrics.curves import Curves
from mechanism.policies import PLATFORM
from proofs_checks.figures.axes import (
    HIGH,
    IDENTIFICATION_HORIZON,
    LOW,
    log_axis,
    said,
    shared_legend,
    short_name,
    short_names,
    title,
)
from proofs_checks.figures.look import look, new_panels
from proofs_checks.figures.runs import SettingRuns, identification_time


@dataclass(frozen=True, kw_only=True, eq=False)
class IdentificationHorizons:
    """T_id of one setting, promised and simulated.

    Parameters
    ----------
    setting : str
    horizon : int
        T of the runs.
    paper, sharp, sharpest : int or None
        None where it is undefined.
    simulated : array of float, shape (R,)
        The first checkpoint from which i* leads to the end of the run; infinite where it does not lead at T.
    """

    setting: str
    horizon: int
    paper: int | None
    sharp: int | None
    sharpest: int | None
    simulated: NDArray[np.float64]


def leads_for_good(curves: Curves) -> NDArray[np.float64]:
    """Return, for every run, the first checkpoint from which i* leads to the end; infinite if it does not at T."""
    leading = curves.identified == 1.0
    # From the end: the checkpoints from which every later one leads.
    for_good = np.logical_and.accumulate(leading[:, ::-1], axis=1)[:, ::-1]
    first = np.argmax(for_good, axis=1)
    return np.where(for_good.any(axis=1), curves.steps[first].astype(float), np.inf)


def identification_of(runs: SettingRuns) -> IdentificationHorizons:
    """Return T_id of a setting: the paper's, two sharper ones, and that of each of the platform's runs."""
    return IdentificationHorizons(
        setting=runs.setting.name,
        horizon=runs.horizon,
        paper=identification_time(runs.setting),
        sharp=identification_time(runs.setting, "sharp"),
        sharpest=identification_time(runs.setting, "sharpest"),
        simulated=leads_for_good(runs.curves[PLATFORM]),
    )


def identification_horizons(found: Sequence[IdentificationHorizons], *, dark: bool = False) -> Figure:
    """Draw T_id by setting: the paper's, two sharper ones, and the median and 10 to 90% range of the simulated runs.

    An open triangle at the end of the runs says that i* did not lead there in half of the runs or more.
    """
    with look(dark) as palette:
        figure, (axes,) = new_panels(height=max(2.0, 1.3 + 0.36 * len(found)))
        seen: list[float] = []
        for row, each in enumerate(found):
            low, middle, high = simulated_range(each)
            shown = [min(value, float(each.horizon)) for value in (low, middle, high)]
            axes.plot(
                [shown[0], shown[2]], [row, row], color=palette.blue, linewidth=3.0, alpha=0.45, solid_capstyle="butt"
            )
            reached = np.isfinite(middle)
            axes.plot(
                [shown[1]],
                [row],
                linestyle="none",
                marker="o" if reached else ">",
                markerfacecolor=palette.blue if reached else palette.background,
                color=palette.blue,
                label="simulated (median, 10 to 90%)" if reached else "simulated: not within the runs",
            )
            for value, colour, marker, label in (
                (each.sharp, palette.green, "D", "sharp bound"),
                (each.sharpest, palette.purple, "^", "sharpest bound"),
                (each.paper, palette.orange, "s", "paper"),
            ):
                if value is not None:
                    axes.plot([value], [row], linestyle="none", marker=marker, color=colour, label=label)
                    seen.append(float(value))
            seen += shown
        log_axis(axes.xaxis, min(seen) * 0.7, max(seen) * 1.4)
        axes.set_yticks(range(len(found)), labels=short_names([each.setting for each in found]), parse_math=False)
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_xlabel(f"{IDENTIFICATION_HORIZON} (queries)")
        title(axes, IDENTIFICATION_HORIZON)
        shared_legend(figure, [axes])
    return figure


def simulated_range(found: IdentificationHorizons) -> tuple[float, float, float]:
    """Return the 10%, 50% and 90% quantiles of the simulated T_id; each is that of a run, so infinite ones count."""
    low, middle, high = np.quantile(found.simulated, (LOW, 0.5, HIGH), method="inverted_cdf")
    return float(low), float(middle), float(high)


def identification_horizons_in_words(found: Sequence[IdentificationHorizons]) -> str:
    """Say T_id of every setting."""
    parts = []
    for each in found:
        middle = simulated_range(each)[1]
        simulated = (
            f"not within {each.horizon:,}" if np.isinf(middle) else f"{said(middle)} in runs of {each.horizon:,}"
        )
        promised = [("paper", each.paper), ("sharp", each.sharp), ("sharpest", each.sharpest)]
        told = ", ".join(f"{what} {'no guarantee' if value is None else f'{value:,}'}" for what, value in promised)
        parts.append(f"{short_name(each.setting)}: {told}, simulated {simulated}")
    return (
        f"{title_of('identification_horizon')}, from which query on i* has the most selections to the end: by the "
        f"paper's bound, by our sharp bounds, and in the median of the simulated runs. {'; '.join(parts)}."
    )
