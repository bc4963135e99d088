"""Draws of a strategy as a list: for tests that count what they meet."""

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value")
#: Draws of one run of Hypothesis resemble each other, and the first one is the simplest: it is left out.
_OF_ONE_RUN = 10


def drawn(strategy: SearchStrategy[Value], count: int) -> list[Value]:
    """Return so many draws, of several short runs."""
    quiet = {"database": None, "phases": [Phase.generate], "suppress_health_check": list(HealthCheck)}
    collect = settings(max_examples=_OF_ONE_RUN + 1, **quiet)(given(strategy)(lambda value: found.append(value)))
    kept: list[Value] = []
    for run in range(-(-count // _OF_ONE_RUN)):
        found: list[Value] = []
        seed(run)(collect)()
        kept += found[1:]
    return kept[:count]
