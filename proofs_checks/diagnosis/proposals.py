"""The values that causes are tried with: solved from the first wrong rows of a log, or read off its columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np

from mechanism.tables import cost_table, target_table
from proofs_checks.diagnosis.cause import Trial, Values
from proofs_checks.diagnosis.log import Flags, Floats, RecordedLog, Rows, times_before
from proofs_checks.oracle.step_rules import of_payment

Proposal = Callable[[Trial], Iterable[Values]]

#: Providers that the first wrong row may hang on, and rows from which a provider's bid is read, or cells filled.
_RELEVANT, _PAYMENTS = 6, 60
#: First wrong rows, each of which may be wrong since its provider should have set the price at the first one.
_NEXT = 3
#: Providers that are tried in place of another one: where more would be right, the log does not tell which it was.
_OTHERS = 64
#: Wrong payments that should be different amounts below c_max without which they show no common factor.
_DIFFERENT = 5
#: Wrong rows without which nothing is said of what may have been in flight.
_SEVERAL = 10
#: How many rows before the first wrong one a row may be missing where feedback is late.
_LATE = 5
#: The share of all rows that late feedback makes wrong, at least.
_MOST_WRONG = 0.3
#: Payments of a provider that are compared, to tell how many rows are missing; so many fit more often by chance.
_TELLING, _BY_CHANCE = 30, 400
#: A score that keeps a provider from all that follows, and the share of the wrong rows that unknown values may leave.
_EXCLUDED, _FEW_OPEN = -1e6, 0.1
#: First amounts that show single precision.
_PRECISE = 10_000
#: By how much the mean score of missing rows may differ from that of the others.
_NEARER = [sign * 2.0**-power for power in range(11) for sign in (-1, 1)]
#: How many rows before what is heard again shows it may have been.
_LATELY = 40
#: Columns of numbers that are not times.
_NO_TIMES = ("cost", "settled")
#: A log with more right auctions before the first wrong row was not wrong from its first auctions on.
_EARLY = 50
#: The share of the wrong rows that must be about who serves, to say that others are eligible.
_WHO = 0.2
#: First wrong rows, some of which other accidents may have hit, that may show another currency.
_RATES = 3
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
    """Return the providers that the first wrong row hangs on: who served, who should have, who served around it."""
    replay, row = trial.replay, trial.first
    rivals = np.argsort(np.where(replay.eligible[row], replay.index[row], np.inf))[:2]
    first = [int(trial.log.provider[row]), *rivals.tolist(), *np.flatnonzero(replay.behind[row])[:2].tolist()]
    served = trial.log.provider[[*trial.wrong_rows(_NEXT), *range(row)[::-1]]]
    return list(dict.fromkeys([*first, *served.tolist()]))[:most]


def last_services(trial: Trial) -> Iterator[tuple[int, int]]:
    """Yield the relevant providers with the last row before the first wrong one that each served, if it is logged."""
    for who in relevant(trial):
        rows = np.flatnonzero(trial.log.provider[: trial.first] == who)[-1:]
        yield from ((who, int(row)) for row in rows if trial.log.line[row])


def shown_bids(trial: Trial, who: int) -> list[float]:
    """Return the bids of a provider that the wrong payments show until it serves again: the largest, and the first.

    Each payment is what that bid would set, or less where somebody else sets it.
    """
    rows, served = trial.wrong_rows(_PAYMENTS), trial.log.provider
    again = np.append(np.flatnonzero(served[trial.first + 1 :] == who)[:1] + trial.first + 1, len(served))[0]
    shown = _bids_shown(trial, rows[(served[rows] != who) & (rows <= again)], who)
    shown = shown[(shown >= 0) & (shown <= 1.001 * trial.config.cost_bound)]
    return list(dict.fromkeys([float(shown.max()), float(shown[0])])) if len(shown) else []


def _before_logging(trial: Trial, rows: Rows) -> Floats:
    """Return what was paid at some rows, before it was logged in another way."""
    if trial.plain.keep("logged"):
        return np.asarray(trial.log.payment[rows])
    amounts = np.linspace(0, 2 * trial.config.cost_bound, 2001)
    return np.interp(trial.log.payment[rows], trial.plain.logged(amounts), amounts)


def _bids_shown(trial: Trial, rows: Rows, who: int) -> Floats:
    """Return the bid of a provider with which it would set the payments of others."""
    replay, served = trial.replay, trial.log.provider[rows]
    return np.asarray(_before_logging(trial, rows) - replay.price_width[rows, served] + replay.width[rows, who])


def off_by(trial: Trial, rows: Rows) -> tuple[Floats, Floats]:
    """Return what was paid over what the rules pay, and less it."""
    paid, right = trial.log.payment[rows], trial.prescribed[rows]
    with np.errstate(all="ignore"):
        return paid / right, paid - right


def _answers(log: RecordedLog) -> Rows:
    """Return a number for each row that says the same of an answer."""
    cells = [log.column(name) for name in ("provider", "payment", "score", "bid", *({"cost"} & log.columns.keys()))]
    return np.unique(np.stack(cells).T, axis=0, return_inverse=True)[1].ravel()


def repeats(log: RecordedLog, row: int, least: int) -> Flags:
    """Return which rows from a given one on say the same of an answer as earlier ones, one or more in a row."""
    again = times_before(_answers(log)) > 0
    if least > 1:
        again &= np.append(again[1:], False) | np.append(False, again[:-1])
    again[:row] = False
    return np.asarray(again)


# At the first wrong row.


def lost_rows(trial: Trial) -> Iterator[Values]:
    """A row of each relevant provider; its bid is the standing one, or what the payments then show."""
    log, gap = trial.log, _gap(trial.log, trial.first)[0]
    whole = set(np.unique(log.score).tolist()) <= {0.0, 1.0}
    # What is late shows late.
    places = range(gap, max(gap - (_LATE if log.delay is not None else 1), 0), -1)
    for who, at in product(relevant(trial), places):
        standing, mean = float(trial.replay.bid[trial.first, who]), float(trial.replay.estimate[trial.first, who])
        if math.isfinite(standing):
            attempt = Trial(log.inserted(at, who, mean, standing), trial.rules)
            shown = [*shown_bids(attempt, who), _explaining_bid(attempt, who)[1]] if attempt.left else []
            for bid in (each for each in dict.fromkeys([standing, *shown]) if math.isfinite(each)):
                scores = (0.0, 1.0) if whole and log.delay is None else (mean,)
                yield from ({"row": at, "who": who, "score": score, "bid": bid} for score in scores)


def _gap(log: RecordedLog, row: int) -> tuple[int, int]:
    """Return the last row up to a given one before which the file's own steps lack some, and how many; or the row."""
    known = np.flatnonzero(log.line[: row + 1])
    if "step" not in log.columns:
        return row, 0
    missing = np.append(0, np.diff(log.columns["step"]) - 1)[log.line[known] - 1]
    missing = missing - (np.diff(known, prepend=-1) - 1)  # inserted rows fill them
    gaps = np.flatnonzero(missing > 0)
    return (int(known[gaps[-1]]), int(missing[gaps[-1]])) if len(gaps) else (row, 0)


