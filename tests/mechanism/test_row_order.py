"""Rows are put in order by all digits of numbers and times: exact fractions say what the order is."""

from __future__ import annotations

import gzip
import itertools
import json
import random
import re
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import InputError
from mechanism.tabular.files import TableFile
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.logs import LogReading, read_log
from mechanism.tabular.text import MOST_LINES, CsvTable, Lines
from tests.mechanism.trace_samples import market

PLAIN = market("alice", "bob", "carol")


def put_in_order(path: Path) -> tuple[list[int], list[str]]:
    """Return the numbers of the rows, which their bids state, in the order in which they are read; and the notes."""
    reading = LogReading(layout=LogLayout(order_by="when"))
    found = [chunk["bid"] for chunk in read_log(path, PLAIN, reading)]
    return np.concatenate(found).astype(int).tolist(), reading.notes


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        put_in_order(path)
    assert str(caught.value).isprintable()
    return str(caught.value)


def written(path: Path, cells: list[str]) -> Path:
    """Write a log whose column `when` holds these cells, as CSV or JSON writes them."""
    if path.suffix == ".csv":
        lines = ["when,provider,payment,score,bid", *(f"{cell},0,1,1,{i}" for i, cell in enumerate(cells))]
    else:
        rest = '"provider": 0, "payment": 1, "score": 1, "bid"'
        lines = [f'{{"when": {cell}, {rest}: {i}}}' for i, cell in enumerate(cells)]
    path.write_text("\n".join(lines) + "\n")
    return path


def expected(values: list[Fraction]) -> tuple[list[int], int]:
    """Return the stable order of exact values, and how many equal the one before."""
    order = sorted(range(len(values)), key=values.__getitem__)
    return order, sum(values[a] == values[b] for a, b in itertools.pairwise(order))


def check(path: Path, values: list[Fraction]) -> None:
    order, equal = expected(values)
    found, notes = put_in_order(path)
    assert found == order
    told = [int(match[1]) for note in notes if (match := re.match(r"(\d+) rows? ha(?:s|ve) the same value", note))]
    assert told == ([equal] if equal else [])


def near(rng: random.Random, kind: str) -> str:
    """Return a number of one kind that differs from others of it in the last of many digits."""
    last = str(rng.randrange(30))
    if kind == "nanoseconds":
        return str(1_760_000_000_000_000_000 + rng.randrange(300))
    if kind == "larger than 2^64":
        return "1" + "0" * 30 + last
    if kind == "fractions":
        return f"1760000000.{rng.randrange(30):012}"
    if kind == "negative":
        return f"-{10**17}.{last}"
    if kind == "around zero":
        return f"{rng.choice(['-', ''])}{rng.randrange(3)}.{'0' * rng.randrange(3)}{last}"
    return f"{last}.{rng.randrange(10)}e{rng.randrange(-3, 4)}"


KINDS = ["nanoseconds", "larger than 2^64", "fractions", "negative", "around zero", "exponents"]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_put_in_order_by_all_their_digits(kind: str, tmp_path: Path) -> None:
    rng = random.Random(kind)
    cells = [near(rng, kind) for _ in range(60)]
    cells = [re.sub(r"^(-?)0+(?=\d)", r"\1", cell) for cell in cells]  # JSON refuses leading zeros
    for name, shown in (("a.csv", cells), ("a.jsonl", cells), ("texts.jsonl", [json.dumps(cell) for cell in cells])):
        check(written(tmp_path / name, shown), [Fraction(cell) for cell in cells])


@pytest.mark.parametrize("digits", [3, 7, 9, 12, 18])
@pytest.mark.parametrize("zones", [True, False])
def test_times_are_put_in_order_by_all_their_digits(digits: int, zones: bool, tmp_path: Path) -> None:
    rng = random.Random(digits)
    cells, values = [], []
    for _ in range(60):
        second = rng.choice([-1, 0, 59])
        fraction = rng.randrange(10) if rng.random() < 0.7 else rng.randrange(10**digits)
        zone = timezone(timedelta(minutes=rng.choice([0, 90, -210]))) if zones else UTC
        time = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=second)).astimezone(zone)
        offset = time.isoformat()[19:] if zones else ""
        cells.append(f"{time.isoformat()[:19]}.{fraction:0{digits}}{offset}")
        values.append(Fraction(second) + Fraction(fraction, 10**digits))
    check(written(tmp_path / "log.csv", cells), values)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("20260131T120000.000000002Z", "20260131T120000.000000001Z"),
        ('"2026-01-31T12:00:00,000000002"', '"2026-01-31T12:00:00,000000001"'),
        ("2026-01-31T12:00:00.1+0530", "2026-01-31T06:30:00.09Z"),
        ("2026-01-31 12:00:00.123456789+00", "2026-01-31 12:00:00.123456788+00"),
        ("2026-W05-6T12:00:00", "2026-W05-5T12:00:00"),
        ("2026-01-01T00:30:00.000000001+14:00", "2025-12-30T22:30:00-12:00"),
        ("0001-01-01T00:00:00+13:00", "0001-01-01T00:00:00+14:00"),
        ("9999-12-31T23:59:59.999999999-14:00", "9999-12-31T23:59:59.999999998-14:00"),
        ("2026-01-31T12:00:00.01Z", "2026-01-31T12:00:00Z"),
        ("+3.", ".5"),
        (" 2.000 ", "1"),
    ],
)
def test_other_forms_of_times_and_numbers_are_put_in_order(later: str, earlier: str, tmp_path: Path) -> None:
    assert put_in_order(written(tmp_path / "log.csv", [later, earlier]))[0] == [1, 0]


