"""Logs that a running router writes audit clean, from several threads and with feedback that never comes."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from bounds.errors import InputError
from bounds.published import published
from costproof import TraceWriter, audit
from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from mechanism.tabular import trace_writer

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
    with pytest.raises(InputError, match="query=4 is not a query in flight"):
        log.settled(4, score=1.0, bid=20.0)
    log.close()
    rows = (tmp_path / "log.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == [str(query) for query in queries]
    assert rows[5] == "5,0,75.0,,,"


def test_feedback_may_wait_for_a_bounded_number_of_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace_writer, "MOST_OPEN", 3)
    with TraceWriter(tmp_path / "log.csv") as log:
        for _ in range(4):
            log.assigned(0, 75.0)
        with pytest.raises(InputError, match="query=1 is not a query in flight"):
            log.settled(1, score=1.0, bid=20.0)
        log.settled(2, score=1.0, bid=20.0)


@pytest.mark.parametrize(
    ("name", "message"), [("log.txt", "must end in .csv"), ("there.csv", "cannot be written"), ("no/log.csv", "cannot")]
)
def test_refusals(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "there.csv").write_text("")
    with pytest.raises(InputError, match=message):
        TraceWriter(tmp_path / name)
