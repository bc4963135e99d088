"""One number of one provider, or one settlement of the history, that would make a single wrong answer right.

For where no variant explains all answers: what this finds is about the steps it looks at, and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bounds.words import counted
from proofs_checks.conformance.diagnosis.recording import Recording
from proofs_checks.conformance.diagnosis.rulebook import PLAIN, Log, Prescribed
from proofs_checks.oracle.rule_oracle import money_rounding

#: Longer histories are not searched, nor are more examples: each settlement is left out in turn.
_LONGEST, _EXAMPLES = 200, 8
#: Counts that are tried beyond a provider's own.
_BEYOND = 20
#: More fits than these tell nothing.
_TOLD = 3

#: What of a settlement was not counted.
Part = Literal["score", "feedback", "bid"]
_PARTS: tuple[Part, ...] = ("score", "feedback", "bid")


@dataclass(frozen=True, kw_only=True)
class FittingCount:
    """A count at which a provider's confidence radius would make a payment right; `has` is its own."""

    provider: int
    count: int
    has: int


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A settlement without which, or without a part of which, every answer up to the wrong one would be right."""

    step: int
    provider: int
    part: Part


def near_miss(examples: Sequence[tuple[str, Recording]]) -> str:
    """Return what would make the wrong answer of an example right, as sentences; empty where nothing does.

    Of the other examples it is told how many fit in the same way.

    Parameters
    ----------
    examples : sequence of (str, Recording)
        Counterexamples with the names of their checks, the one that is shown first.
    """
    shown = examples[0][1] if examples else None
    cut = [(name, each, up_to_the_wrong_one(each)) for name, each in examples[:_EXAMPLES]]
    wrong = [(name, each is shown, found) for name, each, found in cut if found is not None]
    for name, is_shown, recording in wrong:
        others = [each for _, _, each in wrong if each is not recording]
        where = "" if is_shown else f"In the example of {name}, "
        if told := _of_counts(recording, others) or _of_settlements(recording, others):
            first, *rest = told
            return " ".join([f"{where}{first[0].lower() if where else first[0]}{first[1:]}", *rest])
    return ""


def up_to_the_wrong_one(recording: Recording) -> Recording | None:
    """Return a recording up to its first wrong answer; None without one, and where it is too long to be searched."""
    for step, fine in enumerate(recording.replayed(PLAIN), 1):
        if not fine:
            arrivals = None if recording.arrivals is None else recording.arrivals[: step - 1]
            settlements = recording.settlements[: step - 1]
            return replace(recording, answers=recording.answers[:step], settlements=settlements, arrivals=arrivals)
        if step > _LONGEST:
            return None
    return None


def fitting_counts(recording: Recording) -> list[FittingCount]:
    """Return the counts of one provider that make the last payment right, if it is of an auction and below c_max."""
    *_, (log, (winner, paid)) = recording.walked()
    rounding, told = money_rounding(log.config), PLAIN.prescribed(log, winner)
    if told is None or told.kind != "auction" or not told.may_serve or paid >= log.config.cost_bound - rounding:
        return []
    return [
        FittingCount(provider=i, count=count, has=log.counts[i])
        for i in log.providers
        for count in range(1, log.counts[i] + _BEYOND)
        if count != log.counts[i] and _fits(_with_count(log, winner, i, count), paid, rounding)
    ]


def _with_count(log: Log, winner: int, provider: int, count: int) -> Prescribed | None:
    """Return what the rules say of a winner where a provider's cost radius is taken at another count."""

    def width(book: object, log: Log, i: int) -> float:
        beta = PLAIN.beta(log, count if i == provider else log.counts[i])
        return (1 + log.config.belief_slack) * log.config.cost_bound * beta

    return replace(PLAIN, width=width, price_width=width).prescribed(log, winner)


def _fits(told: Prescribed | None, paid: float, rounding: float) -> bool:
    return told is not None and told.may_serve and abs(told.payment - paid) <= rounding


def left_out(recording: Recording) -> list[LeftOut]:
    """Return the settlements after initialization that, left out in part or whole, make all answers right.

    The latest come first. With feedback that arrives late nothing is looked for.
    """
    if recording.arrivals is not None:
        return []
    steps = range(len(recording.settlements), recording.config.n_providers, -1)
    return [
        LeftOut(step=step, provider=recording.answers[step - 1][0], part=part)
        for step in steps
        for part in _PARTS
        if _is_right_without(recording, step, part)
    ]


