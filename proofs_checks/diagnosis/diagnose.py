"""What a report says of why a log breaks rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from bounds.documents import Count, Document, FromOne, Probability
from proofs_checks.diagnosis.accidents import ACCIDENTS, BY_PLATFORM
from proofs_checks.diagnosis.cause import CONVICTS, Cause, CauseKind, Explanation
from proofs_checks.diagnosis.engine import explain
from proofs_checks.diagnosis.log import RecordedLog
from proofs_checks.diagnosis.mechanism_causes import MECHANISM_CAUSES, OPEN_CAUSES, free_choices, row_by_row
from proofs_checks.diagnosis.parameters import PARAMETERS
from proofs_checks.oracle.rule_oracle import money_rounding
from proofs_checks.oracle.step_audit import StepAudit
from proofs_checks.oracle.step_rules import STEP_RULES

#: Everything that is tried on a log.
CAUSES: tuple[Cause, ...] = (*ACCIDENTS, *PARAMETERS, *MECHANISM_CAUSES, *map(row_by_row, OPEN_CAUSES))
#: How many explanations are reported, and how many in the first line; what share of the wrong rows accidents of the log
#: must explain to come first, and what is beside the best.
MOST, ALIKE, NOTABLE = 6, 3, 0.8
#: An explanation that leaves twice as many draws open as another, and so many more, says less.
_FREE = 100
#: Sentences about one cause that are written out.
_WRITTEN = 4
#: A rule that is broken at this share of the steps that it decides is broken by habit.
_HABIT = 0.2
#: A platform that pays less than the standing bid in this share of the rows sets payments in another way.
_UNDERPAID = 0.2
#: After so many steps that break nothing, something seems to have happened there.
_CLEAN = 1000


@dataclass(frozen=True, kw_only=True)
class Diagnosis(Document):
    """Something that the wrong rows of a log are consistent with.

    Parameters
    ----------
    cause : str
        What may have happened; several that explain the log together are joined by "and". `costproof docs audit` lists
        them.
    kind : {"log", "setting", "mechanism"}
        What it concerns.
    sentence : str
        The same in a sentence. It says what would explain the rows, not that it happened.
    rows : tuple of int
        The rows that it names, as the audit counts them.
    provider : str or None
        Name of the provider that it concerns; None without one.
    from_step : int or None
        From which step on it holds; None if throughout.
    value : float, str or None
        What was fitted: a factor, a parameter, a name; None if nothing, or several things.
    explains : float
        The share of the wrong rows that are right if the whole log is replayed under it.
    left : int
        How many rows are wrong then.
    by_platform : bool
        Whether a platform that does the same itself leaves the same log.
    alike : tuple of str
        Other causes that explain as much for as little: nothing in the log tells them apart.
    """

    cause: str
    kind: CauseKind
    sentence: str
    rows: tuple[FromOne, ...] = ()
    provider: str | None = None
    from_step: FromOne | None = None
    value: float | str | None = None
    explains: Probability = 0.0
    left: Count = 0
    by_platform: bool = False
    alike: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Explanation, alike: Iterable[str] = ()) -> Diagnosis:
        """Return what causes together explain."""
        changes, first = found.changes, found.changes[0]
        return cls(
            cause=found.cause,
            kind=found.kind,
            sentence=_sentences(found),
            rows=tuple(row for change in changes for row in change.rows),
            provider=first.provider,
            from_step=first.from_step,
            value=first.value if len(changes) == 1 else None,
            explains=found.share,
            left=found.after.left,
            by_platform=found.kind == "log" and any(change.cause.name in BY_PLATFORM for change in changes),
            alike=tuple(alike),
        )

    @property
    def named(self) -> str:
        """The cause, and those that explain as much."""
        return ", or ".join(dict.fromkeys((self.cause, *self.alike)))


def _sentences(found: Explanation) -> str:
    """Return what happened in sentences; of many like each other, the first and how many they are."""
    told: dict[str, list[str]] = {}
    for change in found.changes:
        told.setdefault(change.cause.name, []).append(change.sentence)
    for name, several in told.items():
        if len(several) > _WRITTEN:
            told[name] = [f"{name}, {len(several)} times, first: {several[0]}"]
    return " ".join(sentence for several in told.values() for sentence in several)


@np.errstate(all="ignore")  # a logged amount may be anything
def diagnose(log: RecordedLog, causes: Iterable[Cause] = CAUSES) -> tuple[Diagnosis, ...]:
    """Return what the wrong rows of a log are consistent with, the best explanation first; nothing if none is wrong."""
    counts = StepAudit(log.setting, log.replay, log.tolerance).counts
    begins = not _not_initialized(log, counts)
    found = explain(log, causes, begins=begins)
    found = [each for each in found if each.kind == "log" or not _leaves_no_beginning(each)]
    if found and len(found[0].changes) > 1 and not begins:
        # A provider that joins late is paid c_max.
        unpaid = 2 * counts["initialization-payment"] >= log.setting.n_providers
        found = [] if unpaid or found[0].convicts else found
    if not found:
        return tuple(unexplained(log))
    names: dict[str, Explanation] = {}
    for each in found:  # what may be wrong with a mechanism has one name for many things
        told = each.cause if each.kind == "log" else " ".join(change.cause.says for change in each.changes)
        names.setdefault(told, each)
    best = _narrowest(list(names.values()))
    # A wrong mechanism looks like accidents here and there, and one with posted prices nearly everywhere.
    if best.kind == "log" and (best.share < NOTABLE or (best.after.left and _has_posted_prices(log))):
        return (*unexplained(log), Diagnosis.of(best))
    others = [each for each in names.values() if each is not best]
    near = best.cost + CONVICTS["mechanism"]
    alike = [each for each in others if each.cost <= (near if len(each.changes) == 1 else best.cost)]
    shown = [*alike, *(each for each in others if each not in alike and each.share >= NOTABLE)]
    first = Diagnosis.of(best, [each.cause for each in alike if each.cost == best.cost][:ALIKE])
    return (first, *map(Diagnosis.of, shown[: MOST - 1]))


def _narrowest(found: list[Explanation]) -> Explanation:
    """Return the best, or one that assumes little more and leaves fewer choices open: other rules may allow much."""
    near = [each for each in found if each.convicts and each.cost <= found[0].cost + CONVICTS["mechanism"]]
    if found[0] not in near or len(near) < 2:
        return found[0]
    free = [free_choices(each.after) for each in near]
    return next(each for each, number in zip(near, free, strict=True) if number <= 2 * min(free) + _FREE)


def unexplained(log: RecordedLog) -> Iterable[Diagnosis]:
    """Yield what is said of a log that breaks rules and that nothing explains."""
    audit = StepAudit(log.setting, log.replay, log.tolerance)
    rows = audit.violating_rows
    if not len(rows):
        return
    clean = log.place(int(rows[0])) - 1
    if not_initialized := _not_initialized(log, audit.counts):
        yield Diagnosis(cause="beginning missing", kind="log", sentence=not_initialized, from_step=1, left=len(rows))
    shares = {rule: (audit.counts[rule], audit.applicable[rule]) for rule in STEP_RULES if audit.counts[rule]}
    habit = [f"{rule} at {n:,} of {of:,} steps" for rule, (n, of) in shares.items() if n >= _HABIT * of and n > 1]
    text = f"Nothing that was tried explains the {len(rows):,} wrong rows."
    if clean >= _CLEAN:
        yield Diagnosis(
            cause="gap or edit",
            kind="log",
            sentence=f"{text} The first {clean:,} steps break nothing. Something may have happened to the log or the "
            f"platform at step {clean + 1:,}; or what is wrong, as a quality estimate, shows only late.",
            from_step=clean + 1,
            left=len(rows),
        )
    text += _paid_otherwise(log)
    text += f" Rules are broken by habit: {', '.join(habit)}." if habit else ""
    text += " This is consistent with a wrong mechanism, or with several accidents of the log."
    yield Diagnosis(cause="unexplained", kind="mechanism", sentence=text, left=len(rows))


def _paid_otherwise(log: RecordedLog) -> str:
    """Return how payments differ from Algorithm 1's throughout: one price each, or less than the bid; or nothing."""
    if _has_posted_prices(log):
        return (
            " Each provider is paid one price in all its rows: these seem to be posted prices, and the rules of "
            "payments are those of an auction."
        )
    bids = log.replay.of_served(log.replay.standing_bids)
    below = int(np.count_nonzero(log.payment < bids - 2 * log.tolerance - money_rounding(log.replay.config)))
    if below < _UNDERPAID * len(log):
        return ""
    return (
        f" {below:,} of {len(log):,} rows pay less than the provider's standing bid, which Algorithm 1 never does: the "
        "platform seems to set its payments in another way."
    )


