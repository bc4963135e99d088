"""Traces as Parquet: what is written is read, what others write is read, and what is wrong is told."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, strategies as st
from pyarrow import parquet as pq

from mechanism.tabular.traces import read_trace, read_trace_chunks, write_trace
from mechanism.trace import Trace
from tests.mechanism.trace_samples import FILES, MARKET, NAMES, is_one_line, outcome

pytestmark = pytest.mark.usefixtures("own_folder")

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = st.lists(st.tuples(st.integers(0, 6), NUMBERS, st.floats(0, 1), NUMBERS, NUMBERS), min_size=1)
COLUMNS: dict[str, list[Any]] = {
    "step": [1, 2, 3],
    "provider": ["alice", "0", "two\nlines"],
    "payment": [1.5, 2.0, 0.1],
    "score": [1, 0, 1],
    "bid": [3.0, 1.0, 2.0],
}
TRACE = Trace([0, 5, 6], [1.5, 2.0, 0.1], [1, 0, 1], [3, 1, 2])


def bits(trace: Trace) -> object:
    return {name: column.tobytes() for name, column in trace.columns().items()}


@pytest.mark.long("opens DuckDB for each example")
@given(ROWS, st.booleans(), st.booleans())
@example([(6, -0.0, 5e-324, 1.7976931348623157e308, 0.1)], True, True)
@FILES
def test_a_trace_survives_bit_for_bit(rows: list[tuple[Any, ...]], costs: bool, named: bool) -> None:
    provider, payment, score, bid, cost = (list(column) for column in zip(*rows, strict=True))
    trace = Trace(provider, payment, score, bid, cost if costs else None)
    write_trace(trace, "t.Parquet", MARKET if named else None)
    assert bits(read_trace("t.Parquet", MARKET)) == bits(trace)


def test_other_readers_find_plain_columns() -> None:
    write_trace(TRACE, "named.parquet", MARKET)
    write_trace(TRACE, "t.parquet")
    named, table = pq.read_table("named.parquet"), pq.read_table("t.parquet")
    assert [str(kind) for kind in named.schema.types] == ["int64", "string", "double", "double", "double"]
    assert named.column("provider").to_pylist() == [NAMES[0], NAMES[5], NAMES[6]]
    assert table.to_pydict() == {**COLUMNS, "provider": [0, 5, 6]}


def test_the_same_trace_gives_the_same_bytes() -> None:
    for name in ("a.parquet", "b.parquet"):
        write_trace(TRACE, name, MARKET)
    assert Path("a.parquet").read_bytes() == Path("b.parquet").read_bytes()


@pytest.mark.parametrize("group", [1, 2, 7, 1000])
def test_groups_and_chunks_are_no_matter(group: int) -> None:
    rng = np.random.default_rng(1)
    trace = Trace(rng.integers(0, 7, 50), rng.random(50), rng.random(50), rng.random(50), rng.random(50))
    write_trace(trace, "whole.parquet", MARKET)
    pq.write_table(pq.read_table("whole.parquet"), "t.parquet", row_group_size=group)
    chunks = list(read_trace_chunks("t.parquet", MARKET, rows=8))
    assert [len(chunk) for chunk in chunks] == [8] * 6 + [2]
    assert read_trace("t.parquet", MARKET) == trace


def table_of(changes: dict[str, Any]) -> Any:
    return pa.table({name: column for name, column in {**COLUMNS, **changes}.items() if column is not None})


@pytest.mark.parametrize(
    "kinds",
    [
        {"step": "int8", "payment": "float32", "score": "uint8", "bid": "int64"},
        {"step": "uint64", "payment": "float64", "bid": "float16"},
        {"step": "float64", "payment": "decimal", "score": "decimal", "bid": "uint16"},
        {"step": "decimal", "payment": "float64", "score": "float16", "bid": "decimal"},
    ],
)
def test_numbers_of_any_type_are_read(kinds: dict[str, str]) -> None:
    exact = {**COLUMNS, "payment": [1.5, 2.0, 0.5]}
    types = {name: pa.decimal128(20, 5) if kind == "decimal" else getattr(pa, kind)() for name, kind in kinds.items()}
    changes = {
        name: pa.array([Decimal(value) for value in exact[name]], kind)
        if pa.types.is_decimal(kind)
        else pa.array(np.array(exact[name], kind.to_pandas_dtype()))
        for name, kind in types.items()
    }
    pq.write_table(table_of({**exact, **changes}), "t.parquet")
    assert read_trace("t.parquet", MARKET) == Trace([0, 5, 6], exact["payment"], exact["score"], exact["bid"])


def test_a_decimal_is_the_nearest_double_as_in_csv() -> None:
    texts = ["0.1", "123456789012345678.9", "0.3000000000000000166"]
    decimals = pa.array(list(map(Decimal, texts)), pa.decimal128(38, 19))
    pq.write_table(table_of({"payment": decimals, "bid": pa.array([2**53 + 1, 2**62 + 1, 7])}), "t.parquet")
    trace = read_trace("t.parquet", MARKET)
    assert trace.payment.tolist() == list(map(float, texts))
    assert trace.bid.tolist() == [float(2**53 + 1), float(2**62 + 1), 7.0]


def test_providers_of_any_type_are_read() -> None:
    texts, numbers = ["alice", "0", "2"], [0, 5, 2]  # a text is a name first, a number is an index
    for column, wanted in [
        (pa.array(texts), numbers),
        (pa.array(texts, pa.large_string()), numbers),
        (pa.array(texts).dictionary_encode(), numbers),
        (pa.DictionaryArray.from_arrays([1, 1, 0], ["alice", "b_b", "nobody"]), [1, 1, 0]),
        (pa.array(numbers, pa.uint8()), numbers),
        (pa.array([0, 5, 0]), [0, 5, 0]),
        (pa.array(numbers).dictionary_encode(), numbers),
    ]:
        pq.write_table(table_of({"provider": column}), "t.parquet")
        assert read_trace("t.parquet", MARKET).provider.tolist() == wanted


def test_columns_come_in_any_order() -> None:
    table = table_of({"cost": [1, 2, 3]})
    pq.write_table(table.select(["cost", "bid", "provider", "score", "step", "payment"]), "t.parquet")
    assert read_trace("t.parquet", MARKET) == Trace([0, 5, 6], [1.5, 2.0, 0.1], [1, 0, 1], [3, 1, 2], [1, 2, 3])


ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"step": [1, 2, 4]}, "t.parquet:3:step=4 must be 3: rows are missing before it: was the log truncated"),
    ({"step": [1, 2.5, 3]}, "t.parquet:2:step=2.5 must be 2: it counts the queries"),
    ({"step": ["1", "two", "3"]}, "t.parquet:2:step='two' must be 2: it counts the queries"),
    ({"step": [1, 2, 2**63 - 1]}, "t.parquet:3:step=9223372036854775807 must be 3"),
    ({"provider": ["alice", "bob", "0"]}, "t.parquet:2:provider='bob' is not a provider of setting 'toy'"),
    ({"provider": ["alice", None, "0"]}, "t.parquet:2:provider=None is not a provider"),
    ({"provider": [0, 7, 1]}, "t.parquet:2:provider=7 must lie in 0..6: indices start at 0"),
    ({"provider": [0.0, 1.0, 2.0]}, "t.parquet:1:provider=0.0 is not a provider of setting 'toy'"),
    ({"payment": [1, None, 2]}, "t.parquet:2:payment=None must be a number: it is what the user paid"),
    ({"payment": [1.0, 2.0, float("nan")]}, "t.parquet:3:payment=nan must be finite"),
    ({"payment": [Decimal("1.5"), None, Decimal("2.5")]}, "t.parquet:2:payment=None must be a number"),
    ({"bid": [True, False, True]}, "t.parquet:1:bid=True must be a number"),
    ({"bid": [{"bid": 1.0}] * 3}, "t.parquet:1:bid={'bid': 1.0} must be a number"),
    ({"score": [1.0, 0.0, 1.5]}, "t.parquet:3:score=1.5 must lie in [0, 1]: rescale"),
    ({"cost": [1.0, None, 1.0]}, "t.parquet:2:cost=None must be a number: it is what serving cost"),
    ({"bid": None}, "t.parquet:bid must be given: it is the standing bid"),
    ({"bids": [1, 1, 1]}, "t.parquet:bids is not a known column: remove it"),
]


@pytest.mark.for_each(("changes", "message"), ERRORS)
def test_a_bad_table_is_refused(changes: dict[str, Any], message: str) -> None:
    pq.write_table(table_of(changes), "t.parquet")
    told = outcome(read_trace, "t.parquet")
    assert message in str(told)
    assert is_one_line(told)


def test_a_column_given_twice_is_refused() -> None:
    table = table_of({})
    pq.write_table(table.append_column("bid", table.column("bid")), "t.parquet")
    assert str(outcome(read_trace, "t.parquet")).startswith("t.parquet:bid='bid' is given twice")


def test_no_rows_are_refused() -> None:
    pq.write_table(table_of({}).slice(0, 0).cast(pa.table(COLUMNS).schema), "t.parquet")
    assert str(outcome(read_trace, "t.parquet")).startswith("path='t.parquet' holds no row")


def test_other_files_are_refused() -> None:
    write_trace(TRACE, "t.parquet")
    whole = Path("t.parquet").read_bytes()
    for contents in (
        b"",
        b"step,provider,payment,score,bid\n1,alice,1,1,1\n",
        b"PAR1" * 9,
        b"PAR1",
        b"no" + whole[2:],
        whole[:-1],
    ):
        Path("t.parquet").write_bytes(contents)
        told = outcome(read_trace, "t.parquet")
        assert str(told).startswith("path='t.parquet' is not Parquet (")
        assert is_one_line(told)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.binary(max_size=4)), min_size=1, max_size=3))
@FILES
def test_a_damaged_file_is_refused_in_one_line_or_read(edits: list[tuple[float, int, bytes]]) -> None:
    """DuckDB does not look at checksums of pages."""
    trace = Trace(np.arange(200) % 7, np.linspace(0, 9, 200), np.arange(200) % 2, np.linspace(5, 6, 200))
    if not Path("whole.parquet").exists():
        write_trace(trace, "whole.parquet", MARKET)
    contents = Path("whole.parquet").read_bytes()
    for place, removed, inserted in edits:
        at = int(place * len(contents))
        contents = contents[:at] + inserted + contents[at + removed :]
    Path("t.parquet").write_bytes(contents)
    told = outcome(read_trace, "t.parquet")
    assert is_one_line(told) or isinstance(told, dict)
