"""Every step of a log against the rules of Algorithm 1, vectorised, with what was expected where one is broken.

A comparison that rounding could turn either way is read either way: the log is given the reading that breaks least.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.replay import Replay
from proofs_checks.oracle.rule_oracle import ROUNDING, money_rounding
from proofs_checks.oracle.step_readings import (
    Reading,
    Slack,
    View,
    broken,
    goals,
    least_and_critical,
    read_otherwise,
    readings,
)
from proofs_checks.oracle.step_rules import STEP_RULES

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

#: Names that an expectation spells out; the others are counted.
_SHOWN_NAMES = 4


@dataclass(frozen=True)
class Violation:
    """A step that breaks a rule.

    Parameters
    ----------
    step : int
        From 1.
    rule : str
        A name of `STEP_RULES`.
    expected, found : str or float
        Who may have served and who did, or the payments, money.
    """

    step: int
    rule: str
    expected: str | float
    found: str | float

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data with the contract's keys."""
        return vars(self)


@dataclass(frozen=True, eq=False)
class StepAudit:
    """The rules at every step of a replayed part of a log.

    Parameters
    ----------
    setting : Setting
        Whose names are shown.
    replay : Replay
        Its configuration decides.
    tolerance : float, optional
        How far the logged payments and bids may be from the true ones (money rounded to cents: 0.005). An auction's
        payment inherits the error of one bid: it may be 2 X off. Two adjusted bids are compared with slack 2 X.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.config import MechanismConfig
    >>> from mechanism.trace import Trace
    >>> setting = published("gpqa-strong").setting
    >>> log = Trace([0, 1, 1], [75.008, 75.008, 70.0], [1.0, 1.0, 1.0], [9.0, 9.0, 9.0])
    >>> audit = StepAudit(setting, Replay(MechanismConfig.of(setting), log))
    >>> {rule: count for rule, count in audit.counts.items() if count}
    {'initialization-order': 1, 'initialization-payment': 1}
    >>> next(audit.violations())
    Violation(step=3, rule='initialization-order', expected='one of: Llama-3.1-8B, Qwen2.5-7B', found='Llama-3.2-1B')
    """

    setting: Setting
    replay: Replay
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < np.inf:
            rule, remedy = "must be finite and not negative", "it is the rounding of the log's money"
            raise InputError("tolerance", self.tolerance, rule, remedy)

    @property
    def slack(self) -> Slack:
        """How far logged amounts may be off."""
        return Slack(money_rounding(self.replay.config), self.tolerance)

    @cached_property
    def _later(self) -> Rows:
        """The rows after initialization."""
        first = max(0, self.replay.config.n_providers - self.replay.start.steps)
        return np.arange(min(first, len(self.replay.trace)), len(self.replay.trace))

    @cached_property
    def _view(self) -> View:
        replay, rows = self.replay, slice(int(len(self.replay.trace) - len(self._later)), None)
        served, radii = replay.trace.provider[rows], replay.cost_radii[rows]
        radius = radii[np.arange(len(served)), served]
        return View(served, replay.trace.payment[rows], replay.adjusted_bids[rows], radius)

    @cached_property
    def _margins(self) -> tuple[Floats, Floats]:
        """How far estimates lie above q_min, and counts above g(t), of the later rows."""
        replay, rows = self.replay, slice(int(len(self.replay.trace) - len(self._later)), None)
        targets = goals(replay, rows)
        quality = replay.quality_estimates[rows] + replay.radii[rows]
        quality -= replay.config.quality_threshold
        # Relative to g(t), so that one number tells what is too close to call.
        return quality, (replay.counts[rows] - targets[:, None]) / np.maximum(1, targets)[:, None]

    @cached_property
    def _edges(self) -> Rows:
        """Later rows with a comparison that rounding could turn."""
        quality, count = self._margins
        close = np.abs(quality) <= ROUNDING
        close |= (np.abs(count) <= ROUNDING) & (quality >= -ROUNDING)
        return np.flatnonzero(close.any(axis=1))

    @property
    def undecided(self) -> int:
        """How many steps can be read in two ways."""
        return len(self._edges)

    @cached_property
    def _reading(self) -> Reading:
        """The plain reading, replaced where another breaks less."""
        quality, count = self._margins
        plain = Reading(quality >= 0, count < 0)
        if not len(self._edges):
            return plain
        at, bound = self._edges, self.replay.config.cost_bound
        view, plain_there = self._view.rows(at), plain.rows(at)
        chosen, least = plain_there, np.full(len(at), np.iinfo(np.int64).max)
        for reading in readings(plain_there, quality[at], count[at]):
            flags = broken(view, reading, bound, self.slack)
            number = np.sum(list(flags.values()), axis=0)
            better = (number < least)[:, None]
            able = np.where(better, reading.eligible, chosen.eligible)
            chosen = Reading(able, np.where(better, reading.under, chosen.under))
            least = np.minimum(least, number)
        plain.eligible[self._edges], plain.under[self._edges] = chosen.eligible, chosen.under
        return plain

    @cached_property
    def replay_as_read(self) -> Replay:
        """The replay with the same reading of what rounding could turn: claims then judge what the rules judged."""
        if not len(self._edges):
            return self.replay
        at, first = self._edges, len(self.replay.trace) - len(self._later)
        close = np.abs(self._margins[1][at]) <= ROUNDING
        whole, above = close.any(axis=1), (close & self._reading.under[at]).any(axis=1)
        targets = self.replay.targets[first:][at]
        nearest = np.rint(goals(self.replay, slice(first, None))[at])
        targets = np.where(whole, nearest + above, targets)
        return read_otherwise(self.replay, first + at, self._reading.eligible[at], targets)

    @cached_property
    def flags(self) -> dict[str, Flags]:
        """Which rows break each rule, in the order of `STEP_RULES`, shape (T,)."""
        replay, later_flags = self.replay, broken(self._view, self._reading, self.replay.config.cost_bound, self.slack)
        early = len(replay.trace) - len(self._later)
        served = replay.trace.provider[:early]
        again = replay.counts[np.arange(early), served] > 0
        off = np.abs(replay.trace.payment[:early] - replay.config.cost_bound) > self.slack.once
        found = {"initialization-order": again, "initialization-payment": off}
        none = np.zeros(early, dtype=bool)
        later = {rule: np.concatenate([none, flags]) for rule, flags in later_flags.items()}
        none = np.zeros(len(self._later), dtype=bool)
        first = {rule: np.concatenate([flags, none]) for rule, flags in found.items()}
        return {rule: (first | later)[rule] for rule in STEP_RULES}

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many steps break each rule."""
        return {rule: int(np.count_nonzero(flags)) for rule, flags in self.flags.items()}

    @cached_property
    def applicable(self) -> Mapping[str, int]:
        """At how many steps each rule has something to say."""
        able, under = self._reading.eligible, self._reading.under
        number, exploration = able.sum(axis=1), (able & under).any(axis=1)
        early, later = len(self.replay.trace) - len(self._later), len(self._later)
        some, explored = int(np.count_nonzero(number)), int(np.count_nonzero(exploration))
        lone = int(np.count_nonzero((number == 1) & ~exploration))
        return {
            "initialization-order": early,
            "initialization-payment": early,
            "eligibility": some,
            "exploration-set": explored,
            "exploration-payment": explored,
            "empty-payment": later - some,
            "lone-payment": lone,
            "index-minimizer": some - explored,
            "critical-payment": some - explored - lone,
        }

    @cached_property
    def violating_rows(self) -> Rows:
        """The rows, counted from 0, that break a rule."""
        return np.flatnonzero(np.logical_or.reduce(list(self.flags.values())))

    @property
    def first_steps(self) -> dict[str, int]:
        """By rule that is broken, the first step that breaks it."""
        start = self.replay.start.steps + 1
        return {rule: start + int(np.argmax(flags)) for rule, flags in self.flags.items() if self.counts[rule]}

    def violations(self) -> Iterator[Violation]:
        """Yield every violation in the order of the steps."""
        for row in self.violating_rows.tolist():
            for rule, flags in self.flags.items():
                if flags[row]:
                    yield Violation(self.replay.start.steps + row + 1, rule, *self._told(rule, row))

    def _told(self, rule: str, row: int) -> tuple[str | float, str | float]:
        """Return what a rule expected at a row, and what the log holds."""
        if rule.endswith("-payment"):
            return self.prescribed(row), float(self.replay.trace.payment[row])
        served = int(self.replay.trace.provider[row])
        return self._names(self._permitted(rule, row)), self.setting.providers[served].name

    def prescribed(self, row: int) -> float:
        """Return the payment that the rules prescribe to the provider that served a row, counted from 0."""
        return float(self.prescriptions[row])

    @cached_property
    def prescriptions(self) -> Floats:
        """The payment that the rules prescribe to the provider that served, at every row, shape (T,)."""
        found = np.full(len(self.replay.trace), self.replay.config.cost_bound)
        able, explored = self._reading.eligible, (self._reading.eligible & self._reading.under).any(axis=1)
        critical = np.minimum(least_and_critical(self._view, able)[1], self.replay.config.cost_bound)
        found[self._later] = np.where(able.any(axis=1) & ~explored, critical, self.replay.config.cost_bound)
        return found

    def _permitted(self, rule: str, row: int) -> list[int]:
        """Return who may have served where a rule about that is broken."""
        if rule == "initialization-order":
            return np.flatnonzero(self.replay.counts[row] == 0).tolist()
        at = row - (len(self.replay.trace) - len(self._later))
        able, under = self._reading.eligible[at], self._reading.under[at]
        if rule == "eligibility":
            return np.flatnonzero(able).tolist()
        if rule == "exploration-set":
            return np.flatnonzero(able & under).tolist()
        adjusted = np.where(able, self._view.adjusted[at], np.inf)
        return np.flatnonzero(adjusted <= adjusted.min() + self.slack.twice).tolist()

    def _names(self, providers: list[int]) -> str:
        names = [self.setting.providers[i].name for i in providers]
        more = f" and {len(names) - _SHOWN_NAMES} more" if len(names) > _SHOWN_NAMES else ""
        return f"{'one of: ' if len(names) > 1 else ''}{', '.join(names[:_SHOWN_NAMES])}{more}"
