"""What a wrong mechanism does otherwise than Algorithm 1, as entries: each replaces parts of the rules."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanism.replay import ALGORITHM_1, Replay, RuleTable, beta
from mechanism.running import across
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.diagnosis.cause import Cause, OpenRules, Trial, Values
from proofs_checks.diagnosis.log import Flags, Floats, RecordedLog, Rows
from proofs_checks.diagnosis.proposals import commonest, listed
from proofs_checks.oracle.rule_oracle import money_rounding

#: Up to which row the first wrong one must come to be searched for a query that was not heard.
_FEW = 40
#: Parts of the rules that say what is paid: a release changes these from a step on. From some step on, another memory
#: of counts, scores and bids would explain too much.
_PAID = {"price", "rivals", "price_width", "cap", "flat"}
#: A part of the rules, perhaps with fitted values.
Part = Callable[..., Any]


def _bug(name: str, says: str, values: Any = None, **parts: Part) -> Cause:
    def change(rules: RuleTable, **fitted: Any) -> RuleTable:
        replaced: Any = {part: functools.partial(new, **fitted) for part, new in parts.items()}
        return replace(rules, **replaced)

    proposed = {"values": values} if values else {}
    return Cause(name=name, says=f"It {says}.", rules=change, everywhere=not parts.keys() <= _PAID, **proposed)


def _mistakes(name: str, **tables: Mapping[str, Part]) -> list[Cause]:
    """Return causes that replace one part of the rules each, by what they do: "takes the radius at count + 1"."""
    return [_bug(name, says, **{part: new}) for part, table in tables.items() for says, new in table.items()]


# What is paid.

#: What a kind of step is called, and which rows are of that kind.
_PLACES: Mapping[str, Callable[[Replay], Flags]] = {
    "in auctions": lambda r: r.auction,
    "where one alone is eligible": lambda r: r.auction & (_number(r) == 1),
    "at exploration steps": lambda r: r.exploration,
    "during initialization": lambda r: r.initialization,
    "when nobody is eligible": lambda r: r.empty,
}


def _number(r: Replay) -> Rows:
    return np.asarray(r.eligible.sum(axis=1))


def _right(r: Replay) -> Floats:
    """Return what Algorithm 1 pays to who served."""
    return np.where(r.auction, np.minimum(r.critical, r.config.cost_bound), r.config.cost_bound)


def _paying(says: str, change: Part, values: Any = None, place: str = "") -> Cause:
    """Return a cause that pays what `change` makes of the right payment: at a kind of steps, or everywhere."""

    def paid(r: Replay, where: str = place, **fitted: Any) -> Any:
        changed = np.nan_to_num(change(r, _right(r), **fitted), nan=np.inf, posinf=np.inf)
        return np.where(_PLACES[where](r), changed, _right(r)) if where else changed

    return _bug("another payment", says, values, price=paid, cap=lambda r, **fitted: np.inf, flat=paid)


def _priced(says: str, **parts: Part) -> Cause:
    """Return a cause under which a lone eligible provider, too, is paid by the rivals or the cap that are replaced."""

    def flat(r: Replay) -> Floats:
        return np.where(r.auction, np.minimum(r.critical, r.cap), r.config.cost_bound)

    return _bug("another payment", says, **parts, flat=flat)


def _shares(solved: Callable[..., Any], *places: str) -> Callable[[Trial], Iterator[Values]]:
    """Propose the commonest numbers by which the payments at some kinds of steps, or at any, are wrong."""

    def proposed(trial: Trial) -> Iterator[Values]:
        r, paid, bound = trial.replay, trial.log.payment, trial.config.cost_bound
        off = np.abs(paid - _right(r)) > money_rounding(trial.config)
        for where in places or _PLACES:
            at = np.flatnonzero(_PLACES[where](r) & off)
            with np.errstate(all="ignore"):
                found = solved(paid[at], _right(r)[at], r.of_served(r.bid)[at], bound)
            shares = [*commonest(found, 2), *([0.0] if (found == 0).any() else [])]
            yield from ({"share": share, "where": where} for share in shares)

    return proposed


def _rival(key: str, value: str) -> Part:
    """Return a number of the rival with the least key; infinite without a rival."""

    def found(r: Replay) -> Floats:
        keys = r.of_rivals(getattr(r, key))
        of_one = getattr(r, value)[np.arange(len(keys)), np.argmin(keys, axis=1)]
        return np.where(np.isfinite(keys.min(axis=1)), of_one, np.inf)

    return found


def _priced_at(choose: Callable[[Any], Any]) -> Part:
    """Return P with some number of the rivals' adjusted bids, a masked table, in place of the least."""

    def price(r: Replay) -> Floats:
        chosen = choose(np.ma.masked_invalid(r.of_rivals(r.index)))
        return np.asarray(r.of_served(r.price_width) + np.ma.filled(np.ma.asarray(chosen, dtype=float), np.inf))

    return price


