"""A cause as an entry, a log under the rules that it implies, and what causes explain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.replay import ALGORITHM_1, Replay, RuleTable
from proofs_checks.diagnosis.log import FAR, Flags, RecordedLog, Rows
from proofs_checks.oracle.step_audit import StepAudit

CauseKind = Literal["log", "setting", "mechanism"]
#: What a cause was tried with, by name. ``row`` and ``other_row`` count from 0, ``who`` and ``other`` are providers.
Values = Mapping[str, Any]

#: Costs are counted in wrong rows: of a value that was fitted, of a row that is taken out of judgement, of a row whose
#: reading was chosen, and of a cause that is not an accident of the log.
VALUE, UNJUDGED, CHOSEN = 0.25, 0.25, 0.5
#: Of the rows of a gap so many count: they are not fitted one by one.
MOST_UNJUDGED = 100
#: Another parameter comes before another mechanism: with one value it costs less than any mistake.
CONVICTS: Mapping[CauseKind, float] = {"log": 0.0, "setting": 0.9, "mechanism": 1.25}
#: The share of the wrong rows that a cause must explain to be named.
LEAST_SHARE: Mapping[CauseKind, float] = {"log": 0.5, "setting": 0.95, "mechanism": 0.97}
#: By so many rows an assumption that costs a wrong row may let a log be right farther by chance.
BY_CHANCE = 10
#: By so many more rows other rules may let it be so than accidents.
OTHERWISE = 50
#: Wrong rows that a trial takes its sample from, at its beginning and throughout.
SAMPLED = 150


@dataclass(frozen=True, kw_only=True)
class ScopedRules:
    """Rules that hold from a step to another, perhaps at one provider's services only, and others elsewhere."""

    inside: RulesTried
    outside: RulesTried
    first: int = 0
    last: int = FAR
    provider: int | None = None


@dataclass(frozen=True, kw_only=True)
class OpenRules:
    """Rules that leave something open: at each wrong row `fits` chooses whether some reading allows it."""

    rules: RuleTable
    fits: Callable[[Replay, RecordedLog], Flags]


RulesTried = RuleTable | ScopedRules | OpenRules


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Something that may have happened to a log, or that a platform may do.

    Parameters
    ----------
    name : str
    says : str
        A sentence, with its values in braces.
    kind : CauseKind, optional
    edit : callable, optional
        From a log and values to the log as it was before.
    rules : callable, optional
        From a rule table and values to the rules under which the log was made.
    values : callable, optional
        From a trial to the values that are proposed. Default one attempt without values.
    free : int, optional
        How many values are fitted. Default all.
    at_place : bool, optional
        Whether it happens at one row, so that it shows at the first wrong row and may happen several times.
    costly : bool, optional
        Whether so many values are proposed that they are tried only where all other accidents leave a row near wrong.
    of_provider : bool, optional
        Whether the rules may hold at the services of one provider only.
    everywhere : bool, optional
        Whether it holds throughout the log or not at all.
    convicts : bool, optional
        Whether it speaks against the platform or the setting, if it is not an accident of the log. Default true.
    shown_by : str, optional
        The mutant, or the edit in the tests, that shows it.
    """

    name: str
    says: str
    kind: CauseKind = "mechanism"
    edit: Callable[..., RecordedLog] | None = None
    rules: Callable[..., RuleTable | OpenRules] | None = None
    values: Callable[[Trial], Iterable[Values]] = lambda trial: ({},)
    free: int | None = None
    at_place: bool = False
    costly: bool = False
    of_provider: bool = False
    everywhere: bool = False
    convicts: bool = True
    shown_by: str = ""

    @property
    def cost(self) -> float:
        """What it costs besides its values."""
        return CONVICTS[self.kind] if self.convicts else 0.0

    @property
    def may_begin(self) -> bool:
        """Whether it may begin at any row: an accident at a place, or other rules than a wrong mechanism's."""
        return self.at_place or (self.rules is not None and not self.everywhere and self.kind != "mechanism")


