"""Logs as platforms keep them: other names, more columns, any order, other money, scores in a second file."""

import itertools
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.setting.model import Setting
from mechanism.tabular import pieces
from mechanism.tabular.files import TableFile
from mechanism.tabular.layout import Join, LogLayout
from mechanism.tabular.logs import LogReading, read_log
from mechanism.tabular.steps import StepCounter
from mechanism.tabular.table import open_table
from mechanism.tabular.text import MOST_LINES
from mechanism.tabular.traces import read_trace
from mechanism.trace import NEVER_SETTLED, Trace
from tests.mechanism.provider_tables import write_rows
from tests.mechanism.test_trace_chunks import queried
from tests.mechanism.trace_samples import FILES, csv_files, json_files, market, outcome, some_trace
from tests.refusals import assert_refused, refusal

pytestmark = pytest.mark.usefixtures("own_folder")

PLAIN = market("alice", "bob", "carol", "dave", "erin", "frank")
ENDINGS = [".csv", ".jsonl", ".csv.gz", ".parquet"]


def as_read(
    path: str | Path, setting: Setting = PLAIN, *, rows: int = 65_536, **layout: Any
) -> tuple[Trace, LogReading]:
    reading = LogReading(layout=LogLayout(**layout))
    chunks = list(read_log(path, setting, reading, rows=rows))
    assert all(len(chunk["rows"]) == rows for chunk in chunks[:-1])
    columns = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
    columns.pop("rows")
    return Trace(**columns), reading


def table(trace: Trace) -> list[dict[str, Any]]:
    columns = {name: column.tolist() for name, column in trace.columns().items()}
    return [
        {"step": step, **dict(zip(columns, row, strict=True))}
        for step, row in enumerate(zip(*columns.values(), strict=True), 1)
    ]


def renamed(rows: Sequence[Mapping[str, Any]], **names: str) -> list[dict[str, Any]]:
    return [{names.get(name, name): cell for name, cell in row.items()} for row in rows]


def bits(path: str | Path, setting: Setting) -> Trace:
    return as_read(path, setting)[0]


@pytest.mark.parametrize(("ending", "files"), [(".csv", csv_files()), (".jsonl", json_files())])
def test_what_a_trace_may_be_is_read_as_a_trace(ending: str, files: st.SearchStrategy[bytes]) -> None:
    """What `read_trace` takes is read alike; whole columns and single rows agree on everything."""

    @given(files)
    @FILES
    def agree(contents: bytes) -> None:
        path = Path(f"t{ending}")
        path.write_bytes(contents)
        found, strict = outcome(bits, path), outcome(read_trace, path)
        with queried(True):
            assert (outcome(bits, path), outcome(read_trace, path)) == (found, strict)
        if isinstance(strict, dict):
            assert found == strict

    agree()


@pytest.mark.for_each("ending", ENDINGS)
def test_other_names_and_more_columns(ending: str) -> None:
    trace = some_trace(300)
    rows = renamed(table(trace), provider="model", payment="spend")
    for number, row in enumerate(rows):
        row |= {"id": f"q{number}", "tokens": number}
    write_rows(f"log{ending}", rows)
    found, reading = as_read(f"log{ending}", columns={"provider": "model", "payment": "spend"}, rows=70)
    assert found == trace
    assert reading.ignored == ("id", "tokens")
    assert reading.notes == []


@pytest.mark.for_each("ending", ENDINGS)
@pytest.mark.parametrize("mixed", [False, True])
def test_scores_may_be_true_or_false(ending: str, mixed: bool) -> None:
    """As evaluations have them; in one log numbers may stand beside them, but for Parquet."""
    trace = some_trace(300)
    rows = table(trace)
    for number, row in enumerate(rows):
        if not mixed or number % 3 == 0 or ending == ".parquet":
            row["score"] = bool(row["score"])
    write_rows(f"log{ending}", rows)
    assert as_read(f"log{ending}")[0] == trace
    assert read_trace(f"log{ending}", PLAIN) == trace
    if ending != ".parquet":
        write_rows(f"log{ending}", [{**row, "score": f" {bool(row['score'])}".upper()} for row in rows])
        assert as_read(f"log{ending}")[0] == trace
    write_rows(f"log{ending}", [{**row, "score": "yes"} for row in rows])
    assert_refused("score='yes' must be a number: ", as_read, f"log{ending}")
    write_rows(f"log{ending}", [{**row, "payment": bool(row["step"] % 2)} for row in rows])
    assert_refused("payment.*must be a number", as_read, f"log{ending}")


