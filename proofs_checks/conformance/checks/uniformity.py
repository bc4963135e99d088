"""A sequential test that draws are uniform on sets that may change: gamblers who bet against it at fair odds.

A gambler names some members of the set before each draw, and believes that each of them is drawn with weight w, each
other with weight 1. At fair odds its money is multiplied by p_w(drawn) / p_1(drawn). If every draw is uniform given
the past, the money of each gambler is a martingale, so that the mean of all of them, which starts at 1, ever reaches
1 / alpha with probability at most alpha (Ville's inequality): whenever one looks, for any dependence of sets and names.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bounds.errors import InputError

#: How much likelier than the others gamblers believe their members to be.
WEIGHTS = (1.2, 1.5, 2.0, 4.0, 50.0, 1 / 1.2, 1 / 1.5, 1 / 2.0, 1 / 4.0, 1 / 50.0)
#: The test looks at the gamblers' money again when the draws have grown by this factor.
_GROWTH = 1.1
_FIRST_LOOK = 16

#: What came of a draw for a gambler: size of the set, members named (some, not all), whether one of them was drawn.
Outcome = tuple[int, int, bool]
#: The way to name members that a gambler bets on, and what came of it.
Bet = tuple[str, Outcome]
Tally = Counter[Outcome]


@functools.lru_cache(maxsize=4096)
def log_return(size: int, named: int, drawn: bool) -> np.ndarray:
    """Return the logarithm of what one draw multiplies a gambler's money by, for every weight of `WEIGHTS`.

    The gambler names `named` of `size` members, at least one and not all; `drawn` says whether one of them is drawn.

    Examples
    --------
    >>> fair = [np.exp(log_return(3, 1, drawn)) for drawn in (True, False)]
    >>> bool(np.allclose(fair[0] / 3 + 2 * fair[1] / 3, 1))
    True
    """
    weights = np.array(WEIGHTS)
    returns: np.ndarray = np.log(np.where(drawn, weights, 1.0) * size / (weights * named + size - named))
    return returns


def _log_money(tally: Tally) -> np.ndarray:
    total = np.zeros(len(WEIGHTS))
    for outcome, times in tally.items():
        total += times * log_return(*outcome)
    return total


@dataclass(frozen=True, kw_only=True)
class Suspicion:
    """What the richest gambler has seen: `hits` of the draws on which it bet fell on its members."""

    #: Which members it names.
    name: str
    #: The source that it watches; None for all of them.
    where: str | None
    draws: int
    hits: int
    #: How many hits fair draws have.
    expected: float
    #: Bound on the probability that fair draws ever look so uneven.
    probability: float


class UniformityTest:
    """The test, fed with draws.

    Parameters
    ----------
    names : sequence of str
        The ways to name members that draws are reported with; a gambler bets on each, with each weight, in each
        source alone and in all sources together.
    sources : sequence of str
        Where draws may come from.
    false_alarm : float
        alpha in (0, 1): bound on the probability that uniform draws are ever rejected.

    Raises
    ------
    InputError
        `false_alarm` out of range.

    Examples
    --------
    >>> test = UniformityTest(["first"], ["only"], 1e-6)
    >>> for _ in range(40):
    ...     test.observe("only", [("first", (2, 1, True))])
    >>> test.rejected()
    True
    >>> test.suspicion().hits, test.suspicion().expected
    (40, 20.0)
    """

    def __init__(self, names: Sequence[str], sources: Sequence[str], false_alarm: float) -> None:
        if not 0 < false_alarm < 1:
            raise InputError("false_alarm", false_alarm, "must lie in (0, 1)", "it is a probability")
        self._gamblers = gamblers(names, sources)
        self.false_alarm = false_alarm
        self.draws = 0
        self._names, self._look_at = tuple(names), _FIRST_LOOK
        #: By source and name what came of the draws.
        self._tallies = {source: {name: Tally() for name in names} for source in sources}

    def observe(self, source: str, bets: Iterable[Bet]) -> None:
        """Take one draw, and how each way to name members bet on it; one that names none or all does not bet."""
        self.draws += 1
        for name, outcome in bets:
            self._tallies[source][name][outcome] += 1

    def due(self) -> bool:
        """Return whether the draws have grown enough since the last look for another one."""
        if self.draws < self._look_at:
            return False
        self._look_at = max(self.draws + _FIRST_LOOK, math.ceil(self.draws * _GROWTH))
        return True

    def log_wealth(self) -> float:
        """Return the logarithm of the gamblers' mean money."""
        made = np.array([list(map(_log_money, tallies.values())) for tallies in self._tallies.values()])
        money = np.concatenate([made.ravel(), made.sum(axis=0).ravel()])
        return float(np.logaddexp.reduce(money)) - math.log(self._gamblers)

    def rejected(self) -> bool:
        """Return whether uniform draws are rejected."""
        return self.log_wealth() >= -math.log(self.false_alarm)

    def suspicion(self) -> Suspicion:
        """Return what the richest gambler has seen."""
        name, where, tally = max(self._accounts(), key=lambda account: float(_log_money(account[2]).max()))
        expected = math.fsum(times * named / size for (size, named, _), times in tally.items())
        hits = sum(times for (_, _, hit), times in tally.items() if hit)
        probability = min(1.0, math.exp(-self.log_wealth()))
        return Suspicion(
            name=name, where=where, draws=tally.total(), hits=hits, expected=expected, probability=probability
        )

    def _accounts(self) -> Iterable[tuple[str, str | None, Tally]]:
        for name in self._names:
            own = {source: tallies[name] for source, tallies in self._tallies.items()}
            yield name, None, sum(own.values(), Tally())
            yield from ((name, source, tally) for source, tally in own.items())


def gamblers(names: Sequence[str], sources: Sequence[str]) -> int:
    """Return how many gamblers share the money of a test.

    Examples
    --------
    >>> gamblers(["first", "last"], ["only"]) == 2 * 2 * len(WEIGHTS)
    True
    """
    return len(names) * (len(sources) + 1) * len(WEIGHTS)
