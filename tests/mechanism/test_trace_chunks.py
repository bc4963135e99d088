"""Logs read in whole columns as row by row (`test_trace_files`), and as a running router writes them."""

import gzip
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from costproof import TraceWriter, audit
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from mechanism.tabular import columns, trace_writer
from mechanism.tabular.cells import LogRows
from mechanism.tabular.traces import read_trace, read_trace_chunks, write_trace
from mechanism.trace import Trace
from tests.mechanism.trace_samples import FILES, MARKET, odd_rows, outcome, some_trace
from tests.refusals import assert_refused, refusal

pytestmark = pytest.mark.usefixtures("own_folder")

HEADER = "step,provider,payment,score,bid\n"


@contextmanager
def queried(always: bool) -> Iterator[None]:
    """Let DuckDB read every file, or the `csv` and `json` modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "FEW_BYTES", -1 if always else 1 << 60)
        yield


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".jsonl.zst", ".parquet"])
def test_a_plain_file_is_read_by_queries(ending: str) -> None:
    """Otherwise whatever fails within a query would only make reading slow."""
    trace, path = some_trace(300), Path(f"t{ending}")
    write_trace(trace, path, MARKET)
    with pytest.MonkeyPatch.context() as patch, queried(True):
        patch.setattr(columns._Again, "some", None)
        patch.setattr(LogRows, "_row", None)
        assert read_trace(path, MARKET) == trace


@given(st.integers(1, 40), st.integers(1, 45), st.sampled_from([".csv", ".jsonl.gz", ".tsv.zst"]))
@FILES
def test_chunks_have_the_wanted_rows(steps: int, rows: int, ending: str) -> None:
    trace, path = some_trace(steps), Path(f"t{ending}")
    write_trace(trace, path, MARKET)
    chunks = list(read_trace_chunks(path, MARKET, rows=rows))
    assert [len(chunk) for chunk in chunks] == [min(rows, steps - before) for before in range(0, steps, rows)]
    assert Trace.joined(chunks) == trace


@pytest.mark.long("opens DuckDB for each of 160 files")
@pytest.mark.parametrize("ending", [".csv", ".jsonl"])
def test_every_odd_cell_is_read_as_by_itself(ending: str) -> None:
    path, accepted = Path(f"t{ending}"), 0
    for contents in odd_rows(ending):
        path.write_bytes(contents)
        expected = outcome(read_trace, path)
        with queried(True):
            assert outcome(read_trace, path) == expected, contents[-100:]
        accepted += isinstance(expected, dict)
    assert accepted > 30


STEPS = range(1, 20_001)


def plain_csv() -> str:
    return HEADER + "".join(f"{t},alice,{t / 7},1.0,{t / 3}\n" for t in STEPS)


BROKEN = {
    "jump": ("\n15000,", "\n15001,", "step='15001' must be 15000: rows are missing before it"),
    "score": (",1.0,5000.0\n", ",1.5,5000.0\n", "score='1.5' must lie in [0, 1]"),
    "nan": (",1.0,5000.0\n", ",1.0,nan\n", "bid='nan' must be finite"),
    "name": ("\n15000,alice", "\n15000,alcie", "provider='alcie' is not a provider of setting 'toy': did you mean"),
    "short": (",1.0,5000.0\n", ",1.0\n", "='15000,alice,2142.8571428571427,1.0' has 4 cells, not 5"),
    "quote": ("\n15000,", '\n"15000,', "' is not valid CSV"),
}


@pytest.mark.for_each("fault", BROKEN)
def test_an_error_is_told_after_the_chunks_before_it(fault: str) -> None:
    found, instead, message = BROKEN[fault]
    assert plain_csv().count(found) == 1
    Path("t.csv").write_text(plain_csv().replace(found, instead), encoding="utf-8")
    chunks = read_trace_chunks("t.csv", MARKET, rows=1000)
    before = [next(chunks) for _ in range(14)]
    assert len(Trace.joined(before)) == 14_000
    error = refusal(list, chunks)
    assert str(error).startswith("t.csv:15001")
    assert message in str(error)


def test_an_archive_that_breaks_off_late_gives_its_chunks_first() -> None:
    whole = gzip.compress(plain_csv().encode(), mtime=0)
    Path("t.csv.gz").write_bytes(whole[: len(whole) // 2])
    told: list[Trace] = []
    with pytest.raises(InputError) as caught:
        told.extend(read_trace_chunks("t.csv.gz", MARKET, rows=100))
    steps = len(Trace.joined(told))
    assert steps > 5000
    whole_lines = zlib.decompressobj(31).decompress(whole[: len(whole) // 2]).count(b"\n")
    assert f"cannot be read beyond line {whole_lines} (" in str(caught.value)
    assert steps == (whole_lines - 1) // 100 * 100


def peak_memory(steps: int) -> int:
    row = ",alice,0.123456789,1.0,0.987654321\n"
    with open("t.csv", "w", encoding="utf-8") as file:
        file.write(HEADER)
        file.writelines(f"{step}{row}" for step in range(1, steps + 1))
    tracemalloc.start()
    try:
        assert sum(len(chunk) for chunk in read_trace_chunks("t.csv", MARKET, rows=5000)) == steps
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.long("traces memory")
def test_memory_does_not_grow_with_the_file() -> None:
    """Up to a batch of DuckDB, whose own memory is limited: the longer file has 30 MB more."""
    assert peak_memory(1_600_000) < peak_memory(800_000) + 6_000_000


@pytest.mark.for_each("rows", [0, -1, True, 1.5, None])
def test_the_rows_of_a_chunk_are_a_count(rows: object) -> None:
    assert_refused("must be a whole number from 1", read_trace_chunks, "t.csv", MARKET, rows=rows)


def test_lines_are_counted_from_one() -> None:
    Path("t.csv").write_text('\nstep,provider,payment,score,bid\n\n1,"alice",1,1,1\n2,alice,1,1,1\n\n3,alice,1,1,x')
    assert str(refusal(read_trace, "t.csv", MARKET)).startswith("t.csv:7:bid=")


SETTING = published("gpqa-strong").setting


def serve(path: Path, queries: int, *, threads: int = 1, lost: float = 0.0) -> None:
    """Let a platform serve queries from several threads, and log what happens."""
    platform = Platform(MechanismConfig.of(SETTING), np.random.default_rng(0), concurrent=True)
    lock = threading.Lock()
    with TraceWriter(path) as log:

        def work(seed: int) -> None:
            rng = np.random.default_rng(seed)
            for _ in range(queries // threads):
                with lock:
                    provider, payment = platform.assign()
                    query = log.assigned(SETTING.providers[provider].name, payment)
                if rng.random() < lost:
                    continue
                score, cost = float(rng.random() < 0.5), float(rng.uniform(0, 50))
                with lock:
                    platform.settle(score, cost, query=query)
                    log.settled(query, score=score, bid=cost)

        workers = [threading.Thread(target=work, args=(seed,)) for seed in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()


@pytest.mark.parametrize(("threads", "lost"), [(1, 0.0), (4, 0.0), (4, 0.05)])
def test_the_log_of_a_right_platform_audits_clean(tmp_path: Path, threads: int, lost: float) -> None:
    path = tmp_path / "log.csv"
    serve(path, 240, threads=threads, lost=lost)
    report = audit(path, SETTING, labels="lem:payment-range")
    assert (report.steps, report.violations) == (240, ())


def test_a_crash_leaves_a_log_from_the_first_query_on(tmp_path: Path) -> None:
    log = TraceWriter(tmp_path / "log.csv")
    queries = [log.assigned(i % 4, 75.0) for i in range(5)]
    for query in (1, 2, 4):
        log.settled(query, score=1.0, bid=20.0)
    assert (tmp_path / "log.csv").read_text().count("\n") == 3, "the header and two rows; 4 waits for 3"
    assert_refused("query=4 is not a query in flight", log.settled, 4, score=1.0, bid=20.0)
    log.close()
    rows = (tmp_path / "log.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == [str(query) for query in queries]
    assert rows[5] == "5,0,75.0,,,"


def test_feedback_may_wait_for_a_bounded_number_of_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_writer, "MOST_OPEN", 3)
    with TraceWriter(tmp_path / "log.csv") as log:
        for _ in range(4):
            log.assigned(0, 75.0)
        assert_refused("query=1 is not a query in flight", log.settled, 1, score=1.0, bid=20.0)
        log.settled(2, score=1.0, bid=20.0)


@pytest.mark.parametrize(
    ("name", "message"), [("log.txt", "must end in .csv"), ("there.csv", "cannot be written"), ("no/log.csv", "cannot")]
)
def test_refusals(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "there.csv").write_text("")
    assert_refused(message, TraceWriter, tmp_path / name)
