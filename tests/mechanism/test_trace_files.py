import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from numpy.typing import NDArray

from bounds.errors import InputError
from bounds.setting.model import PlatformParameters, Provider, Setting
from mechanism.episode import simulate
from mechanism.tabular import traces as trace_files
from mechanism.tabular.traces import TraceColumn, read_trace, write_trace
from mechanism.trace import Trace

ENDINGS = (".csv", ".jsonl", ".ndjson", ".csv.gz", ".jsonl.gz", ".CSV")
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.floats(0, 1)
#: Names that a format might break, and names that look like the index of another provider.
ODD_NAMES = (
    "1",
    "0",
    "a,b",
    'say "x"',
    "two\nlines",
    "car\rriage",
    " padded ",
    "ünïcødé",
    "-1",
    "null",
    "\x00",
    "é\u2028",
)
NAMES = st.lists(
    st.one_of(st.sampled_from(ODD_NAMES), st.text(st.characters(exclude_categories=["Cs"]), min_size=1)),
    min_size=2,
    max_size=5,
    unique=True,
).filter(lambda names: all(name.strip() for name in names))

FILES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def market(*names: str) -> Setting:
    platform = PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
    return Setting("toy", platform, tuple(Provider(name, 0.9, 0.1) for name in names))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages show long paths in part, so the tests use short ones."""
    monkeypatch.chdir(tmp_path)


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


@pytest.mark.for_each("ending", ENDINGS)
@given(traces(), st.booleans())
@example(Trace([0, 1], [0.1, -0.0], [5e-324, 1.0], [1.7976931348623157e308, 1 / 3], [2.5e-310, 1e22]), True)
@settings(FILES, max_examples=40)
def test_a_trace_survives_bit_for_bit(ending: str, trace: Trace, named: bool) -> None:
    path = Path(f"trace{ending}")
    write_trace(trace, path, TOY if named else None)
    assert same_bits(read_trace(path, TOY), trace)


@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
@given(NAMES, st.data())
@settings(FILES, max_examples=150)
def test_any_names_survive(ending: str, names: list[str], data: st.DataObject) -> None:
    setting, path = market(*names), Path(f"trace{ending}")
    trace = data.draw(traces(providers=len(names)))
    write_trace(trace, path, setting)
    assert same_bits(read_trace(path, setting), trace)


def test_a_simulated_trace_survives() -> None:
    trace = simulate(TOY, horizon=300, seed=0)
    write_trace(trace, Path("trace.jsonl.gz"), TOY)
    assert same_bits(read_trace("trace.jsonl.gz", TOY), trace)


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
        ("t.jsonl", JSON.replace(" ", "").replace('"provider":2', '"provider":"2"').replace("1.0", "1")),
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


def test_a_json_number_is_an_index() -> None:
    Path("t.jsonl").write_text('{"step": 1, "provider": 1, "payment": 1, "score": 1, "bid": 1}')
    assert read_trace(Path("t.jsonl"), market("1", "x")).provider.tolist() == [1]


def is_one_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and text.isprintable()


def test_paths_that_cannot_be_read_are_refused() -> None:
    Path("folder.csv").mkdir()
    for path, message in [
        (Path("none.csv"), "cannot be read (no such file or directory): give the path of a trace file"),
        (Path("none.jsonl.gz"), "cannot be read (no such file or directory)"),
        (Path("folder.csv"), "cannot be read (is a directory)"),
        (Path("trace.parquet.gz"), "must end in .csv, .jsonl, .ndjson, or in one of these and .gz, or in .parquet"),
        (Path("trace"), "must end in .csv"),
        (Path("trace.gz"), "must end in .csv"),
        ("a\0b.csv", "cannot be read (embedded null byte)"),
        ("two\nlines.csv", "path='two\\nlines.csv' cannot be read"),
        (7, "path=7 must be a path"),
        (None, "path=None must be a path"),
    ]:
        with pytest.raises(InputError) as caught:
            read_trace(path, TOY)  # type: ignore[arg-type]
        assert message in str(caught.value)
        assert is_one_line(str(caught.value))


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
        with pytest.raises(InputError) as caught:
            write_trace(trace, path, setting)  # type: ignore[arg-type]
        assert message in str(caught.value)
        assert is_one_line(str(caught.value))
    assert os.listdir() == before


@dataclass(frozen=True, eq=False)
class TimedTrace(Trace):
    """A trace with one more column."""

    delay: NDArray[np.float64] | None = None

    def columns(self) -> dict[str, NDArray[Any]]:
        return super().columns() | ({} if self.delay is None else {"delay": self.delay})


@pytest.mark.parametrize("ending", [".csv", ".jsonl.gz", ".parquet"])
def test_a_column_is_added_in_one_place(monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    column = TraceColumn(meaning="it is how long the response took", least=0, remedy="give seconds", optional=True)
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.setitem(trace_files.COLUMNS, "delay", column)
    monkeypatch.setattr(trace_files, "Trace", TimedTrace)
    path = Path(f"t{ending}")
    for delay in ([0.1, 2.5], None):
        trace = TimedTrace([0, 2], [1.0, 0.5], [1, 0], [0.25, 0.125], delay=delay and np.array(delay))
        write_trace(trace, path, TOY)
        assert same_bits(read_trace(path, TOY), trace)
    write_trace(TimedTrace([0], [1.0], [1], [0.25], delay=np.array([-0.5])), path, TOY)
    with pytest.raises(InputError, match=r":delay='?-0.5'? must be at least 0: give seconds"):
        read_trace(path, TOY)
