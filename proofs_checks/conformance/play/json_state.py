"""Which part of a saved state JSON cannot hold, and what to write instead."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

#: Deeper states are not searched: they lead back to themselves, most likely.
_DEEPEST = 50
#: What JSON takes for the name of an entry.
_NAMES = (str, int, float, bool, type(None))
_INSTEAD: tuple[tuple[type, str], ...] = (
    (np.integer, "write int(...)"),
    (np.bool_, "write bool(...)"),
    (np.floating, "write float(...)"),
    (np.ndarray, "write its .tolist()"),
    (np.random.Generator, "write its .bit_generator.state"),
    (set, "write sorted(...)"),
)


def what_json_refuses(state: Any) -> str:
    """Return the first part of a state that JSON cannot hold, with its place and what to write; empty without one.

    Examples
    --------
    >>> what_json_refuses({"open": [(3, np.int64(0))]})
    "['open'][0][1] is a numpy.int64, which JSON cannot hold: write int(...)"
    >>> what_json_refuses({(0, 1): "a"})
    'the name (0, 1) is a tuple, which JSON cannot hold: write str(...)'
    """
    return next(_refused(state, ""), "")


def _refused(value: Any, place: str) -> Iterator[str]:
    if place.count("[") > _DEEPEST:
        return
    if isinstance(value, dict):
        for name, each in value.items():
            if not isinstance(name, _NAMES):
                of = f" of {place}" if place else ""
                instead = "int(...)" if isinstance(name, np.integer) else "str(...)"
                yield f"the name {name!r:.60}{of} is a {_type(name)}, which JSON cannot hold: write {instead}"
            yield from _refused(each, f"{place}[{name!r:.60}]")
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            yield from _refused(each, f"{place}[{number}]")
    else:
        try:
            json.dumps(value)
        except (TypeError, ValueError, RecursionError):
            instead = next((f": {how}" for kind, how in _INSTEAD if isinstance(value, kind)), "")
            yield f"{place or 'it'} is a {_type(value)}, which JSON cannot hold{instead}"


def _type(value: Any) -> str:
    """Return the name of a type, with its module where that is not Python's own, for any metaclass."""
    name, module = (str(type.__dict__[part].__get__(type(value))) for part in ("__name__", "__module__"))
    return name if module in ("builtins", "__main__") else f"{module}.{name}"
