"""The auditor: a recorded log against the rules, step by step, and against the claims, in little memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from bounds.errors import InputError
from bounds.published import published_as
from bounds.setting.file import format_setting
from bounds.setting.model import Setting
from mechanism.arguments import not_negative
from mechanism.config import MechanismConfig
from mechanism.replay import Replay, ReplayState
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.logs import LogReading
from mechanism.trace import Trace
from mechanism.versions import versions
from proofs_checks.audit.drift import DriftTest
from proofs_checks.audit.edited_cost import BidsOffMeanCost
from proofs_checks.audit.kept_rows import KeptRows
from proofs_checks.audit.reading import log_parts
from proofs_checks.audit.report import AuditedProvider, AuditReport, ClaimAudit, EarlierAudit, OutsideRange
from proofs_checks.audit.state import SeenRows, StateFile
from proofs_checks.audit.timeline import TimelineCounter
from proofs_checks.claims.evaluation import ClaimsOnTrace
from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.reach import with_horizons
from proofs_checks.claims.registry import all_claims, claim
from proofs_checks.diagnosis.diagnose import Diagnosis, diagnose
from proofs_checks.diagnosis.log import RecordedLog
from proofs_checks.oracle.step_audit import StepAudit, Violation
from proofs_checks.oracle.step_rules import STEP_RULES

#: Violations that are listed unless more are asked for; all are counted.
SHOWN_VIOLATIONS = 100_000
#: Rows of a part of a log: few enough for little memory, enough for speed.
CHUNK_ROWS = 49_152

#: The columns whose amounts lie in [0, c_max]. A wrong payment breaks a rule anyway.
AMOUNTS = ("bid", "cost")
#: Providers that are described one by one.
PROVIDERS = 40
#: What `_Steps` does not leave behind: what it is given, and kept rows, which are read again if they are needed.
_NO_STATE = ("_setting", "_config", "tolerance", "_limit", "kept")
#: Entries of a table by step and provider, of which a part takes a few dozen.
_CHUNK_ENTRIES = 450_000


def chunk_rows(setting: Setting) -> int:
    """Return how many rows of a log to audit at a time: fewer where there are many providers.

    Examples
    --------
    >>> from bounds.published import published
    >>> chunk_rows(published("gpqa-strong").setting)
    49152
    """
    return min(CHUNK_ROWS, max(256, _CHUNK_ENTRIES // setting.n_providers))


class _Steps:
    """The rules on the parts so far."""

    def __init__(self, setting: Setting, tolerance: float, limit: int) -> None:
        self._setting, self.tolerance, self._limit = setting, tolerance, limit
        self._config, self._before = MechanismConfig.of(setting), ReplayState.initial(setting.n_providers)
        self.counts, self.applicable, self.covered = Counter[str](), Counter[str](), Counter[str]()
        self.first_steps: dict[str, int] = {}
        self.violations: list[Violation] = []
        self.violating = self.undecided = self.excused = 0
        # Steps that earlier audits had, and violations at later ones.
        self.known = self.new = 0
        self.outside = dict.fromkeys(AMOUNTS, OutsideRange(steps=0, first_step=None))
        self.bids_off_mean_cost = BidsOffMeanCost()
        self.kept = KeptRows(setting, tolerance)
        self.served = np.zeros(setting.n_providers, dtype=np.int64)
        self.has_costs = False
        self.timeline = TimelineCounter([provider.name for provider in setting.providers], list(STEP_RULES))
        self.drift = DriftTest(setting, tolerance)

    @property
    def state(self) -> dict[str, Any]:
        """What the parts so far leave behind."""
        return {name: value for name, value in vars(self).items() if name not in _NO_STATE}

    def go_on(self, state: dict[str, Any]) -> None:
        """Go on after the parts that left a state behind."""
        vars(self).update(state)

    @property
    def steps(self) -> int:
        return self._before.steps

    def feed(self, trace: Trace) -> StepAudit:
        """Audit the next part of a log."""
        found = StepAudit(self._setting, Replay(self._config, trace, self._before), self.tolerance)
        self.counts.update(found.counts)
        self.applicable.update(found.applicable)
        self.covered.update(found.covered)
        self.excused += found.excused
        self.undecided += found.undecided
        self.outside = {name: _outside_range(before, found, name) for name, before in self.outside.items()}
        self.bids_off_mean_cost = self.bids_off_mean_cost.after(found)
        rows = found.violating_rows
        self.violating += len(rows)
        self.new += sum(int(np.count_nonzero(flag[max(0, self.known - self.steps) :])) for flag in found.flags.values())
        self.first_steps = {**found.first_steps, **self.first_steps}
        self.violations.extend(islice(found.violations(), max(0, self._limit - len(self.violations))))
        self.kept.feed(self._before, trace, rows)
        self.served += np.bincount(trace.provider, minlength=len(self.served))
        self.has_costs = trace.cost is not None
        self.timeline.feed(self.steps, trace.provider, found.flags)
        self.drift.feed(found.replay, self._setting)
        self._before = found.replay.after
        return found

    def providers(self) -> tuple[AuditedProvider, ...]:
        """Return the providers that served most, in the order of the setting."""
        after, most = self._before, np.sort(np.argsort(-self.served, kind="stable")[:PROVIDERS])
        return tuple(
            AuditedProvider(
                name=(stated := self._setting.providers[i]).name,
                served=int(self.served[i]),
                mean_score=after.score_sums[i] / after.counts[i] if after.counts[i] else None,
                mean_cost=after.cost_sums[i] / after.counts[i] if after.counts[i] and self.has_costs else None,
                last_bid=after.bids[i] if after.counts[i] else None,
                quality=stated.quality,
                expected_cost=stated.mean_cost,
            )
            for i in most.tolist()
        )


def _outside_range(before: OutsideRange, audit: StepAudit, name: str) -> OutsideRange:
    """Add a part's amounts of a column outside [0, c_max]; one that tolerance or rounding explains does not count."""
    amounts = audit.replay.trace.columns().get(name, np.empty(0))
    slack, bound = audit.slack.once, audit.replay.config.cost_bound
    rows = np.flatnonzero((amounts < -slack) | (amounts > bound + slack))
    if not len(rows):
        return before
    first = before.first_step or audit.replay.start.steps + int(rows[0]) + 1
    return OutsideRange(steps=before.steps + len(rows), first_step=first)


