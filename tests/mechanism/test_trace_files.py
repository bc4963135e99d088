"""Traces and their files as text: what is written is read, what others write is read, and every error is one line."""

import gzip
import json
import os
import pickle
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra import numpy as arrays

from bounds.errors import InputError
from mechanism.tabular.traces import LONGEST_LINE, read_trace, write_trace
from mechanism.trace import Trace
from tests.mechanism.trace_samples import FILES, market
from tests.refusals import assert_refused, refusal

pytestmark = pytest.mark.usefixtures("own_folder")

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.floats(0, 1)
#: Names that a format might break, and names that look like the index of another provider.
ODD_NAMES = (
    *("1", "0", "a,b", 'say "x"', "two\nlines", "car\rriage", " padded ", "ünïcødé", "-1", "null", "\x00", "é\u2028"),
)
NAMES = st.lists(
    st.one_of(st.sampled_from(ODD_NAMES), st.text(st.characters(exclude_categories=["Cs"]), min_size=1)),
    min_size=2,
    max_size=5,
    unique=True,
).filter(lambda names: all(name.strip() for name in names))

TOY = market("alice", "bob", "carol")
CSV = "step,provider,payment,score,bid\n1,alice,1.0,1,0.25\n2,2,0.5,0,0.125\n"
JSON = (
    '{"step": 1, "provider": "alice", "payment": 1.0, "score": 1, "bid": 0.25}\n'
    '{"step": 2, "provider": 2, "payment": 0.5, "score": 0, "bid": 0.125}\n'
)
TRACE = Trace([0, 2], [1.0, 0.5], [1, 0], [0.25, 0.125])


@st.composite
def traces(draw: st.DrawFn, providers: int = 3) -> Trace:
    rows = draw(st.lists(st.tuples(st.integers(0, providers - 1), NUMBERS, SCORES, NUMBERS, NUMBERS), min_size=1))
    provider, payment, score, bid, cost = (list(column) for column in zip(*rows, strict=True))
    return Trace(provider, payment, score, bid, cost if draw(st.booleans()) else None)


def same_bits(one: Trace, other: Trace) -> bool:
    mine, theirs = one.columns(), other.columns()
    return mine.keys() == theirs.keys() and all(mine[name].tobytes() == theirs[name].tobytes() for name in mine)


@pytest.mark.for_each("ending", [".csv", ".jsonl", ".csv.gz"])
@given(traces(), st.booleans())
@example(Trace([0, 1], [0.1, -0.0], [5e-324, 1.0], [1.7976931348623157e308, 1 / 3], [2.5e-310, 1e22]), True)
@FILES
def test_a_trace_survives_bit_for_bit(ending: str, trace: Trace, named: bool) -> None:
    path = Path(f"trace{ending}")
    write_trace(trace, path, TOY if named else None)
    assert same_bits(read_trace(path, TOY), trace)


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@given(NAMES, st.data())
@FILES
def test_any_names_survive(ending: str, names: list[str], data: st.DataObject) -> None:
    setting, path = market(*names), Path(f"trace{ending}")
    trace = data.draw(traces(providers=len(names)))
    write_trace(trace, path, setting)
    assert same_bits(read_trace(path, setting), trace)


