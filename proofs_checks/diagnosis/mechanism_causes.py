"""What a wrong mechanism does otherwise than Algorithm 1, as entries: each replaces parts of the rules."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanism.replay import ALGORITHM_1, Replay, RuleTable, beta
from mechanism.running import across, of_each_row
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.diagnosis.cause import Cause, OpenRules, Trial, Values
from proofs_checks.diagnosis.log import Flags, Floats, RecordedLog, Rows
from proofs_checks.diagnosis.proposals import commonest, where_others_serve
from proofs_checks.oracle.rule_oracle import money_rounding
from proofs_checks.oracle.step_audit import StepAudit

#: Parts of the rules that say what is paid: a release changes these from a step on. From some step on, another memory
#: of counts, scores and bids would explain too much.
_PAID = {"price", "rivals", "price_width", "cap", "flat"}
#: A part of the rules, perhaps with fitted values.
Part = Callable[..., Any]

#: What a kind of step is called, and which rows are of that kind.
_PLACES: Mapping[str, Callable[[Replay], Flags]] = {
    "in auctions": lambda r: r.auction,
    "where one alone is eligible": lambda r: r.auction & (_number(r) == 1),
    "at exploration steps": lambda r: r.exploration,
    "during initialization": lambda r: r.initialization,
    "when nobody is eligible": lambda r: r.empty,
}
#: What is tried for a value that the words of a mistake leave open, by its name.
_LISTED: Mapping[str, Iterable[Any]] = {
    "every": ("N", 2, 3, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100),
    "weight": (0.5, 0.3, 0.25, 0.2, 0.1, 0.05, 0.02, 0.01),
    "window": (2, 3, 5, 8, 10, 16, 20, 30, 32, 50, 64, 100, 128, 150, 200, 250, 256, 300, 400, 500, 512, 1000, 1024),
    "digits": range(7),
    "number": (2, 3, 4, 5),
    "bonus": (0.005, 0.01, 0.02, 0.05, 0.1),
    "share": (0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.8, 0.9, 0.95),
    "where": tuple(_PLACES)[1:],
    "whom": ("provider 0", "provider 1", "the last provider"),
    "favourite": ("provider 0", "the last provider", "the provider that served last", "the last auction's winner"),
    # Halves and doubles of the paper's 2 pi^2 / 3 m^2, and what other union bounds have in its place.
    "factor": (0.5, 2.0, 0.25, 4.0, 3 / math.pi**2, 1.5 / math.pi**2, 6 / math.pi**2),
}


def _bug(name: str, says: str, values: Any = None, **parts: Part) -> Cause:
    """Return a cause that replaces parts of the rules; what its words leave open is fitted."""
    names = re.findall(r"{(\w+)}", says)
    listed = [dict(zip(names, row, strict=True)) for row in product(*(_LISTED.get(each, ()) for each in names))]
    if parts.keys() & {"rivals", "cap"}:
        parts = {"flat": _alone, **parts}

    def change(rules: RuleTable, **fitted: Any) -> RuleTable:
        replaced: Any = {part: functools.partial(new, **fitted) for part, new in parts.items()}
        return replace(rules, **replaced)

    return Cause(
        name=name,
        says=f"It {says}.",
        rules=change,
        everywhere=not parts.keys() <= _PAID,
        values=values or (lambda trial: listed),
    )


def _alone(r: Replay, **fitted: Any) -> Floats:
    """Return what is paid outside contests, where the rivals or the cap that are replaced concern who is alone, too."""
    return np.where(r.auction, np.minimum(r.critical, r.cap), _c_max(r))


def _c_max(r: Replay, share: float = 1.0) -> float:
    return share * r.config.cost_bound


def _mistakes(name: str, **tables: Mapping[str, Part]) -> list[Cause]:
    """Return causes that replace one part of the rules each, by what they do: "takes the radius at count + 1"."""
    return [_bug(name, says, **{part: new}) for part, table in tables.items() for says, new in table.items()]


# What is paid.


def _number(r: Replay) -> Rows:
    return np.asarray(r.eligible.sum(axis=1))


def _right(r: Replay) -> Floats:
    """Return what Algorithm 1 pays to who served."""
    return np.where(r.auction, np.minimum(r.critical, _c_max(r)), _c_max(r))


def _paying(says: str, change: Part, values: Any = None, place: str = "") -> Cause:
    """Return a cause that pays what `change` makes of the right payment: at a kind of steps, or where it is fitted."""

    def paid(r: Replay, where: str = place, **fitted: Any) -> Any:
        changed = np.nan_to_num(change(r, _right(r), **fitted), nan=np.inf, posinf=np.inf)
        return np.where(_PLACES[where](r), changed, _right(r)) if where else changed

    return _bug("another payment", says, values, price=paid, cap=lambda r, **fitted: np.inf, flat=paid)


#: Bids that a payment may hang on.
_HUNG_ON: Mapping[str, Callable[[Replay], Floats]] = {
    "the provider's own bid": lambda r: r.bid,
    "the provider's bid before its last, or c_max,": lambda r: _earlier(r, _by_bid(_before)(r)),
    "the provider's first bid, or c_max before another,": lambda r: _earlier(r, _by_bid(_first_of)(r)),
}


def _earlier(r: Replay, bids: Floats) -> Floats:
    """Return bids of providers that have left others since; c_max of others."""
    return np.where(r.counts == 1, _c_max(r), bids)


def _shares(solved: Callable[..., Any], *places: str, bid: Part | None = None) -> Callable[[Trial], Iterator[Values]]:
    """Propose the commonest numbers by which the payments at some kinds of steps, or at any, are wrong."""

    def proposed(trial: Trial) -> Iterator[Values]:
        r, paid, bound = trial.replay, trial.log.payment, trial.config.cost_bound
        off = np.abs(paid - _right(r)) > money_rounding(trial.config)
        for where in places or _PLACES:
            at = np.flatnonzero(_PLACES[where](r) & off)
            with np.errstate(all="ignore"):
                hung_on = r.of_served(bid(r))[at] if bid else bound
                found = solved(paid[at], _right(r)[at], hung_on)
            shares = [*commonest(found, 2), *([0.0] if (found == 0).any() else [])]
            yield from ({"share": share, "where": where} for share in shares)

    return proposed


def _rival(r: Replay, key: str, value: str) -> Floats:
    """Return a number of the rival with the least key; infinite without a rival."""
    keys = r.of_rivals(getattr(r, key))
    return np.where(np.isfinite(keys.min(axis=1)), of_each_row(getattr(r, value), np.argmin(keys, axis=1)), np.inf)


def _priced_at(choose: Callable[[Any], Any]) -> Part:
    """Return P with some number of the rivals' adjusted bids, a masked table, in place of the least."""

    def price(r: Replay) -> Floats:
        chosen = choose(np.ma.masked_invalid(r.of_rivals(r.index)))
        return np.asarray(r.of_served(r.price_width) + np.ma.filled(np.ma.asarray(chosen, dtype=float), np.inf))

    return price


