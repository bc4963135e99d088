"""Whether the scores and costs of each provider keep their means, all along a log and against the setting.

Why it is right. Let x_1, x_2, ... lie in [0, 1], each with the mean m given those before it, and let p_t <= c be any
guess of x_t made before it. For y >= -1 and 0 <= u < 1 Fan's inequality says exp(u y - psi(u) y^2) <= 1 + u y, with
psi(u) = -log(1 - u) - u; with y = (x_t - p_t) / c, exp(u (x_t - m) / c - psi(u) (x_t - p_t)^2 / c^2) has a mean of at
most 1. So has the product over a block of B numbers, and by Markov's inequality the block's mean exceeds m by more than
(psi(u) V / c^2 + log(1 / a)) c / (u B) with probability at most a, where V is the sum of the (x_t - p_t)^2. The same
holds of 1 - x_t. The blocks are the dyadic ones: numbers 1 to B, B + 1 to 2 B, ..., for B = 32, 64, ...; each is judged
when it is complete. The probabilities a, over providers, quantities, sides, pairs (c, u), and sizes and places of
blocks, sum to `FALSE_ALARM`. With probability 1 - `FALSE_ALARM` at least, every m thus lies in the intervals of all
blocks that there will ever be, whenever somebody stops: where two of them have no number in common the mean has
changed, and where one lacks the setting's mean the mean is another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bounds.documents import Count, FromOne, OpenProbability, key
from bounds.setting.model import Setting
from bounds.words import until_distinct
from mechanism.replay import Replay

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Quantity = Literal["score", "cost", "implied cost"]
Against = Literal["past", "setting"]

#: Probability that something is ever reported of a log whose scores and costs have the setting's means.
FALSE_ALARM = 0.05
#: Numbers of the smallest block, and how many sizes of blocks there may be.
_LEAST, _SIZES = 32, 64
#: The values of c, and the pairs (c, u): a small c finds what small numbers, as cheap costs, do.
_SCALES: Floats = np.asarray([1, 1 / 4, 1 / 16, 1 / 64], dtype=np.float64)
_WHICH: Rows = np.asarray([0] * 8 + [1, 1, 2, 2, 3, 3], dtype=np.int64)
_SHARES: Floats = np.asarray(0.8 * 0.5 ** np.array([*range(8), 0, 1, 0, 1, 0, 1]), dtype=np.float64)[:, None]
#: The factors of V and of the logarithm, psi(u) / (c u) and c / u.
_OF_SPREAD: Floats = (-np.log1p(-_SHARES) - _SHARES) / (_SCALES[_WHICH, None] * _SHARES)
_OF_LEVEL: Floats = _SCALES[_WHICH, None] / _SHARES
#: Rounding must not part two intervals; of a cost that bids imply, for each query of its provider.
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A mean that has changed, or is not the setting's.

    Parameters
    ----------
    provider : str
        Whose mean it is.
    quantity : {"score", "cost", "implied cost"}
        What it is a mean of; implied costs are those of which the bids are running means.
    against : {"past", "setting"}
        Whether it differs from an earlier mean in the log or from the setting's.
    step : int
        The step at which that was seen: a change came before it.
    expected, found : float
        The earlier mean, or the setting's, and the later one; costs are money.
    """

    provider: str
    quantity: Quantity
    against: Against
    step: FromOne
    expected: float
    found: float

    @key
    def sentence(self) -> str:
        """The same in a sentence, without its full stop."""
        kind = self.quantity.removeprefix("implied ")
        what = f"the mean {kind} of {self.provider}{', as its bids imply,' if kind != self.quantity else ''}"
        found, expected = until_distinct(partial(_means, self.found, self.expected), 3)
        if self.against == "past":
            return f"{what} changed from {expected} to {found}, by step {self.step:,} at the latest"
        return f"{what} is {found} by step {self.step:,}, and {expected} in the setting"


def _means(found: float, expected: float, digits: int) -> tuple[str, str]:
    return f"{found:.{digits}g}", f"{expected:.{digits}g}"


@dataclass(frozen=True, kw_only=True)
class DriftReport:
    """What was found about the premise that scores and costs are independent draws with fixed means.

    Parameters
    ----------
    false_alarm : float
        Probability, at most, that anything is ever found where the premise holds, however often the log is audited.
    costs : {"column", "bids"} or None
        Whether costs were logged, or computed from bids as running means of costs; None where they are not tested.
    untested : int
        Providers whose costs are not tested to the end, since their bids are not running means of costs.
    found : tuple of Drift
        What was found, in the order in which it was seen.
    """

    false_alarm: OpenProbability
    costs: Literal["column", "bids"] | None
    untested: Count
    found: tuple[Drift, ...]


