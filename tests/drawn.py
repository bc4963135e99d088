"""Draws of a strategy as a list: for tests that count what they meet."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value")
#: Draws of one run of Hypothesis resemble each other, and the first one is the simplest: it is left out.
_OF_ONE_RUN = 10


def drawn(strategy: SearchStrategy[Value], count: int) -> list[Value]:
    """Return so many draws, of several short runs."""
    found: list[Value] = []
    for run in range(-(-count // _OF_ONE_RUN)):
        found += _of_run(strategy, run)[1:]
    return found[:count]


def _of_run(strategy: SearchStrategy[Value], run: int) -> list[Value]:
    found: list[Value] = []

    @seed(run)
    @settings(
        max_examples=_OF_ONE_RUN + 1, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(strategy)
    def collect(value: Value) -> None:
        found.append(value)

    collect()
    return found
