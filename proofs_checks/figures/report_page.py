"""The figures on the page of a verification: how tight its claims are, and what was guaranteed and realised."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bounds.published.defaults import HORIZON, default_horizon
from bounds.setting.model import Setting
from mechanism.policy_names import PLATFORM
from proofs_checks.figures.drawing import draw_tightness
from proofs_checks.figures.files import draw_settings, report_of, request_of, written
from proofs_checks.figures.pictures import FiguresOnPage

#: For every setting; `costproof figures` draws the others, which would make the page slow and large.
_NAMES = ("guarantees",)


def figures_on_page(
    settings: Sequence[Setting],
    ratios: Mapping[str, Mapping[str, float]],
    *,
    horizon: int | None = None,
    runs: int = 30,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> FiguresOnPage:
    """Draw the figures of a verification's page."""
    request = request_of(_NAMES, folder=None, inline=True)
    horizon = min(horizon or HORIZON, max(map(default_horizon, settings)))
    jobs = min(jobs, len(settings))
    found = draw_settings(
        settings, request, horizon, policies=(PLATFORM,), runs=runs, seed=seed, jobs=jobs, progress=progress
    )
    tightness = written(draw_tightness(ratios), "", request)
    every = report_of([tightness, *found.pictures, *found.not_drawn])
    return FiguresOnPage(runs=runs, horizon=horizon, seed=seed, drawn=every.pictures, not_drawn=every.not_drawn)