def test_ordered_by_their_step() -> None:
    trace = some_trace(20)
    rows = table(trace)
    del rows[7]
    random.Random(1).shuffle(rows)
    write_rows("log.csv", rows)
    found, reading = as_read("log.csv", order_by="step")
    assert found == trace.rows(np.delete(np.arange(20), 7))
    assert [(fault.kind, fault.step, fault.row) for fault in reading.steps.faults()] == [("missing", 8, 8)]


def test_more_rows_than_can_be_put_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows("log.csv", [{**row, "time": row["step"]} for row in table(some_trace(30))])
    monkeypatch.setattr(pieces, "MOST_SORTED", 29)
    assert_refused("has more than 29 rows: --order-by holds all rows in memory", as_read, "log.csv", order_by="time")
    assert len(as_read("log.csv")[0]) == 30


@pytest.mark.for_each("ending", ENDINGS)
def test_scores_of_a_second_file(ending: str) -> None:
    trace = some_trace(300)
    rows = table(trace)
    scores = [{"request": row["step"], "grade": row.pop("score"), "more": 1} for row in rows]
    random.Random(3).shuffle(scores)
    write_rows(f"log{ending}", [{**row, "id": str(row["step"])} for row in rows])
    write_rows(f"scores{ending}", [*scores, {"request": 1000, "grade": 0.5, "more": 1}])
    join = Join(path=f"scores{ending}", on="id", other="request")
    found, reading = as_read(f"log{ending}", columns={"score": "grade"}, join=join, rows=70)
    assert found == trace
    assert reading.notes == [f"From scores{ending}: score; 1 of its rows belong to none of the log's."]


def test_queries_without_a_score_in_the_second_file_wait_for_ever() -> None:
    trace = some_trace(30)
    rows = table(trace)
    scores = [{"step": row["step"], "score": row.pop("score")} for row in rows]
    scores[11]["score"] = ""
    write_rows("log.csv", rows)
    write_rows("scores.csv", [row for row in scores if row["step"] != 5])
    found, reading = as_read("log.csv", join=Join(path="scores.csv", on="step", other="step"))
    assert found.settled is not None
    assert np.flatnonzero(found.settled == NEVER_SETTLED).tolist() == [4, 11]
    known = np.delete(np.arange(30), [4, 11])
    assert found.score[known].tolist() == trace.score[known].tolist()
    assert reading.notes[-1] == "2 rows without a score: read as feedback that never came."


