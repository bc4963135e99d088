"""The values that causes are tried with: solved from the first wrong rows of a log, or read off its columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from mechanism.replay import beta
from proofs_checks.diagnosis.cause import Trial, Values
from proofs_checks.diagnosis.log import Flags, Floats, RecordedLog, Rows, times_before
from proofs_checks.oracle.step_rules import of_payment

Proposal = Callable[[Trial], Iterable[Values]]

#: Providers that the first wrong row may hang on, and rows from which a provider's bid is read.
_RELEVANT, _PAYMENTS = 4, 60
#: Wrong payments that should be different amounts below c_max without which they show no common factor.
_DIFFERENT = 5
#: Wrong rows without which nothing is said of what may have been in flight.
_SEVERAL = 10
#: How many rows before the first wrong one a row may be missing where feedback is late.
_LATE = 5
#: Late feedback shows up to this row, and at this share of the rows behind at least.
_SOON, _MOST_WRONG = 1000, 0.3
#: So many losses tell how many queries are in flight; so many rows are replayed at a time to find one.
_FEW, _AHEAD = 4, 100
#: Columns of numbers that are not times.
_NO_TIMES = ("cost", "settled")
#: The share of the wrong rows that must be about who serves, to say that others are eligible.
_WHO = 0.2
#: Changes of a provider's bid that must be known to say that one is larger than all of them.
_ORDINARY = 2
#: How many rows after the first wrong one may belong before it, and how far two exchanged rows lie apart.
_MOVED, _APART = 25, 400


def listed(**lists: Iterable[Any]) -> Proposal:
    """Return what proposes the values of one list, or of several in step."""
    rows = [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    return lambda trial: rows


def commonest(values: Floats, most: int = 1, least: int = 2) -> list[float]:
    """Return the commonest values, equal to nine digits, each of which occurs so often at least."""
    values = values[np.isfinite(values) & (values != 0)]
    digits = 10.0 ** (8 - np.floor(np.log10(np.abs(values))))
    _, at, number = np.unique(np.round(values * digits) / digits, return_index=True, return_counts=True)
    return [float(values[at[i]]) for i in np.argsort(-number, kind="stable")[:most] if number[i] >= least]


def relevant(trial: Trial, most: int = _RELEVANT) -> list[int]:
    """Return the providers that the first wrong row hangs on: who served, who should have, whose band is highest."""
    replay, row = trial.replay, trial.first
    rivals = np.argsort(np.where(replay.eligible[row], replay.index[row], np.inf))[:2]
    first = [int(trial.log.provider[row]), *rivals.tolist(), *np.flatnonzero(replay.behind[row])[:2].tolist()]
    return list(dict.fromkeys([*first, *np.argsort(-np.nan_to_num(replay.hoped[row])).tolist()]))[:most]


def last_services(trial: Trial) -> Iterator[tuple[int, int]]:
    """Yield the relevant providers with the last row before the first wrong one that each served."""
    for who in relevant(trial):
        yield from ((who, int(row)) for row in np.flatnonzero(trial.log.provider[: trial.first] == who)[-1:])


def shown_bids(trial: Trial, who: int) -> list[float]:
    """Return the bids of a provider that the wrong payments show until it serves again: the largest, and the first.

    Each payment is what that bid would set, or less where somebody else sets it.
    """
    replay, rows, served = trial.replay, trial.wrong_rows(_PAYMENTS), trial.log.provider
    again = np.append(np.flatnonzero(served[trial.first + 1 :] == who)[:1] + trial.first + 1, len(served))[0]
    rows = rows[(served[rows] != who) & (rows <= again)]
    with np.errstate(all="ignore"):  # as it was before it was logged in another way
        paid = (
            trial.log.payment[rows]
            * np.nan_to_num(replay.critical / replay.rules.logged(replay.critical), nan=1.0)[rows]
        )
    shown = paid - replay.price_width[rows, served[rows]] + replay.width[rows, who]
    shown = shown[(shown >= 0) & (shown <= 1.001 * trial.config.cost_bound)]
    return list(dict.fromkeys([float(shown.max()), float(shown[0])])) if len(shown) else []


def off_by(trial: Trial, rows: Rows) -> tuple[Floats, Floats]:
    """Return what was paid over what the rules pay, and less it."""
    paid, right = trial.log.payment[rows], trial.prescribed[rows]
    with np.errstate(all="ignore"):
        return paid / right, paid - right


def repeats(log: RecordedLog, row: int = 0, least: int = 1) -> Flags:
    """Return which rows from a given one on say the same of an answer as earlier ones, so many in a row at least."""
    cells = [log.column(name) for name in ("provider", "payment", "score", "bid", *({"cost"} & log.columns.keys()))]
    again = times_before(np.unique(np.stack(cells).T, axis=0, return_inverse=True)[1].ravel()) > 0
    ends = np.flatnonzero(np.diff(np.concatenate([[False], again, [False]]).astype(int)))
    for begin, end in zip(ends[::2], ends[1::2], strict=True):
        again[begin:end] &= end - begin >= least
    again[:row] = False
    return np.asarray(again)


# At the first wrong row.


def lost_rows(trial: Trial) -> Iterator[Values]:
    """A row of each relevant provider; its bid is the standing one, or what the payments then show."""
    log, gap = trial.log, _gap(trial.log, trial.first)
    whole = set(np.unique(log.score).tolist()) <= {0.0, 1.0}
    # What is late shows late.
    places = range(gap, max(gap - (_LATE if log.delay is not None else 1), 0), -1)
    for who, at in product(relevant(trial), places):
        standing, mean = float(trial.replay.bid[trial.first, who]), float(trial.replay.estimate[trial.first, who])
        if math.isfinite(standing):
            attempt = Trial(log.inserted(at, who, mean, standing), trial.rules)
            for bid in dict.fromkeys([standing, *(shown_bids(attempt, who) if attempt.left else ())]):
                scores = (0.0, 1.0) if whole else (mean,)
                yield from ({"row": at, "who": who, "score": score, "bid": bid} for score in scores)


def _gap(log: RecordedLog, row: int) -> int:
    """Return the last row up to a given one before which the file's own steps leave a gap; else the row itself."""
    known = np.flatnonzero(log.line[: row + 1])
    if "step" not in log.columns or not len(known):
        return row
    room = np.diff(log.columns["step"][log.line[known] - 1]) - np.diff(known)  # inserted rows fill it
    gaps = np.flatnonzero(room > 0)
    return int(known[gaps[-1] + 1]) if len(gaps) else row


