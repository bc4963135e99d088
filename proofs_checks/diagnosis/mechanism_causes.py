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

from mechanism.replay import ALGORITHM_1, Replay, beta
from mechanism.running import across, of_each_row, tallied_of_served
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.diagnosis.cause import Cause, OpenRules, Trial, Values
from proofs_checks.diagnosis.log import Flags, Floats, RecordedLog, Rows
from proofs_checks.diagnosis.proposals import commonest, cost_radii, where_others_serve
from proofs_checks.oracle.rule_oracle import money_rounding
from proofs_checks.oracle.step_audit import StepAudit

#: Parts of the rules that say what is paid: a release changes these from a step on. From some step on, another memory
#: of counts, scores and bids would explain too much.
_PAID = {"price", "rivals", "price_width", "cap", "flat"}
#: A part of the rules, perhaps with fitted values.
Part = Callable[..., Any]
#: Parts of the rules, or numbers in them, by words.
Table = Mapping[str, Callable[[Replay], Any]]

#: What a kind of step is called, and which rows are of that kind.
_PLACES: Mapping[str, Callable[[Replay], Flags]] = {
    "in auctions": lambda r: r.auction,
    "where one alone is eligible": lambda r: r.auction & (_number(r) == 1),
    "at exploration steps": lambda r: r.exploration,
    "during initialization": lambda r: r.initialization,
    "when nobody is eligible": lambda r: r.empty,
    "when the last auction's winner wins again": lambda r: r.auction & r.of_served(_last_winner(r)),
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
    "where": tuple(_PLACES),
    "whom": ("provider 0", "provider 1", "the last provider"),
    "score": (0.0, 0.5, 1.0),
    "power": (0.25, 1 / 3, 0.5, 2 / 3, 0.75, 1.0),
    "few": (1, 2, 3, 4, 5, 10, 20, 30, 50, 100),
    "more": (0.01, 0.02, 0.05, 0.1, 0.2, -0.01, -0.02, -0.05, -0.1, -0.2),
    "favourite": ("provider 0", "the last provider", "the provider that served last", "the last auction's winner"),
}
#: Those of them that count as fitted; others are words.
_FITTED = "every weight window digits number bonus share factor limit way step few more power"


def _family(
    name: str, says: str, parts: Callable[..., Mapping[str, Part]], values: Any = None, *, everywhere: bool = True
) -> Cause:
    """Return a cause that replaces parts of the rules, which hang on what its words leave open.

    What is tried for that is proposed from a trial, or given in rows, or all that lists by its names combine; default
    those above.
    """
    names = re.findall(r"{(\w+)}", says)
    lists = {**_LISTED, **values} if isinstance(values, Mapping) else _LISTED
    rows = values if isinstance(values, tuple) else product(*(lists.get(each, ()) for each in names))
    listed = [dict(zip(names, row, strict=True)) for row in ([] if callable(values) else rows)]
    return Cause(
        name=name,
        says=f"It {says}.",
        rules=lambda rules, **fitted: replace(rules, **parts(**fitted)),
        everywhere=everywhere,
        free=sum(each in _FITTED.split() for each in names),
        values=values if callable(values) else lambda trial: listed,
    )


def _somewhere(
    name: str, says: str, of: Part, values: Any, *, where: str, places: Mapping[str, tuple[str, Part]]
) -> Cause:
    """Return a cause by which something is another at one of some places: the part of the rules that it makes there."""

    def parts(**fitted: Any) -> Mapping[str, Part]:
        part, made = places[fitted.pop(where)]
        return {part: lambda r: made(r, of(r, **fitted))}

    return _family(name, says, parts, {where: places, **values} if isinstance(values, Mapping) else values)


def _bug(name: str, says: str, values: Any = None, **parts: Part) -> Cause:
    """Return a cause that replaces the same parts of the rules for all that is fitted."""
    if parts.keys() & {"rivals", "cap"}:
        parts = {"flat": _alone, **parts}

    def fit(**fitted: Any) -> Mapping[str, Part]:
        return {part: functools.partial(new, **fitted) for part, new in parts.items()}

    return _family(name, says, fit, values, everywhere=not parts.keys() <= _PAID)


def _alone(r: Replay, **fitted: Any) -> Floats:
    """Return what is paid outside contests, where the rivals or the cap that are replaced concern who is alone, too."""
    return np.where(r.auction, np.minimum(r.critical, r.cap), _c_max(r))


def _c_max(r: Replay, share: float = 1.0) -> float:
    return share * r.config.cost_bound


def _mistakes(name: str, **tables: Mapping[str, Part]) -> list[Cause]:
    """Return causes that replace one part of the rules each, by what they do: "takes radii of at most 1"."""
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


