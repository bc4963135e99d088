"""What may have happened to a log."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mechanism.config import MechanismConfig
from mechanism.replay import Replay, RuleTable, beta
from mechanism.standing_bids import left_behind, stood_in_auction
from mechanism.trace import Trace
from proofs_checks.diagnosis import proposals as propose
from proofs_checks.diagnosis.cause import Cause, OpenRules
from proofs_checks.diagnosis.log import Flags, Floats, RecordedLog
from proofs_checks.oracle.rule_oracle import money_rounding

# Edits, each undone.


def _moved(log: RecordedLog, row: int, other_row: int) -> RecordedLog:
    return log.rows(np.insert(np.delete(np.arange(len(log)), row), other_row, row))


def _exchanged(log: RecordedLog, row: int, other_row: int) -> RecordedLog:
    rows = np.arange(len(log))
    rows[[row, other_row]] = other_row, row
    return log.rows(rows)


def _blocks(log: RecordedLog, row: int, rows: int) -> RecordedLog:
    order = np.arange(len(log))
    order[row : row + 2 * rows] = np.roll(order[row : row + 2 * rows], rows)
    return log.rows(order)


def _edited(log: RecordedLog, row: int, who: int = -1, **values: float) -> RecordedLog:
    return log.edited(row, **values) if values else log.edited(row, provider=who)


def _with_bid(log: RecordedLog, row: int, bid: float, **_: Any) -> RecordedLog:
    return log.edited(row, bid=bid)


def _not_judged(log: RecordedLog, row: int, who: int) -> RecordedLog:
    return log.edited(row, line=0)


def _inserted(
    log: RecordedLog, row: int, who_each: Any, scores: Any, bids: Any, excused: tuple[int, ...], **_: Any
) -> RecordedLog:
    behind = row + len(who_each)
    return log.inserted(row, who_each, scores, bids).edited([behind + each for each in excused], line=0)


def _answered(log: RecordedLog, who: int, what: str, value: float) -> RecordedLog:
    return log.edited(propose.unlogged(log, who), **{what: value})


def _settled_at(log: RecordedLog, begin: str, end: str) -> RecordedLog:
    later = np.searchsorted(log.column(begin), log.column(end), side="right") - 1 - np.arange(len(log))
    return replace(log, delay=np.maximum(later, 0))


def _with_bids_of(convert: Callable[[MechanismConfig, Trace], Trace]) -> Callable[[RecordedLog], RecordedLog]:
    return lambda log: replace(log, bid=convert(MechanismConfig.of(log.setting), log.trace).bid)


def _exchanged_columns(log: RecordedLog, one: str, two: str) -> RecordedLog:
    back = {} if two == "cost" else {two: log.column(one)}
    return log.having(**{one: log.column(two)}, **back)


def _exchanged_names(log: RecordedLog, row: int, who: int, other: int) -> RecordedLog:
    names = np.arange(log.setting.n_providers)
    names[[who, other]] = other, who
    return log.edited(slice(row, None), provider=names[log.provider[row:]])


def _shifted(log: RecordedLog, column: str, by: int) -> RecordedLog:
    return log.having(**{column: np.roll(log.column(column), -by)})


def _from_row(
    log: RecordedLog, row: int, factor: float, who: int | None = None, what: str = "payments and bids"
) -> RecordedLog:
    rows = (np.arange(len(log)) >= row) & (True if who is None else log.provider == who)
    return log.scaled(rows, factor, ["bid"] if what == "bids" else ["payment", "bid"])


def _once(log: RecordedLog, row: int, least: int) -> RecordedLog:
    return log.without(propose.repeats(log, row, least))


def _not_paid(log: RecordedLog, amount: float) -> RecordedLog:
    return log.not_counting(np.isclose(log.payment, amount, rtol=1e-9))


def _in_order(log: RecordedLog, column: str) -> RecordedLog:
    return log.rows(np.argsort(log.column(column), kind="stable"))


# Rules that concern what is logged, and who takes part.


def _scaled(says: str, values: Any, change: Callable[..., Any], name: str = "payments scaled", **more: Any) -> Cause:
    """Return that payments are logged in another way, perhaps of one provider only."""

    def rules(rules: RuleTable, **fitted: Any) -> RuleTable:
        return replace(rules, logged=lambda amount: change(rules.logged(amount), *fitted.values()))

    return Cause(name=name, says=says, kind="log", values=values, rules=rules, of_provider=True, **more)


def _scaled_below(says: str, values: propose.Proposal, change: Callable[[Any, float], Any]) -> Cause:
    """Return that payments below c_max are, and are cut off there."""

    def changed(amount: Any, by: float, bound: float) -> Any:
        return np.where(amount < bound, np.minimum(change(amount, by), bound), amount)

    return _scaled(says, propose.below_the_bound(values), changed, free=1)


def _rounded(amount: Any, step: float, how: str) -> Any:
    whole, slack = {"down": (np.floor, 1e-9), "to the nearest": (np.rint, 0.0), "up": (np.ceil, -1e-9)}[how]
    return step * whole(amount / step + slack)


def _without(rules: RuleTable, who: int) -> RuleTable:
    return replace(rules, present=lambda r: rules.present(r) & (np.arange(r.config.n_providers) != who))


def _never_there(rules: RuleTable, names: str, them: tuple[int, ...]) -> RuleTable:
    def present(r: Replay) -> Flags:
        return np.asarray(rules.present(r) & ~np.isin(np.arange(r.config.n_providers), them))

    # With fewer providers initialization is shorter, and N is another one in the radius and in g(t).
    return replace(
        rules,
        present=present,
        n=lambda r: r.config.n_providers - len(them),
        initial=lambda r: r.steps <= r.config.n_providers - len(them),
        goal=lambda r: (
            r.config.exploration_scale * (r.steps / (r.config.n_providers - len(them))) ** r.config.exploration_exponent
        ),
    )


def _later_start(rules: RuleTable, who: int, row: int, others: tuple[int, ...]) -> RuleTable:
    def initial(r: Replay) -> Flags:
        fresh = (r.of_served(r.assigned) == 0) & np.isin(r.provider, others)
        return np.asarray((r.steps <= r.config.n_providers - len(others)) | fresh)

    return replace(rules, initial=initial)


def _some_in_flight(rules: RuleTable, number: int) -> OpenRules:
    return OpenRules(rules=rules, fits=lambda replay, log: _fits_with_some_in_flight(replay, log, number))


def _fits_with_some_in_flight(replay: Replay, log: RecordedLog, most: int) -> Flags:
    """Return which rows are right if some feedback of the last queries, up to so many, had not arrived.

    Feedback may overtake: of a provider with services so close together any of the last bids may stand.
    """
    slack = money_rounding(replay.config) + 2 * log.tolerance
    ages, bids = _last_services(log, replay, 2 * most)
    late = (ages <= most) & np.isfinite(bids)
    known = replay.counts - late.sum(axis=0)
    explored = np.abs(replay.payment - replay.config.cost_bound) <= slack
    fits = explored & (replay.of_served(known) < replay.targets)
    # Of those of whom all has arrived it is known whether they are explored.
    rows = np.flatnonzero(~explored & ~(replay.behind & ~late.any(axis=0)).any(axis=1))
    if len(rows):
        fits[rows] = _auctions_fit(replay.at(rows), ages[:, rows], bids[:, rows], most, slack)
    return np.asarray(fits)


def _auctions_fit(replay: Replay, ages: Floats, bids: Floats, most: int, slack: float) -> Flags:
    """Return which auctions are right if some feedback had not arrived, of services with these ages and bids."""
    late = (ages <= most) & np.isfinite(bids)
    number, less = late.sum(axis=0), np.arange(most + 1)[:, None, None]
    with np.errstate(all="ignore"):
        stands = [np.all(late[:back] | (ages[back] - ages[:back] <= most), axis=0) for back in range(len(ages))]
        radii = beta(replay.counts - less, replay.n, replay.config.confidence)
        width = np.where(less <= number, replay.width * radii / replay.radius, np.nan)
        index = np.where(np.array(stands)[:, None], bids[:, None] - width, np.nan)
        index = index.reshape(len(stands) * len(less), *number.shape)
        own = np.stack([replay.of_served(each) for each in width])
        # Of those of whom all has arrived it is known who is eligible, or cheaper than who sets the price.
        rivals = np.arange(number.shape[1]) != replay.provider[:, None]
        # Without low scores that have not arrived a provider may be eligible.
        known = replay.counts - number
        hoped = replay.estimate * replay.counts / known + beta(known, replay.n, replay.config.confidence)
        may_win = replay.eligible | (hoped >= replay.config.quality_threshold)
        lowest = np.where(rivals & (number == 0) & replay.eligible, np.fmax.reduce(index), np.inf).min(axis=1)[:, None]
        least = replay.of_served(np.where(may_win, np.fmin.reduce(index), np.inf))[:, None]
        sets = rivals & may_win & (index >= least - slack) & (index <= lowest + slack)
        off = np.abs(own[:, None, :, None] + np.where(sets, index, np.nan) - replay.payment[:, None])
        return np.asarray((off <= slack).any(axis=(0, 1, 3)))


def _last_services(log: RecordedLog, replay: Replay, back: int) -> tuple[Floats, Floats]:
    """Return how many queries before some rows each provider served last, and its bids, shape (back + 1, R, N)."""
    place = replay.counts - log.known.counts - np.arange(back + 1)[:, None, None]
    ages, bids = np.empty(place.shape), np.empty(place.shape)
    for provider in range(place.shape[2]):
        rows = np.append(-1, np.flatnonzero(log.provider == provider))
        own, at = np.append(log.known.bids[provider], log.bid[rows[1:]]), place[:, :, provider]
        found = np.maximum(at, 0)
        bids[:, :, provider] = np.where(at >= 0, own[found], np.nan)
        ages[:, :, provider] = np.where(at >= 0, replay.steps - log.known.steps - 1 - rows[found], np.inf)
    return ages, bids


# Entries.


def _log(name: str, says: str, edit: Any = None, values: Any = None, **more: Any) -> Cause:
    if values is not None:
        more["values"] = values
    return Cause(name=name, says=says, edit=edit, **{"kind": "log", **more})


def _at(name: str, says: str, edit: Any, values: Any, free: int, **more: bool) -> Cause:
    return _log(name, says, edit, values, free=free, at_place=True, **more)


def _unheard(log: RecordedLog, row: int, rows: int = 1, **_: Any) -> RecordedLog:
    return log.unheard(slice(row, row + rows))


def _unheard_in_flight(log: RecordedLog, number: int, row: int, who: int) -> RecordedLog:
    return log.in_flight(number).unheard(row)


def _in_batches(log: RecordedLog, size: int) -> RecordedLog:
    return replace(log.in_flight(0), batch=size)


def _rescaled(log: RecordedLog, row: int, low: float, high: float) -> RecordedLog:
    return log.edited(slice(row, None), score=np.clip((log.score[row:] - low) / (high - low), 0.0, 1.0))


def _anew(log: RecordedLog, row: int) -> RecordedLog:
    return replace(log.rows(slice(row, None)), start=None)


def _left_out(log: RecordedLog, row: int, rows: int = 1) -> RecordedLog:
    return log.without(slice(row, row + rows))


def _by_query(log: RecordedLog) -> RecordedLog:
    return replace(log, columns={**log.columns, "settled": np.floor(log.columns["settled"])})


def _tolerated(log: RecordedLog, tolerance: float) -> RecordedLog:
    return replace(log, tolerance=tolerance)


_LOG_ARRIVALS = (
    "Log the number of the last query that had been assigned when score and bid arrived in a column `settled`; then "
    "every step is audited on what the platform knew."
)
_BY_QUERY = (
    "Feedback that arrives between the same two queries takes effect in the order of its queries. Log `settled` as a "
    "whole number if the platform does so."
)
_OUTAGE = "The scores and the bids of {rows} rows from row {row} on never came."
_EMPTY = "{scores} scores are missing in the log: the platform knew them."
_RESCALED = "From row {row} on scores of 0 and 1 are logged as {low} and {high}."
_RESTARTED = "At row {row} the platform starts anew without its state, or another log begins."
_LOST = f"Decisions know all queries but the last {{number}} and that of {{who}} at row {{row}}. {_LOG_ARRIVALS}"
_AS_ERRORS = "Scores are errors: 1 less the score."
_BEFORE = "The column of bids holds the bid that stood in the auction. Try --bids before."
_AFTER = "The column of bids holds the bid that each provider left behind. Leave --bids out."
_ABSENT = "{names} never serve, although each serves once in the first N steps: are they in the platform?"
_DECIDED = (
    "At row {row} the platform decided otherwise once: {who} served, which the rules do not allow there. What it was "
    "paid is right for it, and all after it fits."
)
_SKIPPED = "At row {row} an auction was held where {who} had to be explored. All after it fits."
_SINGLE = "Money is in single precision (float32), which keeps 7 digits. Try --tolerance {tolerance}."
_WINNER = "The bid that {who} left at row {row} is edited: any bid {way} {limit} explains who serves."
#: One decision of the platform convicts it of no other rules; another market is no accident of a log.
_DECISION: Mapping[str, Any] = MappingProxyType({"kind": "mechanism", "convicts": False})
_MARKET: Mapping[str, Any] = MappingProxyType({"kind": "setting", "everywhere": True, "convicts": False})
#: Accidents whose log is also that of a platform that does the same itself: it loses feedback, or changes an amount.
BY_PLATFORM = {
    *("feedback lost", "payment edited", "bid edited", "score edited"),
    *("payments scaled", "payments truncated", "payments rounded"),
}

ACCIDENTS = (
    _at("row duplicated", "Row {row} repeats an earlier one.", _left_out, propose.rows_again, 0),
    _at("row duplicated", "{rows} rows from row {row} on repeat earlier ones.", _left_out, propose.runs_again, 1),
    _at("rows exchanged", "Rows {row} and {other_row} are exchanged.", _exchanged, propose.neighbours, 2),
    _at(
        "rows exchanged", "Rows {row} and {other_row} are exchanged.", _exchanged, propose.pairs_of_rows, 2, costly=True
    ),
    _at(
        "rows exchanged",
        "{rows} rows from row {row} on changed places with the next.",
        _blocks,
        propose.blocks,
        2,
        costly=True,
    ),
    _at("row out of place", "Row {row} belongs before row {other_row}.", _moved, propose.moves, 2),
    _at("feedback lost", "The score and the bid of {who} at row {row} never came.", _unheard, propose.unheard, 2),
    _at("feedback lost", _OUTAGE, _unheard, propose.outages, 2),
    _at("row too many", "Row {row} does not belong there.", _left_out, propose.rows_too_many, 2),
    _at("row missing", "A row of {who} is missing before row {row}.", RecordedLog.inserted, propose.lost_rows, 4),
    _at("rows missing", "{number:,} rows are missing before row {row}: {names}.", _inserted, propose.gaps, 6),
    _at("row missing", "In the missing rows of {who} the {what} is {value}.", _answered, propose.unknown_answers, 1),
    _at("payment edited", "The payment of row {row} is edited: {payment} is right.", _edited, propose.payments, 2),
    _at("bid edited", "The bid that {who} left at row {row} is edited: {bid} fits.", _edited, propose.last_bids, 2),
    _at("bid edited", _WINNER, _with_bid, propose.odd_bids, 1),
    _at("bid edited", _WINNER, _with_bid, propose.bids_of_winners, 3),
    _at("provider edited", "Row {row} was served by {who}.", _edited, propose.other_providers, 2),
    _at("score edited", "The score of {who} at row {row} is edited: {score} fits.", _edited, propose.last_scores, 2),
    _at("another unit", "From row {row} on money is {factor} times as large.", _from_row, propose.units, 2),
    _at("another currency", "From row {row} on money is {factor} times as large.", _from_row, propose.rates, 4),
    _at("one provider's money", "From row {row} on {what} of {who} are times {factor}.", _from_row, propose.money, 3),
    _at("names exchanged", "{who} and {other} are exchanged from row {row} on.", _exchanged_names, propose.names, 3),
    _log("scores scaled", _RESCALED, _rescaled, propose.scales_of_scores, free=0),
    _at("platform restarted", _RESTARTED, _anew, propose.beginnings, 1),
    _log("exploration skipped", _SKIPPED, _not_judged, propose.skipped_explorations, free=1, **_DECISION),
    _log("wrong decision", _DECIDED, _not_judged, propose.single_decisions, free=2, **_DECISION),
    _log("row duplicated", "Rows repeat earlier ones, from row {row} on.", _once, propose.repeated, free=1),
    _log("order of feedback", _BY_QUERY, _by_query, propose.fractions),
    _log("scores missing", _EMPTY, RecordedLog.heard, propose.scores_not_logged, free=1),
    _log("rows paid alike", "Rows paid {amount} are no auctions.", _not_paid, propose.paid_when_wrong),
    _scaled(
        "Payments are {factor} times what the rules prescribe.", propose.factors, lambda paid, factor: factor * paid
    ),
    _scaled("Payments are {amount} more than the rules prescribe.", propose.amounts, operator.add),
    _scaled_below("Payments below c_max are {factor} times what the rules prescribe.", propose.factors, operator.mul),
    _scaled_below("Payments below c_max are {amount} more than the rules prescribe.", propose.amounts, operator.add),
    _scaled("Payments are cut off at {amount}.", propose.amounts_at_most, np.minimum, "payments truncated"),
    _scaled("Payments are rounded {how} to multiples of {step}.", propose.steps_of_money, _rounded, "payments rounded"),
    _log("rounded money", "Money is rounded. Try --tolerance {tolerance}.", _tolerated, propose.tolerances),
    _log("single precision", _SINGLE, _tolerated, propose.single_precision),
    _log("feedback at end times", "Score and bid came at {end}.", _settled_at, propose.end_times, free=1),
    _log(
        "queries in flight",
        f"Decisions know all queries but the last {{number}}. {_LOG_ARRIVALS}",
        RecordedLog.in_flight,
        propose.numbers_in_flight,
    ),
    _log("queries in flight and feedback lost", _LOST, _unheard_in_flight, propose.losses_in_flight),
    _log(
        "queries in flight",
        f"Decisions know whole batches of {{size}} queries. {_LOG_ARRIVALS}",
        _in_batches,
        propose.batches,
    ),
    _log(
        "queries in flight",
        f"Of the last {{number}} scores and bids some had not arrived. {_LOG_ARRIVALS}",
        None,
        propose.some_in_flight,
        rules=_some_in_flight,
        everywhere=True,
    ),
    _log("another order", "The rows belong in the order of {column}.", _in_order, propose.orders),
    _log(
        "bids before",
        _BEFORE,
        _with_bids_of(lambda config, trace: left_behind(config, trace.columns())[0]),
        propose.read_after,
        everywhere=True,
    ),
    _log("bids after", _AFTER, _with_bids_of(stood_in_auction), propose.read_before, everywhere=True),
    _log(
        "columns exchanged",
        "The columns {one} and {two} are exchanged.",
        _exchanged_columns,
        propose.columns,
        everywhere=True,
    ),
    _log("column shifted", "The column {column} is shifted by {by} row.", _shifted, propose.shifts, everywhere=True),
    _log(
        "scores inverted",
        _AS_ERRORS,
        lambda log: replace(log, score=1 - log.score),
        propose.errors,
        free=1,
        everywhere=True,
    ),
    _log("provider absent", _ABSENT, None, propose.never_serving, rules=_never_there, free=1, **_MARKET),
    _log("provider leaves", "{who} does not take part.", None, propose.absent, rules=_without, kind="setting"),
    _log(
        "provider joins", "{who} joins at row {row}.", None, propose.late_comers, rules=_later_start, free=2, **_MARKET
    ),
)
