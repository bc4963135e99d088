"""Logs in several files, within other JSON, and changed: what is read is what `csv` and `json` read."""

from __future__ import annotations

import csv
import gzip
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backports import zstd

from bounds.errors import InputError
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.logs import LogReading, read_log
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from tests.mechanism.test_trace_chunks import queried
from tests.mechanism.trace_samples import market, some_trace
from tests.refusals import refusal

pytestmark = pytest.mark.usefixtures("own_folder")

SETTING = market("alice", "bob", "carol", "dave", "erin", "frank")
NAMES = ("provider", "payment", "score", "bid")


def read(path: Any, reading: LogReading | None = None, **layout: Any) -> Trace:
    chunks = list(read_log(path, SETTING, reading or LogReading(layout=LogLayout(**layout))))
    return Trace(**{name: np.concatenate([chunk[name] for chunk in chunks]) for name in NAMES})


def rows_of(trace: Trace) -> list[dict[str, Any]]:
    columns = {name: getattr(trace, name).tolist() for name in NAMES}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def span(row: dict[str, Any], attributes: bool) -> dict[str, Any]:
    """Return a row as OpenTelemetry writes a span, in its attributes or in objects within it."""
    if not attributes:
        return {"gen_ai": {"who": row["provider"], "usage.cost": str(row["payment"])}, "grade": row}
    typed = {"who": {"intValue": str(row["provider"])}, "usage.cost": {"doubleValue": row["payment"]}}
    return {"gen_ai": [{"key": key, "value": value} for key, value in typed.items()], "grade": row}


NESTED = {"provider": "gen_ai.who", "payment": "gen_ai.usage.cost", "score": "grade.score", "bid": "grade.bid"}


@pytest.mark.parametrize("always", [True, False])
@pytest.mark.parametrize("attributes", [True, False])
@pytest.mark.parametrize("name", ["spans.jsonl", "spans.json", "requests.jsonl.gz", "request.json"])
def test_rows_within_other_json(name: str, attributes: bool, always: bool) -> None:
    trace = some_trace(40)
    spans = [span(row, attributes) for row in rows_of(trace)]
    requests = [{"resource": [{"scope": [{"spans": spans[i : i + 3]}, {"spans": []}]}]} for i in range(0, 40, 3)]
    if name == "request.json":
        content = json.dumps({"resource": [each["resource"][0] for each in requests], "version": 1})
    else:
        rows = spans if name.startswith("spans") else requests
        content = json.dumps(rows) if name.endswith(".json") else "\n".join(map(json.dumps, rows))
    Path(name).write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    with queried(always):
        assert read(name, columns=NESTED, records="" if name.startswith("spans") else "resource.scope.spans") == trace


def test_rows_of_a_document_stand_under_any_key() -> None:
    trace, reading = some_trace(40), LogReading()
    document = {
        "page": 1,
        "tags": ["x"],
        "of": {"rows": [{}]},
        "none": [],
        "items": rows_of(trace),
        "others": [{"a": 1}],
    }
    Path("log.json").write_text(json.dumps(document, indent=1))
    assert read("log.json", reading) == trace
    assert "Its rows are those of items." in reading.notes


@pytest.mark.parametrize(
    ("name", "begin"), [("gz", gzip.compress(b"x", mtime=0)), ("zst", zstd.compress(b"x")), ("parquet", b"PAR1")]
)
def test_a_misnamed_file_is_told(name: str, begin: bytes) -> None:
    Path("log.jsonl").write_bytes(begin)
    assert f"is a .{name} file, by how it begins: rename it" in str(refusal(read, "log.jsonl"))


@pytest.mark.parametrize(
    ("last", "message"), [('{"score": 1, "bi', "is not valid JSON"), (f'{{"a": {"[" * 100_000}', "is nested too deep")]
)
def test_a_line_that_breaks_off_is_told_with_a_condition(last: str, message: str) -> None:
    Path("log.jsonl").write_text("\n".join([*map(json.dumps, rows_of(some_trace(30))), last]))
    told = str(refusal(read, "log.jsonl", where="score > 0"))
    assert told.startswith("log.jsonl:31")
    assert message in told


def test_a_key_within_an_object_is_given_once() -> None:
    row = json.dumps(span(rows_of(some_trace(1))[0], False))
    Path("log.jsonl").write_text(row + "\n" + row.replace('"who": ', '"who": 2, "who": ') + "\n")
    for always in (True, False):
        with queried(always):
            assert "who='who' is given twice" in str(refusal(read, "log.jsonl", columns=NESTED))


