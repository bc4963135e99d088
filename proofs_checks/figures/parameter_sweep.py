"""T_id as delta and k vary, by every method of bounds: a sweep of `bounds.grid`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from bounds.grid.axes import columns_at
from bounds.grid.columns import Floats
from bounds.grid.evaluate import evaluate_many
from bounds.setting.model import LARGEST_NUMBER, SMALLEST_POSITIVE, Setting
from proofs_checks.figures.axes import log_axis, said, shared_legend, title
from proofs_checks.figures.look import DASHED, DOTTED, SOLID, look, new_panels

#: Values of each parameter; k is multiplied by factors between these, and delta lies between those.
_POINTS, _FACTORS, _DELTAS = 33, (0.1, 10.0), (1e-3, 0.5)
#: The exact laws of scores of 0 and 1 take seconds for each parameter: they are left out.
_LINES = {"paper": ("blue", SOLID), "sharp": ("green", DASHED), "sharpest": ("purple", DOTTED)}
_LEAD = "identification_horizon"


@dataclass(frozen=True, kw_only=True, eq=False)
class SweptHorizons:
    """T_id of a setting as one parameter varies.

    Parameters
    ----------
    setting : Setting
    values : mapping of str to array of float, shape (P,)
        By key: what the parameter takes.
    horizons : mapping of (str, str) to array of float, shape (P,)
        T_id by method and key; NaN where there is none.
    """

    setting: Setting
    values: Mapping[str, Floats]
    horizons: Mapping[tuple[str, str], Floats]


def swept_horizons(setting: Setting) -> SweptHorizons:
    """Evaluate T_id of a setting over delta and over k.

    Examples
    --------
    >>> from bounds.published import published
    >>> found = swept_horizons(published("gpqa-strong").setting)
    >>> bool((np.diff(found.horizons["paper", "confidence"]) < 0).all())
    True
    """
    scale = setting.platform.exploration_scale
    least, most = max(_FACTORS[0] * scale, SMALLEST_POSITIVE), min(_FACTORS[1] * scale, LARGEST_NUMBER)
    values = {"confidence": np.geomspace(*_DELTAS, _POINTS), "exploration_scale": np.geomspace(least, most, _POINTS)}

    def leads(method: str, key: str) -> Floats:
        columns = columns_at(setting, {key: values[key]}, setting.n_providers)
        return evaluate_many(columns, method, only=[_LEAD]).counts[_LEAD]

    horizons = {(method, key): leads(method, key) for method in _LINES for key in values}
    return SweptHorizons(setting=setting, values=values, horizons=horizons)


def can_be_swept(setting: Setting) -> bool:
    """Return whether the theory promises a lead of i* in a setting."""
    return not (setting.unmet_assumptions or setting.unseparated)


def parameter_sweep(found: SweptHorizons, *, dark: bool = False) -> Figure:
    """Draw T_id over delta on the left and over k on the right, with a line for each method and the setting itself."""
    platform = found.setting.platform
    own = {"confidence": platform.confidence, "exploration_scale": platform.exploration_scale}
    labels = {"confidence": r"Failure probability $\delta$", "exploration_scale": "Exploration scale $k$"}
    with look(dark) as palette:
        figure, panels = new_panels(1, 2, height=3.0)
        known = np.concatenate(list(found.horizons.values()))
        known = known[np.isfinite(known)]
        for axes, (key, values) in zip(panels, found.values.items(), strict=True):
            for method, (colour, pattern) in _LINES.items():
                horizons = found.horizons[method, key]
                if np.isfinite(horizons).any():
                    axes.plot(values, horizons, color=getattr(palette, colour), linestyle=pattern, label=method)
            low, high = min(float(values[0]), own[key]), max(float(values[-1]), own[key])
            axes.axvline(own[key], color=palette.ink, linewidth=0.9, label="the setting")
            if len(known):
                log_axis(axes.yaxis, float(known.min()) * 0.7, float(known.max()) * 1.4)
            log_axis(axes.xaxis, low, high)
            axes.set_xlabel(labels[key])
            axes.set_ylabel(r"$T_{\mathrm{id}}$")
        title(panels[0], r"Identification horizon by $\delta$", found.setting.name)
        title(panels[1], "and by $k$")
        shared_legend(figure, panels)
    return figure


def parameter_sweep_in_words(found: SweptHorizons) -> str:
    """Say T_id at the ends of both ranges, by method."""
    names = {"confidence": "delta", "exploration_scale": "k"}
    parts = []
    for (method, key), horizons in found.horizons.items():
        first, last = (f"{names[key]} = {value:.3g}" for value in found.values[key][[0, -1]])
        parts.append(f"{method}: {said(float(horizons[0]))} at {first}, {said(float(horizons[-1]))} at {last}")
    return f"The horizon from which i* is guaranteed to lead. {'; '.join(parts)}."