@pytest.mark.for_each(
    ("name", "text"),
    [
        ("t.csv", CSV),
        ("t.csv", CSV.rstrip("\n")),
        ("t.csv", CSV.replace("\n", "\r\n")),
        ("t.csv", CSV.replace("\n", "\n\n") + "\n\n"),
        ("t.csv", CSV.replace("alice", '"alice"').replace("0.25", " .25 ").replace("2,2", "2.0,carol")),
        ("t.csv", "bid,score,step,payment,provider\n0.25,1,1,1e0,0\n0.125,0,2,+0.5,carol\n"),
        ("t.jsonl", JSON),
        ("t.ndjson", JSON.replace("\n", "\r\n\r\n")),
        ("t.CSV", CSV),
        ("t.jsonl", JSON.replace(" ", "").replace('"provider":2', '"provider":"2"').replace("1.0", '"1"')),
        ("t.jsonl", '{"bid": 0.25, "step": 1, "score": 1, "payment": 1, "provider": 0}\n' + JSON.split("\n")[1]),
    ],
)
def test_other_writers_files_are_read(name: str, text: str) -> None:
    Path(name).write_bytes(text.encode())
    assert read_trace(Path(name), TOY) == TRACE


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "step,provider,payment,score,bid\n1,1,1,1,1\n2,0,1,1,1\n3,2,1,1,1\n4,x,1,1,1\n"),
        (
            "t.jsonl",
            "".join(
                f'{{"step": {t}, "provider": {p}, "payment": 1, "score": 1, "bid": 1}}\n'
                for t, p in enumerate(['"1"', '"0"', '"2"', '"x"'], 1)
            ),
        ),
    ],
)
def test_a_name_wins_over_an_index(name: str, text: str) -> None:
    """Provider 0 is called "1": the text "1" is provider 0, and "0", which names nobody, is an index."""
    Path(name).write_text(text)
    assert read_trace(Path(name), market("1", "x", "y")).provider.tolist() == [0, 0, 2, 1]


def test_paths_that_cannot_be_read_are_refused() -> None:
    Path("folder.csv").mkdir()
    os.mkfifo("pipe.csv")
    for path, message in [
        (Path("pipe.csv"), "cannot be read (not a plain file)"),
        (Path("none.csv"), "cannot be read (no such file or directory): give the path of a trace file"),
        (Path("none.jsonl.gz"), "cannot be read (no such file or directory)"),
        (Path("folder.csv"), "cannot be read (is a directory)"),
        (
            Path("trace.parquet.gz"),
            ".csv, .tsv, .jsonl, .ndjson, .json, or in one of these and .gz or .zst, or in .parquet",
        ),
        (Path("trace"), "must end in .csv"),
        (Path("trace.gz"), "must end in .csv"),
        ("a\0b.csv", "cannot be read (embedded null byte)"),
        ("two\nlines.csv", "path='two\\nlines.csv' cannot be read"),
        (7, "path=7 must be a path"),
        (None, "path=None must be a path"),
    ]:
        assert message in str(refusal(read_trace, path, TOY))


def test_the_text_is_plain() -> None:
    write_trace(TRACE, Path("t.csv"), TOY)
    write_trace(TRACE, Path("t.jsonl"))
    assert Path("t.csv").read_bytes() == (
        b"step,provider,payment,score,bid\n1,alice,1.0,1.0,0.25\n2,carol,0.5,0.0,0.125\n"
    )
    assert Path("t.jsonl").read_bytes() == (
        b'{"step": 1, "provider": 0, "payment": 1.0, "score": 1.0, "bid": 0.25}\n'
        b'{"step": 2, "provider": 2, "payment": 0.5, "score": 0.0, "bid": 0.125}\n'
    )


def test_the_same_trace_gives_the_same_archive() -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        write_trace(TRACE, Path(name))
    assert Path("a.csv.gz").read_bytes() == Path("b.csv.gz").read_bytes()
    assert Path("a.csv.gz").read_bytes()[3:8] == b"\0" * 5  # flags and time: no name, no clock


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_writer_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> None:
    path = Path("t.csv")
    path.write_text("old")

    def fail(*arguments: object) -> None:
        raise failure

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises((InputError, KeyboardInterrupt)) as caught:
        write_trace(TRACE, path)
    if isinstance(failure, OSError):
        assert "cannot be written (no space left on device): give a path" in str(caught.value)
    assert path.read_text() == "old"
    assert os.listdir() == ["t.csv"]


def test_a_new_file_replaces_the_old_one_and_has_the_usual_rights() -> None:
    path, plain = Path("t.csv"), Path("plain")
    path.write_text("old")
    plain.touch()
    write_trace(TRACE, path)
    assert read_trace(path, TOY) == TRACE
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert sorted(os.listdir()) == ["plain", "t.csv"]