class TestRefusals:
    """Every message names all that is wrong."""

    def told(self, path: str = "log.csv", **layout: Any) -> str:
        return str(refusal(as_read, path, **layout))

    def test_a_header(self) -> None:
        Path("log.csv").write_text("id,model,bid,bid\n1,alice,1,1\n")
        told = self.told()
        assert "log.csv:1:bid='bid' is given twice" in told
        assert "log.csv:1:provider, payment, score must be given" in told
        assert "--columns provider=model,payment=NAME,score=NAME says which these are, to judge by their names" in told

    def test_names_that_the_file_does_not_have(self) -> None:
        write_rows("log.csv", renamed(table(some_trace(3)), payment="spend"))
        told = self.told(columns={"payment": "spent", "score": "grade"}, order_by="tim")
        assert "columns='spent' is not a column of the file: did you mean spend?" in told
        assert "columns='grade' is not a column" in told
        assert "order_by='tim' is not a column" in told

    def test_columns_without_commas_between_them(self) -> None:
        write_rows("log.csv", table(some_trace(3)))
        assert "several columns are separated by commas" in self.told(columns={"payment": "spend bid=stated*1e6"})

    def test_rows(self) -> None:
        rows = table(some_trace(3000))
        rows[4] |= {"payment": "x", "score": 2}
        rows[2500] |= {"provider": "nobody"}
        write_rows("log.csv", rows)
        told = self.told()
        assert told.startswith("log.csv:6:payment='x' must be a number")
        assert "; log.csv:6:score='2' must lie in [0, 1]: rescale" in told
        assert "; log.csv:2502:provider='nobody' is not a provider" in told

    def test_of_many_problems_some(self) -> None:
        write_rows("log.csv", [{**row, "payment": "x"} for row in table(some_trace(3000))])
        assert self.told().count("payment='x'") == 5

    def test_a_number_under_another_name(self) -> None:
        write_rows("log.csv", renamed([{**row, "payment": "x"} for row in table(some_trace(1))], payment="spend"))
        assert "log.csv:2:spend='x' must be a number" in self.told(columns={"payment": "spend"})

    def test_keys_of_json_that_come_and_go(self) -> None:
        rows = table(some_trace(3))
        rows[1]["cost"], rows[2] = 1, {key: rows[2][key] for key in ("step", "provider", "bid", "score")}
        write_rows("log.jsonl", rows)
        told = self.told("log.jsonl")
        assert "log.jsonl:1:cost=None must be given on every line or on none" in told
        assert "log.jsonl:3:payment=None must be given on every line or on none" in told

    @pytest.mark.for_each("step", ["-1", "1.5", "nan", "x", "1e300"])
    def test_steps_that_are_none(self, step: str) -> None:
        rows = table(some_trace(3))
        rows[1]["step"] = step
        write_rows("log.csv", rows)
        assert f"log.csv:3:step='{step}' must be a whole number of at least 0" in self.told()

    def test_money_that_is_too_large(self) -> None:
        write_rows("log.csv", [{**row, "payment": 10.0} for row in table(some_trace(3))])
        assert self.told(unit=1e308).startswith("unit=1e+308 makes a payment larger than any number")

    def test_a_second_file(self) -> None:
        rows = table(some_trace(4))
        write_rows("paid.csv", [{"step": row["step"], "payment": row["payment"]} for row in rows[:-1]])
        write_rows("unpaid.csv", [{name: cell for name, cell in row.items() if name != "payment"} for row in rows])
        join = Join(path="paid.csv", on="step", other="step")
        assert "unpaid.csv:5:step='4' has no row in paid.csv" in self.told("unpaid.csv", join=join)
        write_rows("log.csv", [{name: cell for name, cell in row.items() if name != "score"} for row in rows])
        write_rows("scores.csv", [{"step": f"query {row['step']}", "score": 1} for row in rows])
        join = Join(path="scores.csv", on="step", other="step")
        assert "step has nothing that scores.csv has in step" in self.told(join=join)
        for on, other, which in (("step", "id", "second file"), ("id", "step", "file")):
            join = Join(path="scores.csv", on=on, other=other)
            assert f"on='id' is not a column of the {which}" in self.told(join=join)
        join = Join(path="scores.csv", on="step", other="step")
        write_rows("scores.csv", [{"step": step, "score": 1} for step in (1, 2, 3, 2)])
        assert "scores.csv:5:step repeats a value" in self.told(join=join)
        write_rows("scores.csv", [{"step": step, "grade": 1} for step in (1, 2, 3, 4)])
        assert "join='scores.csv' has no column that the log lacks: it has step, grade" in self.told(join=join)

    @pytest.mark.for_each(
        "layout",
        [{"columns": {"pay": "x"}}, {"columns": {"bid": "x", "cost": "x"}}, {"unit": 0.0}, {"bids": "between"}],
    )
    def test_a_layout(self, layout: dict[str, Any]) -> None:
        refusal(LogLayout, **layout)


def test_a_column_has_one_meaning() -> None:
    """What is the payment is not the cost as well."""
    trace = some_trace(3)
    write_rows("log.csv", renamed(table(trace), payment="cost"))
    assert as_read("log.csv", columns={"payment": "cost"})[0] == trace