def rows_too_many(trial: Trial) -> Iterator[Values]:
    """The row, the one before, and the last of each relevant provider."""
    rows = [trial.first, *(row for _, row in last_services(trial)), max(trial.first - 1, 0)]
    yield from ({"row": row} for row in dict.fromkeys(rows))


def rows_again(trial: Trial) -> Iterator[Values]:
    """Those of them that repeat an earlier row."""
    again = repeats(trial.log)
    yield from (values for values in rows_too_many(trial) if again[values["row"]])


def moves(trial: Trial) -> Iterator[Values]:
    """The row and each of the next ones, either way."""
    near = range(trial.first + 1, min(trial.first + 1 + _MOVED, len(trial.log)))
    yield from ({"row": at, "other_row": trial.first} for at in near)
    yield from ({"row": trial.first, "other_row": at} for at in near[1:])


def neighbours(trial: Trial) -> Iterator[Values]:
    """The row, or one of the two before, with the next."""
    for row in (trial.first, trial.first - 1, trial.first - 2):
        if 0 <= row < len(trial.log) - 1:
            yield {"row": row, "other_row": row + 1}


def pairs_of_rows(trial: Trial) -> Iterator[Values]:
    """The row with one of the next that would be right there, and every two of the first wrong ones."""
    log, first = trial.log, trial.first
    others = np.arange(first + 2, min(first + _APART, len(log)))
    if not len(others):
        return
    same = (log.provider[others] == log.provider[first]) & (log.payment[others] == log.payment[first])
    right = trial.audit.are_right(first, log.provider[others], log.payment[others])
    yield from ({"row": first, "other_row": int(at)} for at in others[right & ~same])
    yield from ({"row": one, "other_row": two} for one, two in combinations(trial.wrong_rows(6)[1:].tolist(), 2))


def blocks(trial: Trial) -> Iterator[Values]:
    """Two neighbouring blocks of two to eight rows around the row."""
    for rows in range(2, 9):
        for row in range(max(0, trial.first - 2 * rows + 1), min(trial.first + 1, len(trial.log) - 2 * rows + 1)):
            yield {"row": row, "rows": rows}


