"""The auditor: a recorded log against the rules, step by step, and against the claims, in little memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.trace import Trace
from proofs_checks.audit.claims import LogClaims
from proofs_checks.audit.diagnosis.diagnose import diagnose
from proofs_checks.audit.diagnosis.window import ViolationRecorder
from proofs_checks.audit.outside_range import AMOUNTS, OutsideRange
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.worker import ClaimsInAProcess, ClaimsOfALog
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.oracle.step_audit import StepAudit, Violation
from proofs_checks.oracle.step_rules import STEP_RULES

__all__ = ["CHUNK_ROWS", "SHOWN_VIOLATIONS", "AuditReport", "audit", "chunk_rows"]

#: Violations that are told one by one, unless asked for more; they are counted all the same.
SHOWN_VIOLATIONS = 100_000
#: Rows of a part of a log: few enough for little memory, enough for speed.
CHUNK_ROWS = 32_768

#: Entries of a table by step and provider, of which a part takes a few dozen.
_CHUNK_ENTRIES = 300_000


def chunk_rows(setting: Setting) -> int:
    """Return how many rows of a log to audit at a time: fewer where there are many providers.

    Examples
    --------
    >>> from bounds.published import published
    >>> chunk_rows(published("gpqa-strong").setting)
    32768
    """
    return min(CHUNK_ROWS, max(256, _CHUNK_ENTRIES // setting.n_providers))


class _Steps:
    """The rules on the parts so far."""

    def __init__(self, setting: Setting, tolerance: float, limit: int) -> None:
        self._setting, self.tolerance, self._limit = setting, tolerance, limit
        self._config, self._before = MechanismConfig.of(setting), ReplayState.initial(setting.n_providers)
        self.counts, self.applicable = Counter[str](), Counter[str]()
        self.first_steps: dict[str, int] = {}
        self.violations: list[Violation] = []
        self.violating = self.undecided = 0
        self.outside = dict.fromkeys(AMOUNTS, OutsideRange(0, None))
        self.watch = ViolationRecorder(setting, tolerance)

    @property
    def steps(self) -> int:
        return self._before.steps

    def feed(self, trace: Trace) -> None:
        found = StepAudit(self._setting, Replay(self._config, trace, self._before), self.tolerance)
        self.counts.update(found.counts)
        self.applicable.update(found.applicable)
        self.undecided += found.undecided
        self.outside = {name: amounts.and_those_of(found, name) for name, amounts in self.outside.items()}
        rows = found.violating_rows
        self.violating += len(rows)
        self.first_steps = {**found.first_steps, **self.first_steps}
        room = self._limit - len(self.violations)
        if room > 0 and len(rows):
            self.violations.extend(_first(found.violations(), room))
        self.watch.feed(self._before, trace, rows)
        self._before = found.replay.after


def _first(violations: Iterator[Violation], most: int) -> Iterator[Violation]:
    return (violation for _, violation in zip(range(most), violations, strict=False))


def audit(
    parts: Iterable[Trace],
    setting: Setting,
    *,
    name: str = "",
    tolerance: float = 0.0,
    labels: Sequence[str] = (),
    most_violations: int = SHOWN_VIOLATIONS,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda steps: None,
    stopped: Callable[[], bool] = lambda: False,
) -> AuditReport:
    """Audit a log.

    Parameters
    ----------
    parts : iterable of Trace
        Consecutive parts of the log, of one row or more; each is held in memory, not all of them.
    setting : Setting
    name : str, optional
        What to call the log.
    tolerance : float, optional
        How far logged payments and bids may be from the true ones, money: 0.005 where they are rounded to cents.
    labels : sequence of str, optional
        Only these claims; default all that can be compared on a log.
    most_violations : int, optional
        How many violations are told one by one; all are counted.
    jobs : int, optional
        From 2 on, the claims of a log of several parts are compared in another process.
    progress : callable, optional
        Called with the steps audited so far.
    stopped : callable, optional
        Asked after every part; whether to leave the rest of the log out.

    Returns
    -------
    AuditReport
        If stopped: of what was audited until then.

    Raises
    ------
    InputError
        A tolerance or a label that makes no sense, a part without rows, or what reading the parts raises.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> report = audit([simulate(setting, horizon=200, seed=0)], setting, labels=["lem:payment-range"])
    >>> report.passed, report.steps, report.claims[0].finding.verdict.value
    (True, 200, 'NOT_REFUTED')
    """
    if isinstance(tolerance, bool) or not 0 <= tolerance < np.inf:
        rule, remedy = "must be finite and not negative", "it is the rounding of the log's money"
        raise InputError("tolerance", tolerance, rule, remedy)
    stated = [claim(label) for label in labels] or list(all_claims().values())
    steps, hooks = _Steps(setting, float(tolerance), most_violations), _Hooks(progress, stopped)
    with ExitStack() as ends:
        checked = [c for c in stated if c.checks]
        claims, interrupted = _fed(parts, steps, _Claims(setting, checked, steps.tolerance, jobs, ends), hooks)
        results = claims.results()
    return AuditReport(
        name,
        setting.name,
        steps.steps,
        tuple(steps.violations),
        {rule: steps.counts[rule] for rule in STEP_RULES},
        {rule: steps.applicable[rule] for rule in STEP_RULES},
        steps.first_steps,
        steps.violating,
        steps.undecided,
        results,
        diagnose(steps.watch, steps.counts, steps.applicable),
        float(tolerance),
        setting.platform.cost_bound,
        steps.outside,
        most_violations,
        interrupted,
    )


@dataclass(frozen=True)
class _Hooks:
    progress: Callable[[int], None]
    stopped: Callable[[], bool]


@dataclass(frozen=True)
class _Claims:
    """How to compare claims, once it is known whether the log is long."""

    setting: Setting
    stated: Sequence[Claim]
    rounding: float
    jobs: int
    ends: ExitStack

    def of_a_short_log(self) -> ClaimsOfALog:
        return LogClaims(self.setting, self.stated, self.rounding)

    def of_a_long_log(self) -> ClaimsOfALog:
        if self.jobs < 2 or not self.stated:
            return self.of_a_short_log()
        found = ClaimsInAProcess(self.setting, [c.label for c in self.stated], self.rounding)
        self.ends.callback(found.close)
        return found


def _fed(parts: Iterable[Trace], steps: _Steps, comparing: _Claims, hooks: _Hooks) -> tuple[ClaimsOfALog, bool]:
    """Feed rules and claims with all parts; the last is known to be the last only when no other follows."""
    claims: ClaimsOfALog | None = None
    waiting: Trace | None = None
    stopped = False
    for part in parts:
        if not len(part):
            raise InputError("parts", 0, "rows are too few for a part", "leave it out")
        if waiting is not None:
            claims = claims or comparing.of_a_long_log()
            claims.feed(waiting, final=False)
        waiting = part
        steps.feed(part)
        hooks.progress(steps.steps)
        if stopped := hooks.stopped():
            break
    if waiting is None:
        raise InputError("parts", 0, "are too few", "a log has a row or more")
    claims = claims or comparing.of_a_short_log()
    claims.feed(waiting, final=True)
    return claims, stopped
