"""Parametrized tests of which the first tier runs some entries."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def long_but(first: Collection[str], names: Iterable[str], *, reason: str) -> list[Any]:
    """Return the names as parameters that are long, but for those of the first tier."""
    named = list(names)
    assert set(first) <= set(named), "there is no such entry"
    return [pytest.param(name, id=name, marks=() if name in first else pytest.mark.long(reason)) for name in named]
