"""One look for every figure: colours that colour-blind readers tell apart, line styles beside them, sizes for print."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from proofs_checks.figures.palette import DARK, LIGHT, Palette

#: Size of the smallest text, in points.
SMALLEST_TEXT = 7.0
#: Width of a figure with one panel and with two beside each other, in inches; the latter fills a page.
ONE_PANEL, TWO_PANELS = 4.8, 7.2


_SETTINGS = matplotlib.rc_params_from_file(Path(__file__).with_name("look.mplstyle"), use_default_template=False)
#: matplotlib's settings belong to the whole process, so one figure is drawn at a time.
_DRAWING = threading.RLock()


@contextmanager
def look(dark: bool = False, *, salt: str = "costproof") -> Iterator[Palette]:
    """Yield the palette, and draw in the one look within; other settings of matplotlib are restored after it.

    Parameters
    ----------
    dark : bool, optional
        For a dark page.
    salt : str, optional
        From which names inside an SVG file are made: figures on one page need different ones.

    Examples
    --------
    >>> with look(dark=True) as palette:
    ...     palette.background
    '#16181d'
    """
    palette = DARK if dark else LIGHT
    colours = {
        **dict.fromkeys(("figure.facecolor", "axes.facecolor"), palette.background),
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "hatch.color"),
            palette.ink,
        ),
        "grid.color": palette.faint,
    }
    with _DRAWING, matplotlib.rc_context(), warnings.catch_warnings():
        # A name may hold signs that the font lacks; they are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        matplotlib.rcdefaults()
        settings: Any = {**_SETTINGS, **colours, "svg.hashsalt": salt}
        matplotlib.rcParams.update(settings)
        yield palette


def new_panels(
    rows: int = 1, columns: int = 1, *, width: float | None = None, height: float = 2.9
) -> tuple[Figure, list[Axes]]:
    """Return a figure and its panels row by row; `height` is that of one row, in inches."""
    size = (width or (ONE_PANEL if columns == 1 else TWO_PANELS), height * rows)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    return figure, list(grid.flat)


def measuring(figure: Figure) -> Any:
    """Lay a figure out, once for all formats, and return what measures its texts in pixels."""
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        # A layout takes a third of the time of a drawing. With an engine left, even one that does nothing, matplotlib
        # would draw the figure twice for a file: it takes the first time for the layout.
        figure.set_layout_engine(None)
    return renderer


#: matplotlib counts the groups of a drawing; no two drawings on one page may share a name.
_COUNTED_NAMES = re.compile(r' id="[A-Za-z][A-Za-z0-9.]*_\d+"')


def svg_of(figure: Figure, *, title: str, alt: str) -> str:
    """Return a figure as an SVG element, for a file of its own or to stand in a page.

    Parameters
    ----------
    figure : Figure
    title : str
        Shown by browsers where the pointer rests.
    alt : str
        What the figure shows, in words, for those who do not see it.

    Examples
    --------
    >>> with look():
    ...     figure, _ = new_panels()
    >>> svg = svg_of(figure, title="Empty", alt="Nothing is drawn & that is all.")
    >>> svg[:4], "<desc>Nothing is drawn &amp; that is all.</desc>" in svg
    ('<svg', True)
    """
    file = BytesIO()
    with look(salt=title):
        measuring(figure)
        figure.savefig(file, format="svg", metadata={"Date": None, "Title": title})
    text = file.getvalue().decode("utf-8")
    text = _COUNTED_NAMES.sub("", text[text.index("<svg") :]).rstrip() + "\n"
    text = text.replace("<svg", '<svg role="img"', 1)
    return text.replace("</title>", f"</title>\n <desc>{escape(alt)}</desc>", 1)


def save(figure: Figure, path: str, form: Literal["svg", "pdf", "png"], *, title: str, alt: str) -> None:
    """Write a figure to a file; the same figure gives the same bytes."""
    if form == "svg":
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg_of(figure, title=title, alt=alt))
        return
    metadata: dict[str, Any] = {"Title": title}
    metadata |= {"Subject": alt, "CreationDate": None} if form == "pdf" else {"Description": alt}
    with look(salt=title):
        measuring(figure)
        figure.savefig(path, format=form, metadata=metadata)
