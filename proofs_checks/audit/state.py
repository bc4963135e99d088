"""The state of an audit in a file, from which the next audit of the same log, with more rows, goes on."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bounds.errors import InputError, printable
from mechanism.files import read_whole, reason, replacing, within
from mechanism.trace import Trace

#: Bytes of a state: auctions of many providers, and the listed violations, take some tens of MiB.
_LARGEST = 1 << 28
_COLLECTIONS: Mapping[str, Callable[[Any], Any]] = {
    **{"dict": dict, "set": set, "tuple": tuple},
    "Counter": lambda items: Counter(dict(items)),
}
#: Rows among which one that has changed is found, and a factor that mixes bits.
_BLOCK, _MIX = 1 << 12, np.uint64(0x9E3779B97F4A7C15)
_REMEDY = "name a file that does not exist yet, to audit the whole log"


@dataclass(frozen=True, kw_only=True)
class StateFile:
    """Where the state of an audit is kept.

    Parameters
    ----------
    path : str or path-like
        Of a JSON file; while it does not exist an audit begins with the first row.
    parts : callable
        Returns the parts of the log, from its first row on.
    """

    path: str | os.PathLike[str]
    parts: Callable[[], Iterable[Trace]]

    def read(self, given: Mapping[str, str]) -> Any:
        """Return the state that was written last, or None; raise an `InputError` if no audit can go on from it.

        Parameters
        ----------
        given : mapping of str to str
            What must be the same in all audits of a log, by what it is called.
        """
        try:
            text = read_whole(self.path, _LARGEST)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise self.refused(f"cannot be read ({reason(error)})") from None
        digest, _, body = text.partition(b"\n")
        if digest != _digest(body):
            raise self.refused("is damaged, or no audit wrote it")
        written, state = json.loads(body)
        for name, value in given.items():
            if written.get(name) != value:
                had = written.get(name) or "none"
                shown = "" if "\n" in had else f" ({printable(had, 300)})"
                raise self.refused(f"belongs to an audit with another {name}{shown}", f"give the same, or {_REMEDY}")
        return _decoded(state)

    def write(self, given: Mapping[str, str], state: Any) -> None:
        """Write the state, whole or not at all."""
        body = json.dumps([dict(given), _encoded(state)]).encode()
        with replacing(self.path, "state", "name a file you may write to") as new:
            new.write_bytes(within(_digest(body) + b"\n" + body, _LARGEST))

    def refused(self, rule: str, remedy: str = _REMEDY) -> InputError:
        """Return why no audit goes on from the file."""
        return InputError("state", os.fspath(self.path), rule, remedy)


class SeenRows:
    """A digest of the rows of a log, column by column, which does not depend on the parts in which they come.

    Examples
    --------
    >>> whole, parts = SeenRows(), SeenRows()
    >>> log = Trace([0, 1], [1.0, 1.0], [1.0, 0.0], [0.2, 0.3])
    >>> whole.feed(log), parts.feed(log.head(1)), parts.feed(log.rows(slice(1, 2)))
    (None, None, None)
    >>> whole.left["digest"] == parts.left["digest"]
    True
    """

    def __init__(self) -> None:
        self.rows = 0
        self._hashes: dict[str, Any] = {}
        #: By column and block of rows: the sum of its values as mixed numbers, and of these times the row.
        self._sums: dict[str, NDArray[np.uint64]] = {}

    @property
    def left(self) -> dict[str, Any]:
        """What the next audit compares the same rows with: a digest, and what finds one that has changed."""
        return {"digest": {name: found.hexdigest() for name, found in self._hashes.items()}, "sums": self._sums}

    def feed(self, trace: Trace) -> None:
        """Take the next rows."""
        rows = np.arange(self.rows, self.rows + len(trace))
        self.rows += len(trace)
        for name, column in {"settled": rows + 1, **trace.columns()}.items():
            numbers = column.astype("<i8" if name == "provider" else "<f8")
            self._hashes.setdefault(name, hashlib.blake2b(digest_size=16)).update(numbers)
            bits = numbers.view(np.uint64)
            mixed = (bits ^ (bits >> np.uint64(32))) * _MIX
            before = self._sums.get(name, np.zeros((2, 0), np.uint64))
            sums = np.pad(before, ((0, 0), (0, -(-self.rows // _BLOCK) - before.shape[1])))
            np.add.at(sums[0], rows // _BLOCK, mixed)
            np.add.at(sums[1], rows // _BLOCK, mixed * (rows % _BLOCK).astype(np.uint64))
            self._sums[name] = sums

    def new(
        self, parts: Iterable[Trace], rows: int, before: Mapping[str, Any] | None, refused: Callable[[str], InputError]
    ) -> Iterator[Trace]:
        """Yield the rows after the first `rows`, of which an audit before left what is given."""
        for part in parts:
            if before is not None and (old := rows - self.rows) > 0:
                self.feed(part.head(old))
                part = part.rows(slice(old, None))
                if self.rows == rows and self.left["digest"] != before["digest"]:
                    changed = self._changed(before["sums"])
                    raise refused(f"belongs to another log: of the first {rows:,} steps, {changed}")
            if len(part):
                self.feed(part)
                yield part

    def _changed(self, before: Mapping[str, NDArray[np.uint64]]) -> str:
        """Return which of the rows have changed, in words."""
        if others := self._sums.keys() ^ before.keys():
            return f"none or all had the column {', '.join(sorted(others))} before"
        changes = {name: before[name] - sums for name, sums in self._sums.items()}
        block, name = min((int(each.any(axis=0).argmax()), name) for name, each in changes.items() if each.any())
        by, by_row = changes[name][:, block]
        # If one value has changed, the second difference is the first times its row.
        found = np.flatnonzero(np.arange(_BLOCK, dtype=np.uint64) * by == by_row)
        first, last = block * _BLOCK + 1, min(block * _BLOCK + _BLOCK, self.rows)
        if len(found) == 1:
            return f"step {first + int(found[0]):,} has another {name}"
        return f"some of {first:,} to {last:,} have another {name}, as when a row before them comes late or is removed"


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def _encoded(value: Any) -> Any:
    """Return a part of a state as JSON data; what JSON lacks is an object with one key, its kind."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        packed = base64.b64encode(zlib.compress(value.tobytes(), 1)).decode()
        return {"array": [value.dtype.str, list(value.shape), packed]}
    if isinstance(value, Fraction):
        return {"Fraction": [value.numerator, value.denominator]}
    if isinstance(value, (dict, list, set, tuple)):
        items = [_encoded(each) for each in (value.items() if isinstance(value, dict) else value)]
        return items if isinstance(value, list) else {type(value).__name__: items}
    if isinstance(value, Enum):
        return {"Enum": [type(value).__module__, type(value).__name__, value.name]}
    attributes = {name: _encoded(each) for name, each in vars(value).items()}
    return {"object": [type(value).__module__, type(value).__name__, attributes]}


def _decoded(data: Any) -> Any:
    """Return the part of a state that `_encoded` made into JSON data; the file says no code to run."""
    if isinstance(data, list):
        return [_decoded(each) for each in data]
    if not isinstance(data, dict):
        return data
    [(kind, held)] = data.items()
    if kind in _COLLECTIONS:
        return _COLLECTIONS[kind](_decoded(held))
    if kind == "Fraction":
        return Fraction(*held)
    if kind == "array":
        dtype, shape, packed = held
        size = np.dtype(dtype).itemsize * math.prod(shape)
        unpacked = zlib.decompressobj().decompress(base64.b64decode(packed), max(size, 1))
        return np.frombuffer(unpacked, dtype).reshape(shape).copy()[()]  # a number where there is no axis
    module, name, content = held
    found = getattr(sys.modules[module], name)  # an audit has loaded every class of a state
    if kind == "Enum":
        return found[content]
    made = object.__new__(found)
    for attribute, value in content.items():
        object.__setattr__(made, attribute, _decoded(value))
    return made
