"""Stores: files of what SymPy made of the terms of this toolkit, so that asking for it needs no SymPy.

A store serves as long as the sources of the language and the formulas, and SymPy's version, are those it was made from;
otherwise SymPy is asked afresh. ``python -m bounds`` writes that of the formulas.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Store:
    """A file of what SymPy made of terms.

    Parameters
    ----------
    file : Path
    declared_in : tuple of Path
        The sources of the quantities that stand in these terms, besides `language`, `formulas` and `sharpest`.
    """

    file: Path
    declared_in: tuple[Path, ...] = ()


_PACKAGE = Path(__file__).parents[1]
#: The store of the formulas of `bounds`.
FORMULAS = Store(Path(__file__).with_name("trees.json"), declared_in=(_PACKAGE / "radius_caps.py",))
#: Those of other packages, which add theirs.
MORE_STORES: list[Store] = []


def stored(kind: str, key: str) -> Any | None:
    """Return what a store holds under a key, None if none does."""
    for store in (FORMULAS, *MORE_STORES):
        if (found := entries(store).get(kind, {}).get(key)) is not None:
            return found
    return None


@functools.cache
def entries(store: Store) -> dict[str, dict[str, Any]]:
    """Return the entries of a store by kind, none if they were made from other sources or changed since."""
    try:
        found = json.loads(store.file.read_text(encoding="utf-8"))
        made_from = found.pop("made_from")
        kinds: dict[str, dict[str, Any]] = found if made_from == _origin(store, found) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return kinds


def text_of(store: Store, kinds: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a store with entries by kind, an entry a line."""
    parts = [f'"made_from": "{_origin(store, kinds)}"']
    for kind, held in kinds.items():
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in held.items())
        parts.append(f'"{kind}": {{\n{lines}\n}}')
    return f"{{{', '.join(parts)}}}\n"


def _origin(store: Store, kinds: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the digest of entries, and of what they depend on: sources, and SymPy's version."""
    rooms = ("language", "formulas", "sharpest")
    sources = sorted([path for room in rooms for path in _PACKAGE.glob(f"{room}/*.py")])
    version = Path(str(getattr(find_spec("sympy"), "origin", ""))).with_name("release.py")
    found = hashlib.sha256()
    for path in [*sources, *store.declared_in, version]:
        found.update(path.read_bytes())
    found.update(json.dumps(kinds, sort_keys=True).encode())
    return found.hexdigest()
