"""What explains the answers of one mechanism in several interactions: rules that leave none of them wrong."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanism.replay import ALGORITHM_1, RuleTable
from proofs_checks.diagnosis.cause import Cause, Change, OpenRules, ScopedRules, Trial, Values
from proofs_checks.diagnosis.diagnose import Diagnosis
from proofs_checks.diagnosis.log import RecordedLog
from proofs_checks.diagnosis.mechanism_causes import (
    CHOICES,
    DRAWS,
    MECHANISM_CAUSES,
    NO_AUCTION,
    OPEN_CAUSES,
    free_choices,
)
from proofs_checks.oracle.rule_oracle import money_rounding
from proofs_checks.oracle.step_rules import of_payment

#: Wrong interactions from which values are proposed, and proposals that are tried.
_PROPOSING, _TRIED = 6, 600
#: A change that begins after this step is looked for if so many answers are wrong: a few are explained by too much.
_LATE, _MANY = 20, 12
#: Answers below c_max of somebody who may not win, without which nobody else seems eligible.
_WINNERS = 3
#: Draws that a rule of choice must have restricted before it is named: two in a million by chance.
_DRAWS = 20
#: A change that leaves so many more choices open than another says less.
_FREE = 20
#: Changes that a sentence names, of those that explain everything.
_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class MechanismDiagnosis:
    """What explains all answers of a mechanism that were looked at.

    Parameters
    ----------
    found : tuple of Diagnosis
        Each of which does; the answers do not tell them apart.
    parts : tuple of str
        Parts of the rules that the first replaces, by their names in `RuleTable`; ``"late"`` if it begins late.
    answers, wrong : int
        How many answers there are, and how many of them break a rule.
    """

    found: tuple[Diagnosis, ...]
    parts: tuple[str, ...]
    answers: int
    wrong: int

    @property
    def sentence(self) -> str:
        """What the mechanism seems to do: "it pays ..."."""
        said = [f"{each.sentence[0].lower()}{each.sentence[1:-1]}" for each in self.found]
        if len(said) == 1:
            return said[0]
        more = [f"one of {len(said) - _NAMED} more changes"] if len(said) > _NAMED else []
        named = [*said[:_NAMED], *more]
        return f"{', '.join(named[:-1])}, or {named[-1]}: these answers do not tell them apart"

    @property
    def told(self) -> str:
        """The sentence, how much it explains, and that another change may."""
        rule = ". The paper's rule allows each draw by itself: only how often each provider is drawn is wrong."
        if self.wrong:
            rule = f", {self.wrong:,} of which {'breaks' if self.wrong == 1 else 'break'} the paper's rule."
        explains = f"A guess: {self.sentence}. This explains all {self.answers:,} answers that were looked at"
        return f"{explains}{rule} Another change may explain them as well."


def diagnose_together(logs: Iterable[RecordedLog], further: Iterable[RecordedLog] = ()) -> MechanismDiagnosis | None:
    """Return what explains all answers of a mechanism with fewest values, or None; None, too, where Algorithm 1 does.

    Parameters
    ----------
    logs : iterable of RecordedLog
        Its interactions.
    further : iterable of RecordedLog
        More of them, which are looked at while several changes of the rules explain all.
    """
    trials = [Trial(log) for log in logs if len(log)]
    found = explain_together(trials)
    for log in further:
        if len(found) < 2:
            break
        trials.append(Trial(log))
        found = [change for change in found if not under(change, trials[-1]).left]
    if not found:
        return None
    found = [change for change in found if change.fitted == min(each.fitted for each in found)]
    return MechanismDiagnosis(
        found=tuple(map(_diagnosis, found)),
        parts=_parts(found[0]),
        answers=sum(len(trial.log) for trial in trials),
        wrong=sum(trial.left for trial in trials),
    )


def _diagnosis(change: Change) -> Diagnosis:
    return Diagnosis(
        cause=change.cause.name,
        kind=change.cause.kind,
        sentence=change.sentence,
        from_step=change.scope.get("first"),
        value=change.value,
        explains=1.0,
    )


def _parts(change: Change) -> tuple[str, ...]:
    late = ("late",) if change.scope else ()
    if change.cause.rules is None:
        return ("drawn",)
    rules = change.cause.rules(ALGORITHM_1, **change.values)
    replaced = ("screened",) if isinstance(rules, OpenRules) else _replaced(rules)
    return (*late, *replaced)


def _replaced(rules: RuleTable) -> tuple[str, ...]:
    return tuple(part for part in vars(rules) if not rules.keep(part))


def explain_together(trials: Sequence[Trial]) -> list[Change]:
    """Return the changes of the rules that leave no answer wrong.

    Where Algorithm 1 leaves none wrong, a choice in place of draws is looked for.
    """
    ordered = sorted(trials, key=lambda trial: (not trial.left, len(trial.log)))
    wrong = [trial for trial in ordered if trial.left]
    if not wrong:
        return list(itertools.islice(_choices(ordered), 1))
    late = min(trial.first for trial in wrong) + 1
    broken = {rule for trial in wrong for rule, count in trial.audit.counts.items() if count}
    # What concerns payments alone does not explain who serves.
    causes = [cause for cause in MECHANISM_CAUSES if cause.everywhere or all(map(of_payment, broken))]
    found = [*_explaining(ordered, wrong, causes)]
    if not found and late > _LATE and sum(trial.left for trial in wrong) >= _MANY:
        found = [*_explaining(ordered, wrong, causes, {"first": late})]
    if not found and sum(map(_wrong_winners, wrong)) >= _WINNERS:
        found = [*itertools.islice(_explaining(ordered, wrong, OPEN_CAUSES), 1)]
    return _narrowest(found, ordered)


def _wrong_winners(trial: Trial) -> int:
    """Return at how many rows somebody is paid less than c_max who may not win an auction."""
    r, slack = trial.replay, money_rounding(trial.config)
    indices = np.where(r.eligible, r.index, np.inf)
    may = r.auction & (r.of_served(indices) <= indices.min(axis=1) + slack)
    return int(np.count_nonzero(trial.wrong & ~may & (r.payment < trial.config.cost_bound - slack)))


def _explaining(
    ordered: Sequence[Trial], wrong: Sequence[Trial], causes: Iterable[Cause], scope: Values | None = None
) -> Iterator[Change]:
    for cause in causes:
        for values in _proposed(cause, wrong):
            change = Change(cause=cause, values=values, scope=scope or {}, tried_on=wrong[0])
            if not any(under(change, trial).left for trial in ordered):
                yield change


def under(change: Change, trial: Trial) -> Trial:
    """Return a trial under a change of the rules."""
    after = trial.given(change.cause, change.values)
    if not change.scope:
        return after
    return Trial(trial.log, ScopedRules(inside=after.rules, outside=trial.rules, **change.scope))


def _proposed(cause: Cause, wrong: Sequence[Trial]) -> list[Values]:
    """Return the values that a cause is tried with: what most interactions propose comes first."""
    proposals: dict[tuple[Any, ...], list[Values]] = {}
    for trial in wrong[:_PROPOSING]:
        for values in cause.values(trial):
            rounded = (float(f"{value:.9g}") if isinstance(value, float) else value for value in values.values())
            proposals.setdefault(tuple(rounded), []).append(values)
    return [alike[0] for alike in sorted(proposals.values(), key=len, reverse=True)[:_TRIED]]


def _narrowest(found: Sequence[Change], trials: Sequence[Trial]) -> list[Change]:
    """Return the changes that leave about as few choices open as any."""
    if len(found) < 2:
        return [*found]
    free = [sum(free_choices(under(change, trial)) for trial in trials) for change in found]
    narrow = [change for change, number in zip(found, free, strict=True) if number < min(free) + _FREE]
    # Where no auction is held, what else is said comes to the same.
    return [change for change in narrow if change.cause is NO_AUCTION] or narrow


def _choices(trials: Sequence[Trial]) -> Iterator[Change]:
    """Yield the rules of choice that every draw keeps, if these leave somebody out often enough."""
    for where, how in itertools.product(DRAWS, CHOICES):
        kept, restricted = True, 0
        for trial in trials:
            rows, among = DRAWS[where](trial.replay)
            chosen = CHOICES[how](trial.replay, among)
            kept &= not np.any(rows & ~trial.replay.of_served(chosen))
            restricted += int(np.count_nonzero(rows & (chosen.sum(axis=1) < among.sum(axis=1))))
        if kept and restricted >= _DRAWS:
            yield Change(cause=_NO_DRAW, values={"how": how, "where": where}, scope={}, tried_on=trials[0])


_NO_DRAW = Cause(name="no draw", says="It {how} {where}, instead of drawing.")
