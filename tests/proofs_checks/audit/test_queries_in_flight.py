"""Logs of right platforms that answer concurrently, which say when feedback arrived; some of it never comes.

There is no violation where it is logged, and "in flight" comes first in the diagnosis where it is not.
"""

import heapq
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import costproof
from bounds.errors import InputError
from bounds.published import PUBLISHED_NAMES, published
from mechanism.config import MechanismConfig
from mechanism.delays import delay_law
from mechanism.episode import simulate
from mechanism.platform import Platform
from mechanism.replay import Replay
from mechanism.tabular.layout import LogLayout
from mechanism.tabular.logs import LogReading
from mechanism.tabular.traces import read_trace, write_trace
from mechanism.trace import Trace
from proofs_checks.audit.reading import log_parts
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import audit
from proofs_checks.conformance.mutants.pricing import FirstPrice
from proofs_checks.conformance.play.market import play_on_market
from tests.proofs_checks.audit.audited import parts

SETTING = published("gpqa-strong").setting
LAWS = ("0", "1", "3", "0-3", "0-5,in-order", "3,lost=0.01")


def audited(trace: Trace, name: str) -> AuditReport:
    return audit(parts(trace, 2_500), published(name).setting, labels=["eq:payment"])


@pytest.mark.long("diagnoses a log")
@pytest.mark.parametrize(
    ("name", "law"),
    [*product(PUBLISHED_NAMES[-1:], LAWS), *zip(PUBLISHED_NAMES[:-1], ("1", "3", "0-3", "0-3"), strict=True)],
)
def test_a_right_platform_with_queries_in_flight(name: str, law: str) -> None:
    trace = simulate(published(name).setting, horizon=2_000, seed=11, delay=delay_law(law))
    assert audited(trace, name).violating_steps == 0
    if "lost" in law:  # counts are off by more and more without the column: no few queries in flight explain that
        return
    plain = audited(replace(trace, settled=None), name)
    assert plain.violating_steps > 1_000 if law != "0" else plain.violating_steps == 0
    if law != "0":
        assert plain.diagnosis[0].cause == "queries in flight"
    if law in ("1", "3"):
        assert (plain.diagnosis[0].value, plain.diagnosis[0].explains) == (int(law), 1)


@pytest.mark.long("audits 2 logs")
def test_a_wrong_settled_column_does_not_hide_a_wrong_platform() -> None:
    """A delay of 0 or 3 logged for a platform that pays the winner's bid leaves its payments wrong."""
    trace = play_on_market(FirstPrice, SETTING, horizon=600).trace
    for late in (0, 3):
        claimed = replace(trace, settled=np.arange(1, 601) + late)
        found = audited(claimed, "gpqa-strong")
        assert found.violation_counts["critical-payment"] > 100
        assert all(each.cause != "queries in flight" for each in found.diagnosis)


@pytest.mark.long("diagnoses a log")
@pytest.mark.parametrize("edited", ["payment", "rows", "lost"])
def test_an_edit_of_a_log_with_queries_in_flight_is_found(edited: str) -> None:
    trace = simulate(SETTING, horizon=1_500, seed=3, delay=delay_law("0-3"))
    row = next(r for r in range(700, 1_500) if trace.payment[r] < 75 and trace.provider[r] != trace.provider[r + 1])
    columns = {name: column.copy() for name, column in trace.columns().items()}
    if edited == "payment":
        columns["payment"][row] *= 0.9
    elif edited == "rows":
        for column in columns.values():
            column[[row, row + 1]] = column[[row + 1, row]]
        columns["settled"] = np.maximum(columns["settled"], np.arange(1, 1_501))
    else:
        columns = {name: np.delete(column, row) for name, column in columns.items()}
        columns["settled"] = np.maximum(columns["settled"], np.arange(1, 1_500))
    found = audited(Trace(**columns), "gpqa-strong")
    assert found.violating_steps > 0
    assert found.diagnosis