def _second(bids: Any) -> Any:
    ordered = np.ma.sort(bids, axis=1)
    return np.where(bids.count(axis=1) > 1, ordered[:, 1].filled(np.inf), ordered[:, 0].filled(np.inf))


def _positions(r: Replay) -> Rows:
    """Return each provider's position among the eligible; -1 of the others."""
    return np.where(r.eligible, np.cumsum(r.eligible, axis=1) - 1, -1)


def _middle(bids: Any) -> Any:
    return np.ma.median(bids, axis=1)  # type: ignore[no-untyped-call]


def _priced_by_bid(r: Replay) -> Floats:
    return np.asarray(r.of_served(r.price_width) + _rival("bid", "index")(r))


def _priced_by_position(r: Replay) -> Floats:
    others = np.where(r.eligible & (_positions(r) != r.provider[:, None]), r.index, np.inf)
    return np.where(_number(r) > 1, r.of_served(r.price_width) + others.min(axis=1), np.inf)


_PAYMENTS = (
    *_mistakes(
        "another payment",
        price={
            "pays the winner c_max in every auction": lambda r: np.inf,
            "pays the winner the lowest bid of a rival, without radii": _rival("bid", "bid"),
            "adds the best rival's cost radius in P, not the winner's": _rival("index", "bid"),
            "takes the rival with the lowest bid in P, not the one with the lowest adjusted bid": _priced_by_bid,
            "takes the largest adjusted bid of a rival in P": _priced_at(lambda bids: bids.max(axis=1)),
            "takes the median of the rivals' adjusted bids in P": _priced_at(_middle),
            "takes the mean of the rivals' adjusted bids in P": _priced_at(lambda bids: bids.mean(axis=1)),
            "takes the second lowest of the rivals' adjusted bids in P": _priced_at(_second),
            "takes 0 for a rival's negative adjusted bid in P": _priced_at(lambda bids: bids.min(axis=1).clip(0.0)),
            "leaves the eligible provider at the position of the winner's number out of P": _priced_by_position,
        },
        rivals={
            "leaves rivals with the winner's own adjusted bid out of P": lambda r: (
                r.eligible & (r.index != r.of_served(r.index)[:, None])
            )
        },
        price_width={
            "takes the winner's radius at count + 1 in P": lambda r: (
                r.width * beta(r.counts + 1, r.n, r.config.confidence) / r.radius
            )
        },
        cap={"pays P even above c_max": lambda r: np.where(_number(r) > 1, np.inf, r.config.cost_bound)},
    ),
    _priced("caps payments at the highest standing bid", cap=lambda r: r.bid.max(axis=1)),
    _priced("lets ineligible providers set the price", rivals=lambda r: np.ones_like(r.eligible)),
    _priced(
        "lets ineligible providers set the price of a lone eligible one",
        rivals=lambda r: r.eligible | (_number(r) == 1)[:, None],
    ),
    _paying("pays the winner its own bid (first price)", lambda r, right: r.of_served(r.bid), place="in auctions"),
    _paying(
        "pays the provider its own bid {where}", lambda r, right: r.of_served(r.bid), listed(where=tuple(_PLACES)[1:])
    ),
    _paying(
        "pays the auction's price at exploration steps",
        lambda r, right: np.minimum(r.critical, r.config.cost_bound),
        place="at exploration steps",
    ),
    _paying(
        "pays {share} times the right payment {where}",
        lambda r, right, share: share * right,
        _shares(lambda paid, right, bid, bound: paid / right),
    ),
    _paying(
        "adds {share} c_max to the right payment {where}",
        lambda r, right, share: right + share * r.config.cost_bound,
        _shares(lambda paid, right, bid, bound: (paid - right) / bound, "in auctions"),
    ),
    _paying(
        "pays at most {share} c_max {where}",
        lambda r, right, share: np.minimum(right, share * r.config.cost_bound),
        _shares(lambda paid, right, bid, bound: paid / bound, "in auctions"),
    ),
    _paying(
        "mixes a share {share} of the provider's own bid into its payment {where}",
        lambda r, right, share: right + share * (r.of_served(r.bid) - right),
        _shares(lambda paid, right, bid, bound: (paid - right) / (bid - right)),
    ),
    _paying(
        "rounds payments to {digits} decimals",
        lambda r, right, digits: np.round(right, digits),
        listed(digits=range(7)),
    ),
    _paying("pays in single precision", lambda r, right: right.astype(np.float32).astype(float)),
)

