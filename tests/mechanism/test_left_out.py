"""Rows of a log that a condition leaves out, and columns that are calculated from those of the file."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from bounds.errors import InputError
from mechanism.tabular.layout import Join
from mechanism.trace import NEVER_SETTLED
from tests.mechanism.provider_tables import write_rows
from tests.mechanism.test_logs import PLAIN, as_read, table
from tests.mechanism.trace_samples import some_trace
from tests.refusals import assert_refused

pytestmark = pytest.mark.usefixtures("own_folder")

ENDINGS = [".csv", ".jsonl", ".json", ".csv.gz", ".parquet"]
WHERE = "status = 'ok' and not hit"
NAMES = [provider.name for provider in PLAIN.providers]


def among_others(rows: Sequence[dict[str, Any]], *, steps: str, seed: int = 0) -> tuple[list[dict[str, Any]], int, int]:
    """Return rows among others that are no queries, how many these are, and how many have an empty cell `hit`.

    `steps` says whether the steps count all rows, or only the queries, or are missing.
    """
    rng = random.Random(seed)
    found: list[dict[str, Any]] = []
    for row in rows:
        row["provider"] = NAMES[row["provider"]]
        while rng.random() < 0.3:
            status, hit = rng.choice([("failed", False), ("ok", True), ("ok", None), ("failed", None)])
            other = {"provider": "nobody", "payment": -1.0, "score": 7.0, "bid": None}
            found.append({"step": 0, **other, "status": status, "hit": hit})
        found.append({**row, "status": "ok", "hit": False})
    for number, row in enumerate(found, 1):
        row["step"] = number if steps == "all" else row["step"]
        if steps == "none":
            del row["step"]
    unknown = sum(row["hit"] is None and row["status"] == "ok" for row in found)
    return found, len(found) - len(rows), unknown


@pytest.mark.for_each("ending", ENDINGS)
@pytest.mark.parametrize("steps", ["all", "queries", "none"])
def test_the_queries_are_read_and_the_others_counted(ending: str, steps: str) -> None:
    trace = some_trace(300)
    rows, left_out, unknown = among_others(table(trace), steps=steps)
    write_rows(f"log{ending}", rows)
    found, reading = as_read(f"log{ending}", where=WHERE, rows=70)
    assert found == trace
    assert (reading.left_out, reading.left_out_unknown) == (left_out, unknown)
    said = f"{left_out} of {len(rows)} rows; an empty cell leaves the condition open in {unknown} rows"
    assert reading.notes[-1] == f"--where left out {said}."
    assert reading.steps is None or reading.steps.count == 0


def test_two_files_are_one_log() -> None:
    trace = some_trace(300)
    rows, left_out, _ = among_others(table(trace), steps="all")
    write_rows("a1.csv", rows[:150])
    write_rows("a2.csv", rows[150:])
    found, reading = as_read("a*.csv", where=WHERE)
    assert (found, reading.left_out, reading.steps and reading.steps.count) == (trace, left_out, 0)


def test_lost_rows_are_told_from_rows_that_were_left_out() -> None:
    rows, _, _ = among_others(table(some_trace(300)), steps="all")
    lost = [at for at, row in enumerate(rows) if row["status"] == "ok" and row["hit"] is False][100:102]
    write_rows("log.csv", [row for at, row in enumerate(rows) if at not in lost])
    steps = as_read("log.csv", where=WHERE)[1].steps
    assert steps is not None
    faults = steps.faults()
    assert sum(fault.rows for fault in faults) == 2
    assert faults[0].row == 101


def test_columns_are_calculated() -> None:
    trace = some_trace(300)
    rows = [
        {
            "model": f" {NAMES[row['provider']].upper()} ",
            "usd": repr(row["payment"] / 4),
            "in": row["bid"] / 4,
            "out": "",
        }
        | {"grade": "CI"[row["score"] < 0.5]}
        for row in table(trace)
    ]
    columns = {"provider": "lower(trim(model))", "payment": "usd*4", "bid": '("in" + coalesce(out, 0)) * 4'}
    for score in ("grade = 'C'", "case grade when 'C' then 1 else 0 end"):
        for ending in (".csv", ".jsonl", ".parquet"):
            write_rows(f"log{ending}", rows)
            found, reading = as_read(f"log{ending}", columns={**columns, "score": score}, rows=70)
            assert found == trace
            assert reading.ignored == ()


def test_fractions_of_32_bits_are_those_of_the_column() -> None:
    columns = {name: [row[name] for row in table(some_trace(50))] for name in ("provider", "score", "bid")}
    payment = pyarrow.array([number / 7 for number in range(50)], pyarrow.float32())
    parquet.write_table(pyarrow.table({**columns, "payment": payment}), "log.parquet")
    assert as_read("log.parquet", columns={"payment": "payment * 1"})[0] == as_read("log.parquet")[0]


def test_columns_of_a_second_file_are_calculated() -> None:
    trace = some_trace(50)
    write_rows("log.csv", [{**row, "id": f"q{row['step']}", "score": None} for row in table(trace)])
    write_rows("grades.csv", [{"id": f"q{row['step']}", "grade": "CI"[row["score"] < 0.5]} for row in table(trace)])
    found, _ = as_read("log.csv", columns={"score": "grade = 'C'"}, join=Join(path="grades.csv", on="id", other="id"))
    assert found == trace


def test_a_feedback_that_never_came_is_an_empty_value() -> None:
    rows = table(some_trace(20))
    write_rows("log.csv", [{**row, "grade": "" if row["step"] == 7 else row["score"]} for row in rows])
    found, _ = as_read("log.csv", columns={"score": "grade * 1"})
    assert found.settled is not None
    assert np.flatnonzero(found.settled == NEVER_SETTLED).tolist() == [6]


def test_the_exact_name_of_a_column_is_no_expression() -> None:
    trace = some_trace(20)
    rows = [{**row, "pay-ment": row["payment"], "pay": 1, "ment": 2, "bid (usd": row["bid"]} for row in table(trace)]
    write_rows("log.csv", rows)
    assert as_read("log.csv", columns={"payment": "pay-ment", "bid": "bid (usd"})[0] == trace


def changed(row: int, **cells: Any) -> list[dict[str, Any]]:
    """Return rows of which the third has a cell of two lines, and one is changed."""
    rows = [{**each, "provider": "alice", "note": "x", "status": "ok"} for each in table(some_trace(40))]
    rows[2]["note"] = "two\nlines"
    rows[row - 1] |= cells
    return rows


@pytest.mark.for_each(
    "cells, layout, told",
    [
        ({"payment": "n/a"}, {"where": "payment > 0"}, "payment='n/a' must be a finite number: where reads it so"),
        ({"note": "n/a"}, {"columns": {"payment": "payment + coalesce(nullif(note, 'x'), 0)"}}, None),
        ({"payment": "x"}, {"columns": {"payment": "payment*2"}}, "payment='x' must be a finite number: columns reads"),
        ({"payment": ""}, {"columns": {"payment": "payment*2"}}, "payment*2='' must be a number: it is what the user"),
        ({"score": 3}, {"columns": {"score": "score*1"}}, "score*1=3.0 must lie in [0, 1]: rescale"),
        ({"provider": "Zoe"}, {"columns": {"provider": "lower(provider)"}}, "lower(provider)='zoe' is not a provider"),
    ],
)
def test_a_wrong_cell_is_named_with_its_line(cells: dict[str, Any], layout: dict[str, Any], told: str | None) -> None:
    for ending, place in ((".csv", 21), (".jsonl", 19), (".csv.gz", 21)):
        path = f"log{ending}"
        write_rows(path, changed(19, **cells))
        with pytest.raises(InputError) as refused:
            as_read(path, **layout)
        assert str(refused.value).startswith(f"{path}:{place if told else ''}"), str(refused.value)
        assert told is None or f"{path}:{place}:{told}" in str(refused.value)


def test_nothing_else_of_a_row_that_is_left_out_is_read() -> None:
    write_rows("log.csv", changed(19, status="failed", payment="n/a", provider="Zoe"))
    found, reading = as_read("log.csv", where="status = 'ok' and payment > -1", columns={"payment": "payment*2"})
    assert (len(found), reading.left_out) == (39, 1)
    assert_refused("log.csv:21:payment='n/a'", as_read, "log.csv", where="payment > -1 and status = 'ok'")


def test_a_damaged_row_is_refused_though_it_would_be_left_out() -> None:
    write_rows("log.csv", changed(19, status="failed"))
    path = Path("log.csv")
    lines = path.read_text().split("\n")
    lines[20] = lines[20].rpartition(",")[0]
    path.write_text("\n".join(lines))
    assert_refused("log.csv:21.*has 6 cells, not 7", as_read, "log.csv", where="status = 'ok'")


@pytest.mark.for_each(
    "layout, told",
    [
        ({"where": "stat = 'ok'"}, r"where=.* names 'stat', which is not a column of the file: did you mean status\?"),
        ({"where": "status = 'OK'"}, r"where=.* all rows \(40\); in the first 40 rows status is 'ok' \(\d\d\)"),
        ({"where": "status = "}, r"where='status = ' is not an expression"),
        ({"where": "payment"}, r"log.csv:2:payment='[\d.]*' must be true or false"),
        ({"columns": {"payment": "paymnt*2"}}, r"columns='paymnt\*2' names 'paymnt'.*did you mean payment\?"),
        ({"columns": {"payment": "read_csv('a')"}}, r"columns=.* may not use read_csv"),
        ({"columns": {"provider": "payment*2"}}, "has a number where it needs a text"),
        (
            {"columns": {"payment": "payments"}},
            r"columns='payments' is not a column of the file: did you mean payment\?",
        ),
    ],
)
def test_what_is_refused(layout: dict[str, Any], told: str) -> None:
    write_rows("log.csv", changed(1))
    assert_refused(told, as_read, "log.csv", **layout)


def test_a_column_that_is_there_twice_is_refused() -> None:
    write_rows("log.csv", changed(1))
    text = Path("log.csv").read_text()
    Path("log.csv").write_text(text.replace("note", "status", 1))
    assert_refused("log.csv:1:status='status' is given twice", as_read, "log.csv", where="status = 'ok'")


def test_rows_of_another_order() -> None:
    trace = some_trace(100)
    rows, left_out, _ = among_others(table(trace), steps="all")
    random.Random(1).shuffle(rows)
    write_rows("log.csv", rows)
    found, reading = as_read("log.csv", where=WHERE, order_by="step")
    assert (found, reading.left_out, reading.steps and reading.steps.count) == (trace, left_out, 0)
    times = [{**row, "settled": 1, "time": row["step"], "came": row["step"] + 0.5} for row in rows]
    write_rows("log.csv", times)
    found, _ = as_read("log.csv", where=WHERE, order_by="time", settled_at="came")
    assert found.settled is not None
    assert found.settled.tolist() == list(range(1, 101))
    assert found.payment.tolist() == trace.payment.tolist()
    assert_refused("where=.* leaves out rows that the column settled counts", as_read, "log.csv", where=WHERE)
