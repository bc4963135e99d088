"""Logs as platforms keep them: in many orders and formats, with scores as truths, and with late providers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import costproof
from bounds.errors import InputError
from bounds.published import published
from mechanism.tabular.logs import LogLayout, LogReading, read_log
from mechanism.tabular.traces import read_trace, write_trace
from mechanism.trace import NEVER_SETTLED, Trace
from proofs_checks.audit.run import audit
from proofs_checks.claims.registry import all_claims
from proofs_checks.verdict import Verdict

SETTING = published("gpqa-strong").setting
#: Claims that are false as worded, which any log may refute.
DOCUMENTED = {label for label, claim in all_claims().items() if claim.finding}
NANOSECONDS = 1_760_000_000_000_000_000


@pytest.fixture(scope="module")
def in_flight() -> Trace:
    """A right run with queries in flight, of which some are never settled."""
    reference = "mechanism.platform:concurrent_mechanism"
    return costproof.play(reference, "gpqa-strong", 400, in_flight="0-5,lost=0.02", seed=5).trace


def ordered(path: Path) -> tuple[list[int], list[str]]:
    """Return the bids, which number the rows, in the order of `when`, and the notes."""
    reading = LogReading(layout=LogLayout(order_by="when"))
    pieces = list(read_log(path, SETTING, reading))
    return [round(bid * 1000) for piece in pieces for bid in piece["bid"].tolist()], reading.notes


def written(path: Path, when: Callable[[int], object], score: Callable[[int], object] = lambda row: row % 2) -> Path:
    """Write 300 rows in a random order; row i stands at place i in the order of `when`, and bids i / 1000."""
    import pyarrow as pa
    from pyarrow import parquet

    rows = [
        {"when": when(row), "provider": 0, "payment": 1.0, "score": score(row), "bid": row / 1000}
        for row in np.random.default_rng(3).permutation(300).tolist()
    ]
    if path.suffix == ".parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    elif ".jsonl" in path.name:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows), ""]))
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "jsonl.gz", "parquet"])
@pytest.mark.parametrize(
    "when",
    [
        lambda row: (1 << 62) + 3 * row,
        lambda row: f"{NANOSECONDS + row}",
        lambda row: f"2026-03-29T0{1 + row % 2}:00:00.{row:09}+0{row % 2}:00",
        lambda row: f"2026-03-29T01:00:00.{row:06}{'000' * (row % 2)}Z",
        lambda row: f"2026-03-29T01:{row // 100:02}:00" + (f".{row % 100:02}" if row % 100 else ""),
        lambda row: f" {row}{'.000' * (row % 3 == 1)} ",
        lambda row: f"{row - 150}e-20",
    ],
    ids=["snowflake", "nanoseconds as text", "two zones", "6 or 9 digits", "whole seconds", "padded", "tiny"],
)
def test_rows_are_put_in_order_in_every_format(ending: str, when: Callable[[int], object], tmp_path: Path) -> None:
    found, notes = ordered(written(tmp_path / f"log.{ending}", when))
    assert found == list(range(300))
    assert not [each for each in notes if "the same value" in each]


def test_decimals_and_unsigned_numbers_of_parquet_are_put_in_order(tmp_path: Path) -> None:
    for when in (lambda row: Decimal(NANOSECONDS) + row, lambda row: NANOSECONDS * 5 + row, lambda row: row / 8):
        assert ordered(written(tmp_path / "log.parquet", when))[0] == list(range(300))


@pytest.mark.parametrize(
    ("when", "said"),
    [
        (lambda row: row if row % 50 else f"2026-01-01T00:00:00.{row:06}Z", "write all of them in one way"),
        (lambda row: f"2026-01-01T00:00:00.{row:06}" + "Z" * (row % 2), "write all of them in one way"),
        (lambda row: f"01ARZ3NDEKTSV4RRFFQ69G{row:04}", "must be a number or a time of ISO 8601"),
        (lambda row: "" if row == 7 else str(row), "must be a number or a time of ISO 8601"),
    ],
)
def test_what_has_no_order_is_refused(when: Callable[[int], object], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        ordered(written(tmp_path / "log.csv", when))


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_scores_may_be_true_or_false(ending: str, tmp_path: Path) -> None:
    def scores(path: Path) -> list[float]:
        reading = LogReading(layout=LogLayout(order_by="when"))
        return [score for piece in read_log(path, SETTING, reading) for score in piece["score"].tolist()]

    path = tmp_path / f"log.{ending}"
    assert scores(written(path, int, lambda row: row % 3 == 0)) == [float(row % 3 == 0) for row in range(300)]
    if ending == "parquet":
        with pytest.raises(InputError, match=r"score='string' must be a column of numbers or of booleans"):
            scores(written(path, int, lambda row: str(row % 3 == 0)))
    else:  # in several ways
        ways: list[object] = [True, "false", " TRUE", 0, 1.0]
        expected = [[1.0, 0.0, 1.0, 0.0, 1.0][row % 5] for row in range(300)]
        assert scores(written(path, int, lambda row: ways[row % 5])) == expected
        with pytest.raises(InputError, match=r"score='yes' must be a number: .*; write it as 0.5 or 1"):
            scores(written(path, int, lambda row: "yes"))


def without(trace: Trace, rows: np.ndarray) -> Trace:
    """Return the log without some rows: what settles at a step settles at as many kept ones."""
    kept, steps = np.flatnonzero(~rows), np.cumsum(~rows)
    settled = trace.settled[kept]
    arrived = np.maximum(steps[np.minimum(settled, len(trace)) - 1], np.arange(1, len(kept) + 1))
    columns = {name: column[kept] for name, column in trace.columns().items()}
    return Trace(**{**columns, "settled": np.where(settled < NEVER_SETTLED, arrived, NEVER_SETTLED)})


@pytest.mark.parametrize("late", [0, 3])
@pytest.mark.parametrize("until", [0, 60, 1000])
def test_a_provider_that_is_late_with_queries_in_flight_is_named_in_every_format(
    late: int, until: int, in_flight: Trace, tmp_path: Path
) -> None:
    trace = without(in_flight, (in_flight.provider == late) & (np.arange(len(in_flight)) < until))
    served = np.flatnonzero(trace.provider == late) + 1
    when = f"first serves at step {served[0]:,}" if len(served) else "never serves"
    for ending in ("csv", "csv.gz", "jsonl", "jsonl.gz", "parquet"):
        write_trace(trace, tmp_path / f"log.{ending}", SETTING)
        found = read_trace(tmp_path / f"log.{ending}", SETTING).columns()
        assert all(np.array_equal(column, found[name]) for name, column in trace.columns().items())
    report = audit([trace], SETTING)
    assert report.passed == (until == 0)
    told = [(each.label, each.finding.verdict, each.finding.reason) for each in report.claims]
    refuted = {label for label, verdict, _ in told if verdict is Verdict.REFUTED}
    named = [reason for *_, reason in told if reason and f"{SETTING.providers[late].name} {when}" in reason]
    assert bool(named) == (until > 0)
    assert all(label.split(":")[0] in ("eq", "alg", "asmp") for label in refuted - DOCUMENTED)
