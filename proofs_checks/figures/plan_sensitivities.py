"""How far T_id moves where one gap is a tenth smaller or larger: the sensitivities of a plan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from bounds.setting.model import Setting
from mechanism.planner.goals import BEST_METHOD, IDENTIFY, Goal
from mechanism.planner.sensitivity import Sensitivity, sensitivities
from proofs_checks.figures.axes import said, shared_legend, short_name, short_names, title
from proofs_checks.figures.look import look, new_panels

#: Gaps that are shown at most: those that move it most.
_MOST = 8


@dataclass(frozen=True, kw_only=True)
class PlanSensitivities:
    """What each gap contributes to T_id, those that move it most first.

    Parameters
    ----------
    setting : Setting
    gaps : tuple of Sensitivity
    """

    setting: Setting
    gaps: tuple[Sensitivity, ...]


def plan_sensitivities_of(setting: Setting) -> PlanSensitivities:
    """Return the gaps of a setting that move T_id most, by the best method of bounds.

    Examples
    --------
    >>> from bounds.published import published
    >>> plan_sensitivities_of(published("gpqa-strong").setting).gaps[0].provider
    'Llama-3.2-1B'
    """
    n = setting.n_providers
    found = sensitivities(setting, [Goal(text=IDENTIFY, kind=IDENTIFY, limit=float(n), horizon=n)], BEST_METHOD)
    ranked = sorted(found, key=lambda each: -max(map(abs, changes(each))))
    return PlanSensitivities(setting=setting, gaps=tuple(ranked[:_MOST]))


def changes(each: Sensitivity) -> tuple[float, float]:
    """Return by which part T_id changes where the gap is a tenth smaller, and larger; 0 where there is none."""
    at_hand, *moved = (values[0] for values in (each.at_hand, each.smaller, each.larger))
    first, second = (0.0 if value is None or not at_hand else value / at_hand - 1 for value in moved)
    return first, second


def plan_sensitivities(found: PlanSensitivities, *, dark: bool = False) -> Figure:
    """Draw, for every gap, bars to both sides: the change of T_id in percent as the gap shrinks and grows."""
    rows = np.arange(len(found.gaps))
    with look(dark) as palette:
        figure, (axes,) = new_panels(height=max(2.0, 1.5 + 0.3 * len(rows)))
        moved = np.array([changes(each) for each in found.gaps]) * 100
        for column, colour, hatch, label in ((0, "orange", "//", "a tenth smaller"), (1, "blue", "", "a tenth larger")):
            axes.barh(
                rows,
                moved[:, column],
                height=0.6,
                color=getattr(palette, colour),
                edgecolor=palette.background,
                hatch=hatch,
                label=f"gap {label}",
            )
        axes.axvline(0.0, color=palette.ink, linewidth=0.9)
        names = short_names([f"{short_name(each.provider, 16)} {each.gap_kind[0]}" for each in found.gaps], 22)
        axes.set_yticks(rows, labels=names, parse_math=False)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        reach = max(1.0, float(np.abs(moved).max()) * 1.1)
        axes.set_xlim(-reach, reach)
        axes.set_xlabel(r"Change of $T_{\mathrm{id}}$ in % (q: gap in quality, c: in cost)")
        title(axes, r"What each gap contributes to $T_{\mathrm{id}}$", found.setting.name)
        shared_legend(figure, [axes])
    return figure


def plan_sensitivities_in_words(found: PlanSensitivities) -> str:
    """Say by how much T_id changes with each gap that is shown."""
    parts = []
    for each in found.gaps:
        less, more = (f"{said(100 * change)}%" for change in changes(each))
        more = more if each.can_grow else "none (it cannot be a tenth larger)"
        parts.append(f"{short_name(each.provider)} in {each.gap_kind} {less} and {more}")
    at_hand = found.gaps[0].at_hand[0]
    from_when = "beyond 2^52" if at_hand is None else f"{at_hand:,.0f}"
    return f"T_id is {from_when}. It changes, with a gap a tenth smaller and larger, by: {'; '.join(parts)}."