def payments(trial: Trial) -> Iterator[Values]:
    """What the rules pay there, if they pay anything to who served."""
    if np.isfinite(trial.prescribed[trial.first]):
        yield {"row": trial.first, "payment": float(trial.prescribed[trial.first])}


def last_bids(trial: Trial) -> Iterator[Values]:
    """The last bid of each relevant provider, as the payments show it."""
    for who, row in last_services(trial):
        yield from ({"row": row, "who": who, "bid": bid} for bid in shown_bids(trial, who))


def bids_of_winners(trial: Trial) -> Iterator[Values]:
    """The last bid of each relevant provider where no payment shows it: of who served just low enough, else high."""
    for who, row in last_services(trial):
        served = int(trial.log.provider[trial.first])
        limit = float(trial.replay.critical[trial.first])
        if who != served:
            limit = float(trial.replay.index[trial.first, served] + trial.replay.width[trial.first, who])
        limit = min(limit, trial.config.cost_bound)
        bid = 0.999 * limit if who == served else 1.001 * limit
        if math.isfinite(limit) and limit >= 0:
            yield {"row": row, "who": who, "bid": bid, "limit": limit, "way": "up to" if who == served else "from"}


def odd_bids(trial: Trial) -> Iterator[Values]:
    """Those of them that are farther from their provider's bids before and after than any two others in turn."""
    for values in bids_of_winners(trial):
        own = np.flatnonzero(trial.log.provider == values["who"])
        changes, at = np.abs(np.diff(trial.log.bid[own])), int(np.searchsorted(own, values["row"]))
        others = np.delete(changes, [max(at - 1, 0), min(at, len(changes) - 1)]) if len(changes) > 1 else changes[:0]
        if len(others) > _ORDINARY and 0 < at < len(changes) and changes[at - 1 : at + 1].min() > others.max():
            yield values


def unheard(trial: Trial) -> Iterator[Values]:
    """The last two services of each relevant provider of which score and bid should have come."""
    log, rows = trial.log, np.arange(trial.first)
    due = rows if log.delay is None else rows + log.delay[: trial.first]
    for who in relevant(trial):
        heard = np.flatnonzero((log.provider[: trial.first] == who) & (due < trial.first))
        yield from ({"row": int(row), "who": who} for row in heard[-2:])


def last_scores(trial: Trial) -> Iterator[Values]:
    """The last high and the last low score of each relevant provider, the other way round: only the sum matters."""
    for who in relevant(trial):
        rows = np.flatnonzero(trial.log.provider[: trial.first] == who)
        high = trial.log.score[rows] >= 0.5
        for row in (*rows[high][-1:].tolist(), *rows[~high][-1:].tolist()):
            yield {"row": row, "who": who, "score": 1 - float(trial.log.score[row])}


def other_providers(trial: Trial) -> Iterator[Values]:
    """Another provider in the row, or in the last of a relevant one, which would be right there."""
    rows = dict.fromkeys([trial.first, *(row for _, row in last_services(trial))])
    for row in rows:
        who = np.setdiff1d(np.arange(trial.config.n_providers), trial.log.provider[row])
        right = trial.audit.are_right(row, who, np.full(len(who), trial.log.payment[row]))
        yield from ({"row": row, "who": int(each)} for each in who[right])


def single_decisions(trial: Trial) -> Iterator[Values]:
    """The row, if it is the only wrong one, only in who served, and is paid what is right for that."""
    if trial.left == 1 and not trial.audit.wrong_payments[trial.first] and not trial.replay.initial[trial.first]:
        yield {"row": trial.first, "who": int(trial.log.provider[trial.first])}


def skipped_explorations(trial: Trial) -> Iterator[Values]:
    """The row, if it is the only wrong one, and is an auction where somebody should have been explored."""
    if trial.left == 1 and trial.replay.behind[trial.first].any() and trial.audit.is_an_auction(trial.first):
        yield {"row": trial.first, "who": int(np.flatnonzero(trial.replay.behind[trial.first])[0])}


# Of the whole log.


