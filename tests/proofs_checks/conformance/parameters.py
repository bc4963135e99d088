"""Parameters of which the first few belong to the first tier."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def long_after(first: int, entries: Iterable[Any], reason: str) -> list[Any]:
    """Mark all but the first entries as long; an entry of several parameters is a tuple."""
    values = [entry if isinstance(entry, tuple) else (entry,) for entry in entries]
    return [pytest.param(*each, marks=[pytest.mark.long(reason)] * (at >= first)) for at, each in enumerate(values)]
