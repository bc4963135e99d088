"""What is guaranteed of a market, in the figures of `costproof figures`: they are about truthful bids."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import lru_cache

from bounds.setting.model import Setting
from mechanism.policies import PLATFORM
from proofs_checks.explorer.controls import Market
from proofs_checks.figures.catalogue import BY_NAME
from proofs_checks.figures.drawing import NotDrawn, draw
from proofs_checks.figures.files import Effort, simulated
from proofs_checks.figures.look import svg_of

#: The figures of the view, in this order.
SHOWN = ("guarantees",)
#: Runs of a figure, and how many queries of them are simulated at most: a few seconds.
RUNS, LONGEST = 10, 100_000


@dataclass(frozen=True, kw_only=True)
class GuaranteePicture:
    """One figure of the view.

    Parameters
    ----------
    name, title, shows : str
        As `proofs_checks.figures.catalogue` has them.
    alt : str
        What the picture shows, in words; why there is none, if there is none.
    source : str or None
        The picture as a data URI; None if it cannot be drawn.
    """

    name: str
    title: str
    shows: str
    alt: str
    source: str | None


def guarantee_pictures(market: Market, theme: str) -> tuple[GuaranteePicture, ...]:
    """Return the figures of a market's setting, each drawn or with the reason why not.

    Examples
    --------
    >>> from bounds.published import published
    >>> market = Market(setting=published("gpqa-strong").setting, horizon=500, runs=2)
    >>> [each.name for each in guarantee_pictures(market, "light") if each.source]
    ['guarantees']
    """
    return _pictures(market.prepared, simulated_queries(market), market.seed, theme)


def simulated_queries(market: Market) -> int:
    """Return the horizon of the runs that are simulated for the figures."""
    return min(market.horizon, max(LONGEST, market.setting.n_providers))


@lru_cache(maxsize=16)
def _pictures(setting: Setting, horizon: int, seed: int, theme: str) -> tuple[GuaranteePicture, ...]:
    effort = Effort(runs=RUNS, horizon=horizon, seed=seed, policies=(PLATFORM,))
    runs = simulated(setting, effort)
    results = [draw(BY_NAME[name], runs, dark=theme == "dark") for name in SHOWN]
    found = []
    for name, result in zip(SHOWN, results, strict=True):
        kind = BY_NAME[name]
        told, source = "", None
        if isinstance(result, NotDrawn):
            told = result.reason
        elif result.drawn is not None:
            told = result.alt
            svg = svg_of(result.drawn, title=result.title, alt=result.alt)
            source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
        found.append(GuaranteePicture(name=name, title=kind.title, shows=kind.shows, alt=told, source=source))
    return tuple(found)
