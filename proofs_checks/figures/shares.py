"""Whom the platform serves, as a share of all queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from bounds.words import share
from mechanism.policy_names import PLATFORM
from proofs_checks.figures.axes import Panel, linear_axis, mean_and_half_width, panels, short_name, short_names
from proofs_checks.figures.palette import ROLES, role_of
from proofs_checks.figures.runs import SettingRuns

#: From so many providers on only those with the largest shares have a bar.
MOST_BARS = 30


def shares(runs: SettingRuns, step: int) -> tuple[Any, Any]:
    """Return the mean share of each provider after a step, and half the width of its 95% interval; shape (N,)."""
    return mean_and_half_width(runs.curves[PLATFORM].selections[:, runs.column(step)] / step)


def selection_shares(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw the share of queries that the platform gave to each provider, exploration steps included.

    One panel has all T queries, another the first pass over the benchmark where there is one. Green marks i*, blue the
    other qualified providers, orange the unqualified; by mean cost, cheapest first. Of many providers, those with the
    largest shares of all queries.
    """
    setting, steps = runs.setting, sorted({runs.pass_step, runs.horizon})
    mean, _ = shares(runs, runs.horizon)
    order = sorted(range(setting.n_providers), key=lambda i: (setting.providers[i].mean_cost, i))
    if len(order) > MOST_BARS:
        largest = set(sorted(order, key=lambda i: -mean[i])[:MOST_BARS])
        order = [i for i in order if i in largest]
    with panels(runs, dark, 1, len(steps), height=max(1.6, 0.75 + 0.19 * len(order))) as (figure, each):
        for panel, step in zip(each, steps, strict=True):
            _bars(panel, order, step)
        names = short_names([setting.providers[i].name for i in order])
        each[0].axes.set_yticks(range(len(order)), labels=names, parse_math=False)
        left_out = setting.n_providers - len(order)
        what = f"Selection shares ({left_out:,} smaller left out)" if left_out else "Selection shares"
        each[-1].title("")
        each[0].axes.set_title(what)
    return figure


def _bars(panel: Panel, order: Sequence[int], step: int) -> None:
    """Draw the shares after a step, a bar for each provider."""
    axes, palette, runs = panel.axes, panel.palette, panel.runs
    mean, half = shares(runs, step)
    for role, (colour, _, hatch, _) in ROLES.items():
        rows = [row for row, i in enumerate(order) if role_of(runs.setting, i) == role]
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
    axes.set_yticks(range(len(order)), labels=[""] * len(order))
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlim(left=0)
    linear_axis(axes.xaxis)
    what = "one pass: " if runs.window_is_one_pass and step == runs.pass_step else ""
    axes.set_xlabel(f"Share of {what}{step:,} queries")


def selection_shares_in_words(runs: SettingRuns) -> str:
    """Say who served most."""
    said = []
    for step in sorted({runs.pass_step, runs.horizon}, reverse=True):
        mean, _ = shares(runs, step)
        ordered = sorted(range(len(mean)), key=lambda i: -mean[i])[:3]
        most = ", ".join(f"{short_name(runs.setting.providers[i].name)} {share(float(mean[i]))}" for i in ordered)
        said.append(f"of {step:,} queries the platform gave most to {most}")
    return f"Means over runs: {'; '.join(said)}."
