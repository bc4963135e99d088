"""What was drawn and what could not be, as data; no figure is drawn to say so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from bounds.documents import INTERNAL, OPTIONAL, Count, Document, FromOne, limits, named
from proofs_checks.figures.catalogue import FigureList


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure that was drawn.

    Parameters
    ----------
    figure : str
        Name of the figure.
    setting : str or None
        Name of its setting; None if it shows all of them.
    title : str
        Title of the figure.
    alt : str
        What it shows, for readers who cannot see it, with its main numbers.
    labels : tuple of str
        Labels of the paper's figures it stands for.
    files : tuple of str
        Paths of the files, one for each format; left out of a page.
    svg : str or None
        The figure, as an SVG document; there in a page alone.
    drawn : matplotlib.figure.Figure or None
        The figure itself, unless another process drew it into files.
    """

    figure: str
    setting: str | None
    title: str
    alt: str = field(metadata=named("alternative_text"))
    labels: tuple[str, ...]
    files: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    svg: str | None = field(default=None, repr=False, metadata=OPTIONAL)
    drawn: Any = field(default=None, repr=False, compare=False, metadata=INTERNAL)


@dataclass(frozen=True, kw_only=True)
class NotDrawn:
    """A figure that was not drawn.

    Parameters
    ----------
    figure : str
        Name of the figure.
    setting : str or None
        Name of its setting; None if it shows all of them.
    reason : str
        Why there is nothing to draw.
    """

    figure: str
    setting: str | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class FiguresOnPage(Document):
    """Figures from runs of their own, and the tightness map from the report of a page.

    Parameters
    ----------
    runs : int
        Runs of each setting and policy.
    horizon : int
        Queries of a run.
    seed : int
        Seed of all randomness.
    drawn : tuple of Picture
        The figures.
    not_drawn : tuple of NotDrawn
        The figures of which a setting leaves nothing to draw.
    """

    runs: FromOne
    horizon: FromOne
    seed: Count
    drawn: tuple[Picture, ...]
    not_drawn: tuple[NotDrawn, ...]


@dataclass(frozen=True, kw_only=True)
class FigureReport(Document):
    """What was drawn, and what could not be.

    Parameters
    ----------
    pictures : tuple of Picture
        The figures that were drawn.
    not_drawn : tuple of NotDrawn
        The figures of which a setting leaves nothing to draw.
    """

    pictures: tuple[Picture, ...] = field(metadata=named("figures"))
    not_drawn: tuple[NotDrawn, ...]

    def __repr__(self) -> str:
        return f"FigureReport({len(self.pictures)} figures, {len(self.not_drawn)} not drawn)"


FiguresDocument = Annotated[
    FigureReport | FigureList, limits(description="What was drawn, or with --list the figures that there are.")
]
