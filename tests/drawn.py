"""Draws of a strategy as a list, the same in every run: for tests that count what they meet."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value")


def drawn(strategy: SearchStrategy[Value], count: int, run: int = 0) -> list[Value]:
    """Return so many draws. Those of one run resemble each other more than those of several."""
    found: list[Value] = []

    @seed(run)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: Value) -> None:
        found.append(value)

    collect()
    return found
