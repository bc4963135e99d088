"""Parametrized tests of which the first tier runs some entries."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def long_but(first: int | Collection[Any], entries: Iterable[Any], *, reason: str) -> list[Any]:
    """Return entries as parameters that are long, but for the first so many, or for those that are named.

    An entry of several parameters is a tuple.
    """
    listed = list(entries)
    short = listed[:first] if isinstance(first, int) else list(first)
    assert all(entry in listed for entry in short), "there is no such entry"
    marks = [() if entry in short else pytest.mark.long(reason) for entry in listed]
    values = [entry if isinstance(entry, tuple) else (entry,) for entry in listed]
    return [pytest.param(*value, marks=mark) for value, mark in zip(values, marks, strict=True)]