def gaps(trial: Trial, most: int = 400) -> Iterator[Values]:
    """As many rows of each provider, however many, as the payments and the explorations after a gap tell."""
    at = _gap(trial.log, trial.first)
    total = _missing(trial, at, most)
    if total.sum() < 2:
        return
    who = np.repeat(np.arange(len(total)), total)
    scores, bids = (np.nan_to_num(table[trial.first]) for table in (trial.replay.estimate, trial.replay.bid))

    def attempt(scores: Floats, bids: Floats) -> Trial:
        return Trial(trial.log.inserted(at, who, scores[who], bids[who]), trial.rules)

    best = attempt(scores, bids)
    for each in np.flatnonzero(total).tolist():
        # What it bid last is shown by what follows; its scores decide who is eligible later.
        own = np.arange(len(total)) == each
        tried = [(scores, np.where(own, bid, bids)) for bid in (shown_bids(best, each) if best.left else ())]
        scored = [(np.where(own, score, scores), bids) for score in (0.0, 1.0)]
        for one in [*tried, *(scored if best.left > 0.01 * trial.left else [])]:
            if (other := attempt(*one)).left < best.left:
                best, (scores, bids) = other, one
    told = [f"{total[each]} of {trial.log.setting.providers[each].name}" for each in np.flatnonzero(total).tolist()]
    rows = {"who_each": who, "scores": scores[who], "bids": bids[who]}
    yield {"row": at, "number": int(total.sum()), "names": ", ".join(told), **rows}


def _missing(trial: Trial, at: int, most: int) -> Rows:
    """Return how many rows of each provider are missing before a row.

    An auction pays P = w(m_i) + b_j - w(m_j). With both bids heard since the gap, each number of missing rows of i
    leaves one of j, which is whole by chance only: what several payments share is right. An auction also tells that
    nobody who is eligible is behind g(t).
    """
    replay, config, log = trial.replay, trial.config, trial.log
    n = config.n_providers
    rows = np.flatnonzero(log.payment[at : at + 4 * most] < 0.999999 * config.cost_bound) + at
    counts, served, missing = replay.counts[rows], log.provider[rows], dict[int, int]()
    heard, slack = counts > replay.counts[at : at + 1], 1e-8 * config.cost_bound
    width = (
        (1 + config.belief_slack) * config.cost_bound * beta(np.arange(1, len(log) + 2 * most), n, config.confidence)
    )
    order = np.argsort(-np.bincount(served, minlength=n))[:8].tolist()
    for one, other in ((i, j) for i in order for j in order if i != j):
        if missing and (one in missing) == (other in missing):
            continue
        here = np.flatnonzero((served == one) & heard[:, one] & heard[:, other])[-60:]
        more = np.array([missing[one]] if one in missing else range(most))
        above = log.payment[rows[here]] - replay.bid[rows[here], other]
        wanted = width[counts[here, one][:, None] + more - 1] - above[:, None]
        place = np.clip(np.searchsorted(-width, -wanted), 1, len(width) - 1)
        place -= np.abs(width[place - 1] - wanted) < np.abs(width[place] - wanted)
        less = place + 1 - counts[here, other][:, None]
        fits = (np.abs(width[place] - wanted) <= slack) & (less >= 0) & (less < most)
        fits &= less == missing.get(other, less)
        pairs = np.stack([np.broadcast_to(more, fits.shape)[fits], less[fits]])
        pairs, number = np.unique(pairs, axis=1, return_counts=True)
        if number.max(initial=0) > 2:
            missing[one], missing[other] = pairs[:, np.argmax(number)].tolist()
    total = np.array([missing.get(who, 0) for who in range(n)])
    if missing:
        untold = np.array([who not in missing for who in range(n)]) & replay.eligible[rows[-1]]
        for _ in range(4):
            share = (replay.steps[rows[0]] + total.sum()) / n
            goal = math.ceil(config.exploration_scale * share**config.exploration_exponent - 1e-9)
            total[untold] = np.maximum(goal - counts[0], 0)[untold]
    return total


def repeated(trial: Trial) -> Iterator[Values]:
    """Those from somewhat before the first wrong row on: all, or only two and more in a row."""
    yield from ({"row": max(0, trial.first - 50), "least": least} for least in (1, 2))


def units(trial: Trial) -> Iterator[Values]:
    """The power of ten next to the factor of the first wrong payment; from the first row on, or from there on."""
    for factor in off_by(trial, trial.wrong_rows(1))[0].tolist():
        if 0 < factor < math.inf and abs(math.log10(factor)) > 0.7:
            yield from ({"row": row, "factor": 10.0 ** round(math.log10(factor))} for row in {0, trial.first})