def audit_log(
    path: str | os.PathLike[str] | Sequence[str],
    setting: Setting,
    layout: LogLayout | None = None,
    *,
    state: str | os.PathLike[str] | None = None,
    **options: Any,
) -> AuditReport:
    """Audit a log in a file, or in several; options are those of `audit`.

    Parameters
    ----------
    path, setting, layout
        See `mechanism.tabular.logs.read_log`.
    state : str or path-like, optional
        Where an earlier audit of the same log left its state, and this one leaves its own.
    """

    def parts(reading: LogReading) -> Iterator[Trace]:
        return log_parts(path, setting, reading, chunk_rows(setting))

    layout = layout or LogLayout()
    reading = LogReading(layout=layout)
    kept = None if state is None else StateFile(path=state, parts=lambda: parts(LogReading(layout=layout)))
    return audit(parts(reading), setting, reading=reading, state=kept, **options)


def audit(
    parts: Iterable[Trace],
    setting: Setting,
    *,
    name: str = "",
    tolerance: float = 0.0,
    labels: Sequence[str] = (),
    most_violations: int = SHOWN_VIOLATIONS,
    jobs: int = 1,
    reading: LogReading | None = None,
    progress: Callable[[int], None] = lambda steps: None,
    stopped: Callable[[], bool] = lambda: False,
    state: StateFile | None = None,
) -> AuditReport:
    """Audit a log, part by part; arguments that are not below as of `costproof.audit`.

    Parameters
    ----------
    parts : iterable of Trace
        Consecutive parts of the log, of one row or more; each is held in memory, not all of them.
    reading : LogReading, optional
        What reading the parts notices; complete after the last.
    progress : callable, optional
        Called with the steps audited so far.
    stopped : callable, optional
        Asked after every part; whether to leave the rest of the log out. The report is of what was audited until then.
    state : StateFile, optional
        Where an earlier audit of the same parts left its state, and this one leaves its own.

    Raises
    ------
    InputError
        A tolerance or a label that makes no sense, a part without rows, a state of another audit, or what reading the
        parts raises.
    """
    rounding = not_negative("tolerance", tolerance, "it is the rounding of the log's money")
    reading = reading or LogReading()
    stated = [claim(label) for label in labels] or list(all_claims().values())
    checked = [c for c in stated if c.checks]
    steps = _Steps(setting, rounding, most_violations)
    claims = ClaimsOnTrace(setting, checked, rounding=rounding, lenient=True)
    last: Trace | None = None
    audited: StepAudit | None = None
    seen, interrupted = SeenRows(), False
    given = _given(setting, rounding, checked, most_violations, reading)
    # By times of arrival, and by bids that stood in the auction, later rows change what earlier ones hold; a second
    # file may have feedback of earlier rows that came late.
    layout = reading.layout
    goes_on = layout.settled_at is None and layout.bids != "before" and layout.join is None
    before = None if state is None else state.read(given)
    earlier: EarlierAudit | None = before and before["found"]
    if not goes_on:
        before = None
    if before is not None:
        steps.go_on(before["steps"])
        claims.go_on(before["claims"])
        last = before["last"]
    if earlier is not None:
        steps.known, steps.new = earlier.steps, 0
    if state is not None:
        parts = seen.new(parts, steps.steps, before and before["seen"], state.refused)
    with ThreadPoolExecutor(1) as pool:
        behind: Future[None] | None = None
        for part in parts:
            _refuse_strange(part, last, steps.steps)
            # A part is known not to be the last one only when another follows: claims are one part behind.
            if behind is not None:
                behind.result()
            if last is not None:
                behind = pool.submit(claims.feed, last, ends=False, audited=audited)
                if jobs < 2:
                    behind.result()
            last, audited = part, None  # the tables of a part are large: they go before the next ones come
            audited = steps.feed(part)
            progress(steps.steps)
            if interrupted := stopped():
                break
        if last is None:
            raise InputError("parts", 0, "are too few", "a log has a row or more")
        if behind is not None:
            behind.result()
    if state is not None and earlier is not None and not interrupted and seen.rows < earlier.steps:
        fewer = f"it has {earlier.steps:,} rows, and this one {seen.rows:,}"
        raise state.refused(f"belongs to a longer log: {fewer} (of a log in several files, name all)")
    left = {"steps": steps.state, "claims": claims.state, "last": last, "seen": seen.left} if goes_on else {}
    claims.feed(last, ends=True, audited=audited)
    if before is not None and not steps.new:
        diagnosis = before["diagnosis"]
    else:
        kept = steps.kept
        if before is not None and state is not None:
            kept = _kept_again(state.parts(), setting, rounding, steps.steps)
        diagnosis = _diagnosed(kept.log(reading), steps.steps)
    found = {
        label: with_horizons(claim(label), each, setting, steps.steps) for label, each in claims.evidence().items()
    }
    report = AuditReport(
        trace=name,
        setting=setting.name,
        built_in=published_as(setting) is not None,
        steps=steps.steps,
        violations=tuple(steps.violations),
        violation_counts={rule: steps.counts[rule] for rule in STEP_RULES},
        applicable={rule: steps.applicable[rule] for rule in STEP_RULES},
        covered={rule: steps.covered[rule] for rule in STEP_RULES},
        excused=steps.excused,
        first_steps=steps.first_steps,
        violating_steps=steps.violating,
        undecided=steps.undecided,
        claims=tuple(ClaimAudit(label=label, evidence=each) for label, each in found.items()),
        diagnosis=diagnosis,
        tolerance=steps.tolerance,
        cost_bound=setting.platform.cost_bound,
        outside_range=steps.outside,
        bids_off_mean_cost=steps.bids_off_mean_cost.count,
        first_bid_off=steps.bids_off_mean_cost.step or None,
        edited_cost=steps.bids_off_mean_cost.edited,
        timeline=steps.timeline.timeline,
        providers=steps.providers(),
        n_providers=setting.n_providers,
        violations_shown_limit=most_violations,
        drift=steps.drift.report,
        reading=reading,
        earlier=earlier,
        violations_at_new_steps=steps.new,
        interrupted=interrupted,
    )
    if state is not None:
        state.write(given, {**left, "found": report.so_far, "diagnosis": diagnosis})
    return report