#: What a payment may be, or hang on, in place of the right one.
_AMOUNTS: Mapping[str, Callable[[Replay], Floats]] = {
    "c_max": lambda r: np.full(len(r.steps), _c_max(r)),
    "the right payment": _right,
    "the auction's price": lambda r: r.critical,
    "the provider's own bid": lambda r: r.of_served(r.bid),
    "the provider's bid before its last, or c_max,": lambda r: r.of_served(_earlier(r, _by_bid(_before)(r))),
    "the provider's first bid, or c_max before another,": lambda r: r.of_served(_earlier(r, _by_bid(_first_of)(r))),
    "the mean of the provider's bids": lambda r: r.of_served(_by_bid(_mean)(r)),
    "the best rival's bid (the rival's radius, not the winner's, in P)": lambda r: _rival(r, "index", "bid"),
    "the lowest adjusted bid of a rival": lambda r: _rival(r, "index", "index"),
    "the lowest adjusted bid of a rival, or 0 if that is negative,": lambda r: _rival(r, "index", "index").clip(0.0),
    "the lowest bid of a rival": lambda r: _rival(r, "bid", "bid"),
    "the second lowest bid of the eligible": lambda r: _of_bids(r, lambda bids: np.ma.sort(bids, axis=1)[:, 1]),
    "the highest bid of the eligible": lambda r: _of_bids(r, lambda bids: bids.max(axis=1)),
    "the mean bid of the eligible": lambda r: _of_bids(r, lambda bids: bids.mean(axis=1)),
    "the highest bid of all": lambda r: r.bid.max(axis=1),
    "the mean bid of all": lambda r: r.bid.mean(axis=1),
}
#: Of one alone that is eligible these are its own bid.
_AMOUNTS_AT = tuple(at for at in product(_AMOUNTS, _PLACES) if not ("the eligible" in at[0] and "alone" in at[1]))


def _of_bids(r: Replay, choose: Callable[[Any], Any]) -> Floats:
    """Return some number of the eligible providers' bids, a masked table; infinite where there is none."""
    return np.asarray(np.ma.filled(choose(np.ma.masked_array(r.bid, ~r.eligible)), np.inf))


def _earlier(r: Replay, bids: Floats) -> Floats:
    """Return bids of providers that have left others since; c_max of others."""
    return np.where(r.counts == 1, _c_max(r), bids)


def _solved(trial: Trial, solved: Callable[..., Any], amount: str, places: Iterable[str] = _PLACES) -> Iterator[Values]:
    """Propose the commonest numbers by which the payments at some kinds of steps are wrong."""
    r, paid = trial.replay, trial.log.payment
    right, hung_on = _right(r), _AMOUNTS[amount](r)
    off = np.abs(paid - right) > money_rounding(trial.config)
    for where in places:
        at = np.flatnonzero(_PLACES[where](r) & off)
        with np.errstate(all="ignore"):
            found = solved(paid[at], right[at], hung_on[at])
        shares = [*commonest(found, 2), *([0.0] if amount == "the right payment" and (found == 0).any() else [])]
        yield from ({"share": each, "amount": amount, "where": where} for each in shares if abs(each - 1) > 1e-9)


def _mixed(trial: Trial) -> Iterator[Values]:
    """Propose what may be mixed into payments, and how much of it."""
    for amount in _AMOUNTS:
        yield from _solved(trial, lambda paid, right, other: (paid - right) / (other - right), amount)


def _multiples_of_amounts(trial: Trial) -> Iterator[Values]:
    """Propose multiples of what may be paid."""
    for amount in _AMOUNTS:
        places = {"c_max": ["in auctions"], "the auction's price": []}.get(amount, [*_PLACES])
        yield from _solved(trial, lambda paid, right, other: paid / other, amount, places)


def _paid(r: Replay, amount: str) -> Floats:
    return np.minimum(_AMOUNTS[amount](r), _c_max(r))


def _rival(r: Replay, key: str, value: str) -> Floats:
    """Return a number of the rival with the least key; infinite without a rival."""
    keys = r.of_rivals(getattr(r, key))
    return np.where(np.isfinite(keys.min(axis=1)), of_each_row(getattr(r, value), np.argmin(keys, axis=1)), np.inf)


#: What may be taken of the rivals' adjusted bids, a masked table, for the least.
_OF_RIVALS: Mapping[str, Callable[[Any], Any]] = {
    "the largest": lambda bids: bids.max(axis=1),
    "the median": lambda bids: np.ma.median(bids, axis=1),  # type: ignore[no-untyped-call]
    "the mean": lambda bids: bids.mean(axis=1),
    "the second lowest": lambda bids: np.ma.sort(bids, axis=1)[:, :2].max(axis=1),
    "the least, or 0 if that is negative,": lambda bids: bids.min(axis=1).clip(0.0),
}
#: How an amount may stand for the right payment, and how money may be rounded.
_WAYS: Mapping[str, Callable[[Floats, Floats], Any]] = {"at least": np.maximum, "at most": np.minimum}
_ROUNDING: Mapping[str, Callable[[Floats], Any]] = {
    "to": np.rint,
    "up to": lambda units: np.ceil(units - 1e-9),
    "down to": lambda units: np.floor(units + 1e-9),
}


