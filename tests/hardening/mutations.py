"""Files, changed at random: bytes, lines and values of texts, compressed texts and Parquet."""

import gzip
import io
import random
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

#: In place of a number or a string: what a careless or hostile writer could put there.
ODD_VALUES = (
    *("nan", "inf", "-Infinity", "1e999", "5e-324", "-0.0", "-1", "0", "1", "1.0000000000000002", "007", "1_000"),
    *("0x10", "+3", " 4 ", "1,5", "½", "9" * 5_000, "0." + "3" * 5_000, "1e" + "9" * 400, "١٢", "\uff11", "null"),
    *("9007199254740993", "18446744073709551616", "true", "None", "", '""', '"', "[]", "{}", '{"a": 1}'),
    *("[" * 2_000, "{" * 500, "\x1b[2J", '"\\u001b[31m"', '"\u202eabc"', '"\\ud800"', "\u2066", "\x00", "a\tb"),
    *('"' + "n" * 20_000 + '"', "<script>alert(1)</script>", "=1+1", "../../etc/passwd", "file:///etc/passwd", "%s%n"),
    *('"a\\nb"', "1979-05-27", "[platform]", "[[provider]]", "# no", "--help", "\u3000", "\ufeff", "e\u0301" * 50),
)
_VALUE = re.compile(rb'"[^"\n]*"|[-+]?[0-9][0-9.eE+-]*|\b[a-z_A-Z][\w.-]*\b')

Mutation = Callable[[bytes, random.Random], bytes]


def _span(content: bytes, rng: random.Random, longest: int = 64) -> tuple[int, int]:
    begin = rng.randrange(len(content) + 1)
    return begin, min(len(content), begin + rng.randint(1, longest))


def _changed_byte(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(max(len(content), 1))
    return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]


def _deleted(content: bytes, rng: random.Random) -> bytes:
    begin, end = _span(content, rng)
    return content[:begin] + content[end:]


def _repeated(content: bytes, rng: random.Random) -> bytes:
    begin, end = _span(content, rng)
    return content[:end] + content[begin:end] * rng.choice((1, 2, 50)) + content[end:]


def _truncated(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _value(content: bytes, rng: random.Random) -> bytes:
    """An odd value in place of another, or one of the file: right in form, wrong in meaning."""
    found = [match.span() for match in _VALUE.finditer(content)] or [(0, len(content))]
    (begin, end), (other, last) = rng.choice(found), rng.choice(found)
    new = rng.choice((rng.choice(ODD_VALUES).encode(errors="surrogatepass"), content[other:last]))
    if content[begin : begin + 1] == b'"' and rng.random() < 0.5:
        new = b'"' + new + b'"'
    return content[:begin] + new + content[end:]


def _digit(content: bytes, rng: random.Random) -> bytes:
    place = rng.choice([match.start() for match in re.finditer(rb"[0-9]", content)] or [0])
    return content[:place] + rng.choice("0123456789").encode() + content[place + 1 :]


def _lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    here, there = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.choice(("drop", "double", "odd", "move"))
    taken = lines[here] if change == "double" else lines.pop(here) if change in ("drop", "move") else b""
    if change == "odd":
        taken = rng.choice(ODD_VALUES).encode(errors="surrogatepass") + b"\n"
    return b"".join(lines[:there] + ([] if change == "drop" else [taken]) + lines[there:])


def _whole(content: bytes, rng: random.Random) -> bytes:
    """A change of the whole file: its ends of lines, its encoding, its size."""
    text = content.decode(errors="replace")
    changed = (
        *(content.replace(b"\n", b"\r\n"), content.replace(b"\n", b"\r"), gzip.compress(content), content[::-1]),
        *(b"\xef\xbb\xbf" + content, text.encode("utf-16"), text.encode("utf-32"), b"", content * 3),
        *(content + b"\n" * 5_000, content + b"x" * 3_000_000, b" " * 100_000 + content),
    )
    return rng.choice(changed)


BINARY: tuple[Mutation, ...] = (_changed_byte, _deleted, _repeated, _truncated)
TEXT: tuple[Mutation, ...] = (*BINARY, _lines, _lines, _whole, *[_value] * 5, *[_digit] * 2)


def changed_text(content: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(TEXT)(content, rng)
    return content


def changed_bytes(content: bytes, rng: random.Random) -> bytes:
    """Return a binary file with one change."""
    return rng.choice(BINARY)(content, rng)


def changed_gzip(content: bytes, rng: random.Random) -> bytes:
    """Return a compressed text, changed within or without."""
    if rng.random() < 0.3:
        return changed_bytes(content, rng)
    return gzip.compress(changed_text(gzip.decompress(content), rng), mtime=0)


#: Cells of another kind than a column's.
_CELLS: tuple[Any, ...] = (
    *(None, float("nan"), float("inf"), -1, 2**62, 1e308, 5e-324, True, Decimal("0.1")),
    *("x", "\x1b[2J", "\u202e", b"\xff", "1", "0.5", "n" * 10_000, [], [1, 2], {"a": 1}),
)


def changed_parquet(content: bytes, rng: random.Random) -> bytes:
    """Return a Parquet file with a changed byte, cell or column, or with another name of a column."""
    import pyarrow as pa
    from pyarrow import parquet

    if rng.random() < 0.4:
        return changed_bytes(content, rng)
    columns = parquet.read_table(io.BytesIO(content)).to_pydict()
    name, change = rng.choice(list(columns)), rng.choice(("cell", "cell", "cell", "column", "name"))
    cells = columns.pop(name)
    if change == "name":
        name = rng.choice(("x\x1b[2J", "", "cost ", "Step", "n" * 5_000))
    elif change == "column":
        cells = [rng.choice(_CELLS)] * len(cells)
    else:
        cells[rng.randrange(len(cells))] = rng.choice(_CELLS)
    try:
        made = pa.table({**columns, name: cells})
    except (pa.ArrowException, OverflowError):  # no column holds both kinds: all become texts
        made = pa.table({**columns, name: [str(cell) for cell in cells]})
    target = io.BytesIO()
    parquet.write_table(made, target, compression=rng.choice(("none", "gzip", "zstd")))
    return target.getvalue()
