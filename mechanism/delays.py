"""Queries in flight: how many queries are assigned before a query's score and bid arrive."""

from __future__ import annotations

import functools
import heapq
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError
from mechanism.arguments import number_of_queries, whole_number
from mechanism.trace import NEVER_SETTLED

#: So many arrivals are drawn at a time.
_BLOCK = 256
#: Sets the draws of arrivals apart from others of the same seed.
_ARRIVALS = 0xA1217
Outcome = TypeVar("Outcome")

_FORM = re.compile(
    r"(?:(?P<least>[0-9]{1,9})-)?(?P<most>[0-9]{1,9})(?P<in_order>,in-order)?(?:,lost=(?P<lost>[0-9.e+-]{1,30}))?"
)


@dataclass(frozen=True, kw_only=True)
class DelayLaw:
    """How many further queries are assigned before a query's score and bid arrive; drawn without looking at either.

    Parameters
    ----------
    most : int
        At most so many, >= 0; 0 is immediate feedback.
    least : int, optional
        At least so many (default: `most`, a fixed number). The number is uniform between the two, for every query
        anew, so that feedback may overtake earlier feedback.
    in_order : bool, optional
        Whether feedback that would overtake an earlier query's waits for it.
    lost : float, optional
        With which probability, in [0, 1), the feedback of a query never arrives.

    Raises
    ------
    InputError
        A number out of its range.

    Examples
    --------
    >>> DelayLaw(most=2).settled(4, np.random.default_rng(0)).tolist()
    [3, 4, 5, 6]
    """

    most: int
    least: int | None = None
    in_order: bool = False
    lost: float = 0.0

    def __post_init__(self) -> None:
        whole_number("most", self.most, "it is a number of queries", least=0)
        if self.least is not None:
            whole_number("least", self.least, "it is a number of queries", least=0)
            if self.least > self.most:
                raise InputError("least", self.least, f"must be at most {self.most}", "swap the two numbers")
        if not 0 <= self.lost < 1:
            raise InputError("lost", self.lost, "must lie in [0, 1)", "it is the probability that feedback is lost")

    def __str__(self) -> str:
        """Return the text that `delay_law` reads as this law.

        Examples
        --------
        >>> str(DelayLaw(most=5, least=0, lost=0.01)), str(DelayLaw(most=3, least=3))
        ('0-5,lost=0.01', '3')
        """
        number = f"{self.most}" if self.least in (None, self.most) else f"{self.least}-{self.most}"
        order, lost = ",in-order" * self.in_order, f",lost={self.lost!r}" if self.lost else ""
        return f"{number}{order}{lost}"

    def settled(self, horizon: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return, for each of the queries 1, ..., T, the last one assigned before its feedback; see `Trace.settled`."""
        horizon = number_of_queries(horizon)
        least = self.most if self.least is None else self.least
        found = np.arange(1, horizon + 1) + rng.integers(least, self.most + 1, horizon)
        if self.in_order:
            found = np.maximum.accumulate(found)
        found[rng.random(horizon) < self.lost] = NEVER_SETTLED
        return found


def delay_law(text: str, argument: str = "delay") -> DelayLaw:
    """Return the law that a text names.

    Parameters
    ----------
    text : str
        ``3`` (always three), ``0-5`` (uniform, out of order), ``0-5,in-order``, ``3,lost=0.01``.
    argument : str, optional
        What errors call it.

    Raises
    ------
    InputError
        It is none of these.

    Examples
    --------
    >>> delay_law("0-5,in-order")
    DelayLaw(most=5, least=0, in_order=True, lost=0.0)
    """
    found = _FORM.fullmatch(text)
    if found is None:
        remedy = "write 3, or 0-5 for a random number, and after it ,in-order or ,lost=0.01"
        raise InputError(argument, text, "is not a number of queries in flight", remedy)
    least, lost = found["least"], found["lost"]
    try:
        return DelayLaw(
            most=int(found["most"]),
            least=None if least is None else int(least),
            in_order=found["in_order"] is not None,
            lost=0.0 if lost is None else float(lost),
        )
    except InputError as error:
        raise InputError(
            argument, text, f"has {error.argument} = {error.value}: it {error.rule}", error.remedy
        ) from None
    except ValueError:
        raise InputError(argument, text, f"says {lost!r} where a probability is due", "write ,lost=0.01") from None


class Arrivals:
    """When the feedback of each query arrives, for as many queries as are asked for.

    Parameters
    ----------
    law : DelayLaw
    seed : int
        The same law and seed give the same arrivals, however many queries are played.

    Examples
    --------
    >>> arrivals = Arrivals(DelayLaw(most=2), seed=0)
    >>> [arrivals(query) for query in (1, 2, 1_000)]
    [3, 4, 1002]
    """

    def __init__(self, law: DelayLaw, seed: int) -> None:
        self._law, self._seed = law, seed
        self._settled: list[int] = []
        self._last = 0

    def __call__(self, query: int) -> int:
        """Return the last query assigned before the feedback of a query, from 1; see `Trace.settled`."""
        while len(self._settled) < query:
            self._draw()
        return self._settled[query - 1]

    def _draw(self) -> None:
        first = len(self._settled)
        drawn = self._law.settled(_BLOCK, np.random.default_rng([_ARRIVALS, self._seed, first]))
        never = drawn == NEVER_SETTLED
        found = np.maximum(drawn + first, self._last) if self._law.in_order else drawn + first
        self._last = int(found[~never].max(initial=self._last))
        found[never] = NEVER_SETTLED
        self._settled += found.tolist()


@functools.lru_cache(maxsize=4096)
def arrivals(law: DelayLaw, seed: int) -> Arrivals:
    """Return the arrivals of a law and a seed, drawn once."""
    return Arrivals(law, seed)


def at_once(query: int) -> int:
    """Return the last query assigned before the feedback of a query arrives, where none is assigned before."""
    return query


class Waiting(Generic[Outcome]):
    """What came of queries, until it arrives.

    Parameters
    ----------
    settled : callable
        From the number of a query to the last one assigned before its feedback.

    Examples
    --------
    >>> waiting = Waiting[str]({1: 3, 2: 2}.__getitem__)
    >>> waiting.add(1, "slow"), waiting.add(2, "fast")
    (None, None)
    >>> list(waiting.arrived(2)), list(waiting.arrived(3))
    ([(2, 'fast')], [(1, 'slow')])
    """

    def __init__(self, settled: Callable[[int], int]) -> None:
        self._settled = settled
        self._heap: list[tuple[int, int, Outcome]] = []

    def add(self, query: int, outcome: Outcome) -> None:
        """Take what came of a query; what never arrives is forgotten."""
        settled = self._settled(query)
        if settled != NEVER_SETTLED:
            heapq.heappush(self._heap, (settled, query, outcome))

    def left(self) -> list[tuple[int, Outcome]]:
        """Return the queries whose feedback will arrive, in that order, with what came of them."""
        return [(query, outcome) for _, query, outcome in sorted(self._heap, key=lambda row: row[:2])]

    def arrived(self, assigned: int) -> Iterator[tuple[int, Outcome]]:
        """Yield, once, the queries whose feedback has arrived when so many are assigned; the earlier query first."""
        while self._heap and self._heap[0][0] <= assigned:
            _, query, outcome = heapq.heappop(self._heap)
            yield query, outcome
