"""Figures by name: what cannot be drawn and why, data that several figures share, and what was drawn in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from bounds.errors import InputError, did_you_mean
from bounds.words import listed
from mechanism.policies import PLATFORM, POLICIES
from proofs_checks.figures import (
    bounds_over_time,
    guarantees,
    landscape,
    payment_bands,
    payments,
    policies,
    shares,
    tightness_map,
)
from proofs_checks.figures.axes import short_name
from proofs_checks.figures.catalogue import BY_NAME, KINDS, REMOVED, FigureKind
from proofs_checks.figures.runs import SettingRuns
from proofs_checks.figures.sampled_payments import payment_band

#: What a figure is drawn from.
Data = Any


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A figure that was drawn.

    Parameters
    ----------
    figure, setting : str
        Names of the figure and of its setting; no setting where it shows all.
    title, alt : str
        What it is called, and what it shows in words, with its main numbers.
    labels : tuple of str
        The paper's figures that it stands for.
    files : tuple of str
        Where it was written.
    svg : str or None
        The figure as it stands in a page, if that was asked for.
    drawn : matplotlib.figure.Figure or None
        The figure itself, unless another process drew it into files.
    """

    figure: str
    setting: str | None
    title: str
    alt: str
    labels: tuple[str, ...]
    files: tuple[str, ...] = ()
    svg: str | None = field(default=None, repr=False)
    drawn: Figure | None = field(default=None, repr=False, compare=False)

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "figure": self.figure,
            "setting": self.setting,
            "title": self.title,
            "alternative_text": self.alt,
            "labels": list(self.labels),
            "files": list(self.files),
        }


@dataclass(frozen=True, kw_only=True)
class NotDrawn:
    """A figure that a setting leaves nothing to draw of, and why."""

    figure: str
    setting: str | None
    reason: str

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return vars(self).copy()


def chosen_kinds(names: Iterable[str]) -> tuple[FigureKind, ...]:
    """Return the figures of some names, in the order of the catalogue; all where none is named.

    Examples
    --------
    >>> [kind.name for kind in chosen_kinds(["regret", "payments"])]
    ['payments', 'regret']
    """
    wanted = tuple(names)
    for name in wanted:
        if name in REMOVED:
            raise InputError("names", name, "was removed", REMOVED[name])
        if name not in BY_NAME:
            remedy = did_you_mean(name, BY_NAME, "`costproof figures --list` names them all")
            raise InputError("names", name, "is no figure", remedy)
    return tuple(kind for kind in KINDS if not wanted or kind.name in wanted)


def kinds_of_policies(names: Iterable[str]) -> tuple[FigureKind, ...]:
    """Return the figures of some names, as far as they show policies; all that do where none is named.

    Examples
    --------
    >>> [kind.name for kind in kinds_of_policies([])]
    ['one-pass', 'identification', 'eligible', 'routing', 'regret']
    """
    wanted = tuple(names)
    showing = [kind.name for kind in KINDS if kind.needs == "policies"]
    for kind in chosen_kinds(wanted):
        if wanted and kind.name not in showing:
            shown = "no runs of policies" if kind.needs == "setting" else "the platform alone"
            rule = f"shows {shown}: it has no place for those of --policy"
            raise InputError("names", kind.name, rule, f"name {', '.join(showing)}, or leave --policy out")
    return chosen_kinds(wanted or showing)


def draw(kind: FigureKind, runs: SettingRuns, *, dark: bool = False) -> Picture | NotDrawn:
    """Draw a figure of one setting, or say why there is nothing to draw."""
    setting = runs.setting
    reason = _missing(kind, runs)
    if reason is not None:
        return NotDrawn(figure=kind.name, setting=setting.name, reason=reason)
    artist = _OF_SETTING[kind.name]
    data = artist.data(runs)
    return Picture(
        figure=kind.name,
        setting=setting.name,
        title=f"{kind.title}: {short_name(setting.name, 40)}",
        alt=artist.in_words(data),
        labels=kind.labels_for(setting) if _of_the_paper(kind, runs) else (),
        drawn=artist.draw(data, dark=dark),
    )


def _of_the_paper(kind: FigureKind, runs: SettingRuns) -> bool:
    """Return whether a figure shows no other policies than the paper's: else it stands for none of its figures."""
    return kind.needs != "policies" or runs.curves.keys() <= POLICIES.keys()


@dataclass(frozen=True, kw_only=True)
class Ratios:
    """Realised over bound by claim in one run of a setting: what it adds to the tightness map."""

    setting: str
    horizon: int
    by_claim: Mapping[str, float]


