"""What a first report and a second one have in common."""

from __future__ import annotations

from typing import Any


def without_kept(data: Any) -> Any:
    """Return data without what differs between a first run and a second: which solvers had answered before."""
    if isinstance(data, dict):
        return {key: without_kept(part) for key, part in data.items() if key not in ("kept", "stored")}
    return [without_kept(part) for part in data] if isinstance(data, list | tuple) else data