def rates(trial: Trial) -> Iterator[Values]:
    """The factor of the first wrong payment, from there on."""
    factors = off_by(trial, trial.wrong_rows(1))[0].tolist()
    yield from ({"row": trial.first, "factor": factor} for factor in factors if 0.2 < factor < 5)


def money(trial: Trial) -> Iterator[Values]:
    """The commonest factors of a provider's wrong rows, from the first of these on; of the first four providers."""
    rows = trial.wrong_rows()
    for who in list(dict.fromkeys(trial.log.provider[rows].tolist()))[:_RELEVANT]:
        own = rows[trial.log.provider[rows] == who]
        if len(np.unique(np.round(trial.log.bid[own] / trial.config.cost_bound, 6))) < _DIFFERENT:
            continue
        start = 0 if own[0] == np.argmax(trial.log.provider == who) else int(own[0])
        for factor in commonest(off_by(trial, own)[0], 2):
            yield {"who": who, "factor": factor, "row": start}


def factors(trial: Trial) -> Iterator[Values]:
    """The commonest factors of wrong payments."""
    found = commonest(off_by(trial, _telling(trial))[0], 2, 3)
    yield from ({"factor": each} for each in found if abs(each - 1) > 1e-9)


def amounts(trial: Trial) -> Iterator[Values]:
    """The commonest differences of wrong payments."""
    yield from ({"amount": each} for each in commonest(off_by(trial, _telling(trial))[1], 2, 3))


def below_the_bound(proposed: Proposal) -> Proposal:
    """Return proposals with c_max, which payments do not exceed."""
    return lambda trial: ({**values, "bound": trial.config.cost_bound} for values in proposed(trial))


def amounts_at_most(trial: Trial) -> Iterator[Values]:
    """The commonest amounts of wrong payments that should be more, and different."""
    rows = _telling(trial)
    rows = rows[trial.log.payment[rows] < trial.prescribed[rows]]
    yield from ({"amount": each} for each in commonest(trial.log.payment[rows], 2, 3) if each > 0)


def _telling(trial: Trial) -> Rows:
    """Return wrong rows, if enough should be paid different amounts: of those that all should be c_max, none tells."""
    rows = trial.wrong_rows()
    right = trial.prescribed[rows]
    different = len(np.unique(right[(right > 0) & (right < trial.config.cost_bound)]))
    return rows if different >= _DIFFERENT else rows[:0]


def paid_when_wrong(trial: Trial) -> Iterator[Values]:
    """Amounts, 0 among them, that hardly occur at right rows; not c_max, which explorations are paid."""
    paid, wrong = trial.log.payment, trial.wrong
    tried = [*commonest(paid[wrong], 2), *([0.0] if (paid == 0).any() else [])]
    for each in tried:
        if each != trial.config.cost_bound and wrong[np.isclose(paid, each, rtol=1e-9)].mean() > 0.9:
            yield {"amount": each}


def steps_of_money(trial: Trial) -> Iterator[Values]:
    """The largest amount of which every payment is a multiple, and how it may have been rounded."""
    paid = np.unique(trial.log.payment)
    least = np.diff(paid)[np.diff(paid) > 1e-12 * paid[-1]].min(initial=paid[-1])
    usual = [m * 10.0**power for power in range(-8, 3) for m in (1, 2, 2.5, 3, 5)]
    for step in sorted({float(f"{least:.6g}"), *usual}, reverse=True):
        if 0 < step < 0.05 * paid[-1] and np.all(np.abs(paid / step - np.rint(paid / step)) < 1e-6):
            yield from ({"step": step, "how": how} for how in ("down", "to the nearest", "up"))
            return


def tolerances(trial: Trial) -> Iterator[Values]:
    """What is enough for money of so few decimals."""
    log = trial.log
    for digits in range(7) if len(_telling(trial)) else ():
        if any(np.array_equal(np.round(money, digits), money) for money in (log.payment, log.bid)):
            few = 10.0**-digits < 0.01 * trial.config.cost_bound
            for tolerance in (0.5 * 10.0**-digits, 10.0**-digits) if few else ():
                if tolerance > log.tolerance:
                    yield {"tolerance": tolerance}
            return


