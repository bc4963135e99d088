"""Where a statement is compared: masks of steps, or of steps and providers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from bounds.formulas.selection import BURN_IN, LARGEST_ELIMINATION_BOUND, after_burn_in, from_burn_in
from bounds.language.formula import Formula
from bounds.setting.formula_inputs import formula_inputs
from bounds.setting.model import Setting
from mechanism.replay import Replay
from proofs_checks.claims.model.case import Case, Group
from proofs_checks.claims.model.relation import RELATIVE_TOLERANCE, SCALE_TOLERANCE, Mask
from proofs_checks.claims.model.start import FromStart, Start, starting_as

Flags = NDArray[np.bool_]


def every_step(case: Case) -> Flags:
    """All steps."""
    return np.ones(len(case.trace), bool)


def after_initialization(case: Case) -> Flags:
    """Steps t > N."""
    return ~case.replay.initialization


def horizons(case: Case) -> Flags:
    """Every horizon T >= N that the trace reaches, but for those that `horizons_after_initialization` leaves out."""
    return case.where(_goal_read_as_computed) & (case.replay.steps >= case.setting.n_providers)


def checkpoints(case: Case) -> Flags:
    """Horizons, 32 to each doubling of T, and the last: for bounds that a search finds, one horizon after another."""
    steps = case.replay.steps
    new = at_checkpoint(steps) | ((steps == steps[-1:]) & case.ends)
    return np.asarray(case.where(horizons) & new)


def at_checkpoint(steps: NDArray[np.int64]) -> Flags:
    """Return which steps are the first of the 32 parts of a doubling; up to 46 every one is.

    Examples
    --------
    >>> np.flatnonzero(at_checkpoint(np.arange(1000)))[-3:].tolist()
    [940, 960, 981]
    """
    parts = np.floor(32 * np.log2(np.maximum(np.stack([steps, steps - 1]), 0.5)))
    return np.asarray(parts[0] > parts[1])


def horizons_after_initialization(case: Case) -> Flags:
    """Every horizon T > N, without those at which a log reads a whole g(T) as a hair above: from the next on it is."""
    return case.where(_goal_read_as_computed) & (case.replay.steps > case.setting.n_providers)


def _goal_read_as_computed(case: Case) -> Flags:
    read = case.replay
    if not case.lenient:
        return np.ones(len(read.trace), bool)
    return np.asarray(read.targets <= Replay(read.config, read.trace, read.before).targets)


def auctions(case: Case) -> Flags:
    """Non-exploration steps with somebody eligible."""
    return case.replay.auction


def logged_auctions(case: Case) -> Flags:
    """Steps after initialization that paid less than c_max: only an auction does, even if the replay has none.

    What the comparison of payments takes for c_max (see `relation.RELATIVE_TOLERANCE`) is not an auction here either.
    """
    bound = case.setting.platform.cost_bound
    paid_less = case.trace.payment < bound * (1 - RELATIVE_TOLERANCE - SCALE_TOLERANCE) - case.rounding
    return np.asarray(~case.replay.initialization & paid_less)


def explorations(case: Case) -> Flags:
    """Exploration steps."""
    return case.replay.exploration


def _late_auctions(case: Case) -> Flags:
    return np.asarray(case.replay.auction & past_burn_in(case))


def _late_horizons(case: Case) -> Flags:
    return _from_then_on(from_burn_in, case.setting, case.first_step, len(case.trace))


def burn_in(formula: Formula = BURN_IN) -> Callable[[Setting], float | None]:
    """Return T_0, or an improved one, as a function of the setting; None beyond all doubles."""

    def value(setting: Setting) -> float | None:
        found = float(formula.value(formula_inputs(setting)))
        return found if np.isfinite(found) else None

    return value


#: Auctions after T_0.
late_auctions = FromStart(Start("T > T_0", burn_in()), _late_auctions)
#: Horizons T >= T_0.
late_horizons = FromStart(Start("T >= T_0", burn_in()), _late_horizons)


def past_burn_in(case: Case, largest: Formula = LARGEST_ELIMINATION_BOUND) -> Flags:
    """Steps after T_0, or after an improved one with another Mbar."""
    return _from_then_on(after_burn_in, case.setting, case.first_step, len(case.trace), largest)


@lru_cache(maxsize=16)
def _from_then_on(holds: Callable[..., Flags], setting: Setting, first: int, length: int, *largest: Formula) -> Flags:
    """Return a condition on `length` steps from `first` on that, once it holds, holds for ever: its ends decide."""
    values, times = formula_inputs(setting), np.arange(first, first + length)
    if not length:
        return np.zeros(0, dtype=bool)
    at_first, at_last = holds(values, times[[0, -1]], *largest)
    return holds(values, times, *largest) if at_first != at_last else np.full(length, at_first)


def last_step(case: Case) -> Flags:
    """The end of the log."""
    steps = case.replay.steps
    return np.asarray((steps == steps[-1:]) & case.ends)


@cache
def each_provider(steps: Mask, group: Group = "all") -> Mask:
    """Every provider of a group at the given steps."""

    def mask(case: Case) -> Flags:
        found = case.where(steps)
        return np.broadcast_to(found[:, None], (len(found), len(case.members(group))))

    return starting_as(steps, mask)


@cache
def with_feedback(mask: Mask, group: Group = "all") -> Mask:
    """Where a mask by step and provider of a group is about one of which something has arrived.

    Without queries in flight it is the mask itself: there everybody has been heard of after initialization.
    """

    def heard(case: Case) -> Flags:
        found = case.where(mask)
        return found & (case.of_group(case.replay.counts, group) > 0) if case.replay.delayed else found

    return starting_as(mask, heard)


@cache
def served_at(steps: Mask, group: Group = "all") -> Mask:
    """The serving provider at the given steps, if it belongs to the group."""
    return _providers_at(steps, lambda case: case.served(group), group)


@cache
def eligible_at(steps: Mask, group: Group = "all") -> Mask:
    """The eligible providers of a group at the given steps."""
    return _providers_at(steps, lambda case: case.of_group(case.replay.eligible, group), group)


@cache
def losers_at(steps: Mask) -> Mask:
    """The eligible providers that did not serve at the given steps."""
    return _providers_at(steps, lambda case: case.replay.eligible & ~case.replay.served, "all")


def _providers_at(steps: Mask, marked: Mask, group: Group) -> Mask:
    def mask(case: Case) -> Flags:
        found = marked(case).copy()
        found[np.flatnonzero(~case.where(steps))] = False
        return found

    return with_feedback(starting_as(steps, mask), group)