@dataclass
class Stream:
    """Numbers in [0, 1], and the interval in which their mean must lie if it is always the same."""

    #: Numbers behind the last of the smallest blocks that is complete.
    waiting: Floats = field(default_factory=lambda: np.empty(0))
    #: Of the smallest blocks: how many, the sum of their means, the last mean, V of both sides by c.
    seen: int = 0
    total: float = 0.0
    guess: float = 0.5
    spread: Floats = field(default_factory=lambda: np.zeros((2, len(_SCALES))))
    #: By size of block: the sum and V before the one that is not complete.
    total_before: Floats = field(default_factory=lambda: np.zeros(_SIZES))
    spread_before: Floats = field(default_factory=lambda: np.zeros((2, len(_SCALES), _SIZES)))
    #: The ends of the interval, each with the mean of the block that says so.
    low: tuple[float, float] = (0.0, 0.0)
    high: tuple[float, float] = (1.0, 0.0)
    reported: set[Against] = field(default_factory=set)

    def differences(
        self, values: Floats, steps: Rows, level: float, stated: float, slack: float
    ) -> Iterator[tuple[Against, int, float, float]]:
        """Take the next numbers; yield from what their mean differs, at which step, the mean there, and theirs.

        Parameters
        ----------
        values, steps : array, shape (T,)
            The numbers, and the steps at which they came.
        level : float
            The logarithm of one over the probability of a false alarm, for each pair (c, u) and each side.
        stated, slack : float
            Their mean in the setting, and how far it may be from that of what is logged.
        """
        for step, mean, low, high in self._blocks(np.clip(values, 0.0, 1.0), steps, level):
            before = self.low[1] if high < self.high[0] else self.high[1]
            self.low, self.high = max(self.low, (low, mean)), min(self.high, (high, mean))
            if self.low[0] > self.high[0] + _ROUNDING and "past" not in self.reported:
                self.reported.add("past")
                yield "past", int(step), before, mean
            if not self.low[0] - slack <= stated <= self.high[0] + slack and "setting" not in self.reported:
                self.reported.add("setting")
                yield "setting", int(step), stated, mean

    def _blocks(self, values: Floats, steps: Rows, level: float) -> list[list[float]]:
        """Return the step, the mean and the interval of each block that is now complete and might tell something."""
        last_steps = steps[_LEAST - 1 - len(self.waiting) :: _LEAST]
        values, whole = np.concatenate([self.waiting, values]), len(last_steps)
        self.waiting = values[whole * _LEAST :].copy()
        if not whole:
            return []
        small = values[: whole * _LEAST].reshape(whole, _LEAST)
        means, squares = small.mean(axis=1), (small * small).mean(axis=1)
        # The guess of each number is the mean of the block before its own.
        guesses = np.concatenate([[self.guess], means])
        self.guess = float(guesses[-1])
        guesses = np.minimum(np.stack([guesses[:-1], 1 - guesses[:-1]])[:, None], _SCALES[:, None])
        sides = np.stack([means, 1 - means])[:, None]
        off = np.stack([squares, squares + 1 - 2 * means])[:, None] - 2 * guesses * sides + guesses**2
        totals = np.add.accumulate(np.concatenate([[self.total], means]))
        spreads = np.concatenate([self.spread[..., None], _LEAST * np.maximum(off, 0)], axis=2)
        spreads = np.add.accumulate(spreads, axis=2)
        before, self.seen = self.seen, self.seen + whole
        self.total, self.spread = float(totals[-1]), spreads[..., -1].copy()
        sizes = 1 << np.arange(self.seen.bit_length())
        numbers = [np.arange(before // size + 1, self.seen // size + 1) for size in sizes.tolist()]
        place = np.repeat(np.arange(len(sizes)), [len(each) for each in numbers])
        number, size = np.concatenate(numbers), sizes[place]
        ends = number * size - before
        starts, last = np.maximum(ends - size, 0), np.append(place[1:] != place[:-1], True)
        begun_before = ends < size
        total = np.where(begun_before, self.total_before[place], totals[starts])
        spread = np.where(begun_before, self.spread_before[..., place], spreads[..., starts])
        self.total_before[place[last]] = totals[ends[last]]
        self.spread_before[..., place[last]] = spreads[..., ends[last]]
        mean, spent = (totals[ends] - total) / size, (spreads[..., ends] - spread)[:, _WHICH]
        logs = level + np.log((place + 1) * (place + 2) * number * (number + 1.0))
        up, down = (_OF_SPREAD * spent + _OF_LEVEL * logs).min(axis=1) / (size * _LEAST)
        blocks = np.stack([ends, last_steps[ends - 1], mean, mean - up, mean + down], axis=1)
        blocks = blocks[(blocks[:, 3] > self.low[0]) | (blocks[:, 4] < self.high[0])]
        in_order: list[list[float]] = blocks[np.argsort(blocks[:, 0], kind="stable"), 1:].tolist()
        return in_order


class DriftTest:
    """The scores and costs of a log, part by part.

    Examples
    --------
    >>> from bounds.published import published
    >>> from mechanism.config import MechanismConfig
    >>> from mechanism.episode import simulate
    >>> setting = published("gpqa-strong").setting
    >>> test = DriftTest(setting)
    >>> test.feed(Replay(MechanismConfig.of(setting), simulate(setting, horizon=300, seed=0)), setting)
    >>> test.report
    DriftReport(false_alarm=0.05, costs='column', untested=0, found=())
    """

    def __init__(self, setting: Setting, tolerance: float = 0.0) -> None:
        platform = setting.platform
        self._tolerance = tolerance
        self._level = float(np.log(2 * setting.n_providers * 2 * len(_SHARES) / FALSE_ALARM))
        #: Whether bids are exact running means of costs, as far as the setting says.
        self._bids_tell = not (tolerance or platform.belief_slack or platform.underbid or platform.overbid)
        self._streams: dict[tuple[Quantity, str], Stream] = {}
        self._costs: Literal["column", "bids"] | None = None
        #: Providers whose bids are no running means of numbers in [0, c_max].
        self._strange: set[int] = set()
        self._found: list[Drift] = []

    @property
    def report(self) -> DriftReport:
        """What was found so far."""
        found = tuple(sorted(self._found, key=lambda drift: drift.step))
        return DriftReport(false_alarm=FALSE_ALARM, costs=self._costs, untested=len(self._strange), found=found)

    def feed(self, replay: Replay, setting: Setting) -> None:
        """Take the scores and costs that arrive in the next part of a log."""
        arrived, bound = replay.settlements.rows, setting.platform.cost_bound
        steps = np.asarray(replay.start.steps + 1 + replay.settled_rows, dtype=np.int64)
        order = np.argsort(arrived.provider, kind="stable")
        served, starts = np.unique(arrived.provider[order], return_index=True)
        self._costs = "column" if arrived.cost is not None else "bids" if self._bids_tell else None
        for provider, own in zip(served.tolist(), np.split(order, starts[1:]), strict=False):
            stated = setting.providers[provider]
            self._take("score", stated.name, arrived.score[own], steps[own], stated.quality, 1.0)
            if self._costs is not None:
                kind: Quantity = "implied cost" if arrived.cost is None else "cost"
                costs = self._implied(replay, provider, own) if arrived.cost is None else arrived.cost[own]
                self._take(kind, stated.name, costs, steps[own][: len(costs)], stated.mean_cost, bound)

    def _take(self, what: Quantity, name: str, values: Floats, steps: Rows, stated: float, unit: float) -> None:
        stream = self._streams.setdefault((what, name), Stream())
        slack = _ROUNDING + (0.0 if what == "score" else self._tolerance / unit)
        differences = stream.differences(values / unit, steps, self._level, stated / unit, slack)
        for against, step, expected, found in differences:
            means = {"expected": expected * unit, "found": found * unit}
            self._found.append(Drift(provider=name, quantity=what, against=against, step=step, **means))

    def _implied(self, replay: Replay, provider: int, own: Rows) -> Floats:
        """Return the costs of which a provider's bids are running means, up to the first impossible."""
        if provider in self._strange:
            return np.empty(0)
        bound, counts = replay.config.cost_bound, replay.counts_after[own]
        first = replay.start.bids[provider] if counts[0] > 1 else 0.0
        bids = replay.settlements.rows.bid[own]
        with np.errstate(over="ignore", invalid="ignore"):
            costs = counts * bids - (counts - 1) * np.concatenate([[first], bids[:-1]])
            impossible = ~(np.abs(costs / bound - 0.5) <= 0.5 + _ROUNDING * counts)
        if impossible.any():
            self._strange.add(provider)
            costs = costs[: int(np.argmax(impossible))]
        return np.asarray(costs)