def single_precision(trial: Trial) -> Iterator[Values]:
    """What is enough for money of single precision, rounded up."""
    log, single = trial.log, float(np.finfo(np.float32).eps)
    if any(_is_single(money / log.money_unit) for money in (log.payment, log.bid)):
        largest = max(trial.config.cost_bound, *(float(np.abs(money).max()) for money in (log.payment, log.bid)))
        for share in (single / 2, single):
            yield {"tolerance": float(np.format_float_scientific(1.05 * largest * share, 1))}


def _is_single(amounts: Floats) -> bool:
    """Whether all amounts are numbers of single precision, as they stand or as such numbers are written in decimals."""
    single = amounts.astype(np.float32)
    back, doubles = single.astype(np.float64), 4 * np.finfo(np.float64).eps * np.abs(amounts)
    if np.all(np.abs(back - amounts) <= doubles):
        return True
    if np.any(np.abs(back - amounts) > 1e-6 * np.abs(amounts)):
        return False
    written = np.array([float(str(number)) for number in single])
    return bool(np.all((np.abs(back - amounts) <= doubles) | (np.abs(written - amounts) <= doubles)))


def end_times(trial: Trial) -> Iterator[Values]:
    """Two columns of numbers or times, one of them never before the other: begin and end of a query."""
    columns = {
        name: c for name, c in trial.log.columns.items() if c.dtype.kind in "if" and name not in (*_NO_TIMES, "step")
    }
    for begin, end in ((b, d) for b in columns for d in columns if b != d and trial.log.delay is None):
        if np.all(np.diff(columns[begin]) >= 0) and np.all(columns[end] >= columns[begin]):
            yield {"begin": begin, "end": end}


def numbers_in_flight(trial: Trial) -> Iterator[Values]:
    """Numbers up to 32, where the log does not say when feedback came."""
    yield from ({"number": number} for number in range(1, 33) if trial.log.delay is None)


def fractions(trial: Trial) -> Iterator[Values]:
    """Nothing to fit, where the log says in which order feedback arrived between two queries."""
    yield from [{}] if np.any(trial.log.columns.get("settled", np.zeros(1)) % 1) else []


def losses_in_flight(trial: Trial) -> Iterator[Values]:
    """The number in flight with which the log is right farthest if feedback is lost, and the rows whose is."""
    log = trial.log
    if log.delay is not None or trial.first > _SOON or trial.left < _MOST_WRONG * (len(log) - trial.first):
        return
    found = {number: _losses(trial, number, [], _FEW) for number in range(1, 9)}
    number = max(found, key=lambda number: (found[number][1], -len(found[number][0])))
    lost = _losses(trial, number, found[number][0], len(log))[0]
    if lost:
        yield {"number": number, "lost": tuple(lost)}


def _losses(trial: Trial, number: int, lost: list[int], most: int) -> tuple[list[int], int]:
    """Return rows whose feedback is lost, each at the first row that is wrong then, and up to where the log is right.

    Each must let the log be right farther.
    """
    log = trial.log

    def attempt(rows: list[int], end: int) -> Trial:
        head = log.rows(slice(0, end))
        return Trial(head.in_flight(number, rows), trial.rules)

    end = min(len(log), max([trial.first, *lost]) + _AHEAD)
    now = attempt(lost, end)
    while len(lost) < most:
        if not now.left:
            if end == len(log):
                break
            end = min(len(log), end + _AHEAD)
            now = attempt(lost, end)
            continue
        end = min(len(log), max(end, now.first + _AHEAD))
        tried = [[*lost, values["row"]] for values in unheard(attempt(lost, end))]
        best = max(((attempt(rows, end), rows) for rows in tried), key=lambda each: each[0].first, default=None)
        if best is None or best[0].first <= now.first:
            break
        now, lost = best
    return lost, now.first


def batches(trial: Trial) -> Iterator[Values]:
    """Sizes up to 32, where the log does not say when feedback came."""
    yield from ({"size": size} for size in range(2, 33) if trial.log.delay is None)


def some_in_flight(trial: Trial) -> Iterator[Values]:
    """Small numbers, where the log does not say when feedback came, and enough is wrong: of a few rows much is so."""
    if trial.log.delay is None and trial.left >= _SEVERAL:
        yield from ({"number": number} for number in (1, 2, 3, 5))


