"""What the violations of a log are consistent with: an edit of the log, a wrong setting, or a wrong mechanism.

Each hypothesis is tested: the rows around the first violation are audited again with one edit undone. An edit that
explains the violations need not have happened.

A new hypothesis is a function: about one row or a few, in `edits.EDITS`; about the whole log, in `whole.HYPOTHESES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

import numpy as np

from bounds.words import counted
from mechanism.tabular.logs import LogReading
from mechanism.tabular.steps import FaultKind
from proofs_checks.audit.diagnosis import whole as whole_log
from proofs_checks.audit.diagnosis.decisions import decided_otherwise, is_odd_bid
from proofs_checks.audit.diagnosis.edits import Edit, edits
from proofs_checks.audit.diagnosis.eligibility import OTHERS_ELIGIBLE, EligibilityFit
from proofs_checks.audit.diagnosis.evidence import CLEAN, HABIT, NEARLY_ALL, RECURRING, Explanation, LogEvidence
from proofs_checks.audit.diagnosis.gaps import gaps
from proofs_checks.audit.diagnosis.places import several_places
from proofs_checks.audit.diagnosis.scaled import scaled
from proofs_checks.audit.diagnosis.undone import Aftermath, aftermath
from proofs_checks.audit.diagnosis.window import ViolationRecorder
from proofs_checks.oracle.step_rules import STEP_RULES

__all__ = ["Explanation", "diagnose"]

#: An edit that explains less than this share of the violations in the window is not mentioned.
TELLING = 0.8
#: An undone edit must leave no violation up to the first of the log, and none so many rows after it.
QUIET = 20
#: Steps that must precede several missing rows: where they are "missing" from the start, counts are wrong.
BEFORE_A_GAP = 100
#: Explanations beside which a wrong mechanism stays possible. A mechanism that excludes nobody looks like one with
#: another q_min; a mechanism that pays too much is a wrong one; of queries in flight only payments may be looked at.
_OPEN = ("beginning missing", "wrong setting", "payments scaled", "queries in flight")
#: Edits of one row that `several_places` combines.
_SINGLE = ("payment edited", "bid edited")
#: Edits of one cell that change, as a wrong estimate does, whether one provider can win.
_LIKE_ESTIMATE = ("bid edited", "score edited")
#: Explanations that steps which do not count 1, 2, 3, ... speak for: they come first.
_OF_FAULTS: Mapping[FaultKind, tuple[str, ...]] = MappingProxyType(
    {"missing": ("row missing", "rows missing"), "repeated": ("row duplicated",), "late": ("rows exchanged",)}
)
#: What to do where violations are left, or lie too far on to be tried.
_AGAIN = "Undo this edit and audit again: other edits may be hidden behind it."
#: How many edits of one kind that explain the window equally are tried on the rows after it.
_EQUALS = 24
#: How many hypotheses are reported.
MOST = 6


@np.errstate(over="ignore", invalid="ignore")  # a logged amount may be taken for c_max
def diagnose(
    recorder: ViolationRecorder,
    counts: Mapping[str, int],
    applicable: Mapping[str, int],
    reading: LogReading | None = None,
) -> tuple[Explanation, ...]:
    """Return what the violations of a log are consistent with, the best explanation first; nothing if nothing is.

    Parameters
    ----------
    recorder : ViolationRecorder
        What was kept of the log.
    counts, applicable : mapping
        By rule: how many steps of the log break it, and at how many it has something to say.
    reading : LogReading, optional
        How the file was read, and what its steps say.
    """
    window, head, tail = recorder.window(), recorder.head(), recorder.tail()
    if window is None or head is None or tail is None:
        return ()
    reading = reading or LogReading()
    log = LogEvidence(
        head=head,
        window=window,
        tail=tail,
        later=recorder.later(),
        recorder=recorder,
        counts=counts,
        applicable=applicable,
        bids=reading.layout.bids,
        unit=reading.layout.unit,
        step_faults=reading.steps.faults() if reading.steps else (),
    )
    if found := whole_log.rounded(log):
        return tuple(found)
    habits = _habits(log)
    undone = _edits(log, habits=bool(habits))
    lasting, passing = undone.lasting, undone.passing
    several = [] if habits or undone.complete else several_places(log)
    if several:  # it tells the first of them, too
        passing = [edit for edit in passing if edit.hypothesis not in _SINGLE]
        lasting = [edit for edit in lasting if edit.hypothesis not in _SINGLE]
    if habits:
        lasting = [edit for edit in lasting if edit.hypothesis != "payment edited"]
    whole = [explanation for look in whole_log.HYPOTHESES for explanation in look(log)]
    # Of equals the first is told first: a missing beginning after what can be undone and tried.
    explaining = [*several, *lasting, *(h for h in whole if h.share >= TELLING), *whole_log.beginning(log)]
    explaining = _with_decisions(log, explaining)
    # Of a bid that was edited, some payments are off by the same amount too: that is told if nothing else explains it.
    whole_edit = any(edit.share == 1 for edit in passing)
    explaining += scaled(log, least_share=NEARLY_ALL if explaining or whole_edit else 0.0)
    others = [h for h in whole if h.share < TELLING]
    told_by_steps = {kind for fault in log.step_faults for kind in _OF_FAULTS[fault.kind]}
    wrong = habits if all(h.hypothesis in _OPEN for h in explaining) else []
    only_edits = (bool(habits) or not undone.complete) and all(h in lasting for h in explaining)
    fit = EligibilityFit(log)
    eligible = fit.explanations() if only_edits or undone.complete else []
    if undone.complete and any(h.share == 1 for h in eligible):
        explaining = _beside_a_wrong_estimate(explaining, lasting)
    elif not only_edits:
        eligible = []
    if not explaining:
        wrong = wrong or _recurring(log)
    found = [
        *sorted(explaining, key=lambda h: (h.hypothesis not in told_by_steps, -h.share)),
        *eligible,
        *([] if explaining or eligible else _with_late(log, wrong, fit)),
        *(wrong if explaining or eligible else []),
        *others,
        *passing,
    ]
    return tuple(found[:MOST])


def _with_decisions(log: LogEvidence, explaining: list[Explanation]) -> list[Explanation]:
    """Return the explanations with one wrong decision of the platform, where it is one.

    It comes first, but after the edit of a bid that stands out: nothing but this one tells the two apart.
    """
    found = decided_otherwise(log)
    if not found:
        return explaining
    odd = [h for h in explaining if h.hypothesis == "bid edited" and is_odd_bid(log, h.where or {})]
    others = [h for h in explaining if h not in odd]
    return [*odd, *(_beside_its_like(h, others) for h in found), *others]


def _beside_its_like(skipped: Explanation, others: list[Explanation]) -> Explanation:
    """Return a skipped exploration with the exchange of two rows that leaves the very same log, if one does.

    An exploration that was put off by a step is an exchange of two rows, unless the explored provider matters to the
    auction in between. By several steps it is one where these are all explorations.
    """
    step = (skipped.where or {}).get("step")
    exchanged = (h.where or {} for h in others if h.hypothesis == "rows exchanged" and h.share == 1)
    alike = next((where for where in exchanged if where.get("step") == step and where.get("rows", 1) == 1), None)
    if skipped.hypothesis != "exploration skipped" or alike is None:
        return skipped
    other = f"that of step {alike['other_step']:,}" if "other_step" in alike else "the next"
    text = f"Had that row been exchanged with {other}, the log would be the same: nothing tells the two apart."
    return replace(skipped, text=f"{skipped.text} {text}", alike=("rows exchanged",))


def _beside_a_wrong_estimate(explaining: list[Explanation], edits: list[Explanation]) -> list[Explanation]:
    """Return the explanations, the first edit of a cell that explains every violation with a wrong estimate beside it.

    In both one provider more, or less, can win. A log that ends soon after its first violation does not tell them
    apart. The edit stays first: it assumes one cell.
    """
    like = (h for h in explaining if h in edits and h.hypothesis in _LIKE_ESTIMATE and h.share == 1)
    edit = next(like, None)
    text = (
        "A platform whose quality estimate is wrong from the start explains all of them as well: nothing in this log "
        "tells the two apart. A longer log may: an edit of one row wears off, a wrong estimate does not."
    )
    return [
        replace(h, text=f"{h.text} {text}", alike=(*h.alike, OTHERS_ELIGIBLE)) if h is edit else h for h in explaining
    ]


@dataclass(frozen=True, kw_only=True)
class _Undone:
    """The edits that explain most of a window, the best of each kind; apart those that leave too much elsewhere."""

    lasting: list[Explanation]
    passing: list[Explanation]
    #: Whether one of the first leaves no violation at all.
    complete: bool


def _edits(log: LogEvidence, *, habits: bool) -> _Undone:
    """Return the edits that explain most of a window; where rules are broken by habit, one must explain nearly all."""
    best: dict[str, list[Edit]] = {}
    several = gaps(log.window, log.later) if log.clean_steps >= BEFORE_A_GAP else ()
    for edit in chain(edits(log.window), several):
        if edit.kind != "rows missing" and not edit.is_quiet(log.window.first + QUIET):
            continue
        if log.window.violations - edit.remaining < TELLING * log.window.violations:
            continue
        equals = best.setdefault(edit.kind, [edit])
        if edit.remaining < equals[0].remaining:
            best[edit.kind] = [edit]
        elif edit.remaining == equals[0].remaining and edit is not equals[0] and len(equals) < _EQUALS:
            equals.append(edit)
    if "row missing" in best:
        best.pop("rows missing", None)
    found: tuple[list[Explanation], list[Explanation]] = ([], [])
    complete = False
    chosen = [_lasting_most(log, equals) for equals in best.values()]
    # Of equals, one exchange of rows is likelier than edits of several payments, and a value than a guess.
    for edit in sorted(chosen, key=lambda edit: (edit.remaining, "steps" in edit.where, edit.guessed)):
        text = f"The violations are consistent with {edit.text}."
        after = aftermath(log, edit)
        passes = not after.lasts or (habits and not after.explains_nearly_all(log, edit))
        complete |= not passes and not (edit.remaining or after.left or after.not_tried)
        if passes:
            left = after.left if after.lasts else after.later_left
            text += f" But it leaves {counted(left, 'violation')} in the rows after step {log.last_step:,}. {_AGAIN}"
        elif after.not_tried:
            text += f" {_following(log, edit, after)} {_not_tried(after.not_tried)} {_AGAIN}"
        elif not edit.remaining and edit.kind == "payment edited":
            text = f"{text[:-1]} alone."
        else:
            text += f" {_following(log, edit, after)}"
        explanation = log.in_window.explained(edit.kind, text, remaining=edit.remaining, where=edit.where)
        found[passes].append(explanation)
    return _Undone(lasting=found[False], passing=found[True], complete=complete)


def _lasting_most(log: LogEvidence, equals: list[Edit]) -> Edit:
    """Return, of edits of one kind that explain the window equally, the first that explains the rows after it best."""
    left = []
    for edit in equals if len(equals) > 1 and log.later is not None else []:
        left.append(aftermath(log, edit).left)
        if not left[-1]:
            break
    return equals[int(np.argmin(left))] if left else equals[0]


def _not_tried(number: int) -> str:
    which = "other violation was" if number == 1 else f"other {number:,} violations were"
    return f"The {which} not tested against this explanation."


def _following(log: LogEvidence, edit: Edit, after: Aftermath) -> str:
    """Return how many of the violations that were kept follow from an edit, in a sentence."""
    total, left = log.window.violations + after.violations, edit.remaining + after.left
    if total == 1:
        return "The only violation follows from it." if not left else "It leaves a violation."
    some = f"All but {left:,} of the" if left else "All"
    where = f" up to step {log.last_kept:,}"
    if after.end and log.end is not None:
        where = f"{where} and of the last {len(log.end.trace):,}" if after.not_tried else " of the log"
    return f"{some} {total:,} violations{where} follow from it."


def _habits(log: LogEvidence) -> list[Explanation]:
    """Return that the mechanism is wrong, if rules are broken by habit."""
    counts, applicable = log.counts, log.applicable
    broken = [rule for rule in STEP_RULES if counts[rule] > 1 and counts[rule] >= HABIT * applicable[rule]]
    if not broken:
        return []
    shares = ", ".join(f"{rule} at {counts[rule]:,} of the {applicable[rule]:,} steps it decides" for rule in broken)
    text = f"The log breaks {'a rule' if len(broken) == 1 else 'rules'} by habit: {shares}."
    return [_wrong(log, sum(counts[rule] for rule in broken), text)]


def _recurring(log: LogEvidence) -> list[Explanation]:
    """Return that the mechanism is wrong, if violations recur and no single edit explains them."""
    if log.total < RECURRING:
        return []
    text = (
        f"There are {log.total:,} violations and no single edit that was tried explains them: this is consistent with "
        "a wrong mechanism, with a setting that is not the log's, or with several edits."
    )
    return [_wrong(log, 0, text)]


def _wrong(log: LogEvidence, explained: int, text: str) -> Explanation:
    clean = log.clean_steps
    late = f" The first {clean:,} steps break nothing: if it is wrong, that shows only late." if clean >= CLEAN else ""
    return log.in_log.explained("wrong mechanism", text + late, remaining=log.total - explained)


def _with_late(log: LogEvidence, wrong: list[Explanation], fit: EligibilityFit) -> list[Explanation]:
    """Return that the mechanism is wrong, and that something happened on the way if many right steps came before.

    Many right steps are no evidence for the latter where a wrong quality estimate is possible.
    """
    clean = log.clean_steps
    if not wrong or clean < CLEAN:
        return wrong
    started = f"The first {clean:,} steps break nothing. A gap or an edit near step {clean + 1:,}, or a change of the "
    possible = fit.is_possible
    if possible:
        text = (
            f"{started}platform then, is possible. So is a quality estimate that is wrong from the start: it breaks "
            "nothing until eligibility depends on it."
        )
    else:
        text = (
            f"{started}platform then, is likelier than a mechanism that is wrong from the start. No single change that "
            "was tried explains all violations."
        )
    late = log.in_log.explained("gap or edit", text, remaining=log.total, where={"step": clean + 1})
    return [*wrong, late] if possible else [late, *wrong]