def rows_too_many(trial: Trial) -> Iterator[Values]:
    """The row, the one before, and the last of each relevant provider."""
    rows = [trial.first, *(row for _, row in last_services(trial)), max(trial.first - 1, 0)]
    yield from ({"row": row} for row in dict.fromkeys(rows))


def rows_again(trial: Trial) -> Iterator[Values]:
    """Those of them that repeat an earlier row."""
    again = times_before(_answers(trial.log)) > 0
    yield from (values for values in rows_too_many(trial) if again[values["row"]])


def runs_again(trial: Trial) -> Iterator[Values]:
    """The longest runs of rows around one of them that repeat as many earlier ones."""
    answers = _answers(trial.log)
    for row in (values["row"] for values in rows_too_many(trial)):
        for earlier in np.flatnonzero(answers[:row] == answers[row])[-2:].tolist():
            other = np.flatnonzero(answers[row - earlier :] != answers[: earlier - row]) + row - earlier
            begin = int(np.append(row - earlier - 1, other[other < row])[-1]) + 1
            rows = int(np.append(other[other > row], len(answers))[0]) - begin
            if rows > 1:
                yield {"row": begin, "rows": rows}


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


def unknown_answers(trial: Trial) -> Iterator[Values]:
    """What a relevant provider left in its missing rows: another mean score; another bid, if these were its last."""
    rows = np.arange(trial.first)
    for who in relevant(trial):
        missing = rows[unlogged(trial.log, who)[rows]]
        if not 0 < len(missing) <= _PAYMENTS:
            continue
        yield from ({"who": who, "what": "score", "value": k / len(missing)} for k in range(len(missing) + 1))
        if missing[-1] == rows[trial.log.provider[rows] == who][-1]:
            bids = [*shown_bids(trial, who), _explaining_bid(trial, who)[1]]
            yield from ({"who": who, "what": "bid", "value": bid} for bid in bids if math.isfinite(bid))


