"""The engine: replays a whole log under every cause, and orders those that explain it for the fewest fitted values.

What a cause costs is counted in wrong rows (`cause`), so that what explains nothing is never named, and a mechanism or
a setting only if no single accident of the log explains as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

import numpy as np

from mechanism.replay import ALGORITHM_1
from proofs_checks.diagnosis.cause import (
    CONVICTS,
    LEAST_SHARE,
    VALUE,
    Cause,
    Change,
    Explanation,
    OpenRules,
    ScopedRules,
    Trial,
    Values,
)
from proofs_checks.diagnosis.log import RecordedLog

#: Accidents at places, and causes after each other, at most; and how many ways to go on are followed.
MOST_PLACES, MOST_CAUSES, WAYS = 24, 3, 2
#: After so many accidents each must explain its part of the log, or they are given up.
PATIENCE = 4
#: Rows on either side of a place on which accidents are compared; how many of these are tried on the whole log.
NEAR, TRIED = 400, 4
#: Rules that leave more than this share of a sample of wrong rows wrong are given up.
HOPELESS = 0.9
#: The next cause must lower the cost to this share, to the second one if others are to follow it; and what lets the log
#: be right farthest may raise it so much.
_LOWER, _MUCH, _HIGHER = 0.9, 0.75, 1.1
#: A share of wrong rows at which several accidents, each of few rows, are more likely than one that lasts.
_RARE = 0.1
#: What has a place in a log: an accident near a row is moved to where the rows near it begin.
_PLACES = ("row", "other_row")


def explain(log: RecordedLog, causes: Iterable[Cause]) -> list[Explanation]:
    """Return what explains that a log breaks rules, the best first; several causes may explain it together."""
    causes, start = tuple(causes), Trial(log)
    if not start.left:
        return []
    found: list[Explanation] = []
    ways = [Explanation(after=start, before=start.left)]
    for _ in range(MOST_CAUSES):
        further = [(way, more) for way in ways if way.after.left for more in _one_more(way, causes)]
        found += [more for way, more in further if more.cost < _LOWER * way.cost]
        ways = _ways_on([(way, more) for way, more in further if not _is_open(more)])
        opened = [each.cost for each in found if each.is_named and _is_open(each)]
        if not ways or not ways[0].after.left or min(opened, default=ways[0].cost) < ways[0].cost:
            break
    return sorted((each for each in found if each.is_named), key=lambda each: each.cost)


def _is_open(found: Explanation) -> bool:
    """Return whether its rules leave something open: nothing can be explained after them."""
    return isinstance(found.after.rules, OpenRules)


def _ways_on(further: Sequence[tuple[Explanation, Explanation]]) -> list[Explanation]:
    """Return what costs least, and what lets the log be right farthest: a small accident may hide a large one."""
    cheap = sorted((more for way, more in further if more.cost < _MUCH * way.cost), key=lambda more: more.cost)[:WAYS]
    far = [more for way, more in further if more.after.reach > way.after.reach and more.cost < _HIGHER * way.cost]
    far = sorted(far, key=lambda more: (-more.after.reach, more.cost))[:1]
    far += [more for _, more in further if far and more.changes == _before_run(far[0])]
    return [*cheap, *(more for more in far if more not in cheap)]


def _before_run(found: Explanation) -> tuple[Change, ...]:
    """Return the changes before a run of like accidents at the end: something that lasts may have begun there."""
    changes, name = found.changes, found.changes[-1].cause.name
    number = sum(1 for _ in takewhile(lambda change: change.cause.name == name, reversed(changes)))
    return changes[:-number] if number >= PATIENCE else ()


def _one_more(way: Explanation, causes: Sequence[Cause]) -> Iterator[Explanation]:
    """Yield a way with the best attempt at every further cause; the accidents at places together are one."""
    least = float(way.after.left)
    for cause in causes:
        for best in sorted(() if cause.at_place else _attempts(way, cause), key=lambda each: each.cost)[:1]:
            least = min(least, best.cost)
            yield best
    yield from _accidents_at_places(way, [cause for cause in causes if cause.at_place], least + CONVICTS["mechanism"])


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
        if np.mean(after.judged(trial.sample)[0]) > HOPELESS:
            continue
        yield way.and_then(cause, values, after)
        if cause.everywhere or isinstance(after.rules, OpenRules) or not after.left:
            continue
        gains = trial.wrong.astype(np.int64) - after.wrong
        for scope, gain in _scopes(trial, gains, cause):
            if gain > gains.sum() + 2 and gain > 0.5 * trial.left:
                limited = ScopedRules(inside=after.rules, outside=trial.rules, **scope)
                yield way.and_then(cause, values, Trial(trial.log, limited), scope)


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
        own = np.bincount(trial.log.provider, weights=gains, minlength=trial.config.n_providers)
        who = int(np.argmax(own))
        rows = np.flatnonzero(trial.log.provider == who)
        behind = np.cumsum(gains[rows][::-1])[::-1]
        at = _last_of_largest(behind)
        yield {"provider": who}, int(own[who])
        yield {"provider": who, "first": int(steps[rows[at]])}, int(behind[at])


def _last_of_largest(values: np.ndarray) -> int:
    return len(values) - 1 - int(np.argmax(values[::-1]))


def _accidents_at_places(way: Explanation, causes: Sequence[Cause], most: float) -> Iterator[Explanation]:
    """Yield accidents at one place after the other, each the one that lets the log be right up to the latest row.

    No more once they cost more than `most`, the wrong rows that they leave aside, or are too many to explain the log.
    """
    found = way
    for number in range(1, MOST_PLACES + 1):
        least = _RARE if number <= PATIENCE else 0.0
        more = _at_first_wrong_row(found, causes, least) if found.after.left else None
        if more is None:
            return
        found = more
        yield found
        explained = way.after.left - found.after.left
        hopeless = explained * MOST_PLACES < LEAST_SHARE["log"] * number * way.after.left
        if found.cost - found.after.left > most or (number >= PATIENCE and hopeless):
            return


def _is_wrong_as_often_behind(trial: Trial, least: float) -> bool:
    """Return whether rows far behind the first wrong one are wrong as often: an exchange of rows wears off."""
    near, behind = trial.wrong[trial.first : trial.first + NEAR], trial.wrong[trial.first + NEAR + NEAR // 8 :]
    return len(behind) > NEAR // 8 and bool(behind.mean() > max(0.5 * near.mean(), least))


def _at_first_wrong_row(way: Explanation, causes: Sequence[Cause], least: float) -> Explanation | None:
    """Return the accident at the first wrong row that explains most: those that do near it are tried on all rows."""
    trial = way.after
    near = trial.around(trial.first, NEAR)
    shift = trial.first - near.first
    far: list[tuple[Cause, Values, Trial]] = []
    for costly in (False, True):
        if costly and (_is_wrong_as_often_behind(trial, least) or any(not each[2].left for each in far)):
            break
        each_of = ((cause, values) for cause in causes if cause.costly == costly for values in cause.values(near))
        tried = [(cause, values, near.given(cause, values)) for cause, values in each_of]
        far += [each for each in tried if each[2].reach > near.reach]
    few = sorted(far, key=lambda each: each[2].left + VALUE * len(each[1]))[:TRIED]
    few += sorted(far, key=lambda each: (-each[2].reach, each[2].left + VALUE * len(each[1])))[:TRIED]
    found = []
    for cause, values in dict.fromkeys((cause, tuple(values.items())) for cause, values, _ in few):
        there = {name: value + shift if name in _PLACES else value for name, value in values}
        found.append(way.and_then(cause, there, trial.given(cause, there)))
    better = [each for each in found if each.after.reach > trial.reach]
    return max(better, key=lambda each: (each.after.reach, -each.cost), default=None)