def _is_right_without(recording: Recording, without: int, part: Part) -> bool:
    """Return whether the last answer is right if a part of a settlement is left out, and then those before it."""
    log = _log_without(recording, without, part, len(recording.answers))
    if PLAIN.judged(log, *recording.answers[-1]) is not True:
        return False
    log = _log_without(recording, without, part, without + 1)
    for answer, settlement in zip(recording.answers[without:-1], recording.settlements[without:], strict=True):
        if not PLAIN.allows(log, *answer):
            return False
        log.settle(answer[0], *settlement)
    return True


def _log_without(recording: Recording, without: int, part: Part, before: int) -> Log:
    """Return what is known before a step if a part of an earlier settlement is left out."""
    log = Log(recording.config)
    played = zip(recording.answers[: before - 1], recording.settlements, strict=False)
    for step, ((provider, _), (score, bid)) in enumerate(played, 1):
        feedback = log.assign(provider, score, bid)
        if step != without:
            log.learn(feedback)
        elif part == "bid":
            log.learn(feedback._replace(bid=log.bids[provider][-1]))
        elif part == "score":
            log.bids[provider].append(bid)
    return log


def _of_counts(recording: Recording, others: Sequence[Recording]) -> list[str]:
    found = fitting_counts(recording)
    if len(found) != 1:
        return []
    [fit] = found
    has = f"provider {fit.provider} at count {fit.count}; it has {fit.has}"
    also = [fitting_counts(each) for each in others if _has_a_wrong_price(each)]
    shifts = {each.count - each.has for fits in (found, *also) if len(fits) == 1 for each in fits}
    told = f"The payment of step {len(recording.answers)} fits the radius of {has}."
    how = "with another count of one provider"
    if len(shifts) == 1:
        how = f"each with a count {abs(*shifts)} {'lower' if max(shifts) < 0 else 'higher'}"
    return [told, _how_many([len(fits) == 1 for fits in also], how)]


def _has_a_wrong_price(recording: Recording) -> bool:
    *_, (log, (winner, _)) = recording.walked()
    told = PLAIN.prescribed(log, winner)
    return told is not None and told.kind == "auction" and told.may_serve


def _of_settlements(recording: Recording, others: Sequence[Recording]) -> list[str]:
    found = left_out(recording)
    part = next((each for each in _PARTS if any(one.part == each for one in found)), None)
    if part is None:
        return []
    steps = [one for one in found if one.part == part]
    if len(steps) > _TOLD:
        return []
    places = " or ".join(f"step {one.step} (provider {one.provider})" for one in steps)
    what = f"the {part} of {places} was not counted"
    whole = {one.step for one in found if one.part == "feedback"}
    if part == "score":
        bid = "its bid changes nothing here" if whole.issuperset(one.step for one in steps) else "its bid was"
        what = f"{what} ({bid})"
    elif part == "bid":
        what = f"the bid of {places} did not replace the one before"
    also = [[one.step for one in left_out(each) if one.part == part] for each in others]
    # Where several fit it is not known which: those places say nothing.
    known = sorted({place for fits in also if len(fits) == 1 for place in fits})
    at = f" (of step {' or '.join(map(str, known))})" if 0 < len(known) <= _TOLD else ""
    return [
        f"Step {len(recording.answers)} fits if {what}.",
        _how_many(list(map(bool, also)), f"without one {part}{at}"),
    ]


def _how_many(fit: Sequence[bool], how: str) -> str:
    """Return how many other examples fit in a way.

    Examples
    --------
    >>> _how_many([True, False], "without one bid")
    '1 of 2 other examples fits in this way, without one bid.'
    >>> _how_many([], "without one bid")
    'That is about one step alone: it may be something else.'
    """
    if not any(fit):
        return "That is about one step alone: it may be something else."
    fits = "fits" if sum(fit) == 1 else "fit"
    return f"{sum(fit)} of {counted(len(fit), 'other example')} {fits} in this way, {how}."
