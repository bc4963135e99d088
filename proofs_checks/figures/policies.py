"""Policies beside each other: regret against cost in one pass, and who serves and who is ruled out over time."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from bounds.glossary import name_of, title_of
from bounds.words import counted, share
from proofs_checks.figures.axes import (
    HIGH,
    LOW,
    Panel,
    linear_axis,
    markers,
    mean_and_half_width,
    panels,
    policy_series,
    said,
    said_by_policy,
    short_name,
)
from proofs_checks.figures.palette import DASH_DOTTED
from proofs_checks.figures.runs import SettingRuns


def one_pass(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw quality regret per step against generation cost per query after one pass (T without one), by policy.

    Points are means over runs, with 95% intervals.
    """
    with panels(runs, dark, height=3.1, legend_columns=2) as (figure, (panel,)):
        axes = panel.axes
        for policy, (cost, cost_half, regret, regret_half) in one_pass_points(runs).items():
            series = policy_series(policy)
            how = panel.line_of(series) | {"linestyle": "none", "marker": series.marker}
            axes.errorbar(cost, regret, xerr=cost_half, yerr=regret_half, capsize=2.0, elinewidth=1.0, **how)
        linear_axis(axes.xaxis)
        linear_axis(axes.yaxis)
        axes.margins(0.12)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.set_xlabel(f"{title_of('generation_cost')} ({runs.money} per query)")
        axes.set_ylabel(f"{title_of('quality_regret')} per step")
        queries = f"{runs.pass_step:,} queries"
        panel.title(f"One pass ({queries})" if runs.window_is_one_pass else queries)
    return figure


def one_pass_points(runs: SettingRuns) -> dict[str, tuple[float, float, float, float]]:
    """Return, by policy, the mean cost, its half-width, the mean regret per step and its half-width, as drawn."""
    column, found = runs.column(runs.pass_step), {}
    for policy, curves in runs.curves.items():
        cost = mean_and_half_width(curves.generation_cost[:, column])
        regret = mean_and_half_width(curves.quality_regret[:, column] / curves.steps[column])
        found[policy] = (float(cost[0]), float(cost[1]), float(regret[0]), float(regret[1]))
    return found


def one_pass_in_words(runs: SettingRuns) -> str:
    """Say where each policy stands."""
    said_of = [
        f"{policy_series(policy).name or policy}: cost {said(cost)}, quality regret {said(regret)} per step"
        for policy, (cost, _, regret, _) in one_pass_points(runs).items()
    ]
    return f"Means over {counted(runs.any_curves.runs, 'run')} of {runs.pass_step:,} queries. {'; '.join(said_of)}."


def identification(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw the share of i*, the share of unqualified selections, and how often i* leads, over time, by policy."""
    rows = (
        ("moving_share_of_optimal", title_of("moving_share_of_optimal")),
        ("moving_unqualified_share", title_of("moving_unqualified_share")),
        ("identified", "$i^*$ is the unique most selected"),
    )
    with panels(runs, dark, 3, height=2.05, legend_columns=2) as (figure, each):
        for panel, (name, what) in zip(each, rows, strict=True):
            if name == "identified":
                _fractions(panel)
            else:
                panel.bands_by_policy(name)
            panel.axes.set_ylim(-0.03, 1.03)
            panel.axes.set_ylabel("Share of runs" if name == "identified" else "Share of queries")
            panel.over_time(what, last=panel is each[-1])
    return figure


def _fractions(panel: Panel) -> None:
    for policy, curves in panel.runs.curves.items():
        how = panel.line_of(policy_series(policy)) | markers(curves.steps)
        panel.axes.plot(curves.steps, curves.mean("identified"), **how)


def identification_in_words(runs: SettingRuns) -> str:
    """Say what share i* and the unqualified have in the end, and in how many runs i* leads."""
    optimal, curves = runs.setting.optimal, runs.any_curves
    best = "" if optimal is None else short_name(runs.setting.providers[optimal].name)
    who = f"i* is {best}, the cheapest qualified provider. " if best else ""
    ends = [
        f"{policy_series(policy).name or policy}: {share(float(found.median('moving_share_of_optimal')[-1]))}, "
        f"{share(float(found.median('moving_unqualified_share')[-1]))}, "
        f"{int(found.identified[:, -1].sum())} of {counted(found.runs, 'run')}."
        for policy, found in runs.curves.items()
    ]
    return (
        f"{who}For each policy: the share of the last {runs.window:,} of {runs.horizon:,} queries that i* serves and "
        f"the share that unqualified providers serve (medians over {counted(curves.runs, 'run')}), "
        f"then in how many runs i* has the most selections, alone, after all queries. {' '.join(ends)}"
    )


def eligible(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw the number of providers not yet ruled out over time, by policy, with the number of qualified ones."""
    with panels(runs, dark, legend_columns=2) as (figure, (panel,)):
        axes, number = panel.axes, len(runs.setting.qualified)
        panel.bands_by_policy("eligible")
        panel.reference(float(number), rf"$|\mathcal{{Q}}|$ = {number}", DASH_DOTTED)
        axes.set_ylim(0, runs.setting.n_providers * 1.06)
        axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.set_ylabel(title_of("eligible"))
        panel.over_time("Number of eligible providers")
    return figure


def eligible_in_words(runs: SettingRuns) -> str:
    """Say how many providers are left in the end."""
    ends = said_by_policy(runs, lambda curves: said(curves.median("eligible")[-1]))
    return (
        f"Of {runs.setting.n_providers} providers {len(runs.setting.qualified)} are qualified. How many are eligible "
        f"at query {runs.horizon:,}, median over runs: {ends}."
    )


def regret(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw average quality regret and average generation regret of every policy, both axes logarithmic."""
    rows = [
        ("quality_regret", r"$R_t^{\mathrm{qual}}/t$"),
        ("generation_regret", rf"$R_t^{{\mathrm{{gen}}}}/t$ ({runs.money})"),
    ]
    if runs.setting.optimal is None:
        # Without i* nobody's cost can be compared with its.
        del rows[1]
    steps = runs.any_curves.steps
    with panels(runs, dark, len(rows), height=2.5 if len(rows) > 1 else 2.9, legend_columns=2) as (figure, each):
        for panel, (name, unit) in zip(each, rows, strict=True):
            panel.bands_by_policy(name, divide=steps)
            seen = [curves.quantiles(name, (LOW, 0.5, HIGH)) / steps for curves in runs.curves.values()]
            panel.log_values(np.concatenate(seen))
            panel.axes.set_ylabel(unit)
            panel.over_time(f"Average {name_of(name)}", last=panel is each[-1])
    return figure


def regret_in_words(runs: SettingRuns) -> str:
    """Say what the regrets are in the end."""
    ends = said_by_policy(
        runs,
        lambda curves: ", ".join(
            f"{name} {said(curves.median(f'{name}_regret')[-1] / runs.horizon)}" for name in ("quality", "generation")
        ),
    )
    seen = counted(runs.any_curves.runs, "run")
    return f"Regret per query after {runs.horizon:,} queries, median over {seen}. {ends}."
