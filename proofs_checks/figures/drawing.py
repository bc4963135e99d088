"""Figures by name: what cannot be drawn and why, data that several figures share, and what was drawn in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import numpy as np
from matplotlib.figure import Figure

from bounds.errors import InputError, did_you_mean
from mechanism.policies import POLICIES
from mechanism.policy_names import PLATFORM
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
from proofs_checks.figures.payment_bands import payment_band
from proofs_checks.figures.pictures import NotDrawn, Picture
from proofs_checks.figures.runs import SettingRuns


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
            raise InputError("names", name, "is an unknown figure", remedy)
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
    draw_it, in_words = _ARTISTS[kind.name]
    return Picture(
        figure=kind.name,
        setting=setting.name,
        title=f"{kind.title}: {short_name(setting.name, 40)}",
        alt=in_words(runs),
        # With other policies than the paper's it stands for none of its figures.
        labels=kind.labels_for(setting) if kind.needs != "policies" or runs.curves.keys() <= POLICIES.keys() else (),
        drawn=draw_it(runs, dark=dark),
    )


def draw_tightness(ratios: Mapping[str, Mapping[str, float]]) -> Picture | NotDrawn:
    """Draw the tightness map of ratios by setting and claim, or say why there is nothing to draw."""
    name, table = "tightness-map", tightness_map.tightness_table(ratios)
    if not table.claims:
        return NotDrawn(figure=name, setting=None, reason="no claim compares anything in these runs")
    alt, drawn = tightness_map.tightness_map_in_words(table), tightness_map.tightness_map(table)
    return Picture(figure=name, setting=None, title="Tightness of the claims", alt=alt, labels=(), drawn=drawn)


#: How each figure is drawn from runs, and what says it in words.
_ARTISTS: Mapping[str, tuple[Callable[..., Figure], Callable[[SettingRuns], str]]] = MappingProxyType(
    {
        "payments": (payments.payments, payments.payments_in_words),
        "landscape": (landscape.landscape, landscape.landscape_in_words),
        "one-pass": (policies.one_pass, policies.one_pass_in_words),
        "selection-shares": (shares.selection_shares, shares.selection_shares_in_words),
        "identification": (policies.identification, policies.identification_in_words),
        "eligible": (policies.eligible, policies.eligible_in_words),
        "routing": (payments.routing, payments.routing_in_words),
        "regret": (policies.regret, policies.regret_in_words),
        "bounds": (bounds_over_time.bounds_over_time, bounds_over_time.bounds_over_time_in_words),
        "economic": (payments.economic, payments.economic_in_words),
        "payment-bounds": (payment_bands.payment_bounds, payment_bands.payment_bounds_in_words),
        "guarantees": (guarantees.guarantees, guarantees.guarantees_in_words),
    }
)

#: What they show is stated for the paper's radius alone.
_OF_PAPERS_RADIUS = ("bounds", "guarantees", "payment-bounds")
_NO_OPTIMUM = "there is no unique cheapest qualified provider i*"
_NO_SECOND = "there is no second-lowest qualified cost: it needs at least two qualified providers and a unique cheapest"


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
