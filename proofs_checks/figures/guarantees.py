"""What each method of bounds promises beside what simulated runs amounted to, quantity by quantity."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bounds.glossary import name_of, title_of
from bounds.methods import METHODS
from bounds.report import evaluate_bounds
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from bounds.sharpest.information import information_counts
from mechanism.metrics.curves import Curves
from mechanism.metrics.over_time import over_time
from mechanism.policy_names import PLATFORM
from proofs_checks.figures.axes import log_axis, panels, said, short_name
from proofs_checks.figures.runs import SettingRuns

#: What is compared, from top to bottom.
_QUANTITIES = (
    "identification_horizon",
    "identification",
    "quality_regret",
    "generation_regret",
    "exploration_steps",
    "excess_payment",
    "average_payment_deviation",
)
#: By method: its colour and its marker.
_METHODS = {"paper": ("orange", "s"), "sharp": ("green", "D"), "sharpest": ("purple", "^")}


@dataclass(frozen=True, kw_only=True)
class Realised:
    """A guaranteed quantity beside what runs amounted to.

    Parameters
    ----------
    quantity : str
    bounds : dict of str to float or None
        By method; None where its theorem does not apply.
    mean, largest : float
        Over the runs; infinite where the optimum did not lead at the end of one.
    least : float or None
        Of the queries that miss the optimum: how many any platform must send to cheaper unqualified providers on
        average (`bounds.sharpest.information`).
    """

    quantity: str
    bounds: dict[str, float | None]
    mean: float
    largest: float
    least: float | None = None


def leads_for_good(curves: Curves) -> NDArray[np.float64]:
    """Return, for every run, the first checkpoint from which i* leads to the end; infinite if it does not at T."""
    leading = curves.identified == 1.0
    # From the end: the checkpoints from which every later one leads.
    for_good = np.logical_and.accumulate(leading[:, ::-1], axis=1)[:, ::-1]
    first = np.argmax(for_good, axis=1)
    return np.where(for_good.any(axis=1), curves.steps[first].astype(float), np.inf)


@functools.lru_cache(maxsize=1)  # the picture and its words
def guaranteed_and_realised(runs: SettingRuns) -> tuple[Realised, ...]:
    """Return the bound of every method, and the mean and the maximum of the platform's runs, at the end of the runs."""
    setting, curves, horizon = runs.setting, runs.curves[PLATFORM], runs.horizon
    measured = {name: name for name in _QUANTITIES[2:]} | {"identification": "other_selections"}
    of = {name: over_time(setting, curves, metric)[:, -1] for name, metric in measured.items()}
    of["identification_horizon"] = leads_for_good(curves)
    promised = {method: _promised(setting, horizon, method) for method in METHODS}
    information = float(information_counts(formula_inputs(setting)).sum())
    return tuple(
        Realised(
            quantity=name,
            bounds={method: found[name] for method, found in promised.items()},
            mean=float(of[name].mean()),
            largest=float(of[name].max()),
            least=information if name == "identification" else None,
        )
        for name in _QUANTITIES
    )


def _promised(setting: Setting, horizon: int, method: str) -> dict[str, float | None]:
    """Return the bound on each quantity; None where it does not apply."""
    report = evaluate_bounds(setting, horizon, method)
    return {
        **{name: bound.value if bound.applies else None for name, bound in report.guarantees.items()},
        "identification_horizon": report.identification_horizon,
        "exploration_steps": report.exploration_steps_bound,
    }


def guarantees(runs: SettingRuns, *, dark: bool = False) -> Figure:
    """Draw each bound over the mean of the runs, on a logarithmic axis; the line from 1 ends at the largest run.

    T stands below the axis, and is marked in the row of horizons: a bound to the right of the mark is not reached yet.
    """
    rows = guaranteed_and_realised(runs)
    with panels(runs, dark, height=1.5 + 0.36 * len(rows)) as (figure, (panel,)):
        axes, palette = panel.axes, panel.palette
        seen = [1.0]
        for at, row in enumerate(rows):
            mean = row.mean if row.mean > 0 else np.nan
            if np.isfinite(row.largest / mean):
                axes.plot([1.0, row.largest / mean], [at, at], color=palette.blue, linewidth=3.0, alpha=0.45)
                axes.plot([1.0], [at], linestyle="none", marker="o", color=palette.blue, label="mean to largest run")
            for method, (colour, marker) in _METHODS.items():
                value = row.bounds[method]
                ratio = np.nan if value is None else value / mean
                if np.isfinite(ratio) and ratio > 0:
                    face = getattr(palette, colour)
                    axes.plot([ratio], [at], linestyle="none", marker=marker, markersize=5, color=face, label=method)
                    seen.append(float(ratio))
            if row.quantity == "identification_horizon" and np.isfinite(mean):
                until = f"$T$ = {runs.horizon:,}, where the runs end"
                axes.plot([runs.horizon / mean], [at], linestyle="none", marker="x", color=palette.ink, label=until)
                seen.append(runs.horizon / mean)
            if row.least and np.isfinite(row.least / mean):
                below = "no platform can stay below"
                axes.plot([row.least / mean], [at], linestyle="none", marker="|", color=palette.grey, label=below)
                seen.append(row.least / mean)
        log_axis(axes.xaxis, min(seen) * 0.7, max(seen) * 1.5)
        axes.set_yticks(range(len(rows)), labels=[name_of(row.quantity) for row in rows], parse_math=False)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(f"Bound over the mean of the runs, at $T$ = {runs.horizon:,}")
        panel.title("Guaranteed, and realised")
    return figure


def guarantees_in_words(runs: SettingRuns) -> str:
    """Say each bound and the mean of the runs."""
    parts = []
    for row in guaranteed_and_realised(runs):
        told = ", ".join(f"{method} {said(value)}" for method in _METHODS if (value := row.bounds[method]) is not None)
        mean = said(row.mean) if np.isfinite(row.mean) else "not in every run"
        parts.append(f"{title_of(row.quantity)}: {told}; mean of the runs {mean}")
    where = f"{short_name(runs.setting.name)} at T = {runs.horizon:,}"
    return f"Bounds and the mean of simulated runs of {where}. {'. '.join(parts)}."