@dataclass(frozen=True, eq=False)
class Trial:
    """A log under rules: which rows are wrong, and what causes propose their values from."""

    log: RecordedLog
    rules: RulesTried = ALGORITHM_1
    #: Whether no other trial shares the tables of its log.
    edited: bool = False

    def judged(self, rows: Rows | None = None) -> tuple[Flags, int]:
        """Return which rows break a rule, and of how many a reading was chosen."""
        return self._judged(self.rules, np.arange(len(self.log)) if rows is None else rows, whole=rows is None)

    def _judged(self, rules: RulesTried, rows: Rows, *, whole: bool = False) -> tuple[Flags, int]:
        log, chosen = self.log, 0
        if isinstance(rules, ScopedRules):
            here = (self.steps[rows] >= rules.first) & (self.steps[rows] <= rules.last)
            here &= rules.provider is None or log.provider[rows] == rules.provider
            wrong = np.zeros(len(rows), dtype=bool)
            for side, flags in ((rules.inside, here), (rules.outside, ~here)):
                wrong[flags], more = self._judged(side, rows[flags])
                chosen += more
            return wrong, chosen
        if isinstance(rules, OpenRules):
            wrong = self._judged(rules.rules, rows)[0].copy()
            at = np.flatnonzero(wrong)
            for part in np.array_split(at, len(at) // 200 + 1):  # tables of choices are large
                wrong[part] = ~rules.fits(log.replay.under(rules.rules, rows[part]), log)
            return wrong, int(len(at) - np.count_nonzero(wrong))
        wrong = np.zeros(len(rows), dtype=bool)
        if len(rows) and len(self.log):
            audit = StepAudit(log.setting, log.replay.under(rules, None if whole else rows), log.tolerance)
            wrong[audit.violating_rows] = True
        return wrong & (log.line[rows] > 0), 0

    @property
    def steps(self) -> Rows:
        """The step of each row."""
        return self.log.replay.steps

    @cached_property
    def _found(self) -> tuple[Flags, int]:
        found = self.judged()
        if self.edited:
            self.forget()
        return found

    def forget(self) -> None:
        """Drop the tables by row and provider, which are large; what needs them replays the log again."""
        for each, name in ((self, "audit"), (self, "replay"), (self.log, "replay")):
            vars(each).pop(name, None)

    @property
    def wrong(self) -> Flags:
        """Which rows break a rule."""
        return self._found[0]

    @property
    def chosen(self) -> int:
        """Of how many rows a reading was chosen."""
        return self._found[1]

    @cached_property
    def left(self) -> int:
        """How many rows break a rule."""
        return int(np.count_nonzero(self.wrong))

    @cached_property
    def first(self) -> int:
        """The first row that breaks a rule; behind the end without one."""
        return int(np.argmax(self.wrong)) if self.left else len(self.log)

    @property
    def first_line(self) -> int:
        """Which row of the file the first wrong row is; 0 without one."""
        return int(self.log.line[self.first]) if self.left else 0

    def is_wrong(self, line: int) -> bool:
        """Return whether a row of the file breaks a rule: sooner known than which rows do."""
        return bool(self.judged(np.flatnonzero(self.log.line == line))[0].any())

    @cached_property
    def reach(self) -> int:
        """How many rows of the file are right before it, or were taken out."""
        line = self.log.line
        if not self.left:
            return FAR
        taken_out = int(line[self.first]) - 1 - np.count_nonzero((line > 0) & (line < line[self.first]))
        return int(np.count_nonzero(line[: self.first]) + taken_out)

    @property
    def plain(self) -> RuleTable:
        """The rules that hold at the first wrong row."""
        rules = self.rules
        while not isinstance(rules, RuleTable):
            if isinstance(rules, OpenRules):
                rules = rules.rules
            else:
                step = self.log.known.steps + self.first + 1
                rules = rules.inside if rules.first <= step <= rules.last else rules.outside
        return rules

    @cached_property
    def replay(self) -> Replay:
        """The replay under them."""
        return self.log.replay.under(self.plain)

    @property
    def config(self) -> MechanismConfig:
        """The parameters there."""
        return self.replay.config

    @cached_property
    def sample(self) -> Rows:
        """Some wrong rows: the first ones, and others throughout."""
        rows = np.flatnonzero(self.wrong)
        return np.unique(np.append(rows[:SAMPLED], rows[:: max(1, len(rows) // SAMPLED)]))

    def wrong_rows(self, most: int = 400) -> Rows:
        """Return the first wrong rows."""
        return np.flatnonzero(self.wrong)[:most]

    @cached_property
    def audit(self) -> StepAudit:
        """The steps under them."""
        return StepAudit(self.log.setting, self.replay, self.log.tolerance)

    @property
    def broken(self) -> int:
        """How many rules its rows break in all."""
        return sum(self.audit.counts.values())

    @property
    def prescribed(self) -> Any:
        """What the rules pay to who served, shape (T,)."""
        return self.audit.prescriptions

    def given(self, cause: Cause, values: Values, scope: Values | None = None) -> Trial:
        """Return the log and the rules if a cause holds; of other rules the scope may be given."""
        if cause.edit is not None:
            return Trial(cause.edit(self.log, **values), self.rules, edited=True)
        changed = changed_rules(self.rules, cause, values)
        return Trial(self.log, ScopedRules(inside=changed, outside=self.rules, **scope) if scope else changed)

    def around(self, row: int, near: int) -> Trial:
        """Return the rows near one, after the state before them."""
        start = max(0, row - near)
        before = self.log.rows(slice(0, start)).replay.after if start else self.log.start
        return Trial(replace(self.log.rows(slice(start, row + near)), start=before), self.rules)


def changed_rules(rules: RulesTried, cause: Cause, values: Values) -> RulesTried:
    """Return rules under a cause as well, in every scope."""
    if isinstance(rules, ScopedRules):
        inside, outside = (changed_rules(part, cause, values) for part in (rules.inside, rules.outside))
        return replace(rules, inside=inside, outside=outside)
    if cause.rules is None or isinstance(rules, OpenRules):
        return rules
    return cause.rules(rules, **values)


@dataclass(frozen=True, eq=False, kw_only=True)
class Change:
    """A cause with the values that it was tried with, and where its rules hold."""

    cause: Cause
    values: Values
    scope: Values
    #: What was wrong, and whose providers and rows the values are.
    tried_on: Trial

    @property
    def fitted(self) -> int:
        """How many values were fitted."""
        values = sum(map(np.size, self.values.values())) if self.cause.free is None else self.cause.free
        # Nobody sets a parameter to seven digits: another mechanism may show itself so.
        floats = [value for value in self.values.values() if isinstance(value, float)]
        odd = self.cause.kind == "setting" and any(value != float(f"{value:.6g}") for value in floats)
        return values + odd + len(self.scope)

    @property
    def sentence(self) -> str:
        """What happened, in a sentence, or two with the scope."""
        log = self.tried_on.log
        words = {name: _word(log, name, value) for name, value in self.values.items()}
        first, last = (self.scope.get(name) for name in ("first", "last"))
        start = "" if first is None else f" from step {_step(log, first):,} on"
        there = f"{start}{'' if last is None else f' up to step {_step(log, last):,}'}"
        says = self.cause.says.format(**words)
        if "provider" in self.scope:
            of = log.setting.providers[self.scope["provider"]].name
            return f"{says} This holds at the services of {of} alone{f',{there}' if there else ''}."
        return f"{says} This holds{there}." if there else says

    @property
    def rows(self) -> list[int]:
        """The steps of the rows that it names."""
        log = self.tried_on.log
        return [log.place(min(int(self.values[name]), len(log) - 1)) for name in _ROWS if name in self.values]

    @property
    def provider(self) -> str | None:
        """The provider that it names."""
        who = self.values.get("who", self.scope.get("provider"))
        return None if who is None else self.tried_on.log.setting.providers[int(who)].name

    @property
    def from_step(self) -> int | None:
        """The first step from which it holds, if it does not throughout."""
        log, first = self.tried_on.log, self.scope.get("first")
        return (self.rows[0] if self.rows else None) if first is None else _step(log, first)

    @property
    def value(self) -> Any:
        """The number or the name that was fitted, if there is one."""
        told = [value for name, value in self.values.items() if name not in (*_ROWS, *_PROVIDERS)]
        shown = [value for value in told if isinstance(value, int | float | str)]
        return shown[0] if shown else None


_ROWS, _PROVIDERS = ("row", "other_row"), ("who", "other")


def _step(log: RecordedLog, step: int) -> int:
    return log.place(min(step - log.known.steps - 1, len(log) - 1))


def _word(log: RecordedLog, name: str, value: Any) -> Any:
    if name in _PROVIDERS:
        return log.setting.providers[int(value)].name
    if name in _ROWS:
        row = log.place(min(int(value), len(log) - 1))
        step = int(log.columns["step"][row - log.behind - 1])
        return f"{row:,}{f' (logged step {step:,})' * (step > row)}"
    if isinstance(value, tuple):
        return len(value)
    return f"{value:.9g}" if isinstance(value, float) else value


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanation:
    """Causes, one after the other, that explain that a log breaks rules.

    Parameters
    ----------
    after : Trial
        What they leave.
    before : int
        How many rows were wrong.
    changes : tuple of Change
    removed : int
        How many rows they take out of the log.
    """

    after: Trial
    before: int
    changes: tuple[Change, ...] = ()
    removed: int = 0

    @property
    def cost(self) -> float:
        """What they leave and what they assume, in wrong rows."""
        return self.after.left + self.assumed

    @cached_property
    def assumed(self) -> float:
        """What they assume, in wrong rows."""
        unjudged = self.removed + min(MOST_UNJUDGED, int(np.count_nonzero(self.after.log.line == 0)))
        fitted = sum(VALUE * change.fitted + change.cause.cost for change in self.changes)
        return float(fitted + UNJUDGED * unjudged + CHOSEN * self.after.chosen)

    @property
    def progress(self) -> float:
        """How far the log is right, less the rows by which what they assume may let it be so by chance."""
        return self.after.reach - BY_CHANCE * self.assumed - OTHERWISE * self.convicts

    @property
    def share(self) -> float:
        """The share of the wrong rows that they explain."""
        return 1 - self.after.left / self.before

    @property
    def kind(self) -> CauseKind:
        """What they speak against: the log only if all do."""
        kinds = {change.cause.kind for change in self.changes}
        return "mechanism" if "mechanism" in kinds else "setting" if "setting" in kinds else "log"

    @property
    def convicts(self) -> bool:
        """Whether they speak against the platform or the setting."""
        return any(change.cause.cost for change in self.changes)

    @property
    def is_named(self) -> bool:
        """Whether they explain enough to be named."""
        # What holds throughout explains nearly all, or is not what happened.
        kinds: set[CauseKind] = {change.cause.kind for change in self.changes}
        if isinstance(self.after.rules, OpenRules):
            kinds = {"setting"}
        elif any(change.cause.everywhere or change.cause.rules for change in self.changes):
            kinds.add("setting")
        return self.share >= max(LEAST_SHARE[kind] for kind in kinds) and self.cost < self.before

    @property
    def cause(self) -> str:
        """The names of the causes, each once."""
        names = (name for change in self.changes for name in change.cause.name.split(" and "))
        return " and ".join(dict.fromkeys(names))

    def and_then(self, cause: Cause, values: Values, after: Trial, scope: Values | None = None) -> Explanation:
        """Return what explains the log with one more cause."""
        change = Change(cause=cause, values=values, scope=scope or {}, tried_on=self.after)
        # Rows that are right before the log starts anew were judged.
        before = np.count_nonzero(self.after.log.line >= after.log.line[0]) if len(after.log) else len(self.after.log)
        removed = max(0, int(before) - len(after.log))
        return replace(self, after=after, changes=(*self.changes, change), removed=self.removed + removed)
