"""Files, changed at random: bytes, lines and values of texts, compressed texts and Parquet."""

from __future__ import annotations

import gzip
import io
import random
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

#: In place of a number or a string: what a careless or hostile writer could put there.
ODD_VALUES = (
    *("nan", "NaN", "inf", "-Infinity", "1e999", "-1e999", "5e-324", "1.7976931348623157e308", "-0.0", "-1", "0", "1"),
    *("0.5", "2", "1.0000000000000002", "0.30000000000000004", "007", "1_000", "0x10", "+3", " 4 ", "1,5", "1e-3", "½"),
    *("9" * 5_000, "0." + "3" * 5_000, "1e" + "9" * 400, "9007199254740993", "18446744073709551616", "١٢", "\uff11"),
    *("true", "false", "null", "None", "", '""', '"', "''", "[]", "{}", "[[1]]", '{"a": 1}', "[" * 2_000, "{" * 500),
    *(
        "\x1b[2J",
        '"\x1b]0;owned\x07"',
        '"\\u001b[31m"',
        '"\u202eabc"',
        '"\\ud800"',
        "\u2066",
        "\x00",
        "\x9b31m",
        "a\tb",
    ),
    *('"' + "n" * 20_000 + '"', "<script>alert(1)</script>", "=1+1", "../../etc/passwd", "file:///etc/passwd", "%s%n"),
    *('"a\\nb"', "1979-05-27", "[platform]", "[[provider]]", "# no", "--help", "\u3000", "\ufeff", "e\u0301" * 50),
)
_VALUE = re.compile(rb'"[^"\n]*"|[-+]?[0-9][0-9.eE+-]*|\b[a-z_A-Z][\w.-]*\b')
_SIGNS = ("\x1b", "\u202e", "\u2066", "\u200b", "\x00", "\r", "\x7f", "\ufeff", "\u2028", "é", ",", '"', "\n", "\\")

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


def _odd_value(content: bytes, rng: random.Random) -> bytes:
    found = list(_VALUE.finditer(content))
    odd = rng.choice(ODD_VALUES).encode(errors="surrogatepass")
    if not found:
        return odd
    begin, end = rng.choice(found).span()
    if content[begin : begin + 1] == b'"' and rng.random() < 0.5:
        odd = b'"' + odd + b'"'
    return content[:begin] + odd + content[end:]


def _other_value(content: bytes, rng: random.Random) -> bytes:
    """A value of the file in place of another: right in form, wrong in meaning."""
    found = list(_VALUE.finditer(content))
    if not found:
        return content
    (begin, end), taken = rng.choice(found).span(), rng.choice(found)[0]
    return content[:begin] + taken + content[end:]


def _other_digit(content: bytes, rng: random.Random) -> bytes:
    digits = [place for place, byte in enumerate(content) if byte in b"0123456789"]
    if not digits:
        return content
    place = rng.choice(digits)
    return content[:place] + rng.choice("0123456789").encode() + content[place + 1 :]


def _a_sign(content: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(_SIGNS).encode() + content[place:]


def _lines(content: bytes, rng: random.Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    here, there = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.choice(("swap", "drop", "double", "odd", "to the end"))
    if change == "swap":
        lines[here], lines[there] = lines[there], lines[here]
    elif change == "odd":
        lines.insert(here, rng.choice(ODD_VALUES).encode(errors="surrogatepass") + b"\n")
    elif change == "double":
        lines.insert(there, lines[here])
    else:
        taken = lines.pop(here)
        lines += [taken] if change == "to the end" else []
    return b"".join(lines)


def _whole(content: bytes, rng: random.Random) -> bytes:
    """A change of the whole file: its ends of lines, its encoding, its size."""
    text = content.decode(errors="replace")
    return rng.choice(
        (
            lambda: content.replace(b"\n", b"\r\n"),
            lambda: content.replace(b"\n", b"\r"),
            lambda: b"\xef\xbb\xbf" + content,
            lambda: text.encode("utf-16"),
            lambda: text.encode("utf-32"),
            lambda: content * 3,
            lambda: b"",
            lambda: content + b"\n" * 5_000,
            lambda: content + b"x" * 3_000_000,
            lambda: b" " * 100_000 + content,
            lambda: content[::-1],
            lambda: gzip.compress(content),
        )
    )()


BINARY: tuple[Mutation, ...] = (_changed_byte, _deleted, _repeated, _truncated)
TEXT: tuple[Mutation, ...] = (
    *(_changed_byte, _deleted, _repeated, _truncated, _a_sign, _lines, _lines, _whole),
    *(_odd_value, _odd_value, _odd_value, _other_value, _other_value, _other_digit, _other_digit),
)


def changed_text(content: bytes, rng: random.Random) -> bytes:
    """Return a text with one to three changes."""
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
    """Return a Parquet file with a changed byte, or with changed cells, columns or rows."""
    import pyarrow as pa
    from pyarrow import parquet

    if rng.random() < 0.4:
        return changed_bytes(content, rng)
    table = parquet.read_table(io.BytesIO(content))
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    name, change = rng.choice(list(columns)), rng.choice(("cell", "cell", "cell", "column", "name", "drop", "rows"))
    if change == "cell":
        columns[name][rng.randrange(table.num_rows)] = rng.choice(_CELLS)
    elif change == "column":
        columns[name] = [rng.choice(_CELLS)] * table.num_rows
    elif change == "name":
        columns[rng.choice(("x\x1b[2J", "", "cost ", "Step", "n" * 5_000))] = columns.pop(name)
    elif change == "drop":
        del columns[name]
    else:
        order = rng.choices(range(table.num_rows), k=rng.choice((0, 1, table.num_rows, 2 * table.num_rows)))
        columns = {name: [cells[place] for place in order] for name, cells in columns.items()}
    try:
        made = pa.table(columns)
    except (pa.ArrowException, OverflowError):  # no column holds both kinds: all become texts
        made = pa.table({key: [str(cell) for cell in cells] for key, cells in columns.items()})
    target = io.BytesIO()
    options = {"compression": rng.choice(("none", "gzip", "zstd")), "row_group_size": rng.choice((7, 1_000))}
    parquet.write_table(made, target, **options)
    return target.getvalue()