def test_traces_that_cannot_be_written_are_refused() -> None:
    Path("folder.csv").mkdir()
    before = os.listdir()
    empty, stranger, negative = Trace([], [], [], []), Trace([3], [1], [1], [1]), Trace([-1], [1], [1], [1])
    surrogate = market("a", "b\ud800")
    for trace, path, setting, message in [
        (empty, Path("t.csv"), None, "trace=0 steps are too few"),
        (stranger, Path("t.csv"), TOY, r"provider=3 must lie in 0..2: the trace belongs to another setting"),
        (negative, Path("t.csv"), None, "provider=-1 must not be negative"),
        (TRACE.head(1), Path("t.csv"), surrogate, "cannot be written as UTF-8: rename the provider"),
        (TRACE, Path("t.txt"), TOY, "must end in .csv"),
        (TRACE, Path("none", "t.csv"), TOY, "cannot be written (no such file or directory)"),
        (TRACE, Path("folder.csv"), TOY, "cannot be written (is a directory)"),
        (TRACE, "a\0b.csv", TOY, "cannot be written ("),
        (TRACE, "a\ud800b.csv", TOY, "cannot be written ("),
        (TRACE, 5, TOY, "path=5 must be a path"),
    ]:
        assert message in str(refusal(write_trace, trace, path, setting))
    assert os.listdir() == before


def row(**changes: Any) -> str:
    return json.dumps({"step": 1, "provider": "alice", "payment": 1, "score": 1, "bid": 1, **changes})


HEADER = "step,provider,payment,score,bid"
CSV_ERRORS = [
    ("", "path='{path}' holds no row: a trace needs one row per query"),
    ("\ufeff", "path='{path}' holds no row"),
    ("\ufeff\ufeff" + CSV, "{path}:1:\\ufeffstep is not a known column: did you mean step?"),
    (CSV + "\ufeff3,bob,1,1,1\n", "{path}:4:step='\\ufeff3' must be 3"),
    ("step,provider,payment,score\n", "{path}:1:bid must be given: it is the standing bid"),
    ("step,provider,payment,score,bid,Cost\n", "{path}:1:Cost is not a known column: did you mean cost?"),
    (HEADER + ",zzz\n", "{path}:1:zzz is not a known column: remove it; the columns are step, provider, payment"),
    ("step,provider,price,score,bid\n", ":price is not a known column: rename it, if it is payment;"),
    (CSV.replace(",", ";"), "{path}:1='step;provider;payment;score;bid' separates the columns by semicolons: separate"),
    (HEADER + ",bid\n", "{path}:1:bid='bid' is given twice: keep one of the two"),
    ("1,alice,1.0,1,0.25\n", "{path}:1:1 is not a known column: rename it, if it is step or provider or"),
    (CSV + "3,bob,1,1\n", "{path}:4='3,bob,1,1' has 4 cells, not 5 as the header"),
    (CSV + "3,a,b,1,1,1\n", "{path}:4='3,a,b,1,1,1' has 6 cells, not 5 as the header: quote a name"),
    (CSV + "4,bob,1,1,1\n", "{path}:4:step='4' must be 3: rows are missing before it: was the log truncated"),
    (CSV + "1,bob,1,1,1\n", "{path}:4:step='1' must be 3: the rows are out of order"),
    (HEADER + "\n0,bob,1,1,1\n", "{path}:2:step='0' must be 1: steps count from 1"),
    (CSV + "3.5,bob,1,1,1\n", "{path}:4:step='3.5' must be 3: it counts the queries"),
    (CSV + "3,bop,1,1,1\n", "{path}:4:provider='bop' is not a provider of setting 'toy': did you mean 'bob'?"),
    (CSV + "3,zzz,1,1,1\n", "setting 'toy': write an index in 0..2 or a name: 'alice', 'bob', 'carol'"),
    (CSV + "3,3,1,1,1\n", "{path}:4:provider='3' must lie in 0..2: indices start at 0"),
    (CSV + "3,bob,x,1,1\n", "{path}:4:payment='x' must be a number: it is what the user paid; write it as 0.5 or 3"),
    (CSV + "3,bob,٣,1,1\n", "{path}:4:payment='\\u0663' must be a number"),
    (CSV + "3,bob,nan,1,1\n", "{path}:4:payment='nan' must be finite: it is what the user paid"),
    (CSV + "3,bob,1,1,-inf\n", "{path}:4:bid='-inf' must be finite"),
    (CSV + "3,bob,1,1.01,1\n", "{path}:4:score='1.01' must lie in [0, 1]: rescale"),
    (CSV + '3,"bob"x,1,1,1\n', "{path}:4='3,\"bob\"x,1,1,1' is not valid CSV"),
    (CSV + '3,"bob,1,1,1\n4,bob,1,1,1\n', "{path}:4='lines 4..5' is not valid CSV (unexpected end of data)"),
    (CSV.replace("\n", "\r"), "{path}:1='step,provider"),
    (CSV + '3,"b\nb",1,1,1\n4,bob,1,1,1', "{path}:4:provider='b\\nb' is not a provider"),
    (CSV + "3," + "b" * 200_000 + ",1,1,1\n", "is not valid CSV (field larger than field limit"),
    (CSV + "x" * LONGEST_LINE, f" is longer than {LONGEST_LINE} bytes: is it a trace?"),
]


