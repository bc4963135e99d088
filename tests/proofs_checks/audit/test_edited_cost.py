"""One edited cost moves all later means of its provider: it is told as one cost, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

import costproof
from bounds.published import published
from mechanism.episode import simulate
from mechanism.trace import Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import audit

SETTING = published("gpqa-strong").setting
TRACE = simulate(SETTING, horizon=3_000, seed=1)
#: A row of the provider that serves most, with many of its rows after it.
ROW = int(np.flatnonzero(TRACE.provider == np.bincount(TRACE.provider).argmax())[50])


def audited(rows: int = 3_000, costs: Mapping[int, float] = {}, bids: Mapping[int, float] = {}) -> AuditReport:
    """The audit of the log with some costs and bids changed, in parts of so many rows."""
    columns = {name: column.copy() for name, column in TRACE.columns().items()}
    for name, changes in (("cost", costs), ("bid", bids)):
        for row, value in changes.items():
            columns[name][row] = value
    trace = Trace(**columns)

    def parts() -> Iterator[Trace]:
        for start in range(0, len(trace), rows):
            yield trace.rows(slice(start, start + rows))

    return audit(parts(), SETTING, labels=["eq:payment"])


@pytest.mark.parametrize("rows", [3_000, 700, 64])
@pytest.mark.parametrize("cost", [0.0, 70.0])
def test_one_edited_cost_is_found(rows: int, cost: float) -> None:
    report = audited(rows, {ROW: cost})
    assert report.bids_off_mean_cost > 100
    assert report.edited_cost is not None
    assert (report.edited_cost.step, report.edited_cost.logged) == (ROW + 1, cost)
    assert report.edited_cost.instead == pytest.approx(TRACE.cost[ROW], abs=1e-6)  # type: ignore[index]


def test_a_right_log_has_none() -> None:
    report = audited()
    assert (report.bids_off_mean_cost, report.edited_cost) == (0, None)


def test_other_edits_are_not_told_so() -> None:
    """A bid, two costs of one provider, and costs of two providers."""
    own = np.flatnonzero(TRACE.provider == TRACE.provider[ROW])
    other = int(np.flatnonzero(TRACE.provider != TRACE.provider[ROW])[-40])
    last = int(own[-1])
    assert audited(bids={ROW: 1.0}).edited_cost is None
    assert audited(costs={ROW: 1.0, int(own[90]): 1.0}).edited_cost is None
    assert audited(costs={ROW: 1.0, other: 1.0}).edited_cost is None
    assert audited(bids={last: 1.0}).edited_cost is None
    # The last cost of a provider moves one bid alone, as an edit of that bid would.
    assert audited(costs={last: 1.0}).edited_cost is None


def test_a_log_of_other_bids_is_not_told_so() -> None:
    assert audited(bids=dict.fromkeys(range(1_000, 3_000), 30.0)).edited_cost is None


def test_it_is_said_first(capsys: pytest.CaptureFixture[str], tmp_path: object) -> None:
    from mechanism.tabular.traces import write_trace

    columns = {name: column.copy() for name, column in TRACE.columns().items()}
    columns["cost"][ROW] = 70.0
    path = f"{tmp_path}/log.csv"
    write_trace(Trace(**columns), path, SETTING)
    from proofs_checks.cli.main import main

    assert main(["audit", path, "--setting", "gpqa-strong"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert f"All are explained by one cost: at step {ROW + 1:,} the log has 70; with" in shown
    assert costproof.audit(path, "gpqa-strong").to_data()["edited_cost"]["step"] == ROW + 1