def unlogged(log: RecordedLog, who: int) -> Flags:
    """Return which rows are a provider's and were inserted."""
    return np.asarray((log.provider == who) & (log.line == 0) & (log.payment == 0))


def bids_of_winners(trial: Trial) -> Iterator[Values]:
    """The last bid of each relevant provider where no payment shows it: of who served just low enough, else high."""
    for who, row in last_services(trial):
        limit, bid = _explaining_bid(trial, who)
        if math.isfinite(limit) and limit >= 0:
            served = who == trial.log.provider[trial.first]
            yield {"row": row, "who": who, "bid": bid, "limit": limit, "way": "up to" if served else "from"}


def _explaining_bid(trial: Trial, who: int) -> tuple[float, float]:
    """Return up to which bid who served wins, or from which on another provider does not, and a bid beyond it."""
    served = int(trial.log.provider[trial.first])
    limit = float(trial.replay.critical[trial.first])
    if who != served:
        limit = float(trial.replay.index[trial.first, served] + trial.replay.width[trial.first, who])
    limit = min(limit, trial.config.cost_bound)
    return limit, (0.999 if who == served else 1.001) * limit


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
    due = rows if log.trace.settled is None else log.trace.settled[: trial.first] - log.known.steps - 1
    for who in relevant(trial):
        heard = np.flatnonzero((log.provider[: trial.first] == who) & (due < trial.first))
        yield from ({"row": int(row), "who": who} for row in heard[-2:])


def outages(trial: Trial) -> Iterator[Values]:
    """Stretches from one of these services on, up to where the log is right without what was heard in them.

    One that does not end near the row is another rule: where nothing is heard, everybody may be explored.
    """
    right_up_to = {
        row: Trial(trial.log.unheard(slice(row, None)), trial.rules).first
        for row in (values["row"] for values in unheard(trial))
    }
    for row, end in right_up_to.items():
        if trial.first + _SEVERAL < end < len(trial.log):
            yield from ({"row": row, "rows": last - row} for last in range(end, max(trial.first, end - _LATELY), -1))


def last_scores(trial: Trial) -> Iterator[Values]:
    """The last high and the last low score of each relevant provider, the other way round: only the sum matters."""
    for who in relevant(trial):
        rows = np.flatnonzero(trial.log.provider[: trial.first] == who)
        rows = rows[trial.log.line[rows] > 0]
        high = trial.log.score[rows] >= 0.5
        for row in (*rows[high][-1:].tolist(), *rows[~high][-1:].tolist()):
            yield {"row": row, "who": who, "score": 1 - float(trial.log.score[row])}


def other_providers(trial: Trial) -> Iterator[Values]:
    """Another provider in the row, or in the last of a relevant one, which would be right there."""
    rows = dict.fromkeys([trial.first, *(row for _, row in last_services(trial))])
    for row in rows:
        who = np.setdiff1d(np.arange(trial.config.n_providers), trial.log.provider[row])
        right = trial.audit.are_right(row, who, np.full(len(who), trial.log.payment[row]))
        yield from ({"row": row, "who": int(each)} for each in who[right][:_OTHERS])


def single_decisions(trial: Trial) -> Iterator[Values]:
    """The row, if it is the only wrong one, only in who served, and is paid what is right for that."""
    if trial.left == 1 and not trial.audit.wrong_payments[trial.first]:
        yield {"row": trial.first, "who": int(trial.log.provider[trial.first])}


def skipped_explorations(trial: Trial) -> Iterator[Values]:
    """The row, if it is the only wrong one, and is an auction where somebody should have been explored."""
    if trial.left == 1 and trial.replay.behind[trial.first].any() and trial.audit.is_an_auction(trial.first):
        yield {"row": trial.first, "who": int(np.flatnonzero(trial.replay.behind[trial.first])[0])}


# Of the whole log.


