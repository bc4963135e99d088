"""From when on each bound is informative, as the horizon and the gaps vary."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bounds.names import title_of
from bounds.setting.model import Setting
from bounds.worth.guarantee import Guarantee, guarantees_of
from bounds.worth.threshold import informative_from
from proofs_checks.figures.axes import Series, log_axis, said, shared_legend, title
from proofs_checks.figures.look import DASH_DOT_DOT, DASH_DOTTED, DASHED, DOTTED, LONG_DASHED, SOLID, look, new_panels

Floats = NDArray[np.float64]

#: Factors by which gaps are scaled: 1 is the setting itself.
GAP_FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
_SERIES = {
    "identification": Series(name=title_of("identification"), colour="blue", pattern=SOLID, marker="o"),
    "quality_regret": Series(name=title_of("quality_regret"), colour="green", pattern=DASHED, marker="s"),
    "generation_regret": Series(name=title_of("generation_regret"), colour="orange", pattern=DASH_DOTTED, marker="D"),
    "excess_payment": Series(name=title_of("excess_payment"), colour="purple", pattern=LONG_DASHED, marker="^"),
    "average_payment_deviation": Series(
        name=title_of("average_payment_deviation"), colour="grey", pattern=DOTTED, marker="v"
    ),
}
_POINTS = 60

#: The methods that are compared.
_COMPARED = ("paper", "sharpest")


@dataclass(frozen=True, kw_only=True, eq=False)
class InformativeHorizons:
    """What the guarantees of a setting are worth, by horizon and by the size of the gaps.

    Parameters
    ----------
    setting : Setting
    horizon : int
        T, at which the setting is looked at: it is marked.
    horizons : array of int, shape (H,)
    shares : mapping of str to array of float, shape (H,)
        By guarantee: the bound over its trivial value; NaN where it says nothing at all.
    factors : tuple of float, length G
        What all quality gaps and cost gaps are multiplied by.
    starts : mapping of (str, str) to array of float, shape (G,)
        By method and guarantee: from which horizon on it is below its trivial value; NaN where there is none.
    """

    setting: Setting
    horizon: int
    horizons: NDArray[np.int64]
    shares: Mapping[str, Floats]
    factors: tuple[float, ...]
    starts: Mapping[tuple[str, str], Floats]


def with_gaps_scaled(setting: Setting, factor: float) -> Setting:
    """Return the setting with all quality gaps of the unqualified and cost gaps of the qualified times a factor.

    Qualities stay above 0 and costs below c_max.

    Examples
    --------
    >>> from bounds.published import published
    >>> scaled = with_gaps_scaled(published("gpqa-strong").setting, 0.5)
    >>> round(scaled.providers[0].quality, 4), scaled.providers[2].quality == 0.182
    (0.0981, False)
    """
    platform, threshold = setting.platform, setting.platform.quality_threshold
    best = None if setting.optimal is None else setting.providers[setting.optimal].mean_cost
    providers = list(setting.providers)
    for index in setting.unqualified:
        gap = threshold - providers[index].quality
        # An unqualified provider stays one, however small its gap becomes.
        quality = min(max(threshold - factor * gap, 0.0), math.nextafter(threshold, 0.0))
        providers[index] = replace(providers[index], quality=quality)
    for index in setting.competitors if best is not None else ():
        gap = providers[index].mean_cost - (best or 0.0)
        cost = min((best or 0.0) + factor * gap, platform.cost_bound)
        providers[index] = replace(providers[index], mean_cost=cost)
    return replace(setting, providers=tuple(providers))


def informative_horizons(setting: Setting, horizon: int, factors: Sequence[float] = GAP_FACTORS) -> InformativeHorizons:
    """Evaluate the guarantees up to a hundred times a horizon, and from when on each is informative as gaps scale."""
    horizons = np.unique(np.geomspace(setting.n_providers, 100 * horizon, _POINTS).round().astype(np.int64))
    at_hand = guarantees_of(setting)
    starts: dict[tuple[str, str], Floats] = {}
    for factor_at, factor in enumerate(factors):
        scaled = with_gaps_scaled(setting, factor)
        for method in _COMPARED:
            for name, guarantee in guarantees_of(scaled, method).items():
                found = starts.setdefault((method, name), np.full(len(factors), np.nan))
                start = informative_from(guarantee)
                found[factor_at] = np.nan if start is None else start
    return InformativeHorizons(
        setting=setting,
        horizon=horizon,
        horizons=horizons,
        shares={name: _shares(guarantee, horizons) for name, guarantee in at_hand.items()},
        factors=tuple(factors),
        starts=starts,
    )


def _shares(guarantee: Guarantee, horizons: NDArray[np.int64]) -> Floats:
    def share(horizon: int) -> float:
        trivial = guarantee.trivial_value(horizon)
        value = guarantee.value(horizon) if guarantee.applies(horizon) else math.inf
        return value / trivial if trivial and math.isfinite(value) else math.nan

    return np.array([share(int(horizon)) for horizon in horizons])


def informative(found: InformativeHorizons, *, dark: bool = False) -> Figure:
    """Draw each bound over its trivial value by horizon, and from when on it is informative as all gaps scale.

    Below the line at 1 a bound is informative. T is marked in both panels: right of it, or above it on the right, is
    later. On the right, filled markers are the paper's bounds, open ones the
    sharpest ones.
    """
    with look(dark) as palette:
        figure, (left, right) = new_panels(1, 2, height=3.3)
        for name, series in _SERIES.items():
            colour = getattr(palette, series.colour)
            if np.isfinite(found.shares[name]).any():
                left.plot(found.horizons, found.shares[name], color=colour, linestyle=series.pattern, label=series.name)
            for method, face in zip(_COMPARED, (colour, palette.background), strict=True):
                starts = found.starts[method, name]
                if np.isfinite(starts).any():
                    right.plot(
                        found.factors,
                        starts,
                        color=colour,
                        linestyle=series.pattern,
                        linewidth=1.4 if method == "paper" else 0.8,
                        marker=series.marker,
                        markersize=4,
                        markerfacecolor=face,
                        label=series.name if method == "paper" else None,
                    )
        left.axhline(1.0, color=palette.ink, linewidth=0.9, label="trivial value")
        marked: dict[str, Any] = {"color": palette.grey, "linewidth": 1.1, "linestyle": DASH_DOT_DOT}
        left.axvline(found.horizon, label=f"$T$ = {found.horizon:,}", **marked)
        right.axhline(found.horizon, **marked)
        shares = np.concatenate([*found.shares.values(), [1.0]])
        shares = shares[np.isfinite(shares) & (shares > 0)]
        log_axis(left.yaxis, max(float(shares.min()), 1e-3) * 0.8, min(float(shares.max()), 1e3) * 1.2)
        log_axis(left.xaxis, float(found.horizons[0]), float(found.horizons[-1]))
        left.set_xlabel("Horizon $T$")
        left.set_ylabel("Bound over its trivial value")
        title(left, "Bound over trivial value", found.setting.name)
        starts = np.concatenate(list(found.starts.values()))
        known = np.append(starts[np.isfinite(starts)], found.horizon)
        if len(known) > 1:
            log_axis(right.yaxis, float(known.min()) * 0.6, float(known.max()) * 1.6)
        log_axis(right.xaxis, min(found.factors) * 0.85, max(found.factors) * 1.15)
        right.set_xlabel("All gaps times (1: the setting)")
        right.set_ylabel("Informative from $T$ =")
        title(right, "Informative from (open: sharpest)")
        engine = figure.get_layout_engine()
        if engine is not None:
            engine.set(wspace=0.06)  # type: ignore[call-arg]
        shared_legend(figure, [left, right])
    return figure


def informative_in_words(found: InformativeHorizons) -> str:
    """Say from when on each guarantee is informative in the setting itself."""
    at = found.factors.index(1.0) if 1.0 in found.factors else 0
    parts = []
    for name, series in _SERIES.items():
        paper, sharpest = (found.starts[method, name][at] for method in _COMPARED)
        parts.append(f"{series.name} from {said(float(paper))} (sharpest: {said(float(sharpest))})")
    marked = f"T = {found.horizon:,} is marked."
    return f"The horizon from which each bound is below its trivial value: {'; '.join(parts)}. {marked}"