# Radii.


def _made_anew(r: Replay, every: int | str) -> Rows:
    """Return at which row something was last made anew that is so every so many steps after initialization."""
    n = r.config.n_providers
    since = np.maximum(r.steps - 1 - n, 0) % (n if isinstance(every, str) else every)
    return np.asarray(np.maximum(r.steps - 1 - since - r.start.steps, 0))


def _one_before(r: Replay) -> Rows:
    """Return the row before each; the same one at the first decision."""
    first = max(r.config.n_providers - r.start.steps, 0)
    rows = r.steps - r.start.steps - 1
    return np.where(rows > first, rows - 1, rows)


def _at_all_rows(r: Replay) -> Replay:
    """Return the replay at all rows: what a rule remembers is found there."""
    return r if r.rows is None else r.under(r.rules)


def _constants(trial: Trial) -> Iterator[Values]:
    """Propose the factors in the radius's logarithm with which rivals would set most of the wrong payments."""
    r, c, rows = trial.replay, trial.config, trial.wrong_rows(60)
    own, others = r.of_served(r.counts)[rows, None], r.counts[rows]
    wanted = (trial.log.payment[rows, None] - r.bid[rows]) / ((1 + c.belief_slack) * c.cost_bound)

    def missing(factor: Any) -> Any:
        radii = (beta(counts, factor * c.n_providers, c.confidence) for counts in (own, others))
        return next(radii) - next(radii) - wanted

    with np.errstate(all="ignore"):
        # From where on both logarithms are positive.
        least = 3 * c.confidence / (2 * np.pi**2 * c.n_providers * np.minimum(own, others) ** 2)
        low, high = least, np.full(wanted.shape, 1e3)
        sign = np.sign(missing(high))
        solvable = np.sign(missing(low)) * sign < 0
        for _ in range(60):
            middle = np.sqrt(low * high)
            above = np.sign(missing(middle)) == sign
            low, high = np.where(above, low, middle), np.where(above, middle, high)
    yield from ({"factor": factor} for factor in commonest(low[solvable], 2, 3))


