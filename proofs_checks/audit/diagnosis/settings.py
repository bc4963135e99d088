"""Other settings that would explain a log: parameters that its payments and its services suggest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from proofs_checks.audit.diagnosis.window import Window
from proofs_checks.oracle.step_audit import Flags, Floats

#: Values of parameters that people choose; those of the log's own numbers come on top.
_USUAL: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "belief_slack": (0.0, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0),
        "confidence": (0.001, 0.005, 0.01, 0.02, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5),
        "exploration_scale": (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0),
        "exploration_exponent": (0.25, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9),
        "quality_threshold": tuple(round(0.05 * i, 2) for i in range(1, 20)),
    }
)
#: Parameters that decide by comparison: values near each other give the same decisions.
_COMPARED = frozenset({"exploration_scale", "exploration_exponent", "quality_threshold"})
#: How many auctions a slack is solved from, and how many of its solutions are tried.
_AUCTIONS, _SOLUTIONS = 60, 3


@dataclass(frozen=True)
class OtherSetting:
    """A setting that differs from the given one, in words."""

    setting: Setting
    text: str


def initial_payment(head: Window) -> float | None:
    """Return what every provider is paid when it serves first, None unless each serves once for the same amount."""
    n = head.setting.n_providers
    if len(head.trace) < n or len(set(head.trace.provider[:n].tolist())) < n:
        return None
    payment = head.trace.payment[:n]
    same = float(np.ptp(payment)) <= head.tolerance and payment[0] > 0
    return float(payment[0]) if same else None


def other_settings(pieces: Sequence[Window]) -> Iterator[OtherSetting]:
    """Yield settings to try, each with one parameter changed, or with c_max and one other.

    Parameters
    ----------
    pieces : sequence of Window
        The beginning of the log, and other parts that suggest values.
    """
    given, paid = pieces[0].setting, initial_payment(pieces[0])
    values: dict[str, float] = {}
    if paid is not None and abs(paid - given.platform.cost_bound) > pieces[0].tolerance:
        with_bound = _changed(given, cost_bound=paid)
        if with_bound is not None:
            values = {"cost_bound": paid}
            yield with_bound
            pieces = [replace(piece, setting=with_bound.setting) for piece in pieces]
    for name, usual in _USUAL.items():
        now = getattr(given.platform, name)
        suggested = [value for piece in pieces for value in _SUGGESTED[name](piece)] if name in _SUGGESTED else []
        different = (v for v in (*suggested, *usual) if not math.isclose(v, now, rel_tol=1e-9, abs_tol=1e-12))
        tried = (_changed(given, **values, **{name: value}) for value in dict.fromkeys(different))
        yield from (other for other in tried if other is not None)


def _changed(setting: Setting, **values: Any) -> OtherSetting | None:
    """Return a setting with other parameters, a mean cost above c_max lowered to it; None if one is out of range."""
    told = " and ".join(f"{n} = {v:.6g} instead of {getattr(setting.platform, n):.6g}" for n, v in values.items())
    told += " (one near it may do as well)" if _COMPARED & values.keys() else ""
    bound = values.get("cost_bound", setting.platform.cost_bound)
    try:
        platform = replace(setting.platform, **values)
    except InputError:
        return None
    providers = tuple(p if p.mean_cost <= bound else replace(p, mean_cost=bound) for p in setting.providers)
    return OtherSetting(replace(setting, platform=platform, providers=providers), told)


def _auctions(piece: Window) -> Flags:
    """Return at which steps less than c_max is paid: no other steps than auctions, shape (T,)."""
    return np.asarray(piece.below_bound & (piece.replay.steps > piece.setting.n_providers))


def _slacks(piece: Window) -> list[float]:
    """Return the solutions for gamma of P = b_j + (1 + gamma) c_max (beta_i - beta_j) that most auctions share."""
    replay, bound = piece.replay, piece.setting.platform.cost_bound
    rows = np.flatnonzero(_auctions(piece))
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), _AUCTIONS)).astype(int)] if len(rows) else rows
    radii = replay.relative_cost_radii
    own = replay.of_served(radii)[rows, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        solved = (piece.trace.payment[rows][:, None] - replay.standing_bids[rows]) / (bound * (own - radii[rows]))
    # Where money is rounded solutions scatter: they are told apart less finely.
    values = np.round(solved[np.isfinite(solved)] - 1, 3 if piece.tolerance else 9) + 0.0
    different, counts = np.unique(values[(values >= 0) & (values <= 100)], return_counts=True)
    return [float(different[at]) for at in np.argsort(-counts, kind="stable")[:_SOLUTIONS] if counts[at] > 1]


def _scales(piece: Window) -> list[float]:
    """Return values of k between the counts at which providers are explored and those at which auctions are held."""
    replay, auctions = piece.replay, _auctions(piece)
    unit: Floats = replay.goals / replay.config.exploration_scale
    later = replay.steps > piece.setting.n_providers
    least = np.where(replay.eligible, replay.counts, np.inf).min(axis=1)
    most = float(np.min(least[auctions] / unit[auctions], initial=np.inf))
    served = replay.of_served(replay.counts)
    explored = np.flatnonzero(later & ~auctions & (served / unit < most))
    known = float(np.max(served[explored] / unit[explored], initial=0.0))
    if most <= 0:  # an auction while a provider has no count
        return []
    if math.isfinite(most):
        return [roundest(known, most), most] if known < most else [most]
    return [roundest(known, 1.5 * known)] if known else []


def _thresholds(piece: Window) -> list[float]:
    """Return values of q_min next to the upper confidence limits of who serves, and of who does so no more."""
    replay = piece.replay
    upper = replay.quality_estimates + replay.radii
    served = replay.of_served(upper)
    served = served[np.isfinite(served)]
    if not len(served):
        return []
    least = float(served.min())
    last = np.unique([*(float(v) for v in upper[-1] if math.isfinite(v)), least])
    found = [roundest(max(least - 0.05, 0.0), least)] if least > 0 else []
    found += [roundest(float(a), float(b)) for a, b in pairwise(last)]
    return [value for value in found if 0 < value < 1]


#: By parameter: what finds the values of it that a part of the log suggests.
_SUGGESTED: Mapping[str, Callable[[Window], list[float]]] = MappingProxyType(
    {"belief_slack": _slacks, "exploration_scale": _scales, "quality_threshold": _thresholds}
)


def roundest(low: float, high: float) -> float:
    """Return the number in (low, high] with the fewest decimals.

    Examples
    --------
    >>> roundest(0.481, 0.527), roundest(2.2, 3.4), roundest(0.1234, 0.1239)
    (0.5, 3.0, 0.1239)
    """
    for decimals in range(7):
        value: float = round(math.floor(high * 10.0**decimals) / 10.0**decimals, decimals)
        if low < value <= high:
            return value
    return high
