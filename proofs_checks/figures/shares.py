"""Whom the platform serves in one pass, as a share of all queries."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from bounds.worth.words import share
from mechanism.policies import PLATFORM
from proofs_checks.figures.axes import linear_axis, mean_and_half_width, shared_legend, short_name, short_names, title
from proofs_checks.figures.landscape import ROLES, role_of
from proofs_checks.figures.look import look, new_panels
from proofs_checks.figures.runs import SettingRuns

#: From so many providers on only those with the largest shares have a bar.
MOST_BARS = 30


def shares(runs: SettingRuns) -> tuple[Any, Any]:
    """Return the mean share of each provider after one pass, and half the width of its 95% interval; shape (N,)."""
    curves, column = runs.curves[PLATFORM], runs.window_column
    return mean_and_half_width(curves.selections[:, column] / curves.steps[column])


def selection_shares(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw the share of queries that the platform gave to each provider in one pass, exploration steps included.

    Green marks i*, blue the other qualified providers, orange the unqualified; by mean cost, cheapest first. Of many
    providers, those with the largest shares.
    """
    setting = runs.setting
    mean, half = shares(runs)
    order = sorted(range(setting.n_providers), key=lambda i: (setting.providers[i].mean_cost, i))
    if len(order) > MOST_BARS:
        largest = set(sorted(order, key=lambda i: -mean[i])[:MOST_BARS])
        order = [i for i in order if i in largest]
    with look(dark) as palette:
        figure, (axes,) = new_panels(height=max(1.6, 0.75 + 0.19 * len(order)))
        for role, (colour, _, hatch) in ROLES.items():
            rows = [row for row, i in enumerate(order) if role_of(setting, i) == role]
            if rows:
                axes.barh(
                    rows,
                    [mean[order[row]] for row in rows],
                    xerr=[half[order[row]] for row in rows],
                    height=0.72,
                    color=getattr(palette, colour),
                    edgecolor=palette.background,
                    hatch=hatch,
                    linewidth=0,
                    error_kw={"ecolor": palette.ink, "elinewidth": 1.0, "capsize": 2.0},
                    label=role,
                )
        axes.set_yticks(
            range(len(order)), labels=short_names([setting.providers[i].name for i in order]), parse_math=False
        )
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=0)
        linear_axis(axes.xaxis)
        axes.set_xlabel(f"Share of {runs.window_step:,} queries")
        left_out = setting.n_providers - len(order)
        title(axes, "Selection shares" + (f" ({left_out:,} smaller left out)" if left_out else ""), setting.name)
        shared_legend(figure, [axes])
    return figure


def selection_shares_in_words(runs: SettingRuns) -> str:
    """Say who served most."""
    mean, _ = shares(runs)
    ordered = sorted(range(len(mean)), key=lambda i: -mean[i])[:3]
    most = ", ".join(f"{short_name(runs.setting.providers[i].name)} {share(float(mean[i]))}" for i in ordered)
    return f"Of {runs.window_step:,} queries the platform gave most to {most} (means over runs)."