_EVERY = listed(every=("N", 2, 3, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100))
_RADII = (
    *_mistakes(
        "another radius",
        radius={
            "takes log2 for ln in the radius": lambda r: r.right_radii / math.sqrt(math.log(2)),
            "takes log10 for ln in the radius": lambda r: r.right_radii / math.sqrt(math.log(10)),
            "divides by m, not by 2 m, in the radius": lambda r: r.right_radii * math.sqrt(2),
            "halves the radius": lambda r: r.right_radii / 2,
        },
        count={"takes the radius at count + 1": lambda r: r.counts + 1},
        n={
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
            "ignores gamma, or adds it to all cost radii, which looks the same": lambda r: (
                r.config.cost_bound * r.radius
            ),
            "has no cost radius, or one for all, which looks the same": lambda r: 0 * r.radius,
        },
        ranked={"widens the radii by gamma in P, not in the index": lambda r: r.bid - r.config.cost_bound * r.radius},
    ),
    _bug(
        "another radius",
        "widens the radii by gamma in the index, not in P",
        ranked=lambda r: r.bid - r.width,
        index=lambda r: r.bid - r.config.cost_bound * r.radius,
        price_width=lambda r: r.config.cost_bound * r.radius,
    ),
    _bug(
        "another radius",
        "has {factor} times the right number inside the radius's logarithm",
        _constants,
        n=lambda r, factor: factor * r.config.n_providers,
    ),
    _bug(
        "another radius",
        "makes the radii anew every {every} steps only",
        _EVERY,
        count=lambda r, every: _at_all_rows(r).counts[_made_anew(r, every)],
    ),
    _bug(
        "another radius",
        "counts in 8 bits",
        count=lambda r: np.maximum(r.counts % 256, 1),
        tally=lambda r: np.maximum(r.counts % 256, 1),
    ),
    _bug(
        "another index",
        "rounds adjusted bids to {digits} digits of c_max",
        listed(digits=(2, 3, 4, 5, 6)),
        index=lambda r, digits: np.round((r.bid - r.width) / r.config.cost_bound, digits) * r.config.cost_bound,
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
    def estimate(r: Replay, **fitted: Any) -> Floats:
        with np.errstate(invalid="ignore"):
            first = r.start.score_sums / r.start.counts
        return r.by_settlement(first, _each(r, lambda s: function(s, **fitted), r.settlements.rows.score))

    return estimate


def _by_bid(function: Callable[[Floats], Floats]) -> Part:
    return lambda r: r.by_settlement(r.start.bids, _each(r, function, r.settlements.rows.bid))


def _mean(scores: Any) -> Floats:
    return np.asarray(np.cumsum(scores) / np.arange(1, len(scores) + 1))


def _before(values: Floats) -> Floats:
    return np.append(values[:1], values[:-1])


def _fading(scores: Floats, weight: float, by_count: bool = False) -> Floats:
    """Return the means in which a new score has a weight; `by_count`, that one at least."""
    found, mean = [], float(scores[0])
    for count, score in enumerate(scores.tolist(), 1):
        mean += max(weight, 1 / count if by_count else 0.0) * (score - mean)
        found.append(mean)
    return np.array(found)


def _recent(values: Floats, number: int) -> Floats:
    sums, ends = np.append(0, np.cumsum(values)), np.arange(1, len(values) + 1)
    starts = np.maximum(ends - number, 0)
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


def _last_kept(r: Replay, flags: NDArray[Any]) -> Floats:
    """Return the last bid of each provider with a flag; the first has one."""
    kept = np.where(flags | (r.counts_after == 1), np.arange(len(flags)), -1)
    last = _each(r, np.maximum.accumulate, kept).astype(np.int64)
    return r.by_settlement(r.start.bids, r.settlements.rows.bid[last])


def _solved(read: Callable[[Replay], Any], **parts: Part) -> Callable[[RuleTable], RuleTable]:
    """Return what replaces parts that need a column of the mechanism's own earlier steps, which these parts decide.

    The column is the one that, given to the parts, is read off the replay again.
    """

    def change(rules: RuleTable) -> RuleTable:
        def column(r: Replay) -> Any:
            found = read(r.under(rules))
            for _ in range(len(r.trace)):
                given: Any = {name: functools.partial(part, column=found) for name, part in parts.items()}
                again = read(r.under(replace(rules, **given)))
                if np.array_equal(found, again):
                    break
                found = again
            return found

        replaced: Any = {name: lambda r, part=part: part(r, column(r)) for name, part in parts.items()}
        return replace(rules, **replaced)

    return change


def _explored(r: Replay, column: Flags) -> Flags:
    """Return which feedback is of an exploration, given which rows are explorations."""
    return np.asarray(column[r.settlements.steps - r.start.steps - 1])


def _eligible_before(r: Replay) -> Rows:
    n = r.config.n_providers
    return np.append(n, np.where(r.initialization, n, np.maximum(_number(r), 1))[:-1])


def _of_rows(r: Replay, column: NDArray[Any]) -> NDArray[Any]:
    return column if r.rows is None else np.asarray(column[r.rows])


def _explorations(says: str, **parts: Part) -> Cause:
    rules = _solved(lambda r: r.exploration, **parts)
    return Cause(name="another exploration rule", says=f"It {says}.", rules=rules, everywhere=True)


def _last_of_auctions(r: Replay, column: Flags) -> Floats:
    """Return the count at each provider's last service that is not an exploration; 1 before one."""
    counts = _each(r, np.maximum.accumulate, np.where(_explored(r, column), 1, r.counts_after))
    return r.by_settlement(1.0 * r.start.counts, counts)


def _never_excluded(r: Replay) -> Flags:
    whole = _at_all_rows(r)
    return _of_rows(r, np.logical_and.accumulate(whole.passing | whole.initial[:, None]))


_WEIGHTS = listed(weight=(0.5, 0.3, 0.25, 0.2, 0.1, 0.05, 0.02, 0.01))
#: What is taken of a provider's scores for their mean.
_OF_SCORES: Mapping[str, Callable[[Floats], Any]] = {
    "the last score": lambda s: s,
    "the first score": lambda s: np.full(len(s), s[0]),
    "the best score": np.maximum.accumulate,
    "the mean score but for the first one": lambda s: np.append(s[0], _mean(s[1:])),
    "the mean score with 0 for the first one": lambda s: _mean(np.append(0, s[1:])),
    "the mean score rounded down": lambda s: np.floor(_mean(s) + 1e-12),
    "the mean score rounded to whole percent": lambda s: np.round(_mean(s), 2),
    "scores rounded to 0 or 1": lambda s: _mean(1.0 * (s >= 0.5)),
    "scores of which those below 0.01 count as 0": lambda s: _mean(np.where(s < 0.01, 0.0, s)),
    "scores of single precision": lambda s: _mean(s.astype(np.float32).astype(float)),
    "the mean of the scores and an imagined one of 1": lambda s: (np.cumsum(s) + 1) / np.arange(2, len(s) + 2),
}
_QUALITY = (
    *_mistakes(
        "another quality estimate",
        estimate={
            **{f"judges quality by {what}": _by_score(function) for what, function in _OF_SCORES.items()},
            "judges quality by the mean score of all providers": _pooled,
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
        "gives every new score the weight {weight} (moving average)",
        _WEIGHTS,
        estimate=_by_score(_fading),
    ),
    _bug(
        "another quality estimate",
        "gives a new score the weight {weight} at least: early scores fade",
        _WEIGHTS,
        estimate=_by_score(functools.partial(_fading, by_count=True)),
    ),
    _bug(
        "another quality estimate",
        "takes the mean of the last {number} scores",
        listed(number=(2, 3, 5, 10, 20, 30, 50, 100, 150, 200, 250, 300, 400, 500)),
        estimate=_by_score(_recent),
    ),
    _bug(
        "another quality estimate",
        "drops feedback that equals the one before",
        count=lambda r: _counted(r, _differs(r), 1),
        tally=lambda r: _counted(r, _differs(r)),
        estimate=lambda r: _mean_of(r, _differs(r)),
    ),
    *_mistakes(
        "another filter",
        screened={
            "excludes nobody": lambda r: np.ones_like(r.passing),
            "never lets a provider back that was excluded": _never_excluded,
            "takes who was eligible one step before": lambda r: _at_all_rows(r).passing[_one_before(r)],
            "holds an auction among all when nobody is eligible": lambda r: (
                r.passing | ~across(np.logical_or, r.passing)[:, None]
            ),
        },
    ),
    _bug(
        "another filter",
        "looks who is eligible every {every} steps only",
        _EVERY,
        screened=lambda r, every: _at_all_rows(r).passing[_made_anew(r, every)],
    ),
    Cause(
        name="another radius",
        says="It takes the number that was eligible one step before for N in the radius.",
        rules=_solved(_eligible_before, n=lambda r, column: _of_rows(r, column)[:, None]),
        everywhere=True,
    ),
)


# Who is explored.


def _goal(
    r: Replay, steps: Any = None, n: float | None = None, k: float | None = None, alpha: float | None = None
) -> Any:
    c = r.config
    share = np.maximum(r.steps if steps is None else steps, 0) / (n or c.n_providers)
    return (k or c.exploration_scale) * share ** (alpha or c.exploration_exponent)


def _short(r: Replay) -> Flags:
    return np.asarray(r.tally < r.targets[:, None])


_EXPLORATION = (
    *_mistakes(
        "another exploration rule",
        goal={
            "never explores": lambda r: np.full(len(r.steps), -1.0),
            "rounds g(t) down": lambda r: np.floor(_goal(r) + 1e-9) - 0.5,
            "rounds g(t) to the nearest whole number": lambda r: np.rint(_goal(r)) - 0.5,
            "explores providers with m <= g(t), not m < g(t)": lambda r: np.floor(_goal(r) + 1e-9) + 0.5,
            "takes t // N for t/N in g(t)": lambda r: _goal(r, r.steps // r.config.n_providers, n=1),
            "explores up to g(t - 1), not g(t)": lambda r: _goal(r, r.steps - 1),
            "explores up to g(t - N), not g(t)": lambda r: _goal(r, r.steps - r.config.n_providers),
            "leaves the division by N out of g(t)": lambda r: _goal(r, n=1),
            "leaves k out of g(t)": lambda r: _goal(r, k=1),
            "takes 1 - alpha for alpha in g(t)": lambda r: _goal(r, alpha=1 - r.config.exploration_exponent),
            "explores up to 2 g(t)": lambda r: 2 * _goal(r),
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
    _explorations(
        "leaves explorations out of the counts",
        count=lambda r, column: _counted(r, ~_explored(r, column), 1),
        tally=lambda r, column: _counted(r, ~_explored(r, column)),
    ),
    Cause(
        name="another quality estimate",
        says="It learns no scores where it draws: at explorations, and when nobody is eligible.",
        rules=_solved(lambda r: r.exploration | r.empty, estimate=lambda r, column: _mean_of(r, ~_explored(r, column))),
        everywhere=True,
    ),
    _explorations(
        "compares the number of explorations with g(t)", tally=lambda r, column: 1 + _counted(r, _explored(r, column))
    ),
    _explorations("brings the radius up to date after auctions alone", count=_last_of_auctions),
    _explorations("drops bids after explorations", bid=lambda r, column: _last_kept(r, ~_explored(r, column))),
)


# What is bid, and who wins.


def _cuts(trial: Trial) -> Iterator[Values]:
    """Propose the shares of c_max that most of the wrong payments show as a rival's bid."""
    r, rows = trial.replay, trial.wrong_rows()
    shown = trial.log.payment[rows, None] - r.of_served(r.width)[rows, None] + r.width[rows]
    shown = np.round(shown / trial.config.cost_bound, 7)
    found = commonest(shown[(shown > 0) & (shown < 1)], 5, 1)
    yield from ({"share": share, "how": how} for share in found for how in ("at most", "at least"))


def _cut(r: Replay, share: float, how: str) -> Floats:
    cut = np.minimum if how == "at most" else np.maximum
    return np.asarray(cut(r.standing_bids, share * r.config.cost_bound))


def _last_not_0(bids: Floats) -> Floats:
    last = np.maximum.accumulate(np.where(bids != 0, np.arange(len(bids)), -1))
    return np.where(last >= 0, bids[last], np.inf)


#: What is taken of a provider's bids for the standing one.
_OF_BIDS: Mapping[str, Callable[[Floats], Any]] = {
    "a provider's first bid": lambda b: np.full(len(b), b[0]),
    "the bid before the last": _before,
    "a provider's highest bid so far": np.maximum.accumulate,
    "the mean of a provider's last two bids": lambda b: _recent(b, 2),
    "the mean of all bids of a provider": _mean,
    "bids rounded down to whole numbers": np.floor,
}
_BIDS = (
    *_mistakes(
        "another standing bid",
        bid={
            **{f"decides by {what}": _by_bid(function) for what, function in _OF_BIDS.items()},
            "puts c_max for a provider's first bid": lambda r: np.where(
                r.counts == 1, r.config.cost_bound, r.standing_bids
            ),
            "gives the bid of query k to provider k during initialization": lambda r: np.where(
                r.counts == 1, np.resize(r.trace.bid, r.config.n_providers), r.standing_bids
            ),
            "drops bids of 0: the bid before stays, or c_max before any": lambda r: np.minimum(
                _by_bid(_last_not_0)(r), r.config.cost_bound
            ),
        },
    ),
    _bug("another standing bid", "keeps bids {how} {share} c_max", _cuts, bid=_cut),
)


def _first(among: Flags, keys: Any, number: Any = 1) -> Flags:
    """Return those that come first by some keys, as many as are asked for."""
    ranks = np.argsort(np.argsort(np.where(among, keys, np.inf), axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(among & (ranks < np.reshape(number, (-1, 1))))


def _half(among: Flags) -> Rows:
    return np.asarray((among.sum(axis=1) + 1) // 2)


def _by_step(r: Replay, among: Flags) -> Flags:
    due = r.steps % np.maximum(among.sum(axis=1), 1)
    return np.asarray(among & (np.cumsum(among, axis=1) - 1 == due[:, None]))


def _last_served(r: Replay) -> Flags:
    return _of_rows(r, np.arange(r.config.n_providers) == np.append(-1, r.trace.provider[:-1])[:, None])


def _last_winner(r: Replay) -> Flags:
    auctions = np.where(_at_all_rows(r).auction, np.arange(len(r.trace)), -1)
    last = np.append(-1, np.maximum.accumulate(auctions)[:-1])
    won = np.arange(r.config.n_providers) == r.trace.provider[last][:, None]
    return _of_rows(r, won & (last >= 0)[:, None])


def _is(r: Replay, whom: str) -> Flags:
    """Return which provider a name means."""
    number = {"provider 0": 0, "provider 1": 1}.get(whom, r.config.n_providers - 1)
    return np.asarray(np.arange(r.config.n_providers) == number)


_FAVOURITES: Mapping[str, Callable[[Replay], Flags]] = {
    "the provider that served last": _last_served,
    "the winner of the last auction": _last_winner,
    "provider 0": lambda r: _is(r, "provider 0"),
    "the last provider": lambda r: _is(r, "the last provider"),
}
_BONUSES = (0.005, 0.01, 0.02, 0.05, 0.1)


def _in_turn(r: Replay) -> Floats:
    return np.where(_by_step(r, r.eligible), 0.0, 1.0)


def _misnumbered(r: Replay) -> tuple[Flags, Rows, Floats]:
    """Return which rows are contests, the winner's position among the eligible, and what the winner is paid."""
    right, rows = r.under(ALGORITHM_1, r.rows), np.arange(len(r.steps))
    winner = np.argmin(right.contenders, axis=1)
    price = np.minimum(right.critical_payments[rows, winner], r.config.cost_bound)
    return right.auction & (_number(right) > 1), _positions(right)[rows, winner], price


def _misnumbered_winner(r: Replay) -> Flags:
    contest, number, _ = _misnumbered(r)
    return np.where(contest[:, None], np.arange(r.config.n_providers) == number[:, None], r.eligible & _short(r))


def _misnumbered_price(r: Replay) -> Floats:
    contest, _, price = _misnumbered(r)
    return np.where(contest, price, r.config.cost_bound)


_WINNERS = (
    # As if it explored: who is served so need not be eligible.
    _bug(
        "another winner",
        "takes the winner's position among the eligible for its number",
        behind=_misnumbered_winner,
        flat=_misnumbered_price,
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
            "weighs the index by quality when it picks the winner": lambda r: (
                r.index - r.config.cost_bound * r.estimate
            ),
            "lets the eligible win in turn": _in_turn,
        },
    ),
    _bug(
        "another winner",
        "lets {whom} win unless another is better by {bonus} c_max",
        listed(bonus=_BONUSES * len(_FAVOURITES), whom=[whom for whom in _FAVOURITES for _ in _BONUSES]),
        ranked=lambda r, whom, bonus: r.index - bonus * r.config.cost_bound * _FAVOURITES[whom](r),
    ),
    _bug("another winner", "lets the eligible win in turn at c_max", ranked=_in_turn, price=lambda r: np.inf),
    _bug(
        "another winner",
        "holds auctions among the {number} lowest bids",
        listed(number=(2, 3, 4, 5)),
        ranked=lambda r, number: np.where(_first(r.eligible, r.bid, number), r.index, np.inf),
        rivals=lambda r, number: _first(r.eligible, r.bid, number),
    ),
    _bug(
        "another winner",
        "lets {whom} serve everything at c_max",
        listed(whom=("provider 0", "provider 1", "the last provider")),
        screened=lambda r, whom: np.ones_like(r.passing) & _is(r, whom),
        goal=lambda r, whom: np.full(len(r.steps), -1.0),
    ),
)

# What is heard where feedback is late.


#: The tables of a replay that are what has been heard.
_TABLES = {"count": "counts", "tally": "counts", "estimate": "mean_scores", "bid": "standing_bids"}


def _heard(change: Callable[[Trace], Trace], what: str = " ".join(_TABLES)) -> dict[str, Any]:
    """Return the parts of rules that decide by another trace than happened."""

    def of(r: Replay, table: str) -> Any:
        return getattr(Replay(r.config, change(r.trace), r.before).under(ALGORITHM_1, r.rows), table)

    return {part: functools.partial(of, table=_TABLES[part]) for part in what.split()}


def _arriving(trace: Trace) -> tuple[Rows, Rows]:
    """Return after which row feedback comes, and the rows in the order in which it does."""
    after = np.arange(len(trace)) if trace.settled is None else trace.settled - 1
    order = np.argsort(after, kind="stable")
    return after, order[after[order] < len(trace)]


def _credited(choose: Callable[[Rows, Rows], Rows]) -> Callable[[Trace], Trace]:
    def heard(trace: Trace) -> Trace:
        after, order = _arriving(trace)
        provider = trace.provider.copy()
        provider[order] = trace.provider[choose(after.astype(np.int64), order)]
        return replace(trace, provider=provider)

    return heard


def _without_the_overtaken(trace: Trace) -> Trace:
    after, order = _arriving(trace)
    after[order[order < np.maximum.accumulate(order)]] = NEVER_SETTLED - 1
    return replace(trace, settled=after + 1)


def _latest_bids(trace: Trace) -> Trace:
    _, order = _arriving(trace)
    bid = trace.bid.copy()
    for who in np.unique(trace.provider):
        own = order[trace.provider[order] == who]
        bid[own] = trace.bid[np.maximum.accumulate(own)]
    return replace(trace, bid=bid)


def _queries(trial: Trial) -> Iterator[Values]:
    """Propose each query after initialization up to the first wrong row, where these are few."""
    first = trial.config.n_providers + 1
    queries = range(first, trial.first + 1 if trial.first <= _FEW else first)
    yield from ({"query": query, "what": what} for query in queries for what in ("score", "bid", "score and bid"))


def _unheard(rules: RuleTable, query: int, what: str) -> RuleTable:
    parts = {"score": "count tally estimate", "bid": "bid", "score and bid": "count tally estimate bid"}[what]
    return replace(rules, **_heard(functools.partial(_without_one, query=query), parts))


def _without_one(trace: Trace, query: int) -> Trace:
    settled = np.arange(1, len(trace) + 1) if trace.settled is None else trace.settled.copy()
    settled[query - 1 : query] = NEVER_SETTLED
    return replace(trace, settled=settled)


def _in_order(trace: Trace) -> Trace:
    return replace(trace, settled=np.maximum.accumulate(_arriving(trace)[0]) + 1)


def _waiting_scored(r: Replay, score: int) -> Floats:
    sums = np.nan_to_num(r.mean_scores) * r.counts + score * r.in_flight
    return np.asarray(sums / np.maximum(r.assigned, 1))


def _late(says: str, **parts: Part) -> Cause:
    return _bug("late feedback", says, lambda trial: () if trial.log.delay is None else ({},), **parts)


_HEARD = (
    Cause(
        name="lost feedback",
        says="It does not count the {what} of query {query}.",
        values=_queries,
        rules=_unheard,
        everywhere=True,
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
    _late("holds feedback back until that of every earlier query is there", **_heard(_in_order)),
    _late("lets the bid of the query assigned last stand", **_heard(_latest_bids, "bid")),
    _late(
        "counts a query when it is assigned, before its score and bid arrive",
        count=lambda r: r.assigned,
        tally=lambda r: r.assigned,
    ),
    _late("counts queries in flight in the radius", count=lambda r: r.assigned),
    _late("counts queries in flight where it compares counts with g(t)", tally=lambda r: r.assigned),
    _late("takes the number of queries heard of for t in g(t)", goal=lambda r: _goal(r, 1 + r.counts.sum(axis=1))),
    _late("takes queries in flight for scores of 0", estimate=lambda r: _waiting_scored(r, 0)),
    _late("takes queries in flight for scores of 1", estimate=lambda r: _waiting_scored(r, 1)),
)

# What says little: it is told where nothing else explains the answers.


def _fits_others(r: Replay, log: RecordedLog) -> Flags:
    """Return which rows are auctions between who served and some other, both explored enough, or are paid c_max."""
    slack = money_rounding(r.config) + 2 * log.tolerance
    enough, own = _enough(r), r.of_served(r.index)[:, None]
    priced = np.abs(r.of_served(r.price_width)[:, None] + r.index - r.payment[:, None]) <= slack
    fits = enough & r.of_served(enough)[:, None] & priced & (own <= r.index + slack)
    fits[np.arange(len(fits)), r.provider] = False
    at_bound = np.abs(r.payment - r.config.cost_bound) <= slack
    return np.asarray((fits.any(axis=1) | at_bound) & ~r.initialization)


def _enough(r: Replay) -> Flags:
    return np.asarray(r.tally >= r.targets[:, None])


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
    _bug(
        "another winner",
        "does not let the least adjusted bid win, and pays the winner c_max",
        ranked=lambda r: 0 * r.index,
        price=lambda r: np.inf,
    ),
    OTHERS_ELIGIBLE,
)

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
    "draws among the first half": lambda r, among: _first(among, np.arange(among.shape[1]), _half(among)),
    "draws among the cheaper half": lambda r, among: _first(among, r.bid, _half(among)),
}
#: Where it draws by Algorithm 1: at which rows, and among whom.
DRAWS: Mapping[str, Callable[[Replay], tuple[Flags, Flags]]] = {
    "at explorations": lambda r: (r.exploration, r.under_sampled),
    "when nobody is eligible": lambda r: (r.empty, np.ones_like(r.eligible)),
}