def gaps(trial: Trial, most: int = 2000) -> Iterator[Values]:
    """As many rows of each provider, however many, as the payments and the explorations after a gap tell."""
    log, replay, n = trial.log, trial.replay, trial.config.n_providers
    at, said = _gap(log, trial.first)
    auctions, told = _told_by_payments(trial, at, said or most)
    if not told:
        return
    served = np.isin(np.arange(n), log.provider[at : auctions[-1]])
    untold = np.array([who not in told for who in range(n)]) & (replay.eligible[at] | served)

    targets = target_table(n, trial.config.exploration_scale, trial.config.exploration_exponent)

    def goal(row: int, missing: int) -> float:
        return targets[int(replay.steps[row]) + (said or missing)]

    first, last = (goal(int(row), sum(told.values())) for row in auctions[[0, -1]])
    others = np.setdiff1d(np.arange(auctions[0], auctions[-1]), auctions)
    runs = others - np.arange(len(others))
    begins = others[np.searchsorted(runs, runs)]
    explored = dict(zip(log.provider[others][::-1].tolist(), begins[::-1].tolist(), strict=True))
    # Those who are not explored while g(t) rises were excluded meanwhile.
    excluded = untold & ~served & (last > first)
    scores, bids = (np.nan_to_num(table[trial.first]) for table in (replay.estimate, replay.bid))
    scores[excluded] = _EXCLUDED

    def filled(number: int) -> Rows:
        """Return how many rows are missing of each, if so many are of the excluded: only their sum matters."""
        total = np.array([told.get(who, 0) for who in range(n)])
        total[excluded] = np.diff(np.linspace(0, number, np.count_nonzero(excluded) + 1).astype(np.int64))
        for _ in range(4):
            short = goal(int(auctions[0]), int(total.sum())) - replay.counts[auctions[0]]
            for who, row in explored.items():  # as soon as g(t) has risen, one after the other
                short[who] = goal(row - 1, int(total.sum())) - replay.counts[row, who]
            total[untold & ~excluded] = np.clip(short, 0, said or most)[untold & ~excluded]
        return total

    def attempt(scores: Floats, bids: Floats, total: Rows) -> Trial:
        who = np.repeat(np.arange(n), total)
        return Trial(log.inserted(at, who, scores[who], bids[who]), trial.rules)

    total = filled(0)
    if excluded.any() and said:
        total = filled(max(0, said - int(total.sum())))
    elif excluded.any():
        coarse = min(range(0, most, 16), key=lambda number: attempt(scores, bids, filled(number)).left)
        total = min(map(filled, range(coarse, coarse + 16)), key=lambda total: attempt(scores, bids, total).left)
    best = attempt(scores, bids, total)
    for each in 2 * np.flatnonzero(total).tolist():
        # What it bid last is shown by what follows; its scores decide until when it is eligible.
        if not best.left:
            break
        own = np.arange(n) == each
        # A payment shows a bid even where it is right only with another one.
        shown, wins = shown_bids(best, each), _explaining_bid(best, each)[1]
        tries = [(scores, np.where(own, bid, bids)) for bid in [*shown, wins] if math.isfinite(bid)]
        if best.left > 0.01 * trial.left:
            tries += [(np.where(own, scores + by, scores), bids) for by in _NEARER]
        for number, one in enumerate(tries):
            if (other := attempt(*one, total)).broken < best.broken + (number < len(shown)):
                best, (scores, bids) = other, one
    names = ", ".join(f"{total[each]:,} of {log.setting.providers[each].name}" for each in np.flatnonzero(total))
    who = np.repeat(np.arange(n), total)
    if len(who) < 2:
        return
    # Until a provider serves again its bid is not known.
    again = max(int(np.argmax(log.provider[at:] == each)) for each in np.flatnonzero(total))
    behind = best.wrong_rows() - at - len(who)
    excused = behind[behind <= again] if best.left < _FEW_OPEN * trial.left else behind[:0]
    rows = {"who_each": tuple(who), "scores": tuple(scores[who]), "bids": tuple(bids[who])}
    yield {"row": at, "number": len(who), "names": names, "excused": tuple(excused.tolist()), **rows}


