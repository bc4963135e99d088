"""How much of each bound was used: realised over bound, per claim and setting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bounds.words import ROUNDING, counted, ratio_text
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.registry import all_claims
from proofs_checks.figures.axes import said, short_names
from proofs_checks.figures.look import SMALLEST_TEXT, look, new_panels

#: The least ratio that has a colour of its own.
_FAINTEST = 0.01
#: A larger ratio violates its bound.
_ABOVE = 1 + ROUNDING
#: What the names of the rows say, and do not say.
_DAGGER = " A dagger (†) marks a claim whose wording has a documented finding."
_LEFT_OUT = (
    "Definitions, rules and assumptions (eq:, alg:, asmp:) are left out: they are equalities, so how tight they are "
    "is not informative."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class TightnessTable:
    """The largest ratio of realised over bound.

    Parameters
    ----------
    settings, claims : tuple of str
        Names of settings and labels of claims.
    ratios : array of float, shape (claims, settings)
        NaN where nothing was compared; above 1 is a violation.
    findings : tuple of str
        The claims whose wording has a documented finding: theirs may be violated.
    """

    settings: tuple[str, ...]
    claims: tuple[str, ...]
    ratios: NDArray[np.float64]
    findings: tuple[str, ...] = ()


def _bounds_something(claim: Claim) -> bool:
    """Return whether a claim states a bound: definitions and rules are equalities."""
    return claim.kind not in ("definition", "algorithm", "assumption")


def tightness_table(ratios: Mapping[str, Mapping[str, float]]) -> TightnessTable:
    """Return a table from ratios by setting and claim: the tightest claims first, by their largest ratio.

    Examples
    --------
    >>> table = tightness_table({"a": {"lem:x": 0.5, "lem:y": 1.0}, "b": {"lem:x": 0.25}})
    >>> table.claims, table.ratios.tolist()
    (('lem:y', 'lem:x'), [[1.0, nan], [0.5, 0.25]])
    """
    known = all_claims()
    labels = {label for found in ratios.values() for label in found}
    labels = {label for label in labels if label not in known or _bounds_something(known[label])}
    largest = {label: max(found.get(label, -math.inf) for found in ratios.values()) for label in labels}
    claims = tuple(sorted(labels, key=lambda label: (-largest[label], label)))
    table = [[found.get(label, math.nan) for found in ratios.values()] for label in claims]
    return TightnessTable(
        settings=tuple(ratios),
        claims=claims,
        ratios=np.array(table, dtype=float).reshape(len(claims), len(ratios)),
        findings=tuple(label for label in claims if label in known and known[label].finding),
    )


def tightness_map(table: TightnessTable) -> Figure:
    """Draw a table of realised over bound: darker or lighter by its size, with the number in every cell.

    A dash stands where nothing was compared. A bold ratio is above 1: a violation. A dagger marks claims whose wording
    has a documented finding.
    """
    rows, columns = table.ratios.shape
    names = [f"{label} †" if label in table.findings else label for label in table.claims]
    with look() as palette:
        figure, (axes,) = new_panels(width=2.9 + 0.85 * max(columns, 3), height=1.25 + 0.19 * max(rows, 1))
        shown = np.ma.masked_invalid(np.clip(table.ratios, _FAINTEST, 1.0))
        colours, norm = colormaps[palette.map], LogNorm(_FAINTEST, 1.0)
        image = axes.imshow(shown, cmap=colours, norm=norm, aspect="auto", interpolation="nearest")
        for row in range(rows):
            for column in range(columns):
                ratio = table.ratios[row, column]
                known = math.isfinite(ratio)
                ink = _ink_on(colours(norm(max(ratio, _FAINTEST)))[:3]) if known else palette.ink
                text = ratio_text(ratio) if known else "–"
                weight = "bold" if ratio > _ABOVE else "normal"
                axes.text(
                    column, row, text, ha="center", va="center", fontsize=SMALLEST_TEXT, color=ink, fontweight=weight
                )
        axes.set_xticks(range(columns), labels=short_names(table.settings, 13), parse_math=False)
        axes.set_yticks(range(rows), labels=short_names(names, 46), parse_math=False, fontsize=SMALLEST_TEXT)
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axes, orientation="horizontal", shrink=0.8, pad=0.01, aspect=40)
        bar.set_label("Realised over bound, at most" + ("  († documented finding)" if table.findings else ""))
        bar.set_ticks([0.01, 0.03, 0.1, 0.3, 1.0], labels=["≤ 0.01", "0.03", "0.1", "0.3", "1"])
        bar.minorticks_off()
        bar.outline.set_visible(False)
        axes.set_title("Tightness of the claims in the runs of this report")
    return figure


def _ink_on(colour: Sequence[float]) -> str:
    """Return black or white, whichever stands out from a colour."""
    return "#000000" if relative_luminance(colour) > 0.179 else "#ffffff"


def relative_luminance(colour: Sequence[float]) -> float:
    """Return how bright a colour is, from 0 to 1, as WCAG 2 defines it.

    Examples
    --------
    >>> relative_luminance((1.0, 1.0, 1.0)), relative_luminance((0.0, 0.0, 0.0))
    (1.0, 0.0)
    """
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return round(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2], 12)


def tightness_map_in_words(table: TightnessTable) -> str:
    """Say how tight the claims are."""
    known = table.ratios[np.isfinite(table.ratios)]
    if not len(known):
        return "Nothing was compared."
    tight, over = int((known >= 0.9).sum()), table.ratios > _ABOVE
    documented = np.array([label in table.findings for label in table.claims], dtype=bool)
    news = int(over[~documented].sum())
    return (
        f"{counted(len(table.claims), 'claim')} on {counted(len(table.settings), 'setting')}: "
        f"{counted(len(known), 'ratio')} of realised over bound in the runs of this report, "
        f"median {said(float(np.median(known)))}, {tight} of them 0.9 or more. {_violated(int(over.sum()), news)}"
        f"{_DAGGER if table.findings else ''} {_LEFT_OUT}"
    )


def _violated(over: int, news: int) -> str:
    """Say how many ratios are above 1, and how many of them no documented finding explains."""
    if not over:
        return "None is above 1: no bound is violated."
    known = "each is a documented finding about the wording" if not news else f"{news} without a documented finding"
    return f"Above 1, so violated: {over}; {known}."