def _priced_at(r: Replay, choose: Callable[[Any], Any]) -> Floats:
    """Return P with some number of the rivals' adjusted bids in place of the least."""
    chosen = choose(np.ma.masked_invalid(r.of_rivals(r.index)))
    return np.asarray(r.of_served(r.price_width) + np.ma.filled(np.ma.asarray(chosen, dtype=float), np.inf))


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
            "takes the rival with the lowest bid in P, not the one with the lowest adjusted bid": lambda r: (
                r.of_served(r.price_width) + _rival(r, "bid", "index")
            ),
            "takes in P the lowest adjusted bid that differs from the winner's": lambda r: (
                r.of_served(r.price_width)
                + across(np.minimum, np.where(r.index == r.of_served(r.index)[:, None], np.inf, r.of_rivals(r.index)))
            ),
            "pays a winner the price of the first auction that it won with its bid": lambda r: _first_price(
                r, _winner_and_bid
            ),
            "pays the same price as long as the same provider wins": lambda r: _first_price(r, _winner_in_a_row),
        },
        rivals={
            "lets ineligible providers set the price": lambda r: np.ones_like(r.eligible),
            "lets ineligible providers set the price of a lone eligible one": lambda r: (
                r.eligible | (_number(r) == 1)[:, None]
            ),
            "lets ineligible providers set the price unless one alone is eligible": lambda r: (
                r.eligible | (_number(r) > 1)[:, None]
            ),
        },
        cap={"pays P even above c_max": lambda r: np.where(_number(r) > 1, np.inf, _c_max(r))},
    ),
    _bug(
        "another payment",
        "takes {rival} of the rivals' adjusted bids in P",
        {"rival": _OF_RIVALS},
        price=lambda r, rival: _priced_at(r, _OF_RIVALS[rival]),
    ),
    _paying("pays {amount} {where}", lambda r, right, amount: _paid(r, amount), _AMOUNTS_AT),
    _paying(
        "pays {way} {amount} {where}",
        lambda r, right, way, amount: _WAYS[way](_paid(r, amount), right),
        tuple((way, *row) for way, row in product(_WAYS, _AMOUNTS_AT)),
    ),
    _paying(
        "pays {share} times {amount} {where}",
        lambda r, right, share, amount: share * _paid(r, amount),
        _multiples_of_amounts,
    ),
    _paying(
        "pays {way} {share} times {amount} {where}",
        lambda r, right, way, share, amount: _WAYS[way](share * _paid(r, amount), right),
        lambda trial: [{"way": way, **each} for way, each in product(_WAYS, _multiples_of_amounts(trial))],
    ),
    _paying(
        "adds {share} {amount} to the right payment {where}",
        lambda r, right, share, amount: right + share * _paid(r, amount),
        lambda trial: _solved(trial, lambda paid, right, bound: (paid - right) / bound, "c_max", ["in auctions"]),
    ),
    _bug(
        "another payment",
        "mixes a share {share} of {amount} into P",
        lambda trial: (
            {name: each[name] for name in ("share", "amount")}
            for each in _mixed(trial)
            if each["where"] == "in auctions"
        ),
        price=lambda r, share, amount: r.critical + share * (_AMOUNTS[amount](r) - r.critical),
    ),
    _paying(
        "mixes a share {share} of {amount} into its payment {where}",
        lambda r, right, share, amount: right + share * (_AMOUNTS[amount](r) - right),
        _mixed,
    ),
    _paying(
        "rounds payments {way} {digits} decimals",
        lambda r, right, way, digits: _ROUNDING[way](right * 10.0**digits) / 10.0**digits,
        {"way": _ROUNDING},
    ),
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


def _beta(r: Replay, n: Any = None, m: Any = None, under: Any = None) -> Any:
    """Return the paper's radius with other numbers for N, for the counts, or for those outside the logarithm."""
    n, m = r.n if n is None else n, r.counts if m is None else np.broadcast_to(m, r.counts.shape)
    radius = beta(m, n, r.config.confidence)
    return radius if under is None else radius * np.sqrt(m / under)


def _eligible_before(r: Replay) -> Rows:
    """Return how many were eligible one step before, by radii that take this number for N."""
    n = r.config.n_providers
    found = np.full(len(r.trace), n)
    for _ in found:
        whole = r.under(replace(ALGORITHM_1, radius=functools.partial(_beta, n=found[:, None])))
        number = np.where(whole.initialization, n, np.maximum(_number(whole), 1))
        again = np.append(n, number[:-1])
        if np.array_equal(found, again):
            break
        found = again
    return _of_rows(r, found)[:, None]


def _cost_width(r: Replay, radius: Any) -> Any:
    return (1 + r.config.belief_slack) * _c_max(r) * radius