def _told_by_payments(trial: Trial, at: int, most: int) -> tuple[Rows, dict[int, int]]:
    """Return the auctions from a row on, and how many rows of each provider they tell to be missing before it.

    An auction pays P = w(m_i) + b_j - w(m_j). With b_j heard since the gap, or none of j missing, each number of
    missing rows of i leaves one of j, which is whole by chance only: what several payments share is right.
    """
    replay, config, log = trial.replay, trial.config, trial.log
    n = config.n_providers
    rows = np.arange(at, min(at + 4 * max(most, _BY_CHANCE), len(log)))
    paid = _before_logging(trial, rows)
    below = paid < 0.999999 * config.cost_bound
    rows, paid = rows[below], paid[below]
    counts, served = replay.counts[rows], log.provider[rows]
    heard, slack = counts > replay.counts[at : at + 1], 1e-8 * config.cost_bound
    radii = cost_table(config).upto(int(replay.counts.max()) + 2 * most)[1:]
    width = (1 + config.belief_slack) * config.cost_bound * radii
    order, more = np.argsort(-np.bincount(served, minlength=n))[:8].tolist(), np.arange(most + 1)
    shared = []
    for one, other in permutations(order, 2):
        above = paid - replay.bid[rows, other]
        # Where the payment is the bid, both have served equally often: as often as one likes.
        here = np.flatnonzero((served == one) & (np.abs(above) > slack))
        here = np.sort(np.concatenate([here[heard[here, other] == again][:_TELLING] for again in (False, True)]))
        wanted = width[counts[here, one][:, None] + more - 1] - above[here][:, None]
        place = np.clip(np.searchsorted(-width, -wanted), 1, len(width) - 1)
        place -= np.abs(width[place - 1] - wanted) < np.abs(width[place] - wanted)
        less = place + 1 - counts[here, other][:, None]
        known = (less == 0) | (heard[here, other][:, None] & (less > 0) & (less <= most))
        at_row, of_one = np.nonzero((np.abs(width[place] - wanted) <= slack) & known)
        pairs, first, number = np.unique(
            np.stack([of_one, less[at_row, of_one]]), axis=1, return_index=True, return_counts=True
        )
        often = np.flatnonzero(number > 1 + (pairs.sum(axis=0) > _BY_CHANCE))
        shared += [(here[at_row[first[i]]], one, other, *pairs[:, i].tolist()) for i in often]
    missing: dict[int, int] = {}
    for _, one, other, *pair in sorted(shared):  # what comes later may be due to something else
        if missing.get(one, pair[0]) == pair[0] and missing.get(other, pair[1]) == pair[1]:
            missing |= {one: pair[0], other: pair[1]}
    for one in (each for each in order if each not in missing):
        # While the same bid stands, payments in turn differ by w(m_i) alone.
        own = np.flatnonzero(served == one)[:_TELLING]
        steps = np.diff(width)[counts[own[:-1], one][:, None] + more - 1]
        number = np.count_nonzero(np.abs(np.diff(paid[own])[:, None] - steps) <= slack, axis=0)
        often = np.flatnonzero(number == number.max())
        if len(often) == 1 and number.max() > 1:
            missing[one] = int(often[0])
    return rows, missing


def repeated(trial: Trial) -> Iterator[Values]:
    """Those from somewhat before the first wrong row on: all, or only two and more in a row."""
    yield from ({"row": max(0, trial.first - 50), "least": least} for least in (1, 2))


def units(trial: Trial) -> Iterator[Values]:
    """The powers of ten next to the factors of the first wrong payments, from these on."""
    rows = trial.wrong_rows(_PAYMENTS)
    with np.errstate(all="ignore"):
        powers = np.rint(np.log10(off_by(trial, rows)[0]))
    for power in dict.fromkeys(powers[np.isfinite(powers) & (powers != 0)].tolist()):
        yield {"row": int(rows[powers == power][0]), "factor": 10.0**power}


def rates(trial: Trial) -> Iterator[Values]:
    """The factors of the first wrong payments, each from there on; from the start it would be another c_max."""
    rows = trial.wrong_rows(_RATES)
    rows = rows[trial.steps[rows] > trial.config.n_providers]
    found = zip(rows.tolist(), off_by(trial, rows)[0].tolist(), strict=True)
    yield from ({"row": row, "factor": factor} for row, factor in found if 0.2 < factor < 5)


