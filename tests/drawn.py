"""Draws of a strategy as a list, the same in every run: for tests that count what they meet."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

Value = TypeVar("Value")


def drawn(strategy: SearchStrategy[Value], count: int) -> list[Value]:
    """Return so many draws."""
    found: list[Value] = []

    @settings(
        max_examples=count,
        derandomize=True,
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
