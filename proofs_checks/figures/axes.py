"""What panels share: numbers on axes, names of providers, bands over runs, marks at steps, lines for reference."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from zlib import crc32

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from bounds.words import rough
from bounds.worth.advice import lead_from
from mechanism.metrics.curves import Curves
from mechanism.policy_names import POLICY_TITLES
from proofs_checks.figures.look import SMALLEST_TEXT, look, new_panels
from proofs_checks.figures.palette import (
    DASH_DOTTED,
    DASHED,
    DOTTED,
    LONG_DASHED,
    POLICY_SERIES,
    SOLID,
    LineStyle,
    Palette,
    Series,
)
from proofs_checks.figures.runs import SettingRuns

#: Longest name of a provider or a setting in a figure.
LONGEST_NAME = 22
#: Of a policy: as long as the longest of the paper's.
_LONGEST_POLICY = max(map(len, POLICY_TITLES.values()))
#: Quantiles of bands, as in the paper.
LOW, HIGH = 0.1, 0.9
#: Half the width of a 95% interval, in standard errors.
NORMAL_95 = 1.96
_BAND = 0.2


#: Where a policy is none of these: one of so many patterns and markers, the same in every figure.
_OTHERS = ((DASHED, "x"), (DOTTED, "+"), (DASH_DOTTED, "*"), (LONG_DASHED, "P"), (SOLID, "X"))


def policy_series(policy: str) -> Series:
    """Return how a policy is drawn.

    Examples
    --------
    >>> policy_series("platform").name
    'Platform'
    """
    if policy in POLICY_SERIES:
        return POLICY_SERIES[policy]
    pattern, marker = _OTHERS[crc32(policy.encode()) % len(_OTHERS)]
    return Series(name=_other_name(policy), colour="ink", pattern=pattern, marker=marker)


def _other_name(policy: str) -> str:
    """Return what a legend calls a policy that is none of the paper's; of one's own the object comes first.

    Examples
    --------
    >>> _other_name("uniform-random"), _other_name("routers/ours.py:make_router")
    ('uniform-random', 'make_router (ours.py)')
    """
    module, _, name = policy.rpartition(":")
    return short_name(f"{name} ({PurePath(module).name})" if module else policy, _LONGEST_POLICY)


def short_name(text: str, longest: int = LONGEST_NAME) -> str:
    """Return a name on one line, without signs that turn or hide the text beside them, and not too long.

    Examples
    --------
    >>> short_name("Qwen2.5-7B"), short_name("a\\u202eb\\n"), short_name("x" * 200, longest=5)
    ('Qwen2.5-7B', 'ab', 'xxxx…')
    """
    shown = "".join(" " if sign.isspace() else sign for sign in text if unicodedata.category(sign)[0] != "C")
    shown = " ".join(shown.split()) or "?"
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"


def short_names(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    """Return names as `short_name`, with their position behind those that would look alike.

    Examples
    --------
    >>> short_names(["a", "b" * 30, "b" * 31], longest=5)
    ['a', 'bbbb… (2)', 'bbbb… (3)']
    """
    shown = [short_name(name, longest) for name in names]
    return [name if shown.count(name) == 1 else f"{name} ({position})" for position, name in enumerate(shown, 1)]


def short_number(value: float) -> str:
    """Return a number for an axis: 10k, 1.5M, 0.05; very large and small ones as powers of ten.

    Examples
    --------
    >>> [short_number(value) for value in (0, 0.05, 700, 70_000, 1.5e6)], short_number(1e12), short_number(1e-5)
    (['0', '0.05', '700', '70k', '1.5M'], '$10^{12}$', '$10^{-5}$')
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞"
    size = abs(value)
    for limit, unit, sign in ((1e9, 1e6, "M"), (1e6, 1e6, "M"), (1e3, 1e3, "k")):
        if limit <= size < 1e9:
            return f"{value / unit:.4g}{sign}"
    if 1e-3 <= size < 1e3:
        return f"{value:.4g}"
    power = math.floor(math.log10(size) + 1e-9)
    front = value / 10.0**power
    return f"$10^{{{power}}}$" if abs(front - 1) < 1e-6 else f"${front:.3g}\\times10^{{{power}}}$"