#: Radii that may be others: the part of the rules that they are, and what it makes of them.
_RADII: Mapping[str, tuple[str, Callable[[Replay, Any], Any]]] = {
    "the radius": ("radius", lambda r, radius: radius),
    "the cost radius": ("width", _cost_width),
    "the quality radius": ("hoped", lambda r, radius: r.estimate + radius),
    "the winner's cost radius in P": ("price_width", _cost_width),
    "the cost radius in adjusted bids": ("index", lambda r, radius: r.bid - _cost_width(r, radius)),
    "the cost radius where it picks the winner": ("ranked", lambda r, radius: r.bid - _cost_width(r, radius)),
}
#: What may stand in the place of N, delta or m.
_FOR_N: Table = {"1": lambda r: 1, "N + 1": lambda r: r.n + 1, "N - 1": lambda r: r.n - 1}
_FOR_DELTA: Table = {
    "1 - delta": lambda r: 1 - r.config.confidence,
    "delta / 2": lambda r: r.config.confidence / 2,
    "delta / N": lambda r: r.config.confidence / r.n,
    "delta^2": lambda r: r.config.confidence**2,
}
_FOR_M: Table = {
    "m + 1": lambda r: r.counts + 1,
    "m - 1 (at least 1)": lambda r: np.maximum(r.counts - 1, 1),
    "2 m": lambda r: 2 * r.counts,
    "the step at which the provider served last": lambda r: _last_heard(r),
}
#: Of all providers the same: cost radii that are decide nothing.
_COMMON: Table = {
    "t": lambda r: r.steps[:, None],
    "t - 1": lambda r: r.steps[:, None] - 1,
    "the least m": lambda r: r.counts.min(axis=1)[:, None],
    "the largest m": lambda r: r.counts.max(axis=1)[:, None],
}
#: Which radii these may depend on: who is eligible does on the one of quality.
_ELIGIBLE: Table = {
    "the number of eligible providers": lambda r: np.maximum(_number(r), 1)[:, None],
    "the number that was eligible one step before": _eligible_before,
}
_NUMBERS = {**_FOR_N, **_FOR_DELTA, **_FOR_M, **_COMMON, **_ELIGIBLE}
_OF_QUALITY = ("the radius", "the quality radius")
_OF_COSTS = tuple(radius for radius in _RADII if radius not in _OF_QUALITY)
_SUBSTITUTED = (
    *product(_FOR_N, ("N in",), _RADII),
    *product(_FOR_DELTA, ("delta in",), _RADII),
    *product(_FOR_M, ("m in",), _RADII),
    *product((*_FOR_M, "t", "t - 1"), ("m in the logarithm of", "m outside the logarithm of"), _RADII),
    *product(_COMMON, ("m in",), _OF_QUALITY),
    *product([*_ELIGIBLE][:1], ("N in",), _OF_COSTS),
    *product([*_ELIGIBLE][1:], ("N in",), _OF_QUALITY),
)


def _with_number(r: Replay, instead: str, place: str) -> Any:
    """Return the radius with a number in some place."""
    other = _NUMBERS[instead](r)
    if place[0] != "m":
        return _beta(r, n=other if place == "N in" else r.n * r.config.confidence / other)
    m, under = (r.counts if where in place else other for where in ("outside", "in the"))
    return _beta(r, m=m, under=under)


#: Constants of union bounds over counts, the paper's last; and what stands beside them.
_CONSTANTS = {
    "1 ": 1.0,
    "2 ": 2.0,
    "4 ": 4.0,
    "(pi^2 / 6) ": math.pi**2 / 6,
    "(pi^2 / 3) ": math.pi**2 / 3,
    "(2 pi^2 / 3) ": 2 * math.pi**2 / 3,
}
_POWERS: Table = {
    "": lambda r: 1,
    "m ": lambda r: r.counts,
    "t ": lambda r: r.steps[:, None],
    "t^2 ": lambda r: r.steps[:, None] ** 2,
    "m^2 ": lambda r: r.counts**2,
}


def _union(r: Replay, constant: float, n: str, power: str) -> Any:
    return constant * (r.n if n else 1) * _POWERS[power](r) / r.config.confidence


#: What a radius may have the logarithm of, and divide it by.
_INSIDE: Table = {
    "t": _POWERS["t "],
    **{
        f"{words}{n}{power}/ delta": functools.partial(_union, constant=constant, n=n, power=power)
        for (words, constant), n, power in product(_CONSTANTS.items(), ("", "N "), _POWERS)
    },
}
_UNDER = {"(2 m)": 2.0, "m": 1.0, "(m / 2)": 0.5}
#: The paper's, and those that have another number in one place of it, which is told as such.
_PAPERS = {f"(2 pi^2 / 3) {beside} / delta" for beside in ("N m^2", "N t^2", "m^2")}
_FORMULAS = (
    *product(
        (each for each in _INSIDE if each not in _PAPERS),
        ("(2 m)",),
        ("the radius", "the cost radius", "the quality radius"),
    ),
    *product(_INSIDE, ("m", "(m / 2)"), ("the radius",)),
)


def _by_formula(r: Replay, inside: str, under: str) -> Any:
    return np.sqrt(np.maximum(np.log(_INSIDE[inside](r)), 0.0) / (_UNDER[under] * r.counts))


#: Numbers that may be too large for their place, and what becomes of them.
_PRODUCTS: Table = {"m": lambda r: r.counts, "m^2": lambda r: r.counts**2, "N m^2": lambda r: r.n * r.counts**2}
_OVERFLOWS: Mapping[str, Part] = {"modulo": lambda number, of: np.maximum(number % of, 1), "up to": np.minimum}


def _limited(r: Replay, number: str, how: str, limit: int) -> Any:
    kept = _OVERFLOWS[how](_PRODUCTS[number](r), limit)
    return _beta(r, m=kept) if number == "m" else _beta(r, n=kept / r.counts**2 * (r.n if number == "m^2" else 1))


def _limits(trial: Trial) -> list[Values]:
    """Propose that some count is too large from the first wrong row on."""
    return _of_limits(count for count in np.unique(trial.replay.counts[trial.first]).tolist() if count > 1)


def _of_limits(limits: Iterable[int]) -> list[Values]:
    return [{"how": how, "limit": limit - (how == "up to")} for limit, how in product(limits, _OVERFLOWS)]


def _limited_radii(trial: Trial) -> Iterator[Values]:
    """Propose the same of radii, or that what is computed of a count there has more than so many bits."""
    powers = _of_limits([2**bits for bits in (8, 15, 16, 31, 32)])
    for number, radius in product(_PRODUCTS, _RADII):
        limits = _limits(trial) if number == "m" else powers
        yield from ({"number": number, **limit, "radius": radius} for limit in limits)


_radius = functools.partial(_somewhere, "another radius", where="radius", places=_RADII)