def ratios_of(runs: SettingRuns) -> Ratios:
    """Return what a setting adds to the tightness map; nothing where the platform did not run."""
    found = {} if runs.first_run is None else tightness_map.tightness_of(runs.setting, runs.first_run)
    return Ratios(setting=runs.setting.name, horizon=runs.horizon, by_claim=found)


def draw_across(found: Sequence[Ratios], *, dark: bool = False) -> Picture | NotDrawn:
    """Draw the tightness map of all settings, or say why there is nothing to draw."""
    queries = listed([f"{horizon:,}" for horizon in sorted({each.horizon for each in found})], "or")
    ratios = {each.setting: each.by_claim for each in found if each.by_claim}
    return draw_tightness(ratios, runs=f"in one run of {queries} queries", dark=dark)


def draw_tightness(
    ratios: Mapping[str, Mapping[str, float]], *, runs: str = "in one run", dark: bool = False
) -> Picture | NotDrawn:
    """Draw the tightness map of ratios by setting and claim, or say why there is nothing to draw."""
    kind = BY_NAME["tightness-map"]
    table = tightness_map.tightness_table(ratios, runs)
    if not table.claims:
        return NotDrawn(figure=kind.name, setting=None, reason="no claim compares anything in these runs")
    return Picture(
        figure=kind.name,
        setting=None,
        title=kind.title,
        alt=tightness_map.tightness_map_in_words(table),
        labels=(),
        drawn=tightness_map.tightness_map(table, dark=dark),
    )


@dataclass(frozen=True)
class _Artist:
    """How a figure is drawn from its data and told in words, and how the data come from runs."""

    draw: Callable[..., Figure]
    in_words: Callable[[Any], str]
    data: Callable[[SettingRuns], Data] = lambda runs: runs


def _landscape(data: tuple[Any, float], *, dark: bool = False) -> Figure:
    return landscape.landscape(*data, dark=dark)


_OF_SETTING: Mapping[str, _Artist] = MappingProxyType(
    {
        "payments": _Artist(payments.payments, payments.payments_in_words),
        "landscape": _Artist(
            _landscape, lambda data: landscape.landscape_in_words(data[0]), lambda runs: (runs.setting, runs.margin)
        ),
        "one-pass": _Artist(policies.one_pass, policies.one_pass_in_words),
        "selection-shares": _Artist(shares.selection_shares, shares.selection_shares_in_words),
        "identification": _Artist(policies.identification, policies.identification_in_words),
        "eligible": _Artist(policies.eligible, policies.eligible_in_words),
        "routing": _Artist(payments.routing, payments.routing_in_words),
        "regret": _Artist(policies.regret, policies.regret_in_words),
        "bounds": _Artist(bounds_over_time.bounds_over_time, bounds_over_time.bounds_over_time_in_words),
        "economic": _Artist(payments.economic, payments.economic_in_words),
        "payment-bounds": _Artist(payment_bands.payment_bounds, payment_bands.payment_bounds_in_words),
        "guarantees": _Artist(guarantees.guarantees, guarantees.guarantees_in_words, guarantees.guarantees_of_runs),
    }
)

#: What they show is stated for the paper's radius alone.
_OF_PAPERS_RADIUS = ("bounds", "guarantees", "payment-bounds")
_NO_OPTIMUM = "there is no unique cheapest qualified provider i*"
_NO_SECOND = "there is no second-lowest qualified cost: it needs two qualified providers and a unique cheapest"


def _missing(kind: FigureKind, runs: SettingRuns) -> str | None:
    """Return why a figure cannot be drawn from runs, or None."""
    setting = runs.setting
    if (kind.needs == "log" and runs.first_run is None) or (kind.needs == "platform" and PLATFORM not in runs.curves):
        return "the policy platform did not run"
    if kind.name in ("payments", "economic", "routing", "payment-bounds") and runs.horizon == setting.n_providers:
        return "every query was one of initialization"
    if kind.name == "identification" and setting.optimal is None:
        return _NO_OPTIMUM
    if kind.name in _OF_PAPERS_RADIUS and not setting.platform.papers_radius:
        return "the paper's bounds are stated for its own confidence radius, and the platform has another"
    if kind.name == "guarantees" and (setting.optimal is None or setting.second_lowest_cost is None):
        return _NO_SECOND
    if kind.name == "payment-bounds":
        if setting.second_lowest_cost is None:
            return _NO_SECOND
        shown = payment_band(setting, runs.log).payment
        return None if np.isfinite(shown).any() else "none of the sampled steps was an auction"
    if kind.name == "bounds" and not bounds_over_time.compared(setting):
        return "no provider is qualified, so no bound says anything"
    return None