def errors(trial: Trial) -> Iterator[Values]:
    """Nothing to fit, where who is better by the setting scores less."""
    log, n = trial.log, trial.config.n_providers
    number, total = (np.bincount(log.provider, weights, minlength=n) for weights in (None, log.score))
    quality = np.array([provider.quality for provider in log.setting.providers])
    agrees = (quality - quality @ number / len(log)) @ total > 0
    yield from [{}] if np.ptp(log.score) > 0 and not agrees else []


def scales_of_scores(trial: Trial) -> Iterator[Values]:
    """The two scores that alone occur at the end, from the row on from which no other does."""
    score = trial.log.score
    ends = np.unique(score[-1:]).tolist()
    ends += np.unique(score[np.isin(score, ends, invert=True)][-1:]).tolist()
    others = np.flatnonzero(np.isin(score, ends, invert=True))
    low, high = min(ends), max(ends)
    row = int(others[-1]) + 1 if len(others) else 0
    if low < high and (low, high) != (0.0, 1.0) and len(score) - row > _SEVERAL:
        yield {"row": row, "high": high, "low": low}


def beginnings(trial: Trial) -> Iterator[Values]:
    """Rows up to the first wrong one from which on each provider serves once and all are paid the same."""
    n, log = trial.config.n_providers, trial.log
    for row in range(max(1, trial.first - n + 1), trial.first + 1):
        again = log.rows(slice(row, row + n))
        if len(np.unique(again.provider)) == n and np.ptp(again.payment) == 0:
            yield {"row": row}


def read_after(trial: Trial) -> Iterator[Values]:
    """Nothing to fit, where the bids were read as those left behind."""
    yield from [{}] if trial.log.bids == "after" and trial.log.delay is None else []


def read_before(trial: Trial) -> Iterator[Values]:
    """Nothing to fit, where the bids were read as those that stood."""
    yield from [{}] if trial.log.bids == "before" else []


def shifts(trial: Trial) -> Iterator[Values]:
    """Each column, by a row either way."""
    yield from ({"column": column, "by": by} for column in ("payment", "score", "bid") for by in (1, -1))


def orders(trial: Trial) -> Iterator[Values]:
    """Columns of numbers or times that do not rise."""
    for name, column in trial.log.columns.items():
        if name not in _NO_TIMES and column.dtype.kind in "ifO" and (np.diff(trial.log.column(name)) < 0).any():
            yield {"column": name}


def columns(trial: Trial) -> Iterator[Values]:
    """Two columns, none of them constant, whose exchange leaves scores; only where the log is wrong from the start."""
    for pair in ("payment bid", "payment cost", "bid cost", "payment score", "bid score"):
        one, other = pair.split()
        if "cost" in (one, other) and "cost" not in trial.log.columns:
            continue
        score = trial.log.column(one if other == "score" else "score")
        if any(np.ptp(trial.log.column(name)) == 0 for name in (one, other)):
            continue
        if score.min() >= 0 and score.max() <= 1 and trial.first < 3 * trial.config.n_providers:
            yield {"one": one, "two": other}


def names(trial: Trial) -> Iterator[Values]:
    """Two relevant providers, from the first of their services near the first wrong row on."""
    for who, other in combinations(relevant(trial), 2):
        rows = np.flatnonzero((trial.log.provider == who) | (trial.log.provider == other))
        rows = rows[(rows <= trial.first) & (rows > trial.first - 60)][-8:]
        yield from ({"row": int(row), "who": who, "other": other} for row in rows)


def never_serving(trial: Trial) -> Iterator[Values]:
    """All that never serve."""
    never = np.flatnonzero(np.bincount(trial.log.provider, minlength=trial.config.n_providers) == 0)
    if len(never) and len(trial.log) >= trial.config.n_providers and not trial.log.known.steps:
        told = ", ".join(trial.log.setting.providers[who].name for who in never.tolist())
        yield {"names": told, "them": tuple(never.tolist())}


def absent(trial: Trial) -> Iterator[Values]:
    """Relevant providers that have served since initialization."""
    later = trial.log.provider[trial.replay.steps > trial.config.n_providers]
    yield from ({"who": who} for who in relevant(trial, 6) if (later == who).any())