def _given(
    setting: Setting, tolerance: float, claims: Sequence[Claim], most_violations: int, reading: LogReading
) -> dict[str, str]:
    """Return what all audits of a log must share to go on from each other; its files may have other names."""
    join = reading.layout.join
    layout = replace(reading.layout, join=join and replace(join, path="FILE"))
    return {
        "version of costproof": versions()["costproof"],
        "setting": format_setting(setting),
        "tolerance": repr(tolerance),
        "choice of claims": " ".join(claim.label for claim in claims),
        "number of listed violations": str(most_violations),
        "layout of the log": " ".join(layout.options),
    }


def _kept_again(parts: Iterable[Trace], setting: Setting, tolerance: float, rows: int) -> KeptRows:
    """Return the rows that a diagnosis replays, of a log of which only the last part was read just now."""
    steps = _Steps(setting, tolerance, 0)
    for part in parts:
        steps.feed(part.head(rows - steps.steps))
        if steps.steps == rows:
            break
    return steps.kept


def _diagnosed(kept: RecordedLog | None, steps: int) -> tuple[Diagnosis, ...]:
    """Return what explains the rows that were kept; the first says so if there are others behind them."""
    found = () if kept is None else diagnose(kept)
    if kept is None or not found:
        return ()
    first, last = kept.known.steps + 1, kept.known.steps + len(kept)
    if last >= steps:
        return found
    sentence = f"{found[0].sentence} Only steps {first:,} to {last:,} were replayed."
    return (replace(found[0], sentence=sentence), *found[1:])


def _refuse_strange(part: Trace, before: Trace | None, behind: int) -> None:
    if not len(part):
        raise InputError("parts", 0, "rows are too few for a part", "leave it out")
    if before is not None and (part.cost is None) != (before.cost is None):
        rule = f"has other columns from step {behind + 1:,} on than before"
        raise InputError("parts", list(part.columns()), rule, "log costs in all parts or in none")
    outside = np.flatnonzero((part.score < 0) | (part.score > 1))
    if len(outside):
        place, value = f"score at step {behind + int(outside[0]) + 1:,}", float(part.score[outside[0]])
        raise InputError(place, value, "must lie in [0, 1]", "rescale the scores")
