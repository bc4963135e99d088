"""A log at a glance, in little memory: who served and which rules were broken when, in bins of equally many steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.documents import Count, FromOne

Counts = NDArray[np.int64]

#: Bins at most, fewer where there are many providers: a table of bins and providers stays small.
_MOST_BINS, _LEAST_BINS, _MOST_ENTRIES = 128, 16, 1_000_000
#: Providers that are told one by one; the others are counted together.
SHOWN_PROVIDERS = 8


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """Counts in bins of `bin_steps` steps, from step 1 on; the last bin may be shorter.

    Parameters
    ----------
    bin_steps : int
        Steps of each bin; the last may be shorter.
    first_steps : list of int
        First step of each bin.
    providers : dict of str to list of int
        Selections in each bin of those that served most, by name.
    other_providers : int
        How many providers are counted together.
    others : list of int
        Selections of those together in each bin.
    violations : dict of str to list of int
        Steps in each bin that break a rule, by its name.
    """

    bin_steps: FromOne
    first_steps: list[Count]
    providers: dict[str, list[Count]]
    other_providers: Count
    others: list[Count]
    violations: dict[str, list[Count]]


class TimelineCounter:
    """Counts a log part by part; a bin doubles whenever there are too many.

    Examples
    --------
    >>> counter = TimelineCounter(["a", "b"], ["payment"])
    >>> counter.feed(0, np.array([0, 1, 1]), {"payment": np.array([False, True, False])})
    >>> counter.timeline.providers, counter.timeline.violations
    ({'a': [1, 0, 0], 'b': [0, 1, 1]}, {'payment': [0, 1, 0]})
    """

    def __init__(self, providers: Sequence[str], rules: Sequence[str]) -> None:
        self._providers, self._rules = list(providers), list(rules)
        self._bins = int(np.clip(_MOST_ENTRIES // max(1, len(self._providers)), _LEAST_BINS, _MOST_BINS))
        self._steps, self._bin_steps = 0, 1
        self._selections = np.zeros((self._bins, len(self._providers)), dtype=np.int64)
        self._broken = np.zeros((self._bins, len(self._rules)), dtype=np.int64)

    def feed(self, before: int, served: NDArray[np.integer[Any]], broken: Mapping[str, NDArray[np.bool_]]) -> None:
        """Take the next part.

        Parameters
        ----------
        before : int
            Steps before it.
        served : ndarray of int, shape (T,)
            Who served.
        broken : mapping of str to ndarray of bool, shape (T,)
            By rule, which steps break it.
        """
        self._steps = before + len(served)
        while self._steps > self._bins * self._bin_steps:
            self._selections, self._broken = _halved(self._selections), _halved(self._broken)
            self._bin_steps *= 2
        place = (before + np.arange(len(served))) // self._bin_steps
        np.add.at(self._selections, (place, served), 1)
        for column, rule in enumerate(self._rules):
            np.add.at(self._broken[:, column], place[broken[rule]], 1)

    @property
    def timeline(self) -> Timeline:
        """What was counted so far."""
        used = -(-self._steps // self._bin_steps)
        selections, broken = self._selections[:used], self._broken[:used]
        ranked = np.argsort(-selections.sum(axis=0), kind="stable")
        shown = sorted(ranked[:SHOWN_PROVIDERS].tolist())
        told = selections[:, shown]
        return Timeline(
            bin_steps=self._bin_steps,
            first_steps=[1 + i * self._bin_steps for i in range(used)],
            providers={self._providers[i]: selections[:, i].tolist() for i in shown},
            other_providers=len(self._providers) - len(shown),
            others=(selections.sum(axis=1) - told.sum(axis=1)).tolist(),
            violations={
                rule: broken[:, column].tolist() for column, rule in enumerate(self._rules) if broken[:, column].any()
            },
        )


def _halved(counts: Counts) -> Counts:
    """Return counts with every two bins made one, and empty bins behind them."""
    joined = counts.reshape(len(counts) // 2, 2, *counts.shape[1:]).sum(axis=1)
    return np.concatenate([joined, np.zeros_like(joined)])
