"""The engine: replays a whole log under every cause, and orders those that explain it for the fewest fitted values.

What a cause costs is counted in wrong rows (`cause`), so that what explains nothing is never named, and a mechanism or
a setting only if no single accident of the log explains as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from mechanism.replay import ALGORITHM_1
from proofs_checks.diagnosis.cause import VALUE, Cause, Explanation, OpenRules, Trial, Values
from proofs_checks.diagnosis.log import FAR, RecordedLog

#: How many ways are continued; how many in a row that lead nowhere end the search, and how many once all is explained.
MOST_WAYS, PATIENCE, SURE = 25, 6, 3
#: Rows on either side of a place on which accidents are compared; how many of these are tried on the whole log; and
#: after how many rows the next place comes soon, so that more is tried.
NEAR, TRIED, SOON = 400, 4, 60
#: With many providers fewer rows near a place: at least these, and so many entries of a table by row and provider.
LEAST_NEAR, NEAR_ENTRIES = 100, 50_000
#: Rules that leave the first wrong row wrong, and more than this share of a sample of them, are given up.
HOPELESS = 0.9
#: The next cause must lower the cost to this share; to the second one if the log is not right farther then.
_LOWER, _MUCH = 0.9, 0.75
#: How much dearer is what convicts the platform or the setting than an accident of the log; and several accidents where
#: one mistake of the mechanism explains all.
_DEARER, _COINCIDENCE = 1.1, 2.0
#: What has a place in a log: an accident near a row is moved to where the rows near it begin.
_PLACES = ("row", "other_row")


def explain(log: RecordedLog, causes: Iterable[Cause], *, begins: bool = True) -> list[Explanation]:
    """Return what explains that a log breaks rules, the best first; several causes may explain it together.

    In turn, what costs least and what lets the log be right farthest is continued by one more cause: a small accident
    may hide a large one, and a later accident may hide how much a cause explains. Of a log that does not begin with
    the first query (`begins`) nothing is right for long, so that the search ends sooner.
    """
    causes, start = tuple(causes), Trial(log)
    if not start.left:
        return []
    first = Explanation(after=start, before=start.left)
    first_auction = int(start.steps[np.argmax(start.replay.auction)])
    found: list[Explanation] = []
    # The cheapest way to each state, and the least cost on it.
    ways = {_state(first): (first, first.cost)}
    done: set[Explanation] = set()
    best, idle, far, patience = math.inf, 0, -math.inf, PATIENCE if begins else SURE
    for number in range(MOST_WAYS):
        further = [(way, least) for way, least in ways.values() if way not in done and way.assumed + VALUE < best]
        if not further or idle > patience:
            break
        way, least = min(further, key=lambda each: _by_progress(each[0]) if number % 2 else _by_cost(each[0]))
        done.add(way)
        idle += 1
        for more in _one_more(way, causes):
            if more.is_named and more.cost < _LOWER * least and not _concerns_all_auctions(more, first_auction):
                found.append(more)
                if more.cost < best:
                    best, idle = more.cost, 0
                    patience = patience if more.after.left or more.after.chosen else SURE
            if more.after.left and more.progress > far:
                far, idle = more.progress, idle if patience == SURE else 0
            explains = more.after.reach > way.after.reach or more.cost < _MUCH * way.cost
            known = ways.get(_state(more))
            if explains and more.after.left and (not known or more.assumed < known[0].assumed):
                ways[_state(more)] = more, min(least, more.cost)
        way.after.forget()
    return _ranked(found)


def _concerns_all_auctions(found: Explanation, first: int) -> bool:
    """Return whether something said of the log begins with its first auction: so the platform decides."""
    return any(change.cause.kind == "log" and change.scope.get("first", FAR) <= first for change in found.changes)


def _ranked(found: list[Explanation]) -> list[Explanation]:
    """Return explanations in their order: accidents come before what convicts the platform or the setting for as much.

    One mistake of the mechanism that explains all comes before several accidents that cost more than half: they hardly
    ever look like one.
    """
    one_mistake = min(
        (each.cost for each in found if each.kind == "mechanism" and len(each.changes) == 1 and not each.after.left),
        default=math.inf,
    )

    def dearness(each: Explanation) -> float:
        several = each.kind == "log" and len(each.changes) > 1
        if several and each.cost * _COINCIDENCE > one_mistake:
            return _COINCIDENCE
        return _DEARER if each.convicts else 1.0

    return sorted(found, key=lambda each: each.cost * dearness(each))


def _state(way: Explanation) -> tuple[int, int]:
    """Return what distinguishes ways: those with as many wrong rows from the same one on are alike."""
    return way.after.left, way.after.reach


def _one_more(way: Explanation, causes: Sequence[Cause]) -> Iterator[Explanation]:
    """Yield a way with the best attempts at every further cause."""
    # A wrong mechanism is wrong from the start: it is tried before accidents of the log. What costs more than all that
    # is wrong is never named.
    early = way.convicts or not way.changes
    tried = [cause for cause in causes if cause.cost < way.before and (cause.kind != "mechanism" or early)]
    near = [*_at_first_wrong_row(way, [cause for cause in tried if cause.may_begin])]
    for cause in [] if _happened_again(way, near) else tried:
        attempts = [] if cause.at_place else [*_attempts(way, cause)]
        yield from {min(attempts, key=key): None for key in (_by_cost, _by_progress) if attempts}
    yield from near


def _happened_again(way: Explanation, near: Sequence[Explanation]) -> bool:
    """Return whether what happened before, once more, lets the log be right farthest; then the rest is tried behind."""
    best = min(near, key=_by_reach, default=way)
    before = [change.cause for change in way.changes]
    return best.after.reach > way.after.reach + SOON and best.changes[-1].cause in before


def _attempts(way: Explanation, cause: Cause) -> Iterator[Explanation]:
    """Yield a cause with every proposed value, throughout the log and where it explains most."""
    trial = way.after
    for values in cause.values(trial):
        after = trial.given(cause, values)
        if cause.rules is None:
            yield way.and_then(cause, values, after)
            continue
        if way.changes and isinstance(cause.rules(ALGORITHM_1, **values), OpenRules):
            return
        wrong = after.judged(trial.sample)[0]
        if wrong[0] and np.mean(wrong) > HOPELESS:
            continue
        yield way.and_then(cause, values, after)
        if cause.everywhere or isinstance(after.rules, OpenRules) or not after.left:
            continue
        gains = trial.wrong.astype(np.int64) - after.wrong
        for scope, gain in _scopes(trial, gains, cause):
            if gain > gains.sum() + 2 and gain > 0.5 * trial.left:
                yield way.and_then(cause, values, trial.given(cause, values, scope), scope)


def _scopes(trial: Trial, gains: np.ndarray, cause: Cause) -> Iterator[tuple[Values, int]]:
    """Yield where a change of the rules explains most: from a step on; up to one; in between; at one provider."""
    steps, total, behind = trial.steps, np.cumsum(gains), np.cumsum(gains[::-1])[::-1]
    first = _last_of_largest(behind)
    yield {"first": int(steps[first])}, int(behind[first])
    if cause.kind == "mechanism":
        return
    before = np.append(0, total[:-1])
    rises = total - np.minimum.accumulate(before)
    last = int(np.argmax(rises))
    begin = _last_of_largest(-before[: last + 1])
    yield {"last": int(steps[last])}, int(total[last])
    yield {"first": int(steps[begin]), "last": int(steps[last])}, int(rises[last])
    if cause.of_provider:
        # Of whom a change would be wrong before a step may be whom it concerns from that step on.
        rows_of = {
            who: np.flatnonzero(trial.log.provider == who) for who in np.unique(trial.log.provider[gains > 0]).tolist()
        }
        sums = {who: np.cumsum(gains[rows][::-1])[::-1] for who, rows in rows_of.items()}
        if not sums:
            return
        who = max(sums, key=lambda each: sums[each][0])
        yield {"provider": who}, int(sums[who][0])
        who = max(sums, key=lambda each: sums[each].max())
        at = _last_of_largest(sums[who])
        yield {"provider": who, "first": int(steps[rows_of[who][at]])}, int(sums[who][at])


def _last_of_largest(values: np.ndarray) -> int:
    return len(values) - 1 - int(np.argmax(values[::-1]))


def _at_first_wrong_row(way: Explanation, causes: Sequence[Cause]) -> Iterator[Explanation]:
    """Yield what may have begun at the first wrong row: what explains most of the rows near it."""
    trial = way.after
    near = trial.around(trial.first, min(NEAR, max(LEAST_NEAR, NEAR_ENTRIES // trial.config.n_providers)))
    shift = trial.first - near.first
    scope = {"first": int(trial.steps[trial.first])}
    start = Explanation(after=near, before=near.left)
    far: list[Explanation] = []
    before = [change.cause for change in way.changes]
    for costly in (False, True):
        # What happened before may happen again, and soon.
        soon = [each.progress - (0 if each.changes[0].cause in before else SOON) for each in far]
        if costly and max(soon, default=-math.inf) > start.progress:
            break
        for cause in (cause for cause in causes if cause.costly == costly):
            tried = ((values, near.given(cause, values, scope)) for values in cause.values(near))
            right = [start.and_then(cause, *each) for each in tried if not each[1].is_wrong(near.first_line)]
            far += [each for each in right if each.after.reach > near.reach]
    for change in dict.fromkeys(each.changes[0] for key in (_by_cost, _by_reach) for each in _best_of_each(far, key)):
        values = {name: value + shift if name in _PLACES else value for name, value in change.values.items()}
        there = scope if change.cause.rules else {}
        found = way.and_then(change.cause, values, trial.given(change.cause, values, scope), there)
        # A cell that was edited is right.
        if not any((each.cause, each.rows) == (change.cause, found.changes[-1].rows) for each in way.changes):
            yield found


def _best_of_each(found: Iterable[Explanation], key: Callable[[Explanation], Any]) -> list[Explanation]:
    """Return the best explanations, one with each last cause."""
    best: dict[Cause, Explanation] = {}
    for each in sorted(found, key=key):
        best.setdefault(each.changes[-1].cause, each)
    return [*best.values()][:TRIED]


def _by_cost(found: Explanation) -> float:
    return found.cost


def _by_reach(found: Explanation) -> tuple[int, float]:
    return -found.after.reach, found.cost


def _by_progress(found: Explanation) -> tuple[bool, float, float]:
    # A wrong mechanism comes farther than an accident behind which another one lies.
    return found.kind == "mechanism", -found.progress, found.cost