def _first_price(r: Replay, quoted_for: Callable[[Replay, Rows], Any]) -> Floats:
    """Return the critical payment of the first auction of those for which the same price is quoted."""
    whole = _at_all_rows(r)
    rows, found = np.flatnonzero(whole.auction & (_number(whole) > 1)), whole.critical.copy()
    _, first, place = np.unique(quoted_for(whole, rows), axis=1, return_index=True, return_inverse=True)
    found[rows] = found[rows][first[place.ravel()]]
    return _of_rows(r, found)


def _winner_and_bid(whole: Replay, rows: Rows) -> Any:
    return np.stack([whole.provider[rows], whole.of_served(whole.standing_bids)[rows]])


def _winner_in_a_row(whole: Replay, rows: Rows) -> Any:
    return np.cumsum(np.diff(whole.provider[rows], prepend=-1) != 0)[None]


_PAYMENTS = (
    *_mistakes(
        "another payment",
        price={
            "pays the winner c_max in every auction": lambda r: np.inf,
            "pays the winner the lowest bid of a rival, without radii": lambda r: _rival(r, "bid", "bid"),
            "adds the best rival's cost radius in P, not the winner's": lambda r: _rival(r, "index", "bid"),
            "takes the rival with the lowest bid in P, not the one with the lowest adjusted bid": lambda r: (
                r.of_served(r.price_width) + _rival(r, "bid", "index")
            ),
            "takes the largest adjusted bid of a rival in P": _priced_at(lambda bids: bids.max(axis=1)),
            "takes the median of the rivals' adjusted bids in P": _priced_at(
                lambda bids: np.ma.median(bids, axis=1)  # type: ignore[no-untyped-call]
            ),
            "takes the mean of the rivals' adjusted bids in P": _priced_at(lambda bids: bids.mean(axis=1)),
            "takes the second lowest of the rivals' adjusted bids in P": _priced_at(
                lambda bids: np.ma.sort(bids, axis=1)[:, :2].max(axis=1)
            ),
            "pays a winner the price of the first auction that it won with its bid": lambda r: _first_price(
                r, _winner_and_bid
            ),
            "pays the same price as long as the same provider wins": lambda r: _first_price(r, _winner_in_a_row),
            "takes 0 for a rival's negative adjusted bid in P": _priced_at(lambda bids: bids.min(axis=1).clip(0.0)),
        },
        rivals={
            "lets ineligible providers set the price": lambda r: np.ones_like(r.eligible),
            "lets ineligible providers set the price of a lone eligible one": lambda r: (
                r.eligible | (_number(r) == 1)[:, None]
            ),
        },
        cap={"pays P even above c_max": lambda r: np.where(_number(r) > 1, np.inf, _c_max(r))},
    ),
    _paying("pays the winner its own bid (first price)", lambda r, right: r.of_served(r.bid), place="in auctions"),
    _paying("pays the provider its own bid {where}", lambda r, right: r.of_served(r.bid)),
    _paying(
        "pays the auction's price at exploration steps",
        lambda r, right: np.minimum(r.critical, _c_max(r)),
        place="at exploration steps",
    ),
    _paying(
        "pays {share} times the right payment {where}",
        lambda r, right, share: share * right,
        _shares(lambda paid, right, bound: paid / right),
    ),
    _paying(
        "adds {share} c_max to the right payment {where}",
        lambda r, right, share: right + _c_max(r, share),
        _shares(lambda paid, right, bound: (paid - right) / bound, "in auctions"),
    ),
    _paying(
        "pays at most {share} c_max {where}",
        lambda r, right, share: np.minimum(right, _c_max(r, share)),
        _shares(lambda paid, right, bound: paid / bound, "in auctions"),
    ),
    *(
        _paying(
            f"mixes a share {{share}} of {what} into its payment {{where}}",
            lambda r, right, share, bid=bid: right + share * (r.of_served(bid(r)) - right),
            _shares(lambda paid, right, bid: (paid - right) / (bid - right), bid=bid),
        )
        for what, bid in _HUNG_ON.items()
    ),
    _paying("rounds payments to {digits} decimals", lambda r, right, digits: np.round(right, digits)),
    _paying("pays in single precision", lambda r, right: right.astype(np.float32).astype(float), place="in auctions"),
)

