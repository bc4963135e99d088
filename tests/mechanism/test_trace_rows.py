"""Logs that break a rule: every error is one line that names the file, the line, the column and the remedy."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.tabular.traces import LONGEST_LINE, read_trace
from mechanism.trace import Trace

FILES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
PLATFORM = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
TOY = Setting("toy", PLATFORM, tuple(Provider(name, 0.9, 0.1) for name in ("alice", "bob", "carol")))
CSV = "step,provider,payment,score,bid\n1,alice,1.0,1,0.25\n2,2,0.5,0,0.125\n"
JSON = (
    '{"step": 1, "provider": "alice", "payment": 1.0, "score": 1, "bid": 0.25}\n'
    '{"step": 2, "provider": 2, "payment": 0.5, "score": 0, "bid": 0.125}\n'
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages show long paths in part, so the tests use short ones."""
    monkeypatch.chdir(tmp_path)


def row(**changes: Any) -> str:
    return json.dumps({"step": 1, "provider": "alice", "payment": 1, "score": 1, "bid": 1, **changes})


HEADER = "step,provider,payment,score,bid"
CSV_ERRORS = [
    ("", "path='{path}' holds no row: a trace needs one row per query"),
    ("\n\n", "path='{path}' holds no row"),
    (HEADER, "path='{path}' holds no row"),
    ("\ufeff", "path='{path}' holds no row"),
    ("\ufeff\ufeff" + CSV, "{path}:1:\\ufeffstep='\\ufeffstep' is not a known column: did you mean step?"),
    (CSV + "\ufeff3,bob,1,1,1\n", "{path}:4:step='\\ufeff3' must be 3"),
    ("step,provider,payment,score\n", "{path}:1:bid=None must be given: it is the standing bid"),
    ("step,provider,payment,score,bids\n", "{path}:1:bids='bids' is not a known column: did you mean bid?"),
    ("step,provider,payment,score,bid,Cost\n", "{path}:1:Cost='Cost' is not a known column: did you mean cost?"),
    (HEADER + ",zzz\n", "{path}:1:zzz='zzz' is not a known column: remove it; the columns are step, provider, payment"),
    (HEADER + ",biddings\n", "{path}:1:biddings='biddings' is not a known column: remove it"),
    ("step,provider,price,score,bid\n", ":price='price' is not a known column: the required column payment is missing"),
    ("step,provider,price,score,bid,cost\n", "payment is missing: rename the column if it is this"),
    ("step,provider,price,score\n", "payment, bid are missing: rename the column if it is one of these"),
    (CSV.replace(",", ";"), "{path}:1='step;provider;payment;score;bid' separates the columns by semicolons: separate"),
    (CSV.replace(",", "\t"), " separates the columns by tabs: separate them by commas"),
    ("step\n", "{path}:1:provider=None must be given"),
    (HEADER + ",bid\n", "{path}:1:bid='bid' is given twice: keep one of the two"),
    ("1,alice,1.0,1,0.25\n", "{path}:1:1='1' is not a known column: name the columns step, provider,"),
    (CSV + "3,bob,1,1\n", "{path}:4='3,bob,1,1' has 4 cells, not 5 as the header"),
    (CSV + "3,a,b,1,1,1\n", "{path}:4='3,a,b,1,1,1' has 6 cells, not 5 as the header: quote a name"),
    (CSV + "4,bob,1,1,1\n", "{path}:4:step='4' must be 3: rows are missing before it: was the log truncated"),
    (CSV + "2,bob,1,1,1\n", "{path}:4:step='2' must be 3: the row repeats a step"),
    (CSV + "1,bob,1,1,1\n", "{path}:4:step='1' must be 3: the rows are out of order"),
    (HEADER + "\n0,bob,1,1,1\n", "{path}:2:step='0' must be 1: steps count from 1"),
    (CSV + "3.5,bob,1,1,1\n", "{path}:4:step='3.5' must be 3: it counts the queries"),
    (CSV + "nan,bob,1,1,1\n", "{path}:4:step='nan' must be 3"),
    (CSV + ",bob,1,1,1\n", "{path}:4:step='' must be 3"),
    (CSV + "3,bop,1,1,1\n", "{path}:4:provider='bop' is not a provider of setting 'toy': did you mean 'bob'?"),
    (CSV + "3,zzz,1,1,1\n", "setting 'toy': write an index in 0..2 or a name: 'alice', 'bob', 'carol'"),
    (CSV + "3,3,1,1,1\n", "{path}:4:provider='3' must lie in 0..2: indices start at 0"),
    (CSV + "3,-1,1,1,1\n", "{path}:4:provider='-1' must lie in 0..2"),
    (CSV + "3,1.0,1,1,1\n", "{path}:4:provider='1.0' is not a provider"),
    (CSV + "3,,1,1,1\n", "{path}:4:provider='' is not a provider"),
    (CSV + "3,bob,x,1,1\n", "{path}:4:payment='x' must be a number: it is what the user paid; write it as 0.5 or 3"),
    (CSV + "3,bob,,1,1\n", "{path}:4:payment='' must be a number"),
    (CSV + "3,bob,1_0,1,1\n", "{path}:4:payment='1_0' must be a number"),
    (CSV + "3,bob,٣,1,1\n", "{path}:4:payment='\\u0663' must be a number"),
    (CSV + "3,bob,nan,1,1\n", "{path}:4:payment='nan' must be finite: it is what the user paid"),
    (CSV + "3,bob,1,1,-inf\n", "{path}:4:bid='-inf' must be finite"),
    (CSV + "3,bob,1,1,1e999\n", "{path}:4:bid='1e999' must be finite"),
    (CSV + "3,bob,1,1.01,1\n", "{path}:4:score='1.01' must lie in [0, 1]: rescale"),
    (CSV + "3,bob,1,-1e-9,1\n", "{path}:4:score='-1e-9' must lie in [0, 1]"),
    (CSV + '3,"bob"x,1,1,1\n', "{path}:4='3,\"bob\"x,1,1,1' is not valid CSV"),
    (CSV + '3,"bob,1,1,1\n4,bob,1,1,1\n', "{path}:4='lines 4..5' is not valid CSV (unexpected end of data)"),
    (CSV.replace("\n", "\r"), "{path}:1='step,provider"),
    (CSV + '3,"b\nb",1,1,1\n4,bob,1,1,1', "{path}:4:provider='b\\nb' is not a provider"),
    (CSV + "\n\n\n3,bob,1,2,1", "{path}:7:score='2' must lie in [0, 1]"),
    (CSV + "3," + "b" * 200_000 + ",1,1,1\n", "is not valid CSV (field larger than field limit"),
    (CSV + "x" * LONGEST_LINE, f" is longer than {LONGEST_LINE} bytes: is it a trace?"),
]