def _multiples(trial: Trial) -> Iterator[Values]:
    """Propose usual factors of a radius, and those that payments show."""
    tried = [0.1, 0.5, 2.0, *commonest(cost_radii(trial) / (1 + trial.config.belief_slack), 3)]
    yield from ({"factor": factor, "radius": radius} for factor, radius in product(tried, _RADII) if factor != 1)


_LOGARITHMS = {"log2": 2, "log10": 10}
_RADIUS_CAUSES = (
    _radius("takes {instead} for {place} {radius}", _with_number, _SUBSTITUTED),
    _radius("takes sqrt(ln({inside}) / {under}) for {radius}", _by_formula, _FORMULAS),
    _radius("takes {factor} times {radius}", lambda r, factor: factor * r.right_radii, _multiples),
    _radius(
        "takes {log} for ln in {radius}",
        lambda r, log: r.right_radii / math.sqrt(math.log(_LOGARITHMS[log])),
        {"log": _LOGARITHMS},
    ),
    _radius("takes {number} {how} {limit} in {radius}", _limited, _limited_radii),
    _bug(
        "another radius",
        "keeps counts {how} {limit}",
        _limits,
        radius=lambda r, **limit: _limited(r, "m", **limit),
        tally=lambda r, how, limit: _OVERFLOWS[how](r.counts, limit),
    ),
    *_mistakes(
        "another radius",
        radius={"takes radii of at most 1": lambda r: np.minimum(r.right_radii, 1.0)},
        width={
            "ignores gamma, or adds it to all cost radii, which looks the same": lambda r: _c_max(r) * r.radius,
            "has no cost radius, or one for all, which looks the same": lambda r: 0 * r.radius,
            "leaves c_max out of the cost radius": lambda r: _cost_width(r, r.radius / _c_max(r)),
            "takes 1 for gamma where it is 0": lambda r: (
                (1 + (r.config.belief_slack or 1.0)) * _c_max(r) * r.relative_cost_radii
            ),
            "takes the provider's bid for c_max in the cost radius": lambda r: (
                (1 + r.config.belief_slack) * r.bid * r.relative_cost_radii
            ),
            "takes the largest bid so far for c_max in the cost radius": lambda r: (
                np.fmax.reduce(_by_bid(np.maximum.accumulate)(r), axis=1)[:, None]
                * ((1 + r.config.belief_slack) * r.relative_cost_radii)
            ),
        },
        price_width={
            "takes the winner's position among the eligible for its number in P's radius": lambda r: np.take_along_axis(
                r.width, np.maximum(np.cumsum(r.eligible, axis=1) - 1, 0), axis=1
            ),
            "widens the radii by gamma, but for the winner's in P": lambda r: _c_max(r) * r.radius,
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
        "widens the quality radius by gamma, not the cost radius",
        hoped=lambda r: r.estimate + (1 + r.config.belief_slack) * r.radius,
        width=lambda r: _c_max(r) * r.radius,
    ),
    *_mistakes(
        "another index",
        index={
            "takes 0 for adjusted bids below 0": lambda r: np.maximum(r.bid - r.width, 0.0),
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


def _rounded_anew(scores: Floats, digits: int) -> Floats:
    found, mean = [], 0.0
    for count, score in enumerate(scores.tolist(), 1):
        mean = round((mean * (count - 1) + score) / count, digits)
        found.append(mean)
    return np.array(found)


def _summed(r: Replay, amounts: NDArray[Any]) -> Floats:
    """Return the sum of its provider's amounts at each feedback."""
    return tallied_of_served(np.zeros(r.config.n_providers), r.settlements.rows.provider, 1.0 * amounts)


def _counted(r: Replay, weights: NDArray[Any]) -> Floats:
    """Return how much feedback there is of each provider, by weights."""
    return r.by_settlement(r.start.counts.astype(float), _summed(r, weights))


def _counted_radius(r: Replay, weights: NDArray[Any]) -> Any:
    return _beta(r, m=np.maximum(_counted(r, weights), 1))


def _mean_of(r: Replay, weights: NDArray[Any]) -> Floats:
    sums = r.by_settlement(r.start.score_sums, _summed(r, weights * r.settlements.rows.score))
    return sums / np.maximum(_counted(r, weights), 1)


def _bids_of(r: Replay, weights: NDArray[Any]) -> Floats:
    return r.by_settlement(r.start.bids, _each(r, _latest, np.where(weights, r.settlements.rows.bid, np.nan)))


def _pooled(r: Replay) -> Floats:
    sums = r.by_settlement(r.start.score_sums, _summed(r, r.settlements.rows.score))
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
    "the highest score": np.maximum.accumulate,
    "the lowest score": np.minimum.accumulate,
    "the median score": lambda s: np.array([np.median(s[:m]) for m in range(1, len(s) + 1)]),
    "the mean score without the last one": lambda s: _before(_mean(s)),
    "the mean score but for the first one": lambda s: np.append(s[0], _mean(s[1:])),
    "a mean score that a score of 0 does not move": _not_moved_by_0,
    "the mean score with 0 for the first one": lambda s: _mean(np.append(0, s[1:])),
    "the mean of the squared scores": lambda s: _mean(s**2),
    "1 less the mean score": lambda s: 1 - _mean(s),
    "the mean score rounded down": lambda s: np.floor(_mean(s) + 1e-12),
    "the mean score rounded to whole percent": lambda s: np.round(_mean(s), 2),
    "whole percents, their mean rounded down": lambda s: np.floor(_mean(np.rint(100 * s)) + 1e-9) / 100,
    "scores rounded to 0 or 1": lambda s: _mean(1.0 * (s >= 0.5)),
    "scores of which those below 0.01 count as 0": lambda s: _mean(np.where(s < 0.01, 0.0, s)),
}
_QUALITY = (
    *_mistakes(
        "another filter",
        screened={
            "excludes nobody": lambda r: np.ones_like(r.passing),
            "never lets a provider back that was excluded": _never_excluded,
            "excludes nobody that has served fewer than {few} times": lambda r, few: r.passing | (r.counts < few),
            "holds an auction among all when nobody is eligible": lambda r: (
                r.passing | ~across(np.logical_or, r.passing)[:, None]
            ),
            "excludes those, too, that cannot reach {share} times the best mean score": lambda r, share: (
                r.passing & (r.hoped >= share * np.fmax.reduce(r.estimate, axis=1)[:, None])
            ),
            "trusts the mean score alone of who has served {few} times": lambda r, few: np.where(
                r.counts < few, r.passing, r.estimate >= r.config.quality_threshold
            ),
        },
    ),
    _bug(
        "another quality estimate",
        "judges quality by {what}",
        {"what": _OF_SCORES},
        estimate=lambda r, what: _by_score(_OF_SCORES[what])(r),
    ),
    *_mistakes(
        "another quality estimate",
        estimate={
            "judges quality by the mean score of all providers": _pooled,
            "starts each mean score with {few} times the score {score} (a prior)": lambda r, few, score: (
                (r.mean_scores * r.counts + few * score) / (r.counts + few)
            ),
            "gives every new score the weight {weight} (moving average)": _by_score(_fading),
            "gives a new score the weight {weight} at least: early scores fade": _by_score(
                functools.partial(_fading, by_count=True)
            ),
            "takes the mean of the last {window} scores": _by_score(_recent),
            "rounds the mean score to {digits} decimals whenever it changes": _by_score(_rounded_anew),
        },
        hoped={
            "compares the mean score alone with q_min, without the radius": lambda r: r.estimate,
            "subtracts the radius from the mean score": lambda r: r.estimate - r.radius,
            "adds the cost radius to the mean score": lambda r: r.estimate + r.width,
            "widens the quality radius by gamma, too": lambda r: r.estimate + (1 + r.config.belief_slack) * r.radius,
            "asks {more} more than q_min": lambda r, more: r.estimate + r.radius - more,
        },
    ),
)

# What is out of date, left out, or counted twice.

#: What may be out of date: the part of the rules that it is, by Algorithm 1.
_KEPT: Mapping[str, tuple[str, Callable[[Replay], Any]]] = {
    "the radii": ("radius", lambda r: r.right_radii),
    "the mean scores": ("estimate", lambda r: r.mean_scores),
    "who is eligible": ("screened", lambda r: r.passing),
    "g(t)": ("goal", lambda r: r.right_goals),
}
_WHEN: Mapping[str, Callable[[Replay], Rows]] = {
    "one step late": _one_before,
    **{f"every {every} steps only": functools.partial(_made_anew, every=every) for every in _LISTED["every"]},
}


def _kept(what: str, when: str) -> Mapping[str, Part]:
    part, right = _KEPT[what]
    return {part: lambda r: right(_at_all_rows(r))[_WHEN[when](r)]}


def _of_every(r: Replay, number: int) -> Flags:
    return np.asarray(r.settlements.steps % number == 0)


#: Which feedback may be left out, or taken twice.
_FEEDBACK: Mapping[str, Callable[[Replay], Flags]] = {
    "of all queries": lambda r: r.steps[_assigned(r)] > 0,
    "that equals the one before": lambda r: ~_differs(r),
    "of explorations": lambda r: r.exploration[_assigned(r)],
    "of auctions": lambda r: r.auction[_assigned(r)],
    "of other steps than auctions": lambda r: ~r.auction[_assigned(r)],
    "of other steps than explorations": lambda r: ~r.exploration[_assigned(r)],
    "of draws when nobody is eligible": lambda r: r.empty[_assigned(r)],
    "of who has just served": lambda r: (r.provider == np.append(-1, r.provider[:-1]))[_assigned(r)],
    "with a score of 0": lambda r: r.settlements.rows.score == 0,
    "with a score of 1": lambda r: r.settlements.rows.score == 1,
    "with a score below 1/2": lambda r: r.settlements.rows.score < 0.5,
    "with a bid of 0": lambda r: r.settlements.rows.bid == 0,
    **{f"of every query that {k} divides": functools.partial(_of_every, number=k) for k in (2, 3, 4, 5, 10, 100)},
}
#: Of what, and the parts of the rules that hang on it.
_TAKEN: Mapping[str, Mapping[str, Part]] = {
    "feedback": {"radius": _counted_radius, "tally": _counted, "estimate": _mean_of, "bid": _bids_of},
    "scores": {"estimate": _mean_of},
    "bids": {"bid": _bids_of},
    "counts": {"radius": _counted_radius, "tally": _counted},
    "counts (in the cost radius alone)": {"width": lambda r, weights: _cost_width(r, _counted_radius(r, weights))},
    "counts (where they are compared with g(t) alone)": {"tally": _counted},
}
_TIMES = {"leaves out the": 0.0, "takes twice the": 2.0}


def _assigned(r: Replay) -> Rows:
    """Return the row at which each query that was heard of was assigned."""
    return np.asarray(np.maximum(r.settlements.steps - 1 - r.start.steps, 0))


#: So often it is looked again of which kind steps are where that hangs on the feedback that is taken.
_ROUNDS = 10


@functools.lru_cache(maxsize=1)
def _weights(whole: Replay, times: str, what: str, which: str) -> Floats:
    """Return how often each feedback is taken: of which steps it is may hang on that again."""
    paid = replace(ALGORITHM_1, behind=lambda r: r.eligible & (r.payment >= _c_max(r) * (1 - 1e-9))[:, None])
    found = np.empty(0)
    for _ in range(_ROUNDS):
        again = np.where(_FEEDBACK[which](whole.under(paid)), _TIMES[times], 1.0)
        if np.array_equal(again, found):
            break
        found = again
        parts: Any = {part: functools.partial(of, weights=found) for part, of in _TAKEN[what].items()}
        paid = replace(ALGORITHM_1, **parts)
    return found


def _taken(**of_what: str) -> Mapping[str, Part]:
    def weighed(r: Replay, of: Part) -> Any:
        return of(r, weights=_weights(r.whole or r, **of_what))

    return {part: functools.partial(weighed, of=of) for part, of in _TAKEN[of_what["what"]].items()}


_FEEDBACK_CAUSES = (
    _family("old numbers", "brings {what} up to date {when}", _kept, {"what": _KEPT, "when": _WHEN}),
    _family(
        "feedback counted otherwise",
        "{times} {what} {which}",
        _taken,
        (
            *product(_TIMES, _TAKEN, [*_FEEDBACK][2:]),
            *product(_TIMES, ("feedback",), [*_FEEDBACK][1:2]),
            ("takes twice the", "feedback", "of all queries"),
        ),
    ),
)


# Who is explored.


def _goal(r: Replay, steps: Any = None, n: Any = None, alpha: float | None = None) -> Any:
    share = np.maximum(r.steps if steps is None else steps, 0) / (r.config.n_providers if n is None else n)
    return r.config.exploration_scale * share ** (alpha or r.config.exploration_exponent)


def _short(r: Replay) -> Flags:
    return np.asarray(r.tally < r.targets[:, None])


NO_AUCTION = _bug(
    "no auction",
    "holds no auction: it pays c_max for every query, whoever serves",
    goal=lambda r: r.steps + 1.0,
    screened=lambda r: np.ones_like(r.passing),
)
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
            "explores up to g(t + 1), not g(t)": lambda r: _goal(r, r.steps + 1),
            "takes the steps since initialization for t in g(t)": lambda r: _goal(r, r.steps - r.config.n_providers),
            "takes (k t/N)^alpha for g(t)": lambda r: (
                _goal(r) * r.config.exploration_scale ** (r.config.exploration_exponent - 1)
            ),
            "takes k ln(t) for g(t)": lambda r: r.config.exploration_scale * np.log(r.steps),
            "takes k t^alpha / N for g(t)": lambda r: _goal(r, n=1) / r.config.n_providers,
            "leaves k out of g(t)": lambda r: _goal(r) / r.config.exploration_scale,
            "takes {power} for alpha in g(t)": lambda r, power: _goal(r, alpha=power),
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
            "explores only at steps that {number} divides": lambda r, number: (
                r.eligible & _short(r) & (r.steps % number == 0)[:, None]
            ),
            "explores under-sampled providers that are not eligible, too": lambda r: (
                across(np.logical_or, r.eligible)[:, None] & _short(r)
            ),
            "explores among all eligible while anybody is under-sampled, eligible or not": lambda r: (
                r.eligible & across(np.logical_or, _short(r))[:, None]
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
    "a provider's lowest bid so far": np.minimum.accumulate,
    **{f"the mean of a provider's last {k} bids": functools.partial(_recent, window=k) for k in (2, 3, 4, 5, 10)},
    "the mean of all bids of a provider": _mean,
    "bids rounded down to whole numbers": np.floor,
}
#: Where another bid than the standing one may be taken, and what it is there.
_PLACES_OF_BIDS: Mapping[str, tuple[str, Callable[[Replay, Any], Any]]] = {
    "": ("bid", lambda r, bids: bids),
    " in P alone": (
        "price",
        lambda r, bids: r.of_served(r.price_width) + across(np.minimum, r.of_rivals(bids - r.width)),
    ),
    " where it picks the winner alone": ("ranked", lambda r, bids: bids - r.width),
}


_bidding = functools.partial(_somewhere, "another standing bid", where="place", places=_PLACES_OF_BIDS)
_BIDS = (
    _bidding("decides by {what}{place}", lambda r, what: _by_bid(_OF_BIDS[what])(r), {"what": _OF_BIDS}),
    _bidding(
        "decides by bids {when}{place}", lambda r, when: _at_all_rows(r).standing_bids[_WHEN[when](r)], {"when": _WHEN}
    ),
    _bidding(
        "rounds bids {way} {digits} decimals{place}",
        lambda r, way, digits: _ROUNDING[way](r.standing_bids * 10.0**digits) / 10.0**digits,
        {"way": _ROUNDING},
    ),
    *_mistakes(
        "another standing bid",
        bid={
            "decides by bids in single precision": lambda r: r.standing_bids.astype(np.float32).astype(float),
            "puts c_max for a provider's first bid": lambda r: np.where(r.counts == 1, _c_max(r), r.standing_bids),
            "gives every new bid the weight {weight} (moving average)": lambda r, weight: _by_bid(
                functools.partial(_fading, weight=weight)
            )(r),
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


#: Who may win, by what the winner has the least of.
_RANKED: Table = {
    "the lowest bid win, without the radius": lambda r: r.bid,
    "the lowest sum of bid and radius win": lambda r: r.bid + r.width,
    "the largest adjusted bid win": lambda r: -r.index,
    "the best mean score win": lambda r: -r.estimate,
    "the best upper end of quality win": lambda r: -r.hoped,
    "the least adjusted bid less c_max times the mean score win": lambda r: r.index - _c_max(r) * r.estimate,
    "the least adjusted bid per mean score win": lambda r: r.index / np.maximum(r.estimate, 1e-9),
    "the lowest bid per mean score win": lambda r: r.bid / np.maximum(r.estimate, 1e-9),
    "the least served win": lambda r: r.counts,
    "the eligible win in turn": _in_turn,
}
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
            "lets nobody win twice running": lambda r: np.where(
                _last_served(r) & (_number(r) > 1)[:, None], np.inf, r.index
            ),
            "lets {whom} win only where it alone is eligible": lambda r, whom: np.where(
                _FAVOURITES[whom](r) & (_number(r) > 1)[:, None], np.inf, r.index
            ),
            "lets {favourite} win unless another is better by {bonus} c_max": lambda r, favourite, bonus: (
                r.index - _c_max(r, bonus) * _FAVOURITES[favourite](r)
            ),
        },
    ),
    _bug("another winner", "lets {which}", {"which": _RANKED}, ranked=lambda r, which: _RANKED[which](r)),
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


#: What is known of what has been heard: tables of a replay of it, beside that of what happened.
_TABLES: Mapping[str, Callable[[Replay, Replay], Any]] = {
    "radius": lambda heard, r: heard.right_radii,
    "tally": lambda heard, r: heard.counts,
    "estimate": lambda heard, r: heard.mean_scores,
    "bid": lambda heard, r: heard.standing_bids,
}


def _heard(change: Callable[..., Trace], tables: Mapping[str, Callable[[Replay, Replay], Any]] = _TABLES) -> Any:
    """Return the parts of rules that decide by another trace than happened."""

    def of(r: Replay, table: Callable[[Replay, Replay], Any], **fitted: Any) -> Any:
        return table(Replay(r.config, change(r, **fitted), r.before).under(ALGORITHM_1, r.rows), r)

    return {part: functools.partial(of, table=table) for part, table in tables.items()}


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


def _one_too_early(r: Replay) -> Trace:
    served, later = r.trace.provider, r.start.steps + np.arange(len(r.trace)) >= r.config.n_providers
    return replace(r.trace, provider=np.where(later, np.append(served[:1], served[:-1]), served))


#: What may be credited otherwise than it happened.
_CREDITED: Mapping[str, Mapping[str, Callable[[Replay, Replay], Any]]] = {
    "all feedback": _TABLES,
    "the scores": {"estimate": _TABLES["estimate"]},
    "the scores, not their number,": {"estimate": lambda heard, r: heard.mean_scores * heard.counts / r.counts},
    "the bids": {"bid": _TABLES["bid"]},
}
_HEARD = (
    _family(
        "feedback counted otherwise",
        "credits {what} to the provider that served one step before",
        lambda what: _heard(_one_too_early, _CREDITED[what]),
        {"what": _CREDITED},
    ),
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
        radius=lambda r: _beta(r, m=r.assigned),
        tally=lambda r: r.assigned,
    ),
    _late("counts queries in flight in the radius", radius=lambda r: _beta(r, m=r.assigned)),
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
MECHANISM_CAUSES: tuple[Cause, ...] = (
    *(NO_AUCTION, *_PAYMENTS, *_RADIUS_CAUSES, *_QUALITY, *_FEEDBACK_CAUSES),
    *(*_EXPLORATION, *_BIDS, *_WINNERS, *_HEARD),
)

# Draws that are none: nothing is wrong at any single step.


def _least(among: Flags, values: Any) -> Flags:
    """Return those of some that have the least value."""
    return np.asarray(among & (values <= np.where(among, values, np.inf).min(axis=1)[:, None]))


#: Whom a mechanism may take instead of drawing, the narrow choices first.
CHOICES: Mapping[str, Callable[[Replay, Flags], Flags]] = {
    "takes the first": lambda r, among: _first(among, np.arange(among.shape[1])),
    "takes the lowest bid": lambda r, among: _least(among, r.bid),
    "takes the least served": lambda r, among: _least(among, r.counts),
    "takes the best mean score": lambda r, among: _least(among, -r.estimate),
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
    """Return how many providers the rules let serve, over all draws and ties."""
    r = trial.replay
    drawn = sum(int(among[rows].sum()) for rows, among in (draws(r) for draws in DRAWS.values()))
    ranked = np.where(r.eligible, r.ranked, np.inf)[r.auction]
    return drawn + int(np.count_nonzero(ranked == ranked.min(axis=1, initial=np.inf, keepdims=True)))