class TestSteps:
    @staticmethod
    def told(steps: Sequence[int], size: int = 100) -> list[tuple[str, int, int, int]]:
        counter = StepCounter()
        for start in range(0, len(steps), size):
            part = np.array(steps[start : start + size])
            counter.feed(part, start + 2 + np.arange(len(part)))
        faults = counter.faults()
        assert counter.count >= len(faults)
        assert all(fault.line == fault.row + 1 for fault in faults)
        return [(fault.kind, fault.row, fault.step, fault.rows) for fault in faults]

    @pytest.mark.for_each("size", [1, 3, 100])
    def test_places(self, size: int) -> None:
        assert self.told(range(1, 50), size) == self.told(range(50), size) == []
        assert self.told([1, 2, 4, 5], size) == [("missing", 3, 3, 1)]
        assert self.told([1, 2, 4, 3, 5], size) == [("late", 4, 3, 1)]
        assert self.told([1, 2, 2, 3], size) == [("repeated", 3, 2, 1)]
        assert self.told([700, 701], size) == [("missing", 1, 1, 699)]
        assert self.told([1, 5, 3, 6], size) == [("missing", 2, 2, 1), ("missing", 2, 4, 1), ("late", 3, 3, 1)]

    @given(st.permutations(range(1, 12)), st.sets(st.integers(1, 11)), st.integers(1, 12))
    def test_each_step_is_there_or_told(self, order: list[int], lost: set[int], size: int) -> None:
        """Brute force: missing is what no row has and is below the highest; late is what came after a higher one."""
        steps = [step for step in order if step not in lost]
        found = self.told(steps, size)
        highest = max(steps, default=0)
        missing = {first + i for kind, _, first, rows in found if kind == "missing" for i in range(rows)}
        assert missing == {step for step in lost if step < highest}
        late = {step for kind, _, step, _ in found if kind == "late"}
        assert late == {step for at, step in enumerate(steps) if any(other > step for other in steps[:at])}

    @pytest.mark.parametrize(("name", "place"), [("log.csv", "line 6"), ("log.parquet", "row 5")])
    def test_of_a_file(self, name: str, place: str) -> None:
        rows = table(some_trace(10))
        write_rows(name, [*rows[:4], *rows[5:]])
        _, reading = as_read(name, rows=3)
        assert [fault.text for fault in reading.steps.faults()] == [f"step 5 is missing before {place}"]

    def test_of_a_file_that_counts_from_0(self) -> None:
        rows = table(some_trace(10))
        settled = zip(rows, ["3", "2", "", "7"], strict=False)
        write_rows("log.csv", [{**row, "step": row["step"] - 1, "settled": number} for row, number in settled])
        found, reading = as_read("log.csv", rows=3)
        assert found.settled.tolist() == [4, 3, NEVER_SETTLED, 8]
        assert reading.notes == ["Its steps count from 0: one was added to each, and to settled."]


@pytest.mark.for_each(
    ("changed", "note"),
    [
        (
            lambda rows: [{**row, "Cost": 1} for row in rows],
            "Column Cost is ignored; --columns cost=Cost reads it as cost.",
        ),
        (lambda rows: [{**row, "step": row["step"] - 1} for row in rows], "Its steps count from 0: one was added"),
        (lambda rows: rows[::-1], "Many rows come too late: --order-by COLUMN"),
        (
            lambda rows: [{**row} for row in rows if row.pop("step")],
            "The log has no steps: its rows count 1, 2, 3, ...",
        ),
    ],
)
def test_notes(changed: Callable[[list[dict[str, Any]]], list[dict[str, Any]]], note: str) -> None:
    rows = changed(table(some_trace(10)))
    write_rows("log.csv", rows)
    found, reading = as_read("log.csv")
    assert len(reading.notes) == 1
    assert reading.notes[0].startswith(note)
    assert found.bid.tolist() == [row["bid"] for row in rows]


def test_a_column_of_arrivals_that_is_not_read_is_named() -> None:
    write_rows("log.csv", [{**row, "receivedAt": row["step"]} for row in table(some_trace(10))])
    said = "Column receivedAt is ignored; --settled-at receivedAt reads when feedback came."
    assert said in as_read("log.csv", order_by="step")[1].notes
    assert said not in as_read("log.csv", order_by="step", settled_at="receivedAt")[1].notes
    assert said not in as_read("log.csv")[1].notes


PLAIN_ROWS = market("alice", "bob", "carol")


def put_in_order(path: Path) -> tuple[list[int], list[str]]:
    """Return the numbers of the rows, which their bids state, in the order in which they are read; and the notes."""
    reading = LogReading(layout=LogLayout(order_by="when"))
    found = [chunk["bid"] for chunk in read_log(path, PLAIN_ROWS, reading)]
    return np.concatenate(found).astype(int).tolist(), reading.notes


def refused(path: Path) -> str:
    return str(refusal(put_in_order, path))


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
    assert "log.parquet:2:when='200000-01-01 00:00:00" in line
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


@pytest.mark.parametrize(("columns", "end"), [(1, b"\n"), (5, b"\r\n")])
def test_blank_lines_end_at_their_limit(columns: int, end: bytes) -> None:
    """The limit counts from the last row."""
    Path("a.csv").write_bytes((b"x" + b",x" * (columns - 1) + b"\n") * 1000 + end * (2 * MOST_LINES))
    table = open_table(TableFile(location="a.csv", name="a.csv"), longest_line=1 << 20)
    with pytest.raises(InputError, match="remove the blank lines") as caught:
        list(table.records())
    assert str(caught.value).startswith(f"a.csv:{1000 + MOST_LINES + 1} ends no row")