# Radii.


def _made_anew(r: Replay, every: int | str) -> Rows:
    """Return at which row something was last made anew that is so every so many steps after initialization."""
    n = r.config.n_providers
    since = np.maximum(r.steps - 1 - n, 0) % (n if isinstance(every, str) else every)
    return np.asarray(np.maximum(r.steps - 1 - since - r.start.steps, 0))


def _one_before(r: Replay) -> Rows:
    """Return the row before each; the same one at the first decision."""
    rows = r.steps - r.start.steps - 1
    return np.maximum(rows - 1, np.minimum(rows, max(r.config.n_providers - r.start.steps, 0)))


def _at_all_rows(r: Replay) -> Replay:
    """Return the replay at all rows: what a rule remembers is found there."""
    return r if r.rows is None else r.under(r.rules)


def _of_rows(r: Replay, column: NDArray[Any]) -> NDArray[Any]:
    return column if r.rows is None else np.asarray(column[r.rows])


def _eligible_before(r: Replay) -> Rows:
    """Return how many were eligible one step before, by radii that take this number for N."""
    n = r.config.n_providers
    found = np.full(len(r.trace), n)
    for _ in found:
        whole = r.under(replace(r.rules, n=functools.partial(lambda r, found: found[:, None], found=found)))
        number = np.where(whole.initialization, n, np.maximum(_number(whole), 1))
        again = np.append(n, number[:-1])
        if np.array_equal(found, again):
            break
        found = again
    return _of_rows(r, found)[:, None]


_RADII = (
    *_mistakes(
        "another radius",
        radius={
            "takes log2 for ln in the radius": lambda r: r.right_radii / math.sqrt(math.log(2)),
            "takes log10 for ln in the radius": lambda r: r.right_radii / math.sqrt(math.log(10)),
            "divides by m, not by 2 m, in the radius": lambda r: r.right_radii * math.sqrt(2),
            "halves the radius": lambda r: r.right_radii / 2,
            "takes radii of at most 1": lambda r: np.minimum(r.right_radii, 1.0),
        },
        count={
            "takes the radius at count + 1": lambda r: r.counts + 1,
            "makes the radii anew every {every} steps only": lambda r, every: _at_all_rows(r).counts[
                _made_anew(r, every)
            ],
        },
        n={
            "has {factor} times the right number inside the radius's logarithm": lambda r, factor: (
                factor * r.config.n_providers
            ),
            "takes the number that was eligible one step before for N in the radius": _eligible_before,
            "takes N + 1 for N in the radius": lambda r: r.config.n_providers + 1,
            "leaves N out of the radius": lambda r: 1,
            "takes 1 - delta for delta in the radius": lambda r: (
                r.config.n_providers * r.config.confidence / (1 - r.config.confidence)
            ),
            "takes m for m^2 in the radius's logarithm": lambda r: r.config.n_providers / r.count,
            "takes t for m in the radius's logarithm": lambda r: (
                r.config.n_providers * (r.steps[:, None] / r.count) ** 2
            ),
        },
        width={
            "ignores gamma, or adds it to all cost radii, which looks the same": lambda r: _c_max(r) * r.radius,
            "has no cost radius, or one for all, which looks the same": lambda r: 0 * r.radius,
            "takes 1 for gamma where it is 0": lambda r: (
                (1 + (r.config.belief_slack or 1.0)) * _c_max(r) * r.relative_cost_radii
            ),
            "takes the largest bid so far for c_max in the cost radius": lambda r: (
                np.fmax.reduce(_by_bid(np.maximum.accumulate)(r), axis=1)[:, None]
                * ((1 + r.config.belief_slack) * r.relative_cost_radii)
            ),
        },
        price_width={
            "takes the winner's radius at count + 1 in P": lambda r: (
                (1 + r.config.belief_slack) * _c_max(r) * beta(r.counts + 1, r.config.n_providers, r.config.confidence)
            ),
            "takes in P the radius of the provider that the winner's position among the eligible numbers": lambda r: (
                np.take_along_axis(r.width, np.maximum(np.cumsum(r.eligible, axis=1) - 1, 0), axis=1)
            ),
        },
        price={
            "widens the radii by gamma in the index, not in P": lambda r: (
                r.of_served(_c_max(r) * r.radius) + across(np.minimum, r.of_rivals(r.bid - _c_max(r) * r.radius))
            )
        },
        ranked={"widens the radii by gamma in P, not in the index": lambda r: r.bid - _c_max(r) * r.radius},
    ),
    _bug(
        "another radius",
        "counts in 8 bits",
        **dict.fromkeys(("count", "tally"), lambda r: np.maximum(r.counts % 256, 1)),
    ),
    *_mistakes(
        "another index",
        index={
            "rounds adjusted bids to {digits} digits of c_max": lambda r, digits: (
                np.round((r.bid - r.width) / _c_max(r), digits) * _c_max(r)
            ),
            "adds {share} of a provider's bid before its last to its adjusted bid": lambda r, share: (
                r.bid - r.width + share * np.where(r.counts == 1, 0.0, _by_bid(_before)(r))
            ),
        },
    ),
)