def test_several_files_are_one_log() -> None:
    trace = some_trace(50)
    Path("logs").mkdir()
    for number, start in enumerate((0, 20, 35), 8):
        rows = rows_of(trace)[start : [20, 35, 50][number - 8]]
        for name in NAMES[:: 1 - 2 * (number % 2)][:1]:  # the columns in another order
            rows = [{name: row[name], **row} for row in rows]
        with open(f"logs/part-{number}.csv", "w", newline="") as file:
            table = csv.DictWriter(file, ["step", *rows[0]])
            table.writeheader()
            table.writerows({"step": start + i + (number == 10), **row} for i, row in enumerate(rows, 1))
    reading = LogReading()
    assert read("logs/part-*.csv", reading) == trace
    (fault,) = reading.steps.faults()
    assert (fault.text, fault.row) == ("step 36 is missing before line 2", 36)
    assert read([f"logs/part-{number}.csv" for number in (8, 9, 10)]) == trace
    Path("logs/part-9.csv").write_text("step,provider,payment,score,bid\n21,alice,1,1,x\n")
    assert str(refusal(read, "logs/*.csv")).startswith("logs/part-9.csv:2:bid='x' must be a number")
    assert "is the pattern of no file" in str(refusal(read, "logs/*.jsonl"))


#: What is put into files.
CHANGES = (*',"\n\r\0 e.-_\t10', "\r\n", '""', "null", "NaN", "true", "1e999", "0x", '" ', ' "', ",}", "\x0c", "ü")


def independent(text: str, ending: str) -> list[tuple[Any, ...]]:
    """Return the rows by the modules of Python alone; any error is a refusal."""
    if ending.startswith(".csv"):
        parts = text.split("\n")
        lines = [*(part + "\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])]
        header, *rows = (row for row in csv.reader(lines, strict=True) if row)
        found: list[Any] = [dict(zip(header, row, strict=True)) for row in rows]
    else:
        found = [json.loads(line) for line in text.split("\n") if line.strip()]
    indices = {str(i): i for i in range(6)} | {provider.name: i for i, provider in enumerate(SETTING.providers)}
    read_rows = []
    for row in found:
        provider = row["provider"] if type(row["provider"]) is int else indices[row["provider"]]
        cells = [row["payment"], row.get("score"), row.get("bid")]
        if cells[1] in ("", None):  # feedback that never came
            cells[1:] = 0, 0 if cells[2] in ("", None) else cells[2]
        read_rows.append((provider, *(float("x" if isinstance(cell, bool) else cell) for cell in cells)))
    return read_rows


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".csv.gz", ".jsonl.zst"])
@pytest.mark.parametrize("number", [20, pytest.param(100, marks=pytest.mark.long("100 files"))])
def test_a_changed_file_is_refused_or_read_as_another_reader_does(ending: str, number: int) -> None:
    rng, accepted = random.Random(ending), 0
    pack = {".gz": gzip.compress, "zst": zstd.compress}.get(ending[-3:], bytes)
    write_trace(some_trace(12), "whole.csv" if ending.startswith(".csv") else "whole.jsonl", SETTING)
    whole = Path("whole.csv" if ending.startswith(".csv") else "whole.jsonl").read_text()
    for _ in range(number):
        start = rng.randrange(len(whole))
        text = whole[:start] + rng.choice(CHANGES) + whole[start + rng.choice([0, 0, 1]) :]
        Path(f"log{ending}").write_bytes(pack(text.encode()))
        try:
            with queried(True):
                found = rows_of(read(f"log{ending}"))
        except InputError:
            continue
        accepted += 1
        # DuckDB alone takes a comma behind the last value of an object.
        expected = independent(text.replace(",}", "}"), ending)
        assert [tuple(row.values()) for row in found] == expected, text
    assert accepted > 0


@pytest.mark.parametrize("ending", [".csv.gz", ".jsonl.zst"])
def test_a_damaged_compressed_file_is_refused(ending: str) -> None:
    rng = random.Random(3)
    write_trace(some_trace(1000), f"whole{ending}", SETTING)
    whole, expected = Path(f"whole{ending}").read_bytes(), some_trace(1000)
    for _ in range(20):
        damaged = bytearray(whole[: rng.randrange(1, len(whole))] if rng.random() < 0.3 else whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        Path(f"log{ending}").write_bytes(damaged)
        try:
            found = read(f"log{ending}")
        except InputError:
            continue
        assert found == expected