#: Fractions of something other than seconds.
PARTS = ("2026-01-31T12:00.5", "2026-01-31T12.5", "2026-01-31.5", "12:00:00.5")


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "0x10",
        "1_000",
        "01ARZ3NDEKTSV4RRFFQ69G",
        "2016-12-31T23:59:60Z",
        "2026-01-31T24:00:00",
        "٣",
        "-0001-01-01",
        *PARTS,
    ],
)
def test_other_forms_have_no_order(cell: str, tmp_path: Path) -> None:
    assert "must be a number or a time of ISO 8601" in refused(written(tmp_path / "log.csv", [cell, cell]))


@pytest.mark.parametrize(
    "kind", ["integers", "unsigned", "decimals", "nanoseconds", "zone nobody knows", "seconds of a zone"]
)
def test_parquet_is_put_in_order_by_all_digits(kind: str, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rng = random.Random(kind)
    whole = [1_760_000_000_000_000_000 + rng.randrange(100) for _ in range(50)]
    columns = {
        "integers": pa.array(whole, pa.int64()),
        "unsigned": pa.array([each * 5 for each in whole], pa.uint64()),
        "decimals": pa.array([str(each) for each in whole], pa.string()).cast(pa.decimal128(30, 5)),
        "nanoseconds": pa.array(whole, pa.timestamp("ns")),
        "zone nobody knows": pa.array(whole, pa.timestamp("ns", tz="Mars/Olympus")),
        "seconds of a zone": pa.array([each % 10**9 for each in whole], pa.timestamp("s", tz="+05:30")),
    }
    zeros, bids = [0] * len(whole), list(range(len(whole)))
    table = {"when": columns[kind], "provider": zeros, "payment": zeros, "score": zeros, "bid": bids}
    parquet.write_table(pa.table(table), tmp_path / "log.parquet")
    check(tmp_path / "log.parquet", [Fraction(each) for each in whole])


@pytest.mark.parametrize("unit", ["s", "us"])
def test_a_year_that_no_reader_knows_is_refused_with_column_value_and_rule(unit: str, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    late = np.array(["2026-01-01", "200000-01-01"], f"datetime64[{unit}]").astype(np.int64)
    columns: dict[str, Any] = {name: [0, 0] for name in ("provider", "payment", "score", "bid")}
    table = pa.table({"when": pa.array(late, pa.timestamp(unit)), **columns})
    parquet.write_table(table, tmp_path / "log.parquet")
    line = refused(tmp_path / "log.parquet")
    assert "log.parquet:2:when='200000-01-01T00:00:00" in line
    assert "must be a number or a time of ISO 8601" in line
    assert "in the years 1 to 9999" in line
    assert "damaged" not in line


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("1" * 51, "must have at most 50 digits"),
        ("0." + "1" * 51, "must have at most 50 digits"),
        ("1e-20000", "an exponent below 10,000"),
        ("1e-99999999999999999999", "an exponent below 10,000"),
        ("2026-01-31T12:00:00." + "1" * 5000, "must have at most 50 digits"),
        ("inf", "must be finite"),
        ("1" * 400, "must be finite"),
    ],
)
def test_what_has_too_many_digits_is_refused(cell: str, said: str, tmp_path: Path) -> None:
    assert said in refused(written(tmp_path / "log.csv", [cell, cell]))


def test_text_and_numbers_of_json_are_one_kind(tmp_path: Path) -> None:
    check(written(tmp_path / "log.jsonl", ["3", '"2"', "1.5"]), [Fraction(3), Fraction(2), Fraction(3, 2)])
    line = refused(written(tmp_path / "log.jsonl", ["3", '"2026-01-31T12:00:00Z"']))
    assert "is a time with a zone, and cells before it have a number" in line


def table_of(contents: bytes) -> CsvTable:
    return CsvTable(Lines(BytesIO(contents), TableFile(location="a.csv", name="a.csv"), 1 << 20))


def rows_of(table: CsvTable) -> list[int]:
    found: list[int] = []
    for piece in table.pieces():
        found += piece.lines.tolist() if piece.columns is not None else [line for line, _ in piece.records]
    return found


@pytest.mark.parametrize(("columns", "end"), [(1, b"\n"), (5, b"\r\n")])
def test_blank_lines_end_at_their_limit_in_blocks_and_in_rows(columns: int, end: bytes) -> None:
    """The limit counts from the last row, which a block may hold."""
    row = b"x" + b",x" * (columns - 1) + b"\n"
    contents = gzip.compress(row * 1000 + end * (2 * MOST_LINES), 1)
    told = []
    for read in (rows_of, lambda table: list(table.records())):
        with pytest.raises(InputError, match="remove the blank lines") as caught:
            read(table_of(gzip.decompress(contents)))
        told.append(str(caught.value))
    assert told[0].split(",")[0] == told[1].split(",")[0] == f"a.csv:{1000 + MOST_LINES + 1} ends no row"
