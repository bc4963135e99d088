"""The figures of a sweep and of a plan's sensitivities show what the bounds say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import costproof
from bounds.published import published
from proofs_checks.figures import parameter_sweep, plan_sensitivities

SETTING = published("gpqa-strong").setting


def test_a_sweep_shows_the_horizons_of_bounds() -> None:
    found = parameter_sweep.swept_horizons(SETTING)
    left, right = parameter_sweep.parameter_sweep(found).axes[:2]
    for axes, key in ((left, "confidence"), (right, "exploration_scale")):
        for method in ("paper", "sharp"):
            (line,) = (each for each in axes.lines if each.get_label() == method)
            values, horizons = (np.asarray(each) for each in (line.get_xdata(), line.get_ydata()))
            for place in (0, len(values) // 2, -1):
                platform = replace(SETTING.platform, **{key: float(values[place])})
                report = costproof.bounds(replace(SETTING, platform=platform), method=method)
                assert horizons[place] == report.identification_horizon


@pytest.mark.parametrize("k", [1e-300, 1e15])
def test_a_sweep_of_k_keeps_to_its_range(k: float) -> None:
    platform = replace(SETTING.platform, exploration_scale=k)
    assert k in parameter_sweep.swept_horizons(replace(SETTING, platform=platform)).values["exploration_scale"]


def test_bars_are_the_changes_of_a_plan() -> None:
    found = plan_sensitivities.plan_sensitivities_of(SETTING)
    planned = costproof.plan(SETTING, "identify-by=1M", runs=0).sensitivities
    assert set(found.gaps) == set(planned)
    (axes,) = plan_sensitivities.plan_sensitivities(found).axes
    widths = np.array([bar.get_width() for bar in axes.patches]).reshape(2, -1).T
    told = [plan_sensitivities.changes(each) for each in found.gaps]
    np.testing.assert_allclose(widths, 100 * np.array(told))
    assert (widths[:, 0] >= 0).all()
    assert (widths[:, 1] <= 0).all()
