"""Payments that are the right one times, plus or mixed with something, and bids that are cut: what, is read off."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from proofs_checks.conformance.diagnosis.recording import Recording
from proofs_checks.conformance.diagnosis.rulebook import PLAIN, Log, Rulebook
from proofs_checks.conformance.diagnosis.variants import Variant

#: The part of a rulebook that pays at a kind of step, how the kind is called, and the checks that name it.
_KINDS = {
    "auction": ("paid", "in auctions", ("critical-payment", "lone-payment")),
    "lone": ("paid_lone", "to a lone eligible provider", ("lone-payment",)),
    "exploration": ("paid_exploring", "at exploration steps", ("exploration-payment",)),
    "empty": ("paid_empty", "when nobody is eligible", ("empty-payment",)),
    "initialization": ("paid_initially", "during initialization", ("initialization-payment",)),
}
_CLOSE = 1e-6
#: Payments that must show the same bid before a cut at that bid is tried.
_LIKE = 3
#: Factors inside the logarithm of the radius are looked for up to exp of this, in so many halvings.
_LARGEST_SHIFT, _HALVINGS = 12.0, 60


@dataclass(frozen=True)
class _Payment:
    """A payment: what Algorithm 1 pays, what was paid, and numbers that may have leaked into it."""

    expected: float
    found: float
    bound: float
    bids: tuple[float, ...]
    mean_score: float


def fitted(recordings: Sequence[Recording]) -> Iterator[Variant]:
    """Yield variants with a payment changed by a number that is the same at all steps of a kind."""
    by_kind = _payments(recordings)
    contests = [*by_kind.get("auction", ()), *by_kind.get("lone", ())]
    for kind, payments in {**by_kind, "auction": contests}.items():
        if any(abs(each.found - each.expected) > 1e-9 * each.bound for each in payments):
            yield from _changed(kind, payments)
    yield from _cut_bids(recordings)
    yield from _constants_in_the_radius(recordings)


def _constants_in_the_radius(recordings: Sequence[Recording]) -> Iterator[Variant]:
    """Yield a radius whose logarithm has another constant inside: the factor that most wrong payments of auctions show.

    P is the winner's cost radius plus a rival's bid less its cost radius. The factor moves both radii, the one at the
    smaller count more: a payment and a rival show one factor.
    """
    shown: dict[float, list[float]] = {}
    for each in recordings:
        for log, (winner, paid) in each.walked():
            told = PLAIN.prescribed(log, winner)
            if told is None or told.kind != "auction" or abs(paid - told.payment) <= 1e-9 * each.config.cost_bound:
                continue
            for rival in log.providers:
                if rival != winner and (factor := _factor(log, winner, rival, paid)) is not None:
                    shown.setdefault(float(f"{factor:.6g}"), []).append(factor)
    for factors in sorted(shown.values(), key=len, reverse=True)[:2]:
        if len(factors) >= _LIKE and abs(math.log(factors[0])) > _CLOSE:
            factor = statistics.median(factors)
            yield Variant(
                name="constant in the radius",
                says=f"has {factor:.4g} times the right constant inside the radius's logarithm",
                checks=("critical-payment", "index-minimizer", "eligibility", "state-estimates"),
                book=_with_constant(factor),
            )


def _with_constant(factor: float) -> Rulebook:
    """Return Algorithm 1 with a factor inside the logarithm of the radius."""
    return replace(PLAIN, inside=lambda book, log, m: factor * PLAIN.inside(PLAIN, log, m))


def _factor(log: Log, winner: int, rival: int, paid: float) -> float | None:
    """Return the factor inside the logarithm with which a rival sets a payment; None without one, or if all do."""
    one, other = log.counts[winner], log.counts[rival]
    if one == other:
        return None
    width = (1 + log.config.belief_slack) * log.config.cost_bound
    target = (paid - log.bids[rival][-1]) / width
    logs = [math.log(PLAIN.inside(PLAIN, log, m)) for m in (one, other)]

    def missing(shift: float) -> float:
        radii = (math.sqrt(max(a + shift, 0.0) / (2 * m)) for a, m in zip(logs, (one, other), strict=True))
        return next(radii) - next(radii) - target

    low, high = -min(logs), _LARGEST_SHIFT
    rising = missing(high) > missing(low)
    if (missing(low) > 0) == (missing(high) > 0):
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if (missing(middle) > 0) == rising else (middle, high)
    return math.exp((low + high) / 2)


def _cut_bids(recordings: Sequence[Recording]) -> Iterator[Variant]:
    """Yield rules that cut bids to a share of c_max: the share that most wrong payments of auctions show as a bid."""
    shown: Counter[float] = Counter()
    for each in recordings:
        bound = each.config.cost_bound
        for log, (winner, paid) in each.walked():
            told = PLAIN.prescribed(log, winner)
            if told is None or told.kind != "auction" or abs(paid - told.payment) <= 1e-9 * bound:
                continue
            # P is the winner's cost radius plus the adjusted bid of a rival, whose bid is then what is left.
            own = PLAIN.cost_radius(log, winner)
            bids = {(paid - own + PLAIN.cost_radius(log, j)) / bound for j in log.providers if j != winner}
            shown.update({float(f"{bid:.6g}") for bid in bids if 0 <= bid <= 1})
    for share, times in shown.most_common(2):
        if times >= _LIKE:
            yield _cut("cuts bids to at most", share, min)
            yield _cut("raises bids to at least", share, max)


def _cut(says: str, share: float, among: Callable[[float, float], float]) -> Variant:
    book = replace(PLAIN, bid=lambda book, log, i: among(log.bids[i][-1], share * log.config.cost_bound))
    checks = ("standing-bids", "index-minimizer", "critical-payment")
    return Variant(name=f"{says} {share:g}", says=f"{says} {share:g} c_max", checks=checks, book=book)


def _payments(recordings: Sequence[Recording]) -> dict[str, list[_Payment]]:
    found: dict[str, list[_Payment]] = {}
    for each in recordings:
        for log, (provider, paid) in each.walked():
            told = PLAIN.prescribed(log, provider)
            if told is not None and told.may_serve:
                served = log.counts[provider] > 0
                mean = log.sums[provider] / log.counts[provider] if served else 0.0
                bids = tuple(log.bids[provider][-2:])
                found.setdefault(told.kind, []).append(_Payment(told.payment, paid, log.config.cost_bound, bids, mean))
    return found


def _changed(kind: str, payments: Sequence[_Payment]) -> Iterator[Variant]:
    part, where, checks = _KINDS[kind]
    base = PLAIN.paid if part == "paid_lone" else getattr(PLAIN, part)

    def variant(name: str, says: str, change: Callable[[Log, int, float], float], named: Sequence[str] = ()) -> Variant:
        def paid(book: Any, log: Log, i: int, able: list[int]) -> float:
            return change(log, i, base(PLAIN, log, i, able))

        changes: dict[str, Any] = {part: paid}
        return Variant(name=f"{kind}: {name}", says=says, checks=(*named, *checks), book=replace(PLAIN, **changes))

    wrong = [each for each in payments if abs(each.found - each.expected) > 1e-9 * each.bound]
    if (share := _constant(each.found / each.expected for each in wrong if each.expected)) is not None:
        yield variant("share", f"pays {share:.6g} times the right payment {where}", lambda log, i, p: share * p)
    if (fee := _constant((each.found - each.expected) / each.bound for each in wrong)) is not None:
        how = f"{abs(fee):.6g} c_max too {'much' if fee > 0 else 'little'}"
        yield variant("fee", f"pays {how} {where}", lambda log, i, p: p + fee * log.config.cost_bound)
    if (amount := _constant(each.found - each.expected for each in wrong)) is not None:
        yield variant(
            "amount",
            f"pays {abs(amount):.6g} too {'much' if amount > 0 else 'little'} {where}",
            lambda log, i, p: p + amount,
        )
    if (cap := _constant(each.found / each.bound for each in wrong)) is not None:
        yield variant(
            "cap", f"pays at most {cap:.6g} c_max {where}", lambda log, i, p: min(p, cap * log.config.cost_bound)
        )
        yield variant(
            "floor", f"pays at least {cap:.6g} c_max {where}", lambda log, i, p: max(p, cap * log.config.cost_bound)
        )
    if (own := _mixed(wrong, lambda each: each.bids[-1])) is not None:
        text = f"mixes {100 * own:.4g}% of the winner's own bid into its payment {where}"
        yield variant("own bid", text, lambda log, i, p: p + own * (log.bids[i][-1] - p), ["own-bid-independence"])
    if (old := _mixed(wrong, lambda each: each.bids[0])) is not None:
        text = f"mixes {100 * old:.4g}% of an old bid of the winner into its payment {where}"

        def mixed(log: Log, i: int, p: float) -> float:
            return p + old * (log.bids[i][-2] - p) if len(log.bids[i]) > 1 else p

        yield variant("old bid", text, mixed, ["past-bids"])
    if (weighed := _mixed(wrong, lambda each: each.mean_score * each.expected)) is not None:
        text = f"pays by quality {where}: {100 * weighed:.4g}% of the payment is multiplied by the estimate"
        yield variant("quality", text, lambda log, i, p: p + weighed * (log.sums[i] / log.counts[i] - 1) * p)
    for places in range(7):
        if all(math.isclose(each.found, round(each.expected, places), abs_tol=1e-12) for each in wrong):
            yield variant("rounded", f"rounds payments to {places} decimals {where}", _rounding(places))
            break
    if all(abs(each.found - each.expected) <= 1e-6 * each.bound for each in wrong):
        yield variant("single", f"pays in single precision {where}", _single)


def _rounding(places: int) -> Callable[[Log, int, float], float]:
    return lambda log, i, payment: round(payment, places)


def _single(log: Log, i: int, payment: float) -> float:
    return float(np.float32(payment))


def _mixed(payments: Sequence[_Payment], other: Callable[[_Payment], float]) -> float | None:
    """Return the share of another number in every payment, if it is the same."""
    if not all(each.bids for each in payments):
        return None
    pairs = [(other(each), each) for each in payments]
    return _constant(
        (p.found - p.expected) / (x - p.expected) for x, p in pairs if abs(x - p.expected) > 1e-3 * p.bound
    )


def _constant(values: Any) -> float | None:
    """Return the number that all values are, or None if they differ or are too few."""
    found = list(values)
    if len(found) < 3 or max(found) - min(found) > _CLOSE * max(1e-3, abs(found[0])):
        return None
    middle = float(sorted(found)[len(found) // 2])
    return float(f"{middle:.10g}")