@pytest.mark.for_each(("text", "message"), CSV_ERRORS)
def test_a_bad_csv_file_is_refused(text: str, message: str) -> None:
    assert_file_refused("trace.csv", text.encode(), message)


JSON_ERRORS = [
    ("", "path='{path}' holds no row"),
    ("\ufeff", "path='{path}' holds no row"),
    (JSON + "\ufeff" + row(step=3), " is not valid JSON (Expecting value, column 1)"),
    (JSON + '{"step": 3, "provider"\n', "(Expecting ':' delimiter, column 23)"),
    (JSON + row(step=3) + "\x0c\n", "(Extra data, column 69)"),
    (JSON + "nope", "{path}:3='nope' is not valid JSON (Expecting value, column 1): write one object a line"),
    (JSON.replace("\n", " "), "is not valid JSON (Extra data, column"),
    ("[" * 100_000, "is nested too deep"),
    ('{"step": ' + "1" * 5000 + "}", "holds a number of too many digits: write it as 1e300"),
    (row(provider="\ud800"), "{path}:1:provider='\\ud800' is not a provider"),
    (row(provider=True), "{path}:1:provider=True is not a provider"),
    (row(payment="1,5"), "{path}:1:payment='1,5' must be a number"),
    (row(payment=10**400), "{path}:1:payment=1000000"),
    (row(step=True), "{path}:1:step=True must be 1: it counts the queries"),
    (row(step=7), "{path}:1:step=7 must be 1: steps count from 1; the beginning of the log may be missing"),
    (row(**{"a\nb": 1}), "{path}:1:a\\nb is not a known column"),
    ('{"step": 1, "step": 1}', "{path}:1:step='step' is given twice"),
    (row(cost=1) + "\n" + row(step=2), "{path}:2:cost=None must be given on every line or on none"),
    (row() + "\n" + row(step=2, bids=3), "{path}:1:bids is not a known column: remove it"),
]


@pytest.mark.for_each(("text", "message"), JSON_ERRORS)
def test_a_bad_json_file_is_refused(text: str, message: str) -> None:
    assert_file_refused("trace.jsonl", text.encode(), message)


def assert_file_refused(path: str, contents: bytes, message: str) -> None:
    Path(path).write_bytes(contents)
    assert message.format(path=path) in str(refusal(read_trace, path, TOY))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_other_encodings_are_refused(name: str) -> None:
    text = (CSV if name == "t.csv" else JSON).encode()
    second = text.index(b"alice" if name == "t.csv" else b'"provider": 2')
    spoilt = text[:second] + b"\xff" + text[second:]
    assert_file_refused(name, spoilt, "{path}:2=b'\\xff' is not UTF-8: save the file as UTF-8")
    assert_file_refused(name, text.decode().encode("utf-16"), "{path}:1=b'\\xff' is not UTF-8")


def test_damaged_archives_are_refused() -> None:
    path, whole = "t.csv.gz", gzip.compress(CSV.encode())
    assert_file_refused(path, whole[:-12], "path='{path}' cannot be read beyond line")
    assert_file_refused(path, whole[:30], "path='{path}' cannot be read beyond line 0 (compressed file ended before")
    assert_file_refused(path, whole[:-8] + b"\0" * 8, "path='{path}' cannot be read beyond line")
    assert_file_refused(path, whole[:12] + b"\xff" * 40, "a compressed file may be truncated or damaged")
    assert_file_refused(path, CSV.encode(), "cannot be read beyond line 0 (not a gzipped file")
    assert_file_refused(path, b"", "holds no row")


