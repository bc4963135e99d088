"""One edited cost moves all later means of its provider: it is told as one cost, and nothing else is."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

import costproof
from bounds.published import published
from mechanism.episode import simulate
from mechanism.tabular.traces import write_trace
from mechanism.trace import Trace
from proofs_checks.audit.report import AuditReport
from proofs_checks.audit.run import audit
from proofs_checks.pages.page import page_of
from tests.proofs_checks.audit.audited import parts
from tests.proofs_checks.outcomes import Run
from tests.proofs_checks.pages.parsed import parsed

SETTING = published("gpqa-strong").setting
TRACE = simulate(SETTING, horizon=3_000, seed=1)
#: A row of the provider that serves most, with many of its rows after it.
ROW = int(np.flatnonzero(TRACE.provider == np.bincount(TRACE.provider).argmax())[50])


def changed(costs: Mapping[int, float], bids: Mapping[int, float]) -> Trace:
    """The log with some costs and bids changed."""
    columns = {name: column.copy() for name, column in TRACE.columns().items()}
    for name, changes in (("cost", costs), ("bid", bids)):
        for row, value in changes.items():
            columns[name][row] = value
    return Trace(**columns)


def audited(rows: int = 3_000, costs: Mapping[int, float] = {}, bids: Mapping[int, float] = {}) -> AuditReport:
    """The audit of the changed log, in parts of so many rows."""
    return audit(parts(changed(costs, bids), rows), SETTING, labels=["eq:payment"])


@pytest.mark.for_each("rows", [3_000, 700, 64])
@pytest.mark.parametrize("cost", [0.0, 70.0])
def test_one_edited_cost_is_found(rows: int, cost: float) -> None:
    report = audited(rows, {ROW: cost})
    assert report.bids_off_mean_cost > 100
    assert report.edited_cost is not None
    assert (report.edited_cost.step, report.edited_cost.logged) == (ROW + 1, cost)
    assert report.edited_cost.instead == pytest.approx(TRACE.cost[ROW], abs=1e-6)  # type: ignore[index]


@pytest.mark.usefixtures("undiagnosed")
def test_other_edits_are_not_told_so() -> None:
    """A bid, two costs of one provider, costs of two providers, other bids from a step on, and none."""
    own = np.flatnonzero(TRACE.provider == TRACE.provider[ROW])
    other = int(np.flatnonzero(TRACE.provider != TRACE.provider[ROW])[-40])
    last = int(own[-1])
    right = audited()
    assert (right.bids_off_mean_cost, right.edited_cost) == (0, None)
    assert audited(bids={ROW: 1.0}).edited_cost is None
    assert audited(bids=dict.fromkeys(range(1_000, 3_000), 30.0)).edited_cost is None
    assert audited(costs={ROW: 1.0, int(own[90]): 1.0}).edited_cost is None
    assert audited(costs={ROW: 1.0, other: 1.0}).edited_cost is None
    assert audited(bids={last: 1.0}).edited_cost is None
    # The last cost of a provider moves one bid alone, as an edit of that bid would.
    assert audited(costs={last: 1.0}).edited_cost is None
    assert audited(costs={int(own[-2]): 1e308}).edited_cost is None


@pytest.mark.parametrize(("cost", "code"), [(70.0, 0), (1e4, 1)])
def test_the_command_names_it_first(cost: float, code: int, run: Run, tmp_path: Path) -> None:
    """A log can pass with an edited cost; an amount outside [0, c_max] comes first."""
    write_trace(changed({ROW: cost}, {}), tmp_path / "log.csv", SETTING)
    outcome = run("audit", tmp_path / "log.csv", "--setting", "gpqa-strong", "--jobs", 1, "--claim", "eq:payment")
    assert outcome.code == code
    shown = outcome.told
    assert (f"but one cost seems edited (step {ROW + 1:,})" in shown) is (code == 0)
    assert f"All are explained by one cost: at step {ROW + 1:,} the log has" in shown
    assert shown.startswith("Not passed: 1 cost lies outside") is (code == 1)
    data = costproof.audit(str(tmp_path / "log.csv"), "gpqa-strong", labels="eq:payment").to_data()
    assert (data["edited_cost"]["step"], data["first_bid_off_mean_cost"]) == (ROW + 1, ROW + 1)
    assert f"One cost seems edited, at step {ROW + 1:,}" in parsed(page_of(data)).text()