def where_others_serve(trial: Trial) -> Iterator[Values]:
    """Nothing to fit, where enough of the wrong rows are about who serves: wrong prices alone are no sign of it."""
    broken = [flags for rule, flags in trial.audit.flags.items() if not of_payment(rule)]
    who = np.count_nonzero(np.logical_or.reduce(broken) & ~trial.replay.initialization)
    yield from [{}] if who > _WHO * trial.left else []


def late_comers(trial: Trial) -> Iterator[Values]:
    """Those who serve first after the others have been initialised."""
    served, first = np.unique(trial.log.provider, return_index=True)
    late = tuple(served[first >= trial.config.n_providers].tolist())
    if late and len(late) <= trial.config.n_providers - 2 and not trial.log.known.steps:
        yield {"who": late[0], "row": int(first[served == late[0]][0]), "others": late}


# Other parameters.


def bounds(trial: Trial) -> Iterator[Values]:
    """Amounts that are often paid from the first wrong row on, and what the first rows were paid."""
    paid = trial.log.payment
    tried = [*commonest(paid[trial.first :], 2, 3), *commonest(paid[: trial.config.n_providers])]
    yield from ({"value": each} for each in dict.fromkeys(tried) if each > 0)


def thresholds(trial: Trial) -> Iterator[Values]:
    """Values next to the least upper end of who serves and to the last ends, some at wrong rows, and round ones."""
    replay, upper = trial.replay, trial.replay.hoped
    served = replay.of_served(upper)
    least = float(np.min(served[np.isfinite(served)], initial=1.0))
    last = np.unique([*upper[-1][np.isfinite(upper[-1])].tolist(), least])
    ends = upper[trial.wrong_rows(100)]
    ends = np.unique(np.clip(ends[np.isfinite(ends)], 0.01, 0.99))
    inside = np.round(np.quantile(ends, np.linspace(0.1, 0.9, 9)), 3).tolist() if len(ends) else []
    near = [_roundest(max(least - 0.05, 0.0), least), *(_roundest(low, high) for low, high in pairwise(last.tolist()))]
    tried = [*near, *np.round(np.arange(0.05, 1, 0.05), 2).tolist(), *inside]
    yield from ({"value": each} for each in dict.fromkeys(tried) if 0 < each < 1)


def scales(trial: Trial) -> Iterator[Values]:
    """A value between the counts at which providers are explored and those at which auctions are held; usual ones."""
    replay, config = trial.replay, trial.config
    unit: Floats = replay.goals / config.exploration_scale
    later = replay.steps > config.n_providers
    auctions = later & (replay.payment < config.cost_bound * (1 - 1e-9) - trial.log.tolerance)
    least = np.where(replay.eligible, replay.counts, np.inf).min(axis=1)
    most = float(np.min(least[auctions] / unit[auctions], initial=np.inf))
    served = replay.of_served(replay.counts)
    explored = np.flatnonzero(later & ~auctions & (served / unit < most))
    known = float(np.max(served[explored] / unit[explored], initial=0.0))
    between = [_roundest(known, most)] if 0 < most < math.inf else [_roundest(known, 2 * known)] if known else []
    usual = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    yield from ({"value": value} for value in dict.fromkeys((*between, *usual)) if value > 0)


def _roundest(low: float, high: float) -> float:
    """Return the number in (low, high] with the fewest decimals."""
    for decimals in range(7):
        value: float = round(math.floor(high * 10.0**decimals) / 10.0**decimals, decimals)
        if low < value <= high:
            return value
    return high


def slacks(trial: Trial) -> Iterator[Values]:
    """Solutions for gamma of P = b_j + (1 + gamma) c_max (beta_i - beta_j) that payments share, and round numbers."""
    replay, rows = trial.replay, trial.wrong_rows(_PAYMENTS)
    with np.errstate(all="ignore"):
        own = replay.radius[rows, trial.log.provider[rows]][:, None]
        solved = trial.log.payment[rows, None] - replay.bid[rows]
        found = solved / (trial.config.cost_bound * (own - replay.radius[rows])) - 1
    found = found[np.isfinite(found) & (found > 0) & (found < 5)]
    solutions = [*commonest(np.round(found, 7), 2, 3), *commonest(found, 2, 3)]
    usual = (0.0, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
    yield from ({"value": value} for value in dict.fromkeys([*solutions, *usual]))