def log_axis(axis: Axis, low: float, high: float) -> None:
    """Make an axis logarithmic over a positive range, with ticks that can be read."""
    if high <= low:
        low, high = low / 2, low * 2
    decades = math.log10(high / low)
    axes, name = axis.axes, axis.axis_name  # type: ignore[attr-defined]
    axes.set(**{f"{name}scale": "log", f"{name}lim": (low, high)})
    subs = (1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)
    axis.set_major_locator(LogLocator(subs=subs, numticks=9))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
    axis.set_minor_formatter(NullFormatter())
    between = LogLocator(subs=tuple(range(2, 10)), numticks=200) if 2.5 <= decades < 8 else NullLocator()
    axis.set_minor_locator(between)


def linear_axis(axis: Axis) -> None:
    """Give an axis few ticks, with short numbers."""
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(round(value, 12))))


def markers(steps: Any) -> dict[str, Any]:
    """Return how a line of few points is drawn: they must be seen where there is no line between them."""
    return {"marker": "."} if len(steps) < 3 else {}


#: The levels that figures compare with: in words, with the paper's symbol.
COST_OF_OPTIMAL = r"mean cost of $i^*$, $\bar{c}_{i^*}$"
SECOND_LOWEST_COST = r"second-lowest qualified cost, $\bar{c}_{(2)}$"
PRICE_OF_OPTIMAL = r"mean price of a query of $i^*$, $\bar{v}_{i^*}$"


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """One panel of a figure, in the one look, and the runs that it shows."""

    axes: Axes
    palette: Palette
    runs: SettingRuns

    def title(self, text: str) -> None:
        """Write a title on the left, and the name of the setting, which may hold any sign, on the right."""
        self.axes.set_title(text)
        how: dict[str, Any] = {"fontsize": max(SMALLEST_TEXT, 7.5), "fontstyle": "italic"}
        self.axes.set_title(short_name(self.runs.setting.name), loc="right", parse_math=False, **how)

    def over_time(self, text: str, *, last: bool = True, moving: bool = True) -> None:
        """Make the horizontal axis one of steps, marked, of which the last of several panels has the label."""
        self.mark_steps(moving=moving)
        self.step_axis(int(self.runs.any_curves.steps[0]), "Query $t$" if last else "")
        self.title(text)

    def step_axis(self, first: int, label: str = "Query $t$") -> None:
        """Make the horizontal axis one of steps, logarithmic."""
        log_axis(self.axes.xaxis, first, self.runs.horizon * 1.05)
        self.axes.set_xlabel(label)

    def mark_steps(self, *, moving: bool = True) -> None:
        """Mark one pass over the benchmark, and T_id where it lies within the runs.

        Without a benchmark the window of moving averages is marked instead, where they are shown.
        """
        runs, grey = self.runs, self.palette.grey
        if runs.window < runs.horizon and (moving or runs.window_is_one_pass):
            what = "one pass" if runs.window_is_one_pass else "one window"
            label = f"{what} ($K$ = {runs.window:,})"
            self.axes.axvline(runs.window, color=grey, linewidth=0.8, linestyle=SOLID, label=label)
        leads = lead_from(runs.setting, "paper")
        if leads is not None and leads <= runs.horizon:
            label = rf"$T_{{\mathrm{{id}}}}$ = {leads:,}"
            self.axes.axvline(leads, color=grey, linewidth=1.1, linestyle=LONG_DASHED, label=label)

    def line_of(self, series: Series) -> dict[str, Any]:
        """Return how a series is drawn as a line."""
        return {"color": getattr(self.palette, series.colour), "linestyle": series.pattern, "label": series.name}

    def band(self, curves: Curves, name: str, series: Series, *, divide: Any = 1.0) -> None:
        """Draw the median of a curve over runs and its 10 to 90% band."""
        low, middle, high = curves.quantiles(name, (LOW, 0.5, HIGH)) / divide
        line = self.line_of(series)
        self.axes.fill_between(curves.steps, low, high, color=line["color"], alpha=_BAND, linewidth=0)
        self.axes.plot(curves.steps, middle, **line, **markers(curves.steps))

    def bands_by_policy(self, name: str, *, divide: Any = 1.0) -> None:
        """Draw the median of a curve over runs and its 10 to 90% band, for every policy."""
        for policy, curves in self.runs.curves.items():
            self.band(curves, name, policy_series(policy), divide=divide)

    def reference(self, value: float | None, label: str, pattern: LineStyle) -> None:
        """Draw a level that the paper's figures compare with, if there is one."""
        if value is not None and math.isfinite(value):
            self.axes.axhline(value, color=self.palette.ink, linestyle=pattern, linewidth=0.9, label=label)

    def cut_above(self, levels: Iterable[float | None], lines: Sequence[np.ndarray[Any, Any]]) -> None:
        """Cut the vertical axis a little above levels and the ends of lines: what starts high enters from above."""
        known = [level for level in levels if level is not None]
        ends = [float(line[np.isfinite(line)][-1]) for line in lines if np.isfinite(line).any()]
        top = max([*known, *ends], default=0.0)
        if top > 0:
            self.axes.set_ylim(0, 1.25 * top)

    def log_values(self, values: np.ndarray[Any, Any]) -> None:
        """Make the vertical axis logarithmic over the positive values that are drawn; linear where there are none.

        The least and the largest value stay clear of the ends of the axis, where a line would lie on its frame.
        """
        positive = values[np.isfinite(values) & (values > 0)]
        if len(positive):
            low, high = float(positive.min()), float(positive.max())
            log_axis(self.axes.yaxis, low / max(1.25, (high / low) ** 0.06), high * 1.3)
        else:
            self.axes.set_ylim(-0.05, 1.0)
            where: dict[str, Any] = {"transform": self.axes.transAxes, "ha": "center", "va": "center"}
            self.axes.text(0.5, 0.5, "zero throughout", **where)