# What is known of a provider.


def _each(r: Replay, function: Callable[[Any], Any], column: NDArray[Any]) -> NDArray[Any]:
    """Return a column by feedback in which a function was applied to each provider's values, in their order."""
    served = r.settlements.rows.provider
    order = np.argsort(served, kind="stable")
    found = np.empty(len(column))
    for rows in np.split(order, np.flatnonzero(np.diff(served[order])) + 1) if len(order) else ():
        found[rows] = function(column[rows])
    return found


def _by_score(function: Callable[..., Floats]) -> Part:
    return lambda r, **fitted: r.by_settlement(
        r.start.score_sums / r.start.counts, _each(r, functools.partial(function, **fitted), r.settlements.rows.score)
    )


def _by_bid(function: Callable[[Floats], Floats]) -> Part:
    return lambda r: r.by_settlement(r.start.bids, _each(r, function, r.settlements.rows.bid))


def _mean(scores: Any) -> Floats:
    return np.asarray(np.cumsum(scores) / np.arange(1, len(scores) + 1))


def _not_moved_by_0(scores: Floats) -> Floats:
    found, mean = [], 0.0
    for count, score in enumerate(scores.tolist(), 1):
        mean += (score - mean) / count if score else 0.0
        found.append(mean)
    return np.array(found)


def _before(values: Floats) -> Floats:
    return np.append(values[:1], values[:-1])


def _first_of(values: Floats) -> Floats:
    return np.full(len(values), values[0])


def _fading(scores: Floats, weight: float, by_count: bool = False) -> Floats:
    """Return the means in which a new score has a weight; `by_count`, that one at least."""
    found, mean = [], float(scores[0])
    for count, score in enumerate(scores.tolist(), 1):
        mean += max(weight, 1 / count if by_count else 0.0) * (score - mean)
        found.append(mean)
    return np.array(found)


def _recent(values: Floats, window: int) -> Floats:
    sums, ends = np.append(0, np.cumsum(values)), np.arange(1, len(values) + 1)
    starts = np.maximum(ends - window, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))


def _counted(r: Replay, flags: NDArray[Any], least: int = 0) -> Floats:
    """Return how much feedback with a flag there is of each provider."""
    return r.by_settlement(1.0 * r.start.counts, np.maximum(_each(r, np.cumsum, 1.0 * flags), least))


def _mean_of(r: Replay, flags: NDArray[Any]) -> Floats:
    sums = r.by_settlement(r.start.score_sums, _each(r, np.cumsum, flags * r.settlements.rows.score))
    return sums / np.maximum(_counted(r, flags), 1)


def _pooled(r: Replay) -> Floats:
    sums = r.by_settlement(r.start.score_sums, _each(r, np.cumsum, r.settlements.rows.score))
    return np.broadcast_to((sums.sum(axis=1) / r.counts.sum(axis=1))[:, None], sums.shape)


def _differs(r: Replay) -> Flags:
    """Return which feedback differs from its provider's one before."""
    rows = r.settlements.rows
    pairs = np.unique(np.stack([rows.score, rows.bid]), axis=1, return_inverse=True)[1].ravel()
    return _each(r, lambda values: np.append(1, np.diff(values) != 0), pairs) > 0


def _never_excluded(r: Replay) -> Flags:
    whole = _at_all_rows(r)
    return _of_rows(r, np.logical_and.accumulate(whole.passing | whole.initial[:, None]))