def money(trial: Trial) -> Iterator[Values]:
    """The commonest factors of a provider's wrong rows, from the first of these on; of the first four providers.

    Of bids alone those that others' payments show, from the first service on, or the last before they do.
    """
    rows = trial.wrong_rows()
    for who in list(dict.fromkeys(trial.log.provider[rows].tolist()))[:_RELEVANT]:
        own = rows[trial.log.provider[rows] == who]
        if len(np.unique(np.round(trial.log.bid[own] / trial.config.cost_bound, 6))) >= _DIFFERENT:
            for factor in commonest(off_by(trial, own)[0], 2):
                yield {"who": who, "factor": factor, "row": int(own[0]), "what": "payments and bids"}
    for who, last in last_services(trial):
        others = rows[trial.log.provider[rows] != who]
        bids = trial.replay.bid[others, who]
        with np.errstate(all="ignore"):
            # A bid that stands may show the same factor often, since the bid that sets prices stands, too.
            pairs = np.unique(np.round([bids, bids / _bids_shown(trial, others, who)], 12), axis=1)
        for factor, row in product(commonest(pairs[1], 2), (int(np.argmax(trial.log.provider == who)), last)):
            if abs(factor - 1) > 1e-9:
                yield {"who": who, "factor": factor, "row": row, "what": "bids"}


def factors(trial: Trial) -> Iterator[Values]:
    """The commonest factors of wrong payments."""
    found = commonest(off_by(trial, _telling(trial))[0], 2, 3)
    yield from ({"factor": each} for each in found if abs(each - 1) > 1e-9)


def amounts(trial: Trial) -> Iterator[Values]:
    """The commonest differences of wrong payments."""
    yield from ({"amount": each} for each in commonest(off_by(trial, _telling(trial))[1], 2, 3))


def below_the_bound(proposed: Proposal) -> Proposal:
    """Return proposals with c_max, which payments do not exceed, for logs whose first auctions are right.

    A file does not say which payments are those of auctions: what changes them alone from the start is the mechanism.
    """

    def late(trial: Trial) -> Iterator[Values]:
        if not _wrong_early(trial):
            yield from ({**values, "bound": trial.config.cost_bound} for values in proposed(trial))

    return late


def amounts_at_most(trial: Trial) -> Iterator[Values]:
    """The commonest amounts of wrong payments that should be more, and different."""
    rows = _telling(trial)
    rows = rows[trial.log.payment[rows] < trial.prescribed[rows]]
    yield from ({"amount": each} for each in commonest(trial.log.payment[rows], 2, 3) if each > 0)


def _telling(trial: Trial) -> Rows:
    """Return wrong rows, if enough should be paid different amounts, or others are paid c_max as they should be.

    Where all should be paid c_max, c_max may be another.
    """
    rows, bound = trial.wrong_rows(), trial.config.cost_bound
    right = trial.prescribed[rows]
    different = len(np.unique(right[(right > 0) & (right < bound)]))
    of_one = len(np.unique(trial.log.provider[rows])) == 1
    others = of_one and bool(np.any(~trial.wrong[rows[0] :] & (trial.prescribed[rows[0] :] == bound)))
    return rows if different >= _DIFFERENT or others else rows[:0]


def paid_when_wrong(trial: Trial) -> Iterator[Values]:
    """Amounts, 0 among them, that hardly occur at right rows; not c_max, which explorations are paid."""
    paid, wrong = trial.log.payment, trial.wrong
    tried = [*commonest(paid[wrong], 2), *([0.0] if (paid == 0).any() else [])]
    for each in tried:
        alike = np.isclose(paid, each, rtol=1e-9)
        if each != trial.config.cost_bound and wrong[alike].mean() > 0.9 and alike.mean() < 0.5:
            yield {"amount": each}


def steps_of_money(trial: Trial) -> Iterator[Values]:
    """The largest amount of which every payment is a multiple, and how it may have been rounded."""
    paid = np.unique(trial.log.payment)
    least = np.diff(paid)[np.diff(paid) > 1e-12 * paid[-1]].min(initial=paid[-1])
    usual = [m * 10.0**power for power in range(-8, 3) for m in (1, 2, 2.5, 3, 5)]
    for step in sorted({float(f"{least:.6g}"), *usual}, reverse=True):
        if 0 < step < 0.05 * paid[-1] and _are_multiples(paid, step):
            # Where bids keep more decimals than payments, the platform rounds.
            decimals = step == 10.0 ** round(math.log10(step)) and not _are_multiples(trial.log.bid, step)
            ways = ("down", "up") if decimals else ("down", "to the nearest", "up")
            yield from ({"step": step, "how": how} for how in ways)
            return


def _are_multiples(amounts: Floats, step: float) -> bool:
    return bool(np.all(np.abs(amounts / step - np.rint(amounts / step)) < 1e-6))


