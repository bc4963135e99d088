"""Logs of right platforms that answer concurrently: no violation where `settled` is logged, else "in flight" first."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import costproof
from bounds.published import PUBLISHED_NAMES, published
from mechanism.delays import delay_law
from mechanism.episode import simulate
from mechanism.tabular.traces import read_trace, write_trace
from mechanism.trace import Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import audit
from proofs_checks.conformance.mutants.pricing import FirstPrice
from proofs_checks.conformance.play.market import play_on_market
from tests.proofs_checks.audit.audited import parts

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
    plain = audited(replace(trace, settled=None), name)
    if law == "0":
        assert plain.violating_steps == 0
    else:
        assert plain.violating_steps > 1_000
        # Of feedback that never comes, counts are off by more and more: no few queries in flight explain that.
        assert plain.diagnosis[0].cause == "queries in flight" or "lost" in law
    if law in ("1", "3"):
        assert (plain.diagnosis[0].value, plain.diagnosis[0].explains) == (int(law), 1)


@pytest.mark.long("audits 2 logs")
def test_a_wrong_settled_column_does_not_hide_a_wrong_platform() -> None:
    """A delay of 0 or 3 logged for a platform that pays the winner's bid leaves its payments wrong."""
    trace = play_on_market(FirstPrice, published("gpqa-strong").setting, horizon=600).trace
    for late in (0, 3):
        claimed = replace(trace, settled=np.arange(1, 601) + late)
        found = audited(claimed, "gpqa-strong")
        assert found.violation_counts["critical-payment"] > 100
        assert all(each.cause != "queries in flight" for each in found.diagnosis)


@pytest.mark.long("diagnoses a log")
@pytest.mark.parametrize("edited", ["payment", "rows", "lost"])
def test_an_edit_of_a_log_with_queries_in_flight_is_found(edited: str) -> None:
    trace = simulate(published("gpqa-strong").setting, horizon=1_500, seed=3, delay=delay_law("0-3"))
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
    trace = play_on_market(FirstPrice, published("gpqa-strong").setting, horizon=1_200).trace
    assert audited(trace, "gpqa-strong").diagnosis[0].kind == "mechanism"


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_say_when_feedback_arrived(ending: str, tmp_path: Path) -> None:
    setting, path = published("gpqa-strong").setting, tmp_path / f"log.{ending}"
    trace = simulate(setting, horizon=400, seed=2, delay=delay_law("0-5,lost=0.05"))
    write_trace(trace, path, setting)
    assert read_trace(path, setting) == trace
    report = costproof.audit(path, setting)
    assert report.violating_steps == 0
    verdicts = {found["label"]: found["verdict"] for found in report.to_data()["claims"]}
    assert verdicts["thm:quality-guarantee"] == "ASSUMPTION_VIOLATED"
    assert verdicts["eq:payment"] == verdicts["lem:forced-exploration-bound:in-flight"] == "NOT_REFUTED"


@pytest.mark.parametrize(("cell", "rule"), [("0", "at least 1|lie in"), ("x", "a number")])
def test_what_is_no_number_of_a_query_is_refused(cell: str, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text(f"step,provider,payment,score,bid,settled\n1,0,75,1,9,{cell}\n")
    with pytest.raises(costproof.InputError, match=rule):
        read_trace(path, published("gpqa-strong").setting)