#: What is taken of a provider's scores for their mean.
_OF_SCORES: Mapping[str, Callable[[Floats], Any]] = {
    "the last score": lambda s: s,
    "the first score": _first_of,
    "the mean score but for the first one": lambda s: np.append(s[0], _mean(s[1:])),
    "a mean score that a score of 0 does not move": _not_moved_by_0,
    "the mean score with 0 for the first one": lambda s: _mean(np.append(0, s[1:])),
    "the mean score rounded down": lambda s: np.floor(_mean(s) + 1e-12),
    "the mean score rounded to whole percent": lambda s: np.round(_mean(s), 2),
    "scores rounded to 0 or 1": lambda s: _mean(1.0 * (s >= 0.5)),
    "scores of which those below 0.01 count as 0": lambda s: _mean(np.where(s < 0.01, 0.0, s)),
    "the mean of the scores and an imagined one of 1": lambda s: (np.cumsum(s) + 1) / np.arange(2, len(s) + 2),
}
_QUALITY = (
    *_mistakes(
        "another filter",
        screened={
            "excludes nobody": lambda r: np.ones_like(r.passing),
            "never lets a provider back that was excluded": _never_excluded,
            "looks who is eligible every {every} steps only": lambda r, every: _at_all_rows(r).passing[
                _made_anew(r, every)
            ],
            "takes who was eligible one step before": lambda r: _at_all_rows(r).passing[_one_before(r)],
            "holds an auction among all when nobody is eligible": lambda r: (
                r.passing | ~across(np.logical_or, r.passing)[:, None]
            ),
        },
    ),
    *_mistakes(
        "another quality estimate",
        estimate={
            **{f"judges quality by {what}": _by_score(function) for what, function in _OF_SCORES.items()},
            "judges quality by the mean score of all providers": _pooled,
            "gives every new score the weight {weight} (moving average)": _by_score(_fading),
            "gives a new score the weight {weight} at least: early scores fade": _by_score(
                functools.partial(_fading, by_count=True)
            ),
            "takes the mean of the last {window} scores": _by_score(_recent),
            "leaves scores of 0 out of the mean score": lambda r: _mean_of(r, r.settlements.rows.score != 0),
        },
        hoped={
            "compares the mean score alone with q_min, without the radius": lambda r: r.estimate,
            "subtracts the radius from the mean score": lambda r: r.estimate - r.radius,
            "adds the cost radius to the mean score": lambda r: r.estimate + r.width,
            "widens the quality radius by gamma, too": lambda r: r.estimate + (1 + r.config.belief_slack) * r.radius,
            "adds the radius of the least served to the mean score": lambda r: (
                r.estimate + r.radius.max(axis=1)[:, None]
            ),
        },
    ),
    _bug(
        "another quality estimate",
        "drops feedback that equals the one before",
        count=lambda r: _counted(r, _differs(r), 1),
        tally=lambda r: _counted(r, _differs(r)),
        estimate=lambda r: _mean_of(r, _differs(r)),
    ),
)


# Who is explored.


def _goal(r: Replay, steps: Any = None, n: Any = None, alpha: float | None = None) -> Any:
    share = np.maximum(r.steps if steps is None else steps, 0) / (r.config.n_providers if n is None else n)
    return r.config.exploration_scale * share ** (alpha or r.config.exploration_exponent)


def _short(r: Replay) -> Flags:
    return np.asarray(r.tally < r.targets[:, None])


