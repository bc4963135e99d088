"""The checksum of a stored row, which tells a row that was altered from one that is as it was written."""

from __future__ import annotations

import hashlib

#: Bytes of a checksum: of 2^64 altered rows, one passes.
SIZE = 8


def checksum(*values: object) -> bytes:
    """Return the checksum of values in their order: texts, numbers, bytes and None.

    Values of different types have different checksums, and so have the same characters cut into values otherwise.

    Examples
    --------
    >>> checksum("platform", 3).hex()
    'a8e061cad2e0e263'
    >>> len({checksum(1), checksum(1.0), checksum("1"), checksum(b"1"), checksum("1", None), checksum("", "1")})
    6
    """
    found = hashlib.sha256()
    for value in values:
        content = value if isinstance(value, bytes) else repr(value).encode()
        found.update(f"{type(value).__name__} {len(content)} ".encode())
        found.update(content)
    return found.digest()[:SIZE]