def tolerances(trial: Trial) -> Iterator[Values]:
    """What is enough for money of so few decimals."""
    log = trial.log
    for digits in range(7) if len(_telling(trial)) else ():
        # A unit of money may have changed the last digits of a double.
        if any(np.allclose(np.round(money, digits), money, rtol=1e-15, atol=0) for money in (log.payment, log.bid)):
            few = 10.0**-digits < 0.01 * trial.config.cost_bound
            for tolerance in (0.5 * 10.0**-digits, 10.0**-digits) if few else ():
                if tolerance > log.tolerance:
                    yield {"tolerance": tolerance}
            return


def single_precision(trial: Trial) -> Iterator[Values]:
    """What is enough for money of single precision, rounded up; of payments alone it would be the platform's."""
    log, single = trial.log, float(np.finfo(np.float32).eps)
    if all(_is_single(money / log.money_unit) for money in (log.payment, log.bid)):
        largest = max(trial.config.cost_bound, *(float(np.abs(money).max()) for money in (log.payment, log.bid)))
        for share in (single / 2, single):
            yield {"tolerance": float(np.format_float_scientific(1.05 * largest * share, 1))}


def _is_single(amounts: Floats) -> bool:
    """Whether the first amounts are numbers of single precision, as they stand or as written in decimals."""
    amounts = amounts[:_PRECISE]
    single, doubles = amounts.astype(np.float32), 4 * np.finfo(np.float64).eps * np.abs(amounts)
    written = np.array([float(str(number)) for number in single])
    return bool(np.all(np.minimum(np.abs(single - amounts), np.abs(written - amounts)) <= doubles))


def end_times(trial: Trial) -> Iterator[Values]:
    """Two columns of numbers or times, one of them never before the other: begin and end of a query."""
    columns = {
        name: c for name, c in trial.log.columns.items() if c.dtype.kind in "if" and name not in (*_NO_TIMES, "step")
    }
    for begin, end in ((b, d) for b in columns for d in columns if b != d and trial.log.delay is None):
        if np.all(np.diff(columns[begin]) >= 0) and np.all(columns[end] >= columns[begin]):
            yield {"begin": begin, "end": end}


def numbers_in_flight(trial: Trial) -> Iterator[Values]:
    """Numbers up to 32."""
    yield from ({"number": number} for number in (range(1, 33) if _may_be_in_flight(trial) else ()))


def _may_be_in_flight(trial: Trial) -> bool:
    """Return whether the log does not say when feedback came, and is wrong from its first auctions on."""
    return trial.log.delay is None and _wrong_early(trial)


def _wrong_early(trial: Trial) -> bool:
    return bool(np.count_nonzero(trial.replay.auction[: trial.first]) <= _EARLY)


def scores_not_logged(trial: Trial) -> Iterator[Values]:
    """What fills empty cells: as many 0 and 1 as their providers' mean scores imply, a few then the other way round."""
    log, never = trial.log, trial.log.never_heard
    if not never.any():
        return
    who = log.provider[never]
    means, turns = np.nan_to_num(trial.replay.final_quality_estimates)[who], times_before(who)
    whole = set(np.unique(log.score).tolist()) <= {0.0, 1.0}
    scores = np.floor((turns + 1) * means) - np.floor(turns * means) if whole else means
    best = Trial(log.heard(scores), trial.rules)
    for cell in range(min(len(who), _PAYMENTS)):
        if not 0 < best.left < _FEW_OPEN * trial.left:
            break
        other = np.where(np.arange(len(who)) == cell, 1 - scores, scores)
        if (attempt := Trial(log.heard(other), trial.rules)).left < best.left:
            best, scores = attempt, other
    yield {"scores": tuple(scores.tolist())}


def fractions(trial: Trial) -> Iterator[Values]:
    """Nothing to fit, where the log says in which order feedback arrived between two queries."""
    yield from [{}] if np.any(trial.log.columns.get("settled", np.zeros(1)) % 1) else []


def losses_in_flight(trial: Trial) -> Iterator[Values]:
    """Numbers up to 8 with what may be lost at the first row that is wrong then: early losses hide the number."""
    for number in range(1, 9) if _may_be_in_flight(trial) and trial.left > _MOST_WRONG * len(trial.log) else ():
        late = Trial(trial.log.in_flight(number), trial.rules)
        yield from ({"number": number, **values} for values in (unheard(late) if late.left else ()))