@pytest.mark.long("diagnoses a log")
def test_a_wrong_platform_is_not_excused_by_queries_in_flight() -> None:
    trace = play_on_market(FirstPrice, SETTING, horizon=1_200).trace
    assert audited(trace, "gpqa-strong").diagnosis[0].kind == "mechanism"


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_say_when_feedback_arrived(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"log.{ending}"
    trace = simulate(SETTING, horizon=400, seed=2, delay=delay_law("0-5,lost=0.05"))
    write_trace(trace, path, SETTING)
    assert read_trace(path, SETTING) == trace
    report = costproof.audit(path, SETTING)
    assert report.violating_steps == 0
    verdicts = {found["label"]: found["verdict"] for found in report.to_data()["claims"]}
    assert verdicts["thm:quality-guarantee"] == "ASSUMPTION_VIOLATED"
    assert verdicts["eq:payment"] == verdicts["lem:forced-exploration-bound:in-flight"] == "NOT_REFUTED"


@pytest.mark.parametrize(("cell", "rule"), [("0", "at least 1|lie in"), ("x", "a number")])
def test_what_is_no_number_of_a_query_is_refused(cell: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"step,provider,payment,score,bid,settled\n1,0,75,1,9,{cell}\n")
    with pytest.raises(costproof.InputError, match=rule):
        read_trace(path, SETTING)


# ----------------------------------------------------------------------------------------------------
# Logs with times of arrival, of a platform that is fed in that order.


TIMES = LogLayout(order_by="start", settled_at="end")


class Row(NamedTuple):
    start: float
    end: float | None
    provider: int
    payment: float
    score: float | None = None
    bid: float | None = None


def served(queries: int, seed: int, *, lost: float = 0.0) -> list[Row]:
    """Let a platform serve queries at random times, and feed it in the order in which the feedback arrives."""
    rng = np.random.default_rng(seed)
    platform = Platform(MechanismConfig.of(SETTING), rng, concurrent=True)
    starts = np.cumsum(rng.exponential(1.0, queries)).round(6)
    rows: list[Row] = []
    waiting: list[tuple[float, int]] = []

    def settle_until(time: float) -> None:
        while waiting and waiting[0][0] <= time:
            _, query = heapq.heappop(waiting)
            row = rows[query - 1]
            provider = SETTING.providers[row.provider]
            score, bid = float(rng.random() < provider.quality), float(rng.uniform(0, 2 * provider.mean_cost) / 2)
            platform.settle(score, bid, query=query)
            rows[query - 1] = row._replace(score=score, bid=bid)

    for query, start in enumerate(starts.tolist(), 1):
        settle_until(start)
        provider, payment = platform.assign()
        end = None if rng.random() < lost else round(start + rng.exponential(4.0), 6)
        rows.append(Row(start, end, provider, payment))
        if end is not None:
            heapq.heappush(waiting, (end, query))
    settle_until(np.inf)
    return rows


def write(path: Path, rows: list[Row]) -> Path:
    def cell(value: float | None) -> str:
        return "" if value is None else repr(value)

    lines = (",".join(map(cell, row)) for row in rows)
    path.write_text("\n".join(["start,end,provider,payment,score,bid", *lines]) + "\n")
    return path


@pytest.mark.parametrize("lost", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_a_right_platform_passes(tmp_path: Path, seed: int, lost: float) -> None:
    rows = served(400, seed, lost=lost)
    shuffled = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    reading = LogReading(layout=TIMES)
    report = audit(log_parts(write(tmp_path / "log.csv", shuffled), SETTING, reading, rows=60), SETTING)
    assert not report.violations
    missing = sum(row.end is None for row in rows)
    assert any(f"{missing} row" in note and "never came" in note for note in reading.notes) == (missing > 0)


@pytest.mark.long("audits three times")
def test_a_state_goes_with_times_of_arrival_and_rows_that_come_late(tmp_path: Path) -> None:
    rows, options = served(120, 1), {"layout": TIMES, "labels": "eq:payment"}
    late = [*rows[:40], *rows[45:90]]
    for part in (late, [*late, *rows[40:45], *rows[90:]]):
        found = costproof.audit(write(tmp_path / "log.csv", part), SETTING, state=tmp_path / "state.json", **options)
    assert found.earlier is not None
    assert (found.earlier.steps, found.earlier.violations > 0, found.steps) == (85, True, 120)
    assert found.passed
    assert found.nothing_new
    with pytest.raises(InputError, match="it has 120 rows, and this one 90"):
        costproof.audit(write(tmp_path / "log.csv", rows[:90]), SETTING, state=tmp_path / "state.json", **options)


@pytest.mark.usefixtures("undiagnosed")
def test_an_order_of_arrival_that_is_ignored_is_a_violation(tmp_path: Path) -> None:
    rows = served(400, 0)
    sooner = [row._replace(end=row.start) for row in rows]
    report = costproof.audit(write(tmp_path / "log.csv", sooner), SETTING, layout=TIMES)
    assert report.violations


def test_an_empty_score_is_feedback_that_never_came(tmp_path: Path) -> None:
    """In parts the first of which have no column `settled`."""
    platform = Platform(MechanismConfig.of(SETTING), np.random.default_rng(5), concurrent=True)
    lines = ["provider,payment,score,bid"]
    for query in range(1, 301):
        provider, payment = platform.assign()
        if query in (250, 270):
            lines.append(f"{provider},{payment!r},,")
        else:
            platform.settle(1.0, 20.0 + provider, query=query)
            lines.append(f"{provider},{payment!r},1.0,{20.0 + provider}")
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    for size in (50, 1000):
        reading = LogReading()
        pieces = list(log_parts(path, SETTING, reading, rows=size))
        assert "2 rows without a score: read as feedback that never came." in reading.notes
        assert not audit(pieces, SETTING).violations
    counts = Replay(MechanismConfig.of(SETTING), pieces[0]).counts
    with_score = path.read_text().replace(lines[250], lines[250].removesuffix(",") + "1.0,20.0")
    path.write_text(with_score)
    [settled] = log_parts(path, SETTING, LogReading(), rows=1000)
    assert np.any(Replay(MechanismConfig.of(SETTING), settled).counts[250:] != counts[250:])


def test_fractions_give_the_order() -> None:
    """Of two bids that arrive between the same queries the later one stands."""
    config = MechanismConfig(2, 0.5, 0.05, 1.0, 2.0, 0.75)
    columns = ([0, 1, 0, 0, 1], [1.0] * 5, [1.0] * 5, [0.1, 0.2, 0.3, 0.4, 0.5])
    first = Replay(config, Trace(*columns, settled=[1, 2, 4.25, 4.5, 5]))
    later = Replay(config, Trace(*columns, settled=[1, 2, 4.5, 4.25, 5]))
    assert (first.standing_bids[4, 0], later.standing_bids[4, 0]) == (0.4, 0.3)
    assert first.counts.tolist() == later.counts.tolist()
    after = Replay(config, first.trace.head(4)).after
    assert after.bids.tolist() == [0.4, 0.2], "both have arrived before query 5"


@pytest.mark.parametrize(
    ("layout", "cells", "message"),
    [
        ({"settled_at": "end"}, "", "settled_at='end' needs order_by"),
        ({"settled_at": "ending", "order_by": "start"}, "", "settled_at='ending' is not a column of the file"),
        ({"settled_at": "end", "order_by": "start"}, "3.0,2.0,0,102.4,1.0,5.0", "log.csv:2:end is earlier than start"),
        ({"settled_at": "end", "order_by": "start"}, "3.0,2026-01-01,0,1.0,1.0,5.0", "is a time, and cells before"),
    ],
)
def test_layouts_without_an_order_and_cells_that_are_none_are_refused(
    tmp_path: Path, layout: dict[str, str], cells: str, message: str
) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"start,end,provider,payment,score,bid\n{cells or '0,1,0,1,1,1'}\n")
    with pytest.raises(InputError) as refused:
        costproof.audit(path, SETTING, layout=LogLayout(**layout))
    assert message in str(refused.value)