@contextmanager
def panels(
    runs: SettingRuns, dark: bool, rows: int = 1, columns: int = 1, *, height: float = 2.9, legend_columns: int = 3
) -> Iterator[tuple[Figure, Sequence[Panel]]]:
    """Yield a figure in the one look and its panels row by row; then put one legend above the panels."""
    with look(dark) as palette:
        figure, found = new_panels(rows, columns, height=height)
        yield figure, [Panel(axes=axes, palette=palette, runs=runs) for axes in found]
        _shared_legend(figure, found, legend_columns)


def said_by_policy(runs: SettingRuns, said_of: Callable[[Curves], str]) -> str:
    """Return what is said of the curves of each policy, after its name."""
    return "; ".join(f"{policy_series(policy).name or policy}: {said_of(each)}" for policy, each in runs.curves.items())


def _shared_legend(figure: Figure, panels: Sequence[Axes], columns: int) -> None:
    """Put one legend of all panels above them, each name once, in as many columns as fit."""
    found: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    room = figure.bbox.width * 0.98
    for number in range(min(columns, len(found)), 0, -1):
        legend = figure.legend(list(found.values()), list(found), loc="outside upper center", ncols=number)
        if number == 1 or legend.get_window_extent(renderer).width <= room:
            return
        legend.remove()


def mean_and_half_width(values: Any) -> tuple[Any, Any]:
    """Return the mean over runs, and half the width of its normal 95% interval (0 for a single run).

    Examples
    --------
    >>> mean, half = mean_and_half_width(np.array([1.0, 2.0, 3.0]))
    >>> float(mean), round(float(half), 4)
    (2.0, 1.1316)
    """
    known = np.asarray(values, dtype=float)
    runs = len(known)
    spread = known.std(axis=0, ddof=1) if runs > 1 else np.zeros(known.shape[1:])
    return known.mean(axis=0), NORMAL_95 * spread / math.sqrt(runs)


def said(value: float) -> str:
    """Return a number in a sentence.

    Examples
    --------
    >>> said(0.12345), said(70_000.0), said(float("nan"))
    ('0.123', '70,000', 'undefined')
    """
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "infinite"
    return rough(value)