def batches(trial: Trial) -> Iterator[Values]:
    """Sizes up to 32."""
    yield from ({"size": size} for size in (range(2, 33) if _may_be_in_flight(trial) else ()))


def some_in_flight(trial: Trial) -> Iterator[Values]:
    """Small numbers, where enough is wrong: of a few rows much is so."""
    if trial.left >= _SEVERAL and _may_be_in_flight(trial):
        yield from ({"number": number} for number in (1, 2, 3, 5))


def errors(trial: Trial) -> Iterator[Values]:
    """Nothing to fit, where who is better by the setting scores less."""
    score = trial.log.score
    yield from [{}] if np.ptp(score) > 0 and _agreement(trial.log, score) <= 0 else []


def _agreement(log: RecordedLog, score: Floats) -> float:
    """Return how much more those score who are better by the setting."""
    n = log.setting.n_providers
    number, total = (np.bincount(log.provider, weights, minlength=n) for weights in (None, score))
    quality = np.array([provider.quality for provider in log.setting.providers])
    return float((quality - quality @ number / len(log)) @ total)


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
    """Each column, by a row either way; scores only if they then agree better with the setting."""
    log = trial.log
    for column, by in product(("payment", "score", "bid"), (1, -1)):
        if column != "score" or _agreement(log, np.roll(log.score, -by)) > _agreement(log, log.score):
            yield {"column": column, "by": by}


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
    """Two relevant providers whose bids change hands, from the first of their services near the first wrong row on."""
    for who, other in combinations(relevant(trial, 4), 2):
        rows = np.flatnonzero((trial.log.provider == who) | (trial.log.provider == other))
        rows = rows[(rows <= trial.first) & (rows > trial.first - 60)][-8:]
        yield from (
            {"row": row, "who": who, "other": other}
            for row in rows.tolist()
            if _bids_change_hands(trial, row, [who, other])
        )


def _bids_change_hands(trial: Trial, row: int, pair: list[int]) -> bool:
    """Return whether the next bids of two providers are as near to each other's last ones as to their own, if known."""
    served, bid = trial.log.provider[row:], trial.log.bid[row:]
    last = trial.replay.bid[row, pair]
    following = np.array([np.append(bid[served == who], np.nan)[0] for who in pair])
    with np.errstate(invalid="ignore"):
        return not np.abs(following - last[::-1]).sum() > np.abs(following - last).sum()


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
    """Values below the least upper end of who serves, next to the last ends, some at wrong rows, and round ones."""
    replay, upper = trial.replay, trial.replay.hoped
    served = replay.of_served(upper)[trial.first :]
    least = float(np.min(served[np.isfinite(served)], initial=1.0))
    below = (np.floor(100 * least) - np.arange(5)) / 100
    last = np.unique([*upper[-1][np.isfinite(upper[-1])].tolist(), least])
    ends = upper[trial.wrong_rows(100)]
    ends = np.unique(np.clip(ends[np.isfinite(ends)], 0.01, 0.99))
    inside = np.round(np.quantile(ends, np.linspace(0.1, 0.9, 9)), 3).tolist() if len(ends) else []
    between = [_roundest(low, high) for low, high in pairwise(last.tolist())]
    tried = [*below.tolist(), *between, *np.round(np.arange(0.05, 1, 0.05), 2).tolist(), *inside]
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


def cost_radii(trial: Trial) -> Floats:
    """Return what solves P = b_j + x c_max (beta_i - beta_j) for x, at the first wrong rows and of all others j."""
    replay, rows = trial.replay, trial.wrong_rows(_PAYMENTS)
    with np.errstate(all="ignore"):
        own = replay.of_served(replay.radius)[rows, None] - replay.radius[rows]
        return np.asarray((trial.log.payment[rows, None] - replay.bid[rows]) / (trial.config.cost_bound * own)).ravel()


def slacks(trial: Trial) -> Iterator[Values]:
    """Solutions for gamma that payments share, and round numbers."""
    found = cost_radii(trial) - 1
    found = found[np.isfinite(found) & (found > 0) & (found < 5)]
    solutions = [*commonest(np.round(found, 7), 2, 3), *commonest(found, 2, 3)]
    usual = (0.0, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)
    yield from ({"value": value} for value in dict.fromkeys([*solutions, *usual]))
