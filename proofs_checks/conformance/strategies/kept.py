"""Strategies that are made once for the same arguments.

Hypothesis checks every new strategy, which takes longer than a draw. What is drawn stays the same.
"""

from __future__ import annotations

import functools
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

#: Keeps the strategies that a function returned for its last arguments; those for 1 are not those for 1.0.
kept = functools.lru_cache(maxsize=1024, typed=True)


@kept
def between(least: int, most: int) -> SearchStrategy[int]:
    """Return the strategy for whole numbers from one to another.

    Examples
    --------
    >>> between(2, 4) is between(2, 4)
    True
    """
    return st.integers(least, most)


@kept
def one_of(*values: Any) -> SearchStrategy[Any]:
    """Return the strategy for one of some values; the first is the simplest.

    Examples
    --------
    >>> one_of(0.5, 0.25) is one_of(0.5, 0.25)
    True
    """
    return st.sampled_from(values)