_EXPLORATION = (
    _bug(
        "another exploration rule",
        "holds an auction at step N already",
        initial=lambda r: r.steps < r.config.n_providers,
        screened=lambda r: np.where(r.counts > 0, r.passing, (r.steps > r.config.n_providers)[:, None]),
        behind=lambda r: r.eligible & _short(r) & (r.steps > r.config.n_providers)[:, None],
    ),
    *_mistakes(
        "another exploration rule",
        goal={
            "never explores": lambda r: np.full(len(r.steps), -1.0),
            "rounds g(t) down": lambda r: np.floor(_goal(r) + 1e-9) - 0.5,
            "rounds g(t) to the nearest whole number": lambda r: np.rint(_goal(r)) - 0.5,
            "explores providers with m <= g(t), not m < g(t)": lambda r: np.floor(_goal(r) + 1e-9) + 0.5,
            "takes t // N for t/N in g(t)": lambda r: _goal(r, r.steps // r.config.n_providers, n=1),
            "explores up to g(t - 1), not g(t)": lambda r: _goal(r, r.steps - 1),
            "leaves the division by N out of g(t)": lambda r: _goal(r, n=1),
            "divides by the number of eligible providers, not by N, in g(t)": lambda r: _goal(
                r, n=np.maximum(_number(r), 1)
            ),
            "makes g(t) anew every {every} steps only": lambda r, every: _goal(
                r, _made_anew(r, every) + 1 + r.start.steps
            ),
            "takes k t^alpha / N for g(t)": lambda r: _goal(r, n=1) / r.config.n_providers,
            "leaves k out of g(t)": lambda r: _goal(r) / r.config.exploration_scale,
            "takes 1 - alpha for alpha in g(t)": lambda r: _goal(r, alpha=1 - r.config.exploration_exponent),
            "serves everybody twice before its first decision": lambda r: np.where(
                r.steps <= 2 * r.config.n_providers, np.maximum(_goal(r), 2.0), _goal(r)
            ),
        },
        behind={
            "draws an exploration among all eligible, not the under-sampled alone": lambda r: (
                r.eligible & across(np.logical_or, r.eligible & _short(r))[:, None]
            ),
            "explores only while every eligible provider is under-sampled": lambda r: (
                r.eligible & across(np.logical_and, ~r.eligible | _short(r))[:, None]
            ),
            "explores under-sampled providers that are not eligible, too": lambda r: (
                across(np.logical_or, r.eligible)[:, None] & _short(r)
            ),
        },
    ),
)


# What is bid, and who wins.


def _last_not_0(bids: Floats) -> Floats:
    last = np.maximum.accumulate(np.where(bids != 0, np.arange(len(bids)), -1))
    return np.where(last >= 0, bids[last], np.inf)


def _latest(values: Floats) -> Floats:
    last = np.maximum.accumulate(np.where(np.isnan(values), -1, np.arange(len(values))))
    return np.where(last >= 0, values[last], 0.0)


def _bids_of_auctions(r: Replay) -> Floats:
    rows, auction = r.settlements.rows, _at_all_rows(r).auction
    held = np.where(auction[np.maximum(r.settlements.steps - 1 - r.start.steps, 0)], rows.bid, np.nan)
    return r.by_settlement(r.start.bids, _each(r, _latest, held))


def _held_back(bids: Floats, most: float) -> Floats:
    """Return bids of which each is at most so far from the one before."""
    found = [bids[0]]
    for bid in bids[1:]:
        found.append(min(max(bid, found[-1] - most), found[-1] + most))
    return np.array(found)


def _last_heard(r: Replay) -> Rows:
    """Return the step at which each provider was assigned the last query that was heard of, shape (T, N)."""
    return r.by_settlement(np.zeros(r.config.n_providers, dtype=np.int64), r.settlements.steps)


#: What is taken of a provider's bids for the standing one.
_OF_BIDS: Mapping[str, Callable[[Floats], Any]] = {
    "a provider's first bid": _first_of,
    "the bid before the last": _before,
    "a provider's highest bid so far": np.maximum.accumulate,
    "the mean of a provider's last two bids": lambda b: _recent(b, 2),
    "the mean of all bids of a provider": _mean,
    "bids rounded down to whole numbers": np.floor,
    "bids in single precision": lambda b: b.astype(np.float32).astype(float),
}
_BIDS = (
    *_mistakes(
        "another standing bid",
        bid={
            **{f"decides by {what}": _by_bid(function) for what, function in _OF_BIDS.items()},
            "puts c_max for a provider's first bid": lambda r: np.where(r.counts == 1, _c_max(r), r.standing_bids),
            "rounds bids to {digits} decimals": lambda r, digits: np.round(r.standing_bids, digits),
            "keeps the bids of auctions alone, and 0 before any": lambda r: _bids_of_auctions(r),
            "keeps bids at most {share} c_max": lambda r, share: np.minimum(r.standing_bids, _c_max(r, share)),
            "keeps bids at least {share} c_max": lambda r, share: np.maximum(r.standing_bids, _c_max(r, share)),
            "lowers every standing bid by a share {weight} per step": lambda r, weight: (
                r.standing_bids * (1 - weight) ** (r.steps[:, None] - 1 - _last_heard(r))
            ),
            "lets a bid change by at most {share} c_max at a time": lambda r, share: _by_bid(
                functools.partial(_held_back, most=_c_max(r, share))
            )(r),
            "drops bids of 0: the bid before stays, or c_max before any": lambda r: np.minimum(
                _by_bid(_last_not_0)(r), _c_max(r)
            ),
            "drops bids of 0: the bid before stays": _by_bid(lambda bids: np.nan_to_num(_last_not_0(bids), posinf=0.0)),
        },
    ),
    _bug(
        "another standing bid",
        "puts c_max for all bids that were left before step {step}",
        lambda trial: ({"step": int(trial.steps[trial.first])},),
        bid=lambda r, step: np.where((r.steps[:, None] >= step) & (_last_heard(r) < step), _c_max(r), r.standing_bids),
    ),
)


def _first(among: Flags, keys: Any, number: Any = 1) -> Flags:
    """Return those that come first by some keys, as many as are asked for."""
    ranks = np.argsort(np.argsort(np.where(among, keys, np.inf), axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(among & (ranks < np.reshape(number, (-1, 1))))


def _by_step(r: Replay, among: Flags) -> Flags:
    due = r.steps % np.maximum(among.sum(axis=1), 1)
    return np.asarray(among & (np.cumsum(among, axis=1) - 1 == due[:, None]))


def _last_served(r: Replay) -> Flags:
    return _of_rows(r, np.arange(r.config.n_providers) == np.append(-1, r.trace.provider[:-1])[:, None])


def _numbered(number: int) -> Callable[[Replay], Flags]:
    return lambda r: np.arange(r.config.n_providers) == number % r.config.n_providers


def _last_winner(r: Replay) -> Flags:
    whole, rows = _at_all_rows(r), np.arange(len(r.trace))
    contests = whole.auction & (_number(whole) > 1)
    last = np.append(-1, np.maximum.accumulate(np.where(contests, rows, -1)))[:-1]
    return _of_rows(r, (np.arange(r.config.n_providers) == whole.provider[last][:, None]) & (last >= 0)[:, None])


_FAVOURITES: Mapping[str, Callable[[Replay], Flags]] = {
    "provider 0": _numbered(0),
    "provider 1": _numbered(1),
    "the last provider": _numbered(-1),
    "the provider that served last": _last_served,
    "the last auction's winner": _last_winner,
}


def _in_turn(r: Replay) -> Floats:
    return np.where(_by_step(r, r.eligible), 0.0, 1.0)


def _misnumbered(r: Replay) -> tuple[Flags, Floats]:
    """Return whom the winner's position among the eligible numbers, and what the winner is paid."""
    right, n = r.under(ALGORITHM_1, r.rows), np.arange(r.config.n_providers)
    contest, winner = right.auction & (_number(right) > 1), np.argmin(right.contenders, axis=1)
    position = (right.eligible & (n < winner[:, None])).sum(axis=1)
    price = np.minimum(of_each_row(right.critical_payments, winner), _c_max(r))
    served = np.where(contest[:, None], n == position[:, None], r.eligible & _short(r))
    return served, np.where(contest, price, _c_max(r))


_WINNERS = (
    # As if it explored: who is served so need not be eligible.
    _bug(
        "another winner",
        "takes the winner's position among the eligible for its number",
        behind=lambda r: _misnumbered(r)[0],
        flat=lambda r: _misnumbered(r)[1],
    ),
    *_mistakes(
        "another winner",
        ranked={
            "lets the lowest bid win, without the radius": lambda r: r.bid,
            "lets the largest adjusted bid win": lambda r: -r.index,
            "lets the best mean score win": lambda r: -r.estimate,
            "lets nobody win twice running": lambda r: np.where(
                _last_served(r) & (_number(r) > 1)[:, None], np.inf, r.index
            ),
            "weighs the index by quality when it picks the winner": lambda r: r.index - _c_max(r) * r.estimate,
            "lets the eligible win in turn": _in_turn,
            "lets {whom} win only where it alone is eligible": lambda r, whom: np.where(
                _FAVOURITES[whom](r) & (_number(r) > 1)[:, None], np.inf, r.index
            ),
            "lets {favourite} win unless another is better by {bonus} c_max": lambda r, favourite, bonus: (
                r.index - _c_max(r, bonus) * _FAVOURITES[favourite](r)
            ),
        },
    ),
    _bug("another winner", "lets the eligible win in turn at c_max", ranked=_in_turn, price=lambda r: np.inf),
    _bug(
        "another winner",
        "holds auctions among the {number} lowest bids",
        ranked=lambda r, number: np.where(_first(r.eligible, r.bid, number), r.index, np.inf),
        rivals=lambda r, number: _first(r.eligible, r.bid, number),
    ),
    _bug(
        "another winner",
        "lets {whom} serve everything at c_max",
        screened=lambda r, whom: np.ones_like(r.passing) & _FAVOURITES[whom](r),
        goal=lambda r, whom: np.full(len(r.steps), -1.0),
    ),
)

# What is heard where feedback is late.


#: The tables of a replay that are what has been heard.
_TABLES = {"count": "counts", "tally": "counts", "estimate": "mean_scores", "bid": "standing_bids"}


def _heard(change: Callable[..., Trace]) -> dict[str, Any]:
    """Return the parts of rules that decide by another trace than happened."""

    def of(r: Replay, table: str, **fitted: Any) -> Any:
        return getattr(Replay(r.config, change(r, **fitted), r.before).under(ALGORITHM_1, r.rows), table)

    return {part: functools.partial(of, table=table) for part, table in _TABLES.items()}


def _arriving(trace: Trace) -> tuple[Rows, Rows]:
    """Return after which row feedback comes, and the rows in the order in which it does."""
    after = np.arange(len(trace)) if trace.settled is None else trace.settled - 1
    order = np.argsort(after, kind="stable")
    return after, order[after[order] < len(trace)]


def _credited(choose: Callable[[Rows, Rows], Rows]) -> Callable[[Replay], Trace]:
    def heard(r: Replay) -> Trace:
        trace = r.trace
        after, order = _arriving(trace)
        provider = trace.provider.copy()
        provider[order] = trace.provider[choose(after.astype(np.int64), order)]
        return replace(trace, provider=provider)

    return heard


def _without_the_overtaken(r: Replay) -> Trace:
    after, order = _arriving(r.trace)
    after[order[order < np.maximum.accumulate(order)]] = NEVER_SETTLED - 1
    return replace(r.trace, settled=after + 1)


def _late(says: str, **parts: Part) -> Cause:
    return _bug("late feedback", says, lambda trial: () if trial.log.delay is None else ({},), **parts)


def _in_batches(r: Replay, every: int | str) -> Trace:
    n, steps = r.config.n_providers, r.start.steps + np.arange(1, len(r.trace) + 1)
    size = n if isinstance(every, str) else every
    arrived = np.where(steps <= n, steps, n + -(-(steps - n) // size) * size)
    return replace(r.trace, settled=arrived.astype(float))


_HEARD = (
    _bug(
        "late feedback",
        "hears of feedback in batches of {every}",
        lambda trial: [{"every": each} for each in _LISTED["every"] if trial.log.delay is None],
        **_heard(_in_batches),
    ),
    _late(
        "credits feedback to the provider that was assigned last",
        **_heard(_credited(lambda after, order: after[order])),
    ),
    _late(
        "credits feedback to the query that has waited longest",
        **_heard(_credited(lambda after, order: np.arange(len(order)))),
    ),
    _late("drops feedback that a later query's has overtaken", **_heard(_without_the_overtaken)),
    _late(
        "holds feedback back until that of every earlier query is there",
        **_heard(lambda r: replace(r.trace, settled=np.maximum.accumulate(_arriving(r.trace)[0]) + 1)),
    ),
    _late(
        "counts a query when it is assigned, before its score and bid arrive",
        **dict.fromkeys(("count", "tally"), lambda r: r.assigned),
    ),
    _late("counts queries in flight in the radius", count=lambda r: r.assigned),
    _late("counts queries in flight where it compares counts with g(t)", tally=lambda r: r.assigned),
    _late("takes the number of queries heard of for t in g(t)", goal=lambda r: _goal(r, 1 + r.counts.sum(axis=1))),
    _late(
        "takes queries in flight for scores of 0",
        estimate=lambda r: np.nan_to_num(r.mean_scores) * r.counts / np.maximum(r.assigned, 1),
    ),
)

# What says little: it is told where nothing else explains the answers.


def _fits_others(r: Replay, log: RecordedLog) -> Flags:
    """Return which rows are auctions between who served and some other, both explored enough, or are paid c_max."""
    slack = money_rounding(r.config) + 2 * log.tolerance
    enough, own = ~_short(r), r.of_served(r.index)[:, None]
    priced = np.abs(r.of_served(r.price_width)[:, None] + r.index - r.payment[:, None]) <= slack
    fits = enough & r.of_served(enough)[:, None] & priced & (own <= r.index + slack)
    fits[np.arange(len(fits)), r.provider] = False
    at_bound = np.abs(r.payment - _c_max(r)) <= slack
    return np.asarray((fits.any(axis=1) | at_bound) & ~r.initialization)


OTHERS_ELIGIBLE = Cause(
    name="other providers eligible",
    says="It serves and pays as if others were eligible: its quality estimate, or what it compares, is another.",
    rules=lambda rules: OpenRules(rules=rules, fits=_fits_others),
    everywhere=True,
)
#: Told where nothing else explains the answers: these leave much open.
OPEN_CAUSES: tuple[Cause, ...] = (
    _bug(
        "another winner",
        "does not let the least adjusted bid win, and pays the winner its critical payment",
        ranked=lambda r: 0 * r.index,
    ),
    OTHERS_ELIGIBLE,
)


def row_by_row(cause: Cause) -> Cause:
    """Return a cause that leaves much open as one whose rules count only at the rows that are wrong without it."""
    change: Any = cause.rules

    def fits(r: Replay, log: RecordedLog) -> Flags:
        audit = StepAudit(log.setting, r.under(change(r.rules), r.rows), log.tolerance)
        return np.isin(np.arange(len(r.steps)), audit.violating_rows, invert=True)

    rules = change if cause is OTHERS_ELIGIBLE else lambda rules: OpenRules(rules=rules, fits=fits)
    return replace(cause, rules=rules, values=where_others_serve)


#: Every mistake of a mechanism that is known.
MECHANISM_CAUSES: tuple[Cause, ...] = (*(*_PAYMENTS, *_RADII, *_QUALITY), *(*_EXPLORATION, *_BIDS, *_WINNERS, *_HEARD))

# Draws that are none: nothing is wrong at any single step.


def _least(among: Flags, values: Any) -> Flags:
    """Return those of some that have the least value."""
    return np.asarray(among & (values <= np.where(among, values, np.inf).min(axis=1)[:, None]))


#: Whom a mechanism may take instead of drawing, the narrow choices first.
CHOICES: Mapping[str, Callable[[Replay, Flags], Flags]] = {
    "takes the first": lambda r, among: _first(among, np.arange(among.shape[1])),
    "takes the lowest bid": lambda r, among: _least(among, r.bid),
    "takes the least served": lambda r, among: _least(among, r.counts),
    "goes round by the step": _by_step,
    "draws among the first half": lambda r, among: _first(among, np.arange(among.shape[1]), -(-among.sum(axis=1) // 2)),
    "draws among the cheaper half": lambda r, among: _first(among, r.bid, -(-among.sum(axis=1) // 2)),
}
#: Where it draws by Algorithm 1: at which rows, and among whom.
DRAWS: Mapping[str, Callable[[Replay], tuple[Flags, Flags]]] = {
    "at explorations": lambda r: (r.exploration, r.under_sampled),
    "when nobody is eligible": lambda r: (r.empty, np.ones_like(r.eligible)),
}


def free_choices(trial: Trial) -> int:
    """Return how many providers the rules let serve, over all draws."""
    return sum(int(among[rows].sum()) for rows, among in (draws(trial.replay) for draws in DRAWS.values()))