@pytest.mark.for_each(("text", "message"), CSV_ERRORS)
def test_a_bad_csv_file_is_refused(text: str, message: str) -> None:
    assert_refused("trace.csv", text.encode(), message)


JSON_ERRORS = [
    ("", "path='{path}' holds no row"),
    ("\ufeff", "path='{path}' holds no row"),
    ("\ufeff\n", "path='{path}' holds no row"),
    (JSON + "\ufeff" + row(step=3), " is not valid JSON (Expecting value, column 1)"),
    (JSON + '{"step": 3, "provider"\n', "(Expecting ':' delimiter, column 23)"),
    (JSON + '{"step": 3, "provider"\r\n', "(Expecting ':' delimiter, column 23)"),
    (JSON + row(step=3) + "\x0c\n", "(Extra data, column 69)"),
    (JSON + "{", "{path}:3='{{' is not valid JSON (Expecting property name"),
    (JSON + "nope", "{path}:3='nope' is not valid JSON (Expecting value, column 1): write one object a line"),
    (JSON + "[1, 2]", "{path}:3='[1, 2]' must be an object: write one object a line"),
    (JSON.replace("\n", " "), "is not valid JSON (Extra data, column"),
    ("[" * 100_000, "is nested too deep"),
    ('{"step": ' + "1" * 5000 + "}", "holds a number of too many digits: write it as 1e300"),
    (row(provider="bop"), "{path}:1:provider='bop' is not a provider of setting 'toy': did you mean 'bob'?"),
    (row(provider=3), "{path}:1:provider=3 must lie in 0..2"),
    (row(provider=-1), "{path}:1:provider=-1 must lie in 0..2"),
    (row(provider="\ud800"), "{path}:1:provider='\\ud800' is not a provider"),
    (row(provider=1.0), "{path}:1:provider=1.0 is not a provider"),
    (row(provider=True), "{path}:1:provider=True is not a provider"),
    (row(provider=None), "{path}:1:provider=None is not a provider"),
    (row(payment="1"), "{path}:1:payment='1' must be a number"),
    (row(score="yes"), "{path}:1:score='yes' must be a number"),
    (row(bid=True), "{path}:1:bid=True must be a number"),
    (row(bid=None), "{path}:1:bid=None must be a number"),
    (row(bid=[1]), "{path}:1:bid=[1] must be a number"),
    (row(bid=float("nan")), "{path}:1:bid=nan must be finite"),
    (row(payment=float("inf")), "{path}:1:payment=inf must be finite"),
    (row(payment=10**400), "{path}:1:payment=1000000"),
    (row(step=True), "{path}:1:step=True must be 1: it counts the queries"),
    (row(step="1"), "{path}:1:step='1' must be 1: it counts the queries"),
    (row(step=7), "{path}:1:step=7 must be 1: steps count from 1; the beginning of the log may be missing"),
    (row(score=1.5), "{path}:1:score=1.5 must lie in [0, 1]"),
    (row(price=1), "{path}:1:price='price' is not a known column: remove it"),
    (row(**{"a\nb": 1}), "{path}:1:a\\nb='a\\nb' is not a known column"),
    ('{"step": 1, "step": 1}', "{path}:1:step='step' is given twice"),
    ('{"step": 1}', "{path}:1:provider=None must be given: it says who served"),
    (row(cost=1) + "\n" + row(step=2), "{path}:2:cost=None must be given on every line or on none"),
    (row() + "\n" + row(step=2, cost=3), "{path}:2:cost=3 must be given on every line or on none"),
    (row() + "\n" + row(step=2, bids=3), "{path}:2:bids='bids' is not a known column: remove it"),
    (row() + "\n{}", "{path}:2:step=None must be given"),
]