def _has_posted_prices(log: RecordedLog) -> bool:
    """Return whether each provider is paid one amount in all its rows, and not always c_max."""
    rounding, n = log.tolerance + money_rounding(log.replay.config), log.setting.n_providers
    paid = [log.payment[log.provider == i] for i in range(n)]
    below = np.min(log.payment) < log.replay.config.cost_bound - rounding
    return bool(len(log) >= 3 * n and below and all(np.ptp(each) <= rounding for each in paid if len(each)))


def _leaves_no_beginning(found: Explanation) -> bool:
    """Return whether rows of initialization stay wrong: what the platform knew afterwards is not known then."""
    first = found.after.first
    return found.after.left > 0 and found.after.log.known.steps + first < found.after.config.n_providers


def _not_initialized(log: RecordedLog, counts: Mapping[str, int]) -> str:
    """Return in what the first rows are no initialization, if later ones are wrong, too; empty if they are."""
    n = log.setting.n_providers
    again, paid = counts["initialization-order"], counts["initialization-payment"]
    if log.known.steps or not again or sum(counts.values()) - again - paid < 3 or _paid_otherwise(log):
        return ""
    return (
        f"The beginning of the log seems to be missing: its first {n} rows are no initialization (rows that serve a "
        f"provider again: {again}; that are not paid c_max: {paid}). Without it the state of the platform is unknown, "
        "and what the audit says of later steps means nothing."
    )