@pytest.mark.for_each(("path", "text"), [("t.csv", CSV), ("t.csv", "\n" + CSV), ("t.jsonl", JSON), ("t.csv.gz", CSV)])
def test_a_byte_order_mark_changes_nothing(path: str, text: str) -> None:
    """Spreadsheets write one."""
    for contents in (text.encode(), b"\xef\xbb\xbf" + text.encode()):
        Path(path).write_bytes(gzip.compress(contents) if path.endswith(".gz") else contents)
        trace = read_trace(path, TOY)
        assert trace.provider.tolist() == [0, 2]
        assert trace.bid.tolist() == [0.25, 0.125]
        assert trace.cost is None


def columns(**changes: Any) -> dict[str, Any]:
    return {"provider": [0, 1], "payment": [1, 2.5], "score": [1, 0], "bid": [0.5, 0.25], **changes}


@given(arrays.arrays(np.float64, st.integers(0, 6), elements=NUMBERS), st.booleans())
def test_equal_columns_make_equal_traces(amounts: np.ndarray[Any, Any], with_cost: bool) -> None:
    provider = np.arange(len(amounts))
    cost = amounts if with_cost else None
    trace = Trace(provider, amounts, amounts, amounts, cost)
    assert trace == Trace(provider.tolist(), amounts.tolist(), amounts.tolist(), amounts.tolist(), cost)
    assert pickle.loads(pickle.dumps(trace)) == trace
    assert len(trace) == len(amounts)
    assert trace != Trace(provider, amounts, amounts, amounts, None if with_cost else amounts)
    for name in trace.columns():
        if len(trace):
            changed = {**trace.columns(), name: trace.columns()[name].copy()}
            changed[name][-1] = 3 if changed[name][-1] != 3 else 4
            assert trace != Trace(**changed)


def test_head_is_the_trace_of_the_first_steps() -> None:
    trace = Trace(**columns(cost=[3, 4]))
    assert trace.head(1) == Trace([0], [1], [1], [0.5], [3])
    assert trace.head(5) == trace
    assert len(trace.head(0)) == 0


@pytest.mark.for_each(
    ("changes", "message"),
    [
        ({"payment": [1.0]}, "payment=1 entries differ from provider's 2"),
        ({"cost": [1.0, 2, 3]}, "cost=3 entries differ"),
        ({"bid": [0.5, np.nan]}, r"bid\[1\]=nan must be finite"),
        ({"score": [np.inf, 1]}, r"score\[0\]=inf must be finite"),
        ({"payment": [None, 1.0]}, r"payment\[0\]=nan must be finite"),
        ({"payment": ["1", "2"]}, "payment=.* must be a sequence of numbers"),
        ({"payment": [1j, 2]}, "must be a sequence of numbers"),
        ({"payment": [[1, 2], [3, 4]]}, "must be a sequence of numbers"),
        ({"payment": [[1], [3, 4]]}, "must be a sequence of numbers"),
        ({"payment": 3.0}, "must be a sequence of numbers"),
        ({"payment": [10**400, 1]}, "must be a sequence of numbers"),
        ({"provider": [0.7, 1]}, r"provider=\[0.7, 1\] must be a sequence of whole numbers"),
        ({"provider": [np.nan, 1]}, "must be a sequence of whole numbers"),
        ({"provider": ["0", "1"]}, "must be a sequence of whole numbers"),
        ({"provider": [True, False]}, "must be a sequence of whole numbers"),
        ({"provider": [2**70, 1]}, "must be a sequence of whole numbers"),
    ],
)
def test_bad_columns_are_refused(changes: dict[str, Any], message: str) -> None:
    assert_refused(message, Trace, **columns(**changes))


def test_exact_numbers_are_rounded() -> None:
    assert Trace(**columns(payment=[Fraction(1, 4), Fraction(1, 3)])).payment.tolist() == [0.25, 1 / 3]