@pytest.mark.for_each(("text", "message"), JSON_ERRORS)
def test_a_bad_json_file_is_refused(text: str, message: str) -> None:
    assert_refused("trace.jsonl", text.encode(), message)


def assert_refused(path: str, contents: bytes, message: str) -> None:
    Path(path).write_bytes(contents)
    with pytest.raises(InputError) as caught:
        read_trace(path, TOY)
    told = str(caught.value)
    assert message.format(path=path) in told
    assert is_one_line(told)


def is_one_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and text.isprintable()


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_other_encodings_are_refused(name: str) -> None:
    text = (CSV if name == "t.csv" else JSON).encode()
    second = text.index(b"alice" if name == "t.csv" else b'"provider": 2')
    spoilt = text[:second] + b"\xff" + text[second:]
    assert_refused(name, spoilt, "{path}:2=b'\\xff' is not UTF-8: save the file as UTF-8")
    assert_refused(name, text.decode().encode("utf-16"), "{path}:1=b'\\xff' is not UTF-8")


def test_damaged_archives_are_refused() -> None:
    path, whole = "t.csv.gz", gzip.compress(CSV.encode())
    assert_refused(path, whole[:-12], "path='{path}' cannot be read beyond line")
    assert_refused(path, whole[:30], "path='{path}' cannot be read beyond line 0 (compressed file ended before")
    assert_refused(path, whole[:-8] + b"\0" * 8, "path='{path}' cannot be read beyond line")
    assert_refused(path, whole[:12] + b"\xff" * 40, "a compressed file may be truncated or damaged")
    assert_refused(path, CSV.encode(), "cannot be read beyond line 0 (not a gzipped file")
    assert_refused(path, b"", "holds no row")


@pytest.mark.for_each("ending", [".csv", ".jsonl", ".ndjson", ".csv.gz", ".jsonl.gz"])
@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf")
@example(b'"')
@example(b"\x1f\x8b")
@settings(FILES, max_examples=60)
def test_arbitrary_bytes_raise_nothing_but_one_line(ending: str, contents: bytes) -> None:
    path = Path(f"t{ending}")
    path.write_bytes(contents)
    with pytest.raises(InputError) as caught:
        read_trace(path, TOY)
    assert is_one_line(str(caught.value))


VALID = {".csv": CSV.encode(), ".jsonl": JSON.encode(), ".csv.gz": gzip.compress(CSV.encode(), mtime=0)}
PIECES = st.sampled_from(
    [b"", b",", b'"', b"\n", b"\r", b"{", b"}", b"e", b"-", b"nan", b"\x00", b"\xff", b"\xc2\x85", b"1"]
)


@pytest.mark.parametrize("ending", VALID)
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 4), st.one_of(PIECES, st.binary(max_size=3))), min_size=1, max_size=3
    )
)
@settings(FILES, max_examples=150)
def test_damaged_files_are_read_or_refused_in_one_line(ending: str, edits: list[tuple[float, int, bytes]]) -> None:
    contents = VALID[ending]
    for place, removed, inserted in edits:
        at = int(place * len(contents))
        contents = contents[:at] + inserted + contents[at + removed :]
    path = Path(f"t{ending}")
    path.write_bytes(contents)
    found = read_or_refusal(path)
    if isinstance(found, str):
        assert is_one_line(found)
    else:
        assert 1 <= len(found) <= 2
        assert 0 <= found.provider.min() <= found.provider.max() <= 2
        assert 0 <= found.score.min() <= found.score.max() <= 1


def read_or_refusal(path: Path) -> Trace | str:
    try:
        return read_trace(path, TOY)
    except InputError as error:
        return str(error)


@pytest.mark.for_each(("path", "text"), [("t.csv", CSV), ("t.csv", "\n" + CSV), ("t.jsonl", JSON), ("t.csv.gz", CSV)])
def test_a_byte_order_mark_changes_nothing(path: str, text: str) -> None:
    """Spreadsheets write one."""
    for contents in (text.encode(), b"\xef\xbb\xbf" + text.encode()):
        Path(path).write_bytes(gzip.compress(contents) if path.endswith(".gz") else contents)
        trace = read_trace(path, TOY)
        assert trace.provider.tolist() == [0, 2]
        assert trace.bid.tolist() == [0.25, 0.125]
        assert trace.cost is None
